/*
 * doca_eth_txq: a queue that sends frames of Ethernet.
 *
 *     struct doca_eth_txq *txq;
 *     doca_eth_txq_create(dev, 256, &txq);
 *     doca_eth_txq_set_type(txq, DOCA_ETH_TXQ_TYPE_REGULAR);
 *     doca_eth_txq_task_send_set_conf(txq, done, failed, 256);    // doca_eth_txq_cpu_data_path.h
 *     doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(txq));
 *     doca_ctx_start(doca_eth_txq_as_doca_ctx(txq));
 *     doca_eth_txq_apply_queue_id(txq, 0);
 *
 * What is sent passes the steering of the device and leaves its port (dpa-network(7)).
 *
 * Functions that set something return BAD_STATE unless the context is idle, and INVALID_VALUE for
 * NULL and for what is no such queue (DOCA Ethernet programming guide, "DOCA ETH TXQ").
 */
#ifndef DOCA_ETH_TXQ_H
#define DOCA_ETH_TXQ_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_txq;
struct doca_gpu_eth_txq; /* a queue, as programs of a GPU see it */

enum doca_eth_txq_type {
    DOCA_ETH_TXQ_TYPE_REGULAR = 0,
};

/* Who carries out the data path. */
enum doca_eth_txq_data_path_type {
    DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU = 0,
    DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU,
};

/* How a device sends at a time that was given. */
enum doca_eth_wait_on_time_type {
    DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0, /* it does not */
    DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE,
    DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK,
};

/* ---- What devices can do ---- */

/* Frames in flight at most, of so many buffers each, with headers of so many bytes in front of data
 * that is cut (0: nothing is). INVALID_VALUE: also more than the next two say. */
doca_error_t doca_eth_txq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t max_send_buf_list_len,
                                                 uint16_t max_lso_header_size,
                                                 uint32_t *max_burst_size);
doca_error_t doca_eth_txq_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_send_buf_list_len);
doca_error_t doca_eth_txq_cap_get_max_lso_header_size(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_lso_header_size);
/* Bytes of data of one task that is cut, and of one segment of it, at most. */
doca_error_t doca_eth_txq_cap_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_lso_msg_size);
/* Numbers of metadata that a frame may have: 1. */
doca_error_t doca_eth_txq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);
/* DOCA_SUCCESS: the checksums of IPv4, and of TCP and UDP, can be made. */
doca_error_t doca_eth_txq_cap_is_l3_chksum_offload_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_eth_txq_cap_is_l4_chksum_offload_supported(const struct doca_devinfo *devinfo);
/* NOT_SUPPORTED: a GPU. INVALID_VALUE: also a type that is none. */
doca_error_t doca_eth_txq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_txq_type type,
                                                enum doca_eth_txq_data_path_type data_path_type);
/* NONE: emulated devices send at once. */
doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_devinfo *devinfo, enum doca_eth_wait_on_time_type *wait_on_time_mode);

/* ---- Queues ---- */

/* Makes an idle queue with room for `max_burst_size` frames. INVALID_VALUE: also 0, or more than a
 * device can. NO_MEMORY. */
doca_error_t doca_eth_txq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 struct doca_eth_txq **eth_txq);
/* Stops it if it runs. IN_USE: a task is not freed; it stays. */
doca_error_t doca_eth_txq_destroy(struct doca_eth_txq *eth_txq);

/* The same object as a context. It starts when it is connected to a progress engine and some tasks
 * were set up (else BAD_CONFIG). INVALID_VALUE: so many frames, with such lists and headers, are
 * more than a device can. OPERATING_SYSTEM: the device's port cannot be plugged in; the log says
 * why. */
struct doca_ctx *doca_eth_txq_as_doca_ctx(struct doca_eth_txq *eth_txq);

/* What doca_eth_txq_create was given. INVALID_VALUE: also 0, or more than a device can. */
doca_error_t doca_eth_txq_set_max_burst_size(struct doca_eth_txq *eth_txq, uint32_t max_burst_size);

doca_error_t doca_eth_txq_set_type(struct doca_eth_txq *eth_txq, enum doca_eth_txq_type type);

/* Buffers in the list of a task, 1 at first. INVALID_VALUE: 0, or more than a device can. */
doca_error_t doca_eth_txq_set_max_send_buf_list_len(struct doca_eth_txq *eth_txq,
                                                    uint32_t max_send_buf_list_len);

/* Numbers of metadata that tasks give their frames, which the device's rules for sent frames match:
 * 0 at first. NOT_SUPPORTED: more than a device can. */
doca_error_t doca_eth_txq_set_metadata_num(struct doca_eth_txq *eth_txq, uint8_t metadata_num);

/* Makes checksums of what is sent: 0 (at first) or 1. */
doca_error_t doca_eth_txq_set_l3_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_offload);
doca_error_t doca_eth_txq_set_l4_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_offload);

/* Of tasks whose data is cut: bytes of data in a frame (1 to 65535; 1500 at first), and bytes of the
 * headers in front of it at most (1 to what a device can; 74 at first). */
doca_error_t doca_eth_txq_set_mss(struct doca_eth_txq *eth_txq, uint16_t mss);
doca_error_t doca_eth_txq_set_max_lso_header_size(struct doca_eth_txq *eth_txq,
                                                  uint16_t max_lso_header_size);

/* NOT_SUPPORTED (see above). */
doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq);
doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value);

/* Gives a running queue an id. BAD_STATE: it does not run, or has one. */
doca_error_t doca_eth_txq_apply_queue_id(struct doca_eth_txq *eth_txq, uint16_t queue_id);

/* Its id. BAD_STATE: it has none. */
doca_error_t doca_eth_txq_get_flow_queue_id(struct doca_eth_txq *eth_txq, uint16_t *flow_queue_id);

/* Its number on the device. BAD_STATE: it does not run. */
doca_error_t doca_eth_txq_get_hw_queue_num(struct doca_eth_txq *eth_txq, uint32_t *hw_queue_num);

/* NOT_SUPPORTED: there is no GPU beside an emulated device. */
doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext);

#ifdef __cplusplus
}
#endif

#endif
