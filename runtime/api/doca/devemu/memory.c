/* Memory of the host's driver, by its addresses on the function's bus. */
#include "api/doca/memory/memory.h"
#include "private.h"

/* The function is open, because the map is a use of its context. */
static bool bus_read(void *context, uint64_t address, void *to, size_t size)
{
    struct pci_dev *d = context;
    return dpk_pci_dma_read(d->f, address, to, size);
}

static bool bus_write(void *context, uint64_t address, const void *from, size_t size)
{
    struct pci_dev *d = context;
    return dpk_pci_dma_write(d->f, address, from, size);
}

static const struct dpk_memory_bus bus = {.read = bus_read, .write = bus_write};

doca_error_t doca_devemu_pci_cap_is_mmap_add_dev_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_supported)
{
    return devemu_answer_able(__func__, devinfo, is_supported);
}

doca_error_t doca_devemu_pci_mmap_create(struct doca_devemu_pci_dev *pci_dev,
                                         struct doca_mmap **mmap)
{
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (mmap)
        *mmap = NULL;
    struct pci_dev *d = devemu_pci_dev_lock_running(__func__, mmap ? pci_dev : NULL, NULL, &result);
    return d ? dpk_doca_unlock(d, __func__, dpk_mmap_new_behind(&bus, d, mmap), "%s",
                               "memory is exhausted")
             : result;
}
