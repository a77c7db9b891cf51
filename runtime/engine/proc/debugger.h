/* debugger: a debugger of a process, and how it controls harts while they run. */
#ifndef DPK_ENGINE_PROC_DEBUGGER_H
#define DPK_ENGINE_PROC_DEBUGGER_H

#include "engine/proc/debug_policy.h"
#include "engine/proc/hart.h"

enum { WATCHES_MAX = 16 };

struct dpk_debugger {
    struct dpk_process *process;
    struct debug_policy policy;
    int fd; /* an eventfd, readable if there may be a stop to report to the client */
    struct rv64_watch watches[WATCHES_MAX];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX]; /* breakpoints that are set; detaching removes them */
    size_t break_count;
    struct hart *current; /* the hart that the client has selected */
    bool holds;           /* the debugger holds the process now */
    bool interrupted;     /* the client has asked for a stop */
    bool ended;           /* the program has ended, with `code` */
    int code;
};

/* Does what rv64_run does, for a hart that is debugged. Call this without the lock. */
enum rv64_stop proc_debug_run(struct hart *h, uint64_t budget, struct slice *s);
/* Shows a fault to the debugger before it fails the process. `s`: the slice that ended with the
 * fault. Call this without the lock. */
void proc_debug_fault(struct hart *h, struct slice *s);
/* Called when `h` has left its processor after a stop for the debugger. */
void proc_debug_stop(struct hart *h);

/* Stops the process's harts until the debugger releases them. */
void proc_debug_hold(struct dpk_debugger *d);

#endif
