/* The state of a process, the handler that runs when it fails, and its heap. */
#include "private.h"

enum flexio_err_status flexio_err_status_get(struct flexio_process *process)
{
    if (!process || dpk_process_state(process->dpa, NULL) == DPK_OK)
        return FLEXIO_DEV_NO_ERROR;
    return dpk_process_ended_itself(process->dpa) ? FLEXIO_DEV_USER_ERROR : FLEXIO_DEV_FATAL_ERROR;
}

int flexio_err_handler_fd(struct flexio_process *process)
{
    return process ? dpk_process_failure_fd(process->dpa) : -1;
}

flexio_status flexio_process_error_handler_set(struct flexio_process *process,
                                               flexio_func_t *error_handler)
{
    static const char name[] = "flexio_process_error_handler_set";
    struct dpk_error err = {0};
    struct dpk_call call;
    if (!process || !error_handler)
        return libflexio_failed_because("%s: no process or function", name);
    if (dpk_host_process_function(process->host, error_handler, &call, &err) != DPK_OK)
        return libflexio_failed(name, &err);
    if (call.argument_size > sizeof(uint64_t))
        return libflexio_failed_because("%s: the function takes more than one argument", name);
    if (dpk_process_set_error_handler(process->dpa, &call, &err) != DPK_OK)
        return libflexio_failed(name, &err);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_process_mem_info_get(const struct flexio_process *process,
                                          struct flexio_heap_mem_info *info)
{
    struct dpk_heap_info heap;
    if (!process || !info)
        return libflexio_failed_because(
            "flexio_process_mem_info_get: no process, or nowhere to put it");
    dpk_heap_info(process->dpa, &heap);
    *info = (struct flexio_heap_mem_info){.base_addr = heap.base,
                                          .size = (size_t)heap.size,
                                          .requested = (size_t)heap.requested,
                                          .allocated = (size_t)heap.allocated};
    return FLEXIO_STATUS_SUCCESS;
}
