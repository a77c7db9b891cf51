/*
 * dpa: DPA contexts of DOCA, their threads and completions, and the calls of DPA code, for the
 * rooms above.
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
#ifndef DPK_API_DOCA_DPA_DPA_H
#define DPK_API_DOCA_DPA_DPA_H

#include "api/doca/core/core.h"
#include "guest/abi/doca_calls.h"

/* ---- Contexts ---- */

struct mlx5dv_devx_uar;

/* Destinations of the messages of a process. */
enum dpk_dpa_file_kind { DPK_DPA_LOG, DPK_DPA_TRACE, DPK_DPA_FILES };
struct dpk_dpa_file {
    char *path; /* NULL: stdout */
    FILE *out;  /* while the process runs */
};

struct dpk_dpa {
    struct dpk_object object;
    struct dpk_dev *dev;      /* a reference, and a use until it is closed */
    struct dpk_dpa *base;     /* of an extended context: a reference; else NULL */
    struct dpk_host_app *app; /* NULL: none yet */
    uint64_t number;          /* its number for DPA code */
    atomic_bool started;      /* until stop or destroy */
    /* Its page of doorbells, and the function that frees it; NULL: not requested yet. With the lock. */
    struct mlx5dv_devx_uar *uar;
    void (*free_uar)(struct mlx5dv_devx_uar *uar);
    /* Of a context that is not extended: */
    struct dpk_memory_domain **domains; /* of the devices that have a number: 1 is the first */
    uint64_t domain_count;
    struct dpk_host_process *process; /* NULL: not running */
    uint64_t run;                     /* counts starts */
    unsigned inside;                  /* callers that entered and have not left */
    pthread_cond_t left;              /* signalled when `inside` becomes 0 */
    unsigned log_level;               /* of message streams */
    struct dpk_host_stream *log;      /* a process's stream 1; its stream 0 is for printf */
    struct dpk_dpa_file files[DPK_DPA_FILES];
    struct dpk_externals {
        pthread_mutex_t lock;
        uint32_t *keys, count; /* of registered memory that DPA code has pointers to */
    } externals;
};
extern const struct dpk_kind dpk_dpa_kind;

/* Enters a started context and returns its process, which stays until the caller leaves. `run`: the
 * run of the caller's object (objects of earlier runs are invalid), or 0. Returns NULL if the
 * context is not started. */
struct dpk_process *dpk_dpa_enter(struct dpk_dpa *d, uint64_t run);
void dpk_dpa_leave(struct dpk_dpa *d);
/* Ends the process of an entered context because of an error that the device found, and reports it on
 * stderr. */
void dpk_dpa_fail(struct dpk_dpa *d, struct dpk_process *p, const char *reason);
/* Returns the context that owns the process: the context itself, or the context that it extends. */
struct dpk_dpa *dpk_dpa_base(struct dpk_dpa *d);
/* Returns the process with its functions. Call this after entering the context. */
struct dpk_host_process *dpk_dpa_host(struct dpk_dpa *d);

/* Returns the handle of a thread's context, or NULL if the argument is not a thread. */
struct doca_dpa;
struct doca_dpa_thread;
struct doca_dpa *dpk_dpa_of_thread(const struct doca_dpa_thread *thread);

/* A pinned and entered context. */
struct dpk_dpa_call {
    struct dpk_dpa *dpa;
    struct dpk_process *process;
};

/* Pins and enters the context of a handle. A failure stores its reason (dpk_doca_because). Errors:
 * INVALID_VALUE if the handle is not a context, BAD_STATE if it is not started. */
doca_error_t dpk_dpa_begin(const struct doca_dpa *dpa, struct dpk_dpa_call *call);
/* Leaves and unpins the context. Not needed after a failure. */
void dpk_dpa_end(struct dpk_dpa_call *call);

/* ---- Completions ---- */

/* An element of a completion queue. DPA code reads this layout (doca_dpa_dev.h). */
struct dpk_completion {
    uint32_t type; /* of enum doca_dpa_dev_completion_type */
    uint32_t user_data, immediate, wqe_counter;
    uint64_t timestamp; /* the time of the post, in nanoseconds */
    uint32_t bytes;     /* of the received message */
    uint32_t syndrome;  /* of enum dpk_rc_status */
    uint32_t queue;     /* number of the queue pair or Ethernet queue; 0: of another object */
    uint32_t shared_queue;    /* number of the shared receive queue; 0: none */
    uint32_t opcode;          /* of the WQE of a send */
    uint32_t vendor_syndrome; /* always 0 */
};

/* A completion queue, or a notification completion: both activate a thread. */
struct dpk_dpa_completion {
    struct dpk_object object;
    struct dpk_dpa *dpa; /* a reference */
    uint64_t run;
    struct dpk_dpa_thread *thread;        /* a reference; a queue may have none */
    struct dpk_dpa_completion *next;      /* of the same thread */
    struct dpk_trigger *trigger;          /* NULL: not started */
    struct dpk_completion *ring;          /* of a queue: `size` elements */
    uint64_t elements;                    /* DPA memory for as many: those that were taken */
    uint32_t size;                        /* 0: a notification completion */
    uint32_t posted, taken, acknowledged; /* numbers since the start; they wrap */
};
extern const struct dpk_kind dpk_completion_kind;

/* Posts a completion to a queue that the caller has pinned, and activates its thread if that was
 * requested. A queue that is not started loses the completion; a full queue ends its DPA process. */
void dpk_completion_post(struct dpk_dpa_completion *queue, const struct dpk_completion *completion);
/* Like dpk_completion_post, but a full queue loses the completion. */
void dpk_completion_offer(struct dpk_dpa_completion *queue,
                          const struct dpk_completion *completion);

/* A completion queue on the DPA for an object of another room, with a thread, and DPA memory for
 * its data. All members are 0 if it is not started. */
struct dpk_dpa_queue {
    struct doca_dpa_completion *handle;
    struct dpk_dpa_completion *queue; /* a reference to it */
    uint64_t memory;                  /* address of that data */
};
/* Starts the queue. Errors: BAD_STATE if the thread is destroyed or its context is not started,
 * NO_MEMORY; others as of doca_dpa_completion_start. */
doca_error_t dpk_dpa_queue_start(struct dpk_dpa_queue *q, struct doca_dpa_thread *thread,
                                 uint32_t elements, size_t memory_size);
/* Ends the queue. Does nothing if it is not started. */
void dpk_dpa_queue_end(struct dpk_dpa_queue *q);

/* ---- Calls of DPA code ---- */

/* The calls that one room carries out (guest/abi/doca_calls.h). */
struct dpk_dpa_calls {
    enum dpa_doca_room room;
    /* Carries out the calls of the room. `context` is a struct dpk_dpa that is not extended. A call that
     * the room does not know is refused (dpk_dpa_call_unknown). */
    dpk_device_call call;
    /* Prepares a process before its code runs; called with the lock of the context. May be NULL. */
    void (*attach)(struct dpk_dpa *d);
    struct dpk_dpa_calls *next;
};

/* Registers the calls of a room while its library is loaded. A constructor calls this, since rooms are
 * in several libraries and contexts do not wait for them. */
void dpk_dpa_register_calls(struct dpk_dpa_calls *calls);

/* Word of struct dpk_caller's state: the domain of the device that the caller set, or 0. Domains
 * are never freed. */
#define DPK_CALLER_DEVICE 2
/* Returns the memory domain of the calling thread: of the device that it set, else of the context. */
static inline struct dpk_memory_domain *dpk_dpa_domain(const struct dpk_dpa *d,
                                                       const struct dpk_caller *caller)
{
    const uint64_t set = caller->state[DPK_CALLER_DEVICE];
    return set ? dpk_pointer(set) : d->dev->domain;
}

/* Stores the reason of a failed call, and returns false. */
bool dpk_dpa_call_fails(char *reason, size_t size, const char *what);
/* Reports a call that the room does not know, and returns false. */
bool dpk_dpa_call_unknown(char *reason, size_t size, unsigned call);

#endif
