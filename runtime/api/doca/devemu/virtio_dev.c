/* Virtio devices: they follow the status that the driver writes. */
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <stdlib.h>
#include <string.h>

#include "virtio.h"

struct virtio_dev *devemu_virtio_new(void)
{
    struct virtio_dev *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->setup = (struct dpk_virtio_setup){
        .features = VIRTIO_FEATURES, .queues = VFS_QUEUES, .queue_size = VIRTIO_QUEUE_SIZE};
    v->request_queues = VFS_QUEUES - 1;
    v->user_data_size = devemu_vfs_user_data_size();
    pthread_mutex_init(&v->lock, NULL);
    for (unsigned i = 0; i < DPK_VIRTIO_QUEUES_MAX; i++)
        pthread_mutex_init(&v->queues[i].lock, NULL);
    return v;
}

void devemu_virtio_free(struct virtio_dev *v)
{
    if (!v)
        return;
    for (unsigned i = 0; i < DPK_VIRTIO_QUEUES_MAX; i++)
        pthread_mutex_destroy(&v->queues[i].lock);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

/* ---- Memory of the driver ---- */

bool devemu_virtio_read(void *context, uint64_t address, void *to, size_t size)
{
    struct pci_dev *d = context;
    return atomic_load(&d->virtio->live) && dpk_pci_dma_read(d->f, address, to, size);
}

bool devemu_virtio_write(void *context, uint64_t address, const void *from, size_t size)
{
    struct pci_dev *d = context;
    return atomic_load(&d->virtio->live) && dpk_pci_dma_write(d->f, address, from, size);
}

/* ---- With the lock of the device ---- */

static void close_queues(struct virtio_dev *v)
{
    atomic_store(&v->live, false);
    for (unsigned i = 0; i < DPK_VIRTIO_QUEUES_MAX; i++) {
        pthread_mutex_lock(&v->queues[i].lock);
        v->queues[i].enabled = false;
        pthread_mutex_unlock(&v->queues[i].lock);
    }
}

static enum dpk_status open_queue(struct virtio_dev *v, unsigned i, bool indirect,
                                  struct dpk_error *err)
{
    struct virtio_queue_state *q = &v->queues[i];
    struct dpk_virtq_place place;
    uint16_t vector;
    if (!dpk_virtio_queue(&v->registers, i, &place, &vector))
        return DPK_OK;
    place.indirect = indirect;
    if (place.size > v->setup.queue_size)
        return dpk_fail(err, DPK_ERR_RANGE, "queue %u has %u descriptors, more than %u", i,
                        place.size, v->setup.queue_size);
    pthread_mutex_lock(&q->lock);
    const enum dpk_status status = dpk_virtq_open(&q->ring, &place, err);
    q->enabled = status == DPK_OK;
    q->vector = vector;
    atomic_store(&q->rung, true); /* chains may be there already */
    pthread_mutex_unlock(&q->lock);
    return status;
}

static enum dpk_status open_queues(struct virtio_dev *v, struct dpk_error *err)
{
    const uint64_t features = dpk_virtio_driver_features(&v->registers);
    enum dpk_status status = DPK_OK;
    if (!dpk_virtio_features_are_good(features, v->setup.features))
        return dpk_fail(err, DPK_ERR_RANGE, "the driver has the features 0x%llx, the device 0x%llx",
                        (unsigned long long)features, (unsigned long long)v->setup.features);
    for (unsigned i = 0; status == DPK_OK && i < v->setup.queues; i++)
        status = open_queue(v, i, features >> VIRTIO_RING_F_INDIRECT_DESC & 1, err);
    return status;
}

static void break_locked(struct pci_dev *d, const char *reason)
{
    struct virtio_dev *v = d->virtio;
    close_queues(v);
    if (v->resetting || (dpk_virtio_status(&v->registers) & VIRTIO_CONFIG_S_NEEDS_RESET))
        return;
    dpk_doca_log(DOCA_LOG_LEVEL_ERROR,
                 "devemu: the virtio device of the emulated function %u needs a reset: %s",
                 d->number, reason);
    dpk_virtio_need_reset(&v->registers);
}

static void become_live(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    struct dpk_error err = {0};
    if (open_queues(v, &err) != DPK_OK) {
        break_locked(d, err.message);
        return;
    }
    atomic_fetch_add(&v->run, 1);
    atomic_store(&v->live, true);
}

static void follow_locked(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    const uint32_t flr = dpk_pci_resets(d->f);
    const uint8_t status = dpk_virtio_status(&v->registers);
    if (v->resetting)
        return;
    if (dpk_virtio_is_resetting(&v->registers) || flr != v->flr) {
        v->flr = flr;
        v->resetting = true;
        v->told = false;
        close_queues(v);
    } else if (status & VIRTIO_CONFIG_S_NEEDS_RESET) {
        close_queues(v);
    } else if (atomic_load(&v->live) != ((status & VIRTIO_CONFIG_S_DRIVER_OK) != 0)) {
        if (status & VIRTIO_CONFIG_S_DRIVER_OK)
            become_live(d);
        else
            close_queues(v);
    }
}

/* Says without a lock whether follow_locked would change anything. */
static bool is_followed(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    const uint8_t status = dpk_virtio_status(&v->registers);
    const bool ok = (status & VIRTIO_CONFIG_S_DRIVER_OK) && !(status & VIRTIO_CONFIG_S_NEEDS_RESET);
    return !dpk_virtio_is_resetting(&v->registers) && dpk_pci_resets(d->f) == v->flr &&
           atomic_load(&v->live) == ok;
}

/* ---- Without a lock ---- */

void devemu_virtio_follow(struct pci_dev *d)
{
    pthread_mutex_lock(&d->virtio->lock);
    follow_locked(d);
    pthread_mutex_unlock(&d->virtio->lock);
}

void devemu_virtio_break(struct pci_dev *d, const char *reason)
{
    pthread_mutex_lock(&d->virtio->lock);
    break_locked(d, reason);
    pthread_mutex_unlock(&d->virtio->lock);
}

/* Gives the registers their first values. Call this with the lock of the device. */
static void end_reset(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    close_queues(v);
    dpk_virtio_reset(&v->registers, &v->setup);
    v->resetting = v->told = false;
    v->flr = dpk_pci_resets(d->f);
}

/* Without a handler of the program, a reset ends when it has no request any more. */
static bool ends_itself(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    const bool ends = v->resetting && !v->on_reset && atomic_load(&v->held) == 0;
    if (ends)
        end_reset(d);
    return ends;
}

bool devemu_virtio_progress(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    pthread_mutex_lock(&v->lock);
    follow_locked(d);
    const bool tell = v->resetting && !v->told && v->on_reset;
    const bool ended = ends_itself(d);
    v->told = v->told || tell;
    pthread_mutex_unlock(&v->lock);
    if (tell)
        v->on_reset(d->base.ctx.object.handle, v->reset_data);
    return tell || ended;
}

bool devemu_virtio_is_ready(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    pthread_mutex_lock(&v->lock);
    const bool waits = v->resetting && (v->on_reset ? !v->told : atomic_load(&v->held) == 0);
    const bool ready = v->resetting ? waits : !is_followed(d);
    pthread_mutex_unlock(&v->lock);
    return ready;
}

bool devemu_virtio_has_news(struct pci_dev *d)
{
    pthread_mutex_lock(&d->virtio->lock);
    const bool news = !d->virtio->resetting && !is_followed(d);
    pthread_mutex_unlock(&d->virtio->lock);
    return news;
}

bool devemu_virtio_has_work(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    const int region = dpk_pci_find_use(dpk_pci_config_of(d->f), DPK_PCI_RINGS);
    bool work = false;
    for (unsigned i = 0; i < v->setup.queues; i++) {
        uint32_t value;
        if (dpk_pci_take_ring(d->f, (unsigned)region, i, &value))
            atomic_store(&v->queues[i].rung, true);
        work = work || atomic_load(&v->queues[i].rung);
    }
    return work && atomic_load(&v->live);
}

/* ---- Life ---- */

/* Writes the device's own configuration: tag, number of request queues. */
static void show_config(const struct virtio_dev *v)
{
    uint8_t bytes[40] = {0};
    memcpy(bytes, v->tag, strnlen(v->tag, DOCA_VFS_TAG_SIZE));
    dpk_store_le(bytes + 36, v->request_queues, 4);
    memcpy(v->registers.device, bytes,
           v->registers.device_size < sizeof bytes ? v->registers.device_size : sizeof bytes);
}

doca_error_t devemu_virtio_start(struct pci_dev *d)
{
    struct virtio_dev *v = d->virtio;
    if (!dpk_virtio_find(d->f, &v->registers))
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "the emulated function %u is not a virtio device", d->number);
    if (v->request_queues + 1 > v->setup.queues)
        v->setup.queues = (uint16_t)(v->request_queues + 1);
    pthread_mutex_lock(&v->lock);
    show_config(v);
    if (dpk_virtio_status(&v->registers) & VIRTIO_CONFIG_S_DRIVER_OK)
        break_locked(d, "the program that had the device before has ended");
    else if (dpk_virtio_status(&v->registers) == 0)
        end_reset(d);
    v->flr = dpk_pci_resets(d->f);
    pthread_mutex_unlock(&v->lock);
    return v->required > atomic_load(&v->running) ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

void devemu_virtio_stop(struct pci_dev *d)
{
    pthread_mutex_lock(&d->virtio->lock);
    close_queues(d->virtio);
    d->virtio->resetting = false;
    pthread_mutex_unlock(&d->virtio->lock);
}

void devemu_virtio_plugged(struct pci_dev *d)
{
    pthread_mutex_lock(&d->virtio->lock);
    end_reset(d);
    pthread_mutex_unlock(&d->virtio->lock);
}

bool devemu_virtio_may_run(const struct pci_dev *d)
{
    return d->virtio && atomic_load(&d->base.ctx.state) == DOCA_CTX_STATE_STARTING &&
           atomic_load(&d->virtio->running) >= d->virtio->required;
}

bool devemu_virtio_complete_reset(struct pci_dev *d, unsigned *held)
{
    struct virtio_dev *v = d->virtio;
    pthread_mutex_lock(&v->lock);
    const bool resets = v->resetting && v->told;
    *held = atomic_load(&v->held);
    if (resets && *held == 0)
        end_reset(d);
    pthread_mutex_unlock(&v->lock);
    return resets;
}
