/* Cuts data that are too long for a frame into TCP segments, like network cards do (RFC 9293). */
#include <string.h>

#include "base/base.h"
#include "frame.h"

enum { IPV4_LENGTH = 2, IPV4_ID = 4, IPV6_LENGTH = 4, IPV6_HEADER = 40 };
enum { ETHER_HEADER = 14 };
enum { TCP_SEQUENCE = 4, TCP_FLAGS = 13, TCP_FIN_PSH = 0x09, TCP_CWR = 0x80 };

bool frame_segments_of(const uint8_t *headers, uint32_t size, uint64_t data, uint32_t mss,
                       struct segments *out)
{
    *out = (struct segments){.headers = headers, .headers_size = size, .mss = mss, .data = data};
    /* A program may have written any length into the headers, often 0 or the size of all data. */
    struct layers *l = &out->layers;
    frame_layers_find_before(headers, size, 0, l);
    if (l->version == 0) /* not IP: the headers stay unchanged */
        return mss > 0 && size >= ETHER_HEADER;
    return mss > 0 && l->protocol == PROTOCOL_TCP && l->l4 + l->l4_size == size;
}

bool frame_segments_of_joined(const uint8_t *frame, size_t size, uint32_t mss, size_t most,
                              struct segments *out)
{
    struct layers l;
    frame_layers_find(frame, size, &l);
    const size_t headers = l.l4 + l.l4_size;
    return l.protocol == PROTOCOL_TCP && l.end >= headers && l.end <= size && headers <= most &&
           mss <= most - headers &&
           frame_segments_of(frame, (uint32_t)headers, l.end - headers, mss, out);
}

uint64_t frame_segments_count(const struct segments *s)
{
    return s->data == 0 ? 1 : (s->data + s->mss - 1) / s->mss;
}

void frame_segments_header(const struct segments *s, uint64_t index, uint32_t data, uint8_t *out)
{
    const uint32_t l3 = (uint32_t)s->layers.l3, length = s->headers_size - l3 + data;
    const bool v4 = s->layers.version == 4;
    memcpy(out, s->headers, s->headers_size);
    if (s->layers.version == 0)
        return;
    if (v4) {
        struct dpk_reader id = dpk_reader(out + l3 + IPV4_ID, 2);
        dpk_store_be16(out + l3 + IPV4_ID, (uint16_t)(dpk_read_be16(&id) + index));
    }
    dpk_store_be16(out + l3 + (v4 ? IPV4_LENGTH : IPV6_LENGTH),
                   (uint16_t)(v4 ? length : length - IPV6_HEADER));
    uint8_t *tcp = out + s->layers.l4;
    struct dpk_reader sequence = dpk_reader(tcp + TCP_SEQUENCE, 4);
    dpk_store_be32(tcp + TCP_SEQUENCE, (uint32_t)(dpk_read_be32(&sequence) + index * s->mss));
    if (index + 1 < frame_segments_count(s))
        tcp[TCP_FLAGS] &= (uint8_t)~TCP_FIN_PSH;
    if (index > 0)
        tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR; /* RFC 3168, 6.1.2 */
}

size_t frame_segments_make(const struct segments *s, uint64_t index, uint8_t *out)
{
    const uint64_t at = index * s->mss, left = s->data - at;
    const uint32_t data = left < s->mss ? (uint32_t)left : s->mss;
    struct layers l = s->layers;
    frame_segments_header(s, index, data, out);
    memcpy(out + s->headers_size, s->headers + s->headers_size + at, data);
    l.end = s->headers_size + data;
    if (l.version == 4)
        frame_checksum_l3(out, &l);
    frame_checksum_l4(out, &l);
    return l.end;
}
