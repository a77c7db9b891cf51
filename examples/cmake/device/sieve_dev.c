/* The DPA side: every thread strikes out the multiples of its share of the factors. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>
#include <stdint.h>

__dpa_global__ void strike_out(uint64_t sieve, uint32_t limit)
{
    uint8_t *composite = (uint8_t *)sieve;
    uint32_t step = doca_dpa_dev_num_threads();
    for (uint32_t factor = 2 + doca_dpa_dev_thread_rank(); factor < limit; factor += step)
        for (uint64_t i = (uint64_t)factor * factor; i < limit; i += factor)
            __atomic_store_n(&composite[i], 1, __ATOMIC_RELAXED); /* others may, too */
}

/* The result goes to the event, which the host waits for. */
__dpa_global__ void count_primes(uint64_t sieve, uint32_t limit, doca_dpa_dev_sync_event_t primes)
{
    const uint8_t *composite = (const uint8_t *)sieve;
    uint64_t count = 0;
    for (uint32_t i = 2; i < limit; i++)
        count += !composite[i];
    doca_dpa_dev_sync_event_update_add(primes, count);
}
