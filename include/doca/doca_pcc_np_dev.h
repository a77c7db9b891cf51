/*
 * doca_pcc_np_dev: the device side of DOCA PCC for a notification point: the answers to probe packets
 * of reaction points.
 *
 *     doca_pcc_dev_error_t doca_pcc_dev_np_user_packet_handler(
 *         struct doca_pcc_np_dev_request_packet *in, struct doca_pcc_np_dev_response_packet *out)
 *     {
 *         *(uint32_t *)out->data = *(uint32_t *)doca_pcc_np_dev_get_payload(in);
 *         return DOCA_PCC_DEV_STATUS_OK;                    // the answer is sent
 *     }
 *
 * Link it with libdoca_pcc_np_dev.a. If a packet is too short for a part, the size of that part is 0.
 */
#ifndef DOCA_PCC_NP_DEV_H
#define DOCA_PCC_NP_DEV_H

#ifndef DOCA_DPA_DEVICE
#define DOCA_DPA_DEVICE
#endif

#include "doca_pcc_dev_common.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The answer. `data`: room for `size` bytes, which are 0 on entry. `size` bytes are sent; the handler
 * may reduce `size`. */
struct doca_pcc_np_dev_response_packet {
    size_t size;
    uint8_t *data;
#if DOCA_VERSION_MAJOR >= 3
    struct doca_pcc_np_dev_request_packet *in; /* the request */
#endif
};

/* The program implements this function. It fills in the answer to a probe. If it returns
 * DOCA_PCC_DEV_STATUS_FAIL, no answer is sent. */
doca_pcc_dev_error_t
doca_pcc_dev_np_user_packet_handler(struct doca_pcc_np_dev_request_packet *in,
                                    struct doca_pcc_np_dev_response_packet *out);

/* Return the packet from its Ethernet header, and its size in bytes. */
FORCE_INLINE uint8_t *
doca_pcc_np_dev_get_raw_packet(const struct doca_pcc_np_dev_request_packet *input)
{
    return (uint8_t *)(uintptr_t)input->raw;
}
FORCE_INLINE size_t
doca_pcc_np_dev_get_raw_packet_size(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->raw_size;
}
/* Return the packet from its UDP header, and that size. */
FORCE_INLINE uint8_t *
doca_pcc_np_dev_get_l4_header(const struct doca_pcc_np_dev_request_packet *input)
{
    return (uint8_t *)(uintptr_t)(input->raw + input->l4_offset);
}
FORCE_INLINE size_t doca_pcc_np_dev_get_l4_size(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->raw_size - input->l4_offset;
}
/* Return the bytes after the probe's header, and their number. */
FORCE_INLINE uint8_t *
doca_pcc_np_dev_get_payload(const struct doca_pcc_np_dev_request_packet *input)
{
    return (uint8_t *)(uintptr_t)(input->raw + input->payload_offset);
}
FORCE_INLINE size_t
doca_pcc_np_dev_get_payload_size(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->raw_size - input->payload_offset;
}
/* Return the port that received the packet, and its plane. */
FORCE_INLINE uint8_t
doca_pcc_np_dev_get_port_num(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->port_num;
}
FORCE_INLINE uint8_t
doca_pcc_np_dev_get_plane_num(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->plane_num;
}
/* Gets the VLAN tag that was removed from the packet. */
FORCE_INLINE void doca_pcc_np_dev_get_vlan_tci(const struct doca_pcc_np_dev_request_packet *input,
                                               uint8_t *vlan_present, uint16_t *vlan_tci)
{
    *vlan_present = input->has_vlan;
    *vlan_tci = input->vlan_tci;
}
/* The slot of the probe's format. */
FORCE_INLINE uint8_t
doca_pcc_np_dev_get_packet_probe_type_slot(const struct doca_pcc_np_dev_request_packet *input)
{
    return input->slot;
}

/* Returns the largest size of an answer in bytes. */
size_t doca_pcc_np_dev_get_max_response_size(struct doca_pcc_np_dev_response_packet *out);
/* Sets the priority of the answer. */
void doca_pcc_np_dev_set_response_prio(struct doca_pcc_np_dev_response_packet *out, uint32_t prio);

#ifdef __cplusplus
}
#endif

#endif
