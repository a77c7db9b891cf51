/* What the NIC's thread of a send queue of kernels does: it executes what they post. A kernel cannot do
 * this itself, because its stack is small. */
#include <time.h>

#include "eth.h"

#define EARLY_NS 200000u   /* a timed send is awaited actively from so long before it */
#define SLEEP_NS 10000000u /* longest sleep before a timed send, since the queue may stop */

/* Waits for a time of the device's real-time clock, or until the thread must end. */
static void await_time(uint64_t due, const atomic_bool *ends)
{
    uint64_t now;
    while ((now = dpk_real_time_ns()) < due && !atomic_load(ends)) {
        const uint64_t left = due - now;
        if (left <= EARLY_NS) {
            dpk_pause();
            continue;
        }
        const uint64_t sleep = left - EARLY_NS < SLEEP_NS ? left - EARLY_NS : SLEEP_NS;
        nanosleep(&(struct timespec){.tv_nsec = (long)sleep}, NULL);
    }
}

void eth_txq_serve(void *context, const atomic_bool *ends)
{
    const struct txq *q = context;
    struct doca_gpu_eth_bell *bell = q->handle->bell;
    const unsigned long long posted = __atomic_load_n(&bell->posted, __ATOMIC_ACQUIRE);
    uint64_t due;
    dpk_queue_ring(q->rings.queue, (uint16_t)posted);
    while ((due = dpk_queue_due(q->rings.queue)) && !atomic_load(ends)) {
        await_time(due, ends);
        dpk_queue_ring(q->rings.queue, (uint16_t)posted);
    }
    if (!atomic_load(ends))
        __atomic_store_n(&bell->done, posted, __ATOMIC_RELEASE);
}
