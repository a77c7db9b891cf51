/*
 * doca_eth_rxq: a queue that receives frames of Ethernet. Flow steering (doca_flow.h) sends frames
 * to it by its queue id; without a pipe none arrive.
 *
 *     struct doca_eth_rxq *rxq;
 *     doca_eth_rxq_create(dev, 256, 1600, &rxq);         // frames in flight, bytes of a frame
 *     doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_REGULAR);
 *     doca_eth_rxq_task_recv_set_conf(rxq, done, failed, 256);
 *     doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(rxq));
 *     doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq));
 *     doca_eth_rxq_apply_queue_id(rxq, 0);
 *
 * REGULAR: each frame goes into a buffer that a task brings. MANAGED_MEMPOOL: each goes into a
 * buffer of the queue's own, and an event has it (doca_eth_rxq_cpu_data_path.h). CYCLIC is for GPUs,
 * which emulated devices do not have.
 *
 * Functions that set something return BAD_STATE unless the context is idle, and INVALID_VALUE for
 * NULL and for what is no such queue (DOCA Ethernet programming guide, "DOCA ETH RXQ").
 */
#ifndef DOCA_ETH_RXQ_H
#define DOCA_ETH_RXQ_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_mmap.h"
#include "doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_rxq;
struct doca_gpu_eth_rxq; /* a queue, as programs of a GPU see it */

enum doca_eth_rxq_type {
    DOCA_ETH_RXQ_TYPE_CYCLIC = 0,
    DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
    DOCA_ETH_RXQ_TYPE_REGULAR, /* at first */
};

/* Who carries out the data path. */
enum doca_eth_rxq_data_path_type {
    DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU = 0,
    DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU,
};

/* ---- What devices can do ---- */

/* Frames in flight, and bytes of a frame, at most. */
doca_error_t doca_eth_rxq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t *max_burst_size);
doca_error_t doca_eth_rxq_cap_get_max_packet_size(const struct doca_devinfo *devinfo,
                                                  uint32_t *max_packet_size);
/* Buffers in the list of a task, and words of metadata of a frame, at most. */
doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_recv_buf_list_len);
doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);
/* Bytes that can be left free before and behind a frame. */
doca_error_t doca_eth_rxq_cap_get_max_packet_headroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_headroom);
doca_error_t doca_eth_rxq_cap_get_max_packet_tailroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_tailroom);
/* NOT_SUPPORTED: CYCLIC, and everything on a GPU. INVALID_VALUE: also a type that is none. */
doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type);

/* ---- Queues ---- */

/*
 * Makes an idle queue.
 *   max_burst_size   [in]  frames in flight: tasks, or frames that the queue has room for
 *   max_packet_size  [in]  bytes of a frame
 * INVALID_VALUE: also 0, or more than a device can. NO_MEMORY.
 */
doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 uint32_t max_packet_size, struct doca_eth_rxq **eth_rxq);

/* Stops it if it runs. IN_USE: a task, or a buffer of its own, is not given back; it stays. */
doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *eth_rxq);

/* The same object as a context. It starts when it is connected to a progress engine and receives
 * tasks or events (else BAD_CONFIG). OPERATING_SYSTEM: the device's port cannot be plugged in; the
 * log says why. It does not stop while the program has buffers of a managed queue: IN_USE. */
struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *eth_rxq);

/* What doca_eth_rxq_create was given. INVALID_VALUE: also 0, or more than a device can. */
doca_error_t doca_eth_rxq_set_max_burst_size(struct doca_eth_rxq *eth_rxq, uint32_t max_burst_size);
doca_error_t doca_eth_rxq_set_max_packet_size(struct doca_eth_rxq *eth_rxq,
                                              uint32_t max_packet_size);

/* NOT_SUPPORTED: completions are told of at once. */
doca_error_t doca_eth_rxq_set_notification_moderation(struct doca_eth_rxq *eth_rxq,
                                                      uint16_t period_usec, uint16_t comp_count);

/* NOT_SUPPORTED: CYCLIC. */
doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *eth_rxq, enum doca_eth_rxq_type type);

/* Where a managed queue's buffers are: a stretch of a map, which must be started until the queue is
 * destroyed. NOT_SUPPORTED: a stretch of more than 4 GiB. */
doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                      uint32_t mmap_offset, uint32_t mmap_len);

/* Bytes that a managed queue needs for traffic of `rate` (MB/s) of which each frame is kept for
 * `pkt_max_process_time` (us): at least `max_burst_size` frames, with headroom and tailroom.
 * `log_max_lro_pkt_sz` is for CYCLIC. INVALID_VALUE: a size is 0. NOT_SUPPORTED: CYCLIC. TOO_BIG:
 * more than 4 GiB. REGULAR needs 0. */
doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                   uint16_t pkt_max_process_time,
                                                   uint32_t max_packet_size,
                                                   uint32_t max_burst_size,
                                                   uint8_t log_max_lro_pkt_sz, uint16_t head_size,
                                                   uint16_t tail_size, uint32_t *buf_size);

/* Buffers in the list of a task, 1 at first. INVALID_VALUE: more than a device can. */
doca_error_t doca_eth_rxq_set_max_recv_buf_list_len(struct doca_eth_rxq *eth_rxq,
                                                    uint32_t max_recv_buf_list_len);

/* What is told of frames besides their bytes. Words of metadata: 0 or 1, what a pipe's action
 * meta.pkt_meta has set; NOT_SUPPORTED: more. The tag of a flow, the hash of RSS, and the time of
 * arrival (nanoseconds, CLOCK_MONOTONIC): 0 or 1. Nothing of it at first. */
doca_error_t doca_eth_rxq_set_metadata_num(struct doca_eth_rxq *eth_rxq, uint8_t metadata_num);
doca_error_t doca_eth_rxq_set_flow_tag(struct doca_eth_rxq *eth_rxq, uint8_t enable);
doca_error_t doca_eth_rxq_set_rx_hash(struct doca_eth_rxq *eth_rxq, uint8_t enable);
doca_error_t doca_eth_rxq_set_timestamp(struct doca_eth_rxq *eth_rxq, uint8_t enable);

/* Bytes that a managed queue leaves free before and behind each frame. */
doca_error_t doca_eth_rxq_set_packet_headroom(struct doca_eth_rxq *eth_rxq, uint16_t headroom);
doca_error_t doca_eth_rxq_set_packet_tailroom(struct doca_eth_rxq *eth_rxq, uint16_t tailroom);

/* Gives a running queue its id, by which pipes know it. BAD_STATE: it does not run, or has one.
 * ALREADY_EXIST: another queue of the device has it. */
doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t queue_id);

/* Its id. BAD_STATE: it has none. */
doca_error_t doca_eth_rxq_get_flow_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t *flow_queue_id);

/* Its number on the device, which receivers of flow steering (TIR, RQT) name. BAD_STATE: it does not
 * run. */
doca_error_t doca_eth_rxq_get_hw_queue_num(struct doca_eth_rxq *eth_rxq, uint32_t *hw_queue_num);

/* NOT_SUPPORTED: there is no GPU beside an emulated device. */
doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext);

#ifdef __cplusplus
}
#endif

#endif
