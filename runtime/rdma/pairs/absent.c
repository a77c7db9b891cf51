/* The transports of a queue pair without a peer: requests wait. */
#include "transport.h"

static enum sent absent_room(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload)
{
    (void)size, (void)payload;
    pairs_wait_begin(qp, &qp->waits_since);
    return qp->waits_since != 0 ? SENT_LATER : SENT_NEVER;
}

static enum sent absent_send(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload)
{
    (void)qp, (void)r, (void)payload;
    return SENT_NEVER;
}

static bool absent_find(struct dpk_rc_qp *qp)
{
    return qp->end->rc->find_peer(qp);
}

static void absent_nothing(struct dpk_rc_qp *qp)
{
    (void)qp;
}

const struct transport pairs_transport_absent = {.room = absent_room,
                                                 .send = absent_send,
                                                 .resume = absent_nothing,
                                                 .close = absent_nothing,
                                                 .find = absent_find,
                                                 .is_absent = true};
const struct transport pairs_transport_gone = {.room = absent_room,
                                               .send = absent_send,
                                               .resume = absent_nothing,
                                               .close = absent_nothing,
                                               .is_absent = true};
