/* gpunetio_verbs: kernels post to the rings of queue pairs of DOCA Verbs, two of which are connected. */
#include <doca_gpunetio_dev_rdma_verbs_onesided.cuh>
#include <doca_gpunetio_dev_rdma_verbs_twosided.cuh>
#include <doca_rdma_verbs_bridge.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_verbs_bridge.h>
#include <endian.h>
#include <infiniband/verbs.h>
#include <pthread.h>

#include "prototypes_verbs.cuh"
#include "world.cuh"

enum { THREADS = 64, ROUNDS = 10, SLOT = 128, SIZE = 2 * THREADS * SLOT, PLACES = 128, PAGE = 4096 };

/* ---- Queue pairs ---- */

static struct doca_dev *dev;
static struct doca_gpu *gpu;
static struct doca_verbs_context *context;
static struct doca_verbs_pd *pd;
static struct doca_uar *uar;

/* A ring, in memory of the GPU. */
struct memory {
    void *at;
    struct doca_umem *umem;
};

struct queue_pair {
    struct memory cqs[2], rings, record;
    struct doca_verbs_cq *cq_sq, *cq_rq;
    struct doca_verbs_qp *qp;
    struct doca_gpu_verbs_qp *exported;
    struct doca_gpu_dev_verbs_qp *handle;
};

static void memory_new(struct memory *m, size_t size)
{
    DONE(doca_gpu_mem_alloc(gpu, size, PAGE, DOCA_GPU_MEM_TYPE_GPU, &m->at, NULL));
    DONE(doca_umem_gpu_create(gpu, dev, m->at, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &m->umem));
}

static void memory_free(struct memory *m)
{
    DONE(doca_umem_destroy(m->umem));
    DONE(doca_gpu_mem_free(gpu, m->at));
}

static void cq_new(struct memory *m, struct doca_verbs_cq **cq)
{
    struct doca_verbs_cq_attr *attr;
    memory_new(m, 2 * PLACES * 64);
    OK(cudaMemset(m->at, 0xff, PLACES * 64)); /* no completion is valid */
    DONE(doca_verbs_cq_attr_create(&attr));
    DONE(doca_verbs_cq_attr_set_external_datapath_en(attr, 1));
    DONE(doca_verbs_cq_attr_set_external_umem(attr, m->umem, 0));
    DONE(doca_verbs_cq_attr_set_cq_size(attr, PLACES));
    DONE(doca_verbs_cq_attr_set_cq_overrun(attr, 1));
    DONE(doca_verbs_cq_create(context, attr, cq));
    DONE(doca_verbs_cq_attr_destroy(attr));
}

static struct doca_verbs_qp_init_attr *init_attr_new(struct queue_pair *q)
{
    struct doca_verbs_qp_init_attr *init;
    DONE(doca_verbs_qp_init_attr_create(&init));
    DONE(doca_verbs_qp_init_attr_set_external_datapath_en(init, 1));
    DONE(doca_verbs_qp_init_attr_set_external_uar(init, uar));
    DONE(doca_verbs_qp_init_attr_set_external_umem(init, q->rings.umem, 0));
    DONE(doca_verbs_qp_init_attr_set_external_dbr_umem(init, q->record.umem, 0));
    DONE(doca_verbs_qp_init_attr_set_pd(init, pd));
    DONE(doca_verbs_qp_init_attr_set_sq_wr(init, PLACES));
    DONE(doca_verbs_qp_init_attr_set_rq_wr(init, PLACES));
    DONE(doca_verbs_qp_init_attr_set_send_max_sges(init, 1));
    DONE(doca_verbs_qp_init_attr_set_receive_max_sges(init, 1));
    DONE(doca_verbs_qp_init_attr_set_qp_type(init, DOCA_VERBS_QP_TYPE_RC));
    DONE(doca_verbs_qp_init_attr_set_send_cq(init, q->cq_sq));
    DONE(doca_verbs_qp_init_attr_set_receive_cq(init, q->cq_rq));
    return init;
}

static void qp_make(struct queue_pair *q)
{
    cq_new(&q->cqs[0], &q->cq_sq);
    cq_new(&q->cqs[1], &q->cq_rq);
    memory_new(&q->rings, PLACES * (64 + 16));
    memory_new(&q->record, PAGE);
    struct doca_verbs_qp_init_attr *init = init_attr_new(q);
    DONE(doca_verbs_qp_create(context, init, &q->qp));
    DONE(doca_verbs_qp_init_attr_destroy(init));
}

static void qp_new(struct queue_pair *q, enum doca_gpu_dev_verbs_nic_handler handler)
{
    qp_make(q);
    DONE(doca_gpu_verbs_export_qp(gpu, dev, q->qp, handler, q->rings.at, q->cq_sq, q->cq_rq, &q->exported));
    DONE(doca_gpu_verbs_get_qp_dev(q->exported, &q->handle));
}

static void qp_free(struct queue_pair *q)
{
    if (q->exported)
        DONE(doca_gpu_verbs_unexport_qp(gpu, q->exported));
    DONE(doca_verbs_qp_destroy(q->qp));
    DONE(doca_verbs_cq_destroy(q->cq_sq));
    DONE(doca_verbs_cq_destroy(q->cq_rq));
    memory_free(&q->record);
    memory_free(&q->rings);
    memory_free(&q->cqs[0]);
    memory_free(&q->cqs[1]);
}

static void modify(struct queue_pair *q, uint32_t peer)
{
    const int masks[] = {DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE | DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ |
                             DOCA_VERBS_QP_ATTR_ATOMIC_MODE | DOCA_VERBS_QP_ATTR_PKEY_INDEX |
                             DOCA_VERBS_QP_ATTR_PORT_NUM,
                         DOCA_VERBS_QP_ATTR_RQ_PSN | DOCA_VERBS_QP_ATTR_DEST_QP_NUM | DOCA_VERBS_QP_ATTR_PATH_MTU |
                             DOCA_VERBS_QP_ATTR_AH_ATTR | DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER,
                         DOCA_VERBS_QP_ATTR_SQ_PSN | DOCA_VERBS_QP_ATTR_ACK_TIMEOUT | DOCA_VERBS_QP_ATTR_RETRY_CNT |
                             DOCA_VERBS_QP_ATTR_RNR_RETRY};
    const enum doca_verbs_qp_state states[] = {DOCA_VERBS_QP_STATE_INIT, DOCA_VERBS_QP_STATE_RTR,
                                               DOCA_VERBS_QP_STATE_RTS};
    struct doca_verbs_ah_attr *ah;
    struct doca_verbs_qp_attr *attr;
    union ibv_gid gid;
    struct doca_verbs_gid to;
    CHECK(ibv_query_gid(doca_verbs_bridge_get_ibv_ctx(context), 1, 0, &gid) == 0);
    memcpy(to.raw, gid.raw, sizeof to.raw);
    DONE(doca_verbs_ah_attr_create(context, &ah));
    DONE(doca_verbs_ah_attr_set_addr_type(ah, DOCA_VERBS_ADDR_TYPE_IPv4));
    DONE(doca_verbs_ah_attr_set_gid(ah, to));
    DONE(doca_verbs_ah_attr_set_hop_limit(ah, 64));
    DONE(doca_verbs_qp_attr_create(&attr));
    DONE(doca_verbs_qp_attr_set_ah_attr(attr, ah));
    DONE(doca_verbs_qp_attr_set_allow_remote_write(attr, 1));
    DONE(doca_verbs_qp_attr_set_allow_remote_read(attr, 1));
    DONE(doca_verbs_qp_attr_set_atomic_mode(attr, DOCA_VERBS_QP_ATOMIC_MODE_IB_SPEC));
    DONE(doca_verbs_qp_attr_set_port_num(attr, 1));
    DONE(doca_verbs_qp_attr_set_path_mtu(attr, DOCA_MTU_SIZE_1K_BYTES));
    DONE(doca_verbs_qp_attr_set_dest_qp_num(attr, peer));
    DONE(doca_verbs_qp_attr_set_ack_timeout(attr, 14));
    DONE(doca_verbs_qp_attr_set_retry_cnt(attr, 7));
    DONE(doca_verbs_qp_attr_set_rnr_retry(attr, 7));
    DONE(doca_verbs_qp_attr_set_min_rnr_timer(attr, 1));
    for (int i = 0; i < 3; i++) {
        DONE(doca_verbs_qp_attr_set_next_state(attr, states[i]));
        DONE(doca_verbs_qp_modify(q->qp, attr, masks[i] | DOCA_VERBS_QP_ATTR_NEXT_STATE));
    }
    DONE(doca_verbs_qp_attr_destroy(attr));
    DONE(doca_verbs_ah_attr_destroy(ah));
}

static void connect(struct queue_pair *a, struct queue_pair *b)
{
    modify(a, doca_verbs_qp_get_qpn(b->qp));
    modify(b, doca_verbs_qp_get_qpn(a->qp));
}

/* ---- Memory that is moved ---- */

/* Memory of the GPU with its key. */
struct target {
    uint8_t *at;
    struct ibv_mr *mr;
};

static void target_new(struct target *t)
{
    const int rights =
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    int file;
    DONE(doca_gpu_mem_alloc(gpu, SIZE, PAGE, DOCA_GPU_MEM_TYPE_GPU, (void **)&t->at, NULL));
    DONE(doca_gpu_dmabuf_fd(gpu, t->at, SIZE, &file));
    t->mr = ibv_reg_dmabuf_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), 0, SIZE, (uintptr_t)t->at, file, rights);
    CHECK(t->mr);
    close(file);
}

/* By its address alone, as with nvidia-peermem. */
static void target_new_by_address(struct target *t)
{
    const int rights =
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    DONE(doca_gpu_mem_alloc(gpu, SIZE, PAGE, DOCA_GPU_MEM_TYPE_GPU, (void **)&t->at, NULL));
    t->mr = ibv_reg_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), t->at, SIZE, rights);
    CHECK(t->mr && t->mr->addr == t->at);
    CHECK(!ibv_reg_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), t->at, (size_t)1 << 40, rights));
}

static struct doca_gpu_dev_verbs_addr address_of(const struct target *t)
{
    return (struct doca_gpu_dev_verbs_addr){.addr = (uintptr_t)t->at, .key = htobe32(t->mr->lkey)};
}

static __host__ __device__ struct doca_gpu_dev_verbs_addr part(struct doca_gpu_dev_verbs_addr a, uint64_t at)
{
    a.addr += at;
    return a;
}

/* What kernels report. */
struct outcome {
    int results[16];
    uint64_t numbers[16];
    uint32_t failures;
};
static struct outcome *out;

static void finish(void)
{
    OK(cudaDeviceSynchronize());
    CHECK(out->failures == 0);
}

/* Both targets are zeroed. */
static void clear(const struct target *a, const struct target *b)
{
    OK(cudaMemset(a->at, 0, SIZE));
    OK(cudaMemset(b->at, 0, SIZE));
    memset(out, 0, sizeof *out);
}

static uint64_t number_at(const struct target *t, size_t at)
{
    uint64_t number;
    OK(cudaMemcpy(&number, t->at + at, sizeof number, cudaMemcpyDeviceToHost));
    return number;
}

/* ---- Puts and gets ---- */

template <enum doca_gpu_dev_verbs_exec_scope scope>
__global__ void puts(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr remote,
                     struct doca_gpu_dev_verbs_addr local, struct outcome *out)
{
    constexpr auto mode = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    constexpr auto handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO;
    const uint64_t slot = threadIdx.x * SLOT;
    doca_gpu_dev_verbs_ticket_t ticket;
    for (uint32_t round = 0; round < ROUNDS; round++) { /* more than the ring has places */
        *(uint32_t *)(local.addr + slot + round * 4) = round * 1000 + threadIdx.x;
        __threadfence_system();
        doca_gpu_dev_verbs_put<mode, handler, scope>(qp, part(remote, slot + round * 4), part(local, slot + round * 4),
                                                     4, &ticket);
        if (doca_gpu_dev_verbs_wait(qp, ticket) != 0)
            atomicAdd(&out->failures, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0 && doca_gpu_dev_verbs_wait(qp) != 0)
        atomicAdd(&out->failures, 1u);
    /* Another place of this memory receives what the puts have written. */
    const uint64_t again = (THREADS + threadIdx.x) * SLOT;
    doca_gpu_dev_verbs_get<mode, handler, scope, DOCA_GPUNETIO_VERBS_MCST_ENABLED>(
        qp, part(remote, slot), part(local, again), ROUNDS * 4, part(local, again), &ticket);
    if (doca_gpu_dev_verbs_get_wait<mode, handler, DOCA_GPUNETIO_VERBS_MCST_ENABLED>(qp, part(local, again), ticket) !=
        0)
        atomicAdd(&out->failures, 1u);
    for (uint32_t round = 0; round < ROUNDS; round++)
        if (*(volatile uint32_t *)(local.addr + again + round * 4) != round * 1000 + threadIdx.x)
            atomicAdd(&out->failures, 1u);
}

static void check_puts(const struct target *b)
{
    uint32_t words[SLOT / 4];
    for (uint32_t i = 0; i < THREADS; i++) {
        OK(cudaMemcpy(words, b->at + i * SLOT, sizeof words, cudaMemcpyDeviceToHost));
        for (uint32_t round = 0; round < SLOT / 4; round++)
            CHECK(words[round] == (round < ROUNDS ? round * 1000 + i : 0));
    }
}

static void puts_and_gets(struct queue_pair *q, const struct target *a, const struct target *b)
{
    clear(a, b);
    puts<DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD><<<1, THREADS>>>(q->handle, address_of(b), address_of(a), out);
    finish();
    check_puts(b);
    clear(a, b);
    puts<DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP><<<1, THREADS>>>(q->handle, address_of(b), address_of(a), out);
    finish();
    check_puts(b);
}

/* ---- Signals and counters ---- */

__global__ void signals(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_qp *companion,
                        struct doca_gpu_dev_verbs_addr remote, struct doca_gpu_dev_verbs_addr local,
                        struct outcome *out)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    int *r = out->results;
    *(uint64_t *)local.addr = 7;
    doca_gpu_dev_verbs_put_signal(qp, remote, local, 8, part(remote, 8), part(local, 8), 5, &ticket);
    r[0] = doca_gpu_dev_verbs_wait(qp, ticket);
    doca_gpu_dev_verbs_signal(qp, part(remote, 8), part(local, 16), 6, &ticket);
    r[1] = doca_gpu_dev_verbs_wait(qp, ticket);
    doca_gpu_dev_verbs_p<uint32_t>(qp, part(remote, 16), 0x12345678u, &ticket);
    r[2] = doca_gpu_dev_verbs_wait(qp, ticket);
    doca_gpu_dev_verbs_p_signal<uint64_t>(qp, part(remote, 24), 9ull, part(remote, 8), part(local, 24), 1, &ticket);
    r[3] = doca_gpu_dev_verbs_wait(qp, ticket);
    for (int i = 0; i < 100; i++) /* more than the companion's ring has places */
        doca_gpu_dev_verbs_put_counter(qp, part(remote, 64 + i * 8), local, 8, companion, part(remote, 32),
                                       part(local, 32), 1);
    doca_gpu_dev_verbs_p_counter<uint64_t>(qp, part(remote, 40), 11ull, companion, part(remote, 32), part(local, 32),
                                           100);
    doca_gpu_dev_verbs_signal_counter(qp, part(remote, 8), part(local, 40), 1, companion, part(remote, 32),
                                      part(local, 32), 1000);
    doca_gpu_dev_verbs_get_counter(qp, part(remote, 40), part(local, 48), 8, companion, part(remote, 32),
                                   part(local, 32), 10000);
    r[4] = doca_gpu_dev_verbs_wait(companion);
    r[5] = doca_gpu_dev_verbs_wait(qp);
}

static void signals_and_counters(struct queue_pair *q, struct queue_pair *companion, const struct target *a,
                                 const struct target *b)
{
    clear(a, b);
    signals<<<1, 1>>>(q->handle, companion->handle, address_of(b), address_of(a), out);
    finish();
    for (int i = 0; i < 6; i++)
        CHECK(out->results[i] == 0);
    const uint64_t remote[] = {7, 5 + 6 + 1 + 1, 0x12345678, 9, 100 + 100 + 1000 + 10000, 11};
    for (int i = 0; i < 6; i++)
        CHECK(number_at(b, i * 8) == remote[i]);
    for (int i = 0; i < 100; i++)
        CHECK(number_at(b, 64 + i * 8) == 7);
    /* The values before: of the signals, of the last count, and what was got. */
    const uint64_t local[] = {7, 0, 5, 11, 1200, 12, 11};
    for (int i = 0; i < 7; i++)
        CHECK(number_at(a, i * 8) == local[i]);
}

/* ---- Messages ---- */

template <enum doca_gpu_dev_verbs_exec_scope scope>
__global__ void messages(struct doca_gpu_dev_verbs_qp *from, struct doca_gpu_dev_verbs_qp *to,
                         struct doca_gpu_dev_verbs_addr source, struct doca_gpu_dev_verbs_addr target,
                         struct outcome *out)
{
    constexpr auto mode = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    constexpr auto handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO;
    const uint64_t slot = threadIdx.x * SLOT;
    doca_gpu_dev_verbs_ticket_t sent, received;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        *(uint32_t *)(source.addr + slot) = round + 1;
        __threadfence_system();
        doca_gpu_dev_verbs_recv<mode, handler, scope>(to, part(target, slot), SLOT, &received);
        __syncthreads();
        doca_gpu_dev_verbs_send<mode, handler, scope>(from, part(source, slot), 4, &sent);
        if (doca_gpu_dev_verbs_recv_wait<mode, handler, DOCA_GPUNETIO_VERBS_MCST_ENABLED>(to, part(target, slot),
                                                                                         received) != 0 ||
            doca_gpu_dev_verbs_wait(from, sent) != 0 || *(volatile uint32_t *)(target.addr + slot) != round + 1)
            atomicAdd(&out->failures, 1u);
        __syncthreads();
    }
}

static void messages_in_both_scopes(struct queue_pair *p, struct queue_pair *q, const struct target *a,
                                    const struct target *b)
{
    clear(a, b);
    messages<DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>
        <<<1, THREADS>>>(p->handle, q->handle, address_of(a), address_of(b), out);
    finish();
    clear(a, b);
    messages<DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP>
        <<<1, THREADS>>>(p->handle, q->handle, address_of(a), address_of(b), out);
    finish();
}

/* ---- Stores of a kernel's own ---- */

static __device__ uint32_t be32(uint32_t x)
{
    return __builtin_bswap32(x);
}

/* Writes a WQE, its index and the doorbell by stores alone, as device code of other libraries does. If `waits`, it
 * waits for the completion. */
__global__ void stores(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr remote,
                       struct doca_gpu_dev_verbs_addr local, struct outcome *out, bool waits)
{
    const uint64_t index = qp->sq_wqe_pi;
    volatile uint32_t *wqe = (volatile uint32_t *)(qp->sq_wqe_daddr + (index & qp->sq_wqe_mask) * 64);
    volatile uint8_t *cqe = qp->cq_sq.cqe_daddr + (index & qp->cq_sq.cqe_mask) * 64;
    *(uint64_t *)local.addr = 0x0102030405060708;
    wqe[0] = be32((uint32_t)(index & 0xffff) << 8 | 0x08);
    wqe[1] = be32(qp->sq_num << 8 | 3);
    wqe[2] = be32(2 << 2);
    wqe[3] = 0;
    wqe[4] = be32((uint32_t)(remote.addr >> 32));
    wqe[5] = be32((uint32_t)remote.addr);
    wqe[6] = remote.key;
    wqe[7] = 0;
    wqe[8] = be32(8);
    wqe[9] = local.key;
    wqe[10] = be32((uint32_t)(local.addr >> 32));
    wqe[11] = be32((uint32_t)local.addr);
    const uint64_t first = *(volatile uint64_t *)wqe;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(qp->sq_dbrec), "r"(be32((uint32_t)(index + 1) & 0xffff))
                 : "memory");
    asm volatile("st.mmio.relaxed.sys.global.u64 [%0], %1;" ::"l"(qp->sq_db), "l"(first) : "memory");
    const uint8_t owner = (index & qp->cq_sq.cqe_num) != 0;
    while (waits && ((cqe[63] & 1) != owner || cqe[63] >> 4 == 15))
        continue;
    out->results[0] = cqe[63] >> 4;
    out->numbers[0] = be32(*(volatile uint32_t *)(cqe + 60)) >> 16;
    out->numbers[1] = index & 0xffff;
}

static void stores_ring_the_doorbell(struct queue_pair *q, const struct target *a, const struct target *b)
{
    clear(a, b);
    stores<<<1, 1>>>(q->handle, address_of(b), address_of(a), out, true);
    finish();
    CHECK(out->results[0] == 0 && out->numbers[0] == out->numbers[1]);
    CHECK(number_at(b, 0) == 0x0102030405060708);
}

/* The last kernel need not wait for its writes: they arrive although the program destroys the queue pair. */
static void a_destroyed_queue_pair_has_carried_out_its_doorbells(const struct target *a, const struct target *b)
{
    static struct queue_pair p, q;
    for (int i = 0; i < 20; i++) {
        qp_new(&p, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
        qp_new(&q, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
        connect(&p, &q);
        clear(a, b);
        stores<<<1, 1>>>(p.handle, address_of(b), address_of(a), out, false);
        finish();
        qp_free(&p);
        CHECK(number_at(b, 0) == 0x0102030405060708);
        qp_free(&q);
    }
}

/* ---- Doorbells of the CPU ---- */

static volatile bool proxy_ends;

static void *proxy(void *exported)
{
    while (!proxy_ends)
        DONE(doca_gpu_verbs_cpu_proxy_progress((struct doca_gpu_verbs_qp *)exported));
    return NULL;
}

static void the_cpu_rings_the_doorbell(const struct target *a, const struct target *b)
{
    static struct queue_pair p, q;
    pthread_t thread;
    qp_new(&p, DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY);
    qp_new(&q, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
    connect(&p, &q);
    CHECK(pthread_create(&thread, NULL, proxy, p.exported) == 0);
    puts_and_gets(&p, a, b);
    proxy_ends = true;
    pthread_join(thread, NULL);
    CHECK(doca_gpu_verbs_cpu_proxy_progress(q.exported) == DOCA_ERROR_BAD_STATE);
    qp_free(&p);
    qp_free(&q);
}

/* ---- Names of the samples gpunetio_rdma_verbs_* ---- */

/* One completion for the writes of a block; a message; puts of all threads. */
__global__ void other_names(struct doca_gpu_dev_rdma_verbs_qp *qp, struct doca_gpu_dev_rdma_verbs_qp *peer,
                            struct doca_gpu_dev_rdma_verbs_addr remote, struct doca_gpu_dev_rdma_verbs_addr local,
                            struct outcome *out)
{
    constexpr auto mode = DOCA_GPUNETIO_RDMA_VERBS_RESOURCE_SHARING_MODE_GPU;
    constexpr auto handler = DOCA_GPUNETIO_RDMA_VERBS_NIC_HANDLER_GPU_SM;
    const bool last = threadIdx.x == blockDim.x - 1;
    const auto flags =
        last ? DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE : DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_ERROR_UPDATE;
    const uint64_t slot = threadIdx.x * SLOT;
    uint32_t wqe = doca_gpu_dev_rdma_verbs_wqe_idx_inc_mask(qp->sq_wqe_pi, threadIdx.x), cqe = qp->cq_sq->cqe_ci;
    doca_gpu_dev_rdma_verbs_ticket_t ticket;
    __syncthreads();
    for (uint32_t round = 0; round < 1100; round++) { /* the indexes of 16 bits wrap */
        *(uint32_t *)(local.addr + slot) = round;
        __threadfence_system();
        doca_gpu_dev_rdma_verbs_wqe_prepare_write(qp, doca_gpu_dev_rdma_verbs_get_wqe_ptr(qp, wqe), wqe,
                                                  DOCA_GPUNETIO_MLX5_OPCODE_RDMA_WRITE, flags, 0, remote.addr + slot,
                                                  remote.key, local.addr + slot, local.key, 4);
        __syncthreads();
        if (last) {
            if (round % 2)
                doca_gpu_dev_rdma_verbs_submit<mode, handler, DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>(
                    qp, (wqe + 1) & DOCA_GPUNETIO_RDMA_VERBS_WQE_PI_MASK);
            else
                doca_gpu_dev_rdma_verbs_submit_inc<mode, handler, DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>(qp, blockDim.x);
            if (doca_gpu_dev_rdma_verbs_poll_cq_at<mode, DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>(qp->cq_sq, cqe) != 0 ||
                doca_gpu_dev_rdma_verbs_poll_cq_at<mode, DOCA_GPUNETIO_RDMA_VERBS_QP_SQ>(qp->cq_sq, cqe) != 0)
                atomicAdd(&out->failures, 1u);
            cqe = doca_gpu_dev_rdma_verbs_cqe_idx_inc_mask(cqe, 1);
        }
        wqe = doca_gpu_dev_rdma_verbs_wqe_idx_inc_mask(wqe, blockDim.x);
        __syncthreads();
    }
    if (last) {
        uint64_t inlined = 77;
        doca_gpu_dev_rdma_verbs_recv(peer, part(remote, 8), 8, &ticket);
        wqe = qp->sq_wqe_pi;
        doca_gpu_dev_rdma_verbs_wqe_prepare_send(qp, doca_gpu_dev_rdma_verbs_get_wqe_ptr(qp, wqe), wqe,
                                                 DOCA_GPUNETIO_MLX5_OPCODE_SEND,
                                                 DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_ERROR_UPDATE, 0, local.addr, local.key,
                                                 4);
        doca_gpu_dev_rdma_verbs_wqe_prepare_write_inl(qp, doca_gpu_dev_rdma_verbs_get_wqe_ptr(qp, wqe + 1), wqe + 1,
                                                      DOCA_GPUNETIO_MLX5_WQE_CTRL_CQ_UPDATE, remote.addr + 16,
                                                      remote.key, (uint64_t)&inlined, sizeof inlined);
        doca_gpu_dev_rdma_verbs_submit_inc(qp, 2);
        out->results[0] = doca_gpu_dev_rdma_verbs_poll_cq_at<mode, DOCA_GPUNETIO_RDMA_VERBS_QP_RQ>(peer->cq_rq, ticket);
        out->results[1] = doca_gpu_dev_rdma_verbs_poll_cq_at(qp->cq_sq, cqe);
    }
}

static void other_names_mean_the_same(const struct target *a, const struct target *b)
{
    static struct queue_pair p, q;
    struct doca_gpu_rdma_verbs_cq *cqs[4];
    struct doca_gpu_dev_rdma_verbs_cq *cq_handles[4];
    struct doca_gpu_rdma_verbs_qp *qps[2];
    struct doca_gpu_dev_rdma_verbs_qp *qp_handles[2];
    struct queue_pair *const both[] = {&p, &q};
    for (int i = 0; i < 2; i++) {
        qp_make(both[i]);
        DONE(doca_gpu_rdma_verbs_export_cq(gpu, both[i]->cq_sq, &cqs[2 * i], &cq_handles[2 * i]));
        DONE(doca_gpu_rdma_verbs_export_cq(gpu, both[i]->cq_rq, &cqs[2 * i + 1], &cq_handles[2 * i + 1]));
        DONE(doca_gpu_rdma_verbs_export_qp(gpu, dev, both[i]->qp, 0, both[i]->rings.at, cq_handles[2 * i],
                                           cq_handles[2 * i + 1], &qps[i], &qp_handles[i]));
    }
    connect(&p, &q);
    clear(a, b);
    other_names<<<1, THREADS>>>(qp_handles[0], qp_handles[1], address_of(b), address_of(a), out);
    finish();
    CHECK(out->results[0] == 0 && out->results[1] == 0);
    CHECK(number_at(b, 0) == 1099 && number_at(b, 8) == 1099 && number_at(b, 16) == 77);
    CHECK(number_at(b, (THREADS - 1) * SLOT) == 1099);
    CHECK(doca_gpu_rdma_verbs_unexport_qp(gpu, (struct doca_gpu_rdma_verbs_qp *)cqs[0]) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_rdma_verbs_unexport_cq(gpu, (struct doca_gpu_rdma_verbs_cq *)qps[0]) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_rdma_verbs_cpu_proxy_progress(qps[0]) == DOCA_ERROR_BAD_STATE);
    for (int i = 0; i < 2; i++) {
        DONE(doca_gpu_rdma_verbs_unexport_qp(gpu, qps[i]));
        DONE(doca_gpu_rdma_verbs_unexport_cq(gpu, cqs[2 * i]));
        DONE(doca_gpu_rdma_verbs_unexport_cq(gpu, cqs[2 * i + 1]));
        qp_free(both[i]);
    }
}

/* ---- What fails ---- */

__global__ void fails(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr remote,
                      struct doca_gpu_dev_verbs_addr local, struct outcome *out)
{
    doca_gpu_dev_verbs_ticket_t good, bad, after;
    doca_gpu_dev_verbs_put(qp, remote, local, 8, &good);
    out->results[0] = doca_gpu_dev_verbs_wait(qp, good);
    doca_gpu_dev_verbs_put(qp, part(remote, SIZE - 4), local, 8, &bad);
    out->results[1] = doca_gpu_dev_verbs_wait(qp, bad);
    for (int i = 0; i < 3 * PLACES; i++) /* none of them waits for ever */
        doca_gpu_dev_verbs_put(qp, remote, local, 8, &after);
    out->results[2] = doca_gpu_dev_verbs_wait(qp, after);
    out->results[3] = doca_gpu_dev_verbs_wait(qp);
}

static void failed_operations_are_told(struct queue_pair *q, const struct target *a, const struct target *b)
{
    clear(a, b);
    fails<<<1, 1>>>(q->handle, address_of(b), address_of(a), out);
    finish();
    CHECK(out->results[0] == 0);
    CHECK(out->results[1] == -5 && out->results[2] == -5 && out->results[3] == -5);
}

/* Each context has a port of its own. */
static void queues_of_another_context_are_refused(struct queue_pair *q)
{
    struct doca_verbs_context *const mine = context;
    struct doca_verbs_qp *qp = NULL;
    struct doca_verbs_cq *cq;
    struct memory m;
    DONE(doca_verbs_context_create(doca_dev_as_devinfo(dev), DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE, &context));
    cq_new(&m, &cq);
    struct doca_verbs_context *const other = context;
    context = mine;
    struct doca_verbs_qp_init_attr *init = init_attr_new(q);
    DONE(doca_verbs_qp_init_attr_set_receive_cq(init, cq));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_INVALID_VALUE && !qp);
    DONE(doca_verbs_qp_init_attr_destroy(init));
    DONE(doca_verbs_cq_destroy(cq));
    DONE(doca_verbs_context_destroy(other));
    memory_free(&m);
}

/* The NIC looks at all doorbells in turn: after the third put, it has seen what was written before the first. */
__global__ void three_puts(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr remote,
                           struct doca_gpu_dev_verbs_addr local, struct outcome *out)
{
    doca_gpu_dev_verbs_ticket_t ticket;
    for (int i = 0; i < 3; i++) {
        doca_gpu_dev_verbs_put(qp, remote, local, 8, &ticket);
        out->results[i] = doca_gpu_dev_verbs_wait(qp, ticket);
    }
}

/* A doorbell record that no function of kernels would write ends its queue pair, and nothing else. */
static void wild_records_end_a_queue_pair(struct queue_pair *other, const struct target *a, const struct target *b)
{
    static struct queue_pair p, q;
    const uint32_t wild[] = {0x12345678, 0x9abcdef0};
    qp_new(&p, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
    qp_new(&q, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
    connect(&p, &q);
    clear(a, b);
    OK(cudaMemcpy(p.record.at, wild, sizeof wild, cudaMemcpyHostToDevice));
    three_puts<<<1, 1>>>(other->handle, address_of(b), address_of(a), out);
    finish();
    CHECK(out->results[0] == 0 && out->results[1] == 0 && out->results[2] == 0);
    qp_free(&p);
    qp_free(&q);
}

static void bad_arguments_are_refused(struct queue_pair *q)
{
    const enum doca_gpu_dev_verbs_nic_handler automatic = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO;
    struct doca_gpu_verbs_qp *e = NULL;
    struct doca_gpu_dev_verbs_qp *handle = NULL;
    struct doca_umem *umem = NULL;
    struct doca_verbs_cq *cq = NULL;
    struct doca_verbs_qp *qp = NULL;
    struct doca_verbs_cq_attr *attr;
    static uint8_t here[PAGE];
    const uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    CHECK(doca_umem_gpu_create(gpu, dev, here, PAGE, rights, &umem) == DOCA_ERROR_INVALID_VALUE && !umem);
    CHECK(doca_umem_gpu_create(gpu, dev, q->record.at, PAGE + 1, rights, &umem) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_umem_gpu_create((struct doca_gpu *)dev, dev, q->record.at, PAGE, rights, &umem) ==
          DOCA_ERROR_INVALID_VALUE);
    /* Exports. */
    CHECK(doca_gpu_verbs_export_qp(NULL, dev, q->qp, automatic, q->rings.at, q->cq_sq, q->cq_rq, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, NULL, q->qp, automatic, q->rings.at, q->cq_sq, q->cq_rq, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, NULL, automatic, q->rings.at, q->cq_sq, q->cq_rq, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, q->qp, automatic, here, q->cq_sq, q->cq_rq, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, q->qp, automatic, q->rings.at, NULL, q->cq_rq, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, q->qp, DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR, q->rings.at,
                                   q->cq_sq, q->cq_rq, &e) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, q->qp, (enum doca_gpu_dev_verbs_nic_handler)77, q->rings.at, q->cq_sq,
                                   q->cq_rq, &e) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_export_qp(gpu, dev, q->qp, automatic, q->rings.at, q->cq_sq, q->cq_rq, NULL) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(!e && doca_gpu_verbs_unexport_qp(gpu, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_unexport_qp((struct doca_gpu *)dev, q->exported) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_unexport_qp(gpu, (struct doca_gpu_verbs_qp *)dev) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_get_qp_dev(q->exported, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_verbs_get_qp_dev((struct doca_gpu_verbs_qp *)q->qp, &handle) == DOCA_ERROR_INVALID_VALUE);
    CHECK(!handle && doca_gpu_verbs_cpu_proxy_progress(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_destroy(gpu) == DOCA_ERROR_IN_USE && doca_uar_destroy(uar) == DOCA_ERROR_IN_USE);
    /* Queues whose memory is too small, or missing. */
    DONE(doca_verbs_cq_attr_create(&attr));
    DONE(doca_verbs_cq_attr_set_external_datapath_en(attr, 1));
    DONE(doca_verbs_cq_attr_set_external_umem(attr, q->record.umem, 0));
    DONE(doca_verbs_cq_attr_set_cq_size(attr, PAGE / 64));
    CHECK(doca_verbs_cq_create(context, attr, &cq) == DOCA_ERROR_INVALID_VALUE && !cq);
    DONE(doca_verbs_cq_attr_destroy(attr));
    struct doca_verbs_qp_init_attr *init = init_attr_new(q);
    DONE(doca_verbs_qp_init_attr_set_sq_wr(init, 2 * PLACES));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_verbs_qp_init_attr_set_sq_wr(init, 32769));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_verbs_qp_init_attr_set_sq_wr(init, PLACES));
    DONE(doca_verbs_qp_init_attr_set_external_dbr_umem(init, q->record.umem, PAGE - 4));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_verbs_qp_init_attr_set_external_dbr_umem(init, q->record.umem, 0));
    DONE(doca_verbs_qp_init_attr_set_external_uar(init, NULL));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_verbs_qp_init_attr_set_external_uar(init, uar));
    DONE(doca_verbs_qp_init_attr_set_receive_max_sges(init, 2));
    CHECK(doca_verbs_qp_create(context, init, &qp) == DOCA_ERROR_NOT_SUPPORTED && !qp);
    DONE(doca_verbs_qp_init_attr_destroy(init));
}

int main(void)
{
    static struct queue_pair p, q, counts, counted;
    struct target a, b;
    open_device(&dev, &gpu);
    DONE(doca_verbs_context_create(doca_dev_as_devinfo(dev), DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE, &context));
    DONE(doca_verbs_pd_create(context, &pd));
    DONE(doca_uar_create(dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED, &uar));
    OK(cudaMallocHost(&out, sizeof *out));
    target_new(&a);
    target_new_by_address(&b);
    struct queue_pair *const all[] = {&p, &q, &counts, &counted};
    for (struct queue_pair *one : all)
        qp_new(one, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO);
    connect(&p, &q);
    connect(&counts, &counted);
    puts_and_gets(&p, &a, &b);
    signals_and_counters(&p, &counts, &a, &b);
    messages_in_both_scopes(&p, &q, &a, &b);
    the_cpu_rings_the_doorbell(&a, &b);
    other_names_mean_the_same(&a, &b);
    bad_arguments_are_refused(&p);
    queues_of_another_context_are_refused(&p);
    stores_ring_the_doorbell(&q, &a, &b);
    a_destroyed_queue_pair_has_carried_out_its_doorbells(&a, &b);
    wild_records_end_a_queue_pair(&counts, &a, &b);
    failed_operations_are_told(&p, &a, &b);
    for (struct queue_pair *one : all)
        qp_free(one);
    DONE(doca_uar_destroy(uar));
    CHECK(ibv_dereg_mr(a.mr) == 0 && ibv_dereg_mr(b.mr) == 0);
    DONE(doca_verbs_pd_destroy(pd));
    DONE(doca_verbs_context_destroy(context));
    DONE(doca_gpu_destroy(gpu));
    DONE(doca_dev_close(dev));
    puts("good");
}
