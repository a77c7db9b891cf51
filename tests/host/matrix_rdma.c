/* The world's RDMA context, with a peer to connect to, an address, and a task of each type while it runs;
 * DOCA 3.x only. The data path is on the DPA, so that tasks are not submitted. */
#include "matrix_world.h"

/* How tasks of a type are set up, and one is made. */
#define TASK_TYPE(name, KIND, ...)                                                                 \
    static void name##_ended(struct doca_rdma_task_##name *task, union doca_data task_data,        \
                             union doca_data ctx_data)                                             \
    {                                                                                              \
        (void)task, (void)task_data, (void)ctx_data;                                               \
    }                                                                                              \
    static void name##_set_up(struct doca_rdma *r)                                                 \
    {                                                                                              \
        CHECK(doca_rdma_task_##name##_set_conf(r, name##_ended, name##_ended, 2) == OK);           \
    }                                                                                              \
    static void name##_make(struct world *w, struct doca_rdma_connection *c)                       \
    {                                                                                              \
        (void)c;                                                                                   \
        CHECK(doca_rdma_task_##name##_allocate_init(                                               \
                  w->objects[RDMA], __VA_ARGS__, (union doca_data){0},                             \
                  (struct doca_rdma_task_##name **)&w->objects[KIND]) == OK);                      \
    }
TASK_TYPE(receive, RDMA_RECEIVE, w->objects[BUF])
TASK_TYPE(send, RDMA_SEND, c, w->objects[BUF])
TASK_TYPE(send_imm, RDMA_SEND_IMM, c, w->objects[BUF], 1)
TASK_TYPE(read, RDMA_READ, c, w->objects[BUF], w->objects[BUF])
TASK_TYPE(write, RDMA_WRITE, c, w->objects[BUF], w->objects[BUF])
TASK_TYPE(write_imm, RDMA_WRITE_IMM, c, w->objects[BUF], w->objects[BUF], 1)
TASK_TYPE(atomic_cmp_swp, RDMA_CMP_SWP, c, w->objects[BUF], w->objects[BUF], 1, 2)
TASK_TYPE(atomic_fetch_add, RDMA_FETCH_ADD, c, w->objects[BUF], w->objects[BUF], 1)
TASK_TYPE(remote_net_sync_event_get, RDMA_EVENT_GET, c, w->objects[REMOTE_EVENT], w->objects[BUF])
TASK_TYPE(remote_net_sync_event_notify_set, RDMA_EVENT_NOTIFY_SET, c, w->objects[REMOTE_EVENT],
          w->objects[BUF])
TASK_TYPE(remote_net_sync_event_notify_add, RDMA_EVENT_NOTIFY_ADD, c, w->objects[REMOTE_EVENT],
          w->objects[BUF], 1)

static void on_request(struct doca_rdma_connection *c, union doca_data ctx_data)
{
    (void)c, (void)ctx_data;
}

static void on_change(struct doca_rdma_connection *c, union doca_data data,
                      union doca_data ctx_data)
{
    (void)c, (void)data, (void)ctx_data;
}

static void set_up(struct doca_rdma *r)
{
    receive_set_up(r);
    send_set_up(r);
    send_imm_set_up(r);
    read_set_up(r);
    write_set_up(r);
    write_imm_set_up(r);
    atomic_cmp_swp_set_up(r);
    atomic_fetch_add_set_up(r);
    remote_net_sync_event_get_set_up(r);
    remote_net_sync_event_notify_set_set_up(r);
    remote_net_sync_event_notify_add_set_up(r);
    CHECK(doca_rdma_set_connection_state_callbacks(r, on_request, on_change, on_change,
                                                   on_change) == OK);
}

static void make_tasks(struct world *w)
{
    struct doca_rdma_connection *c = w->objects[CONNECTION];
    receive_make(w, c);
    send_make(w, c);
    send_imm_make(w, c);
    read_make(w, c);
    write_make(w, c);
    write_imm_make(w, c);
    atomic_cmp_swp_make(w, c);
    atomic_fetch_add_make(w, c);
    remote_net_sync_event_get_make(w, c);
    remote_net_sync_event_notify_set_make(w, c);
    remote_net_sync_event_notify_add_make(w, c);
}

/* Both have a completion queue. It cannot be stopped while they run, so it is a queue that no row
 * stops. */
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
    set_up(w->objects[RDMA]);
    CHECK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "192.0.2.1", 21577,
                                (struct doca_rdma_addr **)&w->objects[RDMA_ADDR]) == OK);
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
    make_tasks(w);
}

void stop_rdma(struct world *w)
{
    for (enum kind k = RDMA_RECEIVE; k <= RDMA_EVENT_NOTIFY_ADD; k++)
        doca_task_free(w->objects[k]);
    doca_task_free(w->made);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(w->objects[RDMA])) == OK);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(w->peer)) == OK);
    CHECK(doca_dpa_completion_stop(w->rdma_queue) == OK);
}

void destroy_rdma(struct world *w)
{
    for (enum kind k = RDMA_RECEIVE; k <= RDMA_EVENT_NOTIFY_ADD; k++)
        doca_task_free(w->objects[k]);
    doca_rdma_addr_destroy(w->objects[RDMA_ADDR]);
    doca_rdma_destroy(w->objects[RDMA]); /* the row may have done so */
    CHECK(doca_rdma_destroy(w->peer) == OK);
    CHECK(doca_dpa_completion_destroy(w->rdma_queue) == OK);
}
