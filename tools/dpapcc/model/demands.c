/* Makes the flows of a workload. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"
#include "sim.h"

__extension__ typedef unsigned __int128 wide;

struct list {
    struct sim *sim;
    struct cc_random random;
    uint32_t capacity;
    uint32_t algorithm; /* algorithm of the flows that are being made */
};

static enum dpk_status add(struct list *l, uint32_t from, uint32_t to, uint64_t size,
                           uint64_t start, uint64_t stop)
{
    struct sim *s = l->sim;
    if (s->flow_count == CC_FLOWS_MAX)
        return dpk_fail(s->err, DPK_ERR_RANGE, "the workload has more than %d flows", CC_FLOWS_MAX);
    if (s->flow_count == l->capacity) {
        const uint32_t capacity = l->capacity ? 2 * l->capacity : 256;
        struct flow *flows = realloc(s->flows, capacity * sizeof *flows);
        if (!flows)
            return dpk_fail_nomem(s->err);
        s->flows = flows;
        l->capacity = capacity;
    }
    const uint32_t mtu = s->net->mtu;
    if (size / mtu >= INT32_MAX)
        return dpk_fail(s->err, DPK_ERR_RANGE, "%" PRIu64 " bytes are too many for a flow", size);
    s->flows[s->flow_count++] = (struct flow){
        .from = from,
        .to = to,
        .size = size,
        .start = start,
        .stop = stop ? stop : UINT64_MAX,
        .algorithm = (uint8_t)l->algorithm,
        .end_psn = size ? (uint32_t)((size + mtu - 1) / mtu) : UINT32_MAX,
    };
    return DPK_OK;
}

/* ---- Hosts ---- */

static uint32_t host_count(const struct sim *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->net->node_count; i++)
        count += !s->net->nodes[i].is_switch;
    return count;
}

/* Returns the i-th host. In built-in shapes, hosts are the first nodes. */
static uint32_t host_at(const struct sim *s, uint32_t i)
{
    if (s->net->shape != CC_CUSTOM)
        return i;
    uint32_t at = 0;
    while (s->net->nodes[at].is_switch || i-- > 0)
        at++;
    return at;
}

static enum dpk_status find_host(const struct sim *s, const char *name, uint32_t *out)
{
    for (*out = 0; *out < s->net->node_count; ++*out)
        if (!s->net->nodes[*out].is_switch && strcmp(name, s->net->nodes[*out].name) == 0)
            return DPK_OK;
    return dpk_fail(s->err, DPK_ERR_NOT_FOUND, "the workload: no host \"%s\"", name);
}

/* ---- Kinds of work ---- */

static enum dpk_status make_long(struct list *l, const struct cc_work *w)
{
    struct sim *s = l->sim;
    const uint32_t pairs = model_shape_pairs(s->net), count = w->flows ? w->flows : pairs;
    if (!pairs)
        return dpk_fail(s->err, DPK_ERR_USAGE,
                        "long flows need a shape with pairs; a custom topology has `kind: flow`");
    enum dpk_status status = DPK_OK;
    for (uint32_t i = 0; i < count && status == DPK_OK; i++) {
        uint32_t from, to;
        model_shape_pair(s->net, i, &from, &to);
        status =
            add(l, from, to, w->size, (w->start_ns + i * w->stagger_ns) * 1000, w->stop_ns * 1000);
    }
    return status;
}

static enum dpk_status make_flow(struct list *l, const struct cc_work *w)
{
    uint32_t from = 0, to = 0;
    enum dpk_status status = find_host(l->sim, w->from, &from);
    if (status == DPK_OK)
        status = find_host(l->sim, w->to, &to);
    if (status == DPK_OK && from == to)
        status =
            dpk_fail(l->sim->err, DPK_ERR_RANGE, "the workload: a flow from %s to itself", w->from);
    return status == DPK_OK ? add(l, from, to, w->size, w->start_ns * 1000, w->stop_ns * 1000)
                            : status;
}

static enum dpk_status make_burst(struct list *l, const struct cc_work *w, uint32_t to,
                                  uint64_t start)
{
    const struct sim *s = l->sim;
    const uint32_t hosts = host_count(s);
    const uint32_t senders = w->flows && w->flows < hosts ? w->flows : hosts - 1;
    enum dpk_status status = DPK_OK;
    for (uint32_t i = 0, sent = 0; i < hosts && sent < senders && status == DPK_OK; i++) {
        const uint32_t from = host_at(s, i);
        if (from == to)
            continue;
        sent++;
        status = add(l, from, to, w->size, start, 0);
    }
    return status;
}

static enum dpk_status make_bursts(struct list *l, const struct cc_work *w)
{
    struct sim *s = l->sim;
    const uint64_t stop = w->stop_ns && w->stop_ns * 1000 < s->end ? w->stop_ns * 1000 : s->end;
    uint32_t to = host_at(s, host_count(s) - 1);
    enum dpk_status status = *w->to ? find_host(s, w->to, &to) : DPK_OK;
    if (status == DPK_OK && !w->size)
        status = dpk_fail(s->err, DPK_ERR_RANGE, "the workload: bursts have a size");
    for (uint64_t at = w->start_ns * 1000; at < stop && status == DPK_OK;
         at += w->period_ns * 1000) {
        status = make_burst(l, w, to, at);
        if (!w->period_ns)
            break;
    }
    return status;
}

uint64_t model_demands_gap(uint64_t mean, uint32_t load, uint64_t mbps)
{
    const wide longest = UINT64_MAX / 64; /* the model's random numbers are below 45 means */
    const wide gap = (wide)mean * 8 * 1000000 * 1000000 / (load ? load : 1) / mbps;
    return (uint64_t)(gap < longest ? gap : longest);
}

/* The arrivals of all hosts form one Poisson process, whose payload fills `load` of the hosts'
 * links. */
static enum dpk_status make_poisson(struct list *l, const struct cc_work *w)
{
    const struct sim *s = l->sim;
    const uint32_t hosts = host_count(s);
    const uint64_t stop = w->stop_ns && w->stop_ns * 1000 < s->end ? w->stop_ns * 1000 : s->end;
    uint64_t mbps = 0;
    for (uint32_t i = 0; i < hosts; i++)
        mbps += s->ports[s->nodes[host_at(s, i)].port].mbps;
    if (w->sizes == CC_SIZES_FILE && !w->point_count)
        return dpk_fail(s->err, DPK_ERR_NOT_FOUND, "the workload: %s was not read", w->file);
    const uint64_t gap = model_demands_gap(model_sizes_mean(w), w->load, mbps);
    uint64_t at = w->start_ns * 1000;
    enum dpk_status status = DPK_OK;
    while (status == DPK_OK && (at += model_cc_random_exponential(&l->random, gap) + 1) < stop) {
        const uint32_t from = model_cc_random_below(&l->random, hosts);
        const uint32_t to = model_cc_random_below(&l->random, hosts - 1);
        const uint64_t size = model_sizes_draw(w, &l->random);
        status = add(l, host_at(s, from), host_at(s, to + (to >= from)), size, at, 0);
    }
    return status;
}

/* Finds a host by its name or its number. */
static bool host_of_trace(const struct sim *s, const char *text, uint32_t *out)
{
    if (find_host(s, text, out) == DPK_OK)
        return true;
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number >= host_count(s))
        return false;
    *out = host_at(s, (uint32_t)number);
    return true;
}

static enum dpk_status make_trace(struct list *l, const struct cc_work *w)
{
    struct sim *s = l->sim;
    enum dpk_status status = DPK_OK;
    if (!w->demand_count)
        return dpk_fail(s->err, DPK_ERR_NOT_FOUND,
                        "the workload: a trace has a file (file=flows.csv), which has flows");
    for (uint32_t i = 0; i < w->demand_count && status == DPK_OK; i++) {
        const struct cc_demand *d = &w->demands[i];
        const uint64_t start = w->start_ns + d->start_ns;
        uint32_t from, to;
        if (!host_of_trace(s, d->from, &from) || !host_of_trace(s, d->to, &to))
            return dpk_fail(s->err, DPK_ERR_NOT_FOUND,
                            "%s, line %" PRIu32 ": the network has no host \"%s\"", w->file,
                            d->line, host_of_trace(s, d->from, &from) ? d->to : d->from);
        if (from == to)
            return dpk_fail(s->err, DPK_ERR_RANGE, "%s, line %" PRIu32 ": a flow from %s to itself",
                            w->file, d->line, d->from);
        if (start < s->end / 1000 && (!w->stop_ns || start < w->stop_ns))
            status = add(l, from, to, d->size, start * 1000, w->stop_ns * 1000);
    }
    return status;
}

/* A run that ends with its flows needs flows that end. */
static enum dpk_status check_ends(const struct sim *s, const struct cc_workload *work)
{
    for (uint32_t i = 0; i < work->count; i++) {
        const struct cc_work *w = &work->items[i];
        const bool goes_on = w->kind == CC_POISSON || (w->kind == CC_BURSTS && w->period_ns);
        if (goes_on && !w->stop_ns)
            return dpk_fail(s->err, DPK_ERR_USAGE,
                            "the run cannot end with its flows: %s flows begin all the time; "
                            "give the workload a `stop`",
                            w->kind == CC_POISSON ? "poisson" : "bursts of");
    }
    for (uint32_t i = 0; i < s->flow_count; i++)
        if (!s->flows[i].size && s->flows[i].stop == UINT64_MAX)
            return dpk_fail(s->err, DPK_ERR_USAGE,
                            "the run cannot end with its flows: flow %" PRIu32
                            " has no end; give the workload a `size` or a `stop`",
                            i);
    return DPK_OK;
}

/* ---- All flows ---- */

/* Sorts by start; `way` holds the order of creation, so that the sort is stable. */
static int compare(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->way < y->way ? -1 : x->way > y->way;
}

/* Flows without a fixed algorithm take turns, in the order of their starts. */
static enum dpk_status choose_algorithms(struct sim *s, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->flow_count; i++) {
        struct flow *f = &s->flows[i];
        if (count < 2)
            f->algorithm = 0;
        else if (f->algorithm > count)
            return dpk_fail(s->err, DPK_ERR_RANGE,
                            "the workload: algorithm %u of %" PRIu32 " that share the network",
                            f->algorithm, count);
        else if (f->algorithm)
            f->algorithm--;
        else
            f->algorithm = (uint8_t)(next++ % count);
    }
    return DPK_OK;
}

enum dpk_status model_demands_make(struct sim *s, const struct cc_workload *work, uint64_t seed)
{
    struct list l = {.sim = s, .random = model_cc_random_new(seed, 1)};
    enum dpk_status status = DPK_OK;
    if (host_count(s) < 2)
        return dpk_fail(s->err, DPK_ERR_RANGE, "a network has two hosts at least");
    for (uint32_t i = 0; i < work->count && status == DPK_OK; i++) {
        const struct cc_work *w = &work->items[i];
        l.algorithm = w->algorithm;
        switch (w->kind) {
        case CC_LONG:
            status = make_long(&l, w);
            break;
        case CC_BURSTS:
            status = make_bursts(&l, w);
            break;
        case CC_POISSON:
            status = make_poisson(&l, w);
            break;
        case CC_FLOW:
            status = make_flow(&l, w);
            break;
        case CC_TRACE:
            status = make_trace(&l, w);
            break;
        }
    }
    if (status == DPK_OK && !s->flow_count)
        status = dpk_fail(s->err, DPK_ERR_NOT_FOUND, "the workload has no flow in that time");
    for (uint32_t i = 0; i < s->flow_count; i++)
        s->flows[i].way = i;
    if (status == DPK_OK)
        qsort(s->flows, s->flow_count, sizeof *s->flows, compare);
    if (status == DPK_OK)
        status = choose_algorithms(s, work->algorithms);
    s->until_end = work->until_end;
    return status == DPK_OK && s->until_end ? check_ends(s, work) : status;
}
