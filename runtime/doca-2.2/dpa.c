/* What DOCA 2.2 calls otherwise, or with other arguments. */
#include <doca-2.2/doca_dpa.h>

#include "doca/dpa/context.h"

/* All allocations by address: the API gives nothing else to find them with. */
static struct dpk_addresses addresses = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum dpk_status dpa_allocate_unique(struct dpk_dpa *d, struct dpk_process *p, uint64_t size,
                                    uint64_t *address, struct dpk_error *err)
{
    return dpk_address_new(&addresses, d, &d->allocations, p, size, address, err);
}

void dpa_allocations_forget(struct dpk_dpa *d)
{
    dpk_addresses_forget(&addresses, &d->allocations);
}

doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo)
{
    return dpa_is_supported(devinfo);
}

doca_error_t doca_dpa_create(struct doca_dev *dev, doca_dpa_app_t app, doca_dpa_t *dpa,
                             unsigned int flags)
{
    if (dpa)
        *dpa = NULL;
    return app && flags == 0 ? dpa_create_started(dev, app, dpa) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_dpa_mem_free(doca_dpa_dev_uintptr_t dev_ptr)
{
    struct dpk_error err = {0};
    struct dpk_dpa *d = dpk_address_leave(&addresses, dev_ptr, dpk_object_hold);
    struct dpk_process *p = d ? dpk_dpa_enter(d, 0) : NULL;
    enum dpk_status status = p ? dpk_heap_free(p, dev_ptr, &err) : DPK_ERR_RANGE;
    if (p)
        dpk_dpa_leave(d);
    dpk_object_drop(d);
    if (p && status != DPK_OK)
        return dpk_doca_failed(__func__, &err);
    return dpk_doca_error(status);
}
