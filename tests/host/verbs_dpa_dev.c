/* Posts to queue pairs and shared receive queues of DOCA Verbs, and looks for completions. */
#include <doca_dpa_dev_verbs.h>

#include "verbs_dpa.h"

static uint64_t post(doca_dpa_dev_verbs_srq_t srq, uint32_t type,
                     struct doca_dpa_dev_verbs_sge *list, uint32_t count)
{
    struct doca_dpa_dev_verbs_recv_wr wr;
    doca_dpa_dev_verbs_recv_wr_set_sg_list(&wr, list);
    doca_dpa_dev_verbs_recv_wr_set_sg_num_sge(&wr, count);
    return doca_dpa_dev_verbs_srq_post_recv_wr(srq, (enum doca_dpa_dev_verbs_srq_type)type, &wr);
}

/* Two segments of a card: the second ends the list. */
static const uint32_t *receive_of_card(uint64_t address, uint32_t length, uint32_t key)
{
    static uint32_t wqe[8];
    wqe[0] = __builtin_bswap32(length);
    wqe[1] = __builtin_bswap32(key);
    wqe[2] = __builtin_bswap32((uint32_t)(address >> 32));
    wqe[3] = __builtin_bswap32((uint32_t)address);
    wqe[5] = __builtin_bswap32(DOCA_DPA_DEV_VERBS_SGE_TERMINATING_LKEY);
    return wqe;
}

__dpa_rpc__ uint64_t shared(uint64_t srq, uint32_t what, uint32_t type, uint64_t address,
                            uint32_t length, uint32_t key)
{
    struct doca_dpa_dev_verbs_sge list[2] = {
        {address, length, key}, {address, length, DOCA_DPA_DEV_VERBS_SGE_TERMINATING_LKEY}};
    switch (what) {
    case SHARED_POST:
        return post(srq, type, list, 1);
    case SHARED_POST_SHORT: /* the second segment ends the list */
        return post(srq, type, list, 2);
    case SHARED_POST_RAW:
        return doca_dpa_dev_verbs_srq_post_recv_raw_wqe(
            srq, (enum doca_dpa_dev_verbs_srq_type)type,
            (void *)receive_of_card(address, length, key), 32);
    case SHARED_COMMIT:
        doca_dpa_dev_verbs_srq_commit_recv(srq);
        return 0;
    case SHARED_ACK:
        doca_dpa_dev_verbs_srq_linked_list_ack_wr(srq, length);
        return 0;
    default:
        return doca_dpa_dev_verbs_srq_get_srqn(srq);
    }
}

__dpa_rpc__ uint64_t send_to_peer(uint64_t qp, uint64_t address, uint32_t length, uint32_t key)
{
    struct doca_dpa_dev_verbs_sge at = {address, length, key};
    struct doca_dpa_dev_verbs_send_wr wr;
    doca_dpa_dev_verbs_send_wr_set_sg_list(&wr, &at);
    doca_dpa_dev_verbs_send_wr_set_sg_num_sge(&wr, 1);
    doca_dpa_dev_verbs_send_wr_set_opcode(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND);
    doca_dpa_dev_verbs_send_wr_set_send_flags(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_FLAGS_SIGNALED);
    doca_dpa_dev_verbs_send_wr_set_fence_mode(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_FM_NO_FENCE);
    const uint32_t count = doca_dpa_dev_verbs_qp_post_send_wr(qp, &wr);
    doca_dpa_dev_verbs_qp_commit_send(qp);
    return count;
}

__dpa_rpc__ uint64_t receive_alone(uint64_t qp, uint64_t address, uint32_t length, uint32_t key)
{
    struct doca_dpa_dev_verbs_sge at = {address, length, key};
    struct doca_dpa_dev_verbs_recv_wr wr;
    doca_dpa_dev_verbs_recv_wr_set_sg_list(&wr, &at);
    doca_dpa_dev_verbs_recv_wr_set_sg_num_sge(&wr, 1);
    return doca_dpa_dev_verbs_qp_post_recv_wr(qp, &wr);
}

/* A receive of its own: by a work request, or an element of a card. */
__dpa_rpc__ uint64_t receive_raw(uint64_t qp, uint64_t address, uint32_t length, uint32_t key,
                                 uint32_t bytes)
{
    const uint32_t count = doca_dpa_dev_verbs_qp_post_recv_raw_wqe(
        qp, (void *)receive_of_card(address, length, key), bytes);
    doca_dpa_dev_verbs_qp_commit_recv(qp);
    return count;
}

/* What the rings of a queue pair, or of a shared receive queue, are and have. */
__dpa_rpc__ uint64_t rings(uint64_t queue, uint32_t what)
{
    uintptr_t sends = 0, receives;
    uint32_t sizes[3] = {0};
    if (what < RINGS_SHARED_SIZES)
        doca_dpa_dev_verbs_qp_get_wq(queue, &sends, &sizes[0], &receives, &sizes[1], &sizes[2]);
    else
        doca_dpa_dev_verbs_srq_get_wq(queue, &receives, &sizes[1], &sizes[2]);
    const uint64_t *first = (const uint64_t *)receives;
    switch (what) {
    case RINGS_SIZES:
        return (uint64_t)sizes[0] << 32 | sizes[1] << 16 | sizes[2];
    case RINGS_SENDS_AFTER_RECEIVES:
        return sends - receives;
    case RINGS_FIRST:
        return __builtin_bswap64(first[1]);
    case RINGS_RECORD:
        return __builtin_bswap32(*doca_dpa_dev_verbs_qp_get_dbr_addr(queue));
    case RINGS_ACK:
        return doca_dpa_dev_verbs_qp_post_recv_raw_ack(queue, 1);
    case RINGS_SHARED_SIZES:
        return (uint64_t)sizes[1] << 16 | sizes[2];
    case RINGS_SHARED_FIRST: /* after the segment of the list */
        return __builtin_bswap64(first[3]);
    default:
        return __builtin_bswap32(*doca_dpa_dev_verbs_srq_get_dbr_addr(queue));
    }
}

/* The numbers of the next completion. */
__dpa_rpc__ uint64_t told_numbers(uint64_t queue, uint64_t what)
{
    doca_dpa_dev_completion_element_t e;
    while (!doca_dpa_dev_get_completion(queue, &e))
        continue;
    const uint64_t numbers[] = {doca_dpa_dev_completion_element_get_qpn(e),
                                doca_dpa_dev_completion_element_get_srqn(e),
                                doca_dpa_dev_completion_element_get_swqe_opcode(e),
                                doca_dpa_dev_completion_element_get_vendor_error_syndrome(e)};
    doca_dpa_dev_completion_ack(queue, 1);
    return what == 0 ? numbers[0] << 32 | numbers[1] : numbers[2] << 32 | numbers[3];
}

/* Elements of work of a card: segments of 16 bytes, of big endian. */
static void put_control(uint32_t *wqe, uint32_t opcode, uint32_t segments)
{
    wqe[0] = __builtin_bswap32(opcode);
    wqe[1] = __builtin_bswap32(segments);
    wqe[2] = __builtin_bswap32(2 << 2); /* a completion, in any case */
    wqe[3] = 0;
}

/* Text that is inline, of up to 60 bytes; or the same as a write to an address. */
__dpa_rpc__ uint64_t post_raw(uint64_t qp, uint32_t what, uint64_t text, uint32_t size,
                              uint64_t address, uint32_t key)
{
    uint32_t wqe[24] = {0};
    const uint32_t data = what == RAW_WRITE ? 8 : 4, segments = data / 4 + (size + 4 + 15) / 16;
    put_control(wqe,
                what == RAW_WRITE     ? 0x08
                : what == RAW_UNKNOWN ? 0x77
                                      : 0x0a,
                what == RAW_SHORT ? segments - 1 : segments);
    if (what == RAW_WRITE) {
        wqe[4] = __builtin_bswap32((uint32_t)(address >> 32));
        wqe[5] = __builtin_bswap32((uint32_t)address);
        wqe[6] = __builtin_bswap32(key);
    }
    wqe[data] = __builtin_bswap32(0x80000000u | size);
    for (uint32_t i = 0; i < size && i < 60; i++)
        ((char *)&wqe[data + 1])[i] = ((const char *)text)[i];
    const uint64_t count = doca_dpa_dev_verbs_qp_post_send_raw_wqe(qp, wqe);
    for (uint32_t i = 0; i < 24; i++)
        wqe[i] = 0; /* it was read */
    doca_dpa_dev_verbs_qp_commit_send(qp);
    return count;
}

/* The next completion of a queue. */
__dpa_rpc__ uint64_t told(uint64_t queue)
{
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(queue, &e))
        return TOLD_NOTHING;
    doca_dpa_dev_completion_ack(queue, 1);
    return TOLD(doca_dpa_dev_get_completion_type(e), doca_dpa_dev_get_completion_user_data(e),
                doca_dpa_dev_completion_element_get_wqe_counter(e));
}
