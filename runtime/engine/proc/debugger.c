#include "engine/proc/debugger.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/proc/failure.h"
#include "engine/proc/recorded.h"

/* ---- Under the lock ---- */

static void release(struct dpk_debugger *d)
{
    if (d->holds) {
        d->holds = false;
        sched_group_release(&d->process->group);
    }
}

/* A stop is reported when all harts of the process are held. */
static void wake_if_still(const struct dpk_debugger *d)
{
    if (d->process->group.running == 0)
        proc_process_wake_debugger(d->process);
}

/* ---- Requests of GDB ---- */

static struct hart *find_hart(const struct dpk_debugger *d, unsigned id)
{
    return id >= 1 && id <= HARTS_MAX ? d->process->harts[id - 1] : NULL;
}

static enum dpk_debug_rights ops_rights(void *target, const char **why)
{
    struct dpk_debugger *d = target;
    enum dpk_debug_rights rights = proc_debug_rights(d->process, &d->policy);
    *why = d->policy.why.message;
    return rights;
}

static size_t ops_threads(void *target, unsigned *ids, size_t max)
{
    struct dpk_debugger *d = target;
    struct hart *harts[HARTS_MAX];
    sched_lock();
    size_t count = proc_harts_at_work(d->process, harts);
    for (size_t i = 0; i < count && i < max; i++)
        ids[i] = harts[i]->id + 1;
    for (size_t i = 1; i < count && i < max; i++)
        if (harts[i] == d->current) {
            ids[i] = ids[0];
            ids[0] = d->current->id + 1;
        }
    sched_unlock();
    if (count == 0) /* GDB needs a thread: the first that may come */
        ids[count++] = 1;
    return count < max ? count : max;
}

static void ops_describe(void *target, unsigned id, char *out, size_t size)
{
    struct dpk_debugger *d = target;
    sched_lock();
    const struct hart *h = find_hart(d, id);
    const char *function = h ? dpk_image_function_at(d->process->image, h->function, NULL) : NULL;
    if (!h || sched_hart_rests(&h->sched))
        snprintf(out, size, "idle");
    else
        snprintf(out, size, "%s %.80s, rank %u, %s", h->rpc ? "RPC" : "kernel",
                 function ? function : "?", h->rank,
                 h->sched.state == HART_BLOCKED ? "waits for an event" : "ready");
    sched_unlock();
}

static bool ops_get_registers(void *target, unsigned id, uint64_t x[32], uint64_t *pc)
{
    struct dpk_debugger *d = target;
    sched_lock();
    const struct hart *h = find_hart(d, id);
    memset(x, 0, 32 * sizeof *x);
    *pc = dpk_image_entry(d->process->image);
    if (h) {
        memcpy(x, h->regs.x, 32 * sizeof *x);
        *pc = h->regs.pc;
    }
    sched_unlock();
    return h || id == 1;
}

static bool ops_set_registers(void *target, unsigned id, const uint64_t x[32], uint64_t pc)
{
    struct dpk_debugger *d = target;
    uint64_t before[32], from;
    if (!ops_get_registers(target, id, before, &from) ||
        !proc_debug_may_set(d->process, &d->policy, from, pc))
        return false;
    sched_lock();
    struct hart *h = find_hart(d, id);
    bool there = h && !sched_hart_rests(&h->sched);
    if (there) {
        memcpy(h->regs.x + 1, x + 1, 31 * sizeof *x);
        h->regs.pc = pc;
        h->regs.reserved_width = 0;
    }
    sched_unlock();
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
           proc_debug_may_write(d->process, &d->policy, address, size) &&
           proc_recorded_store(d->process, address, from, size);
}

static size_t find_break(const struct dpk_debugger *d, uint64_t address)
{
    size_t i = 0;
    while (i < d->break_count && d->breaks[i] != address)
        i++;
    return i;
}

/* GDB may set two breakpoints at an address, one in software and one in hardware. Each is
 * counted. */
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

/* ---- Going on and stopping ---- */

static void ops_resume(void *target, unsigned id, enum dpk_resume how)
{
    struct dpk_debugger *d = target;
    sched_lock();
    struct hart *h = find_hart(d, id);
    if (h)
        proc_hart_set_resume(h, how);
    sched_unlock();
}

static bool is_watched(const struct dpk_debugger *d, const struct dpk_stop *stop)
{
    for (size_t i = 0; i < d->watch_count; i++)
        if (d->watches[i].address == stop->address && d->watches[i].access == stop->watched)
            return true;
    return false;
}

/* Returns whether an unreported stop is kept. A thread meets a breakpoint or a fault again, but has
 * passed a watch. So the stop at a watch is kept until the thread continues, and is reported then
 * if the watch still exists. */
static bool is_kept(const struct dpk_debugger *d, const struct hart *h)
{
    return h->stop.watched && !sched_hart_rests(&h->sched) &&
           (h->resume == DPK_RESUME_HOLD || is_watched(d, &h->stop));
}

/* GDB treats a stop of a thread that it holds as an internal error. */
static bool may_tell(const struct hart *h)
{
    return h->stop.how != DPK_STOP_NONE && h->resume != DPK_RESUME_HOLD;
}

static bool has_untold(const struct dpk_debugger *d)
{
    bool untold = false;
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        struct hart *h = d->process->harts[i];
        if (h && !is_kept(d, h))
            h->stop = (struct dpk_stop){0};
        untold |= h && may_tell(h);
    }
    return untold;
}

static void ops_go(void *target, enum dpk_resume others)
{
    struct dpk_debugger *d = target;
    sched_lock();
    d->process->hold_new = others == DPK_RESUME_HOLD;
    d->interrupted = false;
    if (has_untold(d) || d->process->failed != DPK_OK || d->ended)
        proc_process_wake_debugger(d->process);
    else
        release(d);
    sched_unlock();
}

static void ops_interrupt(void *target)
{
    struct dpk_debugger *d = target;
    sched_lock();
    d->interrupted = true;
    proc_debug_hold(d);
    wake_if_still(d);
    sched_unlock();
}

/* Takes the stop of a thread. Call this with the lock. */
static bool take_stop(struct dpk_debugger *d, struct dpk_stop *out)
{
    for (unsigned i = 0; i < HARTS_MAX; i++) {
        struct hart *h = d->process->harts[i];
        if (!h || !may_tell(h))
            continue;
        *out = h->stop;
        h->stop = (struct dpk_stop){0};
        if (sched_hart_rests(&h->sched)) /* the thread left its last function */
            out->thread = 0;
        else
            d->current = h;
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
    sched_lock();
    if (d->ended)
        *out = (struct dpk_stop){.how = DPK_STOP_EXITED, .code = d->code};
    else if (p->failed != DPK_OK)
        *out = (struct dpk_stop){.how = DPK_STOP_KILLED,
                                 .signal = p->culprit ? proc_hart_signal(p->culprit) : SIGKILL};
    else
        told = d->holds && p->group.running == 0 && take_stop(d, out);
    sched_unlock();
    return told;
}

static void ops_kill(void *target)
{
    struct dpk_debugger *d = target;
    sched_lock();
    proc_process_fail(d->process, DPK_ERR_FAULT, "ended by the debugger");
    sched_unlock();
}

static void forget(struct hart *h)
{
    proc_hart_set_resume(h, DPK_RESUME_RUN);
    h->stop = (struct dpk_stop){0};
    h->sched.ran = 0;
    if (h->sched.share)
        *h->sched.share = 0;
}

/* Sets the debugger of a held process, or NULL. */
static void set_debugger(struct dpk_process *p, struct dpk_debugger *d)
{
    p->debugger = d;
    p->debugger_fd = d ? d->fd : -1;
    p->hold_new = false;
    p->group.debugged = d != NULL;
}

/* Removes the debugger and its breakpoints from the process, and lets the process continue. */
static void ops_detach(void *target)
{
    struct dpk_debugger *d = target;
    struct dpk_process *p = d->process;
    sched_lock();
    proc_debug_hold(d);
    sched_group_await_still(&p->group);
    while (d->break_count > 0)
        rv64_core_break(p->core, d->breaks[--d->break_count], false);
    d->watch_count = 0;
    set_debugger(p, NULL);
    for (unsigned i = 0; i < HARTS_MAX; i++)
        if (p->harts[i])
            forget(p->harts[i]);
    release(d);
    sched_unlock();
}

/* ---- Life ---- */

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
    d->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum dpk_status status = proc_debug_admit(p, &d->policy, err);
    if (status == DPK_OK && d->fd < 0)
        status = dpk_fail_errno(err, "no descriptor for the debugger");
    sched_lock();
    if (status == DPK_OK)
        status = proc_process_state(p, err);
    if (status == DPK_OK)
        status = is_free(p, err);
    if (status == DPK_OK) {
        sched_group_enter(&p->group);
        proc_debug_hold(d);
        sched_group_await_still(&p->group); /* other debuggers may come meanwhile */
        if ((status = is_free(p, err)) == DPK_OK) {
            set_debugger(p, d);
            *out = d;
        } else {
            release(d);
            sched_group_leave(&p->group);
        }
    }
    sched_unlock();
    if (status != DPK_OK) {
        if (d->fd >= 0)
            close(d->fd);
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
    sched_lock();
    sched_group_leave(&d->process->group);
    sched_unlock();
    close(d->fd);
    free(d);
}

void dpk_debugger_await(struct dpk_debugger *d)
{
    struct dpk_process *p = d->process;
    sched_lock();
    while (list_empty(&p->group.held) && p->failed == DPK_OK && !d->ended)
        sched_wait(&p->group.still, SCHED_NEVER);
    sched_unlock();
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
    enum dpk_status status = proc_debug_begin(d->process, &d->policy, err);
    if (status != DPK_OK)
        return status;
    status = dpk_gdb_serve(in, out, d->fd, &ops, d, err);
    enum dpk_status end = proc_debug_end(d->process, &d->policy, err);
    return status == DPK_OK ? end : status;
}

enum dpk_status dpk_debugger_log(const struct dpk_debugger *d, const char *action,
                                 const char *result, const char *detail)
{
    return dpk_debug_record(d->process->image, &d->policy.permit, action, result, detail, NULL);
}

void dpk_debugger_exit(struct dpk_debugger *d, int code)
{
    sched_lock();
    d->ended = true;
    d->code = code;
    pthread_cond_broadcast(&d->process->group.still);
    proc_process_wake_debugger(d->process);
    sched_unlock();
}
