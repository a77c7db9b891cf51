/* The path of a queue pair of DOCA Verbs to its peer: the attributes for its states. */
#ifndef TESTS_HOST_VERBS_PATH_H
#define TESTS_HOST_VERBS_PATH_H

#include <doca_verbs.h>

#include "check.h"

struct verbs_path {
    struct doca_verbs_qp_attr *attr;
    struct doca_verbs_ah_attr *to;
};

/* To the queue pair of that number on the device that has the GID; `timeout` as on a card: 10 is 4 ms. */
static inline struct verbs_path verbs_path_new(struct doca_verbs_context *context, const void *gid,
                                               uint32_t number, uint16_t timeout)
{
    struct verbs_path p;
    struct doca_verbs_gid at;
    memcpy(&at, gid, sizeof at);
    CHECK(doca_verbs_ah_attr_create(context, &p.to) == DOCA_SUCCESS);
    CHECK(doca_verbs_ah_attr_set_gid(p.to, at) == DOCA_SUCCESS);
    CHECK(doca_verbs_ah_attr_set_addr_type(p.to, DOCA_VERBS_ADDR_TYPE_IPv4) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_create(&p.attr) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_port_num(p.attr, 1) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_path_mtu(p.attr, DOCA_MTU_SIZE_1K_BYTES) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_ah_attr(p.attr, p.to) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_dest_qp_num(p.attr, number) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_allow_remote_write(p.attr, 1) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_allow_remote_read(p.attr, 1) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_ack_timeout(p.attr, timeout) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_retry_cnt(p.attr, 7) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_attr_set_rnr_retry(p.attr, 7) == DOCA_SUCCESS);
    return p;
}

/* Moves a queue pair to a state. */
static inline void verbs_path_go(const struct verbs_path *p, struct doca_verbs_qp *qp,
                                 enum doca_verbs_qp_state to)
{
    static const int masks[] = {
        [DOCA_VERBS_QP_STATE_INIT] = DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE |
                                     DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ |
                                     DOCA_VERBS_QP_ATTR_PKEY_INDEX | DOCA_VERBS_QP_ATTR_PORT_NUM,
        [DOCA_VERBS_QP_STATE_RTR] = DOCA_VERBS_QP_ATTR_RQ_PSN | DOCA_VERBS_QP_ATTR_DEST_QP_NUM |
                                    DOCA_VERBS_QP_ATTR_PATH_MTU | DOCA_VERBS_QP_ATTR_AH_ATTR |
                                    DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER,
        [DOCA_VERBS_QP_STATE_RTS] = DOCA_VERBS_QP_ATTR_SQ_PSN | DOCA_VERBS_QP_ATTR_ACK_TIMEOUT |
                                    DOCA_VERBS_QP_ATTR_RETRY_CNT | DOCA_VERBS_QP_ATTR_RNR_RETRY,
        [DOCA_VERBS_QP_STATE_ERR] = 0};
    CHECK(doca_verbs_qp_attr_set_next_state(p->attr, to) == DOCA_SUCCESS);
    CHECK(doca_verbs_qp_modify(qp, p->attr, DOCA_VERBS_QP_ATTR_NEXT_STATE | masks[to]) ==
          DOCA_SUCCESS);
}

static inline void verbs_path_free(struct verbs_path *p)
{
    CHECK(doca_verbs_qp_attr_destroy(p->attr) == DOCA_SUCCESS);
    CHECK(doca_verbs_ah_attr_destroy(p->to) == DOCA_SUCCESS);
}

/* Connects a queue pair to the queue pair with that number. */
static inline void verbs_path_connect(struct doca_verbs_context *context, const void *gid,
                                      struct doca_verbs_qp *qp, uint32_t number, uint16_t timeout)
{
    struct verbs_path p = verbs_path_new(context, gid, number, timeout);
    for (enum doca_verbs_qp_state to = DOCA_VERBS_QP_STATE_INIT; to <= DOCA_VERBS_QP_STATE_RTS;
         to++)
        verbs_path_go(&p, qp, to);
    verbs_path_free(&p);
}

#endif
