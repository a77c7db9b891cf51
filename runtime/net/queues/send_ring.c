/* The ring of a send queue: its WQEs are read, judged and completed. */
#include "model.h"

#define BLOCK_SEGMENTS (DPK_WQEBB / WQE_SEGMENT)
enum { COMPLETE_FIRST_ERROR = 1, COMPLETE_ALWAYS = 2, COMPLETE_WITH_EVENT = 3 }; /* CE */

static uint16_t blocks_of(const struct control *c)
{
    return (uint16_t)((c->segments + BLOCK_SEGMENTS - 1) / BLOCK_SEGMENTS);
}

/* In the ring of a queue pair the sends come after the receives. */
static uint64_t sends_begin(const struct dpk_queue *q)
{
    return q->options.kind == DPK_QP && !q->options.no_receives && !q->options.receives
               ? (uint64_t)WQE_SEGMENT << q->options.log_receives
               : 0;
}

static enum dpk_rc_status refuse_ring(struct why *why)
{
    return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                             "its ring is no longer in registered memory");
}

static bool load_block(const struct dpk_queue *q, uint16_t block, uint8_t *to)
{
    uint64_t place = block & ((1u << q->options.log_depth) - 1);
    return queues_ring_load(q, sends_begin(q) + place * DPK_WQEBB, to, DPK_WQEBB);
}

/* Returns the error of a control segment. Cards ignore its index when they send frames: programs
 * may leave WQEs in the ring and ring again. */
static enum dpk_rc_status judge(const struct dpk_queue *q, const struct control *c, uint16_t left,
                                struct why *why)
{
    if (c->queue != q->number)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "it is one of queue 0x%x", c->queue);
    if (q->options.kind != DPK_SQ && c->index != q->done)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "it has the index %u", c->index);
    if (c->segments == 0 || blocks_of(c) > left)
        return queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                 "it has %u segments; %u blocks are posted", c->segments, left);
    return DPK_RC_OK;
}

enum dpk_rc_status queues_send_load(const struct dpk_queue *q, uint8_t bytes[WQE_MAX + DPK_WQEBB],
                                    struct control *control, uint16_t *blocks, struct why *why)
{
    const uint16_t left = (uint16_t)(q->posted - q->done);
    *control = (struct control){.index = q->done, .completion = COMPLETE_ALWAYS};
    *blocks = 1;
    if (!load_block(q, q->done, bytes))
        return refuse_ring(why);
    queues_control_parse(bytes, DPK_WQEBB, control);
    const enum dpk_rc_status wrong = judge(q, control, left, why);
    control->index = q->done; /* ignores the index of the WQE */
    if (wrong != DPK_RC_OK)
        return wrong;
    *blocks = blocks_of(control);
    for (uint16_t i = 1; i < *blocks; i++)
        if (!load_block(q, (uint16_t)(q->done + i), bytes + (size_t)i * DPK_WQEBB))
            return refuse_ring(why);
    return DPK_RC_OK;
}

void queues_send_tell(const struct dpk_queue *q, const struct control *control,
                      const struct why *why)
{
    queue_warn(q, "WQE %u, opcode 0x%02x: %s", control->index, control->opcode, why->text);
}

bool queues_send_complete(struct dpk_queue *q, const struct control *control,
                          enum dpk_rc_status wrong, uint64_t bytes)
{
    struct completion c = {.opcode = wrong ? CQE_REQUEST_ERROR : CQE_REQUEST,
                           .syndrome = wrong,
                           .index = control->index,
                           .request = control->opcode,
                           .event = control->completion == COMPLETE_WITH_EVENT,
                           .bytes = (uint32_t)bytes,
                           .remote = q->remote};
    if (wrong)
        queue_count(q, DPK_WQE_ERRORS);
    if (!wrong && control->completion < COMPLETE_ALWAYS)
        return true;
    if (wrong && q->first_error && control->completion == COMPLETE_FIRST_ERROR)
        return true;
    q->first_error = q->first_error || wrong;
    return queues_cq_push(q->options.send_cq, q, &c);
}

bool queues_moved_too_much(struct dpk_queue *q)
{
    if (q->nic->moved <= BYTES_AT_ONCE)
        return false;
    queue_warn(q, "one doorbell for more than %u GiB", (unsigned)(BYTES_AT_ONCE >> 30));
    return true;
}
