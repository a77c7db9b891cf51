/* One turn of a DPA thread on an execution unit: instructions, calls (dpa_abi.h), faults. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proc/engine.h"

#define TURN_INSTRUCTIONS 32768u
#define TURN_CALLS        4096u
#define MESSAGE_MAX       65536u
#define POLLS_MAX         4u /* calls in a row that found nothing, in one turn */
/* Of a turn on a host thread that has other things to do. */
#define MOMENT_INSTRUCTIONS 1024u
#define MOMENT_CALLS        8u

enum { A0 = 10, A1, A2, A3, A7 = 17 };

/* ---- Faults --------------------------------------------------------------------------------- */

/* A call that the runtime cannot carry out. Returns true: the turn is over. */
static bool bad_call(struct thread *t, struct outcome *o, const char *what, uint64_t value)
{
    char place[PLACE_MAX];
    t->hart.pc -= 4; /* back on the ECALL */
    turn_place(t, place, sizeof place);
    o->how = TURN_FAULT;
    t->called = true;
    snprintf(o->story, sizeof o->story, "thread %u: %s 0x%" PRIx64 ",%s", t->slot, what, value,
             place);
    return true;
}

/* ---- Calls: each returns whether it ends the turn ------------------------------------------- */

static bool done(struct outcome *o, enum end end, uint64_t value)
{
    o->how = TURN_DONE;
    o->end = end;
    o->value = value;
    return true;
}

static bool answer(struct thread *t, uint64_t value)
{
    t->hart.x[A0] = value;
    return false;
}

static bool end_process(struct thread *t, struct outcome *o)
{
    char place[PLACE_MAX];
    t->hart.pc -= 4; /* back on the ECALL */
    turn_place(t, place, sizeof place);
    o->how = TURN_FAULT;
    o->ends_process = true;
    snprintf(o->story, sizeof o->story, "thread %u: the program ended its process,%s", t->slot,
             place);
    return true;
}

/* Whether a host thread that has other things to do runs `t`. */
static bool in_a_hurry(const struct thread *t)
{
    return t->runner && t->runner->woken;
}

/* Leaves a call to whoever runs the thread next. */
static bool put_off(struct thread *t)
{
    t->hart.pc -= 4; /* back on the ECALL */
    return true;
}

/* The text is copied first: the program may go on writing over it. Ends the turn: a host that reads
 * slowly holds up who sends, and nobody else for longer than one message. A host thread that waits
 * may be that host, and leaves it to a worker. */
static bool send_message(struct thread *t, struct outcome *o)
{
    const uint64_t *x = t->hart.x;
    struct dpk_process *p = t->process;
    uint64_t size = x[A3];
    char small[512], *text = small;
    t->for_workers = true;
    if (t->runner)
        return put_off(t);
    if (size > MESSAGE_MAX)
        return bad_call(t, o, "message too long, bytes", size);
    const void *from = size ? rv64_memory_at(p->memory, x[A2], size, RV64_R) : "";
    if (!from)
        return bad_call(t, o, "message at bad address", x[A2]);
    if (size > sizeof small && !(text = malloc(size)))
        return bad_call(t, o, "no host memory for a message of bytes", size);
    memcpy(text, from, size);
    dpk_message_clean(text, size);
    pthread_mutex_lock(&p->sink_lock);
    if (p->sink)
        p->sink(p->sink_context, (unsigned)x[A0], (unsigned)x[A1], t->slot, text, size);
    pthread_mutex_unlock(&p->sink_lock);
    if (text != small)
        free(text);
    if (tracing())
        trace_message(t, size);
    t->hart.x[A0] = 0;
    return true;
}

static bool event_call(struct thread *t, struct outcome *o, uint64_t number)
{
    uint64_t *x = t->hart.x;
    engine_lock();
    struct dpk_event *e = event_of_handle(t->process, x[A0]);
    uint64_t before = e ? dpk_event_get(e) : 0;
    if (e && number == DPA_SYS_EVENT_ADD)
        event_update(e, before + x[A1]);
    else if (e && number == DPA_SYS_EVENT_SET)
        event_update(e, x[A1]);
    bool block = e && number == DPA_SYS_EVENT_WAIT_GT && !event_satisfies(e, x[A1], x[A2]);
    bool runner_goes = in_a_hurry(t); /* it was the runner's event */
    engine_unlock();
    if (!e)
        return bad_call(t, o, "bad event handle", x[A0]);
    if (block) {
        o->how = TURN_BLOCK;
        o->event = e;
        o->threshold = x[A1];
        o->mask = x[A2];
    }
    x[A0] = number == DPA_SYS_EVENT_GET || number == DPA_SYS_EVENT_ADD ? before : 0;
    return block || runner_goes;
}

static bool trigger_call(struct thread *t, struct outcome *o, uint64_t number)
{
    const uint64_t *x = t->hart.x;
    engine_lock();
    struct dpk_trigger *trigger = trigger_of_handle(t->process, x[A0]);
    bool notifies = trigger && trigger->kind == DPK_TRIGGER_NOTIFICATION;
    bool good = trigger && notifies == (number == DPA_SYS_NOTIFY);
    if (good && notifies)
        trigger_signal(trigger);
    else if (good)
        trigger_arm(trigger, (uint32_t)x[A1]);
    engine_unlock();
    return good ? answer(t, 0) : bad_call(t, o, "bad trigger handle", x[A0]);
}

static bool library_call(struct thread *t, struct outcome *o, uint64_t number)
{
    struct dpk_process *p = t->process;
    uint64_t *x = t->hart.x, result = 0;
    char story[200] = "";
    unsigned family = (unsigned)(number >> 8);
    if (in_a_hurry(t))
        return put_off(t);
    t->caller.polls = false;
    if (number >> 8 >= DPA_SYS_FAMILIES || !p->calls[family].handler)
        return bad_call(t, o, "unknown call", number);
    if (p->calls[family].handler(p->calls[family].context, &t->caller, number & 0xff, &x[A0],
                                 &result, story, sizeof story)) {
        answer(t, result);
        t->polled = t->caller.polls ? t->polled + 1 : 0;
        o->polls = t->polled >= POLLS_MAX;
        return o->polls;
    }
    char what[240];
    snprintf(what, sizeof what, "%s, call", story);
    return bad_call(t, o, what, number);
}

/* Those by which device code ends what it runs; false for another. */
static bool ending(struct thread *t, struct outcome *o, uint64_t number)
{
    switch (number) {
    case DPA_SYS_EXIT:
        return done(o, END_RETURN, t->hart.x[A0]);
    case DPA_SYS_FINISH:
        return done(o, END_FINISH, 0);
    case DPA_SYS_RESCHEDULE: /* a kernel or an RPC has one activation, and has it behind it */
        return done(o, END_RESCHEDULE, 0);
    case DPA_SYS_RETRIGGER:
        return done(o, END_RETRIGGER, 0);
    case DPA_SYS_PARK:
        answer(t, 0);
        return done(o, END_PARK, 0);
    case DPA_SYS_END_PROCESS:
        return end_process(t, o);
    default:
        return false;
    }
}

static bool call(struct thread *t, struct outcome *o)
{
    uint64_t number = t->hart.x[A7];
    if (ending(t, o, number))
        return true;
    switch (number) {
    case DPA_SYS_MSG:
        return send_message(t, o);
    case DPA_SYS_THREAD_RANK:
        return answer(t, t->rank);
    case DPA_SYS_NUM_THREADS:
        return answer(t, t->peers);
    case DPA_SYS_THREAD_ID:
        return answer(t, t->slot);
    case DPA_SYS_EVENT_GET:
    case DPA_SYS_EVENT_ADD:
    case DPA_SYS_EVENT_SET:
    case DPA_SYS_EVENT_WAIT_GT:
        return event_call(t, o, number);
    case DPA_SYS_YIELD:
        answer(t, 0);
        return true;
    case DPA_SYS_TIME:
        return answer(t, (engine_now() - t->process->born) / 1000);
    case DPA_SYS_LOCAL_STORAGE:
        return answer(t, t->object ? t->object->options.local_storage : 0);
    case DPA_SYS_NOTIFY:
    case DPA_SYS_ARM:
        return trigger_call(t, o, number);
    case DPA_SYS_EU:
        return answer(t, t->eu == NO_EU ? UINT64_MAX : t->eu);
    default:
        return library_call(t, o, number);
    }
}

/* ---- Memory outside of the process ---------------------------------------------------------- */

struct access {
    struct thread *thread;
    bool found;
    void *pinned;
};

static void *find_outside(void *context, uint64_t address, unsigned width, unsigned need)
{
    struct access *a = context;
    const struct dpk_outside *o = &a->thread->process->outside;
    void *at =
        o->find(o->context, &a->thread->caller, address, width, (need & RV64_W) != 0, &a->pinned);
    a->found = at != NULL;
    return at;
}

/* Whether the instruction that faulted is one that the process's outside knows; it is done then. */
static bool done_outside(struct thread *t)
{
    struct dpk_process *p = t->process;
    struct access a = {.thread = t};
    const struct rv64_outside outside = {.find = find_outside, .context = &a};
    if ((t->hart.fault != RV64_FAULT_LOAD && t->hart.fault != RV64_FAULT_STORE) ||
        t->hart.fault_address < RV64_OUTSIDE || !p->outside.find)
        return false;
    bool done = rv64_step_outside(p->core, &t->hart, &outside) == RV64_STOP_BUDGET;
    if (a.found)
        p->outside.release(p->outside.context, a.pinned);
    return done;
}

/* ---- The turn ------------------------------------------------------------------------------- */

static void run_turn(struct thread *t, struct outcome *o)
{
    struct rv64_hart *h = &t->hart;
    const bool hurry = in_a_hurry(t);
    uint64_t end = h->instret + (hurry ? MOMENT_INSTRUCTIONS : TURN_INSTRUCTIONS);
    unsigned calls = 0, calls_max = hurry ? MOMENT_CALLS : TURN_CALLS;
    *o = (struct outcome){.how = TURN_AGAIN};
    h->time = (engine_now() - t->process->born) / 1000;
    while (h->instret < end && calls < calls_max && o->stop.how == DPK_STOP_NONE) {
        uint64_t left = end - h->instret;
        switch (t->process->debugger ? debug_run(t, left, o)
                                     : rv64_run(t->process->core, h, left)) {
        case RV64_STOP_BUDGET:
        case RV64_STOP_BREAKPOINT:
        case RV64_STOP_WATCH:
            break;
        case RV64_STOP_ECALL:
            calls++;
            if (call(t, o))
                return;
            break;
        case RV64_STOP_EBREAK: {
            char place[PLACE_MAX];
            turn_place(t, place, sizeof place);
            o->how = TURN_FAULT;
            snprintf(o->story, sizeof o->story, "thread %u: breakpoint,%s", t->slot, place);
            return;
        }
        case RV64_STOP_FAULT:
            if (done_outside(t))
                break;
            o->how = TURN_FAULT;
            turn_fault_story(t, o->story, sizeof o->story);
            return;
        }
    }
}

void turn_run(struct thread *t, struct outcome *o)
{
    run_turn(t, o);
    if (o->how == TURN_FAULT && in_a_hurry(t)) /* no launch fails its process: it faults again */
        *o = (struct outcome){.how = TURN_AGAIN};
    if (o->how == TURN_FAULT && t->process->debugger)
        debug_fault(t, o);
}
