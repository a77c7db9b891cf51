/* kernel: kernels of a process. Each starts when its event has come and enough units are free, while
 * others run. With sched's lock. */
#ifndef DPK_ENGINE_PROC_KERNEL_H
#define DPK_ENGINE_PROC_KERNEL_H

#include "engine/proc/process.h"

/* Drops the kernels that have not started, after the process has failed. */
void proc_kernels_forget(struct dpk_process *p);

#endif
