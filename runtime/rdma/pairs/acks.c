/* Acknowledgements on lines of a fabric. Sends and writes have no result. So the peer need not know each of them
 * at once: it gets the number of the next request that is not carried out yet. Such a number is sent
 *
 *     after some requests, or after all that have arrived,
 *     with a response to a later request,
 *     or with a request of this side, on the other line.
 *
 * A send is often answered by a send. So after a send that a polling program takes, the number waits until the
 * program sends, or polls again.
 *
 * A number on the other line may overtake responses. So it completes no request that has a result, and no later
 * requests, until the response has arrived. After a request was refused, no number takes the other line. The
 * numbers of a queue pair do not start again with a new line: late numbers of an old line are smaller. */
#include "line.h"
#include "works.h"

#define ACK_EACH (WINDOW / 4) /* requests without an acknowledgement */

/* ---- The peer's requests ---- */

static void forget(struct line *l)
{
    if (l->owes)
        TAILQ_REMOVE(&l->fabric->owing, l, in_owing);
    l->owes = false;
    l->told = l->answered;
}

void pairs_acks_pay(struct line *l)
{
    if (!l->owes)
        return;
    forget(l);
    pairs_line_say(l, ACK, l->told);
}

void pairs_acks_owe(struct line *l, bool may_wait)
{
    l->answered++;
    l->may_wait = may_wait;
    if (!l->owes)
        TAILQ_INSERT_TAIL(&l->fabric->owing, l, in_owing);
    l->owes = true;
    if (l->answered - l->told >= ACK_EACH)
        pairs_acks_pay(l);
}

void pairs_acks_respond(struct line *l, const struct frame *f)
{
    l->answered++;
    l->refused = l->refused || f->response.status != DPK_RC_OK;
    forget(l);
    pairs_line_send(l, f, &l->told);
}

void pairs_acks_pay_all(struct fabric *f, bool all)
{
    for (struct line *l = TAILQ_FIRST(&f->owing), *next; l; l = next) {
        next = TAILQ_NEXT(l, in_owing);
        if (all || !l->may_wait)
            pairs_acks_pay(l);
    }
}

bool pairs_acks_carried(struct dpk_rc_qp *qp, uint32_t *number)
{
    struct line *l = qp->answers;
    if (!l || !l->owes || l->refused || !pairs_line_is_peer(qp, &l->claim, l->by_number))
        return false;
    forget(l);
    *number = l->told;
    return true;
}

/* ---- Requests of this side ---- */

static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* Completes requests that are acknowledged, up to a request that has a result. The line may not exist any
 * more then. */
static bool complete(struct line *l)
{
    static const struct response done = {.status = DPK_RC_OK};
    struct dpk_rc_qp *qp = l->qp;
    while (qp->asks == l && is_before(l->answered, l->acknowledged) &&
           work_at(qp, qp->done)->opcode <= DPK_RC_WRITE) {
        l->answered++;
        if (!pairs_requester_response(qp, &done, NULL))
            return false;
    }
    return true;
}

bool pairs_acks_take(struct dpk_rc_qp *qp, uint32_t number)
{
    struct line *l = qp->asks;
    if (!l || !is_before(l->acknowledged, number))
        return true; /* it is late */
    if (is_before(qp->asked, number))
        return false;
    l->acknowledged = number;
    return complete(l);
}

bool pairs_acks_take_response(struct line *l, uint32_t number, const struct response *r,
                              const uint8_t *payload)
{
    struct dpk_rc_qp *qp = l->qp;
    if (qp->asks != l || !is_before(l->answered, number) || is_before(qp->asked, number) ||
        !pairs_acks_take(qp, number - 1))
        return false;
    if (qp->asks != l)
        return true;
    if (l->answered != number - 1)
        return false; /* a request before it has a result, too */
    l->answered = number;
    if (is_before(l->acknowledged, number))
        l->acknowledged = number;
    return pairs_requester_response(qp, r, payload) && (qp->asks != l || complete(l));
}
