/* Queues: rings, owner bits, doorbells, frames. */
#include "queue_world.h"

/* A send queue whose frames go to a receive queue; completions of each in a CQ of its own. */
struct pair {
    struct dpk_queue *send_cq, *receive_cq, *sq, *rq;
};

static struct pair loop(void)
{
    struct pair p = {.send_cq = cq_new(&w, 0), .receive_cq = cq_new(&w, 1)};
    p.sq = wq_new(&w, 0, DPK_SQ, p.send_cq);
    p.rq = wq_new(&w, 1, DPK_RQ, p.receive_cq);
    all_frames_to(&w, p.rq);
    return p;
}

static void a_frame_comes_back_with_both_completions(void **state)
{
    (void)state;
    struct pair p = loop();
    memset(w.memory + DATA, 0x5a, 100);
    put_receive(&w, 1, 0, 200, DATA + 0x1000);
    post_receives(&w, 1, 1);
    put_frame(&w, 0, p.sq, 0, DATA, 100);
    dpk_queue_ring(p.sq, 1);
    struct cqe sent = cqe_at(&w, 0, 0), received = cqe_at(&w, 1, 0);
    assert_true(is_there(&w, 0, 0) && is_there(&w, 1, 0));
    assert_int_equal(sent.opcode, 0);
    assert_int_equal(sent.request, 0x0a);
    assert_int_equal(sent.number, dpk_queue_number(p.sq));
    assert_int_equal(received.opcode, 2);
    assert_int_equal(received.bytes, 100);
    assert_int_equal(received.number, 0); /* the tag of its flow, which has none */
    assert_int_equal(received.user_index, 0xabc001);
    assert_memory_equal(w.memory + DATA, w.memory + DATA + 0x1000, 100);
    assert_int_equal(w.memory[DATA + 0x1000 + 100], 0);
    assert_int_equal(w.completed, 2);
}

static void owner_bits_change_with_every_round(void **state)
{
    (void)state;
    struct pair p = loop();
    for (uint32_t i = 0; i < 100; i++) {
        put_receive(&w, 1, (uint16_t)i, 64, DATA + 0x1000);
        post_receives(&w, 1, (uint16_t)(i + 1));
        put_frame(&w, 0, p.sq, (uint16_t)i, DATA, 64);
        assert_false(is_there(&w, 0, i));
        dpk_queue_ring(p.sq, (uint16_t)(i + 1));
        assert_true(is_there(&w, 0, i) && is_there(&w, 1, i));
        assert_int_equal(cqe_at(&w, 0, i).counter, i);
        assert_int_equal(cqe_at(&w, 1, i).counter, i);
        consumed(&w, 0, i + 1);
        consumed(&w, 1, i + 1);
    }
    assert_int_equal(dpk_cq_produced(p.send_cq), 100);
}

static void counters_wrap_at_65536(void **state)
{
    (void)state;
    struct pair p = loop();
    for (uint32_t i = 0; i < 65540; i++) {
        put_receive(&w, 1, (uint16_t)i, 64, DATA + 0x1000);
        post_receives(&w, 1, (uint16_t)(i + 1));
        put_frame(&w, 0, p.sq, (uint16_t)i, DATA, 64);
        dpk_queue_ring(p.sq, (uint16_t)(i + 1));
        consumed(&w, 0, i + 1);
        consumed(&w, 1, i + 1);
    }
    assert_int_equal(cqe_at(&w, 0, 65539).counter, 3);
    assert_int_equal(cqe_at(&w, 1, 65539).opcode, 2);
    assert_int_equal(w.troubles, 0);
}

static void a_cq_that_is_not_consumed_overruns(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    for (uint16_t i = 0; i < 8; i++) {
        put_frame(&w, 0, p.sq, i, DATA, 64);
        dpk_queue_ring(p.sq, (uint16_t)(i + 1));
    }
    assert_false(dpk_queue_has_failed(p.send_cq));
    uint8_t before[DPK_CQE];
    memcpy(before, w.memory + cq_ring(0), DPK_CQE);
    put_frame(&w, 0, p.sq, 8, DATA, 64);
    dpk_queue_ring(p.sq, 9);
    assert_true(dpk_queue_has_failed(p.send_cq) && dpk_queue_has_failed(p.sq));
    assert_int_equal(w.troubles, 2); /* of the CQ, and of the SQ that has no other */
    assert_memory_equal(before, w.memory + cq_ring(0), DPK_CQE);
    consumed(&w, 0, 8); /* too late */
    dpk_queue_ring(p.sq, 10);
    assert_int_equal(dpk_cq_produced(p.send_cq), 8);
}

static void overruns_can_be_ignored(void **state)
{
    (void)state;
    struct dpk_queue *cq = NULL;
    const struct dpk_queue_options o = {.kind = DPK_CQ,
                                        .log_depth = CQ_LOG,
                                        .ring = {&w, cq_ring(0)},
                                        .record = {&w, RECORDS},
                                        .overrun_ignore = true,
                                        .user = &w};
    assert_int_equal(dpk_queue_create(w.nic, &o, &cq, NULL), DPK_OK);
    struct dpk_queue *sq = wq_new(&w, 0, DPK_SQ, cq);
    w.plugged = true;
    for (uint16_t i = 0; i < 20; i++) {
        put_frame(&w, 0, sq, i, DATA, 64);
        dpk_queue_ring(sq, (uint16_t)(i + 1));
    }
    assert_int_equal(dpk_cq_produced(cq), 20);
    assert_int_equal(w.left, 20);
}

static void silent_sends_complete_only_when_they_fail(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    uint64_t at = put_frame(&w, 0, p.sq, 0, DATA, 64);
    put_be32(&w, at + 8, 0);
    at = put_frame(&w, 0, p.sq, 1, DATA - 1, 64); /* not under the key */
    put_be32(&w, at + 8, 0);
    dpk_queue_ring(p.sq, 2);
    assert_int_equal(dpk_cq_produced(p.send_cq), 1);
    assert_int_equal(cqe_at(&w, 0, 0).opcode, 13);
    assert_int_equal(cqe_at(&w, 0, 0).syndrome, 0x04);
    assert_int_equal(cqe_at(&w, 0, 0).counter, 1);
}

static void a_completion_with_event_says_so(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    uint64_t at = put_frame(&w, 0, p.sq, 0, DATA, 64);
    put_be32(&w, at + 8, 3 << 2);
    dpk_queue_ring(p.sq, 1);
    assert_int_equal(w.events, 1);
}

static void what_follows_an_error_is_flushed(void **state)
{
    (void)state;
    struct pair p = loop();
    put_frame(&w, 0, p.sq, 0, DATA, 64);
    put_be32(&w, ring_at(0) + 36, w.key + 1); /* lkey */
    put_frame(&w, 0, p.sq, 1, DATA, 64);
    put_frame(&w, 0, p.sq, 2, DATA, 64);
    dpk_queue_ring(p.sq, 3);
    const unsigned want[] = {0x04, 0x05, 0x05};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(cqe_at(&w, 0, i).opcode, 13);
        assert_int_equal(cqe_at(&w, 0, i).syndrome, want[i]);
        assert_int_equal(cqe_at(&w, 0, i).counter, i);
    }
    put_frame(&w, 0, p.sq, 3, DATA, 64);
    dpk_queue_ring(p.sq, 4);
    assert_int_equal(cqe_at(&w, 0, 3).syndrome, 0x05);
}

static void doorbells_beyond_the_ring_are_errors(void **state)
{
    (void)state;
    struct pair p = loop();
    dpk_queue_ring(p.sq, 5);
    assert_true(dpk_queue_has_failed(p.sq));
    assert_int_equal(w.troubles, 1);
    dpk_queue_ring(p.sq, 40000);
    assert_int_equal(w.troubles, 1);
    assert_int_equal(dpk_cq_produced(p.send_cq), 0);
}

static void a_doorbell_that_goes_back_is_an_error(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    put_frame(&w, 0, p.sq, 0, DATA, 64);
    dpk_queue_ring(p.sq, 1);
    dpk_queue_ring(p.sq, 0);
    assert_true(dpk_queue_has_failed(p.sq));
}

static void doorbells_find_only_send_queues_of_their_owner(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    put_frame(&w, 0, p.sq, 0, DATA, 64);
    assert_false(dpk_queue_ring_number(w.nic, dpk_queue_number(p.sq), &p, 1));
    assert_false(dpk_queue_ring_number(w.nic, dpk_queue_number(p.rq), &w, 1));
    assert_false(dpk_queue_ring_number(w.nic, dpk_queue_number(p.send_cq), &w, 1));
    assert_false(dpk_queue_ring_number(w.nic, 0, &w, 1));
    assert_false(dpk_queue_ring_number(w.nic, UINT32_MAX, &w, 1));
    assert_int_equal(w.left, 0);
    assert_true(dpk_queue_ring_number(w.nic, dpk_queue_number(p.sq), &w, 1));
    assert_int_equal(w.left, 1);
}

/* As on a card, where the queue continues. */
static void a_frame_longer_than_its_receive_is_dropped(void **state)
{
    (void)state;
    struct pair p = loop();
    put_receive(&w, 1, 0, 63, DATA + 0x1000);
    put_receive(&w, 1, 1, 63, DATA + 0x1000);
    put_receive(&w, 1, 2, 64, DATA + 0x2000);
    post_receives(&w, 1, 3);
    for (uint16_t i = 0; i < 3; i++) {
        put_frame(&w, 0, p.sq, i, DATA, 64);
        dpk_queue_ring(p.sq, (uint16_t)(i + 1));
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(cqe_at(&w, 1, i).opcode, 14);
        assert_int_equal(cqe_at(&w, 1, i).syndrome, 0x01);
        assert_int_equal(cqe_at(&w, 1, i).counter, i);
    }
    assert_int_equal(cqe_at(&w, 1, 2).opcode, 2);
    assert_false(dpk_queue_has_failed(p.rq));
    assert_int_equal(w.troubles, 1);
    assert_non_null(strstr(w.trouble, "64 bytes is longer than its receive of 63"));
    struct dpk_counters_seen seen;
    dpk_counters_read(w.counters, false, &seen);
    assert_int_equal(seen.port[DPK_DROP_TOO_LONG], 2);
    assert_int_equal(seen.port[DPK_RECEIVED], 1);
    assert_int_equal(seen.port[DPK_QUEUE_ERRORS], 0);
}

/* The shortest Ethernet frame has 60 bytes; memory after a shorter frame is not sent. */
static void short_frames_are_padded(void **state)
{
    (void)state;
    struct pair p = loop();
    memset(w.memory + DATA, 7, 100);
    memset(w.memory + DATA + 0x1000, 9, 100);
    put_receive(&w, 1, 0, 100, DATA + 0x1000);
    post_receives(&w, 1, 1);
    put_frame(&w, 0, p.sq, 0, DATA, 20);
    dpk_queue_ring(p.sq, 1);
    assert_int_equal(cqe_at(&w, 1, 0).bytes, 60);
    for (unsigned i = 0; i < 61; i++)
        assert_int_equal(w.memory[DATA + 0x1000 + i], i < 20 ? 7 : i < 60 ? 0 : 9);
    w.plugged = true;
    memset(w.last_left, 9, sizeof w.last_left);
    put_frame(&w, 0, p.sq, 1, DATA, 59);
    dpk_queue_ring(p.sq, 2);
    assert_true(w.last_left[58] == 7 && w.last_left[59] == 0 && w.last_left[60] == 9);
}

/* Programs write their WQEs once, and ring again and again. */
static void wqes_stay_in_their_ring(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    for (uint16_t i = 0; i < 4; i++)
        put_be32(&w, put_frame(&w, 0, p.sq, i, DATA, 64) + 8, 0);
    for (uint16_t i = 1; i <= 1000; i++)
        dpk_queue_ring(p.sq, i);
    assert_int_equal(w.left, 1000);
    put_be32(&w, ring_at(0) + 8, 2 << 2);
    dpk_queue_ring(p.sq, 1001);
    assert_int_equal(w.left, 1001);
    assert_int_equal(cqe_at(&w, 0, 0).opcode, 0);
    assert_int_equal(cqe_at(&w, 0, 0).counter, 1000);
}

/* Each WQE that ends its queue is reported with its reason. */
static void a_queue_says_once_what_has_ended_it(void **state)
{
    const struct {
        unsigned at; /* a word of the WQE, */
        uint32_t is; /* and what it becomes */
        const char *told;
    } cases[] = {
        {0, 0x00000032, "WQE 0, opcode 0x32: this queue has no such operation"},
        {0, 0x0100000a, "(modifier 0x01)"},
        {4, 0x00123403, "WQE 0, opcode 0x0a: it is one of queue 0x1234"},
        {28, 0x00010000, "headers of 1 bytes"},
        {28, 0x00200000, "inline data go beyond its segments"},
        {20, 1000, "an MSS of 1000 without large send"},
        {20, 0x30000000, "checksums of headers within tunnels are not emulated"},
        {32, 13, "a frame of 13 bytes, not 14 to 9234"},
        {36, 0x77777700, "no read of 64 bytes at 0x80000: key 0x77777700 is unknown"},
        {44, DATA - 1, "no read of 64 bytes at 0x7ffff: out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        end_world(state);
        begin_world(state);
        struct pair p = loop();
        w.plugged = true;
        for (uint16_t n = 0; n < 3; n++)
            put_frame(&w, 0, p.sq, n, DATA, 64);
        put_be32(&w, ring_at(0) + cases[i].at, cases[i].is);
        dpk_queue_ring(p.sq, 3);
        dpk_queue_ring(p.sq, 4);
        assert_true(dpk_queue_has_failed(p.sq));
        assert_int_equal(w.troubles, 1);
        if (!strstr(w.trouble, cases[i].told))
            fail_msg("\"%s\" without \"%s\"", w.trouble, cases[i].told);
        struct dpk_counters_seen seen;
        dpk_counters_read(w.counters, false, &seen);
        assert_int_equal(seen.port[DPK_QUEUE_ERRORS], 1);
        assert_true(seen.port[DPK_WQE_ERRORS] >= 2);
        assert_int_equal(w.left, 0);
    }
}

static void receives_need_the_right_to_write(void **state)
{
    (void)state;
    struct pair p = loop();
    const uint32_t key = world_key(&w, DATA, 0x1000, DPK_MEMORY_READ | DPK_MEMORY_REMOTE_WRITE);
    put_data(&w, ring_at(1), 100, key, DATA + 0x100);
    post_receives(&w, 1, 1);
    memset(w.memory + DATA, 1, 64);
    put_frame(&w, 0, p.sq, 0, DATA, 64);
    dpk_queue_ring(p.sq, 1);
    assert_int_equal(cqe_at(&w, 1, 0).syndrome, 0x04);
    assert_int_equal(w.memory[DATA + 0x100], 0);
    dpk_memory_remove(key);
}

static void a_doorbell_record_beyond_the_ring_is_an_error(void **state)
{
    (void)state;
    struct pair p = loop();
    post_receives(&w, 1, 5);
    put_frame(&w, 0, p.sq, 0, DATA, 64);
    dpk_queue_ring(p.sq, 1);
    assert_true(dpk_queue_has_failed(p.rq));
    assert_int_equal(w.troubles, 1);
}

/* Headers inline, then two pieces, into a receive of another memory. */
static void frames_are_gathered(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    uint64_t at = put_control(&w, ring_at(0), p.sq, 0, 0x0a, 5);
    memset(w.memory + at + 16, 0, 64);
    put_be32(&w, at + 28, 18u << 16 | 0x0102);
    for (unsigned i = 0; i < 16; i++)
        w.memory[at + 32 + i] = (uint8_t)(3 + i);
    put_data(&w, at + 48, 2, w.key, DATA + 18);
    put_data(&w, at + 64, 3, w.key, DATA + 20);
    for (unsigned i = 0; i < 30; i++)
        w.memory[DATA + i] = (uint8_t)(1 + i);
    dpk_queue_ring(p.sq, 2);
    assert_int_equal(w.left, 1);
    for (unsigned i = 0; i < 23; i++)
        assert_int_equal(w.last_left[i], 1 + i);
    assert_int_equal(cqe_at(&w, 0, 0).bytes, 23);
    assert_int_equal(cqe_at(&w, 0, 0).counter, 0);
}

/* A WQE of two blocks of which the second is at the ring's begin. */
static void wqes_wrap_around_the_ring(void **state)
{
    (void)state;
    struct pair p = loop();
    w.plugged = true;
    for (uint16_t i = 0; i < 3; i++) {
        put_frame(&w, 0, p.sq, i, DATA, 64);
        dpk_queue_ring(p.sq, (uint16_t)(i + 1));
    }
    uint64_t at = put_control(&w, ring_at(0), p.sq, 3, 0x0a, 5);
    memset(w.memory + at + 16, 0, 48);
    put_data(&w, at + 32, 20, w.key, DATA);
    put_data(&w, at + 48, 20, w.key, DATA + 100);
    put_data(&w, ring_at(0), 20, w.key, DATA + 200);
    w.memory[DATA + 219] = 9;
    dpk_queue_ring(p.sq, 5);
    assert_int_equal(w.left, 4);
    assert_int_equal(w.last_left[59], 9);
    assert_int_equal(cqe_at(&w, 0, 3).opcode, 0);
}

static void short_and_long_frames_are_refused(void **state)
{
    (void)state;
    const uint32_t sizes[] = {13, DPK_FRAME_MAX + 1, 0};
    for (unsigned i = 0; i < 3; i++) {
        struct dpk_queue *cq = cq_new(&w, i), *sq = wq_new(&w, i, DPK_SQ, cq);
        put_frame(&w, i, sq, 0, DATA, sizes[i]);
        dpk_queue_ring(sq, 1);
        assert_int_equal(cqe_at(&w, i, 0).syndrome, 0x01);
    }
}

/* A send queue for WQEs of several frames, in slot 2. */
static struct dpk_queue *multi_sq(void)
{
    struct dpk_queue *sq = NULL;
    struct dpk_queue_options o = wq_options(&w, 2, DPK_SQ, cq_new(&w, 2));
    o.multi_sends = true;
    assert_int_equal(dpk_queue_create(w.nic, &o, &sq, NULL), DPK_OK);
    return sq;
}

/* Three frames: from memory, inline of 16 bytes (20 with their length, so two segments), from
 * memory. An empty inline segment between them fills up. */
static void put_frames(const struct dpk_queue *sq, uint64_t ring)
{
    uint64_t at = put_control(&w, ring, sq, 0, 0x29, 7);
    memset(w.memory + at + 16, 0, 16);
    put_data(&w, at + 32, 60, w.key, DATA);
    put_be32(&w, at + 48, 0x80000000u | 16);
    memset(w.memory + at + 52, 7, 16);
    put_data(&w, at + 80, 0x80000000u, 0, 0);
    put_data(&w, at + 96, 61, w.key, DATA + 100);
}

static void a_wqe_sends_several_frames(void **state)
{
    (void)state;
    struct dpk_queue *sq = multi_sq();
    w.plugged = true;
    put_frames(sq, ring_at(2));
    w.memory[DATA + 160] = 9;
    dpk_queue_ring(sq, 2);
    assert_int_equal(w.left, 3);
    assert_int_equal(w.batches, 1);
    assert_int_equal(w.last_left[60], 9);
    assert_int_equal(cqe_at(&w, 2, 0).opcode, 0);
    assert_int_equal(cqe_at(&w, 2, 0).request, 0x29);
    assert_int_equal(cqe_at(&w, 2, 0).bytes, 60 + 16 + 61);
    assert_int_equal(cqe_at(&w, 2, 0).counter, 0);
    assert_false(is_there(&w, 2, 1));
    put_frame(&w, 2, sq, 2, DATA, 64); /* a plain one after it */
    dpk_queue_ring(sq, 3);
    assert_int_equal(w.left, 4);
    assert_int_equal(w.batches, 2);
    assert_int_equal(cqe_at(&w, 2, 1).request, 0x0a);
}

static void bad_wqes_of_several_frames_are_errors(void **state)
{
    const struct {
        uint32_t at, value;
        unsigned syndrome, sent;
    } cases[] = {
        {28, 18u << 16, 0x02, 0}, /* inline headers */
        {20, 1000, 0x02, 0},      /* a segment size */
        {32, 13, 0x01, 0},        /* a short frame */
        {96, DPK_FRAME_MAX + 1, 0x01, 0},
        {48, 0x80000000u | 100, 0x01, 0}, /* inline beyond the WQE */
        {96, 0, 0x01, 0},                 /* 2 GiB */
        {36, 1, 0x04, 0},                 /* no such key */
        {100, 1, 0x04, 2},                /* of the last frame */
        {4, 2, 0x02, 0},                  /* another queue's */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        end_world(state);
        begin_world(state);
        struct dpk_queue *sq = multi_sq();
        w.plugged = true;
        put_frames(sq, ring_at(2));
        put_be32(&w, ring_at(2) + cases[i].at, cases[i].value);
        dpk_queue_ring(sq, 2);
        assert_int_equal(cqe_at(&w, 2, 0).opcode, 13);
        assert_int_equal(cqe_at(&w, 2, 0).syndrome, cases[i].syndrome);
        assert_int_equal(w.left, cases[i].sent);
        assert_true(dpk_queue_has_failed(sq));
    }
}

static void a_wqe_without_frames_is_an_error(void **state)
{
    (void)state;
    struct dpk_queue *sq = multi_sq();
    w.plugged = true;
    uint64_t at = put_control(&w, ring_at(2), sq, 0, 0x29, 2);
    memset(w.memory + at + 16, 0, 16);
    dpk_queue_ring(sq, 1);
    assert_int_equal(cqe_at(&w, 2, 0).syndrome, 0x01);
}

static void several_frames_need_a_queue_that_allows_them(void **state)
{
    (void)state;
    struct dpk_queue *sq = wq_new(&w, 2, DPK_SQ, cq_new(&w, 2));
    w.plugged = true;
    put_frames(sq, ring_at(2));
    dpk_queue_ring(sq, 2);
    assert_int_equal(cqe_at(&w, 2, 0).syndrome, 0x02);
    assert_int_equal(w.left, 0);
}

/* A wait for a time in slot 2, and a frame of 64 bytes after it. */
static void put_wait(const struct dpk_queue *sq, uint32_t seconds, uint32_t nanoseconds)
{
    const uint64_t at = put_control(&w, ring_at(2), sq, 0, 0x0f, 3);
    put_be32(&w, at, 2u << 24 | 0x0f);
    memset(w.memory + at + 16, 0, 32);
    put_be32(&w, at + 16, 5);
    put_be32(&w, at + 32, seconds);
    put_be32(&w, at + 36, nanoseconds);
    put_frame(&w, 2, sq, 1, DATA, 64);
}

static struct dpk_queue *timed_sq(void)
{
    struct dpk_queue *sq = NULL;
    struct dpk_queue_options o = wq_options(&w, 2, DPK_SQ, cq_new(&w, 2));
    o.timed_sends = true;
    w.plugged = true;
    assert_int_equal(dpk_queue_create(w.nic, &o, &sq, NULL), DPK_OK);
    return sq;
}

static void frames_wait_for_a_time(void **state)
{
    (void)state;
    struct dpk_queue *sq = timed_sq();
    put_wait(sq, UINT32_MAX, 7);
    dpk_queue_ring(sq, 2);
    assert_int_equal(w.left, 0);
    assert_false(is_there(&w, 2, 0));
    assert_true(dpk_queue_due(sq) == UINT64_C(4294967295000000007));
    put_wait(sq, 1000, 999999999); /* in 1970 */
    dpk_queue_ring(sq, 2);
    assert_int_equal(w.left, 1);
    assert_true(is_there(&w, 2, 0) && is_there(&w, 2, 1));
    assert_int_equal(cqe_at(&w, 2, 0).request, 0x0f);
    assert_true(dpk_queue_due(sq) == 0);
}

static void a_queue_that_waits_can_fail(void **state)
{
    (void)state;
    struct dpk_queue *sq = timed_sq();
    put_wait(sq, UINT32_MAX, 0);
    dpk_queue_ring(sq, 2);
    dpk_queue_fail(sq);
    assert_int_equal(w.left, 0);
    assert_int_equal(cqe_at(&w, 2, 1).syndrome, 0x05);
    assert_true(dpk_queue_due(sq) == 0);
}

static void bad_waits_are_errors(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        end_world(state);
        begin_world(state);
        struct dpk_queue *sq =
            i == 0 ? wq_new(&w, 2, DPK_SQ, cq_new(&w, 2)) : timed_sq(); /* not made for waits */
        put_wait(sq, 1, i == 1 ? 1000000000 : 0);
        if (i == 2)
            put_be32(&w, ring_at(2) + 16, 4); /* another condition */
        if (i == 3)
            put_be32(&w, ring_at(2) + 4, dpk_queue_number(sq) << 8 | 2); /* too short */
        dpk_queue_ring(sq, 2);
        assert_int_equal(cqe_at(&w, 2, 0).opcode, 13);
        assert_int_equal(cqe_at(&w, 2, 0).syndrome, 0x02);
        assert_int_equal(w.left, 0);
    }
}

static void what_is_not_emulated_ends_in_an_error(void **state)
{
    (void)state;
    const struct {
        uint32_t opcode, mss;
    } cases[] = {{0x0e, 0}, {0x0a, 1000}, {0x0e, 1000}, {0x32, 0}, {0x01, 0}};
    const unsigned count = sizeof cases / sizeof *cases;
    for (unsigned i = 0; i < count; i++) {
        end_world(state);
        begin_world(state);
        struct pair p = loop();
        put_receive(&w, 1, 0, 200, DATA + 0x1000);
        post_receives(&w, 1, 1);
        uint64_t at = put_frame(&w, 0, p.sq, 0, DATA, 100);
        put_be32(&w, at, cases[i].opcode);
        put_be32(&w, at + 20, cases[i].mss);
        dpk_queue_ring(p.sq, 1);
        assert_int_equal(cqe_at(&w, 0, 0).opcode, 13);
        assert_int_equal(cqe_at(&w, 0, 0).syndrome, 0x02);
        assert_int_equal(dpk_cq_produced(p.receive_cq), 0);
    }
}

static void creation_is_checked(void **state)
{
    (void)state;
    struct dpk_queue *cq = cq_new(&w, 0), *q = NULL;
    struct dpk_queue_options good = wq_options(&w, 1, DPK_RQ, cq), o = good;
    o.log_depth = 16;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.log_stride = 3;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.log_stride = 9;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.user_index = 1u << 24;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.ring.address += 32;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.ring.address = MEMORY;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.ring.address = UINT64_MAX - 63;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.record.address += 4;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_RANGE);
    o = good, o.receive_cq = NULL;
    assert_int_equal(dpk_queue_create(w.nic, &o, &q, NULL), DPK_ERR_MISMATCH);
    assert_null(q);
    assert_int_equal(dpk_queue_create(w.nic, &good, &q, NULL), DPK_OK);
    o = good, o.receive_cq = q;
    struct dpk_queue *other = NULL;
    assert_int_equal(dpk_queue_create(w.nic, &o, &other, NULL), DPK_ERR_MISMATCH);
    assert_int_equal(dpk_queue_destroy(cq, NULL), DPK_ERR_USAGE);
    assert_int_equal(dpk_queue_destroy(q, NULL), DPK_OK);
    assert_int_equal(dpk_queue_destroy(cq, NULL), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_world, end_world)
        TEST(a_frame_comes_back_with_both_completions),
        TEST(owner_bits_change_with_every_round),
        TEST(counters_wrap_at_65536),
        TEST(a_cq_that_is_not_consumed_overruns),
        TEST(overruns_can_be_ignored),
        TEST(silent_sends_complete_only_when_they_fail),
        TEST(a_completion_with_event_says_so),
        TEST(what_follows_an_error_is_flushed),
        TEST(doorbells_beyond_the_ring_are_errors),
        TEST(a_doorbell_that_goes_back_is_an_error),
        TEST(doorbells_find_only_send_queues_of_their_owner),
        TEST(a_frame_longer_than_its_receive_is_dropped),
        TEST(short_frames_are_padded),
        TEST(wqes_stay_in_their_ring),
        TEST(a_queue_says_once_what_has_ended_it),
        TEST(receives_need_the_right_to_write),
        TEST(a_doorbell_record_beyond_the_ring_is_an_error),
        TEST(frames_are_gathered),
        TEST(wqes_wrap_around_the_ring),
        TEST(short_and_long_frames_are_refused),
        TEST(frames_wait_for_a_time),
        TEST(a_queue_that_waits_can_fail),
        TEST(bad_waits_are_errors),
        TEST(a_wqe_sends_several_frames),
        TEST(bad_wqes_of_several_frames_are_errors),
        TEST(a_wqe_without_frames_is_an_error),
        TEST(several_frames_need_a_queue_that_allows_them),
        TEST(what_is_not_emulated_ends_in_an_error),
        TEST(creation_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
