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

/* Returns the number of sends that can be executed now, of those posted. If the CPU takes completions, none
 * of them may be lost, so there must be room for each. */
static unsigned long long executable(const struct txq *q, unsigned long long posted)
{
    const uint32_t depth = 1u << q->rings.log_depth;
    const unsigned long long more = posted - q->executed;
    if (!eth_txq_reports(q) || more > depth) /* the port refuses too many */
        return posted;
    const uint32_t waiting = dpk_cq_produced(q->rings.cq) - atomic_load(&q->rings.consumed);
    const uint32_t room = waiting < depth ? depth - waiting : 0;
    return q->executed + (more < room ? more : room);
}

/* Executes sends up to a number of them. */
static void execute(struct txq *q, unsigned long long until, const atomic_bool *ends)
{
    uint64_t due;
    dpk_queue_ring(q->rings.queue, (uint16_t)until);
    while ((due = dpk_queue_due(q->rings.queue)) && !atomic_load(ends)) {
        await_time(due, ends);
        dpk_queue_ring(q->rings.queue, (uint16_t)until);
    }
    q->executed = until;
    if (!atomic_load(ends))
        __atomic_store_n(&q->handle->bell->done, until, __ATOMIC_RELEASE);
}

void eth_txq_serve(void *context, const atomic_bool *ends)
{
    struct txq *q = context;
    const unsigned long long posted = __atomic_load_n(&q->handle->bell->posted, __ATOMIC_ACQUIRE);
    unsigned long long until;
    while (q->executed != posted && !atomic_load(ends)) {
        until = executable(q, posted);
        if (until == q->executed) {
            atomic_store(&q->stalls, true); /* before the second look: gpu_events.c */
            until = executable(q, posted);
        }
        if (until == q->executed)
            return;
        execute(q, until, ends);
    }
}
