/* IO contexts of virtio-fs devices: they take requests from the queues of their device. Each context takes
 * from all queues, in turn. */
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <stdlib.h>

#include "api/doca/memory/memory.h"
#include "virtio.h"

#define BUFFERS 1000000u /* limit of the buffers of all requests that a program has */

/* ---- Start and stop, with the lock ---- */

static const struct dpk_memory_bus bus = {.read = devemu_virtio_read, .write = devemu_virtio_write};

static void free_memory(struct vfs_io *io)
{
    if (io->inventory)
        dpk_doca_inner(doca_buf_inventory_destroy(io->inventory));
    if (io->mmap)
        dpk_doca_inner(doca_mmap_destroy(io->mmap));
    io->inventory = NULL;
    io->mmap = NULL;
}

/* Maps all addresses of the bus except 0: a map of DOCA cannot start at 0. */
static doca_error_t make_memory(struct vfs_io *io)
{
    void *dev = io->base.dev->object.handle;
    doca_error_t result = dpk_mmap_new_behind(&bus, io->dev, &io->mmap);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_add_dev(io->mmap, dev));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_set_memrange(io->mmap, dpk_pointer(1), SIZE_MAX));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_mmap_start(io->mmap));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_buf_inventory_create(BUFFERS, &io->inventory));
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_buf_inventory_start(io->inventory));
    if (result != DOCA_SUCCESS)
        free_memory(io);
    return result;
}

static doca_error_t io_start(struct dpk_ctx *ctx)
{
    struct vfs_io *io = (struct vfs_io *)ctx;
    const unsigned state = atomic_load(&io->dev->base.ctx.state);
    if (!io->handler)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the context has no handler for requests "
                                "(doca_devemu_vfs_io_event_vfs_req_notice_register)");
    if (state != DOCA_CTX_STATE_STARTING && state != DOCA_CTX_STATE_RUNNING)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the device's context is %s, and must be started",
                                dpk_ctx_state_name(&io->dev->base.ctx));
    const doca_error_t result = make_memory(io);
    if (result != DOCA_SUCCESS)
        return result;
    dpk_object_use(io->dev);
    atomic_fetch_add(&io->dev->virtio->running, 1);
    dpk_ctx_notify(&io->dev->base.ctx); /* it may wait for this context */
    return DOCA_SUCCESS;
}

static doca_error_t io_stop(struct dpk_ctx *ctx)
{
    struct vfs_io *io = (struct vfs_io *)ctx;
    if (atomic_load(&io->held) > 0)
        return DOCA_ERROR_IN_PROGRESS;
    free_memory(io);
    atomic_fetch_sub(&io->dev->virtio->running, 1);
    dpk_object_unuse(io->dev);
    return DOCA_SUCCESS;
}

/* ---- Requests ---- */

/* A chain of a queue, and the run of the device that it belongs to. */
struct taken {
    unsigned queue, run;
    struct dpk_virtq_chain chain;
};

/* Takes a chain of one queue. */
static enum dpk_virtq_found take(struct pci_dev *d, struct taken *out, struct dpk_error *err)
{
    struct virtio_queue_state *q = &d->virtio->queues[out->queue];
    const struct dpk_virtq_memory memory = {devemu_virtio_read, devemu_virtio_write, d};
    enum dpk_virtq_found found = DPK_VIRTQ_EMPTY;
    pthread_mutex_lock(&q->lock);
    if (q->enabled && atomic_exchange(&q->rung, false))
        found = dpk_virtq_take(&q->ring, &memory, &out->chain, err);
    out->run = atomic_load(&d->virtio->run);
    if (found == DPK_VIRTQ_CHAIN)
        atomic_store(&q->rung, true); /* there may be more */
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void tell(struct vfs_io *io, const struct taken *t)
{
    void *user_data;
    struct doca_devemu_vfs_req *req;
    if (devemu_vfs_req_new(io, t->queue, t->run, &t->chain, &req, &user_data) != DOCA_SUCCESS) {
        char *why = dpk_doca_take_reason();
        devemu_virtio_break(io->dev, why ? why : "memory is exhausted");
        free(why);
        return;
    }
    io->handler(req, user_data, io->data);
}

static bool io_progress(struct dpk_ctx *ctx)
{
    struct vfs_io *io = (struct vfs_io *)ctx;
    const unsigned queues = io->dev->virtio->setup.queues;
    struct dpk_error err = {0};
    if (!dpk_ctx_is_running(ctx))
        return false;
    devemu_virtio_follow(io->dev);
    if (!devemu_virtio_has_work(io->dev))
        return false;
    struct taken t; /* 16 kB */
    enum dpk_virtq_found found = DPK_VIRTQ_EMPTY;
    for (unsigned i = 0; found == DPK_VIRTQ_EMPTY && i < queues; i++) {
        t.queue = io->next++ % queues;
        found = take(io->dev, &t, &err);
    }
    if (found == DPK_VIRTQ_BROKEN)
        devemu_virtio_break(io->dev, err.message);
    if (found == DPK_VIRTQ_CHAIN)
        tell(io, &t);
    return found != DPK_VIRTQ_EMPTY;
}

static bool io_is_ready(const struct dpk_ctx *ctx)
{
    const struct vfs_io *io = (const struct vfs_io *)ctx;
    return dpk_ctx_is_running(ctx) &&
           (devemu_virtio_has_work(io->dev) || devemu_virtio_has_news(io->dev));
}

static const struct dpk_ctx_ops ops = {
    .start = io_start, .stop = io_stop, .progress = io_progress, .is_ready = io_is_ready};

/* ---- Life ---- */

static void io_left(void *object)
{
    struct vfs_io *io = object;
    dpk_dev_ctx_left(object);
    if (io->dev)
        atomic_fetch_sub(&io->dev->virtio->contexts, 1);
}

static void io_release(void *object)
{
    struct vfs_io *io = object;
    dpk_object_drop(io->dev);
    dpk_dev_ctx_release(object);
}
const struct dpk_kind devemu_vfs_io_kind = {.left = io_left, .release = io_release, .is_ctx = true};

/* Makes a context of a locked device. */
static doca_error_t create(struct pci_dev *d, struct doca_pe *pe,
                           struct doca_devemu_vfs_io **vfs_io)
{
    doca_error_t result;
    *vfs_io = dpk_dev_ctx_new(d->base.dev->object.handle, &devemu_vfs_io_kind, &ops,
                              sizeof(struct vfs_io), &result);
    struct vfs_io *io = *vfs_io ? dpk_object_pin(*vfs_io, &devemu_vfs_io_kind) : NULL;
    if (!io)
        return result;
    dpk_object_hold(io->dev = d);
    atomic_fetch_add(&d->virtio->contexts, 1);
    dpk_object_drop(io);
    result = dpk_doca_inner(doca_pe_connect_ctx(pe, doca_devemu_vfs_io_as_ctx(*vfs_io)));
    if (result != DOCA_SUCCESS) {
        dpk_object_destroy(*vfs_io, &devemu_vfs_io_kind);
        *vfs_io = NULL;
    }
    return result;
}

doca_error_t doca_devemu_vfs_io_create(struct doca_devemu_vfs_dev *vfs_dev, struct doca_pe *pe,
                                       struct doca_devemu_vfs_io **vfs_io)
{
    doca_error_t result;
    if (vfs_io)
        *vfs_io = NULL;
    struct pci_dev *d = devemu_virtio_lock(__func__, vfs_io ? vfs_dev : NULL, false, &result);
    return d ? dpk_doca_unlock(
                   d, __func__, create(d, pe, vfs_io), "%s",
                   "the progress engine is NULL or was destroyed, or memory is exhausted")
             : result;
}

doca_error_t doca_devemu_vfs_io_destroy(struct doca_devemu_vfs_io *vfs_io)
{
    struct vfs_io *io = dpk_object_lock(vfs_io, &devemu_vfs_io_kind);
    const bool idle = io && atomic_load(&io->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    const doca_error_t result = dpk_doca_unlock(
        io, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
        "the context is %s, and must be idle", io ? dpk_ctx_state_name(&io->base.ctx) : "");
    return result == DOCA_SUCCESS ? dpk_doca_destroy(vfs_io, &devemu_vfs_io_kind, __func__)
                                  : result;
}

struct doca_ctx *doca_devemu_vfs_io_as_ctx(struct doca_devemu_vfs_io *vfs_io)
{
    return dpk_ctx_of(vfs_io, &devemu_vfs_io_kind);
}

doca_error_t doca_devemu_vfs_io_event_vfs_req_notice_register(
    struct doca_devemu_vfs_io *io, doca_devemu_vfs_io_event_vfs_req_notice_handler_cb_t handler,
    union doca_data user_data)
{
    struct vfs_io *o = handler ? dpk_object_lock(io, &devemu_vfs_io_kind) : NULL;
    const bool idle = o && atomic_load(&o->base.ctx.state) == DOCA_CTX_STATE_IDLE;
    if (idle) {
        o->handler = handler;
        o->data = user_data;
    }
    return dpk_doca_unlock(o, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the context is %s, and must be idle",
                           o ? dpk_ctx_state_name(&o->base.ctx) : "");
}

doca_error_t doca_devemu_vfs_io_event_vfs_notification_req_notice_register(
    struct doca_devemu_vfs_io *io,
    doca_devemu_vfs_io_event_vfs_notification_req_notice_handler_cb_t handler,
    union doca_data user_data)
{
    struct vfs_io *o = handler ? dpk_object_lock(io, &devemu_vfs_io_kind) : NULL;
    (void)user_data;
    return dpk_doca_unlock(o, __func__, DOCA_ERROR_NOT_SUPPORTED,
                           "devices have no notification queue: the feature "
                           "VIRTIO_FS_F_NOTIFICATION is missing");
}

struct doca_devemu_virtio_io *doca_devemu_vfs_io_as_virtio_io(struct doca_devemu_vfs_io *vfs_io)
{
    return (struct doca_devemu_virtio_io *)dpk_ctx_of(vfs_io, &devemu_vfs_io_kind);
}

struct doca_ctx *doca_devemu_virtio_io_as_ctx(struct doca_devemu_virtio_io *virtio_io)
{
    return dpk_ctx_of(virtio_io, &devemu_vfs_io_kind);
}
