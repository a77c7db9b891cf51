/* Send queues of kernels: kernels write sends to a ring, and a thread executes them (server.c). */
#include "eth.h"

enum { LOG_SEND = 6, CHECKSUM_L3 = 0x40, CHECKSUM_L4 = 0x80 };

/* The memory of a queue for kernels. */
struct shared {
    struct doca_gpu_eth_txq handle; /* first */
    struct doca_gpu_eth_bell bell __attribute__((aligned(64)));
};

static doca_error_t make_handle(struct txq *q)
{
    struct shared *s = q->rings.gpu->ops->alloc(sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    s->handle = (struct doca_gpu_eth_txq){
        .wqes = (struct doca_gpu_dev_eth_txq_wqe *)(void *)q->rings.ring.bytes,
        .completions = q->rings.completions.bytes,
        .consumed = (uint32_t *)(void *)q->rings.consumed_record.bytes,
        .bell = &s->bell,
        .depth = 1u << q->rings.log_depth,
        .number = dpk_queue_number(q->rings.queue) << 8,
        .checksums = (q->l3 ? CHECKSUM_L3 : 0u) | (q->l4 ? CHECKSUM_L4 : 0u),
        .timed = q->timed,
        .on_cpu = q->rings_on_cpu};
    q->handle = &s->handle;
    q->server = dpk_gpu_server_start(&s->bell.bell, eth_txq_serve, q);
    return q->server ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t eth_gpu_txq_start(struct txq *q)
{
    doca_error_t result = eth_txq_events_check(q);
    if (result != DOCA_SUCCESS)
        return result;
    q->rings.gpu = eth_gpu(&q->base);
    q->rings.silent = !eth_txq_reports(q);
    q->rings.timed = q->timed;
    q->executed = 0;
    atomic_store(&q->stalls, false);
    result = eth_rings_open(&q->rings, &q->base, DPK_SQ, q->burst, LOG_SEND);
    if (result == DOCA_SUCCESS)
        result = make_handle(q);
    if (result != DOCA_SUCCESS) {
        eth_gpu_txq_stop(q);
        eth_rings_close(&q->rings);
    }
    return result;
}

void eth_gpu_txq_stop(struct txq *q)
{
    if (!q->rings.gpu)
        return;
    dpk_gpu_server_end(q->server);
    q->rings.gpu->ops->free(q->handle);
    q->server = NULL;
    q->handle = NULL;
    q->rings.gpu = NULL;
    q->rings.silent = q->rings.timed = false;
}
