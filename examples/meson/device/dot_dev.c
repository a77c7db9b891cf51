/* The DPA side: the dot product of two vectors in DPA memory. */
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

__dpa_rpc__ uint64_t dot_product(uint64_t a, uint64_t b, uint32_t count)
{
    const int64_t *x = (const int64_t *)a, *y = (const int64_t *)b;
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return (uint64_t)sum;
}
