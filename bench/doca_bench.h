/* What measurements of DOCA share: calls that must succeed, the first device, a clock. */
#ifndef DOCA_BENCH_H
#define DOCA_BENCH_H

#include <doca_dev.h>
#include <doca_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline struct doca_dev *first_device(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t count = 0;
    TRY(doca_devinfo_create_list(&list, &count));
    if (count == 0) {
        fputs("no device\n", stderr);
        exit(1);
    }
    TRY(doca_dev_open(list[0], &dev));
    TRY(doca_devinfo_destroy_list(list));
    return dev;
}

#endif
