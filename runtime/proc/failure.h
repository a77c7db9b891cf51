/* failure: the end of a process before its time. With sched's lock. */
#ifndef DPK_PROC_FAILURE_H
#define DPK_PROC_FAILURE_H

#include "proc/hart.h"

/* The first failure counts: ends the process's harts and wakes whoever waits. */
void process_fail(struct dpk_process *p, enum dpk_status status, const char *report);
/* The same; `h` is to blame. */
void process_fail_at(struct hart *h, enum dpk_status status, const char *report);
/* The process is about to be destroyed: its error handler ends. */
void error_handler_end(struct dpk_process *p);

#endif
