/* The sender's side: it joins a server, reports events, and takes rates. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "private.h"

#define MINIMUM 1u /* of DPK_RATES_MAX */

struct flow {
    struct dpk_rates_flow seen;
    uint32_t life; /* 0: free */
    uint32_t next; /* of a free flow: the next free flow */
};

struct dpk_rates {
    char *directory;
    struct file *file;
    uint32_t generation; /* of the last server that was looked for */
    int fd;              /* -1 without a server */
    struct rings rings;
    struct flow *flows; /* DPK_RATES_FLOWS of them */
    uint32_t free, used;
    uint32_t lives; /* number of flows so far */
};

/* ---- Life ---- */

enum dpk_status dpk_rates_open(const char *directory, struct dpk_rates **out, struct dpk_error *err)
{
    struct dpk_rates *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r || !(r->directory = strdup(directory))) {
        free(r);
        return dpk_fail_nomem(err);
    }
    r->fd = -1;
    enum dpk_status status = pacing_rates_map(directory, true, &r->file, err);
    if (status == DPK_OK)
        *out = r;
    else
        dpk_rates_close(r);
    return status;
}

void dpk_rates_close(struct dpk_rates *r)
{
    if (!r)
        return;
    dpk_rates_leave(r);
    pacing_rates_unmap(r->file);
    free(r->directory);
    free(r);
}

bool dpk_rates_look(const struct dpk_rates *r)
{
    return atomic_load_explicit(&r->file->generation, memory_order_relaxed) != r->generation;
}

bool dpk_rates_on(const struct dpk_rates *r)
{
    return r->fd >= 0;
}

int dpk_rates_socket(const struct dpk_rates *r)
{
    return r->fd;
}

static bool pass_rings(struct dpk_rates *r)
{
    static const uint64_t hello = MAGIC;
    int memory = rings_new(&r->rings, RATES_RING);
    const bool good = memory >= 0 && rings_pass(r->fd, memory, &hello, sizeof hello);
    if (memory >= 0)
        close(memory);
    return good;
}

bool dpk_rates_join(struct dpk_rates *r)
{
    uint32_t process;
    const uint32_t generation = atomic_load(&r->file->generation);
    dpk_rates_leave(r);
    r->fd = pacing_rates_connect(r->directory, &process);
    if (r->fd >= 0 || errno != EAGAIN)
        r->generation = generation;
    if (r->fd < 0)
        return false;
    r->flows = calloc(DPK_RATES_FLOWS, sizeof *r->flows);
    r->free = DPK_RATES_NONE;
    r->used = 0;
    if (r->flows && pass_rings(r))
        return true;
    dpk_rates_leave(r);
    return false;
}

bool dpk_rates_alive(struct dpk_rates *r)
{
    uint8_t byte;
    if (r->fd < 0)
        return false;
    const ssize_t n = recv(r->fd, &byte, sizeof byte, MSG_DONTWAIT);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void dpk_rates_leave(struct dpk_rates *r)
{
    if (r->fd < 0)
        return;
    shutdown(r->fd, SHUT_RDWR); /* a child of fork() may have the socket open, too */
    close(r->fd);
    r->fd = -1;
    rings_free(&r->rings);
    free(r->flows);
    r->flows = NULL;
}

/* ---- Flows ---- */

uint32_t dpk_rates_claim(struct dpk_rates *r)
{
    uint32_t flow = r->free;
    if (r->fd < 0)
        return DPK_RATES_NONE;
    if (flow != DPK_RATES_NONE)
        r->free = r->flows[flow].next;
    else if (r->used < DPK_RATES_FLOWS)
        flow = r->used++;
    else
        return DPK_RATES_NONE;
    if (++r->lives == 0)
        r->lives = 1;
    r->flows[flow] = (struct flow){.seen = {.rate = DPK_RATES_MAX}, .life = r->lives};
    return flow;
}

void dpk_rates_release(struct dpk_rates *r, uint32_t flow)
{
    if (r->fd < 0 || flow >= r->used)
        return;
    dpk_rates_tell(r, &(struct dpk_rates_event){.type = FLOW_END, .flow = flow});
    r->flows[flow] = (struct flow){.next = r->free};
    r->free = flow;
}

struct dpk_rates_flow *dpk_rates_flow(struct dpk_rates *r, uint32_t flow)
{
    return &r->flows[flow].seen;
}

/* ---- The rings ---- */

static void take_order(struct dpk_rates *r, const struct order *o)
{
    if (o->flow >= r->used || o->life == 0 || r->flows[o->flow].life != o->life)
        return;
    struct dpk_rates_flow *f = &r->flows[o->flow].seen;
    f->rate = o->rate >= 1 && o->rate <= DPK_RATES_MAX ? o->rate : MINIMUM;
    f->probe = f->probe || o->probe == 1;
}

void dpk_rates_take(struct dpk_rates *r)
{
    uint32_t size;
    struct order o;
    if (r->fd < 0 || ring_filled(&r->rings.in, &size) != RING_GOOD)
        return;
    for (; size >= sizeof o; size -= (uint32_t)sizeof o) {
        ring_copy(&r->rings.in, &o, sizeof o);
        ring_read(&r->rings.in, sizeof o);
        take_order(r, &o);
    }
}

void dpk_rates_tell(struct dpk_rates *r, const struct dpk_rates_event *event)
{
    struct dpk_rates_event e = *event;
    if (r->fd < 0 || e.flow >= r->used)
        return;
    struct ring *out = &r->rings.out;
    if (ring_has_room(out, sizeof e) != RING_GOOD) {
        atomic_fetch_add_explicit(&r->file->lost, 1, memory_order_relaxed);
        return;
    }
    e.life = r->flows[e.flow].life;
    memcpy(ring_here(out), &e, sizeof e);
    ring_wrote(out, sizeof e);
    if (ring_wakes_reader(out))
        send(r->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}
