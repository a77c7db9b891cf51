/*
 * doca_verbs_bridge: objects of doca_verbs and of libibverbs, each as the other; and how programs of
 * the CPU post work requests and poll for completions.
 *
 *     doca_verbs_bridge_post_send(qp, &wr, &bad);
 *     while (doca_verbs_bridge_poll_cq(cq, 1, &wc) == 0)
 *         continue;
 *
 * What posts and polls is as the function of libibverbs with that name: 0, or an errno; of polling,
 * how many completions there were, or -1.
 */
#ifndef DOCA_VERBS_BRIDGE_H
#define DOCA_VERBS_BRIDGE_H

#include <infiniband/verbs.h>

#include "doca_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A context, or a protection domain, of what the program has of libibverbs: it stays the program's, and
 * must stay there meanwhile. INVALID_VALUE: also of no emulated device. */
doca_error_t doca_verbs_bridge_verbs_context_import(struct ibv_context *ibv_context, uint32_t flags,
                                                    struct doca_verbs_context **context);
/* Opens a device of libibverbs, as doca_verbs_context_create. NOT_CONNECTED: it cannot be. */
doca_error_t doca_verbs_bridge_verbs_context_create(struct ibv_device *device, uint32_t flags,
                                                    struct doca_verbs_context **context);
doca_error_t doca_verbs_bridge_verbs_pd_import(struct ibv_pd *ibv_pd, struct doca_verbs_pd **pd);

/* What the device of such a context can do, as doca_verbs_query_device. */
doca_error_t doca_verbs_bridge_verbs_query_device(struct ibv_context *ibv_context,
                                                  struct doca_verbs_device_attr **device_attr);

/* The other way round; NULL: it is none. They are not the program's to close. */
struct ibv_context *doca_verbs_bridge_get_ibv_ctx(struct doca_verbs_context *context);
struct ibv_pd *doca_verbs_bridge_verbs_pd_get_ibv_pd(const struct doca_verbs_pd *pd);

/* Attributes of queue pairs: sets those that the mask of libibverbs names, and an address only if `attr` has one to be
 * set (INVALID_VALUE: not, or the mask names others); tells them all; and what a mask of libibverbs is here. */
doca_error_t doca_verbs_bridge_qp_attr_set(struct doca_verbs_qp_attr *attr,
                                           const struct ibv_qp_attr *ibv_attr, int ibv_mask);
doca_error_t doca_verbs_bridge_qp_attr_get(const struct doca_verbs_qp_attr *attr,
                                           struct ibv_qp_attr *ibv_attr);
int doca_verbs_bridge_get_qp_attr_mask(int ibv_mask);

/* EINVAL also: a queue pair of the DPA. */
int doca_verbs_bridge_post_send(struct doca_verbs_qp *qp, struct ibv_send_wr *wr,
                                struct ibv_send_wr **bad_wr);
int doca_verbs_bridge_post_recv(struct doca_verbs_qp *qp, struct ibv_recv_wr *wr,
                                struct ibv_recv_wr **bad_wr);
int doca_verbs_bridge_post_srq_recv(struct doca_verbs_srq *srq, struct ibv_recv_wr *wr,
                                    struct ibv_recv_wr **bad_wr);
int doca_verbs_bridge_poll_cq(struct doca_verbs_cq *cq, int num_entries, struct ibv_wc *wc);

/* Completions of a queue that were polled: 24 bits, which wrap. */
uint32_t doca_verbs_bridge_get_current_cq_ci(struct doca_verbs_cq *cq);

/* Makes a work request of one that waits: until the queue has had more completions, of 24 bits, than
 * `wait_pi`. What is posted behind it on a queue pair of the same device waits, too. It completes with
 * the opcode IBV_WC_DRIVER1. wr_id, next and send_flags are to be set after this. EINVAL: no queue,
 * or no work request. */
int doca_verbs_bridge_set_wait_cq_pi_wr(struct doca_verbs_cq *cq, uint32_t wait_pi,
                                        struct ibv_send_wr *wr);

#ifdef __cplusplus
}
#endif

#endif
