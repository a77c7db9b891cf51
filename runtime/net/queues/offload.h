/* What a card does to frames that it sends. Private to port. */
#ifndef DPK_NET_QUEUES_OFFLOAD_H
#define DPK_NET_QUEUES_OFFLOAD_H

#include "net/frame/frame.h"
#include "wqe.h"

/* Puts a tag behind the addresses of a frame, which has room for VLAN_TAG bytes more. */
void offload_tag(uint8_t *frame, uint32_t *size, const struct wqe *wqe);
/* Computes the checksums that the WQE asks for, of headers that the frame has. */
void offload_checksums(uint8_t *frame, size_t size, uint16_t flags);

/* Large send (LSO). False: the headers are not those of one TCP segment, or say something else. */
bool segments_find(const struct wqe *wqe, struct segments *out);

#endif
