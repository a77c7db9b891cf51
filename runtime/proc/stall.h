/*
 * stall: waits that only an event can end: what is said of them to those who look, and once, as a
 * warning, when the first of a process lasts long. Most of them wait for a value that never comes.
 * With sched's lock.
 */
#ifndef DPK_PROC_STALL_H
#define DPK_PROC_STALL_H

#include "proc/event.h"

struct stall {
    struct dpk_process *process;
    struct list in_process;
    struct sched_timer timer; /* until the warning */
    const struct dpk_event *event;
    uint64_t threshold, mask;
    uint64_t launch; /* number of the launch that waits; 0: a host thread does */
};

/* `s` begins to wait for (event & mask) > threshold; `p` may be NULL: nobody looks. */
void stall_begin(struct stall *s, struct dpk_process *p, const struct dpk_event *e,
                 uint64_t threshold, uint64_t mask, uint64_t launch);
/* Also of one that is all zero, or over. */
void stall_end(struct stall *s);
/* Says what waits in `p`: each between `before` and `after`, `between` in front of all but the
 * first. */
void stalls_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
                const char *between, const char *after);

#endif
