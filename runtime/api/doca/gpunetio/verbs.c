/* Queue pairs of DOCA Verbs for kernels: what a kernel needs of a queue pair, in memory of the GPU. */
#include <doca_verbs.h>
#include <endian.h>
#include <sched.h>

#include "gpunetio.h"

struct verbs_qp {
    struct dpk_object object;
    struct dpk_gpu *gpu; /* a use */
    struct gpunetio_memory memory;
    struct doca_gpu_dev_verbs_qp *handle; /* for the library; kernels may write anything there */
    uint32_t *record;                     /* of sends, for the library */
    uint64_t *proxy; /* the index that kernels tell the CPU's proxy; NULL: there is none */
};

static void qp_left(void *object)
{
    struct verbs_qp *q = object;
    if (q->memory.gpu)
        gpunetio_memory_free(q->memory.gpu);
    q->memory.gpu = NULL;
    dpk_object_unuse(q->gpu);
}

static void qp_release(void *object)
{
    free(object);
}
static const struct dpk_kind verbs_qp_kind = {.left = qp_left, .release = qp_release};

/* What the memory of a handle has: the handle, then the word of the proxy. */
struct shared {
    struct doca_gpu_dev_verbs_qp handle;
    uint64_t proxy __attribute__((aligned(64)));
};

/* ---- Export ---- */

/* The rings of a queue pair, by their addresses for kernels. */
struct rings {
    void *sends, *receives;
    uint32_t send_count, receive_count, receive_size;
    uint32_t *record;
    uint64_t *uar;
};

static bool find_rings(const struct doca_verbs_qp *qp, struct rings *out)
{
    *out = (struct rings){0};
    doca_verbs_qp_get_wq(qp, &out->sends, &out->send_count, &out->receives, &out->receive_count,
                         &out->receive_size);
    out->record = doca_verbs_qp_get_dbr_addr(qp);
    out->uar = doca_verbs_qp_get_uar_addr(qp);
    return out->record && out->uar;
}

/* Describes a completion queue. Returns false if the queue has no ring for kernels. */
static bool find_cq(struct doca_verbs_cq *cq, struct doca_gpu_dev_verbs_cq *out)
{
    void *ring = NULL;
    uint32_t count = 0, *consumed = NULL, *arm = NULL;
    uint64_t *uar = NULL;
    uint8_t size = 0;
    doca_verbs_cq_get_wq(cq, &ring, &count, &size);
    doca_verbs_cq_get_dbr_addr(cq, &uar, &consumed, &arm);
    if (!ring || !consumed || size != DOCA_GPUNETIO_VERBS_CQE_SIZE)
        return false;
    *out = (struct doca_gpu_dev_verbs_cq){.cqe_daddr = ring,
                                          .cq_num = doca_verbs_cq_get_cqn(cq),
                                          .cqe_num = count,
                                          .dbrec = consumed,
                                          .cqe_mask = count - 1,
                                          .cqe_size = size,
                                          .mem_type = DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU};
    return true;
}

static bool is_handler(enum doca_gpu_dev_verbs_nic_handler h)
{
    return h == DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO ||
           h == DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY ||
           h == DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB ||
           h == DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF;
}

static void fill(struct verbs_qp *q, const struct rings *r, uint32_t number,
                 enum doca_gpu_dev_verbs_nic_handler handler)
{
    struct doca_gpu_dev_verbs_qp *h = q->handle;
    h->sq_num = number;
    h->sq_num_shift8 = number << DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT;
    h->sq_num_shift8_be = htobe32(h->sq_num_shift8);
    h->sq_wqe_num = (uint16_t)r->send_count;
    h->sq_wqe_mask = (uint16_t)(r->send_count - (r->send_count > 0));
    h->sq_wqe_daddr = r->sends;
    h->rq_wqe_num = (uint16_t)r->receive_count;
    h->rq_wqe_mask = (uint16_t)(r->receive_count - (r->receive_count > 0));
    h->rq_wqe_daddr = r->receives;
    h->rq_dbrec = r->record;
    h->sq_dbrec = r->record + 1;
    h->sq_db = q->proxy ? q->proxy : r->uar;
    h->bell = dpk_gpu_doorbells();
    h->nic_handler = q->proxy ? handler : DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB;
    h->mem_type = DOCA_GPUNETIO_VERBS_MEM_TYPE_GPU;
}

/* Judges the queue pair and its completion queues, and finds their rings. */
static doca_error_t find(const struct doca_verbs_qp *qp, const void *umem,
                         struct doca_verbs_cq *cq_sq, struct doca_verbs_cq *cq_rq, struct rings *r,
                         struct doca_gpu_dev_verbs_qp *cqs)
{
    if (!find_rings(qp, r))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the queue pair has no external data path on a GPU");
    if (umem != (r->receives ? r->receives : r->sends))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the rings of the queue pair begin at %p, not at %p",
                                r->receives ? r->receives : r->sends, umem);
    if ((r->sends && !find_cq(cq_sq, &cqs->cq_sq)) || (r->receives && !find_cq(cq_rq, &cqs->cq_rq)))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a completion queue of the queue pair is missing, or not on a GPU");
    return DOCA_SUCCESS;
}

static doca_error_t export_qp(struct dpk_gpu *g, const struct rings *r,
                              const struct doca_gpu_dev_verbs_qp *cqs, uint32_t number,
                              enum doca_gpu_dev_verbs_nic_handler handler,
                              struct doca_gpu_verbs_qp **out)
{
    struct verbs_qp *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    dpk_object_use(q->gpu = g);
    if (gpunetio_memory_new(sizeof(struct shared), 64, DOCA_GPU_MEM_TYPE_CPU_GPU, &q->memory) !=
        DOCA_SUCCESS) {
        qp_left(q);
        free(q);
        return DOCA_ERROR_NO_MEMORY;
    }
    struct shared *s = q->memory.gpu;
    q->handle = &s->handle;
    q->record = dpk_gpu_memory_bus(r->record + 1);
    q->proxy = handler == DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY ? &s->proxy : NULL;
    q->handle->cq_sq = cqs->cq_sq;
    q->handle->cq_rq = cqs->cq_rq;
    fill(q, r, number, handler);
    *out = dpk_object_enter(q, &verbs_qp_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_gpu_verbs_export_qp(struct doca_gpu *gpu_dev, struct doca_dev *dev,
                                      struct doca_verbs_qp *qp,
                                      enum doca_gpu_dev_verbs_nic_handler nic_handler,
                                      void *gpu_qp_umem_dev_ptr, struct doca_verbs_cq *cq_sq,
                                      struct doca_verbs_cq *cq_rq,
                                      struct doca_gpu_verbs_qp **qp_out)
{
    struct rings r;
    struct doca_gpu_dev_verbs_qp cqs = {0};
    if (qp_out)
        *qp_out = NULL;
    struct dpk_gpu *g = qp_out ? dpk_object_pin(gpu_dev, &dpk_gpu_kind) : NULL;
    struct dpk_dev *d = g ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    doca_error_t result = d ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (d && !is_handler(nic_handler))
        result = dpk_doca_because(nic_handler == DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR
                                      ? DOCA_ERROR_NOT_SUPPORTED
                                      : DOCA_ERROR_INVALID_VALUE,
                                  "%d is no NIC handler of emulated devices", (int)nic_handler);
    if (result == DOCA_SUCCESS)
        result = find(qp, gpu_qp_umem_dev_ptr, cq_sq, cq_rq, &r, &cqs);
    if (result == DOCA_SUCCESS)
        result = export_qp(g, &r, &cqs, doca_verbs_qp_get_qpn(qp), nic_handler, qp_out);
    dpk_object_drop(d);
    dpk_object_drop(g);
    return dpk_doca_end(gpu_dev, __func__, result);
}

doca_error_t doca_gpu_verbs_unexport_qp(struct doca_gpu *gpu_dev, struct doca_gpu_verbs_qp *qp)
{
    struct verbs_qp *q = dpk_object_pin(qp, &verbs_qp_kind);
    struct dpk_gpu *g = q ? dpk_object_pin(gpu_dev, &dpk_gpu_kind) : NULL;
    const bool fits = g && q->gpu == g;
    dpk_object_drop(g);
    dpk_object_drop(q);
    if (!fits)
        return dpk_doca_end(gpu_dev, __func__,
                            dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                             "the queue pair was not exported to this GPU"));
    return dpk_doca_destroy(qp, &verbs_qp_kind, __func__);
}

doca_error_t doca_gpu_verbs_get_qp_dev(struct doca_gpu_verbs_qp *qp,
                                       struct doca_gpu_dev_verbs_qp **qp_gpu)
{
    struct verbs_qp *q = qp_gpu ? dpk_object_pin(qp, &verbs_qp_kind) : NULL;
    if (q)
        *qp_gpu = q->memory.gpu;
    dpk_object_drop(q);
    return dpk_doca_end(qp, __func__, q ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

/* ---- The CPU's proxy ---- */

/* Passes the index on: to the record, and to the NIC. A proxy calls this in a loop, and the kernel that it waits for
 * may need its core. */
static void pass_on(const struct verbs_qp *q)
{
    const uint64_t index = __atomic_load_n(q->proxy, __ATOMIC_ACQUIRE);
    const uint32_t word = htobe32((uint32_t)index & DOCA_GPUNETIO_VERBS_WQE_PI_MASK);
    if (__atomic_load_n(q->record, __ATOMIC_RELAXED) == word) {
        sched_yield();
        return;
    }
    __atomic_store_n(q->record, word, __ATOMIC_RELEASE);
    dpk_gpu_ring(dpk_gpu_doorbells());
}

doca_error_t doca_gpu_verbs_cpu_proxy_progress(struct doca_gpu_verbs_qp *qp)
{
    struct verbs_qp *q = dpk_object_pin(qp, &verbs_qp_kind);
    doca_error_t result = q ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (q && !q->proxy)
        result =
            dpk_doca_because(DOCA_ERROR_BAD_STATE, "kernels ring the doorbell of this queue pair "
                                                   "(DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY)");
    else if (q)
        pass_on(q);
    dpk_object_drop(q);
    return dpk_doca_end(qp, __func__, result);
}
