/* Send queues: convert work requests to works of rc. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ah.h"
#include "cq.h"
#include "qp.h"

#define PRIVILEGED 0x80000000u /* a Q_Key with this bit means the Q_Key of the queue pair */

bool verbs_sends_new(struct sends *s, uint32_t sends, uint32_t sges, uint32_t inlined)
{
    /* Inline data of a work request is one piece. */
    *s = (struct sends){.sges = sges ? sges : 1};
    if (sends == 0)
        return true;
    for (s->size = 1; s->size < sends;)
        s->size *= 2;
    s->ring = calloc(s->size, sizeof *s->ring);
    s->pieces = calloc(s->size, (s->sges + 1) * sizeof *s->pieces);
    s->inlined = inlined ? calloc(s->size, inlined) : NULL;
    if (s->ring && s->pieces && (s->inlined || inlined == 0))
        return true;
    verbs_sends_free(s);
    return false;
}

void verbs_sends_free(struct sends *s)
{
    free(s->ring);
    free(s->pieces);
    free(s->inlined);
    *s = (struct sends){0};
}

/* ---- Describing a work request ---- */

struct send *verbs_send_begin(struct qp *qp)
{
    struct sends *s = &qp->sends;
    if (s->posted + s->begun - atomic_load(&s->freed) >= s->size)
        return NULL;
    struct send *send = &s->ring[(s->posted + s->begun++) & (s->size - 1)];
    *send = (struct send){.flags = qp->signals_all ? IBV_SEND_SIGNALED : 0};
    return send;
}

static size_t index_of(const struct qp *qp, const struct send *s)
{
    return (size_t)(s - qp->sends.ring);
}

/* Returns the pieces of a work request. There is room for one piece before them. */
static struct dpk_rc_piece *pieces_of(const struct qp *qp, const struct send *s)
{
    return &qp->sends.pieces[index_of(qp, s) * (qp->sends.sges + 1) + 1];
}

/* Returns true if a type of queue pairs supports an operation. */
static bool has_operation(enum ibv_qp_type type, enum dpk_rc_opcode opcode)
{
    if (type == IBV_QPT_UD)
        return opcode == DPK_RC_SEND || opcode == DPK_RC_NOP;
    return type == IBV_QPT_RC || opcode <= DPK_RC_WRITE || opcode == DPK_RC_NOP;
}

int verbs_send_set_operation(const struct qp *qp, struct send *s, enum ibv_wr_opcode opcode)
{
    static const struct {
        bool is_there;
        enum dpk_rc_opcode opcode;
        enum ibv_wc_opcode done;
        bool has_immediate, reads;
    } operations[] = {
        [IBV_WR_SEND] = {true, DPK_RC_SEND, IBV_WC_SEND, false, false},
        [IBV_WR_SEND_WITH_IMM] = {true, DPK_RC_SEND, IBV_WC_SEND, true, false},
        [IBV_WR_RDMA_WRITE] = {true, DPK_RC_WRITE, IBV_WC_RDMA_WRITE, false, false},
        [IBV_WR_RDMA_WRITE_WITH_IMM] = {true, DPK_RC_WRITE, IBV_WC_RDMA_WRITE, true, false},
        [IBV_WR_RDMA_READ] = {true, DPK_RC_READ, IBV_WC_RDMA_READ, false, true},
        [IBV_WR_ATOMIC_CMP_AND_SWP] = {true, DPK_RC_COMPARE_SWAP, IBV_WC_COMP_SWAP, false, true},
        [IBV_WR_DRIVER1] = {true, DPK_RC_NOP, IBV_WC_DRIVER1, false, false},
        [IBV_WR_ATOMIC_FETCH_AND_ADD] = {true, DPK_RC_FETCH_ADD, IBV_WC_FETCH_ADD, false, true},
    };
    if ((size_t)opcode >= sizeof operations / sizeof *operations || !operations[opcode].is_there)
        return opcode <= IBV_WR_DRIVER1 ? EOPNOTSUPP : EINVAL;
    if (!has_operation(qp->ib.qp_base.qp_type, operations[opcode].opcode))
        return EINVAL;
    s->opcode = operations[opcode].done;
    s->reads = operations[opcode].reads;
    s->work.opcode = operations[opcode].opcode;
    s->work.has_immediate = operations[opcode].has_immediate;
    return 0;
}

int verbs_send_set_pieces(struct qp *qp, struct send *s, const struct ibv_sge *list, size_t count)
{
    struct dpk_rc_piece *to = pieces_of(qp, s);
    if (count > qp->sends.sges || (count > 0 && !list))
        return EINVAL;
    for (size_t i = 0; i < count; i++)
        to[i] = piece_of(&list[i]);
    s->work.pieces = to;
    s->work.count = (unsigned)count;
    return 0;
}

int verbs_send_set_inline(struct qp *qp, struct send *s, const struct ibv_data_buf *list,
                          size_t count)
{
    const uint32_t room = qp->cap.max_inline_data;
    uint8_t *to = qp->sends.inlined + index_of(qp, s) * room;
    uint32_t size = 0;
    if (s->reads)
        return EINVAL; /* a read sends no data */
    for (size_t i = 0; i < count; i++) {
        if (list[i].length > room - size)
            return ENOMEM;
        if (list[i].length > 0)
            memcpy(to + size, list[i].addr, list[i].length);
        size += (uint32_t)list[i].length;
    }
    struct dpk_rc_piece *piece = pieces_of(qp, s);
    *piece = (struct dpk_rc_piece){.bytes = to, .memory = {.size = size}};
    s->work.pieces = piece;
    s->work.count = size > 0;
    return 0;
}

int verbs_send_set_target(const struct qp *qp, struct send *s, const struct ibv_ah *ah,
                          uint32_t number, uint32_t qkey)
{
    if (!qp_is_ud(qp) || !ah || ah->pd->context != qp->ib.qp_base.context || number > 0xffffff)
        return EINVAL;
    s->to = (const struct ah *)ah;
    s->work.target = number;
    if (s->to->is_far)
        memcpy(s->work.machine, s->to->attr.grh.dgid.raw, sizeof s->work.machine);
    s->work.qkey = qkey & PRIVILEGED ? qp->attr.qkey : qkey;
    return 0;
}

/* Puts the header before a datagram, which must fit into one packet. */
static void address(const struct qp *qp, struct send *s, uint64_t size)
{
    if (size > QP_MTU || !s->to) {
        s->work.wrong = s->to ? DPK_RC_LOCAL_LENGTH : DPK_RC_LOCAL_OPERATION;
        return;
    }
    struct dpk_rc_piece *header = pieces_of(qp, s) - 1;
    verbs_ah_write_header(s->to, size, &s->header);
    s->work.address = verbs_ah_level(s->to);
    *header = (struct dpk_rc_piece){.bytes = (const uint8_t *)&s->header,
                                    .memory = {.size = sizeof s->header}};
    s->work.pieces = header;
    s->work.count++;
}

/* Checks that need the complete work request. */
static void judge(const struct qp *qp, struct send *s)
{
    const struct dpk_rc_message m = {s->work.pieces, s->work.count};
    const uint64_t size = dpk_rc_message_size(&m);
    const bool atomic = s->work.opcode == DPK_RC_FETCH_ADD || s->work.opcode == DPK_RC_COMPARE_SWAP;
    s->work.user = s;
    s->work.solicited = s->flags & IBV_SEND_SOLICITED;
    if (size > QP_MESSAGE_MAX || (atomic && size != sizeof(uint64_t)))
        s->work.wrong = DPK_RC_LOCAL_LENGTH;
    if (qp_is_ud(qp) && s->work.opcode == DPK_RC_SEND)
        address(qp, s, size);
}

void verbs_sends_commit(struct qp *qp)
{
    struct sends *s = &qp->sends;
    for (; s->begun > 0; s->begun--)
        judge(qp, &s->ring[s->posted++ & (s->size - 1)]);
    dpk_rc_qp_kick(qp->pair);
}

bool verbs_send_is_allowed(const struct qp *qp)
{
    return qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD || qp->state == IBV_QPS_ERR;
}

/* ---- ibv_post_send ---- */

static int set_data(struct qp *qp, struct send *s, const struct ibv_send_wr *wr)
{
    struct ibv_data_buf list[QP_SGE_MAX];
    if (wr->num_sge < 0 || wr->num_sge > QP_SGE_MAX || (wr->num_sge > 0 && !wr->sg_list))
        return EINVAL;
    const size_t count = (size_t)wr->num_sge;
    if (!(wr->send_flags & IBV_SEND_INLINE))
        return verbs_send_set_pieces(qp, s, wr->sg_list, count);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct ibv_data_buf){.addr = (void *)(uintptr_t)wr->sg_list[i].addr,
                                        .length = wr->sg_list[i].length};
    return verbs_send_set_inline(qp, s, list, count);
}

static int set_target(const struct qp *qp, struct send *s, const struct ibv_send_wr *wr)
{
    if (s->work.has_immediate)
        s->work.immediate = be32toh(wr->imm_data);
    switch (s->work.opcode) {
    case DPK_RC_WRITE:
    case DPK_RC_READ:
        s->work.key = wr->wr.rdma.rkey;
        s->work.address = wr->wr.rdma.remote_addr;
        break;
    case DPK_RC_FETCH_ADD:
        s->work.key = wr->wr.atomic.rkey;
        s->work.address = wr->wr.atomic.remote_addr;
        s->work.value = wr->wr.atomic.compare_add;
        break;
    case DPK_RC_COMPARE_SWAP:
        s->work.key = wr->wr.atomic.rkey;
        s->work.address = wr->wr.atomic.remote_addr;
        s->work.compare = wr->wr.atomic.compare_add;
        s->work.value = wr->wr.atomic.swap;
        break;
    case DPK_RC_SEND:
        return qp_is_ud(qp) ? verbs_send_set_target(qp, s, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
                                                    wr->wr.ud.remote_qkey)
                            : 0;
    default:
        break;
    }
    return 0;
}

/* Reads the work request that dpk_verbs_set_wait made. */
static int set_wait(const struct qp *qp, struct send *s, const struct ibv_send_wr *wr)
{
    const uint64_t number = wr->wr.rdma.remote_addr;
    if (number > UINT32_MAX || wr->num_sge != 0 ||
        !(s->awaits = verbs_cq_await(qp->ib.qp_base.context, (uint32_t)number)))
        return EINVAL;
    s->until = wr->wr.rdma.rkey;
    return 0;
}

static int describe(struct qp *qp, const struct ibv_send_wr *wr)
{
    struct send *s = verbs_send_begin(qp);
    if (!s)
        return ENOMEM;
    s->wr_id = wr->wr_id;
    s->flags |= wr->send_flags;
    int why = verbs_send_set_operation(qp, s, wr->opcode);
    if (!why)
        why = set_data(qp, s, wr);
    if (!why && s->work.opcode == DPK_RC_NOP)
        why = set_wait(qp, s, wr);
    if (!why)
        why = set_target(qp, s, wr);
    if (why)
        qp->sends.begun--;
    return why;
}

int verbs_qp_post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
    struct qp *qp = (struct qp *)ib;
    int why = EINVAL;
    if (qp->generation == verbs_qp_generation()) {
        dpk_rc_lock(qp->rc);
        why = verbs_send_is_allowed(qp) ? 0 : EINVAL;
        for (; !why && wr; wr = why ? wr : wr->next)
            why = describe(qp, wr);
        verbs_sends_commit(qp);
        dpk_rc_unlock(qp->rc);
    }
    if (why)
        *bad_wr = wr;
    return why;
}

/* ---- Waiting for completions ---- */

/* Queue pairs whose next work request waits. Used with the lock. */
static LIST_HEAD(, qp) awaiting = LIST_HEAD_INITIALIZER(awaiting);

static void await(struct qp *qp)
{
    if (!qp->awaits)
        LIST_INSERT_HEAD(&awaiting, qp, in_awaiting);
    qp->awaits = true;
}

static void unawait(struct qp *qp)
{
    if (qp->awaits)
        LIST_REMOVE(qp, in_awaiting);
    qp->awaits = false;
}

void verbs_sends_wake(void)
{
    struct qp *qp, *next;
    for (qp = LIST_FIRST(&awaiting); qp; qp = next) {
        const struct sends *s = &qp->sends;
        const struct send *send = &s->ring[s->taken & (s->size - 1)];
        next = LIST_NEXT(qp, in_awaiting);
        if (verbs_cq_has_passed(send->awaits, send->until)) {
            unawait(qp);
            dpk_rc_qp_kick_later(qp->pair);
        }
    }
}

static void end_wait(struct send *s)
{
    if (s->awaits)
        verbs_cq_unawait(s->awaits);
    s->awaits = NULL;
}

void verbs_sends_drop(struct qp *qp)
{
    struct sends *s = &qp->sends;
    unawait(qp);
    for (; s->done != s->posted; s->done++)
        end_wait(&s->ring[s->done & (s->size - 1)]);
    s->taken = s->posted;
    atomic_store(&s->freed, s->posted);
    s->silent = s->reads = 0;
}

/* ---- Callbacks of rc ---- */

bool verbs_send_next(void *context, struct dpk_rc_work *out)
{
    struct qp *qp = context;
    struct sends *s = &qp->sends;
    const enum ibv_qp_state state = qp->state;
    if (s->taken == s->posted || (state != IBV_QPS_RTS && state != IBV_QPS_ERR))
        return false;
    const struct send *next = &s->ring[s->taken & (s->size - 1)];
    if (state == IBV_QPS_RTS && next->flags & IBV_SEND_FENCE && s->reads > 0)
        return false;
    if (state == IBV_QPS_RTS && next->awaits && !verbs_cq_has_passed(next->awaits, next->until)) {
        await(qp);
        return false;
    }
    unawait(qp);
    s->taken++;
    s->reads += next->reads;
    *out = next->work;
    return true;
}

bool verbs_send_done(struct qp *qp, const struct dpk_rc_completion *c)
{
    struct sends *s = &qp->sends;
    struct send *done = c->user;
    struct ibv_wc wc = verbs_wc_of(qp, done->wr_id, c->status);
    const bool silent = c->event == DPK_RC_DONE && !(done->flags & IBV_SEND_SIGNALED);
    verbs_qp_tell(qp, "", c->status, c->why);
    wc.opcode = done->opcode;
    wc.byte_len = done->reads ? (uint32_t)c->bytes : 0;
    s->reads -= done->reads;
    end_wait(done);
    s->done++;
    if (qp->state == IBV_QPS_SQD && s->done == s->taken && qp->attr.en_sqd_async_notify) {
        qp->attr.en_sqd_async_notify = 0;
        verbs_qp_raise(qp, IBV_EVENT_SQ_DRAINED);
    }
    s->silent++;
    if (silent)
        return true;
    const struct cq_places places = {&s->freed, s->silent};
    s->silent = 0;
    return verbs_cq_complete(qp->ib.qp_base.send_cq, &wc, places, c->status != DPK_RC_OK);
}
