/*
 * Threads of programs that poll for completions. These threads handle the messages of peers, so no
 * other thread is woken for them, and the peer needs no system call. A thread that finds no work
 * for a while polls. A thread that goes to sleep says so. If it does not, the thread of the gateway
 * notices the sleep, and looks at all channels itself.
 *
 * A sleeper sleeps until the gateway's descriptor is readable, and then does the work as long as it
 * comes back soon. So a message wakes one thread, not two. Meanwhile the thread of the gateway only
 * looks whether the sleeper does the work. Waking a thread takes longer than a peer takes for an
 * answer. So a thread whose object was ready soon the last time waits awake at first.
 *
 * A thread that polls lets others run now and then. If that takes long, more threads want to run
 * than there are processors. A thread that only yields waits for a whole slice of another thread
 * then, though its peer has long answered. So the thread dozes: it sleeps for a moment until the
 * peer wakes it. The system soon runs a thread that has slept. A process whose peers are all on other
 * machines does not doze: they do not need processors of this machine, and answer sooner than a thread wakes.
 */
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <time.h>

#include "gateway.h"
#include "pace.h"

#define SPINS_FIRST 32  /* polls in a row without work, after which the program counts as polling */
#define SPINS_YIELD 256 /* from this number on the thread lets others run, perhaps its peer */
#define SPINS_EACH  16  /* polls between two such yields */
/* Looks of the gateway's thread at a sleeper without work, after which the thread works again
 * itself. */
#define IDLE_LOOKS 50
#define AT_ONCE    16    /* channels of one call */
#define SOON_NS    50000 /* longest wait awake */
#define TAKEN_NS   10000 /* longest time between two looks of a wait awake */
#define VAIN_MAX   1000  /* most waits asleep in a row */
/* A thread whose yield takes SLICE_NS waited for a slice of another thread. If it served fewer than
 * SLICE_PAYS messages since the last such wait, threads doze for DOZES_EACH times the lost time. */
#define SLICE_NS   200000
#define SLICE_PAYS 256
#define DOZES_EACH 32
#define DOZES_MAX  2000   /* milliseconds */
#define DOZE_NS    200000 /* longest single sleep */
/* A thread that finds the lock taken so often in a row lets the owner of the lock have the
 * processor. */
#define TAKEN_MAX 256

static void set_polled(struct dpk_rc *rc, bool polled)
{
    struct gateway *s = rc->gateway;
    struct channel *c;
    s->polled = polled;
    TAILQ_FOREACH(c, &s->channels, link)
    pairs_channel_poll(c, polled);
    pairs_fabrics_poll(rc, polled);
}

static void polls_begin(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    set_polled(rc, true);
    s->polls_seen = s->polls;
    s->seen_ms = dpk_now_coarse_ms();
    pairs_gateway_wake(s);
}

void pairs_polls_end(struct dpk_rc *rc)
{
    rc->gateway->spins = 0;
    if (rc->gateway->polled)
        set_polled(rc, false);
}

/* The program has not polled between two looks. The thread rests on if the program sleeps and no
 * event waits for it. */
static void look_at_sleeper(struct gateway *s)
{
    struct pollfd p = {.fd = s->all, .events = POLLIN};
    s->rested = poll(&p, 1, 0) == 0 && ++s->idle < IDLE_LOOKS;
}

bool pairs_polls_run(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    const bool works = s->polled || s->rested;
    if (s->owes && s->polls == s->polls_seen)
        pairs_channels_wake(s);
    const uint64_t now = works ? dpk_now_coarse_ms() : 0;
    if (!works || now - s->seen_ms < POLLED_MS)
        return s->polled;
    if (s->polls != s->polls_seen)
        s->idle = 0;
    else if (s->rested)
        look_at_sleeper(s);
    else
        pairs_polls_end(rc);
    s->polls_seen = s->polls;
    s->seen_ms = now;
    return s->polled;
}

/* Looks at some channels, starting after those of the last call. Returns whether any had work. */
static bool serve(struct gateway *s)
{
    uint32_t size;
    const uint64_t closings = s->closings;
    struct channel *c = s->next ? s->next : TAILQ_FIRST(&s->channels);
    bool any = false;
    for (int i = 0; i < AT_ONCE && c; i++) {
        if (c->rings.map && !c->held && ring_filled(&c->rings.in, &size) != RING_WAIT) {
            any = true;
            pairs_channel_serve(c);
            if (s->closings != closings)
                return true; /* `c` may be closed */
        }
        c = TAILQ_NEXT(c, link);
    }
    s->next = c;
    return any;
}

/* The program's thread sleeps here, not the gateway's thread. Call this with the lock. */
static void rest_here(struct gateway *s)
{
    if (!s->rested) {
        s->rested = true;
        s->polls_seen = s->polls;
        s->seen_ms = dpk_now_coarse_ms();
        pairs_gateway_wake(s); /* so that it waits without `all` */
    }
    s->woken = true;
    s->idle = 0;
}

/* ---- Letting others run ---- */

enum pause { GO_ON, YIELD, DOZE };

/* The program's thread is going to sleep for a moment. Call this with the lock. */
static enum pause doze_begin(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    pairs_polls_end(rc);
    pairs_channels_wake(s);
    if (!s->crowded)
        rest_here(s);
    atomic_fetch_add(&s->dozing, 1);
    return DOZE;
}

/* The thread has found no work. Call this with the lock. */
static enum pause pause_after_nothing(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    if (++s->spins < SPINS_FIRST)
        return GO_ON;
    if (s->dozes_until != 0 && dpk_now_coarse_ms() < s->dozes_until)
        return doze_begin(rc);
    s->dozes_until = 0;
    if (!s->polled)
        polls_begin(rc);
    return s->spins >= SPINS_YIELD && s->spins % SPINS_EACH == 0 ? YIELD : GO_ON;
}

/* Notes that a thread waited for its turn. If few messages were served since the last wait, threads
 * doze for some time. Call this with the lock. */
static void slice_lost(struct gateway *s, uint64_t ns)
{
    const uint64_t dozes_ms = ns * DOZES_EACH / 1000000;
    if (s->served < SLICE_PAYS && !TAILQ_EMPTY(&s->channels))
        s->dozes_until = dpk_now_coarse_ms() + (dozes_ms < DOZES_MAX ? dozes_ms : DOZES_MAX);
    s->served = 0;
}

static void yield(struct dpk_rc *rc)
{
    const uint64_t begin = dpk_now_ns();
    sched_yield();
    const uint64_t took = dpk_now_ns() - begin;
    if (took < SLICE_NS || pthread_mutex_trylock(&rc->lock) != 0)
        return;
    slice_lost(rc->gateway, took);
    pthread_mutex_unlock(&rc->lock);
}

/* Sleeps until a peer writes, another thread completes something, or a moment has passed. */
static void doze(struct gateway *s)
{
    static const struct timespec moment = {.tv_nsec = DOZE_NS};
    struct pollfd p[] = {{.fd = s->nudge, .events = POLLIN}, {.fd = s->all, .events = POLLIN}};
    eventfd_t count;
    ppoll(p, 2, &moment, NULL);
    atomic_fetch_sub(&s->dozing, 1);
    if (p[0].revents)
        eventfd_read(s->nudge, &count);
}

/* Returns what the thread should do next. Call this with the lock. */
static enum pause look(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    s->polls++;
    pairs_pace_run(rc);
    pairs_channels_wake(s);
    if (s->rested && s->woken) {
        s->answers = true;
        s->woken = pairs_gateway_turn(rc);
        s->answers = false;
        return GO_ON;
    }
    if (serve(s) || (!SLIST_EMPTY(&rc->fabrics) && pairs_fabrics_run(rc))) {
        s->spins = s->polled ? SPINS_FIRST : 0;
        s->served++;
        return GO_ON;
    }
    return pause_after_nothing(rc);
}

/* The owner of the lock does the work, and needs a processor for it. */
static void wait_for_who_works(unsigned *taken)
{
    static const struct timespec moment = {.tv_nsec = DOZE_NS / 8};
    if (++*taken >= TAKEN_MAX)
        nanosleep(&moment, NULL);
}

void dpk_rc_poll(struct dpk_rc *rc)
{
    static _Thread_local unsigned taken;
    if (pthread_mutex_trylock(&rc->lock) != 0) {
        wait_for_who_works(&taken);
        return;
    }
    taken = 0;
    const enum pause next = rc->gateway ? look(rc) : GO_ON;
    pthread_mutex_unlock(&rc->lock);
    if (next == YIELD)
        yield(rc);
    else if (next == DOZE)
        doze(rc->gateway);
}

/* Call this with the lock. */
static int rest(struct dpk_rc *rc, const void *sleeper)
{
    struct gateway *s = rc->gateway;
    pairs_polls_end(rc);
    if (!sleeper)
        return -1; /* the gateway's thread notices a sleeper that does not come back */
    pairs_channels_wake(s);
    s->crowded = s->crowded || (s->sleeper && s->sleeper != sleeper);
    s->sleeper = sleeper;
    if (s->crowded) {
        s->rested = false;
        return -1;
    }
    rest_here(s);
    return s->all;
}

int dpk_rc_rest(struct dpk_rc *rc, const void *sleeper)
{
    /* Does not wait: in a child of fork() the owner of the lock may not exist. */
    if (pthread_mutex_trylock(&rc->lock) != 0)
        return -1;
    const int fd = rc->gateway ? rest(rc, sleeper) : -1;
    dpk_rc_unlock(rc);
    return fd;
}

void dpk_rc_rest_end(struct dpk_rc *rc, const void *sleeper)
{
    dpk_rc_lock(rc);
    struct gateway *s = rc->gateway;
    if (s && s->sleeper == sleeper) {
        s->sleeper = NULL;
        s->rested = false;
        pairs_gateway_wake(s);
    }
    dpk_rc_unlock(rc);
}

/* ---- Waiting ---- */

/* Returns false if the object is not ready in time, or if others need the processor. */
static bool wait_awake(struct dpk_rc *rc, const struct dpk_rc_waiter *w)
{
    const uint64_t begin = dpk_now_ns();
    uint64_t now = begin, last = now;
    while (now - begin < SOON_NS && now - last < TAKEN_NS) {
        dpk_rc_poll(rc);
        if (w->ready(w->of))
            return true;
        last = now;
        now = dpk_now_ns();
    }
    return false;
}

static bool has_one_core(void)
{
    static atomic_uint cores;
    if (atomic_load(&cores) == 0)
        atomic_store(&cores, dpk_cores());
    return atomic_load(&cores) == 1;
}

/* Waits awake if that may help. With one core a peer would wait for this thread. Each wait awake in
 * vain doubles the number of waits asleep that follow. */
static bool comes_soon(struct dpk_rc *rc, struct dpk_rc_waiter *w)
{
    const unsigned asleep = atomic_load(&w->asleep), vain = atomic_load(&w->vain);
    if (!atomic_load(&w->soon) || has_one_core())
        return false;
    if (asleep > 0) {
        atomic_store(&w->asleep, asleep - 1);
        return false;
    }
    const bool comes = wait_awake(rc, w);
    const unsigned next = comes ? vain / 2 : vain < VAIN_MAX ? vain * 2 + 1 : vain;
    atomic_store(&w->vain, next);
    if (!comes)
        atomic_store(&w->asleep, next);
    return comes;
}

bool dpk_rc_await(struct dpk_rc *rc, struct dpk_rc_waiter *w)
{
    while (!w->ready(w->of) && !comes_soon(rc, w)) {
        struct pollfd p[] = {{.fd = w->fd, .events = POLLIN},
                             {.fd = dpk_rc_rest(rc, w), .events = POLLIN}};
        atomic_store(&w->slept, true);
        if (p[1].fd < 0)
            return true;
        const uint64_t begin = dpk_now_ns();
        if (poll(p, 2, -1) < 0)
            return false;
        atomic_store(&w->soon, dpk_now_ns() - begin < SOON_NS);
        if (p[1].revents)
            dpk_rc_poll(rc);
    }
    return true;
}
