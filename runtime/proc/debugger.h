/* debugger: a debugger of a process, and what it does to harts while they run. */
#ifndef DPK_PROC_DEBUGGER_H
#define DPK_PROC_DEBUGGER_H

#include "proc/debug_policy.h"
#include "proc/hart.h"

enum { WATCHES_MAX = 16 };

struct dpk_debugger {
    struct dpk_process *process;
    struct debug_policy policy;
    int fd; /* eventfd: there may be something to tell */
    struct rv64_watch watches[WATCHES_MAX];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX]; /* to be taken away at the end */
    size_t break_count;
    struct hart *current; /* the one it looks at */
    bool holds;           /* the process, now */
    bool interrupted;
    bool ended; /* the program is done, with ... */
    int code;
};

/* rv64_run for a hart that is debugged. Without the lock. */
enum rv64_stop debug_run(struct hart *h, uint64_t budget, struct slice *s);
/* A slice that ended with a fault, which the debugger may want to see first. Without the lock. */
void debug_fault(struct hart *h, struct slice *s);
/* `h` has left its processor, where it was stopped for the debugger. */
void debug_stop(struct hart *h);

/* Lets none of the process's harts run, until the debugger does. */
void debug_hold(struct dpk_debugger *d);

#endif
