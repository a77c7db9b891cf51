/* Progress engines and tasks as published programs use them: notifications, checks before a task is
 * submitted, reused tasks, the effect of a failure on other tasks. */
#include <doca_clock.h>
#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_mmap_advise.h>
#include <poll.h>

#include "doca3_world.h"

#define TASKS 4

static char bytes[2 * TASKS][8];
static unsigned completed, failed;

struct copies {
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from[TASKS], *to[TASKS];
    struct doca_dma_task_memcpy *copy[TASKS];
    struct doca_task *task[TASKS];
};

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                         union doca_data ctx_data)
{
    (void)task_data;
    CHECK(ctx_data.u64 == 9 && task);
    completed++;
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task_data;
    CHECK(ctx_data.u64 == 9 && task);
    failed++;
}

/* Copies of bytes[i] to bytes[TASKS + i], not submitted. The map has the rights of a new one. */
static void copies_make(struct copies *c)
{
    completed = failed = 0;
    memset(bytes, 0, sizeof bytes);
    CHECK(doca_pe_create(&c->pe) == OK && doca_dma_create(dev, &c->dma) == OK);
    c->ctx = doca_dma_as_ctx(c->dma);
    CHECK(doca_ctx_set_user_data(c->ctx, (union doca_data){.u64 = 9}) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(c->dma, on_completed, on_failed, TASKS) == OK);
    CHECK(doca_pe_connect_ctx(c->pe, c->ctx) == OK);
    CHECK(doca_pe_connect_ctx(c->pe, c->ctx) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_ctx_stop(c->ctx) == OK && doca_ctx_start(c->ctx) == OK);
    CHECK(doca_mmap_create(&c->map) == OK && doca_mmap_add_dev(c->map, dev) == OK);
    CHECK(doca_mmap_set_memrange(c->map, bytes, sizeof bytes) == OK);
    CHECK(doca_mmap_start(c->map) == OK);
    CHECK(doca_buf_inventory_create(2 * TASKS, &c->inventory) == OK);
    CHECK(doca_buf_inventory_start(c->inventory) == OK);
    for (int i = 0; i < TASKS; i++) {
        memset(bytes[i], 'a' + i, 8);
        CHECK(doca_buf_inventory_buf_get_by_data(c->inventory, c->map, bytes[i], 8, &c->from[i]) ==
              OK);
        CHECK(doca_buf_inventory_buf_get_by_addr(c->inventory, c->map, bytes[TASKS + i], 8,
                                                 &c->to[i]) == OK);
        CHECK(doca_dma_task_memcpy_alloc_init(c->dma, c->from[i], c->to[i],
                                              (union doca_data){.u64 = (uint64_t)i},
                                              &c->copy[i]) == OK);
        c->task[i] = doca_dma_task_memcpy_as_task(c->copy[i]);
    }
}

static void copies_destroy(struct copies *c)
{
    for (int i = 0; i < TASKS; i++) {
        doca_task_free(c->task[i]);
        CHECK(doca_buf_dec_refcount(c->from[i], NULL) == OK);
        CHECK(doca_buf_dec_refcount(c->to[i], NULL) == OK);
    }
    CHECK(doca_ctx_stop(c->ctx) == OK && doca_ctx_stop(c->ctx) == OK);
    CHECK(doca_dma_destroy(c->dma) == OK && doca_pe_destroy(c->pe) == OK);
    CHECK(doca_buf_inventory_destroy(c->inventory) == OK && doca_mmap_destroy(c->map) == OK);
}

static bool is_readable(doca_notification_handle_t handle)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    CHECK(poll(&p, 1, 0) >= 0);
    return p.revents & POLLIN;
}

static size_t in_flight(const struct copies *c)
{
    size_t of_ctx = 99, of_pe = 99;
    CHECK(doca_ctx_get_num_inflight_tasks(c->ctx, &of_ctx) == OK);
    CHECK(doca_pe_get_num_inflight_tasks(c->pe, &of_pe) == OK && of_ctx == of_pe);
    return of_ctx;
}

static void a_handle_is_readable_when_there_is_work(void)
{
    struct copies c;
    doca_event_handle_t handle = doca_event_invalid_handle, again = handle;
    copies_make(&c);
    CHECK(doca_pe_request_notification(c.pe) == BAD_STATE);
    CHECK(doca_pe_clear_notification(c.pe, 0) == BAD_STATE);
    CHECK(doca_pe_get_notification_handle(c.pe, &handle) == OK && handle >= 0);
    CHECK(doca_pe_get_notification_handle(c.pe, &again) == OK && handle == again);
    CHECK(doca_task_submit(c.task[0]) == OK && !is_readable(handle)); /* not armed */
    CHECK(doca_pe_request_notification(c.pe) == OK && is_readable(handle));
    CHECK(doca_pe_clear_notification(c.pe, 0) == OK && !is_readable(handle));
    CHECK(doca_pe_progress(c.pe) == 1 && doca_pe_progress(c.pe) == 0 && completed == 1);
    CHECK(doca_pe_request_notification(c.pe) == OK && !is_readable(handle));
    CHECK(doca_task_submit(c.task[1]) == OK && is_readable(handle)); /* armed before */
    CHECK(doca_pe_clear_notification(c.pe, 0) == OK);
    CHECK(doca_task_submit(c.task[2]) == OK && !is_readable(handle)); /* once for a request */
    CHECK(doca_pe_progress(c.pe) == 1 && doca_pe_progress(c.pe) == 1 && completed == 3);
    CHECK(doca_pe_set_event_mode(c.pe, (enum doca_pe_event_mode)7) == INVALID);
    CHECK(doca_pe_set_event_mode(c.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL) == OK);
    CHECK(doca_pe_request_notification(c.pe) == OK && doca_task_submit(c.task[3]) == OK);
    CHECK(is_readable(handle) && doca_pe_progress(c.pe) == 1);
    CHECK(doca_pe_request_notification(c.pe) == OK && !is_readable(handle)); /* it was cleared */
    /* That a context has stopped is work too. */
    CHECK(doca_ctx_stop(c.ctx) == DOCA_ERROR_IN_PROGRESS && !is_readable(handle));
    for (int i = 0; i < TASKS; i++)
        doca_task_free(c.task[i]);
    CHECK(is_readable(handle) && doca_pe_progress(c.pe) == 1);
    copies_destroy(&c);
}

static void tasks_that_are_tried_are_checked(void)
{
    struct copies c;
    copies_make(&c);
    CHECK(doca_buf_reset_data_len(c.from[0]) == OK);
    CHECK(doca_task_try_submit(c.task[0]) == INVALID && in_flight(&c) == 0);
    CHECK(doca_buf_set_data(c.from[0], bytes[0], 8) == OK);
    CHECK(doca_buf_set_data(c.to[0], bytes[TASKS], 4) == OK); /* four more fit */
    CHECK(doca_task_try_submit(c.task[0]) == INVALID && in_flight(&c) == 0);
    CHECK(doca_task_get_status(c.task[0]) == BAD_STATE);
    CHECK(doca_buf_reset_data_len(c.to[0]) == OK && doca_task_try_submit(c.task[0]) == OK);
    CHECK(bytes[TASKS][0] == 0 && in_flight(&c) == 1); /* a check copies nothing */
    CHECK(doca_pe_progress(c.pe) == 1 && completed == 1 && bytes[TASKS][7] == 'a');
    CHECK(doca_task_submit_ex(c.task[1], 8) == INVALID && in_flight(&c) == 0);
    CHECK(doca_task_submit_ex(c.task[1], DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS) == OK);
    doca_ctx_flush_tasks(c.ctx);
    CHECK(doca_pe_progress(c.pe) == 1 && completed == 2);
    copies_destroy(&c);
}

static void a_task_is_used_again_with_other_buffers(void)
{
    struct copies c;
    copies_make(&c);
    CHECK(doca_task_get_ctx(c.task[0]) == c.ctx && doca_task_get_user_data(c.task[2]).u64 == 2);
    doca_task_set_user_data(c.task[0], (union doca_data){.u64 = 42});
    CHECK(doca_task_get_user_data(c.task[0]).u64 == 42);
    for (int i = 0; i < TASKS; i++) {
        doca_dma_task_memcpy_set_src(c.copy[0], c.from[i]);
        doca_dma_task_memcpy_set_dst(c.copy[0], c.to[i]);
        CHECK(doca_dma_task_memcpy_get_src(c.copy[0]) == c.from[i]);
        CHECK(doca_dma_task_memcpy_get_dst(c.copy[0]) == c.to[i]);
        CHECK(doca_task_submit(c.task[0]) == OK);
        doca_dma_task_memcpy_set_src(c.copy[0], c.from[(i + 1) % TASKS]); /* too late */
        CHECK(doca_pe_progress(c.pe) == 1 && bytes[TASKS + i][0] == 'a' + i);
    }
    CHECK(completed == TASKS && !doca_dma_task_memcpy_get_src((void *)c.pe));
    copies_destroy(&c);
}

/* A failed task stops the context, and tasks that were submitted later fail with it. */
static void a_failure_stops_the_context(void)
{
    struct copies c;
    enum doca_ctx_states state;
    copies_make(&c);
    CHECK(doca_buf_reset_data_len(c.from[1]) == OK);
    for (int i = 0; i < TASKS; i++)
        CHECK(doca_task_submit(c.task[i]) == OK && in_flight(&c) == (size_t)i + 1);
    for (int i = 0; i < TASKS; i++)
        CHECK(doca_pe_progress(c.pe) == 1 && in_flight(&c) == (size_t)(TASKS - 1 - i));
    CHECK(completed == 1 && failed == 3 && doca_pe_progress(c.pe) == 0);
    CHECK(doca_task_get_status(c.task[1]) == DOCA_ERROR_IO_FAILED);
    CHECK(doca_task_get_status(c.task[2]) == BAD_STATE && doca_task_submit(c.task[2]) == BAD_STATE);
    CHECK(doca_ctx_get_state(c.ctx, &state) == OK && state == DOCA_CTX_STATE_STOPPING);
    for (int i = 0; i < TASKS; i++)
        doca_task_free(c.task[i]);
    CHECK(doca_pe_progress(c.pe) == 1);
    CHECK(doca_ctx_get_state(c.ctx, &state) == OK && state == DOCA_CTX_STATE_IDLE);
    copies_destroy(&c);
}

/* ---- Graphs ---- */

static char order[16];      /* which nodes ran, and how instances ended */
static doca_error_t answer; /* of user nodes */

static void say(char c)
{
    size_t n = strlen(order);
    CHECK(n < sizeof order - 1);
    order[n] = c;
}

static doca_error_t on_node(void *cookie)
{
    say(*(const char *)cookie);
    return answer;
}

static void on_done(struct doca_graph_instance *instance, union doca_data instance_data,
                    union doca_data graph_data)
{
    CHECK(instance && instance_data.u64 == 3 && graph_data.u64 == 4);
    say('+');
}

static void on_not_done(struct doca_graph_instance *instance, union doca_data instance_data,
                        union doca_data graph_data)
{
    CHECK(instance && instance_data.u64 == 3 && graph_data.u64 == 4);
    say('-');
}

/* "a", then copies 0 and 1, then "b". */
struct diamond {
    struct doca_graph *graph;
    struct doca_graph_node *a, *copy[2], *b;
    struct doca_graph_instance *instance;
};

static void diamond_make(struct diamond *d, struct copies *c)
{
    memset(order, 0, sizeof order);
    answer = OK;
    CHECK(doca_graph_create(c->pe, &d->graph) == OK && doca_graph_start(d->graph) == BAD_STATE);
    CHECK(doca_graph_node_create_from_user(d->graph, on_node, &d->a) == OK);
    CHECK(doca_graph_node_create_from_user(d->graph, on_node, &d->b) == OK);
    CHECK(doca_graph_set_conf(d->graph, on_done, on_not_done, 1) == OK);
    CHECK(doca_graph_start(d->graph) == BAD_STATE); /* no task */
    for (int i = 0; i < 2; i++) {
        CHECK(doca_graph_node_create_from_ctx(d->graph, c->ctx, &d->copy[i]) == OK);
        CHECK(doca_graph_add_dependency(d->graph, d->a, d->copy[i]) == OK);
        CHECK(doca_graph_add_dependency(d->graph, d->copy[i], d->b) == OK);
    }
    CHECK(doca_graph_add_dependency(d->graph, d->b, d->a) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_graph_add_dependency(d->graph, d->a, d->a) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_graph_set_user_data(d->graph, (union doca_data){.u64 = 4}) == OK);
    CHECK(doca_graph_instance_create(d->graph, &d->instance) == BAD_STATE);
    CHECK(doca_graph_start(d->graph) == OK && doca_graph_start(d->graph) == OK);
    CHECK(doca_graph_instance_create(d->graph, &d->instance) == OK);
    CHECK(doca_graph_instance_set_user_data(d->instance, (union doca_data){.u64 = 3}) == OK);
    CHECK(doca_graph_instance_set_user_node_data(d->instance, d->a, "a") == OK);
    CHECK(doca_graph_instance_set_user_node_data(d->instance, d->b, "b") == OK);
    CHECK(doca_graph_instance_set_ctx_node_data(d->instance, d->copy[0], c->task[0]) == OK);
    CHECK(doca_graph_instance_submit(d->instance) == INVALID); /* copy[1] does nothing */
    CHECK(doca_graph_instance_set_ctx_node_data(d->instance, d->copy[1], c->task[1]) == OK);
}

static void diamond_destroy(struct diamond *d, struct copies *c)
{
    CHECK(doca_graph_destroy(d->graph) == BAD_STATE && doca_graph_stop(d->graph) == IN_USE);
    CHECK(doca_graph_instance_destroy(d->instance) == OK);
    CHECK(doca_graph_stop(d->graph) == OK && doca_graph_stop(d->graph) == OK);
    CHECK(doca_pe_destroy(c->pe) == IN_USE && doca_graph_destroy(d->graph) == OK);
    CHECK(doca_graph_add_dependency(d->graph, d->a, d->b) == INVALID);
}

static void run(struct copies *c)
{
    while (doca_pe_progress(c->pe))
        ;
}

static void nodes_of_a_graph_run_in_order(void)
{
    struct copies c;
    struct diamond d;
    struct doca_graph_instance *second = NULL;
    copies_make(&c);
    diamond_make(&d, &c);
    CHECK(doca_graph_instance_create(d.graph, &second) == DOCA_ERROR_NO_MEMORY && !second);
    CHECK(doca_graph_instance_set_ctx_node_data(d.instance, d.a, c.task[0]) ==
          DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_graph_node_create_from_user(d.graph, on_node, &d.b) == BAD_STATE);
    for (int i = 1; i <= 2; i++) { /* an instance may be submitted again */
        CHECK(doca_buf_reset_data_len(c.to[0]) == OK && doca_buf_reset_data_len(c.to[1]) == OK);
        memset(bytes[TASKS], 0, 16);
        memset(order, 0, sizeof order);
        CHECK(doca_graph_instance_submit(d.instance) == OK && order[0] == 0);
        CHECK(doca_graph_instance_submit(d.instance) == IN_USE);
        CHECK(doca_graph_instance_destroy(d.instance) == IN_USE);
        CHECK(doca_graph_instance_set_user_data(d.instance, (union doca_data){0}) == IN_USE);
        CHECK(doca_graph_instance_set_user_node_data(d.instance, d.a, "x") == BAD_STATE);
        run(&c);
        CHECK(strcmp(order, "ab+") == 0 && bytes[TASKS][0] == 'a' && bytes[TASKS + 1][0] == 'b');
    }
    CHECK(completed == 0 && failed == 0); /* callbacks of tasks in nodes are not called */
    CHECK(doca_task_get_status(c.task[0]) == OK && doca_task_submit(c.task[2]) == OK);
    run(&c);
    CHECK(completed == 1);
    diamond_destroy(&d, &c);
    copies_destroy(&c);
}

static void a_node_that_fails_ends_its_graph(void)
{
    struct copies c;
    struct diamond d;
    copies_make(&c);
    diamond_make(&d, &c);
    answer = DOCA_ERROR_AGAIN;
    CHECK(doca_graph_instance_submit(d.instance) == OK);
    run(&c);
    CHECK(strcmp(order, "a-") == 0 && bytes[TASKS][0] == 0); /* nothing after it has begun */
    answer = OK;
    CHECK(doca_buf_reset_data_len(c.from[0]) == OK); /* the first copy fails, and stops both */
    CHECK(doca_graph_instance_submit(d.instance) == OK);
    run(&c);
    CHECK(strcmp(order, "a-a-") == 0 && completed == 0 && failed == 0);
    CHECK(doca_task_get_status(c.task[1]) == BAD_STATE); /* it was waited for */
    CHECK(doca_graph_instance_submit(d.instance) == OK); /* "a" does not need the context */
    run(&c);
    CHECK(strcmp(order, "a-a-a-") == 0);
    diamond_destroy(&d, &c);
    for (int i = 0; i < TASKS; i++)
        doca_task_free(c.task[i]);
    CHECK(doca_pe_progress(c.pe) == 1); /* the context is idle now */
    copies_destroy(&c);
}

static void graphs_are_nodes_of_graphs(void)
{
    struct copies c;
    struct diamond d;
    struct doca_graph *outer = NULL;
    struct doca_graph_node *inner = NULL, *last = NULL, *third = NULL;
    struct doca_graph_instance *v = NULL;
    copies_make(&c);
    diamond_make(&d, &c);
    CHECK(doca_graph_create(c.pe, &outer) == OK);
    CHECK(doca_graph_node_create_from_graph(outer, outer, &inner) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_graph_node_create_from_graph(outer, d.graph, &inner) == OK);
    CHECK(doca_graph_node_create_from_ctx(outer, c.ctx, &third) == OK);
    CHECK(doca_graph_node_create_from_user(outer, on_node, &last) == OK);
    CHECK(doca_graph_add_dependency(outer, third, inner) == OK);
    CHECK(doca_graph_add_dependency(outer, inner, last) == OK);
    CHECK(doca_graph_add_dependency(outer, inner, d.b) == INVALID); /* another graph's */
    CHECK(doca_graph_set_conf(outer, on_done, on_not_done, 1) == OK);
    CHECK(doca_graph_set_user_data(outer, (union doca_data){.u64 = 4}) == OK);
    CHECK(doca_graph_start(outer) == OK && doca_graph_instance_create(outer, &v) == OK);
    CHECK(doca_graph_instance_set_user_data(v, (union doca_data){.u64 = 3}) == OK);
    CHECK(doca_graph_instance_set_sub_graph_node_data(v, inner, v) == DOCA_ERROR_NOT_PERMITTED);
    CHECK(doca_graph_instance_set_sub_graph_node_data(v, inner, d.instance) == OK);
    CHECK(doca_graph_instance_set_ctx_node_data(v, third, c.task[2]) == OK);
    CHECK(doca_graph_instance_set_user_node_data(v, last, "c") == OK);
    CHECK(doca_graph_instance_destroy(d.instance) == IN_USE);
    CHECK(doca_graph_instance_submit(v) == OK);
    run(&c);
    CHECK(strcmp(order, "abc+") == 0 && bytes[TASKS + 2][0] == 'c' && bytes[TASKS][0] == 'a');
    CHECK(doca_graph_instance_destroy(v) == OK && doca_graph_stop(outer) == OK);
    CHECK(doca_graph_destroy(outer) == OK);
    diamond_destroy(&d, &c);
    copies_destroy(&c);
}

/* ---- Advice, clocks ---- */

static unsigned advised, not_advised;

static void on_advised(struct doca_mmap_advise_task_invalidate_cache *task,
                       union doca_data task_data, union doca_data ctx_data)
{
    CHECK(task && task_data.u64 == 1 && ctx_data.u64 == 2);
    advised++;
}

static void on_not_advised(struct doca_mmap_advise_task_invalidate_cache *task,
                           union doca_data task_data, union doca_data ctx_data)
{
    CHECK(task && task_data.u64 == 1 && ctx_data.u64 == 2);
    not_advised++;
}

static void advice_changes_nothing(void)
{
    struct copies c;
    struct doca_mmap_advise *advise = NULL;
    struct doca_mmap_advise_task_invalidate_cache *t = NULL;
    copies_make(&c);
    CHECK(doca_mmap_advise_create(dev, &advise) == OK);
    struct doca_ctx *ctx = doca_mmap_advise_as_ctx(advise);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    CHECK(doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_advised, on_not_advised, 1) ==
          OK);
    CHECK(doca_pe_connect_ctx(c.pe, ctx) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 2}) == OK);
    CHECK(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, c.to[0],
                                                            (union doca_data){.u64 = 1}, &t) == OK);
    struct doca_task *task = doca_mmap_advise_task_invalidate_cache_as_doca_task(t);
    CHECK(doca_task_try_submit(task) == INVALID); /* no data */
    doca_mmap_advise_task_invalidate_cache_set_buf(t, c.from[0]);
    CHECK(doca_mmap_advise_task_invalidate_cache_get_buf(t) == c.from[0]);
    CHECK(!doca_dma_task_memcpy_as_task((void *)task)); /* another library's */
    CHECK(doca_task_try_submit(task) == OK && doca_pe_progress(c.pe) == 1 && advised == 1);
    CHECK(memcmp(bytes[0], "aaaaaaaa", 8) == 0 && not_advised == 0);
    CHECK(doca_buf_reset_data_len(c.from[0]) == OK && doca_task_submit(task) == OK);
    CHECK(doca_pe_progress(c.pe) == 1 && not_advised == 1);
    doca_task_free(task);
    CHECK(doca_ctx_stop(ctx) == OK && doca_mmap_advise_destroy(advise) == OK);
    copies_destroy(&c);
}

static void clocks_are_read_together(void)
{
    struct doca_clock *clock = NULL;
    union doca_clock_timespec_t host = {.counter = 0}, nic = host, dpa = host, again = host;
    uint64_t margin = UINT64_MAX;
    CHECK(doca_clock_create(dev, &clock) == OK);
    for (uint64_t type = 1; type < 1u << 20; type <<= 1)
        CHECK(doca_clock_get_timestamp(clock, type, &host) == (type & 0xf0103 ? OK : INVALID));
    CHECK(doca_clock_get_timestamp(clock, 0, &host) == INVALID);
    CHECK(doca_clock_get_timestamp(clock, 3, &host) == INVALID);
    CHECK(doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_HOST_REAL_TIME, DOCA_CLOCK_NIC_REAL_TIME,
                                        &host, &nic, &margin) == OK);
    const int64_t apart =
        (nic.ts.tv_sec - host.ts.tv_sec) * 1000000000 + (nic.ts.tv_nsec - host.ts.tv_nsec);
    CHECK(apart >= 0 && (uint64_t)apart <= margin);
    CHECK(doca_clock_get_crosstimestamp(clock, DOCA_CLOCK_HOST_REAL_TIME, DOCA_CLOCK_HOST_MONOTONIC,
                                        &host, &nic, &margin) == INVALID);
    /* Programs read the DPA's timer, which continues. */
    CHECK(doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_DPA_TIMER, &dpa) == OK);
    CHECK(doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_DPA_TIMER, &again) == OK);
    CHECK(again.ts.tv_sec > dpa.ts.tv_sec ||
          (again.ts.tv_sec == dpa.ts.tv_sec && again.ts.tv_nsec >= dpa.ts.tv_nsec));
    CHECK(doca_clock_destroy(clock) == OK && doca_clock_destroy(clock) == INVALID);
}

/* Of many contexts most have nothing to do: they are left alone until a task is submitted, or they stop. */
static void many_contexts_share_an_engine(void)
{
    enum { MANY = 1000 };
    static struct doca_dma *dmas[MANY];
    static struct doca_dma_task_memcpy *made[MANY];
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    struct copies c;
    copies_make(&c);
    for (int i = 0; i < MANY; i++) {
        CHECK(doca_dma_create(dev, &dmas[i]) == OK);
        struct doca_ctx *ctx = doca_dma_as_ctx(dmas[i]);
        CHECK(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 9}) == OK);
        CHECK(doca_dma_task_memcpy_set_conf(dmas[i], on_completed, on_failed, 1) == OK);
        CHECK(doca_pe_connect_ctx(c.pe, ctx) == OK && doca_pe_progress(c.pe) == 0);
        CHECK(doca_ctx_start(ctx) == OK && doca_pe_progress(c.pe) == 0);
        CHECK(doca_dma_task_memcpy_alloc_init(dmas[i], c.from[0], c.to[i % TASKS],
                                              (union doca_data){0}, &made[i]) == OK);
    }
    /* One at a time, and then several at once. */
    for (int i = MANY - 1; i >= 0; i--) {
        CHECK(doca_buf_reset_data_len(c.to[i % TASKS]) == OK);
        CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(made[i])) == OK);
        CHECK(doca_pe_progress(c.pe) == 1 && doca_pe_progress(c.pe) == 0);
    }
    CHECK(completed == MANY && failed == 0);
    for (int i = 0; i < TASKS; i++) {
        CHECK(doca_buf_reset_data_len(c.to[i]) == OK);
        CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(made[4 * i + i])) == OK);
    }
    for (int i = 0; i < TASKS; i++)
        CHECK(doca_pe_progress(c.pe) == 1);
    CHECK(doca_pe_progress(c.pe) == 0 && completed == MANY + TASKS && failed == 0);
    for (int i = 0; i < MANY; i++) {
        struct doca_ctx *ctx = doca_dma_as_ctx(dmas[i]);
        CHECK(doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS && doca_pe_progress(c.pe) == 0);
        doca_task_free(doca_dma_task_memcpy_as_task(made[i]));
        CHECK(doca_pe_progress(c.pe) == 1);
        CHECK(doca_ctx_get_state(ctx, &state) == OK && state == DOCA_CTX_STATE_IDLE);
        CHECK(doca_dma_destroy(dmas[i]) == OK);
    }
    copies_destroy(&c);
}

const struct test_case engine_cases[] = {
    CASE(many_contexts_share_an_engine),
    CASE(a_handle_is_readable_when_there_is_work),
    CASE(tasks_that_are_tried_are_checked),
    CASE(a_task_is_used_again_with_other_buffers),
    CASE(a_failure_stops_the_context),
    CASE(nodes_of_a_graph_run_in_order),
    CASE(a_node_that_fails_ends_its_graph),
    CASE(graphs_are_nodes_of_graphs),
    CASE(advice_changes_nothing),
    CASE(clocks_are_read_together),
    {0},
};
