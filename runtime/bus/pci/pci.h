/*
 * pci: emulated PCI functions of a card: what a program of the DPU makes, and a program of the host
 * uses. Each is a file in the folder `pci` of the card, which both map: it stays when they end.
 *
 *     dpk_pci_make(card, &config, &number, &err);             // the DPU's: it is off
 *     dpk_pci_open(card, number, &f, &err);
 *     dpk_pci_claim(f, DPK_PCI_DPU);                          // one process of a side at a time
 *     dpk_pci_set_state(f, DPK_PCI_OFF, DPK_PCI_PLUGGING);
 *     while (dpk_pci_take_ring(f, region, doorbell, &value)) ...
 *     dpk_pci_raise(f, vector);
 *     dpk_pci_close(f);
 *
 *     dpk_pci_map(f, &mapping);                               // the host's: its memory
 *     dpk_pci_wait(f, &seen);
 *     if (dpk_pci_take_interrupt(f, vector)) ...
 *
 *     dpk_pci_dma_read(f, iova, bytes, n);                    // the DPU's, of that memory
 *
 * A store of the host to memory that it mapped wakes nobody, so who listens for doorbells looks at them. A
 * doorbell that nobody rang holds DPK_PCI_SILENT: rings of one value twice are two rings.
 *
 * A file that somebody makes shorter ends nobody: opening one sets a handler for SIGBUS, which passes on all
 * other signals (guard.c). Threads must not block it.
 *
 * What a function is was checked when its file was opened, and is copied then. All else in the file may
 * change at any time, and have any value.
 */
#ifndef DPK_BUS_PCI_PCI_H
#define DPK_BUS_PCI_PCI_H

#include "base/base.h"
#include "bus/exports/exports.h"

#define DPK_PCI_NAME_SIZE 32u /* of a type's name, with its NUL */
#define DPK_PCI_BARS      6u
#define DPK_PCI_REGIONS   16u
#define DPK_PCI_VECTORS   2048u
#define DPK_PCI_DOORBELLS 1024u /* in a region */
#define DPK_PCI_FUNCTIONS 32u   /* of a card */
#define DPK_PCI_MAPPINGS  4096u /* of the host's memory */
#define DPK_PCI_LOG_MIN   12u   /* of a BAR's size */
#define DPK_PCI_LOG_MAX   26u
#define DPK_PCI_SPACE     4096u /* bytes of configuration space */
#define DPK_PCI_SILENT    UINT32_C(0xa5c3e197)

struct dpk_pci_bar {
    uint8_t log_size; /* 0: there is none */
    uint8_t type;     /* 0: of 32 bits, 1: below 1 MiB, 2: of 64 bits */
    uint8_t prefetchable;
    uint8_t zero;
};

enum dpk_pci_use {
    DPK_PCI_RINGS = 1, /* doorbells whose number is their place */
    DPK_PCI_TABLE,
    DPK_PCI_PENDING,
    DPK_PCI_STATEFUL,
    DPK_PCI_MESSAGES, /* doorbells whose number is in what is written, at any place */
};
struct dpk_pci_region {
    uint32_t use, bar;
    uint64_t start, size; /* in the BAR */
    uint32_t log_stride;  /* of doorbells' places, which have 4 bytes each */
    /* MESSAGES: which of the bytes have the number, from the least significant one to the most */
    uint8_t id_least, id_most;
    uint16_t zero;
};

/* Who a function says that it is. */
struct dpk_pci_identity {
    uint16_t device, vendor, subsystem, subsystem_vendor;
    uint32_t class_code;
    uint8_t revision;
};

/* A type: what its functions are. It has no bytes without a meaning, so that types can be compared. */
struct dpk_pci_config {
    char name[DPK_PCI_NAME_SIZE];
    uint16_t device, vendor, subsystem, subsystem_vendor;
    uint32_t class_code;
    uint16_t vectors;
    uint8_t revision, zero;
    struct dpk_pci_bar bars[DPK_PCI_BARS];
    uint32_t region_count, zeros;
    struct dpk_pci_region regions[DPK_PCI_REGIONS];
};

/* Whether functions can be so. DPK_ERR_RANGE. */
enum dpk_status dpk_pci_check(const struct dpk_pci_config *config, struct dpk_error *err);
bool dpk_pci_equal(const struct dpk_pci_config *a, const struct dpk_pci_config *b);
/* The region of a use at a place; -1: there is none. */
int dpk_pci_find(const struct dpk_pci_config *config, enum dpk_pci_use use, unsigned bar,
                 uint64_t start);

/* ---- Functions of a card ---- */

struct dpk_pci;

enum dpk_pci_state { DPK_PCI_OFF, DPK_PCI_UNPLUGGING, DPK_PCI_PLUGGING, DPK_PCI_ON };
enum dpk_pci_side { DPK_PCI_HOST, DPK_PCI_DPU };

/* Where a function is: the bus of its card, which names it for the host. */
struct dpk_pci_place {
    const char *folder; /* of the card */
    unsigned bus;
};

/* A new function, which is off. DPK_ERR_EXISTS: there are functions of a type of that name which is
 * another. DPK_ERR_RANGE: as many as there may be. */
enum dpk_status dpk_pci_make(const struct dpk_pci_place *place, const struct dpk_pci_config *config,
                             unsigned *number, struct dpk_error *err);
/* Whether a type of that name may be so. DPK_ERR_EXISTS: as above. */
enum dpk_status dpk_pci_agree(const char *folder, const struct dpk_pci_config *config,
                              struct dpk_error *err);
/* Opens one. NOT_FOUND. DPK_ERR_FORMAT: its file is damaged. */
enum dpk_status dpk_pci_open(const char *folder, unsigned number, struct dpk_pci **out,
                             struct dpk_error *err);
/* NULL is fine. What it claimed is free. */
void dpk_pci_close(struct dpk_pci *f);
/* Removes one that is off, and whose DPU's side nobody has; or that is damaged. DPK_ERR_REFUSED: it is
 * neither. */
enum dpk_status dpk_pci_remove(const char *folder, unsigned number, struct dpk_error *err);

const struct dpk_pci_config *dpk_pci_config_of(const struct dpk_pci *f);
unsigned dpk_pci_bus(const struct dpk_pci *f);    /* of its card */
unsigned dpk_pci_number(const struct dpk_pci *f); /* 1 to DPK_PCI_FUNCTIONS */
/* Its address on the host, "1003:01:00.0", and its group of VFIO. */
#define DPK_PCI_ADDRESS_DOMAIN(bus) (0x1000u | ((bus)&0xff))
unsigned dpk_pci_group(const struct dpk_pci *f);
void dpk_pci_address(const struct dpk_pci *f, char out[13]);

/* ---- One that is open ---- */

/* The side is this process's until it closes it. False: it is another's. */
bool dpk_pci_claim(struct dpk_pci *f, enum dpk_pci_side side);
void dpk_pci_unclaim(struct dpk_pci *f, enum dpk_pci_side side);
/* Whether a process has that side, this one included. */
bool dpk_pci_is_claimed(const struct dpk_pci *f, enum dpk_pci_side side);

enum dpk_pci_state dpk_pci_state_of(const struct dpk_pci *f);
/* False: its state was not `from`, or it is damaged. */
bool dpk_pci_set_state(struct dpk_pci *f, enum dpk_pci_state from, enum dpk_pci_state to);

/* Whether its file was made shorter since it was opened. It is off then, for good: what this process
 * reads of it may be zeros, and what it writes is lost. */
bool dpk_pci_is_damaged(const struct dpk_pci *f);
/* Whether it was removed since it was opened; of one whose DPU's side this is, that stays so. */
bool dpk_pci_is_removed(const struct dpk_pci *f);

/* The bytes of a BAR, and how many; and where in the file. */
uint8_t *dpk_pci_bar(struct dpk_pci *f, unsigned bar, uint64_t *size);
uint64_t dpk_pci_bar_offset(const struct dpk_pci *f, unsigned bar);
/* Configuration space, of DPK_PCI_SPACE bytes. */
uint8_t *dpk_pci_space(struct dpk_pci *f);
#define DPK_PCI_SPACE_OFFSET 4096u         /* of it, in the file */
int dpk_pci_file(const struct dpk_pci *f); /* stays its own */

/* Who it is from now on for the host; and who functions of a type are. */
void dpk_pci_set_identity(struct dpk_pci *f, const struct dpk_pci_identity *identity);
struct dpk_pci_identity dpk_pci_identity_of(const struct dpk_pci_config *config);
/* How many vectors the host sees: as many as the type has, or as were set since. */
void dpk_pci_set_vectors(struct dpk_pci *f, unsigned vectors);
unsigned dpk_pci_vectors(struct dpk_pci *f);

/* The value that was written last to a place of doorbells, if that was since the last call. */
bool dpk_pci_take_ring(struct dpk_pci *f, unsigned region, unsigned place, uint32_t *value);
/* Of MESSAGES: the number of the doorbell that a value rings, and how many numbers there are. */
uint32_t dpk_pci_id(const struct dpk_pci_region *region, uint32_t value);
uint64_t dpk_pci_ids(const struct dpk_pci_region *region);

/* ---- Memory of the host's program ---- */

/* Rights of exports (exports.h) that are for functions. */
enum { DPK_PCI_DMA_READ = 1, DPK_PCI_DMA_WRITE = 2 };

/* What the host's program exports, at an address of the function's bus. */
struct dpk_pci_mapping {
    struct dpk_exporter who;
    struct dpk_export what;
    uint64_t iova;
};

/* Of the process that has the host's side. Its own ranges do not overlap. False: there are as many as
 * there may be. */
bool dpk_pci_map(struct dpk_pci *f, const struct dpk_pci_mapping *mapping);
/* The export of that key is no mapping any more; 0: none is. Who reads or writes then is inside until
 * dpk_export_remove. */
void dpk_pci_unmap(struct dpk_pci *f, uint32_t key);

/* Of the DPU, any thread: copies bytes of the bus, which may be of several mappings. False: the function
 * is off, or no master of its bus; not all of it is mapped so, or its process is gone. Part of it may
 * have been copied. */
bool dpk_pci_dma_read(struct dpk_pci *f, uint64_t iova, void *to, size_t size);
bool dpk_pci_dma_write(struct dpk_pci *f, uint64_t iova, const void *from, size_t size);

/* ---- Resets and interrupts ---- */

/* Function level resets: how many ever. */
uint32_t dpk_pci_resets(const struct dpk_pci *f);
/* Resets it: of the host. Interrupts that wait are gone. */
void dpk_pci_reset(struct dpk_pci *f);

void dpk_pci_raise(struct dpk_pci *f, unsigned vector);
/* Whether it was raised since the last call. */
bool dpk_pci_take_interrupt(struct dpk_pci *f, unsigned vector);
/* Waits until something is raised after *seen, which the first call has 0 of, or somebody wakes. */
void dpk_pci_wait(struct dpk_pci *f, uint32_t *seen);
void dpk_pci_wake(struct dpk_pci *f);

#endif
