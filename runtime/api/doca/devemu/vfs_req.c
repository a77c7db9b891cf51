/* Requests of virtio-fs devices: a chain of descriptors as two lists of buffers of the driver's memory. */
#include <doca_buf_inventory.h>
#include <stdlib.h>

#include "virtio.h"

static void req_release(void *object)
{
    struct vfs_req *r = object;
    dpk_object_drop(r->io);
    free(r);
}
static const struct dpk_kind req_kind = {.release = req_release};

static void free_list(struct doca_buf *list)
{
    if (list)
        dpk_doca_inner(doca_buf_dec_refcount(list, NULL));
}

static doca_error_t add(const struct vfs_io *io, const struct dpk_virtq_part *part, bool readable,
                        struct doca_buf **list, struct doca_buf **last)
{
    struct doca_buf *buf = NULL;
    void *at = dpk_pointer(part->address);
    doca_error_t result =
        readable
            ? doca_buf_inventory_buf_get_by_data(io->inventory, io->mmap, at, part->size, &buf)
            : doca_buf_inventory_buf_get_by_addr(io->inventory, io->mmap, at, part->size, &buf);
    if (result != DOCA_SUCCESS)
        return result;
    if (*list)
        result = doca_buf_chain_list_tail(*list, *last, buf);
    else
        *list = buf;
    if (result != DOCA_SUCCESS)
        free_list(buf);
    *last = buf;
    return result;
}

static doca_error_t make_lists(struct vfs_req *r, const struct dpk_virtq_chain *c)
{
    struct doca_buf *last = NULL;
    doca_error_t result = DOCA_SUCCESS;
    for (unsigned i = 0; result == DOCA_SUCCESS && i < c->readable + c->writable; i++)
        result = dpk_doca_inner(
            add(r->io, &c->parts[i], i < c->readable, i < c->readable ? &r->in : &r->out, &last));
    return result;
}

doca_error_t devemu_vfs_req_new(struct vfs_io *io, unsigned queue, unsigned run,
                                const struct dpk_virtq_chain *c, struct doca_devemu_vfs_req **req,
                                void **user_data)
{
    const uint32_t size = io->dev->virtio->user_data_size;
    struct vfs_req *r = calloc(1, sizeof *r + (size + 7u) / 8u * 8u);
    if (!r)
        return DOCA_ERROR_NO_MEMORY;
    r->queue = queue;
    r->run = run;
    r->head = c->head;
    r->readable = c->readable;
    r->writable = c->writable;
    r->readable_size = c->readable_size;
    r->writable_size = c->writable_size;
    dpk_object_hold(r->io = io);
    const doca_error_t result = make_lists(r, c);
    struct doca_buf *in = r->in, *out = r->out;
    if (result != DOCA_SUCCESS || !(*req = dpk_object_enter(r, &req_kind))) {
        free_list(in);
        free_list(out);
        if (result != DOCA_SUCCESS)
            req_release(r); /* dpk_object_enter has released it otherwise */
        return result == DOCA_SUCCESS ? DOCA_ERROR_NO_MEMORY : result;
    }
    *user_data = size ? r->user_data : NULL;
    atomic_fetch_add(&io->held, 1);
    atomic_fetch_add(&io->dev->virtio->held, 1);
    return DOCA_SUCCESS;
}

/* ---- The end of a request ---- */

/* Writes a chain to the used ring, and notifies the driver, unless the device was reset since. A reset waits for the
 * lock of the queue. Returns false if the ring cannot be written. */
static bool give(struct pci_dev *d, const struct vfs_req *r, uint32_t written)
{
    struct virtio_queue_state *q = &d->virtio->queues[r->queue];
    const struct dpk_virtq_memory memory = {devemu_virtio_read, devemu_virtio_write, d};
    bool interrupts = false, good = true;
    pthread_mutex_lock(&q->lock);
    if (q->enabled && atomic_load(&d->virtio->run) == r->run)
        good = dpk_virtq_give(&q->ring, &memory, r->head, written, &interrupts);
    if (interrupts)
        dpk_virtio_interrupt(&d->virtio->registers, q->vector);
    pthread_mutex_unlock(&q->lock);
    return good;
}

void doca_devemu_vfs_req_complete(struct doca_devemu_vfs_req *req, uint32_t len)
{
    struct vfs_req *r = dpk_object_pin(req, &req_kind);
    if (!r || dpk_object_destroy(req, &req_kind) != DOCA_SUCCESS) { /* another thread was faster */
        dpk_object_drop(r);
        dpk_doca_no_object(__func__);
        return;
    }
    struct vfs_io *io = r->io;
    struct pci_dev *d = io->dev;
    if (len > r->writable_size)
        dpk_doca_refuse_call(io, DOCA_ERROR_INVALID_VALUE, __func__,
                             "%u written bytes are more than the %u of the request", len,
                             r->writable_size);
    free_list(r->in);
    free_list(r->out);
    atomic_fetch_sub(&d->virtio->held,
                     1); /* first: the driver may reset the device when it has the answer */
    if (!give(d, r, len < r->writable_size ? len : r->writable_size))
        devemu_virtio_break(d, "the used ring cannot be written");
    atomic_fetch_sub(&io->held, 1);
    dpk_ctx_notify(&io->base.ctx); /* the context may be stopping */
    dpk_object_drop(r);
}

/* ---- Its properties ---- */

#define GETTER(name, type, none, value)                                                            \
    type name(struct doca_devemu_vfs_req *req)                                                     \
    {                                                                                              \
        struct vfs_req *r = dpk_object_pin(req, &req_kind);                                        \
        type found = (none);                                                                       \
        if (r)                                                                                     \
            found = (value);                                                                       \
        dpk_object_drop(r);                                                                        \
        return found;                                                                              \
    }

GETTER(doca_devemu_vfs_req_get_datain, struct doca_buf *, NULL, r->in)
GETTER(doca_devemu_vfs_req_get_dataout, struct doca_buf *, NULL, r->out)
GETTER(doca_devemu_vfs_req_get_datain_list_len, uint32_t, 0, r->readable)
GETTER(doca_devemu_vfs_req_get_dataout_list_len, uint32_t, 0, r->writable)
GETTER(doca_devemu_vfs_req_get_datain_data_len, uint32_t, 0, r->readable_size)
GETTER(doca_devemu_vfs_req_get_dataout_data_len, uint32_t, 0, r->writable_size)
