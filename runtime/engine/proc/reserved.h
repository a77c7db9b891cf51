/* reserved: units that a process has taken for threads of the card itself. */
#ifndef DPK_ENGINE_PROC_RESERVED_H
#define DPK_ENGINE_PROC_RESERVED_H

#include "engine/proc/process.h"

/* Returns all units that are still reserved. Called when the process is destroyed. */
void proc_reserved_leave(struct dpk_process *p);

#endif
