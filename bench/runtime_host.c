/* Host side of bench/runtime.sh: `runtime_host DEVICE FIGURE`, FIGURE one of those in main; prints
 * the median (of create-cpu: the mean) in microseconds of as many runs as fit into a second or two.
 */
#include <doca_dpa.h>
#include <libflexio/flexio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern struct flexio_app *bench;
flexio_func_t add;
doca_dpa_func_t nothing, keep_polling;

#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #what);                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct ibv_context *verbs;
static struct doca_dev *dev;
static struct flexio_process *process;
static doca_dpa_t dpa;
static struct doca_sync_event *done;
static unsigned threads = 1;

/* ---- What is timed ---- */

static void call(void)
{
    uint64_t sum = 0;
    MUST(flexio_process_call(process, &add, &sum, (uint64_t)44, (uint64_t)55) == 0 && sum == 99);
}

static void launch(void)
{
    static uint64_t launches;
    MUST(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, threads, &nothing) == 0);
    MUST(doca_sync_event_wait_gt(done, launches++, UINT64_MAX) == 0);
}

static void create(void)
{
    struct flexio_process *p = NULL;
    MUST(flexio_process_create(verbs, bench, NULL, &p) == 0);
    MUST(flexio_process_destroy(p) == 0);
}

/* Time on a processor, of all threads: what others do on the machine does not count. */
static double processor_time(void (*what)(void), unsigned runs)
{
    what();
    double begin = now(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned i = 0; i < runs; i++)
        what();
    return (now(CLOCK_PROCESS_CPUTIME_ID) - begin) / runs;
}

static double median(void (*what)(void), unsigned runs)
{
    double *took = calloc(runs, sizeof *took);
    MUST(took);
    what();
    for (unsigned i = 0; i < runs; i++) {
        double begin = now(CLOCK_MONOTONIC);
        what();
        took[i] = now(CLOCK_MONOTONIC) - begin;
    }
    qsort(took, runs, sizeof *took, by_value);
    double result = took[runs / 2];
    free(took);
    return result;
}

/* Calls while every thread of the DPA polls. */
static double crowded_call(void)
{
    const uint64_t one = 1;
    doca_dpa_dev_uintptr_t flag = 0;
    MUST(doca_dpa_mem_alloc(dpa, 8, &flag) == 0 && doca_dpa_memset(dpa, flag, 0, 8) == 0);
    MUST(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 256, &keep_polling, flag) == 0);
    double result = median(call, 50);
    MUST(doca_dpa_h2d_memcpy(dpa, flag, (void *)&one, 8) == 0);
    MUST(doca_sync_event_wait_gt(done, 0, UINT64_MAX) == 0);
    return result;
}

/* ---- Set-up ---- */

static void open_device(const char *name)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    MUST(doca_devinfo_create_list(&list, &count) == 0);
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], found, sizeof found) == 0 && !strcmp(found, name))
            MUST(doca_dev_open(list[i], &dev) == 0);
    doca_devinfo_destroy_list(list);
    struct ibv_device **devices = ibv_get_device_list(NULL);
    for (size_t i = 0; devices && devices[i] && !verbs; i++)
        if (!strcmp(ibv_get_device_name(devices[i]), name))
            verbs = ibv_open_device(devices[i]);
    ibv_free_device_list(devices);
    MUST(dev && verbs);
}

static void open_programs(void)
{
    MUST(flexio_process_create(verbs, bench, NULL, &process) == 0);
    MUST(doca_dpa_create(dev, (doca_dpa_app_t)(void *)bench, &dpa, 0) == 0);
    MUST(doca_sync_event_create(&done) == 0);
    MUST(doca_sync_event_publisher_add_location_dpa(done, dpa) == 0);
    MUST(doca_sync_event_subscriber_add_location_cpu(done, dev) == 0);
    MUST(doca_sync_event_start(done) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: runtime_host DEVICE call|crowded-call|launch|launch-256|create|"
                        "create-cpu\n");
        return 2;
    }
    double result = 0;
    open_device(argv[1]);
    open_programs();
    if (!strcmp(argv[2], "call")) {
        result = median(call, 100000);
    } else if (!strcmp(argv[2], "crowded-call")) {
        result = crowded_call();
    } else if (!strcmp(argv[2], "launch")) {
        result = median(launch, 20000);
    } else if (!strcmp(argv[2], "launch-256")) {
        threads = 256;
        result = median(launch, 500);
    } else if (!strcmp(argv[2], "create")) {
        result = median(create, 100);
    } else if (!strcmp(argv[2], "create-cpu")) {
        result = processor_time(create, 100);
    }
    printf("%.2f\n", result);
    doca_sync_event_destroy(done);
    doca_dpa_destroy(dpa);
    flexio_process_destroy(process);
    doca_dev_close(dev);
    return ibv_close_device(verbs);
}
