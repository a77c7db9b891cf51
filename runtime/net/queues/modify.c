/* Fields of headers, and registers, that rules set, add to or copy: set_action_in, add_action_in
 * and copy_action_in of the ConnectX PRM. Checksums are updated incrementally (RFC 1624). */
#include <string.h>

#include "headers.h"
#include "packet.h"

/* The origin of a field's offset. */
enum base { ETHER, TYPE, TAG, IPV4, IPV6, TCP, UDP, REGISTER };

/* A field: `bits` bits of a word of `bytes` bytes, above `shift` other bits. */
struct field {
    uint16_t number;
    const char *name;
    enum base base;
    uint16_t at;
    uint8_t bytes, shift, bits;
};

/* A field that IPv4 and IPv6 have has two entries. */
static const struct field fields[] = {
    {0x01, "SMAC_47_16", ETHER, 6, 4, 0, 32},
    {0x02, "SMAC_15_0", ETHER, 10, 2, 0, 16},
    {0x03, "ETHERTYPE", TYPE, 0, 2, 0, 16},
    {0x04, "DMAC_47_16", ETHER, 0, 4, 0, 32},
    {0x05, "DMAC_15_0", ETHER, 4, 2, 0, 16},
    {0x06, "IP_DSCP", IPV4, 0, 2, 2, 6},
    {0x06, "IP_DSCP", IPV6, 0, 2, 6, 6},
    {0x07, "TCP_FLAGS", TCP, 12, 2, 0, 9},
    {0x08, "TCP_SPORT", TCP, 0, 2, 0, 16},
    {0x09, "TCP_DPORT", TCP, 2, 2, 0, 16},
    {0x0a, "IPV4_TTL", IPV4, 8, 1, 0, 8},
    {0x0b, "UDP_SPORT", UDP, 0, 2, 0, 16},
    {0x0c, "UDP_DPORT", UDP, 2, 2, 0, 16},
    {0x0d, "SIPV6_127_96", IPV6, 8, 4, 0, 32},
    {0x0e, "SIPV6_95_64", IPV6, 12, 4, 0, 32},
    {0x0f, "SIPV6_63_32", IPV6, 16, 4, 0, 32},
    {0x10, "SIPV6_31_0", IPV6, 20, 4, 0, 32},
    {0x11, "DIPV6_127_96", IPV6, 24, 4, 0, 32},
    {0x12, "DIPV6_95_64", IPV6, 28, 4, 0, 32},
    {0x13, "DIPV6_63_32", IPV6, 32, 4, 0, 32},
    {0x14, "DIPV6_31_0", IPV6, 36, 4, 0, 32},
    {0x15, "SIPV4", IPV4, 12, 4, 0, 32},
    {0x16, "DIPV4", IPV4, 16, 4, 0, 32},
    {0x17, "FIRST_VID", TAG, 2, 2, 0, 12},
    {0x47, "IPV6_HOPLIMIT", IPV6, 7, 1, 0, 8},
    {0x49, "METADATA_REG_A", REGISTER, DPK_MATCH_REGISTER_A, 4, 0, 32},
    {0x50, "METADATA_REG_B", REGISTER, DPK_MATCH_REGISTER_B, 4, 0, 32},
    {0x51, "METADATA_REG_C_0", REGISTER, DPK_MATCH_REGISTER_C7 + 28, 4, 0, 32},
    {0x52, "METADATA_REG_C_1", REGISTER, DPK_MATCH_REGISTER_C7 + 24, 4, 0, 32},
    {0x53, "METADATA_REG_C_2", REGISTER, DPK_MATCH_REGISTER_C7 + 20, 4, 0, 32},
    {0x54, "METADATA_REG_C_3", REGISTER, DPK_MATCH_REGISTER_C7 + 16, 4, 0, 32},
    {0x55, "METADATA_REG_C_4", REGISTER, DPK_MATCH_REGISTER_C7 + 12, 4, 0, 32},
    {0x56, "METADATA_REG_C_5", REGISTER, DPK_MATCH_REGISTER_C7 + 8, 4, 0, 32},
    {0x57, "METADATA_REG_C_6", REGISTER, DPK_MATCH_REGISTER_C7 + 4, 4, 0, 32},
    {0x58, "METADATA_REG_C_7", REGISTER, DPK_MATCH_REGISTER_C7, 4, 0, 32},
    {0x59, "TCP_SEQ_NUM", TCP, 4, 4, 0, 32},
    {0x5b, "TCP_ACK_NUM", TCP, 8, 4, 0, 32},
    {0x73, "IP_ECN", IPV4, 0, 2, 0, 2},
    {0x73, "IP_ECN", IPV6, 0, 2, 4, 2},
};
#define FIELDS (sizeof fields / sizeof *fields)
enum { IPV4_ADDRESSES = 12, IPV6_ADDRESSES = 8, IPV4_CHECKSUM = 10 };
enum {
    INNER = 0x30,
    INNER_END = 0x47
}; /* numbers of the first fields in inner headers of
                                          * tunnels */

static const struct field *find_field(uint16_t number)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].number == number)
            return &fields[i];
    return NULL;
}

static uint32_t mask_of(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* ---- Reading actions ---- */

static enum dpk_status no_field(uint16_t number, struct dpk_error *err)
{
    const struct field *inner =
        number > INNER && number < INNER_END ? find_field((uint16_t)(number - INNER)) : NULL;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "the field 0x%x%s%s is not emulated", number,
                    inner ? ", IN_" : "", inner ? inner->name : "");
}

/* Checks that a field has these bits. */
static enum dpk_status check_bits(const struct field *f, unsigned offset, unsigned length,
                                  struct dpk_error *err)
{
    if (offset + length <= f->bits)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_RANGE, "%u bits from bit %u on, but %s has %u", length, offset,
                    f->name, f->bits);
}

enum dpk_status dpk_flow_modification_parse(const uint8_t action[8],
                                            struct dpk_flow_modification *out,
                                            struct dpk_error *err)
{
    enum { FIELD = 0xfff, FIVE = 31 };
    struct dpk_reader r = dpk_reader(action, 8);
    const uint16_t head = dpk_read_be16(&r);
    const unsigned kind = head >> 12;
    *out = (struct dpk_flow_modification){.kind = kind,
                                          .field = head & FIELD,
                                          .offset = dpk_read_u8(&r) & FIVE,
                                          .length = dpk_read_u8(&r) & FIVE,
                                          .data = dpk_read_be32(&r)};
    if (kind < DPK_FLOW_SET || kind > DPK_FLOW_COPY)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "the action type 0x%x is not emulated", kind);
    const struct field *f = find_field(out->field), *from = f;
    if (!f)
        return no_field(out->field, err);
    if (kind == DPK_FLOW_ADD) {
        out->offset = 0;
        out->length = f->bits;
        return DPK_OK;
    }
    out->length = out->length ? out->length : 32;
    if (kind == DPK_FLOW_COPY) {
        out->source = out->field;
        out->source_offset = out->offset;
        out->field = (uint16_t)(out->data >> 16 & FIELD);
        out->offset = (uint8_t)(out->data >> 8 & FIVE);
        if (!(f = find_field(out->field)))
            return no_field(out->field, err);
        if (check_bits(from, out->source_offset, out->length, err) != DPK_OK)
            return DPK_ERR_RANGE;
    }
    return check_bits(f, out->offset, out->length, err);
}

/* ---- Fields of a frame ---- */

/* Returns the address of a field in the frame's own bytes, or NULL if the frame does not have the
 * field. */
static uint8_t *place(struct packet *p, const struct layers *l, const struct field *f)
{
    const bool tagged = l->l3 >= DPK_FRAME_MIN + VLAN_TAG && l->l3 <= p->size;
    switch (f->base) {
    case ETHER:
        return p->own + f->at;
    case TYPE:
        return l->l3 <= p->size ? p->own + l->l3 - 2 : NULL;
    case TAG:
        return tagged ? p->own + DPK_FRAME_MIN - 2 + f->at : NULL;
    case IPV4:
        return l->version == 4 ? p->own + l->l3 + f->at : NULL;
    case IPV6:
        return l->version == 6 ? p->own + l->l3 + f->at : NULL;
    case TCP:
        return l->protocol == PROTOCOL_TCP ? p->own + l->l4 + f->at : NULL;
    case UDP:
        return l->protocol == PROTOCOL_UDP ? p->own + l->l4 + f->at : NULL;
    case REGISTER:
        return (uint8_t *)&p->headers + f->at;
    }
    return NULL;
}

/* Returns the entry of a field for this frame, and its address. NULL if the frame does not have
 * it. */
static const struct field *find_in(struct packet *p, const struct layers *l, uint16_t number,
                                   uint8_t **at)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].number == number && (*at = place(p, l, &fields[i])))
            return &fields[i];
    return NULL;
}

static uint32_t load(const uint8_t *at, size_t size)
{
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | at[i];
    return value;
}

static void store(uint8_t *at, size_t size, uint32_t value)
{
    for (size_t i = size; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

/* ---- Checksums ---- */

/* Returns a checksum of 16-bit words after one word has changed. */
static uint16_t mended(uint16_t checksum, uint16_t before, uint16_t after)
{
    uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~before + after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void mend(uint8_t *checksum, const uint8_t before[4], const uint8_t after[4])
{
    uint16_t value = (uint16_t)load(checksum, 2);
    for (size_t i = 0; i < 4; i += 2)
        value = mended(value, (uint16_t)load(before + i, 2), (uint16_t)load(after + i, 2));
    dpk_store_be16(checksum, value);
}

/* A datagram without a checksum stays without a checksum. */
static void mend_l4(struct packet *p, const struct layers *l, const uint8_t before[4],
                    const uint8_t after[4])
{
    uint8_t *checksum = l->protocol ? p->own + frame_l4_checksum_at(l) : NULL;
    const bool udp = l->protocol == PROTOCOL_UDP;
    if (!checksum || (udp && load(checksum, 2) == 0))
        return;
    mend(checksum, before, after);
    if (udp && load(checksum, 2) == 0)
        dpk_store_be16(checksum, UINT16_MAX);
}

/* Writes the word that contains a field, and updates the checksums that cover it. */
static void write_word(struct packet *p, const struct layers *l, const struct field *f, uint8_t *at,
                       uint32_t value)
{
    /* Words of checksums begin at even offsets of a header. */
    const size_t odd = f->at % 2, covered = 4 - odd < f->bytes ? 4 : f->bytes + odd;
    const bool v4 = f->base == IPV4, v6 = f->base == IPV6;
    uint8_t before[4] = {0}, after[4] = {0};
    if (!v4 && !v6 && f->base != TCP && f->base != UDP) {
        store(at, f->bytes, value);
        return;
    }
    memcpy(before, at - odd, covered);
    store(at, f->bytes, value);
    memcpy(after, at - odd, covered);
    if (v4)
        mend(p->own + l->l3 + IPV4_CHECKSUM, before, after);
    if ((v4 && f->at < IPV4_ADDRESSES) || (v6 && f->at < IPV6_ADDRESSES))
        return;
    mend_l4(p, l, before, after);
}

/* ---- Modifications ---- */

static void modify(struct packet *p, const struct layers *l, const struct dpk_flow_modification *m)
{
    uint8_t *at, *from;
    const struct field *f = find_in(p, l, m->field, &at), *source = NULL;
    if (!f || (m->kind == DPK_FLOW_COPY && !(source = find_in(p, l, m->source, &from))))
        return;
    const uint32_t word = load(at, f->bytes), value = word >> f->shift & mask_of(f->bits);
    uint32_t bits = m->data;
    if (m->kind == DPK_FLOW_ADD)
        bits = value + m->data;
    if (source)
        bits = load(from, source->bytes) >> source->shift >> m->source_offset;
    const uint32_t mask = mask_of(m->length) << m->offset;
    const uint32_t changed = (value & ~mask) | (bits << m->offset & mask);
    write_word(p, l, f, at, (word & ~(mask_of(f->bits) << f->shift)) | changed << f->shift);
}

enum dpk_counter queues_packet_modify(struct packet *p, const struct dpk_flow_modification *list,
                                      size_t count)
{
    struct layers l;
    enum dpk_counter dropped = p->own ? DPK_COUNTERS : queues_packet_splice(p, 0, 0, NULL, 0);
    if (dropped != DPK_COUNTERS)
        return dropped;
    frame_layers_find(p->bytes, p->size, &l);
    for (size_t i = 0; i < count; i++)
        modify(p, &l, &list[i]);
    return DPK_COUNTERS;
}
