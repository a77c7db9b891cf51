/* Reliable connected queue pairs: rings of WQEs and receives as a front end of rc. */
#include <stdlib.h>

#include "model.h"

#define INDEX_MASK 0xffffffu /* of completions */
#define AT_ONCE    32u       /* WQEs of a queue pair that were read and are not complete */

/* A send WQE that is being carried out. */
struct send {
    bool used, told; /* the reason why it is invalid was reported */
    struct control control;
    struct wqe wqe; /* points into `bytes` */
    uint8_t bytes[WQE_MAX + DPK_WQEBB];
};

struct pair {
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    bool closing;           /* being destroyed: posted works are dropped */
    struct receive receive; /* the last receive that was taken */
    struct send *sends[AT_ONCE];
};

/* ---- Sends ---- */

/* Returns a free entry, or NULL if there is none, or memory is exhausted. */
static struct send *new_send(struct pair *p)
{
    for (unsigned i = 0; i < AT_ONCE; i++) {
        if (!p->sends[i])
            p->sends[i] = calloc(1, sizeof *p->sends[i]);
        if (!p->sends[i] || !p->sends[i]->used)
            return p->sends[i];
    }
    return NULL;
}

/* Returns whether there are sends to carry out or flush. */
static bool may_send(struct dpk_queue *q)
{
    if (q->options.no_sends || q->pair->closing ||
        (q->state != DPK_QP_RTS && q->state != DPK_QP_ERROR))
        return false;
    if (q->state == DPK_QP_ERROR && q->options.send_cq->state == DPK_QP_ERROR)
        q->done = q->posted; /* no completions can be written */
    return q->done != q->posted;
}

static void unawait(struct dpk_queue *q)
{
    if (q->awaits)
        LIST_REMOVE(q, in_awaiting);
    q->awaits = false;
}

/* Judges a wait for completions. Returns true if the queue pair has to wait. Cards compare the index with that
 * of the CQ's last completion, 24 bits: *wrong is an error if the device has no such CQ. */
static bool must_wait(struct dpk_queue *q, const struct wqe *wqe, enum dpk_rc_status *wrong,
                      struct why *why)
{
    unawait(q);
    if (*wrong != DPK_RC_OK || wqe->control.opcode != WQE_WAIT || q->state != DPK_QP_RTS)
        return false;
    const struct dpk_queue *cq;
    LIST_FOREACH(cq, &q->nic->numbered[wqe->awaited % NUMBERED], in_numbered)
    if (cq->number == wqe->awaited && cq->options.kind == DPK_CQ)
        break;
    if (!cq) {
        *wrong = queues_wqe_refuse(why, DPK_RC_LOCAL_OPERATION, "it waits for 0x%x, which is no CQ",
                                   wqe->awaited);
        return false;
    }
    const uint32_t ahead = (cq->produced - wqe->until) & INDEX_MASK;
    if (ahead > 0 && ahead <= INDEX_MASK / 2)
        return false;
    LIST_INSERT_HEAD(&q->nic->awaiting, q, in_awaiting);
    q->awaits = true;
    return true;
}

void queues_pairs_look(struct dpk_queues *nic)
{
    struct dpk_queue *q;
    LIST_FOREACH(q, &nic->awaiting, in_awaiting)
    dpk_rc_qp_kick_later(q->pair->qp);
}

static bool next_send(void *context, struct dpk_rc_work *out)
{
    struct dpk_queue *q = context;
    struct why why;
    uint16_t blocks;
    struct send *s = may_send(q) ? new_send(q->pair) : NULL;
    if (!s)
        return false;
    s->told = false;
    *out = (struct dpk_rc_work){.opcode = DPK_RC_NOP, .user = s};
    out->wrong = queues_send_load(q, s->bytes, &s->control, &blocks, &why);
    if (out->wrong == DPK_RC_OK)
        out->wrong = queues_wqe_parse(s->bytes, (size_t)blocks * DPK_WQEBB, false, &s->wqe, &why);
    else if (q->state == DPK_QP_ERROR)
        blocks = (uint16_t)(q->posted - q->done); /* the start of the next WQE is unknown */
    if (must_wait(q, &s->wqe, &out->wrong, &why))
        return false;
    s->used = true;
    q->done = (uint16_t)(q->done + blocks);
    if (out->wrong != DPK_RC_OK && q->state != DPK_QP_ERROR) {
        queues_send_tell(q, &s->control, &why);
        s->told = true;
    }
    if (out->wrong != DPK_RC_OK || q->state == DPK_QP_ERROR)
        return true;
    if (queues_moved_too_much(q))
        out->wrong = DPK_RC_FLUSHED;
    else
        queues_wqe_describe(&s->wqe, out);
    return true;
}

/* ---- Receives ---- */

static enum dpk_rc_taken next_receive(void *context, struct dpk_rc_receive *out)
{
    struct dpk_queue *q = context;
    struct receive *r = &q->pair->receive;
    const bool shared = q->options.receives != NULL;
    if (q->pair->closing || (q->options.no_receives && !shared) ||
        (shared && q->state == DPK_QP_ERROR))
        return DPK_RC_NEVER;
    enum dpk_rc_taken taken = queues_rwqe_take(q, r);
    if (taken == DPK_RC_TAKEN)
        *out = (struct dpk_rc_receive){
            .pieces = r->data.list, .count = r->data.count, .index = r->index};
    if (taken == DPK_RC_NONE && q->state != DPK_QP_ERROR) {
        q->waits = true;
        q->nic->pairs_wait = true;
        q->nic->ops->waits(q->nic->context);
    }
    return taken;
}

/* ---- Completions ---- */

/* Reports why a send or a receive has failed. Flushed works have no reason. */
static void tell(struct dpk_queue *q, const char *what, unsigned index, enum dpk_rc_status status,
                 const struct dpk_rc_why *why)
{
    char reason[DPK_RC_REASON_MAX];
    if (why && dpk_first(&q->told, dpk_rc_kind(status, why)))
        queue_warn(q, "%s%u: %s", what, index, dpk_rc_reason(status, why, reason));
}

static bool completed(void *context, const struct dpk_rc_completion *done)
{
    static const enum cqe_opcode opcodes[] = {[DPK_RC_RECEIVED] = CQE_SEND,
                                              [DPK_RC_RECEIVED_IMMEDIATE] = CQE_SEND_IMMEDIATE,
                                              [DPK_RC_WRITTEN_IMMEDIATE] = CQE_WRITE_IMMEDIATE,
                                              [DPK_RC_RECEIVE_FAILED] = CQE_RESPONSE_ERROR};
    struct dpk_queue *q = context;
    struct send *s = done->user;
    if (done->event == DPK_RC_DONE || done->event == DPK_RC_FAILED) {
        q->nic->moved += q->nic->serves ? done->bytes : 0;
        s->used = false;
        if (!s->told)
            tell(q, "WQE ", s->control.index, done->status, done->why);
        return queues_send_complete(q, &s->control, done->status, done->bytes);
    }
    const bool failed = done->event == DPK_RC_RECEIVE_FAILED;
    tell(q, "receive ", done->index, done->status, done->why);
    struct completion c = {.opcode = opcodes[done->event],
                           .syndrome = done->status,
                           .bytes = (uint32_t)done->bytes,
                           .immediate = done->immediate,
                           .remote = failed ? 0 : q->remote};
    return queues_rwqe_complete(q, (uint16_t)done->index, &c);
}

static void failed(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why)
{
    struct dpk_queue *q = context;
    tell(q, "it refused its peer 0x", q->remote, refused, why);
    q->state = DPK_QP_ERROR;
    q->waits = false;
}

/* ---- Life ---- */

static const struct dpk_rc_ops ops = {
    .complete = completed, .next = next_send, .receive = next_receive, .failed = failed};

enum dpk_status queues_pair_create(struct dpk_queue *q, struct dpk_error *err)
{
    const struct dpk_rc_end_options options = {.ops = &ops,
                                               .context = q,
                                               .domain = q->options.domain,
                                               .permissions = q->options.permits,
                                               .sends = AT_ONCE,
                                               .outlives_peers = true};
    struct pair *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_rc_end_create(q->nic->rc, &options, &p->end, err);
    if (status == DPK_OK)
        status = dpk_rc_qp_create(p->end, 0, &p->qp, err);
    if (status == DPK_OK) {
        q->pair = p;
        q->number = dpk_rc_qp_number(p->qp);
        return DPK_OK;
    }
    if (p->end)
        dpk_rc_end_destroy(p->end);
    free(p);
    return status;
}

void queues_pair_destroy(struct dpk_queue *q)
{
    struct pair *p = q->pair;
    if (!p)
        return;
    p->closing = true;
    unawait(q);
    dpk_rc_qp_reset(p->qp);
    dpk_rc_end_destroy(p->end);
    for (unsigned i = 0; i < AT_ONCE; i++)
        free(p->sends[i]);
    free(p);
}

enum dpk_status queues_pair_connect(const struct dpk_queue *q, const struct dpk_qp_change *to,
                                    struct dpk_error *err)
{
    return to->remote_ip ? dpk_rc_qp_connect_far(q->pair->qp, to->remote, to->remote_ip, err)
                         : dpk_rc_qp_connect_number(q->pair->qp, to->remote, err);
}

void queues_pair_expose(const struct dpk_queue *q)
{
    dpk_rc_qp_expose(q->pair->qp);
}

void queues_pair_permit(struct dpk_queue *q)
{
    dpk_rc_end_permit(q->pair->end, q->options.permits);
}

void queues_pair_run(struct dpk_queue *q)
{
    dpk_rc_qp_kick(q->pair->qp);
}

void queues_pair_resume(struct dpk_queue *q)
{
    q->waits = false;
    dpk_rc_end_resume(q->pair->end);
}

void queues_pair_fail(struct dpk_queue *q)
{
    unawait(q);
    dpk_rc_qp_fail(q->pair->qp);
}

void queues_pair_reset(struct dpk_queue *q)
{
    unawait(q);
    dpk_rc_qp_reset(q->pair->qp);
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (q->pair->sends[i])
            q->pair->sends[i]->used = false;
}
