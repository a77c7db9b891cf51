/* The default type of virtio-fs devices: a type of functions for each opened device. */
#include <doca_devemu_vfs_type.h>
#include <linux/virtio_ids.h>
#include <stdlib.h>
#include <string.h>

#include "virtio.h"

enum { REGISTERS = 0, BELLS = 2 }; /* BARs, of 64 bits each */

/* The registers are in a BAR of their own, which the host cannot map. */
static const struct dpk_pci_config config = {
    .name = "virtio-fs",
    .vendor = 0x1af4,
    .device = 0x1040 + VIRTIO_ID_FS,
    .subsystem_vendor = 0x1af4,
    .subsystem = 0x1100,
    .class_code = 0x018000,
    .revision = 1,
    .vectors = DPK_VIRTIO_QUEUES_MAX + 1,
    .bars = {[REGISTERS] = {.log_size = 14, .type = 2}, [BELLS] = {.log_size = 14, .type = 2}},
    .region_count = 7,
    .regions = {
        {.use = DPK_PCI_VIRTIO_COMMON, .bar = REGISTERS, .size = DPK_VIRTIO_COMMON_SIZE},
        {.use = DPK_PCI_VIRTIO_ISR, .bar = REGISTERS, .start = 0x1000, .size = 8},
        {.use = DPK_PCI_VIRTIO_DEVICE, .bar = REGISTERS, .start = 0x2000, .size = 40},
        {.use = DPK_PCI_VIRTIO_BANK,
         .bar = REGISTERS,
         .start = 0x3000,
         .size = DPK_VIRTIO_BANK_SIZE},
        {.use = DPK_PCI_RINGS, .bar = BELLS, .size = DPK_VIRTIO_QUEUES_MAX * 4, .log_stride = 2},
        {.use = DPK_PCI_TABLE, .bar = BELLS, .start = 0x1000, .size = 0x1000},
        {.use = DPK_PCI_PENDING, .bar = BELLS, .start = 0x2000, .size = 0x1000},
    }};

doca_error_t doca_devemu_vfs_is_default_vfs_type_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *supported)
{
    return devemu_answer_able(__func__, devinfo, supported);
}

/* The default types of opened devices. */
static struct kept {
    struct doca_dev *dev;
    struct doca_devemu_vfs_type *type;
    struct kept *next;
} * kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct doca_devemu_vfs_type *make(struct doca_dev *dev, const struct dpk_device_info *card)
{
    struct pci_type *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->config = config;
    t->card = *card;
    t->opened = dev;
    t->is_vfs = t->started = true;
    return dpk_object_enter(t, &devemu_pci_type_kind);
}

/* Destroys the types of closed devices, unless contexts use them. Call this with the lock. */
static void forget_closed(void)
{
    for (struct kept **at = &kept; *at;) {
        struct kept *k = *at;
        struct dpk_dev *d = dpk_object_pin(k->dev, &dpk_dev_kind);
        dpk_object_drop(d);
        if (d || dpk_object_destroy(k->type, &devemu_pci_type_kind) != DOCA_SUCCESS) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        free(k);
    }
}

/* Call this with the lock. */
static struct doca_devemu_vfs_type *find(struct doca_dev *dev, const struct dpk_device_info *card)
{
    forget_closed();
    for (const struct kept *k = kept; k; k = k->next)
        if (k->dev == dev)
            return k->type;
    struct kept *k = calloc(1, sizeof *k);
    if (!k || !(k->type = make(dev, card))) {
        free(k);
        return NULL;
    }
    k->dev = dev;
    k->next = kept;
    kept = k;
    return k->type;
}

doca_error_t doca_devemu_vfs_find_default_vfs_type_by_dev(struct doca_dev *dev,
                                                          struct doca_devemu_vfs_type **vfs_type)
{
    struct dpk_device_info card;
    struct dpk_dev *d = vfs_type ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    *vfs_type = NULL;
    doca_error_t result = dpk_devinfo_ask(doca_dev_as_devinfo(dev), &card);
    if (result == DOCA_SUCCESS && !devemu_is_able(&card))
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                  "emulated functions are for programs of the DPU "
                                  "(DPAKIT_SIDE=dpu) of a card that is a pair");
    if (result == DOCA_SUCCESS) {
        pthread_mutex_lock(&lock);
        *vfs_type = find(dev, &card);
        pthread_mutex_unlock(&lock);
        result = *vfs_type ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    }
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, result);
}
