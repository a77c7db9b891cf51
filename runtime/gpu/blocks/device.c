#include "device.h"

#include "private.h"

#include <string.h>
#include <time.h>

void dpk_gpu_yield(void)
{
    struct fiber *f = block_here();
    block_queue_put(&f->block->polling, f);
    block_leave(f);
}

void dpk_gpu_sleep(uint32_t nanoseconds)
{
    const uint64_t end = dpk_now_ns() + nanoseconds;
    do
        dpk_gpu_yield();
    while (dpk_now_ns() < end);
}

/* A thread that reads the clock may wait for a time, so each read counts as a poll. */
static void count_poll(void)
{
    if (dpk_gpu_self && --dpk_gpu_self->polls < 0)
        dpk_gpu_yield();
}

uint64_t dpk_gpu_clock(void)
{
    count_poll();
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return dpk_now_ns();
#endif
}

uint64_t dpk_gpu_globaltimer(void)
{
    count_poll();
    return dpk_real_time_ns();
}

void dpk_gpu_trap(void)
{
    block_fail(DPK_BLOCK_TRAPPED, __builtin_return_address(0), "__trap()");
}

void dpk_gpu_assert(const char *what, const char *file, uint32_t line, const char *function)
{
    char text[512];
    snprintf(text, sizeof text, "%s: assertion `%s' failed (%s:%u)", function, what, file, line);
    block_fail(DPK_BLOCK_ASSERTED, __builtin_return_address(0), text);
}

/* The last block of a round starts the next round. */
void dpk_gpu_barrier_grid(void)
{
    struct fiber *f = block_here();
    struct dpk_grid *g = f->block->grid;
    dpk_gpu_barrier(0);
    if (f->index == 0) {
        const uint32_t round = atomic_load(&g->sync_round);
        block_check_grid_arrive(f->block);
        if (atomic_fetch_add(&g->sync_arrived, 1) + 1 == g->total) {
            block_check_grid_meet(f->block);
            atomic_store(&g->sync_arrived, 0);
            atomic_store(&g->sync_round, round + 1);
        } else {
            while (atomic_load(&g->sync_round) == round)
                dpk_gpu_yield();
        }
        block_check_grid_leave(f->block);
    }
    dpk_gpu_barrier(0);
}

/* The exchange of 16 bytes is in order, and releases before it and acquires after it. */
static void check_both(const void *at, bool releases)
{
    struct fiber *f = block_here();
    if (releases)
        block_check_release(f, (uintptr_t)at);
    else
        block_check_acquire(f, (uintptr_t)at);
}

#if defined __x86_64__
__attribute__((target("cx16"))) void dpk_gpu_cas128(void *at, void *expected, const void *desired)
{
    unsigned __int128 old, new;
    check_both(at, true);
    memcpy(&old, expected, sizeof old);
    memcpy(&new, desired, sizeof new);
    old = __sync_val_compare_and_swap((unsigned __int128 *)at, old, new);
    memcpy(expected, &old, sizeof old);
    check_both(at, false);
}
#else
void dpk_gpu_cas128(void *at, void *expected, const void *desired)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    unsigned char old[16];
    check_both(at, true);
    pthread_mutex_lock(&lock);
    memcpy(old, at, sizeof old);
    if (memcmp(old, expected, sizeof old) == 0)
        memcpy(at, desired, sizeof old);
    pthread_mutex_unlock(&lock);
    memcpy(expected, old, sizeof old);
    check_both(at, false);
}
#endif
