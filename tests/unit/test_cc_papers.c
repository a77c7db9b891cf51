/* The reference algorithms against their papers, with the tolerance beside each figure. Longer runs
 * are in bench/cc.sh. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc/model/model.h"

#include <cmocka.h>

#define MS ((uint64_t)1000000)

static struct cc_results run(const char *topology, const char *workload, const char *algorithm,
                             uint64_t time, const struct cc_recorder *recorder)
{
    struct cc_topology net = {0};
    struct cc_workload work = {0};
    struct cc_results res = {0};
    struct dpk_error err = {0};
    if (model_cc_named(topology, &net, &work, &err) != DPK_OK)
        fail_msg("%s: %s", topology, err.message);
    if (workload) {
        model_cc_workload_free(&work);
        if (model_cc_workload_named(workload, &work, &err) != DPK_OK)
            fail_msg("%s: %s", workload, err.message);
    }
    if (model_cc_run(&net, &work, model_cc_algorithm(algorithm), 1, time, recorder, &res, &err) !=
        DPK_OK)
        fail_msg("%s", err.message);
    model_cc_workload_free(&work);
    model_cc_topology_free(&net);
    return res;
}

static void expect_between(const char *what, double value, double least, double most)
{
    if (value < least || value > most)
        fail_msg("%s is %g, not between %g and %g", what, value, least, most);
}

/* How much of the bottleneck's line was used after `from_ns` of warming up, which it measures by a
 * recorder; and when shares had become fair. */
struct shares {
    uint64_t after_ns, fair_ns; /* in: the last change of the workload; out: fair from then on */
    double fair, last;
};

static void note_shares(void *self, const struct cc_sample *s)
{
    struct shares *n = self;
    if (s->time_ns <= n->after_ns)
        return;
    if (s->fairness < n->fair)
        n->fair_ns = 0;
    else if (!n->fair_ns)
        n->fair_ns = s->time_ns;
    n->last = s->fairness;
}

/* ---- DCQCN ---- */

/* x to a whole power: libm is not needed. */
static double power(double x, double exponent)
{
    double result = 1;
    for (uint64_t n = (uint64_t)(exponent + 0.5); n; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

/* How fast the target rate of a flow changes at marking probability p, in packets/s/s: equation 6 of
 * the DCQCN paper (section 5.1), with R_T - R_C from equation 7 and alpha from equation 5 where
 * these do not change. */
static double target_change(double p, double rate, double packet)
{
    const double bytes = 10e6 / packet, timer = 55e-6, alpha_timer = 55e-6, cnp = 50e-6;
    const double ai = 40e6 / 8 / packet, quiet = 1 - p;
    const double alpha = 1 - power(quiet, alpha_timer * rate), seen = 1 - power(quiet, cnp * rate);
    const double by_bytes = p / (1 / power(quiet, bytes) - 1);
    const double by_timer = p / (1 / power(quiet, timer * rate) - 1);
    const double gap = alpha * seen / cnp / (by_bytes + by_timer);
    return ai * rate *
               (power(quiet, 5 * bytes) * by_bytes + power(quiet, 5 * timer * rate) * by_timer) -
           gap / cnp * seen;
}

/* The queue at the fixed point of the fluid model: RED marks with the probability at which target
 * rates stay. */
static double fixed_point(uint32_t flows, double kmin, double kmax, double pmax)
{
    const double packet = 1024 + 82, rate = 40e9 / 8 / packet / flows;
    double low = 1e-6, high = 0.5;
    for (unsigned i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (target_change(middle, rate, packet) > 0)
            low = middle;
        else
            high = middle;
    }
    return kmin + low / pmax * (kmax - kmin);
}

/* Kmin 5 KB, Kmax 200 KB, Pmax 1 % at 40 Gb/s, as the paper deploys it. The model sends packets, has
 * delays and starts at the line rate; 35 % is what its mean may differ by. */
static void dcqcn_queue_stands_at_the_fixed_point_of_its_fluid_model(void **state)
{
    (void)state;
    const uint32_t counts[] = {2, 4, 8};
    for (size_t i = 0; i < 3; i++) {
        char topology[128];
        snprintf(topology, sizeof topology,
                 "incast:senders=%" PRIu32
                 ",rate=40G,ecn.kmin=5K,ecn.kmax=200K,ecn.pmax=0.01,warmup=20ms",
                 counts[i]);
        struct cc_results r = run(topology, NULL, "dcqcn", 60 * MS, NULL);
        const double wanted = fixed_point(counts[i], 5e3, 200e3, 0.01);
        expect_between("the mean queue", r.queue.mean, wanted * 0.65, wanted * 1.35);
        expect_between("fairness", r.fairness, 0.97, 1);
        assert_int_equal(r.data_dropped, 0);
        model_cc_results_free(&r);
    }
}

/* What the paper is for: PFC alone keeps the buffer full and pauses all, DCQCN does not need it. */
static void dcqcn_needs_no_pauses_where_pfc_alone_does(void **state)
{
    (void)state;
    struct cc_results alone =
        run("incast:senders=4,rate=40G,warmup=10ms", NULL, "none", 20 * MS, NULL);
    struct cc_results with =
        run("incast:senders=4,rate=40G,warmup=10ms", NULL, "dcqcn", 20 * MS, NULL);
    assert_true(alone.pauses > 1000);
    assert_int_equal(with.pauses, 0);
    assert_true(with.queue.p99 * 10 < alone.queue.p50);
    model_cc_results_free(&alone);
    model_cc_results_free(&with);
}

/* ---- HPCC ---- */

/* Section 3.2: eta is 95 % of the line, and queues are near zero. */
static void hpcc_uses_95_percent_of_the_line_with_no_queue(void **state)
{
    (void)state;
    struct cc_results r = run("dumbbell:senders=2,warmup=1ms", NULL, "hpcc", 10 * MS, NULL);
    const double bits = (double)r.queues[r.busiest].tx_bytes * 8;
    expect_between("the use of the line", bits / 100e9 / 0.010, 0.94, 0.96);
    expect_between("the queue's p99", (double)r.queue.p99, 0, 5000);
    expect_between("fairness", r.fairness, 0.98, 1);
    model_cc_results_free(&r);
}

/* The paper's incast of 16 to 1: the queue of the first round trip is gone within two more, and stays so.
 * A window of 16 bandwidth-delay products (52 KB each) arrives at first. */
static void hpcc_incast_leaves_no_queue(void **state)
{
    (void)state;
    struct cc_results first = run("incast:senders=16", NULL, "hpcc", MS, NULL);
    struct cc_results later = run("incast:senders=16,warmup=100us", NULL, "hpcc", 10 * MS, NULL);
    expect_between("the first queue", (double)first.queue.max, 8 * 52e3, 16 * 56e3);
    expect_between("the queue's p99", (double)later.queue.p99, 0, 10000);
    expect_between("the queue's p50", (double)later.queue.p50, 0, 2000);
    assert_int_equal(first.pauses, 0);
    model_cc_results_free(&first);
    model_cc_results_free(&later);
}

/* ---- Swift ---- */

/* The delay that flows of equal shares aim at: the target of a window of their share. */
static double swift_target(uint32_t flows, double base_rtt)
{
    const double line = 100.0 / 8 / 1106, range = 50000, low = 3.16227766, high = 0.1;
    double delay = base_rtt;
    for (unsigned i = 0; i < 200; i++) {
        const double window = line * delay / flows;
        double root = 1;
        for (unsigned n = 0; n < 60; n++)
            root = (root + window / root) / 2;
        double extra = range / (low - high) * (1 / root - high);
        extra = extra < 0 ? 0 : extra > range ? range : extra;
        delay = (delay + base_rtt + 10000 + 1000 + extra) / 2;
    }
    return delay;
}

/* Section 3.1 and 3.5: the delay stays at its target, which grows with the flows, and the line is
 * full. 15 % for the median; no more than half above it for the p99. */
static void swift_keeps_the_delay_at_its_target_and_the_line_full(void **state)
{
    (void)state;
    const uint32_t counts[] = {2, 8, 16, 32};
    double before = 0;
    for (size_t i = 0; i < 4; i++) {
        char topology[128];
        snprintf(topology, sizeof topology, "incast:senders=%" PRIu32 ",warmup=5ms", counts[i]);
        struct cc_results r = run(topology, NULL, "swift", 20 * MS, NULL);
        const double target = swift_target(counts[i], r.flows[0].base_rtt_ns);
        expect_between("the delay's p50", (double)r.rtt_ns.p50, target * 0.85, target * 1.15);
        expect_between("the delay's p99", (double)r.rtt_ns.p99, target * 0.9, target * 1.5);
        expect_between("Gb/s of payload", r.gbps, 0.99 * 100 * 1024 / 1106, 92.6);
        expect_between("fairness", r.fairness, 0.95, 1);
        assert_true((double)r.rtt_ns.p50 > before);
        before = (double)r.rtt_ns.p50;
        model_cc_results_free(&r);
    }
}

/* ---- Beside each other ---- */

/* How long after the last of `count` flows began all had fair shares, to the end of the run. */
static uint64_t time_to_fairness(const char *algorithm, uint32_t count)
{
    char topology[128];
    struct shares shares = {.after_ns = count * 500000, .fair = 0.95};
    const struct cc_recorder recorder = {
        .self = &shares, .interval_ns = 100000, .sample = note_shares};
    snprintf(topology, sizeof topology, "incast:senders=%" PRIu32, count);
    struct cc_results r = run(topology, "long:stagger=500us", algorithm, 25 * MS, &recorder);
    model_cc_results_free(&r);
    return shares.fair_ns ? shares.fair_ns - shares.after_ns : UINT64_MAX;
}

/* The HPCC paper: it converges in a few round trips where DCQCN takes milliseconds. */
static void hpcc_converges_faster_than_dcqcn(void **state)
{
    (void)state;
    const uint64_t hpcc = time_to_fairness("hpcc", 4), dcqcn = time_to_fairness("dcqcn", 4);
    if (hpcc > 5 * MS || dcqcn < 2 * hpcc)
        fail_msg("hpcc took %" PRIu64 " ns, dcqcn %" PRIu64, hpcc, dcqcn);
}

/* The HPCC paper's evaluation: under FB_Hadoop at half the load with incasts, short flows wait after
 * far smaller queues. Half of DCQCN's p99 slowdown, or less. */
static void short_flows_are_faster_with_hpcc_than_with_dcqcn(void **state)
{
    (void)state;
    const char *const work = "poisson:load=0.5,sizes=hadoop+bursts:size=64K,period=500us,flows=12";
    struct cc_results hpcc = run("fat-tree:k=4", work, "hpcc", 3 * MS, NULL);
    struct cc_results dcqcn = run("fat-tree:k=4", work, "dcqcn", 3 * MS, NULL);
    double p50, p95, p99_hpcc, p99_dcqcn;
    assert_true(model_cc_slowdown(&hpcc, 0, 30000, &p50, &p95, &p99_hpcc) > 1000);
    assert_true(model_cc_slowdown(&dcqcn, 0, 30000, &p50, &p95, &p99_dcqcn) > 1000);
    expect_between("HPCC's p99 of short flows over DCQCN's", p99_hpcc / p99_dcqcn, 0, 0.5);
    model_cc_results_free(&hpcc);
    model_cc_results_free(&dcqcn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dcqcn_queue_stands_at_the_fixed_point_of_its_fluid_model),
        cmocka_unit_test(dcqcn_needs_no_pauses_where_pfc_alone_does),
        cmocka_unit_test(hpcc_uses_95_percent_of_the_line_with_no_queue),
        cmocka_unit_test(hpcc_incast_leaves_no_queue),
        cmocka_unit_test(swift_keeps_the_delay_at_its_target_and_the_line_full),
        cmocka_unit_test(hpcc_converges_faster_than_dcqcn),
        cmocka_unit_test(short_flows_are_faster_with_hpcc_than_with_dcqcn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
