/* Device code of the tests of debugging: one function for each way to go wrong, and some to step
 * through. Lines are looked for by their marks. */
#include <stdint.h>

#include "guest/abi/dpa_abi.h"

typedef uint64_t u64;

__asm__(".globl _dpa_start\n"
        ".type _dpa_start, @function\n"
        "_dpa_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined ra\n"
        "    jalr a2\n"
        "    li a7, 1\n"
        "    ecall\n"
        "    .cfi_endproc\n"
        ".size _dpa_start, . - _dpa_start\n");

#define ENTRY(f, n)                                                                                \
    const u64 _dpacc_argsize_##f = 8 * (n);                                                        \
    u64 _dpacc_unpack_##f(const u64 *a, u64 (*g)(u64, u64))                                        \
    {                                                                                              \
        return g((n) > 0 ? a[0] : 0, (n) > 1 ? a[1] : 0);                                          \
    }                                                                                              \
    u64 f

u64 progress = 7;
volatile u64 table[4] = {1, 2, 3, 4};
volatile u64 here[300];

static u64 ask(u64 what)
{
    register u64 a0 __asm__("a0");
    register u64 a7 __asm__("a7") = what;
    __asm__ volatile("ecall" : "=r"(a0) : "r"(a7) : "memory");
    return a0;
}

static __attribute__((noinline)) u64 store(volatile u64 *p, u64 value)
{
    progress = value;
    *p = value; /* mark: store */
    return progress;
}

ENTRY(null, 0)(void)
{
    return store((u64 *)0, 42) + 1;
}

ENTRY(misaligned, 0)(void)
{
    return store((u64 *)((u64)&progress + 1), 43) + 1;
}

ENTRY(write_code, 0)(void)
{
    return store((u64 *)((u64)store & ~UINT64_C(7)), 44) + 1;
}

static __attribute__((noinline)) u64 recurse(u64 depth)
{ /* mark: overflow */
    volatile u64 room[64];
    room[depth & 63] = depth;
    return depth == UINT64_MAX ? 0 : depth + recurse(depth + 1) + room[depth & 63];
}

ENTRY(stack_overflow, 0)(void)
{
    return recurse(0);
}

ENTRY(illegal, 0)(void)
{
    __asm__ volatile(".4byte 0xffffffff"); /* mark: illegal */
    return 0;
}

ENTRY(endless, 0)(void)
{
    for (;;)
        table[0]++; /* mark: endless */
}

ENTRY(count, 1)(u64 n)
{
    for (u64 i = 0; i < n; i++)
        table[i & 3] += i; /* mark: count */
    return table[0];
}

/* Every thread reports its start, and waits for the thread that fails. */
ENTRY(crowd, 1)(u64 culprit)
{
    u64 me = ask(DPA_SYS_THREAD_RANK), all = ask(DPA_SYS_NUM_THREADS);
    __atomic_fetch_add(&here[0], 1, __ATOMIC_SEQ_CST);
    here[1 + me] = me;
    while (me != culprit || here[0] < all)
        ;
    return store((u64 *)0, me) + 1;
}
