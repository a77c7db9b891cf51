/* The receiving host: acknowledges packets in order, reports missing packets, and sends congestion
 * notifications. A packet becomes its own answer. */
#include "sim.h"

static void answer(struct sim *s, uint32_t index, enum kind kind, uint32_t psn, uint32_t bytes)
{
    struct packet *p = &s->packets[index];
    p->kind = (uint8_t)kind;
    p->psn = psn;
    p->bytes = (uint16_t)bytes;
    p->received = s->now;
    p->hop = 0;
    model_port_send_control(s, way_port(s, p->way, p->length, true, 0), index);
}

/* Sends at most one notification per interval in which marked packets arrive (DCQCN, section 3.1:
 * NP). */
static void notify(struct sim *s, struct flow *f, uint32_t flow)
{
    if (s->now < f->cnp_at)
        return;
    const uint32_t p = model_packet_new(s, flow);
    if (p == NONE)
        return;
    f->cnp_at = s->now + s->net->cnp_interval_ns * 1000;
    s->res->cnps++;
    mark(s, CC_MARK_CNP, flow, NONE);
    answer(s, p, CNP, 0, CNP_BYTES);
}

void model_receiver_receive(struct sim *s, uint32_t index)
{
    const uint32_t flow = s->packets[index].flow;
    struct flow *f = &s->flows[flow];
    if (s->packets[index].kind == PROBE) {
        answer(s, index, ANSWER, s->packets[index].psn, PROBE_BYTES);
        return;
    }
    s->res->data_received++;
    if (s->packets[index].flags & MARKED) {
        s->res->marked++;
        notify(s, f, flow); /* packets may move */
    }
    const struct packet *p = &s->packets[index];
    const int32_t ahead = (int32_t)(p->psn - f->expected);
    const uint32_t psn = p->psn;
    if (ahead != 0)
        s->res->out_of_order++;
    if (ahead > 0) {
        const bool asked = f->nacked;
        f->nacked = true;
        if (asked)
            model_packet_free(s, index);
        else
            answer(s, index, NACK, f->expected, ACK_BYTES);
        return;
    }
    if (ahead == 0) {
        f->expected++;
        f->nacked = false;
    }
    if (ahead < 0) /* a duplicate: acknowledge everything received */
        answer(s, index, ACK, f->expected - 1, ACK_BYTES);
    else if (p->flags & ACK_WANTED)
        answer(s, index, ACK, psn, ACK_BYTES);
    else
        model_packet_free(s, index);
}
