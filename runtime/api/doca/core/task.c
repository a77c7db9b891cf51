/* Tasks: contexts carry them out in their progress engine. */
#include <doca_pe.h>

#include "api/doca/core/core.h"
#include "pe.h"

void dpk_task_left(void *object)
{
    struct dpk_task *t = object;
    dpk_object_end_use(t->ctx);
}

void dpk_task_release(void *object)
{
    struct dpk_task *t = object;
    if (t->pool->type->release)
        t->pool->type->release(t);
    dpk_object_drop(t->ctx);
    free(t);
}
const struct dpk_kind dpk_task_kind = {.left = dpk_task_left, .release = dpk_task_release};

static doca_error_t wrong_state(const struct dpk_ctx *ctx)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                            "the context is %s: tasks are configured while it is idle, and made "
                            "while it is running",
                            dpk_ctx_state_name(ctx));
}

doca_error_t dpk_task_pool_set(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                               const struct dpk_task_type *type, dpk_task_callback completed,
                               dpk_task_callback failed, uint32_t max)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&ctx->object.lock);
    if (atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE) {
        result = wrong_state(ctx);
    } else {
        *pool = (struct dpk_task_pool){
            .type = type, .completed = completed, .failed = failed, .max = max};
    }
    pthread_mutex_unlock(&ctx->object.lock);
    return result;
}

doca_error_t dpk_task_pool_expand(struct dpk_ctx *ctx, struct dpk_task_pool *pool, uint32_t by)
{
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    pthread_mutex_lock(&ctx->object.lock);
    if (by == 0 || by > UINT32_MAX - pool->max) {
        result =
            dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u additional tasks are 0 or too many", by);
    } else if (pool->max > 0 && atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE) {
        pool->max += by;
        result = DOCA_SUCCESS;
    } else {
        dpk_doca_because(result, "the context is idle, or these tasks were not configured");
    }
    pthread_mutex_unlock(&ctx->object.lock);
    return result;
}

/* Call this with the context's lock. */
static struct dpk_task *task_new(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                                 union doca_data user_data)
{
    const struct dpk_task_type *type = pool->type;
    struct dpk_task *t = pool->count < pool->max ? calloc(1, type->size) : NULL;
    if (!t)
        return NULL;
    dpk_object_use(t->ctx = ctx);
    t->pool = pool;
    t->user_data = user_data;
    void *handle = dpk_object_enter(t, type->kind ? type->kind : &dpk_task_kind);
    if (!handle)
        return NULL;
    pool->count++;
    ctx->tasks++;
    return dpk_object_pin(handle, t->object.kind);
}

struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_task_pool *pool,
                              union doca_data user_data, doca_error_t *result)
{
    struct dpk_task *t = NULL;
    pthread_mutex_lock(&ctx->object.lock);
    if (!ctx->object.gone && dpk_ctx_is_running(ctx)) {
        t = task_new(ctx, pool, user_data);
        *result = t ? DOCA_SUCCESS
                    : dpk_doca_because(DOCA_ERROR_NO_MEMORY,
                                       "all %u tasks of this type exist, or memory is exhausted",
                                       pool->max);
    } else {
        *result = wrong_state(ctx);
    }
    pthread_mutex_unlock(&ctx->object.lock);
    return t;
}

struct dpk_task *dpk_task_pin(const void *handle, const struct dpk_task_type *type)
{
    struct dpk_task *t = dpk_object_pin(handle, type->kind ? type->kind : &dpk_task_kind);
    if (t && t->pool->type == type)
        return t;
    dpk_object_drop(t);
    return NULL;
}

struct doca_task *dpk_task_handle(const void *handle, const struct dpk_task_type *type)
{
    struct dpk_task *t = dpk_task_pin(handle, type);
    struct doca_task *task = t ? t->object.handle : NULL;
    dpk_object_drop(t);
    return task;
}

bool dpk_task_begin_change(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    if (t->state != DPK_TASK_SUBMITTED)
        return true;
    pthread_mutex_unlock(&t->ctx->object.lock);
    return false;
}

void dpk_task_end_change(struct dpk_task *t)
{
    pthread_mutex_unlock(&t->ctx->object.lock);
}

bool dpk_ctx_has_work(const struct dpk_ctx *ctx)
{
    const enum doca_ctx_states state = atomic_load(&ctx->state);
    const size_t submitted = atomic_load(&ctx->submitted);
    if (state == DOCA_CTX_STATE_STOPPING)
        return submitted > 0 || atomic_load(&ctx->tasks) == 0;
    return ctx->ops->is_ready ? state != DOCA_CTX_STATE_IDLE && ctx->ops->is_ready(ctx)
                              : submitted > atomic_load(&ctx->waiting);
}

bool dpk_ctx_waits(const struct dpk_ctx *ctx)
{
    return atomic_load(&ctx->waiting) > 0 || (ctx->ops->is_ready && !ctx->ops->notifies &&
                                              atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE);
}

/* Call this with the context's lock. */
static void set_waits(struct dpk_task *t, bool waits)
{
    if (waits && !t->waits)
        t->ctx->waiting++;
    if (!waits && t->waits)
        t->ctx->waiting--;
    t->waits = waits;
}

/* Call this with the context's lock. */
static void append(struct dpk_task *t)
{
    struct dpk_ctx *ctx = t->ctx;
    t->next = NULL;
    if (ctx->last)
        ctx->last->next = t;
    else
        ctx->first = t;
    ctx->last = t;
}

/* Marks a task as submitted. Call this with the context's lock. */
static void enter(struct dpk_task *t, void (*observer)(void *owner, struct dpk_task *task),
                  void *owner)
{
    t->state = DPK_TASK_SUBMITTED;
    t->observer = observer;
    t->owner = owner;
    t->ctx->submitted++;
    if (!t->pool->type->take)
        append(t);
    dpk_pe_rejoin(t->ctx);
    dpk_pe_notify(t->ctx->pe);
}

doca_error_t dpk_task_submit(struct dpk_task *t, bool flush,
                             void (*observer)(void *owner, struct dpk_task *task), void *owner)
{
    doca_error_t result;
    pthread_mutex_lock(&t->ctx->object.lock);
    if (t->freed) { /* another thread has freed the task */
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "the task was freed");
    } else if (t->state == DPK_TASK_SUBMITTED) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the task is submitted already");
    } else if (!dpk_ctx_is_running(t->ctx)) {
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the context is %s, and must be running",
                                  dpk_ctx_state_name(t->ctx));
    } else {
        result = t->pool->type->take ? t->pool->type->take(t, flush) : DOCA_SUCCESS;
        if (result == DOCA_SUCCESS)
            enter(t, observer, owner);
    }
    pthread_mutex_unlock(&t->ctx->object.lock);
    return result;
}

void dpk_task_retry(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    t->retried = true;
    set_waits(t, false);
    dpk_pe_notify(t->ctx->pe);
    pthread_mutex_unlock(&t->ctx->object.lock);
}

/* Removes a task from the counters. Call this with the context's lock. */
static void uncount(struct dpk_task *t)
{
    t->pool->count--;
    t->ctx->tasks--;
    if (dpk_ctx_has_work(t->ctx))
        dpk_pe_notify(t->ctx->pe); /* a stop may wait for this task */
}

static void forget(struct dpk_task *t)
{
    dpk_object_destroy(t->object.handle, t->object.kind);
}

bool dpk_task_free(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    const bool now = t->state != DPK_TASK_SUBMITTED;
    const bool first = !t->freed, told = t->told;
    t->freed = true;
    if (now && first)
        uncount(t);
    pthread_mutex_unlock(&t->ctx->object.lock);
    if (now && first && !told)
        forget(t);
    return now;
}

/* ---- Progress ---- */

/* Returns the next submitted task, pinned, or NULL. *stops: the context will not run it. */
static struct dpk_task *take(struct dpk_ctx *ctx, bool *stops)
{
    pthread_mutex_lock(&ctx->object.lock);
    struct dpk_task *t = ctx->first;
    if (t) {
        dpk_object_hold(t);
        t->retried = false;
        ctx->first = t->next;
        if (!ctx->first)
            ctx->last = NULL;
    }
    *stops = !dpk_ctx_is_running(ctx);
    pthread_mutex_unlock(&ctx->object.lock);
    return t;
}

static void put_back(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    set_waits(t, !t->retried);
    append(t);
    pthread_mutex_unlock(&t->ctx->object.lock);
    dpk_object_drop(t);
}

/* The receiver of a task's end: an observer, or the program, or nobody if the task is freed. */
struct end {
    void (*observer)(void *owner, struct dpk_task *task);
    void *owner;
    dpk_task_callback callback;
    union doca_data task_data, ctx_data;
    bool freed;
};

static struct end end(struct dpk_task *t, doca_error_t status)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    struct end e = {.observer = t->observer,
                    .owner = t->owner,
                    .callback = status == DOCA_SUCCESS ? t->pool->completed : t->pool->failed,
                    .task_data = t->user_data,
                    .ctx_data = t->ctx->user_data,
                    .freed = t->freed};
    set_waits(t, false);
    t->ctx->submitted--;
    t->state = DPK_TASK_ENDED;
    t->status = status;
    t->observer = NULL;
    t->told = !e.freed && !e.observer;
    if (e.freed)
        uncount(t);
    pthread_mutex_unlock(&t->ctx->object.lock);
    return e;
}

/* Call this after the callback returned. Returns true if the callback freed the task. */
static bool end_told(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    t->told = false;
    const bool freed = t->freed && t->state != DPK_TASK_SUBMITTED;
    pthread_mutex_unlock(&t->ctx->object.lock);
    return freed;
}

/* Ends a task, and drops the reference that `take` got. */
static void finish(struct dpk_task *t, doca_error_t status)
{
    dpk_doca_tell_reason(t->ctx, "a task failed", status);
    if (status != DOCA_SUCCESS && t->ctx->ops->ends_by_errors)
        dpk_ctx_begin_stop(t->ctx);
    const struct end e = end(t, status);
    bool freed = e.freed;
    if (e.observer) {
        e.observer(e.owner, t);
    } else if (!freed) {
        t->pool->type->tell(e.callback, t->object.handle, e.task_data, e.ctx_data);
        freed = end_told(t);
    }
    if (freed)
        forget(t);
    dpk_object_drop(t);
}

void dpk_task_end(struct dpk_task *t, doca_error_t status)
{
    dpk_object_hold(t);
    finish(t, status);
}

bool dpk_ctx_progress(struct dpk_ctx *ctx)
{
    dpk_doca_forget_reason();
    if (ctx->ops->progress && atomic_load(&ctx->state) != DOCA_CTX_STATE_IDLE &&
        ctx->ops->progress(ctx))
        return true;
    for (size_t n = atomic_load(&ctx->submitted); n > 0; n--) {
        bool stops = false;
        struct dpk_task *t = take(ctx, &stops);
        if (!t)
            break;
        const doca_error_t status = stops ? DOCA_ERROR_BAD_STATE : t->pool->type->run(t);
        if (status != DOCA_ERROR_IN_PROGRESS && status != DOCA_ERROR_AGAIN) {
            finish(t, status);
            return true;
        }
        put_back(t);
        if (status == DOCA_ERROR_AGAIN)
            return true;
    }
    return dpk_ctx_end_stop(ctx);
}

bool dpk_ctx_is_ready(struct dpk_ctx *ctx)
{
    bool ready = false;
    pthread_mutex_lock(&ctx->object.lock);
    for (struct dpk_task *t = ctx->first; t && !ready; t = t->next)
        ready = t->pool->type->is_ready && t->pool->type->is_ready(t);
    pthread_mutex_unlock(&ctx->object.lock);
    return ready;
}

/* ---- The public side ---- */

static doca_error_t submit(const char *call, struct doca_task *task, bool checked, bool flush)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    doca_error_t result = t ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (t && checked && t->pool->type->check)
        result = t->pool->type->check(t);
    if (result == DOCA_SUCCESS)
        result = dpk_task_submit(t, flush, NULL, NULL);
    void *ctx = t ? t->ctx->object.handle : NULL;
    dpk_object_drop(t);
    return dpk_doca_end(ctx, call, result);
}

doca_error_t doca_task_submit(struct doca_task *task)
{
    return submit(__func__, task, false, true);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
    const uint32_t known = DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS;
    if (flags & ~known)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "0x%x has flags that are unknown", flags);
    return submit(__func__, task, false, flags & DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
    return submit(__func__, task, true, true);
}

void doca_task_free(struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    if (t)
        dpk_task_free(t);
    dpk_object_drop(t);
}

doca_error_t dpk_task_status(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    doca_error_t result = t->state == DPK_TASK_NEW         ? DOCA_ERROR_BAD_STATE
                          : t->state == DPK_TASK_SUBMITTED ? DOCA_ERROR_IN_PROGRESS
                                                           : t->status;
    pthread_mutex_unlock(&t->ctx->object.lock);
    return result;
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    const doca_error_t result = t ? dpk_task_status(t) : dpk_doca_no_object(__func__);
    dpk_object_drop(t);
    return result;
}

void dpk_task_set_user_data(struct dpk_task *t, union doca_data user_data)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    t->user_data = user_data;
    pthread_mutex_unlock(&t->ctx->object.lock);
}

union doca_data dpk_task_user_data(struct dpk_task *t)
{
    pthread_mutex_lock(&t->ctx->object.lock);
    const union doca_data user_data = t->user_data;
    pthread_mutex_unlock(&t->ctx->object.lock);
    return user_data;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    if (t)
        dpk_task_set_user_data(t, user_data);
    dpk_object_drop(t);
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    const union doca_data user_data = t ? dpk_task_user_data(t) : (union doca_data){0};
    dpk_object_drop(t);
    return user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    struct doca_ctx *ctx = t ? t->ctx->object.handle : NULL;
    dpk_object_drop(t);
    return ctx;
}
