/* Asynchronous events of an opened device (ibv_get_async_event). Private to verbs. */
#ifndef DPK_API_VERBS_ASYNC_H
#define DPK_API_VERBS_ASYNC_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

struct async {
    pthread_mutex_t lock;
    int fd; /* an eventfd that counts the events; the program sees it as async_fd */
    STAILQ_HEAD(, async_event) events;
};

/* Returns false and sets errno on failure. */
bool verbs_async_open(struct async *a);
void verbs_async_close(struct async *a);
/* Reports an event to the program. `reported` counts the object's events that the program has taken; it
 * must acknowledge them before the object is destroyed. */
void verbs_async_raise(struct async *a, const struct ibv_async_event *event, uint32_t *reported);
/* Drops events of an object that were not taken. Returns the number of its events that were taken. */
uint32_t verbs_async_forget(struct async *a, const uint32_t *reported);

#endif
