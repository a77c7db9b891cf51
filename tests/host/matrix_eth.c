/* The world's queues of DOCA Ethernet, and the port and the pipe of DOCA Flow that lead to them; DOCA 3.x
 * only. They are made for functions of their own, as a port of the device goes with them. */
#include "matrix_world.h"

static struct doca_pe *pe;
static struct doca_eth_rxq *managed; /* it has the events of the world */

/* ---- Callbacks ---- */

static void on_received(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_large_sent(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                          union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_batch_sent(struct doca_task_batch *batch, uint16_t count, union doca_data ctx_data,
                          union doca_data batch_data, union doca_data *data, struct doca_buf **pkts,
                          doca_error_t *status)
{
    (void)batch, (void)count, (void)ctx_data, (void)batch_data, (void)data, (void)pkts,
        (void)status;
}

static void on_large_batch_sent(struct doca_task_batch *batch, uint16_t count,
                                union doca_data ctx_data, union doca_data batch_data,
                                union doca_data *data, struct doca_buf **pkts,
                                struct doca_gather_list **headers, doca_error_t *status)
{
    (void)batch, (void)count, (void)ctx_data, (void)batch_data, (void)data, (void)pkts,
        (void)headers, (void)status;
}

static void on_frame(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                     union doca_data data)
{
    ((struct world *)data.ptr)->objects[ETH_EVENT] = event;
    CHECK(doca_buf_dec_refcount(pkt, NULL) == OK);
}

static void on_frames(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t count,
                      union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    CHECK(status == OK && count == 1);
    ((struct world *)data.ptr)->objects[ETH_BATCH_EVENT] = event;
    doca_eth_rxq_event_batch_managed_recv_pkt_array_free(pkts);
}

static void on_failure(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                       union doca_data data)
{
    (void)event, (void)pkt, (void)data;
    CHECK(false);
}

static void on_failures(struct doca_eth_rxq_event_batch_managed_recv *event, uint16_t count,
                        union doca_data data, doca_error_t status, struct doca_buf **pkts)
{
    (void)event, (void)count, (void)data, (void)status, (void)pkts;
    CHECK(false);
}

/* ---- Queues ---- */

static void make_queues(struct world *w, struct doca_dev *dev)
{
    struct doca_eth_rxq *r = NULL;
    struct doca_eth_txq *t = NULL;
    CHECK(doca_eth_rxq_create(dev, 8, 512, &r) == OK);
    CHECK(doca_eth_rxq_task_recv_set_conf(r, on_received, on_received, 2) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(r)) == OK);
    CHECK(doca_eth_txq_create(dev, 32, &t) == OK);
    CHECK(doca_eth_txq_task_send_set_conf(t, on_sent, on_sent, 2) == OK);
    CHECK(doca_eth_txq_task_lso_send_set_conf(t, on_large_sent, on_large_sent, 2) == OK);
    CHECK(doca_eth_txq_task_batch_send_set_conf(t, 0, 2, on_batch_sent, on_batch_sent) == OK);
    CHECK(doca_eth_txq_task_batch_lso_send_set_conf(t, 0, 2, on_large_batch_sent,
                                                    on_large_batch_sent) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(t)) == OK);
    w->objects[ETH_RXQ] = r;
    w->objects[ETH_TXQ] = t;
}

static void start_queues(struct world *w)
{
    union doca_data *data;
    struct doca_buf **pkts;
    struct doca_eth_rxq *r = w->objects[ETH_RXQ];
    struct doca_eth_txq *t = w->objects[ETH_TXQ];
    w->headers = (struct doca_gather_list){.addr = w->text, .len = 64};
    CHECK(doca_buf_set_data(w->objects[BUF], w->mapped, 64) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(r)) == OK);
    CHECK(doca_ctx_start(doca_eth_txq_as_doca_ctx(t)) == OK);
    CHECK(doca_eth_rxq_task_recv_allocate_init(
              r, w->objects[BUF], (union doca_data){0},
              (struct doca_eth_rxq_task_recv **)&w->objects[ETH_RECEIVE]) == OK);
    CHECK(doca_eth_txq_task_send_allocate_init(
              t, w->objects[BUF], (union doca_data){0},
              (struct doca_eth_txq_task_send **)&w->objects[ETH_SEND]) == OK);
    CHECK(doca_eth_txq_task_lso_send_allocate_init(
              t, w->objects[BUF], &w->headers, (union doca_data){0},
              (struct doca_eth_txq_task_lso_send **)&w->objects[ETH_LARGE_SEND]) == OK);
    CHECK(doca_eth_txq_task_batch_send_allocate(
              t, 1, (union doca_data){0}, &pkts, &data,
              (struct doca_task_batch **)&w->objects[TASK_BATCH]) == OK);
    pkts[0] = w->objects[BUF];
}

/* ---- Events ---- */

/* A frame of the world goes round and comes to the managed queue. */
static void send_frame(struct world *w, enum kind event)
{
    struct doca_eth_txq *t = w->objects[ETH_TXQ];
    struct doca_eth_txq_task_send *task;
    CHECK(doca_eth_txq_task_send_allocate_init(t, w->objects[BUF], (union doca_data){0}, &task) ==
          OK);
    CHECK(doca_task_submit(doca_eth_txq_task_send_as_doca_task(task)) == OK);
    while (!w->objects[event])
        doca_pe_progress(pe);
    doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
}

static void lead_to_managed(struct doca_flow_pipe *pipe)
{
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_match all = {0};
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss = {.queues_array = (uint16_t[]){7}, .nr_queues = 1}};
    CHECK(doca_eth_rxq_apply_queue_id(managed, 7) == OK);
#if DOCA_VERSION_MAJOR >= 3
    CHECK(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, &fwd, 0, NULL, &entry) == OK);
#else
    CHECK(doca_flow_pipe_add_entry(0, pipe, &all, NULL, NULL, &fwd, 0, NULL, &entry) == OK);
#endif
}

static void make_event(struct world *w, struct doca_dev *dev, enum kind kind)
{
    CHECK(doca_eth_rxq_create(dev, 1, 64, &managed) == OK);
    CHECK(doca_eth_rxq_set_type(managed, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL) == OK);
    CHECK(doca_eth_rxq_set_pkt_buf(managed, w->helper_map, 0, sizeof w->mapped) == OK);
    CHECK((kind == ETH_EVENT
               ? doca_eth_rxq_event_managed_recv_register(managed, (union doca_data){.ptr = w},
                                                          on_frame, on_failure)
               : doca_eth_rxq_event_batch_managed_recv_register(
                     managed, DOCA_EVENT_BATCH_EVENTS_NUMBER_1, DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
                     (union doca_data){.ptr = w}, on_frames, on_failures)) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(managed)) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(managed)) == OK);
    lead_to_managed(w->objects[FLOW_PIPE]);
    send_frame(w, kind);
}

/* ---- Flow ---- */

static void make_flow(struct world *w, struct doca_dev *dev)
{
    struct doca_flow_cfg *cfg = NULL;
    struct doca_flow_port_cfg *port = NULL;
    CHECK(doca_flow_cfg_create(&cfg) == OK);
    CHECK(doca_flow_port_cfg_create(&port) == OK);
    CHECK(doca_flow_port_cfg_set_dev(port, dev) == OK);
    w->objects[FLOW_CFG] = cfg;
    w->objects[FLOW_PORT_CFG] = port;
    w->fwd = (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_DROP};
    w->actions = &w->action;
}

static void start_flow(struct world *w)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    CHECK(doca_flow_init(w->objects[FLOW_CFG]) == OK);
    CHECK(doca_flow_port_start(w->objects[FLOW_PORT_CFG],
                               (struct doca_flow_port **)&w->objects[FLOW_PORT]) == OK);
    CHECK(doca_flow_pipe_cfg_create(&cfg, w->objects[FLOW_PORT]) == OK);
    CHECK(doca_flow_pipe_cfg_set_is_root(cfg, true) == OK);
    CHECK(doca_flow_pipe_create(cfg, NULL, NULL,
                                (struct doca_flow_pipe **)&w->objects[FLOW_PIPE]) == OK);
    w->objects[FLOW_PIPE_CFG] = cfg;
}

/* ---- All ---- */

static bool is_about(const char *function, const char *what)
{
    return !function || strstr(function, what);
}

void make_eth(struct world *w, struct doca_dev *dev, enum state state, const char *function)
{
    CHECK(doca_pe_create(&pe) == OK);
    make_queues(w, dev);
    make_flow(w, dev);
    if (state < RUNNING)
        return;
    start_queues(w);
    start_flow(w);
    if (is_about(function, "event_managed"))
        make_event(w, dev, ETH_EVENT);
    else if (is_about(function, "event_batch"))
        make_event(w, dev, ETH_BATCH_EVENT);
    if (state == STOPPED)
        stop_eth(w);
}

static void stop(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE; /* the row may have destroyed it */
    doca_ctx_stop(ctx);
    while (doca_ctx_get_state(ctx, &state) == OK && state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
}

void stop_eth(struct world *w)
{
    for (enum kind k = ETH_RECEIVE; k <= ETH_LARGE_SEND; k++)
        doca_task_free(w->objects[k]);
    doca_task_batch_free(w->objects[TASK_BATCH]);
    stop(doca_eth_rxq_as_doca_ctx(w->objects[ETH_RXQ]));
    stop(doca_eth_txq_as_doca_ctx(w->objects[ETH_TXQ]));
}

void destroy_eth_object(void *object)
{
    if (!object)
        return;
    doca_eth_rxq_destroy(object);
    doca_eth_txq_destroy(object);
    doca_task_batch_free(object);
    doca_flow_cfg_destroy(object);
    doca_flow_port_cfg_destroy(object);
    doca_flow_pipe_cfg_destroy(object);
    doca_flow_pipe_destroy(object);
    doca_flow_port_stop(object);
}

void destroy_eth(struct world *w)
{
    stop_eth(w);
    for (enum kind k = ETH_RXQ; k <= FLOW_CFG; k++)
        destroy_eth_object(w->objects[k]);
    if (managed)
        CHECK(doca_eth_rxq_destroy(managed) == OK);
    managed = NULL;
    doca_flow_destroy();
    CHECK(doca_pe_destroy(pe) == OK);
}
