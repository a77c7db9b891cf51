#include "engine/proc/direct.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/proc/crash.h"
#include "engine/proc/failure.h"
#include "engine/proc/launch.h"
#include "engine/proc/run.h"
#include "engine/proc/tsan.h"

enum dpk_status dpk_direct_create(struct dpk_process *p, const struct dpk_direct_options *options,
                                  struct dpk_direct **out, struct dpk_error *err)
{
    struct dpk_direct *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return dpk_fail_nomem(err);
    if (p->recorded) {
        free(d);
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "DPAKIT_RECORD: a program that is called directly, as those of congestion "
                        "control are, cannot be recorded");
    }
    d->options = *options;
    sched_lock();
    enum dpk_status status = proc_process_state(p, err);
    if (status == DPK_OK && !(d->hart = proc_hart_take(p)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        d->hart->direct = d;
    sched_unlock();
    if (status != DPK_OK) {
        free(d);
        return status;
    }
    *out = d;
    return DPK_OK;
}

void dpk_direct_destroy(struct dpk_direct *d)
{
    if (!d)
        return;
    sched_lock();
    d->hart->direct = NULL;
    sched_unlock();
    free(d);
}

/* ---- Failure ---- */

/* Fails the process. Its core files and reports show this hart as running. */
static enum dpk_status fail(struct hart *h, enum dpk_status status, const char *report,
                            struct dpk_error *err)
{
    struct dpk_process *p = h->process;
    sched_lock();
    h->sched.state = HART_RUNNING;
    proc_process_fail_at(h, status, report);
    h->sched.state = HART_FAILED;
    status = proc_process_state(p, err);
    sched_unlock();
    return status;
}

static enum dpk_status fail_here(struct hart *h, enum dpk_status status, const char *what,
                                 struct dpk_error *err)
{
    char place[PLACE_MAX], report[sizeof h->report];
    proc_crash_place(h, place, sizeof place);
    snprintf(report, sizeof report, "thread %u: %s,%s", h->id, what, place);
    return fail(h, status, report, err);
}

/* ---- Calls ---- */

static enum dpk_status run(struct dpk_direct *d, struct slice *s, struct dpk_error *err)
{
    char what[80];
    struct hart *h = d->hart;
    const uint64_t limit = d->options.instructions;
    const uint64_t end = limit ? h->regs.instret + limit : UINT64_MAX;
    do {
        s->end = SLICE_USED;
        proc_run_until(h, s, end, UINT32_MAX);
    } while ((s->end == SLICE_USED || s->end == SLICE_POLLED) && h->regs.instret < end);
    switch (s->end) {
    case SLICE_DONE:
        return DPK_OK;
    case SLICE_FAULT:
        h->process->ended_itself |= h->cause == CAUSE_END_PROCESS;
        return fail(h, DPK_ERR_FAULT, h->report, err);
    case SLICE_BLOCKED:
        h->regs.pc -= 4; /* back on the ECALL */
        return fail_here(h, DPK_ERR_FAULT, "a direct call waits for an event", err);
    default:
        snprintf(what, sizeof what, "one call takes more than %" PRIu64 " instructions", limit);
        return fail_here(h, DPK_ERR_TIMEOUT, what, err);
    }
}

enum dpk_status dpk_direct_call(struct dpk_direct *d, const struct dpk_call *call, const void *args,
                                size_t size, uint64_t *result, uint64_t *instructions,
                                struct dpk_error *err)
{
    struct hart *h = d->hart;
    struct slice s = {.runner = ON_CALLER};
    enum dpk_status status = proc_launch_check(call, size, err);
    if (status != DPK_OK)
        return status;
    if (sched_is_forked())
        return proc_process_state(h->process, err);
    if (!sched_direct_begin(&h->sched) || h->process->debugger || h->process->hold_new) {
        sched_direct_end(&h->sched);
        if (instructions)
            *instructions = 0;
        return dpk_process_call(h->process, call, args, size, result, err);
    }
    const uint64_t before = h->regs.instret;
    proc_hart_reset(h, call, args, size);
    h->rank = d->options.rank;
    h->peers = d->options.peers ? d->options.peers : 1;
    h->regs.time = proc_hart_now(h) / 1000;
    const uint64_t counted = dpk_live_collects(h->process->live) ? dpk_now_ns() : 0;
    status = run(d, &s, err);
    if (counted)
        dpk_live_count(h->process->live, h->id, h->regs.instret - before, dpk_now_ns() - counted, 0);
    proc_tsan_ended(h);
    sched_direct_end(&h->sched);
    if (result)
        *result = status == DPK_OK ? s.value : 0;
    if (instructions)
        *instructions = h->regs.instret - before;
    return status;
}
