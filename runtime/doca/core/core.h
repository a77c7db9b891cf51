/*
 * core: what all of DOCA stands on: handles of objects (object.h), descriptors for peers
 * (descriptor.h), devices, contexts with their tasks and progress engines, errors and the log of
 * the SDK. It knows no kind of context.
 *
 *     struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);   // NULL: not a device
 *     ... d->context ...
 *     dpk_object_drop(d);
 */
#ifndef DPK_DOCA_CORE_H
#define DPK_DOCA_CORE_H

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_pe.h>

#include "card/card.h"
#include "doca/core/descriptor.h"
#include "doca/core/object.h"
#include "host/host.h"
#include "memory/memory.h"

/* What a DOCA function returns for a status of ours. */
doca_error_t dpk_doca_error(enum dpk_status status);

/* One line in the log of the SDK; where the program has none, on stderr. */
#define dpk_doca_log(level, ...) dpk_doca_log_at((level), __FILE__, __LINE__, __func__, __VA_ARGS__)
void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same of trouble that a program may have again and again: in the log of the SDK each time, on
 * stderr once for each `kind` of an object, which begins with a struct dpk_object. */
#define dpk_doca_tell(object, kind, level, ...)                                                    \
    dpk_doca_tell_at(&((struct dpk_object *)(object))->told, (kind), (level), __FILE__, __LINE__,  \
                     __func__, __VA_ARGS__)
void dpk_doca_tell_at(struct dpk_told *told, unsigned kind, uint32_t level, const char *file,
                      int line, const char *function, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
/* Why a call, or a task, fails is known where it fails, and told where its object is known: this notes
 * the reason for the thread, and returns `result`. */
doca_error_t dpk_doca_because(doca_error_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Forgets the reason, before something that may note one. */
void dpk_doca_forget_reason(void);
/* Tells the reason of `result` as dpk_doca_tell does, once for each reason of the object; nothing if there
 * is none. `what`: the call, or what failed. Returns `result`. */
doca_error_t dpk_doca_tell_reason(void *object, const char *what, doca_error_t result);
/* A result of a call, of which a line says the reason: in the log of the SDK each time, on stderr once for
 * each place and object. `object` NULL: there is none, or none that lives. */
#define dpk_doca_refuse(object, result, ...)                                                       \
    ({                                                                                             \
        static struct dpk_told nobody_;                                                            \
        struct dpk_object *of_ = (struct dpk_object *)(object);                                    \
        dpk_doca_tell_at(of_ ? &of_->refused : &nobody_, __LINE__, DOCA_LOG_LEVEL_ERROR, __FILE__, \
                         __LINE__, __func__, __VA_ARGS__);                                         \
        (doca_error_t)(result);                                                                    \
    })
#define dpk_doca_bad_config(object, ...) dpk_doca_refuse(object, DOCA_ERROR_BAD_CONFIG, __VA_ARGS__)
/* Logs `err` and says what a DOCA function returns for it. `call`: the function's name. */
doca_error_t dpk_doca_failed(const char *call, const struct dpk_error *err);

/* ---- Devices ---- */

struct dpk_devinfo {
    struct dpk_object object;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};
extern const struct dpk_kind dpk_devinfo_kind;
/* What the card says of a device, or of the function that an open representor stands for.
 * INVALID_VALUE: it is none. */
doca_error_t dpk_dev_rep_ask(const struct doca_dev_rep *rep, struct dpk_device_info *info);
doca_error_t dpk_devinfo_ask(const struct doca_devinfo *devinfo, struct dpk_device_info *info);
/* Representors of emulated functions of a card, with their addresses and VUIDs, by number; number 0 is
 * none. dpk_dev_rep_ask does not know them. */
doca_error_t dpk_emulated_rep_list(const struct dpk_device_info *cards, const unsigned *numbers,
                                   uint32_t count, struct doca_devinfo_rep ***list);
doca_error_t dpk_emulated_rep_open(const struct dpk_device_info *card, unsigned number,
                                   struct doca_dev_rep **rep);
doca_error_t dpk_emulated_rep_ask(const struct doca_dev_rep *rep, struct dpk_device_info *card,
                                  unsigned *number);
/* Whether a text is the PCI address, with the domain or without. INVALID_VALUE: it is none. */
doca_error_t dpk_pci_address_compare(const char *text, const struct dpk_pci_address *pci,
                                     uint8_t *is_equal);
/* What a question about a device that could be opened has as its answer. INVALID_VALUE: it is none. */
doca_error_t dpk_devinfo_answer(const struct doca_devinfo *devinfo, doca_error_t answer);
/* So many of its GIDs; zeros where it has none. INVALID_VALUE, NOT_CONNECTED. */
doca_error_t dpk_devinfo_gids(const struct doca_devinfo *devinfo, uint32_t first, uint32_t count,
                              uint8_t gids[][DOCA_GID_BYTE_LENGTH]);

struct dpk_dev {
    struct dpk_object object;
    struct dpk_devinfo *info; /* a reference; its handle is doca_dev_as_devinfo's */
    struct ibv_context *context;
    struct ibv_pd *pd; /* NULL: nobody asked for it; with the object's lock */
    bool borrows;      /* context and pd are not its own */
    void *owner; /* that they are borrowed from: a use; NULL: they are its own, or the program's */
    struct dpk_memory_domain *domain; /* one for a device, however often that is open */
    struct dpk_receiver *receivers;   /* with the object's lock */
};
extern const struct dpk_kind dpk_dev_kind;

/* The largest task of DMA, or message of comch, of an open device, in bytes. */
uint32_t dpk_dev_dma_max(const struct dpk_dev *dev);
/* Opens the device of a `devinfo` for libibverbs alone. INVALID_VALUE: it is none. NOT_CONNECTED. */
doca_error_t dpk_dev_open_context(const struct doca_devinfo *devinfo, struct ibv_context **context);
/* A protection domain of an opened device, whose keys are those of its DOCA devices too. NULL: out of
 * memory. */
struct ibv_pd *dpk_dev_alloc_pd(struct ibv_context *context);
/* An open device that has the context, and the protection domain, of an object, which it uses until
 * it is closed. */
doca_error_t dpk_dev_borrow(struct ibv_pd *pd, void *owner, struct doca_dev **dev);

/* Receive queues of an opened device by the ids that programs gave them (receivers.c): their numbers
 * on the device, which are never 0. ALREADY_EXIST: another queue has that id. NO_MEMORY. */
doca_error_t dpk_dev_add_receiver(struct dpk_dev *dev, uint16_t id, uint32_t number);
void dpk_dev_remove_receiver(struct dpk_dev *dev, uint32_t number);
/* 0: no queue has that id. */
uint32_t dpk_dev_receiver(struct dpk_dev *dev, uint16_t id);

/* ---- Contexts ---- */

struct dpk_ctx;
struct dpk_pe;
struct dpk_task;

struct dpk_ctx_ops {
    /* With the object's lock held; `stop` when all tasks are freed. NULL: there is nothing to do. */
    /* IN_PROGRESS of `start`: it is starting until dpk_ctx_begin_run is called. */
    doca_error_t (*start)(struct dpk_ctx *ctx);
    doca_error_t (*stop)(struct dpk_ctx *ctx);
    /* For a context that keeps its submitted tasks itself, and has events: does one piece of work,
     * without a lock, in any state but idle. False: there was none. `is_ready`: whether there would
     * be, asked by any thread, and with any lock. NULL: all that it does is to run tasks. */
    bool (*progress)(struct dpk_ctx *ctx);
    bool (*is_ready)(const struct dpk_ctx *ctx);
    /* Does work that all contexts with this function share. Of these, one that runs and has no work
     * (dpk_ctx_has_work) is then left alone until dpk_ctx_notify is called. NULL: it is asked. */
    void (*poll)(struct dpk_ctx *ctx);
    /* The thread of the progress engine `pe` is going to sleep. Returns a descriptor that wakes it, too,
     * or -1. NULL: there is none. */
    int (*rest)(struct dpk_ctx *ctx, const struct dpk_pe *pe);
    bool notifies; /* it calls dpk_ctx_notify when it has become ready: no thread needs to ask */
    /* Lets tasks go that `take` holds back; with the lock. NULL: none ever are. */
    void (*flush)(struct dpk_ctx *ctx);
    bool has_datapath;   /* dpk_ctx_set_datapath is for it */
    bool ends_by_errors; /* a task that fails stops it, and the other tasks fail with it */
};

/* The first member of every object that is a context. */
struct dpk_ctx {
    struct dpk_object object;
    const struct dpk_ctx_ops *ops;
    _Atomic(enum doca_ctx_states) state;
    void *datapath; /* the object that carries out its data path: a reference; NULL: not set */
    union doca_data user_data;
    doca_ctx_state_changed_callback_t changed;
    struct dpk_pe *pe; /* a use */
    struct dpk_ctx *next_in_pe;
    atomic_bool parked;            /* its engine has taken it out of the line (line.h) */
    struct dpk_task *first, *last; /* submitted tasks; the first one is next */
    atomic_size_t submitted;       /* tasks that are submitted and have not ended */
    atomic_size_t waiting;         /* of these, those that could not be carried out when tried */
    atomic_size_t tasks;           /* tasks that are not freed */
};

void dpk_ctx_init(struct dpk_ctx *ctx, const struct dpk_ctx_ops *ops);
/* The context of an object whose kind begins with one; for the doca_..._as_ctx functions. NULL: it
 * is not an object of that kind. */
struct doca_ctx *dpk_ctx_of(const void *handle, const struct dpk_kind *kind);
/* Takes it out of its progress engine; for the kind's `left`. */
void dpk_ctx_left(struct dpk_ctx *ctx);
/* Drops what it holds; for the kind's release. */
void dpk_ctx_clear(struct dpk_ctx *ctx);
/* Connects it to a progress engine. BAD_STATE: not idle. NOT_PERMITTED: it is connected. */
doca_error_t dpk_ctx_connect(struct dpk_ctx *ctx, struct doca_pe *pe);
/* Says which object carries out its data path. NOT_SUPPORTED: not of this kind. BAD_STATE: not
 * idle. */
doca_error_t dpk_ctx_set_datapath(struct dpk_ctx *ctx, void *object);
bool dpk_ctx_is_running(const struct dpk_ctx *ctx);
doca_error_t dpk_ctx_start(struct dpk_ctx *ctx);
/* IN_PROGRESS: tasks are not freed; it stops in doca_pe_progress when they are. */
doca_error_t dpk_ctx_stop(struct dpk_ctx *ctx);
/* A starting context runs from now on, without the lock. False: it does not start any more. */
bool dpk_ctx_begin_run(struct dpk_ctx *ctx);
/* A task failed, or a peer has gone: a context that runs or starts is stopping from now on. Without
 * the lock. */
void dpk_ctx_begin_stop(struct dpk_ctx *ctx);

/* The first member of contexts that stand on one device. */
struct dpk_dev_ctx {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use */
};

/* The handle of a new idle one, of `size` bytes that begin with a struct dpk_dev_ctx; NULL: *result
 * says why: INVALID_VALUE: no device. NO_MEMORY. */
void *dpk_dev_ctx_new(const struct doca_dev *dev, const struct dpk_kind *kind,
                      const struct dpk_ctx_ops *ops, size_t size, doca_error_t *result);
/* For their kinds. */
void dpk_dev_ctx_left(void *object);
void dpk_dev_ctx_release(void *object);

/* ---- Tasks ---- */

/* A callback of a type of task, as any function; struct dpk_task_type knows its true type. */
typedef void (*dpk_task_callback)(void);

struct dpk_task_type {
    const struct dpk_kind *kind; /* NULL: dpk_task_kind */
    size_t size;                 /* of its structure, which begins with a struct dpk_task */
    /* What doca_task_try_submit says before it submits. NULL: nothing. */
    doca_error_t (*check)(struct dpk_task *task);
    /* Carries it out, without a lock. IN_PROGRESS: it cannot be yet. AGAIN: a part was. */
    doca_error_t (*run)(struct dpk_task *task);
    /* For contexts with `progress`, instead of `run`: takes a task that is being submitted, with the
     * lock of its context, and calls dpk_task_end later. Else what doca_task_submit returns. `flush`:
     * neither this one nor those that were taken before may be held back any longer. */
    doca_error_t (*take)(struct dpk_task *task, bool flush);
    /* Whether one that could not be carried out could be now, asked by a thread of a progress
     * engine that is armed. NULL: what makes it so calls dpk_task_retry. */
    bool (*is_ready)(struct dpk_task *task);
    void (*release)(struct dpk_task *task); /* gives back what it holds; or NULL */
    void (*tell)(dpk_task_callback callback, void *task, union doca_data task_data,
                 union doca_data ctx_data);
};

/* The tasks of one type that a context may have: under its lock. */
struct dpk_task_pool {
    const struct dpk_task_type *type;
    dpk_task_callback completed, failed;
    uint32_t count, max; /* tasks that are not freed, and how many there may be */
};

/* The first member of every task. A task uses its context until it is freed. */
struct dpk_task {
    struct dpk_object object;
    struct dpk_task_pool *pool;
    struct dpk_ctx *ctx; /* a use */
    struct dpk_task *next;
    enum { DPK_TASK_NEW, DPK_TASK_SUBMITTED, DPK_TASK_ENDED } state;
    bool freed;          /* while it was submitted, or in the callback that tells of its end */
    bool told;           /* that callback runs: the program may still ask for what it had */
    bool waits;          /* it counts as waiting */
    bool retried;        /* dpk_task_retry was called since it was last tried */
    doca_error_t status; /* once it has ended */
    union doca_data user_data;
    /* Who is told of its end instead of the program; NULL: the program. */
    void (*observer)(void *owner, struct dpk_task *task);
    void *owner;
};
extern const struct dpk_kind dpk_task_kind;
void dpk_task_left(void *object);    /* for other kinds of tasks */
void dpk_task_release(void *object); /* the same */

/* Sets up a pool of an idle context. BAD_STATE. */
doca_error_t dpk_task_pool_set(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                               const struct dpk_task_type *type, dpk_task_callback completed,
                               dpk_task_callback failed, uint32_t max);
/* Lets a pool of a context that is not idle have so many tasks more. BAD_STATE: it is idle, or the
 * pool is not set up. INVALID_VALUE: 0, or more than can be counted. */
doca_error_t dpk_task_pool_expand(struct dpk_ctx *ctx, struct dpk_task_pool *pool, uint32_t by);
/* A new task of a running context, pinned; *result: BAD_STATE: it does not run. NO_MEMORY: also if
 * there are as many as there may be. */
struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                              union doca_data user_data, doca_error_t *result);
/* The task of that type, pinned; NULL: it is none. */
struct dpk_task *dpk_task_pin(const void *handle, const struct dpk_task_type *type);
/* As a doca_task; NULL: it is none of that type. */
struct doca_task *dpk_task_handle(const void *handle, const struct dpk_task_type *type);
/* Between these what it does may be changed. False: it is submitted, and must not be. */
bool dpk_task_begin_change(struct dpk_task *task);
void dpk_task_end_change(struct dpk_task *task);
/* As doca_task_submit; with an observer it tells that one. `flush`: as above. */
doca_error_t dpk_task_submit(struct dpk_task *task, bool flush,
                             void (*observer)(void *owner, struct dpk_task *task), void *owner);
/* Ends a task that `take` took, without a lock, and tells of it. */
void dpk_task_end(struct dpk_task *task, doca_error_t status);
/* One that could not be carried out could be now. */
void dpk_task_retry(struct dpk_task *task);
/* What doca_task_get_status returns, and what the program keeps with it. */
doca_error_t dpk_task_status(struct dpk_task *task);
void dpk_task_set_user_data(struct dpk_task *task, union doca_data user_data);
union doca_data dpk_task_user_data(struct dpk_task *task);
/* Gives it back. False: it is submitted, and is given back when it has ended. */
bool dpk_task_free(struct dpk_task *task);
/* Does one piece of work of a context and tells of it. False: there was none. */
bool dpk_ctx_progress(struct dpk_ctx *ctx);
/* There may be work for the progress engine of a context that runs or stops. */
void dpk_ctx_notify(struct dpk_ctx *ctx);
/* Whether dpk_ctx_progress would find something to do, as far as that is known without trying. */
bool dpk_ctx_has_work(const struct dpk_ctx *ctx);

/* ---- Batches of tasks ---- */

/* One task, to the context, that programs see as a batch of `count` tasks. The first member. */
struct dpk_task_batch {
    struct dpk_task task;
    uint16_t count;
};
extern const struct dpk_kind dpk_task_batch_kind; /* of types of tasks that are batches */

/* A number that no other process has, nor a child of fork(). */
const struct dpk_uuid *dpk_process_identity(void);

#endif
