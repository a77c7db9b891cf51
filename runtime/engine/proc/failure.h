/* failure: puts a process into the error state. With sched's lock. */
#ifndef DPK_ENGINE_PROC_FAILURE_H
#define DPK_ENGINE_PROC_FAILURE_H

#include "engine/proc/hart.h"

/* Without the lock. */
void failure_init(struct dpk_process *p);
/* Gives the owner's `failed` the line of text if that is still to be done; gives the lock away
 * meanwhile. */
void failure_tell(struct dpk_process *p);
/* Ends the process's harts and the waits of host threads for it. A process that has failed before
 * keeps the report of its first failure. */
void process_fail(struct dpk_process *p, enum dpk_status status, const char *report);
/* The same for a failure that `h` has caused. */
void process_fail_at(struct hart *h, enum dpk_status status, const char *report);
/* Ends the error handler of a process that is about to be destroyed. */
void error_handler_end(struct dpk_process *p);

#endif
