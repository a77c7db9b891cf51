/* Counts accesses in flight. */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

#define CLOSED (UINT32_C(1) << 31)

void dpk_pins_open(struct dpk_pins *pins)
{
    pins->process = getpid();
    atomic_store_explicit(&pins->state, 0, memory_order_release);
}

bool dpk_pin(struct dpk_pins *pins)
{
    uint32_t state = atomic_load_explicit(&pins->state, memory_order_relaxed);
    do {
        if (state & CLOSED)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&pins->state, &state, state + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

void dpk_unpin(struct dpk_pins *pins)
{
    /* From here on, the thread that closes may free *pins. Waking an address without waiters is
     * harmless. */
    if (atomic_fetch_sub_explicit(&pins->state, 1, memory_order_release) == (CLOSED | 1))
        syscall(SYS_futex, &pins->state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void dpk_pins_close(struct dpk_pins *pins)
{
    uint32_t state = atomic_fetch_or_explicit(&pins->state, CLOSED, memory_order_acquire) | CLOSED;
    while (state != CLOSED && pins->process == getpid()) {
        syscall(SYS_futex, &pins->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
        state = atomic_load_explicit(&pins->state, memory_order_acquire);
    }
}
