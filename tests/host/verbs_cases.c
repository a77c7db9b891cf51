/* Queue pairs of the host, within one process: operations, states, events. */
#include "verbs_pair.h"

#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>

/* ---- Operations ---- */

static void messages_arrive(void)
{
    open_both();
    memcpy(a.memory, "hello", 6);
    struct ibv_sge parts[2] = {piece(&a, 0, 2), piece(&a, 2, 4)};
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND_WITH_IMM, 1, parts);
    wr.num_sge = 2;
    wr.imm_data = htobe32(0x12345678);
    CHECK(receive(&b, 2, 100, 50) == 0 && post(&a, wr) == 0);
    const struct ibv_wc sent = wait_wc(&a), got = wait_wc(&b);
    CHECK(sent.wr_id == 1 && sent.status == IBV_WC_SUCCESS && sent.opcode == IBV_WC_SEND);
    CHECK(sent.qp_num == a.qp->qp_num);
    CHECK(got.wr_id == 2 && got.status == IBV_WC_SUCCESS && got.opcode == IBV_WC_RECV);
    CHECK(got.byte_len == 6 && got.qp_num == b.qp->qp_num && got.src_qp == a.qp->qp_num);
    CHECK(got.wc_flags == IBV_WC_WITH_IMM && got.imm_data == htobe32(0x12345678));
    CHECK(strcmp((char *)b.memory + 100, "hello") == 0);
    /* Inline data is copied at once, and needs no key. */
    char text[8] = "inlined";
    struct ibv_sge here = {.addr = (uintptr_t)text, .length = sizeof text};
    wr = work(&b, IBV_WR_SEND, 3, &here);
    wr.send_flags = IBV_SEND_INLINE;
    CHECK(post(&a, wr) == 0);
    memset(text, 0, sizeof text);
    CHECK(receive(&b, 4, 0, 8) == 0);
    CHECK_WC(&b, 4, IBV_WC_SUCCESS);
    CHECK(strcmp((char *)b.memory, "inlined") == 0);
    is_empty(&a); /* it was not signaled */
    close_both();
}

static void memory_of_the_peer_is_written_and_read(void)
{
    open_both();
    memset(a.memory, 'a', ROOM);
    struct ibv_sge all = piece(&a, 0, ROOM), word = piece(&a, 0, 8);
    CHECK(post(&a, work(&b, IBV_WR_RDMA_WRITE, 1, &all)) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK(memcmp(a.memory, b.memory, ROOM) == 0);
    memset(b.memory, 'b', ROOM);
    CHECK(post(&a, work(&b, IBV_WR_RDMA_READ, 2, &all)) == 0);
    const struct ibv_wc read = wait_wc(&a);
    CHECK(read.opcode == IBV_WC_RDMA_READ && read.byte_len == ROOM && a.memory[ROOM - 1] == 'b');
    struct ibv_send_wr wr = work(&b, IBV_WR_RDMA_WRITE_WITH_IMM, 3, &word);
    wr.imm_data = htobe32(7);
    CHECK(receive(&b, 4, 0, 0) == 0 && post(&a, wr) == 0);
    const struct ibv_wc told = wait_wc(&b);
    CHECK(told.opcode == IBV_WC_RECV_RDMA_WITH_IMM && told.byte_len == 8);
    CHECK(told.imm_data == htobe32(7) && told.wr_id == 4);
    CHECK_WC(&a, 3, IBV_WC_SUCCESS);
    close_both();
}

static void atomics_change_a_word(void)
{
    open_both();
    uint64_t *here = (uint64_t *)(void *)a.memory, *there = (uint64_t *)(void *)b.memory;
    *there = 40;
    struct ibv_sge word = piece(&a, 0, 8);
    struct ibv_send_wr wr = work(&b, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &word);
    wr.wr.atomic.remote_addr = (uintptr_t)there;
    wr.wr.atomic.rkey = b.mr->rkey;
    wr.wr.atomic.compare_add = 2;
    CHECK(post(&a, wr) == 0);
    const struct ibv_wc added = wait_wc(&a);
    CHECK(added.opcode == IBV_WC_FETCH_ADD && added.byte_len == 8 && *here == 40 && *there == 42);
    wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.compare_add = 42;
    wr.wr.atomic.swap = 7;
    wr.send_flags |= IBV_SEND_FENCE;
    CHECK(post(&a, wr) == 0);
    CHECK(wait_wc(&a).opcode == IBV_WC_COMP_SWAP && *here == 42 && *there == 7);
    wr.wr.atomic.remote_addr += 4; /* not aligned */
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_REM_INV_REQ_ERR);
    close_both();
}

static void work_requests_are_described_call_by_call(void)
{
    open_both();
    struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
    memcpy(a.memory, "0123456789abcdef", 16);
    CHECK(qp && receive(&b, 9, 1000, 16) == 0);
    ibv_wr_start(qp);
    qp->wr_id = 1;
    qp->wr_flags = 0;
    ibv_wr_rdma_write(qp, b.mr->rkey, (uintptr_t)b.memory);
    ibv_wr_set_sge(qp, a.mr->lkey, (uintptr_t)a.memory, 16);
    qp->wr_id = 2;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send_imm(qp, htobe32(5));
    ibv_wr_set_inline_data(qp, "inline", 7);
    CHECK(ibv_wr_complete(qp) == 0);
    CHECK_WC(&a, 2, IBV_WC_SUCCESS);
    CHECK_WC(&b, 9, IBV_WC_SUCCESS);
    CHECK(memcmp(b.memory, a.memory, 16) == 0 && strcmp((char *)b.memory + 1000, "inline") == 0);
    ibv_wr_start(qp);
    ibv_wr_send(qp);
    ibv_wr_abort(qp);
    ibv_wr_start(qp);
    ibv_wr_set_sge(qp, a.mr->lkey, (uintptr_t)a.memory, 16); /* of nothing */
    CHECK(ibv_wr_complete(qp) == EINVAL);
    ibv_wr_start(qp);
    ibv_wr_send_inv(qp, 0);
    CHECK(ibv_wr_complete(qp) == EOPNOTSUPP);
    ibv_wr_start(qp);
    for (int i = 0; i < 65; i++)
        ibv_wr_send(qp);
    CHECK(ibv_wr_complete(qp) == ENOMEM);
    is_empty(&a);
    close_both();
}

static void a_shared_queue_serves_its_queue_pairs(void)
{
    struct ibv_async_event event;
    struct ibv_srq_init_attr wanted = {.attr = {.max_wr = 8, .max_sge = 2}};
    open_side(&a, "mlx5_0");
    open_device(&b, "mlx5_1", 255);
    CHECK((b.srq = ibv_create_srq(b.pd, &wanted)));
    struct ibv_qp_init_attr_ex init = qp_wanted(&b);
    CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
    CHECK(ibv_destroy_srq(b.srq) == EBUSY);
    connect_sides(&a, &b);
    struct ibv_sge one = piece(&a, 0, 1);
    for (uint64_t i = 0; i < 2; i++) /* before there are receives */
        CHECK(post(&a, work(&b, IBV_WR_SEND, i, &one)) == 0);
    for (uint64_t i = 0; i < 4; i++)
        CHECK(receive(&b, i, 0, 1) == 0);
    CHECK_WC(&b, 0, IBV_WC_SUCCESS);
    CHECK_WC(&b, 1, IBV_WC_SUCCESS);
    CHECK(ibv_modify_srq(b.srq, &(struct ibv_srq_attr){.srq_limit = 2}, IBV_SRQ_LIMIT) == 0);
    CHECK(post(&a, work(&b, IBV_WR_SEND, 2, &one)) == 0);
    CHECK(ibv_get_async_event(b.context, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && event.element.srq == b.srq);
    ibv_ack_async_event(&event);
    struct ibv_srq_attr now;
    CHECK(ibv_query_srq(b.srq, &now) == 0 && now.max_wr == 15 && now.srq_limit == 0);
    struct ibv_recv_wr wr = {.num_sge = 0}, *bad;
    CHECK(ibv_post_recv(b.qp, &wr, &bad) == EINVAL && bad == &wr);
    close_both();
}

/* A queue pair may be connected to itself. */
static void a_queue_pair_talks_to_itself(void)
{
    open_side(&a, "mlx5_0");
    connect_with(a.qp, attributes(a.qp->qp_num, &a.gid));
    memcpy(a.memory, "me", 3);
    struct ibv_sge some = piece(&a, 0, 3);
    CHECK(receive(&a, 1, 100, 3) == 0 && post(&a, work(&a, IBV_WR_SEND, 2, &some)) == 0);
    const struct ibv_wc first = wait_wc(&a), second = wait_wc(&a);
    CHECK(first.wr_id + second.wr_id == 3 && strcmp((char *)a.memory + 100, "me") == 0);
    struct ibv_send_wr wrong = work(&a, IBV_WR_RDMA_READ, 3, &some);
    wrong.wr.rdma.rkey = 1;
    CHECK(post(&a, wrong) == 0);
    CHECK_WC(&a, 3, IBV_WC_REM_ACCESS_ERR);
    close_side(&a);
}

/* ---- States ---- */

static void transitions_need_their_attributes(void)
{
    open_side(&a, "mlx5_0");
    open_side(&b, "mlx5_1");
    const struct ibv_qp_attr good = attributes(b.qp->qp_num, &b.gid);
    struct ibv_qp_attr bad = good;
    const struct {
        enum ibv_qp_state to;
        int mask;
    } way[] = {{IBV_QPS_INIT, TO_INIT}, {IBV_QPS_RTR, TO_RTR}, {IBV_QPS_RTS, TO_RTS}};
    CHECK(post(&a, (struct ibv_send_wr){.opcode = IBV_WR_SEND}) == EINVAL);
    CHECK(receive(&a, 1, 0, 1) == EINVAL);
    for (int i = 0; i < 3; i++) {
        for (int bit = 1; bit < 32; bit++) {
            const int one = (int)(1u << bit);
            if (way[i].mask & one)
                CHECK(move(a.qp, good, way[i].to, way[i].mask & ~one) == EINVAL);
        }
        CHECK(move(a.qp, good, way[i].to, way[i].mask | IBV_QP_QKEY) == EINVAL);
        for (int to = IBV_QPS_INIT; to <= IBV_QPS_SQE; to++)
            if (to != (int)way[i].to && to != (int)a.qp->state)
                CHECK(move(a.qp, good, to, way[i].mask) == EINVAL);
        if (i == 1) {
            bad.ah_attr.is_global = 0;
            CHECK(move(a.qp, bad, way[i].to, way[i].mask) == EINVAL);
            bad = good;
            bad.ah_attr.grh.dgid.raw[15] ^= 1; /* no device of this machine */
            CHECK(move(a.qp, bad, way[i].to, way[i].mask) == ETIMEDOUT);
            bad = good;
            bad.ah_attr.grh.sgid_index = 255; /* the table has no such place, and no address at 254 */
            CHECK(move(a.qp, bad, way[i].to, way[i].mask) == EINVAL);
            bad.ah_attr.grh.sgid_index = 254;
            CHECK(move(a.qp, bad, way[i].to, way[i].mask) == ENODATA);
        }
        CHECK(move(a.qp, good, way[i].to, way[i].mask) == 0 && state_of(a.qp) == way[i].to);
    }
    CHECK(move(a.qp, good, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_CUR_STATE) == EINVAL);
    CHECK(move(a.qp, good, IBV_QPS_RESET, IBV_QP_STATE) == 0);
    struct ibv_qp_attr now;
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(a.qp, &now, 0, &init) == 0 && now.dest_qp_num == 0);
    CHECK(init.qp_context == &a && init.send_cq == a.cq && init.cap.max_inline_data == 64);
    connect_sides(&a, &b);
    close_both();
}

static void a_drained_queue_sends_nothing_until_it_goes_on(void)
{
    struct ibv_async_event event;
    open_both();
    const struct ibv_qp_attr none = {.en_sqd_async_notify = 1};
    struct ibv_sge one = piece(&a, 0, 1);
    CHECK(move(a.qp, none, IBV_QPS_SQD, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY) == 0);
    CHECK(ibv_get_async_event(a.context, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_SQ_DRAINED && event.element.qp == a.qp);
    ibv_ack_async_event(&event);
    CHECK(post(&a, work(&b, IBV_WR_RDMA_WRITE, 1, &one)) == 0);
    is_empty(&a);
    CHECK(move(a.qp, none, IBV_QPS_RTS, IBV_QP_STATE) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    close_both();
}

/* Events that nobody takes are counted in their queue pair, and leave with it. */
static void each_event_of_a_queue_is_taken_once(void)
{
    enum { TIMES = 3 };
    struct ibv_async_event event;
    struct pollfd ready = {.events = POLLIN};
    open_both();
    ready.fd = a.context->async_fd;
    const struct ibv_qp_attr wanted = {.en_sqd_async_notify = 1}, none = {0};
    for (int i = 0; i < TIMES; i++) {
        CHECK(move(a.qp, wanted, IBV_QPS_SQD, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY) == 0);
        CHECK(move(a.qp, none, IBV_QPS_RTS, IBV_QP_STATE) == 0);
    }
    for (int i = 0; i < TIMES; i++) {
        CHECK(poll(&ready, 1, 0) == 1);
        CHECK(ibv_get_async_event(a.context, &event) == 0);
        CHECK(event.event_type == IBV_EVENT_SQ_DRAINED && event.element.qp == a.qp);
        ibv_ack_async_event(&event);
    }
    CHECK(poll(&ready, 1, 0) == 0);
    CHECK(move(a.qp, wanted, IBV_QPS_SQD, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY) == 0);
    close_both();
}

static void what_is_posted_is_flushed_or_dropped(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    CHECK(post(&a, work(&b, IBV_WR_SEND, 1, &one)) == 0); /* it finds no receive */
    CHECK(receive(&a, 2, 0, 1) == 0);
    CHECK(move(a.qp, (struct ibv_qp_attr){0}, IBV_QPS_ERR, IBV_QP_STATE) == 0);
    CHECK_WC(&a, 1, IBV_WC_WR_FLUSH_ERR);
    CHECK_WC(&a, 2, IBV_WC_WR_FLUSH_ERR);
    CHECK(post(&a, work(&b, IBV_WR_SEND, 3, &one)) == 0 && receive(&a, 4, 0, 1) == 0);
    CHECK_WC(&a, 3, IBV_WC_WR_FLUSH_ERR);
    CHECK_WC(&a, 4, IBV_WC_WR_FLUSH_ERR);
    CHECK(post(&a, work(&b, IBV_WR_SEND, 5, &one)) == 0);
    CHECK(move(a.qp, (struct ibv_qp_attr){0}, IBV_QPS_RESET, IBV_QP_STATE) == 0);
    is_empty(&a);
    close_both();
}

/* ---- Completion queues ---- */

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void take_event(struct side *s)
{
    struct ibv_cq *cq;
    void *context;
    CHECK(ibv_get_cq_event(s->channel, &cq, &context) == 0 && cq == s->cq && context == s);
    ibv_ack_cq_events(cq, 1);
}

static void events_come_for_what_was_asked(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND, 1, &one);
    CHECK(receive(&b, 1, 0, 1) == 0 && receive(&b, 2, 0, 1) == 0 && receive(&b, 3, 0, 1) == 0);
    CHECK(ibv_req_notify_cq(b.cq, 0) == 0 && post(&a, wr) == 0);
    take_event(&b);
    CHECK_WC(&b, 1, IBV_WC_SUCCESS);
    CHECK(ibv_req_notify_cq(b.cq, 1) == 0 && post(&a, wr) == 0);
    CHECK(!is_readable(b.channel->fd));
    wr.send_flags |= IBV_SEND_SOLICITED;
    CHECK(post(&a, wr) == 0);
    take_event(&b);
    CHECK(!is_readable(b.channel->fd));
    close_both();
}

static void completions_are_read_one_by_one(void)
{
    struct ibv_poll_cq_attr none = {0};
    struct ibv_cq_init_attr_ex wanted = {.cqe = 16,
                                         .wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM};
    open_side(&a, "mlx5_0");
    open_device(&b, "mlx5_1", 1);
    struct ibv_cq_ex *cq = ibv_create_cq_ex(b.context, &wanted);
    struct ibv_qp_init_attr_ex init = qp_wanted(&b);
    CHECK(cq);
    init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
    CHECK((b.qp = ibv_create_qp_ex(b.context, &init)));
    connect_sides(&a, &b);
    CHECK(ibv_start_poll(cq, &none) == ENOENT);
    struct ibv_sge some = piece(&a, 0, 5);
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND_WITH_IMM, 1, &some);
    wr.imm_data = htobe32(99);
    for (uint64_t i = 1; i < 3; i++)
        CHECK(receive(&b, i, 0, 8) == 0 && post(&a, wr) == 0);
    CHECK(ibv_start_poll(cq, &none) == 0 && cq->wr_id == 1 && cq->status == IBV_WC_SUCCESS);
    CHECK(ibv_wc_read_opcode(cq) == IBV_WC_RECV && ibv_wc_read_byte_len(cq) == 5);
    CHECK(ibv_wc_read_imm_data(cq) == htobe32(99) && ibv_next_poll(cq) == 0 && cq->wr_id == 2);
    CHECK(ibv_next_poll(cq) == ENOENT);
    ibv_end_poll(cq);
    CHECK(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == EBUSY);
    CHECK(ibv_destroy_qp(b.qp) == 0 && ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
    b.qp = NULL;
    wanted.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
    CHECK(!ibv_create_cq_ex(b.context, &wanted) && errno == EOPNOTSUPP);
    close_both();
}

static void a_queue_that_overruns_fails_its_queue_pair(void)
{
    struct ibv_async_event event;
    open_device(&a, "mlx5_0", 1);
    open_side(&b, "mlx5_1");
    struct ibv_qp_init_attr_ex init = qp_wanted(&a);
    CHECK((a.qp = ibv_create_qp_ex(a.context, &init)));
    connect_sides(&a, &b);
    struct ibv_sge one = piece(&a, 0, 1);
    for (uint64_t i = 0; i < 3; i++)
        CHECK(post(&a, work(&b, IBV_WR_RDMA_WRITE, i, &one)) == 0);
    CHECK(ibv_get_async_event(a.context, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == a.cq);
    ibv_ack_async_event(&event);
    CHECK(state_of(a.qp) == IBV_QPS_ERR);
    close_both();
}

/* ---- Threads ---- */

#define ROUNDS 2000

static void *ping(void *side)
{
    struct side *s = side;
    struct ibv_sge one = piece(s, 0, 8);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        CHECK(receive(s, 2, 64, 8) == 0);
        CHECK(post(s, work(s == &a ? &b : &a, IBV_WR_SEND, 1, &one)) == 0);
        const struct ibv_wc x = wait_wc(s), y = wait_wc(s);
        CHECK(x.status == IBV_WC_SUCCESS && y.status == IBV_WC_SUCCESS && x.wr_id + y.wr_id == 3);
    }
    return NULL;
}

static void threads_may_use_both_ends(void)
{
    pthread_t thread;
    open_both();
    CHECK(pthread_create(&thread, NULL, ping, &b) == 0);
    ping(&a);
    pthread_join(thread, NULL);
    close_both();
}

/* Takes completions after events, until it has `wanted` completions. */
static void hear(struct side *s, int wanted)
{
    struct ibv_wc wc[4];
    while (wanted > 0) {
        take_event(s);
        CHECK(ibv_req_notify_cq(s->cq, 0) == 0);
        for (int n; (n = ibv_poll_cq(s->cq, 4, wc)) > 0; wanted -= n)
            for (int i = 0; i < n; i++)
                CHECK(wc[i].status == IBV_WC_SUCCESS);
    }
    CHECK(wanted == 0);
}

#define NAPS 200

static void *answer(void *side)
{
    struct side *s = side;
    struct ibv_sge one = piece(s, 0, 8);
    for (int i = 0; i < NAPS; i++) {
        hear(s, i == 0 ? 1 : 2); /* the message, and before it what was sent last */
        CHECK(receive(s, 2, 64, 8) == 0);
        CHECK(post(s, work(&a, IBV_WR_SEND, 1, &one)) == 0);
    }
    return NULL;
}

/* One thread sleeps for the events of one channel, or two for those of two. */
static void threads_sleep_for_events(void)
{
    pthread_t thread;
    struct ibv_cq *cq;
    void *context;
    open_both();
    const int flags = fcntl(a.channel->fd, F_GETFL);
    CHECK(fcntl(a.channel->fd, F_SETFL, flags | O_NONBLOCK) == 0);
    CHECK(ibv_get_cq_event(a.channel, &cq, &context) == -1 && errno == EAGAIN);
    CHECK(fcntl(a.channel->fd, F_SETFL, flags) == 0);
    CHECK(ibv_req_notify_cq(a.cq, 0) == 0 && ibv_req_notify_cq(b.cq, 0) == 0);
    CHECK(receive(&b, 2, 64, 8) == 0);
    CHECK(pthread_create(&thread, NULL, answer, &b) == 0);
    struct ibv_sge one = piece(&a, 0, 8);
    for (int i = 0; i < NAPS; i++) {
        CHECK(receive(&a, 2, 64, 8) == 0 && post(&a, work(&b, IBV_WR_SEND, 1, &one)) == 0);
        hear(&a, 2);
    }
    pthread_join(thread, NULL);
    close_both();
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(messages_arrive),
                                             CASE(memory_of_the_peer_is_written_and_read),
                                             CASE(atomics_change_a_word),
                                             CASE(work_requests_are_described_call_by_call),
                                             CASE(a_shared_queue_serves_its_queue_pairs),
                                             CASE(transitions_need_their_attributes),
                                             CASE(a_drained_queue_sends_nothing_until_it_goes_on),
                                             CASE(each_event_of_a_queue_is_taken_once),
                                             CASE(what_is_posted_is_flushed_or_dropped),
                                             CASE(events_come_for_what_was_asked),
                                             CASE(completions_are_read_one_by_one),
                                             CASE(a_queue_that_overruns_fails_its_queue_pair),
                                             CASE(a_queue_pair_talks_to_itself),
                                             CASE(threads_may_use_both_ends),
                                             CASE(threads_sleep_for_events)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
