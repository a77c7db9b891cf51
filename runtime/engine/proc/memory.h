/* memory: accesses of the host to the memory of a process. */
#ifndef DPK_ENGINE_PROC_MEMORY_H
#define DPK_ENGINE_PROC_MEMORY_H

#include "engine/proc/process.h"

/* Makes the lock of accesses in flight anew: when the process is created, and in a child of fork(),
 * where the threads that held it do not exist. */
void memory_not_in_flight(struct dpk_process *p);

#endif
