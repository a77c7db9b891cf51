/* Queues of frames as DOCA 2.5 to 2.10 have them. */
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>

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
