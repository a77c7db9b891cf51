/* Batches of tasks: those who send and receive frames have some, and none of them is among the
 * libraries, so there is never a handle of one. */
#include "doca/core/core.h"

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
    (void)task_batch;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return DOCA_ERROR_INVALID_VALUE;
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return 0;
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return (union doca_data){0};
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
    (void)task_batch;
    (void)user_data;
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
    (void)task_batch;
    return (union doca_data){0};
}
