/* memory: accesses of the host to the memory of a process. */
#ifndef DPK_ENGINE_PROC_MEMORY_H
#define DPK_ENGINE_PROC_MEMORY_H

#include "engine/proc/process.h"

/* Initializes the lock of accesses in flight: when the process is created, and in a child of
 * fork(), which does not have the threads that held it. */
void proc_memory_not_in_flight(struct dpk_process *p);

#endif
