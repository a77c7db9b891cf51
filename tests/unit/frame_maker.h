/* Makes frames, byte by byte, and checks checksums with code of its own. */
#ifndef TESTS_FRAME_MAKER_H
#define TESTS_FRAME_MAKER_H

#include <stdint.h>
#include <string.h>

#include "base/base.h"

struct made {
    uint8_t bytes[9300];
    uint32_t size, l3, l4;
};

static inline uint32_t word_sum(const uint8_t *p, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < size; i++)
        sum += (uint32_t)p[i] << (i % 2 ? 0 : 8);
    return sum;
}

static inline uint16_t folded(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static inline unsigned be16_at(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

/* The sum that a receiver makes of TCP or UDP; 0xffff: right. */
static inline uint16_t l4_sum(const uint8_t *f, uint32_t l3, uint32_t l4)
{
    const bool v6 = f[l3] >> 4 == 6;
    const uint32_t size =
        v6 ? be16_at(f + l3 + 4) - (l4 - l3 - 40) : be16_at(f + l3 + 2) - (l4 - l3);
    const uint32_t sum = v6 ? word_sum(f + l3 + 8, 32) : word_sum(f + l3 + 12, 8);
    return folded(sum + size + f[l3 + (v6 ? 6 : 9)] + folded(word_sum(f + l4, size)));
}

/* A frame with `data` bytes after the header of TCP (20 bytes) or UDP, with a tag if `tci` is not
 * 0; right checksums. */
static inline struct made frame_of(unsigned version, uint8_t protocol, uint16_t tci, uint32_t data)
{
    struct made m = {.l3 = tci ? 18 : 14};
    const uint32_t l4_size = protocol == 6 ? 20 : protocol == 17 ? 8 : 0;
    uint8_t *p = m.bytes;
    m.l4 = m.l3 + (version == 4 ? 20 : 40);
    m.size = m.l4 + l4_size + data;
    for (uint32_t i = 0; i < 12; i++)
        p[i] = (uint8_t)(2 + i);
    if (tci) {
        dpk_store_be16(p + 12, 0x8100);
        dpk_store_be16(p + 14, tci);
    }
    dpk_store_be16(p + m.l3 - 2, version == 4 ? 0x0800 : 0x86dd);
    p += m.l3;
    p[0] = version == 4 ? 0x45 : 0x60;
    dpk_store_be16(p + (version == 4 ? 2 : 4), (uint16_t)(m.size - m.l3 - (version == 4 ? 0 : 40)));
    dpk_store_be16(p + 4, version == 4 ? 0x1234 : (uint16_t)(m.size - m.l4));
    p[version == 4 ? 8 : 7] = 64;
    p[version == 4 ? 9 : 6] = protocol;
    for (uint32_t i = version == 4 ? 12 : 8; i < m.l4 - m.l3; i++)
        p[i] = (uint8_t)(i * 7);
    if (version == 4)
        dpk_store_be16(p + 10, (uint16_t)~folded(word_sum(p, 20)));
    p = m.bytes + m.l4;
    for (uint32_t i = 0; i < data; i++)
        p[l4_size + i] = (uint8_t)(i * 13 + 1);
    if (l4_size == 0)
        return m;
    dpk_store_be32(p, 0x30391f90); /* ports 12345 and 8080 */
    if (protocol == 6) {
        dpk_store_be32(p + 4, 0xfffffff0);
        dpk_store_be32(p + 8, 7);
        p[12] = 0x50;
        p[13] = 0x19; /* FIN, PSH, ACK */
    } else {
        dpk_store_be16(p + 4, (uint16_t)(8 + data));
    }
    dpk_store_be16(p + (protocol == 6 ? 16 : 6), (uint16_t)~l4_sum(m.bytes, m.l3, m.l4));
    return m;
}

#endif
