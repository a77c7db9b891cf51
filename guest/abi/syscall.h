/* Calls into the runtime: ECALL with the number in a7, arguments in a0 to a3, result in a0. */
#ifndef DPK_GUEST_ABI_SYSCALL_H
#define DPK_GUEST_ABI_SYSCALL_H

#include "dpa_abi.h"

#include <stdint.h>

static inline uint64_t dpa_call4(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t a0 __asm__("a0") = a;
    register uint64_t a1 __asm__("a1") = b;
    register uint64_t a2 __asm__("a2") = c;
    register uint64_t a3 __asm__("a3") = d;
    register uint64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
    return a0;
}

static inline uint64_t dpa_call3(uint64_t number, uint64_t a, uint64_t b, uint64_t c)
{
    return dpa_call4(number, a, b, c, 0);
}

static inline uint64_t dpa_call0(uint64_t number)
{
    return dpa_call4(number, 0, 0, 0, 0);
}

static inline _Noreturn void dpa_call_noreturn(uint64_t number)
{
    dpa_call0(number);
    __builtin_trap();
}

#endif
