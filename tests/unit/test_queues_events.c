/* Event queues: the events that completion queues report, and their consumers. */
#include "queue_world.h"

/* An EQ of 2^LOG events at RING + 0x8000, and a CQ that reports to it; `armed` at its creation. */
enum { EQ_RING = RING + 0x8000 };
struct reporting {
    struct dpk_queue *eq, *cq;
};

static struct reporting reporting(bool armed, bool always)
{
    struct reporting r = {0};
    memset(w.memory + EQ_RING, 0xff, (size_t)DPK_EQE << LOG);
    const struct dpk_queue_options eq = {.kind = DPK_EQ, .log_depth = LOG, .ring = {&w, EQ_RING}};
    assert_int_equal(dpk_queue_create(w.nic, &eq, &r.eq, NULL), DPK_OK);
    const struct dpk_queue_options cq = {.kind = DPK_CQ,
                                         .log_depth = CQ_LOG,
                                         .ring = {&w, cq_ring(0)},
                                         .record = {&w, RECORDS},
                                         .overrun_ignore = true,
                                         .events = r.eq,
                                         .armed = armed,
                                         .always_armed = always,
                                         .user = &w};
    assert_int_equal(dpk_queue_create(w.nic, &cq, &r.cq, NULL), DPK_OK);
    return r;
}

/* Whether the n-th event is there, by its owner bit; it must be one of that CQ then. */
static bool is_event(uint32_t n, const struct dpk_queue *cq)
{
    const uint8_t *eqe = w.memory + EQ_RING + (size_t)(n % (1u << LOG)) * DPK_EQE;
    if ((eqe[0x3f] & 1u) != (n >> LOG & 1u))
        return false;
    const uint32_t number = dpk_queue_number(cq);
    const uint8_t cqn[4] = {0, (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number};
    assert_memory_equal(eqe + 0x38, cqn, sizeof cqn);
    assert_int_equal(eqe[1], 0); /* a completion event */
    return true;
}

static void an_armed_cq_reports_one_completion(void **state)
{
    (void)state;
    struct reporting r = reporting(true, false);
    assert_false(is_event(0, r.cq));
    dpk_cq_complete(r.cq);
    dpk_cq_complete(r.cq);
    assert_true(is_event(0, r.cq));
    assert_false(is_event(1, r.cq));
    dpk_queue_consumed(r.cq, 1); /* the second is there already */
    assert_true(is_event(1, r.cq));
    dpk_queue_consumed(r.cq, 2);
    assert_false(is_event(2, r.cq));
    dpk_cq_complete(r.cq);
    assert_true(is_event(2, r.cq));
    assert_int_equal(w.troubles, 0);
}

static void a_cq_that_is_not_armed_reports_nothing(void **state)
{
    (void)state;
    struct reporting r = reporting(false, false);
    for (unsigned i = 0; i < 20; i++)
        dpk_cq_complete(r.cq);
    assert_false(is_event(0, r.cq));
    assert_int_equal(dpk_cq_produced(r.cq), 20);
}

static void an_eq_goes_round_as_it_is_consumed(void **state)
{
    (void)state;
    struct reporting r = reporting(false, true);
    for (uint32_t n = 0; n < 100; n++) {
        assert_false(is_event(n, r.cq));
        dpk_cq_complete(r.cq);
        assert_true(is_event(n, r.cq));
        dpk_queue_consumed(r.eq, n); /* less by 1, as in FlexIO's samples */
    }
    dpk_queue_consumed(r.eq, 1000); /* ahead of the producer: all there is */
    for (uint32_t n = 100; n < 103; n++)
        dpk_cq_complete(r.cq);
    assert_int_equal(w.troubles, 0);
}

static void an_eq_that_is_not_consumed_overruns_once(void **state)
{
    (void)state;
    struct reporting r = reporting(false, true);
    for (unsigned i = 0; i < 1u << LOG; i++)
        dpk_cq_complete(r.cq);
    assert_false(dpk_queue_has_failed(r.eq));
    for (unsigned i = 0; i < 10; i++)
        dpk_cq_complete(r.cq);
    assert_true(dpk_queue_has_failed(r.eq));
    assert_false(dpk_queue_has_failed(r.cq));
    assert_int_equal(w.troubles, 1);
    assert_false(is_event(1u << LOG, r.cq)); /* none was overwritten */
    dpk_queue_consumed(r.eq, 1u << LOG);     /* too late */
    dpk_cq_complete(r.cq);
    assert_false(is_event(1u << LOG, r.cq));
    assert_int_equal(dpk_cq_produced(r.cq), (1u << LOG) + 11);
}

static void an_eq_is_used_by_its_cqs(void **state)
{
    (void)state;
    struct reporting r = reporting(false, false);
    struct dpk_queue *none = NULL;
    struct dpk_queue_options o = {.kind = DPK_EQ, .log_depth = 23, .ring = {&w, EQ_RING}};
    assert_int_equal(dpk_queue_create(w.nic, &o, &none, NULL), DPK_ERR_RANGE);
    o.log_depth = LOG;
    o.ring.address = MEMORY - 64; /* not all of it is memory */
    assert_int_equal(dpk_queue_create(w.nic, &o, &none, NULL), DPK_ERR_RANGE);
    o = (struct dpk_queue_options){.kind = DPK_CQ,
                                   .ring = {&w, cq_ring(1)},
                                   .record = {&w, RECORDS + 64},
                                   .events = r.cq}; /* which is not an EQ */
    assert_int_equal(dpk_queue_create(w.nic, &o, &none, NULL), DPK_ERR_MISMATCH);
    assert_int_equal(dpk_queue_destroy(r.eq, NULL), DPK_ERR_USAGE);
    assert_int_equal(dpk_queue_destroy(r.cq, NULL), DPK_OK);
    assert_int_equal(dpk_queue_destroy(r.eq, NULL), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_world, end_world)
        TEST(an_armed_cq_reports_one_completion), TEST(a_cq_that_is_not_armed_reports_nothing),
        TEST(an_eq_goes_round_as_it_is_consumed), TEST(an_eq_that_is_not_consumed_overruns_once),
        TEST(an_eq_is_used_by_its_cqs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
