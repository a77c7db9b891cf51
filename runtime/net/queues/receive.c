/* Receives in a ring. A doorbell record contains the number of posted receives. */
#include "model.h"

/* Returns the queue whose ring contains the receives: an RMP, or the queue itself. */
static struct dpk_queue *ring_of(struct dpk_queue *q)
{
    return q->options.receives ? q->options.receives : q;
}

static unsigned log_depth(const struct dpk_queue *ring)
{
    return ring->options.kind == DPK_QP ? ring->options.log_receives : ring->options.log_depth;
}

static unsigned log_stride(const struct dpk_queue *ring)
{
    return ring->options.kind == DPK_QP ? 4 : ring->options.log_stride;
}

/* Counts the receives that are posted and not taken. Returns false if the record cannot be read. */
static bool count_posted(const struct dpk_queue *ring, uint16_t *out)
{
    uint32_t posted;
    *out = 0;
    if (ring->options.kind == DPK_QP && ring->options.no_receives)
        return true;
    if (!queues_record_load(ring, &posted))
        return false;
    *out = (uint16_t)(posted - ring->taken);
    return true;
}

bool queues_rwqe_is_posted(const struct dpk_queue *q)
{
    uint16_t count;
    const struct dpk_queue *ring = q->options.receives ? q->options.receives : q;
    return !count_posted(ring, &count) || count > 0;
}

/* Reads the WQE at an index of the ring. */
static bool load(const struct dpk_queue *ring, uint16_t index, struct receive *out)
{
    const size_t size = (size_t)1 << log_stride(ring);
    return queues_ring_load(ring, (uint64_t)index * size, out->bytes, size);
}

static bool read_next(struct dpk_queue *ring, struct receive *out)
{
    const uint16_t mask = (uint16_t)((1u << log_depth(ring)) - 1);
    const bool linked = ring->options.linked;
    const size_t size = (size_t)1 << log_stride(ring), head = linked ? WQE_SEGMENT : 0;
    uint16_t place = linked ? ring->next : ring->taken & mask;
    if (!load(ring, place, out))
        return false;
    out->index = linked ? place : ring->taken;
    if (linked) {
        struct dpk_reader r = dpk_reader(out->bytes, head);
        dpk_read_skip(&r, 2);
        ring->next = dpk_read_be16(&r) & mask;
    }
    queues_rwqe_parse(out->bytes + head, size - head, &out->data);
    ring->taken++;
    if (!linked)
        queues_ring_prefetch_data(ring, (uint64_t)(ring->taken & mask) * size);
    return true;
}

enum dpk_rc_taken queues_rwqe_take(struct dpk_queue *q, struct receive *out)
{
    uint16_t count;
    struct dpk_queue *ring = ring_of(q);
    const char *wrong = NULL;
    if (!count_posted(ring, &count))
        wrong = "its doorbell record is no longer in registered memory";
    else if (count == 0)
        return DPK_RC_NONE;
    else if (count > 1u << log_depth(ring))
        wrong = "more receives are posted than its ring has";
    else if (!read_next(ring, out))
        wrong = "its ring is no longer in registered memory";
    if (!wrong)
        return DPK_RC_TAKEN;
    if (ring->state != DPK_QP_ERROR)
        queue_warn(ring, "%s", wrong);
    ring->state = ring->options.kind == DPK_RMP ? DPK_QP_ERROR : ring->state;
    return DPK_RC_NEVER;
}

bool queues_rwqe_complete(struct dpk_queue *q, uint16_t index, struct completion *c)
{
    c->index = index;
    return queues_cq_push(q->options.receive_cq, q, c);
}

void queues_rwqe_flush(struct dpk_queue *q)
{
    struct receive r;
    struct completion c = {.opcode = CQE_RESPONSE_ERROR, .syndrome = DPK_RC_FLUSHED};
    while (queues_rwqe_take(q, &r) == DPK_RC_TAKEN && queues_rwqe_complete(q, r.index, &c))
        continue;
}
