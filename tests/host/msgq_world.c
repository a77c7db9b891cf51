#include <stdlib.h>

#include "msgq_world.h"

struct doca_dev *dev;

static void go_on(void)
{
}
void (*after_each)(void) = go_on;

struct doca_ctx *ctx_of(struct doca_comch_consumer *n)
{
    return doca_comch_consumer_as_ctx(n);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

/* ---- Arguments of callbacks ---- */

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->received++;
    w->imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    w->from_producer = doca_comch_consumer_task_post_recv_get_producer_id(task);
    memcpy(w->imm, doca_comch_consumer_task_post_recv_get_imm_data(task), w->imm_len);
    if (!w->again || doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != OK)
        doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_not_received(struct doca_comch_consumer_task_post_recv *task,
                            union doca_data task_data, union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->failed++;
    w->status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct world *w = ctx_data.ptr;
    (void)task_data;
    w->sent++;
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

/* ---- Life ---- */

static struct doca_comch_msgq *queue_new(struct world *w, bool to_dpa)
{
    struct doca_comch_msgq *q = NULL;
    CHECK(doca_comch_msgq_create(dev, &q) == OK);
    CHECK((to_dpa ? doca_comch_msgq_set_dpa_consumer(q, w->dpa)
                  : doca_comch_msgq_set_dpa_producer(q, w->dpa)) == OK);
    CHECK(doca_comch_msgq_start(q) == OK);
    after_each();
    return q;
}

static void connect(struct world *w, struct doca_ctx *ctx)
{
    CHECK(doca_pe_connect_ctx(w->pe, ctx) == OK);
    CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = w}) == OK);
}

struct doca_comch_producer *producer_new(struct world *w)
{
    struct doca_comch_producer *p = NULL;
    CHECK(doca_comch_msgq_producer_create(w->to, &p) == OK);
    connect(w, doca_comch_producer_as_ctx(p));
    CHECK(doca_comch_producer_task_send_set_conf(p, on_sent, on_sent, DEPTH) == OK);
    CHECK(doca_ctx_start(doca_comch_producer_as_ctx(p)) == OK);
    after_each();
    return p;
}

static void open_to(struct world *w)
{
    w->to = queue_new(w, true);
    CHECK(doca_comch_consumer_completion_create(&w->completion) == OK);
    CHECK(doca_comch_consumer_completion_set_max_num_recv(w->completion, DEPTH) == OK);
    CHECK(doca_comch_consumer_completion_set_dpa_thread(w->completion, w->thread) == OK);
    CHECK(doca_comch_consumer_completion_start(w->completion) == OK);
    after_each();
    CHECK(doca_comch_msgq_consumer_create(w->to, &w->dpa_consumer) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx_of(w->dpa_consumer), w->dpa) == OK);
    CHECK(doca_comch_consumer_set_completion(w->dpa_consumer, w->completion, 7) == OK);
    CHECK(doca_comch_consumer_set_dev_max_num_recv(w->dpa_consumer, DEPTH) == OK);
    CHECK(doca_ctx_start(ctx_of(w->dpa_consumer)) == OK);
    after_each();
    CHECK(doca_comch_consumer_get_dpa_handle(w->dpa_consumer, &w->consumer_handle) == OK);
    w->producer = producer_new(w);
}

static void open_from(struct world *w)
{
    w->from = queue_new(w, false);
    CHECK(doca_comch_msgq_consumer_create(w->from, &w->consumer) == OK);
    connect(w, ctx_of(w->consumer));
    CHECK(doca_comch_consumer_task_post_recv_set_conf(w->consumer, on_received, on_not_received,
                                                      DEPTH) == OK);
    CHECK(doca_ctx_start(ctx_of(w->consumer)) == OK);
    after_each();
    CHECK(doca_dpa_completion_create(w->dpa, DEPTH, &w->sends) == OK);
    CHECK(doca_dpa_completion_start(w->sends) == OK);
    after_each();
    CHECK(doca_dpa_completion_get_dpa_handle(w->sends, &w->sends_handle) == OK);
    CHECK(doca_comch_msgq_producer_create(w->from, &w->dpa_producer) == OK);
    struct doca_ctx *ctx = doca_comch_producer_as_ctx(w->dpa_producer);
    CHECK(doca_ctx_set_datapath_on_dpa(ctx, w->dpa) == OK);
    CHECK(doca_comch_producer_set_dev_max_num_send(w->dpa_producer, DEPTH) == OK);
    CHECK(doca_comch_producer_dpa_completion_attach(w->dpa_producer, w->sends) == OK);
    CHECK(doca_ctx_start(ctx) == OK);
    after_each();
    CHECK(doca_comch_producer_get_dpa_handle(w->dpa_producer, &w->producer_handle) == OK);
}

struct world *world_new(doca_dpa_func_t *function)
{
    struct world *w = calloc(1, sizeof *w);
    CHECK(w && doca_pe_create(&w->pe) == OK);
    CHECK(doca_dpa_create(dev, &w->dpa) == OK && doca_dpa_set_app(w->dpa, msgq_app) == OK);
    CHECK(doca_dpa_start(w->dpa) == OK);
    after_each();
    struct echo_arg arg = {0};
    CHECK(doca_dpa_mem_alloc(w->dpa, sizeof arg, &w->arg) == OK);
    CHECK(doca_dpa_thread_create(w->dpa, &w->thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(w->thread, function, w->arg) == OK);
    CHECK(doca_dpa_thread_start(w->thread) == OK);
    after_each();
    open_to(w);
    open_from(w);
    arg.consumer = w->consumer_handle;
    arg.producer = w->producer_handle;
    CHECK(doca_comch_consumer_completion_get_dpa_handle(w->completion, &arg.completion) == OK);
    CHECK(doca_dpa_h2d_memcpy(w->dpa, w->arg, &arg, sizeof arg) == OK);
    CHECK(doca_dpa_thread_run(w->thread) == OK);
    after_each();
    return w;
}

void stop(struct world *w, struct doca_ctx *ctx)
{
    const doca_error_t result = doca_ctx_stop(ctx);
    CHECK(result == OK || result == DOCA_ERROR_IN_PROGRESS);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(w->pe);
}

void world_free(struct world *w)
{
    w->again = false;
    stop(w, doca_comch_producer_as_ctx(w->producer));
    after_each();
    stop(w, ctx_of(w->consumer));
    after_each();
    CHECK(doca_comch_producer_destroy(w->producer) == OK);
    CHECK(doca_comch_producer_destroy(w->dpa_producer) == OK);
    after_each();
    CHECK(doca_comch_consumer_destroy(w->consumer) == OK);
    CHECK(doca_comch_consumer_destroy(w->dpa_consumer) == OK);
    after_each();
    CHECK(doca_comch_consumer_completion_destroy(w->completion) == OK);
    after_each();
    CHECK(doca_comch_msgq_destroy(w->to) == OK && doca_comch_msgq_destroy(w->from) == OK);
    after_each();
    CHECK(doca_dpa_completion_destroy(w->sends) == OK);
    CHECK(doca_dpa_thread_destroy(w->thread) == OK);
    after_each();
    CHECK(doca_dpa_destroy(w->dpa) == OK && doca_pe_destroy(w->pe) == OK);
    free(w);
}

/* ---- What cases do ---- */

doca_error_t send_of(struct world *w, struct doca_comch_producer *p, const void *imm, uint32_t size)
{
    struct doca_comch_producer_task_send *task = NULL;
    uint8_t copy[32];
    (void)w;
    memcpy(copy, imm, size);
    CHECK(doca_comch_producer_task_send_alloc_init(p, NULL, copy, size, 1, &task) == OK);
    const doca_error_t result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
    if (result != OK)
        doca_task_free(doca_comch_producer_task_send_as_task(task));
    return result;
}

void post(struct world *w, unsigned count)
{
    struct doca_comch_consumer_task_post_recv *task = NULL;
    for (unsigned i = 0; i < count; i++) {
        CHECK(doca_comch_consumer_task_post_recv_alloc_init(w->consumer, NULL, &task) == OK);
        CHECK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) == OK);
    }
}

void receives(struct world *w, uint32_t count)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(w->dpa, receive_rpc, &result, w->consumer_handle, count) == OK);
}

void sends(struct world *w, uint32_t consumer, uint64_t first, uint32_t count, uint32_t length,
           uint32_t flags)
{
    uint64_t result = 1;
    CHECK(doca_dpa_rpc(w->dpa, send_rpc, &result, w->producer_handle, consumer, first, count,
                       length, flags) == OK);
}

uint64_t next(struct world *w)
{
    uint64_t result = 0;
    CHECK(doca_dpa_rpc(w->dpa, next_rpc, &result, w->sends_handle) == OK);
    CHECK(result == NOTHING || (uint32_t)result == 1); /* the producer's number */
    return result == NOTHING ? NOTHING : result >> 32;
}

bool is_empty(struct world *w, uint32_t consumer)
{
    uint64_t result = 2;
    CHECK(doca_dpa_rpc(w->dpa, is_empty_rpc, &result, w->producer_handle, consumer) == OK);
    CHECK(result < 2);
    return result == 1;
}

int run_on_device(const struct test_case *cases, size_t count, int argc, char **argv)
{
    const struct test_case *c = find_case(cases, count, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    c->run();
    CHECK(doca_dev_close(dev) == OK);
    return 0;
}
