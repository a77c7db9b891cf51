/*
 * doca_common: what libdoca_common.so gives to the other DOCA libraries beyond its public headers:
 * the objects behind handles. Both generations of the public API are thin over them.
 *
 *     struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
 *     struct dpk_process *p = d ? dpk_dpa_enter(d, 0) : NULL;   // NULL: not running
 *     ...                                                       // it stays until
 *     dpk_dpa_leave(d);
 *     dpk_object_drop(d);
 *
 * Locks: an object's own lock may be held while that of its DPA context is taken, never the other
 * way round; the lock of the table of objects is the last.
 */
#ifndef DPK_HOST_DOCA_COMMON_H
#define DPK_HOST_DOCA_COMMON_H

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_sync_event.h>

#include "doca/core/object.h"
#include "flexio/flexio.h"

/* What a DOCA function returns for a status of ours. */
doca_error_t dpk_doca_error(enum dpk_status status);

/* One line in the log of the SDK; where the program has none, on stderr as FlexIO's lines. */
#define dpk_doca_log(level, ...) dpk_doca_log_at((level), __FILE__, __LINE__, __func__, __VA_ARGS__)
void dpk_doca_log_at(uint32_t level, const char *file, int line, const char *function,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Logs `err` and says what a DOCA function returns for it. `call`: the function's name. */
doca_error_t dpk_doca_failed(const char *call, const struct dpk_error *err);

/* ---- Devices --------------------------------------------------------------------------------- */

struct dpk_devinfo {
    struct dpk_object object;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};
extern const struct dpk_kind dpk_devinfo_kind;

struct dpk_dev {
    struct dpk_object object;
    struct dpk_devinfo *info; /* a reference; its handle is doca_dev_as_devinfo's */
    struct ibv_context *context;
};
extern const struct dpk_kind dpk_dev_kind;

/* ---- DPA contexts ---------------------------------------------------------------------------- */

struct dpk_dpa {
    struct dpk_object object;
    struct dpk_dev *dev;    /* a reference, and a use until it is closed */
    struct dpk_dpa *base;   /* of an extended context: a reference; else NULL */
    struct flexio_app *app; /* NULL: none yet */
    uint64_t number;        /* what DPA code calls it */
    bool unique_addresses;  /* of DPA memory, among all such contexts (DOCA 2.2) */
    atomic_bool started;    /* until stop or destroy */
    /* Of a context that is not extended: */
    _Atomic uint64_t last_number;
    struct flexio_process *process;     /* NULL: not running */
    uint64_t run;                       /* counts starts */
    unsigned inside;                    /* who entered */
    pthread_cond_t left;                /* inside became 0 */
    unsigned log_level;                 /* of FlexIO's */
    struct flexio_msg_stream *log;      /* a process's stream 1; its stream 0 is for printf */
    struct dpk_allocation *allocations; /* DOCA 2.2's */
    struct dpk_externals {
        pthread_mutex_t lock;
        uint32_t *keys, count; /* of registered memory that DPA code has pointers to */
    } externals;
};
extern const struct dpk_kind dpk_dpa_kind;

/* A context that is not started; holds `dev`. NULL: out of memory. */
struct dpk_dpa *dpk_dpa_new(struct dpk_dev *dev);
/* Loads the program; the device decides first. BAD_STATE: started before. */
doca_error_t dpk_dpa_start(struct dpk_dpa *d);
/* Ends its threads, wherever they are, and whoever waits for them; prints what they left. */
doca_error_t dpk_dpa_stop(struct dpk_dpa *d);

/* The process of a started context; it stays until the caller leaves. `run` 0, or the run that the
 * caller's object belongs to: objects of an earlier one are dead. NULL: not started. */
struct dpk_process *dpk_dpa_enter(struct dpk_dpa *d, uint64_t run);
void dpk_dpa_leave(struct dpk_dpa *d);
/* The context whose process this one shares: itself, or what it extends. */
struct dpk_dpa *dpk_dpa_base(struct dpk_dpa *d);
/* FlexIO's side of it, for one who entered. */
struct flexio_process *dpk_dpa_flexio(struct dpk_dpa *d);
/* A context for another device on the same process, started. BAD_STATE: not started, or extended.
 */
doca_error_t dpk_dpa_extend(struct dpk_dpa *base, struct dpk_dev *dev, struct dpk_dpa **out);
/* The last call on a context that was stopped, or extended another: it needs its device no more. */
void dpk_dpa_close(struct dpk_dpa *d);
/* Whether a number is one that DPA code may call the context, or one that extends it, by. */
bool dpk_dpa_has_number(struct dpk_dpa *d, uint64_t number);
/* Which messages of the log come out: one of FlexIO's levels. */
void dpk_dpa_set_log_level(struct dpk_dpa *d, unsigned level);

/* ---- Threads and what wakes them ------------------------------------------------------------- */

struct dpk_dpa_thread {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;        /* of the context; 0: not started yet */
    flexio_func_t *func; /* NULL: not set */
    uint64_t argument, local_storage;
    struct dpk_affinity affinity;
    struct dpk_thread *thread; /* NULL: not started */
    struct dpk_waker *wakers;  /* started ones */
};
extern const struct dpk_kind dpk_dpa_thread_kind;

/* A notification completion, or a completion queue: both bring events to a thread. */
struct dpk_waker {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;
    struct dpk_dpa_thread *thread; /* a reference; a queue may have none */
    struct dpk_waker *next;        /* of the same thread */
    struct dpk_trigger *trigger;   /* NULL: not started */
    struct dpk_completion *ring;   /* of a queue: `size` elements */
    uint32_t size;
    uint32_t posted, taken, acknowledged; /* how many ever; they wrap */
};
extern const struct dpk_kind dpk_notification_kind, dpk_completion_kind;

/* What a queue holds; DPA code gets it as it is here (doca_dpa_dev.h). */
struct dpk_completion {
    uint32_t type; /* of enum doca_dpa_dev_completion_type */
    uint32_t user_data, immediate, wqe_counter;
    uint64_t timestamp; /* nanoseconds */
};

/* Posts a completion to a queue that the caller pinned, and wakes its thread if that asked for it.
 * A queue that is not started loses it; one that is full ends its DPA process. */
void dpk_completion_post(struct dpk_waker *queue, const struct dpk_completion *completion);

/* Carries out calls of DPA code that are another library's: numbers from DPK_DOCA_CALL_OTHERS on,
 * with the context as `context`. Set once, before that library starts anything. */
#define DPK_DOCA_CALL_OTHERS 0x20
/* Word of struct dpk_caller's state with the number of the device that the caller set, 0: none. */
#define DPK_CALLER_DEVICE 2
void dpk_doca_set_calls(dpk_device_call handler);

/* ---- Contexts -------------------------------------------------------------------------------- */

struct dpk_ctx;

struct dpk_ctx_ops {
    /* With the object's lock held. `stop` may return IN_PROGRESS: then dpk_ctx_stopped follows. */
    doca_error_t (*start)(struct dpk_ctx *ctx);
    doca_error_t (*stop)(struct dpk_ctx *ctx);
    /* Does one piece of work, calls back; false: there was none. Without the lock. May be NULL. */
    bool (*progress)(struct dpk_ctx *ctx);
    bool runs_on_dpa; /* doca_ctx_set_datapath_on_dpa is for it */
};

/* What objects that are contexts begin with. */
struct dpk_ctx {
    struct dpk_object object;
    const struct dpk_ctx_ops *ops;
    _Atomic(enum doca_ctx_states) state;
    struct dpk_dpa *dpa; /* the data path is there: a reference; else NULL */
    union doca_data user_data;
    doca_ctx_state_changed_callback_t changed;
    struct dpk_pe *pe; /* a use */
    struct dpk_ctx *next_in_pe;
};

void dpk_ctx_init(struct dpk_ctx *ctx, const struct dpk_ctx_ops *ops);
/* Takes it out of its progress engine; for the kind's `left`. */
void dpk_ctx_left(struct dpk_ctx *ctx);
/* Drops what it holds; for the kind's release. */
void dpk_ctx_clear(struct dpk_ctx *ctx);
/* A stop that was IN_PROGRESS is done: tells the program. Without the lock. */
void dpk_ctx_stopped(struct dpk_ctx *ctx);
bool dpk_ctx_is_running(const struct dpk_ctx *ctx);
doca_error_t dpk_ctx_start(struct dpk_ctx *ctx);
doca_error_t dpk_ctx_stop(struct dpk_ctx *ctx);

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What tasks begin with. A task uses its context: as long as it is not freed. */
struct dpk_task {
    struct dpk_object object;
    struct dpk_work *work; /* where it waits for its turn */
    struct dpk_ctx *ctx;   /* a use */
    struct dpk_task *next;
    enum { DPK_TASK_NEW, DPK_TASK_SUBMITTED, DPK_TASK_ENDED } state;
    bool freed;          /* while it was submitted */
    doca_error_t status; /* once it has ended */
    union doca_data user_data;
    /* Carries it out, and tells the program that it has ended. Without a lock. */
    doca_error_t (*run)(struct dpk_task *task);
    void (*ended)(struct dpk_task *task, union doca_data ctx_user_data);
};
extern const struct dpk_kind dpk_task_kind;

/* The tasks of a context: under its lock. */
struct dpk_work {
    struct dpk_task *first, *last; /* submitted ones */
    uint32_t count, max;           /* that are not freed */
};

/* Makes a task of `size` bytes known; NULL: as many as there may be, or out of memory. With the
 * context's lock. */
struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_work *work, size_t size);
/* For struct dpk_ctx_ops: the next task; a stop that waits for tasks. */
bool dpk_work_progress(struct dpk_ctx *ctx, struct dpk_work *work);
doca_error_t dpk_work_stop(const struct dpk_work *work);

/* Copies the data of a list of buffers behind that of another list. */
doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to);
/* Whether it is a buffer. */
bool dpk_is_buf(const struct doca_buf *buf);

/* ---- Memory maps ----------------------------------------------------------------------------- */

/* A piece of memory that a DPA program may name: in this process, in the memory of a DPA context,
 * or in another process that exported it. */
struct dpk_memory {
    enum dpk_memory_place { DPK_MEMORY_HOST, DPK_MEMORY_DPA, DPK_MEMORY_REMOTE } place;
    uint64_t address, size;
    uint32_t permissions;  /* of enum doca_access_flag */
    struct dpk_dpa *dpa;   /* DPK_MEMORY_DPA: whose; borrowed from the map */
    uint32_t key;          /* its number where it is */
    struct dpk_uuid owner; /* process where it is */
};

/* The number of a started map, doca_dpa_dev_mmap_t: it is another one at each start. `dev`: a
 * device that it is to be on, NULL: any. INVALID_VALUE, BAD_STATE: not started, NOT_FOUND: not on
 * `dev`. */
doca_error_t dpk_mmap_key(struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *key);
/* Finds a started map by its number and begins an access to it: until dpk_mmap_leave(*access)
 * the memory stays the program's, and who stops or destroys the map waits. So an access is short:
 * parts of what is large have one each. False: there is none. */
bool dpk_memory_of_key(uint32_t key, struct dpk_memory *out, void **access);
void dpk_mmap_leave(void *access);
/* Whether the map of an access was given to the device, however often that is open. */
bool dpk_memory_is_on(void *access, const struct dpk_dev *dev);
/* Tells this process from all others, also from those that it forks. */
const struct dpk_uuid *dpk_process_identity(void);

/* ---- Sync events ----------------------------------------------------------------------------- */

/* The counter of a started event; NULL: it is not. Its handle stays pinned in *event, to be
 * dropped. *result: why. */
struct dpk_event *dpk_sync_event_pin(const struct doca_sync_event *handle, void **event,
                                     doca_error_t *result);
/* Locations, for both generations. */
doca_error_t dpk_sync_event_add_cpu(struct doca_sync_event *event, struct doca_dev *dev,
                                    bool publisher);
doca_error_t dpk_sync_event_add_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                    bool publisher);

/* A sync event that was exported to remote peers, found by what came with it: its owner and key.
 * NULL: there is none in this process. To be released with dpk_object_drop(*event). */
struct dpk_event *dpk_sync_event_of_key(uint64_t key, void **event);
/* What a remote sync event stands for, by the handle DPA code has. False: there is none. */
bool dpk_remote_event_of_handle(uint64_t handle, struct dpk_uuid *owner, uint64_t *key);

#endif
