/* Finds headers in frames, and sums for checksums (RFC 791, 8200, 9293, 768, 1071). */
#include "frame.h"

#include <string.h>

#include "base/base.h"

#define EXTENSIONS_MAX 8
enum { TCP_HEADER = 20, UDP_HEADER = 8, IPV4_CHECKSUM = 10 };

/* `known` is the length of the packet if it is not 0, and replaces the header's length. */
static void ipv4(struct dpk_reader r, size_t known, struct layers *out)
{
    const size_t header = (dpk_read_u8(&r) & (size_t)15) * 4;
    dpk_read_skip(&r, 1);
    const size_t said = dpk_read_be16(&r), length = known ? known : said;
    dpk_read_skip(&r, 2);
    const uint16_t fragment = dpk_read_be16(&r);
    dpk_read_skip(&r, 1);
    const uint8_t protocol = dpk_read_u8(&r);
    dpk_read_skip(&r, 10);
    if (header < 20)
        return;
    dpk_read_skip(&r, header - 20);
    if (r.failed || length < header)
        return;
    out->version = 4;
    out->options = header > 20;
    out->fragment = (fragment & 0x3fff) != 0;
    out->l4 = out->l3 + header;
    out->end = out->l3 + length;
    out->protocol = protocol;
}

/* Skips an extension header. Returns false if the next header is not an extension header. */
static bool extension(struct dpk_reader *r, uint8_t *next, bool *fragment)
{
    enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, OPTIONS = 60 };
    const uint8_t type = *next;
    if (type != HOP_BY_HOP && type != ROUTING && type != OPTIONS && type != FRAGMENT)
        return false;
    *next = dpk_read_u8(r);
    const size_t length = dpk_read_u8(r);
    dpk_read_skip(r, 6 + (type == FRAGMENT ? 0 : length * 8));
    *fragment = *fragment || type == FRAGMENT;
    return true;
}

static void ipv6(struct dpk_reader r, size_t known, struct layers *out)
{
    const size_t begin = dpk_reader_offset(&r);
    bool fragment = false;
    unsigned count = 0;
    dpk_read_skip(&r, 4);
    const size_t said = 40u + dpk_read_be16(&r), length = known ? known : said;
    uint8_t next = dpk_read_u8(&r);
    dpk_read_skip(&r, 33);
    while (count < EXTENSIONS_MAX && extension(&r, &next, &fragment))
        count++;
    const size_t header = dpk_reader_offset(&r) - begin;
    if (r.failed || length < header)
        return;
    out->version = 6;
    out->options = count > 0;
    out->fragment = fragment;
    out->l4 = out->l3 + header;
    out->end = out->l3 + length;
    out->protocol = next;
}

/* Returns the size of the TCP or UDP header, or 0 if the header is of another protocol or cut. */
static size_t transport(struct dpk_reader r, const struct layers *l)
{
    size_t size = 0;
    if (l->protocol == PROTOCOL_UDP)
        size = UDP_HEADER;
    if (l->protocol == PROTOCOL_TCP) {
        struct dpk_reader offset = r;
        dpk_read_skip(&offset, 12);
        size = (size_t)(dpk_read_u8(&offset) >> 4) * 4;
        size = size < TCP_HEADER ? 0 : size;
    }
    dpk_read_skip(&r, size);
    return r.failed || l->end - l->l4 < size ? 0 : size;
}

/* `before`: the bytes are headers that come before as many of data; NULL: they are all. */
static void find_layers(const uint8_t *frame, size_t size, const size_t *before, struct layers *out)
{
    struct dpk_reader r = dpk_reader(frame, size);
    *out = (struct layers){0};
    dpk_read_skip(&r, 12);
    uint16_t type = dpk_read_be16(&r);
    while (type == ETHER_VLAN || type == ETHER_SERVICE_VLAN) {
        dpk_read_skip(&r, 2);
        type = dpk_read_be16(&r);
    }
    out->l3 = dpk_reader_offset(&r);
    const size_t known = before ? size - out->l3 + *before : 0;
    struct dpk_reader first = r;
    const unsigned version = dpk_read_u8(&first) >> 4;
    if (type == ETHER_IPV4 && version == 4)
        ipv4(r, known, out);
    else if (type == ETHER_IPV6 && version == 6)
        ipv6(r, known, out);
    if (out->version == 0)
        return;
    dpk_read_skip(&r, out->l4 - out->l3);
    out->l4_size = out->fragment ? 0 : transport(r, out);
    out->protocol = out->l4_size ? out->protocol : 0;
}

void frame_layers_find(const uint8_t *frame, size_t size, struct layers *out)
{
    find_layers(frame, size, NULL, out);
}

void frame_layers_find_before(const uint8_t *headers, size_t size, size_t data, struct layers *out)
{
    find_layers(headers, size, &data, out);
}

/* ---- Checksums ---- */

/* Sums words in host byte order. Swapping the bytes of such a sum gives the sum of the swapped
 * words (RFC 1071, 2.B). */
static uint64_t add(uint64_t sum, const uint8_t *bytes, size_t size)
{
    uint8_t last[4] = {0};
    uint32_t word;
    size_t i = 0;
    for (; size - i >= 4; i += 4) {
        memcpy(&word, bytes + i, 4);
        sum += word;
    }
    if (i < size)
        memcpy(last, bytes + i, size - i);
    memcpy(&word, last, 4);
    return sum + word;
}

static uint16_t fold(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    const uint16_t folded = (uint16_t)sum;
    uint8_t bytes[2];
    memcpy(bytes, &folded, 2);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

uint16_t frame_sum_of(const uint8_t *bytes, size_t size)
{
    return fold(add(0, bytes, size));
}

uint16_t frame_sum_l3(const uint8_t *frame, const struct layers *l)
{
    return frame_sum_of(frame + l->l3, l->l4 - l->l3);
}

uint16_t frame_sum_l4(const uint8_t *frame, const struct layers *l)
{
    const bool v6 = l->version == 6;
    uint8_t pseudo[8] = {0};
    dpk_store_be32(pseudo, (uint32_t)(l->end - l->l4));
    pseudo[7] = l->protocol;
    uint64_t sum = add(0, pseudo, sizeof pseudo);
    sum = add(sum, frame + l->l3 + (v6 ? 8 : 12), v6 ? 32 : 8);
    return fold(add(sum, frame + l->l4, l->end - l->l4));
}

size_t frame_l4_checksum_at(const struct layers *l)
{
    return l->l4 + (l->protocol == PROTOCOL_TCP ? 16 : 6);
}

void frame_checksum_finish(uint8_t *frame, size_t size, size_t start, size_t offset)
{
    if (start >= size || size - start < 2 || offset > size - start - 2)
        return;
    const uint16_t sum = (uint16_t)~frame_sum_of(frame + start, size - start);
    /* 0 would mean "no checksum" (RFC 768). For TCP both values are equivalent. */
    dpk_store_be16(frame + start + offset, sum ? sum : 0xffff);
}

void frame_checksum_l3(uint8_t *frame, const struct layers *l)
{
    uint8_t *checksum = frame + l->l3 + IPV4_CHECKSUM;
    dpk_store_be16(checksum, 0);
    dpk_store_be16(checksum, (uint16_t)~frame_sum_l3(frame, l));
}

void frame_checksum_l4(uint8_t *frame, const struct layers *l)
{
    uint8_t *checksum = frame + frame_l4_checksum_at(l);
    dpk_store_be16(checksum, 0);
    const uint16_t sum = (uint16_t)~frame_sum_l4(frame, l);
    /* UDP uses 0 for "no checksum" (RFC 768). */
    dpk_store_be16(checksum, sum == 0 && l->protocol == PROTOCOL_UDP ? 0xffff : sum);
}
