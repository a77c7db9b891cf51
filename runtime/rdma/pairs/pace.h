/*
 * Pacing: a process of congestion control sets the rates of queue pairs (pacing.h). Private to the room.
 *
 * A flow is a queue pair that sends while there is such a process. It has a bucket of credit, which
 * its rate fills. A request may be sent while the credit is not negative, and takes credit for its bytes
 * on the wire. So over any time T a flow sends at most rate * (T + FILL) and one request.
 */
#ifndef DPK_RDMA_PAIRS_PACE_H
#define DPK_RDMA_PAIRS_PACE_H

#include "rdma/pacing/pacing.h"
#include "transport.h"

/* A device whose ends are in this process. */
struct pace {
    SLIST_ENTRY(pace) link;
    char *device; /* directory of the device */
    unsigned uses;
    uint32_t joined; /* number of joined servers */
    struct dpk_rates *rates;
};

/* Returns the rates of a device. Returns NULL if the device has no rates, or if no memory is left: then its
 * queue pairs are not limited. */
struct pace *pairs_pace_use(struct dpk_rc *rc, const char *device);
void pairs_pace_leave(struct dpk_rc *rc, struct pace *p); /* NULL is allowed */

/* Returns whether the queue pair may send its next request now. If not, the queue pair is kicked later. */
bool pairs_pace_allows(struct dpk_rc_qp *qp);
static inline bool pace_may_send(struct dpk_rc_qp *qp)
{
    const struct pace *p = qp->end->pace;
    return !p || (!dpk_rates_on(p->rates) && !dpk_rates_look(p->rates)) || pairs_pace_allows(qp);
}

/* Returns whether the queue pair is a flow. The functions below are only for flows. */
static inline bool pace_has(const struct dpk_rc_qp *qp)
{
    return qp->paced.joined != 0;
}
/* A request is being sent, and counts as unanswered already. pairs_pace_unsent: the request was not sent after all,
 * and does not count as unanswered. */
void pairs_pace_sent(struct dpk_rc_qp *qp, const struct request *r);
void pairs_pace_unsent(struct dpk_rc_qp *qp, const struct request *r);
/* The oldest request is answered, and still counts as unanswered. `bytes`: size of its part of the work. */
void pairs_pace_answered(struct dpk_rc_qp *qp, const struct response *r, uint32_t bytes);
/* Reports requests that were sent and answered since the last call. */
void pairs_pace_tell(struct dpk_rc_qp *qp);
/* The queue pair is destroyed, or reset. */
void pairs_pace_forget(struct dpk_rc_qp *qp);

/* Takes a queue pair from the list of those that wait. */
void pairs_pace_end_wait(struct dpk_rc_qp *qp);
/* Leaves the process that sets the rates of a device. */
void pairs_pace_leave_server(struct dpk_rc *rc, struct pace *p);

/* ---- pacer.c ---- */
/* Kicks queue pairs whose time has come. */
void pairs_pace_run(struct dpk_rc *rc);
/* Also leaves servers that are gone, and kicks their queue pairs. */
void pairs_pace_look(struct dpk_rc *rc);

#endif
