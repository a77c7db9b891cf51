/* The model of a network: no packet is lost from the books, no rate is exceeded, the same seed gives
 * the same results, and whatever an algorithm does ends in an error that names its event. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc/model/model.h"
#include "dpapcc/model/random.h"

#include <cmocka.h>

#define MS ((uint64_t)1000000)

struct world {
    struct cc_topology net;
    struct cc_workload work;
    struct cc_results res;
    struct dpk_error err;
};

static void world_free(struct world *w)
{
    model_cc_results_free(&w->res);
    model_cc_workload_free(&w->work);
    model_cc_topology_free(&w->net);
}

static struct world world_new(const char *topology, const char *workload)
{
    struct world w = {0};
    if (model_cc_named(topology, &w.net, &w.work, &w.err) != DPK_OK)
        fail_msg("%s: %s", topology, w.err.message);
    if (workload) {
        model_cc_workload_free(&w.work);
        if (model_cc_workload_named(workload, &w.work, &w.err) != DPK_OK)
            fail_msg("%s: %s", workload, w.err.message);
    }
    return w;
}

static void expect_books_to_agree(const struct cc_results *r)
{
    assert_true(r->data_sent == r->data_received + r->data_dropped + r->data_in_flight);
    uint64_t sent = 0, dropped = 0;
    for (uint32_t i = 0; i < r->flow_count; i++)
        sent += r->flows[i].packets;
    for (uint32_t i = 0; i < r->queue_count; i++)
        dropped += r->queues[i].dropped;
    assert_true(sent == r->data_sent);
    /* Probes too; what hosts' own links lose is of no queue. */
    assert_true(dropped + r->data_lost >= r->data_dropped && r->data_lost <= r->data_dropped);
}

static void run(struct world *w, const struct cc_algorithm *algorithm, uint64_t seed, uint64_t time,
                const struct cc_recorder *recorder)
{
    model_cc_results_free(&w->res);
    if (model_cc_run(&w->net, &w->work, algorithm, seed, time, recorder, &w->res, &w->err) !=
        DPK_OK)
        fail_msg("%s", w->err.message);
    expect_books_to_agree(&w->res);
}

/* ---- Algorithms of the tests ---- */

/* What an algorithm of the tests does and sees; `self` of it. */
struct script {
    uint32_t rate;
    uint64_t window;
    bool probes;
    uint64_t fails_at; /* calls until it fails; 0: never */
    uint64_t calls, first;
    uint64_t last_ns;
    uint32_t next_psn, acked_psn; /* of flow 0 */
    bool in_order;
    uint64_t rtts, flagged, late; /* answers; TX with a probe; answers that took no time */
    uint32_t hops;
};

static enum dpk_status script_event(void *self, void *context, const struct cc_event *e,
                                    struct cc_result *result, struct dpk_error *err)
{
    struct script *s = self;
    (void)context;
    s->calls++;
    s->first += e->flags & CC_FLAG_FIRST ? 1 : 0;
    s->in_order = s->in_order && e->time_ns >= s->last_ns;
    s->last_ns = e->time_ns;
    if (e->flow == 0 && e->type == CC_TX && !(e->flags & CC_FLAG_RETRANSMITTED)) {
        s->in_order = s->in_order && (int32_t)(e->psn - s->next_psn) >= 0;
        s->next_psn = e->psn + e->packets;
    }
    if (e->flow == 0 && (e->type == CC_ACK || e->type == CC_NACK)) {
        s->acked_psn += e->packets;
        const uint32_t wanted = e->psn + (e->type == CC_ACK);
        s->in_order = s->in_order && (!e->packets || s->acked_psn == wanted);
    }
    s->flagged += e->flags & CC_FLAG_RTT_REQUEST_SENT ? 1 : 0;
    s->rtts += e->type == CC_RTT;
    if (e->type == CC_RTT || e->type == CC_ACK)
        s->late += !(e->sent_ns < e->received_ns && e->received_ns < e->time_ns);
    if (e->hop_count > s->hops)
        s->hops = e->hop_count;
    result->rate = s->rate;
    result->window = s->window;
    result->rtt_request = s->probes;
    return s->fails_at && s->calls >= s->fails_at ? dpk_fail(err, DPK_ERR_FAULT, "it fell")
                                                  : DPK_OK;
}

static struct cc_algorithm script_algorithm(struct script *s)
{
    s->in_order = true;
    return (struct cc_algorithm){.name = "script",
                                 .events = (1u << CC_EVENT_TYPES) - 1,
                                 .telemetry = true,
                                 .event = script_event,
                                 .self = s};
}

/* ---- Invariants ---- */

/* A topology, a workload and an algorithm that are drawn. */
static void run_drawn(struct cc_random *r, uint64_t seed)
{
    static const char *const shapes[] = {"dumbbell:senders=%u", "incast:senders=%u",
                                         "parking-lot:senders=%u", "fat-tree:k=4,senders=%u"};
    static const char *const loads[] = {"long", "long:stagger=50us,stop=400us",
                                        "bursts:size=30K,period=200us",
                                        "poisson:sizes=hadoop,load=0.6+flow:from=%s,to=%s"};
    char topology[256], workload[256];
    int n = snprintf(topology, sizeof topology, shapes[model_cc_random_below(r, 4)],
                     1 + model_cc_random_below(r, 7));
    snprintf(topology + n, sizeof topology - (size_t)n,
             ",rate=%uG,delay=%uns,mtu=%u,burst=%u,ack-every=%u,buffer=%uK,pfc.enabled=%s,"
             "ecn.enabled=%s,timeout=100us",
             1 + model_cc_random_below(r, 200), model_cc_random_below(r, 3000),
             256 + model_cc_random_below(r, 3840), 1 + model_cc_random_below(r, 8),
             1 + model_cc_random_below(r, 8), 20 + model_cc_random_below(r, 1000),
             model_cc_random_below(r, 2) ? "yes" : "no",
             model_cc_random_below(r, 2) ? "yes" : "no");
    const uint32_t load = model_cc_random_below(r, 4);
    struct world w = world_new(topology, load == 3 ? NULL : loads[load]);
    if (load == 3) {
        snprintf(workload, sizeof workload, loads[3], w.net.nodes[0].name, w.net.nodes[1].name);
        world_free(&w);
        w = world_new(topology, workload);
    }
    struct script s = {.rate = 1 + model_cc_random_below(r, CC_RATE_ONE),
                       .window = model_cc_random_below(r, 2) ? model_cc_random_below(r, 100000) : 0,
                       .probes = true};
    const struct cc_algorithm scripted = script_algorithm(&s);
    const uint32_t which = model_cc_random_below(r, 5);
    run(&w, which < 4 ? model_cc_algorithm(model_cc_algorithms[which]) : &scripted, seed, MS / 2,
        NULL);
    assert_true(s.in_order);
    assert_int_equal(s.late, 0);
    world_free(&w);
}

static void packets_are_conserved_in_every_network(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct cc_random r = model_cc_random_new(seed, 9);
        run_drawn(&r, seed);
    }
}

/* A digest of everything that is measured. */
static uint64_t digest_of(const struct cc_results *r)
{
    uint64_t d =
        model_cc_mix(r->events) ^ r->data_sent ^ r->marked ^ (uint64_t)(r->fairness * 1e15);
    for (uint32_t i = 0; i < r->flow_count; i++)
        d = model_cc_mix(d ^ r->flows[i].acknowledged ^ r->flows[i].end_ns ^ r->flows[i].rate);
    for (uint32_t i = 0; i < r->queue_count; i++)
        d = model_cc_mix(d ^ r->queues[i].bytes.p99 ^ r->queues[i].tx_bytes);
    return d;
}

static void same_seed_gives_the_same_results(void **state)
{
    (void)state;
    for (size_t i = 0; model_cc_algorithms[i]; i++) {
        struct world w = world_new("fat-tree:k=4,rate=25G", "poisson:load=0.5,sizes=hadoop");
        const struct cc_algorithm *a = model_cc_algorithm(model_cc_algorithms[i]);
        run(&w, a, 5, MS, NULL);
        const uint64_t first = digest_of(&w.res);
        run(&w, a, 5, MS, NULL);
        assert_true(first == digest_of(&w.res));
        run(&w, a, 6, MS, NULL);
        assert_true(first != digest_of(&w.res));
        world_free(&w);
    }
}

static void flow_sends_at_the_rate_that_it_was_given(void **state)
{
    (void)state;
    const uint32_t rates[] = {CC_RATE_ONE, CC_RATE_ONE / 3, CC_RATE_ONE / 10, CC_RATE_ONE / 1000};
    for (size_t i = 0; i < 4; i++) {
        struct script s = {.rate = rates[i]};
        const struct cc_algorithm a = script_algorithm(&s);
        struct world w = world_new("dumbbell:senders=1,rate=40G,burst=4", NULL);
        run(&w, &a, 1, 20 * MS, NULL);
        const double share = (double)rates[i] / CC_RATE_ONE;
        const double wanted = 40e9 / 8 * 0.020 * share / (1024 + 82 + 42); /* packets */
        if ((double)w.res.data_sent < wanted * 0.999 - 4 || (double)w.res.data_sent > wanted + 9)
            fail_msg("%" PRIu64 " packets, not %.0f", w.res.data_sent, wanted);
        world_free(&w);
    }
}

struct peak {
    uint32_t mbps, samples;
    double fairness;
};

static void note_peak(void *self, const struct cc_sample *s)
{
    struct peak *p = self;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->flow_count; i++)
        sum += s->flows[i].mbps;
    p->mbps = sum > p->mbps ? (uint32_t)sum : p->mbps;
    p->fairness = s->fairness;
    p->samples++;
}

static void no_sample_exceeds_the_line(void **state)
{
    (void)state;
    struct peak peak = {0};
    const struct cc_recorder recorder = {.self = &peak, .interval_ns = 10000, .sample = note_peak};
    struct world w = world_new("incast:senders=8,rate=25G", NULL);
    run(&w, model_cc_algorithm("dcqcn"), 1, 2 * MS, &recorder);
    assert_int_equal(peak.samples, 199);
    /* of payload, and a packet that began before the interval */
    assert_in_range(peak.mbps, 20000, 25000 * 1024 / 1106 + 8 * 1024 / 10 + 1);
    world_free(&w);
}

static void window_limits_what_is_in_flight(void **state)
{
    (void)state;
    struct script s = {.rate = CC_RATE_ONE, .window = 20000};
    const struct cc_algorithm a = script_algorithm(&s);
    struct world w = world_new("dumbbell:senders=1,rate=100G,delay=10us", NULL);
    run(&w, &a, 1, 5 * MS, NULL);
    /* 17 packets of 1148 bytes fit, each base round trip */
    const double rounds = 5e6 / w.res.flows[0].base_rtt_ns;
    assert_in_range(w.res.data_sent, (uint64_t)(rounds * 16), (uint64_t)(rounds * 17) + 17);
    world_free(&w);
}

/* ---- Losses ---- */

static void lossless_network_loses_nothing(void **state)
{
    (void)state;
    struct world w = world_new("incast:senders=16,rate=100G,buffer=2M", NULL);
    run(&w, model_cc_algorithm("none"), 1, 2 * MS, NULL);
    assert_int_equal(w.res.data_dropped, 0);
    assert_int_equal(w.res.out_of_order, 0);
    assert_true(w.res.pauses > 0 && w.res.paused_ns > 0);
    assert_true(w.res.gbps > 92 && w.res.gbps < 92.6); /* 1024 of 1106 bytes */
    world_free(&w);
}

static void lossy_network_sends_again_until_all_has_arrived(void **state)
{
    (void)state;
    struct world w = world_new("incast:senders=8,rate=100G,buffer=200K,pfc.enabled=no,"
                               "timeout=100us",
                               "bursts:size=500K");
    run(&w, model_cc_algorithm("dcqcn"), 1, 20 * MS, NULL);
    assert_true(w.res.data_dropped > 0 && w.res.resent > 0 && w.res.nacks > 0);
    assert_int_equal(w.res.finished, 8);
    assert_int_equal(w.res.acknowledged, 8 * 500000);
    assert_int_equal(w.res.data_in_flight, 0);
    world_free(&w);
}

/* A paused port holds up flows to others: the victim of head-of-line blocking. */
static void pause_reaches_flows_that_share_the_port(void **state)
{
    (void)state;
    const char *const topology = "dumbbell:senders=9,rate=100G,buffer=1M,ecn.enabled=no";
    const char *const incast = "bursts:size=4M,to=receiver0,flows=8";
    struct world w = world_new(topology, "flow:from=sender8,to=receiver8,size=1M");
    run(&w, model_cc_algorithm("none"), 1, 10 * MS, NULL);
    const uint64_t alone = w.res.flows[0].end_ns;
    world_free(&w);
    char both[256];
    snprintf(both, sizeof both, "flow:from=sender8,to=receiver8,size=1M+%s", incast);
    w = world_new(topology, both);
    run(&w, model_cc_algorithm("none"), 1, 10 * MS, NULL);
    assert_true(alone > 0 && w.res.flows[0].end_ns > 4 * alone);
    world_free(&w);
}

/* ---- Times ---- */

static void flow_alone_takes_its_ideal_time(void **state)
{
    (void)state;
    const char *const sizes[] = {"1", "1024", "1025", "100K", "3M"};
    for (size_t i = 0; i < 5; i++) {
        char work[64];
        snprintf(work, sizeof work, "flow:from=host0,to=host15,size=%s", sizes[i]);
        struct world w = world_new("fat-tree:k=4,rate=25G,core.rate=100G", work);
        run(&w, model_cc_algorithm("none"), 1, 5 * MS, NULL);
        const struct cc_flow *f = &w.res.flows[0];
        const uint64_t time = f->end_ns - f->start_ns;
        assert_in_range(time, f->ideal_ns - f->ideal_ns / 100 - 1000, f->ideal_ns + 1);
        double p50, p95, p99;
        assert_int_equal(model_cc_slowdown(&w.res, 0, UINT64_MAX, &p50, &p95, &p99), 1);
        assert_true(p50 > 0.8 && p50 < 1.01 && p99 == p50);
        world_free(&w);
    }
}

static void probes_and_telemetry_tell_of_the_way(void **state)
{
    (void)state;
    struct script s = {.rate = CC_RATE_ONE / 4, .probes = true};
    const struct cc_algorithm a = script_algorithm(&s);
    struct world w = world_new("fat-tree:k=4", "flow:from=host0,to=host15");
    run(&w, &a, 1, MS, NULL);
    assert_true(s.rtts > 100);
    assert_true(s.flagged >= s.rtts && s.flagged < s.rtts + 60); /* those still on their way */
    assert_int_equal(s.hops, 5);
    assert_int_equal(s.late, 0);
    assert_int_equal(s.first, 1);
    assert_true(s.in_order);
    world_free(&w);
}

/* ---- Ends ---- */

static void failure_ends_the_run_with_what_was_measured(void **state)
{
    (void)state;
    struct script s = {.rate = CC_RATE_ONE / 4, .fails_at = 1000};
    const struct cc_algorithm a = script_algorithm(&s);
    struct world w = world_new("dumbbell", NULL);
    assert_int_equal(model_cc_run(&w.net, &w.work, &a, 1, MS, NULL, &w.res, &w.err), DPK_ERR_FAULT);
    assert_int_equal(w.err.status, DPK_ERR_FAULT);
    assert_non_null(strstr(w.err.message, "it fell"));
    char wanted[128];
    snprintf(wanted, sizeof wanted, "flow %" PRIu32 ", %s at %" PRIu64 " ns: ", w.res.failed.flow,
             model_cc_event_name(w.res.failed.type), w.res.failed.time_ns);
    assert_memory_equal(w.err.message, wanted, strlen(wanted));
    assert_true(w.res.has_failed && w.res.data_sent > 100 && w.res.time_ns < MS);
    expect_books_to_agree(&w.res);
    world_free(&w);
}

static void rate_outside_its_limits_ends_the_run(void **state)
{
    (void)state;
    const uint32_t rates[] = {0, CC_RATE_ONE + 1, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct script s = {.rate = rates[i]};
        const struct cc_algorithm a = script_algorithm(&s);
        struct world w = world_new("dumbbell", NULL);
        assert_int_equal(model_cc_run(&w.net, &w.work, &a, 1, MS, NULL, &w.res, &w.err),
                         DPK_ERR_RANGE);
        assert_int_equal(w.res.calls[CC_TX], 1);
        assert_int_equal(w.res.failed.type, CC_TX);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "script gave the rate %" PRIu32, rates[i]);
        assert_non_null(strstr(w.err.message, wanted));
        world_free(&w);
    }
}

static bool stop_at_half(void *self, uint64_t now, uint64_t end)
{
    ++*(unsigned *)self;
    return now < end / 2;
}

static void progress_can_end_the_run(void **state)
{
    (void)state;
    unsigned calls = 0;
    const struct cc_recorder recorder = {.self = &calls, .progress = stop_at_half};
    struct world w = world_new("dumbbell", NULL);
    run(&w, model_cc_algorithm("none"), 1, MS, &recorder);
    assert_in_range(calls, 400, 510);
    assert_in_range(w.res.time_ns, MS / 2, MS / 2 + MS / 500);
    world_free(&w);
}

static void what_cannot_run_is_refused(void **state)
{
    (void)state;
    struct world w = world_new("dumbbell", NULL);
    const struct cc_algorithm *a = model_cc_algorithm("none");
    assert_int_equal(model_cc_run(&w.net, &w.work, a, 1, 0, NULL, &w.res, &w.err), DPK_ERR_RANGE);
    assert_int_equal(model_cc_run(&w.net, &w.work, a, 1, 10000 * MS + 1, NULL, &w.res, &w.err),
                     DPK_ERR_RANGE);
    w.net.links[0].rate_mbps = 0;
    assert_int_equal(model_cc_run(&w.net, &w.work, a, 1, MS, NULL, &w.res, &w.err), DPK_ERR_RANGE);
    w.net.links[0].rate_mbps = 1;
    w.net.links[0].to = 99;
    assert_int_equal(model_cc_run(&w.net, &w.work, a, 1, MS, NULL, &w.res, &w.err), DPK_ERR_RANGE);
    w.net.links[0].to = 1; /* hosts alone */
    assert_int_not_equal(model_cc_run(&w.net, &w.work, a, 1, MS, NULL, &w.res, &w.err), DPK_OK);
    world_free(&w);
    w = world_new("dumbbell", "flow:from=sender0,to=nobody");
    assert_int_equal(model_cc_run(&w.net, &w.work, a, 1, MS, NULL, &w.res, &w.err),
                     DPK_ERR_NOT_FOUND);
    world_free(&w);
}

/* ---- Links that fail ---- */

static void fail_link(struct world *w, const char *text)
{
    if (model_cc_failure_named(text, &w->net, &w->err) != DPK_OK)
        fail_msg("%s: %s", text, w->err.message);
}

static void a_link_that_is_down_carries_nothing(void **state)
{
    (void)state;
    struct world w = world_new("dumbbell:senders=2,timeout=100us", "long:size=10M");
    w.work.until_end = true;
    run(&w, model_cc_algorithm("hpcc"), 1, 100 * MS, NULL);
    const uint64_t alone = w.res.time_ns;
    fail_link(&w, "switch1,switch0:down=200us,up=5ms");
    run(&w, model_cc_algorithm("hpcc"), 1, 100 * MS, NULL);
    assert_int_equal(w.res.finished, 2);
    assert_int_equal(w.res.acknowledged, 20000000);
    assert_true(w.res.data_lost > 0 && w.res.data_lost == w.res.data_dropped && w.res.resent > 0);
    assert_true(w.res.time_ns > alone + 4800000 && w.res.time_ns < alone + 5200000);
    assert_int_equal(w.res.data_in_flight, 0);
    /* A link that stays down ends all flows through it. */
    fail_link(&w, "switch0,switch1:down=300us");
    run(&w, model_cc_algorithm("hpcc"), 1, 20 * MS, NULL);
    assert_int_equal(w.res.finished, 0);
    assert_int_equal(w.res.time_ns, 20 * MS);
    world_free(&w);
}

static unsigned finished_beside(const char *topology, const char *failure)
{
    struct world w = world_new(topology, "flow:from=host0,to=host15,size=5M");
    fail_link(&w, failure);
    run(&w, model_cc_algorithm("hpcc"), 1, 20 * MS, NULL);
    const unsigned finished = w.res.finished;
    world_free(&w);
    return finished;
}

/* Of two ways up, the flow takes either. */
static void flows_go_by_other_ways_after_a_time(void **state)
{
    (void)state;
    static const char *const failures[] = {"edge0,aggregation0:down=50us",
                                           "edge0,aggregation1:down=50us"};
    unsigned staying = 0, changing = 0;
    for (unsigned i = 0; i < 2; i++) {
        staying += finished_beside("fat-tree:k=4,timeout=100us", failures[i]);
        changing += finished_beside("fat-tree:k=4,timeout=100us,reroute=200us", failures[i]);
    }
    assert_int_equal(staying, 1);
    assert_int_equal(changing, 2);
}

/* Pauses, retransmissions and failures at random times, of links of hosts as well. */
static void all_arrives_in_the_end_whatever_failed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct cc_random r = model_cc_random_new(seed, 11);
        struct world w = world_new("dumbbell:senders=6,buffer=300K,timeout=100us,reroute=50us",
                                   "bursts:size=300K,to=receiver0,flows=6+long:size=200K");
        w.work.until_end = true;
        for (unsigned i = 0; i < 8; i++) {
            char text[128];
            const uint32_t down = model_cc_random_below(&r, 1000),
                           lasts = 1 + model_cc_random_below(&r, 300);
            const uint32_t host = model_cc_random_below(&r, 6),
                           which = model_cc_random_below(&r, 3);
            const char *const forms[] = {"switch0,switch1", "switch0,sender", "switch1,receiver"};
            char number[16] = "";
            if (which)
                snprintf(number, sizeof number, "%" PRIu32, host);
            snprintf(text, sizeof text, "%s%s:down=%" PRIu32 "us,up=%" PRIu32 "us", forms[which],
                     number, down, down + lasts);
            fail_link(&w, text);
        }
        run(&w, model_cc_algorithm(model_cc_algorithms[seed % 4]), seed, 200 * MS, NULL);
        if (w.res.finished != w.res.flow_count)
            fail_msg("seed %" PRIu64 ": %u of %u flows", seed, w.res.finished, w.res.flow_count);
        const uint64_t digest = digest_of(&w.res);
        run(&w, model_cc_algorithm(model_cc_algorithms[seed % 4]), seed, 200 * MS, NULL);
        assert_true(digest == digest_of(&w.res));
        world_free(&w);
    }
}

static void failures_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"switch0", "NODE,NODE:down=TIME"},
        {"switch0,switch1", "NODE,NODE:down=TIME"},
        {"switch0,switch9:down=1ms",
         "there is no link between switch0 and switch9 to fail; the links are sender0,switch0 "
         "sender1,switch0 receiver0,switch1 receiver1,switch1 ..."},
        {"sender0,receiver0:down=1ms", "there is no link between sender0 and receiver0"},
        {"switch0,switch1:down=2ms,up=1ms", "comes up before it goes down"},
        {"switch0,switch1:down=soon", "is not a time"},
        {"switch0,switch1:at=1ms", "no key \"at\" (there are down, up)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = world_new("dumbbell:senders=2", NULL);
        assert_int_not_equal(model_cc_failure_named(cases[i][0], &w.net, &w.err), DPK_OK);
        if (!strstr(w.err.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], w.err.message);
        world_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_conserved_in_every_network),
        cmocka_unit_test(same_seed_gives_the_same_results),
        cmocka_unit_test(flow_sends_at_the_rate_that_it_was_given),
        cmocka_unit_test(no_sample_exceeds_the_line),
        cmocka_unit_test(window_limits_what_is_in_flight),
        cmocka_unit_test(lossless_network_loses_nothing),
        cmocka_unit_test(lossy_network_sends_again_until_all_has_arrived),
        cmocka_unit_test(pause_reaches_flows_that_share_the_port),
        cmocka_unit_test(flow_alone_takes_its_ideal_time),
        cmocka_unit_test(probes_and_telemetry_tell_of_the_way),
        cmocka_unit_test(failure_ends_the_run_with_what_was_measured),
        cmocka_unit_test(rate_outside_its_limits_ends_the_run),
        cmocka_unit_test(progress_can_end_the_run),
        cmocka_unit_test(what_cannot_run_is_refused),
        cmocka_unit_test(a_link_that_is_down_carries_nothing),
        cmocka_unit_test(flows_go_by_other_ways_after_a_time),
        cmocka_unit_test(all_arrives_in_the_end_whatever_failed),
        cmocka_unit_test(failures_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
