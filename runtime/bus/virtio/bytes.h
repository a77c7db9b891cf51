/* Little-endian numbers of registers and rings. */
#ifndef DPK_BUS_VIRTIO_BYTES_H
#define DPK_BUS_VIRTIO_BYTES_H

#include <stdint.h>

static inline void virtio_put_le(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t virtio_get_le(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

#endif
