/* Two queue pairs of two devices that are connected to each other, and operations of the cases. */
#ifndef TESTS_HOST_VERBS_WORLD_H
#define TESTS_HOST_VERBS_WORLD_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define ROOM 65536
#define ALL_ACCESS                                                                                 \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |                   \
     IBV_ACCESS_REMOTE_ATOMIC)

struct side {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_srq *srq; /* NULL: it has receives of its own */
    struct ibv_qp *qp;
    union ibv_gid gid;
    _Alignas(64) unsigned char memory[ROOM];
};

static inline struct ibv_context *open_named(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;
    for (int i = 0; list && list[i]; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            context = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    CHECK(context);
    return context;
}

static inline struct ibv_qp_init_attr_ex qp_wanted(struct side *s)
{
    return (struct ibv_qp_init_attr_ex){
        .qp_context = s,
        .send_cq = s->cq,
        .recv_cq = s->cq,
        .srq = s->srq,
        .cap = {.max_send_wr = 64,
                .max_recv_wr = 64,
                .max_send_sge = 4,
                .max_recv_sge = 4,
                .max_inline_data = 64},
        .qp_type = IBV_QPT_RC,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
        .pd = s->pd,
        .send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
                          IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                          IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                          IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD};
}

static inline void open_device(struct side *s, const char *name, int cqe)
{
    memset(s, 0, sizeof *s);
    s->context = open_named(name);
    CHECK((s->pd = ibv_alloc_pd(s->context)));
    CHECK((s->mr = ibv_reg_mr(s->pd, s->memory, ROOM, ALL_ACCESS)));
    CHECK((s->channel = ibv_create_comp_channel(s->context)));
    CHECK((s->cq = ibv_create_cq(s->context, cqe, s, s->channel, 0)));
    CHECK(ibv_query_gid(s->context, 1, 0, &s->gid) == 0);
}

static inline void open_side(struct side *s, const char *name)
{
    open_device(s, name, 255);
    struct ibv_qp_init_attr_ex wanted = qp_wanted(s);
    CHECK((s->qp = ibv_create_qp_ex(s->context, &wanted)));
}

static inline void close_side(struct side *s)
{
    CHECK(!s->qp || ibv_destroy_qp(s->qp) == 0);
    CHECK(!s->srq || ibv_destroy_srq(s->srq) == 0);
    CHECK(ibv_destroy_cq(s->cq) == 0 && ibv_destroy_comp_channel(s->channel) == 0);
    CHECK(ibv_dereg_mr(s->mr) == 0 && ibv_dealloc_pd(s->pd) == 0);
    CHECK(ibv_close_device(s->context) == 0);
}

/* ---- States ---- */

#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_RTR                                                                                     \
    (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |                \
     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS                                                                                     \
    (IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |         \
     IBV_QP_MAX_QP_RD_ATOMIC)

/* All attributes that a queue pair needs. The caller sets `qp_state`. */
static inline struct ibv_qp_attr attributes(uint32_t number, const union ibv_gid *gid)
{
    return (struct ibv_qp_attr){
        .port_num = 1,
        .qp_access_flags = ALL_ACCESS,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = number,
        .max_dest_rd_atomic = 1,
        .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .hop_limit = 1}},
        .timeout = 14,
        .retry_cnt = 7,
        .rnr_retry = 7,
        .max_rd_atomic = 1};
}

static inline int move(struct ibv_qp *qp, struct ibv_qp_attr a, enum ibv_qp_state to, int mask)
{
    a.qp_state = to;
    return ibv_modify_qp(qp, &a, mask);
}

static inline void connect_with(struct ibv_qp *qp, struct ibv_qp_attr a)
{
    CHECK(move(qp, a, IBV_QPS_INIT, TO_INIT) == 0);
    CHECK(move(qp, a, IBV_QPS_RTR, TO_RTR) == 0);
    CHECK(move(qp, a, IBV_QPS_RTS, TO_RTS) == 0);
    CHECK(qp->state == IBV_QPS_RTS);
}

static inline void connect_sides(struct side *a, struct side *b)
{
    connect_with(a->qp, attributes(b->qp->qp_num, &b->gid));
    connect_with(b->qp, attributes(a->qp->qp_num, &a->gid));
}

static inline enum ibv_qp_state state_of(struct ibv_qp *qp)
{
    struct ibv_qp_attr a;
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(qp, &a, IBV_QP_STATE, &init) == 0);
    return a.qp_state;
}

/* ---- Work requests ---- */

static inline struct ibv_sge piece(struct side *s, uint32_t at, uint32_t length)
{
    return (struct ibv_sge){
        .addr = (uintptr_t)s->memory + at, .length = length, .lkey = s->mr->lkey};
}

static inline int receive(struct side *s, uint64_t id, uint32_t at, uint32_t length)
{
    struct ibv_sge sge = piece(s, at, length);
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1}, *bad;
    return s->srq ? ibv_post_srq_recv(s->srq, &wr, &bad) : ibv_post_recv(s->qp, &wr, &bad);
}

static inline int post(struct side *s, struct ibv_send_wr wr)
{
    struct ibv_send_wr *bad = NULL;
    const int why = ibv_post_send(s->qp, &wr, &bad);
    CHECK(why == 0 || bad == &wr);
    return why;
}

/* A work request from and to the same place in the memory of both sides. */
static inline struct ibv_send_wr work(struct side *to, enum ibv_wr_opcode opcode, uint64_t id,
                                      struct ibv_sge *sge)
{
    struct ibv_send_wr wr = {.wr_id = id,
                             .sg_list = sge,
                             .num_sge = 1,
                             .opcode = opcode,
                             .send_flags = IBV_SEND_SIGNALED};
    wr.wr.rdma.remote_addr = (uintptr_t)to->memory;
    wr.wr.rdma.rkey = to->mr->rkey;
    return wr;
}

static inline struct ibv_wc wait_wc(struct side *s)
{
    struct ibv_wc wc;
    const time_t end = time(NULL) + 60;
    int n;
    while ((n = ibv_poll_cq(s->cq, 1, &wc)) == 0)
        CHECK(time(NULL) < end);
    CHECK(n == 1);
    return wc;
}

#define CHECK_WC(side, id, expected)                                                               \
    do {                                                                                           \
        const struct ibv_wc wc_ = wait_wc(side);                                                   \
        if (wc_.wr_id != (id) || wc_.status != (expected))                                         \
            fprintf(stderr, "wr_id %d status %d\n", (int)wc_.wr_id, (int)wc_.status);              \
        CHECK(wc_.wr_id == (id) && wc_.status == (expected));                                      \
    } while (0)

static inline void is_empty(struct side *s)
{
    struct ibv_wc wc;
    CHECK(ibv_poll_cq(s->cq, 1, &wc) == 0);
}

#endif
