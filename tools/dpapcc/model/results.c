/* Collects the results of a run. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static void fill_flow(const struct sim *s, const struct flow *f, struct cc_flow *out)
{
    uint64_t acknowledged = (uint64_t)f->acked_psn * s->net->mtu;
    if (f->size && acknowledged > f->size)
        acknowledged = f->size;
    *out = (struct cc_flow){.from = f->from,
                            .to = f->to,
                            .size = f->size,
                            .start_ns = f->start / 1000,
                            .end_ns = f->end / 1000,
                            .ideal_ns = f->ideal / 1000,
                            .acknowledged = acknowledged,
                            .packets = f->packets,
                            .resent = f->resent,
                            .cnps = f->cnps,
                            .nacks = f->nacks,
                            .timeouts = f->timeouts,
                            .base_rtt_ns = (uint32_t)(f->base_rtt / 1000),
                            .rate = f->rate,
                            .algorithm = f->algorithm};
    struct cc_results *r = s->res;
    r->acknowledged += acknowledged;
    r->resent += f->resent;
    r->nacks += f->nacks;
    r->timeouts += f->timeouts;
}

static void fill_queue(struct sim *s, struct port *p, struct cc_queue *out)
{
    model_port_note_length(s, p);
    const uint64_t paused = p->paused_time + (p->paused ? s->now - p->paused_at : 0);
    snprintf(out->name, sizeof out->name, "%s>%s", s->net->nodes[p->node].name,
             s->net->nodes[p->peer].name);
    out->rate_mbps = p->mbps;
    out->bytes = model_histogram_quantiles(&p->lengths);
    out->sent = p->sent;
    out->tx_bytes = p->tx_bytes;
    out->marked = p->marked;
    out->dropped = p->dropped;
    out->pauses = p->pauses;
    out->paused_ns = paused / 1000;
}

/* Counts data packets in queues and on links. */
static uint64_t in_flight(const struct sim *s)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->packet_count; i++)
        count += s->packets[i].kind == DATA;
    return count;
}

enum dpk_status model_results_make(struct sim *s)
{
    struct cc_results *r = s->res;
    struct histogram all = {0};
    r->flows = calloc(s->flow_count, sizeof *r->flows);
    r->queues = calloc(r->queue_count, sizeof *r->queues);
    if (!r->flows || !r->queues)
        return dpk_fail_nomem(s->err);
    r->flow_count = s->flow_count;
    for (uint32_t i = 0; i < s->flow_count; i++)
        fill_flow(s, &s->flows[i], &r->flows[i]);
    for (uint32_t i = 0; i < s->port_count; i++) {
        struct port *p = &s->ports[i];
        r->pauses += p->pauses;
        r->paused_ns += (p->paused_time + (p->paused ? s->now - p->paused_at : 0)) / 1000;
        if (p->queue == NONE)
            continue;
        fill_queue(s, p, &r->queues[p->queue]);
        if (p->sent)
            model_histogram_add_all(&all, &p->lengths);
        if (r->queues[p->queue].bytes.mean > r->queues[r->busiest].bytes.mean)
            r->busiest = p->queue;
    }
    r->queue = r->queues[r->busiest].bytes;
    r->queue_all = model_histogram_quantiles(&all);
    model_histogram_free(&all);
    r->rtt_ns = model_histogram_quantiles(&s->rtts);
    r->data_in_flight = in_flight(s);
    r->time_ns = s->now / 1000;
    r->gbps = r->time_ns ? (double)r->acknowledged * 8 / (double)r->time_ns : 0;
    r->fairness = s->fairness_count ? s->fairness_sum / (double)s->fairness_count : 0;
    return DPK_OK;
}

void model_cc_results_free(struct cc_results *res)
{
    free(res->flows);
    free(res->queues);
    *res = (struct cc_results){0};
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns a quantile by nearest rank. */
static double rank(const double *sorted, uint32_t count, uint32_t hundredths)
{
    const uint64_t at = ((uint64_t)count * hundredths + 99) / 100;
    return count ? sorted[at ? at - 1 : 0] : 0;
}

uint32_t model_cc_slowdown(const struct cc_results *res, uint64_t from, uint64_t to, double *p50,
                           double *p95, double *p99)
{
    uint32_t count = 0;
    double *list = calloc(res->flow_count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list && i < res->flow_count; i++) {
        const struct cc_flow *f = &res->flows[i];
        if (f->end_ns && f->ideal_ns && f->size > from && f->size <= to)
            list[count++] = (double)(f->end_ns - f->start_ns) / (double)f->ideal_ns;
    }
    if (count)
        qsort(list, count, sizeof *list, compare_doubles);
    *p50 = rank(list, count, 50);
    *p95 = rank(list, count, 95);
    *p99 = rank(list, count, 99);
    free(list);
    return count;
}
