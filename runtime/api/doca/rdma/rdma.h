/*
 * rdma: RDMA contexts of DOCA and their connections: the queue pairs of rc with memory maps, sync
 * events and completion queues. libdoca_rdma.so has the functions of DOCA RDMA.
 *
 *     struct dpk_rdma *r = dpk_rdma_new(dev);
 *     dpk_ctx_set_datapath(&r->ctx, dpa);  r->permissions = ...;
 *     dpk_ctx_start(&r->ctx);
 *     dpk_rdma_connection_new(r, &c);            // c->details go to the peer
 *     dpk_rdma_connect(c, details, size);
 *
 * A context without a data path on the DPA carries out tasks of the host (work.c), which end in its
 * progress engine. Connections are made by details that programs exchange, or by the connection
 * manager (cm.c).
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

/* What tasks do. */
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

/* Whom the program wants told of connections. */
typedef void (*dpk_rdma_told)(struct doca_rdma_connection *connection,
                              union doca_data connection_user_data, union doca_data ctx_user_data);
struct dpk_rdma_callbacks {
    void (*request)(struct doca_rdma_connection *connection, union doca_data ctx_user_data);
    dpk_rdma_told established, failed, disconnected;
};

/* The connection manager of a context: with its lock. */
struct dpk_rdma_cm {
    struct dpk_rdma_callbacks callbacks;               /* all NULL: not set */
    atomic_int epoll;                                  /* its sockets; -1: it has never had one */
    STAILQ_HEAD(, dpk_rdma_socket) listeners, callers; /* a caller has not said what it wants */
    unsigned callers_count;
    atomic_uint failing; /* connections whose failure is to be told */
    unsigned looks;
};

struct dpk_rdma {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use */
    uint32_t permissions;
    uint32_t sends, receives; /* sizes of queues */
    uint32_t connections_max;
    uint32_t rnr_retries; /* of a message that finds no receive: 0 to 7, which is for ever */
    /* Kept for who asks: */
    uint32_t send_list, receive_list; /* buffers in a list */
    uint32_t mtu, service_level, grh, gid_index, call_ms, transport;
    /* A reference, and while it runs a use; NULL: an error ends the process. */
    struct dpk_dpa_completion *queue;
    /* While it runs: */
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    uint64_t run;                             /* of the context that the data path is on */
    struct dpk_rdma_connection **connections; /* by their numbers */
    uint32_t count;
    /* Of a context whose tasks are the host's: */
    struct dpk_task_pool pools[DPK_RDMA_WORK_KINDS];
    STAILQ_HEAD(, dpk_rdma_work) ended; /* nobody is told of them yet; with the lock of rc */
    atomic_size_t ended_count;
    unsigned telling; /* callbacks of the program that run; with the object's lock */
    struct dpk_rdma_cm cm;
};
extern const struct dpk_kind dpk_rdma_kind;

/* The DPA context that the data path is on; NULL: none yet. */
static inline struct dpk_dpa *dpk_rdma_dpa(const struct dpk_rdma *r)
{
    return r->ctx.datapath;
}

struct dpk_rdma_connection {
    struct dpk_object object;
    struct dpk_rdma *rdma; /* a reference */
    struct dpk_rc_qp *qp;  /* NULL: its context stops or has stopped. Under the rdma's lock */
    uint32_t id;
    union doca_data user_data; /* under the rdma's lock */
    struct dpk_buf details;
    /* By the connection manager, under the rdma's lock: */
    enum {
        DPK_RDMA_BY_DETAILS, /* not by it */
        DPK_RDMA_CALLING,    /* this end has asked, or is about to */
        DPK_RDMA_ASKED,      /* the peer has asked; the program has not answered */
        DPK_RDMA_ACCEPTED,   /* it has; the peer has not confirmed it */
        DPK_RDMA_ESTABLISHED,
        DPK_RDMA_LEFT,  /* the peer has ended it */
        DPK_RDMA_ENDED, /* by this end, or it never was */
    } state;
    int socket; /* to the peer; -1: none */
    struct rdma_cm_id
        *bridged;  /* its own; the program hears what the peer says; NULL: `socket` is used */
    bool failing;  /* that it failed is to be told */
    uint32_t peer; /* the number of the peer's queue pair */
    struct dpk_rdma_addr *addr; /* where the one that listens does: its own */
};
extern const struct dpk_kind dpk_rdma_connection_kind;

/* Where somebody listens. */
struct dpk_rdma_addr {
    struct dpk_object object;
    unsigned type;                     /* enum doca_rdma_addr_type */
    char text[DPK_RDMA_ADDR_TEXT_MAX]; /* as the program gave it */
    struct dpk_cm_address at;
};
extern const struct dpk_kind dpk_rdma_addr_kind;
/* Finds `at` by type and text, but for the port. False: it is no such address. */
bool dpk_rdma_addr_parse(struct dpk_rdma_addr *a);
/* The other way round. */
bool dpk_rdma_addr_describe(struct dpk_rdma_addr *a);
/* A new one that is the same, pinned. NULL: out of memory. dpk_rdma_addr_end takes it out of the table
 * and drops it; NULL is fine. */
struct dpk_rdma_addr *dpk_rdma_addr_copy(const struct dpk_rdma_addr *of);
void dpk_rdma_addr_end(struct dpk_rdma_addr *a);

/* Idle; holds `dev`. NULL: out of memory. */
struct dpk_rdma *dpk_rdma_new(struct dpk_dev *dev);
/* Stops it if it runs, and takes it out of the table. INVALID_VALUE, IN_USE. */
doca_error_t dpk_rdma_destroy(const void *handle);
/* BAD_STATE: not started. FULL: it has as many as it may. */
doca_error_t dpk_rdma_connection_new(struct dpk_rdma *r, struct dpk_rdma_connection **out);
/* The same, with the context's lock. One that has ended makes room. */
doca_error_t dpk_rdma_connection_add(struct dpk_rdma *r, struct dpk_rdma_connection **out);
/* INVALID_VALUE: not details of a connection, or damaged. UNSUPPORTED_VERSION. BAD_STATE: connected
 * already, or not started. CONNECTION_ABORTED: the peer is gone. */
doca_error_t dpk_rdma_connect(struct dpk_rdma_connection *c, const void *details, size_t size);

/* What a NIC asks of an end whose context is a struct dpk_rdma, on the DPA and on the host. */
extern const struct dpk_rc_ops dpk_rdma_ops, dpk_rdma_host_ops;
/* With the lock: destroys the end and its connections' queue pairs; what is posted fails. */
void dpk_rdma_close(struct dpk_rdma *r);

/* ---- Tasks ---- */

#define DPK_RDMA_LIST_MAX 16u /* buffers in a list */

/* A task: it sends from its local buffers, or writes behind their data. */
struct dpk_rdma_work {
    struct dpk_task task;
    enum dpk_rdma_work_kind kind;
    struct dpk_rdma_connection *connection;         /* a reference; NULL: a receive */
    struct doca_buf *local;                         /* NULL: there are no bytes */
    const struct doca_buf *remote;                  /* memory of the peer */
    const struct doca_sync_event_remote_net *event; /* an event of the peer */
    struct dpk_uuid event_owner;                    /* whose it is, and its key there */
    uint64_t event_key;
    uint32_t immediate; /* as the program gave it: big endian */
    uint64_t value, compare;
    /* While it is submitted: */
    struct dpk_rc_piece pieces[DPK_RDMA_LIST_MAX];
    unsigned count;
    STAILQ_ENTRY(dpk_rdma_work) link;
    struct dpk_rc_completion completion; /* once it has ended */
    struct dpk_rc_why why;               /* of one that failed */
    struct doca_rdma_connection *from;   /* of a receive that has ended: whose message it was */
};

/* For the types of tasks: `take` and `release`. */
doca_error_t dpk_rdma_work_take(struct dpk_task *task, bool flush);
void dpk_rdma_work_release(struct dpk_task *task);
/* Carries out works, and tells the program of what has ended, as struct dpk_ctx_ops says. */
bool dpk_rdma_progress(struct dpk_ctx *ctx);
bool dpk_rdma_is_ready(const struct dpk_ctx *ctx);
void dpk_rdma_poll(struct dpk_ctx *ctx);
int dpk_rdma_rest(struct dpk_ctx *ctx, const struct dpk_pe *pe);

/* ---- Connection manager ---- */

void dpk_rdma_cm_init(struct dpk_rdma *r);
/* With the lock: closes all sockets; `release`: nothing uses them any more, in any thread. */
void dpk_rdma_cm_close(struct dpk_rdma *r, bool release);

/* Something that the program is to be told. */
struct dpk_rdma_event {
    void (*request)(struct doca_rdma_connection *connection, union doca_data ctx_user_data);
    dpk_rdma_told told; /* if `request` is NULL */
    struct doca_rdma_connection *connection;
    union doca_data connection_user_data, ctx_user_data;
};
/* Looks at the sockets. False: there is nothing to tell. With the lock. */
bool dpk_rdma_cm_next(struct dpk_rdma *r, struct dpk_rdma_event *out);
/* A message has come on a connection: it is established, even if the peer's confirmation is still
 * under way. False: it was already. With the lock. */
bool dpk_rdma_cm_heard(struct dpk_rdma *r, uint32_t connection, struct dpk_rdma_event *out);
/* Whether there may be something to look at, for any thread. */
bool dpk_rdma_cm_is_ready(const struct dpk_rdma *r);

/* As the public functions: with a pinned object, without a lock. */
doca_error_t dpk_rdma_set_callbacks(struct dpk_rdma *r, const struct dpk_rdma_callbacks *callbacks);
doca_error_t dpk_rdma_listen(struct dpk_rdma *r, uint16_t port);
doca_error_t dpk_rdma_stop_listening(struct dpk_rdma *r, uint16_t port);
doca_error_t dpk_rdma_call(struct dpk_rdma *r, struct dpk_rdma_addr *to, union doca_data user_data);
doca_error_t dpk_rdma_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size);
doca_error_t dpk_rdma_reject(struct dpk_rdma_connection *c);
doca_error_t dpk_rdma_disconnect(struct dpk_rdma_connection *c);
/* With the lock: connects the queue pair to one with that number. CONNECTION_ABORTED. */
doca_error_t dpk_rdma_connect_to(struct dpk_rdma_connection *c, uint32_t number);

/* ---- bridge.c: connections by identifiers of librdmacm ---- */

/* As the public functions: with pinned objects, without a lock. The connection owns `id` from then on. */
doca_error_t dpk_rdma_bridge_prepare(struct dpk_rdma *r, struct rdma_cm_id *id,
                                     struct dpk_rdma_connection **out);
doca_error_t dpk_rdma_bridge_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size);
doca_error_t dpk_rdma_bridge_establish(struct dpk_rdma_connection *c);
/* Of a connection that is bridged; without a lock. */
void dpk_rdma_bridge_reject(struct dpk_rdma_connection *c);
void dpk_rdma_bridge_disconnect(struct dpk_rdma_connection *c);
void dpk_rdma_bridge_release(struct dpk_rdma_connection *c);

#endif
