/* DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, the
 * reaction point (section 3.1, figure 7), with the parameters of its section 5.
 *
 * The paper's timers run independently. Here, as in a program on a card, each event first handles
 * the timers that have expired since the last event. A flow that sends has an event for each burst,
 * so a timer is late by at most the time between two bursts. */
#include "algorithms.h"

#define G             (1.0 / 256)
#define ALPHA_NS      55000    /* time without a CNP after which alpha falls */
#define TIMER_NS      55000    /* T */
#define COUNTER_BYTES 10000000 /* B */
#define RECOVERIES    5        /* F */
#define ADD_MBPS      40.0     /* R_AI */
#define HYPER_MBPS    200.0    /* R_HAI: 5 * R_AI, because the paper gives no value */
#define LEAST_MBPS    100.0 /* as in simulations of the HPCC artifact; the paper gives no value */
#define CATCH_UP_MAX  64    /* maximum number of periods that one event handles */

struct context {
    double current, target, alpha; /* Mb/s, Mb/s */
    double port;
    uint64_t alpha_at, timer_at; /* when they expire */
    uint32_t bytes, timers, counters;
};

static enum dpk_status start(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    c->port = flow->port_mbps;
    c->current = c->target = c->port;
    c->alpha = 1;
    c->alpha_at = flow->time_ns + ALPHA_NS;
    c->timer_at = flow->time_ns + TIMER_NS;
    result->rate = CC_RATE_ONE;
    return DPK_OK;
}

static void cut(struct context *c, uint64_t now)
{
    c->target = c->current;
    c->current *= 1 - c->alpha / 2;
    if (c->current < LEAST_MBPS)
        c->current = LEAST_MBPS < c->port ? LEAST_MBPS : c->port;
    c->alpha = (1 - G) * c->alpha + G;
    c->alpha_at = now + ALPHA_NS;
    c->timer_at = now + TIMER_NS;
    c->bytes = c->timers = c->counters = 0;
}

static void increase(struct context *c)
{
    const uint32_t most = c->timers > c->counters ? c->timers : c->counters;
    const uint32_t least = c->timers < c->counters ? c->timers : c->counters;
    if (least > RECOVERIES)
        c->target += (least - RECOVERIES) * HYPER_MBPS;
    else if (most > RECOVERIES)
        c->target += ADD_MBPS;
    if (c->target > c->port)
        c->target = c->port;
    c->current = (c->target + c->current) / 2;
}

static void pass_time(struct context *c, uint64_t now)
{
    for (uint32_t i = 0; c->alpha_at <= now && i < CATCH_UP_MAX; i++, c->alpha_at += ALPHA_NS)
        c->alpha *= 1 - G;
    for (uint32_t i = 0; c->timer_at <= now && i < CATCH_UP_MAX; i++, c->timer_at += TIMER_NS) {
        c->timers++;
        increase(c);
    }
    if (c->alpha_at <= now)
        c->alpha_at = now + ALPHA_NS;
    if (c->timer_at <= now)
        c->timer_at = now + TIMER_NS;
}

static enum dpk_status event(void *self, void *context, const struct cc_event *e,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    pass_time(c, e->time_ns);
    if (e->type == CC_CNP)
        cut(c, e->time_ns);
    c->bytes += e->type == CC_TX ? e->bytes : 0;
    if (c->bytes >= COUNTER_BYTES) {
        c->bytes -= COUNTER_BYTES;
        c->counters++;
        increase(c);
    }
    result->rate = rate_of(c->current, c->port);
    return DPK_OK;
}

const struct cc_algorithm model_cc_dcqcn = {.name = "dcqcn",
                                            .context_size = sizeof(struct context),
                                            .events = 1u << CC_TX | 1u << CC_CNP,
                                            .start = start,
                                            .event = event};
