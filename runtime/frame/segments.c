/* Cuts what is longer than a frame into segments of TCP, as network cards do (RFC 9293). */
#include <string.h>

#include "base/base.h"
#include "frame.h"

enum { IPV4_LENGTH = 2, IPV4_ID = 4, IPV6_LENGTH = 4, IPV6_HEADER = 40 };
enum { TCP_SEQUENCE = 4, TCP_FLAGS = 13, TCP_FIN_PSH = 0x09, TCP_CWR = 0x80 };

bool segments_of(const uint8_t *headers, uint32_t size, uint64_t data, uint32_t mss,
                 struct segments *out)
{
    *out = (struct segments){.headers = headers, .headers_size = size, .mss = mss, .data = data};
    /* Lengths are what a program has put there, often 0 or that of all data. */
    struct layers *l = &out->layers;
    layers_find_before(headers, size, 0, l);
    return mss > 0 && l->protocol == PROTOCOL_TCP && l->l4 + l->l4_size == size;
}

uint64_t segments_count(const struct segments *s)
{
    return s->data == 0 ? 1 : (s->data + s->mss - 1) / s->mss;
}

void segments_header(const struct segments *s, uint64_t index, uint32_t data, uint8_t *out)
{
    const uint32_t l3 = (uint32_t)s->layers.l3, length = s->headers_size - l3 + data;
    const bool v4 = s->layers.version == 4;
    memcpy(out, s->headers, s->headers_size);
    if (v4) {
        struct dpk_reader id = dpk_reader(out + l3 + IPV4_ID, 2);
        dpk_store_be16(out + l3 + IPV4_ID, (uint16_t)(dpk_read_be16(&id) + index));
    }
    dpk_store_be16(out + l3 + (v4 ? IPV4_LENGTH : IPV6_LENGTH),
                   (uint16_t)(v4 ? length : length - IPV6_HEADER));
    uint8_t *tcp = out + s->layers.l4;
    struct dpk_reader sequence = dpk_reader(tcp + TCP_SEQUENCE, 4);
    dpk_store_be32(tcp + TCP_SEQUENCE, (uint32_t)(dpk_read_be32(&sequence) + index * s->mss));
    if (index + 1 < segments_count(s))
        tcp[TCP_FLAGS] &= (uint8_t)~TCP_FIN_PSH;
    if (index > 0)
        tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR; /* RFC 3168, 6.1.2 */
}
