/* Actions: fields of struct doca_flow_actions as changes of a rule (queues.h). */
#include "flow.h"

/* Numbers of fields in actions that modify headers (ConnectX PRM). Each has up to 32 bits; the parts of
 * longer fields follow in their order. */
enum {
    SMAC = 0x01,
    ETHERTYPE = 0x03,
    DMAC = 0x04,
    DSCP = 0x06,
    TCP_FLAGS = 0x07,
    TCP_SOURCE = 0x08,
    TCP_DESTINATION = 0x09,
    IP4_TTL = 0x0a,
    UDP_SOURCE = 0x0b,
    UDP_DESTINATION = 0x0c,
    IP6_SOURCE = 0x0d,
    IP6_DESTINATION = 0x11,
    IP4_SOURCE = 0x15,
    IP4_DESTINATION = 0x16,
    IP6_HOP_LIMIT = 0x47,
    REGISTER_A = 0x49,
    REGISTER_B = 0x50,
    REGISTER_C0 = 0x51,
    TCP_SEQUENCE = 0x59,
    TCP_ACKNOWLEDGEMENT = 0x5b,
    ECN = 0x73,
    NOWHERE = 0,       /* the field is not emulated */
    TRAFFIC = 1 << 12, /* DSCP and ECN */
};
enum { ECN_BITS = 2 };

#define FIELD(name, number, when) FLOW_FIELD(doca_flow_actions, name, number, when)
static const struct flow_field fields[] = {
    FIELD(meta.pkt_meta, REGISTER_B, FLOW_RECEIVED),
    FIELD(meta.pkt_meta, REGISTER_A, FLOW_SENT),
    FIELD(meta.u32[0], REGISTER_C0, FLOW_ALWAYS),
    FIELD(meta.u32[1], REGISTER_C0 + 1, FLOW_ALWAYS),
    FIELD(meta.u32[2], REGISTER_C0 + 2, FLOW_ALWAYS),
    FIELD(meta.u32[3], REGISTER_C0 + 3, FLOW_ALWAYS),
    FIELD(meta.u32[4], REGISTER_C0 + 4, FLOW_ALWAYS),
    FIELD(meta.u32[5], REGISTER_C0 + 5, FLOW_ALWAYS),
    FIELD(meta.u32[6], REGISTER_C0 + 6, FLOW_ALWAYS),
    FIELD(meta.u32[7], REGISTER_C0 + 7, FLOW_ALWAYS),
    FIELD(meta.u32[8], NOWHERE, FLOW_ALWAYS),
    FIELD(meta.u32[9], NOWHERE, FLOW_ALWAYS),
    FIELD(meta.mark, NOWHERE, FLOW_ALWAYS),
    FIELD(flags, NOWHERE, FLOW_ALWAYS),
    FIELD(parser_meta, NOWHERE, FLOW_ALWAYS),
    FIELD(outer.eth.src_mac, SMAC, FLOW_ALWAYS),
    FIELD(outer.eth.dst_mac, DMAC, FLOW_ALWAYS),
    FIELD(outer.eth.type, ETHERTYPE, FLOW_ALWAYS),
    FIELD(outer.eth_vlan, NOWHERE, FLOW_ALWAYS),
    FIELD(outer.ip4.src_ip, IP4_SOURCE, FLOW_IP4),
    FIELD(outer.ip4.dst_ip, IP4_DESTINATION, FLOW_IP4),
    FIELD(outer.ip4.version_ihl, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.dscp_ecn, TRAFFIC, FLOW_IP4),
    FIELD(outer.ip4.total_len, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.identification, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.flags_fragment_offset, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.next_proto, NOWHERE, FLOW_IP4),
    FIELD(outer.ip4.ttl, IP4_TTL, FLOW_IP4),
    FIELD(outer.ip6.src_ip, IP6_SOURCE, FLOW_IP6),
    FIELD(outer.ip6.dst_ip, IP6_DESTINATION, FLOW_IP6),
    FIELD(outer.ip6.traffic_class, TRAFFIC, FLOW_IP6),
    FIELD(outer.ip6.flow_label, NOWHERE, FLOW_IP6),
    FIELD(outer.ip6.payload_len, NOWHERE, FLOW_IP6),
    FIELD(outer.ip6.next_proto, NOWHERE, FLOW_IP6),
    FIELD(outer.ip6.hop_limit, IP6_HOP_LIMIT, FLOW_IP6),
    FIELD(outer.tcp.l4_port.src_port, TCP_SOURCE, FLOW_TCP),
    FIELD(outer.tcp.l4_port.dst_port, TCP_DESTINATION, FLOW_TCP),
    FIELD(outer.tcp.data_offset, NOWHERE, FLOW_TCP),
    FIELD(outer.tcp.flags, TCP_FLAGS, FLOW_TCP),
    FIELD(outer.tcp.seq_num, TCP_SEQUENCE, FLOW_TCP),
    FIELD(outer.tcp.ack_num, TCP_ACKNOWLEDGEMENT, FLOW_TCP),
    FIELD(outer.udp.l4_port.src_port, UDP_SOURCE, FLOW_UDP),
    FIELD(outer.udp.l4_port.dst_port, UDP_DESTINATION, FLOW_UDP),
    FIELD(tun, NOWHERE, FLOW_ALWAYS),
    FIELD(nat64, NOWHERE, FLOW_ALWAYS),
    FIELD(has_crypto_encap, NOWHERE, FLOW_ALWAYS),
    FIELD(crypto, NOWHERE, FLOW_ALWAYS),
};
#define FIELDS (sizeof fields / sizeof *fields)

static bool is_valid(const struct doca_flow_actions *a, bool sent, const struct flow_field *f)
{
    return flow_field_is_valid(f->when, &a->outer, a->tun.type, sent);
}

/* ---- Checks ---- */

static doca_error_t check_headers(const struct doca_flow_actions *a)
{
    const struct doca_flow_header_format *h = &a->outer;
    const bool l3 = h->l3_type == DOCA_FLOW_L3_TYPE_NONE,
               l4 = h->l4_type_ext == DOCA_FLOW_L4_TYPE_EXT_NONE;
    if ((l3 && !flow_is_empty(&h->ip6, sizeof h->ip6)) ||
        (l4 && !flow_is_empty(&h->tcp, sizeof h->tcp)))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "an action on a header needs outer.l3_type or "
                                "outer.l4_type_ext");
    if (!l4 && h->l4_type_ext != DOCA_FLOW_L4_TYPE_EXT_TCP &&
        h->l4_type_ext != DOCA_FLOW_L4_TYPE_EXT_UDP)
        return flow_cannot("an action on a header that is not TCP or UDP");
    return DOCA_SUCCESS;
}

static doca_error_t check_wrapping(const struct doca_flow_actions *a)
{
    if (a->decap_type == DOCA_FLOW_RESOURCE_TYPE_SHARED ||
        a->encap_type == DOCA_FLOW_RESOURCE_TYPE_SHARED)
        return flow_cannot("a shared encapsulation");
    if (a->decap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED && !a->decap_cfg.is_l2)
        return flow_cannot("removing a tunnel of layer 3");
    if (a->encap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED)
        return a->encap_cfg.is_l2 ? flow_encap_check(&a->encap_cfg.encap)
                                  : flow_cannot("a tunnel of layer 3");
    return DOCA_SUCCESS;
}

doca_error_t flow_actions_check(const struct doca_flow_actions *actions,
                                const struct doca_flow_actions *mask,
                                const struct doca_flow_action_descs *descs)
{
    const uint8_t *bytes = (const uint8_t *)(mask ? mask : actions);
    for (size_t i = 0; descs && i < descs->nb_action_desc; i++)
        if (!descs->desc_array || descs->desc_array[i].type != DOCA_FLOW_ACTION_AUTO)
            return flow_cannot("an action that adds to a field or copies a field");
    doca_error_t result = check_headers(actions);
    for (size_t i = 0; i < FIELDS && result == DOCA_SUCCESS; i++)
        if (fields[i].number == NOWHERE && is_valid(actions, false, &fields[i]) &&
            !flow_is_empty(bytes + fields[i].offset, fields[i].size))
            result = flow_cannot("an action on %s", fields[i].name);
    if (result == DOCA_SUCCESS && actions->has_push &&
        actions->push.type != DOCA_FLOW_PUSH_ACTION_VLAN)
        result = flow_cannot("pushing a header that is not a VLAN tag");
    return result == DOCA_SUCCESS ? check_wrapping(actions) : result;
}

/* ---- Fields ---- */

static doca_error_t add_set(struct flow_changes *out, unsigned number, unsigned offset,
                            unsigned length, uint32_t data)
{
    if (out->set_count == FLOW_SETS)
        return dpk_doca_because(DOCA_ERROR_FULL, "an entry sets more than %d fields", FLOW_SETS);
    out->sets[out->set_count++] = (struct dpk_flow_modification){
        .kind = DPK_FLOW_SET,
        .field = (uint16_t)number,
        .offset = (uint8_t)offset,
        .length = (uint8_t)length,
        .data = data,
    };
    return DOCA_SUCCESS;
}

/* Sets the bits of the mask, each run of bits by itself. */
static doca_error_t add_part(struct flow_changes *out, unsigned number, uint32_t value,
                             uint32_t mask)
{
    doca_error_t result = DOCA_SUCCESS;
    for (unsigned at = 0, end; at < 32 && result == DOCA_SUCCESS; at = end) {
        end = at + 1;
        if (!(mask >> at & 1))
            continue;
        while (end < 32 && mask >> end & 1)
            end++;
        const uint32_t run = end - at == 32 ? UINT32_MAX : (1u << (end - at)) - 1;
        result = add_set(out, number, at, end - at, value >> at & run);
    }
    return result;
}

static uint32_t load(const uint8_t *bytes, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Sets a field; `mask` NULL: all of its bits. */
static doca_error_t set_field(struct flow_changes *out, const struct flow_field *f,
                              const uint8_t *value, const uint8_t *mask)
{
    static const uint8_t all[16] = {[0 ... 15] = UINT8_MAX};
    const uint8_t *bits = mask ? mask : all;
    doca_error_t result = DOCA_SUCCESS;
    if (f->number == TRAFFIC) {
        result = add_part(out, DSCP, value[0] >> ECN_BITS, bits[0] >> ECN_BITS);
        return result == DOCA_SUCCESS ? add_part(out, ECN, value[0] & 3u, bits[0] & 3u) : result;
    }
    for (size_t at = 0, part = 0; at < f->size && result == DOCA_SUCCESS; at += 4, part++) {
        const size_t size = f->size - at < 4 ? f->size - at : 4;
        result = add_part(out, f->number + (unsigned)part, load(value + at, size),
                          load(bits + at, size));
    }
    return result;
}

/* Returns where the value of bytes of a template comes from: the template, the entry, or NULL: nowhere. */
static const uint8_t *value_of(const uint8_t *template, const uint8_t *mask, const uint8_t *own,
                               bool literal, size_t size)
{
    if (flow_is_empty(mask ? mask : template, size))
        return NULL;
    return !literal && flow_is_full(template, size) ? own : template;
}

static doca_error_t fill_fields(const struct doca_flow_actions *actions,
                                const struct doca_flow_actions *mask,
                                const struct doca_flow_actions *own, bool literal, bool sent,
                                struct flow_changes *out)
{
    doca_error_t result = DOCA_SUCCESS;
    for (size_t i = 0; i < FIELDS && result == DOCA_SUCCESS; i++) {
        const struct flow_field *f = &fields[i];
        const uint8_t *bits = mask ? (const uint8_t *)mask + f->offset : NULL;
        const uint8_t *value =
            value_of((const uint8_t *)actions + f->offset, bits,
                     own ? (const uint8_t *)own + f->offset : NULL, literal, f->size);
        if (value && f->number != NOWHERE && is_valid(actions, sent, f))
            result = set_field(out, f, value, bits);
    }
    return result;
}

/* ---- Tags and tunnels ---- */

static void fill_push(const struct doca_flow_actions *actions, const struct doca_flow_actions *own,
                      bool literal, struct flow_changes *out)
{
    const struct doca_flow_push_vlan_action *t = &actions->push.vlan,
                                            *o = own ? &own->push.vlan : NULL;
    enum { VLAN = 0x8100 };
    uint8_t type[2] = {VLAN >> 8, VLAN & UINT8_MAX}, tag[2] = {0};
    const uint8_t *from = value_of((const uint8_t *)&t->eth_type, NULL,
                                   o ? (const uint8_t *)&o->eth_type : NULL, literal, sizeof type);
    if (from)
        memcpy(type, from, sizeof type);
    from = value_of((const uint8_t *)&t->vlan_hdr.tci, NULL,
                    o ? (const uint8_t *)&o->vlan_hdr.tci : NULL, literal, sizeof tag);
    if (from)
        memcpy(tag, from, sizeof tag);
    out->pushes = true;
    out->tag = load(type, sizeof type) << 16 | load(tag, sizeof tag);
}

/* Fields of headers that are put before a frame, where the entry's value may count. */
#define PART(name)                                                                                 \
    {                                                                                              \
        offsetof(struct doca_flow_encap_action, name),                                             \
            sizeof(((struct doca_flow_encap_action *)0)->name)                                     \
    }
static const struct {
    size_t offset, size;
} parts[] = {
    PART(outer.eth.src_mac), PART(outer.eth.dst_mac),          PART(outer.eth_vlan[0].tci),
    PART(outer.ip6.src_ip),  PART(outer.ip6.dst_ip),           PART(outer.ip4.src_ip),
    PART(outer.ip4.dst_ip),  PART(outer.udp.l4_port.src_port), PART(outer.udp.l4_port.dst_port),
    PART(tun.vxlan_tun_id),
};

static void fill_encap(const struct doca_flow_actions *actions, const struct doca_flow_actions *own,
                       bool literal, struct flow_changes *out)
{
    struct doca_flow_encap_action encap = actions->encap_cfg.encap;
    for (size_t i = 0; own && !literal && i < sizeof parts / sizeof *parts; i++) {
        uint8_t *at = (uint8_t *)&encap + parts[i].offset;
        if (flow_is_full(at, parts[i].size))
            memcpy(at, (const uint8_t *)&own->encap_cfg.encap + parts[i].offset, parts[i].size);
    }
    out->header_size = flow_encap_make(&encap, out->header);
}

doca_error_t flow_actions_fill(const struct doca_flow_actions *actions,
                               const struct doca_flow_actions *mask,
                               const struct doca_flow_actions *own, bool literal, bool sent,
                               struct flow_changes *out)
{
    out->unwraps = actions->decap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    out->pops = actions->pop_vlan;
    if (actions->has_push)
        fill_push(actions, own, literal, out);
    if (actions->encap_type == DOCA_FLOW_RESOURCE_TYPE_NON_SHARED)
        fill_encap(actions, own, literal, out);
    return fill_fields(actions, mask, own, literal, sent, out);
}
