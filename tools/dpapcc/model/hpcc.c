/* HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1 with the
 * parameters of its section 5.1: eta 95 %, maxStage 5, W_AI 80 bytes. */
#include "algorithms.h"

#define ETA       0.95
#define MAX_STAGE 5
#define ADD_BYTES 80.0 /* W_AI */

struct context {
    double window, reference, usage; /* W, W^c in bytes, U */
    double port, most, rtt;          /* Mb/s, W_init in bytes, T in ns */
    uint32_t stage, sent_psn, update_psn;
    uint32_t hop_count;
    struct cc_hop hops[CC_HOPS_MAX]; /* from the last acknowledgement */
};

static enum dpk_status start(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    c->port = flow->port_mbps;
    c->rtt = (double)flow->widest_rtt_ns;
    c->most = c->port * c->rtt / 8000;
    c->window = c->reference = c->most;
    result->rate = CC_RATE_ONE;
    result->window = (uint64_t)c->most + 1;
    return DPK_OK;
}

/* MeasureInflight: the greatest usage of a link, as a moving average over T. */
static bool measure(struct context *c, const struct cc_event *e)
{
    double usage = 0, tau = 0;
    for (uint32_t i = 0; i < e->hop_count; i++) {
        const struct cc_hop *now = &e->hops[i], *before = &c->hops[i];
        const double passed = (double)(now->time_ns - before->time_ns);
        if (now->queue != before->queue || now->time_ns <= before->time_ns)
            continue;
        const double rate = (double)(now->tx_bytes - before->tx_bytes) * 8000 / passed;
        const uint32_t queue =
            now->queue_bytes < before->queue_bytes ? now->queue_bytes : before->queue_bytes;
        const double of_link =
            (double)queue * 8000 / (now->rate_mbps * c->rtt) + rate / now->rate_mbps;
        if (of_link > usage) {
            usage = of_link;
            tau = passed;
        }
    }
    if (tau <= 0)
        return false;
    if (tau > c->rtt)
        tau = c->rtt;
    c->usage = (1 - tau / c->rtt) * c->usage + tau / c->rtt * usage;
    return true;
}

/* ComputeWind */
static void compute(struct context *c, bool update)
{
    if (c->usage >= ETA || c->stage >= MAX_STAGE) {
        c->window = c->reference / (c->usage / ETA) + ADD_BYTES;
        if (update)
            c->stage = 0;
    } else {
        c->window = c->reference + ADD_BYTES;
        if (update)
            c->stage++;
    }
    if (c->window > c->most)
        c->window = c->most;
    if (c->window < ADD_BYTES)
        c->window = ADD_BYTES;
    if (update)
        c->reference = c->window;
}

static void remember(struct context *c, const struct cc_event *e)
{
    for (uint32_t i = 0; i < e->hop_count; i++)
        c->hops[i] = e->hops[i];
    c->hop_count = e->hop_count;
}

static enum dpk_status event(void *self, void *context, const struct cc_event *e,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    if (e->type == CC_TX) {
        c->sent_psn = e->psn + e->packets;
        return DPK_OK;
    }
    const bool first = !c->hop_count;
    const bool update = (int32_t)(e->psn - c->update_psn) > 0;
    if (!first && measure(c, e))
        compute(c, update);
    if (first || update)
        c->update_psn = c->sent_psn;
    remember(c, e);
    result->window = (uint64_t)c->window + 1;
    result->rate = rate_of(c->window * 8000 / c->rtt, c->port);
    return DPK_OK;
}

const struct cc_algorithm model_cc_hpcc = {.name = "hpcc",
                                           .context_size = sizeof(struct context),
                                           .events = 1u << CC_TX | 1u << CC_ACK,
                                           .telemetry = true,
                                           .start = start,
                                           .event = event};
