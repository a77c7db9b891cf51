/* debugger: what a debugger does to harts while they run. */
#ifndef DPK_PROC_DEBUGGER_H
#define DPK_PROC_DEBUGGER_H

#include "proc/hart.h"

/* rv64_run for a hart that is debugged. Without the lock. */
enum rv64_stop debug_run(struct hart *h, uint64_t budget, struct slice *s);
/* A slice that ended with a fault, which the debugger may want to see first. Without the lock. */
void debug_fault(struct hart *h, struct slice *s);
/* `h` has left its processor, where it was stopped for the debugger. */
void debug_stop(struct hart *h);

#endif
