/* Operations of kernels: kernels write them to queues, a thread of the NIC posts them, and rc completes them. */
#include <doca_rdma.h>
#include <endian.h>
#include <inttypes.h>

#include "rdma.h"

/* What kernels have of a context. */
struct shared {
    struct doca_gpu_dev_rdma handle; /* first */
    struct doca_gpu_bell bell __attribute__((aligned(64)));
    struct doca_gpu_rdma_sends *connections[];
};

/* The operations of a connection. */
struct sends {
    struct dpk_gpu_queue queue;
    struct doca_gpu_rdma_sends *shared; /* NULL: no connection has had this number */
    struct doca_gpu_rdma_op *ops;
    struct dpk_rc_piece *pieces; /* of inline operations, by entry */
    struct dpk_rc_qp *qp;        /* NULL: none now */
};

struct dpk_rdma_gpu {
    struct dpk_rdma *rdma;
    struct dpk_gpu *gpu;
    struct dpk_gpu_server *server;
    struct shared *shared;
    /* Receives of all connections. */
    struct dpk_gpu_queue receives;
    struct doca_gpu_rdma_receive *buffers;
    struct doca_gpu_rdma_received *results;
    bool *ended; /* by entry: receives that have ended before an earlier one */
    uint32_t
        ended_count; /* receives that have ended, and all before them; wraps. With the lock of rc */
    pthread_mutex_t lock; /* taken before that of rc */
    struct dpk_rc_end *end;
    uint32_t count; /* of connections */
    struct sends sends[];
};

uint32_t dpk_rdma_gpu_depth(uint32_t size)
{
    uint32_t depth = 1;
    while (depth < size)
        depth *= 2;
    return depth;
}

/* ---- Posting: the NIC's thread ---- */

/* Describes an operation. Returns false if it names no memory of the peer, or is none. */
static bool describe(const struct doca_gpu_rdma_op *op, struct dpk_rc_work *out)
{
    static const enum dpk_rc_opcode opcodes[] = {[DOCA_GPU_RDMA_OP_SEND] = DPK_RC_SEND,
                                                 [DOCA_GPU_RDMA_OP_WRITE] = DPK_RC_WRITE,
                                                 [DOCA_GPU_RDMA_OP_READ] = DPK_RC_READ};
    if (op->kind >= sizeof opcodes / sizeof *opcodes ||
        (op->is_inline && op->size > DOCA_GPU_RDMA_INLINE_MAX))
        return false;
    *out = (struct dpk_rc_work){
        .opcode = opcodes[op->kind],
        .has_immediate = op->has_immediate && op->kind != DOCA_GPU_RDMA_OP_READ,
        .immediate = be32toh(op->immediate),
        .local = {.key = be32toh(op->local_key), .address = op->local, .size = op->size},
        .address = op->remote};
    return op->kind == DOCA_GPU_RDMA_OP_SEND ||
           dpk_rdma_find_remote(be32toh(op->remote_key), &out->owner, &out->key);
}

static void post(struct sends *s, uint32_t index)
{
    const struct doca_gpu_rdma_op op = s->ops[index];
    struct dpk_rc_work work = {0};
    if (!describe(&op, &work))
        work = (struct dpk_rc_work){.opcode = DPK_RC_NOP, .wrong = DPK_RC_LOCAL_OPERATION};
    else if (op.is_inline) {
        s->pieces[index] =
            (struct dpk_rc_piece){.bytes = s->ops[index].bytes, .memory.size = op.size};
        work.local = (struct dpk_memory_access){0};
        work.pieces = &s->pieces[index];
        work.count = 1;
    }
    if (s->qp && dpk_rc_post(s->qp, &work))
        return;
    dpk_gpu_queue_fail(&s->queue);
    dpk_gpu_queue_give(&s->queue);
}

static void post_receive(struct dpk_rdma_gpu *g, uint32_t index)
{
    const struct doca_gpu_rdma_receive buffer = g->buffers[index];
    const struct dpk_rc_receive receive = {
        .buffer = {.key = be32toh(buffer.key), .address = buffer.address, .size = buffer.size}};
    if (!g->end || !dpk_rc_post_receive(g->end, &receive))
        dpk_gpu_queue_fail(&g->receives);
}

static void serve(void *context, const atomic_bool *ends)
{
    struct dpk_rdma_gpu *g = context;
    uint32_t index;
    (void)ends; /* posting does not wait */
    pthread_mutex_lock(&g->lock);
    while (dpk_gpu_queue_take(&g->receives, &index))
        post_receive(g, index);
    for (uint32_t i = 0; i < g->count && g->sends[i].shared; i++)
        while (dpk_gpu_queue_take(&g->sends[i].queue, &index))
            post(&g->sends[i], index);
    pthread_mutex_unlock(&g->lock);
}

/* ---- Completions: with the lock of rc ---- */

static void tell(struct dpk_rdma *r, const struct dpk_rc_completion *c)
{
    char why[DPK_RC_REASON_MAX];
    if (c->status != DPK_RC_FLUSHED)
        dpk_doca_tell(r, dpk_rc_kind(c->status, c->why), DOCA_LOG_LEVEL_WARNING,
                      "RDMA: %s %u of connection %u failed: %s",
                      c->event == DPK_RC_FAILED ? "operation" : "receive", c->index, c->connection,
                      dpk_rc_reason(c->status, c->why, why));
}

static void end_receive(struct dpk_rdma_gpu *g, const struct dpk_rc_completion *c)
{
    const uint32_t mask = g->receives.depth - 1;
    struct doca_gpu_rdma_received *result = &g->results[c->index & mask];
    result->immediate = htobe32(c->immediate);
    result->connection = c->connection;
    result->size = c->bytes;
    result->failed = c->event == DPK_RC_RECEIVE_FAILED;
    result->opcode = c->event == DPK_RC_WRITTEN_IMMEDIATE    ? DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM
                     : c->event == DPK_RC_RECEIVED_IMMEDIATE ? DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM
                                                             : DOCA_RDMA_OPCODE_RECV_SEND;
    g->ended[c->index & mask] = true;
    while (g->ended[g->ended_count & mask]) {
        g->ended[g->ended_count++ & mask] = false;
        dpk_gpu_queue_give(&g->receives);
    }
}

bool dpk_rdma_gpu_completed(void *context, const struct dpk_rc_completion *c)
{
    struct dpk_rdma *r = context;
    if (c->event == DPK_RC_FAILED || c->event == DPK_RC_RECEIVE_FAILED)
        tell(r, c);
    if (c->event != DPK_RC_DONE && c->event != DPK_RC_FAILED) {
        end_receive(r->gpu, c);
        return true;
    }
    struct sends *s = &r->gpu->sends[c->connection];
    if (c->event == DPK_RC_FAILED)
        dpk_gpu_queue_fail(&s->queue);
    dpk_gpu_queue_give(&s->queue);
    return true;
}

/* ---- Connections ---- */

/* Makes the queue of a connection. */
static doca_error_t open_sends(struct dpk_rdma_gpu *g, struct sends *s)
{
    const struct dpk_gpu_ops *gpu = g->gpu->ops;
    const uint32_t depth = dpk_rdma_gpu_depth(g->rdma->sends);
    struct doca_gpu_rdma_sends *shared = gpu->alloc(sizeof *shared);
    s->ops = gpu->alloc(depth * sizeof *s->ops);
    s->pieces = calloc(depth, sizeof *s->pieces);
    doca_error_t result = DOCA_ERROR_NO_MEMORY;
    if (shared && s->ops && s->pieces)
        result = dpk_gpu_queue_open(&s->queue, g->gpu, &shared->ring, &g->shared->bell, depth);
    if (result == DOCA_SUCCESS) {
        shared->ops = s->ops;
        s->shared = shared;
        return DOCA_SUCCESS;
    }
    gpu->free(shared);
    gpu->free(s->ops);
    free(s->pieces);
    *s = (struct sends){0};
    return result;
}

doca_error_t dpk_rdma_gpu_prepare(struct dpk_rdma *r, uint32_t connection)
{
    struct dpk_rdma_gpu *g = r->gpu;
    doca_error_t result = DOCA_SUCCESS;
    if (!g)
        return DOCA_SUCCESS;
    pthread_mutex_lock(&g->lock);
    if (!g->sends[connection].shared)
        result = open_sends(g, &g->sends[connection]);
    pthread_mutex_unlock(&g->lock);
    return result;
}

void dpk_rdma_gpu_connect(struct dpk_rdma *r, uint32_t connection, struct dpk_rc_qp *qp)
{
    struct dpk_rdma_gpu *g = r->gpu;
    if (!g)
        return;
    struct sends *s = &g->sends[connection];
    pthread_mutex_lock(&g->lock);
    s->qp = qp;
    if (qp) {
        __atomic_store_n(&s->shared->ring.failed, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&g->shared->connections[connection], s->shared, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&g->lock);
}

void dpk_rdma_gpu_close(struct dpk_rdma *r)
{
    struct dpk_rdma_gpu *g = r->gpu;
    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    g->end = NULL;
    for (uint32_t i = 0; i < g->count; i++)
        g->sends[i].qp = NULL;
    pthread_mutex_unlock(&g->lock);
}

/* ---- Contexts ---- */

static doca_error_t open_context(struct dpk_rdma_gpu *g, uint32_t depth)
{
    const struct dpk_gpu_ops *gpu = g->gpu->ops;
    g->shared = gpu->alloc(sizeof *g->shared + g->count * sizeof *g->shared->connections);
    g->buffers = gpu->alloc(depth * sizeof *g->buffers);
    g->results = gpu->alloc(depth * sizeof *g->results);
    g->ended = calloc(depth, sizeof *g->ended);
    if (!g->shared || !g->buffers || !g->results || !g->ended)
        return DOCA_ERROR_NO_MEMORY;
    struct doca_gpu_dev_rdma *handle = &g->shared->handle;
    const doca_error_t result =
        dpk_gpu_queue_open(&g->receives, g->gpu, &handle->receives.ring, &g->shared->bell, depth);
    if (result != DOCA_SUCCESS)
        return result;
    handle->connections = g->shared->connections;
    handle->count = g->count;
    handle->receives.buffers = g->buffers;
    handle->receives.results = g->results;
    g->server = dpk_gpu_server_start(&g->shared->bell, serve, g);
    return g->server ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t dpk_rdma_gpu_start(struct dpk_rdma *r)
{
    struct dpk_rdma_gpu *g = calloc(1, sizeof *g + r->connections_max * sizeof(struct sends));
    if (!g)
        return DOCA_ERROR_NO_MEMORY;
    pthread_mutex_init(&g->lock, NULL);
    g->rdma = r;
    g->gpu = dpk_rdma_gpu(r);
    g->end = r->end;
    g->count = r->connections_max;
    r->gpu = g;
    const doca_error_t result = open_context(g, dpk_rdma_gpu_depth(r->receives));
    if (result != DOCA_SUCCESS)
        dpk_rdma_gpu_stop(r);
    return result;
}

void dpk_rdma_gpu_stop(struct dpk_rdma *r)
{
    struct dpk_rdma_gpu *g = r->gpu;
    if (!g)
        return;
    const struct dpk_gpu_ops *gpu = g->gpu->ops;
    dpk_gpu_server_end(g->server);
    for (uint32_t i = 0; i < g->count && g->sends[i].shared; i++) {
        dpk_gpu_queue_close(&g->sends[i].queue);
        gpu->free(g->sends[i].ops);
        gpu->free(g->sends[i].shared);
        free(g->sends[i].pieces);
    }
    dpk_gpu_queue_close(&g->receives);
    gpu->free(g->results);
    gpu->free(g->buffers);
    gpu->free(g->shared);
    free(g->ended);
    pthread_mutex_destroy(&g->lock);
    free(g);
    r->gpu = NULL;
}

struct doca_gpu_dev_rdma *dpk_rdma_gpu_handle(const struct dpk_rdma *r)
{
    return r->gpu ? &r->gpu->shared->handle : NULL;
}
