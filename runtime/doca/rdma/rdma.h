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
 * progress engine.
 */
#ifndef DPK_DOCA_RDMA_H
#define DPK_DOCA_RDMA_H

#include <sys/queue.h>

#include "doca/event/event.h"
#include "doca/memory/memory.h"
#include "rc/rc.h"

#define DPK_RDMA_QUEUE_MAX       32768u /* elements of a send or receive queue */
#define DPK_RDMA_CONNECTIONS_MAX 8192u

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

struct dpk_rdma_connection;
struct dpk_rdma_work;

struct dpk_rdma {
    struct dpk_ctx ctx;
    struct dpk_dev *dev; /* a use */
    uint32_t permissions;
    uint32_t sends, receives; /* sizes of queues */
    uint32_t connections_max;
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
};
extern const struct dpk_kind dpk_rdma_connection_kind;

/* Idle; holds `dev`. NULL: out of memory. */
struct dpk_rdma *dpk_rdma_new(struct dpk_dev *dev);
/* Stops it if it runs, and takes it out of the table. INVALID_VALUE, IN_USE. */
doca_error_t dpk_rdma_destroy(const void *handle);
/* BAD_STATE: not started. FULL: it has as many as it may. */
doca_error_t dpk_rdma_connection_new(struct dpk_rdma *r, struct dpk_rdma_connection **out);
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
    struct dpk_rdma_connection *connection; /* a reference; NULL: a receive */
    struct doca_buf *local;                 /* NULL: there are no bytes */
    const struct doca_buf *remote;          /* memory of the peer */
    struct dpk_uuid event_owner;            /* an event of the peer */
    uint64_t event_key;
    uint32_t immediate; /* as the program gave it: big endian */
    uint64_t value, compare;
    /* While it is submitted: */
    struct dpk_rc_piece pieces[DPK_RDMA_LIST_MAX];
    unsigned count;
    STAILQ_ENTRY(dpk_rdma_work) link;
    struct dpk_rc_completion completion; /* once it has ended */
    struct doca_rdma_connection *from;   /* of a receive that has ended: whose message it was */
};

/* For the types of tasks: `take` and `release`. */
doca_error_t dpk_rdma_work_take(struct dpk_task *task, bool flush);
void dpk_rdma_work_release(struct dpk_task *task);
/* Carries out works, and tells the program of what has ended, as struct dpk_ctx_ops says. */
bool dpk_rdma_progress(struct dpk_ctx *ctx);
bool dpk_rdma_is_ready(const struct dpk_ctx *ctx);

#endif
