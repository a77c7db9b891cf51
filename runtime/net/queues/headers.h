/* Parses the headers of a frame for the match of rules (queues.h). Private to this room. */
#ifndef DPK_NET_QUEUES_HEADERS_H
#define DPK_NET_QUEUES_HEADERS_H

#include "queues.h"

#define PARSED_BYTES DPK_MATCH_MISC2 /* headers come first, then registers */
enum { VXLAN_PORT = 4789, VXLAN_HEADER = 8, VXLAN_HAS_VNI = 0x08 };

/* Fills the first two parts from a frame, except source_port. A header that is missing or incomplete is
 * 0. */
void queues_headers_match(const uint8_t *frame, size_t size, uint8_t out[PARSED_BYTES]);

#endif
