/* The requester: sends posted works as requests, and completes works when responses arrive. */
#include <endian.h>
#include <string.h>

#include "pace.h"
#include "receives.h"
#include "works.h"

#define READ_AT_ONCE ((uint64_t)1 << 20) /* bytes; then others get the lock */

/* Returns whether the response contains the old value of the word that the operation changes. */
static bool is_atomic(enum dpk_rc_opcode opcode)
{
    return opcode == DPK_RC_FETCH_ADD || opcode == DPK_RC_COMPARE_SWAP ||
           opcode == DPK_RC_SIGNAL_ADD;
}

static uint32_t part_size(const struct dpk_rc_work *w, uint64_t at)
{
    const uint64_t left = work_bytes(w) - at;
    const uint32_t most = w->by_reference ? REFERENCED : SEGMENT;
    return left < most ? (uint32_t)left : most;
}

static void finish(struct dpk_rc_qp *qp)
{
    bool silent = work_at(qp, qp->done)->silent;
    uint32_t index = qp->done++;
    qp->done_bytes = 0;
    if (!silent && !pairs_work_complete(qp, index, DPK_RC_OK))
        pairs_qp_fail(qp, DPK_RC_FLUSHED, false);
}

/* ---- Sending ---- */

static enum dpk_rc_status refuse(struct dpk_rc_qp *qp, enum dpk_rc_status status,
                                 enum dpk_rc_reason reason)
{
    qp->why = (struct dpk_rc_why){.reason = reason};
    return status;
}

/* Checks what this end can check of a work. The peer checks the rest. */
static enum dpk_rc_status check(struct dpk_rc_qp *qp, const struct dpk_rc_work *w)
{
    const struct dpk_memory_domain *domain = qp->end->options.domain;
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(w, &one);
    bool writes = w->opcode == DPK_RC_READ || is_atomic(w->opcode);
    uint64_t size = is_atomic(w->opcode) ? work_size(w) : work_bytes(w);
    if (w->wrong != DPK_RC_OK)
        return refuse(qp, w->wrong, DPK_RC_UNTOLD);
    if (qp_is_lossy(qp) && w->opcode > DPK_RC_WRITE)
        return refuse(qp, DPK_RC_LOCAL_OPERATION, DPK_RC_NO_SUCH_SERVICE); /* needs a response */
    if (qp_has_datagrams(qp) && (w->opcode != DPK_RC_SEND || size > DPK_RC_DATAGRAM_MAX))
        return refuse(qp, DPK_RC_LOCAL_LENGTH, DPK_RC_UNTOLD);
    if (!dpk_uuid_is_zero(&w->owner) && !dpk_uuid_equal(&w->owner, &qp->peer.process))
        return refuse(qp, DPK_RC_REMOTE_ACCESS, DPK_RC_OTHERS_KEY);
    if (is_atomic(w->opcode) && size != 0 && size != sizeof(uint64_t))
        return refuse(qp, DPK_RC_LOCAL_LENGTH, DPK_RC_UNTOLD);
    const unsigned rights = writes ? DPK_MEMORY_WRITE : DPK_MEMORY_READ;
    if (dpk_rc_message_has(domain, &m, size, rights))
        return DPK_RC_OK;
    pairs_why_of_message(&qp->why, domain, &m, size, rights);
    return DPK_RC_LOCAL_PROTECTION;
}

static enum dpk_rc_status make_request(struct dpk_rc_qp *qp, struct request *r)
{
    struct dpk_rc_work *w = work_at(qp, qp->next.work);
    uint64_t at = qp->next.bytes;
    if (at == 0 || qp->unanswered == 0)
        w->by_reference = pairs_direct_refers(qp, w, work_bytes(w));
    *r = (struct request){.opcode = w->opcode,
                          .first = at == 0,
                          .has_immediate = w->has_immediate,
                          .immediate = w->immediate,
                          .solicited = w->solicited,
                          .rnr_retries = qp->patience.rnr_retries,
                          .size = part_size(w, at),
                          .total = work_bytes(w),
                          .key = w->key,
                          .address = w->address + at,
                          .value = w->value,
                          .compare = w->compare,
                          .service = qp->end->options.service};
    if (qp_has_datagrams(qp)) {
        r->key = qp->address.number;
        r->value = w->qkey;
    }
    r->last = at + r->size == r->total;
    if (r->total > SEGMENT)
        pairs_direct_prepare(qp, w, r);
    return r->first ? check(qp, w) : DPK_RC_OK;
}

static uint32_t payload_size(const struct request *r)
{
    return r->opcode <= DPK_RC_WRITE && !r->by_reference ? r->size : 0;
}

static bool fill(struct dpk_rc_qp *qp, const struct request *r, uint8_t *payload)
{
    const struct dpk_memory_domain *domain = qp->end->options.domain;
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(work_at(qp, qp->next.work), &one);
    if (dpk_rc_message_read(domain, &m, qp->next.bytes, payload_size(r), payload))
        return true;
    pairs_why_of_message(&qp->why, domain, &m, qp->next.bytes + payload_size(r), DPK_MEMORY_READ);
    return false;
}

/* The next work cannot be sent. It fails when all works before it are done. */
static void halt(struct dpk_rc_qp *qp, enum dpk_rc_status wrong)
{
    qp->halted = wrong;
    if (qp->unanswered == 0)
        pairs_qp_fail(qp, wrong, false);
}

/* Loses the next work, which has no peer, without a report. Returns false if works before it are
 * not done. */
static bool lose_next(struct dpk_rc_qp *qp)
{
    if (qp->unanswered > 0)
        return false;
    qp->next = (struct work_position){.work = qp->next.work + 1};
    finish(qp);
    return true;
}

/* Returns whether the next work must wait for works before it, which go to another target. */
static bool waits_its_turn(const struct dpk_rc_qp *qp)
{
    const struct dpk_rc_work *w = work_at(qp, qp->next.work);
    return qp_has_datagrams(qp) && qp->unanswered > 0 &&
           (w->target != qp->peer.number ||
            memcmp(w->machine, qp->peer.place.ip, sizeof w->machine) != 0);
}

/* Fetches the bytes of the next part of a read. */
static bool read_directly(struct dpk_rc_qp *qp, const struct request *part)
{
    struct dpk_rc_work *w = work_at(qp, qp->next.work);
    const uint64_t left = part->total - qp->next.bytes;
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(w, &one);
    struct request r = *part;
    r.size = left < REFERENCED ? (uint32_t)left : REFERENCED;
    if (!pairs_direct_read(qp, &m, qp->next.bytes, &r))
        return false;
    qp->next.bytes += r.size;
    qp->done_bytes = qp->next.bytes;
    qp->read_bytes += r.size;
    if (r.size < left)
        return true;
    qp->next = (struct work_position){.work = qp->next.work + 1};
    finish(qp);
    return true;
}

/* Sends one request. Returns false if no more requests can be sent now. */
static bool send_next(struct dpk_rc_qp *qp)
{
    struct request r;
    struct work_position before = qp->next;
    uint8_t *payload;
    enum dpk_rc_status wrong = make_request(qp, &r);
    if (wrong != DPK_RC_OK)
        return halt(qp, wrong), false;
    if (r.opcode == DPK_RC_NOP) {
        if (qp->unanswered > 0)
            return false;
        qp->next = (struct work_position){.work = before.work + 1};
        finish(qp);
        return true;
    }
    if (qp_is_lossy(qp) && waits_its_turn(qp))
        return false;
    if (qp_is_lossy(qp) && !qp->end->rc->has_peer(qp, work_at(qp, before.work)))
        return lose_next(qp);
    if (pairs_direct_can_read(qp, &r)) {
        if (qp->unanswered > 0)
            return false; /* earlier works may write the bytes that it reads */
        if (read_directly(qp, &r))
            return true;
    }
    enum sent sent = qp->transport->room(qp, payload_size(&r) + r.offers * OFFER_SIZE, &payload);
    if (sent == SENT && !fill(qp, &r, payload))
        return halt(qp, DPK_RC_LOCAL_PROTECTION), false;
    /* The request counts as sent from here on: its response may arrive before send() returns. */
    if (r.last)
        qp->next = (struct work_position){.work = before.work + 1};
    else
        qp->next.bytes += r.size;
    qp->unanswered++;
    if (pace_has(qp))
        pairs_pace_sent(qp, &r);
    if (sent == SENT)
        sent = qp->transport->send(qp, &r, payload);
    if (sent == SENT_LATER) {
        qp->next = before;
        qp->unanswered--;
        if (pace_has(qp))
            pairs_pace_unsent(qp, &r);
        qp->waits = true;
    } else if (sent == SENT_NEVER && qp_is_lossy(qp)) {
        qp->unanswered--;
        qp->next = before;
        if (pace_has(qp))
            pairs_pace_unsent(qp, &r);
        return lose_next(qp);
    } else if (sent == SENT_NEVER) {
        pairs_qp_miss_peer(qp, false);
    }
    return sent == SENT;
}

/* Returns whether there is a work, or a part of a work, to send. Asks the owner for more works. */
static bool has_next(struct dpk_rc_qp *qp)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    if (qp->next.work == qp->posted && o->ops->next && qp->posted - qp->done < qp->ring_size &&
        o->ops->next(o->context, work_at(qp, qp->posted)))
        qp->posted++;
    return qp->next.work != qp->posted;
}

/* Returns whether so many bytes were read that other threads should get the lock first. */
static bool has_read_enough(struct dpk_rc_qp *qp)
{
    if (qp->read_bytes < READ_AT_ONCE)
        return false;
    qp->read_bytes = 0;
    if (qp->state == QP_READY && has_next(qp))
        dpk_rc_qp_kick_later(qp);
    return true;
}

void pairs_requester_kick(struct dpk_rc_qp *qp)
{
    while (qp->state == QP_READY && !qp->waits && qp->halted == DPK_RC_OK &&
           qp->unanswered < WINDOW && has_next(qp) && pace_may_send(qp))
        if (!send_next(qp) || has_read_enough(qp))
            break;
    if (pace_has(qp))
        pairs_pace_tell(qp);
}

void pairs_requester_resume(struct dpk_rc_qp *qp)
{
    qp->waits = false;
    pairs_requester_kick(qp);
}

void pairs_requester_restart(struct dpk_rc_qp *qp)
{
    qp->next = (struct work_position){qp->done, qp->done_bytes};
    qp->unanswered = 0;
    pairs_requester_resume(qp);
}

void pairs_qp_miss_peer(struct dpk_rc_qp *qp, bool drops_receives)
{
    if (qp->state == QP_FAILED || qp->transport == &pairs_transport_gone)
        return;
    if (qp->patience.retry_ms == 0 && !qp_is_lossy(qp)) {
        pairs_why_no_peer(qp);
        pairs_qp_fail(qp, DPK_RC_RETRY_EXCEEDED, drops_receives);
        return;
    }
    if (qp->transport && !qp_has_datagrams(qp)) /* other targets still exist */
        qp->transport->close(qp);
    qp->transport = &pairs_transport_gone;
    pairs_requester_restart(qp);
}

void pairs_qp_lose_peer(struct dpk_rc_qp *qp, bool drops_receives)
{
    if (qp->posted != qp->done)
        pairs_qp_miss_peer(qp, drops_receives);
    else if (qp->end->options.outlives_peers && qp->receiving != RECEIVING)
        pairs_receive_forget(qp);
    else
        pairs_qp_fail(qp, DPK_RC_RETRY_EXCEEDED, drops_receives); /* there is no work to fail */
}

/* ---- Responses ---- */

/* Writes the result of a response to the local memory of its work. */
static bool store(struct dpk_rc_qp *qp, const struct dpk_rc_work *w, const struct response *r,
                  const uint8_t *payload)
{
    const struct dpk_memory_domain *domain = qp->end->options.domain;
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(w, &one);
    const uint64_t value = htole64(r->value);
    bool good = true;
    if (w->opcode == DPK_RC_READ)
        good = dpk_rc_message_write(domain, &m, qp->done_bytes, r->size, payload);
    else if (is_atomic(w->opcode) && dpk_rc_message_size(&m) > 0)
        good = dpk_rc_message_write(domain, &m, 0, sizeof value, (const void *)&value);
    if (!good)
        pairs_why_of_message(&qp->why, domain, &m, dpk_rc_message_size(&m), DPK_MEMORY_WRITE);
    return good;
}

/* Returns whether the peer could not fetch memory that is not registered any more. */
static bool has_taken_back(struct dpk_rc_qp *qp, const struct dpk_rc_work *w,
                           const struct response *r)
{
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(w, &one);
    const struct dpk_memory_domain *domain = qp->end->options.domain;
    if (!w->by_reference || r->status != DPK_RC_REMOTE_OPERATION ||
        dpk_rc_message_has(domain, &m, work_bytes(w), DPK_MEMORY_READ))
        return false;
    pairs_why_of_message(&qp->why, domain, &m, work_bytes(w), DPK_MEMORY_READ);
    return true;
}

bool pairs_requester_response(struct dpk_rc_qp *qp, const struct response *r,
                              const uint8_t *payload)
{
    if (qp->state != QP_READY || qp->unanswered == 0)
        return false;
    const struct dpk_rc_work *w = work_at(qp, qp->done);
    uint32_t size = part_size(w, qp->done_bytes);
    if (pace_has(qp))
        pairs_pace_answered(qp, r, size);
    if (r->status == DPK_RC_OK && r->size != (w->opcode == DPK_RC_READ ? size : 0))
        return false;
    if (r->status != DPK_RC_OK)
        qp->why = (struct dpk_rc_why){r->why.reason, r->why.memory, .remote = true};
    if (r->status != DPK_RC_OK || !store(qp, w, r, payload)) {
        const bool local = r->status == DPK_RC_OK || has_taken_back(qp, w, r);
        pairs_qp_fail(qp, local ? DPK_RC_LOCAL_PROTECTION : r->status, false);
        return true;
    }
    qp->waits_since = 0;
    qp->unanswered--;
    qp->done_bytes += size;
    if (qp->done_bytes == work_bytes(w))
        finish(qp);
    if (qp->halted != DPK_RC_OK && qp->unanswered == 0)
        pairs_qp_fail(qp, qp->halted, false);
    return true;
}
