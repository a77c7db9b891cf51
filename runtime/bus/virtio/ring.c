/* Split virtqueues: chains of descriptors that the driver offers, and those that the device returns. */
#include <linux/virtio_ring.h>
#include <string.h>

#include "bus/virtio/virtio.h"

enum { DESCRIPTOR = 16, USED = 8, RING = 4 }; /* bytes; RING: flags and index before the entries */

struct descriptor {
    uint64_t address;
    uint32_t size;
    uint16_t flags, next;
};

/* A descriptor table: the queue's, or an indirect table. */
struct table {
    uint64_t address;
    uint32_t count;
    bool indirect;
};

static enum dpk_virtq_found broken(struct dpk_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum dpk_virtq_found broken(struct dpk_error *err, const char *format, ...)
{
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    dpk_fail(err, DPK_ERR_FORMAT, "%s", text);
    return DPK_VIRTQ_BROKEN;
}

/* ---- Opening ---- */

static bool lies(uint64_t address, uint64_t size, uint64_t alignment)
{
    return address % alignment == 0 && size - 1 <= UINT64_MAX - address;
}

enum dpk_status dpk_virtq_open(struct dpk_virtq *q, const struct dpk_virtq_place *p,
                               struct dpk_error *err)
{
    memset(q, 0, sizeof *q);
    if (p->size == 0 || p->size > DPK_VIRTQ_SIZE_MAX || (p->size & (p->size - 1u)))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "the queue has %u descriptors, which is not a power of 2 up to %u", p->size,
                        DPK_VIRTQ_SIZE_MAX);
    if (!lies(p->desc, p->size * UINT64_C(16), 16) ||
        !lies(p->avail, RING + p->size * UINT64_C(2), 2) ||
        !lies(p->used, RING + p->size * UINT64_C(8), 4))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "the parts of the queue are not aligned, or exceed the address space");
    q->place = *p;
    return DPK_OK;
}

/* ---- Taking ---- */

static bool read_u16(const struct dpk_virtq_memory *memory, uint64_t address, uint16_t *value)
{
    uint8_t bytes[2];
    if (!memory->read(memory->context, address, bytes, sizeof bytes))
        return false;
    struct dpk_reader r = dpk_reader(bytes, sizeof bytes);
    *value = dpk_read_le16(&r);
    return true;
}

static bool read_descriptor(const struct dpk_virtq_memory *memory, const struct table *t,
                            uint32_t index, struct descriptor *d)
{
    uint8_t bytes[DESCRIPTOR];
    if (!memory->read(memory->context, t->address + index * UINT64_C(16), bytes, sizeof bytes))
        return false;
    struct dpk_reader r = dpk_reader(bytes, sizeof bytes);
    d->address = dpk_read_le64(&r);
    d->size = dpk_read_le32(&r);
    d->flags = dpk_read_le16(&r);
    d->next = dpk_read_le16(&r);
    return true;
}

static enum dpk_virtq_found add_part(const struct dpk_virtq *q, const struct descriptor *d,
                                     struct dpk_virtq_chain *c, struct dpk_error *err)
{
    const bool writable = d->flags & VRING_DESC_F_WRITE;
    uint32_t *sum = writable ? &c->writable_size : &c->readable_size;
    if (!writable && c->writable > 0)
        return broken(err, "a readable descriptor follows a writable descriptor");
    if (d->size == 0)
        return DPK_VIRTQ_CHAIN;
    if (d->size - 1 > UINT64_MAX - d->address)
        return broken(err, "a descriptor of 0x%x bytes at 0x%llx exceeds the address space",
                      d->size, (unsigned long long)d->address);
    if (d->size > UINT32_MAX - c->readable_size - c->writable_size)
        return broken(err, "a chain of descriptors has more than 2^32 bytes");
    if (c->readable + c->writable == q->place.size)
        return broken(err, "a chain has more descriptors than the %u of the queue", q->place.size);
    c->parts[c->readable + c->writable] = (struct dpk_virtq_part){d->address, d->size};
    *sum += d->size;
    *(writable ? &c->writable : &c->readable) += 1;
    return DPK_VIRTQ_CHAIN;
}

/* Sets the table to the indirect table that a descriptor names. */
static enum dpk_virtq_found enter_indirect(const struct dpk_virtq *q, const struct descriptor *d,
                                           struct table *t, struct dpk_error *err)
{
    if (!q->place.indirect)
        return broken(err, "a descriptor is indirect, which was not negotiated");
    if (t->indirect)
        return broken(err, "an indirect table has an indirect descriptor");
    if (d->flags & VRING_DESC_F_NEXT)
        return broken(err, "an indirect descriptor has a next descriptor");
    if (d->size == 0 || d->size % DESCRIPTOR || d->size / DESCRIPTOR > q->place.size ||
        d->size - 1 > UINT64_MAX - d->address)
        return broken(err,
                      "an indirect table has 0x%x bytes, which are not 1 to %u descriptors of the "
                      "address space",
                      d->size, q->place.size);
    *t = (struct table){d->address, d->size / DESCRIPTOR, true};
    return DPK_VIRTQ_CHAIN;
}

/* Follows a chain. Each step is a different descriptor, or the chain is a loop. */
static enum dpk_virtq_found walk(const struct dpk_virtq *q, const struct dpk_virtq_memory *memory,
                                 struct dpk_virtq_chain *c, struct dpk_error *err)
{
    struct table t = {q->place.desc, q->place.size, false};
    struct descriptor d;
    uint32_t index = c->head, steps = 0;
    for (;;) {
        if (index >= t.count)
            return broken(err, "a chain leads to descriptor %u of a table of %u", index, t.count);
        if (steps++ == t.count)
            return broken(err, "a chain of descriptors is a loop");
        if (!read_descriptor(memory, &t, index, &d))
            return broken(err, "descriptor %u of a table at 0x%llx cannot be read", index,
                          (unsigned long long)t.address);
        enum dpk_virtq_found found;
        if (d.flags & VRING_DESC_F_INDIRECT) {
            found = enter_indirect(q, &d, &t, err);
            index = steps = 0;
        } else {
            found = add_part(q, &d, c, err);
            index = d.next;
        }
        if (found != DPK_VIRTQ_CHAIN)
            return found;
        if (!(d.flags & (VRING_DESC_F_NEXT | VRING_DESC_F_INDIRECT)))
            return DPK_VIRTQ_CHAIN;
    }
}

enum dpk_virtq_found dpk_virtq_take(struct dpk_virtq *q, const struct dpk_virtq_memory *memory,
                                    struct dpk_virtq_chain *c, struct dpk_error *err)
{
    const struct dpk_virtq_place *p = &q->place;
    uint16_t index, head;
    if (!read_u16(memory, p->avail + 2, &index))
        return broken(err, "the available ring at 0x%llx cannot be read",
                      (unsigned long long)p->avail);
    const uint16_t offered = (uint16_t)(index - q->avail);
    if (offered == 0)
        return DPK_VIRTQ_EMPTY;
    if (offered > p->size)
        return broken(err, "the driver offers %u chains in a ring of %u", offered, p->size);
    if (!read_u16(memory, p->avail + RING + UINT64_C(2) * (q->avail % p->size), &head))
        return broken(err, "the available ring at 0x%llx cannot be read",
                      (unsigned long long)p->avail);
    if (head >= p->size)
        return broken(err, "the driver offers descriptor %u of a table of %u", head, p->size);
    if (q->held[head / 32] & 1u << head % 32)
        return broken(err, "the driver offers descriptor %u, which the device has", head);
    c->head = head;
    c->readable = c->writable = 0;
    c->readable_size = c->writable_size = 0;
    const enum dpk_virtq_found found = walk(q, memory, c, err);
    if (found == DPK_VIRTQ_CHAIN) {
        q->held[head / 32] |= 1u << head % 32;
        q->avail++;
    }
    return found;
}

/* ---- Giving back ---- */

bool dpk_virtq_give(struct dpk_virtq *q, const struct dpk_virtq_memory *memory, uint16_t head,
                    uint32_t written, bool *interrupts)
{
    const struct dpk_virtq_place *p = &q->place;
    uint8_t entry[USED], index[2];
    uint16_t flags = 0;
    dpk_store_le(entry, head, 4);
    dpk_store_le(entry + 4, written, 4);
    dpk_store_le(index, (uint16_t)(q->used + 1u), sizeof index);
    q->held[head / 32] &= ~(1u << head % 32);
    if (!memory->write(memory->context, p->used + RING + UINT64_C(8) * (q->used % p->size), entry,
                       sizeof entry))
        return false;
    atomic_thread_fence(memory_order_seq_cst); /* the entry is there before its index */
    if (!memory->write(memory->context, p->used + 2, index, sizeof index))
        return false;
    q->used++;
    atomic_thread_fence(memory_order_seq_cst); /* the index is there before the flags are read */
    const bool known = read_u16(memory, p->avail, &flags);
    *interrupts = known && !(flags & VRING_AVAIL_F_NO_INTERRUPT);
    return known;
}
