#include "engine/proc/run.h"

#include <inttypes.h>

#include "engine/proc/crash.h"
#include "engine/proc/debugger.h"
#include "engine/proc/event.h"
#include "engine/proc/external.h"
#include "engine/proc/failure.h"
#include "engine/proc/launch.h"
#include "engine/proc/profile.h"
#include "engine/proc/recorded.h"
#include "engine/proc/store_buffer.h"
#include "engine/proc/syscall.h"
#include "engine/proc/thread.h"
#include "engine/proc/trace.h"
#include "engine/proc/tsan.h"
#include "engine/proc/window_cache.h"
#include "engine/proc/work.h"

#define SLICE_INSTRUCTIONS 32768u
#define SLICE_CALLS        4096u
/* Bytes of work inside a call that count as another call. */
#define CALL_BYTES 4096u
/* Limits on a host thread that has other work. */
#define MOMENT_INSTRUCTIONS 1024u
#define MOMENT_CALLS        8u

/* ---- A slice: instructions, calls, faults ---- */

static void breakpoint(struct hart *h, struct slice *s)
{
    char place[PLACE_MAX];
    proc_crash_place(h, place, sizeof place);
    s->end = SLICE_FAULT;
    h->cause = CAUSE_EXCEPTION;
    snprintf(h->report, sizeof h->report, "thread %u: breakpoint,%s", h->id, place);
}

/* `reason` says why external memory is not accessed, or is empty. */
static void exception(struct hart *h, struct slice *s, const char *reason)
{
    s->end = SLICE_FAULT;
    h->cause = CAUSE_EXCEPTION;
    proc_crash_report(h, reason, h->report, sizeof h->report);
}

/* Shortens a slice if deferred work waits for its end. */
static uint64_t shortened(const struct hart *h, uint64_t end)
{
    const uint64_t most = h->regs.instret + SCHED_SHORT_SLICE;
    return sched_has_deferred() && most < end ? most : end;
}

static enum rv64_stop execute(struct hart *h, uint64_t budget, struct slice *s)
{
    const struct dpk_process *p = h->process;
    return p->debugger                            ? proc_debug_run(h, budget, s)
           : p->profiled                          ? proc_profile_run(h, budget)
           : p->strict.memory && p->has_doorbells ? proc_store_buffer_run(h, budget)
           : p->recorded                          ? rv64_run_exactly(p->core, &h->regs, budget)
                                                  : rv64_run(p->core, &h->regs, budget);
}

/* ---- Calls ---- */

/* Like proc_syscall_run. *cost is the number of calls that this call counts for. */
static bool run_call(struct hart *h, struct slice *s, unsigned *cost)
{
    bool overran;
    proc_work_begin(h);
    bool over = proc_syscall_run(h, s);
    const uint64_t more = proc_work_end(&overran) / CALL_BYTES;
    if (overran && s->end == SLICE_FAULT) { /* the hart is back at the ECALL, and over its limit */
        s->end = SLICE_USED;
        over = true;
    }
    *cost = more < UINT32_MAX ? 1 + (unsigned)more : UINT32_MAX;
    return over;
}

void proc_run_until(struct hart *h, struct slice *s, uint64_t end, unsigned calls)
{
    const bool recorded = h->process->recorded != NULL;
    char reason[DPK_FAULT_REASON_MAX];
    unsigned cost;
    uint64_t worked = 0;
    bool over;
    while (h->regs.instret < end && calls > 0 && !s->stopped) {
        uint64_t left = end - h->regs.instret;
        const enum rv64_stop why =
            recorded ? proc_recorded_run(h, left, s, execute) : execute(h, left, s);
        if (h->windows)
            proc_window_cache_settle(h);
        switch (why) {
        case RV64_STOP_BUDGET:
        case RV64_STOP_BREAKPOINT:
        case RV64_STOP_WATCH:
            break;
        case RV64_STOP_ECALL:
            over = run_call(h, s, &cost);
            calls -= cost < calls ? cost : calls;
            worked += cost - 1;
            if (s->end == SLICE_POLLED && worked > 0) /* the hart worked, so its full time counts */
                s->end = SLICE_USED;
            if (over)
                return;
            if (s->runner == ON_WORKER)
                end = shortened(h, end);
            break;
        case RV64_STOP_EBREAK:
            breakpoint(h, s);
            return;
        case RV64_STOP_FAULT:
            if (proc_external_access(h, reason))
                break;
            exception(h, s, reason);
            return;
        }
    }
}

static void run(struct sched_hart *sched, struct slice *s)
{
    struct hart *h = hart_of(sched);
    const bool hurried = slice_is_hurried(s);
    uint64_t before = h->regs.instret;
    s->end = SLICE_USED;
    s->stopped = false;
    if (h->awaited) /* the event has come */
        proc_tsan_sees(h, h->awaited);
    h->awaited = NULL;
    if (tracing() && h->began == 0)
        h->began = dpk_now_ns();
    const uint64_t counted = dpk_live_collects(h->process->live) ? dpk_now_ns() : 0;
    h->regs.time = dpk_now_ns() / 1000; /* the device's clock, the same for all processes */
    const uint64_t end = before + (hurried                ? MOMENT_INSTRUCTIONS
                                   : h->process->recorded ? proc_recorded_slice()
                                                          : SLICE_INSTRUCTIONS);
    proc_run_until(h, s, s->runner == ON_WORKER ? shortened(h, end) : end,
                   hurried ? MOMENT_CALLS : SLICE_CALLS);
    s->instructions = h->regs.instret - before;
    if (counted)
        dpk_live_count(h->process->live, h->id, s->instructions, dpk_now_ns() - counted, 0);
    if (s->end == SLICE_FAULT &&
        slice_is_hurried(s)) /* a launch does not fail its process: the hart faults again */
        s->end = SLICE_USED;
    if (s->end == SLICE_FAULT && h->process->debugger)
        proc_debug_fault(h, s);
}

/* ---- After a slice ---- */

static void left(struct sched_hart *sched, const struct slice *s)
{
    struct hart *h = hart_of(sched);
    struct dpk_process *p = h->process;
    if (tracing())
        proc_trace_slices(h);
    h->began = 0;
    h->misaligned = h->regs.misaligned;
    if (s->stopped)
        proc_debug_stop(h);
    if (s->end != SLICE_FAULT || p->failed != DPK_OK)
        return;
    p->ended_itself = h->cause == CAUSE_END_PROCESS;
    proc_process_fail_at(h, DPK_ERR_FAULT, h->report);
}

static void settled(struct sched_group *g)
{
    const struct dpk_process *p = process_of(g);
    if (g->running == 0 && g->holds > 0)
        proc_process_wake_debugger(p);
    if (sched_is_idle())
        proc_trace_flush();
}

static void ended(struct sched_hart *sched, enum hart_end how, uint64_t value)
{
    struct hart *h = hart_of(sched);
    struct launch *l = h->launch;
    proc_window_cache_end(h);
    proc_store_buffer_end(h);
    h->launch = NULL;
    sched->share = NULL; /* the launch may be freed */
    if (h->thread) {
        proc_activation_end(h->thread, how);
    } else if (l) {
        proc_tsan_ended(h);
        proc_launch_hart_ended(l, value);
    }
    proc_launches_admit();
}

/* ---- The run-time limit ---- */

/* Fails the process: "... reached<how><place>". */
static void fail_for_time(struct hart *h, const char *how)
{
    char place[PLACE_MAX], report[sizeof h->report];
    proc_crash_place(h, place, sizeof place);
    snprintf(report, sizeof report, "thread %u: run-time limit of %" PRIu64 " ms reached%s,%s%s",
             h->id, h->sched.limit / 1000000u, how, place,
             h->process->limit_given ? "" : "; DPAKIT_RUN_TIME_LIMIT=MS sets another");
    proc_process_fail_at(h, DPK_ERR_TIMEOUT, report);
}

static void overran(struct sched_hart *sched, enum sched_overrun why)
{
    struct hart *h = hart_of(sched);
    char how[200] = "";
    switch (why) {
    case SCHED_OVERRUN_RAN:
        break;
    case SCHED_OVERRUN_SHARE:
        snprintf(how, sizeof how,
                 ", %u times over on each of %u workers by the %u threads of its kernel together",
                 SCHED_SHARE, sched_workers(), h->peers);
        break;
    case SCHED_OVERRUN_BLOCKED: {
        const struct dpk_event *e = owner_of(sched->awaited, struct dpk_event, counter);
        h->regs.pc -= 4; /* back on the ECALL */
        snprintf(how, sizeof how,
                 " while it waited for event %" PRIu64 ", which is 0x%" PRIx64 " (mask 0x%" PRIx64
                 "), to exceed 0x%" PRIx64,
                 proc_event_handle(h->process, e), dpk_event_get(e), sched->wait.mask,
                 sched->wait.threshold);
        break;
    }
    case SCHED_OVERRUN_NO_TIMER:
        proc_process_fail(h->process, DPK_ERR_NOMEM, "the host gives no thread for the watchdog");
        return;
    }
    fail_for_time(h, how);
}

const struct sched_owner proc_process_owner = {
    .run = run, .left = left, .settled = settled, .overran = overran, .ended = ended};
