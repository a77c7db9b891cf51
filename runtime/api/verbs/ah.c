/* Address handles: destinations of datagrams. */
#include "ah.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdlib.h>
#include <string.h>

#include "gids.h"

enum { LEVEL_UDP = 8, LEVEL_V4 = 2, LEVEL_V6 = 1 };

#define GRH_VERSION 6u /* IPv6 uses this header */
#define NEXT_IS_BTH 0x1b
#define V4_WORDS    5u
#define ROCE_BYTES  (8u + 12 + 8 + 4) /* bytes around the payload: UDP, BTH, DETH, ICRC */

bool dpk_verbs_is_v4(const union ibv_gid *gid)
{
    return memcmp(gid->raw, (const uint8_t[12]){[10] = 0xff, [11] = 0xff}, 12) == 0;
}

static union ibv_gid mapped(uint32_t v4)
{
    union ibv_gid gid = {.raw = {[10] = 0xff, [11] = 0xff}};
    memcpy(gid.raw + 12, &v4, sizeof v4);
    return gid;
}

/* Returns the checksum of a header, or 0 if the header already has the right checksum. */
static uint16_t sum(const struct iphdr *v4)
{
    uint16_t words[sizeof *v4 / 2];
    uint32_t all = 0;
    memcpy(words, v4, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        all += words[i];
    all = (all & 0xffff) + (all >> 16);
    return (uint16_t) ~(all + (all >> 16));
}

/* Emulated networks have no MAC addresses of their own. A program that asks gets an address that follows from the GID. */
static struct mlx5_wqe_av vector_of(const struct ibv_ah_attr *attr)
{
    struct mlx5_wqe_av v = {.stat_rate_sl = (uint8_t)(attr->static_rate << 4 | (attr->sl & 15)),
                            .fl_mlid = attr->src_path_bits & 0x7f,
                            .rlid = htobe16(attr->dlid),
                            .rmac = {2},
                            .tclass = attr->grh.traffic_class,
                            .hop_limit = attr->grh.hop_limit,
                            .grh_gid_fl = htobe32((uint32_t)attr->is_global << 30 |
                                                  (uint32_t)attr->grh.sgid_index << 20 |
                                                  (attr->grh.flow_label & 0xfffff))};
    memcpy(v.rgid, attr->grh.dgid.raw, sizeof v.rgid);
    memcpy(v.rmac + 1, attr->grh.dgid.raw + sizeof attr->grh.dgid - (sizeof v.rmac - 1),
           sizeof v.rmac - 1);
    return v;
}

struct mlx5_wqe_av *verbs_ah_vector(struct ibv_ah *ah)
{
    return &((struct ah *)ah)->vector;
}

struct ibv_ah *dpk_verbs_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    const int why = pd && attr ? verbs_path_check(pd->context, IBV_QPT_UD, attr) : EINVAL;
    struct ah *a = why ? NULL : calloc(1, sizeof *a);
    if (!a) {
        errno = why ? why : ENOMEM;
        return NULL;
    }
    a->ib = (struct ibv_ah){.context = pd->context, .pd = pd};
    a->attr = *attr;
    a->vector = vector_of(attr);
    a->is_far = dpk_verbs_is_far(pd->context, &attr->grh.dgid);
    dpk_verbs_query_gid(pd->context, attr->port_num, attr->grh.sgid_index, &a->from);
    dpk_verbs_use_pd(pd);
    return &a->ib;
}

int dpk_verbs_destroy_ah(struct ibv_ah *ah)
{
    if (!ah)
        return EINVAL;
    dpk_verbs_leave_pd(ah->pd);
    free(ah);
    return 0;
}

/* Gets the addresses of a header. Returns false if the header is invalid. */
static bool read_header(const struct ibv_grh *grh, union ibv_gid *from, union ibv_gid *to)
{
    struct iphdr v4;
    memcpy(&v4, (const uint8_t *)grh + sizeof *grh - sizeof v4, sizeof v4);
    if (be32toh(grh->version_tclass_flow) >> 28 == GRH_VERSION) {
        *from = grh->sgid;
        *to = grh->dgid;
    } else if (v4.version == 4 && v4.ihl == V4_WORDS && sum(&v4) == 0) {
        *from = mapped(v4.saddr);
        *to = mapped(v4.daddr);
    } else {
        return false;
    }
    return true;
}

int dpk_verbs_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
                              struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
    union ibv_gid from, to;
    int index;
    if (!context || !wc || !grh || !attr || port_num != 1 || !(wc->wc_flags & IBV_WC_GRH) ||
        !read_header(grh, &from, &to) || (index = verbs_gids_find(context, &to)) < 0) {
        errno = EINVAL;
        return -1;
    }
    *attr = (struct ibv_ah_attr){.is_global = 1, .port_num = port_num};
    attr->grh.dgid = from;
    attr->grh.sgid_index = (uint8_t)index;
    attr->grh.hop_limit = 0xff;
    return 0;
}

struct ibv_ah *dpk_verbs_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
                                           struct ibv_grh *grh, uint8_t port_num)
{
    struct ibv_ah_attr attr;
    if (!pd) {
        errno = EINVAL;
        return NULL;
    }
    return dpk_verbs_init_ah_from_wc(pd->context, port_num, wc, grh, &attr) == 0
               ? dpk_verbs_create_ah(pd, &attr)
               : NULL;
}

static void write_v4(const struct ah *a, uint64_t payload, struct ibv_grh *out)
{
    struct iphdr v4 = {.version = 4,
                       .ihl = V4_WORDS,
                       .tos = a->attr.grh.traffic_class,
                       .tot_len = htobe16((uint16_t)(sizeof v4 + ROCE_BYTES + payload)),
                       .frag_off = htobe16(IP_DF),
                       .ttl = a->attr.grh.hop_limit,
                       .protocol = IPPROTO_UDP};
    memcpy(&v4.saddr, a->from.raw + 12, sizeof v4.saddr);
    memcpy(&v4.daddr, a->attr.grh.dgid.raw + 12, sizeof v4.daddr);
    v4.check = sum(&v4);
    memset(out, 0, sizeof *out);
    memcpy((uint8_t *)out + sizeof *out - sizeof v4, &v4, sizeof v4);
}

/* The header is an IPv4 header. */
static bool has_v4(const struct ah *a)
{
    return dpk_verbs_is_v4(&a->from) && dpk_verbs_is_v4(&a->attr.grh.dgid);
}

uint8_t verbs_ah_level(const struct ah *a)
{
    const bool v2 = a->attr.grh.sgid_index % 2 != 0;
    return has_v4(a) ? LEVEL_UDP | LEVEL_V4 : v2 ? LEVEL_UDP | LEVEL_V6 : 0;
}

void verbs_ah_write_header(const struct ah *a, uint64_t payload, struct ibv_grh *out)
{
    const struct ibv_global_route *to = &a->attr.grh;
    if (has_v4(a)) {
        write_v4(a, payload, out);
        return;
    }
    *out = (struct ibv_grh){.version_tclass_flow =
                                htobe32(GRH_VERSION << 28 | (uint32_t)to->traffic_class << 20 |
                                        (to->flow_label & 0xfffff)),
                            .paylen = htobe16((uint16_t)payload),
                            .next_hdr = NEXT_IS_BTH,
                            .hop_limit = to->hop_limit,
                            .sgid = a->from,
                            .dgid = to->dgid};
}

/* Checks the address of a peer, which is its GID. */
int verbs_path_check(struct ibv_context *context, enum ibv_qp_type type,
                     const struct ibv_ah_attr *a)
{
    struct ibv_gid_entry own;
    if (!a->is_global)
        return EINVAL;
    const int why = dpk_verbs_query_gid_ex(context, a->port_num, a->grh.sgid_index, &own);
    if (why || (type != IBV_QPT_UC && dpk_verbs_is_far(context, &a->grh.dgid)))
        return why;
    return verbs_gids_are_known(&a->grh.dgid) ? 0 : ETIMEDOUT;
}
