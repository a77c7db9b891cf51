/* Harts that run a script instead of a program, and an owner that counts: runtime/engine/sched, alone. */
#ifndef TESTS_UNIT_SCHED_WORLD_H
#define TESTS_UNIT_SCHED_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/sched/sched.h"

#define SECOND UINT64_C(1000000000)

/* ---- A hart with a script, and its owner ---- */

struct guest {
    struct sched_hart hart;
    const enum slice_end *script;  /* what its slices end with, one after the other; NULL: USED */
    struct sched_counter *counter; /* that SLICE_BLOCKED waits for */
    _Atomic unsigned slices;
    unsigned ended; /* times; with the lock, as the rest */
    uint64_t value;
    bool again; /* starts anew when it has ended */
    enum sched_overrun why;
    unsigned overran;
    void (*in_slice)(void); /* NULL: nothing */
};

static inline struct guest *guest_of(struct sched_hart *h)
{
    return owner_of(h, struct guest, hart);
}

static inline void run(struct sched_hart *h, struct slice *s)
{
    struct guest *g = guest_of(h);
    unsigned n = g->slices++;
    s->end = g->script ? g->script[n] : SLICE_USED;
    s->counter = g->counter;
    s->threshold = 0;
    s->mask = UINT64_MAX;
    s->how = END_RETURN;
    s->value = n + 1;
    s->instructions = 10;
    if (g->in_slice)
        g->in_slice();
    else if (!g->script)
        usleep(200);
}

static inline void left(struct sched_hart *h, const struct slice *s)
{
    if (s->end == SLICE_FAULT)
        sched_group_end(h->group);
}

static inline void settled(struct sched_group *g)
{
    (void)g;
}

static inline void overran(struct sched_hart *h, enum sched_overrun why)
{
    struct guest *g = guest_of(h);
    g->why = why;
    g->overran++;
    sched_group_end(h->group);
    sched_group_wake(h->group);
}

static inline void ended(struct sched_hart *h, enum hart_end how, uint64_t value)
{
    struct guest *g = guest_of(h);
    (void)how;
    g->ended++;
    g->value = value;
    if (g->again) {
        g->again = false;
        g->slices = 0;
        sched_hart_start(h, (struct dpk_units){0});
    }
    sched_group_wake(h->group);
}

static const struct sched_owner owner = {run, left, settled, overran, ended};

/* ---- A world of two workers and two units ---- */

static struct sched_group group;
static struct sched_pool pool;
static const struct dpk_units both = {{3}};

static inline int make_world(void **state)
{
    (void)state;
    sched_configure(2);
    sched_pool_init(&pool, NULL);
    sched_group_init(&group, &owner, 60 * SECOND);
    group.pool = &pool;
    sched_lock();
    bool started = sched_start_workers();
    sched_unlock();
    return started ? 0 : -1;
}

static inline int free_world(void **state)
{
    (void)state;
    sched_lock();
    sched_group_end(&group);
    sched_group_await_idle(&group);
    sched_unlock();
    sched_stop();
    sched_group_destroy(&group);
    return 0;
}

static inline struct guest *guest(struct guest *g, const enum slice_end *script)
{
    *g = (struct guest){.script = script};
    sched_hart_init(&g->hart, &group);
    return g;
}

/* Waits, as a host thread that runs nothing itself, until the hart has that state. */
static inline void reaches(struct guest *g, enum hart_state state)
{
    for (;;) {
        sched_lock();
        bool there = g->hart.state == state;
        sched_unlock();
        if (there)
            return;
        usleep(100);
    }
}

static inline void start(struct guest *g, unsigned first, unsigned end)
{
    struct dpk_units units = {0};
    for (unsigned n = first; n < end; n++)
        dpk_units_add(&units, n);
    sched_lock();
    sched_hart_start(&g->hart, units);
    sched_unlock();
}

static inline enum hart_state state_of(const struct guest *g)
{
    sched_lock();
    enum hart_state state = g->hart.state;
    sched_unlock();
    return state;
}

/* Harts and counters are static: what still runs when a test returns is ended after it. */
static const enum slice_end three_slices[] = {SLICE_USED, SLICE_POLLED, SLICE_DONE};

#define SCHED_TEST(test) cmocka_unit_test_setup_teardown(test, make_world, free_world)

#endif
