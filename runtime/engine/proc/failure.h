/* failure: puts a process into the error state. With sched's lock. */
#ifndef DPK_ENGINE_PROC_FAILURE_H
#define DPK_ENGINE_PROC_FAILURE_H

#include "engine/proc/hart.h"

/* Call this without the lock. */
void proc_failure_init(struct dpk_process *p);
/* Passes the line of text to the owner's `failed`, if that has not been done. It releases the lock
 * meanwhile. */
void proc_failure_tell(struct dpk_process *p);
/* Puts the process into the error state: ends its harts, and the waits of host threads for it. A
 * second call keeps the report of the first failure. */
void proc_process_fail(struct dpk_process *p, enum dpk_status status, const char *report);
/* Same, for a failure that `h` caused. */
void proc_process_fail_at(struct hart *h, enum dpk_status status, const char *report);
/* Ends the error handler of a process that is about to be destroyed. */
void proc_error_handler_end(struct dpk_process *p);

#endif
