/* Runs several algorithms in one network: each flow has one of them. Counts what each algorithm
 * got. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpapcc.h"

enum { FLOWS, THROUGHPUT, SHARE, FLOW_RATE, FAIRNESS, SLOWDOWN, METRICS };

static const struct {
    const char *key, *label;
    double scale;
    const char *unit;
} metrics[METRICS] = {
    [FLOWS] = {"flows", "flows", 1, NULL},
    [THROUGHPUT] = {"throughput_gbps", "throughput", 1e9, "bit/s"},
    [SHARE] = {"share", "part of all", 100, "%"},
    [FLOW_RATE] = {"flow_gbps", "mean of a flow", 1e9, "bit/s"},
    [FAIRNESS] = {"fairness", "fairness within", 1, NULL},
    [SLOWDOWN] = {"slowdown_mean", "slowdown, mean", 1, NULL},
};

struct mix {
    struct algorithm *parts;
    size_t count;
    /* Texts that facts borrow. */
    char keys[CC_ALGORITHMS_MAX][METRICS][40];
    char labels[CC_ALGORITHMS_MAX][METRICS][104];
};

/* ---- Events go to the flow's algorithm ---- */

static enum dpk_status named(const struct algorithm *part, enum dpk_status status,
                             struct dpk_error *err)
{
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", part->name);
    return status;
}

static enum dpk_status start(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err)
{
    const struct mix *m = self;
    struct algorithm *part = &m->parts[flow->algorithm];
    if (!part->calls.start)
        return DPK_OK;
    return named(part, part->calls.start(part->calls.self, context, flow, result, err), err);
}

static enum dpk_status give_event(void *self, void *context, const struct cc_event *event,
                                  struct cc_result *result, struct dpk_error *err)
{
    const struct mix *m = self;
    struct algorithm *part = &m->parts[event->algorithm];
    if (!(part->calls.events & 1u << event->type))
        return DPK_OK;
    return named(part, part->calls.event(part->calls.self, context, event, result, err), err);
}

static void write_texts(struct mix *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < METRICS; k++) {
            snprintf(m->keys[i][k], sizeof m->keys[i][k], "mix.%zu.%s", i + 1, metrics[k].key);
            snprintf(m->labels[i][k], sizeof m->labels[i][k], "%s, %s", m->parts[i].name,
                     metrics[k].label);
        }
}

enum dpk_status dpapcc_mix_open(struct algorithm *parts, size_t count, struct algorithm *a,
                                struct dpk_error *err)
{
    struct mix *m = calloc(1, sizeof *m);
    if (!m)
        return dpk_fail_nomem(err);
    *a = (struct algorithm){.word = "mix", .mix = m};
    a->calls =
        (struct cc_algorithm){.name = a->name, .start = start, .event = give_event, .self = m};
    m->parts = parts;
    m->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct cc_algorithm *part = &parts[i].calls;
        const size_t length = strlen(a->name);
        snprintf(a->name + length, sizeof a->name - length, "%s%s", i ? "+" : "", parts[i].name);
        a->calls.events |= part->events;
        a->calls.telemetry |= part->telemetry;
        if (part->context_size > a->calls.context_size)
            a->calls.context_size = part->context_size;
    }
    a->calls.context_size = (a->calls.context_size + 15) / 16 * 16; /* alignment of malloc */
    write_texts(m);
    return DPK_OK;
}

void dpapcc_mix_close(struct algorithm *a)
{
    free(a->mix);
    a->mix = NULL;
}

const char *dpapcc_mix_name(const struct algorithm *a, uint32_t number)
{
    return a->mix && number < a->mix->count ? a->mix->parts[number].name : a->name;
}

/* ---- Results of each algorithm ---- */

struct sums {
    double flows, ended, bytes, rates, squares, slowdowns;
};

static void count_flow(struct sums *s, const struct cc_flow *f, uint64_t time_ns)
{
    const uint64_t end = f->end_ns ? f->end_ns : time_ns;
    if (f->start_ns >= end)
        return;
    const double rate = (double)f->acknowledged * 8 / (double)(end - f->start_ns);
    s->flows++;
    s->bytes += (double)f->acknowledged;
    s->rates += rate;
    s->squares += rate * rate;
    if (f->end_ns && f->ideal_ns) {
        s->ended++;
        s->slowdowns += (double)(f->end_ns - f->start_ns) / (double)f->ideal_ns;
    }
}

/* Returns Jain's fairness index. */
static double jain(double count, double sum, double squares)
{
    return count >= 2 && squares > 0 ? sum * sum / (count * squares) : NAN;
}

static void add_part(const struct mix *m, size_t i, const struct sums *s, double all,
                     uint64_t time_ns, struct facts *f)
{
    const double values[METRICS] = {
        [FLOWS] = s->flows,
        [THROUGHPUT] = time_ns ? s->bytes * 8 / (double)time_ns : 0,
        [SHARE] = all > 0 ? s->bytes / all : NAN,
        [FLOW_RATE] = s->flows > 0 ? s->rates / s->flows : NAN,
        [FAIRNESS] = jain(s->flows, s->rates, s->squares),
        [SLOWDOWN] = s->ended > 0 ? s->slowdowns / s->ended : NAN,
    };
    for (size_t k = 0; k < METRICS; k++)
        dpapcc_fact_add(f, "algorithms", m->keys[i][k],
                        k == SLOWDOWN && !(s->ended > 0) ? NULL : m->labels[i][k], values[k],
                        metrics[k].scale, metrics[k].unit);
}

void dpapcc_mix_facts(const struct run *r, struct facts *f)
{
    const struct mix *m = r->algorithm->mix;
    const struct cc_results *res = &r->results;
    struct sums sums[CC_ALGORITHMS_MAX] = {0};
    double all = 0, means = 0, squares = 0;
    if (!m)
        return;
    for (uint32_t i = 0; i < res->flow_count; i++)
        count_flow(&sums[res->flows[i].algorithm], &res->flows[i], res->time_ns);
    for (size_t i = 0; i < m->count; i++) {
        const double mean = sums[i].flows > 0 ? sums[i].rates / sums[i].flows : 0;
        all += sums[i].bytes;
        means += mean;
        squares += mean * mean;
    }
    for (size_t i = 0; i < m->count; i++)
        add_part(m, i, &sums[i], all, res->time_ns, f);
    dpapcc_fact_add(f, "algorithms", "mix.fairness", "fairness between them",
                    jain((double)m->count, means, squares), 1, NULL);
}
