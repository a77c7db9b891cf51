#include "engine/proc/hart.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/proc/asan.h"
#include "engine/proc/direct.h"
#include "engine/proc/recorded.h"
#include "engine/proc/tsan.h"

enum { SP = 2, A0 = 10, A1, A2 };

static struct hart *create(struct dpk_process *p, unsigned id)
{
    struct hart *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->process = p;
    h->id = h->caller.thread_id = id;
    if (!proc_recorded_map(p, hart_stack(h), STACK_SIZE, RV64_R | RV64_W)) {
        free(h);
        return NULL;
    }
    sched_hart_init(&h->sched, &p->group);
    p->harts[id] = h;
    return h;
}

struct hart *proc_hart_take(struct dpk_process *p)
{
    for (unsigned id = 0; id < HARTS_MAX; id++) {
        struct hart *h = p->harts[id];
        if (!h)
            return create(p, id);
        if (h->sched.state == HART_IDLE && !h->thread && !h->direct && !h->reserved)
            return h;
    }
    return NULL;
}

void proc_hart_reset(struct hart *h, const struct dpk_call *call, const void *args, size_t size)
{
    uint64_t at = hart_stack(h) + STACK_SIZE - STACK_END_FREE - (size + 15) / 16 * 16;
    if (size)
        proc_recorded_store(h->process, at, args, size);
    proc_asan_stack_is_empty(h);
    proc_tsan_begins(h);
    h->regs = (struct rv64_hart){.pc = dpk_image_entry(h->process->image),
                                 .instret = h->regs.instret,
                                 .misaligned = h->regs.misaligned};
    h->regs.x[SP] = h->regs.x[A0] = at;
    h->regs.x[A1] = call->function;
    h->regs.x[A2] = call->unpack;
    h->rank = 0;
    h->peers = 1;
    h->rpc = false;
    h->function = call->function;
    proc_hart_counts(h);
    h->cause = CAUSE_EXCEPTION;
    h->sched.workers_only = false;
    h->sched.share = NULL;
    memset(h->caller.state, 0, sizeof h->caller.state);
    proc_hart_set_resume(h, h->process->hold_new ? DPK_RESUME_HOLD : DPK_RESUME_RUN);
    h->stop = (struct dpk_stop){0};
}

void proc_hart_counts(struct hart *h)
{
    struct dpk_live *live = h->process->live;
    if (!live)
        return;
    if (h->named != h->function)
        dpk_live_name(live, h->id, dpk_image_function_at(h->process->image, h->function, NULL));
    h->named = h->function;
    if (dpk_live_collects(live))
        dpk_live_count(live, h->id, 0, 0, 1);
}

uint64_t proc_hart_now(const struct hart *h)
{
    const struct dpk_direct_options *o = h->direct ? &h->direct->options : NULL;
    return o && o->now ? o->now(o->context) : dpk_now_ns();
}

void proc_hart_set_resume(struct hart *h, enum dpk_resume how)
{
    h->resume = how;
    h->sched.hold = how == DPK_RESUME_HOLD;
}

/* ---- Looking ---- */

size_t proc_harts_at_work(const struct dpk_process *p, struct hart *out[HARTS_MAX])
{
    size_t count = 0;
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        struct hart *h = p->harts[i];
        if (!h || h->sched.state == HART_IDLE)
            continue;
        out[count++] = h;
        if (h == p->culprit && count > 1) {
            out[count - 1] = out[0];
            out[0] = h;
        }
    }
    return count;
}

const char *proc_hart_state_name(const struct hart *h)
{
    switch (h->sched.state) {
    case HART_WAITS_UNIT:
        return "waiting";
    case HART_NEW:
    case HART_READY:
    case HART_POLLING:
        return "ready";
    case HART_HELD:
        return "held";
    case HART_RUNNING:
    case HART_ENDING:
        return "running";
    case HART_BLOCKED:
        return "blocked";
    case HART_FAILED:
        return "failed";
    case HART_IDLE:
        break;
    }
    return "idle";
}

int proc_hart_signal(const struct hart *h)
{
    if (h->process->failed == DPK_ERR_TIMEOUT)
        return SIGXCPU;
    switch (h->regs.fault) {
    case RV64_FAULT_ILLEGAL:
        return SIGILL;
    case RV64_FAULT_MISALIGNED_LOAD:
    case RV64_FAULT_MISALIGNED_STORE:
        return SIGBUS;
    case RV64_FAULT_FETCH:
    case RV64_FAULT_LOAD:
    case RV64_FAULT_STORE:
        return SIGSEGV;
    default:
        return h->cause == CAUSE_BAD_CALL     ? SIGSYS
               : h->cause == CAUSE_BAD_ACCESS ? SIGABRT
                                              : SIGTRAP;
    }
}
