/* Labels of MPLS (RFC 3032). */
#include "flow.h"

enum { LABEL_BITS = 20, CLASS_BITS = 3, TTL_BITS = 8 };

doca_error_t doca_flow_mpls_label_encode(uint32_t label, uint8_t traffic_class, uint8_t ttl,
                                         bool bottom_of_stack, struct doca_flow_header_mpls *mpls)
{
    if (!mpls || label >> LABEL_BITS || traffic_class >> CLASS_BITS)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    mpls->label =
        htobe32(label << (CLASS_BITS + 1 + TTL_BITS) | (uint32_t)traffic_class << (1 + TTL_BITS) |
                (uint32_t)bottom_of_stack << TTL_BITS | ttl);
    return DOCA_SUCCESS;
}

doca_error_t doca_flow_mpls_label_decode(const struct doca_flow_header_mpls *mpls, uint32_t *label,
                                         uint8_t *traffic_class, uint8_t *ttl,
                                         bool *bottom_of_stack)
{
    if (!mpls || !label || !traffic_class || !ttl || !bottom_of_stack)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_INVALID_VALUE);
    const uint32_t word = be32toh(mpls->label);
    *label = word >> (CLASS_BITS + 1 + TTL_BITS);
    *traffic_class = word >> (1 + TTL_BITS) & ((1u << CLASS_BITS) - 1);
    *bottom_of_stack = word >> TTL_BITS & 1;
    *ttl = (uint8_t)word;
    return DOCA_SUCCESS;
}
