/* Completion queues, with CQEs of 64 bytes (struct mlx5_cqe64). */
#include <string.h>
#include <time.h>

#include "model.h"

#define INDEX_MASK 0xffffffu /* of the consumer index in a doorbell record */

static uint32_t depth(const struct dpk_queue *cq)
{
    return 1u << cq->options.log_depth;
}

/* Counts the completions that are not consumed. Returns false if the record cannot be read. */
static bool count_unconsumed(const struct dpk_queue *cq, uint32_t *out)
{
    uint32_t consumed;
    if (!queues_record_load(cq, &consumed))
        return false;
    *out = (cq->produced - consumed) & INDEX_MASK;
    return true;
}

static bool has_room(const struct dpk_queue *cq)
{
    uint32_t unconsumed;
    return cq->options.overrun_ignore ||
           (count_unconsumed(cq, &unconsumed) && unconsumed < depth(cq));
}

bool queues_cq_is_full(const struct dpk_queue *cq)
{
    uint32_t unconsumed;
    return cq->state != DPK_QP_ERROR && !cq->options.overrun_ignore &&
           count_unconsumed(cq, &unconsumed) && unconsumed >= depth(cq);
}

static void put24(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 16);
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    put24(at + 1, value);
}

/* All completions of a turn have the same time. */
static uint64_t now(struct dpk_queues *nic)
{
    if (!nic->in_turn || nic->now == 0)
        nic->now = dpk_now_ns();
    return nic->now;
}

static void encode(const struct dpk_queue *cq, const struct dpk_queue *of,
                   const struct completion *c, uint8_t out[DPK_CQE])
{
    const bool error = c->opcode == CQE_REQUEST_ERROR || c->opcode == CQE_RESPONSE_ERROR;
    memset(out, 0, DPK_CQE);
    /* The owner bit is 0 in the first round of the ring and changes with each round. */
    out[63] = (uint8_t)((unsigned)c->opcode << 4 | (cq->produced >> cq->options.log_depth & 1));
    if (!of)
        return;
    put32(out + 12, c->facts.hash);
    out[16] = c->facts.hash_type;
    out[21] = c->facts.checks; /* libflexio reads the bits here (csum_ok) */
    put24(out + 25, c->remote);
    out[28] = c->facts.checks;
    out[29] = c->facts.headers;
    put24(out + 33, of->options.user_index);
    put32(out + 36, of->options.kind == DPK_RQ ? c->facts.metadata : c->immediate);
    put32(out + 44, c->bytes);
    if (error) {
        out[55] = (uint8_t)c->syndrome;
    } else {
        const uint64_t ns = now(cq->nic);
        put32(out + 48, (uint32_t)(ns >> 32));
        put32(out + 52, (uint32_t)ns);
    }
    out[56] = c->request;
    /* For a received frame, cards write the tag of its flow instead of the queue's number. */
    put24(out + 57, of->options.kind == DPK_RQ && !error ? c->facts.tag : of->number);
    out[60] = (uint8_t)(c->index >> 8);
    out[61] = (uint8_t)c->index;
}

static void tell(struct dpk_queue *cq)
{
    if (cq->untold == 0)
        return;
    TAILQ_REMOVE(&cq->nic->untold, cq, in_untold);
    cq->nic->ops->completed(cq->nic->context, cq->options.user, cq->untold, false);
    cq->untold = 0;
}

bool queues_cq_push(struct dpk_queue *cq, const struct dpk_queue *of, const struct completion *c)
{
    uint8_t cqe[DPK_CQE];
    if (cq->state == DPK_QP_ERROR)
        return false;
    if (!has_room(cq)) {
        cq->state = DPK_QP_ERROR;
        queue_warn(cq, "overrun: %u completions that were not consumed", depth(cq));
        return false;
    }
    encode(cq, of, c, cqe);
    /* Whoever sees the completion must find it counted. */
    const uint32_t number = cq->produced++;
    const uint32_t place = cq->options.collapsed ? 0 : number & (depth(cq) - 1);
    if (!queues_ring_put(cq, place, cqe)) {
        cq->produced--;
        cq->state = DPK_QP_ERROR;
        queue_warn(cq, "its ring is no longer in registered memory");
        return false;
    }
    queues_ring_prefetch(cq, (uint64_t)(cq->produced & (depth(cq) - 1)) * DPK_CQE);
    if (c->event || !cq->nic->in_turn) {
        tell(cq);
        cq->nic->ops->completed(cq->nic->context, cq->options.user, 1, c->event);
        if (!cq->nic->in_turn)
            queues_cqs_tell(cq->nic);
    } else if (cq->untold++ == 0) {
        TAILQ_INSERT_TAIL(&cq->nic->untold, cq, in_untold);
    }
    queues_eq_completed(cq, c->event);
    cq->nic->look(cq->nic);
    return true;
}

void queues_cqs_tell(struct dpk_queues *nic)
{
    for (struct dpk_queue *cq; (cq = TAILQ_FIRST(&nic->untold));)
        tell(cq);
    if (nic->ops->told)
        nic->ops->told(nic->context);
}

void dpk_cq_complete(struct dpk_queue *cq)
{
    queues_lock(cq->nic);
    queues_cq_push(cq, NULL, &(struct completion){.opcode = CQE_REQUEST});
    queues_unlock(cq->nic);
}
