/* external: loads and stores of device code at addresses outside of its process. */
#ifndef DPK_ENGINE_PROC_EXTERNAL_H
#define DPK_ENGINE_PROC_EXTERNAL_H

#include "engine/proc/hart.h"

/* Carries out the instruction that faulted, if it is an access to external memory of its process.
 * False: it is not, or the access is refused, for the reason in `reason`, which is empty otherwise.
 * Without the lock. */
bool external_access(struct hart *h, char reason[DPK_FAULT_REASON_MAX]);

#endif
