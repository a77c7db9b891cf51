/* Queues enter the error state: posted works are flushed. */
#include "model.h"

void queues_send_flush(struct dpk_queue *q)
{
    uint8_t bytes[WQE_MAX + DPK_WQEBB];
    struct control control;
    uint16_t blocks;
    while (q->done != q->posted && q->options.send_cq->state != DPK_QP_ERROR) {
        /* If a WQE cannot be read, the start of the next WQE is unknown. */
        bool last = queues_send_load(q, bytes, &control, &blocks, NULL) != DPK_RC_OK;
        queues_send_complete(q, &control, DPK_RC_FLUSHED, 0);
        q->done = (uint16_t)(q->done + blocks);
        if (last)
            break;
    }
    q->done = q->posted;
}

void queue_fail(struct dpk_queue *q)
{
    if (q->state == DPK_QP_ERROR)
        return;
    if (q->options.kind == DPK_QP) {
        queues_pair_fail(q);
        return;
    }
    q->state = DPK_QP_ERROR;
    if (q->options.kind == DPK_SQ)
        queues_send_flush(q);
    if (q->options.kind == DPK_RQ)
        queues_rwqe_flush(q);
}
