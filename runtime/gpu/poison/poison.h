/*
 * poison: tells AddressSanitizer which memory nobody may access, and on which stack a thread of the host
 * runs. Without AddressSanitizer in the program (dpacu -fsanitize=address) these functions do nothing.
 *
 *     dpk_gpu_poison(end, 64);                          // an access to these bytes is reported
 *
 *     dpk_gpu_poison_leave(&kept, low, size);          // the stack that continues
 *     dpk_fiber_switch(&here, there);
 *     dpk_gpu_poison_enter(kept);                       // back on this stack
 */
#ifndef DPK_GPU_POISON_POISON_H
#define DPK_GPU_POISON_POISON_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the program has AddressSanitizer. */
bool dpk_gpu_poison_is_there(void);
void dpk_gpu_poison(const void *at, size_t size);
void dpk_gpu_unpoison(const void *at, size_t size);

/* Call the first before a switch to another stack, and the second after it, on the other stack.
 * `kept`: where to keep what belongs to the stack that is left, or NULL if nobody returns to it.
 * Give it to the second when the stack continues; NULL for a stack that begins. */
void dpk_gpu_poison_leave(void **kept, const void *low, size_t size);
void dpk_gpu_poison_enter(void *kept);

/* An access that AddressSanitizer reports. */
struct dpk_gpu_poison_finding {
    const void *pc, *address;
    size_t size;
    bool writes;
    const char *what; /* "stack-buffer-overflow" */
};
/* Calls `tell` after each report of AddressSanitizer, before the program ends. */
void dpk_gpu_poison_on_report(void (*tell)(const struct dpk_gpu_poison_finding *found));

#endif
