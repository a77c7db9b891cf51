/*
 * doca_gpunetio_verbs_def: queue pairs of DOCA Verbs that kernels use, as they are in memory. Kernels write work
 * queue elements (WQEs) to rings and read completions (CQEs), both big-endian in the layout of ConnectX devices,
 * and ring doorbells (doca_gpunetio_dev_verbs_qp.cuh).
 */
#ifndef DOCA_GPUNETIO_VERBS_DEF_H
#define DOCA_GPUNETIO_VERBS_DEF_H

#include <stdint.h>

#include "doca_gpunetio_def.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_GPUNETIO_VERBS_WARP_SIZE               32
#define DOCA_GPUNETIO_VERBS_WARP_FULL_MASK          0xffffffffu
#define DOCA_GPUNETIO_VERBS_PAGE_SIZE               65536
#define DOCA_GPUNETIO_VERBS_CQE_SIZE                64
#define DOCA_GPUNETIO_VERBS_CQE_CI_MASK             0xffffffu /* of an index in a doorbell record */
#define DOCA_GPUNETIO_VERBS_WQE_PI_MASK             0xffffu   /* of an index in a WQE */
#define DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT           8
#define DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT   4
#define DOCA_GPUNETIO_VERBS_MAX_INLINE_SIZE         28 /* bytes of inline data of a WQE */
#define DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT 30
#define DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE       (1u << 30) /* bytes of a WQE */
/* Keys are big-endian: programs pass htobe32(mr->lkey). */
#define DOCA_GPUNETIO_VERBS_MKEY_SWAPPED 1

/* ---- Choices of programs ---- */

/* Who rings the doorbell: kernels by a store to the UAR (AUTO, GPU_SM_DB, GPU_SM_BF), or a thread of the CPU that
 * calls doca_gpu_verbs_cpu_proxy_progress. */
enum doca_gpu_dev_verbs_nic_handler {
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO = 0,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY = 1,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB = 2,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF = 6,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR = 10,
    DOCA_GPUNETIO_VERBS_NIC_HANDLER_TYPE_MAX = 11,
};
/* Which threads call a function: each on its own, or all of a warp together. */
enum doca_gpu_dev_verbs_exec_scope {
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD = 0,
    DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP = 1,
};
/* Which threads use a queue pair: one, those of a block, or all. On the emulated GPU all may always do so. */
enum doca_gpu_dev_verbs_resource_sharing_mode {
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE = 0,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA = 1,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU = 2,
    DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_MAX = 0x7fffffff,
};
/* Who sees the writes that a fence orders. */
enum doca_gpu_dev_verbs_sync_scope {
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS = 0,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU = 1,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA = 2,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_THREAD = 3,
    DOCA_GPUNETIO_VERBS_SYNC_SCOPE_MAX = 0x7fffffff,
};
/* The change of a signal. */
enum doca_gpu_dev_verbs_signal_op { DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD = 0 };
/* Whether bytes that the NIC wrote are made visible by a WQE (DUMP) that reads memory. */
enum doca_gpu_dev_verbs_mcst_mode {
    DOCA_GPUNETIO_VERBS_MCST_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_MCST_ENABLED = 1,
};
/* Whether a get waits for its bytes. */
enum doca_gpu_dev_verbs_blocking_mode {
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED = 0,
    DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED = 1,
};
/* The memory of a queue pair. */
enum doca_gpu_dev_verbs_mem_type {
    DOCA_GPUNETIO_VERBS_MEM_TYPE_AUTO = 0,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_HOST = 1,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU = 2,
    DOCA_GPUNETIO_VERBS_MEM_TYPE_MAX = 0x7fffffff,
};
/* Queues of a queue pair. */
enum doca_gpu_dev_verbs_qp_type {
    DOCA_GPUNETIO_VERBS_QP_SQ = 0,
    DOCA_GPUNETIO_VERBS_QP_RQ = 1,
};
/* Parts of a post that a function leaves out, as bits. */
enum doca_gpu_dev_verbs_gpu_code_opt {
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT = 0,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_ASYNC_STORE_RELEASE = 1 << 0, /* changes nothing */
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK = 1 << 1,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING = 1 << 2,
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_CPU_PROXY_UPDATE_PI = 1 << 3, /* changes nothing */
    DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_MAX = 0x7fffffff,
};

/* ---- Values in WQEs (ConnectX PRM) ---- */

/* Flags of a control segment. */
enum doca_gpu_dev_verbs_wqe_ctrl_flags {
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_ERROR_UPDATE = 0, /* a completion of an error alone */
    DOCA_GPUNETIO_MLX5_WQE_CTRL_SOLICITED = 1 << 1,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_FIRST_CQE_ERROR = 1 << 2,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE = 2 << 2, /* always a completion */
    DOCA_GPUNETIO_MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE = 1 << 5,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_FENCE = 2 << 5,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_STRONG_ORDERING = 3 << 5,
    DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE_FENCE = 2 << 5 | 2 << 2,
};
enum {
    DOCA_GPUNETIO_MLX5_OPCODE_NOP = 0x00,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE = 0x08,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE_IMM = 0x09,
    DOCA_GPUNETIO_MLX5_OPCODE_SEND = 0x0a,
    DOCA_GPUNETIO_MLX5_OPCODE_SEND_IMM = 0x0b,
    DOCA_GPUNETIO_MLX5_OPCODE_WAIT = 0x0f,
    DOCA_GPUNETIO_MLX5_OPCODE_RDMA_READ = 0x10,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_CS = 0x11,
    DOCA_GPUNETIO_MLX5_OPCODE_ATOMIC_FA = 0x12,
    DOCA_GPUNETIO_MLX5_OPCODE_DUMP = 0x23,
};
#define DOCA_GPUNETIO_MLX5_INLINE_SEG 0x80000000u
/* Operations of completions. */
enum {
    DOCA_GPUNETIO_MLX5_CQE_REQ = 0,
    DOCA_GPUNETIO_MLX5_CQE_REQ_ERR = 13,
    DOCA_GPUNETIO_MLX5_CQE_RESP_ERR = 14,
    DOCA_GPUNETIO_MLX5_CQE_INVALID = 15,
    DOCA_GPUNETIO_MLX5_CQE_OWNER_MASK = 1,
};

/* ---- Queues ---- */

/* A WQE, or a block of it: four segments of 16 bytes. */
struct doca_gpu_dev_verbs_wqe {
    uint64_t words[8];
} __attribute__((aligned(64)));

/* The number of a WQE, by which kernels wait for its completion. */
typedef uint64_t doca_gpu_dev_verbs_ticket_t;

/* Memory with its key, big-endian. */
struct doca_gpu_dev_verbs_addr {
    uint64_t addr;
    uint32_t key;
};

/* A completion queue. */
struct doca_gpu_dev_verbs_cq {
    uint8_t *cqe_daddr; /* the ring */
    uint32_t cq_num, cqe_num;
    uint32_t *dbrec;
    uint64_t cqe_ci; /* completions that were consumed */
    uint32_t cqe_mask;
    uint8_t cqe_size;
    uint8_t failed; /* a completion of an error was consumed */
    uint8_t reserved1[2];
    uint64_t cqe_rsvd;
    enum doca_gpu_dev_verbs_mem_type mem_type;
    uint8_t reserved2[12];
};

/* A queue pair. Indexes count up for ever: WQE i is at place i & mask of the ring. A kernel reserves indexes, writes
 * the WQEs there, marks them as ready in the order of the indexes, and submits them to the NIC. */
struct doca_gpu_dev_verbs_qp {
    uint64_t sq_rsvd_index;  /* the next index to reserve */
    uint64_t sq_ready_index; /* the next index to mark */
    uint64_t sq_wqe_pi;      /* the next index to submit */
    uint32_t sq_num, sq_num_shift8, sq_num_shift8_be;
    int sq_lock;
    uint16_t sq_wqe_num, sq_wqe_mask;
    uint8_t *sq_wqe_daddr;
    uint32_t *sq_dbrec;
    uint64_t *sq_db; /* the doorbell register, or the word that the CPU's proxy reads */
    uint64_t rq_rsvd_index, rq_ready_index, rq_wqe_pi;
    int rq_lock;
    uint16_t rq_wqe_num, rq_wqe_mask;
    uint8_t *rq_wqe_daddr;
    uint32_t *rq_dbrec;
    struct doca_gpu_bell *bell; /* of the emulated NIC */
    void *user;                 /* of headers that rest on this structure; NULL: none */
    enum doca_gpu_dev_verbs_nic_handler nic_handler;
    enum doca_gpu_dev_verbs_mem_type mem_type;
    struct doca_gpu_dev_verbs_cq cq_sq __attribute__((aligned(64)));
    struct doca_gpu_dev_verbs_cq cq_rq __attribute__((aligned(64)));
};

#ifdef __cplusplus
}
#endif

#endif
