/* Runs the model. */
#include <inttypes.h>
#include <stdlib.h>

#include "shapes.h"
#include "sim.h"

#define PREFETCH_AHEAD 8 /* events */
#define TIME_MAX_NS    ((uint64_t)10000000000)

/* ---- Setup ---- */

/* Returns a RED threshold for a port. By default it is 100 KB and 400 KB per 25 Gb/s, as in the
 * HPCC artifact for DCQCN (mix/config_doc.txt). */
static uint32_t threshold(uint64_t set, uint64_t other, uint32_t by_rate, uint32_t mbps)
{
    const uint64_t value = set || other ? set : (uint64_t)by_rate * mbps / 25000;
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void make_port(struct sim *s, uint32_t index, uint32_t from, uint32_t to,
                      const struct cc_link *link)
{
    const struct cc_topology *net = s->net;
    const bool is_switch = net->nodes[from].is_switch;
    s->ports[index] = (struct port){
        .node = from,
        .peer = to,
        .mbps = link->rate_mbps,
        .delay = link->delay_ns * 1000,
        .is_switch = is_switch,
        .data = {NONE, NONE},
        .control = {NONE, NONE},
        .queue = is_switch ? s->res->queue_count++ : NONE,
        .kmin = threshold(net->kmin, net->kmax, 100000, link->rate_mbps),
        .kmax = threshold(net->kmax, net->kmin, 400000, link->rate_mbps),
    };
    if (!is_switch)
        s->nodes[from].port = index;
}

static enum dpk_status make_network(struct sim *s)
{
    const struct cc_topology *net = s->net;
    s->port_count = 2 * net->link_count;
    s->nodes = calloc(net->node_count, sizeof *s->nodes);
    s->ports = calloc(s->port_count, sizeof *s->ports);
    if (!s->nodes || !s->ports)
        return dpk_fail_nomem(s->err);
    for (uint32_t i = 0; i < net->node_count; i++)
        s->nodes[i] = (struct node){
            .is_switch = net->nodes[i].is_switch, .port = NONE, .head = NONE, .tail = NONE};
    for (uint32_t i = 0; i < net->link_count; i++) {
        const struct cc_link *l = &net->links[i];
        make_port(s, 2 * i, l->from, l->to, l);
        make_port(s, 2 * i + 1, l->to, l->from, l);
    }
    return DPK_OK;
}

/* Returns the time that one packet takes along the path without queues; also gets the slowest
 * rate. */
static uint64_t time_of_way(const struct sim *s, const struct flow *f, uint64_t bytes,
                            uint32_t *slowest)
{
    uint64_t time = 0;
    *slowest = UINT32_MAX;
    for (uint32_t hop = 0; hop < f->length; hop++) {
        const struct port *p = &s->ports[way_port(s, f->way, f->length, false, hop)];
        time += time_on_wire(bytes, p->mbps) + p->delay;
        if (p->mbps < *slowest)
            *slowest = p->mbps;
    }
    return time;
}

/* Ideal time: the first packet travels the path, the others follow at the slowest link's rate, and
 * the last acknowledgement returns. */
static void find_ideal(struct sim *s, struct flow *f)
{
    const uint64_t header = s->data_bytes - s->net->mtu;
    uint32_t slowest;
    const uint64_t back = time_of_way(s, f, ACK_BYTES, &slowest);
    f->base_rtt = time_of_way(s, f, s->data_bytes, &slowest) + back;
    if (f->base_rtt > s->widest_rtt)
        s->widest_rtt = f->base_rtt;
    if (!f->size)
        return;
    const uint64_t first = (f->size < s->net->mtu ? f->size : s->net->mtu) + header;
    const uint64_t all = f->size + f->end_psn * header;
    f->ideal = time_of_way(s, f, first, &slowest) + back;
    f->ideal += time_on_wire(all - first, slowest);
}

static enum dpk_status make_flows(struct sim *s, const struct cc_workload *work, uint64_t seed)
{
    enum dpk_status status = model_demands_make(s, work, seed);
    if (status != DPK_OK)
        return status;
    struct ways *ways = model_ways_new(s);
    if (!ways)
        return dpk_fail_nomem(s->err);
    for (uint32_t i = 0; i < s->flow_count && status == DPK_OK; i++) {
        status = model_ways_find(ways, &s->flows[i], i);
        if (status == DPK_OK)
            find_ideal(s, &s->flows[i]);
    }
    if (s->net->failure_count && s->net->reroute_ns)
        s->search = ways;
    else
        model_ways_free(ways);
    return status;
}

static enum dpk_status make_measures(struct sim *s)
{
    const size_t queues = s->res->queue_count, flows = s->flow_count;
    s->active = calloc(flows, sizeof *s->active);
    s->samples = calloc(flows, sizeof *s->samples);
    s->agenda = model_agenda_new();
    s->contexts = calloc(flows, s->algorithm->context_size + (size_t)1);
    s->lengths = calloc(queues, sizeof *s->lengths);
    s->peaks = calloc(queues, sizeof *s->peaks);
    if (!s->active || !s->samples || !s->contexts || !s->agenda || !s->lengths || !s->peaks)
        return dpk_fail_nomem(s->err);
    return DPK_OK;
}

static enum dpk_status check_time(const struct sim *s, uint64_t time_ns)
{
    uint32_t fastest = 0;
    for (uint32_t i = 0; i < s->net->link_count; i++)
        if (s->net->links[i].rate_mbps > fastest)
            fastest = s->net->links[i].rate_mbps;
    if (time_ns < 1 || time_ns > TIME_MAX_NS)
        return dpk_fail(s->err, DPK_ERR_RANGE, "a run is 1 ns to 10 s of virtual time");
    if (time_ns * fastest / 8000 / s->data_bytes > INT32_MAX) /* packet numbers have 32 bits */
        return dpk_fail(s->err, DPK_ERR_RANGE, "%" PRIu64 " ns are too many packets at %u Mb/s",
                        time_ns, fastest);
    return DPK_OK;
}

static enum dpk_status set_up(struct sim *s, const struct cc_workload *work, uint64_t seed,
                              uint64_t time_ns)
{
    enum dpk_status status = model_shape_check(s->net, s->err);
    if (status == DPK_OK)
        status = check_time(s, time_ns);
    if (status == DPK_OK)
        status = make_network(s);
    if (status == DPK_OK)
        status = make_flows(s, work, seed);
    return status == DPK_OK ? make_measures(s) : status;
}

static void tear_down(struct sim *s)
{
    for (uint32_t i = 0; s->ports && i < s->port_count; i++)
        model_histogram_free(&s->ports[i].lengths);
    model_ways_free(s->search);
    model_histogram_free(&s->rtts);
    model_agenda_free(s->agenda);
    free(s->nodes);
    free(s->ports);
    free(s->ways);
    free(s->flows);
    free(s->contexts);
    free(s->packets);
    free(s->hops);
    free(s->active);
    free(s->samples);
    free(s->lengths);
    free(s->peaks);
}

/* ---- Running ---- */

static void start_flow(struct sim *s, uint32_t flow)
{
    if (flow + 1 < s->flow_count)
        put(s, s->flows[flow + 1].start, WHAT_START, flow + 1);
    model_sender_start(s, flow);
}

/* Takes both ports of a link down or up. */
static void change_link(struct sim *s, uint32_t failure, bool up)
{
    const uint32_t port = 2 * s->net->failures[failure].link;
    for (uint32_t i = 0; i < 2; i++)
        if (up)
            model_port_repair(s, port + i);
        else
            model_port_fail(s, port + i);
    if (s->search)
        put(s, s->now + s->net->reroute_ns * 1000, WHAT_REROUTE, 0);
}

static void plan_failures(struct sim *s)
{
    for (uint32_t i = 0; i < s->net->failure_count; i++) {
        const struct cc_failure *f = &s->net->failures[i];
        put(s, f->down_ns * 1000, WHAT_DOWN, i);
        if (f->up_ns)
            put(s, f->up_ns * 1000, WHAT_UP, i);
    }
}

static void happen(struct sim *s, uint32_t what)
{
    const uint32_t index = index_of(what);
    switch (what_of(what)) {
    case WHAT_ARRIVAL:
        model_port_arrival(s, index);
        break;
    case WHAT_PORT:
        model_port_turn(s, index);
        break;
    case WHAT_FLOW:
        model_sender_timer(s, index, s->now);
        break;
    case WHAT_TIMEOUT:
        model_sender_timeout(s, index);
        break;
    case WHAT_PAUSE:
        model_port_pause(s, index, true);
        break;
    case WHAT_RESUME:
        model_port_pause(s, index, false);
        break;
    case WHAT_START:
        start_flow(s, index);
        break;
    case WHAT_SAMPLE:
        model_sample_take(s);
        break;
    case WHAT_DOWN:
    case WHAT_UP:
        change_link(s, index, what_of(what) == WHAT_UP);
        break;
    case WHAT_REROUTE:
        model_ways_change(s);
        break;
    }
}

/* Asks the caller, at most a thousand times, whether to go on. */
static bool goes_on(struct sim *s)
{
    if (!s->recorder || !s->recorder->progress || s->now < s->told_at)
        return true;
    s->told_at = s->now + s->end / 1000;
    return s->recorder->progress(s->recorder->self, s->now / 1000, s->end / 1000);
}

/* Prefetches the data of an entry that comes soon. */
static void prefetch(const struct sim *s)
{
    const struct agenda_entry *e = agenda_peek(s->agenda, PREFETCH_AHEAD);
    if (e && what_of(e->what) == WHAT_ARRIVAL)
        __builtin_prefetch(&s->packets[index_of(e->what)]);
    else if (e && what_of(e->what) == WHAT_PORT)
        __builtin_prefetch(&s->ports[index_of(e->what)]);
}

static void run(struct sim *s)
{
    plan_failures(s);
    put(s, s->flows[0].start, WHAT_START, 0);
    put(s, s->sample_every, WHAT_SAMPLE, 0);
    bool wanted = true;
    struct agenda_entry e;
    while (wanted && s->status == DPK_OK && model_agenda_take(s->agenda, &e)) {
        prefetch(s);
        s->now = e.at;
        s->res->events++;
        happen(s, e.what);
        wanted = goes_on(s) && !(s->until_end && s->flows_over == s->flow_count);
    }
    if (s->agenda->failed)
        model_sim_fail(s, dpk_fail_nomem(s->err));
    if (s->status == DPK_OK && wanted)
        s->now = s->end;
}

enum dpk_status model_cc_run(const struct cc_topology *net, const struct cc_workload *work,
                             const struct cc_algorithm *algorithm, uint64_t seed, uint64_t time_ns,
                             const struct cc_recorder *recorder, struct cc_results *res,
                             struct dpk_error *err)
{
    *res = (struct cc_results){0};
    const uint64_t every =
        recorder && recorder->interval_ns ? recorder->interval_ns : time_ns / 1000;
    struct sim s = {
        .net = net,
        .algorithm = algorithm,
        .recorder = recorder,
        .res = res,
        .err = err,
        .end = time_ns * 1000,
        .warmup = net->warmup_ns * 1000,
        .marking = model_cc_random_new(seed, 2),
        .hash = model_cc_mix(seed ^ 3),
        .packet_free = NONE,
        .data_bytes = net->mtu + HEADER_BYTES + (algorithm->telemetry ? TELEMETRY_BYTES : 0),
        .sample_every = (every ? every : 1) * 1000,
    };
    enum dpk_status status = set_up(&s, work, seed, time_ns);
    if (status == DPK_OK) {
        run(&s);
        status = model_results_make(&s);
        if (s.status != DPK_OK)
            status = s.status;
    }
    tear_down(&s);
    return status;
}
