/* Kernel launches and RPCs. */
#include <doca_dpa.h>

#include "api/doca/event/event.h"

/* Arguments of both launch functions before the kernel's own arguments. */
struct request {
    struct doca_dpa *dpa;
    struct doca_sync_event *wait;
    uint64_t threshold;
    struct doca_sync_event *complete;
    uint64_t count;
    unsigned int threads;
    doca_dpa_func_t *func;
    bool adds;
};

/* Returns the error of a failure, with its reason. A function that does not belong to the program is an
 * invalid argument. */
static doca_error_t failed(const struct dpk_error *err)
{
    return dpk_doca_because(err->status == DPK_ERR_NOT_FOUND ? DOCA_ERROR_INVALID_VALUE
                                                             : dpk_doca_error(err->status),
                            "%s", err->message);
}

/* Launches with the events that `l` already has. */
static doca_error_t launch_inside(const struct request *q, const struct dpk_dpa_call *c,
                                  struct dpk_launch *l, va_list ap)
{
    struct dpk_error err = {0};
    void *args = NULL;
    enum dpk_status status =
        dpk_host_process_pack(dpk_dpa_host(c->dpa), q->func, ap, &l->call, &args, &err);
    if (status == DPK_OK) {
        l->args = args;
        l->args_size = (size_t)l->call.argument_size;
        status = dpk_process_launch(c->process, l, &err);
    }
    free(args);
    return status == DPK_OK ? DOCA_SUCCESS : failed(&err);
}

static doca_error_t check(const struct request *q)
{
    if (!q->func)
        return DOCA_ERROR_INVALID_VALUE;
    if (q->threads == 0 || q->threads > DPK_THREADS_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u threads are not within 1 to %u",
                                q->threads, (unsigned)DPK_THREADS_MAX);
    if (q->threshold > DOCA_DPA_WAIT_THRESHOLD_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the threshold 0x%llx is above DOCA_DPA_WAIT_THRESHOLD_MAX",
                                (unsigned long long)q->threshold);
    return DOCA_SUCCESS;
}

static doca_error_t launch(const struct request *q, va_list ap)
{
    struct dpk_dpa_call c = {0};
    void *wait = NULL, *complete = NULL;
    struct dpk_launch l = {.threads = q->threads,
                           .wait_threshold = q->threshold,
                           .complete_adds = q->adds,
                           .complete_count = q->count};
    doca_error_t result = check(q);
    if (result != DOCA_SUCCESS)
        return result;
    if (q->wait && !(l.wait = dpk_sync_event_pin(q->wait, &wait, &result)))
        goto out;
    if (q->complete && !(l.complete = dpk_sync_event_pin(q->complete, &complete, &result)))
        goto out;
    if ((result = dpk_dpa_begin(q->dpa, &c)) == DOCA_SUCCESS)
        result = launch_inside(q, &c, &l, ap);
out:
    dpk_dpa_end(&c);
    dpk_object_drop(complete);
    dpk_object_drop(wait);
    return result;
}

doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa,
                                               struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...)
{
    const struct request q = {dpa,        wait_event,  wait_threshold, comp_event,
                              comp_count, num_threads, func,           true};
    va_list ap;
    va_start(ap, func);
    const doca_error_t result = launch(&q, ap);
    va_end(ap);
    return dpk_doca_end(dpa, __func__, result);
}

doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa,
                                               struct doca_sync_event *wait_event,
                                               uint64_t wait_threshold,
                                               struct doca_sync_event *comp_event,
                                               uint64_t comp_count, unsigned int num_threads,
                                               doca_dpa_func_t *func, ...)
{
    const struct request q = {dpa,        wait_event,  wait_threshold, comp_event,
                              comp_count, num_threads, func,           false};
    va_list ap;
    va_start(ap, func);
    const doca_error_t result = launch(&q, ap);
    va_end(ap);
    return dpk_doca_end(dpa, __func__, result);
}

/* ---- Calls ---- */

static doca_error_t call_inside(const struct dpk_dpa_call *c, doca_dpa_func_t *func,
                                uint64_t *retval, va_list ap)
{
    struct dpk_error err = {0};
    struct dpk_call call = {0};
    void *args = NULL;
    uint64_t value = 0;
    enum dpk_status status =
        dpk_host_process_pack(dpk_dpa_host(c->dpa), func, ap, &call, &args, &err);
    if (status == DPK_OK)
        status =
            dpk_process_call(c->process, &call, args, (size_t)call.argument_size, &value, &err);
    free(args);
    if (status != DPK_OK)
        return failed(&err);
    *retval = value;
    return DOCA_SUCCESS;
}

doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
    struct dpk_dpa_call c;
    if (!func || !retval)
        return dpk_doca_no_object(__func__);
    doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result != DOCA_SUCCESS)
        return dpk_doca_end(dpa, __func__, result);
    va_list ap;
    va_start(ap, retval);
    result = call_inside(&c, func, retval, ap);
    va_end(ap);
    dpk_dpa_end(&c);
    return dpk_doca_end(dpa, __func__, result);
}
