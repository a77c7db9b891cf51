/*
 * stall: waits that only an event can end. dpadev ps lists them. The first long wait of a process
 * causes a warning, because most such waits are for a value that never comes. With sched's lock.
 */
#ifndef DPK_ENGINE_PROC_STALL_H
#define DPK_ENGINE_PROC_STALL_H

#include "engine/proc/event.h"

struct stall {
    struct dpk_process *process;
    struct list in_process;
    struct sched_timer timer; /* until the warning */
    const struct dpk_event *event;
    uint64_t threshold, mask;
    uint64_t launch; /* number of the waiting launch; 0: a host thread waits */
};

/* Records the start of a wait for (event & mask) > threshold. `p`: the process whose list gets it;
 * NULL: no list, and no warning. */
void proc_stall_begin(struct stall *s, struct dpk_process *p, const struct dpk_event *e,
                      uint64_t threshold, uint64_t mask, uint64_t launch);
/* Records the end of the wait. `s` may be all zero, or ended before. */
void proc_stall_end(struct stall *s);
/* Appends the waits of `p`, each between `before` and `after`, separated by `between`. */
void proc_stalls_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
                     const char *between, const char *after);

#endif
