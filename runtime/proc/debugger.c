/* A debugger's hold on a process: what dpk_gdb_serve asks for, in terms of threads and turns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proc/engine.h"

enum { WATCHES_MAX = 16 };

struct dpk_debugger {
    struct dpk_process *process;
    struct debug_policy policy;
    int wake; /* eventfd: there may be something to tell */
    struct rv64_watch watches[WATCHES_MAX];
    size_t watch_count;
    uint64_t breaks[RV64_BREAKS_MAX]; /* to be taken away at the end */
    size_t break_count;
    struct thread *current; /* the one it looks at */
    bool holds;             /* the process, now */
    bool hold_new;          /* threads that start stay where they are */
    bool interrupted;
    bool ended; /* the program is done, with ... */
    int code;
};

/* ---- In turns -------------------------------------------------------------------------------- */

bool debug_may_run(const struct thread *t)
{
    return t->process->holds == 0 && t->resume != DPK_RESUME_HOLD;
}

/* A step stops behind the instruction, and behind the call that it may be. */
enum rv64_stop debug_run(struct thread *t, uint64_t budget, struct outcome *o)
{
    const struct dpk_debugger *d = t->process->debugger;
    struct rv64_core *core = t->process->core;
    enum rv64_stop why;
    size_t hit = 0;
    if (t->resume == DPK_RESUME_STEP) {
        why = rv64_step_watched(core, &t->hart, d->watches, d->watch_count, &hit);
        o->stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = SIGTRAP};
    } else if (d->watch_count > 0) {
        why = rv64_run_watched(core, &t->hart, budget, d->watches, d->watch_count, &hit);
    } else {
        why = rv64_run(core, &t->hart, budget);
    }
    if (why == RV64_STOP_BREAKPOINT)
        o->stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = SIGTRAP};
    if (why == RV64_STOP_WATCH)
        o->stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL,
                                    .signal = SIGTRAP,
                                    .watched = d->watches[hit].access,
                                    .address = d->watches[hit].address};
    return why;
}

void debug_fault(struct thread *t, struct outcome *o)
{
    if (t->resume == DPK_RESUME_FAIL)
        return;
    o->how = TURN_AGAIN;
    o->stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = thread_signal(t)};
}

/* ---- Under the lock -------------------------------------------------------------------------- */

static void wake(struct dpk_debugger *d)
{
    const uint64_t one = 1;
    if (d && write(d->wake, &one, sizeof one) < 0)
        return; /* it is awake */
}

static void hold(struct dpk_debugger *d)
{
    if (!d->holds) {
        d->holds = true;
        d->process->holds++;
    }
}

void debug_stop(struct thread *t, const struct dpk_stop *stop)
{
    t->stop = *stop;
    t->stop.thread = t->slot + 1;
    t->resume = DPK_RESUME_RUN;
    hold(t->process->debugger);
}

void debug_settled(struct dpk_process *p)
{
    if (p->turns > 0)
        return;
    pthread_cond_broadcast(&p->still);
    if (p->holds > 0)
        wake(p->debugger);
}

void debug_started(struct thread *t)
{
    const struct dpk_debugger *d = t->process->debugger;
    t->resume = d && d->hold_new ? DPK_RESUME_HOLD : DPK_RESUME_RUN;
    t->stop = (struct dpk_stop){0};
}

void debug_failed(struct dpk_process *p)
{
    pthread_cond_broadcast(&p->still);
    wake(p->debugger);
}

/* ---- What GDB asks for ----------------------------------------------------------------------- */

static struct thread *find(const struct dpk_debugger *d, unsigned id)
{
    return id >= 1 && id <= SLOTS ? d->process->slots[id - 1] : NULL;
}

static enum dpk_debug_rights ops_rights(void *target, const char **why)
{
    struct dpk_debugger *d = target;
    enum dpk_debug_rights rights = debug_rights(d->process, &d->policy);
    *why = d->policy.why.message;
    return rights;
}

static size_t ops_threads(void *target, unsigned *ids, size_t max)
{
    struct dpk_debugger *d = target;
    struct thread *threads[SLOTS];
    engine_lock();
    size_t count = process_at_work(d->process, threads);
    for (size_t i = 0; i < count && i < max; i++)
        ids[i] = threads[i]->slot + 1;
    for (size_t i = 1; i < count && i < max; i++)
        if (threads[i] == d->current) {
            ids[i] = ids[0];
            ids[0] = d->current->slot + 1;
        }
    engine_unlock();
    if (count == 0) /* GDB wants one: the first that may come */
        ids[count++] = 1;
    return count < max ? count : max;
}

static void ops_describe(void *target, unsigned id, char *out, size_t size)
{
    struct dpk_debugger *d = target;
    engine_lock();
    const struct thread *t = find(d, id);
    const char *function = t ? dpk_image_function_at(d->process->image, t->function, NULL) : NULL;
    if (!t || t->state == THREAD_IDLE)
        snprintf(out, size, "idle");
    else
        snprintf(out, size, "%s %.80s, rank %u, %s", t->rpc ? "RPC" : "kernel",
                 function ? function : "?", t->rank,
                 t->state == THREAD_BLOCKED ? "waits for an event" : "ready");
    engine_unlock();
}

static bool ops_get_registers(void *target, unsigned id, uint64_t x[32], uint64_t *pc)
{
    struct dpk_debugger *d = target;
    engine_lock();
    const struct thread *t = find(d, id);
    memset(x, 0, 32 * sizeof *x);
    *pc = dpk_image_entry(d->process->image);
    if (t) {
        memcpy(x, t->hart.x, 32 * sizeof *x);
        *pc = t->hart.pc;
    }
    engine_unlock();
    return t || id == 1;
}

static bool ops_set_registers(void *target, unsigned id, const uint64_t x[32], uint64_t pc)
{
    struct dpk_debugger *d = target;
    uint64_t before[32], from;
    if (!ops_get_registers(target, id, before, &from) ||
        !debug_may_set(d->process, &d->policy, from, pc))
        return false;
    engine_lock();
    struct thread *t = find(d, id);
    bool there = t && t->state != THREAD_IDLE;
    if (there) {
        memcpy(t->hart.x + 1, x + 1, 31 * sizeof *x);
        t->hart.pc = pc;
        t->hart.reserved_width = 0;
    }
    engine_unlock();
    return there;
}

static bool ops_read(void *target, uint64_t address, void *to, size_t size)
{
    struct dpk_debugger *d = target;
    const void *at = rv64_memory_at(d->process->memory, address, size, 0);
    if (at)
        memcpy(to, at, size);
    return at != NULL;
}

static bool ops_write(void *target, uint64_t address, const void *from, size_t size)
{
    struct dpk_debugger *d = target;
    return rv64_memory_at(d->process->memory, address, size, 0) &&
           debug_may_write(d->process, &d->policy, address, size) &&
           rv64_memory_store(d->process->memory, address, from, size);
}

static size_t find_break(const struct dpk_debugger *d, uint64_t address)
{
    size_t i = 0;
    while (i < d->break_count && d->breaks[i] != address)
        i++;
    return i;
}

/* GDB may set one address twice, as a software and as a hardware breakpoint: each is counted. */
static bool ops_breakpoint(void *target, uint64_t address, bool on)
{
    struct dpk_debugger *d = target;
    size_t i = find_break(d, address);
    if (on) {
        if (d->break_count == RV64_BREAKS_MAX || !rv64_core_break(d->process->core, address, true))
            return false;
        d->breaks[d->break_count++] = address;
    } else if (i < d->break_count) {
        d->breaks[i] = d->breaks[--d->break_count];
        if (find_break(d, address) == d->break_count)
            rv64_core_break(d->process->core, address, false);
    }
    return true;
}

static bool same_watch(const struct rv64_watch *a, const struct rv64_watch *b)
{
    return a->address == b->address && a->size == b->size && a->access == b->access;
}

static bool ops_watch(void *target, const struct rv64_watch *watch, bool on)
{
    struct dpk_debugger *d = target;
    size_t i = 0;
    if (on && d->watch_count < WATCHES_MAX) {
        d->watches[d->watch_count++] = *watch;
        return true;
    }
    while (i < d->watch_count && !same_watch(&d->watches[i], watch))
        i++;
    if (!on && i < d->watch_count)
        d->watches[i] = d->watches[--d->watch_count];
    return !on;
}

/* ---- Going on and stopping ------------------------------------------------------------------- */

static void ops_resume(void *target, unsigned id, enum dpk_resume how)
{
    struct dpk_debugger *d = target;
    engine_lock();
    struct thread *t = find(d, id);
    if (t)
        t->resume = how;
    engine_unlock();
}

static bool is_watched(const struct dpk_debugger *d, const struct dpk_stop *stop)
{
    for (size_t i = 0; i < d->watch_count; i++)
        if (d->watches[i].address == stop->address && d->watches[i].access == stop->watched)
            return true;
    return false;
}

/* What a thread stopped for and could not tell: a breakpoint or a fault it will meet again. The hit
 * of a watch is behind it: kept until the thread is to go on, and told then if the watch is there.
 */
static bool is_kept(const struct dpk_debugger *d, const struct thread *t)
{
    return t->stop.watched && t->state != THREAD_IDLE &&
           (t->resume == DPK_RESUME_HOLD || is_watched(d, &t->stop));
}

/* GDB takes a stop of a thread that it holds for an error of its own. */
static bool may_tell(const struct thread *t)
{
    return t->stop.how != DPK_STOP_NONE && t->resume != DPK_RESUME_HOLD;
}

static bool has_untold(const struct dpk_debugger *d)
{
    bool untold = false;
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = d->process->slots[i];
        if (t && !is_kept(d, t))
            t->stop = (struct dpk_stop){0};
        untold |= t && may_tell(t);
    }
    return untold;
}

static void release(struct dpk_debugger *d)
{
    struct dpk_process *p = d->process;
    if (!d->holds)
        return;
    d->holds = false;
    p->users++; /* process_release gives back what process_hold took */
    process_release(p);
}

static void ops_go(void *target, enum dpk_resume others)
{
    struct dpk_debugger *d = target;
    engine_lock();
    d->hold_new = others == DPK_RESUME_HOLD;
    d->interrupted = false;
    if (has_untold(d) || d->process->failed != DPK_OK || d->ended)
        wake(d);
    else
        release(d);
    engine_unlock();
}

static void ops_interrupt(void *target)
{
    struct dpk_debugger *d = target;
    engine_lock();
    d->interrupted = true;
    hold(d);
    debug_settled(d->process);
    engine_unlock();
}

/* Takes what one thread stopped for; with a lock. */
static bool take_stop(struct dpk_debugger *d, struct dpk_stop *out)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct thread *t = d->process->slots[i];
        if (!t || !may_tell(t))
            continue;
        *out = t->stop;
        t->stop = (struct dpk_stop){0};
        if (t->state == THREAD_IDLE) /* a step out of its last function */
            out->thread = 0;
        else
            d->current = t;
        return true;
    }
    *out = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = SIGINT};
    return d->interrupted;
}

static bool ops_stopped(void *target, struct dpk_stop *out)
{
    struct dpk_debugger *d = target;
    struct dpk_process *p = d->process;
    bool told = true;
    engine_lock();
    if (d->ended)
        *out = (struct dpk_stop){.how = DPK_STOP_EXITED, .code = d->code};
    else if (p->failed != DPK_OK)
        *out = (struct dpk_stop){.how = DPK_STOP_KILLED,
                                 .signal = p->culprit ? thread_signal(p->culprit) : SIGKILL};
    else
        told = d->holds && p->turns == 0 && take_stop(d, out);
    engine_unlock();
    return told;
}

static void ops_kill(void *target)
{
    struct dpk_debugger *d = target;
    engine_lock();
    process_fail(d->process, DPK_ERR_FAULT, "ended by the debugger");
    engine_unlock();
}

/* Nothing of it is left in the process, which goes on. */
static void ops_detach(void *target)
{
    struct dpk_debugger *d = target;
    engine_lock();
    hold(d);
    while (d->process->turns > 0)
        pthread_cond_wait(&d->process->still, &the_engine.lock);
    while (d->break_count > 0)
        rv64_core_break(d->process->core, d->breaks[--d->break_count], false);
    d->watch_count = 0;
    d->process->debugger = NULL;
    for (unsigned i = 0; i < SLOTS; i++)
        if (d->process->slots[i]) {
            d->process->slots[i]->resume = DPK_RESUME_RUN;
            d->process->slots[i]->ran = 0;
            if (d->process->slots[i]->launch)
                d->process->slots[i]->launch->ran = 0;
            d->process->slots[i]->stop = (struct dpk_stop){0};
        }
    release(d);
    engine_unlock();
}

/* ---- Life ------------------------------------------------------------------------------------ */

static enum dpk_status is_free(const struct dpk_process *p, struct dpk_error *err)
{
    return p->debugger ? dpk_fail(err, DPK_ERR_EXISTS, "the process is being debugged already")
                       : DPK_OK;
}

enum dpk_status dpk_debugger_create(struct dpk_process *p, struct dpk_debugger **out,
                                    struct dpk_error *err)
{
    *out = NULL;
    struct dpk_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return dpk_fail_nomem(err);
    d->process = p;
    d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum dpk_status status = debug_admit(p, &d->policy, err);
    if (status == DPK_OK && d->wake < 0)
        status = dpk_fail_errno(err, "no descriptor for the debugger");
    engine_lock();
    if (status == DPK_OK)
        status = process_state(p, err);
    if (status == DPK_OK)
        status = is_free(p, err);
    if (status == DPK_OK) {
        p->users++;
        hold(d);
        while (p->turns > 0) /* others may come meanwhile */
            pthread_cond_wait(&p->still, &the_engine.lock);
        if ((status = is_free(p, err)) == DPK_OK) {
            *out = p->debugger = d;
        } else {
            release(d);
            process_leave(p);
        }
    }
    engine_unlock();
    if (status != DPK_OK) {
        if (d->wake >= 0)
            close(d->wake);
        free(d);
    }
    return status;
}

void dpk_debugger_detach(struct dpk_debugger *d)
{
    if (d->process->debugger == d)
        ops_detach(d);
}

void dpk_debugger_destroy(struct dpk_debugger *d)
{
    if (!d)
        return;
    dpk_debugger_detach(d);
    engine_lock();
    process_leave(d->process);
    engine_unlock();
    close(d->wake);
    free(d);
}

void dpk_debugger_await(struct dpk_debugger *d)
{
    struct dpk_process *p = d->process;
    engine_lock();
    while (list_empty(&p->held) && p->failed == DPK_OK && !d->ended)
        pthread_cond_wait(&p->still, &the_engine.lock);
    engine_unlock();
}

const char *dpk_debugger_locked(const struct dpk_debugger *d)
{
    return d->policy.permit.rights == DPK_DEBUG_ALL ? NULL : d->policy.why.message;
}

enum dpk_status dpk_debugger_serve(struct dpk_debugger *d, int in, int out, bool attached,
                                   struct dpk_error *err)
{
    const struct dpk_debug_ops ops = {
        .threads = ops_threads,
        .describe = ops_describe,
        .get_registers = ops_get_registers,
        .set_registers = ops_set_registers,
        .read = ops_read,
        .write = ops_write,
        .breakpoint = ops_breakpoint,
        .watch = ops_watch,
        .resume = ops_resume,
        .go = ops_go,
        .interrupt = ops_interrupt,
        .stopped = ops_stopped,
        .kill = ops_kill,
        .detach = ops_detach,
        .attached = attached,
        .rights = ops_rights,
    };
    enum dpk_status status = debug_begin(d->process, &d->policy, err);
    if (status != DPK_OK)
        return status;
    status = dpk_gdb_serve(in, out, d->wake, &ops, d, err);
    enum dpk_status end = debug_end(d->process, &d->policy, err);
    return status == DPK_OK ? end : status;
}

enum dpk_status dpk_debugger_log(const struct dpk_debugger *d, const char *action,
                                 const char *result, const char *detail)
{
    return dpk_debug_record(d->process->image, &d->policy.permit, action, result, detail, NULL);
}

void dpk_debugger_exit(struct dpk_debugger *d, int code)
{
    engine_lock();
    d->ended = true;
    d->code = code;
    pthread_cond_broadcast(&d->process->still);
    wake(d);
    engine_unlock();
}
