/* Finds host memory by its bus addresses, so that a PCI function can read and write the memory. */
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pci/file.h"

/* A mapping that the DPU's side has imported. */
struct pci_reached {
    struct dpk_exporter who;
    struct dpk_export what; /* key 0 without a mapping */
    struct dpk_import *import;
};

static struct pci_mapping *mapping_at(const struct dpk_pci *f, unsigned place)
{
    uint8_t *at = (uint8_t *)f->file + MAPPINGS_OFFSET;
    return (struct pci_mapping *)(void *)at + place;
}

static unsigned count_places(const struct dpk_pci *f)
{
    const unsigned n = atomic_load(&f->file->mappings);
    return n < DPK_PCI_MAPPINGS ? n : DPK_PCI_MAPPINGS;
}

/* ---- The host's side ---- */

bool dpk_pci_map(struct dpk_pci *f, const struct dpk_pci_mapping *mapping)
{
    unsigned i = 0;
    while (i < DPK_PCI_MAPPINGS && atomic_load(&mapping_at(f, i)->key) != 0)
        i++;
    if (i == DPK_PCI_MAPPINGS)
        return false;
    struct pci_mapping *m = mapping_at(f, i);
    f->file->host = mapping->who;
    m->iova = mapping->iova;
    m->size = mapping->what.size;
    m->address = mapping->what.address;
    atomic_store(&m->key, mapping->what.key);
    if (i >= count_places(f))
        atomic_store(&f->file->mappings, i + 1);
    return true;
}

void dpk_pci_unmap(struct dpk_pci *f, uint32_t key)
{
    unsigned used = 0;
    for (unsigned i = 0, n = count_places(f); i < n; i++) {
        struct pci_mapping *m = mapping_at(f, i);
        if (key == 0 || atomic_load(&m->key) == key)
            atomic_store(&m->key, 0);
        if (atomic_load(&m->key) != 0)
            used = i + 1;
    }
    atomic_store(&f->file->mappings, used);
}

/* ---- The DPU's side ---- */

/* The memory at a bus address. */
struct found {
    unsigned place;
    struct dpk_exporter who;
    struct dpk_export what;
    uint64_t offset; /* offset in the mapping */
};

/* Copies a mapping. Returns false if there is none or it has just changed. */
static bool copy_mapping(const struct dpk_pci *f, unsigned place, uint64_t *iova, struct found *out)
{
    const struct pci_mapping *m = mapping_at(f, place);
    out->place = place;
    out->what.key = atomic_load(&m->key);
    if (out->what.key == 0)
        return false;
    out->who = f->file->host;
    out->what.address = m->address;
    out->what.size = m->size;
    *iova = m->iova;
    return atomic_load(&m->key) == out->what.key;
}

static bool find_mapping(const struct dpk_pci *f, uint64_t iova, struct found *out)
{
    for (unsigned i = 0, n = count_places(f); i < n; i++) {
        uint64_t start;
        if (!copy_mapping(f, i, &start, out) || iova < start || iova - start >= out->what.size)
            continue;
        out->offset = iova - start;
        return true;
    }
    return false;
}

static bool is_same(const struct pci_reached *r, const struct found *w)
{
    return r->import && r->what.key == w->what.key && r->what.address == w->what.address &&
           r->what.size == w->what.size && r->who.process == w->who.process &&
           r->who.file == w->who.file && dpk_uuid_equal(&r->who.identity, &w->who.identity);
}

static void forget(struct pci_reached *r)
{
    dpk_import_close(r->import);
    *r = (struct pci_reached){0};
}

/* Closes imports of mappings that have ended. Call this with the lock for writing. */
static void forget_old(struct dpk_pci *f)
{
    for (unsigned i = 0; i < DPK_PCI_MAPPINGS; i++)
        if (f->reached[i].import && atomic_load(&mapping_at(f, i)->key) != f->reached[i].what.key)
            forget(&f->reached[i]);
}

/* Imports a mapping. The owner's table has its rights. */
static void reach(struct dpk_pci *f, const struct found *w)
{
    pthread_rwlock_wrlock(&f->lock);
    if (!f->reached)
        f->reached = calloc(DPK_PCI_MAPPINGS, sizeof *f->reached);
    if (f->reached && !is_same(&f->reached[w->place], w)) {
        struct pci_reached *r = &f->reached[w->place];
        struct dpk_error err = {0};
        forget_old(f);
        forget(r);
        r->who = w->who;
        r->what = w->what;
        if (dpk_import_open(&w->who, &r->what, &r->import, &err) != DPK_OK)
            r->import = NULL;
    }
    pthread_rwlock_unlock(&f->lock);
}

/* Returns the import with the lock for reading, or NULL without the lock. */
static const struct pci_reached *enter(struct dpk_pci *f, const struct found *w)
{
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&f->lock);
        if (f->reached && is_same(&f->reached[w->place], w))
            return &f->reached[w->place];
        pthread_rwlock_unlock(&f->lock);
        if (i == 0)
            reach(f, w);
    }
    return NULL;
}

/* Copies up to the end of a mapping. Returns the number of bytes, or 0 if the copy is
 * impossible. */
static size_t copy_part(struct dpk_pci *f, uint64_t iova, void *bytes, size_t size, unsigned right)
{
    struct found w = {0};
    if (!find_mapping(f, iova, &w))
        return 0;
    const size_t n = size < w.what.size - w.offset ? size : (size_t)(w.what.size - w.offset);
    const struct pci_reached *r = enter(f, &w);
    if (!r)
        return 0;
    const uint64_t at = w.what.address + w.offset;
    const bool done = (r->what.rights & right) &&
                      (right == DPK_PCI_DMA_WRITE ? dpk_import_write(r->import, at, bytes, n)
                                                  : dpk_import_read(r->import, at, bytes, n));
    pthread_rwlock_unlock(&f->lock);
    return done ? n : 0;
}

static bool is_master(struct dpk_pci *f)
{
    const enum dpk_pci_state state = dpk_pci_state_of(f);
    const volatile uint8_t *space = dpk_pci_space(f);
    return (state == DPK_PCI_ON || state == DPK_PCI_UNPLUGGING) &&
           (space[PCI_COMMAND] & PCI_COMMAND_MASTER);
}

static bool copy(struct dpk_pci *f, uint64_t iova, uint8_t *bytes, size_t size, unsigned right)
{
    for (size_t n; size > 0; iova += n, bytes += n, size -= n)
        if (!is_master(f) || (n = copy_part(f, iova, bytes, size, right)) == 0)
            return false;
    return true;
}

bool dpk_pci_dma_read(struct dpk_pci *f, uint64_t iova, void *to, size_t size)
{
    return copy(f, iova, to, size, DPK_PCI_DMA_READ);
}

bool dpk_pci_dma_write(struct dpk_pci *f, uint64_t iova, const void *from, size_t size)
{
    return copy(f, iova, (uint8_t *)(uintptr_t)from, size, DPK_PCI_DMA_WRITE);
}

void pci_leave_memory(struct dpk_pci *f)
{
    for (unsigned i = 0; f->reached && i < DPK_PCI_MAPPINGS; i++)
        forget(&f->reached[i]);
    free(f->reached);
}
