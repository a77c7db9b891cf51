/* The device side of the tests of the host libraries: bare, so that they need no dpacc. Start-up,
 * unpack routines and calls by guest/abi/dpa_abi.h. */
#include <stdint.h>

#include "guest/abi/dpa_abi.h"

__asm__(".globl _dpa_start\n"
        "_dpa_start:\n"
        "    jalr a2\n"
        "    li a7, 1\n" /* DPA_SYS_EXIT */
        "    ecall\n");

static uint64_t call4(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
                         a3 __asm__("a3") = d, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
    return a0;
}

#define ENTRY(f, words, call)                                                                      \
    extern const uint64_t _dpacc_argsize_##f;                                                      \
    const uint64_t _dpacc_argsize_##f = 8 * (words);                                               \
    uint64_t _dpacc_unpack_##f(uint64_t *a, void *func);                                           \
    uint64_t _dpacc_unpack_##f(uint64_t *a, void *func)                                            \
    {                                                                                              \
        (void)a, (void)func;                                                                       \
        return call;                                                                               \
    }

uint64_t add(uint64_t a, uint64_t b);
uint64_t add(uint64_t a, uint64_t b)
{
    return a + b;
}
ENTRY(add, 2, add(a[0], a[1]))

uint64_t twice(uint64_t a);
uint64_t twice(uint64_t a)
{
    return 2 * a;
}
ENTRY(twice, 1, twice(a[0]))

/* Sum of `size` bytes. */
uint64_t sum(const uint8_t *p, uint64_t size);
uint64_t sum(const uint8_t *p, uint64_t size)
{
    uint64_t total = 0;
    while (size--)
        total += *p++;
    return total;
}
ENTRY(sum, 2, sum((const uint8_t *)a[0], a[1]))

static void print_number(uint64_t stream, uint64_t level, uint64_t n)
{
    char text[24], *p = text + sizeof text;
    *--p = '\n';
    do
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    call4(DPA_SYS_MSG, stream, level, (uint64_t)p, (uint64_t)(text + sizeof text - p));
}

/* Prints the numbers from 0 to n-1, a message each. */
uint64_t count(uint64_t stream, uint64_t level, uint64_t n);
uint64_t count(uint64_t stream, uint64_t level, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        print_number(stream, level, i);
    return n;
}
ENTRY(count, 3, count(a[0], a[1], a[2]))

/* Reads an address that may not be there. */
uint64_t load(const volatile uint64_t *p);
uint64_t load(const volatile uint64_t *p)
{
    return *p;
}
ENTRY(load, 1, load((const volatile uint64_t *)a[0]))

/* A kernel: every thread adds (its rank + 1) * factor to the event. */
void add_rank(uint64_t event, uint64_t factor);
void add_rank(uint64_t event, uint64_t factor)
{
    uint64_t rank = call4(DPA_SYS_THREAD_RANK, 0, 0, 0, 0);
    call4(DPA_SYS_EVENT_ADD, event, (rank + 1) * factor, 0, 0);
}
ENTRY(add_rank, 2, (add_rank(a[0], a[1]), 0))

/* A kernel: event = event * 10 + digit, so that the order of launches shows. */
void append(uint64_t event, uint64_t digit);
void append(uint64_t event, uint64_t digit)
{
    uint64_t value = call4(DPA_SYS_EVENT_GET, event, 0, 0, 0);
    call4(DPA_SYS_EVENT_SET, event, value * 10 + digit, 0, 0);
}
ENTRY(append, 2, (append(a[0], a[1]), 0))

/* Never ends. */
uint64_t spin(void);
uint64_t spin(void)
{
    for (;;)
        __asm__ volatile("");
}
ENTRY(spin, 0, spin())
