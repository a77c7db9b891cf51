/* Queue pairs of the host whose messages may be lost (UC, UD): messages that arrive, and losses
 * that nobody reports. */
#include "verbs_world.h"

#include <endian.h>
#include <signal.h>
#include <sys/wait.h>

#define GRH  ((uint32_t)sizeof(struct ibv_grh))
#define MTU  1024u
#define QKEY 0x11111111u

#define UD_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define UC_RTR  (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define TO_SEND (IBV_QP_STATE | IBV_QP_SQ_PSN)

static struct side a, b;

static struct ibv_qp *new_qp(struct side *s, enum ibv_qp_type type)
{
    struct ibv_qp_init_attr_ex wanted = qp_wanted(s);
    wanted.qp_type = type;
    wanted.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
    if (type == IBV_QPT_UC)
        wanted.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
    struct ibv_qp *qp = ibv_create_qp_ex(s->context, &wanted);
    CHECK(qp);
    return qp;
}

static void start_ud(struct ibv_qp *qp)
{
    struct ibv_qp_attr at = {.port_num = 1, .qkey = QKEY};
    CHECK(move(qp, at, IBV_QPS_INIT, UD_INIT) == 0);
    CHECK(move(qp, at, IBV_QPS_RTR, IBV_QP_STATE) == 0);
    CHECK(move(qp, at, IBV_QPS_RTS, TO_SEND) == 0);
}

static void open_ud(struct side *s, const char *name)
{
    open_device(s, name, 255);
    start_ud(s->qp = new_qp(s, IBV_QPT_UD));
}

static struct ibv_ah *way_to(struct side *from, const union ibv_gid *gid)
{
    struct ibv_ah_attr to = {
        .is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .hop_limit = 9, .traffic_class = 3}};
    struct ibv_ah *ah = ibv_create_ah(from->pd, &to);
    CHECK(ah);
    return ah;
}

static struct ibv_send_wr datagram(struct ibv_ah *ah, uint32_t number, struct ibv_sge *sge)
{
    struct ibv_send_wr wr = {.wr_id = 1,
                             .sg_list = sge,
                             .num_sge = 1,
                             .opcode = IBV_WR_SEND,
                             .send_flags = IBV_SEND_SIGNALED};
    wr.wr.ud.ah = ah;
    wr.wr.ud.remote_qpn = number;
    wr.wr.ud.remote_qkey = QKEY;
    return wr;
}

/* ---- Datagrams ---- */

static struct ibv_ah *to_b;

static void open_both(void)
{
    open_ud(&a, "mlx5_0");
    open_ud(&b, "mlx5_1");
    to_b = way_to(&a, &b.gid);
}

static void close_both(void)
{
    CHECK(ibv_destroy_ah(to_b) == 0);
    close_side(&a);
    close_side(&b);
}

static void datagrams_arrive_with_their_header(void)
{
    open_both();
    memcpy(a.memory, "hello", 6);
    struct ibv_sge text = piece(&a, 0, 6);
    struct ibv_send_wr wr = datagram(to_b, b.qp->qp_num, &text);
    wr.opcode = IBV_WR_SEND_WITH_IMM;
    wr.imm_data = htobe32(7);
    CHECK(receive(&b, 5, 100, GRH + 6) == 0 && post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    struct ibv_wc wc = wait_wc(&b);
    CHECK(wc.wr_id == 5 && wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV);
    CHECK(wc.byte_len == GRH + 6 && wc.src_qp == a.qp->qp_num && be32toh(wc.imm_data) == 7);
    CHECK(wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM));
    struct ibv_grh header;
    memcpy(&header, b.memory + 100, sizeof header);
    CHECK(be32toh(header.version_tclass_flow) == (6u << 28 | 3u << 20) && header.hop_limit == 9);
    CHECK(be16toh(header.paylen) == 6 && memcmp(&header.sgid, &a.gid, sizeof a.gid) == 0 &&
          memcmp(&header.dgid, &b.gid, sizeof b.gid) == 0);
    CHECK(strcmp((char *)b.memory + 100 + GRH, "hello") == 0);
    /* The header is the way back, too. */
    struct ibv_ah *back = ibv_create_ah_from_wc(b.pd, &wc, &header, 1);
    CHECK(back && receive(&a, 6, 100, GRH + MTU) == 0);
    struct ibv_sge most = piece(&b, 0, MTU);
    CHECK(post(&b, datagram(back, wc.src_qp, &most)) == 0);
    CHECK_WC(&b, 1, IBV_WC_SUCCESS);
    wc = wait_wc(&a);
    CHECK(wc.wr_id == 6 && wc.byte_len == GRH + MTU && wc.wc_flags == IBV_WC_GRH);
    header.dgid.raw[15] ^= 1; /* it did not come here */
    CHECK(!ibv_create_ah_from_wc(b.pd, &wc, &header, 1) && errno == EINVAL);
    CHECK(ibv_destroy_ah(back) == 0);
    close_both();
}

static void datagrams_are_described_call_by_call(void)
{
    open_both();
    struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(a.qp);
    CHECK(qp && receive(&b, 5, 0, GRH + 4) == 0);
    ibv_wr_start(qp);
    qp->wr_id = 3;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(qp);
    ibv_wr_set_ud_addr(qp, to_b, b.qp->qp_num, QKEY);
    ibv_wr_set_inline_data(qp, "abc", 4);
    CHECK(ibv_wr_complete(qp) == 0);
    CHECK_WC(&a, 3, IBV_WC_SUCCESS);
    CHECK_WC(&b, 5, IBV_WC_SUCCESS);
    CHECK(strcmp((char *)b.memory + GRH, "abc") == 0);
    /* One without an address goes nowhere. */
    ibv_wr_start(qp);
    ibv_wr_send(qp);
    ibv_wr_set_inline_data(qp, "abc", 4);
    CHECK(ibv_wr_complete(qp) == 0);
    CHECK_WC(&a, 3, IBV_WC_LOC_QP_OP_ERR);
    close_both();
}

/* Sends one byte, which is `mark`. */
static void send_mark(struct ibv_send_wr wr, unsigned char mark)
{
    a.memory[0] = mark;
    CHECK(post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
}

static void datagrams_that_nobody_can_take_are_lost(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    const struct ibv_send_wr good = datagram(to_b, b.qp->qp_num, &one);
    struct ibv_send_wr other = good;
    send_mark(good, 1); /* no receive */
    CHECK(receive(&b, 5, 0, GRH + 1) == 0);
    other.wr.ud.remote_qkey = QKEY + 1;
    send_mark(other, 2); /* another key */
    other = good;
    other.wr.ud.remote_qpn = 0x123456; /* nobody's number */
    send_mark(other, 3);
    other.wr.ud.remote_qpn = a.qp->qp_num; /* no receive there */
    send_mark(other, 4);
    is_empty(&b);
    other = good;
    other.wr.ud.remote_qkey = 0x80000000u; /* that of the sender's queue pair */
    send_mark(other, 5);
    CHECK_WC(&b, 5, IBV_WC_SUCCESS);
    CHECK(b.memory[GRH] == 5);
    /* After the peer is gone, too. */
    CHECK(ibv_destroy_qp(b.qp) == 0);
    b.qp = NULL;
    send_mark(good, 6);
    CHECK(state_of(a.qp) == IBV_QPS_RTS);
    close_both();
}

static void a_datagram_fits_into_a_packet_and_its_receive(void)
{
    open_both();
    struct ibv_sge some = piece(&a, 0, 100), more = piece(&a, 0, MTU + 1);
    CHECK(receive(&b, 5, 0, 100) == 0 && post(&a, datagram(to_b, b.qp->qp_num, &some)) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    CHECK_WC(&b, 5, IBV_WC_LOC_LEN_ERR);
    CHECK(state_of(b.qp) == IBV_QPS_ERR && state_of(a.qp) == IBV_QPS_RTS);
    CHECK(post(&a, datagram(to_b, b.qp->qp_num, &more)) == 0);
    CHECK_WC(&a, 1, IBV_WC_LOC_LEN_ERR);
    CHECK(state_of(a.qp) == IBV_QPS_ERR);
    close_both();
}

static void states_need_their_attributes(void)
{
    open_device(&a, "mlx5_0", 255);
    struct ibv_qp_attr at = attributes(1, &a.gid);
    a.qp = new_qp(&a, IBV_QPT_UD);
    at.qkey = QKEY;
    CHECK(move(a.qp, at, IBV_QPS_INIT, TO_INIT) == EINVAL);
    CHECK(move(a.qp, at, IBV_QPS_INIT, UD_INIT) == 0);
    CHECK(move(a.qp, at, IBV_QPS_RTR, TO_RTR) == EINVAL);
    CHECK(move(a.qp, at, IBV_QPS_RTR, IBV_QP_STATE) == 0);
    CHECK(move(a.qp, at, IBV_QPS_RTS, IBV_QP_STATE) == EINVAL);
    CHECK(move(a.qp, at, IBV_QPS_RTS, TO_SEND | IBV_QP_QKEY) == 0);
    struct ibv_qp_attr now;
    struct ibv_qp_init_attr init;
    CHECK(ibv_query_qp(a.qp, &now, IBV_QP_QKEY, &init) == 0);
    CHECK(now.qkey == QKEY && init.qp_type == IBV_QPT_UD);
    CHECK(ibv_destroy_qp(a.qp) == 0);
    a.qp = new_qp(&a, IBV_QPT_UC);
    CHECK(move(a.qp, at, IBV_QPS_INIT, TO_INIT) == 0);
    CHECK(move(a.qp, at, IBV_QPS_RTR, TO_RTR) == EINVAL);
    CHECK(move(a.qp, at, IBV_QPS_RTR, UC_RTR) == 0);
    CHECK(move(a.qp, at, IBV_QPS_RTS, TO_RTS) == EINVAL);
    CHECK(move(a.qp, at, IBV_QPS_RTS, TO_SEND) == 0);
    close_side(&a);
}

static void what_they_do_not_have_is_refused(void)
{
    open_both();
    struct ibv_sge one = piece(&a, 0, 1);
    struct ibv_send_wr wr = datagram(to_b, b.qp->qp_num, &one);
    wr.opcode = IBV_WR_RDMA_WRITE;
    CHECK(post(&a, wr) == EINVAL);
    CHECK(post(&a, datagram(NULL, b.qp->qp_num, &one)) == EINVAL);
    CHECK(post(&a, datagram(to_b, 1 << 24, &one)) == EINVAL);
    struct ibv_ah *others = way_to(&b, &a.gid);
    CHECK(post(&a, datagram(others, b.qp->qp_num, &one)) == EINVAL);
    CHECK(ibv_dealloc_pd(b.pd) == EBUSY && ibv_destroy_ah(others) == 0);
    struct ibv_ah_attr nowhere = {.is_global = 1, .port_num = 1};
    CHECK(!ibv_create_ah(a.pd, &nowhere) && errno == ETIMEDOUT);
    nowhere.is_global = 0;
    CHECK(!ibv_create_ah(a.pd, &nowhere) && errno == EINVAL);
    CHECK(!ibv_create_ah(a.pd, NULL) && errno == EINVAL);
    union ibv_gid group = {.raw = {0xff}};
    CHECK(ibv_attach_mcast(a.qp, &group, 0) == EOPNOTSUPP);
    struct ibv_qp_init_attr_ex wanted = qp_wanted(&a); /* reads and writes */
    wanted.qp_type = IBV_QPT_UD;
    CHECK(!ibv_create_qp_ex(a.context, &wanted) && errno == EOPNOTSUPP);
    wanted.qp_type = IBV_QPT_UC;
    CHECK(!ibv_create_qp_ex(a.context, &wanted) && errno == EOPNOTSUPP);
    close_both();
}

/* ---- Connected ones ---- */

static void connect_uc(struct ibv_qp *qp, uint32_t number, const union ibv_gid *gid)
{
    const struct ibv_qp_attr at = attributes(number, gid);
    CHECK(move(qp, at, IBV_QPS_INIT, TO_INIT) == 0);
    CHECK(move(qp, at, IBV_QPS_RTR, UC_RTR) == 0);
    CHECK(move(qp, at, IBV_QPS_RTS, TO_SEND) == 0);
}

static void open_uc(void)
{
    open_device(&a, "mlx5_0", 255);
    open_device(&b, "mlx5_1", 255);
    a.qp = new_qp(&a, IBV_QPT_UC);
    b.qp = new_qp(&b, IBV_QPT_UC);
    connect_uc(a.qp, b.qp->qp_num, &b.gid);
    connect_uc(b.qp, a.qp->qp_num, &a.gid);
}

static void unreliable_messages_arrive_or_are_lost(void)
{
    open_uc();
    struct ibv_sge all = piece(&a, 0, ROOM), few = piece(&a, 0, 10);
    struct ibv_send_wr wr = work(&b, IBV_WR_SEND, 1, &all);
    CHECK(post(&a, wr) == 0); /* no receive: all of its parts are lost */
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    memset(a.memory, 7, ROOM);
    CHECK(receive(&b, 5, 0, ROOM) == 0 && post(&a, wr) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    struct ibv_wc wc = wait_wc(&b);
    CHECK(wc.wr_id == 5 && wc.byte_len == ROOM && wc.src_qp == a.qp->qp_num && wc.wc_flags == 0);
    CHECK(memcmp(a.memory, b.memory, ROOM) == 0);
    is_empty(&b);
    /* Writes, and those that the peer does not permit. */
    memset(a.memory, 8, 10);
    wr = work(&b, IBV_WR_RDMA_WRITE_WITH_IMM, 2, &few);
    CHECK(receive(&b, 6, 0, 0) == 0 && post(&a, wr) == 0);
    CHECK_WC(&a, 2, IBV_WC_SUCCESS);
    wc = wait_wc(&b);
    CHECK(wc.wr_id == 6 && wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && b.memory[9] == 8);
    wr.wr.rdma.rkey++;
    CHECK(receive(&b, 6, 0, 0) == 0 && post(&a, wr) == 0);
    CHECK_WC(&a, 2, IBV_WC_SUCCESS);
    is_empty(&b);
    CHECK(post(&a, work(&b, IBV_WR_RDMA_READ, 3, &few)) == EINVAL);
    CHECK(state_of(a.qp) == IBV_QPS_RTS && state_of(b.qp) == IBV_QPS_RTS);
    CHECK(ibv_destroy_qp(b.qp) == 0);
    b.qp = NULL;
    CHECK(post(&a, work(&b, IBV_WR_SEND, 4, &few)) == 0);
    CHECK_WC(&a, 4, IBV_WC_SUCCESS);
    close_side(&a);
    close_side(&b);
}

static void queue_pairs_of_another_kind_are_no_peers(void)
{
    open_uc();
    struct ibv_qp_init_attr_ex wanted = qp_wanted(&b);
    struct ibv_qp *reliable = ibv_create_qp_ex(b.context, &wanted), *first = b.qp;
    struct ibv_qp_attr at = attributes(a.qp->qp_num, &a.gid);
    at.timeout = 1;
    at.retry_cnt = 0;
    CHECK(reliable);
    b.qp = reliable;
    connect_with(b.qp, at);
    struct ibv_sge one = piece(&b, 0, 1);
    CHECK(receive(&a, 5, 0, 1) == 0 && post(&b, work(&a, IBV_WR_SEND, 1, &one)) == 0);
    CHECK_WC(&b, 1, IBV_WC_RETRY_EXC_ERR);
    is_empty(&a);
    CHECK(state_of(a.qp) == IBV_QPS_RTS && ibv_destroy_qp(reliable) == 0);
    b.qp = first;
    close_side(&a);
    close_side(&b);
}

/* ---- Two processes ---- */

static int to_child[2], to_parent[2];

static void tell(int fd, const void *what, size_t size)
{
    CHECK(write(fd, what, size) == (ssize_t)size);
}

static void ask(int fd, void *what, size_t size)
{
    CHECK(read(fd, what, size) == (ssize_t)size);
}

/* More than a sender keeps connections for. */
#define TARGETS 70

/* Has TARGETS queue pairs, and writes to the pipe what each of them has received. */
static void be_targets(void)
{
    static struct ibv_qp *qps[TARGETS];
    open_device(&b, "mlx5_1", 1024);
    tell(to_parent[1], &b.gid, sizeof b.gid);
    for (int i = 0; i < TARGETS; i++) {
        start_ud(b.qp = qps[i] = new_qp(&b, IBV_QPT_UD));
        for (int round = 0; round < 2; round++)
            CHECK(receive(&b, (uint64_t)i, 100 * (uint32_t)i, GRH + 1) == 0);
        tell(to_parent[1], &qps[i]->qp_num, sizeof qps[i]->qp_num);
    }
    for (int i = 0; i < 2 * TARGETS; i++) {
        const struct ibv_wc wc = wait_wc(&b);
        CHECK(wc.status == IBV_WC_SUCCESS && b.memory[100 * wc.wr_id + GRH] == wc.wr_id);
        tell(to_parent[1], "+", 1);
    }
    pause();
}

static void datagrams_cross_processes_to_many(void)
{
    static uint32_t numbers[TARGETS];
    union ibv_gid gid;
    char answer;
    CHECK(pipe(to_parent) == 0);
    const pid_t child = fork();
    if (child == 0)
        be_targets();
    open_ud(&a, "mlx5_0");
    ask(to_parent[0], &gid, sizeof gid);
    for (int i = 0; i < TARGETS; i++)
        ask(to_parent[0], &numbers[i], sizeof numbers[i]);
    to_b = way_to(&a, &gid);
    struct ibv_sge one = piece(&a, 0, 1);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < TARGETS; i++) {
            send_mark(datagram(to_b, numbers[i], &one), (unsigned char)i);
            ask(to_parent[0], &answer, 1);
        }
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    for (int i = 0; i < TARGETS; i++)
        send_mark(datagram(to_b, numbers[i], &one), 0); /* to nobody any more */
    CHECK(state_of(a.qp) == IBV_QPS_RTS && ibv_destroy_ah(to_b) == 0);
    close_side(&a);
}

static void be_unreliable_peer(void)
{
    uint32_t number;
    union ibv_gid gid;
    open_device(&b, "mlx5_1", 255);
    b.qp = new_qp(&b, IBV_QPT_UC);
    tell(to_parent[1], &b.gid, sizeof b.gid);
    tell(to_parent[1], &b.qp->qp_num, sizeof number);
    ask(to_child[0], &gid, sizeof gid);
    ask(to_child[0], &number, sizeof number);
    connect_uc(b.qp, number, &gid);
    CHECK(receive(&b, 5, 0, ROOM) == 0);
    tell(to_parent[1], "+", 1);
    CHECK_WC(&b, 5, IBV_WC_SUCCESS);
    CHECK(b.memory[ROOM - 1] == 7);
    tell(to_parent[1], "+", 1);
    pause();
}

static void a_peer_that_dies_is_not_missed(void)
{
    uint32_t number;
    union ibv_gid gid;
    char answer;
    CHECK(pipe(to_parent) == 0 && pipe(to_child) == 0);
    const pid_t child = fork();
    if (child == 0)
        be_unreliable_peer();
    open_device(&a, "mlx5_0", 255);
    a.qp = new_qp(&a, IBV_QPT_UC);
    ask(to_parent[0], &gid, sizeof gid);
    ask(to_parent[0], &number, sizeof number);
    tell(to_child[1], &a.gid, sizeof a.gid);
    tell(to_child[1], &a.qp->qp_num, sizeof number);
    connect_uc(a.qp, number, &gid);
    ask(to_parent[0], &answer, 1);
    memset(a.memory, 7, ROOM);
    struct ibv_sge all = piece(&a, 0, ROOM);
    CHECK(post(&a, work(&a, IBV_WR_SEND, 1, &all)) == 0);
    CHECK_WC(&a, 1, IBV_WC_SUCCESS);
    ask(to_parent[0], &answer, 1);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    for (uint64_t i = 0; i < 100; i++) {
        CHECK(post(&a, work(&a, IBV_WR_SEND, i, &all)) == 0);
        CHECK_WC(&a, i, IBV_WC_SUCCESS);
    }
    CHECK(state_of(a.qp) == IBV_QPS_RTS);
    close_side(&a);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {CASE(datagrams_arrive_with_their_header),
                                             CASE(datagrams_are_described_call_by_call),
                                             CASE(datagrams_that_nobody_can_take_are_lost),
                                             CASE(a_datagram_fits_into_a_packet_and_its_receive),
                                             CASE(states_need_their_attributes),
                                             CASE(what_they_do_not_have_is_refused),
                                             CASE(unreliable_messages_arrive_or_are_lost),
                                             CASE(queue_pairs_of_another_kind_are_no_peers),
                                             CASE(datagrams_cross_processes_to_many),
                                             CASE(a_peer_that_dies_is_not_missed)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
