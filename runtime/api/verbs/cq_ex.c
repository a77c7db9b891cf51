/* Polls completions one by one (ibv_start_poll and related functions). */
#include <errno.h>

#include "cq.h"

static int next(struct ibv_cq_ex *ib)
{
    struct cq *cq = (struct cq *)ib;
    if (verbs_cq_poll(ibv_cq_ex_to_cq(ib), 1, &cq->now) != 1)
        return ENOENT;
    ib->wr_id = cq->now.wr_id;
    ib->status = cq->now.status;
    return 0;
}

static int start(struct ibv_cq_ex *ib, struct ibv_poll_cq_attr *attr)
{
    return attr && attr->comp_mask ? EINVAL : next(ib);
}

static void end(struct ibv_cq_ex *ib)
{
    (void)ib;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.wc_flags;
}

/* The LID exists only on InfiniBand links, not on Ethernet. */
static uint32_t read_slid(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ib)
{
    return ((struct cq *)ib)->now.dlid_path_bits;
}

void verbs_cq_set_reader(struct ibv_cq_ex *ib)
{
    ib->start_poll = start;
    ib->next_poll = next;
    ib->end_poll = end;
    ib->read_opcode = read_opcode;
    ib->read_vendor_err = read_vendor_err;
    ib->read_byte_len = read_byte_len;
    ib->read_imm_data = read_imm_data;
    ib->read_qp_num = read_qp_num;
    ib->read_src_qp = read_src_qp;
    ib->read_wc_flags = read_wc_flags;
    ib->read_slid = read_slid;
    ib->read_sl = read_sl;
    ib->read_dlid_path_bits = read_dlid_path_bits;
}
