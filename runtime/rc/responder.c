/* Requests of peers: what they may do with this end's receives, memory and events. */
#include "transport.h"

static bool permits(const struct dpk_rc_qp *qp, enum dpk_rc_access access)
{
    return qp->end->options.permissions & 1u << access;
}

static bool copy_in(const struct dpk_rc_qp *qp, uint32_t key, uint64_t address, uint32_t size,
                    enum dpk_rc_access access, const uint8_t *bytes)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    const struct dpk_rc_range to = {key, address, size};
    return size == 0 || o->ops->copy_in(o->context, &to, access, bytes);
}

/* Of the range that a request names: the peer's numbers are 64 bits, ours 32. */
static bool range_of(const struct request *r, uint64_t size, struct dpk_rc_range *out)
{
    *out = (struct dpk_rc_range){(uint32_t)r->key, r->address, size};
    return r->key <= UINT32_MAX && size <= UINT64_MAX - r->address;
}

/* ---- Receives -------------------------------------------------------------------------------- */

bool receive_take(struct dpk_rc_end *end, struct receive *out)
{
    if (end->taken == end->posted)
        return false;
    *out = end->ring[end->taken++ % end->options.receives];
    return true;
}

static enum answer stall(struct dpk_rc_qp *qp)
{
    qp->stalled = true;
    TAILQ_INSERT_TAIL(&qp->end->stalled, qp, in_stalled);
    return ANSWER_LATER;
}

static bool begin_receive(struct dpk_rc_qp *qp, const struct request *r)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    qp->receiving = true;
    qp->received = 0;
    qp->total = r->total;
    const struct dpk_rc_range to = {qp->receive.buffer.key, qp->receive.buffer.address, r->total};
    return r->total <= qp->receive.buffer.size &&
           (r->total == 0 || o->ops->has(o->context, &to, DPK_RC_LOCAL_WRITE));
}

void responder_abort(struct dpk_rc_qp *qp)
{
    if (qp->stalled)
        TAILQ_REMOVE(&qp->end->stalled, qp, in_stalled);
    qp->stalled = false;
    if (qp->receiving)
        qp_complete(qp, DPK_RC_RECEIVE_FAILED, qp->receive.index, 0);
    qp->receiving = false;
}

static enum answer run_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                            struct response *out)
{
    if (r->first == qp->receiving)
        return ANSWERED; /* parts of two sends mixed up */
    if (r->first && !receive_take(qp->end, &qp->receive))
        return stall(qp);
    if ((r->first && !begin_receive(qp, r)) || r->size > qp->total - qp->received ||
        r->last != (qp->received + r->size == qp->total) ||
        !copy_in(qp, qp->receive.buffer.key, qp->receive.buffer.address + qp->received, r->size,
                 DPK_RC_LOCAL_WRITE, bytes))
        return ANSWERED;
    qp->received += r->size;
    if (r->last) {
        qp->receiving = false;
        qp_complete(qp, r->has_immediate ? DPK_RC_RECEIVED_IMMEDIATE : DPK_RC_RECEIVED,
                    qp->receive.index, r->immediate);
    }
    out->good = true;
    return ANSWERED;
}

/* ---- One-sided operations -------------------------------------------------------------------- */

static enum answer run_write(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                             struct response *out)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_range all;
    struct receive receive = {0};
    bool uses_receive = r->last && r->has_immediate;
    if (!permits(qp, DPK_RC_REMOTE_WRITE) || !range_of(r, r->first ? r->total : r->size, &all))
        return ANSWERED;
    if (r->first && r->total > 0 && !o->ops->has(o->context, &all, DPK_RC_REMOTE_WRITE))
        return ANSWERED;
    if (uses_receive && !receive_take(qp->end, &receive))
        return stall(qp);
    out->good = copy_in(qp, all.key, r->address, r->size, DPK_RC_REMOTE_WRITE, bytes);
    if (uses_receive)
        qp_complete(qp, out->good ? DPK_RC_WRITTEN_IMMEDIATE : DPK_RC_RECEIVE_FAILED, receive.index,
                    r->immediate);
    return ANSWERED;
}

static bool run_read(const struct dpk_rc_qp *qp, const struct request *r, struct response *out,
                     uint8_t *payload)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_range all, part = {(uint32_t)r->key, r->address, r->size};
    if (!permits(qp, DPK_RC_REMOTE_READ) || !range_of(r, r->first ? r->total : r->size, &all) ||
        (all.size > 0 && !o->ops->has(o->context, &all, DPK_RC_REMOTE_READ)) ||
        (r->size > 0 && !o->ops->copy_out(o->context, &part, DPK_RC_REMOTE_READ, payload)))
        return false;
    out->size = r->size;
    return true;
}

static bool run_atomic(const struct dpk_rc_qp *qp, const struct request *r, uint64_t *before)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_range at;
    if (!permits(qp, DPK_RC_REMOTE_ATOMIC) || !range_of(r, sizeof(uint64_t), &at) ||
        r->address % sizeof(uint64_t) != 0)
        return false;
    return r->opcode == DPK_RC_FETCH_ADD
               ? o->ops->add(o->context, &at, r->value, before)
               : o->ops->swap(o->context, &at, r->compare, r->value, before);
}

enum answer responder_run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                          struct response *out, uint8_t *payload)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    *out = (struct response){0};
    if (qp->state == QP_NEW)
        return ANSWER_LATER; /* until it is connected */
    if (qp->state != QP_READY)
        return ANSWERED;
    switch (r->opcode) {
    case DPK_RC_SEND:
        return run_send(qp, r, bytes, out);
    case DPK_RC_WRITE:
        return run_write(qp, r, bytes, out);
    case DPK_RC_READ:
        out->good = run_read(qp, r, out, payload);
        return ANSWERED;
    case DPK_RC_FETCH_ADD:
    case DPK_RC_COMPARE_SWAP:
        out->good = run_atomic(qp, r, &out->value);
        return ANSWERED;
    case DPK_RC_SIGNAL_ADD:
    case DPK_RC_SIGNAL_SET:
        out->good = o->ops->signal(o->context, r->key, r->value, r->opcode == DPK_RC_SIGNAL_ADD);
        return ANSWERED;
    default:
        return ANSWERED;
    }
}
