/* Sync events on a GPU or in memory of the program. Emulated devices support neither. */
#include <doca_buf.h>
#include <doca_sync_event.h>

#include "sync_event.h"

/* Refuses a setting: BAD_STATE if the event runs, else NOT_SUPPORTED. */
static doca_error_t refuse(struct doca_sync_event *event, const void *with)
{
    struct dpk_sync_event *e = with ? dpk_object_lock(event, &dpk_sync_event_kind) : NULL;
    return dpk_object_unlock(
        e, e && dpk_ctx_is_running(&e->ctx)
               ? dpk_doca_because(DOCA_ERROR_BAD_STATE, "the event is started, and must not be")
               : DOCA_ERROR_NOT_SUPPORTED);
}

doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu)
{
    return dpk_doca_end(event, __func__, refuse(event, gpu));
}

doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu)
{
    return dpk_doca_end(event, __func__, refuse(event, gpu));
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
    return dpk_doca_end(event, __func__, refuse(event, addr));
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
    size_t size;
    const doca_error_t result = dpk_doca_inner(doca_buf_get_len(buf, &size));
    return dpk_doca_end(event, __func__, result == DOCA_SUCCESS ? refuse(event, buf) : result);
}

doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se)
{
    struct dpk_sync_event *e =
        gpu && gpu_dev_se ? dpk_object_pin(event, &dpk_sync_event_kind) : NULL;
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, e ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE);
}
