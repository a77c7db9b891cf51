/* Pacing: queue pairs send at the rates that a process of congestion control sets. */
#include "pace.h"

#include <stdlib.h>
#include <string.h>

#include "gateway.h"

/* The port has 100 Gbit/s, 12.5 bytes a nanosecond. A unit of credit is a byte / 2^21, so a rate of
 * r / DPK_RATES_MAX adds r * LINE units in a nanosecond. */
#define LINE 25
#define BYTE ((int64_t)1 << 21)

#define FILL_NS 200000u      /* a bucket has at most the credit of this time */
#define LONG_NS 10000000000u /* this time fills any empty bucket */
#define LOOK_NS 1000000u     /* time between two looks of a waiting queue pair at its rate */

/* Bytes of a message on the wire with the port's active MTU: each packet has preamble, Ethernet,
 * IPv4, UDP, BTH, ICRC, FCS and gap. */
#define MTU  1024u
#define HEAD 82u

/* ---- Devices ---- */

struct pace *pairs_pace_use(struct dpk_rc *rc, const char *device)
{
    struct pace *p;
    SLIST_FOREACH(p, &rc->paces, link)
    if (device && strcmp(p->device, device) == 0) {
        p->uses++;
        return p;
    }
    if (!device || !(p = calloc(1, sizeof *p)))
        return NULL;
    p->device = strdup(device);
    if (!p->device || dpk_rates_open(device, &p->rates, NULL) != DPK_OK) {
        free(p->device);
        free(p);
        return NULL;
    }
    p->uses = 1;
    SLIST_INSERT_HEAD(&rc->paces, p, link);
    return p;
}

void pairs_pace_leave_server(struct dpk_rc *rc, struct pace *p)
{
    if (dpk_rates_on(p->rates))
        pairs_gateway_ignore(rc, dpk_rates_socket(p->rates));
    dpk_rates_leave(p->rates);
}

void pairs_pace_leave(struct dpk_rc *rc, struct pace *p)
{
    if (!p || --p->uses > 0)
        return;
    pairs_pace_leave_server(rc, p);
    dpk_rates_close(p->rates);
    SLIST_REMOVE(&rc->paces, p, pace, link);
    free(p->device);
    free(p);
}

/* Without a thread nothing would kick waiting queue pairs, so no queue pair waits. */
static void join_server(struct dpk_rc *rc, struct pace *p)
{
    pairs_pace_leave_server(rc, p);
    if (!dpk_rates_join(p->rates))
        return;
    if ((!rc->gateway && pairs_gateway_start(rc, NULL) != DPK_OK) ||
        !pairs_gateway_watch(rc, dpk_rates_socket(p->rates)))
        dpk_rates_leave(p->rates);
    else if (++p->joined == 0)
        p->joined = 1;
}

/* ---- Flows ---- */

void pairs_pace_end_wait(struct dpk_rc_qp *qp)
{
    if (qp->paced.waits)
        TAILQ_REMOVE(&qp->end->rc->paced, qp, paced.link);
    qp->paced.waits = false;
}

void pairs_pace_forget(struct dpk_rc_qp *qp)
{
    struct pace *p = qp->end->pace;
    pairs_pace_end_wait(qp);
    if (p && qp->paced.joined == p->joined)
        dpk_rates_release(p->rates, qp->paced.flow);
    qp->paced = (struct paced){0};
}

/* A flow starts with a full bucket. */
static void begin(struct dpk_rc_qp *qp, uint64_t now)
{
    struct pace *p = qp->end->pace;
    pairs_pace_end_wait(qp);
    qp->paced = (struct paced){.joined = p->joined, .flow = dpk_rates_claim(p->rates)};
    qp->paced.filled_ns = now - FILL_NS;
}

static struct dpk_rates_flow *flow_of(struct dpk_rc_qp *qp)
{
    return dpk_rates_flow(qp->end->pace->rates, qp->paced.flow);
}

/* Returns whether the current server sets the rate of the queue pair. */
static bool is_limited(const struct dpk_rc_qp *qp)
{
    const struct pace *p = qp->end->pace;
    return p && qp->paced.joined != 0 && qp->paced.joined == p->joined && dpk_rates_on(p->rates) &&
           qp->paced.flow != DPK_RATES_NONE;
}

static void fill(struct paced *f, uint32_t rate, uint64_t now)
{
    const uint64_t passed = now - f->filled_ns < LONG_NS ? now - f->filled_ns : LONG_NS;
    const int64_t full = (int64_t)rate * LINE * FILL_NS;
    f->credit += (int64_t)(passed * LINE) * (int64_t)rate;
    if (f->credit > full)
        f->credit = full;
    f->filled_ns = now;
}

static void wait_until_due(struct dpk_rc_qp *qp, uint32_t rate, uint64_t now)
{
    struct dpk_rc *rc = qp->end->rc;
    struct paced *f = &qp->paced;
    const uint64_t left = (uint64_t)(-f->credit / ((int64_t)rate * LINE) + 1);
    f->due_ns = now + (left < LOOK_NS ? left : LOOK_NS);
    if (!f->waits)
        TAILQ_INSERT_TAIL(&rc->paced, qp, paced.link);
    f->waits = true;
    if (f->due_ns < rc->paced_ns)
        pairs_gateway_alarm(rc, rc->paced_ns = f->due_ns);
}

bool pairs_pace_allows(struct dpk_rc_qp *qp)
{
    struct pace *p = qp->end->pace;
    struct paced *f = &qp->paced;
    const uint64_t now = dpk_now_ns();
    if (dpk_rates_look(p->rates))
        join_server(qp->end->rc, p);
    if (dpk_rates_on(p->rates) && f->joined != p->joined)
        begin(qp, now);
    if (!is_limited(qp)) {
        f->joined = 0;
        return true;
    }
    dpk_rates_take(p->rates);
    const uint32_t rate = flow_of(qp)->rate;
    fill(f, rate, now);
    if (f->credit < 0)
        wait_until_due(qp, rate, now);
    else
        pairs_pace_end_wait(qp);
    return f->credit >= 0;
}

/* ---- Requests and answers ---- */

static uint32_t bytes_of(const struct request *r)
{
    return r->opcode <= DPK_RC_READ ? r->size : sizeof(uint64_t);
}

static uint32_t packets_of(uint32_t bytes)
{
    return bytes == 0 ? 1 : (bytes + MTU - 1) / MTU;
}

static int64_t cost_of(uint32_t bytes)
{
    return (bytes + (int64_t)packets_of(bytes) * HEAD) * BYTE;
}

static void add(struct burst *b, uint64_t now, uint32_t serial, uint32_t bytes, uint32_t count)
{
    if (b->count == 0)
        *b = (struct burst){.first_ns = now, .first_serial = serial};
    b->last_ns = now;
    b->serial = serial;
    b->bytes += bytes;
    b->count += count;
}

void pairs_pace_sent(struct dpk_rc_qp *qp, const struct request *r)
{
    struct paced *f = &qp->paced;
    const uint32_t bytes = bytes_of(r), packets = packets_of(bytes);
    if (!is_limited(qp))
        return;
    if (qp->unanswered == 1)
        f->acknowledged = f->serial; /* other requests get no answer any more */
    f->credit -= cost_of(bytes);
    f->serial = (f->serial + packets) & 0xffffff;
    f->requests++;
    add(&f->sent, f->filled_ns, f->serial, bytes, packets);
    if (flow_of(qp)->probe && !f->probes) {
        flow_of(qp)->probe = false;
        f->probes = f->probe_sent = true;
        f->probe = f->requests;
        f->probe_ns = f->filled_ns;
        f->answered_ns = 0;
    }
}

void pairs_pace_unsent(struct dpk_rc_qp *qp, const struct request *r)
{
    struct paced *f = &qp->paced;
    const uint32_t bytes = bytes_of(r), packets = packets_of(bytes);
    if (!is_limited(qp))
        return;
    if (f->probes && f->probe == f->requests) {
        flow_of(qp)->probe = true;
        f->probes = f->probe_sent = false;
    }
    f->credit += cost_of(bytes);
    f->serial = (f->serial - packets) & 0xffffff;
    f->requests--;
    f->sent.serial = f->serial;
    f->sent.bytes -= bytes;
    f->sent.count -= packets;
}

void pairs_pace_answered(struct dpk_rc_qp *qp, const struct response *r, uint32_t bytes)
{
    struct paced *f = &qp->paced;
    if (!is_limited(qp))
        return;
    const uint64_t now = dpk_now_ns();
    const uint32_t number = f->requests - qp->unanswered + 1;
    f->acknowledged = (f->acknowledged + packets_of(bytes)) & 0xffffff;
    if (r->status == DPK_RC_OK || r->status == DPK_RC_RNR_EXCEEDED)
        add(&f->answered, now, f->acknowledged, bytes, 1);
    f->nack = r->status == DPK_RC_RNR_EXCEEDED;
    if (f->probes && number == f->probe)
        f->answered_ns = now;
    else if (f->probes && f->answered_ns == 0 && (int32_t)(number - f->probe) > 0)
        f->probes = false; /* the peer of the probe has gone */
}

/* ---- Reports to the server ---- */

static void tell(struct dpk_rc_qp *qp, enum dpk_rates_type type, const struct burst *b)
{
    struct paced *f = &qp->paced;
    if (b->count == 0)
        return;
    const bool tx = type == DPK_RATES_TX;
    const struct dpk_rates_event e = {
        .type = (uint8_t)type,
        .subtype = type == DPK_RATES_NACK ? DPK_RATES_NACK_RNR : 0,
        .flags = tx ? DPK_RATES_ACK_EXPECTED | (f->probe_sent ? DPK_RATES_PROBE_SENT : 0) : 0,
        .flow = f->flow,
        .qp = dpk_rc_qp_number(qp),
        .serial = b->serial,
        .first_serial = b->first_serial,
        .bytes = tx ? b->bytes : 0,
        .count = b->count,
        .time_ns = b->last_ns,
        .first_time_ns = b->first_ns};
    if (tx)
        f->probe_sent = false;
    dpk_rates_tell(qp->end->pace->rates, &e);
}

static void tell_round_trip(struct dpk_rc_qp *qp)
{
    struct paced *f = &qp->paced;
    const struct dpk_rates_event e = {.type = DPK_RATES_RTT,
                                      .flow = f->flow,
                                      .qp = dpk_rc_qp_number(qp),
                                      .serial = f->serial,
                                      .time_ns = f->answered_ns,
                                      .sent_ns = f->probe_ns};
    f->probes = false;
    dpk_rates_tell(qp->end->pace->rates, &e);
}

void pairs_pace_tell(struct dpk_rc_qp *qp)
{
    struct paced *f = &qp->paced;
    if (is_limited(qp)) {
        const struct burst answered = f->answered, sent = f->sent;
        const enum dpk_rates_type type = f->nack ? DPK_RATES_NACK : DPK_RATES_ACK;
        const bool first = sent.first_ns <= answered.first_ns;
        if (first)
            tell(qp, DPK_RATES_TX, &sent);
        tell(qp, type, &answered);
        if (!first)
            tell(qp, DPK_RATES_TX, &sent);
        if (f->probes && f->answered_ns != 0)
            tell_round_trip(qp);
    }
    f->sent = f->answered = (struct burst){0};
}
