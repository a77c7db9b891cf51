/* Event queues with EQEs of 64 bytes (struct mlx5_eqe). All events are completion events. */
#include <string.h>

#include "model.h"

_Static_assert(DPK_EQE == DPK_CQE, "both are entries of a ring of completions");

#define INDEX_MASK 0xffffffu
#define EQE_CQN    0x38 /* offset of the CQ's number in struct mlx5_eqe_comp, whose type is 0 */
#define EQE_OWNER  0x3f

static uint32_t depth(const struct dpk_queue *eq)
{
    return 1u << eq->options.log_depth;
}

static void fail(struct dpk_queue *eq, const char *reason)
{
    eq->state = DPK_QP_ERROR;
    queue_warn(eq, "%s", reason);
}

/* Returns the number of events that a consumer has not seen. A consumer ahead of the producer has
 * seen all. */
static uint32_t unseen(uint32_t produced, uint32_t consumed)
{
    const uint32_t behind = (produced - consumed) & INDEX_MASK;
    return behind <= INDEX_MASK / 2 ? behind : 0;
}

static void push(struct dpk_queue *eq, uint32_t cqn)
{
    uint8_t eqe[DPK_EQE] = {0};
    char reason[160];
    if (eq->state == DPK_QP_ERROR)
        return;
    if (unseen(eq->produced, eq->consumed) >= depth(eq)) {
        snprintf(reason, sizeof reason,
                 "overrun: %u events that were not consumed (flexio_dev_eq_update_ci), and one "
                 "more, of CQ 0x%x",
                 depth(eq), cqn);
        fail(eq, reason);
        return;
    }
    eqe[EQE_CQN] = (uint8_t)(cqn >> 24);
    eqe[EQE_CQN + 1] = (uint8_t)(cqn >> 16);
    eqe[EQE_CQN + 2] = (uint8_t)(cqn >> 8);
    eqe[EQE_CQN + 3] = (uint8_t)cqn;
    /* As in a CQ, the bit is 0 in the first round of the ring and changes with each round. */
    eqe[EQE_OWNER] = (uint8_t)(eq->produced >> eq->options.log_depth & 1);
    if (!queues_ring_put(eq, eq->produced & (depth(eq) - 1), eqe)) {
        fail(eq, "its ring is no longer in registered memory");
        return;
    }
    eq->produced++;
}

void queues_eq_completed(struct dpk_queue *cq, bool asked)
{
    const struct dpk_queue_options *o = &cq->options;
    if (!o->events || (!cq->armed && !asked && !o->always_armed))
        return;
    cq->armed = false;
    push(o->events, cq->number);
}

void dpk_queue_consumed(struct dpk_queue *q, uint32_t consumed)
{
    queues_lock(q->nic);
    if (q->options.kind == DPK_EQ) {
        q->consumed = consumed & INDEX_MASK;
    } else if (q->options.kind == DPK_CQ) {
        q->armed = true;
        if (unseen(q->produced, consumed) > 0)
            queues_eq_completed(q, false);
    }
    queues_unlock(q->nic);
}
