/* Launching kernels. */
#include <stdlib.h>

#include "private.h"

/* What the two launch functions take before the kernel's arguments. */
struct request {
    doca_dpa_t dpa;
    struct doca_sync_event *wait;
    uint64_t threshold;
    struct doca_sync_event *complete;
    uint64_t count;
    unsigned int threads;
    doca_dpa_func_t *func;
    bool adds;
};

static doca_error_t launch(const char *name, const struct request *q, va_list ap)
{
    struct dpk_error err = {0};
    if (!q->dpa || !q->dpa->process || !q->func || q->threads == 0 ||
        q->threads > DPK_THREADS_MAX || q->threshold > DOCA_DPA_WAIT_THRESHOLD_MAX)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_launch l = {.threads = q->threads,
                           .wait = q->wait ? dpk_doca_event(q->wait) : NULL,
                           .wait_threshold = q->threshold,
                           .complete = q->complete ? dpk_doca_event(q->complete) : NULL,
                           .complete_adds = q->adds,
                           .complete_count = q->count};
    if ((q->wait && !l.wait) || (q->complete && !l.complete))
        return DOCA_ERROR_BAD_STATE;
    void *args = NULL;
    enum dpk_status status = dpk_host_pack(q->dpa->process, q->func, ap, &l.call, &args, &err);
    if (status == DPK_OK) {
        l.args = args;
        l.args_size = (size_t)l.call.argument_size;
        status = dpk_process_launch(dpk_host_process(q->dpa->process), &l, &err);
    }
    free(args);
    if (status == DPK_OK)
        return DOCA_SUCCESS;
    doca_error_t result = dpk_dpa_failed(name, &err);
    return status == DPK_ERR_NOT_FOUND ? DOCA_ERROR_INVALID_VALUE : result;
}

doca_error_t doca_dpa_kernel_launch_update_add(doca_dpa_t dpa, struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...)
{
    const struct request q = {dpa,        wait_event,  wait_threshold, comp_event,
                              comp_count, num_threads, func,           true};
    va_list ap;
    va_start(ap, func);
    doca_error_t result = launch(__func__, &q, ap);
    va_end(ap);
    return result;
}

doca_error_t doca_dpa_kernel_launch_update_set(doca_dpa_t dpa, struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...)
{
    const struct request q = {dpa,        wait_event,  wait_threshold, comp_event,
                              comp_count, num_threads, func,           false};
    va_list ap;
    va_start(ap, func);
    doca_error_t result = launch(__func__, &q, ap);
    va_end(ap);
    return result;
}
