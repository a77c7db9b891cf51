/*
 * fibers: several stacks, between which a host thread switches.
 *
 *     struct dpk_fiber_stack stack;
 *     if (dpk_fiber_stack_map(&stack, 65536)) {
 *         fiber = dpk_fiber_prepare(stack.top, entry, context);
 *         dpk_fiber_switch(&here, fiber);             // runs entry(context)
 *     }                                               // entry: dpk_fiber_switch(&fiber, here)
 *
 * A fiber runs only on the host thread that started it.
 */
#ifndef DPK_GPU_FIBERS_FIBERS_H
#define DPK_GPU_FIBERS_FIBERS_H

#include <stdbool.h>
#include <stddef.h>

struct dpk_fiber_stack {
    char *low, *top; /* usable bytes; the page below `low` faults */
};

/* Maps a stack of at least `size` bytes. The system allocates a page at its first use. Returns
 * false if memory is exhausted. */
bool dpk_fiber_stack_map(struct dpk_fiber_stack *stack, size_t size);
void dpk_fiber_stack_unmap(struct dpk_fiber_stack *stack);
/* Returns true if the address is in the page below the stack. */
bool dpk_fiber_stack_overflowed(const struct dpk_fiber_stack *stack, const void *address);

/* Returns a fiber that runs entry(context) on the stack that ends at `top`. `entry` must not
 * return. */
void *dpk_fiber_prepare(void *top, void (*entry)(void *), void *context);
/* Saves the running fiber in *from, and continues `to`. */
void dpk_fiber_switch(void **from, void *to);

#endif
