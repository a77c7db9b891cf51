/* One turn of a DPA thread on an execution unit: instructions, calls (dpa_abi.h), faults. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dev/dpa_abi.h"
#include "dpaos/engine.h"

#define TURN_INSTRUCTIONS 32768u
#define TURN_CALLS        4096u
#define MESSAGE_MAX       65536u

enum { A0 = 10, A1, A2, A3, A7 = 17 };

/* ---- Texts ---------------------------------------------------------------------------------- */

void turn_place(const struct thread *t, char *out, size_t size)
{
    uint64_t offset;
    const char *function = dpk_image_function_at(t->process->image, t->hart.pc, &offset);
    if (function)
        snprintf(out, size, " pc 0x%" PRIx64 " (%.120s+0x%" PRIx64 ")", t->hart.pc, function,
                 offset);
    else
        snprintf(out, size, " pc 0x%" PRIx64, t->hart.pc);
}

static void fault_story(const struct thread *t, struct outcome *o)
{
    char place[200];
    const struct rv64_hart *h = &t->hart;
    turn_place(t, place, sizeof place);
    o->how = TURN_FAULT;
    if (h->fault == RV64_FAULT_ILLEGAL)
        snprintf(o->story, sizeof o->story, "thread %u: %s 0x%" PRIx64 ",%s", t->slot,
                 rv64_fault_name(h->fault), h->fault_address, place);
    else
        snprintf(o->story, sizeof o->story, "thread %u: %s at address 0x%" PRIx64 ",%s", t->slot,
                 rv64_fault_name(h->fault), h->fault_address, place);
}

/* A call that the runtime cannot carry out. Returns true: the turn is over. */
static bool bad_call(struct thread *t, struct outcome *o, const char *what, uint64_t value)
{
    char place[200];
    t->hart.pc -= 4; /* back on the ECALL */
    turn_place(t, place, sizeof place);
    o->how = TURN_FAULT;
    snprintf(o->story, sizeof o->story, "thread %u: %s 0x%" PRIx64 ",%s", t->slot, what, value,
             place);
    return true;
}

/* ---- Calls: each returns whether it ends the turn ------------------------------------------- */

static bool done(struct outcome *o, uint64_t value)
{
    o->how = TURN_DONE;
    o->value = value;
    return true;
}

/* The text is copied first: the program may go on writing over it. Ends the turn: a host that reads
 * slowly holds up who sends, and nobody else for longer than one message. */
static bool send_message(struct thread *t, struct outcome *o)
{
    const uint64_t *x = t->hart.x;
    struct dpk_process *p = t->process;
    uint64_t size = x[A3];
    char small[512], *text = small;
    if (size > MESSAGE_MAX)
        return bad_call(t, o, "message too long, bytes", size);
    const void *from = size ? rv64_memory_at(p->memory, x[A2], size, RV64_R) : "";
    if (!from)
        return bad_call(t, o, "message at bad address", x[A2]);
    if (size > sizeof small && !(text = malloc(size)))
        return bad_call(t, o, "no host memory for a message of bytes", size);
    memcpy(text, from, size);
    pthread_mutex_lock(&p->sink_lock);
    if (p->sink)
        p->sink(p->sink_context, (unsigned)x[A0], (unsigned)x[A1], t->slot, text, size);
    pthread_mutex_unlock(&p->sink_lock);
    if (text != small)
        free(text);
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
    return block;
}

static bool answer(struct thread *t, uint64_t value)
{
    t->hart.x[A0] = value;
    return false;
}

static bool call(struct thread *t, struct outcome *o)
{
    uint64_t number = t->hart.x[A7];
    switch (number) {
    case DPA_SYS_EXIT:
        return done(o, t->hart.x[A0]);
    case DPA_SYS_FINISH:
    case DPA_SYS_RESCHEDULE: /* a kernel or an RPC has one activation */
        return done(o, 0);
    case DPA_SYS_MSG:
        return send_message(t, o);
    case DPA_SYS_THREAD_RANK:
        return answer(t, t->rank);
    case DPA_SYS_NUM_THREADS:
        return answer(t, t->launch->threads);
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
        return answer(t, 0); /* only threads that the host makes have one */
    default:
        return bad_call(t, o, "unknown call", number);
    }
}

/* ---- The turn ------------------------------------------------------------------------------- */

void turn_run(struct thread *t, struct outcome *o)
{
    struct rv64_hart *h = &t->hart;
    uint64_t end = h->instret + TURN_INSTRUCTIONS;
    unsigned calls = 0;
    *o = (struct outcome){.how = TURN_AGAIN};
    h->time = (engine_now() - t->process->born) / 1000;
    while (h->instret < end && calls < TURN_CALLS) {
        switch (rv64_run(t->process->core, h, end - h->instret)) {
        case RV64_STOP_BUDGET:
        case RV64_STOP_BREAKPOINT: /* nobody sets any */
        case RV64_STOP_WATCH:
            break;
        case RV64_STOP_ECALL:
            calls++;
            if (call(t, o))
                return;
            break;
        case RV64_STOP_EBREAK: {
            char place[200];
            turn_place(t, place, sizeof place);
            o->how = TURN_FAULT;
            snprintf(o->story, sizeof o->story, "thread %u: breakpoint,%s", t->slot, place);
            return;
        }
        case RV64_STOP_FAULT:
            fault_story(t, o);
            return;
        }
    }
}
