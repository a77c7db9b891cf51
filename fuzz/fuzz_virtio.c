/* Rings and descriptors of a hostile driver of a virtio device. An input is the driver's memory, which
 * begins with the places of the queue. */
#include <stdlib.h>
#include <string.h>

#include "bus/virtio/virtio.h"

enum { MEMORY = 4096 };

static uint8_t memory[MEMORY];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_there(uint64_t address, size_t size)
{
    return address <= MEMORY && size <= MEMORY - address;
}

static bool read_it(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    if (is_there(address, size))
        memcpy(to, memory + address, size);
    return is_there(address, size);
}

static bool write_it(void *context, uint64_t address, const void *from, size_t size)
{
    (void)context;
    if (is_there(address, size))
        memcpy(memory + address, from, size);
    return is_there(address, size);
}

/* The parts of a chain are within its promises. */
static void check(const struct dpk_virtq *q, const struct dpk_virtq_chain *c)
{
    uint64_t sums[2] = {0};
    if (c->head >= q->place.size || c->readable + c->writable > q->place.size)
        abort();
    for (unsigned i = 0; i < c->readable + c->writable; i++) {
        sums[i >= c->readable] += c->parts[i].size;
        if (c->parts[i].size == 0 || c->parts[i].size - 1 > UINT64_MAX - c->parts[i].address)
            abort();
    }
    if (sums[0] != c->readable_size || sums[1] != c->writable_size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dpk_virtq q;
    static struct dpk_virtq_chain chain;
    const struct dpk_virtq_memory bus = {.read = read_it, .write = write_it};
    struct dpk_error err = {0};
    bool interrupts;
    memset(memory, 0, sizeof memory);
    memcpy(memory, data, size < MEMORY ? size : MEMORY);
    struct dpk_reader r = dpk_reader(memory, 8);
    const struct dpk_virtq_place place = {.size = dpk_read_le16(&r),
                                          .indirect = (memory[1] & 0x80) == 0,
                                          .desc = dpk_read_le16(&r),
                                          .avail = dpk_read_le16(&r),
                                          .used = dpk_read_le16(&r)};
    if (dpk_virtq_open(&q, &place, &err) != DPK_OK)
        return 0;
    for (unsigned i = 0; i < 64; i++) {
        if (dpk_virtq_take(&q, &bus, &chain, &err) != DPK_VIRTQ_CHAIN)
            return 0;
        check(&q, &chain);
        if (i % 3 && !dpk_virtq_give(&q, &bus, chain.head, chain.writable_size, &interrupts))
            return 0;
    }
    return 0;
}
