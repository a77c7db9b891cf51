/* window KERNEL TIMES: processor time of each of so many accesses, in nanoseconds, the best of ten
 * runs. */
#include <infiniband/verbs.h>
#include <libflexio/flexio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern struct flexio_app *window_app;
flexio_func_t load_words, store_words, copy_pages;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static uint64_t page[512] __attribute__((aligned(64)));
    flexio_func_t *f = argc == 3 && !strcmp(argv[1], "load")    ? &load_words
                       : argc == 3 && !strcmp(argv[1], "store") ? &store_words
                       : argc == 3 && !strcmp(argv[1], "copy")  ? &copy_pages
                                                                : NULL;
    const uint64_t times = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
    struct flexio_process *p = NULL;
    struct flexio_window *w = NULL;
    double best = 0;
    if (!f || times == 0 || !context ||
        flexio_process_create(context, window_app, NULL, &p) != FLEXIO_STATUS_SUCCESS)
        return 1;
    struct ibv_pd *pd = flexio_process_get_pd(p);
    struct ibv_mr *mr = ibv_reg_mr(pd, page, sizeof page, IBV_ACCESS_LOCAL_WRITE);
    if (!mr || flexio_window_create(p, pd, &w) != FLEXIO_STATUS_SUCCESS)
        return 1;
    for (int i = 0; i < 10; i++) {
        uint64_t result, id = flexio_window_get_id(w), key = mr->lkey, at = (uintptr_t)page;
        double since = now();
        if (flexio_process_call(p, f, &result, id, key, at, times) != FLEXIO_STATUS_SUCCESS)
            return 1;
        double each = (now() - since) / (double)times;
        best = best == 0 || each < best ? each : best;
    }
    printf("%.1f\n", best);
    flexio_window_destroy(w);
    ibv_dereg_mr(mr);
    flexio_process_destroy(p);
    ibv_close_device(context);
    ibv_free_device_list(devices);
    return 0;
}
