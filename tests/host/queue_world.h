/* Sets of queues for flexio_queue_cases.c. */
#ifndef TESTS_FLEXIO_QUEUE_WORLD_H
#define TESTS_FLEXIO_QUEUE_WORLD_H

#include <endian.h>

#include "flexio_world.h"
#include "queue_com.h"

extern struct flexio_app *queue_app;
flexio_func_t next_sent, next_received, repost, frame, two_frames, post, on_receive, activations,
    peek, ring, bad_doorbell, write_record, arm_on_and_on, ring_across, wake, on_events, seen,
    empty_completion, doorbell_through, hurried_frame;

#define DATA_SIZE ((DEPTH + 1) * BUFFER)

static inline struct flexio_process *queue_process(void)
{
    struct flexio_process *p = NULL;
    CHECK(flexio_process_create(context, queue_app, NULL, &p) == OK);
    return p;
}

/* A send side and a receive side of one process, as the host has them. */
struct set {
    struct flexio_process *p;
    struct flexio_cq *send_cq, *receive_cq;
    struct flexio_sq *sq;
    struct flexio_rq *rq;
    struct flexio_qp *qp;
    struct flexio_mkey *mkey;
    struct queues q;     /* as at the start */
    flexio_uintptr_t at; /* its address in DPA memory */
};

static inline flexio_uintptr_t zeros(struct flexio_process *p, size_t size)
{
    flexio_uintptr_t at = 0;
    CHECK(flexio_buf_dev_alloc(p, size, &at) == OK && flexio_buf_dev_memset(p, 0, size, at) == OK);
    return at;
}

static inline struct flexio_cq *make_cq_of(struct flexio_process *p, struct flexio_thread *thread,
                                           uint32_t uar, uint64_t *ring, uint64_t *record)
{
    struct flexio_cq *cq = NULL;
    *ring = zeros(p, DEPTH * 64);
    *record = zeros(p, 8);
    CHECK(flexio_buf_dev_memset(p, 0xff, DEPTH * 64, *ring) == OK); /* owned by the device */
    struct flexio_cq_attr attr = {.log_cq_depth = LOG_DEPTH,
                                  .element_type = thread ? FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD
                                                         : FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                  .uar_id = uar,
                                  .cq_ring_qmem = {.daddr = *ring},
                                  .cq_dbr_daddr = *record};
    if (thread)
        attr.thread = thread;
    CHECK(flexio_cq_create(p, NULL, &attr, &cq) == OK);
    return cq;
}

static inline struct flexio_cq *make_cq(struct flexio_process *p, struct flexio_thread *thread,
                                        uint64_t *ring, uint64_t *record)
{
    return make_cq_of(p, thread, flexio_uar_get_id(flexio_process_get_uar(p)), ring, record);
}

/* Receives into the first DEPTH buffers, all posted. */
static inline void fill_receives(struct set *s)
{
    struct mlx5_wqe_data_seg ring[DEPTH];
    uint32_t record[2] = {htobe32(DEPTH), 0};
    for (unsigned i = 0; i < DEPTH; i++)
        mlx5dv_set_data_seg(&ring[i], BUFFER, s->q.key, s->q.data + i * BUFFER);
    CHECK(flexio_host2dev_memcpy(s->p, ring, sizeof ring, s->q.receives) == OK);
    CHECK(flexio_host2dev_memcpy(s->p, record, sizeof record, s->q.receive_record) == OK);
}

static inline struct set set_begin(struct flexio_process *p, struct flexio_thread *thread,
                                   int access)
{
    struct set s = {.p = p};
    s.send_cq = make_cq(p, NULL, &s.q.send_cq, &s.q.send_ci_at);
    s.receive_cq = make_cq(p, thread, &s.q.receive_cq, &s.q.receive_ci_at);
    s.q.data = zeros(p, DATA_SIZE);
    struct flexio_mkey_attr key = {
        .pd = flexio_process_get_pd(p), .daddr = s.q.data, .len = DATA_SIZE, .access = access};
    CHECK(flexio_device_mkey_create(p, &key, &s.mkey) == OK);
    s.q.key = flexio_mkey_get_id(s.mkey);
    s.q.send_cqn = flexio_cq_get_cq_num(s.send_cq);
    s.q.receive_cqn = flexio_cq_get_cq_num(s.receive_cq);
    s.q.receive_record = zeros(p, 8);
    return s;
}

static inline void set_ready(struct set *s)
{
    fill_receives(s);
    CHECK(flexio_copy_from_host(s->p, &s->q, sizeof s->q, &s->at) == OK);
}

/* An Ethernet send queue and a receive queue. */
static inline struct set ethernet(struct flexio_process *p, struct flexio_thread *thread)
{
    struct set s = set_begin(p, thread, IBV_ACCESS_LOCAL_WRITE);
    s.q.sends = zeros(p, DEPTH * 64);
    s.q.receives = zeros(p, DEPTH * 16);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .uar_id = flexio_uar_get_id(flexio_process_get_uar(p)),
                                  .pd = flexio_process_get_pd(p),
                                  .sq.allow_multi_pkt_send_wqe = 1,
                                  .wq_ring_qmem = {.daddr = s.q.sends}};
    CHECK(flexio_sq_create(p, NULL, s.q.send_cqn, &attr, &s.sq) == OK);
    attr.rq.wq_type = FLEXIO_WQ_TYPE_CYCLIC;
    attr.wq_ring_qmem.daddr = s.q.receives;
    attr.wq_dbr_qmem.daddr = s.q.receive_record;
    CHECK(flexio_rq_create(p, context, s.q.receive_cqn, &attr, &s.rq) == OK);
    s.q.send_number = flexio_sq_get_wq_num(s.sq);
    set_ready(&s);
    return s;
}

static inline struct set queue_pair(struct flexio_process *p, int permits)
{
    struct set s = set_begin(p, NULL,
                             IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                                 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
    s.q.receives = zeros(p, DEPTH * (16 + 64));
    s.q.sends = s.q.receives + DEPTH * 16;
    struct flexio_qp_attr attr = {.transport_type = FLEXIO_QPC_ST_RC,
                                  .qp_access_mask = permits,
                                  .log_sq_depth = LOG_DEPTH,
                                  .log_rq_depth = LOG_DEPTH,
                                  .sq_cqn = s.q.send_cqn,
                                  .rq_cqn = s.q.receive_cqn,
                                  .qp_wq_buff_qmem = {.daddr = s.q.receives},
                                  .qp_wq_dbr_qmem = {.daddr = s.q.receive_record}};
    CHECK(flexio_qp_create(p, NULL, &attr, &s.qp) == OK);
    CHECK(flexio_qp_state_get(s.qp) == FLEXIO_QP_STATE_RST);
    s.q.send_number = flexio_qp_get_qp_num(s.qp);
    set_ready(&s);
    return s;
}

static inline void connect_pair(struct flexio_qp *qp, struct flexio_qp *peer)
{
    struct flexio_qp_attr attr = {.remote_qp_num = flexio_qp_get_qp_num(peer)};
    for (int state = FLEXIO_QP_STATE_INIT; state <= FLEXIO_QP_STATE_RTS; state++) {
        attr.next_state = (enum flexio_qp_state)state;
        CHECK(flexio_qp_modify(qp, &attr, NULL) == OK);
        CHECK(flexio_qp_state_get(qp) == (enum flexio_qp_state)state);
    }
}

static inline void set_end(struct set *s)
{
    CHECK(flexio_sq_destroy(s->sq) == OK && flexio_rq_destroy(s->rq) == OK);
    CHECK(flexio_qp_destroy(s->qp) == OK);
    CHECK(flexio_cq_destroy(s->send_cq) == OK && flexio_cq_destroy(s->receive_cq) == OK);
    CHECK(flexio_device_mkey_destroy(s->mkey) == OK);
}

/* Takes every frame to the receive queue. */
struct steering {
    struct mlx5dv_dr_domain *domain;
    struct mlx5dv_dr_table *table;
    struct mlx5dv_dr_matcher *matcher;
    struct mlx5dv_dr_action *action;
    struct mlx5dv_dr_rule *rule;
};

/* `smac`: the first byte of the source address that counts; -1: any. */
static inline struct steering steer(struct flexio_rq *rq, int smac)
{
    struct {
        size_t size;
        uint64_t bytes[8];
    } mask = {.size = 64}, value = {.size = 64};
    struct steering s = {0};
    if (smac >= 0) {
        memset(mask.bytes, 0xff, 1);
        memset(value.bytes, smac, 1);
    }
    CHECK((s.domain = mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX)));
    CHECK((s.table = mlx5dv_dr_table_create(s.domain, 0)));
    CHECK((s.matcher = mlx5dv_dr_matcher_create(s.table, 0, smac >= 0, (void *)&mask)));
    CHECK((s.action = mlx5dv_dr_action_create_dest_devx_tir(flexio_rq_get_tir(rq))));
    CHECK((s.rule = mlx5dv_dr_rule_create(s.matcher, (void *)&value, 1, &s.action)));
    return s;
}

static inline void steering_end(struct steering *s)
{
    CHECK(mlx5dv_dr_action_destroy(s->action) == EBUSY);
    CHECK(mlx5dv_dr_rule_destroy(s->rule) == 0 && mlx5dv_dr_action_destroy(s->action) == 0);
    CHECK(mlx5dv_dr_table_destroy(s->table) == EBUSY);
    CHECK(mlx5dv_dr_matcher_destroy(s->matcher) == 0 && mlx5dv_dr_table_destroy(s->table) == 0);
    CHECK(mlx5dv_dr_domain_destroy(s->domain) == 0);
}

static inline uint64_t call1(struct flexio_process *p, flexio_func_t *f, uint64_t a)
{
    uint64_t result = 0;
    CHECK(flexio_process_call(p, f, &result, a) == OK);
    return result;
}

static inline uint64_t call2(struct flexio_process *p, flexio_func_t *f, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    CHECK(flexio_process_call(p, f, &result, a, b) == OK);
    return result;
}

#endif
