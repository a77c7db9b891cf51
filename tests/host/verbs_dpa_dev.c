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
