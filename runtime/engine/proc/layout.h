/*
 * layout: guest addresses of stacks and heap, and their sizes.
 *
 *     program below 1 GiB, as older versions of dpacc linked it:
 *         0x400000 code, data | 0x40000000 stacks | 0x80000000 heap
 *     other programs; dpacc links them so, as NVIDIA's dpacc 1.10 does:
 *         0x40000000 code | 0x80000000 data | 0x90000000 stacks | 0xa0000000 heap
 *         (more data: stacks and heap move up by multiples of 256 MiB)
 *
 * Stacks lie above the program's variables and the heap above the stacks, because windows of harts
 * (rv64/windows.c) are the lowest and the highest pages that may be written.
 */
#ifndef DPK_ENGINE_PROC_LAYOUT_H
#define DPK_ENGINE_PROC_LAYOUT_H

#include "engine/proc/proc.h"

#define STACK_STRIDE  0x20000ull /* distance of stacks; bytes between stacks are a guard */
#define STACK_GUARD   0x1000ull
#define STACK_SIZE    0x10000ull
#define HEAP_DEFAULT  0x40000000ull
#define GUEST_SIZE    0x100000000ull
#define ARGUMENTS_MAX 0x4000ull /* maximum bytes of arguments, which are on the stack */
#define HARTS_MAX     (DPK_THREADS_MAX + DPK_CALLS_MAX + DPK_THREADS_OF_PROCESS)

/* Bytes that stay free at the end of a stack. A check of translated code covers an address and the
 * next 256 bytes at once. Accesses near the end of a stack would need a second check, because
 * nothing is mapped after it. */
#define STACK_END_FREE 0x100ull

struct process_layout {
    uint64_t stacks;   /* address of the first hart's stack and its guard */
    uint64_t heap;     /* address of the heap */
    uint64_t heap_max; /* maximum bytes of the heap */
};
/* Returns the layout of a process that runs this image. */
struct process_layout proc_process_layout_of(const struct dpk_image *image);

#endif
