/* The fields that steering rules match. Other fields are known by name, so that a refusal can name
 * them. */
#include "match.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A field starts at bit `at` of its part, and ends at the next field. */
struct field {
    uint16_t at;
    const char *name;
};

static const struct field outer[] = {{0, "smac"},
                                     {48, "ethertype"},
                                     {64, "dmac"},
                                     {112, "first_prio"},
                                     {115, "first_cfi"},
                                     {116, "first_vid"},
                                     {128, "ip_protocol"},
                                     {136, "ip_dscp"},
                                     {142, "ip_ecn"},
                                     {144, "cvlan_tag"},
                                     {145, "svlan_tag"},
                                     {146, "frag"},
                                     {147, "ip_version"},
                                     {151, "tcp_flags"},
                                     {160, "tcp_sport"},
                                     {176, "tcp_dport"},
                                     {192, "l4_type"},
                                     {208, "ipv4_ihl"},
                                     {212, "l3_ok"},
                                     {213, "l4_ok"},
                                     {214, "ipv4_checksum_ok"},
                                     {215, "l4_checksum_ok"},
                                     {216, "ttl_hoplimit"},
                                     {224, "udp_sport"},
                                     {240, "udp_dport"},
                                     {256, "src_ipv4_src_ipv6"},
                                     {384, "dst_ipv4_dst_ipv6"}};
static const struct field misc[] = {{0, "gre_c_present"},
                                    {2, "gre_k_present"},
                                    {3, "gre_s_present"},
                                    {4, "source_vhca_port"},
                                    {8, "source_sqn"},
                                    {32, "source_eswitch_owner_vhca_id"},
                                    {48, "source_port"},
                                    {64, "outer_second_prio"},
                                    {67, "outer_second_cfi"},
                                    {68, "outer_second_vid"},
                                    {80, "inner_second_prio"},
                                    {83, "inner_second_cfi"},
                                    {84, "inner_second_vid"},
                                    {96, "outer_second_cvlan_tag"},
                                    {97, "inner_second_cvlan_tag"},
                                    {98, "outer_second_svlan_tag"},
                                    {99, "inner_second_svlan_tag"},
                                    {112, "gre_protocol"},
                                    {128, "gre_key"},
                                    {160, "vxlan_vni"},
                                    {184, "bth_opcode"},
                                    {192, "geneve_vni"},
                                    {222, "geneve_tlv_option_0_exist"},
                                    {223, "geneve_oam"},
                                    {236, "outer_ipv6_flow_label"},
                                    {268, "inner_ipv6_flow_label"},
                                    {298, "geneve_opt_len"},
                                    {304, "geneve_protocol_type"},
                                    {328, "bth_dst_qp"},
                                    {352, "inner_esp_spi"},
                                    {384, "outer_esp_spi"}};
static const struct field misc2[] = {
    {0, "outer_first_mpls"},           {32, "inner_first_mpls"},  {64, "outer_first_mpls_over_gre"},
    {96, "outer_first_mpls_over_udp"}, {128, "metadata_reg_c_7"}, {160, "metadata_reg_c_6"},
    {192, "metadata_reg_c_5"},         {224, "metadata_reg_c_4"}, {256, "metadata_reg_c_3"},
    {288, "metadata_reg_c_2"},         {320, "metadata_reg_c_1"}, {352, "metadata_reg_c_0"},
    {384, "metadata_reg_a"},           {416, "metadata_reg_b"}};
static const struct field misc3[] = {{0, "inner_tcp_seq_num"},
                                     {32, "outer_tcp_seq_num"},
                                     {64, "inner_tcp_ack_num"},
                                     {96, "outer_tcp_ack_num"},
                                     {136, "outer_vxlan_gpe_vni"},
                                     {160, "outer_vxlan_gpe_next_protocol"},
                                     {168, "outer_vxlan_gpe_flags"},
                                     {192, "icmp_header_data"},
                                     {224, "icmpv6_header_data"},
                                     {256, "icmp_type"},
                                     {264, "icmp_code"},
                                     {272, "icmpv6_type"},
                                     {280, "icmpv6_code"}};

/* A range of bytes that is matched. `bits`: the matched bits of each byte. */
struct matched {
    uint8_t from, to, bits;
};
static const struct matched in_outer[] = {{0, 23, 0xff}, {27, 63, 0xff}, {0}};
static const struct matched in_misc[] = {
    {6, 9, 0xff}, {12, 12, 0xa0}, {20, 22, 0xff}, {0}}; /* source_port, second tag, VNI */
static const struct matched in_misc2[] = {{16, 55, 0xff}, {0}};

/* The parts, each of DPK_MATCH_PART bytes, in the order of their bits in the criteria. */
#define FIELDS(list) list, sizeof list / sizeof *list
static const struct part {
    const char *name;
    const struct field *fields;
    size_t count;
    const struct matched *matched; /* NULL: no byte */
    size_t place;                  /* offset in the values that rules match */
} parts[] = {{"outer_headers", FIELDS(outer), in_outer, 0},
             {"misc_parameters", FIELDS(misc), in_misc, DPK_MATCH_MISC},
             {"inner_headers", FIELDS(outer), NULL, 0},
             {"misc_parameters_2", FIELDS(misc2), in_misc2, DPK_MATCH_MISC2},
             {"misc_parameters_3", FIELDS(misc3), NULL, 0},
             {"misc_parameters_4", NULL, 0, NULL, 0},
             {"misc_parameters_5", NULL, 0, NULL, 0}};
#define PARTS (sizeof parts / sizeof *parts)

int verbs_match_refuse(int why, const char *call, const char *format, ...)
{
    char reason[200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(reason, sizeof reason, format, ap);
    va_end(ap);
    fprintf(stderr, "-E- %s: %s\n", call, reason);
    return why;
}

/* Writes "part.field" of the first bit set in `bits`. */
static void name_of(const struct part *part, const uint8_t bits[DPK_MATCH_PART], char *out,
                    size_t size)
{
    unsigned bit = 0;
    const char *field = "";
    while (bit < DPK_MATCH_PART * 8 && !(bits[bit / 8] & 0x80u >> bit % 8))
        bit++;
    for (size_t i = 0; i < part->count && part->fields[i].at <= bit; i++)
        field = part->fields[i].name;
    snprintf(out, size, "%s%s%s", part->name, *field ? "." : "", field);
}

/* Copies the bytes of a part. Missing bytes are 0. */
static void part_of(const struct mlx5dv_flow_match_parameters *p, size_t part,
                    uint8_t out[DPK_MATCH_PART])
{
    const size_t at = part * DPK_MATCH_PART, size = p ? p->match_sz : 0;
    memset(out, 0, DPK_MATCH_PART);
    if (size > at)
        memcpy(out, (const uint8_t *)p->match_buf + at,
               size - at < DPK_MATCH_PART ? size - at : DPK_MATCH_PART);
}

static bool is_empty(const uint8_t bytes[DPK_MATCH_PART])
{
    static const uint8_t nothing[DPK_MATCH_PART];
    return memcmp(bytes, nothing, DPK_MATCH_PART) == 0;
}

static void clear_matched(const struct part *part, uint8_t bits[DPK_MATCH_PART])
{
    for (const struct matched *m = part->matched; m && m->bits; m++)
        for (unsigned at = m->from; at <= m->to; at++)
            bits[at] &= (uint8_t)~m->bits;
}

int verbs_match_mask(uint8_t criteria, const struct mlx5dv_flow_match_parameters *mask,
                     uint8_t out[DPK_MATCH_BYTES])
{
    static const char call[] = "mlx5dv_dr_matcher_create";
    char name[64];
    uint8_t bits[DPK_MATCH_PART];
    memset(out, 0, DPK_MATCH_BYTES);
    if (criteria >> PARTS)
        return verbs_match_refuse(EINVAL, call, "there are no criteria 0x%x", criteria);
    for (size_t i = 0; i < PARTS; i++) {
        if (!(criteria >> i & 1))
            continue;
        part_of(mask, i, bits);
        if (parts[i].matched)
            memcpy(out + parts[i].place, bits, DPK_MATCH_PART);
        clear_matched(&parts[i], bits);
        if (is_empty(bits))
            continue;
        name_of(&parts[i], bits, name, sizeof name);
        return verbs_match_refuse(EOPNOTSUPP, call, "emulated devices do not match %s", name);
    }
    return 0;
}

/* ---- Rules ---- */

enum {
    TYPE = 6,
    PROTOCOL = 16,
    TAGS = 18,
    PORTS_TCP = 20,
    PORTS_UDP = 28,
    PORT_UDP_DEST = 30,
    IP_SOURCE = 32,
    IP_DEST = 48,
    VNI = DPK_MATCH_MISC + 20
};
enum { IS_VXLAN = 4789, IS_TCP = 6, IS_UDP = 17, VERSION = 0x1e, VERSION_4 = 4 << 1 };

static bool any(const uint8_t *bytes, size_t size)
{
    uint8_t all = 0;
    for (size_t i = 0; i < size; i++)
        all |= bytes[i];
    return all != 0;
}

/* A field matches only frames that have it, so a missing condition is added: TCP or UDP for ports,
 * the port of VXLAN for a VNI, and IPv4 for an address of four bytes. */
static void imply(struct dpk_match *m)
{
    const uint8_t *mask = m->mask;
    if (any(mask + VNI, 3) && !any(mask + PORT_UDP_DEST, 2)) {
        dpk_store_be16(m->value + PORT_UDP_DEST, IS_VXLAN);
        dpk_store_be16(m->mask + PORT_UDP_DEST, UINT16_MAX);
    }
    if (mask[PROTOCOL] == 0 && (any(mask + PORTS_TCP, 4) || any(mask + PORTS_UDP, 4))) {
        m->value[PROTOCOL] = any(mask + PORTS_TCP, 4) ? IS_TCP : IS_UDP;
        m->mask[PROTOCOL] = 0xff;
    }
    const bool open = !any(mask + TYPE, 2) && !(mask[TAGS] & VERSION);
    const bool wide = any(mask + IP_SOURCE, 12) || any(mask + IP_DEST, 12);
    if (open && !wide && (any(mask + IP_SOURCE, 16) || any(mask + IP_DEST, 16))) {
        m->mask[TAGS] |= VERSION;
        m->value[TAGS] = (uint8_t)(m->value[TAGS] | VERSION_4);
    }
}

int verbs_match_value(uint8_t criteria, const uint8_t mask[DPK_MATCH_BYTES],
                      const struct mlx5dv_flow_match_parameters *value, struct dpk_match *out)
{
    static const char call[] = "mlx5dv_dr_rule_create";
    char name[64];
    uint8_t bits[DPK_MATCH_PART];
    *out = (struct dpk_match){0};
    memcpy(out->mask, mask, DPK_MATCH_BYTES);
    if (value && value->match_sz % sizeof(uint32_t))
        return verbs_match_refuse(EINVAL, call, "%zu bytes of a value, no multiple of 4",
                                  value->match_sz);
    for (size_t i = 0; i < PARTS; i++) {
        const size_t place = parts[i].place;
        if (!(criteria >> i & 1))
            continue;
        part_of(value, i, bits);
        if (parts[i].matched)
            memcpy(out->value + place, bits, DPK_MATCH_PART);
        for (size_t at = 0; parts[i].matched && at < DPK_MATCH_PART; at++)
            bits[at] &= (uint8_t)~mask[place + at];
        if (is_empty(bits))
            continue;
        name_of(&parts[i], bits, name, sizeof name);
        return verbs_match_refuse(EINVAL, call, "the value has bits of %s that the mask has not",
                                  name);
    }
    imply(out);
    return 0;
}
