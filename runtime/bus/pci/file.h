/* The file of a function. */
#ifndef DPK_BUS_PCI_FILE_H
#define DPK_BUS_PCI_FILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "bus/pci/pci.h"

#define PCI_MAGIC       UINT64_C(0x3243495044) /* "DPCI2" */
#define MAPPINGS_OFFSET (DPK_PCI_SPACE_OFFSET + DPK_PCI_SPACE)
#define BARS_OFFSET     (MAPPINGS_OFFSET + DPK_PCI_MAPPINGS * sizeof(struct pci_mapping))

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
    atomic_uint mappings;     /* no one has a place from this on */
    struct dpk_exporter host; /* the process of the mappings */
};
_Static_assert(sizeof(struct pci_file) <= DPK_PCI_SPACE_OFFSET, "it is before the rest");

/* A range of the host's memory. */
struct pci_mapping {
    _Atomic uint32_t key; /* in the exporter; 0: none. Set last, and cleared first */
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
    uint64_t offsets[DPK_PCI_BARS]; /* 0: there is no such BAR */
    unsigned guard;                 /* of the mapping */
    pthread_rwlock_t lock;          /* for what follows */
    struct pci_reached *reached;    /* DPK_PCI_MAPPINGS of them; NULL: none yet */
};

/* Bytes of a file, and where its BARs are. */
size_t pci_lay_out(const struct dpk_pci_config *config, uint64_t offsets[DPK_PCI_BARS]);
/* Fills configuration space, and doorbells, of a new one. */
void pci_fill(uint8_t *at, const struct dpk_pci_config *config,
              const uint64_t offsets[DPK_PCI_BARS]);
/* From when it is mapped until it is not, nobody ends by what becomes of the file. */
void pci_guard(struct dpk_pci *f);
void pci_unguard(struct dpk_pci *f);
/* One that is closed reaches nothing any more. */
void pci_leave_memory(struct dpk_pci *f);

#endif
