/* debugger: a debugger of a process, and how it controls harts while they run. */
#ifndef DPK_ENGINE_PROC_DEBUGGER_H
#define DPK_ENGINE_PROC_DEBUGGER_H

#include "engine/proc/debug_policy.h"
#include "engine/proc/hart.h"

enum { WATCHES_MAX = 16 };

struct dpk_debugger {
    struct dpk_process *process;
    struct debug_policy policy;
    int fd; /* an eventfd, readable when there may be a stop to report to the client */
    struct rv64_watch watches[WATCHES_MAX];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX]; /* those that were set; detaching removes them */
    size_t break_count;
    struct hart *current; /* the hart that the client has selected */
    bool holds;           /* the debugger holds the process now */
    bool interrupted;     /* the client has asked for a stop */
    bool ended;           /* the program has ended, with `code` */
    int code;
};

/* Does what rv64_run does, for a hart that is debugged. Without the lock. */
enum rv64_stop debug_run(struct hart *h, uint64_t budget, struct slice *s);
/* Lets the debugger see a fault before it fails the process. `s`: the slice that ended with it.
 * Without the lock. */
void debug_fault(struct hart *h, struct slice *s);
/* Is called when `h` has left the processor on which it was stopped for the debugger. */
void debug_stop(struct hart *h);

/* Stops the process's harts until the debugger releases them. */
void debug_hold(struct dpk_debugger *d);

#endif
