/*
 * Queues from the DPA side: doorbells, contents of CQEs and WQEs. The host creates the queues
 * (flexio.h, "Queues").
 *
 *     while (flexio_dev_cqe_get_owner(cqe) == hw_owner)       // polls; hw_owner is 1 at first, and
 *         ;                                                   // changes when the ring is through
 *     size = flexio_dev_cqe_get_byte_cnt(cqe);
 *     flexio_dev_dbr_cq_set_ci(cq_dbr, ++ci);
 *     flexio_dev_swqe_seg_ctrl_set(&wqe[0], pi, sqn, FLEXIO_CTRL_SEG_CE_CQE_ALWAYS,
 *                                  FLEXIO_CTRL_SEG_TYPE_SEND_EN);
 *     flexio_dev_swqe_seg_eth_set(&wqe[1], 0, 0, 0, NULL);
 *     flexio_dev_swqe_seg_mem_ptr_data_set(&wqe[2], size, lkey, address);
 *     flexio_dev_qp_sq_ring_db(++pi, sqn);
 *     flexio_dev_cq_arm(ci, cqn);                     // before flexio_dev_thread_reschedule
 *
 * Doorbells have the thread's context first, and return a status, before 24.10 (flexio_dev_ver.h). A
 * doorbell of another process's queue faults, and so does a doorbell of hardware that is not emulated.
 */
#ifndef FLEXIO_DEV_QUEUE_ACCESS_H
#define FLEXIO_DEV_QUEUE_ACCESS_H

#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_endianity.h>
#include <libflexio-dev/flexio_dev_queue_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __clang__ /* a fault in one of these functions is reported with the caller's line */
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#pragma clang attribute push(__attribute__((not_tail_called)), apply_to = function)
#endif

/* ---- Doorbells ---- */

void _flexio_dev_ring(uint32_t queue, uint32_t posted);
void _flexio_dev_arm(uint32_t cq, uint32_t consumed);
/* An empty completion. */
void _flexio_dev_complete(uint32_t cq);
/* Reports consumed entries of an event queue. */
void _flexio_dev_eq_consumed(uint32_t eq, uint32_t consumed);
/* Reports changed doorbell records: waiting sends and frames check for receives at once. */
void _flexio_dev_posted(void);

#if FLEXIO_DEV_FORMS & 1
#define FLEXIO_DEV_DOORBELL_BEFORE(name, action, ...)                                              \
    FLEXIO_DEV_FORM flexio_dev_status_t name(                                                      \
        __attribute__((unused)) struct flexio_dev_thread_ctx *dtctx, __VA_ARGS__)                  \
    {                                                                                              \
        action;                                                                                    \
        return FLEXIO_DEV_STATUS_SUCCESS;                                                          \
    }
#else
#define FLEXIO_DEV_DOORBELL_BEFORE(...)
#endif
#if FLEXIO_DEV_FORMS & 2
#define FLEXIO_DEV_DOORBELL_SINCE(name, action, ...)                                               \
    FLEXIO_DEV_FORM void name(__VA_ARGS__)                                                         \
    {                                                                                              \
        action;                                                                                    \
    }
#else
#define FLEXIO_DEV_DOORBELL_SINCE(...)
#endif
#define FLEXIO_DEV_DOORBELL(name, action, ...)                                                     \
    FLEXIO_DEV_DOORBELL_BEFORE(name, action, __VA_ARGS__)                                          \
    FLEXIO_DEV_DOORBELL_SINCE(name, action, __VA_ARGS__)

enum flexio_dev_cc_db_next_act {
    CC_DB_NEXT_ACT_SINGLE = 0,
    CC_DB_NEXT_ACT_MULTIPLE = 1,
    CC_DB_NEXT_ACT_FW = 2,
};
typedef enum flexio_dev_cc_db_next_act flexio_dev_cc_db_next_act_t;

#ifdef __cplusplus
extern "C++" {
#endif
/* pi: blocks ever posted to the send queue or queue pair. */
FLEXIO_DEV_DOORBELL(flexio_dev_qp_sq_ring_db, _flexio_dev_ring(qnum, pi), uint16_t pi,
                    uint32_t qnum)

/* Requests an event for the next completion after the first `ci`: at once if it exists. */
FLEXIO_DEV_DOORBELL(flexio_dev_cq_arm, _flexio_dev_arm(qnum, ci), uint32_t ci, uint32_t qnum)

/* Reports that the first `ci` entries of an event queue of the process are consumed. */
FLEXIO_DEV_DOORBELL(flexio_dev_eq_update_ci, _flexio_dev_eq_consumed(qnum, ci), uint32_t ci,
                    uint32_t qnum)

/* Writes an empty completion (all zero) to a CQ of the process. If the CQ is armed, the event starts
 * the CQ's thread, or goes to its event queue. In a CQ that the host created with ibv_create_cq (its
 * number is from mlx5dv_init_obj) it wakes a host thread that waits in ibv_get_cq_event.
 * flexio_dev_msix_send is the older name. */
FLEXIO_DEV_DOORBELL(flexio_dev_zcqe_gen, _flexio_dev_complete(cqn), uint32_t cqn)
FLEXIO_DEV_DOORBELL(flexio_dev_msix_send, _flexio_dev_complete(cqn), uint32_t cqn)

/* Hardware that is not emulated: these fault. */
FLEXIO_DEV_DOORBELL(flexio_dev_db_ctx_arm,
                    ((void)qnum, (void)emu_ctx_id,
                     _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EMULATION)),
                    uint32_t qnum, uint32_t emu_ctx_id)
FLEXIO_DEV_DOORBELL(flexio_dev_db_ctx_force_trigger,
                    ((void)cqn, (void)emu_ctx_id,
                     _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EMULATION)),
                    uint32_t cqn, uint32_t emu_ctx_id)
FLEXIO_DEV_DOORBELL(flexio_dev_cc_ring_db,
                    ((void)ccq_id, (void)rate, (void)rtt_req, (void)next_act,
                     _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC)),
                    uint16_t ccq_id, uint32_t rate, uint32_t rtt_req,
                    enum flexio_dev_cc_db_next_act next_act)
#ifdef __cplusplus
}
#endif

/* The value of an emulated doorbell. It faults, too. */
__attribute__((noreturn)) static inline uint32_t flexio_dev_read_db_value(uint64_t emu_ctx_id)
{
    (void)emu_ctx_id;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_EMULATION);
}

/* The doorbell of congestion control, with two words. These fault, too. */
__attribute__((noreturn)) static inline void flexio_dev_cc_ring_db_low64bit(uint64_t value)
{
    (void)value;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC);
}

__attribute__((noreturn)) static inline void flexio_dev_cc_ring_db_high64bit(uint64_t value)
{
    (void)value;
    _flexio_dev_no_hardware(_FLEXIO_DEV_NO_CC);
}

/* ---- Doorbell records ---- */

/* Reports one more posted receive. */
static inline flexio_dev_status_t flexio_dev_dbr_rq_inc_pi(uint32_t *rq_dbr)
{
    uint32_t posted = be32_to_cpu(*rq_dbr) + 1;
    __atomic_store_n(rq_dbr, cpu_to_be32(posted & 0xffff), __ATOMIC_RELEASE);
    _flexio_dev_posted();
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Reports that `ci` completions were consumed. */
static inline flexio_dev_status_t flexio_dev_dbr_cq_set_ci(uint32_t *cq_dbr, uint32_t ci)
{
    __atomic_store_n(cq_dbr, cpu_to_be32(ci & 0xffffff), __ATOMIC_RELEASE);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* ---- Completions ---- */

/* Returns bit 0 of the last byte. When it has changed, the bytes before it are valid. */
static inline uint8_t flexio_dev_cqe_get_owner(struct flexio_dev_cqe64 *cqe)
{
    return __atomic_load_n(&cqe->op_own, __ATOMIC_ACQUIRE) & 1;
}

/* Returns the opcode. 0: a send; 1: a write with immediate arrived; 2: a receive; 3: a receive with
 * immediate; 13: a failed send; 14: a failed receive. */
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

#if FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 4, 0)
static inline uint8_t flexio_dev_cqe_get_csum_ok(struct flexio_dev_cqe64 *cqe)
{
    return cqe->csum_ok;
}
#else
static inline uint16_t flexio_dev_cqe_get_csum_ok(struct flexio_dev_cqe64 *cqe)
{
    return be16_to_cpu(cqe->csum_ok);
}
#endif

/* Returns the syndrome of an error: MLX5_CQE_SYNDROME_*. */
static inline uint32_t flexio_dev_cqe_get_err_synd(struct flexio_dev_cqe64 *cqe)
{
#if FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 4, 0)
    return be32_to_cpu(cqe->err_syndrome) & 0xff;
#else
    return cqe->syndrome;
#endif
}

#if FLEXIO_DEV_VER_USED >= FLEXIO_DEV_VER(24, 4, 0)
/* Returns the vendor's syndrome of an error: always 0 here. */
static inline uint32_t flexio_dev_cqe_get_hw_err_synd(struct flexio_dev_cqe64 *cqe)
{
    return cqe->hw_err_syndrome;
}

static inline uint32_t flexio_dev_cqe_get_vendor_err_synd(struct flexio_dev_cqe64 *cqe)
{
    return cqe->vendor_err_synd;
}
#endif

/* 0: no data in it; 1, 2: data in the CQE's 32 or 64 bytes; 3: an array of compressed CQEs. */
static inline uint8_t flexio_dev_cqe_get_type(struct flexio_dev_cqe64 *cqe)
{
    return (uint8_t)(cqe->op_own >> 2 & 3);
}

static inline uint32_t flexio_dev_cqe_get_user_index(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(cqe->srqn_uidx) & 0xffffff;
}

/* ---- Compressed completions, which the emulated device does not make ---- */

#if FLEXIO_DEV_VER_USED >= FLEXIO_DEV_VER(24, 4, 0)
/* Sets the validity byte of `num_cqes` CQEs. */
static inline void flexio_dev_comp_cq_init(struct flexio_dev_cqe64 *cqe, int num_cqes,
                                           uint8_t validity_iteration_count)
{
    for (int i = 0; i < num_cqes; i++)
        cqe[i].validity_iteration_count = validity_iteration_count;
}

static inline uint8_t flexio_dev_comp_cqe_get_validity_byte(struct flexio_dev_cqe64 *cqe)
{
    return cqe->validity_iteration_count;
}

/* Return whether the CQE is an array of mini CQEs, their number (in the place of the opcode), and a
 * mini CQE. */
static inline uint8_t flexio_dev_comp_cqe_is_comp_cqe_array(struct flexio_dev_cqe64 *cqe)
{
    return flexio_dev_cqe_get_type(cqe) == 3;
}

static inline uint8_t flexio_dev_comp_cqe_get_num_comp_cqes(struct flexio_dev_cqe64 *cqe)
{
    return (uint8_t)((cqe->op_own >> 4) + 1);
}

static inline uint64_t flexio_dev_comp_cqe_get_comp_cqe(struct flexio_dev_cqe64 *cqe,
                                                        int comp_cqe_index)
{
    return ((struct flexio_dev_mini_cqe64 *)cqe)->mini_cqe[comp_cqe_index];
}
#endif

#define FLEXIO_DEV_COMP_CQE_GET_RX_HASH_RESULT(mini) be32_to_cpu((uint32_t)(mini))

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

/* When a WQE has a completion. Both names of each value exist in all versions here. */
enum cq_ce_mode {
    MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR = 0,
    MLX5_CTRL_SEG_CE_CQE_ON_FIRST_CQE_ERROR = 1,
    MLX5_CTRL_SEG_CE_CQE_ALWAYS = 2,
    MLX5_CTRL_SEG_CE_CQE_AND_EQE = 3,
    FLEXIO_CTRL_SEG_CE_CQE_ON_CQE_ERROR = MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
    FLEXIO_CTRL_SEG_CE_CQE_ON_FIRST_CQE_ERROR = MLX5_CTRL_SEG_CE_CQE_ON_FIRST_CQE_ERROR,
    FLEXIO_CTRL_SEG_CE_CQE_ALWAYS = MLX5_CTRL_SEG_CE_CQE_ALWAYS,
    FLEXIO_CTRL_SEG_CE_CQE_AND_EQE = MLX5_CTRL_SEG_CE_CQE_AND_EQE,
};

enum flexio_ctrl_seg {
    FLEXIO_CTRL_SEG_SEND_EN = 0, /* a frame: eth, mem_ptr_data */
    FLEXIO_CTRL_SEG_SEND_RC = 1, /* mem_ptr_data */
    FLEXIO_CTRL_SEG_SEND_UC = 1,
#if FLEXIO_DEV_VER_USED < FLEXIO_DEV_VER(24, 4, 0)
    FLEXIO_CTRL_SEG_LDMA = 2,
    FLEXIO_CTRL_SEG_RDMA_WRITE = 3, /* rdma, mem_ptr_data */
    FLEXIO_CTRL_SEG_RDMA_READ = 4,
    FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP = 5, /* rdma, atomic, mem_ptr_data */
    FLEXIO_CTRL_SEG_SEND_UD = 11,                /* later versions have it */
#else
    FLEXIO_CTRL_SEG_SEND_UD = 2,
    FLEXIO_CTRL_SEG_LDMA = 3,
    FLEXIO_CTRL_SEG_RDMA_WRITE = 4, /* rdma, mem_ptr_data */
    FLEXIO_CTRL_SEG_RDMA_READ = 5,
    FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP = 11, /* rdma, atomic, mem_ptr_data */
#endif
    FLEXIO_CTRL_SEG_LSO = 6,
    FLEXIO_CTRL_SEG_NOP = 7,
    FLEXIO_CTRL_SEG_RDMA_WRITE_IMM = 8, /* the immediate goes into ctrl.general_id */
    FLEXIO_CTRL_SEG_TRANSPOSE = 9,
    FLEXIO_CTRL_SEG_WAIT_ON_DATA = 10, /* wait_on_data, wait_on_data_data */
    FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD = 12,
    FLEXIO_CTRL_SEG_TYPE_SEND_EN = FLEXIO_CTRL_SEG_SEND_EN,
    FLEXIO_CTRL_SEG_TYPE_SEND_RC = FLEXIO_CTRL_SEG_SEND_RC,
    FLEXIO_CTRL_SEG_TYPE_SEND_UC = FLEXIO_CTRL_SEG_SEND_UC,
    FLEXIO_CTRL_SEG_TYPE_SEND_UD = FLEXIO_CTRL_SEG_SEND_UD,
    FLEXIO_CTRL_SEG_TYPE_LDMA = FLEXIO_CTRL_SEG_LDMA,
    FLEXIO_CTRL_SEG_TYPE_RDMA_WRITE = FLEXIO_CTRL_SEG_RDMA_WRITE,
    FLEXIO_CTRL_SEG_TYPE_RDMA_READ = FLEXIO_CTRL_SEG_RDMA_READ,
    FLEXIO_CTRL_SEG_TYPE_LSO = FLEXIO_CTRL_SEG_LSO,
    FLEXIO_CTRL_SEG_TYPE_NOP = FLEXIO_CTRL_SEG_NOP,
    FLEXIO_CTRL_SEG_TYPE_RDMA_WRITE_IMM = FLEXIO_CTRL_SEG_RDMA_WRITE_IMM,
    FLEXIO_CTRL_SEG_TYPE_TRANSPOSE = FLEXIO_CTRL_SEG_TRANSPOSE,
    FLEXIO_CTRL_SEG_TYPE_WAIT_ON_DATA = FLEXIO_CTRL_SEG_WAIT_ON_DATA,
    FLEXIO_CTRL_SEG_TYPE_ATOMIC_COMPARE_AND_SWAP = FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP,
    FLEXIO_CTRL_SEG_TYPE_ATOMIC_FETCH_AND_ADD = FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD,
};
typedef enum flexio_ctrl_seg flexio_ctrl_seg_t;

/* Opcodes of WQEs, modifiers of two of them. The emulated device supports the opcodes that
 * flexio_queues.h names; other opcodes end in an error completion. */
enum {
    MLX5_CTRL_SEG_OPCODE_NOP = 0x00,
    MLX5_CTRL_SEG_OPCODE_SND_INV = 0x01,
    MLX5_CTRL_SEG_OPCODE_RDMA_WRITE = 0x08,
    MLX5_CTRL_SEG_OPCODE_RDMA_WRITE_WITH_IMMEDIATE = 0x09,
    MLX5_CTRL_SEG_OPCODE_SEND = 0x0a,
    MLX5_CTRL_SEG_OPCODE_SEND_WITH_IMMEDIATE = 0x0b,
    MLX5_CTRL_SEG_OPCODE_LSO = 0x0e,
    MLX5_CTRL_SEG_OPCODE_WAIT = 0x0f,
    MLX5_CTRL_SEG_OPCODE_RDMA_READ = 0x10,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_COMPARE_AND_SWAP = 0x11,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_FETCH_AND_ADD = 0x12,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_MASKED_COMPARE_AND_SWAP = 0x14,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_MASKED_FETCH_AND_ADD = 0x15,
    MLX5_CTRL_SEG_OPCODE_RECEIVE_EN = 0x16,
    MLX5_CTRL_SEG_OPCODE_SEND_EN = 0x17,
    MLX5_CTRL_SEG_OPCODE_SET_PSV = 0x20,
    MLX5_CTRL_SEG_OPCODE_GET_PSV = 0x21,
    MLX5_CTRL_SEG_OPCODE_CHECK_PSV = 0x22,
    MLX5_CTRL_SEG_OPCODE_DUMP = 0x23,
    MLX5_CTRL_SEG_OPCODE_UMR = 0x25,
    MLX5_CTRL_SEG_OPCODE_RGET_PSV = 0x26,
    MLX5_CTRL_SEG_OPCODE_RCHECK_PSV = 0x27,
    MLX5_CTRL_SEG_OPCODE_TAG_MATCHING = 0x28,
    MLX5_CTRL_SEG_OPCODE_ENHANCED_MPSW = 0x29,
    MLX5_CTRL_SEG_OPCODE_QOS_REMAP = 0x2a,
    MLX5_CTRL_SEG_OPCODE_FLOW_TABLE_ACCESS = 0x2c,
    MLX5_CTRL_SEG_OPCODE_ACCESS_ASO = 0x2d,
    MLX5_CTRL_SEG_OPCODE_MMO = 0x2f,
    MLX5_CTRL_SEG_OPCODE_LOAD_REMOTE_MICRO_APP = 0x30,
    MLX5_CTRL_SEG_OPCODE_STORE_REMOTE_MICRO_APP = 0x31,
    MLX5_CTRL_SEG_OPCODE_LOCAL_MMO = 0x32,
};
enum {
    MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_TRANSPOSE = 0,
    MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_LOCAL_DMA = 1,
};
enum {
    MLX5_CTRL_SEGMENT_OPC_MOD_WAIT_ON_DATA = 1,
};

/* Returns the opcode and modifier of a type, and its number of segments (0 for an invalid type). */
static inline uint32_t _flexio_dev_ctrl_of(enum flexio_ctrl_seg type, uint32_t *segments)
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
    case FLEXIO_CTRL_SEG_WAIT_ON_DATA:
        *segments = 3;
        return 1u << 24 | 0x0f;
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

/* The first segment of every WQE. FAILED: the type is invalid; nothing is written. */
static inline flexio_dev_status_t flexio_dev_swqe_seg_ctrl_set(union flexio_dev_sqe_seg *swqe,
                                                               uint32_t sq_pi, uint32_t sq_number,
                                                               uint32_t ce,
                                                               enum flexio_ctrl_seg type)
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

#if FLEXIO_DEV_VER_USED >= FLEXIO_DEV_VER(24, 4, 0)
/* The address vector of a datagram: one segment, or with `ext` three of them. */
static inline void flexio_dev_swqe_seg_av1_set(union flexio_dev_sqe_seg *swqe, uint32_t qkey,
                                               uint32_t dqp, uint8_t ext, uint8_t stat_rate_sl,
                                               uint8_t fl_mlid, uint16_t rlid)
{
    swqe->adres_vector.s1.key.qkey.qkey = cpu_to_be32(qkey);
    swqe->adres_vector.s1.key.qkey.reserved = 0;
    swqe->adres_vector.s1.ext_dqp_dct = cpu_to_be32((uint32_t)ext << 31 | dqp);
    swqe->adres_vector.s1.stat_rate_sl = stat_rate_sl;
    swqe->adres_vector.s1.fl_mlid = fl_mlid;
    swqe->adres_vector.s1.rlid = cpu_to_be16(rlid);
}

/* rmac: six bytes. */
static inline void flexio_dev_swqe_seg_av2_set(union flexio_dev_sqe_seg *swqe, uint8_t *rmac,
                                               uint8_t tclass, uint8_t hop_limit,
                                               uint32_t grh_gid_fl)
{
    for (int i = 0; i < 6; i++)
        swqe->adres_vector.s2.rmac[i] = rmac[i];
    swqe->adres_vector.s2.tclass = tclass;
    swqe->adres_vector.s2.hop_limit = hop_limit;
    swqe->adres_vector.s2.grh_gid_fl = cpu_to_be32(grh_gid_fl);
}

/* rgid: sixteen bytes. */
static inline void flexio_dev_swqe_seg_av3_set(union flexio_dev_sqe_seg *swqe, uint8_t *rgid)
{
    for (int i = 0; i < 16; i++)
        swqe->adres_vector.s3.rgid[i] = rgid[i];
}

/* Waits until the data at `addr` satisfies the condition of the next segment. */
static inline flexio_dev_status_t
flexio_dev_swqe_seg_wait_on_data_set(union flexio_dev_sqe_seg *swqe, uint8_t operation, uint8_t inv,
                                     uint32_t lkey, uint64_t addr, uint8_t action_on_fail)
{
    swqe->wait_on_data.op_inv = (uint8_t)(inv << 4 | operation);
    swqe->wait_on_data.lkey = cpu_to_be32(lkey);
    swqe->wait_on_data.va_63_32 = cpu_to_be32((uint32_t)(addr >> 32));
    swqe->wait_on_data.va_31_3_fail_act = cpu_to_be32(((uint32_t)addr & ~7u) | action_on_fail);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* data: in the byte order of the compared data. */
static inline flexio_dev_status_t
flexio_dev_swqe_seg_wait_on_data_data_set(union flexio_dev_sqe_seg *swqe, uint64_t data,
                                          uint64_t data_mask)
{
    swqe->wait_on_data_data.data = data;
    swqe->wait_on_data_data.data_mask = cpu_to_be64(data_mask);
    return FLEXIO_DEV_STATUS_SUCCESS;
}
#endif

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif
#ifdef __cplusplus
}
#endif

#endif
