/*
 * stall: waits that only an event can end. dpadev ps lists them, and the first one of a process
 * that lasts long causes a warning, because most such waits are for a value that never comes. With
 * sched's lock.
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
    uint64_t launch; /* number of the launch that waits; 0: a host thread waits */
};

/* Records that a wait for (event & mask) > threshold begins. `p`: the process in whose list it is;
 * NULL: in none, and there is no warning. */
void stall_begin(struct stall *s, struct dpk_process *p, const struct dpk_event *e,
                 uint64_t threshold, uint64_t mask, uint64_t launch);
/* Records its end. `s` may be all zero, or ended before. */
void stall_end(struct stall *s);
/* Appends the waits of `p`: each between `before` and `after`, with `between` in front of all but
 * the first. */
void stalls_put(struct dpk_buf *b, const struct dpk_process *p, const char *before,
                const char *between, const char *after);

#endif
