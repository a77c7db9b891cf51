/* The socket by which other processes of this user reach this process, and the descriptors of the
 * thread that serves it (thread.c). */
#include <errno.h>
#include <fcntl.h>
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

#define CONNECT_WAIT_S 5

/* The socket is in the abstract namespace, so that it disappears with its process. */
static socklen_t name_socket(const struct dpk_uuid *process, struct sockaddr_un *at)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(process, text);
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(at->sun_path + 1, sizeof at->sun_path - 1, "dpakit-rdma-%s", text);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

void pairs_gateway_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

void pairs_gateway_wake(struct gateway *s)
{
    eventfd_write(s->wake, 1);
}

void pairs_doze_end(struct gateway *s)
{
    if (atomic_load(&s->dozing) > 0)
        eventfd_write(s->nudge, 1);
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
    s->all = epoll_create1(EPOLL_CLOEXEC);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return s->epoll >= 0 && s->all >= 0 && s->wake >= 0 && s->nudge >= 0 && s->timer >= 0 &&
           s->listener >= 0 && bind(s->listener, (const struct sockaddr *)&at, size) == 0 &&
           listen(s->listener, SOMAXCONN) == 0 && watch(s->all, s->epoll, EPOLLIN) &&
           watch(s->epoll, s->listener, EPOLLIN) &&
           watch(s->epoll, s->timer, EPOLLIN | EPOLLET); /* needs no read */
}

void pairs_gateway_free(struct gateway *s)
{
    pairs_gateway_close(s->listener);
    pairs_gateway_close(s->wake);
    pairs_gateway_close(s->nudge);
    pairs_gateway_close(s->timer);
    pairs_gateway_close(s->all);
    pairs_gateway_close(s->epoll);
    free(s);
}

enum dpk_status pairs_gateway_start(struct dpk_rc *rc, struct dpk_error *err)
{
    struct gateway *s = calloc(1, sizeof *s);
    if (!s)
        return dpk_fail_nomem(err);
    s->epoll = s->all = s->wake = s->nudge = s->timer = s->listener = -1;
    TAILQ_INIT(&s->channels);
    TAILQ_INIT(&s->waiting);
    TAILQ_INIT(&s->closed);
    rc->gateway = s;
    if (open_all(s, &rc->identity) && (errno = dpk_pthread_start(&s->thread, rc->serve, rc)) == 0)
        return DPK_OK;
    enum dpk_status status = dpk_fail_errno(err, "no socket for RDMA with other processes");
    rc->gateway = NULL;
    pairs_gateway_free(s);
    return status;
}

/* ---- For fabric.c and pace.c ---- */

bool pairs_gateway_watch_fabric(struct dpk_rc *rc, int fd)
{
    return watch(rc->gateway->all, fd, EPOLLIN);
}

bool pairs_gateway_watch(struct dpk_rc *rc, int fd)
{
    return watch(rc->gateway->epoll, fd, EPOLLIN);
}

void pairs_gateway_ignore(struct dpk_rc *rc, int fd)
{
    if (rc->gateway)
        epoll_ctl(rc->gateway->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void pairs_gateway_alarm(struct dpk_rc *rc, uint64_t ns)
{
    const struct itimerspec at = {
        .it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    timerfd_settime(rc->gateway->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* ---- Connecting ---- */

int pairs_gateway_connect(const struct address *peer, bool may_wait, struct dpk_error *err)
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
    pairs_gateway_close(fd);
    return -1;
}
