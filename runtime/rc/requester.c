/* From posted works to requests, and from responses to completions. */
#include "transport.h"

static bool is_atomic(enum dpk_rc_opcode opcode)
{
    return opcode == DPK_RC_FETCH_ADD || opcode == DPK_RC_COMPARE_SWAP;
}

/* Bytes that go between the two ends, in parts. */
static uint64_t bytes_of(const struct dpk_rc_work *w)
{
    return w->opcode <= DPK_RC_READ ? w->local.size : 0;
}

static uint32_t part_size(const struct dpk_rc_work *w, uint64_t at)
{
    uint64_t left = bytes_of(w) - at;
    return left < SEGMENT ? (uint32_t)left : SEGMENT;
}

static struct dpk_rc_work *work_at(const struct dpk_rc_qp *qp, uint32_t index)
{
    return &qp->ring[index % qp->ring_size];
}

static struct dpk_rc_range local_part(const struct dpk_rc_work *w, uint64_t at, uint32_t size)
{
    return (struct dpk_rc_range){w->local.key, w->local.address + at, size};
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Whether a work can be sent at all, as far as this end knows. */
static bool is_good(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    bool writes = w->opcode == DPK_RC_READ || is_atomic(w->opcode);
    uint64_t size = is_atomic(w->opcode) ? w->local.size : bytes_of(w);
    if (!dpk_uuid_is_zero(&w->owner) && !dpk_uuid_equal(&w->owner, &qp->peer.process))
        return false;
    if (is_atomic(w->opcode) && size != 0 && size != sizeof(uint64_t))
        return false;
    return size == 0 ||
           o->ops->has(o->context, &w->local, writes ? DPK_RC_LOCAL_WRITE : DPK_RC_LOCAL_READ);
}

/* False: it cannot be sent, as far as this end knows. */
static bool make_request(const struct dpk_rc_qp *qp, struct request *r)
{
    const struct dpk_rc_work *w = work_at(qp, qp->next.work);
    uint64_t at = qp->next.bytes;
    *r = (struct request){.opcode = w->opcode,
                          .first = at == 0,
                          .has_immediate = w->has_immediate,
                          .immediate = w->immediate,
                          .size = part_size(w, at),
                          .total = bytes_of(w),
                          .key = w->key,
                          .address = w->address + at,
                          .value = w->value,
                          .compare = w->compare};
    r->last = at + r->size == r->total;
    return !r->first || is_good(qp, w);
}

static uint32_t payload_size(const struct request *r)
{
    return r->opcode <= DPK_RC_WRITE ? r->size : 0;
}

static bool fill(const struct dpk_rc_qp *qp, const struct request *r, uint8_t *payload)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_range from = local_part(work_at(qp, qp->next.work), qp->next.bytes, r->size);
    return payload_size(r) == 0 || o->ops->copy_out(o->context, &from, DPK_RC_LOCAL_READ, payload);
}

/* The next work is bad: those before it are done first. */
static void halt(struct dpk_rc_qp *qp)
{
    qp->halted = true;
    if (qp->unanswered == 0)
        qp_fail(qp, false);
}

/* Sends one request; false: no more now. */
static bool send_next(struct dpk_rc_qp *qp)
{
    struct request r;
    struct place before = qp->next;
    uint8_t *payload;
    if (!make_request(qp, &r))
        return halt(qp), false;
    enum sent sent = qp->transport->room(qp, payload_size(&r), &payload);
    if (sent == SENT && !fill(qp, &r, payload))
        return halt(qp), false;
    /* As if it were sent: its response may come before send() returns. */
    if (r.last)
        qp->next = (struct place){.work = before.work + 1};
    else
        qp->next.bytes += r.size;
    qp->unanswered++;
    if (sent == SENT)
        sent = qp->transport->send(qp, &r, payload);
    if (sent == SENT_LATER) {
        qp->next = before;
        qp->unanswered--;
        qp->waits = true;
    } else if (sent == SENT_NEVER) {
        qp_fail(qp, false);
    }
    return sent == SENT;
}

void requester_kick(struct dpk_rc_qp *qp)
{
    while (qp->state == QP_READY && !qp->waits && !qp->halted && qp->next.work != qp->posted &&
           qp->unanswered < WINDOW)
        if (!send_next(qp))
            break;
}

void requester_resume(struct dpk_rc_qp *qp)
{
    qp->waits = false;
    requester_kick(qp);
}

/* ---- Responses ------------------------------------------------------------------------------- */

/* What a response brought goes where the work wants it. */
static bool store(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w, const struct response *r,
                  const uint8_t *payload)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_range to = local_part(w, qp->done_bytes, r->size);
    if (w->opcode == DPK_RC_READ)
        return r->size == 0 || o->ops->copy_in(o->context, &to, DPK_RC_LOCAL_WRITE, payload);
    if (is_atomic(w->opcode) && w->local.size > 0)
        return o->ops->copy_in(o->context, &w->local, DPK_RC_LOCAL_WRITE, &r->value);
    return true;
}

bool requester_response(struct dpk_rc_qp *qp, const struct response *r, const uint8_t *payload)
{
    if (qp->state != QP_READY || qp->unanswered == 0)
        return false;
    const struct dpk_rc_work *w = work_at(qp, qp->done);
    uint32_t size = part_size(w, qp->done_bytes);
    if (r->good && r->size != (w->opcode == DPK_RC_READ ? size : 0))
        return false;
    if (!r->good || !store(qp, w, r, payload)) {
        qp_fail(qp, false);
        return true;
    }
    qp->unanswered--;
    qp->done_bytes += size;
    if (qp->done_bytes == bytes_of(w)) {
        bool silent = w->silent;
        uint32_t index = qp->done++;
        qp->done_bytes = 0;
        if (!silent)
            qp_complete(qp, DPK_RC_DONE, index, 0);
    }
    if (qp->halted && qp->unanswered == 0)
        qp_fail(qp, false);
    return true;
}

void requester_flush(struct dpk_rc_qp *qp)
{
    while (qp->done != qp->posted)
        qp_complete(qp, DPK_RC_FAILED, qp->done++, 0);
    qp->next = (struct place){.work = qp->posted};
    qp->unanswered = 0;
}
