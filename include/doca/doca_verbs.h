/*
 * doca_verbs: queue pairs and completion queues as InfiniBand has them, for programs of the CPU and of
 * the DPA.
 *
 *     struct doca_verbs_context *context;  struct doca_verbs_pd *pd;  struct doca_dev *dev;
 *     doca_verbs_context_create(devinfo, DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE, &context);
 *     doca_verbs_pd_create(context, &pd);
 *     doca_verbs_pd_as_doca_dev(pd, &dev);                  // the same device, for the rest of DOCA
 *     doca_verbs_cq_attr_create(&cq_attr);  doca_verbs_cq_attr_set_cq_size(cq_attr, 64);
 *     doca_verbs_cq_create(context, cq_attr, &cq);
 *     doca_verbs_qp_init_attr_create(&init);  doca_verbs_qp_init_attr_set_pd(init, pd);  ...
 *     doca_verbs_qp_create(context, init, &qp);
 *     doca_verbs_qp_modify(qp, attr, DOCA_VERBS_QP_ATTR_NEXT_STATE | ...);    // INIT, RTR, RTS
 *
 * Programs of the CPU post and poll by doca_verbs_bridge.h. With an external data path the queue pair
 * is on the DPA: its completions go to completion queues of DOCA DPA, and DPA code posts to it
 * (doca_dpa_dev_verbs.h); or it is on a GPU: its completion queues have an external data path, too, and
 * kernels post to it (doca_gpu_verbs_export_qp).
 *
 * Objects with "attr" in their names are attributes of other objects, which copy them. Setters return
 * INVALID_VALUE for NULL, for a destroyed object, and for an object of another kind, also as the value;
 * a value that is an object may be NULL (none). Getters return 0 or NULL in these cases (DOCA Verbs
 * programming guide).
 */
#ifndef DOCA_VERBS_H
#define DOCA_VERBS_H

#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"
#include "doca_uar.h"
#include "doca_umem.h"
#include "doca_verbs_cc_group.h"
#include "doca_verbs_eth.h"
#include "doca_verbs_event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_dpa_completion;
struct doca_verbs_ah_attr;
struct doca_verbs_context;
struct doca_verbs_cq;
struct doca_verbs_cq_attr;
struct doca_verbs_device_attr;
struct doca_verbs_pd;
struct doca_verbs_qp;
struct doca_verbs_qp_attr;
struct doca_verbs_qp_init_attr;
struct doca_verbs_srq;
struct doca_verbs_srq_init_attr;

/* Handles of a queue pair and of a shared receive queue for DPA code. */
typedef uint64_t doca_dpa_dev_verbs_qp_t;
typedef uint64_t doca_dpa_dev_verbs_srq_t;

#define DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE 0

/* Types of queue pairs. Emulated devices support only RC. */
#define DOCA_VERBS_QP_TYPE_RC 0x0
#define DOCA_VERBS_QP_TYPE_UC 0x1

enum doca_verbs_qp_state {
    DOCA_VERBS_QP_STATE_RST = 0,
    DOCA_VERBS_QP_STATE_INIT,
    DOCA_VERBS_QP_STATE_RTR,
    DOCA_VERBS_QP_STATE_RTS,
    DOCA_VERBS_QP_STATE_ERR,
};

/* Kinds of addresses of a peer. Emulated ports are RoCE: IPv4 and IPv6, given by the GID. */
enum doca_verbs_addr_type {
    DOCA_VERBS_ADDR_TYPE_IPv4 = 0,
    DOCA_VERBS_ADDR_TYPE_IPv6,
    DOCA_VERBS_ADDR_TYPE_IB_GRH,
    DOCA_VERBS_ADDR_TYPE_IB_NO_GRH,
};

enum doca_verbs_srq_type {
    DOCA_VERBS_SRQ_TYPE_LINKED_LIST = 0,
    DOCA_VERBS_SRQ_TYPE_CONTIGUOUS,
};

/* Atomic operations of peers: none, or the 8-byte operations of InfiniBand. Here the other modes mean
 * the same. */
enum doca_verbs_qp_atomic_mode {
    DOCA_VERBS_QP_ATOMIC_MODE_NONE = 0,
    DOCA_VERBS_QP_ATOMIC_MODE_IB_SPEC,
    DOCA_VERBS_QP_ATOMIC_MODE_ONLY_8BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_8BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_16BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_32BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_64BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_128BYTES,
    DOCA_VERBS_QP_ATOMIC_MODE_UP_TO_256BYTES,
};

/* Received data in the completion. */
enum doca_verbs_qp_scatter_to_cqe {
    DOCA_VERBS_QP_SCATTER_TO_CQE_NONE = 0,
    DOCA_VERBS_QP_SCATTER_TO_CQE_32B,
};

/* Selects the doorbell record: sending writes it (DBR_VALID), or not; then the program (NO_DBR_EXT)
 * or the device (NO_DBR_INT) rings. */
enum doca_verbs_qp_send_dbr_mode {
    DOCA_VERBS_QP_SEND_DBR_MODE_DBR_VALID = 0,
    DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_EXT,
    DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_INT,
};

/* The scope of atomicity: none, queue pairs of the device, everything. */
enum doca_verbs_atomic_cap {
    DOCA_VERBS_ATOMIC_CAP_NONE = 0,
    DOCA_VERBS_ATOMIC_CAP_HCA,
    DOCA_VERBS_ATOMIC_CAP_GLOB,
};

/* Bytes of a completion. */
enum doca_verbs_cq_entry_size {
    DOCA_VERBS_CQ_ENTRY_SIZE_64 = 0,
    DOCA_VERBS_CQ_ENTRY_SIZE_128,
};

/* Bits: attributes that doca_verbs_qp_modify changes. */
#define DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE (1 << 0)
#define DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ  (1 << 1)
#define DOCA_VERBS_QP_ATTR_PKEY_INDEX         (1 << 2)
#define DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER      (1 << 3)
#define DOCA_VERBS_QP_ATTR_PORT_NUM           (1 << 4)
#define DOCA_VERBS_QP_ATTR_NEXT_STATE         (1 << 5)
#define DOCA_VERBS_QP_ATTR_CURRENT_STATE      (1 << 6)
#define DOCA_VERBS_QP_ATTR_PATH_MTU           (1 << 7)
#define DOCA_VERBS_QP_ATTR_RQ_PSN             (1 << 8)
#define DOCA_VERBS_QP_ATTR_SQ_PSN             (1 << 9)
#define DOCA_VERBS_QP_ATTR_DEST_QP_NUM        (1 << 10)
#define DOCA_VERBS_QP_ATTR_ACK_TIMEOUT        (1 << 11)
#define DOCA_VERBS_QP_ATTR_RETRY_CNT          (1 << 12)
#define DOCA_VERBS_QP_ATTR_RNR_RETRY          (1 << 13)
#define DOCA_VERBS_QP_ATTR_AH_ATTR            (1 << 14)
#define DOCA_VERBS_QP_ATTR_ATOMIC_MODE        (1 << 15)
#define DOCA_VERBS_QP_ATTR_MAX_QP_RD_ATOMIC   (1 << 16)
#define DOCA_VERBS_QP_ATTR_MAX_DEST_RD_ATOMIC (1 << 17)

struct doca_verbs_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH];
};

/* ---- Contexts and protection domains ---- */

/* Opens a device, independent of its other openings. Errors: NOT_CONNECTED if it cannot be opened,
 * INVALID_VALUE also for invalid flags, NO_MEMORY. */
doca_error_t doca_verbs_context_create(struct doca_devinfo *devinfo, uint32_t flags,
                                       struct doca_verbs_context **context);
/* Closes the context. Errors: IN_USE if one of its objects is not destroyed. */
doca_error_t doca_verbs_context_destroy(struct doca_verbs_context *context);

doca_error_t doca_verbs_pd_create(struct doca_verbs_context *context, struct doca_verbs_pd **pd);
/* Destroys the protection domain. Errors: IN_USE if it has a device, a queue pair or a memory
 * region. */
doca_error_t doca_verbs_pd_destroy(struct doca_verbs_pd *pd);
/* Opens the device of a protection domain. Objects made with the device use the protection domain.
 * Close the device (doca_dev_close) before you destroy the protection domain. */
doca_error_t doca_verbs_pd_as_doca_dev(struct doca_verbs_pd *pd, struct doca_dev **dev);

/* Handles for another process. Not supported: exporting returns -1, importing NOT_SUPPORTED. */
int doca_verbs_context_export_handle(const struct doca_verbs_context *context);
doca_error_t doca_verbs_context_import_from_handle(int handle, uint32_t flags,
                                                   struct doca_verbs_context **context);
int doca_verbs_pd_export_handle(const struct doca_verbs_pd *pd);
doca_error_t doca_verbs_pd_import_from_handle(struct doca_verbs_context *context, int handle,
                                              struct doca_verbs_pd **pd);

/* Gets the capabilities of a device. Free them. */
doca_error_t doca_verbs_query_device(struct doca_verbs_context *context,
                                     struct doca_verbs_device_attr **device_attr);
doca_error_t doca_verbs_device_attr_free(struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_qp(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_qp_wr(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_sge(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_cq(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_cqe(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_mr(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_pd(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_ah(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_srq(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_srq_wr(const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_srq_sge(const struct doca_verbs_device_attr *device_attr);
uint16_t doca_verbs_device_attr_get_max_pkeys(const struct doca_verbs_device_attr *device_attr);
uint8_t doca_verbs_device_attr_get_max_qp_rd_atom(const struct doca_verbs_device_attr *device_attr);
uint8_t
doca_verbs_device_attr_get_max_qp_init_rd_atom(const struct doca_verbs_device_attr *device_attr);
enum doca_verbs_atomic_cap
doca_verbs_device_attr_get_atomic_cap(const struct doca_verbs_device_attr *attr);
/* DOCA_SUCCESS or NOT_SUPPORTED: queue pairs of a type; queue pairs of the DPA; doorbells with a record. */
doca_error_t
doca_verbs_device_attr_get_is_qp_type_supported(const struct doca_verbs_device_attr *device_attr,
                                                uint32_t qp_type);
doca_error_t doca_verbs_device_attr_get_is_dpa_external_datapath_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t
doca_verbs_device_attr_get_is_send_dbr_mode_supported(const struct doca_verbs_device_attr *attr,
                                                      enum doca_verbs_qp_send_dbr_mode mode);
/* Queues of a GPU are supported. Timestamps of Ethernet queues are those of the free-running clock
 * (DOCA_VERBS_TS_SOURCE_), whose frequency is in kHz: they are nanoseconds. */
doca_error_t doca_verbs_device_attr_get_is_gpu_external_datapath_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_eth_sq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type);
doca_error_t doca_verbs_device_attr_get_is_eth_rq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type);
uint32_t doca_verbs_device_attr_get_ts_free_running_clock_frequency(
    const struct doca_verbs_device_attr *device_attr);
/* NOT_SUPPORTED: enhanced connection establishment, groups of congestion control, data in completions,
 * several packets in an element, planes, and shared Ethernet queues. The numbers of such groups are 0. The
 * others are the most entries of Ethernet queues. */
doca_error_t
doca_verbs_device_attr_get_is_ece_supported(const struct doca_verbs_device_attr *device_attr);
doca_error_t
doca_verbs_device_attr_get_is_cc_group_supported(const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_cqe_inline_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_allow_multi_pkt_send_wqe_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_plane_index_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_eth_rq_srq_supported(
    const struct doca_verbs_device_attr *device_attr);
uint32_t doca_verbs_device_attr_get_max_cc_group(const struct doca_verbs_device_attr *device_attr);
size_t
doca_verbs_device_attr_get_max_cc_group_hint_max_size(const struct doca_verbs_device_attr *attr);
uint32_t
doca_verbs_device_attr_get_max_eth_sq_wr_num(const struct doca_verbs_device_attr *device_attr);
uint32_t
doca_verbs_device_attr_get_max_eth_rq_wr_num(const struct doca_verbs_device_attr *device_attr);

/* ---- Addresses of peers ---- */

doca_error_t doca_verbs_ah_attr_create(struct doca_verbs_context *context,
                                       struct doca_verbs_ah_attr **ah_attr);
doca_error_t doca_verbs_ah_attr_destroy(struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_gid(struct doca_verbs_ah_attr *ah_attr,
                                        struct doca_verbs_gid gid);
struct doca_verbs_gid doca_verbs_ah_attr_get_gid(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_addr_type(struct doca_verbs_ah_attr *ah_attr,
                                              enum doca_verbs_addr_type addr_type);
enum doca_verbs_addr_type
doca_verbs_ah_attr_get_addr_type(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_dlid(struct doca_verbs_ah_attr *ah_attr, uint32_t dlid);
uint32_t doca_verbs_ah_attr_get_dlid(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_sl(struct doca_verbs_ah_attr *ah_attr, uint8_t sl);
uint8_t doca_verbs_ah_attr_get_sl(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_sgid_index(struct doca_verbs_ah_attr *ah_attr,
                                               uint8_t sgid_index);
uint8_t doca_verbs_ah_attr_get_sgid_index(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_static_rate(struct doca_verbs_ah_attr *ah_attr,
                                                uint8_t static_rate);
uint8_t doca_verbs_ah_attr_get_static_rate(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_hop_limit(struct doca_verbs_ah_attr *ah_attr,
                                              uint8_t hop_limit);
uint8_t doca_verbs_ah_attr_get_hop_limit(const struct doca_verbs_ah_attr *ah_attr);
doca_error_t doca_verbs_ah_attr_set_traffic_class(struct doca_verbs_ah_attr *ah_attr,
                                                  uint8_t traffic_class);
uint8_t doca_verbs_ah_attr_get_traffic_class(const struct doca_verbs_ah_attr *ah_attr);

/* ---- Completion queues ---- */

doca_error_t doca_verbs_cq_attr_create(struct doca_verbs_cq_attr **cq_attr);
doca_error_t doca_verbs_cq_attr_destroy(struct doca_verbs_cq_attr *cq_attr);
/* With an external data path, completions go to external memory, of doca_umem_gpu_create: entries of 64
 * bytes, as many as the size rounded up to a power of two, then 8 bytes for the doorbell record. The program
 * makes the entries invalid before (opcode 15). With overrun, they are written whether consumed or not.
 * doca_verbs_cq_create returns NOT_SUPPORTED for a DPA thread (DPA code uses doca_dpa_completion), entries
 * of 128 bytes, a channel of a queue with an external data path, and external memory or overrun without
 * one. The UAR is stored and not used. */
doca_error_t doca_verbs_cq_attr_set_cq_size(struct doca_verbs_cq_attr *cq_attr, uint32_t cq_size);
uint32_t doca_verbs_cq_attr_get_cq_size(const struct doca_verbs_cq_attr *cq_attr);
doca_error_t doca_verbs_cq_attr_set_cq_context(struct doca_verbs_cq_attr *cq_attr,
                                               void *cq_context);
void *doca_verbs_cq_attr_get_cq_context(const struct doca_verbs_cq_attr *cq_attr);
doca_error_t doca_verbs_cq_attr_set_external_datapath_en(struct doca_verbs_cq_attr *cq_attr,
                                                         uint8_t external_datapath_en);
uint8_t doca_verbs_cq_attr_get_external_datapath_en(const struct doca_verbs_cq_attr *cq_attr);
doca_error_t doca_verbs_cq_attr_set_external_uar(struct doca_verbs_cq_attr *cq_attr,
                                                 struct doca_uar *external_uar);
struct doca_uar *doca_verbs_cq_attr_get_external_uar(const struct doca_verbs_cq_attr *cq_attr);
doca_error_t doca_verbs_cq_attr_set_entry_size(struct doca_verbs_cq_attr *cq_attr,
                                               enum doca_verbs_cq_entry_size entry_size);
enum doca_verbs_cq_entry_size
doca_verbs_cq_attr_get_entry_size(const struct doca_verbs_cq_attr *cq_attr);
doca_error_t doca_verbs_cq_attr_set_cq_overrun(struct doca_verbs_cq_attr *attr, uint8_t value);
uint8_t doca_verbs_cq_attr_get_cq_overrun(const struct doca_verbs_cq_attr *attr);
doca_error_t doca_verbs_cq_attr_set_external_umem(struct doca_verbs_cq_attr *attr,
                                                  struct doca_umem *umem, uint64_t offset);
doca_error_t doca_verbs_cq_attr_get_external_umem(const struct doca_verbs_cq_attr *attr,
                                                  struct doca_umem **umem, uint64_t *offset);
doca_error_t doca_verbs_cq_attr_set_dpa_thread_id(struct doca_verbs_cq_attr *attr, uint32_t value);
uint32_t doca_verbs_cq_attr_get_dpa_thread_id(const struct doca_verbs_cq_attr *attr);
/* Sets the channel for events of completions (doca_verbs_event.h), of the same context. */
doca_error_t doca_verbs_cq_attr_set_comp_channel(struct doca_verbs_cq_attr *attr,
                                                 struct doca_verbs_comp_channel *comp_channel);
struct doca_verbs_comp_channel *
doca_verbs_cq_attr_get_comp_channel(const struct doca_verbs_cq_attr *attr);

/* Creates a completion queue with room for at least the requested number of completions. */
doca_error_t doca_verbs_cq_create(struct doca_verbs_context *context,
                                  struct doca_verbs_cq_attr *attr, struct doca_verbs_cq **cq);
/* Destroys the queue. Errors: IN_USE if a queue pair uses it. */
doca_error_t doca_verbs_cq_destroy(struct doca_verbs_cq *cq);
/* Returns its number on the device, or 0 if the argument is not a completion queue. */
uint32_t doca_verbs_cq_get_cqn(const struct doca_verbs_cq *cq);
/* Get the ring and the record of the consumer index: of the CPU, whose completions have only an owner bit,
 * or in external memory, by their addresses for kernels. The page of doorbells and the arm record do not
 * exist (NULL). */
void doca_verbs_cq_get_wq(struct doca_verbs_cq *cq, void **buf, uint32_t *num, uint8_t *entry_size);
void doca_verbs_cq_get_dbr_addr(struct doca_verbs_cq *cq, uint64_t **uar, uint32_t **ci,
                                uint32_t **arm);

/* ---- Shared receive queues ---- */

doca_error_t doca_verbs_srq_init_attr_create(struct doca_verbs_srq_init_attr **srq_init_attr);
doca_error_t doca_verbs_srq_init_attr_destroy(struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t doca_verbs_srq_init_attr_set_pd(struct doca_verbs_srq_init_attr *srq_init_attr,
                                             struct doca_verbs_pd *pd);
struct doca_verbs_pd *
doca_verbs_srq_init_attr_get_pd(const struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t doca_verbs_srq_init_attr_set_type(struct doca_verbs_srq_init_attr *srq_init_attr,
                                               enum doca_verbs_srq_type srq_type);
enum doca_verbs_srq_type
doca_verbs_srq_init_attr_get_type(const struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t doca_verbs_srq_init_attr_set_srq_wr(struct doca_verbs_srq_init_attr *srq_init_attr,
                                                 uint32_t srq_wr);
uint32_t doca_verbs_srq_init_attr_get_srq_wr(const struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t
doca_verbs_srq_init_attr_set_receive_max_sges(struct doca_verbs_srq_init_attr *srq_init_attr,
                                              uint32_t receive_max_sges);
uint32_t
doca_verbs_srq_init_attr_get_receive_max_sges(const struct doca_verbs_srq_init_attr *srq_init_attr);

/* A queue with an external data path is on the DPA: DPA code posts receives, and queue pairs with an
 * external data path take them. It is on the DPA context of set_dpa, or on the context of its external
 * memory; with memory, as for queue pairs, it needs a protection domain. */
doca_error_t
doca_verbs_srq_init_attr_set_external_datapath_en(struct doca_verbs_srq_init_attr *srq_init_attr,
                                                  uint8_t external_datapath_en);
uint8_t doca_verbs_srq_init_attr_get_external_datapath_en(
    const struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t doca_verbs_srq_init_attr_set_dpa(struct doca_verbs_srq_init_attr *srq_init_attr,
                                              struct doca_dpa *dpa);
struct doca_dpa *
doca_verbs_srq_init_attr_get_dpa(const struct doca_verbs_srq_init_attr *srq_init_attr);
doca_error_t
doca_verbs_srq_init_attr_set_external_umem(struct doca_verbs_srq_init_attr *srq_init_attr,
                                           struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_srq_init_attr_get_external_umem(const struct doca_verbs_srq_init_attr *srq_init_attr,
                                           struct doca_umem **umem, uint64_t *offset);
doca_error_t
doca_verbs_srq_init_attr_set_external_dbr_umem(struct doca_verbs_srq_init_attr *srq_init_attr,
                                               struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_srq_init_attr_get_external_dbr_umem(const struct doca_verbs_srq_init_attr *srq_init_attr,
                                               struct doca_umem **umem, uint64_t *offset);

/* Creates a shared receive queue. Errors: INVALID_VALUE also if an attribute for its data path is
 * missing, or an attribute for the other data path is set, BAD_STATE if the DPA does not run. */
doca_error_t doca_verbs_srq_create(struct doca_verbs_context *context,
                                   struct doca_verbs_srq_init_attr *attr,
                                   struct doca_verbs_srq **srq);
/* Destroys the queue. Errors: IN_USE if a queue pair uses it. */
doca_error_t doca_verbs_srq_destroy(struct doca_verbs_srq *srq);
/* Gets the attributes with which the queue was created. */
doca_error_t doca_verbs_srq_query(struct doca_verbs_srq *srq,
                                  struct doca_verbs_srq_init_attr *attr);
/* Gives NULL and 0: the ring and doorbell record are private to the library. */
void doca_verbs_srq_get_wq(const struct doca_verbs_srq *srq, void **buf, uint32_t *num,
                           uint32_t *rwqe_size);
void *doca_verbs_srq_get_dbr_addr(const struct doca_verbs_srq *srq);
/* Returns its number, which is unique in this process, or 0 if the argument is not a shared receive
 * queue. */
uint32_t doca_verbs_srq_get_srqn(const struct doca_verbs_srq *srq);
/* Gets the handle for DPA code. Errors: BAD_STATE if the object has no external data path, or the DPA
 * does not run. */
doca_error_t doca_verbs_srq_get_dpa_handle(struct doca_verbs_srq *srq, struct doca_dpa *dpa,
                                           doca_dpa_dev_verbs_srq_t *srq_handle);

/* ---- Queue pairs ---- */

doca_error_t doca_verbs_qp_init_attr_create(struct doca_verbs_qp_init_attr **qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_destroy(struct doca_verbs_qp_init_attr *qp_init_attr);
/* sq_wr and rq_wr: largest number of posted work requests that have not ended. A queue pair of the CPU
 * needs at least one of the two completion queues; it then serves both directions. A queue pair with an
 * external data path has completion queues of the DPA instead, or completion queues with an external data
 * path. */
doca_error_t doca_verbs_qp_init_attr_set_pd(struct doca_verbs_qp_init_attr *qp_init_attr,
                                            struct doca_verbs_pd *pd);
struct doca_verbs_pd *
doca_verbs_qp_init_attr_get_pd(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_qp_type(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                 uint32_t qp_type);
uint32_t doca_verbs_qp_init_attr_get_qp_type(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_sq_wr(struct doca_verbs_qp_init_attr *qp_init_attr,
                                               uint32_t sq_wr);
uint32_t doca_verbs_qp_init_attr_get_sq_wr(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_rq_wr(struct doca_verbs_qp_init_attr *qp_init_attr,
                                               uint32_t rq_wr);
uint32_t doca_verbs_qp_init_attr_get_rq_wr(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_send_max_sges(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                       uint32_t send_max_sges);
uint32_t
doca_verbs_qp_init_attr_get_send_max_sges(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t
doca_verbs_qp_init_attr_set_receive_max_sges(struct doca_verbs_qp_init_attr *qp_init_attr,
                                             uint32_t receive_max_sges);
uint32_t
doca_verbs_qp_init_attr_get_receive_max_sges(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t
doca_verbs_qp_init_attr_set_max_inline_data(struct doca_verbs_qp_init_attr *qp_init_attr,
                                            uint32_t max_inline_data);
uint32_t
doca_verbs_qp_init_attr_get_max_inline_data(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_sq_sig_all(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                    int sq_sig_all);
int doca_verbs_qp_init_attr_get_sq_sig_all(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_qp_context(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                    void *qp_context);
void *doca_verbs_qp_init_attr_get_qp_context(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_user_index(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                    uint32_t user_index);
uint32_t doca_verbs_qp_init_attr_get_user_index(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_send_cq(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                 struct doca_verbs_cq *send_cq);
struct doca_verbs_cq *
doca_verbs_qp_init_attr_get_send_cq(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_receive_cq(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                    struct doca_verbs_cq *receive_cq);
struct doca_verbs_cq *
doca_verbs_qp_init_attr_get_receive_cq(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_srq(struct doca_verbs_qp_init_attr *qp_init_attr,
                                             struct doca_verbs_srq *srq);
struct doca_verbs_srq *
doca_verbs_qp_init_attr_get_srq(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t
doca_verbs_qp_init_attr_set_external_datapath_en(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                 uint8_t external_datapath_en);
uint8_t doca_verbs_qp_init_attr_get_external_datapath_en(
    const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_external_uar(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                      struct doca_uar *external_uar);
doca_error_t
doca_verbs_qp_init_attr_get_external_uar(const struct doca_verbs_qp_init_attr *qp_init_attr,
                                         struct doca_uar **external_uar);
doca_error_t
doca_verbs_qp_init_attr_set_send_dpa_completion(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                struct doca_dpa_completion *send_dpa_completion);
struct doca_dpa_completion *
doca_verbs_qp_init_attr_get_send_dpa_completion(const struct doca_verbs_qp_init_attr *qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_set_receive_dpa_completion(
    struct doca_verbs_qp_init_attr *qp_init_attr,
    struct doca_dpa_completion *receive_dpa_completion);
struct doca_dpa_completion *doca_verbs_qp_init_attr_get_receive_dpa_completion(
    const struct doca_verbs_qp_init_attr *qp_init_attr);
/* Sets DPA memory for the rings and the doorbell record of a queue pair. An emulated device checks that
 * the memory exists and is large enough, and does not write to it: it has private rings. For a queue pair
 * of a GPU it is memory of doca_umem_gpu_create, where kernels write receives of 16 bytes, then sends in
 * blocks of 64 bytes, as many as rq_wr and sq_wr rounded up to powers of two; and a record of two counters
 * of 4 bytes, receives and sends, big-endian. These must not be freed before the queue pair is destroyed.
 * Such a queue pair also needs a UAR, receives of its own, and at most one segment for each of them. */
doca_error_t doca_verbs_qp_init_attr_set_external_umem(struct doca_verbs_qp_init_attr *qp_init_attr,
                                                       struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_qp_init_attr_get_external_umem(const struct doca_verbs_qp_init_attr *qp_init_attr,
                                          struct doca_umem **umem, uint64_t *offset);
doca_error_t
doca_verbs_qp_init_attr_set_external_dbr_umem(struct doca_verbs_qp_init_attr *qp_init_attr,
                                              struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_qp_init_attr_get_external_dbr_umem(const struct doca_verbs_qp_init_attr *qp_init_attr,
                                              struct doca_umem **umem, uint64_t *offset);

/* Sets a DPA context in place of external memory: the queue pair then has no external memory and no
 * page of doorbells. */
doca_error_t doca_verbs_qp_init_attr_set_dpa(struct doca_verbs_qp_init_attr *attr,
                                             struct doca_dpa *dpa);
struct doca_dpa *doca_verbs_qp_init_attr_get_dpa(const struct doca_verbs_qp_init_attr *attr);
/* Stored and not used: work requests of all queue pairs may wait. */
doca_error_t doca_verbs_qp_init_attr_set_core_direct_master(struct doca_verbs_qp_init_attr *attr,
                                                            uint8_t value);
uint8_t doca_verbs_qp_init_attr_get_core_direct_master(const struct doca_verbs_qp_init_attr *attr);
/* doca_verbs_qp_create returns NOT_SUPPORTED unless these attributes are 0: memory, pages and
 * protection domains by number, data in completions, doorbells without a record. */
doca_error_t doca_verbs_qp_init_attr_set_dbr_umem(struct doca_verbs_qp_init_attr *attr, uint32_t id,
                                                  uint64_t offset);
uint32_t doca_verbs_qp_init_attr_get_dbr_umem_id(const struct doca_verbs_qp_init_attr *attr);
uint64_t doca_verbs_qp_init_attr_get_dbr_umem_offset(const struct doca_verbs_qp_init_attr *attr);
doca_error_t doca_verbs_qp_init_attr_set_wq_umem(struct doca_verbs_qp_init_attr *attr, uint32_t id,
                                                 uint64_t offset);
uint32_t doca_verbs_qp_init_attr_get_wq_umem_id(const struct doca_verbs_qp_init_attr *attr);
uint64_t doca_verbs_qp_init_attr_get_wq_umem_offset(const struct doca_verbs_qp_init_attr *attr);
doca_error_t doca_verbs_qp_init_attr_set_uar_id(struct doca_verbs_qp_init_attr *attr,
                                                uint32_t value);
uint32_t doca_verbs_qp_init_attr_get_uar_id(const struct doca_verbs_qp_init_attr *attr);
doca_error_t doca_verbs_qp_init_attr_set_pdn(struct doca_verbs_qp_init_attr *attr, uint32_t value);
uint32_t doca_verbs_qp_init_attr_get_pdn(const struct doca_verbs_qp_init_attr *attr);
doca_error_t doca_verbs_qp_init_attr_set_cqe_inline(struct doca_verbs_qp_init_attr *attr,
                                                    enum doca_verbs_qp_scatter_to_cqe value);
uint8_t doca_verbs_qp_init_attr_get_cqe_inline(const struct doca_verbs_qp_init_attr *attr);
doca_error_t doca_verbs_qp_init_attr_set_send_dbr_mode(struct doca_verbs_qp_init_attr *attr,
                                                       enum doca_verbs_qp_send_dbr_mode value);
enum doca_verbs_qp_send_dbr_mode
doca_verbs_qp_init_attr_get_send_dbr_mode(const struct doca_verbs_qp_init_attr *attr);
/* Return the numbers of the completion queues; 0 for no queue. */
uint32_t doca_verbs_qp_init_attr_get_send_cqn(const struct doca_verbs_qp_init_attr *attr);
uint32_t doca_verbs_qp_init_attr_get_receive_cqn(const struct doca_verbs_qp_init_attr *attr);

/* Creates a queue pair in state RST. Errors: INVALID_VALUE also if the protection domain or another
 * attribute is missing or of another device, if a shared receive queue is of the other data path, or if
 * a queue pair of the DPA has more than 960 bytes of inline data, NOT_SUPPORTED for another type,
 * BAD_STATE if the DPA does not run. */
doca_error_t doca_verbs_qp_create(struct doca_verbs_context *context,
                                  struct doca_verbs_qp_init_attr *attr, struct doca_verbs_qp **qp);
doca_error_t doca_verbs_qp_destroy(struct doca_verbs_qp *qp);
/* Returns the queue pair's number, for the peer. */
uint32_t doca_verbs_qp_get_qpn(const struct doca_verbs_qp *qp);
/* Gets the handle for DPA code. Errors: BAD_STATE if the object has no external data path, or the DPA
 * does not run. */
doca_error_t doca_verbs_qp_get_dpa_handle(struct doca_verbs_qp *qp, struct doca_dpa *dpa,
                                          doca_dpa_dev_verbs_qp_t *qp_handle);
/* Get the rings, the doorbell record and the doorbell register of a queue pair of a GPU, by their addresses
 * for kernels. Others give NULL and 0: these are private to the library. */
void doca_verbs_qp_get_wq(const struct doca_verbs_qp *qp, void **sq, uint32_t *sq_num, void **rq,
                          uint32_t *rq_num, uint32_t *rwqe_size);
void *doca_verbs_qp_get_uar_addr(const struct doca_verbs_qp *qp);
void *doca_verbs_qp_get_dbr_addr(const struct doca_verbs_qp *qp);
/* Enhanced connection establishment: NOT_SUPPORTED, and 0. */
doca_error_t doca_verbs_qp_set_ece(struct doca_verbs_qp *qp, uint32_t ece);
uint32_t doca_verbs_qp_query_ece(struct doca_verbs_qp *qp);

doca_error_t doca_verbs_qp_attr_create(struct doca_verbs_qp_attr **qp_attr);
doca_error_t doca_verbs_qp_attr_destroy(struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_next_state(struct doca_verbs_qp_attr *qp_attr,
                                               enum doca_verbs_qp_state next_state);
enum doca_verbs_qp_state
doca_verbs_qp_attr_get_next_state(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_current_state(struct doca_verbs_qp_attr *qp_attr,
                                                  enum doca_verbs_qp_state current_state);
enum doca_verbs_qp_state
doca_verbs_qp_attr_get_current_state(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_allow_remote_write(struct doca_verbs_qp_attr *qp_attr,
                                                       int allow_remote_write);
int doca_verbs_qp_attr_get_allow_remote_write(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_allow_remote_read(struct doca_verbs_qp_attr *qp_attr,
                                                      int allow_remote_read);
int doca_verbs_qp_attr_get_allow_remote_read(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_atomic_mode(struct doca_verbs_qp_attr *qp_attr,
                                                enum doca_verbs_qp_atomic_mode atomic_mode);
enum doca_verbs_qp_atomic_mode
doca_verbs_qp_attr_get_atomic_mode(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_pkey_index(struct doca_verbs_qp_attr *qp_attr,
                                               uint16_t pkey_index);
uint16_t doca_verbs_qp_attr_get_pkey_index(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_port_num(struct doca_verbs_qp_attr *qp_attr, uint16_t port_num);
uint16_t doca_verbs_qp_attr_get_port_num(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_path_mtu(struct doca_verbs_qp_attr *qp_attr,
                                             enum doca_mtu_size path_mtu);
enum doca_mtu_size doca_verbs_qp_attr_get_path_mtu(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_rq_psn(struct doca_verbs_qp_attr *qp_attr, uint32_t rq_psn);
uint32_t doca_verbs_qp_attr_get_rq_psn(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_sq_psn(struct doca_verbs_qp_attr *qp_attr, uint32_t sq_psn);
uint32_t doca_verbs_qp_attr_get_sq_psn(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_dest_qp_num(struct doca_verbs_qp_attr *qp_attr,
                                                uint32_t dest_qp_num);
uint32_t doca_verbs_qp_attr_get_dest_qp_num(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_ah_attr(struct doca_verbs_qp_attr *qp_attr,
                                            struct doca_verbs_ah_attr *ah_attr);
struct doca_verbs_ah_attr *doca_verbs_qp_attr_get_ah_attr(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_ack_timeout(struct doca_verbs_qp_attr *qp_attr,
                                                uint16_t ack_timeout);
uint16_t doca_verbs_qp_attr_get_ack_timeout(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_retry_cnt(struct doca_verbs_qp_attr *qp_attr,
                                              uint16_t retry_cnt);
uint16_t doca_verbs_qp_attr_get_retry_cnt(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_rnr_retry(struct doca_verbs_qp_attr *qp_attr,
                                              uint16_t rnr_retry);
uint16_t doca_verbs_qp_attr_get_rnr_retry(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_min_rnr_timer(struct doca_verbs_qp_attr *qp_attr,
                                                  uint16_t min_rnr_timer);
uint16_t doca_verbs_qp_attr_get_min_rnr_timer(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_max_rd_atomic(struct doca_verbs_qp_attr *qp_attr,
                                                  uint8_t max_rd_atomic);
uint8_t doca_verbs_qp_attr_get_max_rd_atomic(const struct doca_verbs_qp_attr *qp_attr);
doca_error_t doca_verbs_qp_attr_set_max_dest_rd_atomic(struct doca_verbs_qp_attr *qp_attr,
                                                       uint8_t max_dest_rd_atomic);
uint8_t doca_verbs_qp_attr_get_max_dest_rd_atomic(const struct doca_verbs_qp_attr *qp_attr);

/* Changes the attributes of the mask, of a queue pair of type RC: to INIT with ALLOW_REMOTE_WRITE,
 * ALLOW_REMOTE_READ, PKEY_INDEX and PORT_NUM; to RTR with RQ_PSN, DEST_QP_NUM, PATH_MTU, AH_ATTR
 * and MIN_RNR_TIMER; to RTS with SQ_PSN, ACK_TIMEOUT, RETRY_CNT and RNR_RETRY. Errors:
 * INVALID_VALUE if a required attribute is missing, a value is invalid, or the state does not
 * follow; DRIVER if no device has the GID. */
doca_error_t doca_verbs_qp_modify(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                  int attr_mask);
/* Gets the attributes of a queue pair of the CPU, and the attributes with which it was created.
 * *attr_mask (unless NULL) receives a bit for each attribute in `attr`: all except the address. Errors:
 * NOT_SUPPORTED for a queue pair of the DPA. */
doca_error_t doca_verbs_qp_query(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                 struct doca_verbs_qp_init_attr *init_attr, int *attr_mask);

#ifdef __cplusplus
}
#endif

#endif
