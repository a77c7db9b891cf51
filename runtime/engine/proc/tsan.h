/*
 * tsan: data races of programs that are compiled with -fsanitize=thread. Their code reports each
 * access (guest/tsan.c), and the room races finds the races. This file handles what orders DPA
 * threads besides atomics: launches, activations, events, and actions of the host. For other
 * programs these functions do nothing. They may be called with sched's lock or without it.
 */
#ifndef DPK_ENGINE_PROC_TSAN_H
#define DPK_ENGINE_PROC_TSAN_H

#include "engine/proc/hart.h"

/* Prepares the process, if its program is compiled for it. */
enum dpk_status proc_tsan_enter(struct dpk_process *p, struct dpk_error *err);
void proc_tsan_leave(struct dpk_process *p);

/* Execute DPA_SYS_ACCESS and DPA_SYS_FENCE. They return true if it ends the slice. */
bool proc_tsan_access(struct hart *h, struct slice *s);
bool proc_tsan_fence(struct hart *h);

/* While this host thread executes a call of the hart `h`, its actions happen after the earlier
 * actions of `h`. NULL: the call has ended. */
void proc_tsan_acts(struct hart *h);

/* proc_tsan_begins: a hart starts, after everything that the host knows. proc_tsan_ended: a hart that ran a
 * host call has ended, so the host knows its actions. */
void proc_tsan_begins(struct hart *h);
void proc_tsan_ended(struct hart *h);
/* proc_tsan_activates: the present actor activates a thread. proc_tsan_activated: the activation starts. */
void proc_tsan_activates(struct dpk_process *p, const void *thread);
void proc_tsan_activated(struct hart *h, const void *thread);
/* proc_tsan_sets: a hart sets an event. proc_tsan_sees: a hart sees its value. */
void proc_tsan_sets(struct hart *h, const void *event);
void proc_tsan_sees(struct hart *h, const void *event);

/* The host writes, reads, or allocates memory of the process. */
void proc_tsan_host_writes(struct dpk_process *p, uint64_t address, uint64_t size);
void proc_tsan_host_reads(struct dpk_process *p, uint64_t address, uint64_t size);
void proc_tsan_allocated(struct dpk_process *p, uint64_t address, uint64_t size);

#endif
