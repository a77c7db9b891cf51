/* Computes the facts of a run. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dpapcc.h"

#define SIZE_CLASS(a, t, n, key, text)                                                             \
    {                                                                                              \
        .above = a, .to = t, .name = n,                                                            \
        .keys = {"slowdown." key ".flows", "slowdown." key ".p50", "slowdown." key ".p95",         \
                 "slowdown." key ".p99"},                                                          \
        .labels = {"flows " text, "slowdown " text ", p50", "slowdown " text ", p95",              \
                   "slowdown " text ", p99"},                                                      \
    }

const struct size_class dpapcc_size_classes[SIZE_CLASSES] = {
    SIZE_CLASS(0, 10000, "\u2264 10 kB", "to_10k", "to 10 kB"),
    SIZE_CLASS(10000, 100000, "\u2264 100 kB", "to_100k", "to 100 kB"),
    SIZE_CLASS(100000, 1000000, "\u2264 1 MB", "to_1m", "to 1 MB"),
    SIZE_CLASS(1000000, 10000000, "\u2264 10 MB", "to_10m", "to 10 MB"),
    SIZE_CLASS(10000000, UINT64_MAX, "> 10 MB", "above_10m", "above 10 MB"),
};

double dpapcc_budget_of(const struct run *r, const struct options *o)
{
    const struct algorithm *a = r->algorithm;
    const uint64_t *events = (const uint64_t *)(const void *)a->by_host.data;
    uint64_t most = 0;
    if (o->budget_ns)
        return o->budget_ns;
    for (size_t i = 0; i < a->by_host.size / sizeof *events; i++)
        most = events[i] > most ? events[i] : most;
    return most ? (double)r->results.time_ns / (double)most * a->threads : 0;
}

void dpapcc_fact_add(struct facts *f, const char *group, const char *key, const char *label,
                     double value, double scale, const char *unit)
{
    assert(f->count < FACTS_MAX);
    f->at[f->count++] = (struct fact){group, key, label, value, scale, unit};
}

static void add_count(struct facts *f, const char *group, const char *key, const char *label,
                      uint64_t value)
{
    dpapcc_fact_add(f, group, key, label, (double)value, 1, NULL);
}

/* Returns the end of the last flow that ended. */
static uint64_t last_end(const struct cc_results *res)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < res->flow_count; i++)
        last = res->flows[i].end_ns > last ? res->flows[i].end_ns : last;
    return last;
}

static void add_traffic(const struct cc_results *res, struct facts *f)
{
    dpapcc_fact_add(f, "traffic", "throughput_gbps", "throughput", res->gbps, 1e9, "bit/s");
    dpapcc_fact_add(f, "traffic", "fairness", "fairness (Jain)",
                    res->fairness > 0 ? res->fairness : NAN, 1, NULL);
    add_count(f, "traffic", "flows", "flows", res->flow_count);
    add_count(f, "traffic", "finished", "flows that ended", res->finished);
    dpapcc_fact_add(f, "traffic", "last_end_ns", res->finished ? "last end of a flow" : NULL,
                    res->finished ? (double)last_end(res) : NAN, 1e-9, "s");
    add_count(f, "traffic", "acknowledged_bytes", NULL, res->acknowledged);
    add_count(f, "traffic", "packets.sent", "packets sent", res->data_sent);
    add_count(f, "traffic", "packets.received", NULL, res->data_received);
    add_count(f, "traffic", "packets.in_flight", NULL, res->data_in_flight);
    add_count(f, "traffic", "packets.dropped", "packets dropped", res->data_dropped);
    add_count(f, "traffic", "packets.lost_on_links",
              res->data_lost ? "packets lost on links" : NULL, res->data_lost);
    add_count(f, "traffic", "packets.resent", "packets sent again", res->resent);
    add_count(f, "traffic", "packets.marked", "packets marked (ECN)", res->marked);
    add_count(f, "traffic", "packets.out_of_order", NULL, res->out_of_order);
    add_count(f, "traffic", "cnps", "CNPs", res->cnps);
    add_count(f, "traffic", "nacks", "NACKs", res->nacks);
    add_count(f, "traffic", "timeouts", "timeouts", res->timeouts);
    add_count(f, "traffic", "probes", "probes answered", res->probes);
    add_count(f, "traffic", "pauses", "pauses (PFC)", res->pauses);
    dpapcc_fact_add(f, "traffic", "paused_ns", "time paused", (double)res->paused_ns, 1e-9, "s");
}

static void add_queues(const struct cc_results *res, struct facts *f)
{
    const struct cc_quantiles *q = &res->queue, *all = &res->queue_all, *rtt = &res->rtt_ns;
    dpapcc_fact_add(f, "queues", "queue.mean", "busiest queue, mean", q->mean, 1, "B");
    dpapcc_fact_add(f, "queues", "queue.p50", "busiest queue, p50", (double)q->p50, 1, "B");
    dpapcc_fact_add(f, "queues", "queue.p95", NULL, (double)q->p95, 1, "B");
    dpapcc_fact_add(f, "queues", "queue.p99", "busiest queue, p99", (double)q->p99, 1, "B");
    dpapcc_fact_add(f, "queues", "queue.max", "busiest queue, max", (double)q->max, 1, "B");
    dpapcc_fact_add(f, "queues", "queue_all.p50", NULL, (double)all->p50, 1, "B");
    dpapcc_fact_add(f, "queues", "queue_all.p99", "all queues, p99", (double)all->p99, 1, "B");
    dpapcc_fact_add(f, "queues", "queue_all.max", "all queues, max", (double)all->max, 1, "B");
    dpapcc_fact_add(f, "queues", "rtt_ns.mean", NULL, rtt->mean, 1e-9, "s");
    dpapcc_fact_add(f, "queues", "rtt_ns.p50", "round trip, p50", (double)rtt->p50, 1e-9, "s");
    dpapcc_fact_add(f, "queues", "rtt_ns.p95", NULL, (double)rtt->p95, 1e-9, "s");
    dpapcc_fact_add(f, "queues", "rtt_ns.p99", "round trip, p99", (double)rtt->p99, 1e-9, "s");
    dpapcc_fact_add(f, "queues", "rtt_ns.max", "round trip, max", (double)rtt->max, 1e-9, "s");
}

static void add_slowdown(const struct cc_results *res, struct facts *f)
{
    double all[3] = {NAN, NAN, NAN};
    if (!model_cc_slowdown(res, 0, UINT64_MAX, &all[0], &all[1], &all[2]))
        all[0] = all[1] = all[2] = NAN;
    dpapcc_fact_add(f, "flow completion", "slowdown.all.p50", NULL, all[0], 1, NULL);
    dpapcc_fact_add(f, "flow completion", "slowdown.all.p95", NULL, all[1], 1, NULL);
    dpapcc_fact_add(f, "flow completion", "slowdown.all.p99", NULL, all[2], 1, NULL);
    for (size_t i = 0; i < SIZE_CLASSES; i++) {
        const struct size_class *c = &dpapcc_size_classes[i];
        double p[3] = {NAN, NAN, NAN};
        uint32_t flows = model_cc_slowdown(res, c->above, c->to, &p[0], &p[1], &p[2]);
        add_count(f, "flow completion", c->keys[0], flows ? c->labels[0] : NULL, flows);
        for (size_t k = 0; k < 3; k++)
            dpapcc_fact_add(f, "flow completion", c->keys[k + 1], flows ? c->labels[k + 1] : NULL,
                            flows ? p[k] : NAN, 1, NULL);
    }
}

static void add_events(const struct cc_results *res, struct facts *f)
{
    static const char *const seen[CC_EVENT_TYPES] = {"events.tx", "events.ack", "events.nack",
                                                     "events.cnp", "events.rtt"};
    static const char *const called[CC_EVENT_TYPES] = {"calls.tx", "calls.ack", "calls.nack",
                                                       "calls.cnp", "calls.rtt"};
    static const char *const labels[CC_EVENT_TYPES] = {"events TX", "events ACK", "events NACK",
                                                       "events CNP", "events RTT"};
    for (size_t i = 0; i < CC_EVENT_TYPES; i++) {
        add_count(f, "algorithm", seen[i], labels[i], res->seen[i]);
        add_count(f, "algorithm", called[i], NULL, res->calls[i]);
    }
}

static void add_dpa(const struct run *r, const struct options *o, struct facts *f)
{
    const struct algorithm *a = r->algorithm;
    const struct cost *c = &a->cost;
    struct dpk_pcc_stats stats;
    if (!a->pcc)
        return;
    dpk_pcc_stats(a->pcc, &stats);
    double mean = c->count ? (double)c->sum / (double)c->count : NAN,
           budget = dpapcc_budget_of(r, o);
    double p50 = (double)dpapcc_cost_quantile(c, 0.5), p99 = (double)dpapcc_cost_quantile(c, 0.99);
    add_count(f, "DPA", "dpa.threads", "threads", a->threads);
    add_count(f, "DPA", "dpa.events", "events handled", c->count);
    add_count(f, "DPA", "dpa.masked", NULL, stats.masked);
    dpapcc_fact_add(f, "DPA", "dpa.instructions.mean", "instructions an event", mean, 1, NULL);
    dpapcc_fact_add(f, "DPA", "dpa.instructions.p50", NULL, c->count ? p50 : NAN, 1, NULL);
    dpapcc_fact_add(f, "DPA", "dpa.instructions.p99", "instructions, p99", c->count ? p99 : NAN, 1,
                    NULL);
    dpapcc_fact_add(f, "DPA", "dpa.instructions.max", "instructions, max", (double)c->most, 1,
                    NULL);
    dpapcc_fact_add(f, "DPA", "dpa.ns.mean", "time an event, at least", mean / DPA_GHZ, 1e-9, "s");
    dpapcc_fact_add(f, "DPA", "dpa.ns.p99", "time, p99, at least", c->count ? p99 / DPA_GHZ : NAN,
                    1e-9, "s");
    dpapcc_fact_add(f, "DPA", "dpa.ns.max", "time, max, at least", (double)c->most / DPA_GHZ, 1e-9,
                    "s");
    dpapcc_fact_add(f, "DPA", "dpa.budget_ns", "budget for an event", budget > 0 ? budget : NAN,
                    1e-9, "s");
    dpapcc_fact_add(f, "DPA", "dpa.load", "part of the budget",
                    budget > 0 ? mean / DPA_GHZ / budget : NAN, 100, "%");
}

void dpapcc_facts_of(const struct run *r, const struct options *o, struct facts *out)
{
    out->count = 0;
    add_traffic(&r->results, out);
    dpapcc_mix_facts(r, out);
    add_queues(&r->results, out);
    add_slowdown(&r->results, out);
    add_events(&r->results, out);
    add_dpa(r, o, out);
}

void dpapcc_fact_put(const struct fact *f, struct dpk_buf *out)
{
    double shown = f->value * f->scale;
    if (f->unit || !isfinite(shown) || shown != floor(shown) || fabs(shown) < 1e3 ||
        fabs(shown) >= 1e15)
        chart_put_value(out, shown, f->unit);
    else
        dpk_put_format(out, "%.0f", shown);
}

const struct fact *dpapcc_fact_find(const struct facts *f, const char *key)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->at[i].key, key) == 0)
            return &f->at[i];
    return NULL;
}
