/*
 * doca_verbs: queue pairs and completion queues as InfiniBand has them, for programs of the CPU and
 * of the DPA.
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
 * is one of the DPA: its completions go to completion queues of DOCA DPA, and DPA code posts to it
 * (doca_dpa_dev_verbs.h).
 *
 * Objects with "attr" in their names say how another shall be; that copies them. Functions that set
 * something return INVALID_VALUE for NULL, for an object that is gone and for one of another kind;
 * so is what they set if that is an object, which may be NULL for none. Functions that get return 0 or
 * NULL then (DOCA Verbs programming guide).
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

/* A queue pair, or a shared receive queue, as DPA code calls it. */
typedef uint64_t doca_dpa_dev_verbs_qp_t;
typedef uint64_t doca_dpa_dev_verbs_srq_t;

#define DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE 0

/* Types of queue pairs. Emulated devices have RC alone. */
#define DOCA_VERBS_QP_TYPE_RC 0x0
#define DOCA_VERBS_QP_TYPE_UC 0x1

enum doca_verbs_qp_state {
    DOCA_VERBS_QP_STATE_RST = 0,
    DOCA_VERBS_QP_STATE_INIT,
    DOCA_VERBS_QP_STATE_RTR,
    DOCA_VERBS_QP_STATE_RTS,
    DOCA_VERBS_QP_STATE_ERR,
};

/* How a peer is addressed. Emulated ports are of RoCE: IPv4 and IPv6, by the GID alone. */
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

/* Atomic operations of peers: none, or those of InfiniBand, of 8 bytes, which the other ones are here, too. */
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

/* Whether sending writes a doorbell record; if not, whether the program or the device rings. */
enum doca_verbs_qp_send_dbr_mode {
    DOCA_VERBS_QP_SEND_DBR_MODE_DBR_VALID = 0,
    DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_EXT,
    DOCA_VERBS_QP_SEND_DBR_MODE_NO_DBR_INT,
};

/* What atomic operations are atomic to: nothing, queue pairs of the device, all else. */
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

/* What doca_verbs_qp_modify changes: bits. */
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

/* Opens a device, apart from others who opened it. NOT_CONNECTED: it cannot be. INVALID_VALUE: also
 * flags that are none. NO_MEMORY. */
doca_error_t doca_verbs_context_create(struct doca_devinfo *devinfo, uint32_t flags,
                                       struct doca_verbs_context **context);
/* IN_USE: something of it is not destroyed. */
doca_error_t doca_verbs_context_destroy(struct doca_verbs_context *context);

doca_error_t doca_verbs_pd_create(struct doca_verbs_context *context, struct doca_verbs_pd **pd);
/* IN_USE: a device, a queue pair or a memory region is of it. */
doca_error_t doca_verbs_pd_destroy(struct doca_verbs_pd *pd);
/* Opens the device of a protection domain, which is that of what is made with it. To be closed
 * (doca_dev_close) before the protection domain is destroyed. */
doca_error_t doca_verbs_pd_as_doca_dev(struct doca_verbs_pd *pd, struct doca_dev **dev);

/* Handles by which another process opens the same: there are none (-1), and importing one is NOT_SUPPORTED. */
int doca_verbs_context_export_handle(const struct doca_verbs_context *context);
doca_error_t doca_verbs_context_import_from_handle(int handle, uint32_t flags,
                                                   struct doca_verbs_context **context);
int doca_verbs_pd_export_handle(const struct doca_verbs_pd *pd);
doca_error_t doca_verbs_pd_import_from_handle(struct doca_verbs_context *context, int handle,
                                              struct doca_verbs_pd **pd);

/* What a device can do; to be given back. */
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
/* NOT_SUPPORTED: queues of a GPU, and queues of Ethernet of the DPA, whose times of arrival and sending
 * are of a clock (DOCA_VERBS_TS_SOURCE_). The frequency of the free-running one in kHz: 0, there is none. */
doca_error_t doca_verbs_device_attr_get_is_gpu_external_datapath_supported(
    const struct doca_verbs_device_attr *device_attr);
doca_error_t doca_verbs_device_attr_get_is_eth_sq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type);
doca_error_t doca_verbs_device_attr_get_is_eth_rq_ts_source_type_supported(
    const struct doca_verbs_device_attr *device_attr, uint8_t ts_source_type);
uint32_t doca_verbs_device_attr_get_ts_free_running_clock_frequency(
    const struct doca_verbs_device_attr *device_attr);
/* NOT_SUPPORTED: enhanced connection establishment, groups of congestion control, data in completions,
 * many packets in an element, planes, and shared queues of Ethernet. None: such groups, and elements of
 * queues of Ethernet of the DPA. */
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
/* NOT_SUPPORTED of doca_verbs_cq_create: an external data path (DPA code has doca_dpa_completion) with its memory and
 * DPA thread, entries of 128 bytes, and overrun. The UAR is kept and not used. */
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
/* Where events of its completions go (doca_verbs_event.h): a channel of the same context. */
doca_error_t doca_verbs_cq_attr_set_comp_channel(struct doca_verbs_cq_attr *attr,
                                                 struct doca_verbs_comp_channel *comp_channel);
struct doca_verbs_comp_channel *
doca_verbs_cq_attr_get_comp_channel(const struct doca_verbs_cq_attr *attr);

/* With room for at least so many completions. */
doca_error_t doca_verbs_cq_create(struct doca_verbs_context *context,
                                  struct doca_verbs_cq_attr *attr, struct doca_verbs_cq **cq);
/* IN_USE: a queue pair has it. */
doca_error_t doca_verbs_cq_destroy(struct doca_verbs_cq *cq);
/* Its number on the device; 0: it is no completion queue. */
uint32_t doca_verbs_cq_get_cqn(const struct doca_verbs_cq *cq);
/* Its ring, where completions have nothing but an owner bit, and the record of what was consumed. The page of doorbells
 * and the record that arms it are NULL: there are none. */
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

/* Of the DPA: queue pairs with an external data path take its receives, DPA code posts them. It is of the context
 * that set_dpa names; or of that of its memory, which is as that of queue pairs, and then has a protection domain. */
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

/* INVALID_VALUE: also if what its data path needs is missing, or what the other one needs is there. BAD_STATE: the
 * DPA does not run. */
doca_error_t doca_verbs_srq_create(struct doca_verbs_context *context,
                                   struct doca_verbs_srq_init_attr *attr,
                                   struct doca_verbs_srq **srq);
/* IN_USE: a queue pair has it. */
doca_error_t doca_verbs_srq_destroy(struct doca_verbs_srq *srq);
/* What it was made of. */
doca_error_t doca_verbs_srq_query(struct doca_verbs_srq *srq,
                                  struct doca_verbs_srq_init_attr *attr);
/* NULL and 0: its ring and doorbell record are the library's. */
void doca_verbs_srq_get_wq(const struct doca_verbs_srq *srq, void **buf, uint32_t *num,
                           uint32_t *rwqe_size);
void *doca_verbs_srq_get_dbr_addr(const struct doca_verbs_srq *srq);
/* A number that it has alone, of those of this process. 0: it is no shared receive queue. */
uint32_t doca_verbs_srq_get_srqn(const struct doca_verbs_srq *srq);
/* What DPA code calls it. BAD_STATE: it has no external data path, or the DPA does not run. */
doca_error_t doca_verbs_srq_get_dpa_handle(struct doca_verbs_srq *srq, struct doca_dpa *dpa,
                                           doca_dpa_dev_verbs_srq_t *srq_handle);

/* ---- Queue pairs ---- */

doca_error_t doca_verbs_qp_init_attr_create(struct doca_verbs_qp_init_attr **qp_init_attr);
doca_error_t doca_verbs_qp_init_attr_destroy(struct doca_verbs_qp_init_attr *qp_init_attr);
/* sq_wr and rq_wr: work requests that are posted and have not ended. A queue pair of the CPU needs
 * one of the two completion queues at least; the other one's completions go there, too. One with an
 * external data path has completion queues of the DPA instead. */
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
/* Memory of the DPA that a device has the rings of a queue pair in, and its doorbell record. An
 * emulated device needs the memory to be there, and large enough, and does not write to it: its rings
 * are its own. */
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

/* Of the DPA context, not of memory: then there is no external memory and no page of doorbells. */
doca_error_t doca_verbs_qp_init_attr_set_dpa(struct doca_verbs_qp_init_attr *attr,
                                             struct doca_dpa *dpa);
struct doca_dpa *doca_verbs_qp_init_attr_get_dpa(const struct doca_verbs_qp_init_attr *attr);
/* Kept and not used: work requests of any queue pair may wait. */
doca_error_t doca_verbs_qp_init_attr_set_core_direct_master(struct doca_verbs_qp_init_attr *attr,
                                                            uint8_t value);
uint8_t doca_verbs_qp_init_attr_get_core_direct_master(const struct doca_verbs_qp_init_attr *attr);
/* NOT_SUPPORTED of doca_verbs_qp_create, unless they are 0: memory, pages and protection domains by number, data in
 * completions, doorbells without a record. */
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
/* The numbers of its completion queues; 0: there is none. */
uint32_t doca_verbs_qp_init_attr_get_send_cqn(const struct doca_verbs_qp_init_attr *attr);
uint32_t doca_verbs_qp_init_attr_get_receive_cqn(const struct doca_verbs_qp_init_attr *attr);

/* A queue pair in state RST. INVALID_VALUE: also if the protection domain or something else is missing,
 * of another device or, of a shared receive queue, of the other data path; of the DPA, with
 * more than 960 bytes of inline data. NOT_SUPPORTED: a type that it has not. BAD_STATE: the DPA does not run. */
doca_error_t doca_verbs_qp_create(struct doca_verbs_context *context,
                                  struct doca_verbs_qp_init_attr *attr, struct doca_verbs_qp **qp);
doca_error_t doca_verbs_qp_destroy(struct doca_verbs_qp *qp);
/* Its number, which a peer connects to. */
uint32_t doca_verbs_qp_get_qpn(const struct doca_verbs_qp *qp);
/* What DPA code calls it. BAD_STATE: it has no external data path, or the DPA does not run. */
doca_error_t doca_verbs_qp_get_dpa_handle(struct doca_verbs_qp *qp, struct doca_dpa *dpa,
                                          doca_dpa_dev_verbs_qp_t *qp_handle);
/* NULL and 0: its rings, doorbell record and page of doorbells are the library's. */
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

/* Changes what the mask names, of a queue pair of type RC: to INIT with ALLOW_REMOTE_WRITE,
 * ALLOW_REMOTE_READ, PKEY_INDEX and PORT_NUM; to RTR with RQ_PSN, DEST_QP_NUM, PATH_MTU, AH_ATTR and
 * MIN_RNR_TIMER; to RTS with SQ_PSN, ACK_TIMEOUT, RETRY_CNT and RNR_RETRY. INVALID_VALUE: one of
 * these is missing, a value is none, or that state does not follow. DRIVER: no device has the GID. */
doca_error_t doca_verbs_qp_modify(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                  int attr_mask);
/* What a queue pair of the CPU has been set to, and what it was made of. *attr_mask, unless that is NULL,
 * has a bit for each thing that `attr` then tells: all but the address. NOT_SUPPORTED: one of the DPA. */
doca_error_t doca_verbs_qp_query(struct doca_verbs_qp *qp, struct doca_verbs_qp_attr *attr,
                                 struct doca_verbs_qp_init_attr *init_attr, int *attr_mask);

#ifdef __cplusplus
}
#endif

#endif
