/* place: the card that a process is on, and what it shares there with other programs (running.h). */
#ifndef DPK_ENGINE_PROC_PLACE_H
#define DPK_ENGINE_PROC_PLACE_H

#include "engine/proc/process.h"

/* Puts a new process on the card of its device, and asks that for its units. `warn` is told if other
 * programs cannot see it; may be NULL. Without the lock. */
enum dpk_status place_enter(struct dpk_process *p, void (*warn)(const char *text),
                            struct dpk_error *err);
/* Takes it away. Fine for one that has not entered. Without the lock. */
void place_leave(struct dpk_process *p);
/* In the child of a fork(). With the lock. */
void place_forked(struct dpk_process *p);

#endif
