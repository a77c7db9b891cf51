/*
 * asan: memory errors of programs that are compiled with -fsanitize=address. Their code checks
 * shadow memory, which is in the guest (guest/asan.c), before each access, and marks variables of
 * the stack. This file marks the rest: the gaps around global variables, and the heap. Each error
 * is reported as one line. For other programs these functions do nothing.
 */
#ifndef DPK_ENGINE_PROC_ASAN_H
#define DPK_ENGINE_PROC_ASAN_H

#include "engine/proc/hart.h"

/* Makes shadow memory and marks the gaps around global variables, if the program is compiled for
 * it. */
enum dpk_status proc_asan_enter(struct dpk_process *p, struct dpk_error *err);
void proc_asan_leave(struct dpk_process *p);
/* Marks the whole stack of `h` as unused. */
void proc_asan_stack_is_empty(const struct hart *h);
/* The heap got new pages; a range of `size` bytes was allocated, or freed. Call these with the
 * heap's lock. */
void proc_asan_heap_grew(struct dpk_process *p, uint64_t address, uint64_t size);
void proc_asan_allocated(struct dpk_process *p, uint64_t address, uint64_t size);
void proc_asan_freed(struct dpk_process *p, uint64_t address, uint64_t size);
/* Returns true if the host may access these bytes, which are mapped. Of the heap, only allocated
 * bytes are allowed. */
bool proc_asan_allows(struct dpk_process *p, uint64_t address, uint64_t size,
                      struct dpk_error *err);
/* Executes DPA_SYS_BAD_ACCESS. Returns true if it ends the slice. Call this without sched's
 * lock. */
bool proc_asan_report(struct hart *h, struct slice *s);

#endif
