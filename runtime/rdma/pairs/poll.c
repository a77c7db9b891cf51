/*
 * Threads of programs that poll for completions. They handle what peers have written themselves, so
 * no other thread is woken for it, by no system call of the peer. Who finds nothing for a while is
 * said to poll; who goes to sleep says so, or is found out by the thread of the gateway, which then
 * looks at all channels itself.
 *
 * Or it sleeps until the gateway's descriptor is readable, and then does the work as long as it comes
 * back soon: so one thread is woken by a message, not two. Meanwhile the thread of the gateway only looks
 * whether it does. To be woken takes longer than a peer takes for an answer. So a thread for which things were
 * ready soon the last time waits awake at first.
 *
 * A thread that polls lets others run now and then. Where that takes long, more threads want to run than there
 * are processors, and who only yields waits for a whole slice of theirs while its peer has long answered. There
 * it dozes: it sleeps for a moment until the peer wakes it, since the system soon lets run who has slept.
 */
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <time.h>

#include "gateway.h"
#include "pace.h"

#define SPINS_FIRST 32  /* polls in a row that find nothing, before the program is said to poll */
#define SPINS_YIELD 256 /* from there on the thread lets others run, now and then: */
#define SPINS_EACH  16  /* perhaps its peer */
/* Looks of the gateway's thread at a program that sleeps and has nothing to do, before it works again
 * itself. */
#define IDLE_LOOKS 50
#define AT_ONCE    16    /* channels that one call looks at */
#define SOON_NS    50000 /* how long a thread waits awake, */
#define TAKEN_NS   10000 /* unless it looks no more often than that */
#define VAIN_MAX   1000  /* waits asleep */
/* Who lets others run, and comes back that late, waited for a slice of theirs. Where that comes after fewer
 * messages than it costs to sleep for, threads doze for so many times what was lost. */
#define SLICE_NS   200000
#define SLICE_PAYS 256
#define DOZES_EACH 32
#define DOZES_MAX  2000   /* milliseconds */
#define DOZE_NS    200000 /* at a time, at most */
/* So often in a row a thread finds the lock taken, before it thinks that who has it needs the processor. */
#define TAKEN_MAX 256

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void set_polled(struct gateway *s, bool polled)
{
    struct channel *c;
    s->polled = polled;
    TAILQ_FOREACH(c, &s->channels, link)
    channel_poll(c, polled);
}

static void polls_begin(struct gateway *s)
{
    set_polled(s, true);
    s->polls_seen = s->polls;
    s->seen_ms = now_ms();
    gateway_wake(s);
}

void polls_end(struct gateway *s)
{
    s->spins = 0;
    if (s->polled)
        set_polled(s, false);
}

/* The program has not polled between two looks. It works on if it sleeps, and was not woken. */
static void look_at_sleeper(struct gateway *s)
{
    struct pollfd p = {.fd = s->epoll, .events = POLLIN};
    s->rested = poll(&p, 1, 0) == 0 && ++s->idle < IDLE_LOOKS;
}

bool polls_run(struct gateway *s)
{
    const bool works = s->polled || s->rested;
    if (s->owes && s->polls == s->polls_seen)
        channels_wake(s);
    const uint64_t now = works ? now_ms() : 0;
    if (!works || now - s->seen_ms < POLLED_MS)
        return s->polled;
    if (s->polls != s->polls_seen)
        s->idle = 0;
    else if (s->rested)
        look_at_sleeper(s);
    else
        polls_end(s);
    s->polls_seen = s->polls;
    s->seen_ms = now;
    return s->polled;
}

/* Looks at some channels, after those of the last call. Returns whether there was something. */
static bool serve(struct gateway *s)
{
    uint32_t size;
    const uint64_t closings = s->closings;
    struct channel *c = s->next ? s->next : TAILQ_FIRST(&s->channels);
    bool any = false;
    for (int i = 0; i < AT_ONCE && c; i++) {
        if (c->rings.map && !c->held && ring_filled(&c->rings.in, &size) != RING_WAIT) {
            any = true;
            channel_serve(c);
            if (s->closings != closings)
                return true; /* `c` may be closed */
        }
        c = TAILQ_NEXT(c, link);
    }
    s->next = c;
    return any;
}

/* Here the program's thread sleeps, not the gateway's. With the lock. */
static void rest_here(struct gateway *s)
{
    if (!s->rested) {
        s->rested = true;
        s->polls_seen = s->polls;
        s->seen_ms = now_ms();
        gateway_wake(s); /* so that it sleeps elsewhere */
    }
    s->woken = true;
    s->idle = 0;
}

/* ---- Letting others run ---- */

enum pause { GO_ON, YIELD, DOZE };

/* The program's thread is going to sleep for a moment. With the lock. */
static enum pause doze_begin(struct gateway *s)
{
    polls_end(s);
    channels_wake(s);
    if (!s->crowded)
        rest_here(s);
    atomic_fetch_add(&s->dozing, 1);
    return DOZE;
}

/* The thread has found nothing. With the lock. */
static enum pause pause_after_nothing(struct gateway *s)
{
    if (++s->spins < SPINS_FIRST)
        return GO_ON;
    if (s->dozes_until != 0 && now_ms() < s->dozes_until)
        return doze_begin(s);
    s->dozes_until = 0;
    if (!s->polled)
        polls_begin(s);
    return s->spins >= SPINS_YIELD && s->spins % SPINS_EACH == 0 ? YIELD : GO_ON;
}

/* A thread had to wait for its turn. If that comes often, threads doze for some time. With the lock. */
static void slice_lost(struct gateway *s, uint64_t ns)
{
    const uint64_t dozes_ms = ns * DOZES_EACH / 1000000;
    if (s->served < SLICE_PAYS)
        s->dozes_until = now_ms() + (dozes_ms < DOZES_MAX ? dozes_ms : DOZES_MAX);
    s->served = 0;
}

static void yield(struct dpk_rc *rc)
{
    const uint64_t begin = now_ns();
    sched_yield();
    const uint64_t took = now_ns() - begin;
    if (took < SLICE_NS || pthread_mutex_trylock(&rc->lock) != 0)
        return;
    slice_lost(rc->gateway, took);
    pthread_mutex_unlock(&rc->lock);
}

/* Until a peer has something, or another thread has completed something. */
static void doze(struct gateway *s)
{
    static const struct timespec moment = {.tv_nsec = DOZE_NS};
    struct pollfd p[] = {{.fd = s->nudge, .events = POLLIN}, {.fd = s->epoll, .events = POLLIN}};
    eventfd_t count;
    ppoll(p, 2, &moment, NULL);
    atomic_fetch_sub(&s->dozing, 1);
    if (p[0].revents)
        eventfd_read(s->nudge, &count);
}

/* What the thread should do next. With the lock. */
static enum pause look(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    s->polls++;
    pace_run(rc);
    channels_wake(s);
    if (s->rested && s->woken) {
        s->answers = true;
        s->woken = gateway_turn(rc);
        s->answers = false;
        return GO_ON;
    }
    if (serve(s)) {
        s->spins = s->polled ? SPINS_FIRST : 0;
        s->served++;
        return GO_ON;
    }
    return pause_after_nothing(s);
}

/* Who has the lock does the work; but not without a processor. */
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

/* With the lock. */
static int rest(struct gateway *s, const void *sleeper)
{
    polls_end(s);
    if (!sleeper)
        return -1; /* who rests is found out by the thread if it does not come back */
    channels_wake(s);
    s->crowded = s->crowded || (s->sleeper && s->sleeper != sleeper);
    s->sleeper = sleeper;
    if (s->crowded) {
        s->rested = false;
        return -1;
    }
    rest_here(s);
    return s->epoll;
}

int dpk_rc_rest(struct dpk_rc *rc, const void *sleeper)
{
    /* Not by waiting: a child of fork() must not, as nobody may give the lock back there. */
    if (pthread_mutex_trylock(&rc->lock) != 0)
        return -1;
    const int fd = rc->gateway ? rest(rc->gateway, sleeper) : -1;
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
        gateway_wake(s);
    }
    dpk_rc_unlock(rc);
}

/* ---- Waiting ---- */

/* False: it does not come, or others need the processor. */
static bool wait_awake(struct dpk_rc *rc, const struct dpk_rc_waiter *w)
{
    const uint64_t begin = now_ns();
    uint64_t now = begin, last = now;
    while (now - begin < SOON_NS && now - last < TAKEN_NS) {
        dpk_rc_poll(rc);
        if (w->ready(w->of))
            return true;
        last = now;
        now = now_ns();
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

/* With one core a peer would wait for this thread. Where a wait awake was in vain, the next ones are asleep, twice
 * as many each time. */
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
        const uint64_t begin = now_ns();
        if (poll(p, 2, -1) < 0)
            return false;
        atomic_store(&w->soon, now_ns() - begin < SOON_NS);
        if (p[1].revents)
            dpk_rc_poll(rc);
    }
    return true;
}
