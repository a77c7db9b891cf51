/* GDB's view of a replay: a program that GDB can run forwards and backwards, but not change. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "machine.h"

enum direction { FORWARD, BACKWARD };

struct target {
    struct dpk_replay *r;
    struct points points;
    int wake;
    enum direction direction;
    unsigned step; /* GDB's number of the thread that does one step, or 0 */
    bool runs;
    pthread_t thread;
    atomic_bool interrupted, done;
    struct dpk_stop stop;
};

/* GDB numbers threads from 1: 0 is not a thread. */
static const struct thread *thread_of(const struct target *t, unsigned id)
{
    return id >= 1 && id <= DPK_RECORD_THREADS_MAX && t->r->threads[id - 1].there
               ? &t->r->threads[id - 1]
               : NULL;
}

static unsigned current(const struct target *t)
{
    return t->r->record.thread + 1;
}

/* ---- Looking ---- */

static size_t threads(void *target, unsigned *ids, size_t max)
{
    const struct target *t = target;
    size_t count = 0;
    ids[count++] = current(t);
    for (unsigned id = 1; id <= DPK_RECORD_THREADS_MAX && count < max; id++)
        if (id != current(t) && thread_of(t, id))
            ids[count++] = id;
    return count;
}

static void describe(void *target, unsigned id, char *out, size_t size)
{
    const struct target *t = target;
    const struct thread *of = thread_of(t, id);
    if (of)
        snprintf(out, size, "tick %" PRIu64 " of %" PRIu64 ", %s", machine_tick(t->r), t->r->ticks,
                 id == current(t) ? "runs" : "waits");
    else
        *out = '\0';
}

static bool get_registers(void *target, unsigned id, uint64_t x[32], uint64_t *pc)
{
    const struct thread *of = thread_of(target, id);
    if (!of)
        return false;
    memcpy(x, of->hart.x, sizeof of->hart.x);
    *pc = of->hart.pc;
    return true;
}

static bool read_memory(void *target, uint64_t address, void *to, size_t size)
{
    const struct target *t = target;
    const void *at = rv64_memory_at(t->r->memory, address, size, 0);
    if (at)
        memcpy(to, at, size);
    return at != NULL;
}

/* ---- Refused changes ---- */

static bool set_registers(void *target, unsigned id, const uint64_t x[32], uint64_t pc)
{
    (void)target, (void)id, (void)x, (void)pc;
    return false;
}

static bool write_memory(void *target, uint64_t address, const void *from, size_t size)
{
    (void)target, (void)address, (void)from, (void)size;
    return false;
}

static enum dpk_debug_rights rights(void *target, const char **why)
{
    (void)target;
    *why = "this is a replay: what has happened cannot be changed";
    return DPK_DEBUG_READ;
}

/* ---- Breakpoints and watches ---- */

static bool breakpoint(void *target, uint64_t address, bool on)
{
    struct target *t = target;
    struct points *p = &t->points;
    size_t i = 0;
    while (i < p->break_count && p->breaks[i] != address)
        i++;
    if ((i < p->break_count) == on)
        return true;
    if (on && p->break_count == RV64_BREAKS_MAX)
        return false;
    if (!rv64_core_break(t->r->core, address, on))
        return false;
    if (on)
        p->breaks[p->break_count++] = address;
    else
        p->breaks[i] = p->breaks[--p->break_count];
    return true;
}

static bool watch(void *target, const struct rv64_watch *w, bool on)
{
    struct target *t = target;
    struct points *p = &t->points;
    size_t i = 0;
    while (i < p->watch_count &&
           (p->watches[i].address != w->address || p->watches[i].size != w->size ||
            p->watches[i].access != w->access))
        i++;
    if ((i < p->watch_count) == on)
        return true;
    if (on && p->watch_count == sizeof p->watches / sizeof *p->watches)
        return false;
    if (on)
        p->watches[p->watch_count++] = *w;
    else
        p->watches[i] = p->watches[--p->watch_count];
    return true;
}

/* ---- Forwards ---- */

static void stopped_for(struct target *t, int signal, unsigned thread)
{
    t->stop = (struct dpk_stop){.how = DPK_STOP_SIGNAL, .signal = signal, .thread = thread};
}

static void stopped_at(struct target *t, const struct hit *hit, unsigned thread)
{
    stopped_for(t, SIGTRAP, thread);
    if (hit->watch != SIZE_MAX) {
        t->stop.watched = t->points.watches[hit->watch].access;
        t->stop.address = t->points.watches[hit->watch].address;
    }
}

/* Stops at the end of the recording, or where the replay diverged. */
static void stopped_at_end(struct target *t)
{
    const struct dpk_error *why = &t->r->failure;
    stopped_for(t, SIGTRAP, current(t));
    t->stop.history = DPK_HISTORY_END;
    if (why->status == DPK_ERR_MISMATCH || why->status == DPK_ERR_NOMEM)
        fprintf(stderr, "-E- %s\n", why->message);
}

static unsigned thread_at(const struct dpk_replay *r, uint64_t tick)
{
    size_t low = 0, high = r->run_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->runs[middle].tick <= tick)
            low = middle;
        else
            high = middle;
    }
    return r->runs[low].thread + 1;
}

/* Runs until after the next tick of a thread, or of all threads. */
static void go_forward(struct target *t)
{
    struct dpk_replay *r = t->r;
    struct hit hit;
    for (bool here = false;; here = true) {
        const uint64_t tick = machine_tick(r);
        const unsigned thread = current(t);
        if (machine_at_end(r))
            break;
        const bool steps = t->step == thread;
        if (!replay_machine_search(r, &t->points, here, steps ? tick + 1 : UINT64_MAX, &hit))
            break;
        if (hit.there) {
            stopped_at(t, &hit, thread_at(r, hit.tick));
            return;
        }
        if (steps && !machine_at_end(r)) {
            stopped_for(t, SIGTRAP, thread);
            return;
        }
        if (atomic_load(&t->interrupted)) {
            stopped_for(t, SIGINT, current(t));
            return;
        }
    }
    stopped_at_end(t);
}

/* ---- Backwards ---- */

static bool seek(struct target *t, uint64_t tick)
{
    uint64_t at;
    return replay_states_restore(t->r, tick, &at) && replay_machine_forward(t->r, tick);
}

static void stopped_at_begin(struct target *t)
{
    if (!seek(t, 0)) {
        stopped_at_end(t);
        return;
    }
    stopped_for(t, SIGTRAP, current(t));
    t->stop.history = DPK_HISTORY_BEGIN;
}

/* Goes to the thread's last tick before the current tick. */
static void step_back(struct target *t)
{
    const struct dpk_replay *r = t->r;
    const uint64_t now = machine_tick(r);
    size_t i = r->run;
    if (now > 0 && i < r->run_count && r->done > 0 && r->runs[i].thread + 1 == t->step) {
        if (seek(t, now - 1))
            stopped_for(t, SIGTRAP, t->step);
        else
            stopped_at_end(t);
        return;
    }
    while (i > 0 && (r->runs[i - 1].thread + 1 != t->step ||
                     r->runs[i - 1].tick == (i < r->run_count ? r->runs[i].tick : r->ticks)))
        i--;
    if (i == 0)
        stopped_at_begin(t);
    else if (seek(t, (i < r->run_count ? r->runs[i].tick : r->ticks) - 1))
        stopped_for(t, SIGTRAP, t->step);
    else
        stopped_at_end(t);
}

/* Finds the last hit before `to`. Returns false if the replay cannot continue, or is
 * interrupted. */
static bool last_hit(struct target *t, uint64_t to, struct hit *last)
{
    struct hit hit;
    bool here = true; /* includes the first tick */
    *last = (struct hit){0};
    while (machine_tick(t->r) < to) {
        if (!replay_machine_search(t->r, &t->points, here, to, &hit))
            return false;
        here = !hit.there || hit.watch != SIZE_MAX;
        if (hit.there)
            *last = hit;
        if (atomic_load(&t->interrupted))
            return false;
    }
    return true;
}

static void go_back(struct target *t)
{
    struct hit hit = {0};
    uint64_t to = machine_tick(t->r), from;
    while (to > 0) {
        if (!replay_states_restore(t->r, to - 1, &from) || !last_hit(t, to, &hit))
            break;
        if (hit.there || from == 0)
            break;
        to = from;
    }
    if (hit.there && seek(t, hit.tick))
        stopped_at(t, &hit, current(t));
    else if (atomic_load(&t->interrupted))
        stopped_for(t, SIGINT, current(t));
    else
        stopped_at_begin(t);
}

/* ---- Going on and stopping ---- */

static void *travel(void *target)
{
    struct target *t = target;
    const uint64_t one = 1;
    if (t->direction == FORWARD)
        go_forward(t);
    else if (t->step)
        step_back(t);
    else
        go_back(t);
    atomic_store(&t->done, true);
    (void)!write(t->wake, &one, sizeof one);
    return NULL;
}

static void start(struct target *t, enum direction direction)
{
    t->direction = direction;
    atomic_store(&t->interrupted, false);
    atomic_store(&t->done, false);
    t->runs = pthread_create(&t->thread, NULL, travel, t) == 0;
    if (!t->runs)
        (void)travel(t);
}

static void resume(void *target, unsigned id, enum dpk_resume how)
{
    struct target *t = target;
    if (how == DPK_RESUME_STEP)
        t->step = id;
}

static void go(void *target, enum dpk_resume others)
{
    (void)others; /* the recording determines which threads run */
    start(target, FORWARD);
}

static void back(void *target, unsigned thread)
{
    struct target *t = target;
    t->step = thread;
    start(t, BACKWARD);
}

static void interrupt(void *target)
{
    atomic_store(&((struct target *)target)->interrupted, true);
}

static bool stopped(void *target, struct dpk_stop *out)
{
    struct target *t = target;
    if (!atomic_exchange(&t->done, false))
        return false;
    if (t->runs)
        pthread_join(t->thread, NULL);
    t->runs = false;
    t->step = 0;
    *out = t->stop;
    return true;
}

static void end(void *target)
{
    struct target *t = target;
    interrupt(t);
    if (t->runs)
        pthread_join(t->thread, NULL);
    t->runs = false;
}

enum dpk_status dpk_replay_serve(struct dpk_replay *r, int in, int out, struct dpk_error *err)
{
    static const struct dpk_debug_ops ops = {.threads = threads,
                                             .describe = describe,
                                             .get_registers = get_registers,
                                             .set_registers = set_registers,
                                             .read = read_memory,
                                             .write = write_memory,
                                             .breakpoint = breakpoint,
                                             .watch = watch,
                                             .resume = resume,
                                             .go = go,
                                             .back = back,
                                             .interrupt = interrupt,
                                             .stopped = stopped,
                                             .kill = end,
                                             .detach = end,
                                             .attached = true,
                                             .rights = rights};
    struct target *t = calloc(1, sizeof *t);
    if (!t || !replay_states_begin(r)) {
        free(t);
        return dpk_fail_nomem(err);
    }
    t->r = r;
    t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum dpk_status status = t->wake < 0 ? dpk_fail_errno(err, "eventfd")
                                         : dpk_gdb_serve(in, out, t->wake, &ops, t, err);
    while (t->points.break_count > 0)
        (void)breakpoint(t, t->points.breaks[0], false);
    replay_states_end(r);
    if (t->wake >= 0)
        close(t->wake);
    free(t);
    return status;
}
