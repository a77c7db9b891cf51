/* Execution units that an administrator's file gives to a program (doca_pcc.h, "Resources"). */
#include <stdlib.h>
#include <string.h>

#include "api/doca/pcc/private.h"
#include "api/flexio/resources/resources.h"

struct resources {
    struct dpk_object object;
    struct dpk_resources read;
};
static const struct dpk_kind resources_kind = {.release = free};

doca_error_t doca_pcc_resources_create(const char *app_key, const char *file_buffer,
                                       size_t file_buffer_size,
                                       struct doca_pcc_resources **resources)
{
    struct dpk_error err = {0};
    if (resources)
        *resources = NULL;
    if (!resources || !app_key || !*app_key || !file_buffer || file_buffer_size == 0)
        return dpk_doca_no_object(__func__);
    if (file_buffer_size > DPK_RESOURCES_FILE_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "the file has more than %zu bytes", DPK_RESOURCES_FILE_MAX);
    struct resources *r = calloc(1, sizeof *r);
    const enum dpk_status status =
        r ? dpk_resources_read(app_key, file_buffer, file_buffer_size, &r->read, &err)
          : dpk_fail_nomem(&err);
    if (status != DPK_OK) {
        free(r);
        const doca_error_t result =
            status == DPK_ERR_FORMAT || status == DPK_ERR_RANGE
                ? dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%s", err.message)
                : dpk_doca_error_of(&err);
        return dpk_doca_end(NULL, __func__, result);
    }
    *resources = dpk_object_enter(r, &resources_kind);
    return *resources ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_pcc_resources_destroy(struct doca_pcc_resources *resources)
{
    return dpk_doca_destroy(resources, &resources_kind, __func__);
}

doca_error_t doca_pcc_resources_get_num_eus(const struct doca_pcc_resources *resources,
                                            uint32_t *num_eus)
{
    struct resources *r = num_eus ? dpk_object_lock(resources, &resources_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(__func__);
    *num_eus = r->read.units.count;
    return dpk_object_unlock(r, DOCA_SUCCESS);
}

doca_error_t doca_pcc_resources_get_eus(const struct doca_pcc_resources *resources,
                                        uint32_t num_eus, uint32_t *eus)
{
    struct resources *r = eus ? dpk_object_lock(resources, &resources_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(__func__);
    if (num_eus > r->read.units.count)
        return dpk_doca_unlock(r, __func__, DOCA_ERROR_INVALID_VALUE,
                               "the program has %u execution units, not %u", r->read.units.count,
                               num_eus);
    memcpy(eus, r->read.units.numbers, num_eus * sizeof *eus);
    return dpk_object_unlock(r, DOCA_SUCCESS);
}
