/*
 * doca_verbs_eth: Ethernet queues of the DPA. doca_verbs.h includes it.
 *
 *     doca_verbs_eth_rq_init_attr_create(&attr);
 *     doca_verbs_eth_rq_init_attr_set_pd(attr, pd);   doca_verbs_eth_rq_init_attr_set_wr_num(attr, 32);
 *     doca_verbs_eth_rq_init_attr_set_dpa(attr, dpa); doca_verbs_eth_rq_init_attr_set_queue_id(attr, 0);
 *     doca_verbs_eth_rq_init_attr_set_dpa_completion(attr, completion);
 *     doca_verbs_eth_rq_init_attr_set_external_datapath_en(attr, 1);
 *     doca_verbs_eth_rq_create(context, attr, &rq);
 *     doca_verbs_eth_rq_get_dpa_handle(rq, dpa, &handle);     // for DPA code: doca_dpa_dev_verbs.h
 *
 * A queue needs a protection domain, an external data path (1), a completion queue of DOCA DPA, and
 * either the DPA context, which then has its memory, or external memory of that context for ring and
 * doorbell record; a send queue then also needs a doorbell page. The id of a receive queue is what pipes
 * of DOCA Flow lead to (doca_flow_fwd.rss.queues_array); each receive queue of a device has its own id.
 * Create returns: INVALID_VALUE if attributes are missing or do not fit together; ALREADY_EXIST if the
 * id is taken; BAD_STATE if the context is not started; OPERATING_SYSTEM if the port does not work;
 * NOT_SUPPORTED for queues of the CPU (use doca_eth), completion queues of doca_verbs, shared receives
 * and the real-time clock. Multi-packet sends, planes and inline data are ignored: work requests have
 * none. A failed work puts the queue into the error state, in which all works end with an error until
 * recover_from_error empties the ring; its counters then begin with 0.
 *
 * query copies the attributes of the creation, with the current state. get_wq gives the number and the
 * bytes of entries, with the address NULL, since rings are DPA memory: DPA code gets their address. The
 * addresses of doorbells are NULL. Errors of functions that take a queue: INVALID_VALUE if the
 * argument is not a queue.
 */
#ifndef DOCA_VERBS_ETH_H
#define DOCA_VERBS_ETH_H

#include "doca_error.h"
#include "doca_types.h"
#include "doca_uar.h"
#include "doca_umem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa;
struct doca_dpa_completion;
struct doca_verbs_context;
struct doca_verbs_cq;
struct doca_verbs_eth_rq;
struct doca_verbs_eth_rq_init_attr;
struct doca_verbs_eth_sq;
struct doca_verbs_eth_sq_init_attr;
struct doca_verbs_pd;
struct doca_verbs_srq;

/* Handles of queues for DPA code. */
typedef uint64_t doca_dpa_dev_verbs_eth_sq_t;
typedef uint64_t doca_dpa_dev_verbs_eth_rq_t;

/* The clock of timestamps. */
#define DOCA_VERBS_TS_SOURCE_DEFAULT      0x0
#define DOCA_VERBS_TS_SOURCE_FREE_RUNNING 0x1
#define DOCA_VERBS_TS_SOURCE_REAL_TIME    0x2

enum doca_verbs_eth_sq_state {
    DOCA_VERBS_ETH_SQ_STATE_RST = 0,
    DOCA_VERBS_ETH_SQ_STATE_RDY,
    DOCA_VERBS_ETH_SQ_STATE_ERR,
};

enum doca_verbs_eth_rq_state {
    DOCA_VERBS_ETH_RQ_STATE_RST = 0,
    DOCA_VERBS_ETH_RQ_STATE_RDY,
    DOCA_VERBS_ETH_RQ_STATE_ERR,
};

/* ---- Send queues ---- */

doca_error_t doca_verbs_eth_sq_init_attr_create(struct doca_verbs_eth_sq_init_attr **attr);
doca_error_t doca_verbs_eth_sq_init_attr_destroy(struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_pd(struct doca_verbs_eth_sq_init_attr *attr,
                                                struct doca_verbs_pd *pd);
struct doca_verbs_pd *
doca_verbs_eth_sq_init_attr_get_pd(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_wr_num(struct doca_verbs_eth_sq_init_attr *attr,
                                                    uint32_t value);
uint32_t doca_verbs_eth_sq_init_attr_get_wr_num(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_max_sges(struct doca_verbs_eth_sq_init_attr *attr,
                                                      uint32_t value);
uint32_t doca_verbs_eth_sq_init_attr_get_max_sges(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_queue_id(struct doca_verbs_eth_sq_init_attr *attr,
                                                      uint16_t value);
uint16_t doca_verbs_eth_sq_init_attr_get_queue_id(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t
doca_verbs_eth_sq_init_attr_set_external_datapath_en(struct doca_verbs_eth_sq_init_attr *attr,
                                                     uint8_t value);
uint8_t doca_verbs_eth_sq_init_attr_get_external_datapath_en(
    const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_dpa(struct doca_verbs_eth_sq_init_attr *attr,
                                                 struct doca_dpa *dpa);
struct doca_dpa *
doca_verbs_eth_sq_init_attr_get_dpa(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t
doca_verbs_eth_sq_init_attr_set_dpa_completion(struct doca_verbs_eth_sq_init_attr *attr,
                                               struct doca_dpa_completion *dpa_completion);
struct doca_dpa_completion *
doca_verbs_eth_sq_init_attr_get_dpa_completion(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t
doca_verbs_eth_sq_init_attr_set_ts_source_type(struct doca_verbs_eth_sq_init_attr *attr,
                                               uint8_t value);
uint8_t
doca_verbs_eth_sq_init_attr_get_ts_source_type(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_cq(struct doca_verbs_eth_sq_init_attr *attr,
                                                struct doca_verbs_cq *cq);
struct doca_verbs_cq *
doca_verbs_eth_sq_init_attr_get_cq(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_sig_all(struct doca_verbs_eth_sq_init_attr *attr,
                                                     int value);
int doca_verbs_eth_sq_init_attr_get_sig_all(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t
doca_verbs_eth_sq_init_attr_set_max_inline_data(struct doca_verbs_eth_sq_init_attr *attr,
                                                uint32_t value);
uint32_t
doca_verbs_eth_sq_init_attr_get_max_inline_data(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_user_index(struct doca_verbs_eth_sq_init_attr *attr,
                                                        uint32_t value);
uint32_t doca_verbs_eth_sq_init_attr_get_user_index(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_user_data(struct doca_verbs_eth_sq_init_attr *attr,
                                                       union doca_data value);
union doca_data
doca_verbs_eth_sq_init_attr_get_user_data(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_external_umem(struct doca_verbs_eth_sq_init_attr *attr,
                                                           struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_eth_sq_init_attr_get_external_umem(const struct doca_verbs_eth_sq_init_attr *attr,
                                              struct doca_umem **umem, uint64_t *offset);
doca_error_t
doca_verbs_eth_sq_init_attr_set_external_dbr_umem(struct doca_verbs_eth_sq_init_attr *attr,
                                                  struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_eth_sq_init_attr_get_external_dbr_umem(const struct doca_verbs_eth_sq_init_attr *attr,
                                                  struct doca_umem **umem, uint64_t *offset);
doca_error_t doca_verbs_eth_sq_init_attr_set_external_uar(struct doca_verbs_eth_sq_init_attr *attr,
                                                          struct doca_uar *uar);
doca_error_t
doca_verbs_eth_sq_init_attr_get_external_uar(const struct doca_verbs_eth_sq_init_attr *attr,
                                             struct doca_uar **uar);
doca_error_t
doca_verbs_eth_sq_init_attr_set_flush_in_error_en(struct doca_verbs_eth_sq_init_attr *attr,
                                                  uint8_t value);
uint8_t
doca_verbs_eth_sq_init_attr_get_flush_in_error_en(const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t
doca_verbs_eth_sq_init_attr_set_allow_multi_pkt_send_wqe(struct doca_verbs_eth_sq_init_attr *attr,
                                                         uint8_t value);
uint8_t doca_verbs_eth_sq_init_attr_get_allow_multi_pkt_send_wqe(
    const struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_init_attr_set_plane_index(struct doca_verbs_eth_sq_init_attr *attr,
                                                         uint8_t value);
uint8_t doca_verbs_eth_sq_init_attr_get_plane_index(const struct doca_verbs_eth_sq_init_attr *attr);
enum doca_verbs_eth_sq_state
doca_verbs_eth_sq_init_attr_get_state(const struct doca_verbs_eth_sq_init_attr *attr);

doca_error_t doca_verbs_eth_sq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_sq_init_attr *attr,
                                      struct doca_verbs_eth_sq **sq);
doca_error_t doca_verbs_eth_sq_destroy(struct doca_verbs_eth_sq *sq);
doca_error_t doca_verbs_eth_sq_get_dpa_handle(struct doca_verbs_eth_sq *sq, struct doca_dpa *dpa,
                                              doca_dpa_dev_verbs_eth_sq_t *handle);
doca_error_t doca_verbs_eth_sq_query(struct doca_verbs_eth_sq *sq,
                                     struct doca_verbs_eth_sq_init_attr *attr);
doca_error_t doca_verbs_eth_sq_recover_from_error(struct doca_verbs_eth_sq *sq);
uint32_t doca_verbs_eth_sq_get_sq_hw_number(const struct doca_verbs_eth_sq *sq);
doca_error_t doca_verbs_eth_sq_get_wq(const struct doca_verbs_eth_sq *sq, void **address,
                                      uint32_t *entries);
void *doca_verbs_eth_sq_get_uar_addr(const struct doca_verbs_eth_sq *sq);
void *doca_verbs_eth_sq_get_dbr_addr(const struct doca_verbs_eth_sq *sq);

/* ---- Receive queues ---- */

doca_error_t doca_verbs_eth_rq_init_attr_create(struct doca_verbs_eth_rq_init_attr **attr);
doca_error_t doca_verbs_eth_rq_init_attr_destroy(struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_pd(struct doca_verbs_eth_rq_init_attr *attr,
                                                struct doca_verbs_pd *pd);
struct doca_verbs_pd *
doca_verbs_eth_rq_init_attr_get_pd(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_wr_num(struct doca_verbs_eth_rq_init_attr *attr,
                                                    uint32_t value);
uint32_t doca_verbs_eth_rq_init_attr_get_wr_num(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_max_sges(struct doca_verbs_eth_rq_init_attr *attr,
                                                      uint32_t value);
uint32_t doca_verbs_eth_rq_init_attr_get_max_sges(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_queue_id(struct doca_verbs_eth_rq_init_attr *attr,
                                                      uint16_t value);
uint16_t doca_verbs_eth_rq_init_attr_get_queue_id(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t
doca_verbs_eth_rq_init_attr_set_external_datapath_en(struct doca_verbs_eth_rq_init_attr *attr,
                                                     uint8_t value);
uint8_t doca_verbs_eth_rq_init_attr_get_external_datapath_en(
    const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_dpa(struct doca_verbs_eth_rq_init_attr *attr,
                                                 struct doca_dpa *dpa);
struct doca_dpa *
doca_verbs_eth_rq_init_attr_get_dpa(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t
doca_verbs_eth_rq_init_attr_set_dpa_completion(struct doca_verbs_eth_rq_init_attr *attr,
                                               struct doca_dpa_completion *dpa_completion);
struct doca_dpa_completion *
doca_verbs_eth_rq_init_attr_get_dpa_completion(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t
doca_verbs_eth_rq_init_attr_set_ts_source_type(struct doca_verbs_eth_rq_init_attr *attr,
                                               uint8_t value);
uint8_t
doca_verbs_eth_rq_init_attr_get_ts_source_type(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_cq(struct doca_verbs_eth_rq_init_attr *attr,
                                                struct doca_verbs_cq *cq);
struct doca_verbs_cq *
doca_verbs_eth_rq_init_attr_get_cq(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_user_index(struct doca_verbs_eth_rq_init_attr *attr,
                                                        uint32_t value);
uint32_t doca_verbs_eth_rq_init_attr_get_user_index(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_user_data(struct doca_verbs_eth_rq_init_attr *attr,
                                                       union doca_data value);
union doca_data
doca_verbs_eth_rq_init_attr_get_user_data(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t doca_verbs_eth_rq_init_attr_set_external_umem(struct doca_verbs_eth_rq_init_attr *attr,
                                                           struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_eth_rq_init_attr_get_external_umem(const struct doca_verbs_eth_rq_init_attr *attr,
                                              struct doca_umem **umem, uint64_t *offset);
doca_error_t
doca_verbs_eth_rq_init_attr_set_external_dbr_umem(struct doca_verbs_eth_rq_init_attr *attr,
                                                  struct doca_umem *umem, uint64_t offset);
doca_error_t
doca_verbs_eth_rq_init_attr_get_external_dbr_umem(const struct doca_verbs_eth_rq_init_attr *attr,
                                                  struct doca_umem **umem, uint64_t *offset);
doca_error_t doca_verbs_eth_rq_init_attr_set_srq(struct doca_verbs_eth_rq_init_attr *attr,
                                                 struct doca_verbs_srq *srq);
struct doca_verbs_srq *
doca_verbs_eth_rq_init_attr_get_srq(const struct doca_verbs_eth_rq_init_attr *attr);
doca_error_t
doca_verbs_eth_rq_init_attr_set_flush_in_error_en(struct doca_verbs_eth_rq_init_attr *attr,
                                                  uint8_t value);
uint8_t
doca_verbs_eth_rq_init_attr_get_flush_in_error_en(const struct doca_verbs_eth_rq_init_attr *attr);
enum doca_verbs_eth_rq_state
doca_verbs_eth_rq_init_attr_get_state(const struct doca_verbs_eth_rq_init_attr *attr);

doca_error_t doca_verbs_eth_rq_create(struct doca_verbs_context *context,
                                      struct doca_verbs_eth_rq_init_attr *attr,
                                      struct doca_verbs_eth_rq **rq);
doca_error_t doca_verbs_eth_rq_destroy(struct doca_verbs_eth_rq *rq);
doca_error_t doca_verbs_eth_rq_get_dpa_handle(struct doca_verbs_eth_rq *rq, struct doca_dpa *dpa,
                                              doca_dpa_dev_verbs_eth_rq_t *handle);
doca_error_t doca_verbs_eth_rq_query(struct doca_verbs_eth_rq *rq,
                                     struct doca_verbs_eth_rq_init_attr *attr);
uint32_t doca_verbs_eth_rq_get_rq_hw_number(const struct doca_verbs_eth_rq *rq);
doca_error_t doca_verbs_eth_rq_recover_from_error(struct doca_verbs_eth_rq *rq);
doca_error_t doca_verbs_eth_rq_get_wq(const struct doca_verbs_eth_rq *rq, void **address,
                                      uint32_t *entries, uint32_t *size);
void *doca_verbs_eth_rq_get_dbr_addr(const struct doca_verbs_eth_rq *rq);

#ifdef __cplusplus
}
#endif

#endif
