/* The sending host: rate limiter, bursts, unacknowledged packets, and retransmission (go-back-N).
 * Flows that may send take turns at the host's port, one burst each. */
#include "sim.h"

#define LIMITER_UNIT 64 /* unit of the limiter, bytes */

/* Returns the time of `units` at a rate. It cannot overflow, because a burst has at most 64
 * packets. */
static uint64_t limiter_time(uint64_t units, uint32_t rate, uint32_t mbps)
{
    const uint64_t line = units * LIMITER_UNIT * 8000000;
    return rate == CC_RATE_ONE ? line / mbps : line * CC_RATE_ONE / ((uint64_t)rate * mbps);
}

static bool has_data(const struct sim *s, const struct flow *f)
{
    if (f->ended || f->next_psn == f->end_psn)
        return false;
    const uint64_t unanswered = (uint64_t)(f->next_psn - f->acked_psn) * s->data_bytes;
    return !f->window || !unanswered || unanswered + s->data_bytes <= f->window;
}

static uint32_t payload_of(const struct sim *s, const struct flow *f, uint32_t psn)
{
    if (f->size && psn + 1 == f->end_psn)
        return (uint32_t)(f->size - (uint64_t)(f->end_psn - 1) * s->net->mtu);
    return s->net->mtu;
}

/* ---- Scheduling ---- */

static void make_ready(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    struct node *host = &s->nodes[f->from];
    f->state = FLOW_READY;
    f->ready_next = NONE;
    if (host->head == NONE)
        host->head = flow;
    else
        s->flows[host->tail].ready_next = flow;
    host->tail = flow;
}

/* Sets the state of a flow that is neither ready nor waiting. The port is busy until
 * `busy_until`. */
static void schedule(struct sim *s, uint32_t flow, uint64_t busy_until)
{
    struct flow *f = &s->flows[flow];
    if (!has_data(s, f)) {
        f->state = FLOW_IDLE;
    } else if (f->next_at <= busy_until) {
        make_ready(s, flow);
    } else {
        f->state = FLOW_WAITING;
        if (f->timer_at > f->next_at) {
            f->timer_at = f->next_at;
            put(s, f->next_at, WHAT_FLOW, flow);
        }
    }
}

/* Schedules a flow that is in the state `from`, and starts the port if the flow may send. */
static void move_on(struct sim *s, uint32_t flow, enum flow_state from)
{
    struct flow *f = &s->flows[flow];
    if (f->state != from)
        return;
    schedule(s, flow, s->now);
    if (f->state == FLOW_READY)
        model_port_kick(s, s->nodes[f->from].port);
}

void model_sender_timer(struct sim *s, uint32_t flow, uint64_t at)
{
    struct flow *f = &s->flows[flow];
    if (at != f->timer_at)
        return; /* replaced by an earlier timer */
    f->timer_at = UINT64_MAX;
    move_on(s, flow, FLOW_WAITING);
}

static void wake(struct sim *s, uint32_t flow)
{
    move_on(s, flow, FLOW_IDLE);
}

static void watch(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    if (f->timing)
        return;
    f->timing = true;
    f->progress_at = s->now;
    put(s, s->now + s->net->timeout_ns * 1000, WHAT_TIMEOUT, flow);
}

/* ---- Sending ---- */

static void send_probe(struct sim *s, uint32_t flow)
{
    const uint32_t index = model_packet_new(s, flow);
    if (index == NONE)
        return;
    struct flow *f = &s->flows[flow];
    struct packet *p = &s->packets[index];
    p->kind = PROBE;
    p->psn = f->probes++;
    p->bytes = PROBE_BYTES;
    p->sent = s->now;
    s->res->probes++;
    model_fifo_put(s, &s->ports[s->nodes[f->from].port].control, index);
}

static void end_burst(struct sim *s, uint32_t flow, uint64_t free_at)
{
    struct flow *f = &s->flows[flow];
    uint32_t flags = f->burst_resent ? CC_FLAG_RETRANSMITTED : 0;
    f->burst_left = 0;
    if (f->probe_wanted) {
        f->probe_wanted = false;
        flags |= CC_FLAG_RTT_REQUEST_SENT;
        send_probe(s, flow);
    }
    model_call_event(s, CC_TX, flow, NONE, f->burst_packets, flags);
    /* A flow that waited for the port may catch up at most one burst. */
    const uint64_t bytes = (uint64_t)f->burst_bytes + f->rest;
    f->rest = (uint32_t)(bytes % LIMITER_UNIT);
    const uint32_t mbps = s->ports[s->nodes[f->from].port].mbps;
    f->next_at += limiter_time(bytes / LIMITER_UNIT, f->rate, mbps);
    if (f->next_at < f->burst_at)
        f->next_at = f->burst_at;
    schedule(s, flow, free_at);
}

static void begin_burst(struct sim *s, struct flow *f)
{
    f->burst_first = f->next_psn;
    f->burst_left = s->net->burst;
    f->burst_packets = f->burst_bytes = 0;
    f->burst_resent = false;
    f->burst_at = s->now;
}

static uint32_t make_packet(struct sim *s, uint32_t flow)
{
    const uint32_t index = model_packet_new(s, flow);
    if (index == NONE)
        return NONE;
    struct flow *f = &s->flows[flow];
    struct packet *p = &s->packets[index];
    p->psn = f->next_psn;
    p->bytes = (uint16_t)(payload_of(s, f, p->psn) + s->data_bytes - s->net->mtu);
    p->sent = s->now;
    f->next_psn++;
    if ((p->psn + 1) % s->net->ack_every == 0 || !has_data(s, f))
        p->flags = ACK_WANTED;
    f->packets++;
    if ((int32_t)(f->next_psn - f->sent_psn) > 0) {
        f->sent_psn = f->next_psn;
    } else {
        f->resent++;
        f->burst_resent = true;
    }
    s->res->data_sent++;
    f->burst_packets++;
    f->burst_bytes += p->bytes;
    f->burst_left--;
    return index;
}

void model_sender_over(struct sim *s, struct flow *f)
{
    s->flows_over += !f->ended;
    f->ended = true;
}

/* Returns true if the flow whose turn it is may send. If not, the flow leaves the list. */
static bool has_turn(struct sim *s, struct node *host, struct flow *f)
{
    if (!f->burst_left && s->now >= f->stop)
        model_sender_over(s, f);
    if (has_data(s, f))
        return true;
    host->head = f->ready_next;
    f->burst_left = 0;
    f->state = FLOW_IDLE;
    return false;
}

uint32_t model_sender_packet(struct sim *s, uint32_t node)
{
    struct node *host = &s->nodes[node];
    while (host->head != NONE) {
        const uint32_t flow = host->head;
        struct flow *f = &s->flows[flow];
        if (!has_turn(s, host, f))
            continue;
        if (!f->burst_left)
            begin_burst(s, f);
        const uint32_t p = make_packet(s, flow);
        if (p == NONE)
            return NONE;
        watch(s, flow);
        if (!f->burst_left || !has_data(s, f)) {
            const uint32_t mbps = s->ports[host->port].mbps;
            host->head = f->ready_next;
            end_burst(s, flow, s->now + time_on_wire(s->packets[p].bytes, mbps));
        }
        return p;
    }
    return NONE;
}

void model_sender_start(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    f->begun = true;
    f->next_at = s->now;
    f->timer_at = UINT64_MAX;
    f->rate = CC_RATE_ONE;
    s->active[s->active_count++] = flow;
    mark(s, CC_MARK_START, flow, NONE);
    model_call_start(s, flow);
    wake(s, flow);
}

/* ---- Answers ---- */

static void finish(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    model_sender_over(s, f);
    f->end = s->now;
    s->res->finished++;
    mark(s, CC_MARK_END, flow, NONE);
}

/* Handles the acknowledgement of all packets before `psn`. Returns the number of newly acknowledged
 * packets. */
static uint32_t acknowledge(struct sim *s, uint32_t flow, uint32_t psn)
{
    struct flow *f = &s->flows[flow];
    const int32_t fresh = (int32_t)(psn - f->acked_psn);
    if (fresh <= 0)
        return 0;
    f->acked_psn = psn;
    f->progress_at = s->now;
    if ((int32_t)(f->next_psn - psn) < 0)
        f->next_psn = psn; /* skip packets that need not be resent */
    if (f->size && psn == f->end_psn && !f->ended)
        finish(s, flow);
    return (uint32_t)fresh;
}

static void go_back(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    f->next_psn = f->acked_psn;
    wake(s, flow);
}

void model_sender_timeout(struct sim *s, uint32_t flow)
{
    struct flow *f = &s->flows[flow];
    const uint64_t timeout = s->net->timeout_ns * 1000;
    f->timing = false;
    if (f->ended || f->acked_psn == f->sent_psn)
        return;
    f->timing = true;
    if (s->now - f->progress_at >= timeout) {
        f->timeouts++;
        f->progress_at = s->now;
        go_back(s, flow);
    }
    put(s, f->progress_at + timeout, WHAT_TIMEOUT, flow);
}

void model_sender_receive(struct sim *s, uint32_t index)
{
    const struct packet *p = &s->packets[index];
    const uint32_t flow = p->flow;
    struct flow *f = &s->flows[flow];
    const uint32_t marked = p->flags & MARKED ? CC_FLAG_MARKED : 0;
    switch ((enum kind)p->kind) {
    case ACK: {
        const uint32_t fresh = acknowledge(s, flow, p->psn + 1);
        model_call_event(s, CC_ACK, flow, index, fresh, marked);
        break;
    }
    case NACK: {
        const uint32_t fresh = acknowledge(s, flow, p->psn);
        f->nacks++;
        if (f->acked_psn == p->psn && !f->ended)
            go_back(s, flow);
        model_call_event(s, CC_NACK, flow, index, fresh, 0);
        break;
    }
    case CNP:
        f->cnps++;
        model_call_event(s, CC_CNP, flow, index, 0, 0);
        break;
    case ANSWER:
        model_call_event(s, CC_RTT, flow, index, 0, 0);
        break;
    default:
        break;
    }
    wake(s, flow);
}
