/* Kicks queue pairs whose rates let them send again. */
#include "gateway.h"
#include "pace.h"

static bool is_due(const struct dpk_rc *rc)
{
    return rc->paced_ns != UINT64_MAX && dpk_now_ns() >= rc->paced_ns;
}

/* Kicks waiting queue pairs that are due, or all of them. */
static void kick(struct dpk_rc *rc, bool all)
{
    struct dpk_rc_qp *qp;
    unsigned count = 0;
    const uint64_t now = dpk_now_ns();
    TAILQ_FOREACH(qp, &rc->paced, paced.link)
    count++;
    rc->paced_ns = UINT64_MAX;
    while (count-- > 0 && (qp = TAILQ_FIRST(&rc->paced))) {
        pairs_pace_end_wait(qp);
        if (all || qp->paced.due_ns <= now) {
            pairs_requester_kick(qp);
            continue;
        }
        TAILQ_INSERT_TAIL(&rc->paced, qp, paced.link);
        qp->paced.waits = true;
        if (qp->paced.due_ns < rc->paced_ns)
            rc->paced_ns = qp->paced.due_ns;
    }
    if (rc->paced_ns != UINT64_MAX)
        pairs_gateway_alarm(rc, rc->paced_ns);
}

void pairs_pace_run(struct dpk_rc *rc)
{
    if (is_due(rc))
        kick(rc, false);
}

void pairs_pace_look(struct dpk_rc *rc)
{
    struct pace *p;
    bool gone = false;
    SLIST_FOREACH(p, &rc->paces, link)
    if (dpk_rates_on(p->rates) && !dpk_rates_alive(p->rates)) {
        pairs_pace_leave_server(rc, p);
        gone = true;
    }
    if (gone)
        kick(rc, true);
    else
        pairs_pace_run(rc);
}
