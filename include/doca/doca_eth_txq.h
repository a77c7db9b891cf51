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
 * Sent frames pass the steering of the device and leave its port (dpa-network(7)).
 *
 * Functions that set something return BAD_STATE unless the context is idle, and INVALID_VALUE for NULL
 * and for an object that is not a send queue (DOCA Ethernet programming guide, "DOCA ETH TXQ").
 */
#ifndef DOCA_ETH_TXQ_H
#define DOCA_ETH_TXQ_H

#include "doca_buf.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_pe.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_eth_txq;
struct doca_gpu_eth_txq; /* the handle of a queue for a GPU */

enum doca_eth_txq_type {
    DOCA_ETH_TXQ_TYPE_REGULAR = 0,
};

/* The processor of the data path. */
enum doca_eth_txq_data_path_type {
    DOCA_ETH_TXQ_DATA_PATH_TYPE_CPU = 0,
    DOCA_ETH_TXQ_DATA_PATH_TYPE_GPU,
};

/* How a device sends frames at a requested time. */
enum doca_eth_wait_on_time_type {
    DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0, /* not supported */
    DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE,
    DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK,
};

/* ---- Capabilities of devices ---- */

/* Largest number of frames in flight, for frames of so many buffers each, and headers of so many bytes
 * in front of segmented data (0: no segmentation). Errors: INVALID_VALUE also if a number is more than
 * the next two capabilities. */
doca_error_t doca_eth_txq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
                                                 uint32_t max_send_buf_list_len,
                                                 uint16_t max_lso_header_size,
                                                 uint32_t *max_burst_size);
doca_error_t doca_eth_txq_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_send_buf_list_len);
doca_error_t doca_eth_txq_cap_get_max_lso_header_size(const struct doca_devinfo *devinfo,
                                                      uint16_t *max_lso_header_size);
/* Largest size in bytes of the data of a segmented task (LSO), and of one segment. */
doca_error_t doca_eth_txq_cap_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_lso_msg_size);
/* Number of metadata words of a frame: 1. */
doca_error_t doca_eth_txq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
                                                   uint8_t *max_metadata_num);
/* Return DOCA_SUCCESS: the device can compute checksums of IPv4, TCP and UDP. */
doca_error_t doca_eth_txq_cap_is_l3_chksum_offload_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_eth_txq_cap_is_l4_chksum_offload_supported(const struct doca_devinfo *devinfo);
/* Returns DOCA_SUCCESS: the type is supported for the CPU and for a GPU. Errors: INVALID_VALUE also for
 * an invalid type. */
doca_error_t doca_eth_txq_cap_is_type_supported(const struct doca_devinfo *devinfo,
                                                enum doca_eth_txq_type type,
                                                enum doca_eth_txq_data_path_type data_path_type);
/* Gets the kind of timed sending. Always NATIVE, for queues whose data path is on a GPU. */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_dev *dev,
    enum doca_eth_wait_on_time_type
        *wait_on_time_mode) __asm__("doca_eth_txq_cap_get_wait_on_time_offload_supported_v2_5");
#else
doca_error_t doca_eth_txq_cap_get_wait_on_time_offload_supported(
    const struct doca_devinfo *devinfo, enum doca_eth_wait_on_time_type *wait_on_time_mode);
#endif

/* ---- Queues ---- */

/* Creates an idle queue with room for `max_burst_size` frames. Errors: INVALID_VALUE also if the number
 * is 0 or more than the capability, NO_MEMORY. */
doca_error_t doca_eth_txq_create(struct doca_dev *dev, uint32_t max_burst_size,
                                 struct doca_eth_txq **eth_txq);
/* Stops the queue if it runs, and destroys it. Errors: IN_USE if a task is not freed; nothing changes
 * then. */
doca_error_t doca_eth_txq_destroy(struct doca_eth_txq *eth_txq);

/* Returns the queue as a context. doca_ctx_start returns BAD_CONFIG without a progress engine or a
 * configuration of tasks, INVALID_VALUE if the frames with their lists and headers exceed the
 * capability, and OPERATING_SYSTEM if the device's port cannot be plugged in; the log gives the
 * reason. */
struct doca_ctx *doca_eth_txq_as_doca_ctx(struct doca_eth_txq *eth_txq);

/* Replaces the argument of doca_eth_txq_create. Errors: INVALID_VALUE also if the number is 0 or more
 * than the capability. */
doca_error_t doca_eth_txq_set_max_burst_size(struct doca_eth_txq *eth_txq, uint32_t max_burst_size);

doca_error_t doca_eth_txq_set_type(struct doca_eth_txq *eth_txq, enum doca_eth_txq_type type);

/* Largest number of buffers in the list of a task; 1 by default. Errors: INVALID_VALUE also if the
 * number is 0 or more than the capability. */
doca_error_t doca_eth_txq_set_max_send_buf_list_len(struct doca_eth_txq *eth_txq,
                                                    uint32_t max_send_buf_list_len);

/* Number of metadata words that tasks give their frames; 0 by default. The device's rules for sent
 * frames match them. Errors: NOT_SUPPORTED for more than the capability. */
doca_error_t doca_eth_txq_set_metadata_num(struct doca_eth_txq *eth_txq, uint8_t metadata_num);

/* Compute checksums of sent frames: 0 (default) or 1. */
doca_error_t doca_eth_txq_set_l3_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_offload);
doca_error_t doca_eth_txq_set_l4_chksum_offload(struct doca_eth_txq *eth_txq,
                                                uint8_t enable_offload);

/* For segmented tasks (LSO): bytes of data in a frame (1 to 65535; 1500 by default), and the largest
 * size of the headers in bytes (1 to the capability; 74 by default). */
doca_error_t doca_eth_txq_set_mss(struct doca_eth_txq *eth_txq, uint16_t mss);
doca_error_t doca_eth_txq_set_max_lso_header_size(struct doca_eth_txq *eth_txq,
                                                  uint16_t max_lso_header_size);

/* Lets kernels of a GPU send at a given time; queues of the CPU send at once. The second function gets
 * the value for kernels of a time in nanoseconds since 1970 (CLOCK_REALTIME, the clock of emulated
 * devices). Errors: BAD_STATE if the queue is not idle; for the second function, if the first was not
 * called; INVALID_VALUE also for a time after the year 2106. */
doca_error_t doca_eth_txq_set_wait_on_time_offload(struct doca_eth_txq *eth_txq);
doca_error_t doca_eth_txq_calculate_timestamp(struct doca_eth_txq *eth_txq, uint64_t timestamp_ns,
                                              uint64_t *wait_on_time_value);

/* Assigns an id to a running queue. Errors: BAD_STATE if the queue does not run or has an id. */
doca_error_t doca_eth_txq_apply_queue_id(struct doca_eth_txq *eth_txq, uint16_t queue_id);

/* Gets the queue's id. Errors: BAD_STATE if it has no id. */
doca_error_t doca_eth_txq_get_flow_queue_id(struct doca_eth_txq *eth_txq, uint16_t *flow_queue_id);

/* Gets the queue's number on the device. Errors: BAD_STATE if the queue does not run. */
doca_error_t doca_eth_txq_get_hw_queue_num(struct doca_eth_txq *eth_txq, uint32_t *hw_queue_num);

/* Gets the queue for kernels (doca_gpunetio_dev_eth_txq.cuh). Errors: NOT_SUPPORTED if its data path is
 * not on a GPU, BAD_STATE if it does not run. */
doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext);

/* Flags of tasks. */
enum doca_eth_txq_ol_flags {
    DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM = 1,
    DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM = 2,
};

/* Events of a queue whose data path is on a GPU, for the CPU: doca_pe_progress calls `cb` after a packet
 * was sent that a kernel sent with DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, or after a packet failed. The queue
 * needs a progress engine, and stops to send while completions of a whole ring wait for it. The queue must be
 * idle, else these functions return BAD_STATE; a second call replaces the function. The position is the number
 * of the send in the queue, modulo 65536; the time is in nanoseconds of CLOCK_MONOTONIC. Functions of events
 * return BAD_STATE after the callback of the event.
 *
 * With doca_eth_txq_gpu_set_completion_on_gpu, kernels look for completions instead: a queue that has events,
 * too, does not start (BAD_CONFIG). */
struct doca_eth_txq_gpu_event_error_send_packet;
struct doca_eth_txq_gpu_event_notify_send_packet;
typedef void (*doca_eth_txq_gpu_event_error_send_packet_cb_t)(
    struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data user_data);
typedef void (*doca_eth_txq_gpu_event_notify_send_packet_cb_t)(
    struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data user_data);
doca_error_t
doca_eth_txq_gpu_event_error_send_packet_register(struct doca_eth_txq *eth_txq,
                                                  doca_eth_txq_gpu_event_error_send_packet_cb_t cb,
                                                  union doca_data user_data);
doca_error_t doca_eth_txq_gpu_event_error_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_error_send_packet *event, uint16_t *packet_index);
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_register(
    struct doca_eth_txq *eth_txq, doca_eth_txq_gpu_event_notify_send_packet_cb_t cb,
    union doca_data user_data);
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event, uint16_t *packet_index);
doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event, uint64_t *packet_timestamp);
doca_error_t doca_eth_txq_gpu_set_completion_on_gpu(struct doca_eth_txq *eth_txq);

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 6, 0)
/* Names of DOCA 2.5: doca_eth_txq_cap_..., with an answer of 0 or 1. */
doca_error_t doca_eth_txq_get_max_burst_size_supported(const struct doca_devinfo *devinfo,
                                                       uint32_t max_send_buf_list_len,
                                                       uint16_t max_lso_header_size,
                                                       uint32_t *max_burst_size);
doca_error_t doca_eth_txq_get_max_send_buf_list_len_supported(const struct doca_devinfo *devinfo,
                                                              uint32_t *max_send_buf_list_len);
doca_error_t doca_eth_txq_get_max_lso_header_size_supported(const struct doca_devinfo *devinfo,
                                                            uint16_t *max_lso_header_size);
doca_error_t doca_eth_txq_get_max_lso_msg_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_lso_msg_size);
doca_error_t doca_eth_txq_get_l3_chksum_offload_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *offload_supported);
doca_error_t doca_eth_txq_get_l4_chksum_offload_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *offload_supported);
doca_error_t doca_eth_txq_get_type_supported(const struct doca_devinfo *devinfo,
                                             enum doca_eth_txq_type type,
                                             enum doca_eth_txq_data_path_type data_path_type,
                                             uint8_t *type_supported);
doca_error_t
doca_eth_txq_get_wait_on_time_offload_supported(const struct doca_dev *dev,
                                                enum doca_eth_wait_on_time_type *wait_on_time_mode);
#endif

#ifdef __cplusplus
}
#endif

#endif
