#include <time.h>

#include "base.h"

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t dpk_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t dpk_now_ms(void)
{
    return dpk_now_ns() / 1000000;
}

uint64_t dpk_now_coarse_ms(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE) / 1000000;
}

uint64_t dpk_thread_time_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t dpk_real_time_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}
