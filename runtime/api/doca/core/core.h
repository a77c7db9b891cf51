/*
 * core: the base of all DOCA libraries: handles of objects (object.h), descriptors for peers
 * (descriptor.h), GPUs (gpu.h), devices, contexts with their tasks and progress engines, errors and the log of
 * the SDK. This room knows no particular kind of context.
 *
 *     struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);   // NULL: not a device
 *     ... d->context ...
 *     dpk_object_drop(d);
 */
#ifndef DPK_API_DOCA_CORE_CORE_H
#define DPK_API_DOCA_CORE_CORE_H

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_pe.h>

#include "api/doca/core/descriptor.h"
#include "api/doca/core/gpu.h"
#include "api/doca/core/object.h"
#include "api/host/host.h"
#include "device/state/state.h"
#include "rdma/registered/registered.h"

/* Returns the DOCA error for a status of ours. */
doca_error_t dpk_doca_error(enum dpk_status status);

/* Writes one line to the log of the SDK. A program without a log gets the line on stderr. */
#define dpk_doca_log(level, ...) dpk_doca_log_at((level), __FILE__, __LINE__, __func__, __VA_ARGS__)
void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Reports a failure that may repeat: each time in the log of the SDK, and on stderr once for each
 * `kind` of failure of an object. `object` begins with a struct dpk_object. */
#define dpk_doca_tell(object, kind, level, ...)                                                    \
    dpk_doca_tell_at(&((struct dpk_object *)(object))->told, (kind), (level), __FILE__, __LINE__,  \
                     __func__, __VA_ARGS__)
void dpk_doca_tell_at(struct dpk_told *told, unsigned kind, uint32_t level, const char *file,
                      int line, const char *function, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
/* Stores the reason of a failure for this thread, and returns `result`. The end of the call reports the
 * reason (dpk_doca_end, dpk_doca_tell_reason). */
doca_error_t dpk_doca_because(doca_error_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the DOCA error for `err`, and stores its message as the reason. */
doca_error_t dpk_doca_error_of(const struct dpk_error *err);
/* Stores that the argument `name` has `size` bytes, which are less than `least`. Returns INVALID_VALUE. */
doca_error_t dpk_doca_too_small(const char *name, size_t size, size_t least);
/* Clears the stored reason. Call this before an operation that may store a reason. */
void dpk_doca_forget_reason(void);
/* Reports the stored reason of `result` as dpk_doca_tell does, once for each reason of the object. Without
 * a stored reason, nothing is reported. `what`: the call, or the failed part. Returns `result`. */
doca_error_t dpk_doca_tell_reason(void *object, const char *what, doca_error_t result);
/* Takes the stored reason away, for a failure that is reported later. Returns memory of the caller, or
 * NULL if no reason is stored. */
char *dpk_doca_take_reason(void);
/* Reports why `call` failed, with the name of the error: each time in the log of the SDK, and on stderr once
 * for each text of an object, where texts that differ in numbers alone are the same. Returns `result`. */
doca_error_t dpk_doca_refuse_call(void *object, doca_error_t result, const char *call,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports that a call got NULL, or a handle that is not (or no longer) of the right kind. Returns
 * INVALID_VALUE. */
doca_error_t dpk_doca_no_object(const char *call);
/* Unlocks and unpins an object, as dpk_object_unlock, and then ends `call` as dpk_doca_end does. The format
 * is the reason of a failure without a stored one. With NULL, it returns dpk_doca_no_object. */
doca_error_t dpk_doca_unlock(void *object, const char *call, doca_error_t result,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The end of a call that may have failed: reports why, as dpk_doca_refuse_call, unless `result` is SUCCESS,
 * IN_PROGRESS or AGAIN, or NOT_SUPPORTED as the answer of a capability. The reason is the one stored for
 * `result` (dpk_doca_because), or a general one of the error. `handle`: the program's object, which may be
 * destroyed or NULL. Call this without a lock. Returns `result`. */
doca_error_t dpk_doca_end(const void *handle, const char *call, doca_error_t result);
/* Destroys an object, as dpk_object_destroy, and ends `call`, as dpk_doca_end. */
doca_error_t dpk_doca_destroy(const void *handle, const struct dpk_kind *kind, const char *call);
/* A public function that a library of ours calls. It stores the reason of its failure instead of reporting
 * it, so that the outer call reports it once and with its own name. A stored reason stays if it succeeds.
 * The function must not run callbacks of the program. Returns its result. */
#define dpk_doca_inner(call) (dpk_doca_inner_begin(), dpk_doca_inner_end(call))
void dpk_doca_inner_begin(void);
doca_error_t dpk_doca_inner_end(doca_error_t result);

/* ---- Devices ---- */

struct dpk_devinfo {
    struct dpk_object object;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};
extern const struct dpk_kind dpk_devinfo_kind;
/* Fills `info` with the card's description of a device, or of the function that an open representor
 * stands for. Errors: INVALID_VALUE if the handle is not a device or representor. */
doca_error_t dpk_dev_rep_ask(const struct doca_dev_rep *rep, struct dpk_device_info *info);
doca_error_t dpk_devinfo_ask(const struct doca_devinfo *devinfo, struct dpk_device_info *info);
/* Representors of emulated PCI functions of a card. A representor has the number of its function, from 1.
 * dpk_dev_rep_ask refuses these representors. */
doca_error_t dpk_emulated_rep_list(const struct dpk_device_info *cards, const unsigned *numbers,
                                   uint32_t count, struct doca_devinfo_rep ***list);
doca_error_t dpk_emulated_rep_open(const struct dpk_device_info *card, unsigned number,
                                   struct doca_dev_rep **rep);
doca_error_t dpk_emulated_rep_ask(const struct doca_dev_rep *rep, struct dpk_device_info *card,
                                  unsigned *number);
/* Sets *is_equal if `text` is the PCI address `pci`, with or without the domain. Errors: INVALID_VALUE if
 * `text` is not a PCI address. */
doca_error_t dpk_pci_address_compare(const char *text, const struct dpk_pci_address *pci,
                                     uint8_t *is_equal);
/* Returns `answer` if `devinfo` is a device that can be opened. Errors: INVALID_VALUE if not. */
doca_error_t dpk_devinfo_answer(const struct doca_devinfo *devinfo, doca_error_t answer);
/* Copies `count` GIDs of the device, from index `first`; an unused index is zeros. Errors: INVALID_VALUE,
 * NOT_CONNECTED. */
doca_error_t dpk_devinfo_gids(const struct doca_devinfo *devinfo, uint32_t first, uint32_t count,
                              uint8_t gids[][DOCA_GID_BYTE_LENGTH]);

struct dpk_dev {
    struct dpk_object object;
    struct dpk_devinfo *info; /* a reference; its handle is doca_dev_as_devinfo's */
    struct ibv_context *context;
    struct ibv_pd *pd; /* made on demand; guarded by the object's lock */
    struct ibv_pd
        *beside;  /* the program's, which it opened the device from; only to be told again */
    bool borrows; /* context and pd belong to `owner` or to the program */
    void *owner;  /* the object whose context and pd this device borrows (a use), or NULL */
    struct dpk_memory_domain *domain; /* shared by all openings of the device */
    struct dpk_receiver *receivers;   /* guarded by the object's lock */
};
extern const struct dpk_kind dpk_dev_kind;

/* Returns the largest DMA task or comch message of an open device, in bytes. */
uint32_t dpk_dev_dma_max(const struct dpk_dev *dev);
/* Opens the device of `devinfo` for libibverbs alone. Errors: INVALID_VALUE if `devinfo` is not a device,
 * NOT_CONNECTED. */
doca_error_t dpk_dev_open_context(const struct doca_devinfo *devinfo, struct ibv_context **context);
/* Makes a protection domain of an opened device. Its keys are also valid for DOCA devices of that device.
 * Returns NULL if memory is exhausted. */
struct ibv_pd *dpk_dev_alloc_pd(struct ibv_context *context);
/* Ports of DPDK that are opened devices, by libdoca_dpdk_bridge. A port of a closed device is free.
 * dpk_dpdk_port_set errors: ALREADY_EXIST if the port is an opened device, TOO_BIG. */
doca_error_t dpk_dpdk_port_set(uint16_t port, struct doca_dev *dev);
struct doca_dev *dpk_dpdk_port_device(uint16_t port); /* NULL: the port is not an opened device */
/* Gets the port of an opened device. Returns false if the device has no port. */
bool dpk_dpdk_port_of(const struct doca_dev *dev, uint16_t *port);
/* Makes an open device that borrows the context and the protection domain of `owner`. The device uses
 * `owner` until the device is closed. */
doca_error_t dpk_dev_borrow(struct ibv_pd *pd, void *owner, struct doca_dev **dev);

/* Receive queues of an opened device, found by the ids that programs give (receivers.c). A queue's number
 * on the device is never 0. Errors: ALREADY_EXIST if another queue has the id, NO_MEMORY. */
doca_error_t dpk_dev_add_receiver(struct dpk_dev *dev, uint16_t id, uint32_t number);
void dpk_dev_remove_receiver(struct dpk_dev *dev, uint32_t number);
/* Returns the number of the queue with this id, or 0. */
uint32_t dpk_dev_receiver(struct dpk_dev *dev, uint16_t id);

/* ---- Contexts ---- */

struct dpk_ctx;
struct dpk_pe;
struct dpk_task;

struct dpk_ctx_ops {
    /* Called with the object's lock; `stop` is called after the last task was freed. May be NULL. If
     * `start` returns IN_PROGRESS, the context is starting until dpk_ctx_begin_run is called. */
    doca_error_t (*start)(struct dpk_ctx *ctx);
    doca_error_t (*stop)(struct dpk_ctx *ctx);
    /* For a context that keeps its submitted tasks itself, or has events. `progress` does one piece of
     * work, without a lock, in any state except idle, and returns false if there was no work.
     * `is_ready` says whether there is work; any thread calls it, with any lock. NULL: the context
     * only runs tasks. */
    bool (*progress)(struct dpk_ctx *ctx);
    bool (*is_ready)(const struct dpk_ctx *ctx);
    /* Does the work that all contexts with this function share. The progress engine then skips a running
     * context without work (dpk_ctx_has_work) until dpk_ctx_notify is called. NULL: the engine asks
     * each context. */
    void (*poll)(struct dpk_ctx *ctx);
    /* Called before a thread sleeps on the progress engine `pe`. Returns a further descriptor that must
     * wake the thread, or -1. May be NULL. */
    int (*rest)(struct dpk_ctx *ctx, const struct dpk_pe *pe);
    bool
        notifies; /* the context calls dpk_ctx_notify when it becomes ready; no thread has to ask */
    /* Sends the tasks that `take` holds back; called with the lock. NULL: `take` holds no tasks back. */
    void (*flush)(struct dpk_ctx *ctx);
    bool has_datapath;   /* dpk_ctx_set_datapath accepts this context */
    bool has_gpu;        /* doca_ctx_set_datapath_on_gpu accepts this context */
    bool ends_by_errors; /* a failed task stops the context, and its other tasks fail, too */
};

/* The first member of every object that is a context. */
struct dpk_ctx {
    struct dpk_object object;
    const struct dpk_ctx_ops *ops;
    _Atomic(enum doca_ctx_states) state;
    void *datapath; /* the object that executes the data path: a reference, or NULL */
    union doca_data user_data;
    doca_ctx_state_changed_callback_t changed;
    struct dpk_pe *pe; /* a use */
    struct dpk_ctx *next_in_pe;
    atomic_bool parked;            /* the engine has taken the context out of its line (line.h) */
    struct dpk_task *first, *last; /* submitted tasks; the first one is next */
    atomic_size_t submitted;       /* tasks that are submitted and have not ended */
    atomic_size_t waiting;         /* submitted tasks that could not run when they were tried */
    atomic_size_t tasks;           /* tasks that are not freed */
};

void dpk_ctx_init(struct dpk_ctx *ctx, const struct dpk_ctx_ops *ops);
/* Returns the context of an object of a kind whose structure begins with a context; for the
 * doca_..._as_ctx functions. Returns NULL if `handle` is not an object of this kind. */
struct doca_ctx *dpk_ctx_of(const void *handle, const struct dpk_kind *kind);
/* Takes the context out of its progress engine. A kind's `left` calls this. */
void dpk_ctx_left(struct dpk_ctx *ctx);
/* Drops the references of the context. A kind's `release` calls this. */
void dpk_ctx_clear(struct dpk_ctx *ctx);
/* Connects the context to a progress engine. Errors: BAD_STATE if the context is not idle, NOT_PERMITTED
 * if the context is already connected. */
doca_error_t dpk_ctx_connect(struct dpk_ctx *ctx, struct doca_pe *pe);
/* Sets the DPA context that executes the data path. Errors: NOT_SUPPORTED if the context's kind has no data
 * path there, BAD_STATE if the context is not idle. */
doca_error_t dpk_ctx_set_datapath(struct dpk_ctx *ctx, void *object);
bool dpk_ctx_is_running(const struct dpk_ctx *ctx);
/* Returns the state in words, for messages: "idle". */
const char *dpk_ctx_state_name(const struct dpk_ctx *ctx);
doca_error_t dpk_ctx_start(struct dpk_ctx *ctx);
/* Returns IN_PROGRESS while tasks are not freed; doca_pe_progress stops the context after the last. */
doca_error_t dpk_ctx_stop(struct dpk_ctx *ctx);
/* Makes a starting context run. Call this without the lock. Returns false if the context no longer
 * starts. */
bool dpk_ctx_begin_run(struct dpk_ctx *ctx);
/* Makes a running or starting context stop, after a task failed or a peer ended. Call this without the
 * lock. */
void dpk_ctx_begin_stop(struct dpk_ctx *ctx);

/* The first member of contexts that use one device. */
struct dpk_dev_ctx {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use */
};

/* Makes an idle context of `size` bytes that begin with a struct dpk_dev_ctx, and returns its handle.
 * Returns NULL and sets *result: INVALID_VALUE if `dev` is not a device, NO_MEMORY. */
void *dpk_dev_ctx_new(const struct doca_dev *dev, const struct dpk_kind *kind,
                      const struct dpk_ctx_ops *ops, size_t size, doca_error_t *result);
/* `left` and `release` of kinds that begin with a struct dpk_dev_ctx. */
void dpk_dev_ctx_left(void *object);
void dpk_dev_ctx_release(void *object);

/* ---- Tasks ---- */

/* A callback of a task, without its type. `tell` of the struct dpk_task_type casts it to its type. */
typedef void (*dpk_task_callback)(void);

struct dpk_task_type {
    const struct dpk_kind *kind; /* NULL: dpk_task_kind */
    size_t size;                 /* bytes of the task, which begins with a struct dpk_task */
    /* Checks a task for doca_task_try_submit. May be NULL. */
    doca_error_t (*check)(struct dpk_task *task);
    /* Runs the task, without a lock. Returns IN_PROGRESS if the task must wait, AGAIN if a part of the task
     * is done. */
    doca_error_t (*run)(struct dpk_task *task);
    /* Replaces `run` for contexts with `progress`. Takes a task at its submission, with the lock of the
     * context, and calls dpk_task_end later. An error becomes the result of doca_task_submit. `flush`:
     * this task and all tasks taken before must not be held back any longer. */
    doca_error_t (*take)(struct dpk_task *task, bool flush);
    /* Says whether a waiting task can run now. A thread of an armed progress engine asks. NULL: the
     * cause of readiness calls dpk_task_retry. */
    bool (*is_ready)(struct dpk_task *task);
    void (*release)(struct dpk_task *task); /* drops the references of the task; may be NULL */
    void (*tell)(dpk_task_callback callback, void *task, union doca_data task_data,
                 union doca_data ctx_data);
};

/* The tasks of one type of a context; guarded by the lock of the context. */
struct dpk_task_pool {
    const struct dpk_task_type *type;
    dpk_task_callback completed, failed;
    uint32_t count, max; /* tasks that are not freed, and their limit */
};

/* The first member of every task. A task uses its context until it is freed. */
struct dpk_task {
    struct dpk_object object;
    struct dpk_task_pool *pool;
    struct dpk_ctx *ctx; /* a use */
    struct dpk_task *next;
    enum { DPK_TASK_NEW, DPK_TASK_SUBMITTED, DPK_TASK_ENDED } state;
    bool freed;          /* the program freed the task while it was submitted, or in its callback */
    bool told;           /* the callback runs: the program may still read the task's attributes */
    bool waits;          /* the task is counted in dpk_ctx.waiting */
    bool retried;        /* dpk_task_retry was called since the task was last tried */
    doca_error_t status; /* valid after the end of the task */
    union doca_data user_data;
    /* Called at the end of the task instead of the program's callback. NULL: the program is called. */
    void (*observer)(void *owner, struct dpk_task *task);
    void *owner;
};
extern const struct dpk_kind dpk_task_kind;
/* `left` and `release` of other kinds of tasks. */
void dpk_task_left(void *object);
void dpk_task_release(void *object);

/* Sets up a pool of an idle context. Errors: BAD_STATE if the context is not idle. */
doca_error_t dpk_task_pool_set(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                               const struct dpk_task_type *type, dpk_task_callback completed,
                               dpk_task_callback failed, uint32_t max);
/* Raises the limit of a pool by `by` tasks. Errors: BAD_STATE if the context is idle or the pool is not set
 * up, INVALID_VALUE if `by` is 0 or the sum exceeds 32 bits. */
doca_error_t dpk_task_pool_expand(struct dpk_ctx *ctx, struct dpk_task_pool *pool, uint32_t by);
/* Returns a new, pinned task of a running context. Returns NULL and sets *result: BAD_STATE if the context
 * does not run, NO_MEMORY if memory or the pool is exhausted. */
struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                              union doca_data user_data, doca_error_t *result);
/* Returns the task, pinned, or NULL if `handle` is not a task of this type. */
struct dpk_task *dpk_task_pin(const void *handle, const struct dpk_task_type *type);
/* Returns the task as a doca_task, or NULL if `handle` is not a task of this type. */
struct doca_task *dpk_task_handle(const void *handle, const struct dpk_task_type *type);
/* Attributes of a task may change between these two calls. The first returns false if the task is
 * submitted: then its attributes must not change. */
bool dpk_task_begin_change(struct dpk_task *task);
void dpk_task_end_change(struct dpk_task *task);
/* Submits a task like doca_task_submit. The observer, if any, is called at its end. `flush`: see `take`. */
doca_error_t dpk_task_submit(struct dpk_task *task, bool flush,
                             void (*observer)(void *owner, struct dpk_task *task), void *owner);
/* Ends a task that `take` took, and calls its callback. Call this without a lock. */
void dpk_task_end(struct dpk_task *task, doca_error_t status);
/* Marks a waiting task as ready to be tried again. */
void dpk_task_retry(struct dpk_task *task);
/* Returns the result of doca_task_get_status; sets and returns the program's data of the task. */
doca_error_t dpk_task_status(struct dpk_task *task);
void dpk_task_set_user_data(struct dpk_task *task, union doca_data user_data);
union doca_data dpk_task_user_data(struct dpk_task *task);
/* Frees the task. Returns false if the task is submitted; then it is freed at its end. */
bool dpk_task_free(struct dpk_task *task);
/* Does one piece of work of a context and calls its callback. Returns false if there was no work. */
bool dpk_ctx_progress(struct dpk_ctx *ctx);
/* Announces work to the progress engine of a running or stopping context. */
void dpk_ctx_notify(struct dpk_ctx *ctx);
/* Says whether dpk_ctx_progress may find work, as far as this is known without a try. */
bool dpk_ctx_has_work(const struct dpk_ctx *ctx);

/* ---- Batches of tasks ---- */

/* The first member of a batch: programs see `count` tasks, the context sees one task. */
struct dpk_task_batch {
    struct dpk_task task;
    uint16_t count;
};
extern const struct dpk_kind dpk_task_batch_kind; /* of types of tasks that are batches */

/* Returns a number that is unique to this process. A child of fork() has another number. */
const struct dpk_uuid *dpk_process_identity(void);

#endif
