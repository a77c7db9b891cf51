/*
 * Ten kinds of work that programs of the DPA do, one file each, to compare the speed of what runs
 * them. start.c makes a program of a kernel, of the host or a static one for riscv64: it prints the
 * kernel's checksum, which is the same everywhere. bench/rv64.sh runs them.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Works for about 0.4 seconds when it is compiled for the host; returns the checksum. */
uint64_t kernel(void);

/* The next number of a sequence that compilers do not compute (xorshift64*). */
static inline uint64_t next_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t add_to_checksum(uint64_t checksum, uint64_t value)
{
    return (checksum << 7 | checksum >> 57) ^ value;
}

#endif
