/* Functions whose arguments differ before FlexIO 24.01, except those of the guide 2.2.1. */
#include "private.h"

flexio_status flexio_outbox_create_uar(struct flexio_process *process, struct ibv_context *ibv_ctx,
                                       struct flexio_uar *uar, struct flexio_outbox **outbox)
{
    struct flexio_outbox_attr attr = {.uar = uar};
    if (outbox)
        *outbox = NULL;
    if (!uar || (ibv_ctx && !dpk_context_is_emulated(ibv_ctx)))
        return libflexio_failed_because(
            "flexio_outbox_create: no UAR, or the device is not an emulated device");
    return flexio_outbox_create(process, &attr, outbox);
}
