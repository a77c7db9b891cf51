/* Parses the headers of a frame for steering rules. */
#include "headers.h"

#include <string.h>

#include "base/base.h"

enum { VLAN = 0x8100, SERVICE_VLAN = 0x88a8, IPV4 = 0x0800, IPV6 = 0x86dd };
enum { TCP = 6, UDP = 17 };
#define EXTENSIONS_MAX 8

static void copy(struct dpk_reader *r, uint8_t *to, size_t size)
{
    const uint8_t *from = dpk_read_bytes(r, size);
    if (!r->failed)
        memcpy(to, from, size);
}

static void put16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

/* Returns the type after all tags. Stores the first two tags. */
static uint16_t ethernet(struct dpk_reader *r, uint8_t *out)
{
    copy(r, out + DPK_MATCH_DMAC, 6);
    copy(r, out + DPK_MATCH_SMAC, 6);
    uint16_t type = dpk_read_be16(r);
    for (unsigned i = 0; type == VLAN || type == SERVICE_VLAN; i++) {
        const uint16_t tag = dpk_read_be16(r);
        if (i == 0 && !r->failed) {
            out[DPK_MATCH_TAGS] |= type == VLAN ? DPK_MATCH_CVLAN : DPK_MATCH_SVLAN;
            put16(out + DPK_MATCH_FIRST_VLAN, tag);
        } else if (i == 1 && !r->failed) {
            out[DPK_MATCH_SECOND_TAGS] |=
                type == VLAN ? DPK_MATCH_SECOND_CVLAN : DPK_MATCH_SECOND_SVLAN;
            put16(out + DPK_MATCH_SECOND_VLAN, tag);
        }
        type = dpk_read_be16(r);
    }
    if (!r->failed)
        put16(out + DPK_MATCH_ETHERTYPE, type);
    return type;
}

/* Returns whether ports may follow. Only the first fragment of a packet has ports. */
static bool ipv4(struct dpk_reader *r, uint8_t *out)
{
    const uint8_t first = dpk_read_u8(r);
    copy(r, out + DPK_MATCH_TRAFFIC_CLASS, 1);
    dpk_read_skip(r, 4);
    const uint16_t fragment = dpk_read_be16(r);
    copy(r, out + DPK_MATCH_TTL, 1);
    copy(r, out + DPK_MATCH_PROTOCOL, 1);
    dpk_read_skip(r, 2);
    copy(r, out + DPK_MATCH_SOURCE + DPK_MATCH_IPV4, 4);
    copy(r, out + DPK_MATCH_DESTINATION + DPK_MATCH_IPV4, 4);
    out[DPK_MATCH_TAGS] |= (uint8_t)(4 << DPK_MATCH_VERSION_SHIFT);
    if (fragment & 0x3fff)
        out[DPK_MATCH_TAGS] |= DPK_MATCH_FRAGMENT;
    const size_t words = first & 15u;
    if (words < 5)
        return false;
    dpk_read_skip(r, words * 4 - 20);
    return (fragment & 0x1fff) == 0;
}

/* Skips extension headers. Returns whether ports may follow. */
static bool ipv6(struct dpk_reader *r, uint8_t *out)
{
    enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENTED = 44, OPTIONS = 60 };
    bool ports = true;
    out[DPK_MATCH_TRAFFIC_CLASS] = (uint8_t)(dpk_read_be32(r) >> 20);
    dpk_read_skip(r, 2);
    uint8_t next = dpk_read_u8(r);
    copy(r, out + DPK_MATCH_TTL, 1);
    copy(r, out + DPK_MATCH_SOURCE, 16);
    copy(r, out + DPK_MATCH_DESTINATION, 16);
    out[DPK_MATCH_TAGS] |= (uint8_t)(6 << DPK_MATCH_VERSION_SHIFT);
    for (unsigned i = 0; i < EXTENSIONS_MAX; i++) {
        const bool fragmented = next == FRAGMENTED;
        if (next != HOP_BY_HOP && next != ROUTING && next != OPTIONS && !fragmented)
            break;
        next = dpk_read_u8(r);
        const size_t length = dpk_read_u8(r) * (fragmented ? 0u : 8u);
        if (fragmented) {
            out[DPK_MATCH_TAGS] |= DPK_MATCH_FRAGMENT;
            ports = ports && dpk_read_be16(r) >> 3 == 0;
            dpk_read_skip(r, 4);
        } else {
            dpk_read_skip(r, 6 + length);
        }
    }
    if (!r->failed)
        out[DPK_MATCH_PROTOCOL] = next;
    return ports;
}

static void udp(struct dpk_reader *r, uint8_t *out)
{
    dpk_read_skip(r, 2);
    struct dpk_reader port = *r;
    dpk_read_skip(r, 6);
    if (dpk_read_be16(&port) == VXLAN_PORT && dpk_read_u8(r) & VXLAN_HAS_VNI) {
        dpk_read_skip(r, 3);
        copy(r, out + DPK_MATCH_VNI, 3);
    }
}

static void transport(struct dpk_reader *r, uint8_t *out)
{
    if (out[DPK_MATCH_PROTOCOL] == UDP) {
        struct dpk_reader ports = *r;
        copy(&ports, out + DPK_MATCH_UDP_PORTS, 4);
        udp(r, out);
    }
    if (out[DPK_MATCH_PROTOCOL] != TCP)
        return;
    copy(r, out + DPK_MATCH_TCP_PORTS, 4);
    dpk_read_skip(r, 8);
    const uint16_t flags = dpk_read_be16(r) & 0x1ff;
    if (r->failed)
        return;
    out[DPK_MATCH_TAGS] |= (uint8_t)(flags >> 8);
    out[DPK_MATCH_TAGS + 1] = (uint8_t)flags;
}

void queues_headers_match(const uint8_t *frame, size_t size, uint8_t out[PARSED_BYTES])
{
    struct dpk_reader r = dpk_reader(frame, size);
    memset(out, 0, PARSED_BYTES);
    const uint16_t type = ethernet(&r, out);
    if (r.failed || (type != IPV4 && type != IPV6))
        return;
    const bool ports = type == IPV4 ? ipv4(&r, out) : ipv6(&r, out);
    if (ports && !r.failed)
        transport(&r, out);
}
