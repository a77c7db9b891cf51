/* Queue pairs for kernels. A thread of the NIC looks at the records that kernels write (api/doca/core/gpu.h). */
#include <endian.h>
#include <string.h>

#include "api/nic/nic.h"
#include "gpu_queues.h"

#define SEND_AT   4u /* of the number of sends in a doorbell record */
#define WORKS_MAX 32768u

struct gpu_qp {
    struct ibv_context *context;
    struct dpk_queues *nic;
    struct dpk_queue *queue;
    struct gpu_memory ring, record;
    unsigned log_sends, log_receives;
    bool has_sends, has_receives;
    void *uar; /* a use; NULL: none */
    void *doorbell_register;
    pthread_mutex_t lock; /* of the rest; taken before that of the port */
    enum ibv_qp_state state;
    struct ibv_qp_attr attr;
    uint32_t rung[2]; /* words of the record that were seen */
    struct dpk_gpu_doorbell doorbell;
    bool watched;
};

/* ---- Doorbells ---- */

static uint32_t record_word(const struct gpu_qp *q, uint64_t at)
{
    uint32_t word = 0;
    q->record.ops.load(&q->record.ops, at, &word, sizeof word);
    return word;
}

/* Looks at the record, with the lock: kernels have posted receives, or sends. */
static bool look_locked(struct gpu_qp *q)
{
    const uint32_t now[2] = {record_word(q, 0), record_word(q, SEND_AT)};
    const bool active = q->state != IBV_QPS_RESET;
    const bool receives = active && now[0] != q->rung[0], sends = active && now[1] != q->rung[1];
    if (receives)
        q->rung[0] = now[0];
    if (sends)
        q->rung[1] = now[1];
    if (sends)
        dpk_queue_ring(q->queue, (uint16_t)be32toh(now[1]));
    if (receives)
        dpk_queues_kick(q->nic, NULL);
    return receives || sends;
}

/* A change of the queue pair may wait for its peer, and must not stop the doorbells of others: the thread looks again
 * after the change. */
static bool look(void *context)
{
    struct gpu_qp *q = context;
    if (pthread_mutex_trylock(&q->lock) != 0)
        return false;
    const bool rung = look_locked(q);
    pthread_mutex_unlock(&q->lock);
    return rung;
}

/* ---- Queue pairs ---- */

static unsigned permits(const struct ibv_qp_attr *a)
{
    return (a->qp_access_flags & IBV_ACCESS_REMOTE_READ ? DPK_MEMORY_REMOTE_READ : 0) |
           (a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE ? DPK_MEMORY_REMOTE_WRITE : 0) |
           (a->qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC ? DPK_MEMORY_REMOTE_ATOMIC : 0);
}

static doca_error_t check(const struct qp_init_attr *a)
{
    if (a->srq || a->dpa)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "a queue pair of a GPU has receives of its own, and no DPA "
                                "context");
    if (a->sq_wr > WORKS_MAX || a->rq_wr > WORKS_MAX || (a->sq_wr == 0 && a->rq_wr == 0))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "%u sends and %u receives are not 1 to %u in all rings", a->sq_wr,
                                a->rq_wr, WORKS_MAX);
    if (a->rq_wr > 0 && a->receive_max_sges > 1)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "a receive of a GPU has %u segments, and may have one",
                                a->receive_max_sges);
    return DOCA_SUCCESS;
}

/* Finds the memory that the program gave. */
static doca_error_t find_memory(struct gpu_qp *q, const struct qp_init_attr *a)
{
    const uint64_t size = (a->sq_wr ? (uint64_t)DPK_WQEBB << q->log_sends : 0) +
                          (a->rq_wr ? (uint64_t)GPU_RECEIVE << q->log_receives : 0);
    if (!(q->uar = dpk_uar_use(a->external_uar, &q->doorbell_register)))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a queue pair of a GPU needs a UAR (external_uar)");
    if (!verbs_gpu_memory_find(&q->ring, a->external_umem, a->external_umem_offset, size))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the memory of the rings has no %llu bytes from offset %llu on",
                                (unsigned long long)size,
                                (unsigned long long)a->external_umem_offset);
    if (!verbs_gpu_memory_find(&q->record, a->external_dbr_umem, a->external_dbr_umem_offset,
                               GPU_RECORD))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the memory of the doorbell record has no %u bytes from offset "
                                "%llu on",
                                GPU_RECORD, (unsigned long long)a->external_dbr_umem_offset);
    return DOCA_SUCCESS;
}

static doca_error_t begin(struct gpu_qp *q, struct ibv_pd *pd, const struct qp_init_attr *a,
                          const struct gpu_cq *send, const struct gpu_cq *receive)
{
    struct dpk_error err = {0};
    doca_error_t result = find_memory(q, a);
    if (result != DOCA_SUCCESS)
        return result;
    if (!(q->nic = dpk_nic_queues(q->context)))
        return dpk_doca_because(DOCA_ERROR_DRIVER, "the port of the device does not work");
    const struct dpk_queue_options o = {.kind = DPK_QP,
                                        .log_depth = q->log_sends,
                                        .log_receives = q->log_receives,
                                        .no_sends = !q->has_sends,
                                        .no_receives = !q->has_receives,
                                        .ring.memory = &q->ring,
                                        .record.memory = &q->record,
                                        .send_cq = send ? send->queue : NULL,
                                        .receive_cq = receive ? receive->queue : NULL,
                                        .user_index = a->user_index,
                                        .domain = dpk_verbs_domain(pd),
                                        .user = q};
    if (dpk_queue_create(q->nic, &o, &q->queue, &err) != DPK_OK)
        return verbs_gpu_error(&err);
    q->doorbell = (struct dpk_gpu_doorbell){.look = look, .context = q};
    q->watched = dpk_gpu_doorbell_add(&q->doorbell);
    return q->watched ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t verbs_gpu_qp_new(struct ibv_pd *pd, const struct qp_init_attr *a,
                              const struct gpu_cq *send, const struct gpu_cq *receive,
                              struct gpu_qp **out)
{
    doca_error_t result = check(a);
    if (result != DOCA_SUCCESS)
        return result;
    struct gpu_qp *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    q->context = pd->context;
    q->log_sends = verbs_gpu_log2(a->sq_wr);
    q->log_receives = verbs_gpu_log2(a->rq_wr);
    q->has_sends = a->sq_wr > 0;
    q->has_receives = a->rq_wr > 0;
    pthread_mutex_init(&q->lock, NULL);
    result = begin(q, pd, a, send, receive);
    if (result == DOCA_SUCCESS)
        *out = q;
    else
        verbs_gpu_qp_free(q);
    return result;
}

void verbs_gpu_qp_free(struct gpu_qp *q)
{
    if (!q)
        return;
    if (q->watched)
        dpk_gpu_doorbell_remove(&q->doorbell);
    dpk_queue_destroy(q->queue, NULL);
    verbs_unuse(q->uar);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

struct gpu_qp_facts verbs_gpu_qp_facts(const struct gpu_qp *q)
{
    const uint64_t rings = q->ring.place.address;
    const uint32_t receives = q->has_receives ? 1u << q->log_receives : 0;
    return (struct gpu_qp_facts){.number = dpk_queue_number(q->queue),
                                 .sends = q->has_sends ? 1u << q->log_sends : 0,
                                 .receives = receives,
                                 .send_ring = rings + (uint64_t)receives * GPU_RECEIVE,
                                 .receive_ring = rings,
                                 .record = q->record.place.address,
                                 .uar = q->doorbell_register};
}

/* ---- States ---- */

doca_error_t verbs_gpu_qp_modify(struct gpu_qp *q, const struct ibv_qp_attr *a, int mask)
{
    struct dpk_error err = {0};
    pthread_mutex_lock(&q->lock);
    look_locked(q); /* what kernels rang before the change is carried out in the old state */
    const enum ibv_qp_state to = mask & IBV_QP_STATE ? a->qp_state : q->state;
    const int why = dpk_verbs_check_change(q->context, IBV_QPT_RC, q->state, a, mask);
    doca_error_t result = why ? verbs_error_of(why) : DOCA_SUCCESS;
    if (!why)
        dpk_verbs_keep_change(&q->attr, a, mask);
    const bool far = dpk_verbs_is_far(q->context, &q->attr.ah_attr.grh.dgid);
    const struct dpk_qp_change change = {.state = (enum dpk_qp_state)to,
                                         .remote = q->attr.dest_qp_num,
                                         .remote_ip = far ? q->attr.ah_attr.grh.dgid.raw : NULL,
                                         .changes_permits = (mask & IBV_QP_ACCESS_FLAGS) != 0,
                                         .permits = permits(&q->attr)};
    if (!why && to != IBV_QPS_RESET && to != IBV_QPS_INIT && to != IBV_QPS_RTR &&
        to != IBV_QPS_RTS && to != IBV_QPS_ERR)
        result = dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED, "a queue pair of a GPU has no state %d",
                                  (int)to);
    else if (!why && mask & (IBV_QP_STATE | IBV_QP_ACCESS_FLAGS) &&
             dpk_qp_modify(q->queue, &change, &err) != DPK_OK)
        result = verbs_gpu_error(&err);
    if (result == DOCA_SUCCESS && to == IBV_QPS_RESET && q->state != to) {
        q->attr = (struct ibv_qp_attr){0};
        memset(q->rung, 0, sizeof q->rung);
    }
    if (result == DOCA_SUCCESS)
        q->state = to;
    pthread_mutex_unlock(&q->lock);
    return result;
}
