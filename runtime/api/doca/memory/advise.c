/* Advice on memory, as tasks. The emulated device has no cache of host memory, so they have no
 * effect. */
#include <doca_mmap_advise.h>

#include "buf.h"

#define TASKS_MAX    65536u
#define BUF_SIZE_MAX (UINT64_C(1) << 31)

struct advise {
    struct dpk_dev_ctx base;
    struct dpk_task_pool invalidations;
};

struct invalidation {
    struct dpk_task task;
    struct doca_buf *buf;
};

doca_error_t
doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
    return dpk_doca_end(devinfo, __func__, dpk_devinfo_answer(devinfo, DOCA_SUCCESS));
}

doca_error_t
doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                        uint64_t *buf_size)
{
    doca_error_t result =
        buf_size ? dpk_devinfo_answer(devinfo, DOCA_SUCCESS) : DOCA_ERROR_INVALID_VALUE;
    if (result == DOCA_SUCCESS)
        *buf_size = BUF_SIZE_MAX;
    return dpk_doca_end(devinfo, __func__, result);
}

/* ---- Contexts ---- */

static doca_error_t advise_start(struct dpk_ctx *ctx)
{
    const struct advise *a = (struct advise *)ctx;
    if (!ctx->pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the advise context has no progress engine");
    if (a->invalidations.max == 0)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "no type of task was configured");
    return DOCA_SUCCESS;
}
static const struct dpk_ctx_ops ops = {.start = advise_start, .ends_by_errors = true};

static const struct dpk_kind advise_kind = {
    .left = dpk_dev_ctx_left, .release = dpk_dev_ctx_release, .is_ctx = true};

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (mmap_advise)
        *mmap_advise = dpk_dev_ctx_new(dev, &advise_kind, &ops, sizeof(struct advise), &result);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
    return dpk_doca_destroy(mmap_advise, &advise_kind, __func__);
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
    return dpk_ctx_of(mmap_advise, &advise_kind);
}

/* ---- Tasks ---- */

/* Checks a buffer as a device does. Call this with the lock of buffers. */
static doca_error_t check_locked(const struct dpk_doca_buf *b,
                                 const struct dpk_memory_domain *domain)
{
    struct dpk_memory_access access = {.address = b->data, .size = b->data_len};
    if (b->holders == 0 || b->chained || b->next || b->data_len == 0 || b->data_len > BUF_SIZE_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = dpk_buf_memory(b, false, domain, &access);
    const struct dpk_memory *m = result == DOCA_SUCCESS ? dpk_memory_acquire(&access) : NULL;
    if (m)
        dpk_memory_release(m);
    return result == DOCA_SUCCESS && !m ? DOCA_ERROR_IO_FAILED : result;
}

static doca_error_t invalidation_check(struct dpk_task *task)
{
    struct dpk_doca_buf *b = dpk_object_pin(((struct invalidation *)task)->buf, &dpk_buf_kind);
    if (!b)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&dpk_bufs_lock);
    doca_error_t result = check_locked(b, ((struct advise *)task->ctx)->base.dev->domain);
    pthread_mutex_unlock(&dpk_bufs_lock);
    dpk_object_drop(b);
    return result;
}

static void invalidation_tell(dpk_task_callback callback, void *task, union doca_data task_data,
                              union doca_data ctx_data)
{
    ((doca_mmap_advise_task_invalidate_cache_completion_cb_t)callback)(task, task_data, ctx_data);
}

static const struct dpk_task_type invalidation_type = {.size = sizeof(struct invalidation),
                                                       .check = invalidation_check,
                                                       .run = invalidation_check,
                                                       .tell = invalidation_tell};

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
    struct doca_mmap_advise *mmap_advise,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
    doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
    if (!completion_cb || !error_cb || num_tasks == 0 || num_tasks > TASKS_MAX)
        return dpk_doca_end(mmap_advise, __func__, DOCA_ERROR_INVALID_VALUE);
    struct advise *a = dpk_object_pin(mmap_advise, &advise_kind);
    if (!a)
        return dpk_doca_end(mmap_advise, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result =
        dpk_task_pool_set(&a->base.ctx, &a->invalidations, &invalidation_type,
                          (dpk_task_callback)completion_cb, (dpk_task_callback)error_cb, num_tasks);
    dpk_object_drop(a);
    return dpk_doca_end(mmap_advise, __func__, result);
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
    struct doca_mmap_advise *mmap_advise, struct doca_buf *buf, union doca_data user_data,
    struct doca_mmap_advise_task_invalidate_cache **task)
{
    if (task)
        *task = NULL;
    struct advise *a = dpk_object_pin(mmap_advise, &advise_kind);
    struct invalidation *t = NULL;
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (a && task && dpk_is_buf(buf))
        t = (struct invalidation *)dpk_task_new(&a->base.ctx, &a->invalidations, user_data,
                                                &result);
    if (t) {
        t->buf = buf;
        *task = t->task.object.handle;
    }
    dpk_object_drop(t);
    dpk_object_drop(a);
    return dpk_doca_end(mmap_advise, __func__, result);
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
    struct doca_mmap_advise_task_invalidate_cache *task)
{
    return dpk_task_handle(task, &invalidation_type);
}

void doca_mmap_advise_task_invalidate_cache_set_buf(
    struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf)
{
    struct dpk_task *t = dpk_task_pin(task, &invalidation_type);
    if (t && dpk_task_begin_change(t)) {
        ((struct invalidation *)t)->buf = buf;
        dpk_task_end_change(t);
    }
    dpk_object_drop(t);
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
    const struct doca_mmap_advise_task_invalidate_cache *task)
{
    struct dpk_task *t = dpk_task_pin(task, &invalidation_type);
    struct doca_buf *buf = t ? ((struct invalidation *)t)->buf : NULL;
    dpk_object_drop(t);
    return buf;
}
