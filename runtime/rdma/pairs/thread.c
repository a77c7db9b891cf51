/* The thread of the gateway: it handles events, and looks at queue pairs that wait. */
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gateway.h"
#include "pace.h"

#define LOOK_EACH_MS 50 /* how often requests that wait for a peer are looked at */

static void free_closed(struct gateway *s)
{
    struct channel *c;
    while ((c = TAILQ_FIRST(&s->closed))) {
        TAILQ_REMOVE(&s->closed, c, link);
        pairs_channel_free(c);
    }
}

/* Waits for work of the thread. Returns the number of events. Only this thread reads `wake`: a
 * thread of the program that rests at `all` would leave this thread asleep. */
static int await_events(const struct gateway *s, struct epoll_event *events, bool rested,
                        bool polled, int idle_ms)
{
    struct pollfd p[] = {{.fd = s->wake, .events = POLLIN},
                         {.fd = polled ? s->epoll : s->all, .events = POLLIN}};
    eventfd_t woken;
    poll(p, rested ? 1 : 2, rested || polled ? POLLED_MS : idle_ms);
    if (p[0].revents)
        eventfd_read(s->wake, &woken);
    return rested ? 0 : epoll_wait(s->epoll, events, EVENTS_MAX, 0);
}

/* Returns the longest sleep of the thread in milliseconds; -1: without limit. */
static int idle_ms(bool waits, uint64_t due_ms)
{
    const uint64_t most = waits && due_ms > LOOK_EACH_MS ? LOOK_EACH_MS : due_ms;
    return most <= INT_MAX ? (int)most : -1;
}

void *pairs_gateway_serve(void *context)
{
    struct dpk_rc *rc = context;
    struct gateway *s = rc->gateway;
    struct epoll_event events[EVENTS_MAX];
    bool stop = false, waits = false, polled = false, rested = false;
    uint64_t due_ms = UINT64_MAX;
    while (!stop) {
        const int n = await_events(s, events, rested, polled, idle_ms(waits, due_ms));
        pthread_mutex_lock(&rc->lock);
        const bool crowded = !pairs_events_handle(rc, events, n);
        stop = s->stop;
        waits = !stop && pairs_waits_run(rc);
        polled = pairs_polls_run(rc);
        rested = s->rested;
        if (!stop)
            pairs_pace_look(rc);
        due_ms = stop ? UINT64_MAX : pairs_fabrics_look(rc);
        free_closed(s);
        pthread_mutex_unlock(&rc->lock);
        if (crowded)
            usleep(10000);
    }
    return NULL;
}

void pairs_gateway_stop(struct dpk_rc *rc)
{
    struct gateway *s = rc->gateway;
    struct channel *c;
    if (!s)
        return;
    pthread_mutex_lock(&rc->lock);
    s->stop = true;
    pthread_mutex_unlock(&rc->lock);
    pairs_gateway_wake(s);
    pthread_join(s->thread, NULL);
    while ((c = TAILQ_FIRST(&s->channels)))
        pairs_channel_close(c);
    free_closed(s);
    pairs_gateway_free(s);
}
