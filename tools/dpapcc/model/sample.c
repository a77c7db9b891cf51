/* Samples: throughput of flows, queue lengths, fairness. */
#include "sim.h"

/* Returns the payload that the receiver accepted since the last sample. */
static uint64_t taken_since(const struct sim *s, const struct flow *f)
{
    uint64_t bytes = (uint64_t)(f->expected - f->sampled) * s->net->mtu;
    if (f->size && f->expected == f->end_psn && f->expected != f->sampled)
        bytes -= (uint64_t)f->end_psn * s->net->mtu - f->size;
    return bytes;
}

/* Removes an ended flow from the list of active flows. Its samples are zero from then on. */
static bool is_over(struct sim *s, uint32_t i)
{
    const uint32_t flow = s->active[i];
    const struct flow *f = &s->flows[flow];
    if ((!f->ended && s->now < f->stop) || f->expected != f->sampled)
        return false;
    s->samples[flow] = (struct cc_flow_sample){0};
    s->active[i] = s->active[--s->active_count];
    return true;
}

/* Returns Jain's index (sum x)^2 / (n * sum x^2) of flows that were active during the whole
 * interval. */
static double sample_flows(struct sim *s, uint64_t interval)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->active_count;) {
        if (is_over(s, i))
            continue;
        struct flow *f = &s->flows[s->active[i]];
        const uint64_t mbps = taken_since(s, f) * 8000000 / interval;
        s->samples[s->active[i]] = (struct cc_flow_sample){
            f->rate, mbps < UINT32_MAX ? (uint32_t)mbps : UINT32_MAX, f->sample_rtt};
        if (f->start <= s->now - interval && !f->ended && s->now < f->stop) {
            sum += (double)mbps;
            squares += (double)mbps * (double)mbps;
            count++;
        }
        f->sampled = f->expected;
        f->sample_rtt = 0;
        i++;
    }
    return count >= 2 && squares > 0 ? sum * sum / (count * squares) : 0;
}

static void sample_queues(struct sim *s)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        struct port *p = &s->ports[i];
        if (p->queue == NONE)
            continue;
        s->lengths[p->queue] = p->queued;
        s->peaks[p->queue] = p->peak;
        p->peak = p->queued;
    }
}

static uint64_t sum_of(const struct sim *s, size_t offset)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->port_count; i++)
        sum += *(const uint64_t *)((const char *)&s->ports[i] + offset);
    return sum;
}

void model_sample_take(struct sim *s)
{
    const uint64_t interval = s->now - s->sampled_at;
    const double fairness = sample_flows(s, interval);
    s->sampled_at = s->now;
    if (fairness > 0 && s->now > s->warmup) {
        s->fairness_sum += fairness;
        s->fairness_count++;
    }
    put(s, s->now + s->sample_every, WHAT_SAMPLE, 0);
    if (!s->recorder || !s->recorder->sample)
        return;
    sample_queues(s);
    const struct cc_sample sample = {
        s->now / 1000,
        s->flow_count,
        s->res->queue_count,
        s->samples,
        s->lengths,
        s->peaks,
        fairness,
        s->res->cnps,
        sum_of(s, offsetof(struct port, dropped)),
        sum_of(s, offsetof(struct port, pauses)),
    };
    s->recorder->sample(s->recorder->self, &sample);
}
