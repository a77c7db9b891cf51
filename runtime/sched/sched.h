/*
 * sched: runs harts, which are the guest's contexts, on threads of the host. It knows neither what
 * a hart executes nor whose it is: each hart is in a group, and each group has an owner, which is
 * called back (struct sched_owner).
 *
 *     struct sched_group g;
 *     sched_group_init(&g, &owner, 6000000000u);       // the owner's callbacks; limit in ns
 *     sched_hart_init(&h, &g);
 *     sched_lock();
 *     sched_start_workers();
 *     sched_hart_start(&h, (struct sched_units){0, 256}); // owner.run(), then owner.ended()
 *     sched_unlock();
 *
 * States of a hart (enum hart_state). Whoever moves it holds the lock.
 *
 *      IDLE --- sched_hart_start(), no unit is free ---> WAITS_UNIT
 *       |                                                    |
 *       | sched_hart_start()                                 | another hart gives a unit back
 *       v                                                    |
 *      NEW <-------------------------------------------------+
 *       |
 *       | taken from the run queue, by a worker or a host thread    (run_hart)
 *       v
 *    RUNNING --- its slice is used up -----------------> READY ------ taken ------> RUNNING
 *       | | | `- the same, it found nothing to do -----> POLLING ---- taken ------> RUNNING
 *       | | `--- it waits for a counter ---------------> BLOCKED
 *       | |                                                | sched_counter_set()
 *       | |                                                `-------> READY
 *       | `----- its code is done ---------------------> IDLE         owner.ended()
 *       | sched_hart_stop(), by another thread
 *       v
 *    ENDING ---- its slice is over --------------------> IDLE         owner.ended()
 *
 *    HELD instead of NEW, READY, POLLING ---> READY
 *                     if hart.hold, or from sched_group_hold() to sched_group_release()
 *    WAITS_UNIT, NEW, READY, POLLING, HELD, BLOCKED ---> IDLE
 *                     sched_hart_stop(), sched_hart_end()             owner.ended()
 *    all but IDLE ---> FAILED
 *                     instead of IDLE, in a group that has ended; it stays so
 *
 * NEW, READY and POLLING are in the run queue, WAITS_UNIT in the line for units, HELD in its
 * group's list, BLOCKED in the list of its counter and, by deadline, among the timers.
 *
 * One lock guards all of this. The order of locks: those of host libraries, and a process's while
 * it delivers a message, come before it; with it held only those are taken that hold nothing else
 * inside (rv64's, the trace's). Callbacks of the owner hold it, but for run(). Functions here want
 * it held unless they say otherwise.
 *
 * Workers: threads of the host, one a processor. A worker is called when the lock is given back and
 * a hart became ready that nobody has taken until then. Host threads that wait for a group run its
 * harts meanwhile, in the place of workers that sleep; never with one worker, so that its runs are
 * deterministic. Harts that poll share one worker as long as others have work.
 *
 * The run-time limit of a group is for the time that a hart runs on a processor or is BLOCKED,
 * since it was started; waiting for a unit or a processor does not count, nor does a first slice
 * that ends the hart. Harts with a common `share` run for SCHED_SHARE times the limit on every
 * worker.
 */
#ifndef DPK_SCHED_H
#define DPK_SCHED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "sched/list.h"

#define SCHED_NEVER     UINT64_MAX
#define SCHED_NO_UNIT   UINT32_MAX
#define SCHED_UNITS_MAX 256
#define SCHED_SHARE     10u

/* ---- The lock and the clock ---- */
void sched_lock(void);
/* Calls the workers that are due. */
void sched_unlock(void);
/* Nanoseconds, monotonic. Without the lock. */
uint64_t sched_now(void);
/* A condition for sched_wait. Without the lock. */
void sched_cond_init(pthread_cond_t *cond);
/* Waits, without the lock meanwhile, until `cond` is signalled. False: `deadline` has passed. */
bool sched_wait(pthread_cond_t *cond, uint64_t deadline);

/* ---- Timers ---- */
struct sched_timer {
    struct list node;
    uint64_t at;
    void (*expired)(
        struct sched_timer *t); /* once, on a thread of sched's; may give the lock away */
};
void sched_timer_init(struct sched_timer *t, void (*expired)(struct sched_timer *t));
/* Not one that is started. False: the host gives no thread for timers. */
bool sched_timer_start(struct sched_timer *t, uint64_t at);
/* Of one that is not started nothing comes. */
void sched_timer_stop(struct sched_timer *t);

/* ---- Counters, and who waits for a value ---- */
struct sched_counter {
    _Atomic uint64_t value; /* read without the lock */
    struct list waits;
};
/* Waits until (value & mask) > threshold; `wake` is called then, once. */
struct sched_wait {
    struct list node;
    uint64_t threshold, mask;
    void (*wake)(struct sched_wait *w);
};
void sched_counter_init(struct sched_counter *c);
bool sched_counter_exceeds(const struct sched_counter *c, uint64_t threshold, uint64_t mask);
/* Wakes who waits for that value. */
void sched_counter_set(struct sched_counter *c, uint64_t value);
void sched_wait_init(struct sched_wait *w, void (*wake)(struct sched_wait *w));
void sched_wait_begin(struct sched_wait *w, struct sched_counter *c);

/* ---- Harts ---- */
enum hart_state {
    HART_IDLE,
    HART_WAITS_UNIT, /* for an execution unit */
    HART_NEW,        /* in the run queue; has not run since it was started */
    HART_READY,      /* in the run queue */
    HART_POLLING,    /* in the run queue; found nothing to do in its last slice */
    HART_HELD,       /* would be in the run queue, if it or its group were not held */
    HART_RUNNING,    /* on a worker or a host thread */
    HART_ENDING,     /* the same, and ends with its slice */
    HART_BLOCKED,    /* waits for a counter */
    HART_FAILED,     /* was none of IDLE when its group ended; runs no more */
};

/* The units that a hart may occupy, [first, end); none: it needs none. */
struct sched_units {
    unsigned first, end;
};

/* Why a hart is over its limit. */
enum sched_overrun {
    SCHED_OVERRUN_RAN,     /* it ran too long */
    SCHED_OVERRUN_SHARE,   /* those with the same share did, together */
    SCHED_OVERRUN_BLOCKED, /* it waited too long for a counter: hart.awaited, hart.wait */
    SCHED_OVERRUN_NO_TIMER /* the host gives no thread to watch that */
};

/* What a hart's code ended with. */
enum hart_end { END_RETURN, END_FINISH, END_RESCHEDULE, END_RETRIGGER, END_PARK };

struct sched_group;

struct sched_hart {
    struct sched_group *group;
    struct list in_group;
    enum hart_state state;
    struct list queued; /* in the run queue, the line for units, or among the held */
    unsigned unit;      /* that it occupies, or SCHED_NO_UNIT */
    struct sched_units units;
    bool
        workers_only; /* has polled, or wants no host thread: those that wait leave it to workers */
    bool hold;        /* the owner's: it is to be held whenever it would be ready */
    bool event;       /* the owner's: an event starts it, which gives it a head start */
    struct list leads;             /* among those that have one now, ... */
    uint64_t lead_number;          /* numbered as they begin, ... */
    uint64_t lead;                 /* and the instructions that are left of it */
    uint64_t ran;                  /* nanoseconds since it was started, running or blocked */
    uint64_t *share;               /* what harts that work together have run, or NULL */
    uint64_t retired;              /* instructions, at the end of its last slice */
    struct sched_wait wait;        /* of a blocked one, ... */
    struct sched_counter *awaited; /* for this, ... */
    uint64_t blocked;              /* since then, ... */
    struct sched_timer timer;      /* and as long as this says */
};

/* Without the lock, before anybody else knows it. */
void sched_hart_init(struct sched_hart *h, struct sched_group *g);
/* An idle hart gets a unit, or waits for one, and is to run. */
void sched_hart_start(struct sched_hart *h, struct sched_units units);
/* Ends a hart that does not run on a processor now. */
void sched_hart_end(struct sched_hart *h, enum hart_end how, uint64_t value);
/* The same for any: one that runs ends with its slice, and waiters of its group are woken then. */
void sched_hart_stop(struct sched_hart *h);
/* Whether it has nothing to run, any more. */
static inline bool sched_hart_rests(const struct sched_hart *h)
{
    return h->state == HART_IDLE || h->state == HART_FAILED;
}
/* Whether it is on a processor. */
static inline bool sched_hart_runs(const struct sched_hart *h)
{
    return h->state == HART_RUNNING || h->state == HART_ENDING;
}

/* ---- Head starts ----
 * On a card a thread that an event wakes runs at once, and what the host asks for next comes some
 * time later. Here a host thread could run that before any worker wakes up. So a hart with `event`
 * has a head start over what the host starts after it, from NEW on: until it has run 65,536
 * instructions, or ends, blocks, polls or is held, and for no longer than 100 ms. */

/* Lets `w` wait until the harts that have a head start now have it no more. False: there is none,
 * and `w` does not wait. */
bool sched_follow(struct sched_wait *w);

/* ---- Slices: what a hart does on a processor at one time ---- */
struct sched_waiter;

struct slice {
    /* Whose thread it is: a worker's; that of the host's call which the hart carries out; that of a
     * host thread which waits and takes over meanwhile; that of one which launched it, and has
     * other things to do. */
    enum slice_runner { ON_WORKER, ON_CALLER, ON_WAITER, ON_LAUNCHER } runner;
    const struct sched_waiter *waiter; /* ON_CALLER, ON_WAITER */
    /* What run() says of it. */
    enum slice_end {
        SLICE_USED,    /* the budget is used up, or others shall have the processor */
        SLICE_POLLED,  /* the same, for it found nothing to do */
        SLICE_BLOCKED, /* waits for (counter & mask) > threshold */
        SLICE_DONE,    /* ended `how`, with `value` */
        SLICE_FAULT,
    } end;
    bool stopped; /* whatever else: it is not to run on by itself */
    struct sched_counter *counter;
    uint64_t threshold, mask;
    enum hart_end how;
    uint64_t value;
    uint64_t instructions; /* retired in the slice */
};
/* Whether it is a host thread that does not wait for this very hart. Without the lock. */
static inline bool slice_is_borrowed(const struct slice *s)
{
    return s->runner == ON_WAITER || s->runner == ON_LAUNCHER;
}

/* ---- Groups, and their owner ---- */
struct sched_owner {
    /* Runs code of `h` for a slice. Without the lock. */
    void (*run)(struct sched_hart *h, struct slice *s);
    /* `h` has left the processor; what follows from the last slice comes next, unless the owner
     * ends the group, as it does after SLICE_FAULT. */
    void (*left)(struct sched_hart *h, const struct slice *s);
    /* What followed was done. */
    void (*settled)(struct sched_group *g);
    /* The owner ends the group. */
    void (*overran)(struct sched_hart *h, enum sched_overrun why);
    /* `h` is idle; it may be started again, at once too. */
    void (*ended)(struct sched_hart *h, enum hart_end how, uint64_t value);
};

struct sched_group {
    const struct sched_owner *owner;
    uint64_t limit; /* nanoseconds */
    struct list harts;
    bool debugged; /* the owner's: no limit counts, and workers alone run its harts */
    bool ended;
    struct sched_hart *survivor; /* the one hart that may run in a group that has ended, or NULL */
    unsigned running;            /* slices */
    unsigned holds;              /* who wants it to stand still */
    struct list held;
    pthread_cond_t still; /* running became 0, a hart was held, or the group ended */
    struct list waiters;
    unsigned users;      /* slices that run, host threads that wait, and others */
    pthread_cond_t idle; /* users became 0 */
    _Atomic uint64_t instructions;
};

/* Both without the lock. */
void sched_group_init(struct sched_group *g, const struct sched_owner *owner, uint64_t limit);
void sched_group_destroy(struct sched_group *g);
/* No hart of it runs after its slice. The first time counts. */
void sched_group_end(struct sched_group *g);
/* From now on none of its harts begins to run, until as many calls of release. */
void sched_group_hold(struct sched_group *g);
void sched_group_release(struct sched_group *g);
/* Waits until no slice of it runs. */
void sched_group_await_still(struct sched_group *g);
void sched_group_enter(struct sched_group *g); /* one user more: it is not to be destroyed */
void sched_group_leave(struct sched_group *g);
void sched_group_await_idle(struct sched_group *g);
void sched_group_wake(struct sched_group *g); /* its waiters look again */

/* ---- Host threads that wait ---- */
struct sched_waiter {
    /* Of the time since it began to sleep or to run something. WOKEN: it is to look again;
     * SATISFIED: what it waits for is there. */
    _Atomic enum waiter_state { WAITER_WAITS, WAITER_WOKEN, WAITER_SATISFIED } state;
    struct sched_wait wait;
    struct sched_group *group;     /* whose harts it may run meanwhile, or NULL */
    const struct sched_hart *call; /* that carries out what it waits for, or NULL */
    uint64_t deadline;             /* SCHED_NEVER: none */
    struct list in_group;
    pthread_cond_t cond;
    int cancel_state; /* the host thread's; it cannot be cancelled in between */
};
/* `g` may be NULL. */
void sched_waiter_begin(struct sched_waiter *w, struct sched_group *g);
void sched_waiter_end(struct sched_waiter *w);
void sched_waiter_sleep(struct sched_waiter *w);
/* Runs a hart of the group if one is ready, else sleeps: until it is woken or the deadline passes.
 * False when that has passed. */
bool sched_waiter_work(struct sched_waiter *w);
/* Whether a host thread may carry out its call itself, and that: the hart needs no unit. */
bool sched_may_call(const struct sched_group *g);
void sched_call(struct sched_hart *h, struct sched_waiter *w);
/* Runs a hart of `g` that is next in the run queue for a moment, on the thread that launched it.
 * What is short is over then, and no worker had to come for it. */
void sched_run_moment(const struct sched_group *g);

/* Whether the thread that runs the slice wants to be free soon: run little, call nobody. Without
 * the lock. */
static inline bool slice_is_hurried(const struct slice *s)
{
    return s->runner == ON_LAUNCHER || (s->runner == ON_WAITER && s->waiter->state != WAITER_WAITS);
}

/* ---- Units and workers ---- */
/* For all groups; nothing runs. `workers`, `units`: how many. */
void sched_configure(unsigned workers, unsigned units);
unsigned sched_units_free(void);
unsigned sched_workers(void);
/* Whether no slice runs. */
bool sched_is_idle(void);
/* False: the host gives no thread at all. */
bool sched_start_workers(void);
/* When there is no group any more: ends the threads of sched. Without the lock. */
void sched_stop(void);
/* In the child of a fork(): there are no workers, nobody is ever woken. */
void sched_forked(void);
bool sched_is_forked(void);

#endif
