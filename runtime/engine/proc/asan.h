/*
 * asan: memory errors of programs that are compiled with -fsanitize=address. Their code asks shadow
 * memory, which is in the guest (guest/asan.c), before each access, and marks variables of the stack.
 * Here the rest is marked: what lies around global variables, and the heap. What is wrong is reported as
 * one line. For other programs these functions do nothing.
 */
#ifndef DPK_ENGINE_PROC_ASAN_H
#define DPK_ENGINE_PROC_ASAN_H

#include "engine/proc/hart.h"

/* Makes shadow memory and marks what lies around global variables, if the program is compiled for it. */
enum dpk_status asan_enter(struct dpk_process *p, struct dpk_error *err);
void asan_leave(struct dpk_process *p);
/* Nothing is on the stack of `h` yet. */
void asan_stack_is_empty(const struct hart *h);
/* The heap has new pages; a range of `size` bytes was allocated, or freed. With the heap's lock. */
void asan_heap_grew(struct dpk_process *p, uint64_t address, uint64_t size);
void asan_allocated(struct dpk_process *p, uint64_t address, uint64_t size);
void asan_freed(struct dpk_process *p, uint64_t address, uint64_t size);
/* Whether the host may access these bytes, which are mapped: of the heap, only what is allocated. */
bool asan_allows(struct dpk_process *p, uint64_t address, uint64_t size, struct dpk_error *err);
/* Carries out DPA_SYS_BAD_ACCESS. Returns whether it ends the slice. Without sched's lock. */
bool asan_report(struct hart *h, struct slice *s);

#endif
