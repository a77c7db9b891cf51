/* Threads that events start. */
#include <doca_dpa.h>

#include "private.h"

static void thread_release(void *object)
{
    struct dpk_dpa_thread *t = object;
    dpk_object_drop(t->dpa);
    free(t);
}
const struct dpk_kind dpk_dpa_thread_kind = {.release = thread_release};

doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread)
{
    if (dpa_thread)
        *dpa_thread = NULL;
    struct dpk_dpa *d = dpa_thread ? dpk_object_pin(dpa, &dpk_dpa_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa_thread *t = calloc(1, sizeof *t);
    if (t) {
        t->dpa = d; /* keeps the pin as its reference */
        *dpa_thread = dpk_object_enter(t, &dpk_dpa_thread_kind);
    } else {
        dpk_object_drop(d);
    }
    return dpk_doca_end(dpa, __func__, *dpa_thread ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

/* Returns the thread, pinned and locked. */
static struct dpk_dpa_thread *thread_begin(const struct doca_dpa_thread *thread)
{
    struct dpk_dpa_thread *t = dpk_object_pin(thread, &dpk_dpa_thread_kind);
    if (t)
        pthread_mutex_lock(&t->object.lock);
    return t;
}

static doca_error_t started_already(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the thread is started, and must not be");
}

static doca_error_t not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                            "the thread is not started, or its DPA context was stopped");
}

static doca_error_t thread_end(struct dpk_dpa_thread *t, doca_error_t result)
{
    if (!t)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&t->object.lock);
    dpk_object_drop(t);
    return result;
}

/* ---- Setting ---- */

doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t *func,
                                          uint64_t arg)
{
    struct dpk_dpa_thread *t = func ? thread_begin(thread) : NULL;
    if (!t || t->thread)
        return dpk_doca_end(thread, __func__, thread_end(t, started_already()));
    t->func = func;
    t->argument = arg;
    return dpk_doca_end(thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t dev_ptr)
{
    struct dpk_dpa_thread *t = thread_begin(dpa_thread);
    if (!t || t->thread)
        return dpk_doca_end(dpa_thread, __func__, thread_end(t, started_already()));
    t->local_storage = dev_ptr;
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity *eu_affinity)
{
    unsigned int eu = 0;
    doca_error_t result = dpk_eu_affinity_get(eu_affinity, &eu);
    if (result == DOCA_ERROR_INVALID_VALUE)
        return dpk_doca_no_object(__func__);
    struct dpk_dpa_thread *t = thread_begin(dpa_thread);
    if (!t || t->thread)
        return dpk_doca_end(dpa_thread, __func__, thread_end(t, started_already()));
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(
            dpa_thread, __func__,
            thread_end(t, dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the affinity has no unit")));
    t->affinity_handle = eu_affinity;
    t->affinity = (struct dpk_affinity){.kind = DPK_AFFINITY_STRICT, .id = eu};
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}

/* ---- Properties ---- */

doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *thread, doca_dpa_func_t **func,
                                          uint64_t *arg)
{
    struct dpk_dpa_thread *t = func && arg ? thread_begin(thread) : NULL;
    if (t) {
        *func = t->func;
        *arg = t->argument;
    }
    return dpk_doca_end(thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t *dev_ptr)
{
    struct dpk_dpa_thread *t = dev_ptr ? thread_begin(dpa_thread) : NULL;
    if (t)
        *dev_ptr = t->local_storage;
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity **eu_affinity)
{
    unsigned int eu;
    struct dpk_dpa_thread *t = eu_affinity ? thread_begin(dpa_thread) : NULL;
    if (!t || dpk_eu_affinity_get(t->affinity_handle, &eu) == DOCA_ERROR_INVALID_VALUE)
        return dpk_doca_end(
            dpa_thread, __func__,
            thread_end(t, dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the thread has no affinity")));
    *eu_affinity = t->affinity_handle;
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *thread_id)
{
    struct dpk_dpa_thread *t = thread_id ? thread_begin(dpa_thread) : NULL;
    if (!t || !t->thread || !dpk_dpa_enter(t->dpa, t->run))
        return dpk_doca_end(dpa_thread, __func__, thread_end(t, not_started()));
    *thread_id = dpk_thread_id(t->thread);
    dpk_dpa_leave(t->dpa);
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}

doca_error_t dpk_dpa_thread_tell(const struct dpk_dpa_thread *t, struct doca_dpa_thread **out)
{
    void *alive = t ? dpk_object_pin(t->object.handle, &dpk_dpa_thread_kind) : NULL;
    if (alive)
        *out = t->object.handle;
    dpk_object_drop(alive);
    return alive ? DOCA_SUCCESS : dpk_doca_because(DOCA_ERROR_NOT_FOUND, "no thread is attached");
}

/* ---- States ---- */

/* Returns the error of a failure, with its reason. An unknown function or a wrong state is an error of the
 * caller. */
static doca_error_t failed(const struct dpk_error *err)
{
    return dpk_doca_because(err->status == DPK_ERR_NOT_FOUND ? DOCA_ERROR_INVALID_VALUE
                            : err->status == DPK_ERR_USAGE   ? DOCA_ERROR_BAD_STATE
                                                             : dpk_doca_error(err->status),
                            "%s", err->message);
}

static doca_error_t start_inside(struct dpk_dpa_thread *t, struct dpk_process *p)
{
    struct dpk_error err = {0};
    struct dpk_thread_options options = {.argument = t->argument,
                                         .local_storage = t->local_storage,
                                         .affinity = t->affinity,
                                         .rank = t->rank,
                                         .peers = t->peers};
    struct dpk_thread *thread = NULL;
    enum dpk_status status =
        dpk_host_process_function(dpk_dpa_host(t->dpa), t->func, &options.call, &err);
    if (status == DPK_OK)
        status = dpk_thread_create(p, &options, &thread, &err);
    if (status == DPK_OK && (status = dpk_thread_start(thread, &err)) != DPK_OK)
        dpk_thread_destroy(thread);
    if (status != DPK_OK)
        return failed(&err);
    t->thread = thread;
    t->run = dpk_dpa_base(t->dpa)->run;
    for (struct dpk_dpa_completion *c = t->completions; c; c = c->next)
        if (c->run == t->run)
            dpk_trigger_attach(c->trigger, thread, NULL);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread)
{
    struct dpk_dpa_thread *t = thread_begin(dpa_thread);
    struct dpk_process *p = NULL;
    doca_error_t result;
    if (!t || t->thread)
        result = started_already();
    else if (!t->func)
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "no function; doca_dpa_thread_set_func_arg names it");
    else if (!(p = dpk_dpa_enter(t->dpa, t->run)))
        result = dpa_not_started();
    else
        result = start_inside(t, p);
    if (p)
        dpk_dpa_leave(t->dpa);
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, result));
}

doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread)
{
    struct dpk_error err = {0};
    struct dpk_dpa_thread *t = thread_begin(dpa_thread);
    if (!t || !t->thread || !dpk_dpa_enter(t->dpa, t->run))
        return dpk_doca_end(dpa_thread, __func__, thread_end(t, not_started()));
    doca_error_t result =
        dpk_thread_run(t->thread, NULL, &err) == DPK_OK ? DOCA_SUCCESS : failed(&err);
    dpk_dpa_leave(t->dpa);
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, result));
}

/* Call this with the lock held. It releases the lock meanwhile, because the thread's code may be in
 * a call that waits for another thread that waits for the lock. Stopping a context destroys its
 * threads. */
static doca_error_t stop(struct dpk_dpa_thread *t)
{
    struct dpk_thread *thread = t->thread;
    if (!thread || !dpk_dpa_enter(t->dpa, t->run))
        return not_started();
    t->thread = NULL;
    pthread_mutex_unlock(&t->object.lock);
    dpk_thread_destroy(thread);
    dpk_dpa_leave(t->dpa);
    pthread_mutex_lock(&t->object.lock);
    return DOCA_SUCCESS;
}

struct doca_dpa *dpk_dpa_of_thread(const struct doca_dpa_thread *thread)
{
    struct dpk_dpa_thread *t = dpk_object_pin(thread, &dpk_dpa_thread_kind);
    struct doca_dpa *dpa = t ? t->dpa->object.handle : NULL;
    dpk_object_drop(t);
    return dpa;
}

doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread)
{
    struct dpk_dpa_thread *t = thread_begin(dpa_thread);
    return dpk_doca_end(dpa_thread, __func__,
                        thread_end(t, t ? stop(t) : DOCA_ERROR_INVALID_VALUE));
}

doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread)
{
    void *object = NULL;
    doca_error_t result = dpk_object_leave(dpa_thread, &dpk_dpa_thread_kind, &object);
    struct dpk_dpa_thread *t = object;
    if (!t)
        return dpk_doca_end(dpa_thread, __func__, result);
    pthread_mutex_lock(&t->object.lock);
    stop(t);
    return dpk_doca_end(dpa_thread, __func__, thread_end(t, DOCA_SUCCESS));
}
