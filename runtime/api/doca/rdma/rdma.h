/*
 * rdma: RDMA contexts of DOCA and their connections: the queue pairs of rc with memory maps, sync
 * events and completion queues. libdoca_rdma.so has the functions of DOCA RDMA.
 *
 *     struct dpk_rdma *r = dpk_rdma_new(dev);
 *     dpk_ctx_set_datapath(&r->ctx, dpa);  r->permissions = ...;
 *     dpk_ctx_start(&r->ctx);
 *     dpk_rdma_connection_new(r, &c);                  // c->details go to the peer
 *     dpk_rdma_connect(c, details, size);
 *
 * A context without a data path on the DPA performs tasks of the host (work.c), which end in its
 * progress engine. Connections are made by details that programs exchange, or by the connection manager
 * (cm.c).
 */
#ifndef DPK_API_DOCA_RDMA_RDMA_H
#define DPK_API_DOCA_RDMA_RDMA_H

#include <sys/queue.h>

#include "api/doca/event/event.h"
#include "api/doca/memory/memory.h"
#include "rdma/cm/cm.h"
#include "rdma/pairs/pairs.h"

#define DPK_RDMA_QUEUE_MAX       32768u /* elements of a send or receive queue */
#define DPK_RDMA_CONNECTIONS_MAX 8192u
#define DPK_RDMA_MESSAGE_MAX     (1u << 30) /* bytes */
#define DPK_RDMA_GIDS            255u       /* of a device; not all have an address */
#define DPK_RDMA_ADDR_TEXT_MAX   128u

/* The operations of tasks. */
enum dpk_rdma_work_kind {
    DPK_RDMA_RECEIVE,
    DPK_RDMA_SEND,
    DPK_RDMA_SEND_IMM,
    DPK_RDMA_READ,
    DPK_RDMA_WRITE,
    DPK_RDMA_WRITE_IMM,
    DPK_RDMA_COMPARE_SWAP,
    DPK_RDMA_FETCH_ADD,
    DPK_RDMA_EVENT_GET,
    DPK_RDMA_EVENT_SET,
    DPK_RDMA_EVENT_ADD,
    DPK_RDMA_WORK_KINDS,
};

struct rdma_cm_id;
struct doca_rdma_connection;
struct dpk_rdma_connection;
struct dpk_rdma_work;
struct dpk_rdma_socket;
struct dpk_rdma_srq;
struct dpk_rdma_gpu;
struct doca_gpu_dev_rdma;

/* The program's callbacks for connections. */
typedef void (*dpk_rdma_told)(struct doca_rdma_connection *connection,
                              union doca_data connection_user_data, union doca_data ctx_user_data);
struct dpk_rdma_callbacks {
    void (*request)(struct doca_rdma_connection *connection, union doca_data ctx_user_data);
    dpk_rdma_told established, failed, disconnected;
};

/* The connection manager of a context: with its lock. */
struct dpk_rdma_cm {
    struct dpk_rdma_callbacks callbacks;               /* all NULL: not set */
    atomic_int epoll;                                  /* its sockets; -1: it never had a socket */
    STAILQ_HEAD(, dpk_rdma_socket) listeners, callers; /* callers: no message yet */
    unsigned callers_count;
    atomic_uint failing; /* number of failed connections that are not reported yet */
    unsigned looks;
};

struct dpk_rdma {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use */
    uint32_t permissions;
    uint32_t sends, receives; /* sizes of queues */
    uint32_t connections_max;
    uint32_t rnr_retries; /* of a message without a receive: 0 to 7; 7 is without limit */
    bool single; /* of DOCA 2.5 to 2.8: it is starting until its only connection is connected */
    /* Only stored for the getters: */
    uint32_t send_list, receive_list; /* buffers in a list */
    uint32_t mtu, service_level, grh, gid_index, call_ms, transport;
    /* A reference, and a use while the context runs; NULL: an error ends the process. */
    struct dpk_dpa_completion *queue;
    struct dpk_rdma_srq *srq;      /* a use; NULL: its receives are its own */
    TAILQ_ENTRY(dpk_rdma) in_line; /* of the shared queue, if `waits`; with the lock of rc */
    bool waits;
    /* While it runs: */
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    uint64_t run;                             /* run of the DPA context of the data path */
    struct dpk_rdma_connection **connections; /* by their numbers */
    uint32_t count;
    /* Of a context whose tasks run on the host: */
    struct dpk_task_pool pools[DPK_RDMA_WORK_KINDS];
    STAILQ_HEAD(, dpk_rdma_work) ended; /* not reported yet; with the lock of rc */
    atomic_size_t ended_count;
    unsigned telling; /* callbacks of the program that run; with the object's lock */
    struct dpk_rdma_cm cm;
    struct dpk_rdma_gpu *gpu; /* of a context whose data path is on a GPU, while it runs */
};
extern const struct dpk_kind dpk_rdma_kind;

/* Return the DPA context and the GPU of the data path, or NULL if it is not there. */
static inline struct dpk_gpu *dpk_rdma_gpu(const struct dpk_rdma *r)
{
    const struct dpk_object *on = r->ctx.datapath;
    return on && on->kind == &dpk_gpu_kind ? r->ctx.datapath : NULL;
}
static inline struct dpk_dpa *dpk_rdma_dpa(const struct dpk_rdma *r)
{
    return dpk_rdma_gpu(r) ? NULL : r->ctx.datapath;
}

/* The peer of a connection that the connection manager makes. */
struct dpk_rdma_peer {
    uint32_t queue_pair;
    uint8_t gid[16]; /* only of a peer on another machine: the address of its fabric */
};

struct dpk_rdma_connection {
    struct dpk_object object;
    struct dpk_rdma *rdma; /* a reference */
    struct dpk_rc_qp *qp;  /* NULL: its context stops or has stopped. Under the rdma's lock */
    uint32_t id;
    union doca_data user_data; /* under the rdma's lock */
    struct dpk_buf details;
    /* By the connection manager, under the rdma's lock: */
    enum {
        DPK_RDMA_BY_DETAILS, /* not made by the connection manager */
        DPK_RDMA_CALLING,    /* this side sends or has sent a request */
        DPK_RDMA_ASKED,      /* the peer has sent a request; the program has not answered */
        DPK_RDMA_ACCEPTED,   /* the program has accepted; the peer has not confirmed */
        DPK_RDMA_ESTABLISHED,
        DPK_RDMA_LEFT,  /* the peer has ended it */
        DPK_RDMA_ENDED, /* ended by this side, or never established */
    } state;
    int socket;                 /* to the peer; -1: none */
    struct rdma_cm_id *bridged; /* its identifier, whose events the program gets; NULL: `socket` */
    bool failing;               /* the failure is not reported yet */
    struct dpk_rdma_peer peer;  /* who asks */
    struct dpk_rdma_addr *addr; /* the address of the listening side; owned */
};
extern const struct dpk_kind dpk_rdma_connection_kind;

/* The address of a listener. */
struct dpk_rdma_addr {
    struct dpk_object object;
    unsigned type;                     /* enum doca_rdma_addr_type */
    char text[DPK_RDMA_ADDR_TEXT_MAX]; /* as the program gave it */
    struct dpk_cm_address at;
};
extern const struct dpk_kind dpk_rdma_addr_kind;
/* Sets `at` (except the port) from type and text. Returns false if the text is not an address of the
 * type. */
bool dpk_rdma_addr_parse(struct dpk_rdma_addr *a);
/* Sets type and text from `at`. */
bool dpk_rdma_addr_describe(struct dpk_rdma_addr *a);
/* Copies an address; the copy is pinned. Returns NULL if memory is exhausted. dpk_rdma_addr_end removes
 * the copy from the table and drops it; NULL is ignored. */
struct dpk_rdma_addr *dpk_rdma_addr_copy(const struct dpk_rdma_addr *of);
void dpk_rdma_addr_end(struct dpk_rdma_addr *a);

/* Creates an idle context; holds `dev`. Returns NULL if memory is exhausted. */
struct dpk_rdma *dpk_rdma_new(struct dpk_dev *dev);
/* Stops the context if it runs, and removes it from the table. Errors: INVALID_VALUE, IN_USE. */
doca_error_t dpk_rdma_destroy(const void *handle);
/* Creates a connection. Stores the reason of a failure (dpk_doca_because). Errors: BAD_STATE if the context
 * is not started, FULL if it has the largest number of connections. */
doca_error_t dpk_rdma_connection_new(struct dpk_rdma *r, struct dpk_rdma_connection **out);
/* As dpk_rdma_connection_new. Call this with the context's lock. Reuses the place of an ended
 * connection. */
doca_error_t dpk_rdma_connection_add(struct dpk_rdma *r, struct dpk_rdma_connection **out);
/* Connects to the peer. Stores the reason of a failure. Errors: INVALID_VALUE if the details are not of a
 * connection, or are damaged, UNSUPPORTED_VERSION, BAD_STATE if the connection is connected, or the context
 * is not started, CONNECTION_ABORTED if the peer is gone. */
doca_error_t dpk_rdma_connect(struct dpk_rdma_connection *c, const void *details, size_t size);

/* The functions of rc's ends, with a struct dpk_rdma as context: for the DPA, the
 * DPA with a shared receive queue, the host, and a GPU. */
extern const struct dpk_rc_ops dpk_rdma_ops, dpk_rdma_srq_ops, dpk_rdma_host_ops, dpk_rdma_gpu_ops;
/* Destroys the end and the queue pairs of its connections; posted operations fail. Call this with the
 * lock. */
void dpk_rdma_close(struct dpk_rdma *r);
/* Destroys the queue pair of a connection, if it has one. Call this with the lock. */
void dpk_rdma_drop_pair(struct dpk_rdma_connection *c);
/* Finds the owner of the memory of a started map, which the peer has exported or which is of this process, and
 * its key there. Returns false if no memory has the key. */
bool dpk_rdma_find_remote(uint32_t key, struct dpk_uuid *owner, uint64_t *owners_key);

/* ---- Shared receive queues ---- */

/* DPA code posts receives to a queue. The messages of all contexts that have the queue take them, in the
 * order of posting:
 *
 *     dpk_rdma_srq_join(r);                    // at the start of a context with a queue
 *     dpk_rdma_srq_take(r, &receive);          // a message has come
 *     dpk_rdma_srq_post(s, &receive);          // messages that wait take it
 *     dpk_rdma_srq_leave(r);
 */
struct dpk_rdma_srq {
    struct dpk_dev_ctx base; /* its data path is on a DPA */
    /* The program's settings. The type and the list are only stored for the getters. */
    uint32_t size, type, list;
    unsigned contexts; /* that run with it; with the object's lock */
    /* While it runs: */
    uint64_t run; /* run of the DPA context */
    struct dpk_rc *rc;
    /* With the lock of rc: */
    struct dpk_rc_receive *ring;         /* `size` receives */
    uint32_t posted, taken;              /* counters, which wrap */
    TAILQ_HEAD(, dpk_rdma) waiting_line; /* contexts with a message, and without a receive for it */
};
extern const struct dpk_kind dpk_rdma_srq_kind;

/* Makes an idle queue; returns its handle. Returns NULL and sets *result: INVALID_VALUE if `dev` is not a
 * device, NO_MEMORY. */
void *dpk_rdma_srq_new(const struct doca_dev *dev, doca_error_t *result);

/* A context with a queue starts: the queue does not stop until dpk_rdma_srq_leave. Stores the reason of a
 * failure. Errors: BAD_STATE if the queue does not run on the context's DPA. Call both with the lock of the
 * context. */
doca_error_t dpk_rdma_srq_join(struct dpk_rdma *r);
void dpk_rdma_srq_leave(struct dpk_rdma *r);
/* Takes the context out of the line. Call this with the lock of rc, after the context's end is destroyed. */
void dpk_rdma_srq_leave_line(struct dpk_rdma *r);

/* The function `receive` of the ends of contexts with a queue. */
enum dpk_rc_taken dpk_rdma_srq_take(void *context, struct dpk_rc_receive *out);
/* Posts a receive. Returns false if the queue is full. Call this with the lock of a running queue. */
bool dpk_rdma_srq_post(struct dpk_rdma_srq *s, const struct dpk_rc_receive *receive);

/* ---- Operations of kernels of a GPU: gpu.c. Call these with the lock of the context ---- */

/* Returns the depth of a queue of `size` operations. */
uint32_t dpk_rdma_gpu_depth(uint32_t size);
/* Start and stop the queues of a context whose data path is on a GPU, after its end was made or destroyed.
 * Errors: NO_MEMORY. */
doca_error_t dpk_rdma_gpu_start(struct dpk_rdma *r);
void dpk_rdma_gpu_stop(struct dpk_rdma *r);
/* The end, and with it all queue pairs, will be destroyed. */
void dpk_rdma_gpu_close(struct dpk_rdma *r);
/* Makes the queue of a connection with this number, which keeps it for later ones. It does nothing if the data
 * path is not on a GPU, like the next function. Errors: NO_MEMORY. */
doca_error_t dpk_rdma_gpu_prepare(struct dpk_rdma *r, uint32_t connection);
/* The connection has this queue pair from now on; NULL: none, before its queue pair is destroyed. */
void dpk_rdma_gpu_connect(struct dpk_rdma *r, uint32_t connection, struct dpk_rc_qp *qp);
/* Returns the handle for kernels, or NULL. */
struct doca_gpu_dev_rdma *dpk_rdma_gpu_handle(const struct dpk_rdma *r);
/* The function `complete` of the end. */
bool dpk_rdma_gpu_completed(void *context, const struct dpk_rc_completion *c);

/* ---- Tasks ---- */

#define DPK_RDMA_LIST_MAX 16u /* buffers in a list */

/* A task: it sends the data of its local buffers, or appends to their data. */
struct dpk_rdma_work {
    struct dpk_task task;
    enum dpk_rdma_work_kind kind;
    struct dpk_rdma_connection *connection;         /* a reference; NULL: a receive */
    struct doca_buf *local;                         /* NULL: there are no bytes */
    const struct doca_buf *remote;                  /* memory of the peer */
    const struct doca_sync_event_remote_net *event; /* an event of the peer */
    struct dpk_uuid event_owner;                    /* the owner of the event, with its key there */
    uint64_t event_key;
    uint32_t immediate; /* as the program gave it: big endian */
    uint64_t value, compare;
    /* While it is submitted: */
    struct dpk_rc_piece pieces[DPK_RDMA_LIST_MAX];
    unsigned count;
    STAILQ_ENTRY(dpk_rdma_work) link;
    struct dpk_rc_completion completion; /* once it has ended */
    struct dpk_rc_why why;               /* of a failed task */
    struct doca_rdma_connection *from;   /* of an ended receive: the connection of the message */
};

/* The functions `take` and `release` of the types of tasks. */
doca_error_t dpk_rdma_work_take(struct dpk_task *task, bool flush);
void dpk_rdma_work_release(struct dpk_task *task);
/* Executes tasks and reports ended tasks to the program, for struct dpk_ctx_ops. */
bool dpk_rdma_progress(struct dpk_ctx *ctx);
bool dpk_rdma_is_ready(const struct dpk_ctx *ctx);
void dpk_rdma_poll(struct dpk_ctx *ctx);
int dpk_rdma_rest(struct dpk_ctx *ctx, const struct dpk_pe *pe);

/* ---- Connection manager ---- */

void dpk_rdma_cm_init(struct dpk_rdma *r);
/* Closes all sockets. Call this with the lock. `release`: no thread uses them any more. */
void dpk_rdma_cm_close(struct dpk_rdma *r, bool release);

/* An event for the program. */
struct dpk_rdma_event {
    void (*request)(struct doca_rdma_connection *connection, union doca_data ctx_user_data);
    dpk_rdma_told told; /* if `request` is NULL */
    struct doca_rdma_connection *connection;
    union doca_data connection_user_data, ctx_user_data;
};
/* Checks the sockets for an event. Returns false if there is none. Call this with the lock. */
bool dpk_rdma_cm_next(struct dpk_rdma *r, struct dpk_rdma_event *out);
/* Call this, with the lock, when a message has arrived on a connection: this establishes the
 * connection, even before the peer's confirmation. Returns false if it was already established. */
bool dpk_rdma_cm_heard(struct dpk_rdma *r, uint32_t connection, struct dpk_rdma_event *out);
/* Returns true if an event may be pending. Any thread may call this. */
bool dpk_rdma_cm_is_ready(const struct dpk_rdma *r);

/* These do the work of the public functions. Call them with a pinned object, without a lock. */
doca_error_t dpk_rdma_set_callbacks(struct dpk_rdma *r, const struct dpk_rdma_callbacks *callbacks);
doca_error_t dpk_rdma_listen(struct dpk_rdma *r, uint16_t port);
doca_error_t dpk_rdma_stop_listening(struct dpk_rdma *r, uint16_t port);
doca_error_t dpk_rdma_call(struct dpk_rdma *r, struct dpk_rdma_addr *to, union doca_data user_data);
doca_error_t dpk_rdma_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size);
doca_error_t dpk_rdma_reject(struct dpk_rdma_connection *c);
doca_error_t dpk_rdma_disconnect(struct dpk_rdma_connection *c);
/* Gets the address of the fabric of a context's device. Returns false if it has none. */
bool dpk_rdma_find_fabric(const struct dpk_rdma *r, uint8_t out[16]);
/* Returns whether the fabric of a context's device leads to an address. `from`: the address of the fabric. */
bool dpk_rdma_is_far(const struct dpk_rdma *r, const uint8_t to[16], uint8_t from[16]);
/* Connects the queue pair to that of a peer. Call this with the lock. Errors: CONNECTION_ABORTED. */
doca_error_t dpk_rdma_connect_to(struct dpk_rdma_connection *c, const struct dpk_rdma_peer *peer);

/* ---- bridge.c: connections by identifiers of librdmacm ---- */

/* These do the work of the public functions. Call them with pinned objects, without a lock. The
 * connection then owns `id`. */
doca_error_t dpk_rdma_bridge_prepare(struct dpk_rdma *r, struct rdma_cm_id *id,
                                     struct dpk_rdma_connection **out);
doca_error_t dpk_rdma_bridge_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size);
doca_error_t dpk_rdma_bridge_establish(struct dpk_rdma_connection *c);
/* Rejects a bridged connection. Call this without a lock. */
void dpk_rdma_bridge_reject(struct dpk_rdma_connection *c);
void dpk_rdma_bridge_disconnect(struct dpk_rdma_connection *c);
void dpk_rdma_bridge_release(struct dpk_rdma_connection *c);

#endif
