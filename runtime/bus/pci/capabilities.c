/* Capabilities of virtio devices in configuration space (virtio 1.2, 4.1.4). */
#include <linux/pci_regs.h>
#include <linux/virtio_pci.h>
#include <stddef.h>
#include <string.h>

#include "bus/pci/file.h"

#define FIRST_AT 0x50u /* after the capability of MSI-X */
#define APART    0x14u /* bytes of the largest */

/* The kinds of capabilities, and the region of each. */
static const struct {
    uint8_t type;
    uint8_t use; /* enum dpk_pci_use */
} capabilities[] = {
    {VIRTIO_PCI_CAP_COMMON_CFG, DPK_PCI_VIRTIO_COMMON},
    {VIRTIO_PCI_CAP_ISR_CFG, DPK_PCI_VIRTIO_ISR},
    {VIRTIO_PCI_CAP_DEVICE_CFG, DPK_PCI_VIRTIO_DEVICE},
    {VIRTIO_PCI_CAP_NOTIFY_CFG, DPK_PCI_RINGS},
};
enum { COUNT = sizeof capabilities / sizeof *capabilities };

static void fill_one(uint8_t *at, unsigned index, const struct dpk_pci_region *r)
{
    const unsigned place = FIRST_AT + index * APART;
    const bool notify = capabilities[index].type == VIRTIO_PCI_CAP_NOTIFY_CFG;
    memset(at + place, 0, APART);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_VNDR, PCI_CAP_ID_VNDR, 1);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_NEXT, index + 1 < COUNT ? place + APART : 0, 1);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_LEN, notify ? 20 : 16, 1);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_CFG_TYPE, capabilities[index].type, 1);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_BAR, r->bar, 1);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_OFFSET, (uint32_t)r->start, 4);
    dpk_store_le(at + place + VIRTIO_PCI_CAP_LENGTH, (uint32_t)r->size, 4);
    if (notify)
        dpk_store_le(at + place + VIRTIO_PCI_NOTIFY_CAP_MULT, 1u << r->log_stride, 4);
}

unsigned pci_fill_virtio(uint8_t *at, const struct dpk_pci_config *c)
{
    if (dpk_pci_find_use(c, DPK_PCI_VIRTIO_COMMON) < 0)
        return 0;
    for (unsigned i = 0; i < COUNT; i++)
        fill_one(at, i, &c->regions[dpk_pci_find_use(c, capabilities[i].use)]);
    return FIRST_AT;
}
