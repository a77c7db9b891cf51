/* An administrator's YAML of execution units: an error, or a list that is as long as it says. */
#include <libflexio/flexio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct flexio_resource *res = NULL;
    if (flexio_resources_create("app", data, size, &res) != FLEXIO_STATUS_SUCCESS) {
        if (res)
            abort();
        return 0;
    }
    volatile uint32_t sum = 0;
    const uint32_t *units = flexio_resources_get_eus(res);
    for (uint32_t i = 0; i < flexio_resources_get_eus_num(res); i++)
        sum += units[i];
    sum += flexio_resources_get_eugs_num(res);
    flexio_resources_destroy(res);
    return 0;
}
