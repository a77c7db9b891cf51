/* syscall: calls that device code makes with ECALL (dpa_abi.h). Without the lock. */
#ifndef DPK_ENGINE_PROC_SYSCALL_H
#define DPK_ENGINE_PROC_SYSCALL_H

#include "engine/proc/hart.h"

/* Carries out the call at which `h` stopped. Returns whether that ends the slice. */
bool syscall_run(struct hart *h, struct slice *s);

#endif
