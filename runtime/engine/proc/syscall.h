/* syscall: calls that device code makes with ECALL (dpa_abi.h). Call this without the lock. */
#ifndef DPK_ENGINE_PROC_SYSCALL_H
#define DPK_ENGINE_PROC_SYSCALL_H

#include "engine/proc/hart.h"

/* Executes the call at which `h` stopped. Returns true if that ends the slice. */
bool proc_syscall_run(struct hart *h, struct slice *s);

#endif
