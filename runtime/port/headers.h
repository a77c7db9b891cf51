/*
 * Where fields are in what rules match: struct fte_match_set_lyr_2_4 of the ConnectX PRM. Private to
 * port.
 */
#ifndef DPK_PORT_HEADERS_H
#define DPK_PORT_HEADERS_H

#include "port.h"

enum {
    AT_SMAC = 0,
    AT_ETHERTYPE = 6,
    AT_DMAC = 8,
    AT_FIRST_VLAN = 14,
    AT_PROTOCOL = 16,
    AT_TRAFFIC_CLASS = 17,
    AT_TAGS = 18, /* cvlan_tag, svlan_tag, frag, ip_version (4 bits), tcp_flags (9 bits) */
    AT_TCP_PORTS = 20,
    AT_TTL = 27,
    AT_UDP_PORTS = 28,
    AT_SOURCE = 32,
    AT_DESTINATION = 48,
    AT_IPV4 = 12, /* an address of IPv4 is the last four bytes of its field */
};
enum { TAGS_CVLAN = 0x80, TAGS_SVLAN = 0x40, TAGS_FRAGMENT = 0x20, TAGS_VERSION_SHIFT = 1 };

/* Fills it from a frame. What the frame does not have, or not whole, is 0. */
void headers_match(const uint8_t *frame, size_t size, uint8_t out[DPK_MATCH_BYTES]);

#endif
