/* external: loads and stores of device code at addresses outside its process. */
#ifndef DPK_ENGINE_PROC_EXTERNAL_H
#define DPK_ENGINE_PROC_EXTERNAL_H

#include "engine/proc/hart.h"

/* Executes the instruction that faulted, if it accesses external memory of its process. Returns
 * false if it does not, or if the access is refused; then `reason` says why, else it is empty. Call
 * this without the lock. */
bool proc_external_access(struct hart *h, char reason[DPK_FAULT_REASON_MAX]);

#endif
