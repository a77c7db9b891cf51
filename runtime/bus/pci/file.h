/* The file of a PCI function. */
#ifndef DPK_BUS_PCI_FILE_H
#define DPK_BUS_PCI_FILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "bus/pci/pci.h"

#define PCI_MAGIC       UINT64_C(0x3243495044) /* "DPCI2" */
#define MAPPINGS_OFFSET (DPK_PCI_SPACE_OFFSET + DPK_PCI_SPACE)
#define BARS_OFFSET     (MAPPINGS_OFFSET + DPK_PCI_MAPPINGS * sizeof(struct pci_mapping))

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "words are for several processes");

/* Start of the file. The magic is written last. */
struct pci_file {
    _Atomic uint64_t magic;
    uint32_t number, bus;
    struct dpk_pci_config config;
    atomic_uint state;  /* enum dpk_pci_state */
    atomic_uint resets; /* total number of resets */
    atomic_uint raised; /* total number of interrupts; threads that wait for interrupts wait for a
                         * change */
    atomic_uint pending[DPK_PCI_VECTORS / 32];
    atomic_uint mappings;     /* places from this index on are free */
    struct dpk_exporter host; /* process that owns the mappings */
};
_Static_assert(sizeof(struct pci_file) <= DPK_PCI_SPACE_OFFSET, "it is before the rest");

/* A range of host memory. */
struct pci_mapping {
    _Atomic uint32_t key; /* in the exporter; 0: free. Set last, and cleared first */
    uint32_t zero;
    uint64_t iova, size, address;
};
_Static_assert(BARS_OFFSET % 4096 == 0, "BARS are mapped");

struct dpk_pci {
    int fd;
    size_t size;
    struct pci_file *file;
    uint32_t number, bus;
    struct dpk_pci_config config;
    uint64_t offsets[DPK_PCI_BARS]; /* 0: the BAR does not exist */
    unsigned guard;                 /* guard of the mapping */
    pthread_rwlock_t lock;          /* lock of the following members */
    struct pci_reached *reached;    /* array of DPK_PCI_MAPPINGS; NULL if not allocated yet */
};

/* Returns the bytes of a file, and the offsets of its BARs. */
size_t pci_lay_out(const struct dpk_pci_config *config, uint64_t offsets[DPK_PCI_BARS]);
/* Fills configuration space and doorbells of a new function. */
void pci_fill(uint8_t *at, const struct dpk_pci_config *config,
              const uint64_t offsets[DPK_PCI_BARS]);
/* Writes the capabilities of a virtio device to configuration space. Returns the offset of the first, or
 * 0 if the function is not a virtio device. */
unsigned pci_fill_virtio(uint8_t *space, const struct dpk_pci_config *config);
/* While a function is mapped, changes of its file cannot end the process. */
void pci_guard(struct dpk_pci *f);
void pci_unguard(struct dpk_pci *f);
/* Closes the imports of host memory. A closed function cannot access it. */
void pci_leave_memory(struct dpk_pci *f);

#endif
