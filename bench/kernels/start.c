/*
 * The program around a kernel. For riscv64 it is freestanding and calls Linux to write and to exit,
 * so that both qemu-riscv64 and rv64_bench run it.
 */
#include "kernel.h"

enum { LINE_SIZE = 17 };

static void print_number(char line[LINE_SIZE], uint64_t number)
{
    for (int i = 0; i < LINE_SIZE - 1; i++)
        line[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
    line[LINE_SIZE - 1] = '\n';
}

#ifdef __riscv

/* Clang calls them to copy and to clear structures. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *t = to;
    for (const uint8_t *f = from; size != 0; size--)
        *t++ = *f++;
    return to;
}

void *memset(void *at, int byte, size_t size)
{
    for (uint8_t *t = at; size != 0; size--)
        *t++ = (uint8_t)byte;
    return at;
}

static long system_call(long number, long a, long b, long c)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
}

static __attribute__((used)) void run(void)
{
    enum { SYS_WRITE = 64, SYS_EXIT = 93 };
    char line[LINE_SIZE];
    print_number(line, kernel());
    system_call(SYS_WRITE, 1, (long)line, sizeof line);
    system_call(SYS_EXIT, 0, 0, 0);
    __builtin_unreachable();
}

__attribute__((naked)) void _start(void)
{
    __asm__("andi sp, sp, -16\n tail run");
}

#else

#include <unistd.h>

int main(void)
{
    char line[LINE_SIZE];
    print_number(line, kernel());
    return write(STDOUT_FILENO, line, sizeof line) == (ssize_t)sizeof line ? 0 : 1;
}

#endif
