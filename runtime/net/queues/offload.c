/*
 * Checksums, tags and segments of frames that are sent, as the Ethernet segment of a WQE asks for
 * them (struct mlx5_wqe_eth_seg as drivers of Linux and DPDK fill it).
 */
#include "offload.h"

#include <string.h>

#include "base/base.h"
#include "net/frame/frame.h"

#define MAC_ADDRESSES 12u

void queues_offload_tag(uint8_t *frame, uint32_t *size, const struct wqe *wqe)
{
    memmove(frame + MAC_ADDRESSES + VLAN_TAG, frame + MAC_ADDRESSES, *size - MAC_ADDRESSES);
    dpk_store_be16(frame + MAC_ADDRESSES, wqe->service_tag ? ETHER_SERVICE_VLAN : ETHER_VLAN);
    dpk_store_be16(frame + MAC_ADDRESSES + 2, wqe->tci);
    *size += VLAN_TAG;
}

void queues_offload_checksums(uint8_t *frame, size_t size, uint16_t flags)
{
    struct layers l;
    if (!(flags & (CHECKSUM_L3 | CHECKSUM_L4)))
        return;
    frame_layers_find(frame, size, &l);
    if (l.version == 4 && flags & CHECKSUM_L3)
        frame_checksum_l3(frame, &l);
    if (l.protocol != 0 && l.end <= size && flags & CHECKSUM_L4)
        frame_checksum_l4(frame, &l);
}

/* ---- Large send ---- */

bool queues_segments_find(const struct wqe *wqe, struct segments *out)
{
    const struct pieces *d = &wqe->data;
    if (wqe->headers == 0 || wqe->headers > WQE_MAX || d->count == 0)
        return false;
    return frame_segments_of(d->list[0].bytes, wqe->headers, d->total - wqe->headers, wqe->mss,
                             out);
}
