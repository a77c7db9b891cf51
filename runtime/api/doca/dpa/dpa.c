/* DPA contexts as objects: their process, and the threads that use it. */
#include "private.h"

static void dpa_release(void *object)
{
    struct dpk_dpa *d = object;
    pthread_cond_destroy(&d->left);
    dpk_object_drop(d->dev);
    dpk_object_drop(d->base);
    pthread_mutex_destroy(&d->externals.lock);
    for (size_t i = 0; i < DPK_DPA_FILES; i++)
        free(d->files[i].path);
    free(d->externals.keys);
    free(d->domains);
    free(d);
}
const struct dpk_kind dpk_dpa_kind = {.release = dpa_release};

/* Gives a context on that device the next number. Returns 0 if there is no memory. */
static uint64_t add_number(struct dpk_dpa *base, struct dpk_dev *dev)
{
    struct dpk_memory_domain **more =
        reallocarray(base->domains, base->domain_count + 1, sizeof *more);
    if (!more)
        return 0;
    base->domains = more;
    more[base->domain_count++] = dev->domain;
    return base->domain_count;
}

struct dpk_dpa *dpk_dpa_new(struct dpk_dev *dev)
{
    struct dpk_dpa *d = calloc(1, sizeof *d);
    if (!d || !(d->number = add_number(d, dev))) {
        free(d);
        return NULL;
    }
    pthread_cond_init(&d->left, NULL);
    pthread_mutex_init(&d->externals.lock, NULL);
    dpk_object_hold(d->dev = dev);
    dpk_object_use(dev); /* until it is closed: other objects may hold the context longer */
    d->log_level = DPK_HOST_STREAM_INFO;
    if (dpk_object_enter(d, &dpk_dpa_kind))
        return d;
    dpk_object_unuse(dev);
    return NULL;
}

struct dpk_dpa *dpk_dpa_base(struct dpk_dpa *d)
{
    return d->base ? d->base : d;
}

/* ---- Entering and leaving ---- */

doca_error_t dpa_not_started(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the DPA context is not started, or was stopped");
}

struct dpk_process *dpk_dpa_enter(struct dpk_dpa *d, uint64_t run)
{
    struct dpk_process *p = NULL;
    struct dpk_dpa *b = dpk_dpa_base(d);
    if (!atomic_load(&d->started))
        return NULL;
    pthread_mutex_lock(&b->object.lock);
    if (atomic_load(&b->started) && b->process && (run == 0 || run == b->run)) {
        p = b->process->dpa;
        b->inside++;
    }
    pthread_mutex_unlock(&b->object.lock);
    return p;
}

void dpk_dpa_leave(struct dpk_dpa *d)
{
    struct dpk_dpa *b = dpk_dpa_base(d);
    pthread_mutex_lock(&b->object.lock);
    if (--b->inside == 0)
        pthread_cond_broadcast(&b->left);
    pthread_mutex_unlock(&b->object.lock);
}

void dpk_dpa_fail(struct dpk_dpa *d, struct dpk_process *p, const char *reason)
{
    if (dpk_process_state(p, NULL) == DPK_OK)
        dpk_host_log(DPK_HOST_LOG_ERROR, "program %s: %s", dpk_dpa_base(d)->app->name, reason);
    dpk_process_end(p, reason);
}

struct dpk_host_process *dpk_dpa_host(struct dpk_dpa *d)
{
    return dpk_dpa_base(d)->process;
}

/* ---- Devices ---- */

void dpk_dpa_close(struct dpk_dpa *d)
{
    pthread_mutex_lock(&d->object.lock);
    if (d->uar)
        d->free_uar(d->uar);
    d->uar = NULL;
    pthread_mutex_unlock(&d->object.lock);
    if (d->base)
        atomic_store(&d->started, false);
    dpk_object_unuse(d->dev);
}

doca_error_t dpk_dpa_extend(struct dpk_dpa *base, struct dpk_dev *dev, struct dpk_dpa **out)
{
    if (base->base)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the DPA context extends another one");
    if (!dpk_dpa_enter(base, 0))
        return dpa_not_started();
    struct dpk_dpa *d = dpk_dpa_new(dev);
    if (d) {
        dpk_object_hold(d->base = base);
        pthread_mutex_lock(&base->object.lock);
        d->number = add_number(base, dev);
        pthread_mutex_unlock(&base->object.lock);
        atomic_store(&d->started, d->number != 0);
    }
    if (d && d->number == 0) {
        void *object = NULL;
        dpk_object_leave(d->object.handle, &dpk_dpa_kind, &object);
        dpk_dpa_close(d);
        dpk_object_drop(object);
        d = NULL;
    }
    dpk_dpa_leave(base);
    *out = d;
    return d ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

struct dpk_memory_domain *dpk_dpa_domain_of_number(struct dpk_dpa *d, uint64_t number)
{
    struct dpk_dpa *b = dpk_dpa_base(d);
    pthread_mutex_lock(&b->object.lock);
    struct dpk_memory_domain *domain =
        number >= 1 && number <= b->domain_count ? b->domains[number - 1] : NULL;
    pthread_mutex_unlock(&b->object.lock);
    return domain;
}
