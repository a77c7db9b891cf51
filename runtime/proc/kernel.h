/* kernel: kernels of a process, which run one after the other, in the order of their launches. With
 * sched's lock. */
#ifndef DPK_PROC_KERNEL_H
#define DPK_PROC_KERNEL_H

#include "proc/process.h"

/* Drops the kernels that have not begun, when the process has failed. */
void kernels_forget(struct dpk_process *p);

#endif
