/* layout: guest addresses above the program's (DPK_PROGRAM_END), and the sizes of what is there. */
#ifndef DPK_ENGINE_PROC_LAYOUT_H
#define DPK_ENGINE_PROC_LAYOUT_H

#include "engine/proc/proc.h"

#define STACKS_BASE   0x40000000ull
#define STACK_STRIDE  0x20000ull /* from stack to stack; what is not stack is guard */
#define STACK_GUARD   0x1000ull
#define STACK_SIZE    0x10000ull
#define HEAP_BASE     0x80000000ull
#define HEAP_MAX      0x7ffff000ull
#define HEAP_DEFAULT  0x40000000ull
#define GUEST_SIZE    0x100000000ull
#define ARGUMENTS_MAX 0x4000ull /* bytes of arguments, which are on the stack */
#define HARTS_MAX     (DPK_THREADS_MAX + DPK_CALLS_MAX + DPK_THREADS_OF_PROCESS)

/* Bytes that stay free at the end of a stack. Checks of translated code look at 256 bytes and those
 * behind them at once, so accesses there would need a second look: nothing is behind. */
#define STACK_END_FREE 0x100ull

#endif
