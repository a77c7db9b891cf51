/* The functions of struct ibv_qp_ex: between ibv_wr_start and ibv_wr_complete, a program describes
 * work requests with several calls (ibv_wr_rdma_write, ibv_wr_set_sge, ...). */
#include <endian.h>
#include <errno.h>

#include "qp.h"

/* The lock is held from ibv_wr_start to the end, as in a card's library. */
static void start(struct ibv_qp_ex *ib)
{
    struct qp *qp = (struct qp *)ib;
    dpk_rc_lock(qp->rc);
    qp->sends.begun = 0;
    qp->sends.wrong = 0;
}

static int complete(struct ibv_qp_ex *ib)
{
    struct qp *qp = (struct qp *)ib;
    const int why = qp->sends.wrong ? qp->sends.wrong : verbs_send_is_allowed(qp) ? 0 : EINVAL;
    if (why)
        qp->sends.begun = 0;
    verbs_sends_commit(qp);
    dpk_rc_unlock(qp->rc);
    return why;
}

static void abandon(struct ibv_qp_ex *ib)
{
    struct qp *qp = (struct qp *)ib;
    qp->sends.begun = 0;
    dpk_rc_unlock(qp->rc);
}

/* ---- Operations: each starts a work request ---- */

static struct send *begin(struct ibv_qp_ex *ib, enum ibv_wr_opcode opcode)
{
    struct qp *qp = (struct qp *)ib;
    struct send *s = qp->sends.wrong ? NULL : verbs_send_begin(qp);
    if (!s) {
        qp->sends.wrong = qp->sends.wrong ? qp->sends.wrong : ENOMEM;
        return NULL;
    }
    s->wr_id = ib->wr_id;
    s->flags |= ib->wr_flags;
    qp->sends.wrong = verbs_send_set_operation(qp, s, opcode);
    return s;
}

static struct send *begin_at(struct ibv_qp_ex *ib, enum ibv_wr_opcode opcode, uint32_t rkey,
                             uint64_t address)
{
    struct send *s = begin(ib, opcode);
    if (s) {
        s->work.key = rkey;
        s->work.address = address;
    }
    return s;
}

static void compare_swap(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address, uint64_t compare,
                         uint64_t swap)
{
    struct send *s = begin_at(ib, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, address);
    if (s) {
        s->work.compare = compare;
        s->work.value = swap;
    }
}

static void fetch_add(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address, uint64_t add)
{
    struct send *s = begin_at(ib, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, address);
    if (s)
        s->work.value = add;
}

static void rdma_read(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address)
{
    begin_at(ib, IBV_WR_RDMA_READ, rkey, address);
}

static void rdma_write(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address)
{
    begin_at(ib, IBV_WR_RDMA_WRITE, rkey, address);
}

static void rdma_write_imm(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address, __be32 immediate)
{
    struct send *s = begin_at(ib, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address);
    if (s)
        s->work.immediate = be32toh(immediate);
}

static void send(struct ibv_qp_ex *ib)
{
    begin(ib, IBV_WR_SEND);
}

static void send_imm(struct ibv_qp_ex *ib, __be32 immediate)
{
    struct send *s = begin(ib, IBV_WR_SEND_WITH_IMM);
    if (s)
        s->work.immediate = be32toh(immediate);
}

/* ---- Unsupported operations ---- */

static void refuse(struct ibv_qp_ex *ib)
{
    struct qp *qp = (struct qp *)ib;
    qp->sends.wrong = qp->sends.wrong ? qp->sends.wrong : EOPNOTSUPP;
}

static void bind_mw(struct ibv_qp_ex *ib, struct ibv_mw *mw, uint32_t rkey,
                    const struct ibv_mw_bind_info *info)
{
    (void)mw, (void)rkey, (void)info;
    refuse(ib);
}

static void local_inv(struct ibv_qp_ex *ib, uint32_t rkey)
{
    (void)rkey;
    refuse(ib);
}

static void send_tso(struct ibv_qp_ex *ib, void *header, uint16_t size, uint16_t mss)
{
    (void)header, (void)size, (void)mss;
    refuse(ib);
}

static void set_xrc_srqn(struct ibv_qp_ex *ib, uint32_t srqn)
{
    (void)srqn;
    refuse(ib);
}

static void atomic_write(struct ibv_qp_ex *ib, uint32_t rkey, uint64_t address, const void *value)
{
    (void)rkey, (void)address, (void)value;
    refuse(ib);
}

/* ---- Data of the work request that was started last ---- */

static struct send *last(struct qp *qp)
{
    struct sends *s = &qp->sends;
    if (!s->wrong && s->begun == 0)
        s->wrong = EINVAL;
    return s->wrong ? NULL : &s->ring[(s->posted + s->begun - 1) & (s->size - 1)];
}

static void set_ud_addr(struct ibv_qp_ex *ib, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
    struct qp *qp = (struct qp *)ib;
    struct send *s = last(qp);
    if (s)
        qp->sends.wrong = verbs_send_set_target(qp, s, ah, qpn, qkey);
}

static void set_sge_list(struct ibv_qp_ex *ib, size_t count, const struct ibv_sge *list)
{
    struct qp *qp = (struct qp *)ib;
    struct send *s = last(qp);
    if (s)
        qp->sends.wrong = verbs_send_set_pieces(qp, s, list, count);
}

static void set_sge(struct ibv_qp_ex *ib, uint32_t lkey, uint64_t address, uint32_t length)
{
    set_sge_list(ib, 1, &(struct ibv_sge){.addr = address, .length = length, .lkey = lkey});
}

static void set_inline_data_list(struct ibv_qp_ex *ib, size_t count,
                                 const struct ibv_data_buf *list)
{
    struct qp *qp = (struct qp *)ib;
    struct send *s = last(qp);
    if (s)
        qp->sends.wrong = verbs_send_set_inline(qp, s, list, count);
}

static void set_inline_data(struct ibv_qp_ex *ib, void *data, size_t length)
{
    set_inline_data_list(ib, 1, &(struct ibv_data_buf){.addr = data, .length = length});
}

void verbs_qp_set_work_requests(struct ibv_qp_ex *ib)
{
    ib->wr_start = start;
    ib->wr_complete = complete;
    ib->wr_abort = abandon;
    ib->wr_atomic_cmp_swp = compare_swap;
    ib->wr_atomic_fetch_add = fetch_add;
    ib->wr_rdma_read = rdma_read;
    ib->wr_rdma_write = rdma_write;
    ib->wr_rdma_write_imm = rdma_write_imm;
    ib->wr_send = send;
    ib->wr_send_imm = send_imm;
    ib->wr_bind_mw = bind_mw;
    ib->wr_local_inv = local_inv;
    ib->wr_send_inv = local_inv;
    ib->wr_send_tso = send_tso;
    ib->wr_atomic_write = atomic_write;
    ib->wr_set_ud_addr = set_ud_addr;
    ib->wr_set_xrc_srqn = set_xrc_srqn;
    ib->wr_set_sge = set_sge;
    ib->wr_set_sge_list = set_sge_list;
    ib->wr_set_inline_data = set_inline_data;
    ib->wr_set_inline_data_list = set_inline_data_list;
}
