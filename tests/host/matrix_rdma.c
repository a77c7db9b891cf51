/* The world's RDMA context, with a peer to connect to; DOCA 3.x only. */
#include "matrix_world.h"

/* Both have a completion queue, which cannot be stopped while they run: one that no row stops. */
static struct doca_rdma *make_context(struct world *w, struct doca_dev *dev)
{
    struct doca_rdma *r = NULL;
    CHECK(doca_rdma_create(dev, &r) == OK);
    CHECK(doca_rdma_set_permissions(r, DOCA_ACCESS_FLAG_RDMA_WRITE) == OK);
    CHECK(doca_rdma_set_max_num_connections(r, 2) == OK); /* one is for doca_rdma_export */
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(r), w->objects[DPA]) == OK);
    CHECK(doca_rdma_dpa_completion_attach(r, w->rdma_queue) == OK);
    return r;
}

void make_rdma(struct world *w, struct doca_dev *dev)
{
    CHECK(doca_dpa_completion_create(w->objects[DPA], 8, &w->rdma_queue) == OK);
    w->objects[RDMA] = make_context(w, dev);
    w->peer = make_context(w, dev);
}

void start_rdma(struct world *w)
{
    struct doca_rdma_connection *theirs = NULL;
    const void *details = NULL;
    size_t size = 0;
    CHECK(doca_dpa_completion_start(w->rdma_queue) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(w->objects[RDMA])) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(w->peer)) == OK);
    CHECK(doca_rdma_export(w->objects[RDMA], &details, &size,
                           (struct doca_rdma_connection **)&w->objects[CONNECTION]) == OK);
    CHECK(doca_rdma_export(w->peer, &details, &size, &theirs) == OK);
    CHECK(size > 0 && size <= sizeof w->details);
    memcpy(w->details, details, size);
    w->details_size = size;
}

void stop_rdma(struct world *w)
{
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(w->objects[RDMA])) == OK);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(w->peer)) == OK);
    CHECK(doca_dpa_completion_stop(w->rdma_queue) == OK);
}

void destroy_rdma(struct world *w)
{
    doca_rdma_destroy(w->objects[RDMA]); /* the row may have done so */
    CHECK(doca_rdma_destroy(w->peer) == OK);
    CHECK(doca_dpa_completion_destroy(w->rdma_queue) == OK);
}
