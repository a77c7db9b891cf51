/* A function of the DPA to step through: the sum of the numbers from 1. */
#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

__dpa_rpc__ uint64_t sum(uint64_t to)
{
    uint64_t all = 0;
    for (uint64_t i = 1; i <= to; i++)
        all += i;
    return all;
}
