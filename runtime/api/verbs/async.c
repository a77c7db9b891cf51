/* Asynchronous events: errors of queue pairs and completion queues, limits of shared receive
 * queues. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "async.h"
#include "context.h"

bool verbs_async_open(struct async *a)
{
    STAILQ_INIT(&a->events);
    a->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    return a->fd >= 0 && (errno = pthread_mutex_init(&a->lock, NULL)) == 0;
}

void verbs_async_close(struct async *a)
{
    close(a->fd);
    pthread_mutex_destroy(&a->lock);
}

void verbs_async_raise(struct async *a, struct async_source *of,
                       const struct ibv_async_event *event)
{
    pthread_mutex_lock(&a->lock);
    struct async_event *e = of->events;
    while (e->count != 0 && e->event.event_type != event->event_type)
        e++;
    if (e->count++ == 0) {
        e->event = *event;
        e->source = of;
        STAILQ_INSERT_TAIL(&a->events, e, next);
    }
    pthread_mutex_unlock(&a->lock);
    eventfd_write(a->fd, 1);
}

uint32_t verbs_async_forget(struct async *a, struct async_source *of)
{
    pthread_mutex_lock(&a->lock);
    for (struct async_event *e = of->events; e < of->events + ASYNC_TYPES; e++) {
        if (e->count != 0)
            STAILQ_REMOVE(&a->events, e, async_event, next);
        e->count = 0;
    }
    const uint32_t taken = of->reported;
    pthread_mutex_unlock(&a->lock);
    return taken;
}

/* Takes the next event. Returns false if the counted event was removed together with its object. */
static bool take(struct async *a, struct ibv_async_event *event)
{
    pthread_mutex_lock(&a->lock);
    struct async_event *e = STAILQ_FIRST(&a->events);
    if (e) {
        STAILQ_REMOVE_HEAD(&a->events, next);
        *event = e->event;
        e->source->reported++;
        if (--e->count != 0)
            STAILQ_INSERT_TAIL(&a->events, e, next);
    }
    pthread_mutex_unlock(&a->lock);
    return e != NULL;
}

int dpk_verbs_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    uint64_t one;
    if (!context || !event) {
        errno = EINVAL;
        return -1;
    }
    do {
        if (read(context->async_fd, &one, sizeof one) != sizeof one)
            return -1;
    } while (!take(&context_of(context)->async, event));
    return 0;
}
