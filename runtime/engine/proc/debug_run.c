/* Slices of harts while a debugger is attached. */
#include <signal.h>

#include "engine/proc/debugger.h"

static void stop_for(struct hart *h, struct slice *s, struct dpk_stop stop)
{
    h->hit = stop;
    s->stopped = true;
}

/* A step stops after one instruction, or after the whole call if that calls the runtime. */
enum rv64_stop proc_debug_run(struct hart *h, uint64_t budget, struct slice *s)
{
    const struct dpk_debugger *d = h->process->debugger;
    const struct dpk_stop trap = {.how = DPK_STOP_SIGNAL, .signal = SIGTRAP};
    struct rv64_core *core = h->process->core;
    enum rv64_stop why;
    size_t hit = 0;
    if (h->resume == DPK_RESUME_STEP) {
        why = rv64_step_watched(core, &h->regs, d->watches, d->watch_count, &hit);
        stop_for(h, s, trap);
    } else if (d->watch_count > 0) {
        why = rv64_run_watched(core, &h->regs, budget, d->watches, d->watch_count, &hit);
    } else {
        why = rv64_run(core, &h->regs, budget);
    }
    if (why == RV64_STOP_BREAKPOINT)
        stop_for(h, s, trap);
    if (why == RV64_STOP_WATCH)
        stop_for(h, s,
                 (struct dpk_stop){.how = DPK_STOP_SIGNAL,
                                   .signal = SIGTRAP,
                                   .watched = d->watches[hit].access,
                                   .address = d->watches[hit].address});
    return why;
}

void proc_debug_fault(struct hart *h, struct slice *s)
{
    if (h->resume == DPK_RESUME_FAIL)
        return;
    s->end = SLICE_USED;
    stop_for(h, s, (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = proc_hart_signal(h)});
}

void proc_debug_hold(struct dpk_debugger *d)
{
    if (!d->holds) {
        d->holds = true;
        sched_group_hold(&d->process->group);
    }
}

void proc_debug_stop(struct hart *h)
{
    h->stop = h->hit;
    h->stop.thread = h->id + 1;
    proc_hart_set_resume(h, DPK_RESUME_RUN);
    proc_debug_hold(h->process->debugger);
}
