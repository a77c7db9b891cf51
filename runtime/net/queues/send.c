/* Send queues: their WQEs are carried out in order. */

#include "model.h"

/* Sends the frames of a WQE, if it has any. */
static enum dpk_rc_status carry_out(struct dpk_queue *q, const struct wqe *wqe, struct why *why)
{
    if (wqe->control.opcode == WQE_NOP)
        return DPK_RC_OK;
    if (wqe->control.opcode != WQE_WAIT)
        return queues_frame_send(q, wqe, why);
    return q->options.timed_sends
               ? DPK_RC_OK
               : queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION,
                                   "the queue was not made for sends that wait for a time");
}

/* Carries out the next WQE of an Ethernet send queue. Returns false if it waits for a time. */
static bool run_one(struct dpk_queue *q)
{
    uint8_t bytes[WQE_MAX + DPK_WQEBB];
    struct control control;
    struct wqe wqe;
    struct why why;
    uint16_t blocks;
    enum dpk_rc_status wrong = queues_send_load(q, bytes, &control, &blocks, &why);
    if (wrong == DPK_RC_OK)
        wrong = queues_wqe_parse(bytes, (size_t)blocks * DPK_WQEBB, true, &wqe, &why);
    uint64_t size = wrong == DPK_RC_OK ? wqe.data.total : 0;
    if (wrong == DPK_RC_OK && wqe.time > 0 && q->options.timed_sends && wqe.time > dpk_real_time_ns()) {
        q->due = wqe.time;
        return false;
    }
    q->due = 0;
    if (wrong == DPK_RC_OK)
        wrong = carry_out(q, &wqe, &why);
    if (wrong != DPK_RC_OK)
        queues_send_tell(q, &control, &why);
    const bool completes = queues_send_complete(q, &control, wrong, size);
    q->done = (uint16_t)(q->done + blocks);
    if (wrong == DPK_RC_OK && !completes)
        queue_warn(q, "its CQ 0x%x is in the error state", q->options.send_cq->number);
    if (wrong != DPK_RC_OK || !completes)
        queue_fail(q);
    return true;
}

void queues_send_run(struct dpk_queue *q)
{
    q->nic->moved = 0;
    if (q->options.kind == DPK_QP) {
        q->nic->serves = true;
        queues_pair_run(q);
        q->nic->serves = false;
        return;
    }
    if (q->state == DPK_QP_ERROR)
        queues_send_flush(q);
    while (q->state == DPK_QP_RTS && q->done != q->posted && run_one(q))
        if (queues_moved_too_much(q))
            queue_fail(q);
}
