/* Writes flows and samples as comma-separated values (RFC 4180, with line feeds). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "dpapcc.h"

static void put_text(struct dpk_buf *out, const char *text)
{
    dpk_put_u8(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            dpk_put_u8(out, '"');
        dpk_put(out, c, 1);
    }
    dpk_put_u8(out, '"');
}

/* Appends a comma and a cell, which is empty for a value that is not finite. */
static void put_number(struct dpk_buf *out, double value, int digits)
{
    if (isfinite(value))
        dpk_put_format(out, ",%.*f", digits, value);
    else
        dpk_put_u8(out, ',');
}

static void put_flow(const struct run *r, uint32_t number, struct dpk_buf *out)
{
    const struct cc_flow *f = &r->results.flows[number];
    char from[CC_NAME_MAX + 8], to[CC_NAME_MAX + 8];
    put_text(out, dpapcc_mix_name(r->algorithm, f->algorithm));
    dpk_put_format(out, ",%" PRIu32 ",", number);
    put_text(out, dpapcc_node_name(r->scenario, f->from, from));
    dpk_put_u8(out, ',');
    put_text(out, dpapcc_node_name(r->scenario, f->to, to));
    dpk_put_format(out, ",%" PRIu64 ",%" PRIu64, f->size, f->start_ns);
    put_number(out, f->end_ns ? (double)f->end_ns : NAN, 0);
    put_number(out, f->size ? (double)f->ideal_ns : NAN, 0);
    put_number(out,
               f->end_ns && f->ideal_ns ? (double)(f->end_ns - f->start_ns) / (double)f->ideal_ns
                                        : NAN,
               4);
    dpk_put_format(out,
                   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                   ",%" PRIu32 ",%.6f\n",
                   f->acknowledged, f->packets, f->resent, f->cnps, f->nacks, f->timeouts,
                   f->base_rtt_ns, (double)f->rate / CC_RATE_ONE);
}

void dpapcc_csv_flows(const struct report *r, struct dpk_buf *out)
{
    dpk_put_format(out, "algorithm,flow,from,to,size,start_ns,end_ns,ideal_ns,slowdown,"
                        "acknowledged,packets,resent,cnps,nacks,timeouts,base_rtt_ns,rate\n");
    for (size_t i = 0; i < r->count; i++)
        for (uint32_t k = 0; k < r->runs[i].results.flow_count; k++)
            put_flow(&r->runs[i], k, out);
}

static void put_sample(const struct run *r, size_t i, const uint32_t *queues, size_t queue_count,
                       struct dpk_buf *out)
{
    const struct series *s = &r->series;
    put_text(out, r->algorithm->name);
    put_number(out, s->time[i] * 1e9, 0);
    put_number(out, s->goodput[i], 0);
    put_number(out, s->fairness[i], 6);
    put_number(out, s->active[i], 0);
    for (size_t q = 0; q < QUANTILES; q++)
        put_number(out, s->rate[q][i], 6);
    for (size_t q = 0; q < QUANTILES; q++)
        put_number(out, s->rtt[q][i] * 1e9, 0);
    put_number(out, s->queue_most[i], 0);
    put_number(out, s->cnps[i], 0);
    put_number(out, s->drops[i], 0);
    put_number(out, s->pauses[i], 0);
    for (size_t f = 0; f < FLOWS_SHOWN; f++)
        put_number(out, s->flow_rate[f][i], 6);
    for (size_t q = 0; q < QUEUES_SHOWN; q++)
        put_number(out,
                   q < queue_count && s->queues ? (double)s->queues[i * s->queue_count + queues[q]]
                                                : NAN,
                   0);
    dpk_put_u8(out, '\n');
}

void dpapcc_csv_series(const struct report *r, struct dpk_buf *out)
{
    static const char *const names[QUANTILES] = {"p05", "p25", "p50", "p75", "p95"};
    dpk_put_format(out, "algorithm,time_ns,goodput_bps,fairness,active");
    for (size_t q = 0; q < QUANTILES; q++)
        dpk_put_format(out, ",rate_%s", names[q]);
    for (size_t q = 0; q < QUANTILES; q++)
        dpk_put_format(out, ",rtt_ns_%s", names[q]);
    dpk_put_format(out, ",queue_most,cnps,drops,pauses");
    for (unsigned f = 0; f < FLOWS_SHOWN; f++)
        dpk_put_format(out, ",rate_flow%u", f);
    for (unsigned q = 0; q < QUEUES_SHOWN; q++)
        dpk_put_format(out, ",queue%u", q);
    dpk_put_u8(out, '\n');
    for (size_t i = 0; i < r->count; i++) {
        uint32_t queues[QUEUES_SHOWN];
        size_t queue_count = dpapcc_run_queues(&r->runs[i], queues);
        for (size_t k = 0; k < r->runs[i].series.count; k++)
            put_sample(&r->runs[i], k, queues, queue_count, out);
    }
}
