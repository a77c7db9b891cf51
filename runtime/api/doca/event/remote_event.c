/* Sync events that peers update: the owner's end and the peer's end. */
#include <doca_sync_event.h>

#include "sync_event.h"

struct remote_event {
    struct dpk_object object;
    struct dpk_dev *dev; /* a use */
    struct dpk_uuid owner;
    uint64_t key;
};

static void remote_event_left(void *object)
{
    dpk_object_end_use(((struct remote_event *)object)->dev);
}

static void remote_event_release(void *object)
{
    struct remote_event *r = object;
    dpk_object_drop(r->dev);
    free(r);
}
static const struct dpk_kind remote_event_kind = {.left = remote_event_left,
                                                  .release = remote_event_release};

/* ---- The owner's end ---- */

static doca_error_t export_locked(struct dpk_sync_event *e, const uint8_t **data, size_t *sz)
{
    if (!e->remote_publishers)
        return dpk_doca_because(DOCA_ERROR_NOT_PERMITTED,
                                "the event has no publisher among peers "
                                "(doca_sync_event_add_publisher_location_remote_net)");
    if (e->exported.size == 0)
        core_descriptor_write(&(struct descriptor){.kind = DESCRIPTOR_SYNC_EVENT,
                                                   .owner = *dpk_process_identity(),
                                                   .key = (uintptr_t)e->ctx.object.handle},
                              &e->exported);
    if (e->exported.failed) {
        dpk_buf_free(&e->exported);
        return DOCA_ERROR_NO_MEMORY;
    }
    *data = e->exported.data;
    *sz = e->exported.size;
    return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    struct dpk_sync_event *e = data && sz ? dpk_sync_event_running(event, &result) : NULL;
    if (!e)
        return dpk_doca_end(event, __func__, result);
    pthread_mutex_lock(&e->ctx.object.lock);
    result = export_locked(e, data, sz);
    pthread_mutex_unlock(&e->ctx.object.lock);
    dpk_object_drop(e);
    return dpk_doca_end(event, __func__, result);
}

doca_error_t dpk_sync_event_share(const struct doca_sync_event *event, uint64_t *key)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(event, &result);
    if (!e)
        return result;
    pthread_mutex_lock(&e->ctx.object.lock);
    e->remote_publishers = true;
    pthread_mutex_unlock(&e->ctx.object.lock);
    *key = (uintptr_t)e->ctx.object.handle;
    dpk_object_drop(e);
    return DOCA_SUCCESS;
}

struct dpk_event *dpk_sync_event_of_key(uint64_t key, void **event)
{
    doca_error_t result;
    struct dpk_sync_event *e = dpk_sync_event_running(dpk_pointer(key), &result);
    *event = NULL;
    if (e && e->remote_publishers) {
        *event = e;
        return e->event;
    }
    dpk_object_drop(e);
    return NULL;
}

/* ---- The peer's end ---- */

static void *import(struct dpk_dev *d, const struct descriptor *what, doca_error_t *result)
{
    struct remote_event *r = calloc(1, sizeof *r);
    void *handle = NULL;
    if (r) {
        dpk_object_use(r->dev = d);
        r->owner = what->owner;
        r->key = what->key;
        handle = dpk_object_enter(r, &remote_event_kind);
    }
    *result = handle ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    return handle;
}

doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (event)
        *event = event_sync_event_import(dev, data, sz, DESCRIPTOR_SYNC_EVENT, import, &result);
    return dpk_doca_end(dev, __func__, result);
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
    return dpk_doca_destroy(event, &remote_event_kind, __func__);
}

doca_error_t doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                                       struct doca_dpa *dpa,
                                                       doca_dpa_dev_sync_event_remote_net_t *handle)
{
    struct dpk_dpa_call c = {0};
    struct remote_event *r = handle ? dpk_object_pin(event, &remote_event_kind) : NULL;
    if (!r)
        return dpk_doca_no_object(__func__);
    const doca_error_t result = dpk_dpa_begin(dpa, &c);
    if (result == DOCA_SUCCESS)
        *handle = (uintptr_t)r->object.handle;
    dpk_dpa_end(&c);
    dpk_object_drop(r);
    return dpk_doca_end(event, __func__, result);
}

doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
    struct remote_event *r =
        gpu && gpu_remote_event ? dpk_object_pin(event, &remote_event_kind) : NULL;
    dpk_object_drop(r);
    return dpk_doca_end(event, __func__, r ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE);
}

bool dpk_remote_event_of_handle(uint64_t handle, struct dpk_uuid *owner, uint64_t *key)
{
    struct remote_event *r = dpk_object_pin(dpk_pointer(handle), &remote_event_kind);
    if (!r)
        return false;
    *owner = r->owner;
    *key = r->key;
    dpk_object_drop(r);
    return true;
}
