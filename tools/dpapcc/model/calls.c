/* Calls the algorithm, and applies its results. */
#include <inttypes.h>

#include "sim.h"

static const char *const names[CC_EVENT_TYPES] = {"TX", "ACK", "NACK", "CNP", "RTT"};

const char *model_cc_event_name(enum cc_event_type type)
{
    return (unsigned)type < CC_EVENT_TYPES ? names[type] : "?";
}

/* ---- Results ---- */

/* Changes the rate. The rest of the flow's waiting time is scaled to the new rate. */
static void change_rate(struct sim *s, uint32_t flow, uint32_t rate)
{
    struct flow *f = &s->flows[flow];
    const uint32_t old = f->rate;
    f->rate = rate;
    if (f->state != FLOW_WAITING || f->next_at <= s->now)
        return;
    __extension__ const unsigned __int128 left =
        (unsigned __int128)(f->next_at - s->now) * old / rate;
    f->next_at = left < s->end ? s->now + (uint64_t)left : s->now + s->end;
    if (f->next_at < f->timer_at) {
        f->timer_at = f->next_at;
        put(s, f->next_at, WHAT_FLOW, flow);
    }
}

static enum dpk_status apply(struct sim *s, uint32_t flow, const struct cc_result *result)
{
    struct flow *f = &s->flows[flow];
    if (result->rate == 0 || result->rate > CC_RATE_ONE)
        return dpk_fail(s->err, DPK_ERR_RANGE, "%s gave the rate %" PRIu32 "; rates are 1 to %u",
                        s->algorithm->name, result->rate, CC_RATE_ONE);
    if (result->rate != f->rate)
        change_rate(s, flow, result->rate);
    f->window = result->window;
    f->probe_wanted = f->probe_wanted || result->rtt_request;
    return DPK_OK;
}

static void end_run(struct sim *s, const struct cc_event *event, const char *what,
                    enum dpk_status status)
{
    s->res->failed = *event;
    s->res->failed.hops = NULL;
    s->res->failed.hop_count = 0;
    s->res->has_failed = true;
    if (s->err)
        s->err->status = status;
    dpk_error_prefix(s->err, "flow %" PRIu32 ", %s at %" PRIu64 " ns", event->flow, what,
                     event->time_ns);
    model_sim_fail(s, status);
}

static void *context_of(struct sim *s, uint32_t flow)
{
    return s->contexts + flow * s->algorithm->context_size;
}

/* ---- Events ---- */

void model_call_start(struct sim *s, uint32_t flow)
{
    const struct flow *f = &s->flows[flow];
    if (!s->algorithm->start)
        return;
    const struct cc_flow_start start = {
        flow,          f->from,        s->now / 1000,      s->ports[s->nodes[f->from].port].mbps,
        s->data_bytes, f->length - 1u, f->base_rtt / 1000, s->widest_rtt / 1000,
        f->algorithm};
    struct cc_result result = {f->rate, false, 0};
    enum dpk_status status =
        s->algorithm->start(s->algorithm->self, context_of(s, flow), &start, &result, s->err);
    if (status == DPK_OK)
        status = apply(s, flow, &result);
    if (status != DPK_OK) {
        const struct cc_event event = {.flow = flow, .host = f->from, .time_ns = s->now / 1000};
        end_run(s, &event, "start", status);
    }
}

static void note_rtt(struct sim *s, struct flow *f, const struct packet *p)
{
    const uint64_t rtt = (s->now - p->sent) / 1000;
    f->sample_rtt = rtt < UINT32_MAX ? (uint32_t)rtt : UINT32_MAX;
    if (s->now >= s->warmup)
        histogram_add(&s->rtts, f->sample_rtt, 1);
}

static void fill_from_packet(struct sim *s, struct cc_event *e, uint32_t index)
{
    const struct packet *p = &s->packets[index];
    e->psn = p->psn;
    if (p->kind != ACK && p->kind != ANSWER)
        return;
    e->sent_ns = p->sent / 1000;
    e->received_ns = p->received / 1000;
    if (s->hops) {
        e->hop_count = p->hops;
        e->hops = s->hops + (size_t)index * CC_HOPS_MAX;
    }
}

void model_call_event(struct sim *s, enum cc_event_type type, uint32_t flow, uint32_t p,
                      uint32_t packets, uint32_t flags)
{
    struct flow *f = &s->flows[flow];
    s->res->seen[type]++;
    if (type == CC_ACK || type == CC_RTT)
        note_rtt(s, f, &s->packets[p]);
    if (!(s->algorithm->events & 1u << type) || s->status != DPK_OK || f->ended)
        return;
    struct cc_event event = {.type = type,
                             .flags = flags | (f->called ? 0 : (uint32_t)CC_FLAG_FIRST),
                             .flow = flow,
                             .host = f->from,
                             .algorithm = f->algorithm,
                             .time_ns = s->now / 1000,
                             .psn = f->burst_first,
                             .packets = packets,
                             .bytes = type == CC_TX ? f->burst_bytes : packets * s->data_bytes};
    if (p != NONE)
        fill_from_packet(s, &event, p);
    f->called = true;
    struct cc_result result = {f->rate, false, f->window};
    enum dpk_status status =
        s->algorithm->event(s->algorithm->self, context_of(s, flow), &event, &result, s->err);
    s->res->calls[type]++;
    if (status == DPK_OK)
        status = apply(s, flow, &result);
    if (status != DPK_OK)
        end_run(s, &event, model_cc_event_name(type), status);
    else if (s->recorder && s->recorder->event)
        s->recorder->event(s->recorder->self, &event, &result);
}
