/*
 * sched: runs harts (contexts of the guest) on threads of the host. It does not know what a hart
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
 * Workers are threads of the host, one for each processor. When a thread gives the lock back, it
 * wakes a worker for each hart that has become ready and that no thread has taken. While calls come
 * often, one worker polls for the next one before it sleeps, so that nobody has to wake it. A host thread
 * that waits for a group runs harts of that group while fewer slices run than there are workers.
 * With one worker it does not, so that runs are deterministic. Harts that poll share one worker.
 *
 * The run-time limit of a group, or one that the owner gives a hart, applies to each hart: to the time for which it has run on a
 * processor or was BLOCKED since it was started. Time in which it waits for a unit or a processor
 * does not count, nor does a first slice. Harts with a common `share` may run together for
 * SCHED_SHARE times the limit, times the number of workers.
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
/* Wakes workers for the harts that have become ready, and gives the lock back. */
void sched_unlock(void);
/* Initializes a condition for sched_wait. Without the lock. */
void sched_cond_init(pthread_cond_t *cond);
/* Gives the lock back while it waits until `cond` is signalled. `deadline`: a time of dpk_now_ns, or
 * SCHED_NEVER. False: the deadline has passed. */
bool sched_wait(pthread_cond_t *cond, uint64_t deadline);

/* ---- Timers ---- */
struct sched_timer {
    struct list node;
    uint64_t at;
    /* Is called once, on sched's thread for timers. It may give the lock back for a while. */
    void (*expired)(struct sched_timer *t);
};
void sched_timer_init(struct sched_timer *t, void (*expired)(struct sched_timer *t));
/* Starts a timer that is not started; it expires at the time `at` of dpk_now_ns. False: the host has
 * no thread left for timers. */
bool sched_timer_start(struct sched_timer *t, uint64_t at);
/* Stops a timer. It does nothing to one that is not started. */
void sched_timer_stop(struct sched_timer *t);

/* ---- Counters, and waiting for a value of one ---- */
struct sched_counter {
    _Atomic uint64_t value; /* read without the lock */
    struct list waits;
};
/* A wait until (value & mask) > threshold, or != threshold. sched calls `wake` once, when that is
 * so. */
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
    HART_HELD,       /* would be in the run queue, if it or its group were not held */
    HART_RUNNING,    /* runs on a worker or a host thread */
    HART_ENDING,     /* still runs, and ends with its slice */
    HART_BLOCKED,    /* waits for a counter */
    HART_FAILED,     /* was not IDLE when its group ended; never runs again */
};

/* Why a hart is over its limit. */
enum sched_overrun {
    SCHED_OVERRUN_RAN,     /* it ran too long */
    SCHED_OVERRUN_SHARE,   /* the harts with its share ran too long, together */
    SCHED_OVERRUN_BLOCKED, /* it waited too long for a counter: hart.awaited, hart.wait */
    SCHED_OVERRUN_NO_TIMER /* the host has no thread left for the timer of its wait */
};

/* How a hart's code ended: it returned, or made one of the guest's calls with these names. */
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
    struct list queued;     /* in the run queue, the line for units, or among the held */
    unsigned unit;          /* the unit that it occupies, or SCHED_NO_UNIT */
    struct dpk_units units; /* those that it may occupy */
    bool workers_only;      /* host threads do not run it: it has polled, or its owner says so */
    bool hold;              /* set by the owner: it is held whenever it would become ready */
    bool event;             /* set by the owner: an event starts it, so it gets a head start */
    struct list leads;      /* in the list of harts with a head start */
    uint64_t lead_number;   /* the number of its head start, in the order of their beginnings */
    uint64_t lead;          /* how many instructions are left of its head start */
    uint64_t limit;         /* nanoseconds; the group's until the owner sets another */
    uint64_t ran;     /* nanoseconds for which it has run or was blocked since it was started */
    uint64_t *share;  /* nanoseconds for which all harts with this pointer have run, or NULL */
    uint64_t retired; /* instructions retired until the end of its last slice */
    /* Of a hart that is BLOCKED: its wait, the counter, when the wait began, and the timer that
     * expires when it has lasted too long. */
    struct sched_wait wait;
    struct sched_counter *awaited;
    uint64_t blocked;
    struct sched_timer timer;
    atomic_bool direct; /* between sched_direct_begin and sched_direct_end */
};

/* Initializes a hart of the group, IDLE. Without the lock, before another thread knows it. */
void sched_hart_init(struct sched_hart *h, struct sched_group *g);
/* Gives an idle hart one of `units` of its group's pool and puts it into the run queue, or lets it
 * wait for a unit first. No units: it needs none. */
void sched_hart_start(struct sched_hart *h, struct dpk_units units);
/* Ends a hart that does not run on a processor now. */
void sched_hart_end(struct sched_hart *h, enum hart_end how, uint64_t value);
/* An idle hart occupies one of `units` without running. false: none of them is free. */
bool sched_hart_occupy(struct sched_hart *h, const struct dpk_units *units);
/* Undoes it. */
void sched_hart_vacate(struct sched_hart *h);
/* Ends any hart. One that runs ends with its slice, and the waiters of its group are woken then. */
void sched_hart_stop(struct sched_hart *h);
/* Whether it is idle or has failed. */
static inline bool sched_hart_rests(const struct sched_hart *h)
{
    return h->state == HART_IDLE || h->state == HART_FAILED;
}
/* Whether a thread runs it now. */
static inline bool sched_hart_runs(const struct sched_hart *h)
{
    return h->state == HART_RUNNING || h->state == HART_ENDING;
}

/* ---- Head starts ----
 * On a card, a thread that an event wakes runs at once, and the host's next calls come some time
 * later. Here, a host thread could run these before any worker wakes up. So a hart with `event` has
 * a head start: what the host starts afterwards waits for it. The head start begins when the hart
 * becomes NEW. It ends when the hart has run 65,536 instructions, ends, blocks, polls or is held,
 * and within a second of the beginning of the first wait for it. */

/* Begins a wait until the harts that have a head start now have it no more. False: no hart has one,
 * and there is no wait. */
bool sched_follow(struct sched_wait *w);

/* ---- Slices ---- */
struct sched_waiter;

struct slice {
    /* The thread that runs the slice. */
    enum slice_runner {
        ON_WORKER,   /* a worker */
        ON_CALLER,   /* the host thread that waits for this hart to carry out its call */
        ON_WAITER,   /* a host thread that waits for something else */
        ON_LAUNCHER, /* the host thread that launched the hart, and waits for nothing */
    } runner;
    const struct sched_waiter *waiter; /* ON_CALLER, ON_WAITER: the thread's wait; else NULL */
    /* How the slice ended. The owner's run() fills in this and what follows. */
    enum slice_end {
        SLICE_USED,    /* the budget is used up, or other harts should get the processor */
        SLICE_POLLED,  /* the same, and the hart found nothing to do */
        SLICE_BLOCKED, /* the hart waits for (counter & mask) > threshold */
        SLICE_DONE,    /* the hart has ended: `how`, with `value` */
        SLICE_FAULT,
    } end;
    bool stopped; /* the hart does not get another slice at once, however this one ended */
    struct sched_counter *counter;
    uint64_t threshold, mask;
    enum hart_end how;
    uint64_t value;
    uint64_t instructions; /* retired in the slice */
};
/* Whether a host thread runs it that does not wait for this hart. Without the lock. */
static inline bool slice_is_borrowed(const struct slice *s)
{
    return s->runner == ON_WAITER || s->runner == ON_LAUNCHER;
}

/* ---- Work that is put off ----
 * What harts cause one after another is sometimes done better once for all of them, as frames leave by
 * one call of the kernel. While other harts are ready, a worker puts such work off. It is carried out
 * as soon as no hart is ready, or when it has waited for 20 us and one slice, which is short then. */
struct sched_deferred {
    struct list node;
    atomic_bool waits; /* for being carried out */
    unsigned runs;     /* workers that carry it out */
    pid_t owner;       /* a child of fork() has no workers */
    /* Carries it out, on a worker, without the lock. */
    void (*run)(struct sched_deferred *d);
};
void sched_deferred_init(struct sched_deferred *d, void (*run)(struct sched_deferred *d));
/* Puts it off; it may wait already. False: the caller has to do it now, since its thread is no worker, or no
 * hart is ready. Without the lock, as are these three. */
bool sched_defer(struct sched_deferred *d);
/* Whether something waits; harts should get short slices, of SCHED_SHORT_SLICE instructions. */
bool sched_has_deferred(void);
#define SCHED_SHORT_SLICE 4096u
/* Carries out what waits: the calling worker may be away for long. */
void sched_do_deferred(void);
/* Afterwards it does not wait, and is not carried out. */
void sched_deferred_cancel(struct sched_deferred *d);

/* ---- Groups, and their owner ---- */
struct sched_owner {
    /* Runs code of `h` for a slice. Without the lock. */
    void (*run)(struct sched_hart *h, struct slice *s);
    /* `h` has left the processor, and gets its next state after this call. After SLICE_FAULT the
     * owner ends the group here. */
    void (*left)(struct sched_hart *h, const struct slice *s);
    /* A hart of `g` has left the processor and got its next state. */
    void (*settled)(struct sched_group *g);
    /* `h` is over its limit. The owner ends the group. */
    void (*overran)(struct sched_hart *h, enum sched_overrun why);
    /* `h` has become IDLE, or FAILED. An idle one may be started again in this call. */
    void (*ended)(struct sched_hart *h, enum hart_end how, uint64_t value);
};

struct sched_group {
    const struct sched_owner *owner;
    struct sched_pool *pool; /* set by the owner, before its harts need units */
    uint64_t limit;          /* nanoseconds */
    struct list harts;
    bool debugged; /* set by the owner: there is no limit, and only workers run its harts */
    bool ended;
    struct sched_hart *survivor; /* the one hart that may run in a group that has ended, or NULL */
    unsigned running;            /* how many slices of it run now */
    unsigned holds;              /* calls of sched_group_hold without their release */
    struct list held;            /* its harts that are HELD */
    atomic_bool closed;          /* it is held or has ended */
    pthread_cond_t still;        /* running became 0, a hart was held, or the group ended */
    struct list waiters;
    unsigned users; /* slices that run, host threads that wait, and calls of sched_group_enter */
    pthread_cond_t idle; /* users became 0 */
    _Atomic uint64_t instructions;
};

/* `limit`: the run-time limit, in nanoseconds. Both without the lock. */
void sched_group_init(struct sched_group *g, const struct sched_owner *owner, uint64_t limit);
void sched_group_destroy(struct sched_group *g);
/* Ends its harts; one that runs ends with its slice. The group cannot be used again. */
void sched_group_end(struct sched_group *g);
/* Holds its harts: none begins a slice until sched_group_release was called as often. */
void sched_group_hold(struct sched_group *g);
void sched_group_release(struct sched_group *g);
/* Waits until no slice of it runs, nor a hart that a host thread runs itself. */
void sched_group_await_still(struct sched_group *g);
/* Adds a user, and takes it away; whoever wants to destroy the group waits until it has none. */
void sched_group_enter(struct sched_group *g);
void sched_group_leave(struct sched_group *g);
void sched_group_await_idle(struct sched_group *g);
/* Wakes the host threads that wait for it, so that they check again what they wait for. */
void sched_group_wake(struct sched_group *g);

/* ---- Host threads that wait ---- */
struct sched_waiter {
    /* What has happened since the thread began to sleep or to run a hart. WOKEN: it must check
     * again what it waits for. SATISFIED: its counter has passed the threshold. */
    _Atomic enum waiter_state { WAITER_WAITS, WAITER_WOKEN, WAITER_SATISFIED } state;
    struct sched_wait wait;
    struct sched_group *group;     /* the group whose harts it may run meanwhile, or NULL */
    const struct sched_hart *call; /* the hart that carries out the thread's call, or NULL */
    uint64_t deadline;             /* a time of dpk_now_ns, or SCHED_NEVER */
    struct list in_group;
    pthread_cond_t cond;
    int cancel_state; /* the thread's before: it cannot be cancelled while it waits */
};
/* `g` may be NULL. */
void sched_waiter_begin(struct sched_waiter *w, struct sched_group *g);
void sched_waiter_end(struct sched_waiter *w);
void sched_waiter_sleep(struct sched_waiter *w);
/* Runs a hart of the group if the first in the run queue is one, else sleeps until the thread is
 * woken or the deadline passes. False: the deadline has passed. */
bool sched_waiter_work(struct sched_waiter *w);
/* Whether a host thread may carry out its call itself, with sched_call. */
bool sched_may_call(const struct sched_group *g);
/* Runs an idle hart, without a unit, on the calling thread. It may come back before the hart has
 * ended: the hart then is in the run queue, is held or is blocked. */
void sched_call(struct sched_hart *h, struct sched_waiter *w);
/* Runs the first hart of the run queue, if it is one of `g`, for a short slice on the thread that
 * launched it. A short kernel ends in it, so that no worker must be woken. */
void sched_run_moment(const struct sched_group *g);

/* ---- Direct runs ----
 * A host thread runs a hart itself: one that is IDLE for sched, and in no queue. Without the lock,
 * and in a few nanoseconds. */

/* False: the group is held or has ended, and the hart must not run. */
bool sched_direct_begin(struct sched_hart *h);
/* The hart has stopped. Also after the former returned true. */
void sched_direct_end(struct sched_hart *h);
/* Whether a hart of the group runs so. With the lock. */
bool sched_group_runs_direct(const struct sched_group *g);

/* Whether the thread that runs the slice has other things to do soon. Then the slice should be
 * short and do nothing that may wait. Without the lock. */
static inline bool slice_is_hurried(const struct slice *s)
{
    return s->runner == ON_LAUNCHER || (s->runner == ON_WAITER && s->waiter->state != WAITER_WAITS);
}

/* ---- Units ----
 * A pool is the units of one device. Processes of the host may share them: then a unit must also be
 * claimed from the other processes, who give it back when they like. */
struct sched_sharing {
    /* Whether the hart may have the unit, which no other hart of this process has; and gives it
     * back. */
    bool (*claim)(const struct sched_hart *h, unsigned unit);
    void (*give)(const struct sched_hart *h, unsigned unit);
    struct dpk_units (*free)(const struct sched_pool *pool); /* those that nobody has claimed */
    /* Is called every millisecond while sched_pool_await or a hart waits for units. */
    void (*retry)(struct sched_pool *pool);
};
struct sched_pool {
    const struct sched_sharing *sharing; /* NULL: nobody else uses them */
    const struct sched_hart *occupied[DPK_UNITS_MAX];
    struct dpk_units taken;
    struct list line; /* harts that wait */
    struct sched_timer timer;
};
void sched_pool_init(struct sched_pool *pool, const struct sched_sharing *sharing);
/* No hart has or awaits a unit of it. */
void sched_pool_end(struct sched_pool *pool);
/* How many of the units are free. */
unsigned sched_units_free(const struct sched_pool *pool, const struct dpk_units *units);
/* Of a shared pool: retry() is to be called. */
void sched_pool_await(struct sched_pool *pool);

/* ---- Workers ---- */
/* Sets how many workers there are. No hart runs meanwhile. */
void sched_configure(unsigned workers);
unsigned sched_workers(void);
/* Whether no slice runs. */
bool sched_is_idle(void);
/* Starts workers that do not run yet. False: the host has no thread for any. */
bool sched_start_workers(void);
/* Ends the threads of sched, when there is no group any more. Without the lock. */
void sched_stop(void);
/* Tells sched that this process is the child of a fork(): it has no workers, and wakes nobody. */
void sched_forked(void);
bool sched_is_forked(void);

#endif
