/* A notification point that answers with what it sees, as the first byte of the payload says. */
#include <doca_pcc_np_dev.h>
#include <string.h>

doca_pcc_dev_error_t
doca_pcc_dev_np_user_packet_handler(struct doca_pcc_np_dev_request_packet *in,
                                    struct doca_pcc_np_dev_response_packet *out)
{
    uint8_t present;
    uint16_t tci, *to = (uint16_t *)out->data;
    const uint8_t *payload = doca_pcc_np_dev_get_payload(in);
    switch (payload[0]) {
    case 1: /* no answer */
        return DOCA_PCC_DEV_STATUS_FAIL;
    case 2: /* more than there is */
        out->size = doca_pcc_np_dev_get_max_response_size(out) + 1;
        return DOCA_PCC_DEV_STATUS_OK;
    case 3:
        *(volatile uint8_t *)8 = 1;
    }
    doca_pcc_np_dev_get_vlan_tci(in, &present, &tci);
    *to++ = (uint16_t)doca_pcc_np_dev_get_raw_packet_size(in);
    *to++ = (uint16_t)doca_pcc_np_dev_get_l4_size(in);
    *to++ = (uint16_t)doca_pcc_np_dev_get_payload_size(in);
    *to++ = doca_pcc_np_dev_get_raw_packet(in)[0];
    *to++ = doca_pcc_np_dev_get_l4_header(in)[0];
    *to++ = payload[1];
    *to++ = doca_pcc_np_dev_get_port_num(in);
    *to++ = doca_pcc_np_dev_get_plane_num(in);
    *to++ = doca_pcc_np_dev_get_packet_probe_type_slot(in);
    *to++ = present;
    *to++ = tci;
    *to++ = out->in == in;
    *to++ = (uint16_t)doca_pcc_np_dev_get_max_response_size(out);
    out->size = 26;
    doca_pcc_np_dev_set_response_prio(out, 5);
    return DOCA_PCC_DEV_STATUS_OK;
}
