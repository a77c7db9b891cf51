/*
 * Queues from the DPA side: doorbells, what CQEs say, what WQEs are filled with. The host makes the
 * queues (flexio.h, "Queues").
 *
 *     while (flexio_dev_cqe_get_owner(cqe) == hw_owner)       // polls; hw_owner is 1 at first, and
 *         ;                                                   // changes when the ring is through
 *     size = flexio_dev_cqe_get_byte_cnt(cqe);
 *     flexio_dev_dbr_cq_set_ci(cq_dbr, ++ci);
 *     flexio_dev_swqe_seg_ctrl_set(&wqe[0], pi, sqn, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
 *                                  FLEXIO_CTRL_SEG_SEND_EN);
 *     flexio_dev_swqe_seg_eth_set(&wqe[1], 0, 0, 0, NULL);
 *     flexio_dev_swqe_seg_mem_ptr_data_set(&wqe[2], size, lkey, address);
 *     flexio_dev_qp_sq_ring_db(dtctx, ++pi, sqn);
 *     flexio_dev_cq_arm(dtctx, ci, cqn);              // before flexio_dev_thread_reschedule
 *
 * Programs that define FLEXIO_DEV_VER_USED as 24.10 or later leave dtctx away from doorbells. A
 * doorbell of a queue that is not the process's faults; so does one of hardware that is not
 * emulated.
 */
#ifndef FLEXIO_DEV_QUEUE_ACCESS_H
#define FLEXIO_DEV_QUEUE_ACCESS_H

#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_endianity.h>
#include <libflexio-dev/flexio_dev_queue_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* so that a fault in one of these is told with the line that calls it */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Doorbells ---- */

void _flexio_dev_ring(uint32_t queue, uint32_t posted);
void _flexio_dev_arm(uint32_t cq, uint32_t consumed);
/* Doorbell records have changed: sends and frames that wait for receives look again at once. */
void _flexio_dev_posted(void);

#if defined(FLEXIO_DEV_VER_USED) && FLEXIO_DEV_VER_USED >= (24 << 24 | 10 << 16)
#define FLEXIO_DEV_DOORBELL(name, ...) static inline void name(__VA_ARGS__)
#define FLEXIO_DEV_RUNG
#else
#define FLEXIO_DEV_DOORBELL(name, ...)                                                             \
    static inline flexio_dev_status_t name(                                                        \
        __attribute__((unused)) struct flexio_dev_thread_ctx *dtctx, __VA_ARGS__)
#define FLEXIO_DEV_RUNG return FLEXIO_DEV_STATUS_SUCCESS
#endif

/* pi: blocks ever posted to the send queue or queue pair. */
FLEXIO_DEV_DOORBELL(flexio_dev_qp_sq_ring_db, uint16_t pi, uint32_t qnum)
{
    _flexio_dev_ring(qnum, pi);
    FLEXIO_DEV_RUNG;
}

/* The next completion behind the first `ci` is an event; at once if it is there. */
FLEXIO_DEV_DOORBELL(flexio_dev_cq_arm, uint32_t ci, uint32_t qnum)
{
    _flexio_dev_arm(qnum, ci);
    FLEXIO_DEV_RUNG;
}

FLEXIO_DEV_DOORBELL(flexio_dev_eq_update_ci, uint32_t ci, uint32_t qnum)
{
    (void)ci, (void)qnum;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EQ);
}

FLEXIO_DEV_DOORBELL(flexio_dev_msix_send, uint32_t cqn)
{
    (void)cqn;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_MSIX);
}

FLEXIO_DEV_DOORBELL(flexio_dev_db_ctx_arm, uint32_t qnum, uint32_t emu_ctx_id)
{
    (void)qnum, (void)emu_ctx_id;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EMULATION);
}

FLEXIO_DEV_DOORBELL(flexio_dev_db_ctx_force_trigger, uint32_t cqn, uint32_t emu_ctx_id)
{
    (void)cqn, (void)emu_ctx_id;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EMULATION);
}

enum flexio_dev_cc_db_next_act {
    CC_DB_NEXT_ACT_SINGLE = 0,
    CC_DB_NEXT_ACT_MULTIPLE = 1,
    CC_DB_NEXT_ACT_FW = 2,
};

FLEXIO_DEV_DOORBELL(flexio_dev_cc_ring_db, uint16_t ccq_id, uint32_t rate, uint32_t rtt_req,
                    enum flexio_dev_cc_db_next_act next_act)
{
    (void)ccq_id, (void)rate, (void)rtt_req, (void)next_act;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC);
}

/* ---- Doorbell records ---- */

/* One receive more is posted. */
static inline flexio_dev_status_t flexio_dev_dbr_rq_inc_pi(uint32_t *rq_dbr)
{
    uint32_t posted = be32_to_cpu(*rq_dbr) + 1;
    __atomic_store_n(rq_dbr, cpu_to_be32(posted & 0xffff), __ATOMIC_RELEASE);
    _flexio_dev_posted();
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* `ci` completions were consumed. */
static inline flexio_dev_status_t flexio_dev_dbr_cq_set_ci(uint32_t *cq_dbr, uint32_t ci)
{
    __atomic_store_n(cq_dbr, cpu_to_be32(ci & 0xffffff), __ATOMIC_RELEASE);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* ---- Completions ---- */

/* Bit 0 of the last byte; what comes before it in the CQE is there when it has changed. */
static inline uint8_t flexio_dev_cqe_get_owner(struct flexio_dev_cqe64 *cqe)
{
    return __atomic_load_n(&cqe->op_own, __ATOMIC_ACQUIRE) & 1;
}

/* 0: a send; 1: a write with immediate, 2: a receive, 3: one with immediate has come; 13: a send
 * has failed, 14: a receive. */
static inline uint8_t flexio_dev_cqe_get_opcode(struct flexio_dev_cqe64 *cqe)
{
    return (uint8_t)(cqe->op_own >> 4);
}

static inline uint16_t flexio_dev_cqe_get_wqe_counter(struct flexio_dev_cqe64 *cqe)
{
    return be16_to_cpu(cqe->wqe_counter);
}

static inline uint32_t flexio_dev_cqe_get_byte_cnt(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(cqe->byte_cnt);
}

static inline uint32_t flexio_dev_cqe_get_qpn(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(cqe->qpn) & 0xffffff;
}

static inline uint16_t flexio_dev_cqe_get_csum_ok(struct flexio_dev_cqe64 *cqe)
{
    return be16_to_cpu(cqe->csum_ok);
}

/* Of an error: MLX5_CQE_SYNDROME_*. */
static inline uint32_t flexio_dev_cqe_get_err_synd(struct flexio_dev_cqe64 *cqe)
{
    return cqe->syndrome;
}

static inline uint32_t flexio_dev_cqe_get_user_index(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(cqe->srqn_uidx) & 0xffffff;
}

static inline uint32_t flexio_dev_eqe_get_cqn(struct flexio_dev_eqe *eqe)
{
    return be32_to_cpu(eqe->event_data.cqn) & 0xffffff;
}

static inline uint8_t flexio_dev_eqe_get_owner(struct flexio_dev_eqe *eqe)
{
    return eqe->owner & 1;
}

/* ---- Receives ---- */

static inline void *flexio_dev_rwqe_get_addr(struct flexio_dev_wqe_rcv_data_seg *rwqe)
{
    return (void *)(uintptr_t)be64_to_cpu(rwqe->addr);
}

/* ---- Sends ---- */

/* When a WQE ends in a completion. */
enum {
    MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR = 0,
    MLX5_CTRL_SEG_CE_CQE_ON_FIRST_CQE_ERROR = 1,
    MLX5_CTRL_SEG_CE_CQE_ALWAYS = 2,
    MLX5_CTRL_SEG_CE_CQE_AND_EQE = 3,
};

typedef enum flexio_ctrl_seg {
    FLEXIO_CTRL_SEG_SEND_EN = 0, /* a frame: eth, mem_ptr_data */
    FLEXIO_CTRL_SEG_SEND_RC = 1, /* mem_ptr_data */
    FLEXIO_CTRL_SEG_SEND_UC = 1,
    FLEXIO_CTRL_SEG_SEND_UD = 2,
    FLEXIO_CTRL_SEG_LDMA = 3,
    FLEXIO_CTRL_SEG_RDMA_WRITE = 4, /* rdma, mem_ptr_data */
    FLEXIO_CTRL_SEG_RDMA_READ = 5,
    FLEXIO_CTRL_SEG_LSO = 6,
    FLEXIO_CTRL_SEG_NOP = 7,
    FLEXIO_CTRL_SEG_RDMA_WRITE_IMM = 8, /* the immediate goes into ctrl.general_id */
    FLEXIO_CTRL_SEG_TRANSPOSE = 9,
    FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP = 11, /* rdma, atomic, mem_ptr_data */
    FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD = 12,
} flexio_ctrl_seg_t;

/* Opcode, modifier and number of segments of each; the last is 0 for what there is not. */
static inline uint32_t _flexio_dev_ctrl_of(flexio_ctrl_seg_t type, uint32_t *segments)
{
    switch (type) {
    case FLEXIO_CTRL_SEG_SEND_EN:
    case FLEXIO_CTRL_SEG_SEND_UD:
        *segments = 3;
        return 0x0a;
    case FLEXIO_CTRL_SEG_SEND_RC:
        *segments = 2;
        return 0x0a;
    case FLEXIO_CTRL_SEG_LSO:
        *segments = 4;
        return 0x0e;
    case FLEXIO_CTRL_SEG_LDMA:
        *segments = 4;
        return 1u << 24 | 0x32;
    case FLEXIO_CTRL_SEG_TRANSPOSE:
        *segments = 4;
        return 0x32;
    case FLEXIO_CTRL_SEG_RDMA_WRITE:
        *segments = 3;
        return 0x08;
    case FLEXIO_CTRL_SEG_RDMA_WRITE_IMM:
        *segments = 3;
        return 0x09;
    case FLEXIO_CTRL_SEG_RDMA_READ:
        *segments = 3;
        return 0x10;
    case FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP:
        *segments = 4;
        return 0x11;
    case FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD:
        *segments = 4;
        return 0x12;
    case FLEXIO_CTRL_SEG_NOP:
        *segments = 1;
        return 0x00;
    }
    *segments = 0;
    return 0;
}

/* The first segment of every WQE. FAILED: no such type; nothing was written. */
static inline flexio_dev_status_t flexio_dev_swqe_seg_ctrl_set(union flexio_dev_sqe_seg *swqe,
                                                               uint32_t sq_pi, uint32_t sq_number,
                                                               uint32_t ce, flexio_ctrl_seg_t type)
{
    uint32_t segments, opcode = _flexio_dev_ctrl_of(type, &segments);
    if (segments == 0)
        return FLEXIO_DEV_STATUS_FAILED;
    swqe->ctrl.idx_opcode = cpu_to_be32(opcode | (sq_pi & 0xffff) << 8);
    swqe->ctrl.qpn_ds = cpu_to_be32(sq_number << 8 | segments);
    swqe->ctrl.signature_fm_ce_se = cpu_to_be32(ce << 2);
    swqe->ctrl.general_id = 0;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* hdrs: the first two bytes of the headers that are inline, or NULL. */
static inline flexio_dev_status_t flexio_dev_swqe_seg_eth_set(union flexio_dev_sqe_seg *swqe,
                                                              uint16_t cs_swp_flags, uint16_t mss,
                                                              uint16_t inline_hdr_bsz,
                                                              uint8_t hdrs[2])
{
    swqe->eth.rsvd0 = 0;
    swqe->eth.rsvd2 = 0;
    swqe->eth.cs_swp_flags = cpu_to_be16(cs_swp_flags);
    swqe->eth.mss = cpu_to_be16(mss);
    swqe->eth.inline_hdr_bsz = cpu_to_be16(inline_hdr_bsz);
    swqe->eth.inline_hdrs[0] = hdrs ? hdrs[0] : 0;
    swqe->eth.inline_hdrs[1] = hdrs ? hdrs[1] : 0;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t
flexio_dev_swqe_seg_mem_ptr_data_set(union flexio_dev_sqe_seg *swqe, uint32_t data_sz,
                                     uint32_t lkey, uint64_t data_addr)
{
    swqe->mem_ptr_send_data.byte_count = cpu_to_be32(data_sz);
    swqe->mem_ptr_send_data.lkey = cpu_to_be32(lkey);
    swqe->mem_ptr_send_data.addr = cpu_to_be64(data_addr);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* data: three words, of which the first data_sz bytes count. */
static inline flexio_dev_status_t
flexio_dev_swqe_seg_inline_data_set(union flexio_dev_sqe_seg *swqe, uint32_t data_sz,
                                    uint32_t *data)
{
    swqe->inline_send_data.byte_count = cpu_to_be32(0x80000000u | data_sz);
    for (int i = 0; i < 3; i++)
        swqe->inline_send_data.data_and_padding[i] = data[i];
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_swqe_seg_rdma_set(union flexio_dev_sqe_seg *swqe,
                                                               uint32_t rkey, uint64_t raddr)
{
    swqe->rdma.raddr = cpu_to_be64(raddr);
    swqe->rdma.rkey = cpu_to_be32(rkey);
    swqe->rdma.rsvd0 = 0;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_swqe_seg_atomic_set(union flexio_dev_sqe_seg *swqe,
                                                                 uint64_t swap_or_add_data,
                                                                 uint64_t compare_data)
{
    swqe->atomic.swap_or_add_data = cpu_to_be64(swap_or_add_data);
    swqe->atomic.compare_data = cpu_to_be64(compare_data);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t
flexio_dev_swqe_seg_shared_receive_set(union flexio_dev_sqe_seg *swqe, uint16_t next_wqe_index,
                                       uint8_t signature)
{
    swqe->shared_receive.next_wqe_index = cpu_to_be16(next_wqe_index);
    swqe->shared_receive.signature = signature;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_swqe_seg_transpose_set(union flexio_dev_sqe_seg *swqe,
                                                                    uint8_t element_size,
                                                                    uint8_t num_of_cols,
                                                                    uint8_t num_of_rows)
{
    swqe->transpose.element_size = element_size;
    swqe->transpose.num_of_cols = num_of_cols;
    swqe->transpose.num_of_rows = num_of_rows;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
