/* Queue pairs: random sequences against a simple model, shared receives, hostile values. */
#include <pthread.h>
#include <sched.h>

#include "queue_world.h"

static struct dpk_queue *cqs[4], *a, *b; /* CQs: sends of a, receives of b, and the others */

static struct dpk_queue *pair(unsigned slot, unsigned cq, struct dpk_queue *shared)
{
    struct dpk_queue_options o = wq_options(&w, slot, DPK_QP, cqs[cq]);
    struct dpk_queue *q = NULL;
    o.receive_cq = cqs[cq + 1];
    o.receives = shared;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_OK);
    return q;
}

static void join(struct dpk_queue *q, const struct dpk_queue *peer)
{
    const enum dpk_qp_state way[] = {DPK_QP_INIT, DPK_QP_RTR, DPK_QP_RTS};
    for (size_t i = 0; i < 3; i++) {
        const struct dpk_qp_change c = {.state = way[i], .remote = dpk_queue_number(peer)};
        assert_int_equal(dpk_qp_modify(q, &c, NULL), DPK_OK);
    }
}

static int begin(void **state)
{
    begin_world(state);
    for (unsigned i = 0; i < 4; i++)
        cqs[i] = cq_new(&w, i);
    a = pair(0, 0, NULL);
    b = pair(1, 2, NULL);
    join(a, b);
    join(b, a);
    return 0;
}

/* A send of queue pair `slot`, whose sends lie after four receives. */
static void put_send(unsigned slot, const struct dpk_queue *q, uint16_t index, uint64_t address,
                     uint32_t size)
{
    uint64_t at = put_control(&w, ring_at(slot) + 64, q, index, 0x0a, 2);
    put_data(&w, at + 16, size, w.key, address);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* What must have happened: the n-th send meets the n-th receive, once both are posted. */
struct model {
    uint32_t sends, receives, sent_seen, received_seen;
    uint32_t sizes[8]; /* of sends that were not seen to be received */
};

static uint32_t done(const struct model *m)
{
    return m->sends < m->receives ? m->sends : m->receives;
}

static void step(struct model *m, uint32_t *seed)
{
    uint32_t size = 1 + next_random(seed) % 200;
    switch (next_random(seed) % 4) {
    case 0: /* no more than the ring holds; nor than the model remembers */
        if (m->sends - done(m) == 4 || m->sends - m->received_seen == 8 ||
            m->sends - m->sent_seen == 8)
            break;
        memset(w.memory + DATA + m->sends % 8 * 256, (int)(m->sends & 0xff), 256);
        put_send(0, a, (uint16_t)m->sends, DATA + m->sends % 8 * 256, size);
        m->sizes[m->sends++ % 8] = size;
        dpk_queue_ring(a, (uint16_t)m->sends);
        break;
    case 1:
        if (m->receives - done(m) == 4)
            break;
        put_receive(&w, 1, (uint16_t)m->receives, 256, DATA + 0x1000 + m->receives % 16 * 256);
        post_receives(&w, 1, (uint16_t)++m->receives);
        dpk_queues_kick(w.nic, NULL);
        break;
    case 2:
        if (m->sent_seen == done(m))
            break;
        assert_int_equal(cqe_at(&w, 0, m->sent_seen).counter, m->sent_seen & 0xffff);
        consumed(&w, 0, ++m->sent_seen);
        break;
    default:
        if (m->received_seen == done(m))
            break;
        struct cqe c = cqe_at(&w, 3, m->received_seen);
        assert_int_equal(c.opcode, 2);
        assert_int_equal(c.bytes, m->sizes[m->received_seen % 8]);
        assert_int_equal(w.memory[DATA + 0x1000 + m->received_seen % 16 * 256 + c.bytes - 1],
                         m->received_seen & 0xff);
        consumed(&w, 3, ++m->received_seen);
        break;
    }
    assert_int_equal(dpk_cq_produced(cqs[0]), done(m));
    assert_int_equal(dpk_cq_produced(cqs[3]), done(m));
}

static void random_sequences_do_what_the_model_does(void **state)
{
    (void)state;
    struct model m = {0};
    uint32_t seed = 1;
    for (unsigned i = 0; i < 400000; i++)
        step(&m, &seed);
    assert_true(done(&m) > 65536); /* counters have wrapped */
    assert_int_equal(w.troubles, 0);
}

static void connections_share_receives(void **state)
{
    (void)state;
    struct dpk_queue_options o = wq_options(&w, 2, DPK_RMP, NULL);
    struct dpk_queue *rmp = NULL;
    o.log_stride = 5;
    o.linked = true;
    assert_int_equal(dpk_queue_create(w.nic, &o, &rmp, NULL), DPK_OK);
    struct dpk_queue *c = pair(3, 2, rmp);
    join(c, a);
    assert_int_equal(dpk_qp_modify(a, &(struct dpk_qp_change){.state = DPK_QP_RESET}, NULL),
                     DPK_OK);
    join(a, c);
    /* The list: place 0, then 2, then 1. */
    const uint16_t next[] = {2, 3, 1};
    for (unsigned i = 0; i < 3; i++) {
        put_be32(&w, ring_at(2) + i * 32, next[i]);
        put_data(&w, ring_at(2) + i * 32 + 16, 64, w.key, DATA + 0x1000 + i * 64);
    }
    post_receives(&w, 2, 3);
    for (uint16_t i = 0; i < 3; i++) {
        w.memory[DATA] = (uint8_t)(10 + i);
        put_send(0, a, i, DATA, 1);
        dpk_queue_ring(a, (uint16_t)(i + 1));
    }
    const uint8_t want[] = {10, 12, 11};
    const unsigned places[] = {0, 2, 1};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(w.memory[DATA + 0x1000 + i * 64], want[i]);
        assert_int_equal(cqe_at(&w, 3, i).counter, places[i]);
        assert_int_equal(cqe_at(&w, 3, i).number, dpk_queue_number(c));
    }
    assert_int_equal(dpk_queue_destroy(rmp, NULL), DPK_ERR_USAGE);
    assert_int_equal(dpk_queue_destroy(c, NULL), DPK_OK);
    assert_int_equal(dpk_queue_destroy(rmp, NULL), DPK_OK);
}

/* What a WQE may not say: each ends in one completion with an error, and changes nothing. */
static void hostile_wqes_end_in_errors(void **state)
{
    const struct {
        uint32_t first, second; /* words of the control segment, over what is right */
        uint32_t syndrome;
    } cases[] = {
        {0x0000000a, 0x00004200 - 1, 2}, /* of another queue */
        {0x0000050a, 0, 2},              /* another index */
        {0x0000000a, 0x3f, 2},           /* more segments than were posted */
        {0x0000000a, 0x100, 2},          /* none */
        {0x0100000a, 0, 2},              /* a modifier */
        {0x0000000e, 0, 2},              /* LSO */
        {0x00000032, 0, 2},              /* local DMA */
        {0x000000ff, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        end_world(state);
        begin(state);
        put_receive(&w, 1, 0, 256, DATA + 0x1000);
        post_receives(&w, 1, 1);
        put_send(0, a, 0, DATA, 64);
        put_be32(&w, ring_at(0) + 64, cases[i].first);
        if (cases[i].second == 0x100)
            put_be32(&w, ring_at(0) + 68, dpk_queue_number(a) << 8);
        else if (cases[i].second)
            put_be32(&w, ring_at(0) + 68, dpk_queue_number(a) << 8 ^ cases[i].second);
        memset(w.memory + DATA, 1, 64);
        dpk_queue_ring(a, 1);
        assert_int_equal(cqe_at(&w, 0, 0).opcode, 13);
        assert_int_equal(cqe_at(&w, 0, 0).syndrome, cases[i].syndrome);
        assert_int_equal(dpk_cq_produced(cqs[0]), 1);
        assert_int_equal(w.memory[DATA + 0x1000], 0);
    }
}

static void inline_data_beyond_the_wqe_is_refused(void **state)
{
    (void)state;
    put_receive(&w, 1, 0, 256, DATA + 0x1000);
    post_receives(&w, 1, 1);
    put_send(0, a, 0, DATA, 64);
    put_be32(&w, ring_at(0) + 80, 0x80000000u | 13); /* 12 bytes are there */
    dpk_queue_ring(a, 1);
    assert_int_equal(cqe_at(&w, 0, 0).syndrome, 0x01);
}

static void a_pair_that_is_connected_to_itself_fails_by_itself(void **state)
{
    (void)state;
    assert_int_equal(dpk_qp_modify(a, &(struct dpk_qp_change){.state = DPK_QP_RESET}, NULL),
                     DPK_OK);
    join(a, a);
    put_data(&w, ring_at(0), 8, w.key, DATA + 0x1000);
    put_be32(&w, record_at(0), 1);
    put_send(0, a, 0, DATA, 64); /* longer than the receive */
    dpk_queue_ring(a, 1);
    assert_int_equal(dpk_qp_state(a), DPK_QP_ERROR);
    assert_int_equal(cqe_at(&w, 0, 0).opcode, 13);
    assert_int_equal(dpk_cq_produced(cqs[0]), 1);
    assert_int_equal(cqe_at(&w, 1, 0).opcode, 14);
}

static void a_peer_that_is_gone_is_told(void **state)
{
    (void)state;
    assert_int_equal(dpk_queue_destroy(b, NULL), DPK_OK);
    put_send(0, a, 0, DATA, 64);
    dpk_queue_ring(a, 1);
    assert_int_equal(cqe_at(&w, 0, 0).syndrome, 0x15);
}

#define ADDS 20000

static void *add_by_hand(void *word)
{
    for (unsigned i = 0; i < ADDS; i++)
        __atomic_fetch_add((uint64_t *)word, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* The program may count in the same word. */
static void atomic_operations_are_one_step(void **state)
{
    const uint64_t target = DATA + 0x1000;
    void *word = w.memory + target;
    pthread_t thread;
    uint64_t sum;
    (void)state;
    memset(word, 0, sizeof sum);
    assert_int_equal(pthread_create(&thread, NULL, add_by_hand, word), 0);
    for (unsigned i = 0; i < ADDS; i++) {
        uint64_t at = put_control(&w, ring_at(0) + 64, a, (uint16_t)i, 0x12, 4);
        put_be32(&w, at + 8, 0); /* silent */
        memset(w.memory + at + 16, 0, 32);
        put_be32(&w, at + 20, (uint32_t)target);
        put_be32(&w, at + 24, w.key);
        put_be32(&w, at + 36, 1);
        put_data(&w, at + 48, sizeof sum, w.key, DATA);
        dpk_queue_ring(a, (uint16_t)(i + 1));
    }
    pthread_join(thread, NULL);
    memcpy(&sum, word, sizeof sum);
    assert_int_equal(dpk_qp_state(a), DPK_QP_RTS);
    assert_int_equal(sum, 2 * ADDS);
}

/* A WQE that waits until completion `index` of a completion queue exists. */
static void put_wait(const struct dpk_queue *q, uint16_t place, uint32_t number, uint32_t index)
{
    const uint64_t at = put_control(&w, ring_at(0) + 64, q, place, 0x0f, 2);
    put_be64(&w, at + 16, 0);
    put_be32(&w, at + 24, index);
    put_be32(&w, at + 28, number);
}

static void await_produced(const struct dpk_queue *cq, uint32_t count)
{
    while (dpk_cq_produced(cq) != count)
        sched_yield();
}

static void a_send_waits_for_completions_of_another_queue(void **state)
{
    (void)state;
    put_wait(a, 0, dpk_queue_number(cqs[2]), 1);
    put_control(&w, ring_at(0) + 64, a, 1, 0, 1);
    dpk_queue_ring(a, 2);
    for (uint16_t i = 0; i < 2; i++) {
        assert_int_equal(dpk_cq_produced(cqs[0]), 0);
        put_control(&w, ring_at(1) + 64, b, i, 0, 1);
        dpk_queue_ring(b, (uint16_t)(i + 1)); /* completes in cqs[2] */
    }
    await_produced(cqs[0], 2);
    assert_int_equal(cqe_at(&w, 0, 0).request, 0x0f);
    assert_int_equal(cqe_at(&w, 0, 1).opcode, 0);
    put_wait(a, 2, dpk_queue_number(cqs[2]), 0xffffff); /* it is past already */
    dpk_queue_ring(a, 3);
    assert_int_equal(dpk_cq_produced(cqs[0]), 3);
    assert_int_equal(w.troubles, 0);
}

static void a_waiting_send_ends_with_its_queue_pair(void **state)
{
    (void)state;
    put_wait(a, 0, dpk_queue_number(cqs[2]), 0);
    dpk_queue_ring(a, 1);
    assert_int_equal(dpk_cq_produced(cqs[0]), 0);
    assert_int_equal(dpk_qp_modify(a, &(struct dpk_qp_change){.state = DPK_QP_ERROR}, NULL),
                     DPK_OK);
    assert_int_equal(cqe_at(&w, 0, 0).syndrome, 5); /* flushed */
    assert_int_equal(dpk_qp_modify(a, &(struct dpk_qp_change){.state = DPK_QP_RESET}, NULL),
                     DPK_OK);
    join(a, b);
    put_wait(a, 0, dpk_queue_number(cqs[2]), 0);
    dpk_queue_ring(a, 1);
    assert_int_equal(dpk_queue_destroy(a, NULL), DPK_OK);
    dpk_cq_complete(cqs[2]); /* nothing waits any more */
}

static void a_wait_for_no_completion_queue_is_an_error(void **state)
{
    const uint32_t numbers[] = {0, 0xffffffff, dpk_queue_number(a), dpk_queue_number(b)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        end_world(state);
        begin(state);
        put_wait(a, 0, numbers[i], 0);
        dpk_queue_ring(a, 1);
        assert_int_equal(cqe_at(&w, 0, 0).opcode, 13);
        assert_int_equal(cqe_at(&w, 0, 0).syndrome, 2);
    }
}

static void a_dump_completes_and_moves_nothing(void **state)
{
    (void)state;
    const uint64_t at = put_control(&w, ring_at(0) + 64, a, 0, 0x23, 2);
    put_data(&w, at + 16, 8, w.key, DATA);
    put_receive(&w, 1, 0, 256, DATA + 0x1000);
    post_receives(&w, 1, 1);
    dpk_queue_ring(a, 1);
    assert_int_equal(cqe_at(&w, 0, 0).opcode, 0);
    assert_int_equal(cqe_at(&w, 0, 0).request, 0x23);
    assert_int_equal(dpk_cq_produced(cqs[3]), 0);
    assert_int_equal(w.troubles, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_world)
        TEST(random_sequences_do_what_the_model_does),
        TEST(connections_share_receives),
        TEST(hostile_wqes_end_in_errors),
        TEST(inline_data_beyond_the_wqe_is_refused),
        TEST(a_pair_that_is_connected_to_itself_fails_by_itself),
        TEST(a_peer_that_is_gone_is_told),
        TEST(atomic_operations_are_one_step),
        TEST(a_send_waits_for_completions_of_another_queue),
        TEST(a_waiting_send_ends_with_its_queue_pair),
        TEST(a_wait_for_no_completion_queue_is_an_error),
        TEST(a_dump_completes_and_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
