/* Collects samples while the model runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc.h"

#define QUEUES_BYTES_MAX ((size_t)256 << 20) /* memory for the peaks of all queues */

enum { SINGLE_COLUMNS = 8, COLUMNS = SINGLE_COLUMNS + 2 * QUANTILES + 2 * FLOWS_SHOWN };

bool dpapcc_series_start(struct series *s, const struct scenario *scenario)
{
    s->capacity = scenario->time_ns / scenario->interval_ns + 2;
    s->cells = calloc(s->capacity * COLUMNS, sizeof *s->cells);
    if (!s->cells)
        return false;
    double **columns[COLUMNS] = {&s->time, &s->goodput, &s->fairness, &s->active,
                                 &s->cnps, &s->drops,   &s->pauses,   &s->queue_most};
    size_t n = SINGLE_COLUMNS;
    for (size_t i = 0; i < QUANTILES; i++)
        columns[n++] = &s->rate[i], columns[n++] = &s->rtt[i];
    for (size_t i = 0; i < FLOWS_SHOWN; i++)
        columns[n++] = &s->flow_rate[i], columns[n++] = &s->flow_rtt[i];
    for (size_t i = 0; i < COLUMNS; i++)
        *columns[i] = s->cells + i * s->capacity;
    return true;
}

/* Makes room for one number of each flow. */
static bool make_room(struct series *s, uint32_t flows)
{
    if (flows > s->sorted_capacity) {
        double *more = realloc(s->sorted, ((size_t)flows + flows / 2) * sizeof *more);
        if (!more)
            return false;
        s->sorted = more;
        s->sorted_capacity = flows + flows / 2;
    }
    return true;
}

static void put_quantiles(struct series *s, double *columns[QUANTILES], size_t count)
{
    static const double at[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    count = chart_sort(s->sorted, count);
    for (size_t i = 0; i < QUANTILES; i++)
        columns[i][s->count] = chart_quantile(s->sorted, count, at[i]);
}

static void add_flows(struct series *s, const struct cc_sample *sample)
{
    size_t row = s->count, active = 0, measured = 0;
    double goodput = 0;
    if (!make_room(s, sample->flow_count)) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < FLOWS_SHOWN; i++)
        s->flow_rate[i][row] = s->flow_rtt[i][row] = NAN;
    for (uint32_t i = 0; i < sample->flow_count; i++) {
        const struct cc_flow_sample *f = &sample->flows[i];
        goodput += (double)f->mbps * 1e6;
        if (f->rate)
            s->sorted[active++] = (double)f->rate / CC_RATE_ONE;
        if (i < FLOWS_SHOWN) {
            s->flow_rate[i][row] = f->rate ? (double)f->rate / CC_RATE_ONE : NAN;
            s->flow_rtt[i][row] = f->rtt_ns ? (double)f->rtt_ns * 1e-9 : NAN;
        }
    }
    put_quantiles(s, s->rate, active);
    for (uint32_t i = 0; i < sample->flow_count; i++)
        if (sample->flows[i].rtt_ns)
            s->sorted[measured++] = (double)sample->flows[i].rtt_ns * 1e-9;
    put_quantiles(s, s->rtt, measured);
    s->goodput[row] = goodput;
    s->active[row] = (double)active;
}

static void add_queues(struct series *s, const struct cc_sample *sample)
{
    double most = 0;
    if (s->count == 0 && sample->queue_count &&
        s->capacity <= QUEUES_BYTES_MAX / sizeof(uint32_t) / sample->queue_count) {
        s->queue_count = sample->queue_count;
        s->queues = calloc(s->capacity * s->queue_count, sizeof *s->queues);
        s->failed |= !s->queues;
    }
    if (s->queues && sample->queue_count == s->queue_count)
        memcpy(s->queues + s->count * s->queue_count, sample->queue_peak,
               s->queue_count * sizeof *s->queues);
    for (uint32_t i = 0; i < sample->queue_count; i++)
        most = fmax(most, (double)sample->queue_peak[i]);
    s->queue_most[s->count] = most;
}

void dpapcc_series_add(struct series *s, const struct cc_sample *sample)
{
    size_t row = s->count;
    if (s->failed || row >= s->capacity)
        return;
    s->time[row] = (double)sample->time_ns * 1e-9;
    s->fairness[row] = sample->fairness > 0 ? sample->fairness : NAN;
    s->cnps[row] = (double)sample->cnps;
    s->drops[row] = (double)sample->drops;
    s->pauses[row] = (double)sample->pauses;
    add_flows(s, sample);
    add_queues(s, sample);
    s->count += !s->failed;
}

void dpapcc_series_queue(const struct series *s, uint32_t queue, double *out)
{
    for (size_t i = 0; i < s->count; i++)
        out[i] = s->queues && queue < s->queue_count ? (double)s->queues[i * s->queue_count + queue]
                                                     : NAN;
}

void dpapcc_series_end(struct series *s)
{
    free(s->cells);
    free(s->queues);
    free(s->sorted);
    *s = (struct series){0};
}
