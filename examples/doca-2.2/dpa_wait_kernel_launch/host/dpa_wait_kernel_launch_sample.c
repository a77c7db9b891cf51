/* Launches a kernel that waits for an event, which another host thread updates. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "../../common/guide.h"

extern doca_dpa_app_t dpa_sample_app;
doca_dpa_func_t hello_world;

#define THRESHOLD 4
#define THREADS   8

/* Counts the event up; the kernel starts at THRESHOLD + 1. */
static void *count_up(void *event)
{
    for (uint64_t i = 1; i <= THRESHOLD + 1; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        printf("Event: %lu\n", (unsigned long)i);
        fflush(stdout);
        if (doca_sync_event_update_set(event, i) != DOCA_SUCCESS)
            return event;
    }
    return NULL;
}

static doca_error_t sample(struct guide *g)
{
    struct doca_sync_event *go = NULL, *done = NULL;
    pthread_t counter;
    void *failed = NULL;
    doca_error_t result = guide_event(g, GUIDE_CPU, GUIDE_DPA, &go);
    if (result == DOCA_SUCCESS)
        result = guide_event(g, GUIDE_DPA, GUIDE_CPU, &done);
    if (result == DOCA_SUCCESS)
        result = doca_dpa_kernel_launch_update_set(g->dpa, go, THRESHOLD, done, 1, THREADS,
                                                   &hello_world);
    if (result != DOCA_SUCCESS)
        return result;
    if (pthread_create(&counter, NULL, count_up, go) != 0)
        return DOCA_ERROR_OPERATING_SYSTEM;
    result = guide_wait(done, 0);
    pthread_join(counter, &failed);
    return failed ? DOCA_ERROR_BAD_STATE : result;
}

int main(int argc, char **argv)
{
    return guide_main(argc, argv, "doca_dpa_wait_kernel_launch", dpa_sample_app, sample);
}
