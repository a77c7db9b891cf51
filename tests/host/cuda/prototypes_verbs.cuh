/* Device functions for queue pairs, and values of their header, as NVIDIA's open GPUNetIO library 2.0.1 has them: another
 * type or value does not compile. Templates are tried by their calls. */
#pragma once
#include <doca_gpunetio_dev_verbs_counter.cuh>
#include <doca_gpunetio_dev_verbs_twosided.cuh>

#define SAME(function, result, ...)                                                                \
    static_assert(__is_same(decltype(&function), result (*)(__VA_ARGS__)), #function)
using verbs_qp = struct doca_gpu_dev_verbs_qp *;
using verbs_wqe = struct doca_gpu_dev_verbs_wqe *;
using verbs_flags = enum doca_gpu_dev_verbs_wqe_ctrl_flags;
SAME(doca_gpu_dev_verbs_bswap16, uint16_t, uint16_t);
SAME(doca_gpu_dev_verbs_bswap32, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_bswap64, uint64_t, uint64_t);
SAME(doca_gpu_dev_verbs_cqe_idx_inc_mask, uint32_t, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_div_ceil_aligned_pow2, uint64_t, uint64_t, unsigned int);
SAME(doca_gpu_dev_verbs_get_lane_id, unsigned int, void);
SAME(doca_gpu_dev_verbs_get_wqe_ptr, verbs_wqe, verbs_qp, uint16_t);
SAME(doca_gpu_dev_verbs_load_relaxed_sys_global, uint8_t, uint8_t *);
SAME(doca_gpu_dev_verbs_prepare_db, uint64_t, verbs_qp, uint64_t);
SAME(doca_gpu_dev_verbs_prepare_dbr, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_qp_get_cq_sq, struct doca_gpu_dev_verbs_cq *, verbs_qp);
SAME(doca_gpu_dev_verbs_query_globaltimer, uint64_t, void);
SAME(doca_gpu_dev_verbs_store_wqe_seg, void, uint64_t *, uint64_t *);
SAME(doca_gpu_dev_verbs_wqe_prepare_atomic, void, verbs_qp, verbs_wqe, uint16_t, uint32_t, verbs_flags, uint64_t,
     uint32_t, uint64_t, uint32_t, uint32_t, uint64_t, uint64_t);
SAME(doca_gpu_dev_verbs_wqe_prepare_dump, void, verbs_qp, verbs_wqe, uint16_t, verbs_flags, uint64_t, uint32_t,
     uint32_t);
SAME(doca_gpu_dev_verbs_wqe_prepare_nop, void, verbs_qp, verbs_wqe, uint16_t, verbs_flags);
SAME(doca_gpu_dev_verbs_wqe_prepare_read, void, verbs_qp, verbs_wqe, uint16_t, verbs_flags, uint64_t, uint32_t,
     uint64_t, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_wqe_prepare_wait, void, verbs_qp, verbs_wqe, uint16_t, verbs_flags, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_wqe_prepare_write, void, verbs_qp, verbs_wqe, uint16_t, uint32_t, verbs_flags, uint32_t,
     uint64_t, uint32_t, uint64_t, uint32_t, uint32_t);
SAME(doca_gpu_dev_verbs_wqe_prepare_write_inl, void, verbs_qp, verbs_wqe, uint16_t, verbs_flags, uint64_t, uint32_t,
     uint64_t, uint32_t);
static_assert(__is_same(doca_gpu_dev_verbs_ticket_t, uint64_t), "tickets");
static_assert(sizeof(struct doca_gpu_dev_verbs_wqe) == 64 && sizeof(struct doca_gpu_dev_verbs_addr) == 16 &&
                  sizeof(struct doca_gpu_dev_verbs_cq) == 64,
              "sizes");
static_assert(DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO == 0 && DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY == 1 &&
                  DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB == 2 && DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF == 6 &&
                  DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR == 10,
              "handlers");
static_assert(DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE == 8 && DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_FIRST_CQE_ERROR == 4 &&
                  DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE_FENCE == 72 && DOCA_GPUNETIO_MLX5_WQE_CTRL_FENCE == 64 &&
                  DOCA_GPUNETIO_MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE == 32 &&
                  DOCA_GPUNETIO_MLX5_WQE_CTRL_SOLICITED == 2 && DOCA_GPUNETIO_MLX5_WQE_CTRL_STRONG_ORDERING == 96,
              "flags");
static_assert(DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS == 0 && DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU == 1 &&
                  DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA == 2 && DOCA_GPUNETIO_VERBS_SYNC_SCOPE_THREAD == 3 &&
                  DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE == 0 &&
                  DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA == 1 &&
                  DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU == 2,
              "scopes");
#undef SAME
