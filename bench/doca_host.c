/* What doca.sh measures: prints one figure, microseconds or a count. */
#include <doca_dpa.h>
#include <time.h>

extern struct doca_dpa_app *bench_app;
doca_dpa_func_t empty, add, player_kernel, serve;

static struct doca_dev *dev;
static struct doca_dpa *dpa;

#define DO(x)                                                                                      \
    do {                                                                                           \
        doca_error_t r_ = (x);                                                                     \
        if (r_ != DOCA_SUCCESS) {                                                                  \
            fprintf(stderr, "%s: %s\n", #x, doca_error_get_descr(r_));                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return v[n / 2];
}

static struct doca_sync_event *event_new(uint64_t *handle)
{
    struct doca_sync_event *e;
    DO(doca_sync_event_create(&e));
    DO(doca_sync_event_add_publisher_location_dpa(e, dpa));
    DO(doca_sync_event_add_subscriber_location_cpu(e, dev));
    DO(doca_sync_event_start(e));
    if (handle)
        DO(doca_sync_event_get_dpa_handle(e, dpa, handle));
    return e;
}

/* With a pause before each launch, in which the processors fall asleep if nobody else uses them. */
static double launch_after(long pause_us)
{
    enum { RUNS = 2000 };
    static double took[RUNS];
    const struct timespec pause = {.tv_nsec = pause_us * 1000};
    struct doca_sync_event *done = event_new(NULL);
    for (uint64_t i = 0; i < RUNS; i++) {
        if (pause_us)
            nanosleep(&pause, NULL);
        double begin = now();
        DO(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 1, &empty));
        DO(doca_sync_event_wait_gt(done, i, UINT64_MAX));
        took[i] = now() - begin;
    }
    return median(took, RUNS);
}

static double launch(void)
{
    return launch_after(0);
}

static double launch_idle(void)
{
    return launch_after(1000);
}

/* A chain in which each kernel waits for the one before; time of one. Thresholds end at 254, so the
 * chain goes over several events. */
static double chain(void)
{
    enum { RUNS = 20, LENGTH = 1000, PER_EVENT = 250 };
    static double took[RUNS];
    struct doca_sync_event *links[LENGTH / PER_EVENT + 1];
    for (int i = 0; i <= LENGTH / PER_EVENT; i++)
        links[i] = event_new(NULL);
    struct doca_sync_event *last = links[LENGTH / PER_EVENT];
    for (int i = 0; i < RUNS; i++) {
        for (int l = 0; l <= LENGTH / PER_EVENT; l++)
            DO(doca_sync_event_update_set(links[l], 0));
        double begin = now();
        for (uint64_t k = 0; k < LENGTH; k++)
            DO(doca_dpa_kernel_launch_update_add(dpa, links[k / PER_EVENT], k % PER_EVENT,
                                                 links[(k + 1) / PER_EVENT], 1, 1, &empty));
        DO(doca_sync_event_update_add(links[0], 1, NULL));
        DO(doca_sync_event_wait_gt(last, 0, UINT64_MAX));
        took[i] = (now() - begin) / LENGTH;
    }
    return median(took, RUNS);
}

static double adds(void)
{
    uint64_t handle, sum = 0;
    struct doca_sync_event *total = event_new(&handle), *done = event_new(NULL);
    for (uint64_t i = 0; i < 100; i++)
        DO(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, done, 1, 256, &add, handle,
                                             UINT64_C(1)));
    DO(doca_sync_event_wait_gt(done, 99, UINT64_MAX));
    DO(doca_sync_event_get(total, &sum));
    return (double)sum;
}

struct player {
    uint64_t peer, rounds, event;
};

/* Two threads that wake each other; time of a round trip. */
static double ping_pong(void)
{
    enum { ROUNDS = 50000 };
    struct doca_dpa_thread *thread[2];
    struct doca_dpa_notification_completion *comp[2];
    uint64_t address[2], handle[2], event, nothing;
    struct doca_sync_event *done = event_new(&event);
    for (int i = 0; i < 2; i++) {
        DO(doca_dpa_mem_alloc(dpa, sizeof(struct player), &address[i]));
        DO(doca_dpa_thread_create(dpa, &thread[i]));
        DO(doca_dpa_thread_set_func_arg(thread[i], &player_kernel, address[i]));
        DO(doca_dpa_thread_start(thread[i]));
        DO(doca_dpa_notification_completion_create(dpa, thread[i], &comp[i]));
        DO(doca_dpa_notification_completion_start(comp[i]));
        DO(doca_dpa_notification_completion_get_dpa_handle(comp[i], &handle[i]));
    }
    for (int i = 0; i < 2; i++) {
        struct player p = {handle[!i], ROUNDS, event};
        DO(doca_dpa_h2d_memcpy(dpa, address[i], &p, sizeof p));
        DO(doca_dpa_thread_run(thread[i]));
    }
    double begin = now();
    DO(doca_dpa_rpc(dpa, &serve, &nothing, handle[0]));
    DO(doca_sync_event_wait_gt(done, 0, UINT64_MAX));
    return (now() - begin) / ROUNDS;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(void);
    } figures[] = {{"launch", launch},
                   {"launch-idle", launch_idle},
                   {"chain", chain},
                   {"adds", adds},
                   {"ping-pong", ping_pong}};
    struct doca_devinfo **list;
    uint32_t count;
    DO(doca_devinfo_create_list(&list, &count));
    DO(doca_dev_open(list[0], &dev));
    DO(doca_dpa_create(dev, &dpa));
    DO(doca_dpa_set_app(dpa, bench_app));
    DO(doca_dpa_start(dpa));
    for (size_t i = 0; argc == 2 && i < sizeof figures / sizeof *figures; i++)
        if (strcmp(argv[1], figures[i].name) == 0)
            printf("%.2f\n", figures[i].run());
    return doca_dpa_destroy(dpa) != DOCA_SUCCESS;
}
