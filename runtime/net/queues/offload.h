/* Changes that a card makes to frames that it sends. Private to this room. */
#ifndef DPK_NET_QUEUES_OFFLOAD_H
#define DPK_NET_QUEUES_OFFLOAD_H

#include "net/frame/frame.h"
#include "wqe.h"

/* Inserts a tag after the addresses of a frame. The frame has room for VLAN_TAG more bytes. */
void queues_offload_tag(uint8_t *frame, uint32_t *size, const struct wqe *wqe);
/* Computes the checksums that the WQE requests, for the headers in the frame. */
void queues_offload_checksums(uint8_t *frame, size_t size, uint16_t flags);

/* Prepares a large send (LSO). Returns false if the headers are not the headers of one TCP segment. */
bool queues_segments_find(const struct wqe *wqe, struct segments *out);

#endif
