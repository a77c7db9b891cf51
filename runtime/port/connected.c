/* Reliable connected queue pairs: what a request does with the peer. */
#include "model.h"

#define ATOMIC_SIZE 8u

/* The peer, if it is there and means this queue pair too. */
static struct dpk_queue *peer_of(const struct dpk_queue *q)
{
    struct dpk_queue *p;
    TAILQ_FOREACH(p, &q->nic->queues, in_nic)
    if (p->number == q->remote)
        break;
    if (!p || p->options.kind != DPK_QP || p->remote != q->number ||
        (p->state != DPK_QP_RTR && p->state != DPK_QP_RTS))
        return NULL;
    return p;
}

/* The peer refuses: it goes into the error state, and the requester hears of `told`. */
static enum syndrome refuse(struct dpk_queue *peer, enum syndrome told)
{
    queue_fail(peer);
    return told;
}

/* Ends a receive with an error. */
static enum syndrome refuse_receive(struct dpk_queue *peer, const struct receive *r,
                                    enum syndrome theirs, enum syndrome told)
{
    struct completion c = {.opcode = CQE_RESPONSE_ERROR, .syndrome = theirs};
    rwqe_complete(peer, r, &c);
    return refuse(peer, told);
}

static bool permitted(const struct dpk_queue *peer, unsigned access, const struct piece *remote)
{
    return (peer->options.permits & access) &&
           (remote->size == 0 ||
            peer->nic->ops->has(peer->nic->context, peer->options.domain, remote->key,
                                remote->address, remote->size, access));
}

/* The receive that a send or an immediate uses up. */
static enum answer take(struct dpk_queue *q, struct dpk_queue *peer, struct receive *r,
                        enum syndrome *wrong)
{
    if (rwqe_take(peer, r))
        return ANSWER_DONE;
    if (peer->state != DPK_QP_ERROR && q->state != DPK_QP_ERROR &&
        !(peer->options.no_receives && !peer->options.receives))
        return ANSWER_WAIT;
    *wrong = SYNDROME_REMOTE_OPERATION;
    return ANSWER_FAILED;
}

static bool copy(struct dpk_queue *q, struct dpk_queue *peer, const struct wqe *wqe,
                 const struct pieces *to, unsigned access)
{
    const struct side here = {&wqe->data, q->options.domain, DPK_QUEUE_LOCAL_READ};
    const struct side there = {to, peer->options.domain, access};
    return pieces_copy(q->nic, &here, &there, wqe->data.total);
}

static enum answer run_send(struct dpk_queue *q, struct dpk_queue *peer, const struct wqe *wqe,
                            enum syndrome *wrong)
{
    struct receive r;
    enum answer answer = take(q, peer, &r, wrong);
    if (answer != ANSWER_DONE)
        return answer;
    if (wqe->data.total > r.data.total)
        *wrong = refuse_receive(peer, &r, SYNDROME_LOCAL_LENGTH, SYNDROME_REMOTE_INVALID);
    else if (!pieces_are_there(q->nic, peer->options.domain, &r.data, wqe->data.total,
                               DPK_QUEUE_LOCAL_WRITE) ||
             !copy(q, peer, wqe, &r.data, DPK_QUEUE_LOCAL_WRITE))
        *wrong = refuse_receive(peer, &r, SYNDROME_LOCAL_PROTECTION, SYNDROME_REMOTE_OPERATION);
    if (*wrong)
        return ANSWER_FAILED;
    const bool immediate = wqe->control.opcode == WQE_SEND_IMMEDIATE;
    struct completion c = {.opcode = immediate ? CQE_SEND_IMMEDIATE : CQE_SEND,
                           .bytes = (uint32_t)wqe->data.total,
                           .immediate = immediate ? wqe->control.immediate : 0,
                           .remote = q->number};
    if (!rwqe_complete(peer, &r, &c))
        queue_fail(peer);
    return ANSWER_DONE;
}

static enum answer run_write(struct dpk_queue *q, struct dpk_queue *peer, const struct wqe *wqe,
                             enum syndrome *wrong)
{
    struct receive r;
    const bool immediate = wqe->control.opcode == WQE_WRITE_IMMEDIATE;
    const struct piece remote = {
        .key = wqe->key, .address = wqe->address, .size = (uint32_t)wqe->data.total};
    const struct pieces to = {.list = {remote}, .count = 1, .total = remote.size};
    if (immediate && !rwqe_is_posted(peer) && !peer->options.no_receives)
        return ANSWER_WAIT;
    if (!permitted(peer, DPK_QUEUE_REMOTE_WRITE, &remote) ||
        !copy(q, peer, wqe, &to, DPK_QUEUE_REMOTE_WRITE)) {
        *wrong = refuse(peer, SYNDROME_REMOTE_ACCESS);
        return ANSWER_FAILED;
    }
    if (!immediate)
        return ANSWER_DONE;
    enum answer answer = take(q, peer, &r, wrong);
    if (answer != ANSWER_DONE)
        return answer;
    struct completion c = {.opcode = CQE_WRITE_IMMEDIATE,
                           .bytes = remote.size,
                           .immediate = wqe->control.immediate,
                           .remote = q->number};
    if (!rwqe_complete(peer, &r, &c))
        queue_fail(peer);
    return ANSWER_DONE;
}

static enum syndrome run_read(struct dpk_queue *q, struct dpk_queue *peer, const struct wqe *wqe)
{
    const struct piece remote = {
        .key = wqe->key, .address = wqe->address, .size = (uint32_t)wqe->data.total};
    const struct pieces from = {.list = {remote}, .count = 1, .total = remote.size};
    const struct side there = {&from, peer->options.domain, DPK_QUEUE_REMOTE_READ};
    const struct side here = {&wqe->data, q->options.domain, DPK_QUEUE_LOCAL_WRITE};
    if (!permitted(peer, DPK_QUEUE_REMOTE_READ, &remote))
        return refuse(peer, SYNDROME_REMOTE_ACCESS);
    return pieces_copy(q->nic, &there, &here, remote.size) ? SYNDROME_NONE
                                                           : SYNDROME_LOCAL_PROTECTION;
}

/* Values in memory are the host's and the DPA's, little endian; those of the WQE were read already.
 */
static uint64_t get64(const uint8_t *bytes)
{
    struct dpk_reader r = dpk_reader(bytes, ATOMIC_SIZE);
    return dpk_read_le64(&r);
}

static void put64(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < ATOMIC_SIZE; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static enum syndrome run_atomic(struct dpk_queue *q, struct dpk_queue *peer, const struct wqe *wqe)
{
    const struct piece remote = {.key = wqe->key, .address = wqe->address, .size = ATOMIC_SIZE};
    const struct dpk_queue_ops *ops = q->nic->ops;
    uint8_t bytes[ATOMIC_SIZE], changed[ATOMIC_SIZE];
    if (wqe->data.total != ATOMIC_SIZE)
        return SYNDROME_LOCAL_LENGTH;
    if (wqe->address % ATOMIC_SIZE != 0)
        return refuse(peer, SYNDROME_REMOTE_INVALID);
    if (!permitted(peer, DPK_QUEUE_REMOTE_ATOMIC, &remote) ||
        !ops->read(q->nic->context, peer->options.domain, wqe->key, wqe->address, bytes,
                   ATOMIC_SIZE, DPK_QUEUE_REMOTE_ATOMIC))
        return refuse(peer, SYNDROME_REMOTE_ACCESS);
    const uint64_t before = get64(bytes);
    put64(changed, before);
    if (wqe->control.opcode == WQE_FETCH_ADD)
        put64(changed, before + wqe->operand);
    else if (before == wqe->compare)
        put64(changed, wqe->operand);
    if (!ops->write(q->nic->context, peer->options.domain, wqe->key, wqe->address, changed,
                    ATOMIC_SIZE, DPK_QUEUE_REMOTE_ATOMIC))
        return refuse(peer, SYNDROME_REMOTE_ACCESS);
    const struct pieces from = {
        .list = {{.bytes = bytes, .size = ATOMIC_SIZE}}, .count = 1, .total = ATOMIC_SIZE};
    const struct side there = {&from, NULL, 0};
    const struct side here = {&wqe->data, q->options.domain, DPK_QUEUE_LOCAL_WRITE};
    return pieces_copy(q->nic, &there, &here, ATOMIC_SIZE) ? SYNDROME_NONE
                                                           : SYNDROME_LOCAL_PROTECTION;
}

static bool is_fetched(uint8_t opcode)
{
    return opcode == WQE_READ || opcode == WQE_COMPARE_SWAP || opcode == WQE_FETCH_ADD;
}

static bool has_inline(const struct pieces *p)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->list[i].bytes)
            return true;
    return false;
}

/* What is wrong on this side, before the peer hears of it. */
static enum syndrome check_local(const struct dpk_queue *q, const struct wqe *wqe)
{
    const bool fetched = is_fetched(wqe->control.opcode);
    if (wqe->data.total > DPK_MESSAGE_MAX)
        return SYNDROME_LOCAL_LENGTH;
    if (fetched && has_inline(&wqe->data))
        return SYNDROME_LOCAL_OPERATION;
    return pieces_are_there(q->nic, q->options.domain, &wqe->data, wqe->data.total,
                            fetched ? DPK_QUEUE_LOCAL_WRITE : DPK_QUEUE_LOCAL_READ)
               ? SYNDROME_NONE
               : SYNDROME_LOCAL_PROTECTION;
}

enum answer connected_run(struct dpk_queue *q, const struct wqe *wqe, enum syndrome *wrong)
{
    *wrong = check_local(q, wqe);
    if (*wrong)
        return ANSWER_FAILED;
    struct dpk_queue *peer = peer_of(q);
    if (!peer) {
        *wrong = SYNDROME_RETRY_EXCEEDED;
        return ANSWER_FAILED;
    }
    switch (wqe->control.opcode) {
    case WQE_SEND:
    case WQE_SEND_IMMEDIATE:
        return run_send(q, peer, wqe, wrong);
    case WQE_WRITE:
    case WQE_WRITE_IMMEDIATE:
        return run_write(q, peer, wqe, wrong);
    case WQE_READ:
        *wrong = run_read(q, peer, wqe);
        break;
    default:
        *wrong = run_atomic(q, peer, wqe);
        break;
    }
    return *wrong ? ANSWER_FAILED : ANSWER_DONE;
}
