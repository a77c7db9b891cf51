/* reserved: units of a process that it has taken for threads of the card's own. */
#ifndef DPK_ENGINE_PROC_RESERVED_H
#define DPK_ENGINE_PROC_RESERVED_H

#include "engine/proc/process.h"

/* Gives back all units that are still reserved: the process goes. */
void reserved_leave(struct dpk_process *p);

#endif
