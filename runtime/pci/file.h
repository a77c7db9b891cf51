/* The file of a function. */
#ifndef DPK_PCI_FILE_H
#define DPK_PCI_FILE_H

#include <stdatomic.h>

#include "pci/pci.h"

#define PCI_MAGIC   UINT64_C(0x3143495044) /* "DPCI1" */
#define BARS_OFFSET (DPK_PCI_SPACE_OFFSET + DPK_PCI_SPACE)

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "words are for several processes");

/* At its begin. The magic is written last. */
struct pci_file {
    _Atomic uint64_t magic;
    uint32_t number, bus;
    struct dpk_pci_config config;
    atomic_uint state;  /* of enum dpk_pci_state */
    atomic_uint resets; /* ever */
    atomic_uint raised; /* ever; who waits for interrupts waits for it to change */
    atomic_uint pending[DPK_PCI_VECTORS / 32];
};
_Static_assert(sizeof(struct pci_file) <= DPK_PCI_SPACE_OFFSET, "it is before the rest");

struct dpk_pci {
    int fd;
    size_t size;
    struct pci_file *file;
    uint32_t number, bus;
    struct dpk_pci_config config;
    uint64_t offsets[DPK_PCI_BARS]; /* 0: there is no such BAR */
};

/* Bytes of a file, and where its BARs are. */
size_t pci_lay_out(const struct dpk_pci_config *config, uint64_t offsets[DPK_PCI_BARS]);
/* Fills configuration space, and doorbells, of a new one. */
void pci_fill(uint8_t *at, const struct dpk_pci_config *config,
              const uint64_t offsets[DPK_PCI_BARS]);

#endif
