/*
 * virtio: devices of virtio 1.2 on emulated PCI functions: split virtqueues, and the registers of the
 * PCI transport. The driver runs in the host program, and the device in the DPU program. Neither
 * trusts the other.
 *
 *     struct dpk_virtio v;
 *     dpk_virtio_find(f, &v);                              // its registers
 *     dpk_virtio_write(&v, offset, bytes, size);           // the host's: a write of the driver
 *     dpk_virtio_reset(&v, &setup);                        // the DPU's: registers of a new device
 *
 *     struct dpk_virtq q;
 *     dpk_virtq_open(&q, &place, &err);                    // the DPU's: a queue of an enabled device
 *     while (dpk_virtq_take(&q, &memory, chain, &err) == DPK_VIRTQ_CHAIN)
 *         dpk_virtq_give(&q, &memory, chain->head, 0, &interrupts);
 *
 * Everything in the driver's memory is hostile: the first violation of the specification ends the
 * work on a queue with a reason. The caller then asks for a reset (dpk_virtio_need_reset).
 */
#ifndef DPK_BUS_VIRTIO_VIRTIO_H
#define DPK_BUS_VIRTIO_VIRTIO_H

#include "bus/pci/pci.h"

/* ---- Split virtqueues (virtio 1.2, 2.7) ---- */

#define DPK_VIRTQ_SIZE_MAX 1024u /* maximum descriptors of a queue */

/* Copies memory of the driver. The functions return false if a byte cannot be accessed. */
struct dpk_virtq_memory {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    bool (*write)(void *context, uint64_t address, const void *from, size_t size);
    void *context;
};

/* A queue as the driver set it up. */
struct dpk_virtq_place {
    uint16_t size;        /* descriptors: a power of 2 */
    bool indirect;        /* the driver may use indirect descriptors */
    uint64_t desc;        /* descriptor table */
    uint64_t avail, used; /* driver area, device area */
};

struct dpk_virtq {
    struct dpk_virtq_place place;
    uint16_t avail, used;                    /* the next indices of both rings */
    uint32_t held[DPK_VIRTQ_SIZE_MAX / 32u]; /* heads of chains that the device has */
};

/* A part of a chain in the driver's memory. Its size is not 0. */
struct dpk_virtq_part {
    uint64_t address;
    uint32_t size;
};
struct dpk_virtq_chain {
    uint16_t head;
    unsigned readable, writable;           /* numbers of parts; readable parts come first */
    uint32_t readable_size, writable_size; /* bytes */
    struct dpk_virtq_part parts[DPK_VIRTQ_SIZE_MAX];
};

enum dpk_virtq_found { DPK_VIRTQ_EMPTY, DPK_VIRTQ_CHAIN, DPK_VIRTQ_BROKEN };

/* Checks the place of a queue. Errors: DPK_ERR_RANGE. */
enum dpk_status dpk_virtq_open(struct dpk_virtq *q, const struct dpk_virtq_place *place,
                               struct dpk_error *err);
/* Takes the next chain of buffers. After BROKEN, with a reason, the queue must not be used. */
enum dpk_virtq_found dpk_virtq_take(struct dpk_virtq *q, const struct dpk_virtq_memory *memory,
                                    struct dpk_virtq_chain *chain, struct dpk_error *err);
/* Gives a chain back that dpk_virtq_take took, with the number of written bytes. *interrupts says if the
 * driver wants an interrupt. Returns false if the rings cannot be accessed. */
bool dpk_virtq_give(struct dpk_virtq *q, const struct dpk_virtq_memory *memory, uint16_t head,
                    uint32_t written, bool *interrupts);

/* ---- Registers (virtio 1.2, 4.1.4) ---- */

#define DPK_VIRTIO_QUEUES_MAX  64u
#define DPK_VIRTIO_COMMON_SIZE 56u     /* bytes of the common configuration */
#define DPK_VIRTIO_BANK_SIZE   0x1000u /* bytes of the region BANK */
#define DPK_VIRTIO_NO_VECTOR   0xffffu

/* The registers of a function; valid until it is closed. */
struct dpk_virtio {
    struct dpk_pci *f;
    uint8_t *common, *device;
    uint32_t device_size; /* bytes of the device's own configuration */
    struct virtio_bank *bank;
};

/* Finds the registers of a function. Returns false if the function is not a virtio device. */
bool dpk_virtio_find(struct dpk_pci *f, struct dpk_virtio *out);

/* For the host: a driver writes `size` bytes of the common configuration at an offset. Bytes after its
 * end are ignored. The registers that depend on it have their new values when this returns, except the
 * status after a reset, which only the DPU ends. */
void dpk_virtio_write(const struct dpk_virtio *v, uint64_t offset, const uint8_t *bytes,
                      size_t size);

/* For the DPU: the registers that a driver finds after a reset. */
struct dpk_virtio_setup {
    uint64_t features;
    uint16_t queues, queue_size;
};
/* Ends a reset, whoever began it: all registers have their first values. */
void dpk_virtio_reset(const struct dpk_virtio *v, const struct dpk_virtio_setup *setup);
/* Returns true if the driver asked for a reset that has not ended. */
bool dpk_virtio_is_resetting(const struct dpk_virtio *v);
uint8_t dpk_virtio_status(const struct dpk_virtio *v);
/* Sets DEVICE_NEEDS_RESET, and notifies the driver of it. */
void dpk_virtio_need_reset(const struct dpk_virtio *v);
/* What the driver has written; any value is possible. */
uint64_t dpk_virtio_driver_features(const struct dpk_virtio *v);
uint16_t dpk_virtio_config_vector(const struct dpk_virtio *v);
uint8_t dpk_virtio_generation(const struct dpk_virtio *v);
/* Gets a queue, below DPK_VIRTIO_QUEUES_MAX. Returns false if the driver has not enabled it. */
bool dpk_virtio_queue(const struct dpk_virtio *v, unsigned index, struct dpk_virtq_place *place,
                      uint16_t *vector);
/* Returns true if a driver may have its features: the device has them all, and VERSION_1 is among them. */
bool dpk_virtio_features_are_good(uint64_t driver, uint64_t device);
/* Raises an interrupt, unless `vector` is DPK_VIRTIO_NO_VECTOR or is not a vector of the function. */
void dpk_virtio_interrupt(const struct dpk_virtio *v, uint16_t vector);

#endif
