/* Events of the gateway: connections that other processes make, and what they write to channels. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway.h"
#include "pace.h"

/* Accepts at most EVENTS_MAX connections: any process may connect, and other threads need the lock.
 * Returns false if the process has no descriptors left. */
static bool accept_some(struct dpk_rc *rc)
{
    for (int i = 0; i < EVENTS_MAX; i++) {
        int fd = accept4(rc->gateway->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0 && rings_peer_is_ours(fd))
            pairs_channel_new(rc, fd);
        else if (fd >= 0)
            close(fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            return errno == EAGAIN;
    }
    return true;
}

bool pairs_events_handle(struct dpk_rc *rc, const struct epoll_event *events, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        struct channel *c = events[i].data.ptr;
        if (c && c->fd >= 0)
            pairs_channel_event(c, events[i].events);
        else if (!c)
            good = accept_some(rc);
    }
    return good;
}

bool pairs_gateway_turn(struct dpk_rc *rc)
{
    struct epoll_event events[EVENTS_MAX];
    const int n = epoll_wait(rc->gateway->epoll, events, EVENTS_MAX, 0);
    if (n > 0 && !pairs_events_handle(rc, events, n))
        rc->gateway->rested = false; /* the thread waits for descriptors */
    pairs_pace_look(rc);
    if (!SLIST_EMPTY(&rc->fabrics))
        pairs_fabrics_run(rc);
    return n == EVENTS_MAX;
}
