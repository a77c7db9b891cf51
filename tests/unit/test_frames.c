/* Frames wait until a queue listens, has a receive, and has room for a completion. */
#include <unistd.h>

#include "queue_world.h"

enum { CQ_DEPTH = 1 << CQ_LOG, FRAMES = 200, RECEIVES = 1 << LOG };

static struct dpk_queue *cq, *rq;
static const uint8_t frame[64];

/* All frames go to one receive queue, which has all its receives posted. */
static void receiver(void)
{
    cq = cq_new(&w, 1);
    rq = wq_new(&w, 1, DPK_RQ, cq);
    for (uint16_t i = 0; i < RECEIVES; i++)
        put_receive(&w, 1, i, 64, DATA + 0x1000);
    post_receives(&w, 1, RECEIVES);
    all_frames_to(&w, rq);
}

/* Consumes all completions one by one, as a program does. */
static void consume_all(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(is_there(&w, 1, i));
        assert_int_equal(cqe_at(&w, 1, i).opcode, 2);
        assert_int_equal(cqe_at(&w, 1, i).counter, i);
        post_receives(&w, 1, (uint16_t)(RECEIVES + i + 1));
        consumed(&w, 1, i + 1);
        dpk_queues_kick(w.nic, NULL);
    }
    assert_false(is_there(&w, 1, count));
}

static void frames_of_a_capture_wait_for_receives_and_completions(void **state)
{
    (void)state;
    receiver();
    for (unsigned i = 0; i < FRAMES; i++)
        frame_arrives(&w, frame, sizeof frame);
    assert_int_equal(dpk_cq_produced(cq), RECEIVES);
    assert_int_equal(dpk_frames_waiting(w.nic), FRAMES - RECEIVES);
    consume_all(FRAMES);
    assert_false(dpk_queue_has_failed(cq));
    assert_int_equal(w.troubles, 0);
    assert_int_equal(counted(&w, DPK_RECEIVED), FRAMES);
    assert_int_equal(dpk_frames_waiting(w.nic) + counted(&w, DPK_DROP_OUT_OF_BUFFER), 0);
}

static void frames_wait_for_completions_alone(void **state)
{
    (void)state;
    receiver();
    for (unsigned i = 0; i < CQ_DEPTH + 1; i++) {
        post_receives(&w, 1, (uint16_t)(i + 1));
        frame_arrives(&w, frame, sizeof frame);
    }
    assert_int_equal(dpk_cq_produced(cq), CQ_DEPTH);
    assert_int_equal(dpk_frames_waiting(w.nic), 1);
    assert_int_equal(w.waits, 1);
    consumed(&w, 1, 1);
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(dpk_cq_produced(cq), CQ_DEPTH + 1);
    assert_false(dpk_queue_has_failed(cq));
}

static struct dpk_queue *sender(void)
{
    struct dpk_queue *send_cq = NULL;
    const struct dpk_queue_options o = {.kind = DPK_CQ,
                                        .log_depth = CQ_LOG,
                                        .ring = {&w, cq_ring(0)},
                                        .record = {&w, RECORDS},
                                        .overrun_ignore = true,
                                        .user = &w};
    assert_int_equal(dpk_queue_create(w.nic, &o, &send_cq, NULL), DPK_OK);
    return wq_new(&w, 0, DPK_SQ, send_cq);
}

static void send(struct dpk_queue *sq, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_frame(&w, 0, sq, (uint16_t)i, DATA, 64);
        dpk_queue_ring(sq, (uint16_t)(i + 1));
    }
}

static void frames_that_are_looped_wait_too(void **state)
{
    (void)state;
    receiver();
    send(sender(), FRAMES);
    assert_int_equal(dpk_cq_produced(cq), RECEIVES);
    assert_int_equal(dpk_frames_waiting(w.nic), FRAMES - RECEIVES);
    consume_all(FRAMES);
    assert_int_equal(w.troubles, 0);
    assert_int_equal(counted(&w, DPK_RECEIVED), FRAMES);
}

static void looped_frames_are_dropped_when_too_many_wait(void **state)
{
    (void)state;
    enum { MOST = 8192 };
    receiver();
    send(sender(), RECEIVES + MOST + 10);
    assert_int_equal(dpk_frames_waiting(w.nic), MOST);
    assert_int_equal(counted(&w, DPK_DROP_OUT_OF_BUFFER), 10);
    assert_int_equal(counted(&w, DPK_SENT), RECEIVES + MOST + 10);
}

static void frames_of_a_queue_that_fails_are_dropped(void **state)
{
    (void)state;
    receiver();
    for (unsigned i = 0; i < RECEIVES + 3; i++)
        frame_arrives(&w, frame, sizeof frame);
    dpk_queue_fail(rq);
    assert_int_equal(dpk_frames_waiting(w.nic), 0);
    assert_int_equal(counted(&w, DPK_DROP_NO_QUEUE), 3);
}

static void frames_of_a_queue_that_goes_are_dropped(void **state)
{
    (void)state;
    receiver();
    for (unsigned i = 0; i < RECEIVES + 3; i++)
        frame_arrives(&w, frame, sizeof frame);
    assert_int_equal(dpk_queue_destroy(rq, NULL), DPK_OK);
    assert_int_equal(dpk_frames_waiting(w.nic), 0);
    assert_int_equal(counted(&w, DPK_DROP_NO_QUEUE), 3);
}

static void frames_of_a_live_wire_are_steered_at_once(void **state)
{
    (void)state;
    enum { MOST = 8192, BATCH = 64 };
    struct dpk_frame batch[BATCH];
    for (unsigned i = 0; i < BATCH; i++)
        batch[i] = (struct dpk_frame){frame, sizeof frame};
    assert_int_equal(dpk_frames_arrive(w.nic, batch, 2, false), 2);
    assert_int_equal(counted(&w, DPK_DROP_NO_RULE), 2); /* no rule matches */
    receiver();
    assert_int_equal(counted(&w, DPK_RECEIVED), 0);
    for (unsigned i = 0; i <= MOST / BATCH; i++)
        assert_int_equal(dpk_frames_arrive(w.nic, batch, BATCH, false), BATCH);
    assert_int_equal(counted(&w, DPK_RECEIVED), RECEIVES);
    assert_int_equal(dpk_frames_waiting(w.nic), MOST);
    assert_int_equal(counted(&w, DPK_DROP_OUT_OF_BUFFER), BATCH - RECEIVES);
    assert_int_equal(dpk_frames_arrive(w.nic, batch, BATCH, true), 0); /* they may wait */
    assert_int_equal(counted(&w, DPK_DROP_OUT_OF_BUFFER), BATCH - RECEIVES);
}

static void completions_of_frames_that_come_together_are_told_once(void **state)
{
    (void)state;
    enum { COUNT = RECEIVES / 2 };
    struct dpk_frame batch[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        batch[i] = (struct dpk_frame){frame, sizeof frame};
    receiver();
    assert_int_equal(dpk_frames_arrive(w.nic, batch, COUNT, false), COUNT);
    assert_int_equal(w.completed, COUNT);
    assert_int_equal(w.told, 1);
    assert_int_equal(w.turns, 1);
    assert_int_equal(dpk_frames_arrive(w.nic, batch, COUNT, true), COUNT);
    assert_int_equal(w.completed, 2 * COUNT);
    assert_int_equal(w.told, 2);
    assert_int_equal(w.turns, 2);
}

/* Many queues wait, and each call looks at some of them. The queue that the caller names is always
 * among them. */
static void who_asks_for_frames_is_not_the_last(void **state)
{
    (void)state;
    enum { QUEUES = 40 };
    struct dpk_queue *cqs[QUEUES], *rqs[QUEUES];
    struct dpk_flow_rule *rules[QUEUES];
    uint8_t bytes[64] = {0};
    for (unsigned i = 0; i < QUEUES; i++) {
        struct dpk_match one = {.mask = {0xff}, .value = {(uint8_t)(i + 1)}};
        cqs[i] = cq_new(&w, i % 2 + 1);
        rqs[i] = wq_new(&w, i % 2 + 1, DPK_RQ, cqs[i]);
        rules[i] = frames_to(&w, rqs[i], &one, 0);
        bytes[6] = (uint8_t)(i + 1);
        frame_arrives(&w, bytes, sizeof bytes);
    }
    assert_int_equal(dpk_frames_waiting(w.nic), QUEUES);
    for (unsigned slot = 1; slot <= 2; slot++) {
        put_receive(&w, slot, 0, 64, DATA + 0x1000);
        post_receives(&w, slot, 1);
    }
    dpk_queues_kick(w.nic, cqs[QUEUES - 1]);
    assert_int_equal(dpk_cq_produced(cqs[QUEUES - 1]), 1);
    assert_in_range(dpk_frames_waiting(w.nic), 1, QUEUES - 1);
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(dpk_frames_waiting(w.nic), 0);
    for (unsigned i = 0; i < QUEUES; i++) {
        assert_int_equal(dpk_cq_produced(cqs[i]), 1);
        dpk_flow_rule_free(rules[i]);
    }
}

static void a_queue_that_waits_holds_up_no_other(void **state)
{
    (void)state;
    receiver();
    struct dpk_queue *other_cq = cq_new(&w, 2), *other = wq_new(&w, 2, DPK_RQ, other_cq);
    put_receive(&w, 2, 0, 64, DATA + 0x2000);
    post_receives(&w, 2, 1);
    dpk_flow_rule_free(w.every);
    struct dpk_match tens = {.mask = {0xff}, .value = {10}}; /* source address 10.x */
    struct dpk_flow_rule *to_other = frames_to(&w, other, &tens, 0);
    w.every = frames_to(&w, rq, &(struct dpk_match){{0}, {0}}, 1);
    post_receives(&w, 1, 0);
    frame_arrives(&w, frame, sizeof frame);
    uint8_t ten[64] = {[6] = 10};
    frame_arrives(&w, ten, sizeof ten);
    assert_int_equal(dpk_cq_produced(cq), 0);
    assert_int_equal(dpk_cq_produced(other_cq), 1);
    dpk_flow_rule_free(to_other);
}

static void frames_from_outside_wait_for_room_and_listeners(void **state)
{
    (void)state;
    receiver();
    w.deaf = true;
    post_receives(&w, 1, 1);
    for (unsigned i = 0; i < 2; i++)
        frame_arrives(&w, frame, sizeof frame);
    assert_int_equal(dpk_cq_produced(cq), 0);
    assert_int_equal(w.waits, 0); /* 0: the queue reports when it starts to listen */
    w.deaf = false;
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(dpk_cq_produced(cq), 1);
    assert_int_equal(w.waits, 1); /* 1: a program may post a receive without a report */
    post_receives(&w, 1, 2);
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(dpk_cq_produced(cq), 2);
    assert_int_equal(w.waits, 1);
}

static void who_never_consumes_is_told_once(void **state)
{
    (void)state;
    receiver();
    for (unsigned i = 0; i < CQ_DEPTH + 1; i++) {
        post_receives(&w, 1, (uint16_t)(i + 1));
        frame_arrives(&w, frame, sizeof frame);
    }
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(w.troubles, 0);
    usleep(1100000);
    dpk_queues_kick(w.nic, NULL);
    dpk_queues_kick(w.nic, NULL);
    assert_int_equal(w.troubles, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_world, end_world)
        TEST(frames_of_a_capture_wait_for_receives_and_completions),
        TEST(frames_wait_for_completions_alone),
        TEST(frames_that_are_looped_wait_too),
        TEST(looped_frames_are_dropped_when_too_many_wait),
        TEST(frames_of_a_queue_that_fails_are_dropped),
        TEST(frames_of_a_queue_that_goes_are_dropped),
        TEST(frames_of_a_live_wire_are_steered_at_once),
        TEST(completions_of_frames_that_come_together_are_told_once),
        TEST(who_asks_for_frames_is_not_the_last),
        TEST(a_queue_that_waits_holds_up_no_other),
        TEST(frames_from_outside_wait_for_room_and_listeners),
        TEST(who_never_consumes_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
