/*
 * tsan: data races of programs that are compiled with -fsanitize=thread. Their code tells of each access
 * (guest/tsan.c), and the room races finds those that race. Here is what orders threads of the DPA beside
 * their atomics: launches, activations, events, and what the host does. For other programs these
 * functions do nothing. They may be called with sched's lock or without.
 */
#ifndef DPK_ENGINE_PROC_TSAN_H
#define DPK_ENGINE_PROC_TSAN_H

#include "engine/proc/hart.h"

/* If the program is compiled for it. */
enum dpk_status tsan_enter(struct dpk_process *p, struct dpk_error *err);
void tsan_leave(struct dpk_process *p);

/* DPA_SYS_ACCESS and DPA_SYS_FENCE. Returns whether it ends the slice. */
bool tsan_access(struct hart *h, struct slice *s);
bool tsan_fence(struct hart *h);

/* While this thread of the host carries out a call of `h`, what it causes comes after what `h` did;
 * NULL: the call is over. */
void tsan_acts(struct hart *h);

/* A hart begins: after all that the host knows. One that carried out a call of the host has ended:
 * the host knows what it did. */
void tsan_begins(struct hart *h);
void tsan_ended(struct hart *h);
/* A thread is activated by who acts now; it begins. */
void tsan_activates(struct dpk_process *p, const void *thread);
void tsan_activated(struct hart *h, const void *thread);
/* A hart sets an event; it sees its value. */
void tsan_sets(struct hart *h, const void *event);
void tsan_sees(struct hart *h, const void *event);

/* The host writes, reads, or allocates memory of the process. */
void tsan_host_writes(struct dpk_process *p, uint64_t address, uint64_t size);
void tsan_host_reads(struct dpk_process *p, uint64_t address, uint64_t size);
void tsan_allocated(struct dpk_process *p, uint64_t address, uint64_t size);

#endif
