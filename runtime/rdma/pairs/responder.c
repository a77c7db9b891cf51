/* The responder: carries out requests of peers on the receives, memory and events of this end. */
#include "receives.h"

static enum answer refuse(struct response *out, enum dpk_rc_status status,
                          enum dpk_rc_reason reason)
{
    out->status = status;
    out->why.reason = reason;
    return ANSWERED;
}

/* Refuses an access to memory that is not for the peer. */
static enum answer refuse_access(struct response *out, const struct dpk_memory_access *a)
{
    out->why.memory = dpk_memory_refusal(a);
    return refuse(out, DPK_RC_REMOTE_ACCESS, DPK_RC_MEMORY);
}

/* There is no receive. The peer tries again as often as its request allows, each time after the
 * timer of this queue pair. */
static enum answer stall(struct dpk_rc_qp *qp, const struct request *r, struct response *out)
{
    if (qp_is_lossy(qp))
        return refuse(out, DPK_RC_RNR_EXCEEDED, DPK_RC_NO_RECEIVE);
    if (r->rnr_retries == 0 || (r->rnr_retries < DPK_RC_RNR_FOREVER && qp->stall == STALLED_OUT)) {
        qp->stall = MISSED;
        return refuse(out, DPK_RC_RNR_EXCEEDED, DPK_RC_NO_RECEIVE);
    }
    qp->stall = STALLED;
    TAILQ_INSERT_TAIL(&qp->end->stalled, qp, in_stalled);
    if (r->rnr_retries < DPK_RC_RNR_FOREVER) {
        qp->stalled_ms = (uint64_t)r->rnr_retries * qp->patience.rnr_ms;
        pairs_wait_begin(qp, &qp->stalled_since);
    }
    return ANSWER_LATER;
}

static bool complete(const struct dpk_rc_qp *qp, const struct dpk_rc_receive *receive,
                     enum dpk_rc_event event, const struct request *r, uint64_t bytes)
{
    return pairs_qp_complete(qp, (struct dpk_rc_completion){.event = event,
                                                            .immediate = r->immediate,
                                                            .source = (uint32_t)r->key,
                                                            .level = (uint8_t)(r->address & 0xf),
                                                            .solicited = r->solicited,
                                                            .index = receive->index,
                                                            .bytes = bytes,
                                                            .user = receive->user});
}

/* Fails the receive that the current send uses, and refuses the send. */
static enum answer refuse_send(struct dpk_rc_qp *qp, struct response *out, enum dpk_rc_status here,
                               enum dpk_rc_status there)
{
    qp->receiving = NOT_RECEIVING;
    qp->why.size = qp->total;
    qp->why.opcode = DPK_RC_SEND;
    out->broken = true;
    out->why = (struct refused){qp->why.reason, qp->why.memory};
    pairs_receive_fail(qp, &qp->receive, here, &qp->why);
    return refuse(out, there, qp->why.reason);
}

/* Refuses a message whose receive has memory that must not be written. */
static enum answer refuse_receive(struct dpk_rc_qp *qp, struct response *out,
                                  const struct dpk_rc_message *to)
{
    pairs_why_of_message(&qp->why, qp->end->options.domain, to, qp->total, DPK_MEMORY_WRITE);
    return refuse_send(qp, out, DPK_RC_LOCAL_PROTECTION, DPK_RC_REMOTE_OPERATION);
}

static enum answer run_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                            struct response *out)
{
    struct dpk_rc_piece one;
    if (r->first == (qp->receiving == RECEIVING))
        return refuse(out, DPK_RC_REMOTE_INVALID, DPK_RC_UNTOLD); /* part of another send */
    enum dpk_rc_taken taken = r->first && qp->receiving != RECEIVE_KEPT
                                  ? pairs_receive_next(qp->end, &qp->receive)
                                  : DPK_RC_TAKEN;
    if (taken != DPK_RC_TAKEN)
        return taken == DPK_RC_NONE ? stall(qp, r, out)
                                    : refuse(out, DPK_RC_REMOTE_OPERATION, DPK_RC_TAKES_NONE);
    const struct dpk_rc_message to = pairs_receive_message(&qp->receive, &one);
    if (r->first) {
        qp->receiving = RECEIVING;
        qp->received = 0;
        qp->total = r->total;
        if (r->total > dpk_rc_message_size(&to)) {
            qp->why = (struct dpk_rc_why){.reason = DPK_RC_RECEIVE_SHORT,
                                          .memory.size = dpk_rc_message_size(&to)};
            return refuse_send(qp, out, DPK_RC_LOCAL_LENGTH, DPK_RC_REMOTE_INVALID);
        }
        if (!dpk_rc_message_has(qp->end->options.domain, &to, r->total, DPK_MEMORY_WRITE))
            return refuse_receive(qp, out, &to);
    }
    if (r->size > qp->total - qp->received || r->last != (qp->received + r->size == qp->total)) {
        qp->why = (struct dpk_rc_why){.reason = DPK_RC_UNTOLD};
        return refuse_send(qp, out, DPK_RC_LOCAL_OPERATION, DPK_RC_REMOTE_INVALID);
    }
    if (!dpk_rc_message_write(qp->end->options.domain, &to, qp->received, r->size, bytes))
        return refuse_receive(qp, out, &to);
    qp->received += r->size;
    if (r->last) {
        qp->receiving = NOT_RECEIVING;
        out->broken =
            !complete(qp, &qp->receive,
                      r->has_immediate ? DPK_RC_RECEIVED_IMMEDIATE : DPK_RC_RECEIVED, r, qp->total);
    }
    return ANSWERED;
}

/* ---- One-sided operations ---- */

/* The access that a request makes to the memory of this end. */
static struct dpk_memory_access access_of(const struct dpk_rc_qp *qp, const struct request *r,
                                          uint64_t size, unsigned rights)
{
    return (struct dpk_memory_access){(uint32_t)r->key, rights, r->address, size,
                                      qp->end->options.domain};
}

/* Returns whether the peer may make that access. Otherwise `out` contains the refusal. The first
 * part of a work is checked for all its memory. */
static bool permitted(const struct dpk_rc_qp *qp, const struct request *r, unsigned rights,
                      struct response *out)
{
    const struct dpk_memory_access all = access_of(qp, r, r->total, rights);
    const bool permits = (qp->end->options.permissions & rights) == rights && r->key <= UINT32_MAX;
    if (!permits) {
        out->why.memory.rights = rights;
        refuse(out, DPK_RC_REMOTE_ACCESS, DPK_RC_NOT_PERMITTED);
    } else if (r->first && r->total > 0 && !dpk_memory_is_there(&all)) {
        refuse_access(out, &all);
    }
    return out->status == DPK_RC_OK;
}

static bool put_bytes(const struct dpk_memory_access *to, const struct request *r,
                      const uint8_t *bytes)
{
    return r->fetch ? dpk_memory_fetch(to, r->fetch->import, r->fetch->address)
                    : dpk_memory_write(to, bytes);
}

static enum answer run_write(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                             struct response *out)
{
    const struct dpk_memory_access part = access_of(qp, r, r->size, DPK_MEMORY_REMOTE_WRITE);
    struct dpk_rc_receive receive = {0};
    bool uses_receive = r->last && r->has_immediate;
    if (!permitted(qp, r, DPK_MEMORY_REMOTE_WRITE, out))
        return ANSWERED;
    enum dpk_rc_taken taken = uses_receive ? pairs_receive_next(qp->end, &receive) : DPK_RC_TAKEN;
    if (taken != DPK_RC_TAKEN)
        return taken == DPK_RC_NONE ? stall(qp, r, out)
                                    : refuse(out, DPK_RC_REMOTE_OPERATION, DPK_RC_TAKES_NONE);
    if (r->size > 0 && !put_bytes(&part, r, bytes)) {
        out->broken = uses_receive;
        if (uses_receive)
            pairs_receive_fail(qp, &receive, DPK_RC_FLUSHED, NULL);
        if (r->fetch && dpk_memory_is_there(&part)) /* the requester has deregistered its memory */
            return refuse(out, DPK_RC_REMOTE_OPERATION, DPK_RC_UNTOLD);
        return refuse_access(out, &part);
    }
    if (uses_receive)
        out->broken = !complete(qp, &receive, DPK_RC_WRITTEN_IMMEDIATE, r, r->total);
    return ANSWERED;
}

static enum answer run_read(const struct dpk_rc_qp *qp, const struct request *r,
                            struct response *out, uint8_t *payload)
{
    const struct dpk_memory_access part = access_of(qp, r, r->size, DPK_MEMORY_REMOTE_READ);
    if (!permitted(qp, r, DPK_MEMORY_REMOTE_READ, out))
        return ANSWERED;
    if (r->size > 0 && !dpk_memory_read(&part, payload))
        return refuse_access(out, &part);
    out->size = r->size;
    return ANSWERED;
}

static enum answer run_atomic(const struct dpk_rc_qp *qp, const struct request *r,
                              struct response *out)
{
    const struct dpk_memory_access at =
        access_of(qp, r, sizeof(uint64_t), DPK_MEMORY_REMOTE_ATOMIC);
    if (r->address % sizeof(uint64_t) != 0) {
        out->why.memory.why = DPK_MEMORY_MISALIGNED;
        return refuse(out, DPK_RC_REMOTE_INVALID, DPK_RC_MEMORY);
    }
    if (!permitted(qp, r, DPK_MEMORY_REMOTE_ATOMIC, out))
        return ANSWERED;
    return (r->opcode == DPK_RC_FETCH_ADD
                ? dpk_memory_fetch_add(&at, r->value, &out->value)
                : dpk_memory_compare_swap(&at, r->compare, r->value, &out->value))
               ? ANSWERED
               : refuse_access(out, &at);
}

static enum answer run_signal(const struct dpk_rc_qp *qp, const struct request *r,
                              struct response *out)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    if (o->ops->signal &&
        o->ops->signal(o->context, r->key, r->value, r->opcode == DPK_RC_SIGNAL_ADD, &out->value))
        return ANSWERED;
    return refuse(out, DPK_RC_REMOTE_ACCESS, DPK_RC_NO_EVENT);
}

static enum answer run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                       struct response *out, uint8_t *payload)
{
    if (qp->receiving == RECEIVING && r->opcode != DPK_RC_SEND)
        return refuse(out, DPK_RC_REMOTE_INVALID, DPK_RC_UNTOLD); /* in the middle of a send */
    switch (r->opcode) {
    case DPK_RC_SEND:
        return run_send(qp, r, bytes, out);
    case DPK_RC_WRITE:
        return run_write(qp, r, bytes, out);
    case DPK_RC_READ:
        return run_read(qp, r, out, payload);
    case DPK_RC_FETCH_ADD:
    case DPK_RC_COMPARE_SWAP:
        return run_atomic(qp, r, out);
    case DPK_RC_SIGNAL_ADD:
    case DPK_RC_SIGNAL_SET:
        return run_signal(qp, r, out);
    default:
        return refuse(out, DPK_RC_REMOTE_INVALID, DPK_RC_UNTOLD);
    }
}

/* The peer gets no report about its message. */
static enum answer run_lossy(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                             struct response *out)
{
    const bool datagram = qp_has_datagrams(qp);
    if (r->service == DPK_RC_RELIABLE)
        return refuse(out, DPK_RC_RNR_EXCEEDED,
                      DPK_RC_OTHERS_PEER); /* this does not harm this end */
    if (qp->state != QP_READY || r->service != qp->end->options.service ||
        r->opcode > (datagram ? DPK_RC_SEND : DPK_RC_WRITE) ||
        (datagram && (!r->first || !r->last || r->value != qp->end->qkey)))
        return ANSWERED;
    /* If a new message starts, the rest of an unfinished message is lost. */
    if (r->first)
        pairs_receive_keep(qp);
    if (r->opcode == DPK_RC_SEND && !r->first && qp->receiving != RECEIVING)
        return ANSWERED;
    run(qp, r, bytes, out, NULL);
    out->status = DPK_RC_OK;
    return ANSWERED;
}

/* Keeps the reason for the owner's function `failed`. */
static void remember(struct dpk_rc_qp *qp, const struct request *r, const struct response *out)
{
    if (out->broken)
        return; /* the completion of the failed receive reports it */
    qp->why = (struct dpk_rc_why){.reason = out->why.reason,
                                  .memory = out->why.memory,
                                  .opcode = r->opcode,
                                  .size = r->total};
    if (out->why.reason == DPK_RC_MEMORY)
        qp->why.access = access_of(qp, r, r->total, 0);
}

enum answer pairs_responder_run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                                struct response *out, uint8_t *payload)
{
    *out = (struct response){0};
    if (qp_is_lossy(qp))
        return run_lossy(qp, r, bytes, out);
    if (r->service != DPK_RC_RELIABLE)
        return ANSWERED; /* the message is not for this queue pair */
    if (qp->state == QP_NEW)
        return ANSWER_LATER; /* until it is connected */
    if (qp->state != QP_READY)
        return refuse(out, DPK_RC_REMOTE_OPERATION, DPK_RC_TAKES_NONE);
    /* The requester sent this request before it failed. A card drops the request by its number. */
    if (qp->stall == MISSED)
        return refuse(out, DPK_RC_RNR_EXCEEDED, DPK_RC_NO_RECEIVE);
    const enum answer answer = run(qp, r, bytes, out, payload);
    if (answer == ANSWERED) {
        qp->stalled_since = 0;
        if (qp->stall == STALLED_OUT)
            qp->stall = NOT_STALLED;
        qp->refused = out->status == DPK_RC_RNR_EXCEEDED ? DPK_RC_OK : out->status;
        if (qp->refused != DPK_RC_OK)
            remember(qp, r, out);
    }
    return answer;
}
