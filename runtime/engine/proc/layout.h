/* layout: guest addresses above the program's (DPK_PROGRAM_END), and the sizes of stacks and
 * heap. */
#ifndef DPK_ENGINE_PROC_LAYOUT_H
#define DPK_ENGINE_PROC_LAYOUT_H

#include "engine/proc/proc.h"

#define STACKS_BASE   0x40000000ull
#define STACK_STRIDE  0x20000ull /* distance of stacks; bytes between stacks are a guard */
#define STACK_GUARD   0x1000ull
#define STACK_SIZE    0x10000ull
#define HEAP_BASE     0x80000000ull
#define HEAP_MAX      0x7ffff000ull
#define HEAP_DEFAULT  0x40000000ull
#define GUEST_SIZE    0x100000000ull
#define ARGUMENTS_MAX 0x4000ull /* maximum bytes of arguments, which are on the stack */
#define HARTS_MAX     (DPK_THREADS_MAX + DPK_CALLS_MAX + DPK_THREADS_OF_PROCESS)

/* Bytes that stay free at the end of a stack. A check of translated code covers an address and the
 * next 256 bytes at once. Accesses near the end of a stack would need a second check, because
 * nothing is mapped after it. */
#define STACK_END_FREE 0x100ull

#endif
