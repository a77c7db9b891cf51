/*
 * sched: runs harts (contexts of the guest) on host threads. It does not know what a hart
 * executes. Each hart is in a group, and each group has an owner, whose callbacks sched calls
 * (struct sched_owner).
 *
 *     struct sched_group g;
 *     sched_group_init(&g, &owner, 6000000000u);       // the owner's callbacks; limit in ns
 *     sched_pool_init(&pool, NULL);  g.pool = &pool;
 *     sched_hart_init(&h, &g);
 *     sched_lock();
 *     sched_start_workers();
 *     sched_hart_start(&h, units);                     // owner.run(), then owner.ended()
 *     sched_unlock();
 *
 * A slice is a short run of a hart on a processor of the host: at most a number of instructions
 * that the owner chooses. The states of a hart (enum hart_state), and what moves it from one to the
 * next:
 *
 *      IDLE --- sched_hart_start(), no unit is free ---> WAITS_UNIT
 *       |                                                    |
 *       | sched_hart_start()                                 | another hart gives a unit back
 *       v                                                    |
 *      NEW <-------------------------------------------------+
 *       |
 *       | a worker or a host thread takes it from the run queue
 *       v
 *    RUNNING --- its slice is used up -----------------> READY ---- it is taken ---> RUNNING
 *       | | | `- the same, and it found nothing to do -> POLLING -- it is taken ---> RUNNING
 *       | | `--- it waits for a counter ---------------> BLOCKED
 *       | |                                                | sched_counter_set()
 *       | |                                                `-------> READY
 *       | `----- its code has ended -------------------> IDLE         owner.ended()
 *       | another thread calls sched_hart_stop()
 *       v
 *    ENDING ---- its slice ends -----------------------> IDLE         owner.ended()
 *
 * Three more rules hold beside the arrows:
 *   - A hart that would become NEW, READY or POLLING becomes HELD while hart.hold is set, or
 *     between sched_group_hold() and sched_group_release(). sched_group_hold() also makes the
 *     group's harts in the run queue HELD. sched_group_release() makes HELD harts READY.
 *   - sched_hart_stop() and sched_hart_end() make a hart that is WAITS_UNIT, NEW, READY, POLLING,
 *     HELD or BLOCKED IDLE, and call owner.ended().
 *   - In a group that has ended, a hart becomes FAILED where it would become IDLE, and stays so.
 *     The group's survivor is the exception.
 *
 * Where a hart is linked: NEW, READY and POLLING in the run queue, WAITS_UNIT in the line for
 * units, HELD in the list of its group, BLOCKED in the list of its counter and in that of the
 * timers.
 *
 * One lock guards all of this. Functions here are called with the lock held unless they say
 * otherwise; the owner's callbacks are called with it held, except run(). The order of locks:
 *   1. locks of the host libraries, and a process's lock for messages
 *   2. this lock
 *   3. locks inside which no other lock is taken (rv64's, the trace's)
 *
 * Workers are host threads, one for each processor. When a thread gives the lock back, it
 * wakes a worker for each hart that has become ready and that no thread has taken. While calls come
 * often, one worker polls for the next call before it sleeps, so that no thread has to wake it. A
 * host thread that waits for a group runs harts of that group while fewer slices run than there are
 * workers. With one worker it does not, so that runs are deterministic. Harts that poll share one
 * worker.
 *
 * The run-time limit (of the group, or of the hart if its owner sets one) applies to each hart: to
 * the time that it has run on a processor or was BLOCKED since it was started. Time in which it
 * waits for a unit or a processor does not count, nor does a first slice. Harts with a common
 * `share` may run together for SCHED_SHARE times the limit, times the number of workers.
 */
#ifndef DPK_ENGINE_SCHED_SCHED_H
#define DPK_ENGINE_SCHED_SCHED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "engine/sched/list.h"

#define SCHED_NEVER   UINT64_MAX
#define SCHED_NO_UNIT UINT32_MAX
#define SCHED_SHARE   10u

/* ---- The lock and the clock ---- */
void sched_lock(void);
/* Wakes workers for the harts that have become ready, and releases the lock. */
void sched_unlock(void);
/* Initializes a condition for sched_wait. Call this without the lock. */
void sched_cond_init(pthread_cond_t *cond);
/* Gives the lock back while it waits until `cond` is signalled. `deadline`: a time of dpk_now_ns,
 * or SCHED_NEVER. Returns false if the deadline has passed. */
bool sched_wait(pthread_cond_t *cond, uint64_t deadline);

/* ---- Timers ---- */
struct sched_timer {
    struct list node;
    uint64_t at;
    /* Called once, on sched's thread for timers. It may release the lock for a while. */
    void (*expired)(struct sched_timer *t);
};
void sched_timer_init(struct sched_timer *t, void (*expired)(struct sched_timer *t));
/* Starts a stopped timer; it expires at the time `at` of dpk_now_ns. Returns false if the host
 * cannot start the thread for timers. */
bool sched_timer_start(struct sched_timer *t, uint64_t at);
/* Stops a timer. It does nothing to a stopped timer. */
void sched_timer_stop(struct sched_timer *t);

/* ---- Counters, and waits for their values ---- */
struct sched_counter {
    _Atomic uint64_t value; /* read without the lock */
    struct list waits;
};
/* A wait until (value & mask) > threshold, or, if `differs`, != threshold. sched calls `wake` once,
 * when this is true. */
struct sched_wait {
    struct list node;
    uint64_t threshold, mask;
    bool differs;
    void (*wake)(struct sched_wait *w);
};
void sched_counter_init(struct sched_counter *c);
bool sched_counter_exceeds(const struct sched_counter *c, uint64_t threshold, uint64_t mask);
/* Sets the value and ends the waits for it. */
void sched_counter_set(struct sched_counter *c, uint64_t value);
bool sched_wait_is_over(const struct sched_wait *w, const struct sched_counter *c);
void sched_wait_init(struct sched_wait *w, void (*wake)(struct sched_wait *w));
void sched_wait_begin(struct sched_wait *w, struct sched_counter *c);

/* ---- Harts ---- */
enum hart_state {
    HART_IDLE,
    HART_WAITS_UNIT, /* waits for an execution unit */
    HART_NEW,        /* in the run queue; has not run since it was started */
    HART_READY,      /* in the run queue */
    HART_POLLING,    /* in the run queue; found nothing to do in its last slice */
    HART_HELD,       /* would be in the run queue, but it or its group is held */
    HART_RUNNING,    /* runs on a worker or a host thread */
    HART_ENDING,     /* still runs, and ends with its slice */
    HART_BLOCKED,    /* waits for a counter */
    HART_FAILED,     /* was not IDLE when its group ended; never runs again */
};

/* Ways in which a hart exceeds its limit. */
enum sched_overrun {
    SCHED_OVERRUN_RAN,     /* it ran too long */
    SCHED_OVERRUN_SHARE,   /* the harts with its share together ran too long */
    SCHED_OVERRUN_BLOCKED, /* it waited too long for a counter: hart.awaited, hart.wait */
    SCHED_OVERRUN_NO_TIMER /* the host cannot start the thread for the timer of its wait */
};

/* Ways in which a hart's code ends: it returned, or made the guest's call of that name. */
enum hart_end {
    END_RETURN,
    END_FINISH,
    END_RESCHEDULE,
    END_RETRIGGER,
    END_PARK,
    END_PARK_RETRIGGER
};

struct sched_group;

struct sched_hart {
    struct sched_group *group;
    struct list in_group;
    enum hart_state state;
    struct list queued;     /* node in the run queue, in the line for units, or among the held
                             * harts */
    unsigned unit;          /* the unit that it occupies, or SCHED_NO_UNIT */
    struct dpk_units units; /* units that it may occupy */
    bool workers_only;      /* host threads do not run it, because it has polled or its owner says
                             * so */
    bool hold;              /* set by the owner: hold it whenever it would become ready */
    bool event;             /* set by the owner: an event starts it, so it gets a head start */
    struct list leads;      /* node in the list of harts with a head start */
    uint64_t lead_number;   /* number of its head start, in the order of their starts */
    uint64_t lead;          /* remaining instructions of its head start */
    uint64_t limit;         /* nanoseconds; that of the group until the owner sets another */
    uint64_t ran;     /* nanoseconds that it ran or was blocked since it was started */
    uint64_t *share;  /* nanoseconds that all harts with this pointer have run, or NULL */
    uint64_t retired; /* instructions retired until the end of its last slice */
    /* For a BLOCKED hart: its wait, the counter, the start of the wait, and the timer that expires
     * when the wait has lasted too long. */
    struct sched_wait wait;
    struct sched_counter *awaited;
    uint64_t blocked;
    struct sched_timer timer;
    atomic_bool direct; /* between sched_direct_begin and sched_direct_end */
};

/* Initializes a hart of the group as IDLE. Call this without the lock, before another thread knows
 * the hart. */
void sched_hart_init(struct sched_hart *h, struct sched_group *g);
/* Gives an idle hart one of `units` of its group's pool and puts it into the run queue; if no unit
 * is free, the hart first waits for one. An empty set: the hart needs no unit. */
void sched_hart_start(struct sched_hart *h, struct dpk_units units);
/* Ends a hart that is not on a processor now. */
void sched_hart_end(struct sched_hart *h, enum hart_end how, uint64_t value);
/* Makes an idle hart occupy one of `units` without running. Returns false if none of them is
 * free. */
bool sched_hart_occupy(struct sched_hart *h, const struct dpk_units *units);
/* Ends such an occupation. */
void sched_hart_vacate(struct sched_hart *h);
/* Ends any hart. A running hart ends with its slice; then the waiters of its group are woken. */
void sched_hart_stop(struct sched_hart *h);
/* Returns true if the hart is idle or has failed. */
static inline bool sched_hart_rests(const struct sched_hart *h)
{
    return h->state == HART_IDLE || h->state == HART_FAILED;
}
/* Returns true if a thread runs the hart now. */
static inline bool sched_hart_runs(const struct sched_hart *h)
{
    return h->state == HART_RUNNING || h->state == HART_ENDING;
}

/* ---- Head starts ----
 * On a card, a thread that an event wakes runs at once, and the host's next calls come some time
 * later. Here, a host thread could run these before any worker wakes up. So a hart with `event` has
 * a head start: what the host starts afterwards waits for it. The head start begins when the hart
 * becomes NEW. It ends when the hart has run 65,536 instructions, ends, blocks, polls or is held,
 * and at the latest a second after the start of the first wait for it. */

/* Starts a wait until the present head starts are over. Returns false, without a wait, if no hart
 * has a head start. */
bool sched_follow(struct sched_wait *w);

/* ---- Slices ---- */
struct sched_waiter;

struct slice {
    /* Kinds of threads that run a slice. */
    enum slice_runner {
        ON_WORKER,   /* a worker */
        ON_CALLER,   /* the host thread that waits for this hart to run its call */
        ON_WAITER,   /* a host thread that waits for another event */
        ON_LAUNCHER, /* the host thread that launched the hart and does not wait */
    } runner;
    const struct sched_waiter *waiter; /* ON_CALLER, ON_WAITER: the thread's wait; else NULL */
    /* How the slice ended. The owner's run() sets this and the following members. */
    enum slice_end {
        SLICE_USED,    /* the budget is used up, or other harts should get the processor */
        SLICE_POLLED,  /* the same, and the hart had nothing to do */
        SLICE_BLOCKED, /* the hart waits for (counter & mask) > threshold */
        SLICE_DONE,    /* the hart has ended: `how`, with `value` */
        SLICE_FAULT,
    } end;
    bool stopped; /* the hart does not get another slice at once, whatever `end` is */
    struct sched_counter *counter;
    uint64_t threshold, mask;
    enum hart_end how;
    uint64_t value;
    uint64_t instructions; /* retired in the slice */
};
/* Returns true if a host thread runs the slice that does not wait for this hart. Call this without
 * the lock. */
static inline bool slice_is_borrowed(const struct slice *s)
{
    return s->runner == ON_WAITER || s->runner == ON_LAUNCHER;
}

/* ---- Deferred work ----
 * Work that several harts cause is sometimes better done once for all of them; for example, one
 * system call sends many frames. While other harts are ready, a worker defers such work. It is done
 * as soon as no hart is ready, or after 20 us and one slice, which is short then. */
struct sched_deferred {
    struct list node;
    atomic_bool waits; /* it is deferred */
    unsigned runs;     /* number of workers that run it now */
    pid_t owner;       /* process that deferred it; a child of fork() has no workers */
    /* Does the work, on a worker, without the lock. */
    void (*run)(struct sched_deferred *d);
};
void sched_deferred_init(struct sched_deferred *d, void (*run)(struct sched_deferred *d));
/* Defers the work; it may be deferred already. Returns false if the caller has to do it now,
 * because its thread is not a worker or no hart is ready. Call this and the next three functions
 * without the lock. */
bool sched_defer(struct sched_deferred *d);
/* Returns true if work is deferred. Harts should then get short slices, of SCHED_SHORT_SLICE
 * instructions. */
bool sched_has_deferred(void);
#define SCHED_SHORT_SLICE 4096u
/* Does the deferred work now, because the calling worker may be away for long. */
void sched_do_deferred(void);
/* Cancels deferred work. It does not run afterwards. */
void sched_deferred_cancel(struct sched_deferred *d);

/* ---- Groups, and their owner ---- */
struct sched_owner {
    /* Runs code of `h` for a slice. Called without the lock. */
    void (*run)(struct sched_hart *h, struct slice *s);
    /* Called when `h` has left the processor, before it gets its next state. After SLICE_FAULT the
     * owner ends the group here. */
    void (*left)(struct sched_hart *h, const struct slice *s);
    /* Called when a hart of `g` has left the processor and got its next state. */
    void (*settled)(struct sched_group *g);
    /* Called when `h` is over its limit. The owner ends the group. */
    void (*overran)(struct sched_hart *h, enum sched_overrun why);
    /* Called when `h` has become IDLE or FAILED. An idle hart may be started again in this call. */
    void (*ended)(struct sched_hart *h, enum hart_end how, uint64_t value);
};

struct sched_group {
    const struct sched_owner *owner;
    struct sched_pool *pool; /* set by the owner before its harts need units */
    uint64_t limit;          /* nanoseconds */
    struct list harts;
    bool debugged; /* set by the owner: no limit, and only workers run its harts */
    bool ended;
    struct sched_hart *survivor; /* the hart that may run after the group has ended, or NULL */
    unsigned running;            /* number of its running slices */
    unsigned holds;              /* calls of sched_group_hold without a release yet */
    struct list held;            /* its harts that are HELD */
    atomic_bool closed;          /* it is held or has ended */
    pthread_cond_t still;        /* signalled when running became 0, a hart was held, or the group
                                  * ended */
    struct list waiters;
    unsigned users; /* running slices, waiting host threads, and calls of sched_group_enter */
    pthread_cond_t idle; /* signalled when users became 0 */
    _Atomic uint64_t instructions;
};

/* `limit`: the run-time limit, in nanoseconds. Call both functions without the lock. */
void sched_group_init(struct sched_group *g, const struct sched_owner *owner, uint64_t limit);
void sched_group_destroy(struct sched_group *g);
/* Ends its harts; a running hart ends with its slice. The group cannot be used again. */
void sched_group_end(struct sched_group *g);
/* Holds its harts: none starts a slice until sched_group_release was called equally often. */
void sched_group_hold(struct sched_group *g);
void sched_group_release(struct sched_group *g);
/* Waits until no slice of the group runs, and no host thread runs one of its harts directly. */
void sched_group_await_still(struct sched_group *g);
/* Add and remove a user. Before a group is destroyed, it must have no users. */
void sched_group_enter(struct sched_group *g);
void sched_group_leave(struct sched_group *g);
void sched_group_await_idle(struct sched_group *g);
/* Wakes the host threads that wait for the group; they check their conditions again. */
void sched_group_wake(struct sched_group *g);

/* ---- Host threads that wait ---- */
struct sched_waiter {
    /* Event since the thread started to sleep or to run a hart. WOKEN: it must check its condition
     * again. SATISFIED: its counter has passed the threshold. */
    _Atomic enum waiter_state { WAITER_WAITS, WAITER_WOKEN, WAITER_SATISFIED } state;
    struct sched_wait wait;
    struct sched_group *group;     /* the group whose harts the thread may run meanwhile, or NULL */
    const struct sched_hart *call; /* the hart that runs the thread's call, or NULL */
    uint64_t deadline;             /* a time of dpk_now_ns, or SCHED_NEVER */
    struct list in_group;
    pthread_cond_t cond;
    int cancel_state; /* former state of the thread, which cannot be cancelled while it waits */
};
/* `g` may be NULL. */
void sched_waiter_begin(struct sched_waiter *w, struct sched_group *g);
void sched_waiter_end(struct sched_waiter *w);
void sched_waiter_sleep(struct sched_waiter *w);
/* Runs the first hart in the run queue if it belongs to the group; otherwise sleeps until the
 * thread is woken or the deadline passes. Returns false if the deadline has passed. */
bool sched_waiter_work(struct sched_waiter *w);
/* Returns true if a host thread may run its call itself, with sched_call. */
bool sched_may_call(const struct sched_group *g);
/* Runs an idle hart, without a unit, on the calling thread. It may return before the hart has
 * ended: the hart is then in the run queue, held or blocked. */
void sched_call(struct sched_hart *h, struct sched_waiter *w);
/* Runs the first hart of the run queue, if it belongs to `g`, for a short slice on the launching
 * thread. A short kernel ends in this slice, so no worker has to be woken. */
void sched_run_moment(const struct sched_group *g);

/* ---- Direct runs ----
 * A host thread runs a hart itself, without the lock. The hart is IDLE for sched, and in no queue.
 * These calls take a few nanoseconds. */

/* Returns false if the group is held or has ended; then do not run the hart. */
bool sched_direct_begin(struct sched_hart *h);
/* Call this after the hart has stopped, if sched_direct_begin returned true. */
void sched_direct_end(struct sched_hart *h);
/* Returns true if a host thread runs a hart of the group directly. Call this with the lock. */
bool sched_group_runs_direct(const struct sched_group *g);

/* Returns true if the thread that runs the slice has other work soon. The slice should then be
 * short and must not wait. Call this without the lock. */
static inline bool slice_is_hurried(const struct slice *s)
{
    return s->runner == ON_LAUNCHER || (s->runner == ON_WAITER && s->waiter->state != WAITER_WAITS);
}

/* ---- Units ----
 * A pool is the units of one device. Host processes may share a pool. Then a unit must also be
 * claimed from the other processes, which give units back at any time. */
struct sched_sharing {
    /* claim returns whether the hart may have the unit, which no other hart of this process has.
     * give gives the unit back. */
    bool (*claim)(const struct sched_hart *h, unsigned unit);
    void (*give)(const struct sched_hart *h, unsigned unit);
    struct dpk_units (*free)(const struct sched_pool *pool); /* returns the units that nobody has
                                                              * claimed */
    /* Called every millisecond while sched_pool_await or a hart waits for units. */
    void (*retry)(struct sched_pool *pool);
};
struct sched_pool {
    const struct sched_sharing *sharing; /* NULL if the units are not shared */
    const struct sched_hart *occupied[DPK_UNITS_MAX];
    struct dpk_units taken;
    struct list line; /* list of waiting harts */
    struct sched_timer timer;
};
void sched_pool_init(struct sched_pool *pool, const struct sched_sharing *sharing);
/* Call this when no hart has or awaits a unit of the pool. */
void sched_pool_end(struct sched_pool *pool);
/* Returns how many of the units are free. */
unsigned sched_units_free(const struct sched_pool *pool, const struct dpk_units *units);
/* For a shared pool: requests calls of retry(). */
void sched_pool_await(struct sched_pool *pool);

/* ---- Workers ---- */
/* Sets the number of workers. No hart may run meanwhile. */
void sched_configure(unsigned workers);
unsigned sched_workers(void);
/* Returns true if no slice runs. */
bool sched_is_idle(void);
/* Starts the workers that do not run yet. Returns false if the host cannot start a single
 * worker. */
bool sched_start_workers(void);
/* Ends the threads of sched, when there are no groups any more. Call this without the lock. */
void sched_stop(void);
/* Tells sched that this process is the child of a fork(): it has no workers to wake. */
void sched_forked(void);
bool sched_is_forked(void);

#endif
