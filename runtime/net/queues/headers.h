/*
 * Offsets of fields in the match of rules: structs fte_match_set_lyr_2_4, _misc and _misc2 of the
 * ConnectX PRM. Private to port.
 */
#ifndef DPK_NET_QUEUES_HEADERS_H
#define DPK_NET_QUEUES_HEADERS_H

#include "queues.h"

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
    AT_IPV4 = 12, /* an IPv4 address is the last four bytes of its field */
    AT_SOURCE_PORT = DPK_MATCH_MISC + 6,
    AT_SECOND_VLAN = DPK_MATCH_MISC + 8,
    AT_SECOND_TAGS = DPK_MATCH_MISC + 12,
    AT_VNI = DPK_MATCH_MISC + 20,
    AT_REGISTER_C7 = DPK_MATCH_MISC2 + 16, /* C_6 to C_0 follow */
    AT_REGISTER_A = DPK_MATCH_MISC2 + 48,
    AT_REGISTER_B = DPK_MATCH_MISC2 + 52,
};
#define PARSED_BYTES DPK_MATCH_MISC2 /* headers come first, then registers */
enum { SECOND_CVLAN = 0x80, SECOND_SVLAN = 0x20 };
enum { VXLAN_PORT = 4789, VXLAN_HEADER = 8, VXLAN_HAS_VNI = 0x08 };
enum { TAGS_CVLAN = 0x80, TAGS_SVLAN = 0x40, TAGS_FRAGMENT = 0x20, TAGS_VERSION_SHIFT = 1 };

/* Fills the first two parts from a frame, except source_port. A header that is missing or incomplete is
 * 0. */
void queues_headers_match(const uint8_t *frame, size_t size, uint8_t out[PARSED_BYTES]);

#endif
