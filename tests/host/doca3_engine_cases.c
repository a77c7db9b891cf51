/* Progress engines and tasks as programs that people have use them: notifications, checks before a
 * task is submitted, tasks that are used again, what a failure does to the others. */
#include <doca_dma.h>
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

/* What fails stops the context, and what was submitted behind it fails with it. */
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

const struct test_case engine_cases[] = {
    CASE(a_handle_is_readable_when_there_is_work),
    CASE(tasks_that_are_tried_are_checked),
    CASE(a_task_is_used_again_with_other_buffers),
    CASE(a_failure_stops_the_context),
    {0},
};
