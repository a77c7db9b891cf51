/* Access of the host program to DPA memory. */
#include "private.h"

flexio_status flexio_buf_dev_alloc(struct flexio_process *process, size_t buff_bsize,
                                   flexio_uintptr_t *dest_daddr)
{
    struct dpk_error err = {0};
    if (!dest_daddr)
        return libflexio_failed_because("flexio_buf_dev_alloc: nowhere to put the address");
    *dest_daddr = 0;
    if (!process)
        return libflexio_failed_because("flexio_buf_dev_alloc: no process");
    uint64_t address = 0;
    if (dpk_heap_alloc(process->dpa, buff_bsize, &address, &err) != DPK_OK)
        return libflexio_failed("flexio_buf_dev_alloc", &err);
    *dest_daddr = address;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_buf_dev_free(struct flexio_process *process, flexio_uintptr_t daddr)
{
    struct dpk_error err = {0};
    if (!process)
        return libflexio_failed_because("flexio_buf_dev_free: no process");
    if (daddr != 0 && dpk_heap_free(process->dpa, daddr, &err) != DPK_OK)
        return libflexio_failed("flexio_buf_dev_free", &err);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_buf_dev_memset(struct flexio_process *process, int value, size_t buff_bsize,
                                    flexio_uintptr_t dest_daddr)
{
    struct dpk_error err = {0};
    if (!process)
        return libflexio_failed_because("flexio_buf_dev_memset: no process");
    if (dpk_fill(process->dpa, dest_daddr, value, buff_bsize, &err) != DPK_OK)
        return libflexio_failed("flexio_buf_dev_memset", &err);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_host2dev_memcpy(struct flexio_process *process, void *src_haddr,
                                     size_t buff_bsize, flexio_uintptr_t dest_daddr)
{
    struct dpk_error err = {0};
    if (!process || !src_haddr)
        return libflexio_failed_because("flexio_host2dev_memcpy: no process or source");
    if (dpk_copy_in(process->dpa, dest_daddr, src_haddr, buff_bsize, &err) != DPK_OK)
        return libflexio_failed("flexio_host2dev_memcpy", &err);
    libflexio_queues_kick(process); /* the write may have changed a doorbell record */
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_copy_from_host(struct flexio_process *process, void *src_haddr,
                                    size_t buff_bsize, flexio_uintptr_t *dest_daddr_p)
{
    if (!dest_daddr_p)
        return libflexio_failed_because("flexio_copy_from_host: nowhere to put the address");
    *dest_daddr_p = 0;
    if (!src_haddr)
        return libflexio_failed_because("flexio_copy_from_host: no source");
    flexio_uintptr_t address = 0;
    flexio_status status = flexio_buf_dev_alloc(process, buff_bsize, &address);
    if (status != FLEXIO_STATUS_SUCCESS)
        return status;
    status = flexio_host2dev_memcpy(process, src_haddr, buff_bsize, address);
    if (status != FLEXIO_STATUS_SUCCESS)
        flexio_buf_dev_free(process, address);
    else
        *dest_daddr_p = address;
    return status;
}
