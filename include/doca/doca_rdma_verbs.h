/*
 * doca_rdma_verbs: other names of doca_verbs.h. The samples gpunetio_rdma_verbs_* of DOCA 3.2 use them; no known
 * release has this header. Each name means its namesake there, and has its parameters and errors.
 *
 *     doca_rdma_verbs_qp_create(context, init, &qp);    // doca_verbs_qp_create
 */
#ifndef DOCA_RDMA_VERBS_H
#define DOCA_RDMA_VERBS_H

#include "doca_verbs.h"

#define doca_rdma_verbs_context                          doca_verbs_context
#define doca_rdma_verbs_context_destroy                  doca_verbs_context_destroy
#define doca_rdma_verbs_cq                               doca_verbs_cq
#define doca_rdma_verbs_cq_attr                          doca_verbs_cq_attr
#define doca_rdma_verbs_cq_attr_create                   doca_verbs_cq_attr_create
#define doca_rdma_verbs_cq_attr_destroy                  doca_verbs_cq_attr_destroy
#define doca_rdma_verbs_cq_attr_set_cq_overrun           doca_verbs_cq_attr_set_cq_overrun
#define doca_rdma_verbs_cq_attr_set_cq_size              doca_verbs_cq_attr_set_cq_size
#define doca_rdma_verbs_cq_attr_set_entry_size           doca_verbs_cq_attr_set_entry_size
#define doca_rdma_verbs_cq_attr_set_external_datapath_en doca_verbs_cq_attr_set_external_datapath_en
#define doca_rdma_verbs_cq_attr_set_external_umem        doca_verbs_cq_attr_set_external_umem
#define doca_rdma_verbs_cq_create                        doca_verbs_cq_create
#define doca_rdma_verbs_cq_destroy                       doca_verbs_cq_destroy
#define doca_rdma_verbs_cq_get_cqn                       doca_verbs_cq_get_cqn
#define doca_rdma_verbs_gid                              doca_verbs_gid
#define doca_rdma_verbs_pd                               doca_verbs_pd
#define doca_rdma_verbs_pd_create                        doca_verbs_pd_create
#define doca_rdma_verbs_pd_destroy                       doca_verbs_pd_destroy
#define doca_rdma_verbs_qp                               doca_verbs_qp
#define doca_rdma_verbs_qp_attr                          doca_verbs_qp_attr
#define doca_rdma_verbs_qp_attr_create                   doca_verbs_qp_attr_create
#define doca_rdma_verbs_qp_attr_destroy                  doca_verbs_qp_attr_destroy
#define doca_rdma_verbs_qp_attr_set_ack_timeout          doca_verbs_qp_attr_set_ack_timeout
#define doca_rdma_verbs_qp_attr_set_ah_attr              doca_verbs_qp_attr_set_ah_attr
#define doca_rdma_verbs_qp_attr_set_allow_remote_read    doca_verbs_qp_attr_set_allow_remote_read
#define doca_rdma_verbs_qp_attr_set_allow_remote_write   doca_verbs_qp_attr_set_allow_remote_write
#define doca_rdma_verbs_qp_attr_set_dest_qp_num          doca_verbs_qp_attr_set_dest_qp_num
#define doca_rdma_verbs_qp_attr_set_min_rnr_timer        doca_verbs_qp_attr_set_min_rnr_timer
#define doca_rdma_verbs_qp_attr_set_next_state           doca_verbs_qp_attr_set_next_state
#define doca_rdma_verbs_qp_attr_set_path_mtu             doca_verbs_qp_attr_set_path_mtu
#define doca_rdma_verbs_qp_attr_set_port_num             doca_verbs_qp_attr_set_port_num
#define doca_rdma_verbs_qp_attr_set_retry_cnt            doca_verbs_qp_attr_set_retry_cnt
#define doca_rdma_verbs_qp_attr_set_rnr_retry            doca_verbs_qp_attr_set_rnr_retry
#define doca_rdma_verbs_qp_attr_set_rq_psn               doca_verbs_qp_attr_set_rq_psn
#define doca_rdma_verbs_qp_attr_set_sq_psn               doca_verbs_qp_attr_set_sq_psn
#define doca_rdma_verbs_qp_create                        doca_verbs_qp_create
#define doca_rdma_verbs_qp_destroy                       doca_verbs_qp_destroy
#define doca_rdma_verbs_qp_get_qpn                       doca_verbs_qp_get_qpn
#define doca_rdma_verbs_qp_init_attr                     doca_verbs_qp_init_attr
#define doca_rdma_verbs_qp_init_attr_create              doca_verbs_qp_init_attr_create
#define doca_rdma_verbs_qp_init_attr_destroy             doca_verbs_qp_init_attr_destroy
#define doca_rdma_verbs_qp_init_attr_set_external_datapath_en                                      \
    doca_verbs_qp_init_attr_set_external_datapath_en
#define doca_rdma_verbs_qp_init_attr_set_external_dbr_umem                                         \
    doca_verbs_qp_init_attr_set_external_dbr_umem
#define doca_rdma_verbs_qp_init_attr_set_external_uar  doca_verbs_qp_init_attr_set_external_uar
#define doca_rdma_verbs_qp_init_attr_set_external_umem doca_verbs_qp_init_attr_set_external_umem
#define doca_rdma_verbs_qp_init_attr_set_pd            doca_verbs_qp_init_attr_set_pd
#define doca_rdma_verbs_qp_init_attr_set_qp_type       doca_verbs_qp_init_attr_set_qp_type
#define doca_rdma_verbs_qp_init_attr_set_receive_cq    doca_verbs_qp_init_attr_set_receive_cq
#define doca_rdma_verbs_qp_init_attr_set_receive_max_sges                                          \
    doca_verbs_qp_init_attr_set_receive_max_sges
#define doca_rdma_verbs_qp_init_attr_set_rq_wr         doca_verbs_qp_init_attr_set_rq_wr
#define doca_rdma_verbs_qp_init_attr_set_send_cq       doca_verbs_qp_init_attr_set_send_cq
#define doca_rdma_verbs_qp_init_attr_set_send_max_sges doca_verbs_qp_init_attr_set_send_max_sges
#define doca_rdma_verbs_qp_init_attr_set_sq_wr         doca_verbs_qp_init_attr_set_sq_wr
#define doca_rdma_verbs_qp_modify                      doca_verbs_qp_modify
#define doca_rdma_verbs_addr_type                      doca_verbs_addr_type

/* Addresses. */
#define doca_rdma_verbs_ah                doca_verbs_ah_attr
#define doca_rdma_verbs_ah_create         doca_verbs_ah_attr_create
#define doca_rdma_verbs_ah_destroy        doca_verbs_ah_attr_destroy
#define doca_rdma_verbs_ah_set_addr_type  doca_verbs_ah_attr_set_addr_type
#define doca_rdma_verbs_ah_set_dlid       doca_verbs_ah_attr_set_dlid
#define doca_rdma_verbs_ah_set_gid        doca_verbs_ah_attr_set_gid
#define doca_rdma_verbs_ah_set_hop_limit  doca_verbs_ah_attr_set_hop_limit
#define doca_rdma_verbs_ah_set_sgid_index doca_verbs_ah_attr_set_sgid_index

/* Values. */
#define DOCA_RDMA_VERBS_ADDR_TYPE_IPv4             DOCA_VERBS_ADDR_TYPE_IPv4
#define DOCA_RDMA_VERBS_ADDR_TYPE_IPv6             DOCA_VERBS_ADDR_TYPE_IPv6
#define DOCA_RDMA_VERBS_ADDR_TYPE_IB_GRH           DOCA_VERBS_ADDR_TYPE_IB_GRH
#define DOCA_RDMA_VERBS_ADDR_TYPE_IB_NO_GRH        DOCA_VERBS_ADDR_TYPE_IB_NO_GRH
#define DOCA_RDMA_VERBS_CONTEXT_CREATE_FLAGS_NONE  DOCA_VERBS_CONTEXT_CREATE_FLAGS_NONE
#define DOCA_RDMA_VERBS_CQ_ENTRY_SIZE_64           DOCA_VERBS_CQ_ENTRY_SIZE_64
#define DOCA_RDMA_VERBS_QP_ATTR_ACK_TIMEOUT        DOCA_VERBS_QP_ATTR_ACK_TIMEOUT
#define DOCA_RDMA_VERBS_QP_ATTR_AH_ATTR            DOCA_VERBS_QP_ATTR_AH_ATTR
#define DOCA_RDMA_VERBS_QP_ATTR_ALLOW_REMOTE_READ  DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ
#define DOCA_RDMA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE
#define DOCA_RDMA_VERBS_QP_ATTR_DEST_QP_NUM        DOCA_VERBS_QP_ATTR_DEST_QP_NUM
#define DOCA_RDMA_VERBS_QP_ATTR_MIN_RNR_TIMER      DOCA_VERBS_QP_ATTR_MIN_RNR_TIMER
#define DOCA_RDMA_VERBS_QP_ATTR_NEXT_STATE         DOCA_VERBS_QP_ATTR_NEXT_STATE
#define DOCA_RDMA_VERBS_QP_ATTR_PATH_MTU           DOCA_VERBS_QP_ATTR_PATH_MTU
#define DOCA_RDMA_VERBS_QP_ATTR_PKEY_INDEX         DOCA_VERBS_QP_ATTR_PKEY_INDEX
#define DOCA_RDMA_VERBS_QP_ATTR_PORT_NUM           DOCA_VERBS_QP_ATTR_PORT_NUM
#define DOCA_RDMA_VERBS_QP_ATTR_RETRY_CNT          DOCA_VERBS_QP_ATTR_RETRY_CNT
#define DOCA_RDMA_VERBS_QP_ATTR_RNR_RETRY          DOCA_VERBS_QP_ATTR_RNR_RETRY
#define DOCA_RDMA_VERBS_QP_ATTR_RQ_PSN             DOCA_VERBS_QP_ATTR_RQ_PSN
#define DOCA_RDMA_VERBS_QP_ATTR_SQ_PSN             DOCA_VERBS_QP_ATTR_SQ_PSN
#define DOCA_RDMA_VERBS_QP_STATE_INIT              DOCA_VERBS_QP_STATE_INIT
#define DOCA_RDMA_VERBS_QP_STATE_RTR               DOCA_VERBS_QP_STATE_RTR
#define DOCA_RDMA_VERBS_QP_STATE_RTS               DOCA_VERBS_QP_STATE_RTS
#define DOCA_RDMA_VERBS_QP_TYPE_RC                 DOCA_VERBS_QP_TYPE_RC

#endif
