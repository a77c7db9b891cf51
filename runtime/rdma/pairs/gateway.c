/* The socket by which other processes of this user reach this one, and the thread that serves
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "gateway.h"
#include "pace.h"

#define EVENTS_MAX     16
#define CONNECT_WAIT_S 5
#define LOOK_EACH_MS   50 /* how often requests that wait for a peer are looked at */

/* The socket is in the abstract namespace, so that it disappears with its process. */
static socklen_t name_socket(const struct dpk_uuid *process, struct sockaddr_un *at)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(process, text);
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(at->sun_path + 1, sizeof at->sun_path - 1, "dpakit-rdma-%s", text);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

void gateway_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

void gateway_wake(struct gateway *s)
{
    eventfd_write(s->wake, 1);
}

/* ---- The thread ---- */

/* Accepts at most EVENTS_MAX connections: any process may connect, and other threads need the lock.
 * False: the process has no descriptors left. */
static bool accept_some(struct dpk_rc *rc)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        int fd = accept4(rc->gateway->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0 && rings_peer_is_ours(fd))
            channel_new(rc, fd);
        else if (fd >= 0)
            close(fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            return errno == EAGAIN;
    }
    return true;
}

static void free_closed(struct gateway *s)
{
    struct channel *c;
    while ((c = TAILQ_FIRST(&s->closed))) {
        TAILQ_REMOVE(&s->closed, c, link);
        channel_free(c);
    }
}

/* With the lock. False: as accept_some. */
static bool handle(struct dpk_rc *rc, const struct epoll_event *events, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        struct channel *c = events[i].data.ptr;
        if (c && c->fd >= 0)
            channel_event(c, events[i].events);
        else if (!c)
            good = accept_some(rc);
    }
    return good;
}

bool gateway_turn(struct dpk_rc *rc)
{
    struct epoll_event events[EVENTS_MAX];
    const int n = epoll_wait(rc->gateway->epoll, events, EVENTS_MAX, 0);
    if (n > 0 && !handle(rc, events, n))
        rc->gateway->rested = false; /* the thread waits for descriptors */
    pace_look(rc);
    return n == EVENTS_MAX;
}

/* Until there is something to do for the thread. Returns how many events there are. Only this thread takes what
 * wakes it: a thread of the program that rests at `epoll` would leave it asleep. */
static int await_events(const struct gateway *s, struct epoll_event *events, bool rested,
                        bool polled, bool waits)
{
    struct pollfd p[] = {{.fd = s->wake, .events = POLLIN}, {.fd = s->epoll, .events = POLLIN}};
    eventfd_t woken;
    poll(p, rested ? 1 : 2, rested || polled ? POLLED_MS : waits ? LOOK_EACH_MS : -1);
    if (p[0].revents)
        eventfd_read(s->wake, &woken);
    return rested ? 0 : epoll_wait(s->epoll, events, EVENTS_MAX, 0);
}

static void *serve(void *context)
{
    struct dpk_rc *rc = context;
    struct gateway *s = rc->gateway;
    struct epoll_event events[EVENTS_MAX];
    bool stop = false, waits = false, polled = false, rested = false;
    while (!stop) {
        const int n = await_events(s, events, rested, polled, waits);
        pthread_mutex_lock(&rc->lock);
        const bool crowded = !handle(rc, events, n);
        stop = s->stop;
        waits = !stop && waits_run(rc);
        polled = polls_run(s);
        rested = s->rested;
        if (!stop)
            pace_look(rc);
        free_closed(s);
        pthread_mutex_unlock(&rc->lock);
        if (crowded)
            usleep(10000);
    }
    return NULL;
}

/* ---- Starting and stopping ---- */

static bool watch(int epoll, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static bool open_all(struct gateway *s, const struct dpk_uuid *identity)
{
    struct sockaddr_un at;
    socklen_t size = name_socket(identity, &at);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return s->epoll >= 0 && s->wake >= 0 && s->nudge >= 0 && s->timer >= 0 && s->listener >= 0 &&
           bind(s->listener, (const struct sockaddr *)&at, size) == 0 &&
           listen(s->listener, SOMAXCONN) == 0 && watch(s->epoll, s->listener, EPOLLIN) &&
           watch(s->epoll, s->timer, EPOLLIN | EPOLLET); /* so nobody has to read it */
}

static void pairs_gateway_free(struct gateway *s)
{
    gateway_close(s->listener);
    gateway_close(s->wake);
    gateway_close(s->nudge);
    gateway_close(s->timer);
    gateway_close(s->epoll);
    free(s);
}

enum dpk_status gateway_start(struct dpk_rc *rc, struct dpk_error *err)
{
    struct gateway *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    s->epoll = s->wake = s->nudge = s->timer = s->listener = -1;
    TAILQ_INIT(&s->channels);
    TAILQ_INIT(&s->waiting);
    TAILQ_INIT(&s->closed);
    rc->gateway = s;
    if (open_all(s, &rc->identity) && (errno = dpk_pthread_start(&s->thread, serve, rc)) == 0)
        return DPK_OK;
    enum dpk_status status = dpk_fail_errno(err, "no socket for RDMA with other processes");
    rc->gateway = NULL;
    pairs_gateway_free(s);
    return status;
}

void gateway_stop(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    struct channel *c;
    if (!s)
        return;
    pthread_mutex_lock(&rc->lock);
    s->stop = true;
    pthread_mutex_unlock(&rc->lock);
    gateway_wake(s);
    pthread_join(s->thread, NULL);
    while ((c = TAILQ_FIRST(&s->channels)))
        channel_close(c);
    free_closed(s);
    pairs_gateway_free(s);
}

/* ---- For pace.c ---- */

bool gateway_watch(struct dpk_rc *rc, int fd)
{
    return watch(rc->gateway->epoll, fd, EPOLLIN);
}

void gateway_ignore(struct dpk_rc *rc, int fd)
{
    if (rc->gateway)
        epoll_ctl(rc->gateway->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void gateway_alarm(struct dpk_rc *rc, uint64_t ns)
{
    const struct itimerspec at = {
        .it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    timerfd_settime(rc->gateway->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* ---- Connecting ---- */

int gateway_connect(const struct address *peer, bool may_wait, struct dpk_error *err)
{
    const struct timeval patience = {.tv_sec = CONNECT_WAIT_S};
    struct sockaddr_un at;
    socklen_t size = name_socket(&peer->process, &at);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (may_wait ? 0 : SOCK_NONBLOCK), 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&at, size) == 0 && rings_peer_is_ours(fd) &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        return fd;
    dpk_fail_errno(err, "the peer's process cannot be reached");
    gateway_close(fd);
    return -1;
}
