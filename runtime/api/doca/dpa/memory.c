/* DPA memory. */
#include <doca_dpa.h>

#include "private.h"

/* Ends a call and returns its status. */
static doca_error_t finish(struct doca_dpa *dpa, struct dpk_dpa_call *c, const char *call,
                           enum dpk_status status, const struct dpk_error *err)
{
    dpk_dpa_end(c);
    return dpk_doca_end(dpa, call, status == DPK_OK ? DOCA_SUCCESS : dpk_doca_error_of(err));
}

doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    uint64_t address = 0;
    if (dev_ptr)
        *dev_ptr = 0;
    if (dev_ptr && size == 0)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "an allocation has at least 1 byte");
    if (!dev_ptr)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    enum dpk_status status = dpk_heap_alloc(c.process, size, &address, &err);
    if (status == DPK_OK)
        *dev_ptr = address;
    return finish(dpa, &c, __func__, status, &err);
}

doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    return finish(dpa, &c, __func__, dpk_heap_free(c.process, dev_ptr, &err), &err);
}

doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                 void *src_ptr, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    doca_error_t result = src_ptr ? dpk_dpa_begin(dpa, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    return finish(dpa, &c, __func__, dpk_copy_in(c.process, dst_ptr, src_ptr, size, &err), &err);
}

doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
                                 doca_dpa_dev_uintptr_t src_ptr, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    doca_error_t result = dst_ptr ? dpk_dpa_begin(dpa, &c) : DOCA_ERROR_INVALID_VALUE;
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    return finish(dpa, &c, __func__, dpk_copy_out(c.process, dst_ptr, src_ptr, size, &err), &err);
}

doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size)
{
    struct dpk_error err = {0};
    struct dpk_dpa_call c;
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    return finish(dpa, &c, __func__, dpk_fill(c.process, dev_ptr, value, size, &err), &err);
}
