/* The world's channel: a server with a client of this process, and a producer, a consumer and tasks of
 * the server's end while they run; DOCA 3.x only. Programs of the world are the DPU's. */
#include "matrix_world.h"

static struct doca_comch_connection *came;

static void on_send(struct doca_comch_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                       struct doca_comch_connection *c)
{
    (void)event, (void)bytes, (void)size, (void)c;
}

static void on_came(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t success)
{
    (void)event, (void)success;
    came = c;
}

static void on_went(struct doca_comch_event_connection_status_changed *event,
                    struct doca_comch_connection *c, uint8_t success)
{
    (void)event, (void)c, (void)success;
}

void make_comch(struct world *w, struct doca_dev *dev)
{
    struct doca_comch_server *s = NULL;
    struct doca_comch_client *c = NULL;
    CHECK(doca_pe_create(&w->comch_pe) == OK);
    CHECK(doca_comch_server_create(dev, w->objects[DEV_REP], "matrix", &s) == OK);
    CHECK(doca_comch_server_task_send_set_conf(s, on_send, on_send, 2) ==
          OK); /* one is the row's */
    CHECK(doca_comch_server_event_msg_recv_register(s, on_message) == OK);
    CHECK(doca_comch_server_event_connection_status_changed_register(s, on_came, on_went) == OK);
    CHECK(doca_pe_connect_ctx(w->comch_pe, doca_comch_server_as_ctx(s)) == OK);
    CHECK(setenv("DPAKIT_SIDE", "host", 1) == 0);
    CHECK(doca_comch_client_create(dev, "matrix", &c) == OK);
    CHECK(setenv("DPAKIT_SIDE", "dpu", 1) == 0);
    CHECK(doca_comch_client_task_send_set_conf(c, on_send, on_send, 2) == OK);
    CHECK(doca_pe_connect_ctx(w->comch_pe, doca_comch_client_as_ctx(c)) == OK);
    w->objects[COMCH_SERVER] = s;
    w->objects[COMCH_CLIENT] = c;
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE; /* the row may have destroyed it */
    doca_ctx_get_state(ctx, &state);
    return state;
}

static void await(struct world *w, struct doca_ctx *ctx, enum doca_ctx_states state)
{
    while (state_of(ctx) != state)
        doca_pe_progress(w->comch_pe);
}

static void start_pipes(struct world *w)
{
    struct doca_comch_producer *p = NULL;
    struct doca_comch_consumer *n = NULL;
    CHECK(doca_comch_producer_create(came, &p) == OK);
    CHECK(doca_comch_producer_task_send_set_conf(p, on_produced, on_produced, 2) == OK);
    CHECK(doca_pe_connect_ctx(w->comch_pe, doca_comch_producer_as_ctx(p)) == OK);
    CHECK(doca_ctx_start(doca_comch_producer_as_ctx(p)) == OK);
    CHECK(doca_comch_consumer_create(came, w->helper_map, &n) == OK);
    CHECK(doca_comch_consumer_task_post_recv_set_conf(n, on_received, on_received, 2) == OK);
    CHECK(doca_pe_connect_ctx(w->comch_pe, doca_comch_consumer_as_ctx(n)) == OK);
    CHECK(doca_ctx_start(doca_comch_consumer_as_ctx(n)) == DOCA_ERROR_IN_PROGRESS);
    await(w, doca_comch_consumer_as_ctx(n), DOCA_CTX_STATE_RUNNING);
    w->objects[COMCH_PRODUCER] = p;
    w->objects[COMCH_CONSUMER] = n;
}

void start_comch(struct world *w)
{
    struct doca_ctx *client = doca_comch_client_as_ctx(w->objects[COMCH_CLIENT]);
    came = NULL;
    CHECK(doca_ctx_start(doca_comch_server_as_ctx(w->objects[COMCH_SERVER])) == OK);
    CHECK(doca_ctx_start(client) == DOCA_ERROR_IN_PROGRESS);
    while (!came || state_of(client) != DOCA_CTX_STATE_RUNNING)
        doca_pe_progress(w->comch_pe);
    w->objects[COMCH_CONNECTION] = came;
    start_pipes(w);
    CHECK(doca_comch_server_task_send_alloc_init(
              w->objects[COMCH_SERVER], came, w->mapped, 64,
              (struct doca_comch_task_send **)&w->objects[COMCH_SEND]) == OK);
    CHECK(doca_comch_producer_task_send_alloc_init(
              w->objects[COMCH_PRODUCER], w->objects[BUF], NULL, 0, 1,
              (struct doca_comch_producer_task_send **)&w->objects[COMCH_PRODUCE]) == OK);
    CHECK(doca_comch_consumer_task_post_recv_alloc_init(
              w->objects[COMCH_CONSUMER], w->objects[BUF],
              (struct doca_comch_consumer_task_post_recv **)&w->objects[COMCH_RECEIVE]) == OK);
}

static void stop(struct world *w, struct doca_ctx *ctx)
{
    doca_ctx_stop(ctx);
    await(w, ctx, DOCA_CTX_STATE_IDLE);
}

void stop_comch(struct world *w)
{
    for (enum kind k = COMCH_SEND; k <= COMCH_RECEIVE; k++)
        doca_task_free(w->objects[k]);
    stop(w, doca_comch_producer_as_ctx(w->objects[COMCH_PRODUCER]));
    stop(w, doca_comch_consumer_as_ctx(w->objects[COMCH_CONSUMER]));
    stop(w, doca_comch_client_as_ctx(w->objects[COMCH_CLIENT]));
    stop(w, doca_comch_server_as_ctx(w->objects[COMCH_SERVER]));
}

void destroy_comch_object(void *object)
{
    if (!object)
        return;
    doca_comch_producer_destroy(object);
    doca_comch_consumer_destroy(object);
    doca_comch_client_destroy(object);
    doca_comch_server_destroy(object);
}

void destroy_comch(struct world *w)
{
    stop_comch(w);
    for (enum kind k = COMCH_SERVER; k <= COMCH_CONSUMER; k++)
        destroy_comch_object(w->objects[k]);
    CHECK(doca_pe_destroy(w->comch_pe) == OK);
}
