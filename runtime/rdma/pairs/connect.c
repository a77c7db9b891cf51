/* Connecting queue pairs: by address, or by number. */
#include <stdio.h>
#include <string.h>

#include "transport.h"

static void become_ready(struct dpk_rc_qp *qp, const struct transport *transport)
{
    qp->transport = transport;
    qp->state = QP_READY;
    pairs_gateway_settle(qp);
    /* Peers may have sent requests before. They are carried out now. */
    pairs_each_sender(qp, pairs_requester_resume);
    if (transport->is_shared)
        transport->resume(qp);
    pairs_requester_kick(qp);
}

/* Call this with the lock. */
static enum dpk_status connect_local(struct dpk_rc_qp *qp, struct dpk_error *err)
{
    struct dpk_rc_qp *peer = pairs_qp_find(qp->end->rc, &qp->peer);
    if (!peer || peer->state == QP_FAILED)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "the peer's queue pair is not there any more");
    qp->local = peer;
    become_ready(qp, &pairs_transport_local);
    return DPK_OK;
}

/* Takes over the socket. Call this with the lock. */
static enum dpk_status connect_process(struct dpk_rc_qp *qp, int fd, struct dpk_error *err)
{
    enum dpk_status status = pairs_gateway_attach(qp, fd, err);
    if (status == DPK_OK)
        become_ready(qp, &pairs_transport_shared);
    return status;
}

/* ---- Peers that did not exist before ---- */

bool pairs_qp_find_absent(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    struct address peer = {.process = rc->identity, .number = qp->peer.number};
    const struct transport *transport = &pairs_transport_local;
    if (!pairs_qp_find(rc, &peer)) {
        int fd = pairs_number_find_process(rc, peer.number, &peer.process)
                     ? pairs_gateway_connect(&peer, false, NULL)
                     : -1;
        if (fd < 0)
            return false;
        qp->peer = peer;
        transport = &pairs_transport_shared;
        if (pairs_gateway_attach(qp, fd, NULL) != DPK_OK) {
            qp->peer.process = (struct dpk_uuid){{0}};
            return false;
        }
    }
    qp->peer = peer;
    qp->transport = transport;
    pairs_gateway_settle(qp);
    return true;
}

/* ---- Connecting ---- */

/* Finds the process of an address that is only a number. Call this without the lock. */
static bool find_process(struct dpk_rc *rc, struct address *peer)
{
    struct address here = *peer;
    if (!dpk_uuid_is_zero(&peer->process))
        return true;
    here.process = rc->identity;
    dpk_rc_lock(rc);
    bool local = pairs_qp_find(rc, &here) != NULL;
    dpk_rc_unlock(rc);
    if (local)
        peer->process = rc->identity;
    return local || pairs_number_find_process(rc, peer->number, &peer->process);
}

/* Returns an error if a queue pair can have no peer on another machine. */
static enum dpk_status check_far(const struct dpk_rc_qp *qp, struct dpk_error *err)
{
    if (qp_is_lossy(qp))
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "only reliable queue pairs have peers on other machines");
    if (!qp->end->options.domain->fabric)
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "the peer is on another machine, but this device has no fabric (dpadev "
                        "fabric NAME ucx:ADDRESS)");
    return DPK_OK;
}

/* Prepares the connection to a peer that is not a process of this machine. Call this without the
 * lock. */
static enum dpk_status find_fabric(struct dpk_rc_qp *qp, const struct address *peer,
                                   struct dpk_error *err)
{
    if (peer->place.port == 0)
        return DPK_ERR_NOT_FOUND; /* `err` has the reason */
    const enum dpk_status status = check_far(qp, err);
    return status == DPK_OK ? pairs_fabric_start(qp, err) : status;
}

/* Takes the way over the fabric. Call this with the lock. */
static enum dpk_status connect_far(struct dpk_rc_qp *qp, struct dpk_error *err)
{
    const enum dpk_status status = pairs_fabric_attach(qp, err);
    if (status == DPK_OK)
        become_ready(qp, &pairs_transport_fabric);
    return status;
}

static enum dpk_status connect_to(struct dpk_rc_qp *qp, const struct address *peer,
                                  struct dpk_error *err)
{
    int fd = -1;
    struct dpk_rc *rc = qp->end->rc;
    enum dpk_status status = DPK_OK;
    bool local = dpk_uuid_equal(&peer->process, &rc->identity);
    if (!local && !rc->fabric_first)
        fd = pairs_gateway_connect(peer, true, err);
    const bool far = !local && fd < 0;
    if (far && (status = find_fabric(qp, peer, err)) != DPK_OK)
        return status;
    dpk_rc_lock(rc);
    if (qp->state != QP_NEW) {
        status = dpk_fail(err, DPK_ERR_USAGE, "the queue pair is connected already");
        pairs_gateway_close(fd);
    } else {
        if (!local && !rc->gateway)
            status = pairs_gateway_start(rc, err);
        qp->peer = *peer;
        if (status == DPK_OK)
            status = local ? connect_local(qp, err)
                     : far ? connect_far(qp, err)
                           : connect_process(qp, fd, err);
        else
            pairs_gateway_close(fd);
    }
    dpk_rc_unlock(rc);
    return status;
}

enum dpk_status dpk_rc_qp_connect(struct dpk_rc_qp *qp, const void *address, size_t size,
                                  struct dpk_error *err)
{
    struct address peer;
    struct dpk_rc *rc = qp->end->rc;
    enum dpk_status status = pairs_check_owner(rc, err);
    if (status == DPK_OK)
        status = pairs_address_parse(address, size, &peer, err);
    if (status != DPK_OK)
        return status;
    if (!find_process(rc, &peer))
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "no queue pair has the number 0x%x", peer.number);
    return connect_to(qp, &peer, err);
}

enum dpk_status dpk_rc_qp_connect_number(struct dpk_rc_qp *qp, uint32_t number,
                                         struct dpk_error *err)
{
    struct address peer = {.number = number};
    struct dpk_rc *rc = qp->end->rc;
    enum dpk_status status = pairs_check_owner(rc, err);
    if (status != DPK_OK)
        return status;
    status = find_process(rc, &peer) ? connect_to(qp, &peer, err) : DPK_ERR_NOT_FOUND;
    if (status != DPK_ERR_NOT_FOUND)
        return status;
    dpk_rc_lock(rc);
    if (qp->state == QP_NEW) {
        /* If numbers are published, a queue pair of another process may get this number later. */
        qp->peer = (struct address){.number = number};
        if (!rc->directory)
            qp->peer.process = rc->identity;
        become_ready(qp, rc->directory ? &pairs_transport_absent : &pairs_transport_local);
        status = DPK_OK;
    } else {
        status = dpk_fail(err, DPK_ERR_USAGE, "the queue pair is connected already");
    }
    dpk_rc_unlock(rc);
    return status;
}

void dpk_rc_qp_expose(struct dpk_rc_qp *qp)
{
    struct dpk_error err = {0};
    enum dpk_status status = pairs_check_owner(qp->end->rc, &err);
    if (status == DPK_OK)
        status = pairs_fabric_expose(qp, &err);
    if (status != DPK_OK)
        fprintf(stderr, "-W- QP 0x%x: other machines cannot connect: %s\n", qp->address.number,
                err.message);
}

enum dpk_status dpk_rc_qp_connect_far(struct dpk_rc_qp *qp, uint32_t number, const uint8_t ip[16],
                                      struct dpk_error *err)
{
    struct address peer = {.number = number, .place = {.port = pairs_number_port(number)}};
    struct dpk_rc *rc = qp->end->rc;
    memcpy(peer.place.ip, ip, sizeof peer.place.ip);
    if (peer.place.port == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "no queue pair has the number 0x%x", number);
    enum dpk_status status = check_far(qp, err);
    if (status == DPK_OK)
        status = pairs_check_owner(rc, err);
    if (status == DPK_OK)
        status = pairs_fabric_expose(qp, err);
    if (status != DPK_OK)
        return status;
    dpk_rc_lock(rc);
    if (qp->state == QP_NEW) {
        qp->peer = peer;
        status = connect_far(qp, err);
    } else {
        status = dpk_fail(err, DPK_ERR_USAGE, "the queue pair is connected already");
    }
    dpk_rc_unlock(rc);
    return status;
}
