/* Two queue pairs of DOCA Verbs that talk. A waiting process polls, or sleeps until its completion
 * channel wakes it. */
#include <doca_dev.h>
#include <doca_verbs.h>
#include <doca_verbs_bridge.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "kills.h"
#include "verbs_path.h"

#define OK      DOCA_SUCCESS
#define ROUNDS  4
#define LARGE   ((size_t)1 << 19)
#define SLEEP_S 60 /* a sleeper that nobody wakes is ended */
#define ALL                                                                                        \
    (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |                   \
     IBV_ACCESS_REMOTE_ATOMIC)

/* Messages between the two sides. */
struct hello {
    uint32_t number, key;
    uint64_t address;
    union ibv_gid gid;
};

static struct doca_verbs_context *context;
static struct doca_verbs_pd *pd;
static struct doca_verbs_comp_channel *channel; /* NULL: it polls */
static struct doca_verbs_cq *cq;
static struct doca_verbs_qp *qp;
static struct ibv_mr *mr;
static struct hello its;
static char memory[4 * LARGE] __attribute__((aligned(4096)));
static unsigned sent, heard, failed;

static void begin(struct talker *t, bool sleeps)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    struct doca_verbs_cq_attr *a;
    struct doca_verbs_qp_init_attr *q;
    CHECK(doca_devinfo_create_list(&list, &count) == OK && count > 0);
    CHECK(doca_verbs_context_create(list[0], 0, &context) == OK);
    CHECK(doca_devinfo_destroy_list(list) == OK && doca_verbs_pd_create(context, &pd) == OK);
    mr = ibv_reg_mr(doca_verbs_bridge_verbs_pd_get_ibv_pd(pd), memory, sizeof memory, ALL);
    CHECK(mr && doca_verbs_cq_attr_create(&a) == OK);
    CHECK(doca_verbs_cq_attr_set_cq_size(a, 64) == OK);
    CHECK(!sleeps || doca_verbs_comp_channel_create(context, &channel) == OK);
    CHECK(!sleeps || doca_verbs_cq_attr_set_comp_channel(a, channel) == OK);
    CHECK(doca_verbs_cq_create(context, a, &cq) == OK && doca_verbs_cq_attr_destroy(a) == OK);
    CHECK(doca_verbs_qp_init_attr_create(&q) == OK && doca_verbs_qp_init_attr_set_pd(q, pd) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_wr(q, 8) == OK);
    CHECK(doca_verbs_qp_init_attr_set_rq_wr(q, 8) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_max_sges(q, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_max_sges(q, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_qp_type(q, DOCA_VERBS_QP_TYPE_RC) == OK);
    CHECK(doca_verbs_qp_init_attr_set_sq_sig_all(q, 1) == OK);
    CHECK(doca_verbs_qp_init_attr_set_send_cq(q, cq) == OK);
    CHECK(doca_verbs_qp_init_attr_set_receive_cq(q, cq) == OK);
    step(t);
    CHECK(doca_verbs_qp_create(context, q, &qp) == OK);
    CHECK(doca_verbs_qp_init_attr_destroy(q) == OK);
    step(t);
}

static void end(struct talker *t)
{
    step(t);
    CHECK(doca_verbs_qp_destroy(qp) == OK && doca_verbs_cq_destroy(cq) == OK);
    CHECK(!channel || doca_verbs_comp_channel_destroy(channel) == OK);
    step(t);
    CHECK(ibv_dereg_mr(mr) == 0 && doca_verbs_pd_destroy(pd) == OK);
    CHECK(doca_verbs_context_destroy(context) == OK);
}

static void connect_to(struct talker *t)
{
    struct verbs_path p = verbs_path_new(context, &its.gid, its.number, 10);
    for (enum doca_verbs_qp_state to = DOCA_VERBS_QP_STATE_INIT; to <= DOCA_VERBS_QP_STATE_RTS;
         to++) {
        verbs_path_go(&p, qp, to);
        step(t);
    }
    verbs_path_free(&p);
}

static void post(struct talker *t, enum ibv_wr_opcode opcode, size_t at)
{
    struct ibv_sge piece = {(uintptr_t)memory + at, LARGE, mr->lkey};
    struct ibv_send_wr w = {.sg_list = &piece, .num_sge = 1, .opcode = opcode}, *bad;
    w.wr.rdma.remote_addr = its.address + at;
    w.wr.rdma.rkey = its.key;
    step(t);
    if (doca_verbs_bridge_post_send(qp, &w, &bad) != 0)
        failed++;
    step(t);
}

/* One of the two sleeps in the call, the other one at the descriptor. */
static void sleep_at_channel(const struct talker *t)
{
    struct pollfd p = {.fd = doca_verbs_comp_channel_get_handle(channel), .events = POLLIN};
    struct doca_verbs_cq *of = NULL;
    void *its;
    alarm(SLEEP_S);
    CHECK(t->first || poll(&p, 1, -1) == 1);
    CHECK(doca_verbs_get_cq_event(channel, &of, &its) == OK && of == cq);
    alarm(0);
    doca_verbs_ack_cq_events(cq, 1);
}

/* Polls, and waits if there is no completion. Returns 0 when there may be one now. */
static int take(const struct talker *t, struct ibv_wc *wc)
{
    int n = doca_verbs_bridge_poll_cq(cq, 1, wc);
    if (n != 0)
        return n;
    if (!channel) {
        wait_a_bit(t);
        return 0;
    }
    CHECK(doca_verbs_req_notify_cq(cq, 0) == OK);
    n = doca_verbs_bridge_poll_cq(cq, 1, wc); /* of before it was asked for */
    if (n == 0)
        sleep_at_channel(t);
    return n;
}

static bool await(const struct talker *t, const unsigned *what, unsigned count)
{
    struct ibv_wc wc;
    while (*what < count && failed == 0) {
        const int n = take(t, &wc);
        CHECK(n >= 0);
        if (n == 0)
            continue;
        if (wc.status != IBV_WC_SUCCESS)
            failed++;
        else if (wc.opcode & IBV_WC_RECV)
            heard++;
        else
            sent++;
    }
    return failed == 0;
}

/* A receive does not learn that the peer is gone, as on a card: who waits writes meanwhile. */
static bool await_word(struct talker *t, unsigned count)
{
    while (heard < count && failed == 0) {
        const unsigned before = sent;
        post(t, IBV_WR_RDMA_WRITE, LARGE);
        t->steps -= 2; /* how often depends on the other one */
        if (!await(t, &sent, before + 1))
            return false;
    }
    return failed == 0;
}

static bool talk(struct talker *t)
{
    struct ibv_sge piece = {(uintptr_t)memory, LARGE, mr->lkey};
    struct ibv_recv_wr r = {.sg_list = &piece, .num_sge = 1}, *bad;
    const unsigned heard_before = heard;
    if (doca_verbs_bridge_post_recv(qp, &r, &bad) != 0)
        return false;
    step(t);
    if (!t->first && !await_word(t, heard_before + 1))
        return false;
    const unsigned before = sent;
    post(t, IBV_WR_SEND, 2 * LARGE);
    post(t, IBV_WR_RDMA_WRITE, LARGE);
    post(t, IBV_WR_RDMA_READ, 3 * LARGE);
    return await(t, &sent, before + 3) && (!t->first || await_word(t, heard_before + 1));
}

static void talk_and_wait(struct talker *t, bool sleeps)
{
    size_t size;
    char word[WORD_MAX];
    begin(t, sleeps);
    struct hello mine = {doca_verbs_qp_get_qpn(qp), mr->rkey, (uintptr_t)memory, {{0}}};
    CHECK(ibv_query_gid(mr->context, 1, 0, &mine.gid) == 0);
    if (trade(t, &mine, sizeof mine, word, &size)) {
        memcpy(&its, word, sizeof its);
        connect_to(t);
        bool goes_on = true;
        for (int i = 0; goes_on && i < ROUNDS; i++)
            goes_on = talk(t);
        if (goes_on)
            trade(t, "", 1, word, &size); /* nobody leaves before the other one has its answers */
    }
    end(t);
}

void talk_by_verbs(struct talker *t)
{
    talk_and_wait(t, false);
}

void talk_by_channel(struct talker *t)
{
    talk_and_wait(t, true);
}
