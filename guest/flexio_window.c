/* Windows and outboxes. The host library carries out the calls. */
#include "guest/abi/flexio_abi.h"
#include "guest/abi/syscall.h"

#include <libflexio-dev/flexio_dev.h>

static flexio_dev_status_t status_of(uint64_t failed)
{
    return failed ? FLEXIO_DEV_STATUS_FAILED : FLEXIO_DEV_STATUS_SUCCESS;
}

flexio_dev_status_t flexio_dev_multi_window_config(enum flexio_window_entity win_entity,
                                                   uint16_t window_config_id, uint32_t mkey)
{
    return status_of(
        dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_WINDOW_CONFIG), win_entity, window_config_id, mkey));
}

flexio_dev_status_t flexio_dev_multi_window_mkey_config(enum flexio_window_entity win_entity,
                                                        uint32_t mkey)
{
    return status_of(dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_WINDOW_MKEY), win_entity, mkey, 0));
}

flexio_dev_status_t flexio_dev_multi_window_ptr_acquire(enum flexio_window_entity win_entity,
                                                        uint64_t haddr, flexio_uintptr_t *daddr)
{
    *daddr = dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_WINDOW_POINTER), win_entity, haddr, 0);
    return status_of(*daddr == 0);
}

flexio_dev_status_t flexio_dev_multi_window_copy_from_host(enum flexio_window_entity win_entity,
                                                           void *daddr, uint64_t haddr,
                                                           uint32_t size)
{
    dpa_call4(DPA_FLEXIO_CALL(DPA_FLEXIO_COPY_FROM_HOST), win_entity, (uint64_t)(uintptr_t)daddr,
              haddr, size);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

flexio_dev_status_t flexio_dev_multi_window_copy_to_host(enum flexio_window_entity win_entity,
                                                         uint64_t haddr, const void *daddr,
                                                         uint32_t size)
{
    dpa_call4(DPA_FLEXIO_CALL(DPA_FLEXIO_COPY_TO_HOST), win_entity, haddr,
              (uint64_t)(uintptr_t)daddr, size);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

flexio_dev_status_t flexio_dev_outbox_config(struct flexio_dev_thread_ctx *dtctx,
                                             uint16_t outbox_config_id)
{
    (void)dtctx;
    return status_of(dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_OUTBOX_CONFIG), outbox_config_id, 0, 0));
}

void flexio_dev_outbox_config_fast(struct flexio_dev_thread_ctx *dtctx, uint16_t outbox_config_id)
{
    flexio_dev_outbox_config(dtctx, outbox_config_id);
}

flexio_dev_status_t flexio_dev_outbox_config_uar_extension(struct flexio_dev_thread_ctx *dtctx,
                                                           flexio_uar_device_id device_id)
{
    (void)dtctx;
    return status_of(dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_OUTBOX_UAR), device_id, 0, 0));
}

flexio_dev_status_t flexio_dev_cross_device_ring_db(flexio_uar_device_id device_id, uint32_t qpn,
                                                    uint32_t pi)
{
    return status_of(dpa_call3(DPA_FLEXIO_CALL(DPA_FLEXIO_RING_ACROSS), device_id, qpn, pi));
}
