/* Programs that have joined: their events, their flows, and the rates that they get. */
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 256u /* events of a program before the next program has its turn */

struct flow {
    struct dpk_rates_state state;
    uint32_t life; /* 0 before its first event */
    uint32_t rate;
    struct row *row; /* NULL if all rows are in use */
};

static void add(atomic_uint_least64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* ---- Statistics ---- */

static void row_clear(struct row *r)
{
    atomic_store(&r->events, 0);
    atomic_store(&r->qp, 0);
    atomic_store(&r->rate, 0);
    atomic_store(&r->rtt_ns, 0);
    atomic_store(&r->process, 0);
}

void pacing_statistics_clear(struct file *f)
{
    atomic_store(&f->lost, 0);
    atomic_store(&f->bad, 0);
    atomic_store(&f->changes, 0);
    atomic_store(&f->programs, 0);
    atomic_store(&f->flows, 0);
    for (size_t i = 0; i < DPK_RATES_TYPES; i++)
        atomic_store(&f->events[i], 0);
    for (size_t i = 0; i < DPK_RATES_SEEN; i++)
        row_clear(&f->rows[i]);
}

static struct row *row_claim(struct file *f, uint32_t process)
{
    for (size_t i = 0; i < DPK_RATES_SEEN; i++) {
        uint32_t none = 0;
        struct row *r = &f->rows[i];
        if (atomic_load_explicit(&r->process, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&r->process, &none, process))
            return r;
    }
    return NULL;
}

static void note(struct file *f, struct flow *flow, const struct dpk_rates_event *e)
{
    add(&f->events[e->type - DPK_RATES_FIRST], 1);
    struct row *r = flow->row;
    if (!r)
        return;
    add(&r->events, 1);
    atomic_store_explicit(&r->qp, e->qp, memory_order_relaxed);
    atomic_store_explicit(&r->rate, flow->rate, memory_order_relaxed);
    if (e->type == DPK_RATES_RTT)
        atomic_store_explicit(&r->rtt_ns, (uint32_t)(e->time_ns - e->sent_ns - e->answered_ns),
                              memory_order_relaxed);
}

/* ---- Flows ---- */

static void flow_end(struct file *f, struct flow *flow)
{
    if (flow->life == 0)
        return;
    add(&f->flows, (uint64_t)-1);
    if (flow->row)
        row_clear(flow->row);
    *flow = (struct flow){0};
}

/* Returns the flow of an event, or NULL if memory is short or the flow has ended. */
static struct flow *flow_of(struct programs *of, struct program *p, const struct dpk_rates_event *e)
{
    struct flow **chunk = &p->chunks[e->flow / CHUNK];
    if (!*chunk && !(*chunk = calloc(CHUNK, sizeof **chunk)))
        return NULL;
    struct flow *flow = &(*chunk)[e->flow % CHUNK];
    if (flow->life != e->life || e->type == FLOW_END)
        flow_end(of->file, flow);
    if (flow->life != 0 || e->type == FLOW_END)
        return flow->life != 0 ? flow : NULL;
    *flow = (struct flow){
        .life = e->life, .rate = DPK_RATES_MAX, .row = row_claim(of->file, p->process)};
    add(&of->file->flows, 1);
    return flow;
}

/* ---- Programs ---- */

struct program *pacing_program_new(int fd)
{
    struct program *p = calloc(1, sizeof *p);
    struct ucred who = {0};
    socklen_t size = sizeof who;
    if (!p)
        return NULL;
    p->fd = fd;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
    p->process = who.pid > 0 ? (uint32_t)who.pid : 1; /* 0 in another PID namespace */
    return p;
}

void pacing_program_free(struct programs *of, struct program *p)
{
    for (size_t i = 0; i < DPK_RATES_FLOWS / CHUNK; i++) {
        for (size_t j = 0; p->chunks[i] && j < CHUNK; j++)
            flow_end(of->file, &p->chunks[i][j]);
        free(p->chunks[i]);
    }
    if (p->greeted)
        add(&of->file->programs, (uint64_t)-1);
    TAILQ_REMOVE(&of->list, p, link);
    rings_free(&p->rings);
    /* A child of fork() may have the socket open, too. */
    epoll_ctl(of->epoll, EPOLL_CTL_DEL, p->fd, NULL);
    shutdown(p->fd, SHUT_RDWR);
    close(p->fd);
    free(p);
}

void pacing_programs_free(struct programs *of)
{
    struct program *p;
    while ((p = TAILQ_FIRST(&of->list)))
        pacing_program_free(of, p);
}

static bool is_for_later(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static bool hear_hello(struct programs *of, struct program *p)
{
    int memory;
    uint64_t hello = 0;
    const ssize_t n = rings_hear(p->fd, &hello, sizeof hello, &memory);
    p->greeted = n == (ssize_t)sizeof hello && hello == MAGIC && memory >= 0 &&
                 rings_open(&p->rings, memory, RATES_RING);
    const bool good = p->greeted || (is_for_later(n) && memory < 0);
    if (memory >= 0)
        close(memory);
    if (p->greeted)
        add(&of->file->programs, 1);
    return good;
}

bool pacing_program_hear(struct programs *of, struct program *p)
{
    uint8_t woken[64];
    if (!p->greeted)
        return hear_hello(of, p);
    const ssize_t n = recv(p->fd, woken, sizeof woken, MSG_DONTWAIT);
    return n > 0 || is_for_later(n);
}

void pacing_programs_poll(struct programs *of, bool polled)
{
    struct program *p;
    TAILQ_FOREACH(p, &of->list, link)
    if (p->greeted)
        ring_poll(&p->rings.in, polled);
}

/* ---- Events ---- */

static bool is_event(const struct dpk_rates_event *e)
{
    return e->flow < DPK_RATES_FLOWS && e->life != 0 &&
           (e->type == FLOW_END ||
            (e->type >= DPK_RATES_FIRST && e->type < DPK_RATES_FIRST + DPK_RATES_TYPES));
}

/* If the ring is full, the program gets the rate with a later event. */
static void answer(struct programs *of, struct program *p, struct flow *flow, uint32_t number,
                   const struct dpk_rates_order *o)
{
    const struct order order = {number, flow->life, o->rate, o->probe};
    struct ring *out = &p->rings.out;
    if ((o->rate == flow->rate && !o->probe) || ring_has_room(out, sizeof order) != RING_GOOD)
        return;
    if (o->rate != flow->rate)
        add(&of->file->changes, 1);
    flow->rate = o->rate;
    memcpy(ring_here(out), &order, sizeof order);
    ring_wrote(out, sizeof order);
}

/* Returns false if no more events can be given. */
static bool take(struct programs *of, struct program *p, const struct dpk_rates_event *e)
{
    const struct dpk_rates_options *options = of->options;
    struct flow *flow = is_event(e) ? flow_of(of, p, e) : NULL;
    if (!flow) {
        if (!is_event(e))
            add(&of->file->bad, 1);
        return true;
    }
    struct dpk_rates_order o = {.rate = flow->rate};
    if (!options->event(options->context, of->worker, &flow->state, e, &o))
        return false;
    answer(of, p, flow, e->flow, &o);
    note(of->file, flow, e);
    return true;
}

/* Gives the events in the next `size` bytes. Returns false if no more events can be given. */
static bool give(struct programs *of, struct program *p, uint32_t size)
{
    struct dpk_rates_event e;
    for (; size >= sizeof e; size -= (uint32_t)sizeof e) {
        ring_copy(&p->rings.in, &e, sizeof e);
        ring_read(&p->rings.in, sizeof e);
        if (!take(of, p, &e))
            return false;
    }
    return true;
}

/* Like pacing_programs_serve, for one program. A program with a broken ring is removed. */
static int serve(struct programs *of, struct program *p)
{
    const uint32_t most = AT_ONCE * (uint32_t)sizeof(struct dpk_rates_event);
    uint32_t size;
    const enum ring_state state = ring_filled(&p->rings.in, &size);
    if (state == RING_BAD || size % sizeof(struct dpk_rates_event) != 0) {
        pacing_program_free(of, p);
        return 0;
    }
    return give(of, p, size < most ? size : most) ? state == RING_GOOD : -1;
}

bool pacing_program_end(struct programs *of, struct program *p)
{
    uint32_t size;
    const bool good =
        !p->greeted || ring_filled(&p->rings.in, &size) != RING_GOOD || give(of, p, size);
    pacing_program_free(of, p);
    return good;
}

int pacing_programs_serve(struct programs *of)
{
    struct program *next;
    int any = 0;
    for (struct program *p = TAILQ_FIRST(&of->list); p && any >= 0; p = next) {
        next = TAILQ_NEXT(p, link);
        const int some = p->greeted ? serve(of, p) : 0;
        any = some < 0 ? some : any | some;
    }
    return any;
}
