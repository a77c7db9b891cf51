/* memory: what the host does to the memory of a process. */
#ifndef DPK_PROC_MEMORY_H
#define DPK_PROC_MEMORY_H

#include "proc/process.h"

/* No accesses of the host's are in flight: at the beginning, and in a child of fork(). */
void memory_not_in_flight(struct dpk_process *p);

#endif
