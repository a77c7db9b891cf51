/* Queues of frames as DOCA 2.5 to 2.10 have them. */
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>

#include "api/doca/eth/eth.h"

doca_error_t doca_eth_rxq_cap_get_max_packet_size_v2_5(const struct doca_devinfo *devinfo,
                                                       uint16_t *max_packet_size);
doca_error_t doca_eth_rxq_cap_get_max_packet_size_v2_5(const struct doca_devinfo *devinfo,
                                                       uint16_t *max_packet_size)
{
    uint32_t size = 0;
    doca_error_t result =
        doca_eth_rxq_cap_get_max_packet_size(devinfo, max_packet_size ? &size : NULL);
    if (result == DOCA_SUCCESS)
        *max_packet_size = size < UINT16_MAX ? (uint16_t)size : UINT16_MAX;
    return result;
}

doca_error_t doca_eth_rxq_set_max_packet_size_v2_5(struct doca_eth_rxq *eth_rxq,
                                                   uint16_t max_packet_size);
doca_error_t doca_eth_rxq_set_max_packet_size_v2_5(struct doca_eth_rxq *eth_rxq,
                                                   uint16_t max_packet_size)
{
    return doca_eth_rxq_set_max_packet_size(eth_rxq, max_packet_size);
}

doca_error_t doca_eth_rxq_estimate_packet_buf_size_v2_10(enum doca_eth_rxq_type type, uint32_t rate,
                                                         uint16_t pkt_max_process_time,
                                                         uint32_t max_packet_size,
                                                         uint32_t max_burst_size,
                                                         uint8_t log_max_lro_pkt_sz,
                                                         uint32_t *buf_size);
doca_error_t doca_eth_rxq_estimate_packet_buf_size_v2_10(enum doca_eth_rxq_type type, uint32_t rate,
                                                         uint16_t pkt_max_process_time,
                                                         uint32_t max_packet_size,
                                                         uint32_t max_burst_size,
                                                         uint8_t log_max_lro_pkt_sz,
                                                         uint32_t *buf_size)
{
    return doca_eth_rxq_estimate_packet_buf_size(type, rate, pkt_max_process_time, max_packet_size,
                                                 max_burst_size, log_max_lro_pkt_sz, 0, 0,
                                                 buf_size);
}

doca_error_t doca_eth_rxq_estimate_packet_buf_size_v2_5(enum doca_eth_rxq_type type, uint32_t rate,
                                                        uint16_t pkt_max_process_time,
                                                        uint16_t max_packet_size,
                                                        uint32_t max_burst_size,
                                                        uint8_t log_max_lro_pkt_sz,
                                                        uint32_t *buf_size);
doca_error_t doca_eth_rxq_estimate_packet_buf_size_v2_5(enum doca_eth_rxq_type type, uint32_t rate,
                                                        uint16_t pkt_max_process_time,
                                                        uint16_t max_packet_size,
                                                        uint32_t max_burst_size,
                                                        uint8_t log_max_lro_pkt_sz,
                                                        uint32_t *buf_size)
{
    return doca_eth_rxq_estimate_packet_buf_size(type, rate, pkt_max_process_time, max_packet_size,
                                                 max_burst_size, log_max_lro_pkt_sz, 0, 0,
                                                 buf_size);
}

doca_error_t doca_eth_rxq_task_recv_allocate_init_v2_5(struct doca_eth_rxq *eth_rxq,
                                                       union doca_data user_data,
                                                       struct doca_buf *pkt,
                                                       struct doca_eth_rxq_task_recv **task_recv);
doca_error_t doca_eth_rxq_task_recv_allocate_init_v2_5(struct doca_eth_rxq *eth_rxq,
                                                       union doca_data user_data,
                                                       struct doca_buf *pkt,
                                                       struct doca_eth_rxq_task_recv **task_recv)
{
    return doca_eth_rxq_task_recv_allocate_init(eth_rxq, pkt, user_data, task_recv);
}

doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported_v2_5(
    const struct doca_dev *dev, enum doca_eth_wait_on_time_type *wait_on_time_mode);
doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported_v2_5(
    const struct doca_dev *dev, enum doca_eth_wait_on_time_type *wait_on_time_mode)
{
    return doca_eth_txq_cap_get_wait_on_time_offload_supported(doca_dev_as_devinfo(dev),
                                                               wait_on_time_mode);
}

doca_error_t doca_eth_txq_task_lso_send_set_conf_v2_5(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint16_t mss,
    uint16_t max_lso_header_size, uint32_t task_lso_send_num);
doca_error_t doca_eth_txq_task_lso_send_set_conf_v2_5(
    struct doca_eth_txq *eth_txq, doca_eth_txq_task_lso_send_completion_cb_t task_completion_cb,
    doca_eth_txq_task_lso_send_completion_cb_t task_error_cb, uint16_t mss,
    uint16_t max_lso_header_size, uint32_t task_lso_send_num)
{
    doca_error_t result = doca_eth_txq_set_mss(eth_txq, mss);
    if (result == DOCA_SUCCESS)
        result = doca_eth_txq_set_max_lso_header_size(eth_txq, max_lso_header_size);
    return result == DOCA_SUCCESS
               ? doca_eth_txq_task_lso_send_set_conf(eth_txq, task_completion_cb, task_error_cb,
                                                     task_lso_send_num)
               : result;
}

/* ---- Names of DOCA 2.5, which its headers declare ---- */

/* Makes an answer of 1 or 0 of a capability. */
static doca_error_t answer(doca_error_t result, uint8_t *is_supported)
{
    if (!is_supported)
        return dpk_doca_no_object("doca_eth_..._supported");
    *is_supported = result == DOCA_SUCCESS;
    return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_SUCCESS : result;
}

doca_error_t doca_eth_rxq_get_max_burst_size_supported(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_burst_size)
{
    return doca_eth_rxq_cap_get_max_burst_size(devinfo, max_burst_size);
}

doca_error_t doca_eth_rxq_get_max_packet_size_supported(const struct doca_devinfo *devinfo,
                                                        uint16_t *max_packet_size)
{
    return doca_eth_rxq_cap_get_max_packet_size_v2_5(devinfo, max_packet_size);
}

doca_error_t doca_eth_rxq_get_max_recv_buf_list_len_supported(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_recv_buf_list_len)
{
    return doca_eth_rxq_cap_get_max_recv_buf_list_len(devinfo, max_recv_buf_list_len);
}

doca_error_t doca_eth_rxq_get_type_supported(const struct doca_devinfo *devinfo,
                                             enum doca_eth_rxq_type type,
                                             enum doca_eth_rxq_data_path_type data_path_type,
                                             uint8_t *type_supported)
{
    return answer(doca_eth_rxq_cap_is_type_supported(devinfo, type, data_path_type),
                  type_supported);
}

doca_error_t doca_eth_rxq_set_pkt_buffer(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                         uint32_t mmap_offset, uint32_t mmap_len)
{
    return doca_eth_rxq_set_pkt_buf(eth_rxq, mmap, mmap_offset, mmap_len);
}

doca_error_t doca_eth_rxq_get_pkt_buffer_size(const struct doca_eth_rxq *eth_rxq,
                                              uint32_t *buffer_size)
{
    struct rxq *q = buffer_size ? dpk_object_lock(eth_rxq, &eth_rxq_kind) : NULL;
    const bool has_buffer = q && q->mmap_len > 0;
    if (has_buffer)
        *buffer_size = q->mmap_len;
    return dpk_doca_unlock(q, __func__, has_buffer ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the queue has no memory (doca_eth_rxq_set_pkt_buffer)");
}

doca_error_t doca_eth_rxq_estimate_packet_buffer_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                      uint16_t pkt_max_process_time,
                                                      uint16_t max_packet_size,
                                                      uint32_t max_burst_size,
                                                      uint8_t log_max_lro_pkt_sz,
                                                      uint32_t *buf_size)
{
    return doca_eth_rxq_estimate_packet_buf_size_v2_5(type, rate, pkt_max_process_time,
                                                      max_packet_size, max_burst_size,
                                                      log_max_lro_pkt_sz, buf_size);
}

doca_error_t doca_eth_txq_get_max_burst_size_supported(const struct doca_devinfo *devinfo,
                                                       uint32_t max_send_buf_list_len,
                                                       uint16_t max_lso_header_size,
                                                       uint32_t *max_burst_size)
{
    return doca_eth_txq_cap_get_max_burst_size(devinfo, max_send_buf_list_len, max_lso_header_size,
                                               max_burst_size);
}

doca_error_t doca_eth_txq_get_max_send_buf_list_len_supported(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_send_buf_list_len)
{
    return doca_eth_txq_cap_get_max_send_buf_list_len(devinfo, max_send_buf_list_len);
}

doca_error_t doca_eth_txq_get_max_lso_header_size_supported(const struct doca_devinfo *devinfo,
                                                            uint16_t *max_lso_header_size)
{
    return doca_eth_txq_cap_get_max_lso_header_size(devinfo, max_lso_header_size);
}

doca_error_t doca_eth_txq_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_lso_msg_size)
{
    return doca_eth_txq_cap_get_max_lso_msg_size(devinfo, max_lso_msg_size);
}

doca_error_t doca_eth_txq_get_l3_chksum_offload_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *offload_supported)
{
    return answer(doca_eth_txq_cap_is_l3_chksum_offload_supported(devinfo), offload_supported);
}

doca_error_t doca_eth_txq_get_l4_chksum_offload_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *offload_supported)
{
    return answer(doca_eth_txq_cap_is_l4_chksum_offload_supported(devinfo), offload_supported);
}

doca_error_t doca_eth_txq_get_type_supported(const struct doca_devinfo *devinfo,
                                             enum doca_eth_txq_type type,
                                             enum doca_eth_txq_data_path_type data_path_type,
                                             uint8_t *type_supported)
{
    return answer(doca_eth_txq_cap_is_type_supported(devinfo, type, data_path_type),
                  type_supported);
}

doca_error_t
doca_eth_txq_get_wait_on_time_offload_supported(const struct doca_dev *dev,
                                                enum doca_eth_wait_on_time_type *wait_on_time_mode)
{
    return doca_eth_txq_cap_get_wait_on_time_offload_supported_v2_5(dev, wait_on_time_mode);
}
