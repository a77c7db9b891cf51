/*
 * pci: emulated PCI functions of a card. A DPU program makes them, and a host program uses them.
 * Each function is a file in the folder `pci` of the card, which both programs map. The file stays
 * when they end.
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
 * A store of the host to mapped memory wakes no thread, so a listener for doorbells has to poll
 * them. A doorbell that was not rung holds DPK_PCI_SILENT, so two rings with one value are two
 * rings.
 *
 * If a file is made shorter, the programs that map it go on: opening a function sets a handler for
 * SIGBUS, which passes other bus errors on (guard.c). Threads must not block this signal.
 *
 * The configuration of a function is copied and checked when its file is opened. The rest of the
 * file may change at any time, to any value.
 */
#ifndef DPK_BUS_PCI_PCI_H
#define DPK_BUS_PCI_PCI_H

#include "base/base.h"
#include "bus/exports/exports.h"

#define DPK_PCI_NAME_SIZE 32u /* bytes of a type's name, with its NUL */
#define DPK_PCI_BARS      6u
#define DPK_PCI_REGIONS   16u
#define DPK_PCI_VECTORS   2048u
#define DPK_PCI_DOORBELLS 1024u /* maximum in a region */
#define DPK_PCI_FUNCTIONS 32u   /* maximum of a card */
#define DPK_PCI_MAPPINGS  4096u /* maximum mappings of host memory */
#define DPK_PCI_LOG_MIN   12u   /* minimum log2 of a BAR's size */
#define DPK_PCI_LOG_MAX   26u
#define DPK_PCI_SPACE     4096u /* bytes of configuration space */
#define DPK_PCI_SILENT    UINT32_C(0xa5c3e197)

struct dpk_pci_bar {
    uint8_t log_size; /* 0: the BAR does not exist */
    uint8_t type;     /* 0: 32 bits, 1: below 1 MiB, 2: 64 bits */
    uint8_t prefetchable;
    uint8_t zero;
};

enum dpk_pci_use {
    DPK_PCI_RINGS = 1, /* doorbells numbered by their place */
    DPK_PCI_TABLE,
    DPK_PCI_PENDING,
    DPK_PCI_STATEFUL,
    DPK_PCI_MESSAGES, /* doorbells whose number is in the written value, at any place */
    /* Registers of a virtio device (bus/virtio): a function has all four and RINGS, or none. The host
     * writes COMMON with system calls, and finds no BANK. */
    DPK_PCI_VIRTIO_COMMON,
    DPK_PCI_VIRTIO_ISR,
    DPK_PCI_VIRTIO_DEVICE,
    DPK_PCI_VIRTIO_BANK,
};
struct dpk_pci_region {
    uint32_t use, bar;
    uint64_t start, size; /* in the BAR */
    uint32_t log_stride;  /* log2 of the distance of doorbells, which have 4 bytes each */
    /* MESSAGES: bytes of the value that have the number, from the least significant byte to the
     * most significant */
    uint8_t id_least, id_most;
    uint16_t zero;
};

/* Identity that a function shows. */
struct dpk_pci_identity {
    uint16_t device, vendor, subsystem, subsystem_vendor;
    uint32_t class_code;
    uint8_t revision;
};

/* A type: configuration of its functions. It has no padding, so that types can be compared
 * bytewise. */
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

/* Checks a configuration. Errors: DPK_ERR_RANGE. */
enum dpk_status dpk_pci_check(const struct dpk_pci_config *config, struct dpk_error *err);
bool dpk_pci_equal(const struct dpk_pci_config *a, const struct dpk_pci_config *b);
/* Returns the index of the region with that use which starts at `start` of a BAR, or -1. */
int dpk_pci_find(const struct dpk_pci_config *config, enum dpk_pci_use use, unsigned bar,
                 uint64_t start);
/* Returns the index of the first region with that use, or -1. */
int dpk_pci_find_use(const struct dpk_pci_config *config, enum dpk_pci_use use);

/* ---- Functions of a card ---- */

struct dpk_pci;

enum dpk_pci_state { DPK_PCI_OFF, DPK_PCI_UNPLUGGING, DPK_PCI_PLUGGING, DPK_PCI_ON };
enum dpk_pci_side { DPK_PCI_HOST, DPK_PCI_DPU };

/* Place of a function: the bus of its card, which names the card on the host. */
struct dpk_pci_place {
    const char *folder; /* folder of the card */
    unsigned bus;
};

/* Makes a new function, which is off. Errors: DPK_ERR_EXISTS if functions of this type name have
 * another configuration, DPK_ERR_RANGE if there are too many functions. */
enum dpk_status dpk_pci_make(const struct dpk_pci_place *place, const struct dpk_pci_config *config,
                             unsigned *number, struct dpk_error *err);
/* Checks that a type of that name may have this configuration. Errors: DPK_ERR_EXISTS as above. */
enum dpk_status dpk_pci_agree(const char *folder, const struct dpk_pci_config *config,
                              struct dpk_error *err);
/* Opens a function. Errors: DPK_ERR_NOT_FOUND, DPK_ERR_FORMAT if its file is damaged. */
enum dpk_status dpk_pci_open(const char *folder, unsigned number, struct dpk_pci **out,
                             struct dpk_error *err);
/* Closes a function and releases the sides that it claimed. NULL is allowed. */
void dpk_pci_close(struct dpk_pci *f);
/* Removes a function that is off and whose DPU side is not claimed, or that is damaged. Errors:
 * DPK_ERR_REFUSED for other functions. */
enum dpk_status dpk_pci_remove(const char *folder, unsigned number, struct dpk_error *err);

const struct dpk_pci_config *dpk_pci_config_of(const struct dpk_pci *f);
unsigned dpk_pci_bus(const struct dpk_pci *f);    /* bus of its card */
unsigned dpk_pci_number(const struct dpk_pci *f); /* 1 to DPK_PCI_FUNCTIONS */
/* The PCI domain of functions on the host. dpk_pci_group returns the VFIO group of a function,
 * dpk_pci_address writes its address, "1003:01:00.0". */
#define DPK_PCI_ADDRESS_DOMAIN(bus) (0x1000u | ((bus)&0xff))
unsigned dpk_pci_group(const struct dpk_pci *f);
void dpk_pci_address(const struct dpk_pci *f, char out[13]);

/* ---- An open function ---- */

/* Claims a side for this process until it closes the function. Returns false if the side is claimed
 * through another opening of the function, also of this process. */
bool dpk_pci_claim(struct dpk_pci *f, enum dpk_pci_side side);
void dpk_pci_unclaim(struct dpk_pci *f, enum dpk_pci_side side);
/* Returns true if a process, possibly this one, has that side. */
bool dpk_pci_is_claimed(const struct dpk_pci *f, enum dpk_pci_side side);

enum dpk_pci_state dpk_pci_state_of(const struct dpk_pci *f);
/* Changes the state. Returns false if the state was not `from`, or the function is damaged. */
bool dpk_pci_set_state(struct dpk_pci *f, enum dpk_pci_state from, enum dpk_pci_state to);

/* Returns true if the size of its file has changed since it was opened. The first access to a lost
 * page turns the function off permanently: reads of this process then return zeros, and its writes
 * are lost. */
bool dpk_pci_is_damaged(const struct dpk_pci *f);
/* Returns true if the function was removed since it was opened, or is damaged. While this process
 * has its DPU side, it cannot be removed. */
bool dpk_pci_is_removed(const struct dpk_pci *f);

/* dpk_pci_bar returns the bytes of a BAR, and their number; dpk_pci_bar_offset, their offset
 * in the file. */
uint8_t *dpk_pci_bar(struct dpk_pci *f, unsigned bar, uint64_t *size);
uint64_t dpk_pci_bar_offset(const struct dpk_pci *f, unsigned bar);
/* Returns configuration space, DPK_PCI_SPACE bytes. */
uint8_t *dpk_pci_space(struct dpk_pci *f);
#define DPK_PCI_SPACE_OFFSET 4096u         /* offset of configuration space in the file */
int dpk_pci_file(const struct dpk_pci *f); /* borrowed from the function */

/* dpk_pci_set_identity sets the identity that the host sees from now on. dpk_pci_identity_of returns
 * the identity of a type's functions. */
void dpk_pci_set_identity(struct dpk_pci *f, const struct dpk_pci_identity *identity);
struct dpk_pci_identity dpk_pci_identity_of(const struct dpk_pci_config *config);
/* Sets the number of vectors that the host sees, at most the type's, which is the default. */
void dpk_pci_set_vectors(struct dpk_pci *f, unsigned vectors);
unsigned dpk_pci_vectors(struct dpk_pci *f);

/* Gets the last value written to a place of doorbells. Returns false if it was not written since
 * the last call. */
bool dpk_pci_take_ring(struct dpk_pci *f, unsigned region, unsigned place, uint32_t *value);
/* For MESSAGES: returns the number of the doorbell that a value rings, and how many numbers there
 * are. */
uint32_t dpk_pci_id(const struct dpk_pci_region *region, uint32_t value);
uint64_t dpk_pci_ids(const struct dpk_pci_region *region);

/* ---- Memory of the host program ---- */

/* Rights of exports (exports.h) for functions. */
enum { DPK_PCI_DMA_READ = 1, DPK_PCI_DMA_WRITE = 2 };

/* Memory exported by the host program, at an address of the function's bus. */
struct dpk_pci_mapping {
    struct dpk_exporter who;
    struct dpk_export what;
    uint64_t iova;
};

/* Maps memory; for the process that has the host side. Its ranges must not overlap. Returns false
 * if the limit is reached. */
bool dpk_pci_map(struct dpk_pci *f, const struct dpk_pci_mapping *mapping);
/* Unmaps the export with that key; 0: all exports. A concurrent read or write may still copy until
 * dpk_export_remove returns. */
void dpk_pci_unmap(struct dpk_pci *f, uint32_t key);

/* For the DPU, on any thread: copies bytes of the bus, which may belong to several mappings.
 * Returns false if the function is neither on nor being unplugged, is not a bus master, if a part
 * is not mapped with this right, or if the mapping process is gone. Part of the bytes may have been
 * copied. */
bool dpk_pci_dma_read(struct dpk_pci *f, uint64_t iova, void *to, size_t size);
bool dpk_pci_dma_write(struct dpk_pci *f, uint64_t iova, const void *from, size_t size);

/* ---- Resets and interrupts ---- */

/* Returns the total number of function level resets. */
uint32_t dpk_pci_resets(const struct dpk_pci *f);
/* Resets the function; for the host. Pending interrupts are dropped. */
void dpk_pci_reset(struct dpk_pci *f);

void dpk_pci_raise(struct dpk_pci *f, unsigned vector);
/* Returns true if the interrupt was raised since the last call. */
bool dpk_pci_take_interrupt(struct dpk_pci *f, unsigned vector);
/* Waits until an interrupt is raised after *seen (0 at the first call), or dpk_pci_wake is called,
 * but not longer than 200 ms. */
void dpk_pci_wait(struct dpk_pci *f, uint32_t *seen);
void dpk_pci_wake(struct dpk_pci *f);

#endif
