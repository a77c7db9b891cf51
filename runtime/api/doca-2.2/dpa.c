/* DPA contexts and their memory in DOCA 2.2. */
#include <doca-2.2/doca_dpa.h>

#include <limits.h>

#include "api/addresses/addresses.h"
#include "api/doca/dpa/dpa.h"
#include "later.h"

doca_error_t doca_devinfo_get_is_dpa_supported(const struct doca_devinfo *devinfo)
{
    return generation_later_dpa_is_supported(devinfo);
}

doca_error_t doca_dpa_create(struct doca_dev *dev, doca_dpa_app_t app, doca_dpa_t *dpa,
                             unsigned int flags)
{
    if (dpa)
        *dpa = NULL;
    return app && flags == 0 ? generation_later_dpa_create_started(dev, app, dpa)
                             : dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                                    "no program, or flags that are not 0");
}

doca_error_t doca_dpa_app_name_get(doca_dpa_app_t app, char *name, int *name_len)
{
    uint32_t length = name_len && *name_len > 0 ? (uint32_t)*name_len : 0;
    const doca_error_t result = generation_later_dpa_app_name(app, name, name_len ? &length : NULL);
    if (name_len && length <= INT_MAX)
        *name_len = (int)length;
    return result;
}

/* ---- Memory ---- */

static bool is_running(const void *handle, uint64_t run)
{
    struct dpk_dpa *d = dpk_object_pin(handle, &dpk_dpa_kind);
    bool runs = d && dpk_dpa_enter(d, run);
    if (runs)
        dpk_dpa_leave(d);
    dpk_object_drop(d);
    return runs;
}

/* Allocations of all contexts, because doca_dpa_mem_free gets only an address. Owners are
 * handles. */
static struct dpk_addresses addresses = {.lock = PTHREAD_MUTEX_INITIALIZER, .lives = is_running};

doca_error_t doca_dpa_mem_alloc(doca_dpa_t dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    if (dev_ptr)
        *dev_ptr = 0;
    if (!dev_ptr || size == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "0 bytes, or nowhere to put the address");
    const doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_refuse_call(NULL, result, __func__,
                                    "the DPA context is invalid, was destroyed, or has failed");
    const struct dpk_dpa *base = dpk_dpa_base(c.dpa);
    const struct dpk_address_owner owner = {base->object.handle, base->run};
    enum dpk_status status = dpk_address_new(&addresses, &owner, c.process, size, dev_ptr, &err);
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(&err));
}

doca_error_t doca_dpa_mem_free(doca_dpa_dev_uintptr_t dev_ptr)
{
    struct dpk_error err = {0};
    struct dpk_address_owner owner;
    struct dpk_dpa *d = NULL;
    if (dpk_address_leave(&addresses, dev_ptr, &owner))
        d = dpk_object_pin(owner.object, &dpk_dpa_kind);
    struct dpk_process *p = d ? dpk_dpa_enter(d, owner.run) : NULL;
    enum dpk_status status = p ? dpk_heap_free(p, dev_ptr, &err) : DPK_ERR_RANGE;
    if (p)
        dpk_dpa_leave(d);
    dpk_object_drop(d);
    if (p && status != DPK_OK)
        return dpk_doca_end(NULL, __func__, dpk_doca_error_of(&err));
    if (status != DPK_OK)
        return dpk_doca_refuse_call(NULL, dpk_doca_error(status), __func__,
                                    "no memory of doca_dpa_mem_alloc begins at 0x%llx",
                                    (unsigned long long)dev_ptr);
    return DOCA_SUCCESS;
}
