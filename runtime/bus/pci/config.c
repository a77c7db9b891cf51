/* The configuration of a function: checks, and its layout in the file. */
#include <linux/pci_regs.h>
#include <string.h>

#include "bus/pci/file.h"

#define MSIX_AT 0x40u /* the capability in configuration space */

static uint64_t bar_size(const struct dpk_pci_bar *bar)
{
    return bar->log_size ? UINT64_C(1) << bar->log_size : 0;
}

/* ---- Checks ---- */

static bool takes_the_next(const struct dpk_pci_config *c, unsigned i)
{
    return c->bars[i].log_size && c->bars[i].type == 2;
}

static enum dpk_status check_bar(const struct dpk_pci_config *c, unsigned i, struct dpk_error *err)
{
    const struct dpk_pci_bar *b = &c->bars[i];
    if (b->log_size && (b->log_size < DPK_PCI_LOG_MIN || b->log_size > DPK_PCI_LOG_MAX))
        return dpk_fail(err, DPK_ERR_RANGE, "BAR %u: 2^%u bytes: 2^%u to 2^%u can be", i,
                        b->log_size, DPK_PCI_LOG_MIN, DPK_PCI_LOG_MAX);
    if (b->type > 2 || b->prefetchable > 1 || b->zero)
        return dpk_fail(err, DPK_ERR_RANGE, "BAR %u: no such memory", i);
    if (takes_the_next(c, i) && (i + 1 == DPK_PCI_BARS || c->bars[i + 1].log_size))
        return dpk_fail(err, DPK_ERR_RANGE, "BAR %u has 64 bits, and needs the next one", i);
    return DPK_OK;
}

static bool overlap(const struct dpk_pci_region *a, const struct dpk_pci_region *b)
{
    return a->bar == b->bar && a->start < b->start + b->size && b->start < a->start + a->size;
}

static uint64_t least_size(const struct dpk_pci_config *c, const struct dpk_pci_region *r)
{
    return r->use == DPK_PCI_TABLE     ? c->vectors * UINT64_C(16)
           : r->use == DPK_PCI_PENDING ? (c->vectors + 63u) / 64u * UINT64_C(8)
                                       : 4;
}

static bool is_of_doorbells(const struct dpk_pci_region *r)
{
    return r->use == DPK_PCI_RINGS || r->use == DPK_PCI_MESSAGES;
}

static bool strides_fit(const struct dpk_pci_region *r)
{
    return r->log_stride >= 2 && r->log_stride <= 16 &&
           r->size >> r->log_stride <= DPK_PCI_DOORBELLS && r->size >> r->log_stride > 0;
}

static enum dpk_status check_region(const struct dpk_pci_config *c, unsigned i,
                                    struct dpk_error *err)
{
    const struct dpk_pci_region *r = &c->regions[i];
    const uint64_t room = r->bar < DPK_PCI_BARS ? bar_size(&c->bars[r->bar]) : 0;
    if (r->use < DPK_PCI_RINGS || r->use > DPK_PCI_VIRTIO_BANK || r->zero)
        return dpk_fail(err, DPK_ERR_RANGE, "region %u: no such use", i);
    if (r->start % 8 || r->size % 8 || r->start > room || r->size > room - r->start ||
        r->size < least_size(c, r))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "region %u: 0x%llx bytes at 0x%llx do not fit into BAR %u, or are too few",
                        i, (unsigned long long)r->size, (unsigned long long)r->start, r->bar);
    if (is_of_doorbells(r) ? !strides_fit(r) : r->log_stride != 0)
        return dpk_fail(err, DPK_ERR_RANGE, "region %u: up to %u doorbells, 4 bytes apart or more",
                        i, DPK_PCI_DOORBELLS);
    if (r->use == DPK_PCI_MESSAGES ? r->id_least > 3 || r->id_most > 3 : r->id_least || r->id_most)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "region %u: the number of a doorbell is in bytes 0 to 3", i);
    for (unsigned k = 0; k < i; k++)
        if (overlap(r, &c->regions[k]))
            return dpk_fail(err, DPK_ERR_RANGE, "regions %u and %u overlap", k, i);
    return DPK_OK;
}

static bool is_clean(const struct dpk_pci_config *c)
{
    static const struct dpk_pci_region none;
    const size_t n = strnlen(c->name, sizeof c->name);
    bool clean = n > 0 && n < sizeof c->name && !c->zero && !c->zeros &&
                 c->region_count <= DPK_PCI_REGIONS && c->vectors <= DPK_PCI_VECTORS;
    for (size_t i = n; clean && i < sizeof c->name; i++)
        clean = c->name[i] == '\0';
    for (unsigned i = c->region_count; clean && i < DPK_PCI_REGIONS; i++)
        clean = memcmp(&c->regions[i], &none, sizeof none) == 0;
    return clean;
}

static unsigned count_of(const struct dpk_pci_config *c, enum dpk_pci_use use)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->region_count; i++)
        n += c->regions[i].use == use;
    return n;
}

static enum dpk_status check_virtio(const struct dpk_pci_config *c, struct dpk_error *err)
{
    const unsigned needed = count_of(c, DPK_PCI_VIRTIO_COMMON);
    bool good = needed <= 1 && (!needed || count_of(c, DPK_PCI_RINGS) == 1);
    for (unsigned use = DPK_PCI_VIRTIO_ISR; use <= DPK_PCI_VIRTIO_BANK; use++)
        good = good && count_of(c, use) == needed;
    return good ? DPK_OK
                : dpk_fail(err, DPK_ERR_RANGE,
                           "a virtio device has one region of doorbells, and one for each kind of "
                           "registers");
}

enum dpk_status dpk_pci_check(const struct dpk_pci_config *c, struct dpk_error *err)
{
    enum dpk_status status =
        is_clean(c) ? DPK_OK
                    : dpk_fail(err, DPK_ERR_RANGE, "no name, or too many regions or vectors");
    for (unsigned i = 0; status == DPK_OK && i < DPK_PCI_BARS; i++)
        status = check_bar(c, i, err);
    for (unsigned i = 0; status == DPK_OK && i < c->region_count; i++)
        status = check_region(c, i, err);
    const unsigned needed = c->vectors > 0;
    if (status == DPK_OK &&
        (count_of(c, DPK_PCI_TABLE) != needed || count_of(c, DPK_PCI_PENDING) != needed))
        status =
            dpk_fail(err, DPK_ERR_RANGE,
                     "%u MSI-X vectors: they need one region for their table, and one for what "
                     "is pending",
                     c->vectors);
    return status == DPK_OK ? check_virtio(c, err) : status;
}

bool dpk_pci_equal(const struct dpk_pci_config *a, const struct dpk_pci_config *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int dpk_pci_find(const struct dpk_pci_config *c, enum dpk_pci_use use, unsigned bar, uint64_t start)
{
    for (unsigned i = 0; i < c->region_count; i++)
        if (c->regions[i].use == use && c->regions[i].bar == bar && c->regions[i].start == start)
            return (int)i;
    return -1;
}

int dpk_pci_find_use(const struct dpk_pci_config *c, enum dpk_pci_use use)
{
    for (unsigned i = 0; i < c->region_count; i++)
        if (c->regions[i].use == use)
            return (int)i;
    return -1;
}

/* ---- Layout ---- */

size_t pci_lay_out(const struct dpk_pci_config *c, uint64_t offsets[DPK_PCI_BARS])
{
    uint64_t at = BARS_OFFSET;
    for (unsigned i = 0; i < DPK_PCI_BARS; i++) {
        offsets[i] = c->bars[i].log_size ? at : 0;
        at += bar_size(&c->bars[i]);
    }
    return (size_t)at;
}

static void fill_msix(uint8_t *at, const struct dpk_pci_config *c)
{
    dpk_store_le(at + PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
    dpk_store_le(at + PCI_CAPABILITY_LIST, MSIX_AT, 1);
    dpk_store_le(at + MSIX_AT, PCI_CAP_ID_MSIX, 1);
    dpk_store_le(at + MSIX_AT + PCI_MSIX_FLAGS, c->vectors - 1u, 2);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        const uint32_t where = (uint32_t)r->start | r->bar;
        if (r->use == DPK_PCI_TABLE)
            dpk_store_le(at + MSIX_AT + PCI_MSIX_TABLE, where, 4);
        if (r->use == DPK_PCI_PENDING)
            dpk_store_le(at + MSIX_AT + PCI_MSIX_PBA, where, 4);
    }
}

static void fill_identity(uint8_t *at, const struct dpk_pci_identity *i)
{
    dpk_store_le(at + PCI_VENDOR_ID, i->vendor, 2);
    dpk_store_le(at + PCI_DEVICE_ID, i->device, 2);
    dpk_store_le(at + PCI_REVISION_ID, i->revision, 1);
    dpk_store_le(at + PCI_CLASS_PROG, i->class_code, 3);
    dpk_store_le(at + PCI_SUBSYSTEM_VENDOR_ID, i->subsystem_vendor, 2);
    dpk_store_le(at + PCI_SUBSYSTEM_ID, i->subsystem, 2);
}

struct dpk_pci_identity dpk_pci_identity_of(const struct dpk_pci_config *c)
{
    return (struct dpk_pci_identity){.device = c->device,
                                     .vendor = c->vendor,
                                     .subsystem = c->subsystem,
                                     .subsystem_vendor = c->subsystem_vendor,
                                     .class_code = c->class_code,
                                     .revision = c->revision};
}

void dpk_pci_set_identity(struct dpk_pci *f, const struct dpk_pci_identity *identity)
{
    fill_identity(dpk_pci_space(f), identity);
}

/* Makes the list of capabilities: MSI-X, if the function has vectors, and those of virtio, if any. */
static void link_first(uint8_t *at, bool msix, unsigned virtio)
{
    dpk_store_le(at + PCI_STATUS, msix || virtio ? PCI_STATUS_CAP_LIST : 0, 2);
    dpk_store_le(at + PCI_CAPABILITY_LIST, msix ? MSIX_AT : virtio, 1);
    if (msix)
        dpk_store_le(at + MSIX_AT + PCI_CAP_LIST_NEXT, virtio, 1);
}

static void fill_space(uint8_t *at, const struct dpk_pci_config *c)
{
    const struct dpk_pci_identity identity = dpk_pci_identity_of(c);
    fill_identity(at, &identity);
    for (unsigned i = 0; i < DPK_PCI_BARS; i++) {
        const struct dpk_pci_bar *b = &c->bars[i];
        if (b->log_size)
            dpk_store_le(at + PCI_BASE_ADDRESS_0 + 4 * i, b->type * 2u | b->prefetchable * 8u, 4);
    }
    if (c->vectors)
        fill_msix(at, c);
    const unsigned virtio = pci_fill_virtio(at, c);
    if (virtio)
        link_first(at, c->vectors > 0, virtio);
}

void dpk_pci_set_vectors(struct dpk_pci *f, unsigned vectors)
{
    uint8_t *at = dpk_pci_space(f);
    const unsigned most = dpk_pci_config_of(f)->vectors, count = vectors < most ? vectors : most;
    if (most == 0)
        return;
    link_first(at, count > 0, pci_fill_virtio(at, dpk_pci_config_of(f)));
    if (count)
        dpk_store_le(at + MSIX_AT + PCI_MSIX_FLAGS, count - 1u, 2);
}

unsigned dpk_pci_vectors(struct dpk_pci *f)
{
    const uint8_t *at = dpk_pci_space(f);
    const unsigned most = dpk_pci_config_of(f)->vectors,
                   flags = at[MSIX_AT + PCI_MSIX_FLAGS] | (unsigned)at[MSIX_AT + PCI_MSIX_FLAGS + 1]
                                                              << 8,
                   count = (flags & PCI_MSIX_FLAGS_QSIZE) + 1;
    if (most == 0 || at[PCI_CAPABILITY_LIST] != MSIX_AT)
        return 0;
    return count < most ? count : most;
}

void pci_fill(uint8_t *at, const struct dpk_pci_config *c, const uint64_t offsets[DPK_PCI_BARS])
{
    const uint32_t silent = DPK_PCI_SILENT;
    fill_space(at + DPK_PCI_SPACE_OFFSET, c);
    for (unsigned i = 0; i < c->region_count; i++) {
        const struct dpk_pci_region *r = &c->regions[i];
        for (uint64_t k = 0; is_of_doorbells(r) && k < r->size >> r->log_stride; k++)
            memcpy(at + offsets[r->bar] + r->start + (k << r->log_stride), &silent, sizeof silent);
    }
}
