/* Matches: fields of struct doca_flow_match as bits of struct fte_match_param (ConnectX PRM). */
#include "flow.h"

#define NOWHERE UINT16_MAX /* the field is not emulated */
/* Places that the steering does not name. */
enum { AT_TCP_FLAGS = DPK_MATCH_TAGS + 1, AT_REGISTER_C0 = DPK_MATCH_REGISTER_C7 + 28 };
enum {
    ANY_TAG = DPK_MATCH_CVLAN | DPK_MATCH_SVLAN,
    ANY_SECOND_TAG = DPK_MATCH_SECOND_CVLAN | DPK_MATCH_SECOND_SVLAN,
    VERSION = 0xf << DPK_MATCH_VERSION_SHIFT,
};
enum { ICMP = 1, TCP = 6, UDP = 17, ESP = 50, ICMP6 = 58, VXLAN_PORT = 4789 };

#define FIELD(name, at, when) FLOW_FIELD(doca_flow_match, name, at, when)
static const struct flow_field fields[] = {
    FIELD(meta.pkt_meta, DPK_MATCH_REGISTER_B, FLOW_RECEIVED),
    FIELD(meta.pkt_meta, DPK_MATCH_REGISTER_A, FLOW_SENT),
    FIELD(meta.u32[0], AT_REGISTER_C0, FLOW_ALWAYS),
    FIELD(meta.u32[1], AT_REGISTER_C0 - 4, FLOW_ALWAYS),
    FIELD(meta.u32[2], AT_REGISTER_C0 - 8, FLOW_ALWAYS),
    FIELD(meta.u32[3], AT_REGISTER_C0 - 12, FLOW_ALWAYS),
    FIELD(meta.u32[4], AT_REGISTER_C0 - 16, FLOW_ALWAYS),
    FIELD(meta.u32[5], AT_REGISTER_C0 - 20, FLOW_ALWAYS),
    FIELD(meta.u32[6], AT_REGISTER_C0 - 24, FLOW_ALWAYS),
    FIELD(meta.u32[7], AT_REGISTER_C0 - 28, FLOW_ALWAYS),
    FIELD(meta.u32[8], NOWHERE, FLOW_ALWAYS),
    FIELD(meta.u32[9], NOWHERE, FLOW_ALWAYS),
    FIELD(meta.mark, NOWHERE, FLOW_ALWAYS),
    FIELD(flags, NOWHERE, FLOW_ALWAYS),
    FIELD(outer.eth.src_mac, DPK_MATCH_SMAC, FLOW_ALWAYS),
    FIELD(outer.eth.dst_mac, DPK_MATCH_DMAC, FLOW_ALWAYS),
    FIELD(outer.eth.type, DPK_MATCH_ETHERTYPE, FLOW_ALWAYS),
    FIELD(outer.eth_vlan[0].tci, DPK_MATCH_FIRST_VLAN, FLOW_ALWAYS),
    FIELD(outer.eth_vlan[1].tci, DPK_MATCH_SECOND_VLAN, FLOW_ALWAYS),
    FIELD(outer.ip4.src_ip, DPK_MATCH_SOURCE + DPK_MATCH_IPV4, FLOW_IP4),
    FIELD(outer.ip4.dst_ip, DPK_MATCH_DESTINATION + DPK_MATCH_IPV4, FLOW_IP4),
    FIELD(outer.ip4.version_ihl, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.dscp_ecn, DPK_MATCH_TRAFFIC_CLASS, FLOW_IP4),
    FIELD(outer.ip4.total_len, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.identification, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.flags_fragment_offset, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.next_proto, DPK_MATCH_PROTOCOL, FLOW_IP4),
    FIELD(outer.ip4.ttl, DPK_MATCH_TTL, FLOW_IP4),
    FIELD(outer.ip6.src_ip, DPK_MATCH_SOURCE, FLOW_IP6),
    FIELD(outer.ip6.dst_ip, DPK_MATCH_DESTINATION, FLOW_IP6),
    FIELD(outer.ip6.traffic_class, DPK_MATCH_TRAFFIC_CLASS, FLOW_IP6),
    FIELD(outer.ip6.flow_label, NOWHERE, FLOW_IP6),
    FIELD(outer.ip6.payload_len, NOWHERE, FLOW_IP6),
    FIELD(outer.ip6.next_proto, DPK_MATCH_PROTOCOL, FLOW_IP6),
    FIELD(outer.ip6.hop_limit, DPK_MATCH_TTL, FLOW_IP6),
    FIELD(outer.tcp.l4_port.src_port, DPK_MATCH_TCP_PORTS, FLOW_TCP),
    FIELD(outer.tcp.l4_port.dst_port, DPK_MATCH_TCP_PORTS + 2, FLOW_TCP),
    FIELD(outer.tcp.data_offset, NOWHERE, FLOW_TCP),
    FIELD(outer.tcp.flags, AT_TCP_FLAGS, FLOW_TCP),
    FIELD(outer.tcp.seq_num, NOWHERE, FLOW_TCP),
    FIELD(outer.tcp.ack_num, NOWHERE, FLOW_TCP),
    FIELD(outer.udp.l4_port.src_port, DPK_MATCH_UDP_PORTS, FLOW_UDP),
    FIELD(outer.udp.l4_port.dst_port, DPK_MATCH_UDP_PORTS + 2, FLOW_UDP),
    FIELD(outer.icmp, NOWHERE, FLOW_ICMP),
    FIELD(outer.transport, NOWHERE, FLOW_TRANSPORT),
    FIELD(tun.vxlan_type, NOWHERE, FLOW_VXLAN),
    FIELD(tun.vxlan_group_policy_id, NOWHERE, FLOW_VXLAN),
    /* The identifier is three bytes of the word. */
    {"tun.vxlan_tun_id", offsetof(struct doca_flow_match, tun.vxlan_tun_id), 3, DPK_MATCH_VNI,
     FLOW_VXLAN},
    FIELD(inner, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.port_id, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.random, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.ipsec_syndrome, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.ipsec_ar_syndrome, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.psp_syndrome, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l2_type, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l3_type, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l4_type, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_ip_fragmented, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.outer_l3_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.outer_ip4_checksum_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.outer_l4_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.outer_l4_checksum_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l3_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_ip4_checksum_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l4_ok, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta.inner_l4_checksum_ok, NOWHERE, FLOW_ALWAYS),
};
#define FIELDS (sizeof fields / sizeof *fields)

static bool is_valid(const struct flow_template *t, const struct flow_field *f)
{
    return flow_field_is_valid(f->when, &t->layers.outer, t->layers.tun.type, t->sent);
}

/* ---- Fields of bytes ---- */

/* Adds a field to the template. `mask` NULL: all bits, unless the value is 0. */
static doca_error_t add_field(struct flow_template *t, const struct flow_field *f,
                              const uint8_t *match, const uint8_t *mask, bool own)
{
    const uint8_t *value = match + f->offset, *bits = mask ? mask + f->offset : value;
    if (!is_valid(t, f) || flow_is_empty(bits, f->size))
        return DOCA_SUCCESS;
    if (f->number == NOWHERE)
        return flow_cannot("a match of %s", f->name);
    const bool changes = !own && flow_is_full(value, f->size);
    for (size_t i = 0; i < f->size; i++) {
        const uint8_t m = mask ? bits[i] : UINT8_MAX;
        t->fixed.mask[f->number + i] |= m;
        if (changes)
            t->changeable[f->number + i] |= m;
        else
            t->fixed.value[f->number + i] |= value[i] & m;
    }
    return DOCA_SUCCESS;
}

/* ---- Types of headers ---- */

static void add_bits(struct flow_template *t, unsigned at, unsigned mask, unsigned value)
{
    t->fixed.mask[at] |= (uint8_t)mask;
    t->fixed.value[at] |= (uint8_t)value;
}

static void add_version(struct flow_template *t, unsigned version)
{
    add_bits(t, DPK_MATCH_TAGS, VERSION, version << DPK_MATCH_VERSION_SHIFT);
}

static doca_error_t invalid(const char *why)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%s", why);
}

static doca_error_t add_l3_type(struct flow_template *t, const struct doca_flow_header_format *h)
{
    switch ((unsigned)h->l3_type) {
    case DOCA_FLOW_L3_TYPE_NONE:
        return flow_is_empty(&h->ip6, sizeof h->ip6)
                   ? DOCA_SUCCESS
                   : invalid("a match of an IP header needs outer.l3_type");
    case DOCA_FLOW_L3_TYPE_IP4:
        add_version(t, 4);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L3_TYPE_IP6:
        add_version(t, 6);
        return DOCA_SUCCESS;
    }
    return invalid("outer.l3_type has an unknown value");
}

static doca_error_t add_l4_type(struct flow_template *t, const struct doca_flow_header_format *h)
{
    switch ((unsigned)h->l4_type_ext) {
    case DOCA_FLOW_L4_TYPE_EXT_NONE:
        return flow_is_empty(&h->tcp, sizeof h->tcp)
                   ? DOCA_SUCCESS
                   : invalid("a match of TCP, UDP or ICMP needs outer.l4_type_ext or the "
                             "protocol of outer.ip4 or ip6");
    case DOCA_FLOW_L4_TYPE_EXT_TCP:
        add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, TCP);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L4_TYPE_EXT_UDP:
        add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, UDP);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L4_TYPE_EXT_ICMP:
        add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, ICMP);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L4_TYPE_EXT_ICMP6:
        add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, ICMP6);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L4_TYPE_EXT_TRANSPORT:
        return DOCA_SUCCESS;
    case DOCA_FLOW_L4_TYPE_EXT_ROCE_V2:
        return flow_cannot("a match of outer.roce_v2");
    }
    return invalid("outer.l4_type_ext has an unknown value");
}

static doca_error_t add_tunnel(struct flow_template *t, const struct doca_flow_tun *tun)
{
    if (tun->type == DOCA_FLOW_TUN_NONE)
        return flow_is_empty(tun, sizeof *tun) ? DOCA_SUCCESS
                                               : invalid("a match of a tunnel needs tun.type");
    if (tun->type != DOCA_FLOW_TUN_VXLAN)
        return flow_cannot("a match of a tunnel that is not VXLAN");
    add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, UDP);
    add_bits(t, DPK_MATCH_UDP_PORTS + 2, UINT8_MAX, VXLAN_PORT >> 8);
    add_bits(t, DPK_MATCH_UDP_PORTS + 3, UINT8_MAX, VXLAN_PORT & UINT8_MAX);
    return DOCA_SUCCESS;
}

static void add_tags(struct flow_template *t, const struct doca_flow_header_format *h)
{
    const bool second =
        h->l2_valid_headers & DOCA_FLOW_L2_VALID_HEADER_VLAN_1 || h->eth_vlan[1].tci;
    if (second)
        add_bits(t, DPK_MATCH_SECOND_TAGS, DPK_MATCH_SECOND_CVLAN, DPK_MATCH_SECOND_CVLAN);
    if (second || h->l2_valid_headers & DOCA_FLOW_L2_VALID_HEADER_VLAN_0 || h->eth_vlan[0].tci)
        add_bits(t, DPK_MATCH_TAGS, DPK_MATCH_CVLAN, DPK_MATCH_CVLAN);
}

/* ---- What the parser found ---- */

static doca_error_t add_l2_meta(struct flow_template *t, unsigned type)
{
    switch (type) {
    case DOCA_FLOW_L2_META_NO_VLAN:
        add_bits(t, DPK_MATCH_TAGS, ANY_TAG, 0);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L2_META_SINGLE_VLAN:
        add_bits(t, DPK_MATCH_TAGS, DPK_MATCH_CVLAN, DPK_MATCH_CVLAN);
        add_bits(t, DPK_MATCH_SECOND_TAGS, ANY_SECOND_TAG, 0);
        return DOCA_SUCCESS;
    case DOCA_FLOW_L2_META_MULTI_VLAN:
        add_bits(t, DPK_MATCH_TAGS, DPK_MATCH_CVLAN, DPK_MATCH_CVLAN);
        add_bits(t, DPK_MATCH_SECOND_TAGS, DPK_MATCH_SECOND_CVLAN, DPK_MATCH_SECOND_CVLAN);
        return DOCA_SUCCESS;
    }
    return flow_cannot("this match of parser_meta.outer_l2_type");
}

static doca_error_t add_l3_meta(struct flow_template *t, unsigned type)
{
    if (type > DOCA_FLOW_L3_META_IPV6)
        return flow_cannot("this match of parser_meta.outer_l3_type");
    add_version(t, type == DOCA_FLOW_L3_META_NONE ? 0 : type == DOCA_FLOW_L3_META_IPV4 ? 4 : 6);
    return DOCA_SUCCESS;
}

static doca_error_t add_l4_meta(struct flow_template *t, unsigned type, bool ipv6)
{
    static const uint8_t protocols[] = {
        [DOCA_FLOW_L4_META_TCP] = TCP,
        [DOCA_FLOW_L4_META_UDP] = UDP,
        [DOCA_FLOW_L4_META_ICMP] = ICMP,
        [DOCA_FLOW_L4_META_ESP] = ESP,
    };
    if (type == DOCA_FLOW_L4_META_NONE || type >= sizeof protocols)
        return flow_cannot("this match of parser_meta.outer_l4_type");
    const bool icmp6 = ipv6 && type == DOCA_FLOW_L4_META_ICMP;
    add_bits(t, DPK_MATCH_PROTOCOL, UINT8_MAX, icmp6 ? ICMP6 : protocols[type]);
    return DOCA_SUCCESS;
}

/* Without a mask, a type of 0 matches all frames. */
static doca_error_t add_parsed(struct flow_template *t, const struct doca_flow_parser_meta *m,
                               const struct doca_flow_parser_meta *mask)
{
    const struct doca_flow_parser_meta *asked = mask ? mask : m;
    doca_error_t result = DOCA_SUCCESS;
    if (asked->meter_color)
        return flow_cannot("a match of parser_meta.meter_color");
    if (asked->outer_l2_type)
        result = add_l2_meta(t, m->outer_l2_type);
    if (result == DOCA_SUCCESS && asked->outer_l3_type)
        result = add_l3_meta(t, m->outer_l3_type);
    if (result == DOCA_SUCCESS && asked->outer_l4_type)
        result = add_l4_meta(t, m->outer_l4_type, m->outer_l3_type == DOCA_FLOW_L3_META_IPV6);
    if (asked->outer_ip_fragmented)
        add_bits(t, DPK_MATCH_TAGS, DPK_MATCH_FRAGMENT,
                 m->outer_ip_fragmented ? DPK_MATCH_FRAGMENT : 0);
    return result;
}

/* ---- Templates ---- */

static doca_error_t add_types(struct flow_template *t, const struct doca_flow_match *match,
                              const struct doca_flow_match *mask)
{
    doca_error_t result = add_l3_type(t, &match->outer);
    if (result == DOCA_SUCCESS)
        result = add_l4_type(t, &match->outer);
    if (result == DOCA_SUCCESS)
        result = add_tunnel(t, &match->tun);
    if (result == DOCA_SUCCESS)
        result = add_parsed(t, &match->parser_meta, mask ? &mask->parser_meta : NULL);
    add_tags(t, &match->outer);
    return result;
}

/* Returns the kind of the L4 header that the protocol of the IP header tells. Programs leave out
 * l4_type_ext where they match that protocol. */
static enum doca_flow_l4_type_ext l4_type_of(const struct doca_flow_header_format *h)
{
    static const uint8_t types[UINT8_MAX + 1] = {
        [TCP] = DOCA_FLOW_L4_TYPE_EXT_TCP,
        [UDP] = DOCA_FLOW_L4_TYPE_EXT_UDP,
        [ICMP] = DOCA_FLOW_L4_TYPE_EXT_ICMP,
        [ICMP6] = DOCA_FLOW_L4_TYPE_EXT_ICMP6,
    };
    if (h->l4_type_ext != DOCA_FLOW_L4_TYPE_EXT_NONE || flow_is_empty(&h->tcp, sizeof h->tcp))
        return h->l4_type_ext;
    if (h->l3_type == DOCA_FLOW_L3_TYPE_IP4)
        return types[h->ip4.next_proto];
    return h->l3_type == DOCA_FLOW_L3_TYPE_IP6 ? types[h->ip6.next_proto]
                                               : DOCA_FLOW_L4_TYPE_EXT_NONE;
}

doca_error_t flow_template_make(const struct doca_flow_match *match,
                                const struct doca_flow_match *mask, bool own, bool sent,
                                struct flow_template *out)
{
    static const struct doca_flow_match empty;
    struct doca_flow_match m = match ? *match : empty;
    const uint8_t *value = (const uint8_t *)&m, *bits = (const uint8_t *)mask;
    m.outer.l4_type_ext = l4_type_of(&m.outer);
    *out = (struct flow_template){.layers = m, .sent = sent};
    doca_error_t result = add_types(out, &m, mask);
    for (size_t i = 0; i < FIELDS && result == DOCA_SUCCESS; i++)
        result = add_field(out, &fields[i], value, bits, own);
    return result;
}

doca_error_t flow_fields_get(const struct doca_flow_match *match, bool sent,
                             uint8_t out[DPK_MATCH_BYTES])
{
    struct doca_flow_match m = *match;
    m.parser_meta.random = 0; /* no bytes of a frame */
    struct flow_template t = {.layers = m, .sent = sent};
    doca_error_t result = DOCA_SUCCESS;
    for (size_t i = 0; i < FIELDS && result == DOCA_SUCCESS; i++)
        result = add_field(&t, &fields[i], (const uint8_t *)&m, (const uint8_t *)&m, true);
    memcpy(out, t.fixed.mask, DPK_MATCH_BYTES);
    return result;
}

static void fill_field(const struct flow_template *t, const struct flow_field *f,
                       const uint8_t *match, struct dpk_match *out)
{
    if (!is_valid(t, f) || f->number == NOWHERE)
        return;
    for (size_t i = 0; i < f->size; i++)
        out->value[f->number + i] |= match[f->offset + i] & t->changeable[f->number + i];
}

struct dpk_match flow_template_fill(const struct flow_template *t,
                                    const struct doca_flow_match *match)
{
    struct dpk_match out = t->fixed;
    const uint8_t *value = (const uint8_t *)match;
    for (size_t i = 0; match && i < FIELDS; i++)
        fill_field(t, &fields[i], value, &out);
    return out;
}
