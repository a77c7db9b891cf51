/* What programs of before FlexIO 24.01 call with other arguments, besides those of the guide 2.2.1. */
#include "private.h"

flexio_status flexio_uar_create_devx(struct flexio_process *process,
                                     struct mlx5dv_devx_uar *devx_uar, struct flexio_uar **uar)
{
    if (uar)
        *uar = NULL;
    if (!process || !devx_uar)
        return failed_because("flexio_uar_create: no process, or no UAR of its device");
    if (devx_uar->page_id == 0 || !uar_is_known(process, devx_uar->page_id))
        return failed_because("flexio_uar_create: the process's device has no UAR 0x%x",
                              devx_uar->page_id);
    return flexio_uar_create(process, uar);
}

flexio_status flexio_outbox_create_uar(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                       struct flexio_uar *uar, struct flexio_outbox **outbox)
{
    struct flexio_outbox_attr attr = {.uar = uar};
    if (outbox)
        *outbox = NULL;
    if (!uar || (ibv_ctx && !dpk_context_is_emulated(ibv_ctx)))
        return failed_because("flexio_outbox_create: no UAR, or the device is no emulated device");
    return flexio_outbox_create(process, &attr, outbox);
}
