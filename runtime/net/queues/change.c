/* Changes of rules to frames: tags, counters, VLAN tags, tunnels (RFC 7348). */
#include <string.h>

#include "headers.h"
#include "packet.h"

#define MAC_ADDRESSES 12u
#define WRAP_MAX      256u /* bytes of headers that are put before a frame */
enum { IPV4_LENGTH = 2, IPV4_CHECKSUM = 10, IPV6_LENGTH = 4, IPV6_HEADER = 40, UDP_LENGTH = 4 };
enum { FLOW_PORTS = 0xc000 }; /* the first source port of tunnels */

/* ---- Tags of VLANs ---- */

static bool has_tag(const struct packet *p)
{
    struct dpk_reader r = dpk_reader(p->bytes, p->size);
    dpk_read_skip(&r, MAC_ADDRESSES);
    const uint16_t type = dpk_read_be16(&r);
    return !r.failed && (type == ETHER_VLAN || type == ETHER_SERVICE_VLAN) &&
           p->size >= DPK_FRAME_MIN + VLAN_TAG;
}

static enum dpk_counter push_vlan(struct packet *p, uint32_t tag)
{
    uint8_t bytes[VLAN_TAG];
    dpk_store_be32(bytes, tag);
    return queues_packet_splice(p, MAC_ADDRESSES, 0, bytes, sizeof bytes);
}

static enum dpk_counter pop_vlan(struct packet *p)
{
    return has_tag(p) ? queues_packet_splice(p, MAC_ADDRESSES, VLAN_TAG, NULL, 0) : DPK_COUNTERS;
}

/* ---- Tunnels ---- */

/* Returns a source port that is the same for all frames with the same addresses, protocol and
 * ports. */
static uint16_t flow_port(const struct packet *p)
{
    const uint8_t *headers = (const uint8_t *)&p->headers;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < DPK_MATCH_PART; i++)
        if (i != DPK_MATCH_TTL && i != DPK_MATCH_TRAFFIC_CLASS && i != DPK_MATCH_TAGS &&
            i != DPK_MATCH_TAGS + 1)
            hash = (hash ^ headers[i]) * 16777619u;
    return (uint16_t)(FLOW_PORTS | ((hash ^ hash >> 16) & (UINT16_MAX - FLOW_PORTS)));
}

/* Sets the lengths, port and checksum of headers before `inner` bytes. */
static void set_lengths(uint8_t *header, size_t size, size_t inner, uint16_t port)
{
    struct layers l;
    frame_layers_find_before(header, size, inner, &l);
    if (l.version == 4)
        dpk_store_be16(header + l.l3 + IPV4_LENGTH, (uint16_t)(size - l.l3 + inner));
    if (l.version == 6)
        dpk_store_be16(header + l.l3 + IPV6_LENGTH, (uint16_t)(size - l.l3 - IPV6_HEADER + inner));
    if (l.protocol == PROTOCOL_UDP) {
        dpk_store_be16(header + l.l4 + UDP_LENGTH, (uint16_t)(size - l.l4 + inner));
        if (header[l.l4] == 0 && header[l.l4 + 1] == 0)
            dpk_store_be16(header + l.l4, port);
    }
    if (l.version == 4) {
        dpk_store_be16(header + l.l3 + IPV4_CHECKSUM, 0);
        dpk_store_be16(header + l.l3 + IPV4_CHECKSUM, (uint16_t)~frame_sum_l3(header, &l));
    }
}

static enum dpk_counter wrap(struct packet *p, const uint8_t *header, size_t size)
{
    uint8_t bytes[WRAP_MAX];
    if (size > sizeof bytes)
        return DPK_DROP_TOO_LONG;
    memcpy(bytes, header, size);
    set_lengths(bytes, size, p->size, flow_port(p));
    return queues_packet_splice(p, 0, 0, bytes, size);
}

/* Padding of the link layer after the IP packet does not belong to the inner frame. */
static enum dpk_counter unwrap(struct packet *p)
{
    struct layers l;
    frame_layers_find(p->bytes, p->size, &l);
    const uint8_t *header = p->bytes + l.l4;
    const size_t begin = l.l4 + l.l4_size + VXLAN_HEADER, end = l.end < p->size ? l.end : p->size;
    if (l.protocol != PROTOCOL_UDP || begin > end || header[2] != VXLAN_PORT >> 8 ||
        header[3] != (VXLAN_PORT & 0xff) || !(header[l.l4_size] & VXLAN_HAS_VNI))
        return DPK_DROP_NO_RULE;
    p->size = end;
    return queues_packet_splice(p, 0, begin, NULL, 0);
}

/* ---- All changes ---- */

static void count(const struct packet *p, struct dpk_flow_counter *counter)
{
    atomic_fetch_add_explicit(&counter->packets, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter->octets, p->size, memory_order_relaxed);
}

enum dpk_counter queues_packet_change(struct packet *p, const struct dpk_flow_change *change)
{
    enum dpk_counter dropped = DPK_COUNTERS;
    switch (change->kind) {
    case DPK_FLOW_TAG:
        p->facts.tag = change->value;
        return DPK_COUNTERS;
    case DPK_FLOW_COUNT:
        count(p, change->counter);
        return DPK_COUNTERS;
    case DPK_FLOW_MODIFY:
        dropped = queues_packet_modify(p, change->modifications, change->size);
        break;
    case DPK_FLOW_PUSH_VLAN:
        dropped = push_vlan(p, change->value);
        break;
    case DPK_FLOW_POP_VLAN:
        dropped = pop_vlan(p);
        break;
    case DPK_FLOW_WRAP:
        dropped = wrap(p, change->header, change->size);
        break;
    case DPK_FLOW_UNWRAP:
        dropped = unwrap(p);
        break;
    }
    if (dropped == DPK_COUNTERS)
        queues_packet_parse(p);
    return dropped;
}
