/* An administrator's YAML of execution units: an error, or lists that have the stated lengths. */
#include <stdlib.h>

#include "api/flexio/resources/resources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_resources res;
    if (dpk_resources_read("app", data, size, &res, NULL) != DPK_OK)
        return 0;
    if (res.units.count > DPK_RESOURCES_MAX || res.groups.count > DPK_RESOURCES_MAX)
        abort();
    for (uint32_t i = 0; i < res.units.count; i++)
        if (res.units.numbers[i] > 255)
            abort();
    return 0;
}
