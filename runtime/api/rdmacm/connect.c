/* Connections: messages to the peer, and their handling. */
#include <errno.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdmacm.h"

#define MAX_24        0xFFFFFFu
#define MAX_BITS      7  /* retry counts have three bits */
#define STRANGERS_MAX 64 /* callers of other machines that have sent no REQ, for each listener */
/* Reasons for refusing a datagram queue pair, with the specification's numbers. */
enum { SIDR_UNSUPPORTED = 1, SIDR_REJECTED };

/* ---- Messages of this end ---- */

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* RDMA_MAX_... stand for the device's maximum. */
static bool has_reads(const struct device *d, const struct rdma_conn_param *p)
{
    return (p->responder_resources == RDMA_MAX_RESP_RES ||
            p->responder_resources <= d->resources) &&
           (p->initiator_depth == RDMA_MAX_INIT_DEPTH || p->initiator_depth <= d->depth);
}

/* Fills in id->mine. `asked`: the peer's request, or NULL. */
static int introduce(struct id *id, enum dpk_cm_kind kind, const struct rdma_conn_param *p,
                     const struct dpk_cm_message *asked)
{
    static const struct rdma_conn_param most = {.responder_resources = RDMA_MAX_RESP_RES,
                                                .initiator_depth = RDMA_MAX_INIT_DEPTH,
                                                .retry_count = MAX_BITS,
                                                .rnr_retry_count = MAX_BITS};
    const struct dpk_cm_message no_limits = {.responder_resources = UINT8_MAX,
                                             .initiator_depth = UINT8_MAX};
    const struct device *d = rdmacm_device_of(id->seen.verbs);
    struct dpk_cm_message *m = &id->mine;
    uint32_t psn = 0;
    if (!d)
        return rdmacm_cm_failed(ENODEV);
    if (!p && !id->seen.qp && !id_is_ud(id))
        return rdmacm_cm_failed(EINVAL);
    if (!p)
        p = &most;
    if (!asked)
        asked = &no_limits;
    if ((p->private_data_len && !p->private_data) || (!id->seen.qp && p->qp_num > MAX_24) ||
        (!id_is_ud(id) && !has_reads(d, p)))
        return rdmacm_cm_failed(EINVAL);
    if (RAND_bytes((unsigned char *)&psn, sizeof psn) != 1)
        return rdmacm_cm_failed(EIO);
    *m = (struct dpk_cm_message){
        .kind = kind,
        .from = id->local,
        .to = id->remote,
        .queue_pair = id->seen.qp ? id->seen.qp->qp_num : p->qp_num,
        .psn = psn & MAX_24,
        .responder_resources = p->responder_resources == RDMA_MAX_RESP_RES
                                   ? least(d->resources, asked->initiator_depth)
                                   : p->responder_resources,
        .initiator_depth = p->initiator_depth == RDMA_MAX_INIT_DEPTH
                               ? least(d->depth, asked->responder_resources)
                               : p->initiator_depth,
        .retries = least(p->retry_count, MAX_BITS),
        .rnr_retries = least(p->rnr_retry_count, MAX_BITS),
        .flow_control = p->flow_control != 0,
        .srq = id->seen.qp ? id->seen.qp->srq != NULL : p->srq != 0,
        .private_size = p->private_data_len,
    };
    rdmacm_device_gid(d, &id->local, m->gid);
    if (p->private_data_len)
        memcpy(m->private_data, p->private_data, p->private_data_len);
    return 0;
}

/* Tells that the connection was not made. The receives of its queue pair end, as there will be no
 * peer. Queue pairs of datagrams have other peers. */
static void not_made(struct id *id, enum rdma_cm_event_type what, int status,
                     const struct dpk_cm_message *m)
{
    id->state = ENDED;
    rdmacm_id_hang_up(id);
    if (!id_is_ud(id))
        rdmacm_cm_qp_fail(id);
    rdmacm_channel_tell(id, NULL, what, status, m);
}

/* ---- The caller ---- */

int rdmacm_cm_connect(struct rdma_cm_id *seen, struct rdma_conn_param *param)
{
    struct id *id = id_of(seen);
    int fd = -1;
    if (!id || id->state != ROUTED)
        return rdmacm_cm_failed(EINVAL);
    if (introduce(id, DPK_CM_REQ, param, NULL) != 0)
        return -1;
    enum dpk_status status = dpk_cm_call(&id->remote, id->is_far ? id->local.ip : NULL, &fd, NULL);
    rdmacm_cm_lock();
    rdmacm_id_hang_up(id); /* closes the bound port: the connection has its own socket */
    id->fd = fd;
    if (status == DPK_OK && rdmacm_channel_watch(id) && dpk_cm_send(fd, &id->mine)) {
        id->state = CALLING;
    } else if (status == DPK_ERR_NOT_FOUND && id_is_ud(id)) {
        not_made(id, RDMA_CM_EVENT_UNREACHABLE, SIDR_UNSUPPORTED, NULL);
    } else if (status == DPK_ERR_NOT_FOUND) {
        not_made(id, RDMA_CM_EVENT_REJECTED, DPK_CM_NO_LISTENER, &(struct dpk_cm_message){0});
    } else {
        not_made(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL);
    }
    rdmacm_cm_unlock();
    if (rdmacm_channel_complete(id) != 0)
        return -1;
    return id->synchronous && id->state == ANSWERED ? rdmacm_cm_establish(seen) : 0;
}

int rdmacm_cm_establish(struct rdma_cm_id *seen)
{
    struct id *id = id_of(seen);
    rdmacm_cm_lock();
    bool may = id && id->state == ANSWERED,
         sent = may && dpk_cm_send(id->fd, &(struct dpk_cm_message){.kind = DPK_CM_RTU});
    if (sent)
        id->state = CONNECTED;
    rdmacm_cm_unlock();
    return sent ? 0 : rdmacm_cm_failed(may ? ECONNRESET : EINVAL);
}

static void refuse(struct id *id, uint16_t why)
{
    dpk_cm_send(id->fd, &(struct dpk_cm_message){.kind = DPK_CM_REJ, .reason = why});
}

static void ended(struct id *id, enum rdma_cm_event_type what, int status,
                  const struct dpk_cm_message *m)
{
    id->state = ENDED;
    rdmacm_id_hang_up(id);
    rdmacm_channel_tell(id, NULL, what, status, m);
}

/* Handles a REP. */
static void answered(struct id *id, const struct dpk_cm_message *m)
{
    id->theirs = *m;
    if (id_is_ud(id)) { /* datagrams need no RTU */
        ended(id, RDMA_CM_EVENT_ESTABLISHED, 0, m);
        return;
    }
    id->state = ANSWERED;
    if (!id->seen.qp) {
        rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, m);
        return;
    }
    if (rdmacm_cm_qp_connect(id) &&
        dpk_cm_send(id->fd, &(struct dpk_cm_message){.kind = DPK_CM_RTU})) {
        id->state = CONNECTED;
        rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_ESTABLISHED, 0, m);
        return;
    }
    int why = errno;
    refuse(id, DPK_CM_REJECTED);
    not_made(id, RDMA_CM_EVENT_CONNECT_ERROR, -why, NULL);
}

/* ---- The listener ---- */

/* Forgets a caller that the program does not know yet. */
static void drop_caller(struct id *id)
{
    TAILQ_REMOVE(&id->listener->incoming, id, link);
    id->listener->strangers -= id->is_far;
    rdmacm_id_free(id);
}

/* Makes room for one more caller of another machine. The oldest gives way: it may never say anything. */
static void limit_strangers(struct id *listener)
{
    struct id *id;
    if (listener->strangers < STRANGERS_MAX)
        return;
    TAILQ_FOREACH(id, &listener->incoming, link)
    if (id->is_far)
        break;
    if (id)
        drop_caller(id);
}

static void take_callers(struct id *listener, int from)
{
    int fd;
    while ((fd = dpk_cm_accept(from)) >= 0) {
        struct id *id = rdmacm_id_new(listener->channel, listener->seen.ps, listener->seen.context);
        if (!id) {
            close(fd); /* the caller learns that nobody answers */
            return;
        }
        id->fd = fd;
        id->state = INCOMING;
        id->listener = listener;
        id->is_far = from == listener->far_fd;
        if (!rdmacm_channel_watch(id)) {
            rdmacm_id_free(id);
            return;
        }
        if (id->is_far)
            limit_strangers(listener);
        TAILQ_INSERT_TAIL(&listener->incoming, id, link);
        listener->strangers += id->is_far;
    }
}

/* Handles the first message of a caller that the program does not know yet. Callers without a REQ,
 * or with one of another kind of port, are dropped. */
static void asked(struct id *id, enum dpk_cm_heard heard, const struct dpk_cm_message *m)
{
    struct id *listener = id->listener;
    const struct device *d =
        heard == DPK_CM_MESSAGE && m->kind == DPK_CM_REQ && m->from.datagrams == id_is_ud(id)
            ? rdmacm_device_at(&m->to)
            : NULL;
    if (!d) {
        drop_caller(id);
        return;
    }
    TAILQ_REMOVE(&listener->incoming, id, link);
    listener->strangers -= id->is_far;
    const sa_family_t family = listener->seen.route.addr.src_addr.sa_family;
    id->seen.verbs = listener->seen.verbs ? listener->seen.verbs : d->verbs;
    id->local = m->to;
    id->remote = m->from;
    id->local.datagrams = id->remote.datagrams = id_is_ud(id);
    rdmacm_address_write(&id->local, family, &id->seen.route.addr.src_addr);
    rdmacm_address_write(&id->remote, family, &id->seen.route.addr.dst_addr);
    id->theirs = *m;
    id->state = REQUESTED;
    rdmacm_channel_tell(id, listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0, m);
}

int rdmacm_cm_accept(struct rdma_cm_id *seen, struct rdma_conn_param *param)
{
    struct id *id = id_of(seen);
    if (!id || id->state != REQUESTED)
        return rdmacm_cm_failed(EINVAL);
    if (introduce(id, DPK_CM_REP, param, &id->theirs) != 0)
        return -1;
    rdmacm_cm_lock();
    int done = 0;
    if (id->state != REQUESTED)
        done = rdmacm_cm_failed(ECONNRESET);
    else if (id->seen.qp && !rdmacm_cm_qp_connect(id))
        done = -1;
    else if (!dpk_cm_send(id->fd, &id->mine))
        done = rdmacm_cm_failed(ECONNRESET);
    else
        id->state = ACCEPTED;
    if (done == 0 && id_is_ud(id)) { /* the caller sends nothing more */
        id->state = ENDED;
        rdmacm_id_hang_up(id);
    }
    rdmacm_cm_unlock();
    return done == 0 && !id_is_ud(id) ? rdmacm_channel_complete(id) : done;
}

int rdmacm_cm_reject(struct rdma_cm_id *seen, const void *data, uint8_t size)
{
    struct id *id = id_of(seen);
    struct dpk_cm_message m = {.kind = DPK_CM_REJ, .reason = DPK_CM_REJECTED, .private_size = size};
    if (!id || (size && !data))
        return rdmacm_cm_failed(EINVAL);
    if (size)
        memcpy(m.private_data, data, size);
    rdmacm_cm_lock();
    bool may = id->state == REQUESTED || id->state == ANSWERED;
    if (may) {
        dpk_cm_send(id->fd, &m);
        id->state = ENDED;
        rdmacm_id_hang_up(id);
    }
    rdmacm_cm_unlock();
    return may ? 0 : rdmacm_cm_failed(EINVAL);
}

/* Called when packets of the peer arrive before its RTU. */
int rdmacm_cm_notify(struct rdma_cm_id *seen, enum ibv_event_type event)
{
    struct id *id = id_of(seen);
    if (!id || event != IBV_EVENT_COMM_EST)
        return rdmacm_cm_failed(EINVAL);
    rdmacm_cm_lock();
    bool may = id->state == ACCEPTED || id->state == CONNECTED;
    rdmacm_cm_unlock();
    return may ? 0 : rdmacm_cm_failed(EINVAL); /* RTU comes for certain, and says the same */
}

/* ---- Both sides ---- */

int rdmacm_cm_disconnect(struct rdma_cm_id *seen)
{
    struct id *id = id_of(seen);
    if (!id)
        return rdmacm_cm_failed(EINVAL);
    rdmacm_cm_lock();
    bool was = id->state == CONNECTED || id->state == ACCEPTED || id->state == ANSWERED,
         may = was || id->state == ENDED;
    if (was) {
        dpk_cm_send(id->fd, &(struct dpk_cm_message){.kind = DPK_CM_DREQ});
        id->state = ENDED;
        rdmacm_id_hang_up(id);
        rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
    }
    rdmacm_cm_unlock();
    if (!may)
        return rdmacm_cm_failed(EINVAL);
    rdmacm_cm_qp_fail(id);
    return was ? rdmacm_channel_complete(id) : 0;
}

/* Handles a message according to the state of the identifier. An unexpected message ends the
 * connection. */
static void understand(struct id *id, enum dpk_cm_heard heard, const struct dpk_cm_message *m)
{
    const unsigned kind = heard == DPK_CM_MESSAGE ? m->kind : 0;
    switch (id->state) {
    case CALLING:
        if (kind == DPK_CM_REP)
            answered(id, m);
        else if (kind == DPK_CM_REJ && id_is_ud(id))
            not_made(id, RDMA_CM_EVENT_UNREACHABLE, SIDR_REJECTED, m);
        else if (kind == DPK_CM_REJ)
            not_made(id, RDMA_CM_EVENT_REJECTED, m->reason, m);
        else
            not_made(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL);
        break;
    case ACCEPTED:
        if (kind == DPK_CM_RTU) {
            id->state = CONNECTED;
            rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_ESTABLISHED, 0, NULL);
        } else if (kind == DPK_CM_REJ) {
            not_made(id, RDMA_CM_EVENT_REJECTED, m->reason, m);
        } else {
            not_made(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL);
        }
        break;
    case CONNECTED:
        ended(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
        break;
    default:
        not_made(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, NULL);
        break;
    }
}

void rdmacm_connect_heard(struct id *id)
{
    struct dpk_cm_message m;
    if (id->state == LISTENING) {
        take_callers(id, id->fd);
        if (id->far_fd >= 0)
            take_callers(id, id->far_fd);
        return;
    }
    enum dpk_cm_heard heard = dpk_cm_receive(id->fd, &m);
    if (heard == DPK_CM_NOTHING)
        return;
    if (id->state == INCOMING)
        asked(id, heard, &m);
    else
        understand(id, heard, &m);
}
