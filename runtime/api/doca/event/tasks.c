/* Tasks of sync events: they get, set, add to, or wait for a value. */
#include "sync_event.h"

/* A task of any type: `value` and `mask` are operands, `out` is the place for a result. */
struct event_task {
    struct dpk_task task;
    uint64_t value, mask;
    uint64_t *out;
};

static doca_error_t get_run(struct dpk_task *task)
{
    *((struct event_task *)task)->out = event_sync_event_value((struct dpk_sync_event *)task->ctx);
    return DOCA_SUCCESS;
}

static doca_error_t notify_set_run(struct dpk_task *task)
{
    event_sync_event_set((struct dpk_sync_event *)task->ctx, ((struct event_task *)task)->value);
    return DOCA_SUCCESS;
}

static doca_error_t notify_add_run(struct dpk_task *task)
{
    const struct event_task *t = (struct event_task *)task;
    const uint64_t before = event_sync_event_add((struct dpk_sync_event *)task->ctx, t->value);
    if (t->out)
        *t->out = before;
    return DOCA_SUCCESS;
}

static doca_error_t wait_gt_run(struct dpk_task *task)
{
    const struct event_task *t = (struct event_task *)task;
    return event_sync_event_look((struct dpk_sync_event *)task->ctx,
                                 &(struct condition){WAIT_GT, t->value, t->mask});
}

static doca_error_t wait_eq_run(struct dpk_task *task)
{
    const struct event_task *t = (struct event_task *)task;
    return event_sync_event_look((struct dpk_sync_event *)task->ctx,
                                 &(struct condition){WAIT_EQ, t->value, t->mask});
}

static doca_error_t wait_neq_run(struct dpk_task *task)
{
    const struct event_task *t = (struct event_task *)task;
    return event_sync_event_look((struct dpk_sync_event *)task->ctx,
                                 &(struct condition){WAIT_NEQ, t->value, t->mask});
}

static bool wait_gt_is_ready(struct dpk_task *task)
{
    return wait_gt_run(task) != DOCA_ERROR_IN_PROGRESS;
}

static bool wait_eq_is_ready(struct dpk_task *task)
{
    return wait_eq_run(task) != DOCA_ERROR_IN_PROGRESS;
}

static bool wait_neq_is_ready(struct dpk_task *task)
{
    return wait_neq_run(task) != DOCA_ERROR_IN_PROGRESS;
}

/* ---- What all types have in common ---- */

static doca_error_t set_conf(struct doca_sync_event *event, unsigned pool,
                             const struct dpk_task_type *type, dpk_task_callback completed,
                             dpk_task_callback failed, uint32_t max)
{
    struct dpk_sync_event *e =
        completed && failed ? dpk_object_pin(event, &dpk_sync_event_kind) : NULL;
    if (!e)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a callback is NULL, or the event is NULL or was destroyed");
    doca_error_t result = dpk_task_pool_set(&e->ctx, &e->pools[pool], type, completed, failed, max);
    dpk_object_drop(e);
    return result;
}

/* Returns the handle of a new task with these operands. If it is NULL, *result is the reason. */
static void *task_new(struct doca_sync_event *event, unsigned pool, const struct event_task *plan,
                      union doca_data user_data, doca_error_t *result)
{
    struct dpk_sync_event *e = dpk_object_pin(event, &dpk_sync_event_kind);
    struct event_task *t = NULL;
    void *handle = NULL;
    *result = DOCA_ERROR_INVALID_VALUE;
    if (e && !e->ctx.pe) /* the task would never run */
        *result = dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                   "the event has no progress engine (doca_pe_connect_ctx)");
    else if (e)
        t = (struct event_task *)dpk_task_new(&e->ctx, &e->pools[pool], user_data, result);
    if (t) {
        t->value = plan->value;
        t->mask = plan->mask;
        t->out = plan->out;
        handle = t->task.object.handle;
    }
    dpk_object_drop(t);
    dpk_object_drop(e);
    return handle;
}

enum field { VALUE, MASK };

static void set_number(const void *task, const struct dpk_task_type *type, enum field field,
                       uint64_t number)
{
    struct event_task *t = (struct event_task *)dpk_task_pin(task, type);
    if (t && dpk_task_begin_change(&t->task)) {
        *(field == VALUE ? &t->value : &t->mask) = number;
        dpk_task_end_change(&t->task);
    }
    dpk_object_drop(t);
}

static uint64_t get_number(const void *task, const struct dpk_task_type *type, enum field field)
{
    struct event_task *t = (struct event_task *)dpk_task_pin(task, type);
    const uint64_t number = !t ? 0 : field == VALUE ? t->value : t->mask;
    dpk_object_drop(t);
    return number;
}

static void set_out(const void *task, const struct dpk_task_type *type, uint64_t *out)
{
    struct event_task *t = (struct event_task *)dpk_task_pin(task, type);
    if (t && dpk_task_begin_change(&t->task)) {
        t->out = out;
        dpk_task_end_change(&t->task);
    }
    dpk_object_drop(t);
}

static uint64_t *get_out(const void *task, const struct dpk_task_type *type)
{
    struct event_task *t = (struct event_task *)dpk_task_pin(task, type);
    uint64_t *out = t ? t->out : NULL;
    dpk_object_drop(t);
    return out;
}

/* ---- Each type: callbacks, configuration, and conversion to doca_task ---- */

#define TASK_TYPE(set_conf_of, as_doca_task, pool, name, ...)                                      \
    static void name##_tell(dpk_task_callback callback, void *task, union doca_data task_data,     \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        ((doca_sync_event_task_##name##_completion_cb_t)callback)(task, task_data, ctx_data);      \
    }                                                                                              \
    static const struct dpk_task_type name##_type = {                                              \
        .size = sizeof(struct event_task), .run = name##_run, .tell = name##_tell, __VA_ARGS__};   \
    doca_error_t set_conf_of(struct doca_sync_event *event,                                        \
                             doca_sync_event_task_##name##_completion_cb_t completion_cb,          \
                             doca_sync_event_task_##name##_completion_cb_t error_cb,               \
                             uint32_t num_tasks)                                                   \
    {                                                                                              \
        const doca_error_t result =                                                                \
            set_conf(event, pool, &name##_type, (dpk_task_callback)completion_cb,                  \
                     (dpk_task_callback)error_cb, num_tasks);                                      \
        return dpk_doca_end(event, __func__, result);                                              \
    }                                                                                              \
    struct doca_task *as_doca_task(struct doca_sync_event_task_##name *task)                       \
    {                                                                                              \
        return dpk_task_handle(task, &name##_type);                                                \
    }

enum { GET, NOTIFY_SET, NOTIFY_ADD, WAIT_GT_TASK, WAIT_EQ_TASK, WAIT_NEQ_TASK };
TASK_TYPE(doca_sync_event_task_get_set_conf, doca_sync_event_task_get_as_doca_task, GET, get)
TASK_TYPE(doca_sync_event_task_notify_set_set_conf, doca_sync_event_task_notify_set_as_doca_task,
          NOTIFY_SET, notify_set)
TASK_TYPE(doca_sync_event_task_notify_add_set_conf, doca_sync_event_task_notify_add_as_doca_task,
          NOTIFY_ADD, notify_add)
TASK_TYPE(doca_sync_event_task_wait_gt_set_conf, doca_sync_event_task_wait_gt_as_doca_task,
          WAIT_GT_TASK, wait_gt, .is_ready = wait_gt_is_ready)
TASK_TYPE(doca_sync_event_task_wait_eq_set_conf, doca_sync_event_task_wait_eq_as_doca_task,
          WAIT_EQ_TASK, wait_eq, .is_ready = wait_eq_is_ready)
TASK_TYPE(doca_sync_event_task_wait_neq_set_conf, doca_sync_event_task_wait_neq_as_doca_task,
          WAIT_NEQ_TASK, wait_neq, .is_ready = wait_neq_is_ready)

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (task)
        *task = NULL;
    if (task && ret_val_ptr)
        *task = task_new(event, GET, &(struct event_task){.out = ret_val_ptr}, user_data, &result);
    return dpk_doca_end(event, __func__, result);
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr)
{
    if (ret_val_ptr)
        set_out(task, &get_type, ret_val_ptr);
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
    return get_out(task, &get_type);
}

doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const struct event_task plan = {.value = set_val};
    if (task)
        *task = task_new(event, NOTIFY_SET, &plan, user_data, &result);
    return dpk_doca_end(event, __func__, result);
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val)
{
    set_number(task, &notify_set_type, VALUE, set_val);
}

uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
    return get_number(task, &notify_set_type, VALUE);
}

doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    const struct event_task plan = {.value = inc_val, .out = fetched_val_ptr};
    if (task)
        *task = task_new(event, NOTIFY_ADD, &plan, user_data, &result);
    return dpk_doca_end(event, __func__, result);
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val)
{
    set_number(task, &notify_add_type, VALUE, inc_val);
}

uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
    return get_number(task, &notify_add_type, VALUE);
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
    set_out(task, &notify_add_type, fetched_val_ptr);
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task)
{
    return get_out(task, &notify_add_type);
}

#define WAIT_TASK(alloc_init, set_wait_val, get_wait_val, set_mask, get_mask, pool, name)          \
    doca_error_t alloc_init(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,       \
                            union doca_data user_data, struct doca_sync_event_task_##name **task)  \
    {                                                                                              \
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;                                            \
        const struct event_task plan = {.value = wait_val, .mask = mask};                          \
        if (task)                                                                                  \
            *task = task_new(event, pool, &plan, user_data, &result);                              \
        return dpk_doca_end(event, __func__, result);                                              \
    }                                                                                              \
    void set_wait_val(struct doca_sync_event_task_##name *task, uint64_t wait_val)                 \
    {                                                                                              \
        set_number(task, &name##_type, VALUE, wait_val);                                           \
    }                                                                                              \
    uint64_t get_wait_val(const struct doca_sync_event_task_##name *task)                          \
    {                                                                                              \
        return get_number(task, &name##_type, VALUE);                                              \
    }                                                                                              \
    void set_mask(struct doca_sync_event_task_##name *task, uint64_t mask)                         \
    {                                                                                              \
        set_number(task, &name##_type, MASK, mask);                                                \
    }                                                                                              \
    uint64_t get_mask(const struct doca_sync_event_task_##name *task)                              \
    {                                                                                              \
        return get_number(task, &name##_type, MASK);                                               \
    }
WAIT_TASK(doca_sync_event_task_wait_gt_alloc_init, doca_sync_event_task_wait_gt_set_wait_val,
          doca_sync_event_task_wait_gt_get_wait_val, doca_sync_event_task_wait_gt_set_mask,
          doca_sync_event_task_wait_gt_get_mask, WAIT_GT_TASK, wait_gt)
WAIT_TASK(doca_sync_event_task_wait_eq_alloc_init, doca_sync_event_task_wait_eq_set_wait_val,
          doca_sync_event_task_wait_eq_get_wait_val, doca_sync_event_task_wait_eq_set_mask,
          doca_sync_event_task_wait_eq_get_mask, WAIT_EQ_TASK, wait_eq)
WAIT_TASK(doca_sync_event_task_wait_neq_alloc_init, doca_sync_event_task_wait_neq_set_wait_val,
          doca_sync_event_task_wait_neq_get_wait_val, doca_sync_event_task_wait_neq_set_mask,
          doca_sync_event_task_wait_neq_get_mask, WAIT_NEQ_TASK, wait_neq)
