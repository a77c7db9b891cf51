/* DOCA DMA: copies between buffers, as tasks of a context. */
#include "dma.h"

#define TASKS_MAX    65536u
#define LIST_LEN_MAX 64u

struct copy {
    struct dpk_task task;
    const struct doca_buf *from;
    struct doca_buf *to;
};

/* ---- Capabilities of devices ---- */

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                       uint64_t *buf_size)
{
    struct dpk_device_info info;
    doca_error_t result = buf_size ? dpk_devinfo_ask(devinfo, &info) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *buf_size = info.dma_max;
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                           uint32_t *max_buf_list_len)
{
    doca_error_t result =
        max_buf_list_len ? dpk_devinfo_answer(devinfo, DOCA_SUCCESS) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *max_buf_list_len = LIST_LEN_MAX;
    return dpk_doca_end(devinfo, __func__, result);
}

/* ---- Contexts ---- */

static doca_error_t dma_start(struct dpk_ctx *ctx)
{
    struct dma *d = (struct dma *)ctx;
    if (dma_gpu(d))
        return d->copies.max == 0
                   ? dma_gpu_start(d)
                   : dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                      "the data path is on a GPU, whose kernels make "
                                      "copies, and tasks are configured");
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the DMA context has no progress engine");
    if (d->copies.max == 0)
        return dpk_doca_because(
            DOCA_ERROR_BAD_CONFIG,
            "no type of task was configured, as by doca_dma_task_memcpy_set_conf");
    return DOCA_SUCCESS;
}

static doca_error_t dma_stop(struct dpk_ctx *ctx)
{
    dma_gpu_stop((struct dma *)ctx);
    return DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {
    .start = dma_start, .stop = dma_stop, .has_gpu = true, .ends_by_errors = true};

static const struct dpk_kind dma_kind = {
    .left = dpk_dev_ctx_left, .release = dpk_dev_ctx_release, .is_ctx = true};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (dma)
        *dma = dpk_dev_ctx_new(dev, &dma_kind, &ops, sizeof(struct dma), &result);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
    return dpk_doca_destroy(dma, &dma_kind, __func__);
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
    return dpk_ctx_of(dma, &dma_kind);
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
    struct dma *d = max_num_tasks ? dpk_object_pin(dma, &dma_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    *max_num_tasks = TASKS_MAX;
    dpk_object_drop(d);
    return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
    if (gpu_dma)
        *gpu_dma = NULL;
    struct dma *d = gpu_dma ? dpk_object_lock(dma, &dma_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    *gpu_dma = dma_gpu_handle(d);
    const doca_error_t result = dpk_gpu_judge_handle(dma_gpu(d) != NULL, *gpu_dma, "context");
    return dpk_doca_end(dma, __func__, dpk_object_unlock(d, result));
}

/* ---- Copies ---- */

doca_error_t dma_judge_size(const struct dpk_dev *dev, bool fits)
{
    return fits ? DOCA_SUCCESS
                : dpk_doca_because(DOCA_ERROR_IO_FAILED,
                                   "a task copies more than the %u bytes of the device "
                                   "(doca_dma_cap_task_memcpy_get_max_buf_size)",
                                   dpk_dev_dma_max(dev));
}

/* Checks or makes a copy. A card accepts a task of any size, and ends a too large one with an
 * error. */
static doca_error_t carry_out(struct dpk_task *task, bool for_real)
{
    const struct copy *c = (struct copy *)task;
    const struct dpk_dev *dev = ((struct dma *)task->ctx)->base.dev;
    if (!dpk_buf_list_fits(c->from, LIST_LEN_MAX, UINT64_MAX) ||
        !dpk_buf_list_fits(c->to, LIST_LEN_MAX, UINT64_MAX))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "a list of more than %u buffers",
                                LIST_LEN_MAX);
    const doca_error_t result = dma_judge_size(
        dev, !for_real || dpk_buf_list_fits(c->from, LIST_LEN_MAX, dpk_dev_dma_max(dev)));
    if (result != DOCA_SUCCESS)
        return result;
    const struct dpk_memory_domain *domain = dev->domain;
    return for_real ? dpk_buf_list_copy(c->from, c->to, domain)
                    : dpk_buf_list_check(c->from, c->to, domain);
}

static doca_error_t copy_check(struct dpk_task *task)
{
    const doca_error_t result = carry_out(task, false);
    return result == DOCA_ERROR_EMPTY ? DOCA_ERROR_INVALID_VALUE : result;
}

/* A device fails an empty copy, because its WQE has no data. */
static doca_error_t copy_run(struct dpk_task *task)
{
    const doca_error_t result = carry_out(task, true);
    return result == DOCA_ERROR_EMPTY ? DOCA_ERROR_IO_FAILED : result;
}

static void copy_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    ((doca_dma_task_memcpy_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type copy_type = {
    .size = sizeof(struct copy), .check = copy_check, .run = copy_run, .tell = copy_tell};

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
                                           doca_dma_task_memcpy_completion_cb_t task_completion_cb,
                                           doca_dma_task_memcpy_completion_cb_t task_error_cb,
                                           uint32_t num_memcpy_tasks)
{
    struct dma *d = task_completion_cb && task_error_cb ? dpk_object_pin(dma, &dma_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    if (num_memcpy_tasks == 0 || num_memcpy_tasks > TASKS_MAX) {
        dpk_object_drop(d);
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u tasks are not within 1 to %u", num_memcpy_tasks, TASKS_MAX);
    }
    doca_error_t result = dpk_task_pool_set(&d->base.ctx, &d->copies, &copy_type,
                                            (dpk_task_callback)task_completion_cb,
                                            (dpk_task_callback)task_error_cb, num_memcpy_tasks);
    dpk_object_drop(d);
    return dpk_doca_end(dma, __func__, result);
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
                                             struct doca_buf *dst, union doca_data user_data,
                                             struct doca_dma_task_memcpy **task)
{
    if (task)
        *task = NULL;
    struct dma *d = dpk_object_pin(dma, &dma_kind);
    struct copy *c = NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (d && task && dpk_is_buf(src) && dpk_is_buf(dst))
        c = (struct copy *)dpk_task_new(&d->base.ctx, &d->copies, user_data, &result);
    if (c) {
        c->from = src;
        c->to = dst;
        *task = c->task.object.handle;
    }
    dpk_object_drop(c);
    dpk_object_drop(d);
    return dpk_doca_end(dma, __func__, result);
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
    return dpk_task_handle(task, &copy_type);
}

/* Sets buffers of a copy. A submitted copy is unchanged. */
static void set_buffers(struct doca_dma_task_memcpy *task, const struct doca_buf *src,
                        struct doca_buf *dst)
{
    struct copy *c = (struct copy *)dpk_task_pin(task, &copy_type);
    if (c && dpk_task_begin_change(&c->task)) {
        c->from = src ? src : c->from;
        c->to = dst ? dst : c->to;
        dpk_task_end_change(&c->task);
    }
    dpk_object_drop(c);
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
    set_buffers(task, src, NULL);
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
    set_buffers(task, NULL, dst);
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
    struct copy *c = (struct copy *)dpk_task_pin(task, &copy_type);
    const struct doca_buf *src = c ? c->from : NULL;
    dpk_object_drop(c);
    return src;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
    struct copy *c = (struct copy *)dpk_task_pin(task, &copy_type);
    struct doca_buf *dst = c ? c->to : NULL;
    dpk_object_drop(c);
    return dst;
}
