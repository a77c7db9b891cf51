/* Posts frames and buffers to Ethernet queues of DOCA Verbs, and looks for completions. */
#include <doca_dpa_dev_verbs.h>

#include "verbs_eth.h"

static uint64_t send(uint64_t sq, struct doca_dpa_dev_verbs_sge *list, unsigned flags,
                     enum doca_dpa_dev_verbs_send_wr_opcode opcode)
{
    struct doca_dpa_dev_verbs_send_wr wr;
    doca_dpa_dev_verbs_send_wr_set_sg_list(&wr, list);
    doca_dpa_dev_verbs_send_wr_set_sg_num_sge(&wr, 2);
    doca_dpa_dev_verbs_send_wr_set_opcode(&wr, opcode);
    doca_dpa_dev_verbs_send_wr_set_send_flags(&wr, flags);
    doca_dpa_dev_verbs_send_wr_set_fence_mode(&wr, DOCA_DPA_DEV_VERBS_SEND_WR_FM_NO_FENCE);
    return doca_dpa_dev_verbs_eth_sq_post_send_wr(sq, &wr);
}

static uint64_t on_sends(uint64_t sq, uint32_t what, struct doca_dpa_dev_verbs_sge *list)
{
    uint32_t entries;
    uintptr_t at;
    switch (what) {
    case ETH_SEND:
        return send(sq, list, DOCA_DPA_DEV_VERBS_SEND_WR_FLAGS_SIGNALED,
                    DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND);
    case ETH_SEND_SILENT:
        return send(sq, list, 0, DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_SEND);
    case ETH_SEND_WRITE:
        return send(sq, list, 0, DOCA_DPA_DEV_VERBS_SEND_WR_OPCODE_WRITE);
    case ETH_SEND_COMMIT:
        doca_dpa_dev_verbs_eth_sq_commit_send(sq);
        return 0;
    case ETH_SEND_LW_COMMIT:
        doca_dpa_dev_verbs_eth_sq_lw_commit_send(sq);
        return 0;
    case ETH_SEND_NUMBER:
        return doca_dpa_dev_verbs_eth_sq_get_sqn(sq);
    case ETH_SEND_INDEX:
        return doca_dpa_dev_verbs_eth_sq_get_user_index(sq);
    default:
        doca_dpa_dev_verbs_eth_sq_get_wq(sq, &at, &entries);
        return what == ETH_SEND_ENTRIES ? entries : ((const uint8_t *)at)[3];
    }
}

static uint64_t receive(uint64_t rq, struct doca_dpa_dev_verbs_sge *list)
{
    struct doca_dpa_dev_verbs_recv_wr wr;
    doca_dpa_dev_verbs_recv_wr_set_sg_list(&wr, list);
    doca_dpa_dev_verbs_recv_wr_set_sg_num_sge(&wr, 1);
    return doca_dpa_dev_verbs_eth_rq_post_recv_wr(rq, &wr);
}

static uint64_t on_receives(uint64_t rq, uint32_t what, struct doca_dpa_dev_verbs_sge *list)
{
    uint32_t entries, size;
    uintptr_t at;
    doca_dpa_dev_verbs_eth_rq_get_wq(rq, &at, &entries, &size);
    switch (what) {
    case ETH_RECEIVE:
        return receive(rq, list);
    case ETH_RECEIVE_ACK:
        return doca_dpa_dev_verbs_eth_rq_post_recv_raw_ack(rq, list->length);
    case ETH_RECEIVE_COMMIT:
        doca_dpa_dev_verbs_eth_rq_commit_recv(rq);
        return 0;
    case ETH_RECEIVE_LW_COMMIT:
        doca_dpa_dev_verbs_eth_rq_lw_commit_recv(rq);
        return 0;
    case ETH_RECEIVE_NUMBER:
        return doca_dpa_dev_verbs_eth_rq_get_rqn(rq);
    case ETH_RECEIVE_INDEX:
        return doca_dpa_dev_verbs_eth_rq_get_user_index(rq);
    case ETH_RECEIVE_ENTRIES:
        return entries;
    case ETH_RECEIVE_SIZE:
        return size;
    case ETH_RECEIVE_ADDRESS:
        return __builtin_bswap64(((const uint64_t *)at)[1]);
    default:
        return __builtin_bswap32(*(const uint32_t *)doca_dpa_dev_verbs_eth_rq_get_dbr_addr(rq));
    }
}

/* The frame or buffer is a range of memory. A frame is posted in two segments. */
__dpa_rpc__ uint64_t eth(uint64_t queue, uint32_t what, uint64_t address, uint32_t length,
                         uint32_t key)
{
    struct doca_dpa_dev_verbs_sge list[2] = {{address, length, key}, {0, 0, 0}};
    if (what >= ETH_RECEIVE)
        return on_receives(queue, what, list);
    list[0].length = length / 2;
    list[1] =
        (struct doca_dpa_dev_verbs_sge){address + list[0].length, length - list[0].length, key};
    return on_sends(queue, what, list);
}

/* Takes a completion, if there is one. */
__dpa_rpc__ uint64_t eth_told(uint64_t queue)
{
    doca_dpa_dev_completion_element_t e;
    if (!doca_dpa_dev_get_completion(queue, &e))
        return ETH_TOLD_NOTHING;
    const uint64_t told = ETH_TOLD(doca_dpa_dev_get_completion_type(e),
                                   doca_dpa_dev_completion_element_get_wqe_counter(e),
                                   doca_dpa_dev_completion_element_get_received_bytes(e));
    doca_dpa_dev_completion_ack(queue, 1);
    return told;
}
