/* worker: host threads that run harts. Call these with the lock. */
#ifndef DPK_ENGINE_SCHED_WORKER_H
#define DPK_ENGINE_SCHED_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct workers {
    pthread_t *threads; /* NULL if no worker was started yet */
    unsigned count;
    bool stop;
};
extern struct workers sched_the_workers;

#endif
