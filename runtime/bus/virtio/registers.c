/* Registers of virtio devices. The host cannot trap stores, so a driver writes the common configuration
 * with system calls, and the library in its process does what the device would: it shows the registers
 * that the selectors select. All values are in the bank, which both processes map. */
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>
#include <stdatomic.h>
#include <string.h>

#include "bus/virtio/virtio.h"

struct virtio_queue {
    _Atomic uint64_t desc, avail, used;
    _Atomic uint16_t size, vector, enabled;
    uint16_t zero;
};

/* The driver's library writes it, except the first line, which is the device's. */
struct virtio_bank {
    _Atomic uint64_t device_features;
    _Atomic uint32_t resets_done;
    _Atomic uint16_t queues;
    _Atomic uint64_t driver_features;
    _Atomic uint32_t resets_asked, device_select, driver_select;
    _Atomic uint16_t queue_select, config_vector;
    struct virtio_queue queue[DPK_VIRTIO_QUEUES_MAX];
};
_Static_assert(sizeof(struct virtio_bank) <= DPK_VIRTIO_BANK_SIZE, "the bank has its room");
_Static_assert(VIRTIO_PCI_COMMON_Q_USEDHI + 4 == DPK_VIRTIO_COMMON_SIZE, "as virtio 1.0 has it");

/* Guards writes of the driver's threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct dpk_pci_region *region_of(const struct dpk_pci *f, enum dpk_pci_use use,
                                              uint64_t least)
{
    const struct dpk_pci_config *c = dpk_pci_config_of(f);
    const int i = dpk_pci_find_use(c, use);
    return i >= 0 && c->regions[i].size >= least ? &c->regions[i] : NULL;
}

static uint8_t *bytes_of(struct dpk_pci *f, const struct dpk_pci_region *r)
{
    uint64_t size;
    return dpk_pci_bar(f, r->bar, &size) + r->start;
}

bool dpk_virtio_find(struct dpk_pci *f, struct dpk_virtio *out)
{
    const struct dpk_pci_region *common =
                                    region_of(f, DPK_PCI_VIRTIO_COMMON, DPK_VIRTIO_COMMON_SIZE),
                                *device = region_of(f, DPK_PCI_VIRTIO_DEVICE, 1),
                                *bank =
                                    region_of(f, DPK_PCI_VIRTIO_BANK, sizeof(struct virtio_bank));
    if (!common || !device || !bank)
        return false;
    *out = (struct dpk_virtio){.f = f,
                               .common = bytes_of(f, common),
                               .device = bytes_of(f, device),
                               .device_size = (uint32_t)device->size,
                               .bank = (struct virtio_bank *)(void *)bytes_of(f, bank)};
    return true;
}

/* ---- The register that both write ---- */

static _Atomic uint8_t *status_of(const struct dpk_virtio *v)
{
    return (_Atomic uint8_t *)(v->common + VIRTIO_PCI_COMMON_STATUS);
}

uint8_t dpk_virtio_status(const struct dpk_virtio *v)
{
    return atomic_load(status_of(v));
}

bool dpk_virtio_is_resetting(const struct dpk_virtio *v)
{
    return atomic_load(&v->bank->resets_asked) != atomic_load(&v->bank->resets_done);
}

bool dpk_virtio_features_are_good(uint64_t driver, uint64_t device)
{
    return (driver & ~device) == 0 && (driver >> VIRTIO_F_VERSION_1 & 1);
}

static void write_status(const struct dpk_virtio *v, uint8_t value)
{
    uint8_t before = dpk_virtio_status(v), after;
    if (value == 0) {
        if (before != 0 && !dpk_virtio_is_resetting(v))
            atomic_fetch_add(&v->bank->resets_asked, 1);
        return;
    }
    do {
        after = value | (before & VIRTIO_CONFIG_S_NEEDS_RESET);
        if (!(before & VIRTIO_CONFIG_S_FEATURES_OK) &&
            !dpk_virtio_features_are_good(atomic_load(&v->bank->driver_features),
                                          atomic_load(&v->bank->device_features)))
            after &= (uint8_t)~VIRTIO_CONFIG_S_FEATURES_OK;
    } while (!atomic_compare_exchange_weak(status_of(v), &before, after));
}

/* ---- Showing ---- */

static const struct virtio_queue *selected(const struct virtio_bank *b)
{
    const unsigned i = atomic_load(&b->queue_select);
    return i < DPK_VIRTIO_QUEUES_MAX && i < atomic_load(&b->queues) ? &b->queue[i] : NULL;
}

static uint32_t half(uint64_t features, uint32_t select)
{
    return select < 2 ? (uint32_t)(features >> 32 * select) : 0;
}

static void show_queue(uint8_t *at, const struct virtio_bank *b)
{
    static const struct virtio_queue none;
    const struct virtio_queue *q = selected(b);
    const unsigned index = q ? atomic_load(&b->queue_select) : 0;
    if (!q)
        q = &none;
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_SIZE, atomic_load(&q->size), 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_MSIX, atomic_load(&q->vector), 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_ENABLE, atomic_load(&q->enabled), 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_NOFF, index, 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_DESCLO, atomic_load(&q->desc), 8);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_AVAILLO, atomic_load(&q->avail), 8);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_USEDLO, atomic_load(&q->used), 8);
}

/* Writes all registers but the status and the generation. */
static void show(const struct dpk_virtio *v, uint8_t *at)
{
    const struct virtio_bank *b = v->bank;
    const uint32_t device = atomic_load(&b->device_select), driver = atomic_load(&b->driver_select);
    dpk_store_le(at + VIRTIO_PCI_COMMON_DFSELECT, device, 4);
    dpk_store_le(at + VIRTIO_PCI_COMMON_DF, half(atomic_load(&b->device_features), device), 4);
    dpk_store_le(at + VIRTIO_PCI_COMMON_GFSELECT, driver, 4);
    dpk_store_le(at + VIRTIO_PCI_COMMON_GF, half(atomic_load(&b->driver_features), driver), 4);
    dpk_store_le(at + VIRTIO_PCI_COMMON_MSIX, atomic_load(&b->config_vector), 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_NUMQ, atomic_load(&b->queues), 2);
    dpk_store_le(at + VIRTIO_PCI_COMMON_Q_SELECT, atomic_load(&b->queue_select), 2);
    show_queue(at, b);
}

/* ---- Writes of a driver ---- */

static uint16_t vector_of(const struct dpk_virtio *v, uint64_t value)
{
    return value < dpk_pci_vectors(v->f) ? (uint16_t)value : DPK_VIRTIO_NO_VECTOR;
}

static void write_driver_features(struct virtio_bank *b, uint32_t value)
{
    const uint32_t select = atomic_load(&b->driver_select);
    uint64_t features = atomic_load(&b->driver_features);
    if (select >= 2)
        return;
    features &= ~(UINT64_C(0xffffffff) << 32 * select);
    atomic_store(&b->driver_features, features | (uint64_t)value << 32 * select);
}

static void write_queue(const struct dpk_virtio *v, unsigned place, uint64_t value)
{
    struct virtio_queue *q = (struct virtio_queue *)(uintptr_t)selected(v->bank);
    if (!q)
        return;
    switch (place) {
    case VIRTIO_PCI_COMMON_Q_SIZE:
        atomic_store(&q->size, (uint16_t)value);
        break;
    case VIRTIO_PCI_COMMON_Q_MSIX:
        atomic_store(&q->vector, vector_of(v, value));
        break;
    case VIRTIO_PCI_COMMON_Q_ENABLE:
        if (value == 1)
            atomic_store(&q->enabled, 1);
        break;
    case VIRTIO_PCI_COMMON_Q_DESCLO:
        atomic_store(&q->desc, value);
        break;
    case VIRTIO_PCI_COMMON_Q_AVAILLO:
        atomic_store(&q->avail, value);
        break;
    default:
        atomic_store(&q->used, value);
    }
}

static void write_one(const struct dpk_virtio *v, unsigned place, uint64_t value)
{
    struct virtio_bank *b = v->bank;
    switch (place) {
    case VIRTIO_PCI_COMMON_DFSELECT:
        atomic_store(&b->device_select, (uint32_t)value);
        break;
    case VIRTIO_PCI_COMMON_GFSELECT:
        atomic_store(&b->driver_select, (uint32_t)value);
        break;
    case VIRTIO_PCI_COMMON_GF:
        write_driver_features(b, (uint32_t)value);
        break;
    case VIRTIO_PCI_COMMON_MSIX:
        atomic_store(&b->config_vector, vector_of(v, value));
        break;
    case VIRTIO_PCI_COMMON_STATUS:
        write_status(v, (uint8_t)value);
        break;
    case VIRTIO_PCI_COMMON_Q_SELECT:
        atomic_store(&b->queue_select, (uint16_t)value);
        break;
    default:
        write_queue(v, place, value);
    }
}

/* The registers that drivers write. */
static const struct {
    uint8_t place, size;
} writable[] = {
    {VIRTIO_PCI_COMMON_DFSELECT, 4},  {VIRTIO_PCI_COMMON_GFSELECT, 4},
    {VIRTIO_PCI_COMMON_GF, 4},        {VIRTIO_PCI_COMMON_MSIX, 2},
    {VIRTIO_PCI_COMMON_STATUS, 1},    {VIRTIO_PCI_COMMON_Q_SELECT, 2},
    {VIRTIO_PCI_COMMON_Q_SIZE, 2},    {VIRTIO_PCI_COMMON_Q_MSIX, 2},
    {VIRTIO_PCI_COMMON_Q_ENABLE, 2},  {VIRTIO_PCI_COMMON_Q_DESCLO, 8},
    {VIRTIO_PCI_COMMON_Q_AVAILLO, 8}, {VIRTIO_PCI_COMMON_Q_USEDLO, 8},
};

static uint64_t get_le(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void write_registers(const struct dpk_virtio *v, uint64_t offset, const uint8_t *bytes,
                            size_t size)
{
    uint8_t now[DPK_VIRTIO_COMMON_SIZE] = {0};
    show(v, now);
    memcpy(now + offset, bytes, size);
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++) {
        const unsigned place = writable[i].place;
        if (offset < place + writable[i].size && place < offset + size)
            write_one(v, place, get_le(now + place, writable[i].size));
    }
}

/* Copies the registers around the status and the generation. */
static void show_all(const struct dpk_virtio *v)
{
    enum { AFTER = VIRTIO_PCI_COMMON_Q_SELECT };
    uint8_t now[DPK_VIRTIO_COMMON_SIZE] = {0};
    show(v, now);
    memcpy(v->common, now, VIRTIO_PCI_COMMON_STATUS);
    memcpy(v->common + AFTER, now + AFTER, sizeof now - AFTER);
}

void dpk_virtio_write(const struct dpk_virtio *v, uint64_t offset, const uint8_t *bytes,
                      size_t size)
{
    if (offset >= DPK_VIRTIO_COMMON_SIZE)
        return;
    if (size > DPK_VIRTIO_COMMON_SIZE - offset)
        size = (size_t)(DPK_VIRTIO_COMMON_SIZE - offset);
    pthread_mutex_lock(&lock);
    if (!dpk_virtio_is_resetting(v)) {
        write_registers(v, offset, bytes, size);
        show_all(v);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- The device ---- */

void dpk_virtio_reset(const struct dpk_virtio *v, const struct dpk_virtio_setup *setup)
{
    struct virtio_bank *b = v->bank;
    atomic_store(&b->device_features, setup->features);
    atomic_store(&b->queues, setup->queues);
    atomic_store(&b->driver_features, 0);
    atomic_store(&b->device_select, 0);
    atomic_store(&b->driver_select, 0);
    atomic_store(&b->queue_select, 0);
    atomic_store(&b->config_vector, DPK_VIRTIO_NO_VECTOR);
    for (unsigned i = 0; i < DPK_VIRTIO_QUEUES_MAX; i++) {
        struct virtio_queue *q = &b->queue[i];
        atomic_store(&q->desc, 0);
        atomic_store(&q->avail, 0);
        atomic_store(&q->used, 0);
        atomic_store(&q->size, i < setup->queues ? setup->queue_size : 0);
        atomic_store(&q->vector, DPK_VIRTIO_NO_VECTOR);
        atomic_store(&q->enabled, 0);
    }
    show_all(v);
    atomic_store(&b->resets_done, atomic_load(&b->resets_asked));
    atomic_store(status_of(v), 0); /* last: the driver waits for it */
}

void dpk_virtio_interrupt(const struct dpk_virtio *v, uint16_t vector)
{
    if (vector != DPK_VIRTIO_NO_VECTOR)
        dpk_pci_raise(v->f, vector);
}

void dpk_virtio_need_reset(const struct dpk_virtio *v)
{
    atomic_fetch_or(status_of(v), (uint8_t)VIRTIO_CONFIG_S_NEEDS_RESET);
    dpk_virtio_interrupt(v, dpk_virtio_config_vector(v));
}

uint64_t dpk_virtio_driver_features(const struct dpk_virtio *v)
{
    return atomic_load(&v->bank->driver_features);
}

uint16_t dpk_virtio_config_vector(const struct dpk_virtio *v)
{
    return atomic_load(&v->bank->config_vector);
}

uint8_t dpk_virtio_generation(const struct dpk_virtio *v)
{
    return atomic_load((_Atomic uint8_t *)(v->common + VIRTIO_PCI_COMMON_CFGGENERATION));
}

bool dpk_virtio_queue(const struct dpk_virtio *v, unsigned index, struct dpk_virtq_place *place,
                      uint16_t *vector)
{
    const struct virtio_queue *q = &v->bank->queue[index];
    *place = (struct dpk_virtq_place){.size = atomic_load(&q->size),
                                      .desc = atomic_load(&q->desc),
                                      .avail = atomic_load(&q->avail),
                                      .used = atomic_load(&q->used)};
    *vector = atomic_load(&q->vector);
    return atomic_load(&q->enabled) == 1;
}
