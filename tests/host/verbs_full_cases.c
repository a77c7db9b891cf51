/* Queues of verbs that are full: a place is free again when the completion of its work request was polled, as with
 * libmlx5 on a card. */
#include "verbs_pair.h"

/* Opens both sides with queues that have these sizes, and one completion queue that has room for them all. */
static struct ibv_qp_cap open_with(uint32_t sends, uint32_t receives, unsigned signals_all)
{
    struct side *const sides[] = {&a, &b};
    struct ibv_qp_init_attr_ex wanted;
    for (int i = 0; i < 2; i++) {
        open_device(sides[i], i ? "mlx5_1" : "mlx5_0", 4096);
        wanted = qp_wanted(sides[i]);
        wanted.cap.max_send_wr = sends;
        wanted.cap.max_recv_wr = receives;
        wanted.sq_sig_all = (int)signals_all;
        CHECK((sides[i]->qp = ibv_create_qp_ex(sides[i]->context, &wanted)));
    }
    connect_sides(&a, &b);
    return wanted.cap;
}

static int write_one(uint64_t id, unsigned flags)
{
    struct ibv_sge one = piece(&a, 0, 8);
    struct ibv_send_wr wr = work(&b, IBV_WR_RDMA_WRITE, id, &one);
    wr.send_flags = flags;
    return post(&a, wr);
}

/* Posts writes until the queue is full. Returns how many. */
static uint32_t fill(unsigned flags)
{
    uint32_t n = 0;
    int why;
    while ((why = write_one(n, flags)) == 0)
        CHECK(++n < 100000);
    CHECK(why == ENOMEM);
    return n;
}

static uint32_t poll_all(struct side *s)
{
    struct ibv_wc wc;
    uint32_t n = 0;
    while (ibv_poll_cq(s->cq, 1, &wc) == 1) {
        CHECK(wc.status == IBV_WC_SUCCESS);
        n++;
    }
    return n;
}

static void a_send_queue_is_full_until_completions_are_polled(void)
{
    const struct ibv_qp_cap cap = open_with(10, 1, 0);
    CHECK(cap.max_send_wr == 16);
    for (int round = 0; round < 3; round++) {
        CHECK(fill(IBV_SEND_SIGNALED) == cap.max_send_wr);
        for (uint32_t i = 0; i < cap.max_send_wr; i++) {
            CHECK_WC(&a, i, IBV_WC_SUCCESS);
            if (i == 4) { /* five places, and no more */
                for (uint64_t id = 0; id < 5; id++)
                    CHECK(write_one(cap.max_send_wr + id, IBV_SEND_SIGNALED) == 0);
                CHECK(write_one(99, IBV_SEND_SIGNALED) == ENOMEM);
            }
        }
        for (uint64_t id = 0; id < 5; id++)
            CHECK_WC(&a, cap.max_send_wr + id, IBV_WC_SUCCESS);
    }
    close_both();
}

/* The places of work requests without a completion are freed with the next completion. */
static void silent_sends_are_given_back_by_the_next_completion(void)
{
    const struct ibv_qp_cap cap = open_with(16, 1, 0);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 1; i < cap.max_send_wr; i++)
            CHECK(write_one(i, 0) == 0);
        CHECK(write_one(7, IBV_SEND_SIGNALED) == 0 && write_one(8, 0) == ENOMEM);
        CHECK_WC(&a, 7, IBV_WC_SUCCESS);
    }
    CHECK(fill(0) == cap.max_send_wr && poll_all(&a) == 0);
    CHECK(write_one(1, 0) == ENOMEM); /* for ever */
    close_both();
}

static void described_work_requests_find_a_full_queue(void)
{
    const struct ibv_qp_cap cap = open_with(4, 1, 1);
    struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
    CHECK(fill(0) == cap.max_send_wr);
    ibv_wr_start(qp);
    ibv_wr_rdma_write(qp, b.mr->rkey, (uintptr_t)b.memory);
    ibv_wr_set_sge(qp, a.mr->lkey, (uintptr_t)a.memory, 8);
    CHECK(ibv_wr_complete(qp) == ENOMEM);
    CHECK_WC(&a, 0, IBV_WC_SUCCESS);
    CHECK(write_one(9, 0) == 0);
    close_both();
}

/* The start of a list that fits is posted, and the first request that does not fit is returned. */
static void a_list_stops_where_the_queue_is_full(void)
{
    const struct ibv_qp_cap cap = open_with(4, 1, 1);
    struct ibv_sge one = piece(&a, 0, 8);
    struct ibv_send_wr list[6], *bad = NULL;
    for (int i = 0; i < 6; i++) {
        list[i] = work(&b, IBV_WR_RDMA_WRITE, (uint64_t)i, &one);
        list[i].next = i < 5 ? &list[i + 1] : NULL;
    }
    CHECK(ibv_post_send(a.qp, list, &bad) == ENOMEM && bad == &list[cap.max_send_wr]);
    for (uint64_t i = 0; i < cap.max_send_wr; i++)
        CHECK_WC(&a, i, IBV_WC_SUCCESS);
    close_both();
}

static void a_receive_queue_is_full_until_completions_are_polled(void)
{
    const struct ibv_qp_cap cap = open_with(16, 3, 0);
    struct ibv_sge one = piece(&a, 0, 8);
    CHECK(cap.max_recv_wr == 4);
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 4; i++)
            CHECK(receive(&b, i, 64, 8) == 0);
        CHECK(receive(&b, 9, 64, 8) == ENOMEM);
        for (uint64_t i = 0; i < 4; i++)
            CHECK(post(&a, work(&b, IBV_WR_SEND, i, &one)) == 0);
        for (uint64_t i = 0; i < 4; i++)
            CHECK_WC(&a, i, IBV_WC_SUCCESS);
        CHECK(receive(&b, 9, 64, 8) == ENOMEM); /* all were taken, none was polled */
        for (uint64_t i = 0; i < 4; i++)
            CHECK_WC(&b, i, IBV_WC_SUCCESS);
    }
    close_both();
}

/* In the error state what is posted is flushed, and takes places as well. */
static void a_queue_in_the_error_state_is_full_too(void)
{
    const struct ibv_qp_cap cap = open_with(4, 4, 1);
    CHECK(move(a.qp, attributes(b.qp->qp_num, &b.gid), IBV_QPS_ERR, IBV_QP_STATE) == 0);
    CHECK(fill(0) == cap.max_send_wr);
    for (uint64_t i = 0; i < cap.max_recv_wr; i++)
        CHECK(receive(&a, i, 64, 8) == 0);
    CHECK(receive(&a, 9, 64, 8) == ENOMEM);
    for (uint32_t i = 0; i < cap.max_send_wr + cap.max_recv_wr; i++)
        CHECK(wait_wc(&a).status == IBV_WC_WR_FLUSH_ERR);
    CHECK(write_one(0, 0) == 0 && receive(&a, 9, 64, 8) == 0);
    close_both();
}

/* What was posted and completed before a reset takes no place after it. */
static void a_reset_empties_the_queues(void)
{
    const struct ibv_qp_cap cap = open_with(4, 4, 1);
    CHECK(fill(0) == cap.max_send_wr);
    for (uint64_t i = 0; i < cap.max_recv_wr; i++)
        CHECK(receive(&a, i, 64, 8) == 0);
    CHECK(move(a.qp, attributes(0, &b.gid), IBV_QPS_RESET, IBV_QP_STATE) == 0);
    CHECK(move(b.qp, attributes(0, &b.gid), IBV_QPS_RESET, IBV_QP_STATE) == 0);
    CHECK(poll_all(&a) == 0);
    connect_sides(&a, &b);
    CHECK(fill(0) == cap.max_send_wr);
    for (uint64_t i = 0; i < cap.max_recv_wr; i++)
        CHECK(receive(&a, i, 64, 8) == 0);
    CHECK(receive(&a, 9, 64, 8) == ENOMEM);
    close_both();
}

/* Sizes of a shared queue are a power of two, less the entry that ends the list. */
static void a_shared_queue_is_full_until_completions_are_polled(void)
{
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = 4, .max_sge = 1}};
    struct ibv_srq_attr now;
    open_side(&a, "mlx5_0");
    open_device(&b, "mlx5_1", 255);
    CHECK((b.srq = ibv_create_srq(b.pd, &wanted)) && wanted.attr.max_wr == 7);
    CHECK(ibv_query_srq(b.srq, &now) == 0 && now.max_wr == 7);
    struct ibv_qp_init_attr_ex init = qp_wanted(&b);
    CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
    connect_sides(&a, &b);
    struct ibv_sge one = piece(&a, 0, 8);
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 7; i++)
            CHECK(receive(&b, i, 64, 8) == 0);
        CHECK(receive(&b, 9, 64, 8) == ENOMEM);
        for (uint64_t i = 0; i < 7; i++)
            CHECK(post(&a, work(&b, IBV_WR_SEND, i, &one)) == 0);
        for (uint64_t i = 0; i < 7; i++)
            CHECK_WC(&a, i, IBV_WC_SUCCESS);
        CHECK(receive(&b, 9, 64, 8) == ENOMEM);
        CHECK_WC(&b, 0, IBV_WC_SUCCESS);
        CHECK(receive(&b, 0, 64, 8) == 0 && receive(&b, 9, 64, 8) == ENOMEM);
        /* Those of a queue pair that goes are given back without a poll. */
        CHECK(ibv_destroy_qp(b.qp) == 0);
        init = qp_wanted(&b);
        CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
        CHECK(move(a.qp, attributes(0, &b.gid), IBV_QPS_RESET, IBV_QP_STATE) == 0);
        connect_sides(&a, &b);
        CHECK(post(&a, work(&b, IBV_WR_SEND, 0, &one)) == 0);
        CHECK_WC(&a, 0, IBV_WC_SUCCESS);
        CHECK_WC(&b, 0, IBV_WC_SUCCESS);
    }
    close_both();
}

/* A completion queue has more than was asked for, and says how many. */
static void completion_queues_say_what_they_have(void)
{
    struct ibv_context *c = open_named("mlx5_0");
    static const int asked[] = {1, 2, 3, 4, 255, 256, 4096}, got[] = {1, 3, 3, 7, 255, 511, 8191};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct ibv_cq *cq = ibv_create_cq(c, asked[i], NULL, NULL, 0);
        CHECK(cq && cq->cqe == got[i] && ibv_destroy_cq(cq) == 0);
    }
    CHECK(ibv_close_device(c) == 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(a_send_queue_is_full_until_completions_are_polled),
        CASE(silent_sends_are_given_back_by_the_next_completion),
        CASE(described_work_requests_find_a_full_queue),
        CASE(a_list_stops_where_the_queue_is_full),
        CASE(a_receive_queue_is_full_until_completions_are_polled),
        CASE(a_queue_in_the_error_state_is_full_too),
        CASE(a_reset_empties_the_queues),
        CASE(a_shared_queue_is_full_until_completions_are_polled),
        CASE(completion_queues_say_what_they_have)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
