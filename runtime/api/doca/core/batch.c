/* Batches of tasks, for sending frames. The context handles a batch as one task. */
#include "api/doca/core/core.h"

const struct dpk_kind dpk_task_batch_kind = {.left = dpk_task_left, .release = dpk_task_release};

static struct dpk_task_batch *pin(const struct doca_task_batch *batch)
{
    return dpk_object_pin(batch, &dpk_task_batch_kind);
}

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    if (b)
        dpk_task_free(&b->task);
    dpk_object_drop(b);
}

static doca_error_t submit(const char *call, struct doca_task_batch *task_batch, bool checked)
{
    struct dpk_task_batch *b = pin(task_batch);
    doca_error_t result = b ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (b && checked && b->task.pool->type->check)
        result = b->task.pool->type->check(&b->task);
    if (result == DOCA_SUCCESS)
        result = dpk_task_submit(&b->task, true, NULL, NULL);
    dpk_object_drop(b);
    return dpk_doca_end(task_batch, call, result);
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
    return submit(__func__, task_batch, false);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
    return submit(__func__, task_batch, true);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    const doca_error_t result = b ? dpk_task_status(&b->task) : dpk_doca_no_object(__func__);
    dpk_object_drop(b);
    return result;
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    const uint16_t count = b ? b->count : 0;
    dpk_object_drop(b);
    return count;
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    struct doca_ctx *ctx = b ? b->task.ctx->object.handle : NULL;
    dpk_object_drop(b);
    return ctx;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    union doca_data data = {0};
    if (b) {
        pthread_mutex_lock(&b->task.ctx->object.lock);
        data = b->task.ctx->user_data;
        pthread_mutex_unlock(&b->task.ctx->object.lock);
    }
    dpk_object_drop(b);
    return data;
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
    struct dpk_task_batch *b = pin(task_batch);
    if (b)
        dpk_task_set_user_data(&b->task, user_data);
    dpk_object_drop(b);
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
    struct dpk_task_batch *b = pin(task_batch);
    const union doca_data data = b ? dpk_task_user_data(&b->task) : (union doca_data){0};
    dpk_object_drop(b);
    return data;
}
