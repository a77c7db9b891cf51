/* Objects of libflexio, shared by its files. */
#ifndef DPK_API_FLEXIO_PRIVATE_H
#define DPK_API_FLEXIO_PRIVATE_H

#include <libflexio/flexio.h>

#include "api/host/host.h"
#include "api/verbs/verbs.h"
#include "rdma/registered/registered.h"

/* A struct flexio_app is the program itself. */
static inline struct dpk_host_app *app_of(struct flexio_app *app)
{
    return (struct dpk_host_app *)(void *)app;
}

/* Objects that the device names by number: number - 1 is the index (table.c). */
struct object_table {
    void **objects;
    uint32_t count;
};

#define NUMBERED_QUEUES  256u
#define DESTROYED_QUEUES 1024u

struct flexio_process {
    struct dpk_host_process *host;
    struct dpk_process *dpa; /* of `host` */
    struct ibv_context *context;
    struct ibv_pd *pd;
    bool owns_pd;
    struct flexio_uar *uar; /* its own */
    uint32_t dumem_id;      /* 0: not requested yet */
    pthread_mutex_t objects_lock;
    struct object_table windows, outboxes, uars;
    struct flexio_event_handler *handlers;          /* handlers that are not destroyed */
    struct flexio_queue *queues;                    /* queues that are not destroyed */
    struct flexio_queue *numbered[NUMBERED_QUEUES]; /* the queues by the last bits of their
                                                       numbers */
    uint32_t destroyed[DESTROYED_QUEUES];           /* numbers of the queues that were destroyed
                                                       last */
    uint64_t destroyed_count;                       /* number of queues that were ever destroyed */
    struct dpk_queues *nic;                         /* of its device; NULL: it never had a queue */
};

/* Returns the lowest free number, or 0 if there is none, or memory is exhausted. */
uint32_t libflexio_table_add(struct flexio_process *p, struct object_table *t, void *object);
void libflexio_table_remove(struct flexio_process *p, struct object_table *t, uint32_t id);
bool libflexio_table_has(struct flexio_process *p, const struct object_table *t, uint64_t id);
/* Returns the object with a number, or NULL. Call this with the lock. */
void *libflexio_table_find(const struct object_table *t, uint64_t id);

/* Lets the device use windows and outboxes, and makes the process's UAR with that page (0: its own
 * page). Returns false if memory is exhausted. libflexio_windows_free frees the UAR and the tables. */
bool libflexio_windows_attach(struct flexio_process *p, uint32_t uar);
void libflexio_windows_free(struct flexio_process *p);

/* Converts an affinity for proc. Returns false for an invalid type. */
bool libflexio_affinity_of(const struct flexio_affinity *from, struct dpk_affinity *to);

/* Makes an event handler from `attr` and the further settings in `options`. */
flexio_status libflexio_event_handler_new(struct flexio_process *process,
                                          const struct flexio_event_handler_attr *attr,
                                          struct dpk_thread_options *options,
                                          struct flexio_event_handler **event_handler);
/* `arg`: NULL for the argument of the creation. */
flexio_status libflexio_event_handler_run(struct flexio_event_handler *event_handler,
                                          const uint64_t *arg);
/* Sets the initial state of a thread, with its configured window and outbox, which may be NULL.
 * Returns false if either belongs to another process. */
bool libflexio_defaults_of(struct flexio_process *p, struct flexio_window *window,
                           struct flexio_outbox *outbox, uint64_t state[DPK_CALLER_STATE]);

/* Removes the recorded allocations of the process. */
void libflexio_allocations_forget(struct flexio_process *p);

/* Returns the number of a UAR for queues and outboxes, or 0 if it does not exist. `id`: its number in
 * the process, or on its device (mlx5dv_devx_alloc_uar); 0: the UAR of the process. */
uint32_t libflexio_uar_page(struct flexio_process *p, uint32_t id);
/* Like libflexio_uar_page, for an outbox. */
uint32_t libflexio_outbox_page(struct flexio_process *p, uint32_t id);
flexio_status libflexio_uar_new(struct flexio_process *process, uint32_t page, const char *call,
                                struct flexio_uar **out);
flexio_status libflexio_outbox_new(struct flexio_process *process, struct flexio_uar *uar,
                                   uint32_t page, struct flexio_outbox **outbox);

/* Carries out a call of the device for queues (from DPA_FLEXIO_RING on), through an outbox of the
 * UAR `page`. `args` has at least two elements. */
bool libflexio_queue_call(struct flexio_process *p, struct dpk_caller *caller, unsigned call,
                          const uint64_t *args, uint32_t page, char *reason, size_t size);
/* Carries out DPA_FLEXIO_TRACE or DPA_FLEXIO_TRACE_FLUSH. `args` has four elements. Returns false with a
 * reason for a message that cannot be read. */
bool libflexio_trace_call(struct flexio_process *p, struct dpk_caller *caller, unsigned call,
                          const uint64_t *args, char *reason, size_t size);
/* Call this when new threads wait for completions. */
void libflexio_queues_kick(struct flexio_process *p);
/* Destroys the remaining queues. */
void libflexio_queues_free(struct flexio_process *p);

/* Sends an event to the event handler whose thread has that id. Returns false if it does not exist. */
bool libflexio_event_handler_activate(struct flexio_process *p, uint64_t id);
/* Returns the DPA thread of an event handler's thread; borrowed. */
struct dpk_thread *libflexio_thread_of(struct flexio_thread *thread);

/* Logs `err` and returns the FlexIO status for it. `call`: the function's name. */
flexio_status libflexio_failed(const char *call, const struct dpk_error *err);

/* Reports wrong arguments with their reason. Returns the FlexIO status for them. */
flexio_status libflexio_failed_because(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
