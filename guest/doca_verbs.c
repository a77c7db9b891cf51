/* Work requests of DOCA Verbs for DPA code. The host library carries them out. */
#include "guest/abi/syscall.h"
#include "guest/abi/verbs_calls.h"

#include <doca_dpa_dev_verbs.h>

struct send {
    uint64_t segments, remote_address, add, swap;
    uint32_t count, opcode, flags, fence, immediate, remote_key; /* or the key to invalidate */
};

struct receive {
    uint64_t segments;
    uint32_t count, reserved;
};

_Static_assert(sizeof(struct send) <= sizeof(struct doca_dpa_dev_verbs_send_wr) &&
                   sizeof(struct receive) <= sizeof(struct doca_dpa_dev_verbs_recv_wr) &&
                   sizeof(struct dpa_verbs_segment) == sizeof(struct doca_dpa_dev_verbs_sge),
               "they are as large as the header says");

static struct send *send_of(struct doca_dpa_dev_verbs_send_wr *wr)
{
    return (struct send *)(void *)wr;
}

static struct receive *receive_of(struct doca_dpa_dev_verbs_recv_wr *wr)
{
    return (struct receive *)(void *)wr;
}

#define FIELD(wr, of, type, name, member)                                                          \
    void doca_dpa_dev_verbs_##wr##_set_##name(struct doca_dpa_dev_verbs_##wr *w, type value)       \
    {                                                                                              \
        of(w)->member = (__typeof__(of(w)->member))value;                                          \
    }                                                                                              \
    type doca_dpa_dev_verbs_##wr##_get_##name(struct doca_dpa_dev_verbs_##wr *w)                   \
    {                                                                                              \
        return (type)of(w)->member;                                                                \
    }

FIELD(send_wr, send_of, struct doca_dpa_dev_verbs_sge *, sg_list, segments)
FIELD(send_wr, send_of, uint32_t, sg_num_sge, count)
FIELD(send_wr, send_of, enum doca_dpa_dev_verbs_send_wr_opcode, opcode, opcode)
FIELD(send_wr, send_of, unsigned int, send_flags, flags)
FIELD(send_wr, send_of, enum doca_dpa_dev_verbs_send_wr_fm, fence_mode, fence)
FIELD(send_wr, send_of, uint32_t, imm_data, immediate)
FIELD(send_wr, send_of, uint64_t, rdma_remote_addr, remote_address)
FIELD(send_wr, send_of, uint32_t, rdma_rkey, remote_key)
FIELD(send_wr, send_of, uint64_t, atomic_remote_addr, remote_address)
FIELD(send_wr, send_of, uint32_t, atomic_rkey, remote_key)
FIELD(send_wr, send_of, uint64_t, atomic_compare_add, add)
FIELD(send_wr, send_of, uint64_t, atomic_swap, swap)
FIELD(send_wr, send_of, uint32_t, invalidate_rkey, remote_key)
FIELD(recv_wr, receive_of, struct doca_dpa_dev_verbs_sge *, sg_list, segments)
FIELD(recv_wr, receive_of, uint32_t, sg_num_sge, count)

static uint64_t verbs_call(unsigned call, uint64_t a, uint64_t b, uint64_t c)
{
    return dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, call), a, b, c, 0);
}

/* The NIC sees what the thread has stored before. */
static void fence(void)
{
    __asm__ volatile("fence rw, rw" ::: "memory");
}

static uint32_t post_send(unsigned call, uint64_t queue, const struct send *s)
{
    const struct dpa_verbs_work work = {
        .opcode = s->opcode,
        .flags = (s->flags & (DPA_VERBS_SIGNALED | DPA_VERBS_SOLICITED)) |
                 (s->fence == DOCA_DPA_DEV_VERBS_SEND_WR_FM_NO_FENCE ||
                          s->fence == DOCA_DPA_DEV_VERBS_SEND_WR_FM_INITIATOR_SMALL_FENCE
                      ? 0
                      : DPA_VERBS_FENCE),
        .count = s->count,
        .immediate = s->immediate,
        .segments = s->segments,
        .remote_address = s->remote_address,
        .remote_key = s->remote_key,
        .add = s->add,
        .swap = s->swap};
    return (uint32_t)verbs_call(call, queue, (uintptr_t)&work, 0);
}

/* ---- Queue pairs ---- */

uint32_t doca_dpa_dev_verbs_qp_post_send_wr(doca_dpa_dev_verbs_qp_t verbs_qp,
                                            struct doca_dpa_dev_verbs_send_wr *send_wr)
{
    return post_send(DPA_VERBS_POST, verbs_qp, send_of(send_wr));
}

uint32_t doca_dpa_dev_verbs_qp_post_send_raw_wqe(doca_dpa_dev_verbs_qp_t verbs_qp, void *wqe)
{
    return (uint32_t)verbs_call(DPA_VERBS_RAW, verbs_qp, (uintptr_t)wqe, 0);
}

uint32_t doca_dpa_dev_verbs_qp_post_recv_wr(doca_dpa_dev_verbs_qp_t verbs_qp,
                                            struct doca_dpa_dev_verbs_recv_wr *recv_wr)
{
    const struct receive *r = receive_of(recv_wr);
    return (uint32_t)verbs_call(DPA_VERBS_RECEIVE, verbs_qp, r->segments, r->count);
}

uint32_t doca_dpa_dev_verbs_qp_post_recv_raw_wqe(doca_dpa_dev_verbs_qp_t verbs_qp, void *wqe,
                                                 uint64_t wqe_size)
{
    return (uint32_t)verbs_call(DPA_VERBS_RAW_RECEIVE, verbs_qp, (uintptr_t)wqe, wqe_size);
}

void doca_dpa_dev_verbs_qp_commit_send(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    verbs_call(DPA_VERBS_COMMIT, verbs_qp, 0, 0);
}

void doca_dpa_dev_verbs_qp_lw_commit_send(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    verbs_call(DPA_VERBS_COMMIT, verbs_qp, 0, 0);
}

void doca_dpa_dev_verbs_qp_commit_recv(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    verbs_call(DPA_VERBS_COMMIT, verbs_qp, 1, 0);
}

void doca_dpa_dev_verbs_qp_lw_commit_recv(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    verbs_call(DPA_VERBS_COMMIT, verbs_qp, 1, 0);
}

static uint64_t tell_of_pair(doca_dpa_dev_verbs_qp_t verbs_qp, enum dpa_verbs_tell what)
{
    return verbs_call(DPA_VERBS_TELL, verbs_qp, what, 0);
}

void doca_dpa_dev_verbs_qp_get_wq(doca_dpa_dev_verbs_qp_t verbs_qp, uintptr_t *sq_buf,
                                  uint32_t *sq_num_entries, uintptr_t *rq_buf,
                                  uint32_t *rq_num_entries, uint32_t *rwqe_size_bytes)
{
    *sq_buf = tell_of_pair(verbs_qp, DPA_VERBS_SENDS_AT);
    *sq_num_entries = (uint32_t)tell_of_pair(verbs_qp, DPA_VERBS_SEND_ENTRIES);
    *rq_buf = tell_of_pair(verbs_qp, DPA_VERBS_RECEIVES_AT);
    *rq_num_entries = (uint32_t)tell_of_pair(verbs_qp, DPA_VERBS_RECEIVE_ENTRIES);
    *rwqe_size_bytes = (uint32_t)tell_of_pair(verbs_qp, DPA_VERBS_RECEIVE_SIZE);
}

uint32_t *doca_dpa_dev_verbs_qp_get_dbr_addr(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    return (uint32_t *)tell_of_pair(verbs_qp, DPA_VERBS_RECORD_AT);
}

uint32_t doca_dpa_dev_verbs_qp_post_recv_raw_ack(doca_dpa_dev_verbs_qp_t verbs_qp, uint64_t num_wr)
{
    fence();
    return (uint32_t)verbs_call(DPA_VERBS_ACK, verbs_qp, num_wr, 0);
}

uint32_t doca_dpa_dev_verbs_qp_get_qpn(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    return (uint32_t)verbs_call(DPA_VERBS_TELL, verbs_qp, DPA_VERBS_NUMBER, 0);
}

uint32_t doca_dpa_dev_verbs_qp_get_user_index(doca_dpa_dev_verbs_qp_t verbs_qp)
{
    return (uint32_t)verbs_call(DPA_VERBS_TELL, verbs_qp, DPA_VERBS_USER_INDEX, 0);
}

/* ---- Shared receive queues ---- */

uint32_t doca_dpa_dev_verbs_srq_post_recv_wr(doca_dpa_dev_verbs_srq_t verbs_srq,
                                             enum doca_dpa_dev_verbs_srq_type srq_type,
                                             struct doca_dpa_dev_verbs_recv_wr *recv_wr)
{
    const struct receive *r = receive_of(recv_wr);
    return (uint32_t)dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_VERBS_SHARED_RECEIVE),
                               verbs_srq, r->segments, r->count,
                               srq_type == DOCA_DPA_DEV_VERBS_SRQ_TYPE_CONTIGUOUS);
}

uint32_t doca_dpa_dev_verbs_srq_post_recv_raw_wqe(doca_dpa_dev_verbs_srq_t verbs_srq,
                                                  enum doca_dpa_dev_verbs_srq_type srq_type,
                                                  void *wqe, uint64_t wqe_size)
{
    return (uint32_t)dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, DPA_VERBS_SHARED_RAW), verbs_srq,
                               (uintptr_t)wqe, wqe_size,
                               srq_type == DOCA_DPA_DEV_VERBS_SRQ_TYPE_CONTIGUOUS);
}

void doca_dpa_dev_verbs_srq_commit_recv(doca_dpa_dev_verbs_srq_t verbs_srq)
{
    verbs_call(DPA_VERBS_SHARED_COMMIT, verbs_srq, 0, 0);
}

void doca_dpa_dev_verbs_srq_lw_commit_recv(doca_dpa_dev_verbs_srq_t verbs_srq)
{
    verbs_call(DPA_VERBS_SHARED_COMMIT, verbs_srq, 0, 0);
}

void doca_dpa_dev_verbs_srq_linked_list_ack_wr(doca_dpa_dev_verbs_srq_t verbs_srq,
                                               uint32_t wr_count)
{
    verbs_call(DPA_VERBS_SHARED_ACK, verbs_srq, wr_count, 0);
}

uint32_t doca_dpa_dev_verbs_srq_get_srqn(doca_dpa_dev_verbs_srq_t verbs_srq)
{
    return (uint32_t)verbs_call(DPA_VERBS_SHARED_TELL, verbs_srq, 0, 0);
}

void doca_dpa_dev_verbs_srq_get_wq(doca_dpa_dev_verbs_srq_t verbs_srq, uintptr_t *srq_buf,
                                   uint32_t *srq_num_entries, uint32_t *rwqe_size_bytes)
{
    *srq_buf = verbs_call(DPA_VERBS_SHARED_TELL, verbs_srq, DPA_VERBS_RECEIVES_AT, 0);
    *srq_num_entries =
        (uint32_t)verbs_call(DPA_VERBS_SHARED_TELL, verbs_srq, DPA_VERBS_RECEIVE_ENTRIES, 0);
    *rwqe_size_bytes =
        (uint32_t)verbs_call(DPA_VERBS_SHARED_TELL, verbs_srq, DPA_VERBS_RECEIVE_SIZE, 0);
}

uint32_t *doca_dpa_dev_verbs_srq_get_dbr_addr(doca_dpa_dev_verbs_srq_t verbs_srq)
{
    return (uint32_t *)verbs_call(DPA_VERBS_SHARED_TELL, verbs_srq, DPA_VERBS_RECORD_AT, 0);
}

/* ---- Ethernet send queues ---- */

uint32_t doca_dpa_dev_verbs_eth_sq_post_send_wr(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq,
                                                struct doca_dpa_dev_verbs_send_wr *send_wr)
{
    return post_send(DPA_ETH_SEND, verbs_eth_sq, send_of(send_wr));
}

void doca_dpa_dev_verbs_eth_sq_commit_send(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq)
{
    fence();
    verbs_call(DPA_ETH_SEND_COMMIT, verbs_eth_sq, 0, 0);
}

void doca_dpa_dev_verbs_eth_sq_lw_commit_send(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq)
{
    verbs_call(DPA_ETH_SEND_COMMIT, verbs_eth_sq, 0, 0);
}

void doca_dpa_dev_verbs_eth_sq_get_wq(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq, uintptr_t *sq_buf,
                                      uint32_t *sq_num_entries)
{
    *sq_buf = verbs_call(DPA_ETH_SEND_TELL, verbs_eth_sq, DPA_VERBS_SENDS_AT, 0);
    *sq_num_entries =
        (uint32_t)verbs_call(DPA_ETH_SEND_TELL, verbs_eth_sq, DPA_VERBS_SEND_ENTRIES, 0);
}

uint32_t doca_dpa_dev_verbs_eth_sq_get_sqn(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq)
{
    return (uint32_t)verbs_call(DPA_ETH_SEND_TELL, verbs_eth_sq, DPA_VERBS_NUMBER, 0);
}

uint32_t doca_dpa_dev_verbs_eth_sq_get_user_index(doca_dpa_dev_verbs_eth_sq_t verbs_eth_sq)
{
    return (uint32_t)verbs_call(DPA_ETH_SEND_TELL, verbs_eth_sq, DPA_VERBS_USER_INDEX, 0);
}

/* ---- Ethernet receive queues ---- */

uint32_t doca_dpa_dev_verbs_eth_rq_post_recv_wr(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq,
                                                struct doca_dpa_dev_verbs_recv_wr *recv_wr)
{
    const struct receive *r = receive_of(recv_wr);
    return (uint32_t)verbs_call(DPA_ETH_RECEIVE, verbs_eth_rq, r->segments, r->count);
}

uint32_t doca_dpa_dev_verbs_eth_rq_post_recv_raw_ack(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq,
                                                     uint64_t num_wr)
{
    fence();
    return (uint32_t)verbs_call(DPA_ETH_ACK, verbs_eth_rq, num_wr, 0);
}

void doca_dpa_dev_verbs_eth_rq_commit_recv(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq)
{
    fence();
    verbs_call(DPA_ETH_RECEIVE_COMMIT, verbs_eth_rq, 0, 0);
}

void doca_dpa_dev_verbs_eth_rq_lw_commit_recv(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq)
{
    verbs_call(DPA_ETH_RECEIVE_COMMIT, verbs_eth_rq, 0, 0);
}

void doca_dpa_dev_verbs_eth_rq_get_wq(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq, uintptr_t *rq_buf,
                                      uint32_t *rq_num_entries, uint32_t *rwqe_size_bytes)
{
    *rq_buf = verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_RECEIVES_AT, 0);
    *rq_num_entries =
        (uint32_t)verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_RECEIVE_ENTRIES, 0);
    *rwqe_size_bytes =
        (uint32_t)verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_RECEIVE_SIZE, 0);
}

uintptr_t doca_dpa_dev_verbs_eth_rq_get_dbr_addr(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq)
{
    return verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_RECORD_AT, 0);
}

uint32_t doca_dpa_dev_verbs_eth_rq_get_rqn(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq)
{
    return (uint32_t)verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_NUMBER, 0);
}

uint32_t doca_dpa_dev_verbs_eth_rq_get_user_index(doca_dpa_dev_verbs_eth_rq_t verbs_eth_rq)
{
    return (uint32_t)verbs_call(DPA_ETH_RECEIVE_TELL, verbs_eth_rq, DPA_VERBS_USER_INDEX, 0);
}
