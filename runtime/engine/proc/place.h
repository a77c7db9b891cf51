/* place: the card of a process, and the data that it shares there with other programs
 * (running.h). */
#ifndef DPK_ENGINE_PROC_PLACE_H
#define DPK_ENGINE_PROC_PLACE_H

#include "engine/proc/process.h"

/* Registers a new process on its device's card, and gets its units from the device. `warn` (may be
 * NULL) is called if other programs cannot see the process. Call this without the lock. */
enum dpk_status proc_place_enter(struct dpk_process *p, void (*warn)(const char *text),
                                 struct dpk_error *err);
/* Removes the process from the card; does nothing for a process that was not registered. Call this
 * without the lock. */
void proc_place_leave(struct dpk_process *p);
/* Called in the child of a fork(), with the lock. */
void proc_place_forked(struct dpk_process *p);

#endif
