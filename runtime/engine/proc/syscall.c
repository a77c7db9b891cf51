#include "engine/proc/syscall.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/proc/affinity.h"
#include "engine/proc/asan.h"
#include "engine/proc/crash.h"
#include "engine/proc/event.h"
#include "engine/proc/recorded.h"
#include "engine/proc/thread.h"
#include "engine/proc/trace.h"
#include "engine/proc/trigger.h"
#include "engine/proc/tsan.h"

#define MESSAGE_MAX 65536u
#define POLLS_MAX   4u /* consecutive calls in a slice that found nothing */

enum { A0 = 10, A1, A2, A3, A7 = 17 };

/* ---- Faults ---- */

/* A call that the runtime cannot carry out; `why`: " (reason)", or empty. Returns true: the slice is
 * over. */
static bool bad_call_for(struct hart *h, struct slice *s, const char *what, uint64_t value,
                         const char *why)
{
    char place[PLACE_MAX];
    h->regs.pc -= 4; /* back on the ECALL */
    proc_crash_place(h, place, sizeof place);
    s->end = SLICE_FAULT;
    h->cause = CAUSE_BAD_CALL;
    snprintf(h->report, sizeof h->report, "thread %u: %s 0x%" PRIx64 "%s,%s", h->id, what, value,
             why, place);
    return true;
}

static bool bad_call(struct hart *h, struct slice *s, const char *what, uint64_t value)
{
    return bad_call_for(h, s, what, value, "");
}

/* A call of NVIDIA's own runtime, whose numbers nobody has published, or of damaged code. */
static bool unknown_call(struct hart *h, struct slice *s, uint64_t number)
{
    char why[100];
    snprintf(why, sizeof why, " (call 0x%" PRIx64 " is not a public call of nv-dpa-%.10s)", number,
             dpk_image_target(h->process->image));
    return bad_call_for(h, s, "unknown call", number, why);
}

/* ---- Calls: each returns whether it ends the slice ---- */

static bool done(struct slice *s, enum hart_end how, uint64_t value)
{
    s->end = SLICE_DONE;
    s->how = how;
    s->value = value;
    return true;
}

static bool answer(struct hart *h, uint64_t value)
{
    h->regs.x[A0] = value;
    return false;
}

static bool end_process(struct hart *h, struct slice *s)
{
    char place[PLACE_MAX];
    h->regs.pc -= 4; /* back on the ECALL */
    proc_crash_place(h, place, sizeof place);
    s->end = SLICE_FAULT;
    h->cause = CAUSE_END_PROCESS;
    snprintf(h->report, sizeof h->report, "thread %u: the program ended its process,%s", h->id,
             place);
    return true;
}

/* Defers a call to the thread that runs the hart next. */
static bool put_off(struct hart *h)
{
    h->regs.pc -= 4; /* back on the ECALL */
    return true;
}

/* Sends a message. The text is copied first, because the program may change it meanwhile. The slice
 * ends, so that a slow reader on the host delays the sender, and other harts by at most one
 * message. A waiting host thread may be that reader, so it leaves the call to a worker. */
static bool send_message(struct hart *h, struct slice *s)
{
    const uint64_t *x = h->regs.x;
    struct dpk_process *p = h->process;
    uint64_t size = x[A3];
    char small[512], *text = small;
    h->sched.workers_only = true;
    if (slice_is_borrowed(s))
        return put_off(h);
    if (size > MESSAGE_MAX)
        return bad_call(h, s, "message too long, bytes", size);
    const void *from = size ? rv64_memory_at(p->memory, x[A2], size, RV64_R) : "";
    if (!from)
        return bad_call(h, s, "message at bad address", x[A2]);
    if (size > sizeof small && !(text = malloc(size)))
        return bad_call(h, s, "no host memory for a message of bytes", size);
    memcpy(text, from, size);
    dpk_message_clean(text, size);
    sched_do_deferred();
    proc_recorded_message(h, text, size);
    pthread_mutex_lock(&p->sink_lock);
    if (p->sink)
        p->sink(p->sink_context, (unsigned)x[A0], (unsigned)x[A1], h->id, text, size);
    pthread_mutex_unlock(&p->sink_lock);
    if (text != small)
        free(text);
    if (tracing())
        proc_trace_message(h, size);
    h->regs.x[A0] = 0;
    return true;
}

/* Stores the name of the function that the host started. A symbol table that was stripped has no name. */
static bool thread_name(struct hart *h, struct slice *s)
{
    const uint64_t size = h->regs.x[A1];
    uint64_t offset = 0;
    const char *name = dpk_image_function_at(h->process->image, h->function, &offset);
    char *to = size > 0 && size <= MESSAGE_MAX
                   ? rv64_memory_at(h->process->memory, h->regs.x[A0], size, RV64_W)
                   : NULL;
    if (!to)
        return bad_call(h, s, "thread name at bad address", h->regs.x[A0]);
    const size_t length = name && offset == 0 ? strnlen(name, size - 1) : 0;
    memcpy(to, length ? name : "", length);
    to[length] = '\0';
    return answer(h, h->function);
}

static bool event_call(struct hart *h, struct slice *s, uint64_t number)
{
    uint64_t *x = h->regs.x;
    sched_lock();
    struct dpk_event *e = proc_event_of_handle(h->process, x[A0]);
    if (e && (number == DPA_SYS_EVENT_ADD || number == DPA_SYS_EVENT_SET))
        proc_tsan_sets(h, e);
    uint64_t before = e ? dpk_event_get(e) : 0;
    if (e && number == DPA_SYS_EVENT_ADD)
        proc_event_set(e, before + x[A1]);
    else if (e && number == DPA_SYS_EVENT_SET)
        proc_event_set(e, x[A1]);
    bool block =
        e && number == DPA_SYS_EVENT_WAIT_GT && !sched_counter_exceeds(&e->counter, x[A1], x[A2]);
    bool runner_goes = slice_is_hurried(s); /* the runner may wait for this event */
    if (e && !block && number != DPA_SYS_EVENT_SET)
        proc_tsan_sees(h, e);
    sched_unlock();
    if (!e)
        return bad_call(h, s, "bad event handle", x[A0]);
    if (block) {
        h->awaited = e;
        s->end = SLICE_BLOCKED;
        s->counter = &e->counter;
        s->threshold = x[A1];
        s->mask = x[A2];
    }
    x[A0] = number == DPA_SYS_EVENT_GET || number == DPA_SYS_EVENT_ADD ? before : 0;
    return block || runner_goes;
}

static bool trigger_call(struct hart *h, struct slice *s, uint64_t number)
{
    const uint64_t *x = h->regs.x;
    proc_tsan_acts(h);
    sched_lock();
    struct dpk_trigger *trigger = proc_trigger_of_handle(h->process, x[A0]);
    bool notifies = trigger && trigger->kind == DPK_TRIGGER_NOTIFICATION;
    bool good = trigger && notifies == (number == DPA_SYS_NOTIFY);
    if (good && notifies)
        proc_trigger_signal(trigger, 1);
    else if (good)
        proc_trigger_arm(trigger, (uint32_t)x[A1]);
    sched_unlock();
    proc_tsan_acts(NULL);
    return good ? answer(h, 0) : bad_call(h, s, "bad trigger handle", x[A0]);
}

static bool library_call(struct hart *h, struct slice *s, uint64_t number)
{
    struct dpk_process *p = h->process;
    uint64_t *x = h->regs.x, result = 0;
    char fault[DPK_FAULT_REASON_MAX] = "";
    unsigned family = (unsigned)(number >> 8);
    if (slice_is_hurried(s))
        return put_off(h);
    h->caller.polls = false;
    if (number >> 8 >= DPA_SYS_FAMILIES || !p->calls[family].handler)
        return unknown_call(h, s, number);
    proc_tsan_acts(h);
    const bool good = p->calls[family].handler(p->calls[family].context, &h->caller, number & 0xff,
                                               &x[A0], &result, fault, sizeof fault);
    proc_tsan_acts(NULL);
    if (good) {
        answer(h, result);
        h->polled = h->caller.polls ? h->polled + 1 : 0;
        if (h->polled < POLLS_MAX)
            return false;
        s->end = SLICE_POLLED;
        return true;
    }
    char what[sizeof fault + sizeof ", call"];
    snprintf(what, sizeof what, "%s, call", fault);
    return bad_call(h, s, what, number);
}

/* Carries out the calls by which device code ends its run. Returns false for other calls. */
static bool ending(struct hart *h, struct slice *s, uint64_t number)
{
    switch (number) {
    case DPA_SYS_EXIT:
        return done(s, END_RETURN, h->regs.x[A0]);
    case DPA_SYS_FINISH:
        return done(s, END_FINISH, 0);
    case DPA_SYS_RESCHEDULE: /* a kernel or an RPC has only one activation, which ends */
        return done(s, END_RESCHEDULE, 0);
    case DPA_SYS_RETRIGGER:
        return done(s, END_RETRIGGER, 0);
    case DPA_SYS_PARK:
        answer(h, 0);
        return done(s, END_PARK, 0);
    case DPA_SYS_PARK_RETRIGGER:
        answer(h, 0);
        return done(s, END_PARK_RETRIGGER, 0);
    case DPA_SYS_END_PROCESS:
        return end_process(h, s);
    default:
        return false;
    }
}

bool proc_syscall_run(struct hart *h, struct slice *s)
{
    uint64_t number = h->regs.x[A7];
    if (ending(h, s, number))
        return true;
    switch (number) {
    case DPA_SYS_MSG:
        return send_message(h, s);
    case DPA_SYS_THREAD_RANK:
        return answer(h, h->rank);
    case DPA_SYS_NUM_THREADS:
        return answer(h, h->peers);
    case DPA_SYS_THREAD_ID:
        return answer(h, h->id);
    case DPA_SYS_EVENT_GET:
    case DPA_SYS_EVENT_ADD:
    case DPA_SYS_EVENT_SET:
    case DPA_SYS_EVENT_WAIT_GT:
        return event_call(h, s, number);
    case DPA_SYS_YIELD:
        answer(h, 0);
        return true;
    case DPA_SYS_TIME:
        return answer(h, proc_hart_now(h) / 1000);
    case DPA_SYS_LOCAL_STORAGE:
        return answer(h, h->thread ? h->thread->options.local_storage : 0);
    case DPA_SYS_NOTIFY:
    case DPA_SYS_ARM:
        return trigger_call(h, s, number);
    case DPA_SYS_BAD_ACCESS:
        return proc_asan_report(h, s);
    case DPA_SYS_ACCESS:
        return proc_tsan_access(h, s);
    case DPA_SYS_FENCE:
        return proc_tsan_fence(h);
    case DPA_SYS_THREAD_NAME:
        return thread_name(h, s);
    case DPA_SYS_EU:
        return answer(h, proc_unit_of(h));
    default:
        return library_call(h, s, number);
    }
}
