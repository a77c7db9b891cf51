/* Facts about a frame that a card writes into its completion: bytes 28 and 29 of struct mlx5_cqe64,
 * as drivers of Linux and DPDK read them (hds_ip_ext, l4_l3_hdr_type). */
#include "model.h"

#include "net/frame/frame.h"

enum { CHECKED_L2 = 1, CHECKED_L3 = 2, CHECKED_L4 = 4 };
enum { IP_OPTIONS = 0x02, L3_IPV6 = 1 << 2, L3_IPV4 = 2 << 2, IP_FRAGMENT = 0x80 };
enum {
    L4_TCP = 1 << 4,
    L4_UDP = 2 << 4,
    L4_TCP_ACK = 3 << 4,
    L4_TCP_ACK_DATA = 4 << 4,
    L4_TYPES = 7 << 4
};
enum { TCP_FLAGS = 13, TCP_ACK = 0x10 };

static uint8_t l4_type(const uint8_t *frame, const struct layers *l)
{
    if (l->protocol == PROTOCOL_UDP)
        return L4_UDP;
    if (l->protocol != PROTOCOL_TCP)
        return 0;
    if (!(frame[l->l4 + TCP_FLAGS] & TCP_ACK))
        return L4_TCP;
    return l->end > l->l4 + l->l4_size ? L4_TCP_ACK_DATA : L4_TCP_ACK;
}

/* A UDP datagram over IPv4 may have no checksum. */
static bool l4_is_right(const uint8_t *frame, size_t size, const struct layers *l)
{
    if (l->protocol == 0 || l->end > size)
        return false;
    const size_t at = frame_l4_checksum_at(l);
    const bool none = l->protocol == PROTOCOL_UDP && frame[at] == 0 && frame[at + 1] == 0;
    return none ? l->version == 4 : frame_sum_l4(frame, l) == 0xffff;
}

struct frame_facts queues_facts_of(const uint8_t *frame, size_t size,
                                   const struct frame_facts *steering)
{
    struct frame_facts f = *steering;
    struct layers l;
    f.checks = CHECKED_L2;
    frame_layers_find(frame, size, &l);
    if (l.version == 0)
        return f;
    if (l.version == 6 || frame_sum_l3(frame, &l) == 0xffff)
        f.checks |= CHECKED_L3;
    if (l4_is_right(frame, size, &l))
        f.checks |= CHECKED_L4;
    f.headers = (uint8_t)((l.version == 4 ? L3_IPV4 : L3_IPV6) | (l.options ? IP_OPTIONS : 0) |
                          (l.fragment ? IP_FRAGMENT : 0) | l4_type(frame, &l));
    return f;
}

bool queues_facts_are_wrong(const struct frame_facts *f)
{
    return ((f->headers & L3_IPV4) && !(f->checks & CHECKED_L3)) ||
           ((f->headers & L4_TYPES) && !(f->checks & CHECKED_L4));
}
