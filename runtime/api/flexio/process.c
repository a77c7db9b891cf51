/* DPA processes and calls into them. */
#include <string.h>

#include "private.h"

/* Programs for FlexIO before 24.01 put the address of a UAR into the attributes. Returns its page,
 * or 0. */
static uint32_t older_uar(const struct ibv_context *ibv_ctx, const struct flexio_process_attr *attr)
{
    const void *devx = NULL;
    if (!attr || !attr->en_pcc)
        return 0;
    memcpy(&devx, &attr->en_pcc, sizeof devx);
    return dpk_verbs_uar_page(dpk_verbs_device((struct ibv_context *)ibv_ctx), devx);
}

flexio_status flexio_process_create(struct ibv_context *ibv_ctx, struct flexio_app *app,
                                    const struct flexio_process_attr *process_attr,
                                    struct flexio_process **process_ptr)
{
    struct dpk_error err = {0};
    if (!process_ptr)
        return libflexio_failed_because("flexio_process_create: nowhere to put the process");
    *process_ptr = NULL;
    if (!ibv_ctx || !ibv_ctx->device)
        return libflexio_failed_because("flexio_process_create: no device");
    if (!dpk_context_is_emulated(ibv_ctx))
        return libflexio_failed_because(
            "flexio_process_create: the device is not an emulated device");
    if (!app)
        return libflexio_failed_because("flexio_process_create: no program");
    const uint32_t uar = older_uar(ibv_ctx, process_attr);
    if (process_attr && process_attr->en_pcc && uar == 0)
        return libflexio_failed_because(
            "flexio_process_create: congestion control is not supported");
    if (process_attr && process_attr->pd && process_attr->pd->context != ibv_ctx)
        return libflexio_failed_because(
            "flexio_process_create: the protection domain is of another device");
    struct flexio_process *p = calloc(1, sizeof *p);
    if (!p)
        return libflexio_failed_because("flexio_process_create: out of memory");
    pthread_mutex_init(&p->objects_lock, NULL);
    p->context = ibv_ctx;
    if (dpk_host_process_create(ibv_ctx->device->name, app_of(app), &p->host, &err) != DPK_OK) {
        flexio_process_destroy(p);
        return libflexio_failed_because("%s", err.message);
    }
    p->dpa = p->host->dpa;
    if (!libflexio_windows_attach(p, uar)) {
        flexio_process_destroy(p);
        return libflexio_failed_because("flexio_process_create: out of memory");
    }
    p->pd = process_attr ? process_attr->pd : NULL;
    if (!p->pd) {
        p->pd = dpk_emulated_11.alloc_pd(ibv_ctx);
        p->owns_pd = p->pd != NULL;
    }
    if (!p->pd) {
        flexio_process_destroy(p);
        return libflexio_failed_because("flexio_process_create: no protection domain");
    }
    *process_ptr = p;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_process_destroy(struct flexio_process *process)
{
    if (!process)
        return FLEXIO_STATUS_SUCCESS;
    libflexio_queues_free(process);
    libflexio_allocations_forget(process);
    dpk_host_process_destroy(process->host);
    if (process->owns_pd && dpk_emulated_11.dealloc_pd(process->pd) != 0)
        dpk_host_log(DPK_HOST_LOG_WARNING,
                     "memory is still registered with the protection domain of "
                     "a process that is destroyed");
    libflexio_windows_free(process);
    pthread_mutex_destroy(&process->objects_lock);
    free(process);
    return FLEXIO_STATUS_SUCCESS;
}

struct ibv_pd *flexio_process_get_pd(struct flexio_process *process)
{
    return process ? process->pd : NULL;
}

flexio_status flexio_process_call(struct flexio_process *process, flexio_func_t *host_func,
                                  uint64_t *func_ret, ...)
{
    struct dpk_error err = {0};
    struct dpk_call call = {0};
    void *args = NULL;
    uint64_t result = 0;
    if (!process || !host_func || !func_ret)
        return libflexio_failed_because(
            "flexio_process_call: no process, function or place for the result");
    va_list ap;
    va_start(ap, func_ret);
    enum dpk_status status =
        dpk_host_process_pack(process->host, host_func, ap, &call, &args, &err);
    va_end(ap);
    if (status == DPK_OK)
        status =
            dpk_process_call(process->dpa, &call, args, (size_t)call.argument_size, &result, &err);
    free(args);
    if (status != DPK_OK)
        return libflexio_failed("flexio_process_call", &err);
    *func_ret = result;
    return FLEXIO_STATUS_SUCCESS;
}
