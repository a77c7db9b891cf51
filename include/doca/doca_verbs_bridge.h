/*
 * doca_verbs_bridge: conversion between objects of doca_verbs and libibverbs; programs of the CPU post
 * work requests and poll for completions with it.
 *
 *     doca_verbs_bridge_post_send(qp, &wr, &bad);
 *     while (doca_verbs_bridge_poll_cq(cq, 1, &wc) == 0)
 *         continue;
 *
 * Functions that post and poll are as the functions of libibverbs with the same name: posting returns 0
 * or an errno, polling the number of completions or -1.
 */
#ifndef DOCA_VERBS_BRIDGE_H
#define DOCA_VERBS_BRIDGE_H

#include <infiniband/verbs.h>

#include "doca_verbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make a context, or a protection domain, of the program's object of libibverbs. The program keeps that
 * object until the import is destroyed. Errors: INVALID_VALUE also if it is not of an emulated
 * device. */
doca_error_t doca_verbs_bridge_verbs_context_import(struct ibv_context *ibv_context, uint32_t flags,
                                                    struct doca_verbs_context **context);
/* Opens a device of libibverbs, as doca_verbs_context_create. Errors: NOT_CONNECTED if it cannot be
 * opened. */
doca_error_t doca_verbs_bridge_verbs_context_create(struct ibv_device *device, uint32_t flags,
                                                    struct doca_verbs_context **context);
doca_error_t doca_verbs_bridge_verbs_pd_import(struct ibv_pd *ibv_pd, struct doca_verbs_pd **pd);

/* Gets the capabilities of the device of such a context, as doca_verbs_query_device. */
doca_error_t doca_verbs_bridge_verbs_query_device(struct ibv_context *ibv_context,
                                                  struct doca_verbs_device_attr **device_attr);

/* Return the object of libibverbs. NULL if the argument is not of that kind. The program must not close
 * it. */
struct ibv_context *doca_verbs_bridge_get_ibv_ctx(struct doca_verbs_context *context);
struct ibv_pd *doca_verbs_bridge_verbs_pd_get_ibv_pd(const struct doca_verbs_pd *pd);

/* Set the attributes that a mask of libibverbs names (an address only if `attr` has an address to set);
 * get all attributes; convert a mask of libibverbs. Errors: INVALID_VALUE also if that address is
 * missing, or the mask names others. */
doca_error_t doca_verbs_bridge_qp_attr_set(struct doca_verbs_qp_attr *attr,
                                           const struct ibv_qp_attr *ibv_attr, int ibv_mask);
doca_error_t doca_verbs_bridge_qp_attr_get(const struct doca_verbs_qp_attr *attr,
                                           struct ibv_qp_attr *ibv_attr);
int doca_verbs_bridge_get_qp_attr_mask(int ibv_mask);

/* Errors: EINVAL also for a queue pair of the DPA. */
int doca_verbs_bridge_post_send(struct doca_verbs_qp *qp, struct ibv_send_wr *wr,
                                struct ibv_send_wr **bad_wr);
int doca_verbs_bridge_post_recv(struct doca_verbs_qp *qp, struct ibv_recv_wr *wr,
                                struct ibv_recv_wr **bad_wr);
int doca_verbs_bridge_post_srq_recv(struct doca_verbs_srq *srq, struct ibv_recv_wr *wr,
                                    struct ibv_recv_wr **bad_wr);
int doca_verbs_bridge_poll_cq(struct doca_verbs_cq *cq, int num_entries, struct ibv_wc *wc);

/* Returns the number of polled completions of a queue, modulo 2^24. */
uint32_t doca_verbs_bridge_get_current_cq_ci(struct doca_verbs_cq *cq);

/* Turns a work request into a wait: until the queue has had more completions (24 bits) than `wait_pi`.
 * Later requests of its queue pair, on the same device, wait, too. It completes with the opcode
 * IBV_WC_DRIVER1. Set wr_id, next and send_flags after this call. Errors: EINVAL if an argument is not
 * a queue or not a work request. */
int doca_verbs_bridge_set_wait_cq_pi_wr(struct doca_verbs_cq *cq, uint32_t wait_pi,
                                        struct ibv_send_wr *wr);

#ifdef __cplusplus
}
#endif

#endif
