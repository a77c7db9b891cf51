/* Channels and their events. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rdmacm.h"

#define SOCKETS_AT_ONCE 16

static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;
static LIST_HEAD(, channel) channels =
    LIST_HEAD_INITIALIZER(channels); /* of the program; with the lock */

static struct channel *channel_of(struct rdma_event_channel *seen)
{
    return (struct channel *)seen;
}

/* ---- Channels ---- */

static bool add(int epoll, int fd, void *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = what};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void free_channel(struct channel *c)
{
    if (c->wake >= 0)
        close(c->wake);
    if (c->seen.fd >= 0)
        close(c->seen.fd);
    free(c);
}

struct rdma_event_channel *rdmacm_cm_create_event_channel(void)
{
    struct channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    TAILQ_INIT(&c->events);
    c->seen.fd = epoll_create1(EPOLL_CLOEXEC);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->seen.fd >= 0 && c->wake >= 0 && add(c->seen.fd, c->wake, NULL)) {
        static unsigned long made;
        rdmacm_cm_lock();
        c->number = ++made;
        LIST_INSERT_HEAD(&channels, c, link);
        rdmacm_cm_unlock();
        return &c->seen;
    }
    int why = errno;
    free_channel(c);
    errno = why;
    return NULL;
}

void rdmacm_cm_destroy_event_channel(struct rdma_event_channel *seen)
{
    struct channel *c = channel_of(seen);
    if (!c)
        return;
    rdmacm_cm_lock();
    LIST_REMOVE(c, link);
    rdmacm_cm_unlock();
    free_channel(c);
}

bool rdmacm_channel_watch(struct id *id)
{
    const int epoll = id->channel->seen.fd;
    return add(epoll, id->fd, id) && (id->far_fd < 0 || add(epoll, id->far_fd, id));
}

void rdmacm_channel_forget(struct id *id)
{
    epoll_ctl(id->channel->seen.fd, EPOLL_CTL_DEL, id->fd, NULL);
    if (id->far_fd >= 0)
        epoll_ctl(id->channel->seen.fd, EPOLL_CTL_DEL, id->far_fd, NULL);
}

/* ---- Events ---- */

static void fill(struct event *e, const struct dpk_cm_message *m)
{
    memcpy(e->private_data, m->private_data, m->private_size);
    /* The peer's initiator depth is the resources of this end, and the other way around. */
    e->seen.param.conn = (struct rdma_conn_param){
        .private_data = m->private_size ? e->private_data : NULL,
        .private_data_len = m->private_size,
        .responder_resources = m->initiator_depth,
        .initiator_depth = m->responder_resources,
        .flow_control = m->flow_control,
        .retry_count = m->retries,
        .rnr_retry_count = m->rnr_retries,
        .srq = m->srq,
        .qp_num = m->queue_pair,
    };
}

/* Fills in an event of datagrams. If `m` is a reply, it has the peer's queue pair. */
static void fill_ud(struct event *e, const struct id *id, const struct dpk_cm_message *m)
{
    struct rdma_ud_param p = {.private_data_len = m->private_size};
    memcpy(e->private_data, m->private_data, m->private_size);
    p.private_data = m->private_size ? e->private_data : NULL;
    if (m->kind == DPK_CM_REP) {
        p.qp_num = m->queue_pair;
        p.qkey = RDMA_UDP_QKEY;
        p.ah_attr = (struct ibv_ah_attr){.is_global = 1, .port_num = id->seen.port_num};
        p.ah_attr.grh.hop_limit = 1;
        p.ah_attr.grh.sgid_index = rdmacm_id_gid_index(id);
        memcpy(p.ah_attr.grh.dgid.raw, m->gid, sizeof m->gid);
    }
    e->seen.param.ud = p;
}

/* Takes the identifier's spare event if memory is exhausted, so that the program learns of the first
 * change in any case. */
static struct event *event_new(struct id *id)
{
    struct event *e = calloc(1, sizeof *e);
    if (e)
        return e;
    e = id->spare;
    id->spare = NULL;
    return e;
}

void rdmacm_channel_tell(struct id *id, struct id *listener, enum rdma_cm_event_type what,
                         int status, const struct dpk_cm_message *m)
{
    struct event *e = event_new(id);
    if (!e)
        return;
    e->seen = (struct rdma_cm_event){.id = &id->seen,
                                     .listen_id = listener ? &listener->seen : NULL,
                                     .event = what,
                                     .status = status};
    e->about = listener ? listener : id;
    if (m && id_is_ud(id))
        fill_ud(e, id, m);
    else if (m)
        fill(e, m);
    TAILQ_INSERT_TAIL(&id->channel->events, e, link);
    eventfd_write(id->channel->wake, 1);
}

/* Handles messages of all peers, one after the other: a listener may free a calling peer whose message waits. */
static void listen_to_all(const struct channel *c)
{
    struct epoll_event ready;
    for (unsigned i = 0; i < SOCKETS_AT_ONCE && epoll_wait(c->seen.fd, &ready, 1, 0) == 1; i++)
        if (ready.data.ptr)
            rdmacm_connect_heard(ready.data.ptr);
}

/* The caller has the lock. */
static struct event *next_event(struct channel *c)
{
    eventfd_t count;
    if (TAILQ_EMPTY(&c->events))
        listen_to_all(c);
    struct event *e = TAILQ_FIRST(&c->events);
    if (e) {
        TAILQ_REMOVE(&c->events, e, link);
        e->about->unacknowledged++;
    }
    if (TAILQ_EMPTY(&c->events))
        eventfd_read(c->wake, &count);
    return e;
}

/* Some programs destroy a channel for whose events another thread waits, or is about to wait. The kernel lets such a
 * thread wait for ever, and they end by exit(). */
static void wait_for_ever(void)
{
    for (;;)
        pause();
}

/* Where a call waits for an event. */
struct waiting {
    unsigned long number; /* of the channel; 0 before the first look */
    int fd, flags;        /* its descriptor and the flags of it, or -1 */
};

/* Returns the next event of a channel, or NULL. */
static struct event *event_of(struct rdma_event_channel *seen, struct waiting *w)
{
    struct channel *c;
    rdmacm_cm_lock();
    LIST_FOREACH(c, &channels, link)
    if (&c->seen == seen && (w->number == 0 || c->number == w->number))
        break;
    struct event *e = c ? next_event(c) : NULL;
    if (c)
        *w = (struct waiting){c->number, c->seen.fd, fcntl(c->seen.fd, F_GETFL)};
    rdmacm_cm_unlock();
    if (!c)
        wait_for_ever();
    return e;
}

int rdmacm_cm_get_event(struct rdma_event_channel *seen, struct rdma_cm_event **event)
{
    struct event *e;
    struct waiting w = {0};
    if (!seen || !event)
        return rdmacm_cm_failed(EINVAL);
    while (!(e = event_of(seen, &w))) {
        struct pollfd p = {.fd = w.fd, .events = POLLIN};
        if (w.flags < 0 || w.flags & O_NONBLOCK)
            return rdmacm_cm_failed(w.flags < 0 ? EBADF : EAGAIN);
        if (poll(&p, 1, -1) < 0)
            return -1;
    }
    *event = &e->seen;
    return 0;
}

int rdmacm_cm_ack_event(struct rdma_cm_event *seen)
{
    struct event *e = (struct event *)seen;
    if (!e)
        return rdmacm_cm_failed(EINVAL);
    rdmacm_cm_lock();
    e->about->unacknowledged--;
    pthread_cond_broadcast(&acknowledged);
    rdmacm_cm_unlock();
    free(e);
    return 0;
}

/* Takes an event that the program has not received. Returns NULL if this identifier has no
 * event. */
static struct event *take_event(struct id *id)
{
    struct event *e;
    TAILQ_FOREACH(e, &id->channel->events, link)
    if (e->about == id || e->seen.id == &id->seen) {
        TAILQ_REMOVE(&id->channel->events, e, link);
        return e;
    }
    return NULL;
}

static void drop_events(struct id *id)
{
    struct event *e;
    while ((e = take_event(id))) {
        struct id *caller = e->seen.id == &id->seen ? NULL : id_of(e->seen.id);
        free(e);
        if (caller) { /* an unanswered request */
            drop_events(caller);
            rdmacm_id_free(caller);
        }
    }
}

void rdmacm_channel_settle(struct id *id)
{
    rdmacm_cm_lock();
    drop_events(id);
    while (id->unacknowledged)
        rdmacm_cm_wait(&acknowledged);
    rdmacm_cm_unlock();
}

int rdmacm_channel_complete(struct id *id)
{
    static const int why[] = {
        [RDMA_CM_EVENT_ADDR_ERROR] = ENODEV,        [RDMA_CM_EVENT_ROUTE_ERROR] = ENETUNREACH,
        [RDMA_CM_EVENT_CONNECT_ERROR] = ECONNRESET, [RDMA_CM_EVENT_UNREACHABLE] = ETIMEDOUT,
        [RDMA_CM_EVENT_REJECTED] = ECONNREFUSED,
    };
    if (!id->synchronous)
        return 0;
    if (id->seen.event) {
        rdmacm_cm_ack_event(id->seen.event);
        id->seen.event = NULL;
    }
    if (rdmacm_cm_get_event(&id->channel->seen, &id->seen.event) != 0)
        return -1;
    unsigned what = id->seen.event->event;
    return what < sizeof why / sizeof *why && why[what] ? rdmacm_cm_failed(why[what]) : 0;
}

int rdmacm_cm_migrate_id(struct rdma_cm_id *seen, struct rdma_event_channel *to)
{
    struct id *id = id_of(seen);
    struct channel *const old = id->channel;
    const bool own = !to;
    if (own && !(to = rdmacm_cm_create_event_channel()))
        return -1;
    if (id->synchronous && id->seen.event) {
        rdmacm_cm_ack_event(id->seen.event);
        id->seen.event = NULL;
    }
    rdmacm_cm_lock();
    struct channel *new = channel_of(to);
    struct event *e;
    if (id->fd >= 0 && id->state > BOUND)
        rdmacm_channel_forget(id);
    while ((e = take_event(id))) {
        TAILQ_INSERT_TAIL(&new->events, e, link);
        eventfd_write(new->wake, 1);
    }
    id->channel = new;
    id->seen.channel = to;
    bool watched = id->fd < 0 || id->state <= BOUND || rdmacm_channel_watch(id);
    rdmacm_cm_unlock();
    if (id->synchronous)
        rdmacm_cm_destroy_event_channel(&old->seen);
    id->synchronous = own;
    return watched ? 0 : -1;
}
