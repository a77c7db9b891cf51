/* Asynchronous events of an opened device (ibv_get_async_event). Private to verbs. */
#ifndef DPK_API_VERBS_ASYNC_H
#define DPK_API_VERBS_ASYNC_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/queue.h>

/* The events of one type of an object that the program has not taken. */
struct async_event {
    STAILQ_ENTRY(async_event) next;
    struct ibv_async_event event;
    struct async_source *source;
    uint32_t count; /* 0: not in the list */
};

/* A queue pair has the most types of events: three errors, the last WQE, a drained send queue. */
enum { ASYNC_TYPES = 5 };

/* The events of an object, in the object: to raise an event needs no memory. */
struct async_source {
    uint32_t reported; /* events that the program has taken */
    struct async_event events[ASYNC_TYPES];
};

struct async {
    pthread_mutex_t lock;
    int fd; /* an eventfd that counts the events; the program sees it as async_fd */
    STAILQ_HEAD(, async_event) events;
};

/* Returns false and sets errno on failure. */
bool verbs_async_open(struct async *a);
void verbs_async_close(struct async *a);
/* Reports an event of an object to the program. The program must acknowledge it before the object is
 * destroyed. */
void verbs_async_raise(struct async *a, struct async_source *of,
                       const struct ibv_async_event *event);
/* Drops events of an object that were not taken. Returns the number of its events that were taken. */
uint32_t verbs_async_forget(struct async *a, struct async_source *of);

#endif
