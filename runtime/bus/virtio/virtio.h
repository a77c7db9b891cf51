/*
 * virtio: devices of virtio 1.2 on emulated PCI functions: split virtqueues. The driver runs in the
 * host program, and the device in the DPU program. Neither trusts the other.
 *
 *     struct dpk_virtq q;
 *     dpk_virtq_open(&q, &place, &err);                    // the DPU's: a queue of an enabled device
 *     while (dpk_virtq_take(&q, &memory, chain, &err) == DPK_VIRTQ_CHAIN)
 *         dpk_virtq_give(&q, &memory, chain->head, 0, &interrupts);
 *
 * Everything in the driver's memory is hostile: the first violation of the specification ends the
 * work on a queue with a reason. The caller then asks for a reset.
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

#endif
