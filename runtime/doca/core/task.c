/* Tasks: creation, submission, and how a progress engine carries them out. */
#include <doca_pe.h>

#include "doca/core/core.h"

static void task_left(void *object)
{
    struct dpk_task *t = object;
    dpk_object_end_use(t->ctx);
}

static void task_release(void *object)
{
    struct dpk_task *t = object;
    dpk_object_drop(t->ctx);
    free(t);
}
const struct dpk_kind dpk_task_kind = {.left = task_left, .release = task_release};

struct dpk_task *dpk_task_new(struct dpk_ctx *ctx, struct dpk_work *work, size_t size)
{
    struct dpk_task *t = work->count < work->max ? calloc(1, size) : NULL;
    if (!t)
        return NULL;
    dpk_object_use(t->ctx = ctx);
    t->work = work;
    if (!dpk_object_enter(t, &dpk_task_kind))
        return NULL;
    work->count++;
    return t;
}

static void forget(struct dpk_task *t)
{
    dpk_object_destroy(t->object.handle, &dpk_task_kind);
}

/* ---- Turns ---- */

/* The next submitted task, pinned; NULL: none. *stops: the context will not carry it out. */
static struct dpk_task *take(struct dpk_ctx *ctx, struct dpk_work *work, bool *stops)
{
    pthread_mutex_lock(&ctx->object.lock);
    struct dpk_task *t = work->first;
    if (t) {
        dpk_object_hold(t);
        work->first = t->next;
        if (!work->first)
            work->last = NULL;
    }
    *stops = !dpk_ctx_is_running(ctx);
    pthread_mutex_unlock(&ctx->object.lock);
    return t;
}

/* Whether the program wants to know; what it gets then. */
static bool end(struct dpk_ctx *ctx, struct dpk_work *work, struct dpk_task *t, doca_error_t status,
                union doca_data *user_data)
{
    pthread_mutex_lock(&ctx->object.lock);
    *user_data = ctx->user_data;
    t->state = DPK_TASK_ENDED;
    t->status = status;
    bool freed = t->freed;
    if (freed)
        work->count--;
    pthread_mutex_unlock(&ctx->object.lock);
    if (freed)
        forget(t);
    return !freed;
}

bool dpk_work_progress(struct dpk_ctx *ctx, struct dpk_work *work)
{
    bool stops;
    union doca_data user_data;
    struct dpk_task *t = take(ctx, work, &stops);
    if (t) {
        if (end(ctx, work, t, stops ? DOCA_ERROR_BAD_STATE : t->run(t), &user_data))
            t->ended(t, user_data);
        dpk_object_drop(t);
        return true;
    }
    pthread_mutex_lock(&ctx->object.lock);
    bool stopped = atomic_load(&ctx->state) == DOCA_CTX_STATE_STOPPING && work->count == 0;
    pthread_mutex_unlock(&ctx->object.lock);
    if (stopped)
        dpk_ctx_stopped(ctx);
    return stopped;
}

doca_error_t dpk_work_stop(const struct dpk_work *work)
{
    return work->count == 0 ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

/* ---- The public side ---- */

/* The task, with the lock of its context. */
static struct dpk_task *begin(const struct doca_task *task)
{
    struct dpk_task *t = dpk_object_pin(task, &dpk_task_kind);
    if (t)
        pthread_mutex_lock(&t->ctx->object.lock);
    return t;
}

static void leave(struct dpk_task *t)
{
    pthread_mutex_unlock(&t->ctx->object.lock);
    dpk_object_drop(t);
}

static void append(struct dpk_work *work, struct dpk_task *t)
{
    t->state = DPK_TASK_SUBMITTED;
    t->next = NULL;
    if (work->last)
        work->last->next = t;
    else
        work->first = t;
    work->last = t;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
    struct dpk_task *t = begin(task);
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (!t)
        return DOCA_ERROR_INVALID_VALUE;
    if (t->freed) {
        result =
            DOCA_ERROR_INVALID_VALUE; /* by another thread, just now or while it is submitted */
    } else if (dpk_ctx_is_running(t->ctx) && t->state != DPK_TASK_SUBMITTED) {
        append(t->work, t);
        result = DOCA_SUCCESS;
    }
    leave(t);
    return result;
}

void doca_task_free(struct doca_task *task)
{
    struct dpk_task *t = begin(task);
    if (!t)
        return;
    bool now = t->state != DPK_TASK_SUBMITTED && !t->freed;
    t->freed = true;
    if (now)
        t->work->count--;
    pthread_mutex_unlock(&t->ctx->object.lock);
    if (now)
        forget(t);
    dpk_object_drop(t);
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
    struct dpk_task *t = begin(task);
    if (!t)
        return DOCA_ERROR_INVALID_VALUE;
    doca_error_t result = t->state == DPK_TASK_NEW         ? DOCA_ERROR_BAD_STATE
                          : t->state == DPK_TASK_SUBMITTED ? DOCA_ERROR_IN_PROGRESS
                                                           : t->status;
    leave(t);
    return result;
}
