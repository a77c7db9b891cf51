/* The NIC: what must not be, is not; who is gone, is told of; nonsense is cut off. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "nic/frame.h"
#include "nic_world.h"

static const struct dpk_nic_work good_write = {
    .opcode = DPK_NIC_WRITE, .local = {KEY, BASE, 8}, .key = KEY, .address = BASE};

/* ---- Permissions ----------------------------------------------------------------------------- */

static struct dpk_nic_work work_of(enum dpk_nic_opcode opcode)
{
    struct dpk_nic_work w = good_write;
    w.opcode = opcode;
    w.value = 1;
    if (opcode >= DPK_NIC_SIGNAL_ADD)
        w.key = 4; /* no such event */
    return w;
}

/* `change` spoils something; then the work fails, and the peer's memory is as before. */
static void expect_failure(void **state, struct dpk_nic_work work, unsigned end_permits,
                           unsigned memory_permits_a, unsigned memory_permits_b)
{
    struct world *w = world_with(state, end_permits);
    side_connect(&w->a, &w->b);
    side_connect(&w->b, &w->a);
    w->a.permissions = memory_permits_a;
    w->b.permissions = memory_permits_b;
    memset(w->a.memory, 1, 64);
    post(&w->a, work);
    await_event(&w->a, 0, DPK_NIC_FAILED);
    assert_int_equal(told(&w->a), 1);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(w->b.memory[i], 0);
        assert_int_equal(w->a.memory[i], 1);
    }
    assert_int_equal(w->b.event, 0);
    world_end(w);
}

static void ends_permit_what_peers_do(void **state)
{
    expect_failure(state, work_of(DPK_NIC_WRITE), ALL_REMOTE & ~(1u << DPK_NIC_REMOTE_WRITE), ~0u,
                   ~0u);
    expect_failure(state, work_of(DPK_NIC_READ), ALL_REMOTE & ~(1u << DPK_NIC_REMOTE_READ), ~0u,
                   ~0u);
    expect_failure(state, work_of(DPK_NIC_FETCH_ADD), ALL_REMOTE & ~(1u << DPK_NIC_REMOTE_ATOMIC),
                   ~0u, ~0u);
    expect_failure(state, work_of(DPK_NIC_COMPARE_SWAP),
                   ALL_REMOTE & ~(1u << DPK_NIC_REMOTE_ATOMIC), ~0u, ~0u);
}

static void memory_permits_what_peers_do(void **state)
{
    const unsigned all = ALL_REMOTE;
    expect_failure(state, work_of(DPK_NIC_WRITE), all, ~0u, ~(1u << DPK_NIC_REMOTE_WRITE));
    expect_failure(state, work_of(DPK_NIC_READ), all, ~0u, ~(1u << DPK_NIC_REMOTE_READ));
    expect_failure(state, work_of(DPK_NIC_FETCH_ADD), all, ~0u, ~(1u << DPK_NIC_REMOTE_ATOMIC));
    expect_failure(state, work_of(DPK_NIC_WRITE), all, ~(1u << DPK_NIC_LOCAL_READ), ~0u);
    expect_failure(state, work_of(DPK_NIC_READ), all, ~(1u << DPK_NIC_LOCAL_WRITE), ~0u);
    expect_failure(state, work_of(DPK_NIC_SIGNAL_ADD), all, ~0u, ~0u);
    expect_failure(state, work_of(DPK_NIC_SIGNAL_SET), all, ~0u, ~0u);
}

static void ranges_are_kept(void **state)
{
    struct dpk_nic_work w = good_write;
    w.address = BASE - 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w.address = BASE + MEMORY - 7;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w.address = UINT64_MAX - 3; /* around the end of addresses */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.key = (UINT64_C(1) << 32) + KEY; /* not KEY with its upper half cut off */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.local.size = MEMORY + 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = work_of(DPK_NIC_FETCH_ADD);
    w.address = BASE + 4;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
    w = good_write;
    w.owner.bytes[3] = 1; /* memory of a third process */
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
}

static void a_large_write_out_of_range_writes_nothing(void **state)
{
    struct dpk_nic_work w = good_write;
    w.local.size = MEMORY;
    w.address = BASE + 1;
    expect_failure(state, w, ALL_REMOTE, ~0u, ~0u);
}

static void a_receive_that_is_too_small_fails_both(void **state)
{
    struct world *w = world(state);
    post_receive(&w->b, 0, 7);
    post_receive(&w->b, 0, 8);
    post(&w->a, (struct dpk_nic_work){.opcode = DPK_NIC_SEND, .local = span(0, 8)});
    await_event(&w->a, 0, DPK_NIC_FAILED);
    await_event(&w->b, 0, DPK_NIC_RECEIVE_FAILED);
    await_event(&w->b, 1, DPK_NIC_RECEIVE_FAILED); /* nobody can use it any more */
    world_end(w);
}

/* Works before the bad one are done, those behind it fail with it. */
static void what_was_before_a_failure_is_done(void **state)
{
    struct world *w = world(state);
    struct dpk_nic_work bad = good_write;
    memset(w->a.memory, 1, 8);
    bad.local.key = KEY + 1;
    post_receive(&w->b, 0, 0);
    post(&w->a, good_write);
    post(&w->a, (struct dpk_nic_work){.opcode = DPK_NIC_SEND});
    post(&w->a, bad);
    post(&w->a, good_write);
    const enum dpk_nic_event events[] = {DPK_NIC_DONE, DPK_NIC_DONE, DPK_NIC_FAILED,
                                         DPK_NIC_FAILED};
    for (unsigned i = 0; i < 4; i++)
        await_event(&w->a, i, events[i]);
    assert_int_equal(w->b.memory[7], 1);
    world_end(w);
}

/* ---- Peers that go --------------------------------------------------------------------------- */

static void a_peer_that_goes_fails_what_is_posted(void **state)
{
    struct world *w = world(state);
    introduce(w);
    post_receive(&w->a, 0, 8);
    post(&w->a, (struct dpk_nic_work){.opcode = DPK_NIC_SEND});
    silence(w, &w->a, 0);
    dpk_nic_end_destroy(w->b.end);
    w->b.end = NULL;
    await_event(&w->a, 0, DPK_NIC_FAILED);
    post(&w->a, good_write);
    await_event(&w->a, 1, DPK_NIC_FAILED);
    silence(w, &w->a, 2); /* the receive stays: a new connection may use it */
    world_end(w);
}

static void what_is_posted_fails_when_its_end_goes(void **state)
{
    struct world *w = world(state);
    post_receive(&w->a, 0, 8);
    post(&w->a, (struct dpk_nic_work){.opcode = DPK_NIC_SEND, .silent = true});
    dpk_nic_end_destroy(w->a.end);
    w->a.end = NULL;
    assert_int_equal(told(&w->a), 2);
    assert_int_equal(told_at(&w->a, 0).event, DPK_NIC_FAILED);
    assert_int_equal(told_at(&w->a, 1).event, DPK_NIC_RECEIVE_FAILED);
    world_end(w);
}

/* The child: an end that posts one send, then waits to be killed. */
static void be_killed(int in, int out)
{
    struct side s;
    struct dpk_buf peer = {0};
    uint8_t bytes[DPK_NIC_ADDRESS_SIZE];
    side_begin(&s, nic_new(), ALL_REMOTE);
    if (write(out, s.address.data, s.address.size) != DPK_NIC_ADDRESS_SIZE ||
        read(in, bytes, sizeof bytes) != DPK_NIC_ADDRESS_SIZE)
        _exit(2);
    dpk_put(&peer, bytes, sizeof bytes);
    side_connect(&s, &(struct side){.address = peer});
    post(&s, (struct dpk_nic_work){.opcode = DPK_NIC_SEND});
    for (;;)
        pause();
}

static void a_process_that_dies_fails_all(void **state)
{
    int down[2], up[2];
    uint8_t bytes[DPK_NIC_ADDRESS_SIZE];
    struct dpk_error err = {0};
    struct side s;
    (void)state;
    assert_int_equal(pipe(down) + pipe(up), 0);
    pid_t child = fork();
    if (child == 0)
        be_killed(down[0], up[1]);
    struct dpk_nic *nic = nic_new();
    side_begin(&s, nic, ALL_REMOTE);
    assert_int_equal(read(up[0], bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(write(down[1], s.address.data, s.address.size), s.address.size);
    must(dpk_nic_qp_connect(s.qp, bytes, sizeof bytes, &err), &err);
    post_receive(&s, 0, 8);
    post_receive(&s, 8, 8);
    await_event(&s, 0, DPK_NIC_RECEIVED);
    post(&s, (struct dpk_nic_work){.opcode = DPK_NIC_SEND}); /* it never receives */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    await_event(&s, 1, DPK_NIC_FAILED);
    await_event(&s, 2, DPK_NIC_RECEIVE_FAILED);
    post_receive(&s, 8, 8);
    await_event(&s, 3, DPK_NIC_RECEIVE_FAILED);
    struct dpk_nic_qp *again;
    must(dpk_nic_qp_create(s.end, 4, &again, &err), &err);
    assert_int_equal(dpk_nic_qp_connect(again, bytes, sizeof bytes, &err), DPK_ERR_NOT_FOUND);
    side_end(&s);
    dpk_nic_close(nic);
    for (int i = 0; i < 2; i++)
        close(down[i]), close(up[i]);
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static void damaged_addresses_are_refused(void **state)
{
    struct world *w = world_with(state, 0);
    struct dpk_error err = {0};
    uint8_t bytes[DPK_NIC_ADDRESS_SIZE + 1];
    memcpy(bytes, w->b.address.data, DPK_NIC_ADDRESS_SIZE);
    bytes[DPK_NIC_ADDRESS_SIZE] = 0;
    for (size_t size = 0; size <= sizeof bytes; size++)
        if (size != DPK_NIC_ADDRESS_SIZE)
            assert_int_equal(dpk_nic_qp_connect(w->a.qp, bytes, size, &err), DPK_ERR_FORMAT);
    for (unsigned bit = 0; bit < 8 * DPK_NIC_ADDRESS_SIZE; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum dpk_status status = dpk_nic_qp_connect(w->a.qp, bytes, DPK_NIC_ADDRESS_SIZE, &err);
        assert_true(status == DPK_ERR_FORMAT || (status == DPK_ERR_UNSUPPORTED && bit < 64));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    side_connect(&w->a, &w->b);
    assert_int_equal(dpk_nic_qp_connect(w->a.qp, bytes, DPK_NIC_ADDRESS_SIZE, &err), DPK_ERR_USAGE);
    world_end(w);
}

/* A queue pair answers only the one that it is connected to. */
static void strangers_are_not_served(void **state)
{
    struct world *w = world(state);
    struct side c;
    side_begin(&c, w->nics[0], ALL_REMOTE);
    side_connect(&c, &w->b);
    memset(c.memory, 1, 8);
    post(&c, good_write);
    await_event(&c, 0, DPK_NIC_FAILED);
    assert_int_equal(w->b.memory[0], 0);
    post(&w->a, good_write);
    await_event(&w->a, 0, DPK_NIC_DONE);
    side_end(&c);
    world_end(w);
}

/* ---- Nonsense by socket ---------------------------------------------------------------------- */

/* A client that speaks as it likes, connected to the process of `side`. */
static int client(const struct side *side)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct dpk_uuid process;
    char text[DPK_UUID_TEXT];
    memcpy(process.bytes, side->address.data + 8, sizeof process.bytes);
    dpk_uuid_format(&process, text);
    int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "dpakit-rdma-%s", text);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at,
                             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)),
                     0);
    return fd;
}

static void say(int fd, struct frame f, const void *payload, size_t size)
{
    uint8_t bytes[FRAME_SIZE + 2 * DPK_NIC_ADDRESS_SIZE];
    frame_write(&f, bytes);
    memcpy(bytes + FRAME_SIZE, payload, size);
    assert_int_equal(send(fd, bytes, FRAME_SIZE + size, MSG_NOSIGNAL), FRAME_SIZE + size);
}

/* Whether the other side hangs up. */
static bool is_cut_off(int fd)
{
    uint8_t bytes[256];
    const struct timeval patience = {.tv_sec = 60};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n;
    do
        n = recv(fd, bytes, sizeof bytes, 0);
    while (n > 0);
    return n == 0 || errno == ECONNRESET;
}

/* Says hello as `a`, whose own connection it takes the place of, and then `f`. */
static void expect_cut(struct frame f, size_t payload)
{
    static const bool sockets = true;
    const void *mode = &sockets;
    struct world *w = world_with((void **)&mode, ALL_REMOTE);
    uint8_t bytes[2 * DPK_NIC_ADDRESS_SIZE], zeros[2 * DPK_NIC_ADDRESS_SIZE] = {0};
    side_connect(&w->b, &w->a);
    int fd = client(&w->b);
    memcpy(bytes, w->a.address.data, DPK_NIC_ADDRESS_SIZE);
    memcpy(bytes + DPK_NIC_ADDRESS_SIZE, w->b.address.data, DPK_NIC_ADDRESS_SIZE);
    say(fd, (struct frame){.kind = FRAME_HELLO}, bytes, sizeof bytes);
    post_receive(&w->b, 0, 8);
    say(fd, f, zeros, payload);
    assert_true(is_cut_off(fd));
    close(fd);
    world_end(w);
}

static struct frame ask(struct request r)
{
    return (struct frame){.kind = FRAME_REQUEST, .request = r};
}

static void nonsense_is_cut_off(void **state)
{
    (void)state;
    expect_cut((struct frame){.kind = 9}, 0);
    expect_cut((struct frame){.kind = FRAME_HELLO}, 2 * DPK_NIC_ADDRESS_SIZE);
    expect_cut((struct frame){.kind = FRAME_RESPONSE}, 0);
    expect_cut(ask((struct request){.opcode = DPK_NIC_OPCODES}), 0);
    expect_cut(ask((struct request){.opcode = DPK_NIC_SEND, .size = SEGMENT + 1, .total = ~0ull}),
               0);
    expect_cut(ask((struct request){.opcode = DPK_NIC_SEND, .size = 2, .total = 1}), 0);
    /* A part of a send that never began; one that is longer than it said; one behind the last. */
    expect_cut(ask((struct request){.opcode = DPK_NIC_SEND, .size = 4, .total = 8}), 4);
    expect_cut(ask((struct request){
                   .opcode = DPK_NIC_SEND, .first = true, .last = true, .size = 4, .total = 8}),
               4);
    expect_cut(ask((struct request){.opcode = DPK_NIC_SEND, .first = true, .size = 8, .total = 8}),
               8);
    expect_cut(ask((struct request){.opcode = DPK_NIC_READ,
                                    .size = SEGMENT,
                                    .total = SEGMENT,
                                    .key = KEY,
                                    .address = BASE + MEMORY - 10}),
               0);
}

static void who_does_not_say_hello_is_cut_off(void **state)
{
    static const bool sockets = true;
    const void *mode = &sockets;
    uint8_t zeros[2 * DPK_NIC_ADDRESS_SIZE] = {0};
    (void)state;
    struct world *w = world((void **)&mode);
    for (unsigned kind = 0; kind < 6; kind++) {
        int fd = client(&w->b);
        say(fd, (struct frame){.kind = kind}, zeros, sizeof zeros);
        assert_true(is_cut_off(fd));
        close(fd);
    }
    post(&w->a, good_write);
    await_event(&w->a, 0, DPK_NIC_DONE); /* others go on */
    world_end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_dies_fails_all), /* forks: while there is no thread */
        TEST(ends_permit_what_peers_do),
        TEST(memory_permits_what_peers_do),
        TEST(ranges_are_kept),
        TEST(a_large_write_out_of_range_writes_nothing),
        TEST(a_receive_that_is_too_small_fails_both),
        TEST(what_was_before_a_failure_is_done),
        TEST(a_peer_that_goes_fails_what_is_posted),
        TEST(what_is_posted_fails_when_its_end_goes),
        TEST(damaged_addresses_are_refused),
        TEST(strangers_are_not_served),
        cmocka_unit_test(nonsense_is_cut_off),
        cmocka_unit_test(who_does_not_say_hello_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
