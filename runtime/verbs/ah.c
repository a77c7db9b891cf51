/* Address handles: where datagrams go. */
#include "ah.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GRH_VERSION 6u /* of IPv6, whose header it is */
#define NEXT_IS_BTH 0x1b

struct ibv_ah *dpk_verbs_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    const int why = pd && attr ? path_check(attr) : EINVAL;
    struct ah *a = why ? NULL : calloc(1, sizeof *a);
    if (!a) {
        errno = why ? why : ENOMEM;
        return NULL;
    }
    a->ib = (struct ibv_ah){.context = pd->context, .pd = pd};
    a->attr = *attr;
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

int dpk_verbs_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
                              struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
    union ibv_gid gid;
    if (!wc || !grh || !attr || !(wc->wc_flags & IBV_WC_GRH) ||
        dpk_verbs_query_gid(context, port_num, 0, &gid) != 0 ||
        memcmp(&gid, &grh->dgid, sizeof gid) != 0) {
        errno = EINVAL;
        return -1;
    }
    *attr = (struct ibv_ah_attr){.is_global = 1, .port_num = port_num};
    attr->grh.dgid = grh->sgid;
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

void ah_write_header(const struct ah *a, uint64_t payload, struct ibv_grh *out)
{
    const struct ibv_global_route *to = &a->attr.grh;
    *out = (struct ibv_grh){.version_tclass_flow =
                                htobe32(GRH_VERSION << 28 | (uint32_t)to->traffic_class << 20 |
                                        (to->flow_label & 0xfffff)),
                            .paylen = htobe16((uint16_t)payload),
                            .next_hdr = NEXT_IS_BTH,
                            .hop_limit = to->hop_limit,
                            .dgid = to->dgid};
    dpk_verbs_query_gid(a->ib.context, 1, 0, &out->sgid);
}
