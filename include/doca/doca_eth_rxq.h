/*
 * doca_eth_rxq: a queue that receives frames of Ethernet. Flow steering (doca_flow.h) sends frames to
 * it by its queue id; without a pipe no frames arrive.
 *
 *     struct doca_eth_rxq *rxq;
 *     doca_eth_rxq_create(dev, 256, 1600, &rxq);         // frames in flight, bytes of a frame
 *     doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_REGULAR);
 *     doca_eth_rxq_task_recv_set_conf(rxq, done, failed, 256);
 *     doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(rxq));
 *     doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq));
 *     doca_eth_rxq_apply_queue_id(rxq, 0);
 *
 * REGULAR: each frame goes into the buffer of a task. MANAGED_MEMPOOL: each frame goes into a buffer of
 * the queue, and an event delivers it (doca_eth_rxq_cpu_data_path.h). CYCLIC: kernels of a GPU
 * find frames in a ring of the queue (doca_eth_rxq_gpu_data_path.h).
 *
 * Functions that set something return BAD_STATE unless the context is idle, and INVALID_VALUE for NULL
 * and for an object that is not a receive queue (DOCA Ethernet programming guide, "DOCA ETH RXQ").
 */
#ifndef DOCA_ETH_RXQ_H
#define DOCA_ETH_RXQ_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_mmap.h"
#include "doca_pe.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_rxq;
struct doca_gpu_eth_rxq; /* the handle of a queue for a GPU */

enum doca_eth_rxq_type {
    DOCA_ETH_RXQ_TYPE_CYCLIC = 0,
    DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL,
    DOCA_ETH_RXQ_TYPE_REGULAR, /* the default */
};

/* The processor of the data path. */
enum doca_eth_rxq_data_path_type {
    DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU = 0,
    DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU,
};

/* ---- Capabilities of devices ---- */

/* Largest number of frames in flight, and largest size of a frame in bytes. */
doca_error_t doca_eth_rxq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t *max_burst_size);
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_eth_rxq_cap_get_max_packet_size(
    const struct doca_devinfo *devinfo,
    uint16_t *max_packet_size) __asm__("doca_eth_rxq_cap_get_max_packet_size_v2_5");
#else
doca_error_t doca_eth_rxq_cap_get_max_packet_size(const struct doca_devinfo *devinfo,
                                                  uint32_t *max_packet_size);
#endif
/* Largest number of buffers in the list of a task, and of metadata words of a frame. */
doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_recv_buf_list_len);
doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);
/* Largest number of free bytes before and after a frame. */
doca_error_t doca_eth_rxq_cap_get_max_packet_headroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_headroom);
doca_error_t doca_eth_rxq_cap_get_max_packet_tailroom(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_packet_tailroom);
/* Returns DOCA_SUCCESS if the type is supported. Errors: NOT_SUPPORTED for CYCLIC on the CPU and for the
 * other types on a GPU, INVALID_VALUE also for an invalid type. */
doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type);

/* ---- Queues ---- */

/*
 * Creates an idle queue.
 *   max_burst_size   [in]  frames in flight: tasks, or frames that the queue has room for. At most 65536; a
 *                          queue whose data path is on the CPU starts with at most 32768
 *   max_packet_size  [in]  bytes of a frame
 * Errors: INVALID_VALUE also if a size is 0 or more than the capability, NO_MEMORY.
 */
doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 uint32_t max_packet_size, struct doca_eth_rxq **eth_rxq);

/* Stops the queue if it runs, and destroys it. Errors: IN_USE if a task or a buffer of the queue is not
 * freed; nothing changes then. */
doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *eth_rxq);

/* Returns the queue as a context. doca_ctx_start returns BAD_CONFIG unless the queue has a progress
 * engine and is configured for tasks or events, and OPERATING_SYSTEM if the device's port cannot be
 * plugged in; the log gives the reason. doca_ctx_stop returns IN_USE while the program holds buffers of
 * a managed queue. */
struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *eth_rxq);

/* Replace the arguments of doca_eth_rxq_create. Errors: INVALID_VALUE also if a value is 0 or more than
 * the capability. */
doca_error_t doca_eth_rxq_set_max_burst_size(struct doca_eth_rxq *eth_rxq, uint32_t max_burst_size);
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_eth_rxq_set_max_packet_size(
    struct doca_eth_rxq *eth_rxq,
    uint16_t max_packet_size) __asm__("doca_eth_rxq_set_max_packet_size_v2_5");
#else
doca_error_t doca_eth_rxq_set_max_packet_size(struct doca_eth_rxq *eth_rxq,
                                              uint32_t max_packet_size);
#endif

/* Always returns NOT_SUPPORTED: each completion is reported at once. */
doca_error_t doca_eth_rxq_set_notification_moderation(struct doca_eth_rxq *eth_rxq,
                                                      uint16_t period_usec, uint16_t comp_count);

/* Sets the type; REGULAR by default. A CYCLIC queue starts if its data path is on a GPU. */
doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *eth_rxq, enum doca_eth_rxq_type type);

/* Sets the memory for the buffers of a managed queue, or the packets of a cyclic one: a range of a map. The
 * map must be started until the queue is destroyed. Errors: NOT_SUPPORTED if the range is larger than 4 GiB. */
doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                      uint32_t mmap_offset, uint32_t mmap_len);

/* Estimates the bytes that a managed queue needs for traffic of `rate` (MB/s) if the program keeps each
 * frame for `pkt_max_process_time` (us): at least `max_burst_size` frames, with headroom and tailroom.
 * For CYCLIC, rate and time do not count, and the number of frames is the next power of two.
 * `log_max_lro_pkt_sz` is not used. The result for REGULAR is 0. Errors: INVALID_VALUE if a size is 0,
 * TOO_BIG if the result is more than 4 GiB. */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_eth_rxq_estimate_packet_buf_size(
    enum doca_eth_rxq_type type, uint32_t rate, uint16_t pkt_max_process_time,
    uint16_t max_packet_size, uint32_t max_burst_size, uint8_t log_max_lro_pkt_sz,
    uint32_t *buf_size) __asm__("doca_eth_rxq_estimate_packet_buf_size_v2_5");
#elif DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(3, 0, 0)
doca_error_t doca_eth_rxq_estimate_packet_buf_size(
    enum doca_eth_rxq_type type, uint32_t rate, uint16_t pkt_max_process_time,
    uint32_t max_packet_size, uint32_t max_burst_size, uint8_t log_max_lro_pkt_sz,
    uint32_t *buf_size) __asm__("doca_eth_rxq_estimate_packet_buf_size_v2_10");
#else
doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                   uint16_t pkt_max_process_time,
                                                   uint32_t max_packet_size,
                                                   uint32_t max_burst_size,
                                                   uint8_t log_max_lro_pkt_sz, uint16_t head_size,
                                                   uint16_t tail_size, uint32_t *buf_size);
#endif

/* Largest number of buffers in the list of a task; 1 by default. Errors: INVALID_VALUE also for more
 * than the capability. */
doca_error_t doca_eth_rxq_set_max_recv_buf_list_len(struct doca_eth_rxq *eth_rxq,
                                                    uint32_t max_recv_buf_list_len);

/* Properties that are reported for each frame. Metadata words: 0 or 1; the word is the value of a
 * pipe's action meta.pkt_meta; NOT_SUPPORTED for more words. The tag of a flow, the hash of RSS, and
 * the time of arrival (nanoseconds, CLOCK_MONOTONIC): 0 or 1. By default no properties are reported. */
doca_error_t doca_eth_rxq_set_metadata_num(struct doca_eth_rxq *eth_rxq, uint8_t metadata_num);
doca_error_t doca_eth_rxq_set_flow_tag(struct doca_eth_rxq *eth_rxq, uint8_t enable);
doca_error_t doca_eth_rxq_set_rx_hash(struct doca_eth_rxq *eth_rxq, uint8_t enable);
doca_error_t doca_eth_rxq_set_timestamp(struct doca_eth_rxq *eth_rxq, uint8_t enable);

/* Bytes that a managed queue leaves free before and after each frame. */
doca_error_t doca_eth_rxq_set_packet_headroom(struct doca_eth_rxq *eth_rxq, uint16_t headroom);
doca_error_t doca_eth_rxq_set_packet_tailroom(struct doca_eth_rxq *eth_rxq, uint16_t tailroom);

/* Assigns the id by which pipes name a running queue. Errors: BAD_STATE if the queue does not run or
 * has an id, ALREADY_EXIST if another queue of the device has the id. */
doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t queue_id);

/* Gets the queue's id. Errors: BAD_STATE if it has no id. */
doca_error_t doca_eth_rxq_get_flow_queue_id(struct doca_eth_rxq *eth_rxq, uint16_t *flow_queue_id);

/* Gets the queue's number on the device, for flow steering (TIR, RQT). Errors: BAD_STATE if the queue
 * does not run. */
doca_error_t doca_eth_rxq_get_hw_queue_num(struct doca_eth_rxq *eth_rxq, uint32_t *hw_queue_num);

/* Gets the queue for kernels (doca_gpunetio_dev_eth_rxq.cuh). Errors: NOT_SUPPORTED if its data path is
 * not on a GPU, BAD_STATE if it does not run. */
doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 6, 0)
/* Names of DOCA 2.5: doca_eth_rxq_cap_..., with an answer of 0 or 1, doca_eth_rxq_set_pkt_buf and
 * doca_eth_rxq_estimate_packet_buf_size. */
doca_error_t doca_eth_rxq_get_max_burst_size_supported(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_burst_size);
doca_error_t doca_eth_rxq_get_max_packet_size_supported(const struct doca_devinfo *devinfo,
                                                        uint16_t *max_packet_size);
doca_error_t doca_eth_rxq_get_max_recv_buf_list_len_supported(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_recv_buf_list_len);
doca_error_t doca_eth_rxq_get_type_supported(const struct doca_devinfo *devinfo,
                                             enum doca_eth_rxq_type type,
                                             enum doca_eth_rxq_data_path_type data_path_type,
                                             uint8_t *type_supported);
doca_error_t doca_eth_rxq_set_pkt_buffer(struct doca_eth_rxq *eth_rxq, struct doca_mmap *mmap,
                                         uint32_t mmap_offset, uint32_t mmap_len);
/* Gets the bytes of that memory. Errors: BAD_STATE if it was not set. */
doca_error_t doca_eth_rxq_get_pkt_buffer_size(const struct doca_eth_rxq *eth_rxq,
                                              uint32_t *buffer_size);
doca_error_t doca_eth_rxq_estimate_packet_buffer_size(enum doca_eth_rxq_type type, uint32_t rate,
                                                      uint16_t pkt_max_process_time,
                                                      uint16_t max_packet_size,
                                                      uint32_t max_burst_size,
                                                      uint8_t log_max_lro_pkt_sz,
                                                      uint32_t *buf_size);
#endif

#ifdef __cplusplus
}
#endif

#endif
