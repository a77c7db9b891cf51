/*
 * Checksums, tags and segments of frames that are sent, as the Ethernet segment of a WQE asks for
 * them (struct mlx5_wqe_eth_seg as drivers of Linux and DPDK fill it).
 */
#include "offload.h"

#include <string.h>

#include "base/base.h"
#include "frame/frame.h"

#define MAC_ADDRESSES 12u
enum { IPV4_LENGTH = 2, IPV4_ID = 4, IPV4_CHECKSUM = 10, IPV6_LENGTH = 4, IPV6_HEADER = 40 };
enum { TCP_SEQUENCE = 4, TCP_FLAGS = 13, TCP_FIN_PSH = 0x09 };

void offload_tag(uint8_t *frame, uint32_t *size, const struct wqe *wqe)
{
    memmove(frame + MAC_ADDRESSES + VLAN_TAG, frame + MAC_ADDRESSES, *size - MAC_ADDRESSES);
    dpk_store_be16(frame + MAC_ADDRESSES, wqe->service_tag ? ETHER_SERVICE_VLAN : ETHER_VLAN);
    dpk_store_be16(frame + MAC_ADDRESSES + 2, wqe->tci);
    *size += VLAN_TAG;
}

void offload_checksums(uint8_t *frame, size_t size, uint16_t flags)
{
    struct layers l;
    if (!(flags & (CHECKSUM_L3 | CHECKSUM_L4)))
        return;
    layers_find(frame, size, &l);
    if (l.version == 4 && flags & CHECKSUM_L3) {
        dpk_store_be16(frame + l.l3 + IPV4_CHECKSUM, 0);
        dpk_store_be16(frame + l.l3 + IPV4_CHECKSUM, (uint16_t)~sum_l3(frame, &l));
    }
    if (l.protocol == 0 || l.end > size || !(flags & CHECKSUM_L4))
        return;
    const size_t at = l4_checksum_at(&l);
    dpk_store_be16(frame + at, 0);
    const uint16_t sum = (uint16_t)~sum_l4(frame, &l);
    /* A datagram with 0 there has no checksum (RFC 768). */
    dpk_store_be16(frame + at, sum == 0 && l.protocol == PROTOCOL_UDP ? 0xffff : sum);
}

/* ---- Large send ---- */

bool segments_find(const struct wqe *wqe, struct segments *out)
{
    const struct pieces *d = &wqe->data;
    if (wqe->mss == 0 || wqe->headers == 0 || wqe->headers > WQE_MAX || d->count == 0)
        return false;
    *out = (struct segments){.headers = d->list[0].bytes,
                             .headers_size = wqe->headers,
                             .mss = wqe->mss,
                             .data = d->total - wqe->headers};
    /* Lengths are what a program has put there, often 0 or that of all data. */
    struct layers *l = &out->layers;
    layers_find_before(out->headers, out->headers_size, 0, l);
    return l->protocol == PROTOCOL_TCP && l->l4 + l->l4_size == out->headers_size;
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
}
