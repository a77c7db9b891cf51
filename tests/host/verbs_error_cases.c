/* Queue pairs of the host, within one process: what fails, and what is refused. */
#include "verbs_pair.h"

/* ---- Errors ---- */

/* `a` fails with a status. `b` also fails, and causes an event. */
static void both_fail(struct ibv_send_wr wr, enum ibv_wc_status status, enum ibv_event_type type)
{
    struct ibv_async_event event;
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, wr.wr_id, status);
    CHECK(state_of(a.qp) == IBV_QPS_ERR && state_of(b.qp) == IBV_QPS_ERR);
    CHECK(ibv_get_async_event(b.context, &event) == 0);
    CHECK(event.event_type == type && event.element.qp == b.qp);
    ibv_ack_async_event(&event);
}

static void a_wrong_key_of_the_peer_is_an_access_error(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    struct ibv_send_wr wr = work(&b, IBV_WR_RDMA_WRITE, 1, &one);
    wr.wr.rdma.rkey ^= 0x100;
    both_fail(wr, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
    close_both();
}

static void rights_of_the_queue_pair_count(void)
{
    open_side(&a, "mlx5_0");
    open_side(&b, "mlx5_1");
    connect_with(a.qp, attributes(b.qp->qp_num, &b.gid));
    struct ibv_qp_attr reads = attributes(a.qp->qp_num, &a.gid);
    reads.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    connect_with(b.qp, reads);
    struct ibv_sge one = piece(&a, 0, 1);
    CHECK(post(&a, work(&b, IBV_WR_RDMA_READ, 1, &one)) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    both_fail(work(&b, IBV_WR_RDMA_WRITE, 2, &one), IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
    close_both();
}

static void a_message_that_is_too_long_fails_on_both_sides(void)
{
    open_both();
    struct ibv_sge ten = piece(&a, 0, 10);
    CHECK(receive(&b, 2, 0, 9) == 0);
    both_fail(work(&b, IBV_WR_SEND, 1, &ten), IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
    CHECK_WC(&b, 2, IBV_WC_LOC_LEN_ERR);
    close_both();
}

static void memory_of_the_sender_must_be_its_own(void)
{
    open_both();
    struct ibv_sge wrong = piece(&a, 0, 10);
    wrong.lkey = b.mr->lkey;
    CHECK(post(&a, work(&b, IBV_WR_RDMA_WRITE, 1, &wrong)) == 0);
    CHECK_WC(&a, 1, IBV_WC_LOC_PROT_ERR);
    CHECK(state_of(a.qp) == IBV_QPS_ERR && state_of(b.qp) == IBV_QPS_RTS);
    close_both();
}

/* As rnr_retry says: at once, after a while, never. */
static void a_peer_without_receives_ends_the_patience(void)
{
    for (uint8_t retries = 0; retries < 2; retries++) {
        open_side(&a, "mlx5_0");
        open_side(&b, "mlx5_1");
        struct ibv_qp_attr impatient = attributes(b.qp->qp_num, &b.gid);
        impatient.rnr_retry = retries;
        connect_with(a.qp, impatient);
        connect_with(b.qp, attributes(a.qp->qp_num, &a.gid));
        struct ibv_sge one = piece(&a, 0, 1);
        CHECK(post(&a, work(&b, IBV_WR_SEND, 1, &one)) == 0);
        CHECK_WC(&a, 1, IBV_WC_RNR_RETRY_EXC_ERR);
        CHECK(state_of(a.qp) == IBV_QPS_ERR && state_of(b.qp) == IBV_QPS_RTS);
        close_both();
    }
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    CHECK(post(&a, work(&b, IBV_WR_SEND, 1, &one)) == 0);
    usleep(200000);
    is_empty(&a);
    CHECK(receive(&b, 2, 0, 1) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    close_both();
}

static void a_peer_that_is_destroyed_ends_the_retries(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    CHECK(ibv_destroy_qp(b.qp) == 0);
    b.qp = NULL;
    CHECK(post(&a, work(&b, IBV_WR_SEND, 1, &one)) == 0);
    is_empty(&a); /* it tries again, for half a second */
    CHECK_WC(&a, 1, IBV_WC_RETRY_EXC_ERR);
    close_both();
}

/* ---- Hostile use ---- */

static void nothing_is_destroyed_while_it_is_used(void)
{
    open_both();
    CHECK(ibv_destroy_cq(a.cq) == EBUSY && ibv_dealloc_pd(a.pd) == EBUSY);
    CHECK(ibv_destroy_comp_channel(a.channel) == EBUSY);
    CHECK(ibv_dereg_mr(a.mr) == 0);
    CHECK(ibv_dealloc_pd(a.pd) == EBUSY); /* the queue pair is left */
    CHECK((a.mr = ibv_reg_mr(a.pd, a.memory, ROOM, ALL_ACCESS)));
    close_both();
}

static void calls_that_make_no_sense_are_refused(void)
{
    struct ibv_qp_attr at;
    struct ibv_qp_init_attr init;
    struct ibv_srq_init_attr shared = {.attr = {.max_wr = 1 << 20, .max_sge = 1}};
    open_both();
#define NO_QP(why) (errno = 0, !ibv_create_qp_ex(a.context, &wanted) && errno == (why))
    struct ibv_qp_init_attr_ex wanted = qp_wanted(&a);
    wanted.qp_type = IBV_QPT_UD;
    CHECK(NO_QP(EOPNOTSUPP));
    wanted = qp_wanted(&a);
    wanted.send_ops_flags = IBV_QP_EX_WITH_TSO;
    CHECK(NO_QP(EOPNOTSUPP));
    wanted = qp_wanted(&a);
    wanted.recv_cq = b.cq; /* of another device */
    CHECK(NO_QP(EINVAL));
    wanted = qp_wanted(&a);
    wanted.pd = b.pd;
    CHECK(NO_QP(EINVAL));
    wanted = qp_wanted(&a);
    wanted.cap.max_send_wr = UINT32_MAX;
    CHECK(NO_QP(EINVAL));
    wanted = qp_wanted(&a);
    wanted.cap.max_inline_data = 1 << 20;
    CHECK(NO_QP(EINVAL));
    CHECK(!ibv_create_qp(NULL, NULL) && errno == EINVAL && !ibv_create_qp(a.pd, NULL));
    CHECK(!ibv_create_srq(a.pd, &shared) && !ibv_create_srq(a.pd, NULL));
    CHECK(!ibv_create_srq(NULL, &shared) && !ibv_create_ah(a.pd, NULL));
    CHECK(ibv_modify_qp(NULL, &at, 0) == EINVAL && ibv_modify_qp(a.qp, NULL, 0) == EINVAL);
    CHECK(ibv_query_qp(a.qp, NULL, 0, &init) == EINVAL &&
          ibv_query_qp(a.qp, &at, 0, NULL) == EINVAL);
    CHECK(ibv_destroy_qp(NULL) == EINVAL && ibv_destroy_srq(NULL) == EINVAL);
    CHECK(ibv_query_srq(NULL, NULL) == EINVAL && ibv_modify_srq(NULL, NULL, 0) == EINVAL);
    CHECK(ibv_get_async_event(a.context, NULL) == -1 && errno == EINVAL);
    CHECK(ibv_resize_cq(a.cq, 10) == EOPNOTSUPP && !ibv_qp_to_qp_ex(NULL));
    CHECK(ibv_attach_mcast(a.qp, &a.gid, 0) == EOPNOTSUPP);
    struct ibv_sge pieces[5] = {piece(&a, 0, 1)};
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND, 1, pieces);
    wr.num_sge = 5; /* more than max_send_sge */
    CHECK(post(&a, wr) == EINVAL);
    wr.num_sge = -1;
    CHECK(post(&a, wr) == EINVAL);
    wr.num_sge = 1;
    wr.sg_list = NULL;
    CHECK(post(&a, wr) == EINVAL);
    wr = work(&b, IBV_WR_BIND_MW, 1, pieces);
    CHECK(post(&a, wr) == EOPNOTSUPP);
    wr = work(&b, 12345, 1, pieces);
    CHECK(post(&a, wr) == EINVAL);
    wr = work(&b, IBV_WR_SEND, 1, pieces);
    wr.send_flags = IBV_SEND_INLINE;
    pieces[0].length = 65; /* more than max_inline_data */
    CHECK(post(&a, wr) == ENOMEM);
    pieces[0].length = 1;
    wr.send_flags = 0;
    for (int i = 0; i < 64; i++) /* they wait for receives */
        CHECK(post(&a, wr) == 0);
    CHECK(post(&a, wr) == ENOMEM);
    close_both();
}

static void a_closed_device_ends_its_queue_pairs(void)
{
    open_both();
    CHECK(ibv_close_device(a.context) == 0);
    struct ibv_sge one = piece(&b, 0, 1);
    CHECK(post(&b, work(&a, IBV_WR_SEND, 1, &one)) == 0);
    CHECK_WC(&b, 1, IBV_WC_RETRY_EXC_ERR);
    close_side(&b);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(a_wrong_key_of_the_peer_is_an_access_error),
                                             CASE(rights_of_the_queue_pair_count),
                                             CASE(a_message_that_is_too_long_fails_on_both_sides),
                                             CASE(memory_of_the_sender_must_be_its_own),
                                             CASE(a_peer_without_receives_ends_the_patience),
                                             CASE(a_peer_that_is_destroyed_ends_the_retries),
                                             CASE(nothing_is_destroyed_while_it_is_used),
                                             CASE(calls_that_make_no_sense_are_refused),
                                             CASE(a_closed_device_ends_its_queue_pairs)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
