/* Execution units of threads. */
#include <doca_dpa.h>

#include "private.h"

struct affinity {
    struct dpk_object object;
    bool set;
    unsigned int eu;
};

static void affinity_release(void *object)
{
    free(object);
}
static const struct dpk_kind affinity_kind = {.release = affinity_release};

doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa,
                                         struct doca_dpa_eu_affinity **eu_affinity)
{
    if (eu_affinity)
        *eu_affinity = NULL;
    struct dpk_dpa *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    dpk_object_drop(d);
    if (!d || !eu_affinity)
        return dpk_doca_no_object(__func__);
    struct affinity *a = calloc(1, sizeof *a);
    if (a)
        *eu_affinity = dpk_object_enter(a, &affinity_kind);
    return dpk_doca_end(dpa, __func__, *eu_affinity ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *eu_affinity)
{
    return dpk_doca_destroy(eu_affinity, &affinity_kind, __func__);
}

static doca_error_t change(struct doca_dpa_eu_affinity *eu_affinity, bool set, unsigned int eu)
{
    struct affinity *a = dpk_object_pin(eu_affinity, &affinity_kind);
    if (!a)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&a->object.lock);
    a->set = set;
    a->eu = eu;
    pthread_mutex_unlock(&a->object.lock);
    dpk_object_drop(a);
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *eu_affinity, unsigned int eu_id)
{
    return dpk_doca_end(eu_affinity, __func__, change(eu_affinity, true, eu_id));
}

doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *eu_affinity)
{
    return dpk_doca_end(eu_affinity, __func__, change(eu_affinity, false, 0));
}

doca_error_t dpk_eu_affinity_get(const struct doca_dpa_eu_affinity *eu_affinity,
                                 unsigned int *eu_id)
{
    struct affinity *a = eu_id ? dpk_object_pin(eu_affinity, &affinity_kind) : NULL;
    if (!a)
        return DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&a->object.lock);
    bool set = a->set;
    if (set)
        *eu_id = a->eu;
    pthread_mutex_unlock(&a->object.lock);
    dpk_object_drop(a);
    return set ? DOCA_SUCCESS : dpk_doca_because(DOCA_ERROR_NOT_FOUND, "the affinity has no unit");
}

doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *eu_affinity, unsigned int *eu_id)
{
    return dpk_doca_end(eu_affinity, __func__, dpk_eu_affinity_get(eu_affinity, eu_id));
}
