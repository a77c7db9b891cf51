/* Contexts: states, and callbacks for state changes. */
#include "api/doca/core/core.h"

#include "pe.h"

void dpk_ctx_init(struct dpk_ctx *ctx, const struct dpk_ctx_ops *ops)
{
    ctx->ops = ops;
    atomic_init(&ctx->state, DOCA_CTX_STATE_IDLE);
}

struct doca_ctx *dpk_ctx_of(const void *handle, const struct dpk_kind *kind)
{
    struct dpk_object *o = dpk_object_pin(handle, kind);
    struct doca_ctx *ctx = o ? o->handle : NULL;
    dpk_object_drop(o);
    return ctx;
}

void dpk_ctx_left(struct dpk_ctx *ctx)
{
    pthread_mutex_lock(&ctx->object.lock);
    dpk_pe_disconnect(ctx);
    pthread_mutex_unlock(&ctx->object.lock);
}

void dpk_ctx_clear(struct dpk_ctx *ctx)
{
    dpk_object_drop(ctx->datapath);
}

bool dpk_ctx_is_running(const struct dpk_ctx *ctx)
{
    return atomic_load_explicit(&ctx->state, memory_order_acquire) == DOCA_CTX_STATE_RUNNING;
}

const char *dpk_ctx_state_name(const struct dpk_ctx *ctx)
{
    switch (atomic_load(&ctx->state)) {
    case DOCA_CTX_STATE_IDLE:
        return "idle";
    case DOCA_CTX_STATE_STARTING:
        return "starting";
    case DOCA_CTX_STATE_RUNNING:
        return "running";
    default:
        return "stopping";
    }
}

/* A state change, and the callback that reports it. */
struct change {
    doca_ctx_state_changed_callback_t call;
    union doca_data user_data;
    enum doca_ctx_states from, to;
};

/* Call this with the lock held. */
static struct change enter_state(struct dpk_ctx *ctx, enum doca_ctx_states to)
{
    enum doca_ctx_states from = atomic_exchange(&ctx->state, to);
    dpk_pe_rejoin(ctx);
    dpk_pe_note(ctx->pe);
    if (to == DOCA_CTX_STATE_IDLE)
        dpk_pe_stopped(ctx->pe);
    return (struct change){ctx->changed, ctx->user_data, from, to};
}

/* Call this without the lock: the callback may call any function. */
static void tell(struct dpk_ctx *ctx, const struct change *c)
{
    if (c->call && c->from != c->to)
        c->call(c->user_data, ctx->object.handle, c->from, c->to);
}

static doca_error_t not_idle(const struct dpk_ctx *ctx)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be idle",
                            dpk_ctx_state_name(ctx));
}

doca_error_t dpk_ctx_start(struct dpk_ctx *ctx)
{
    doca_error_t result = DOCA_SUCCESS;
    struct change c = {0};
    pthread_mutex_lock(&ctx->object.lock);
    if (ctx->object.gone) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (atomic_load(&ctx->state) == DOCA_CTX_STATE_IDLE) {
        result = ctx->ops->start ? ctx->ops->start(ctx) : DOCA_SUCCESS;
        if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
            c = enter_state(ctx, result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING
                                                        : DOCA_CTX_STATE_STARTING);
    } else {
        result = not_idle(ctx);
    }
    pthread_mutex_unlock(&ctx->object.lock);
    tell(ctx, &c);
    return result;
}

/* Call this with the lock, for a context that runs or stops. */
static doca_error_t stop_now(struct dpk_ctx *ctx, struct change *c)
{
    doca_error_t result = DOCA_ERROR_IN_PROGRESS;
    if (atomic_load(&ctx->tasks) == 0)
        result = ctx->ops->stop ? ctx->ops->stop(ctx) : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        *c = enter_state(ctx, DOCA_CTX_STATE_IDLE);
    else if (result == DOCA_ERROR_IN_PROGRESS)
        *c = enter_state(ctx, DOCA_CTX_STATE_STOPPING);
    return result;
}

doca_error_t dpk_ctx_stop(struct dpk_ctx *ctx)
{
    doca_error_t result = DOCA_SUCCESS;
    struct change c = {0};
    pthread_mutex_lock(&ctx->object.lock);
    if (atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE)
        result = stop_now(ctx, &c);
    if (dpk_ctx_has_work(ctx))
        dpk_pe_notify(ctx->pe); /* waiting tasks fail now */
    pthread_mutex_unlock(&ctx->object.lock);
    tell(ctx, &c);
    return result;
}

bool dpk_ctx_begin_run(struct dpk_ctx *ctx)
{
    struct change c = {0};
    pthread_mutex_lock(&ctx->object.lock);
    const bool starts = atomic_load(&ctx->state) == DOCA_CTX_STATE_STARTING;
    if (starts)
        c = enter_state(ctx, DOCA_CTX_STATE_RUNNING);
    pthread_mutex_unlock(&ctx->object.lock);
    tell(ctx, &c);
    return starts;
}

void dpk_ctx_begin_stop(struct dpk_ctx *ctx)
{
    struct change c = {0};
    pthread_mutex_lock(&ctx->object.lock);
    const enum doca_ctx_states state = atomic_load(&ctx->state);
    if (state == DOCA_CTX_STATE_RUNNING || state == DOCA_CTX_STATE_STARTING)
        c = enter_state(ctx, DOCA_CTX_STATE_STOPPING);
    pthread_mutex_unlock(&ctx->object.lock);
    tell(ctx, &c);
}

bool dpk_ctx_end_stop(struct dpk_ctx *ctx)
{
    struct change c = {0};
    if (atomic_load(&ctx->state) != DOCA_CTX_STATE_STOPPING || atomic_load(&ctx->tasks) > 0)
        return false;
    pthread_mutex_lock(&ctx->object.lock);
    bool idle =
        atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING && stop_now(ctx, &c) == DOCA_SUCCESS;
    pthread_mutex_unlock(&ctx->object.lock);
    tell(ctx, &c);
    return idle;
}

/* `can`: the context's kind has its data path on such an object, which `where` names. */
static doca_error_t set_datapath(struct dpk_ctx *ctx, void *object, bool can, const char *where)
{
    doca_error_t result = DOCA_SUCCESS;
    void *before = NULL;
    if (!can)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "contexts of this kind have no data path on a %s", where);
    pthread_mutex_lock(&ctx->object.lock);
    if (atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE) {
        result = not_idle(ctx);
    } else {
        before = ctx->datapath;
        dpk_object_hold(ctx->datapath = object);
    }
    pthread_mutex_unlock(&ctx->object.lock);
    dpk_object_drop(before);
    return result;
}

doca_error_t dpk_ctx_set_datapath(struct dpk_ctx *ctx, void *object)
{
    return set_datapath(ctx, object, ctx->ops->has_datapath, "DPA");
}

/* ---- Contexts on a device ---- */

void *dpk_dev_ctx_new(const struct doca_dev *dev, const struct dpk_kind *kind,
                      const struct dpk_ctx_ops *ops, size_t size, doca_error_t *result)
{
    void *handle = NULL;
    struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);
    struct dpk_dev_ctx *c = d ? calloc(1, size) : NULL;
    if (c) {
        dpk_ctx_init(&c->ctx, ops);
        dpk_object_use(c->dev = d);
        handle = dpk_object_enter(c, kind);
    }
    *result = !d ? DOCA_ERROR_INVALID_VALUE : handle ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    dpk_object_drop(d);
    return handle;
}

void dpk_dev_ctx_left(void *object)
{
    struct dpk_dev_ctx *c = object;
    dpk_ctx_stop(&c->ctx); /* if it runs */
    dpk_ctx_left(&c->ctx);
    dpk_object_end_use(c->dev);
}

void dpk_dev_ctx_release(void *object)
{
    struct dpk_dev_ctx *c = object;
    dpk_ctx_clear(&c->ctx);
    dpk_object_drop(c->dev);
    free(c);
}

/* ---- The public side ---- */

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    const doca_error_t result = c ? dpk_ctx_start(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(ctx, __func__, result);
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    const doca_error_t result = c ? dpk_ctx_stop(c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    return dpk_doca_end(ctx, __func__, result);
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
    struct dpk_ctx *c = state ? dpk_object_pin_ctx(ctx) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *state = atomic_load(&c->state);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    if (!c)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&c->object.lock);
    c->user_data = user_data;
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
    struct dpk_ctx *c = user_data ? dpk_object_pin_ctx(ctx) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&c->object.lock);
    *user_data = c->user_data;
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    if (!c)
        return dpk_doca_no_object(__func__);
    pthread_mutex_lock(&c->object.lock);
    c->changed = cb;
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
    struct dpk_ctx *c = num_inflight_tasks ? dpk_object_pin_ctx(ctx) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *num_inflight_tasks = atomic_load(&c->submitted);
    dpk_object_drop(c);
    return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
    struct dpk_ctx *c = gpu_dev ? dpk_object_pin_ctx(ctx) : NULL;
    struct dpk_gpu *g = dpk_object_pin(gpu_dev, &dpk_gpu_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c && !g && c->ops->has_gpu)
        dpk_doca_because(result, "the GPU is not, or no longer, one of doca_gpu_create");
    else if (c)
        result = set_datapath(c, g, c->ops->has_gpu, "GPU");
    dpk_object_drop(g);
    dpk_object_drop(c);
    return dpk_doca_end(ctx, __func__, result);
}

#define COMPLETION_VECTORS 1

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors)
{
    doca_error_t result =
        dpk_devinfo_answer(devinfo, num_comp_vectors ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        *num_comp_vectors = COMPLETION_VECTORS;
    return dpk_doca_end(devinfo, __func__, result);
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (c && comp_vector >= COMPLETION_VECTORS)
        dpk_doca_because(result, "the device has no vector %u: it has %u, from 0", comp_vector,
                         COMPLETION_VECTORS);
    else if (c)
        result = atomic_load(&c->state) == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : not_idle(c);
    dpk_object_drop(c);
    return dpk_doca_end(ctx, __func__, result);
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    if (!c)
        return;
    pthread_mutex_lock(&c->object.lock);
    if (c->ops->flush && atomic_load(&c->state) != DOCA_CTX_STATE_IDLE)
        c->ops->flush(c);
    pthread_mutex_unlock(&c->object.lock);
    dpk_object_drop(c);
}
