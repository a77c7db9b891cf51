/* What a card does to frames that it sends. Private to port. */
#ifndef DPK_PORT_OFFLOAD_H
#define DPK_PORT_OFFLOAD_H

#include "frame/frame.h"
#include "wqe.h"

/* Puts a tag behind the addresses of a frame, which has room for VLAN_TAG bytes more. */
void offload_tag(uint8_t *frame, uint32_t *size, const struct wqe *wqe);
/* Computes the checksums that the WQE asks for, of headers that the frame has. */
void offload_checksums(uint8_t *frame, size_t size, uint16_t flags);

/* Large send (LSO): data is cut into segments of `mss` bytes, each behind the same headers. */
struct segments {
    const uint8_t *headers;
    uint32_t headers_size;
    uint32_t mss;
    uint64_t data;        /* bytes behind the headers */
    struct layers layers; /* of the headers */
};
/* False: the headers are not those of one TCP segment, or say something else. */
bool segments_find(const struct wqe *wqe, struct segments *out);
/* How many there are: at least 1. */
uint64_t segments_count(const struct segments *s);
/* Makes the headers of segment number `index` with `data` bytes; the checksums are not right yet. */
void segments_header(const struct segments *s, uint64_t index, uint32_t data, uint8_t *out);

#endif
