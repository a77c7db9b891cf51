/*
 * rdma: RDMA contexts of DOCA and their connections: the queue pairs of rc with memory maps, sync
 * events and completion queues. libdoca_rdma.so has the functions of DOCA RDMA.
 *
 *     struct dpk_rdma *r = dpk_rdma_new(dev);
 *     dpk_ctx_set_datapath(&r->ctx, dpa);  r->permissions = ...;
 *     dpk_ctx_start(&r->ctx);
 *     dpk_rdma_connection_new(r, &c);            // c->details go to the peer
 *     dpk_rdma_connect(c, details, size);
 */
#ifndef DPK_DOCA_RDMA_H
#define DPK_DOCA_RDMA_H

#include "doca/event/event.h"
#include "doca/memory/memory.h"
#include "rc/rc.h"

#define DPK_RDMA_QUEUE_MAX       32768u /* elements of a send or receive queue */
#define DPK_RDMA_CONNECTIONS_MAX 8192u

struct dpk_rdma_connection;

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
    struct dpk_rc_qp *qp;  /* NULL: its context is not started any more. Under the rdma's lock */
    uint32_t id;
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

/* What a NIC asks of an end whose context is a struct dpk_rdma. */
extern const struct dpk_rc_ops dpk_rdma_ops;

#endif
