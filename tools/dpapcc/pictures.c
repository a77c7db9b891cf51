/* Draws the four pictures: rates, queues, round trips, flow completion. A single run shows its
 * flows and queues; several runs share one picture. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc.h"

const char *const dpapcc_picture_names[PICTURES] = {"rates", "queue", "rtt", "fct"};

enum { SERIES_MAX = 256, LINES_OF_MANY = 3, BANDS_OF_RUNS = 3 };

/* A picture under construction; it owns the names and numbers of its series. */
struct drawing {
    struct chart chart;
    struct chart_series series[SERIES_MAX];
    char names[SERIES_MAX][CC_NAME_MAX * 2 + 80];
    double *numbers[SERIES_MAX];
    size_t number_count;
    struct dpk_buf about;
    bool failed;
};

static void add(struct drawing *d, struct chart_series s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct drawing *d, struct chart_series s, const char *format, ...)
{
    size_t at = d->chart.count;
    va_list args;
    if (at == SERIES_MAX)
        return;
    va_start(args, format);
    vsnprintf(d->names[at], sizeof d->names[at], format, args);
    va_end(args);
    d->series[at] = s;
    d->series[at].name = d->names[at];
    d->chart.count++;
}

/* Allocates numbers that live as long as the drawing. Returns NULL if there is no memory. */
static double *numbers(struct drawing *d, size_t count)
{
    double *room = d->number_count < SERIES_MAX ? calloc(count + 1, sizeof *room) : NULL;
    if (room)
        d->numbers[d->number_count++] = room;
    d->failed |= !room;
    return room;
}

/* Returns the values multiplied by `scale`. */
static const double *scaled(struct drawing *d, const double *values, size_t count, double scale)
{
    double *out = numbers(d, count);
    for (size_t i = 0; out && i < count; i++)
        out[i] = values[i] * scale;
    return out;
}

static void add_line(struct drawing *d, const struct series *s, const double *values,
                     unsigned style, const char *name)
{
    if (values)
        add(d, (struct chart_series){.x = s->time, .y = values, .count = s->count, .style = style},
            "%s", name);
}

static void add_level(struct drawing *d, double value, unsigned style, const char *name)
{
    double *at = numbers(d, 1);
    if (!at)
        return;
    *at = value;
    add(d, (struct chart_series){.y = at, .kind = CHART_LEVEL, .style = style}, "%s", name);
}

static void add_band(struct drawing *d, const struct series *s, const double *low,
                     const double *high, unsigned style, const char *name)
{
    if (low && high)
        add(d,
            (struct chart_series){.x = s->time,
                                  .y = low,
                                  .upper = high,
                                  .count = s->count,
                                  .kind = CHART_BAND,
                                  .style = style},
            "%s", name);
}

/* Adds "median" and, with `bands`, "5 to 95 %" of flows or of round trips, after `prefix`. */
static void add_quantiles(struct drawing *d, const struct series *s, double *const *columns,
                          double scale, unsigned style, const char *prefix, bool bands)
{
    char name[128];
    snprintf(name, sizeof name, "%s5 to 95 %%", prefix);
    if (bands)
        add_band(d, s, scaled(d, columns[Q05], s->count, scale),
                 scaled(d, columns[Q95], s->count, scale), style, name);
    snprintf(name, sizeof name, "%smedian", prefix);
    add_line(d, s, scaled(d, columns[Q50], s->count, scale), style, name);
}

static void say_value(struct drawing *d, const struct report *r, const char *key)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct fact *f = dpapcc_fact_find(&r->facts[i], key);
        dpk_put_format(&d->about, "%s", i ? ", " : " ");
        if (r->count > 1)
            dpk_put_format(&d->about, "%s ", r->runs[i].algorithm->name);
        if (f)
            dpapcc_fact_put(f, &d->about);
    }
}

/* Returns the style of a run: its own colour and its own dashes, for readers who see few
 * colours. */
static unsigned style_of(const struct report *r, unsigned run)
{
    return r->count > 1 ? run * (CHART_COLOURS + 1) : 0;
}

/* ---- Rates ---- */

static void draw_flows(struct drawing *d, const struct run *r, double *const *columns,
                       double *const *flows, double scale)
{
    const struct series *s = &r->series;
    uint32_t count = r->results.flow_count, shown = count;
    char name[64];
    if (count > FLOWS_SHOWN) {
        shown = LINES_OF_MANY;
        snprintf(name, sizeof name, "5 to 95 %% of %" PRIu32 " flows", count);
        add_band(d, s, scaled(d, columns[Q05], s->count, scale),
                 scaled(d, columns[Q95], s->count, scale), LINES_OF_MANY + 1, name);
        add_line(d, s, scaled(d, columns[Q50], s->count, scale), LINES_OF_MANY + 1, "median");
    }
    for (uint32_t i = 0; i < shown; i++) {
        const char *who = dpapcc_mix_name(r->algorithm, r->results.flows[i].algorithm);
        snprintf(name, sizeof name, "flow %" PRIu32 "%s%.40s", i, r->algorithm->mix ? ", " : "",
                 r->algorithm->mix ? who : "");
        add_line(d, s, scaled(d, flows[i], s->count, scale), i, name);
    }
}

static void draw_rates(struct drawing *d, const struct report *r)
{
    double line = r->scenario->line_bps;
    d->chart.title = "Rates of flows";
    d->chart.y = line > 0 ? (struct chart_axis){.title = "rate granted", .unit = "bit/s"}
                          : (struct chart_axis){.title = "rate, of the port's 100", .unit = "%"};
    double scale = line > 0 ? line : 100;
    dpk_put_format(&d->about, "The rate that the algorithm grants to each flow, over time. All "
                              "flows together got");
    say_value(d, r, "throughput_gbps");
    dpk_put_format(&d->about, "; Jain's index of fairness is");
    say_value(d, r, "fairness");
    dpk_put_format(&d->about, ".");
    if (r->count == 1) {
        draw_flows(d, &r->runs[0], r->runs[0].series.rate, r->runs[0].series.flow_rate, scale);
        return;
    }
    for (unsigned i = 0; i < r->count; i++) {
        char prefix[80];
        snprintf(prefix, sizeof prefix, "%s, ", r->runs[i].algorithm->name);
        add_quantiles(d, &r->runs[i].series, r->runs[i].series.rate, scale, style_of(r, i), prefix,
                      r->count <= BANDS_OF_RUNS);
    }
}

/* ---- Queues ---- */

static void draw_queues(struct drawing *d, const struct report *r)
{
    uint32_t queues[QUEUES_SHOWN];
    const struct cc_topology *net = &r->scenario->net;
    double highest = 0;
    d->chart.title = "Longest queues";
    d->chart.empty = "No queue held a packet.";
    d->chart.y = (struct chart_axis){.title = "peak of the queue", .unit = "B"};
    for (unsigned i = 0; i < r->count; i++) {
        const struct run *run = &r->runs[i];
        size_t count = dpapcc_run_queues(run, queues);
        for (unsigned k = 0; k < (r->count == 1 ? count : count > 0); k++) {
            double *room = numbers(d, run->series.count);
            if (room)
                dpapcc_series_queue(&run->series, queues[k], room);
            highest = fmax(highest, (double)run->results.queues[queues[k]].bytes.max);
            add_line(d, &run->series, room, r->count == 1 ? k : style_of(r, i),
                     r->count == 1 ? run->results.queues[queues[k]].name : run->algorithm->name);
        }
    }
    /* Thresholds far above all queues would flatten the curves. */
    if (net->ecn && net->kmin && (double)net->kmin < highest * 1.5)
        add_level(d, (double)net->kmin, 7, "Kmin");
    if (net->ecn && net->kmax && (double)net->kmax < highest * 1.5)
        add_level(d, (double)net->kmax, 7, "Kmax");
    dpk_put_format(&d->about, "The longest that queues of switches were in each sample, over time. "
                              "Half of the time the busiest was no longer than");
    say_value(d, r, "queue.p50");
    dpk_put_format(&d->about, ", 99 %% of it no longer than");
    say_value(d, r, "queue.p99");
    dpk_put_format(&d->about, ".");
}

/* ---- Round trips ---- */

static void draw_rtt(struct drawing *d, const struct report *r)
{
    d->chart.title = "Round trips";
    d->chart.empty = "No round trip was measured.";
    d->chart.y = (struct chart_axis){.title = "round trip", .unit = "s"};
    for (unsigned i = 0; i < r->count; i++) {
        char prefix[80] = "";
        if (r->count > 1)
            snprintf(prefix, sizeof prefix, "%s, ", r->runs[i].algorithm->name);
        add_quantiles(d, &r->runs[i].series, r->runs[i].series.rtt, 1, style_of(r, i), prefix,
                      r->count <= BANDS_OF_RUNS);
    }
    if (r->count == 1 && r->runs[0].results.flow_count)
        add_level(d, (double)r->runs[0].results.flows[0].base_rtt_ns * 1e-9, 7, "empty network");
    dpk_put_format(&d->about, "Round trips of probes and acknowledged packets, over time. Their "
                              "median is");
    say_value(d, r, "rtt_ns.p50");
    dpk_put_format(&d->about, ", their 99th percentile");
    say_value(d, r, "rtt_ns.p99");
    dpk_put_format(&d->about, ".");
}

/* ---- Flow completion ---- */

/* Adds one quantile of the slowdowns by size; NaN for sizes without ended flows. */
static void add_slowdowns(struct drawing *d, const struct facts *facts, size_t quantile,
                          unsigned style, const char *name)
{
    double *x = numbers(d, SIZE_CLASSES), *y = numbers(d, SIZE_CLASSES);
    if (!x || !y)
        return;
    for (size_t i = 0; i < SIZE_CLASSES; i++) {
        const struct fact *f = dpapcc_fact_find(facts, dpapcc_size_classes[i].keys[quantile]);
        x[i] = (double)i;
        y[i] = f ? f->value : NAN;
    }
    add(d,
        (struct chart_series){
            .x = x, .y = y, .count = SIZE_CLASSES, .kind = CHART_POINTS, .style = style},
        "%s", name);
}

static void draw_fct(struct drawing *d, const struct report *r)
{
    static const char *names[SIZE_CLASSES];
    for (size_t i = 0; i < SIZE_CLASSES; i++)
        names[i] = dpapcc_size_classes[i].name;
    d->chart.title = "Slowdown of flows that ended";
    d->chart.empty = "No flow of a known size has ended.";
    d->chart.x = (struct chart_axis){
        .title = "size of the flow", .names = names, .name_count = SIZE_CLASSES};
    d->chart.y = (struct chart_axis){.title = "times longer than alone", .logarithmic = true};
    for (unsigned i = 0; i < r->count; i++) {
        char name[96];
        const char *who = r->runs[i].algorithm->name;
        snprintf(name, sizeof name, "%s%sp99", r->count > 1 ? who : "", r->count > 1 ? ", " : "");
        add_slowdowns(d, &r->facts[i], 3, r->count > 1 ? i : 1, name);
        if (r->count == 1)
            add_slowdowns(d, &r->facts[i], 2, 2, "p95");
        snprintf(name, sizeof name, "%s%sp50", r->count > 1 ? who : "", r->count > 1 ? ", " : "");
        add_slowdowns(d, &r->facts[i], 1, r->count > 1 ? i + CHART_COLOURS : 0, name);
    }
    dpk_put_format(&d->about,
                   "How many times longer flows took than they would have taken alone in "
                   "the network, by their size. Flows that ended:");
    say_value(d, r, "finished");
    dpk_put_format(&d->about, ".");
}

/* ---- Whole picture ---- */

/* Returns the start of a logarithmic axis: a thousandth of the line rate, the smallest frame, the
 * shortest round trip. */
static double log_begin(const struct report *r, enum picture which)
{
    double least = INFINITY;
    switch (which) {
    case PICTURE_RATES:
        return r->scenario->line_bps > 0 ? r->scenario->line_bps / 1000 : 0.1;
    case PICTURE_QUEUE:
        return 100;
    default:
        for (size_t i = 0; i < r->count; i++)
            for (uint32_t k = 0; k < r->runs[i].results.flow_count; k++)
                least = fmin(least, (double)r->runs[i].results.flows[k].base_rtt_ns * 1e-9);
        return isfinite(least) && least > 1e-9 ? least : 1e-9;
    }
}

/* Returns the end of the time axis: runs may end with their flows. */
static double longest_time(const struct report *r)
{
    uint64_t most = r->options->until_end ? 0 : r->scenario->time_ns;
    for (size_t i = 0; i < r->count; i++)
        most = r->runs[i].results.time_ns > most ? r->runs[i].results.time_ns : most;
    return (double)most * 1e-9;
}

void dpapcc_picture_put(const struct report *r, enum picture which, unsigned width, const char *id,
                        struct dpk_buf *out, struct dpk_buf *about)
{
    static void (*const draw[PICTURES])(struct drawing *, const struct report *) = {
        draw_rates, draw_queues, draw_rtt, draw_fct};
    struct drawing *d = calloc(1, sizeof *d);
    if (!d) {
        out->failed = true;
        return;
    }
    d->chart = (struct chart){.empty = "No sample was taken.",
                              .x = {.title = "time", .unit = "s", .most = longest_time(r)},
                              .series = d->series,
                              .width = width,
                              .bare = id != NULL,
                              .id = id};
    draw[which](d, r);
    if (r->options->logarithmic && !d->chart.y.logarithmic) {
        d->chart.y.logarithmic = true;
        d->chart.y.least = log_begin(r, which);
    }
    d->chart.y.cut = !d->chart.y.logarithmic;
    dpk_put_u8(&d->about, 0);
    if (d->failed || d->about.failed) {
        out->failed = true;
    } else {
        d->chart.about = (const char *)d->about.data;
        chart_svg(&d->chart, out);
        if (about)
            dpk_put(about, d->about.data, d->about.size - 1);
    }
    for (size_t i = 0; i < d->number_count; i++)
        free(d->numbers[i]);
    dpk_buf_free(&d->about);
    free(d);
}
