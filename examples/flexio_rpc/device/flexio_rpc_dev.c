/* The DPA side: a function that the host calls and whose result it gets. */
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

__dpa_rpc__ uint64_t rpc_calculate(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    flexio_dev_print("Calculate: %lu + %lu = %lu\n", a, b, sum);
    return sum;
}
