/* Queue pairs whose messages may be lost: finds the peer for the next message. */
#include <string.h>

#include "transport.h"

/* The peer may exist now, even if the last message found none. */
static bool find_peer(struct dpk_rc_qp *qp)
{
    return qp->transport->find ? qp->transport->find(qp) : !qp->transport->is_absent;
}

/* Aims at a queue pair of another machine. Returns false if it cannot exist. */
static bool aim_far(struct dpk_rc_qp *qp, const struct dpk_rc_work *w)
{
    qp->peer = (struct address){.number = w->target, .place.port = pairs_number_port(w->target)};
    memcpy(qp->peer.place.ip, w->machine, sizeof w->machine);
    qp->local = NULL;
    qp->requests = NULL;
    qp->transport = &pairs_transport_datagrams;
    return qp->end->fabric && qp->peer.place.port != 0;
}

static bool datagram_aim(struct dpk_rc_qp *qp, uint32_t number)
{
    const bool there = qp->requests || !(qp->transport->is_absent || qp->transport->is_shared);
    if (qp->peer.number == number && qp->peer.place.port == 0 && there)
        return true;
    qp->peer = (struct address){.number = number};
    qp->local = NULL;
    qp->requests = pairs_gateway_channel_to(qp, number);
    qp->transport = qp->requests ? &pairs_transport_shared : &pairs_transport_absent;
    return qp->requests || pairs_qp_find_absent(qp);
}

bool pairs_lossy_has_peer(struct dpk_rc_qp *qp, const struct dpk_rc_work *w)
{
    static const uint8_t here[sizeof w->machine];
    if (!qp_has_datagrams(qp))
        return find_peer(qp);
    return memcmp(w->machine, here, sizeof here) == 0 ? datagram_aim(qp, w->target)
                                                      : aim_far(qp, w);
}

void dpk_rc_qp_open(struct dpk_rc_qp *qp)
{
    dpk_rc_lock(qp->end->rc);
    if (qp->state == QP_NEW) {
        qp->transport = &pairs_transport_absent;
        qp->state = QP_READY;
    }
    dpk_rc_unlock(qp->end->rc);
}
