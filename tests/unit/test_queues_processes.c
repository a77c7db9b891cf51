/* Queue pairs of two processes, which find each other by numbers: here each has a struct dpk_rc of
 * its own, which is all that they do not share. */
#include <stdlib.h>
#include <unistd.h>

#include "queue_world.h"
#include "rdma/pairs/transport.h"

enum {
    SENDS = 0,
    RECEIVES = 1,
    WRITE = 0x08,
    SEND_IMMEDIATE = 0x0b,
    READ = 0x10,
    FETCH_ADD = 0x12
};

struct process {
    struct world w;
    struct dpk_queue *cqs[2], *qp;
};
static struct process a, b;
static char directory[] = "/tmp/dpakit-test-XXXXXX";

static void process_begin(struct process *p)
{
    world_begin(&p->w);
    assert_int_equal(dpk_rc_publish(p->w.rc, directory, NULL), DPK_OK);
    for (unsigned i = 0; i < 2; i++)
        p->cqs[i] = cq_new(&p->w, i);
    struct dpk_queue_options o = wq_options(&p->w, 0, DPK_QP, p->cqs[SENDS]);
    o.receive_cq = p->cqs[RECEIVES];
    p->qp = NULL;
    assert_int_equal(dpk_queue_create(p->w.nic, &o, &p->qp, NULL), DPK_OK);
}

static void join(const struct process *p, uint32_t number)
{
    const enum dpk_qp_state way[] = {DPK_QP_INIT, DPK_QP_RTR, DPK_QP_RTS};
    for (size_t i = 0; i < 3; i++) {
        const struct dpk_qp_change c = {.state = way[i], .remote = number};
        assert_int_equal(dpk_qp_modify(p->qp, &c, NULL), DPK_OK);
    }
}

static int begin(void **state)
{
    (void)state;
    memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(directory));
    process_begin(&a);
    process_begin(&b);
    join(&a, dpk_queue_number(b.qp));
    join(&b, dpk_queue_number(a.qp));
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (a.w.nic)
        world_end(&a.w);
    if (b.w.nic)
        world_end(&b.w);
    assert_int_equal(rmdir(directory), 0); /* nothing is left in it */
    return 0;
}

static struct cqe await(const struct process *p, unsigned cq, uint32_t index)
{
    for (int i = 0; i < 600000 && dpk_cq_produced(p->cqs[cq]) <= index; i++)
        usleep(100);
    assert_true(dpk_cq_produced(p->cqs[cq]) > index);
    dpk_rc_lock(p->w.rc); /* it is written by whoever has counted it */
    dpk_rc_unlock(p->w.rc);
    return cqe_at(&p->w, cq, index);
}

/* Programs write while the device looks; here the lock is what orders it. */
static void post_receive(struct process *p, uint16_t index, uint32_t size)
{
    dpk_rc_lock(p->w.rc);
    put_receive(&p->w, 0, index, size, DATA + 0x1000);
    post_receives(&p->w, 0, (uint16_t)(index + 1));
    dpk_rc_unlock(p->w.rc);
    dpk_queues_kick(p->w.nic, NULL);
}

static void post_send(struct process *p, uint16_t index, uint32_t immediate, uint32_t size)
{
    uint64_t at = put_control(&p->w, ring_at(0) + 64, p->qp, index, SEND_IMMEDIATE, 2);
    put_be32(&p->w, at + 12, immediate);
    put_data(&p->w, at + 16, size, p->w.key, DATA);
    dpk_queue_ring(p->qp, (uint16_t)(index + 1));
}

/* A WQE that names memory of the peer, at DATA + 0x2000. */
static void post_remote(struct process *p, uint16_t index, uint8_t opcode, uint32_t key)
{
    const bool atomic = opcode == FETCH_ADD;
    uint64_t at = put_control(&p->w, ring_at(0) + 64, p->qp, index, opcode, atomic ? 4 : 3);
    put_be64(&p->w, at + 16, DATA + 0x2000);
    put_be32(&p->w, at + 24, key);
    if (atomic)
        put_be64(&p->w, at + 32, 5);
    put_data(&p->w, at + (atomic ? 48 : 32), 8, p->w.key, DATA);
    dpk_queue_ring(p->qp, (uint16_t)(index + 1));
}

/* ---- What is to work ---- */

static void sends_meet_receives(struct process *from, struct process *to)
{
    memset(from->w.memory + DATA, 0x5a, 100);
    post_send(from, 0, 77, 100); /* it waits */
    post_receive(to, 0, 200);
    const struct cqe received = await(to, RECEIVES, 0), sent = await(from, SENDS, 0);
    assert_int_equal(sent.opcode, 0);
    assert_int_equal(received.opcode, 3);
    assert_int_equal(received.bytes, 100);
    assert_int_equal(received.number, dpk_queue_number(to->qp));
    assert_memory_equal(from->w.memory + DATA, to->w.memory + DATA + 0x1000, 100);
    assert_int_equal(to->w.memory[DATA + 0x1000 + 100], 0);
}

static void sends_go_both_ways(void **state)
{
    (void)state;
    sends_meet_receives(&a, &b);
    sends_meet_receives(&b, &a);
}

static void memory_of_the_peer_is_written_read_and_added_to(void **state)
{
    (void)state;
    memcpy(a.w.memory + DATA, "\x11\0\0\0\0\0\0\0", 8);
    post_remote(&a, 0, WRITE, b.w.key);
    assert_int_equal(await(&a, SENDS, 0).opcode, 0);
    assert_int_equal(b.w.memory[DATA + 0x2000], 0x11);
    post_remote(&a, 1, FETCH_ADD, b.w.key);
    assert_int_equal(await(&a, SENDS, 1).opcode, 0);
    assert_int_equal(a.w.memory[DATA], 0x11);
    assert_int_equal(b.w.memory[DATA + 0x2000], 0x16);
    post_remote(&a, 2, READ, b.w.key);
    assert_int_equal(await(&a, SENDS, 2).opcode, 0);
    assert_int_equal(a.w.memory[DATA], 0x16);
}

static void many_are_told_in_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 70000; i += 4) { /* counters wrap */
        for (uint32_t j = 0; j < 4; j++)
            post_remote(&a, (uint16_t)(i + j), WRITE, b.w.key);
        for (uint32_t j = 0; j < 4; j++)
            assert_int_equal(await(&a, SENDS, i + j).counter, (i + j) & 0xffff);
        consumed(&a.w, SENDS, i + 4);
    }
    assert_int_equal(a.w.troubles, 0);
}

/* ---- What is not ---- */

static void bad_keys_fail_both(void **state)
{
    const uint8_t opcodes[] = {WRITE, READ, FETCH_ADD};
    for (size_t i = 0; i < 3; i++) {
        post_receive(&b, 0, 8);
        post_remote(&a, 0, opcodes[i], a.w.key);
        assert_int_equal(await(&a, SENDS, 0).syndrome, 0x13);
        assert_int_equal(dpk_qp_state(a.qp), DPK_QP_ERROR);
        const struct cqe flushed = await(&b, RECEIVES, 0);
        assert_int_equal(flushed.opcode, 14);
        assert_int_equal(flushed.syndrome, 0x05);
        assert_int_equal(dpk_qp_state(b.qp), DPK_QP_ERROR);
        end(state);
        begin(state);
    }
}

static void a_receive_that_is_too_small_fails_both(void **state)
{
    (void)state;
    post_receive(&b, 0, 7);
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x12);
    assert_int_equal(await(&b, RECEIVES, 0).syndrome, 0x01);
}

/* What is wrong on this side, the peer does not hear of. */
static void own_mistakes_are_own(void **state)
{
    (void)state;
    dpk_memory_remove(a.w.key);
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x04);
    usleep(3000);
    assert_int_equal(dpk_qp_state(b.qp), DPK_QP_RTS);
    post_remote(&b, 0, WRITE, a.w.key);
    assert_int_equal(await(&b, SENDS, 0).syndrome, 0x15);
}

static void a_process_that_goes_ends_what_is_posted(void **state)
{
    (void)state;
    post_send(&a, 0, 0, 8); /* there is no receive */
    world_end(&b.w);
    b.w.nic = NULL;
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x15);
    assert_int_equal(dpk_qp_state(a.qp), DPK_QP_ERROR);
}

static void numbers_of_a_process_that_is_gone_are_nobodys(void **state)
{
    (void)state;
    a.w.rc->connect_wait_ms = 200;
    const uint32_t number = dpk_queue_number(b.qp);
    assert_int_equal(dpk_qp_modify(a.qp, &(struct dpk_qp_change){.state = DPK_QP_RESET}, NULL),
                     DPK_OK);
    world_end(&b.w);
    b.w.nic = NULL;
    join(&a, number);
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x15);
}

static void numbers_are_unique(void **state)
{
    (void)state;
    assert_int_not_equal(dpk_queue_number(a.qp), dpk_queue_number(b.qp));
    assert_int_not_equal(dpk_queue_number(a.qp) >> 14, dpk_queue_number(b.qp) >> 14);
}

/* ---- Peers that come later, or never ---- */

/* Both are unconnected again. */
static void part(void)
{
    const struct dpk_qp_change reset = {.state = DPK_QP_RESET};
    assert_int_equal(dpk_qp_modify(a.qp, &reset, NULL), DPK_OK);
    assert_int_equal(dpk_qp_modify(b.qp, &reset, NULL), DPK_OK);
    a.w.rc->connect_wait_ms = b.w.rc->connect_wait_ms = 200;
}

static void a_peer_that_never_connects_ends_what_is_sent(void **state)
{
    (void)state;
    part();
    join(&a, dpk_queue_number(b.qp));
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x15);
    assert_int_equal(dpk_qp_state(a.qp), DPK_QP_ERROR);
    assert_int_equal(dpk_qp_state(b.qp), DPK_QP_RESET);
}

/* In one process: a second queue pair, which is never connected. */
static void so_does_one_of_the_same_process(void **state)
{
    (void)state;
    struct dpk_queue_options o = wq_options(&a.w, 1, DPK_QP, a.cqs[SENDS]);
    struct dpk_queue *other = NULL;
    part();
    assert_int_equal(dpk_queue_create(a.w.nic, &o, &other, NULL), DPK_OK);
    join(&a, dpk_queue_number(other));
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x15);
}

static void a_number_that_nobody_gets_ends_what_is_sent(void **state)
{
    (void)state;
    part();
    join(&a, dpk_queue_number(b.qp) + 1);
    post_send(&a, 0, 0, 8);
    assert_int_equal(await(&a, SENDS, 0).syndrome, 0x15);
}

/* A queue pair that is created and connected after its peer is ready and has sent. */
static void a_peer_that_comes_later_is_found(void **state)
{
    (void)state;
    const uint32_t next = dpk_queue_number(b.qp) + 1;
    part();
    a.w.rc->connect_wait_ms = b.w.rc->connect_wait_ms = 60000;
    join(&a, next);
    post_send(&a, 0, 0, 100);
    usleep(20000);
    assert_int_equal(dpk_cq_produced(a.cqs[SENDS]), 0);
    assert_int_equal(dpk_queue_destroy(b.qp, NULL), DPK_OK);
    struct dpk_queue_options o = wq_options(&b.w, 0, DPK_QP, b.cqs[SENDS]);
    o.receive_cq = b.cqs[RECEIVES];
    assert_int_equal(dpk_queue_create(b.w.nic, &o, &b.qp, NULL), DPK_OK);
    assert_int_equal(dpk_queue_number(b.qp), next);
    join(&b, dpk_queue_number(a.qp));
    post_receive(&b, 0, 200);
    assert_int_equal(await(&a, SENDS, 0).opcode, 0);
    assert_int_equal(await(&b, RECEIVES, 0).bytes, 100);
    post_receive(&a, 0, 200);
    post_send(&b, 0, 0, 50);
    assert_int_equal(await(&a, RECEIVES, 0).bytes, 50);
}

/* Back to the beginning, and connected again, both. */
static void pairs_meet_again_after_a_reset(void **state)
{
    (void)state;
    const struct dpk_qp_change reset = {.state = DPK_QP_RESET};
    post_send(&a, 0, 0, 8);
    assert_int_equal(dpk_qp_modify(a.qp, &reset, NULL), DPK_OK);
    assert_int_equal(dpk_qp_modify(b.qp, &reset, NULL), DPK_OK);
    join(&b, dpk_queue_number(a.qp));
    join(&a, dpk_queue_number(b.qp));
    sends_meet_receives(&a, &b);
    assert_int_equal(dpk_cq_produced(a.cqs[SENDS]), 1); /* the first was forgotten */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
        TEST(sends_go_both_ways),
        TEST(memory_of_the_peer_is_written_read_and_added_to),
        TEST(many_are_told_in_order),
        TEST(bad_keys_fail_both),
        TEST(a_receive_that_is_too_small_fails_both),
        TEST(own_mistakes_are_own),
        TEST(a_process_that_goes_ends_what_is_posted),
        TEST(numbers_of_a_process_that_is_gone_are_nobodys),
        TEST(numbers_are_unique),
        TEST(a_peer_that_never_connects_ends_what_is_sent),
        TEST(so_does_one_of_the_same_process),
        TEST(a_number_that_nobody_gets_ends_what_is_sent),
        TEST(a_peer_that_comes_later_is_found),
        TEST(pairs_meet_again_after_a_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
