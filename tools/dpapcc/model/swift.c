/* Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020: algorithm 1 with the target delay of section 3.1 and 3.5.
 *
 * The paper's sender has a window, and paces below one packet. A card has only a rate, so the
 * window is converted to a rate at every size: cwnd packets per round trip, as measured by the last
 * acknowledgement. This delay is the fabric's, because hosts of the model take no time. The paper
 * does not fix the delays; here the target is the empty network's round trip, 10 us for queues, 1
 * us for each switch, and up to 50 us for many flows. */
#include "algorithms.h"

#define ADD        1.0 /* ai: packets per round trip */
#define BETA       0.8
#define MAX_CUT    0.5           /* max_mdf */
#define HOP_NS     1000.0        /* for each switch */
#define BASE_NS    10000.0       /* added to the round trip of an empty network */
#define SCALE_NS   (5 * BASE_NS) /* fs_range */
#define SCALE_MIN  0.1           /* fs_min_cwnd, fs_max_cwnd: packets */
#define SCALE_MAX  100.0
#define WINDOW_MIN 0.001

struct context {
    double window; /* packets */
    double rtt;    /* last measurement, ns */
    double target; /* ns, without the part for many flows */
    double line;   /* line rate, packets per ns */
    double most;   /* packets */
    uint64_t cut_at;
};

/* Newton's method, because results of libm may differ between machines. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1;
    for (unsigned i = 0; i < 64; i++) {
        const double next = (root + x / root) / 2;
        if (next >= root)
            break;
        root = next;
    }
    return root;
}

static double target_of(const struct context *c)
{
    const double scale = SCALE_NS / (1 / square_root(SCALE_MIN) - 1 / square_root(SCALE_MAX));
    const double extra = scale / square_root(c->window) - scale / square_root(SCALE_MAX);
    return c->target + (extra < 0 ? 0 : extra > SCALE_NS ? SCALE_NS : extra);
}

static void limit(struct context *c)
{
    if (c->window > c->most)
        c->window = c->most;
    if (c->window < WINDOW_MIN)
        c->window = WINDOW_MIN;
}

static uint32_t rate(const struct context *c)
{
    return rate_of(c->window / c->rtt, c->line);
}

static enum dpk_status start(void *self, void *context, const struct cc_flow_start *flow,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    c->line = (double)flow->port_mbps / 8000 / flow->packet_bytes;
    c->rtt = (double)flow->base_rtt_ns;
    c->target = (double)flow->base_rtt_ns + BASE_NS + HOP_NS * flow->hops;
    c->most = 2 * c->line * c->target;
    c->window = c->line * c->rtt;
    limit(c);
    result->rate = rate(c);
    return DPK_OK;
}

static enum dpk_status event(void *self, void *context, const struct cc_event *e,
                             struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)err;
    struct context *c = context;
    const bool can_cut = (double)(e->time_ns - c->cut_at) >= c->rtt;
    const double before = c->window;
    if (e->type == CC_ACK) {
        const double delay = (double)(e->time_ns - e->sent_ns), target = target_of(c);
        c->rtt = delay;
        if (delay < target && c->window >= 1)
            c->window += ADD / c->window * e->packets;
        else if (delay < target)
            c->window += ADD * e->packets;
        else if (can_cut) {
            const double by = BETA * (delay - target) / delay;
            c->window *= 1 - (by < MAX_CUT ? by : MAX_CUT);
        }
    } else if (can_cut) {
        c->window *= 1 - MAX_CUT;
    }
    limit(c);
    if (c->window < before)
        c->cut_at = e->time_ns;
    result->rate = rate(c);
    return DPK_OK;
}

const struct cc_algorithm model_cc_swift = {.name = "swift",
                                            .context_size = sizeof(struct context),
                                            .events = 1u << CC_ACK | 1u << CC_NACK,
                                            .start = start,
                                            .event = event};
