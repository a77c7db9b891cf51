/* Sync events for peers, as DOCA 2.2 exports them. */
#include <doca-2.2/doca_sync_event.h>

#include "doca/event/sync_event.h"

doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_sync_event *e = handle ? dpk_sync_event_running(event, &result) : NULL;
    if (!e)
        return result;
    pthread_mutex_lock(&e->ctx.object.lock);
    e->remote_publishers = true;
    pthread_mutex_unlock(&e->ctx.object.lock);
    *handle = (doca_sync_event_remote_t){{(uintptr_t)e->ctx.object.handle, 0}};
    dpk_object_drop(e);
    return DOCA_SUCCESS;
}
