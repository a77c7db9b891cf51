/* The headers of VXLAN (RFC 7348) that are put before a frame. Lengths, the checksum of IPv4 and a source
 * port of 0 are set for each frame (DPK_FLOW_WRAP of queues.h). */
#include "flow.h"

enum { VLAN = 0x8100, IPV4 = 0x0800, IPV6 = 0x86dd, UDP = 17, VXLAN_PORT = 4789 };
enum { VXLAN_HAS_VNI = 0x08, TTL = 64, IP4_FIRST = 0x45, IP6_FIRST = 0x60, DONT_FRAGMENT = 0x40 };

doca_error_t flow_encap_check(const struct doca_flow_encap_action *encap)
{
    const struct doca_flow_header_format *h = &encap->outer;
    if (encap->tun.type != DOCA_FLOW_TUN_VXLAN ||
        encap->tun.vxlan_type != DOCA_FLOW_TUN_EXT_VXLAN_STANDARD)
        return flow_cannot("a tunnel that is not VXLAN");
    if (h->l3_type != DOCA_FLOW_L3_TYPE_IP4 && h->l3_type != DOCA_FLOW_L3_TYPE_IP6)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a tunnel's header needs encap.outer.l3_type");
    if (h->l2_valid_headers & DOCA_FLOW_L2_VALID_HEADER_VLAN_1)
        return flow_cannot("a tunnel with two VLAN tags");
    return DOCA_SUCCESS;
}

struct header {
    uint8_t *bytes;
    size_t size;
};

static void put(struct header *h, const void *bytes, size_t size)
{
    memcpy(h->bytes + h->size, bytes, size);
    h->size += size;
}

static void put8(struct header *h, unsigned value)
{
    h->bytes[h->size++] = (uint8_t)value;
}

static void put16(struct header *h, unsigned value)
{
    put8(h, value >> 8);
    put8(h, value);
}

static void put_ethernet(struct header *out, const struct doca_flow_header_format *h)
{
    put(out, h->eth.dst_mac, sizeof h->eth.dst_mac);
    put(out, h->eth.src_mac, sizeof h->eth.src_mac);
    if (h->l2_valid_headers & DOCA_FLOW_L2_VALID_HEADER_VLAN_0) {
        put16(out, VLAN);
        put(out, &h->eth_vlan[0].tci, sizeof h->eth_vlan[0].tci);
    }
    put16(out, h->l3_type == DOCA_FLOW_L3_TYPE_IP4 ? IPV4 : IPV6);
}

static void put_ip4(struct header *out, const struct doca_flow_header_ip4 *ip)
{
    put8(out, IP4_FIRST);
    put8(out, ip->dscp_ecn);
    put16(out, 0); /* length */
    put16(out, 0); /* identification */
    put16(out, DONT_FRAGMENT << 8);
    put8(out, ip->ttl ? ip->ttl : TTL);
    put8(out, UDP);
    put16(out, 0); /* checksum */
    put(out, &ip->src_ip, sizeof ip->src_ip);
    put(out, &ip->dst_ip, sizeof ip->dst_ip);
}

static void put_ip6(struct header *out, const struct doca_flow_header_ip6 *ip)
{
    put8(out, IP6_FIRST | ip->traffic_class >> 4);
    put8(out, (unsigned)ip->traffic_class << 4);
    put16(out, 0); /* flow label */
    put16(out, 0); /* length */
    put8(out, UDP);
    put8(out, ip->hop_limit ? ip->hop_limit : TTL);
    put(out, ip->src_ip, sizeof ip->src_ip);
    put(out, ip->dst_ip, sizeof ip->dst_ip);
}

size_t flow_encap_make(const struct doca_flow_encap_action *encap, uint8_t out[FLOW_HEADERS])
{
    const struct doca_flow_header_l4_port *ports = &encap->outer.udp.l4_port;
    struct header h = {.bytes = out};
    put_ethernet(&h, &encap->outer);
    if (encap->outer.l3_type == DOCA_FLOW_L3_TYPE_IP4)
        put_ip4(&h, &encap->outer.ip4);
    else
        put_ip6(&h, &encap->outer.ip6);
    put(&h, &ports->src_port, sizeof ports->src_port);
    if (ports->dst_port)
        put(&h, &ports->dst_port, sizeof ports->dst_port);
    else
        put16(&h, VXLAN_PORT);
    put16(&h, 0); /* length */
    put16(&h, 0); /* no checksum */
    put8(&h, VXLAN_HAS_VNI);
    put8(&h, 0);
    put16(&h, 0);
    put(&h, &encap->tun.vxlan_tun_id, sizeof encap->tun.vxlan_tun_id);
    return h.size;
}
