/*
 * Pacing: a process of congestion control sets the rates of queue pairs (pacing.h). Private to rc.
 *
 * A flow is a queue pair that sends while there is such a process. It has a bucket of credit, which
 * its rate fills; a request may be sent while the credit is not negative, and takes what it has on
 * the wire. So over any time T a flow sends at most rate * (T + FILL) and one request.
 */
#ifndef DPK_RDMA_PAIRS_PACE_H
#define DPK_RDMA_PAIRS_PACE_H

#include "rdma/pacing/pacing.h"
#include "transport.h"

/* A device whose ends are in this process. */
struct pace {
    SLIST_ENTRY(pace) link;
    char *device; /* its directory */
    unsigned uses;
    uint32_t joined; /* how often a server was joined */
    struct dpk_rates *rates;
};

/* Those of a device. NULL: it has none, or there is no memory: its queue pairs are not limited. */
struct pace *pace_use(struct dpk_rc *rc, const char *device);
void pace_leave(struct dpk_rc *rc, struct pace *p); /* NULL is fine */

/* Whether the queue pair may send its next request now. False: it is kicked when it may. */
bool pace_allows(struct dpk_rc_qp *qp);
static inline bool pace_may_send(struct dpk_rc_qp *qp)
{
    const struct pace *p = qp->end->pace;
    return !p || (!dpk_rates_on(p->rates) && !dpk_rates_look(p->rates)) || pace_allows(qp);
}

/* Whether it is a flow. If not, the following need not be called. */
static inline bool pace_has(const struct dpk_rc_qp *qp)
{
    return qp->paced.joined != 0;
}
/* A request is being sent, and counts as unanswered already; or it was not sent after all, and does
 * not. */
void pace_sent(struct dpk_rc_qp *qp, const struct request *r);
void pace_unsent(struct dpk_rc_qp *qp, const struct request *r);
/* The oldest request is answered, and still counts as unanswered. `bytes`: of its part of the work. */
void pace_answered(struct dpk_rc_qp *qp, const struct response *r, uint32_t bytes);
/* Tells of what was sent and answered since the last call. */
void pace_tell(struct dpk_rc_qp *qp);
/* It is destroyed, or reset. */
void pace_forget(struct dpk_rc_qp *qp);

/* The time of paces, in nanoseconds. */
uint64_t pairs_pace_now_ns(void);
/* Takes a queue pair from the list of those that wait. */
void pairs_pace_end_wait(struct dpk_rc_qp *qp);
/* Leaves the process that sets the rates of a device. */
void pairs_pace_leave_server(struct dpk_rc *rc, struct pace *p);

/* ---- pacer.c ---- */
/* Kicks those whose time has come. */
void pace_run(struct dpk_rc *rc);
/* Looks whether servers are gone, too. */
void pace_look(struct dpk_rc *rc);

#endif
