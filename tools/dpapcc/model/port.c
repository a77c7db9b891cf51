/* Ports: queues, scheduling, transmission and pauses. */
#include "sim.h"

static bool is_data(const struct packet *p)
{
    return p->kind <= PROBE;
}

/* ---- The buffer of a switch ---- */

void model_port_note_length(struct sim *s, struct port *port)
{
    const uint64_t from = port->changed_at > s->warmup ? port->changed_at : s->warmup;
    if (s->now > from)
        histogram_add(&port->lengths, port->queued, s->now - from);
    port->changed_at = s->now;
}

/* Returns the number of bytes from one port that may be in the switch before the port is paused. If
 * xoff is 0, it is 1/8 of the free buffer, as in the DCQCN paper (SIGCOMM 2015, section 4: beta =
 * 8). */
static uint64_t pause_threshold(const struct sim *s, const struct node *node)
{
    return s->net->xoff ? s->net->xoff : (s->net->buffer - node->used) / 8;
}

static void tell_peer(struct sim *s, struct port *in, uint32_t index, bool pause)
{
    in->pausing = pause;
    const uint64_t from = in->free_at > s->now ? in->free_at : s->now;
    put(s, from + time_on_wire(PAUSE_BYTES, in->mbps) + in->delay, pause ? WHAT_PAUSE : WHAT_RESUME,
        index ^ 1);
}

/* Returns true if the switch accepts a packet for `out`. Without PFC, a queue may take as much as
 * is free (dynamic thresholds with alpha 1: Choudhury and Hahne, 1998). */
static bool is_admitted(const struct sim *s, const struct port *out, uint32_t bytes)
{
    const uint64_t room = s->net->buffer - s->nodes[out->node].used;
    return bytes <= room && (s->net->pfc || out->queued + bytes <= room);
}

static void hold(struct sim *s, struct packet *p, struct port *out)
{
    struct node *node = &s->nodes[out->node];
    struct port *in = &s->ports[p->in];
    node->used += p->bytes;
    in->held += p->bytes;
    model_port_note_length(s, out);
    out->queued += p->bytes;
    if (out->queued > out->peak)
        out->peak = out->queued;
    if (s->net->pfc && !in->pausing && in->held > pause_threshold(s, node))
        tell_peer(s, in, p->in, true);
}

static void release(struct sim *s, struct packet *p, struct port *out)
{
    struct node *node = &s->nodes[out->node];
    struct port *in = &s->ports[p->in];
    node->used -= p->bytes;
    in->held -= p->bytes;
    model_port_note_length(s, out);
    out->queued -= p->bytes;
    if (!in->pausing)
        return;
    const uint64_t off = pause_threshold(s, node), gap = 2 * (uint64_t)s->data_bytes;
    const uint64_t on = s->net->xon ? s->net->xon : off > gap ? off - gap : 0;
    if (in->held <= on)
        tell_peer(s, in, p->in, false);
}

/* RED by the queue length after the packet has left, as in the papers. */
static bool is_marked(struct sim *s, const struct port *out)
{
    if (!s->net->ecn || out->queued <= out->kmin)
        return false;
    if (out->queued >= out->kmax)
        return true;
    const uint64_t range = out->kmax - out->kmin, above = out->queued - out->kmin;
    return model_cc_random_next(&s->marking) >> 32 <
           (above << 32) / range * (uint64_t)s->net->pmax / 1000000;
}

static void stamp(struct sim *s, struct packet *p, uint32_t index, const struct port *out)
{
    struct cc_hop *hop = &s->hops[(size_t)index * CC_HOPS_MAX + p->hops++];
    *hop = (struct cc_hop){s->now / 1000, out->tx_bytes, out->queued, out->mbps, out->queue};
}

/* ---- Sending ---- */

/* Takes a data packet from the queue, and out of the switch's buffer. */
static uint32_t take_data(struct sim *s, struct port *out)
{
    const uint32_t index = model_fifo_take(s, &out->data);
    struct packet *p = &s->packets[index];
    release(s, p, out);
    if (p->kind == DATA && is_marked(s, out)) {
        p->flags |= MARKED;
        out->marked++;
    }
    out->sent++;
    out->tx_bytes += p->bytes;
    if (s->hops && p->hops < CC_HOPS_MAX)
        stamp(s, p, index, out);
    return index;
}

static uint32_t next_packet(struct sim *s, struct port *out)
{
    if (out->down)
        return NONE;
    if (out->control.head != NONE)
        return model_fifo_take(s, &out->control);
    if (out->paused)
        return NONE;
    if (!out->is_switch)
        return model_sender_packet(s, out->node);
    return out->data.head == NONE ? NONE : take_data(s, out);
}

static bool has_more(const struct sim *s, const struct port *out)
{
    if (out->down)
        return false;
    if (out->control.head != NONE)
        return true;
    if (out->paused)
        return false;
    return out->is_switch ? out->data.head != NONE : s->nodes[out->node].head != NONE;
}

/* Sends the next packet on the idle line. */
static void send(struct sim *s, uint32_t index)
{
    const uint32_t p = next_packet(s, &s->ports[index]);
    if (p == NONE)
        return;
    struct port *out = &s->ports[index];
    out->free_at = s->now + time_on_wire(s->packets[p].bytes, out->mbps);
    put(s, out->free_at + out->delay, WHAT_ARRIVAL, p);
    if (!out->scheduled && has_more(s, out)) {
        out->scheduled = true;
        put(s, out->free_at, WHAT_PORT, index);
        if (out->data.head != NONE)
            __builtin_prefetch(&s->packets[out->data.head]);
    }
}

void model_port_kick(struct sim *s, uint32_t index)
{
    struct port *out = &s->ports[index];
    if (out->scheduled)
        return;
    if (s->now >= out->free_at) {
        send(s, index);
    } else {
        out->scheduled = true;
        put(s, out->free_at, WHAT_PORT, index);
    }
}

void model_port_turn(struct sim *s, uint32_t index)
{
    s->ports[index].scheduled = false;
    send(s, index);
}

void model_port_send_control(struct sim *s, uint32_t index, uint32_t p)
{
    model_fifo_put(s, &s->ports[index].control, p);
    model_port_kick(s, index);
}

void model_port_pause(struct sim *s, uint32_t index, bool paused)
{
    struct port *out = &s->ports[index];
    /* Ignore frames from before the failure of the link. */
    if (out->failed && (out->down || (paused && !s->ports[index ^ 1].pausing)))
        return;
    mark(s, paused ? CC_MARK_PAUSE : CC_MARK_RESUME, NONE, out->queue);
    if (paused && !out->paused) {
        out->pauses++;
        out->paused_at = s->now;
    }
    if (!paused && out->paused)
        out->paused_time += s->now - out->paused_at;
    out->paused = paused;
    if (!paused)
        model_port_kick(s, index);
}

/* ---- Arriving ---- */

static void drop(struct sim *s, uint32_t index, struct port *out)
{
    out->dropped++;
    if (s->packets[index].kind == DATA)
        s->res->data_dropped++;
    mark(s, CC_MARK_DROP, s->packets[index].flow, out->queue);
    model_packet_free(s, index);
}

/* ---- Links that fail ---- */

/* Returns true if the link failed while the packet was on it. */
static bool is_lost(const struct sim *s, const struct packet *p)
{
    const uint32_t hop = p->hop; /* the link that the packet arrives from */
    const struct port *by = &s->ports[way_port(s, p->way, p->length, !is_data(p), hop)];
    return by->failed &&
           (by->down || by->down_at + time_on_wire(p->bytes, by->mbps) + by->delay > s->now);
}

static void lose(struct sim *s, uint32_t index, struct port *out)
{
    s->res->data_lost += s->packets[index].kind == DATA;
    drop(s, index, out);
}

static void end_pauses(struct sim *s, struct port *p)
{
    if (p->paused)
        p->paused_time += s->now - p->paused_at;
    p->paused = p->pausing = false;
}

void model_port_fail(struct sim *s, uint32_t index)
{
    struct port *out = &s->ports[index];
    out->down_at = s->now;
    out->failed = true;
    if (out->down++)
        return;
    if (out->queue != NONE)
        mark(s, CC_MARK_DOWN, NONE, out->queue);
    end_pauses(s, out);
    while (out->is_switch && out->data.head != NONE) {
        const uint32_t p = model_fifo_take(s, &out->data);
        release(s, &s->packets[p], out);
        lose(s, p, out);
    }
    while (out->is_switch && out->control.head != NONE)
        lose(s, model_fifo_take(s, &out->control), out);
}

void model_port_repair(struct sim *s, uint32_t index)
{
    struct port *out = &s->ports[index];
    if (--out->down)
        return;
    if (out->queue != NONE)
        mark(s, CC_MARK_UP, NONE, out->queue);
    model_port_kick(s, index);
}

static void forward(struct sim *s, uint32_t index)
{
    struct packet *p = &s->packets[index];
    const uint32_t next = way_port(s, p->way, p->length, !is_data(p), p->hop);
    struct port *out = &s->ports[next];
    if (out->down) {
        lose(s, index, out);
        return;
    }
    if (!is_data(p)) {
        model_port_send_control(s, next, index);
        return;
    }
    if (!is_admitted(s, out, p->bytes)) {
        drop(s, index, out);
        return;
    }
    p->in = way_port(s, p->way, p->length, false, p->hop - 1u) ^ 1;
    hold(s, p, out);
    model_fifo_put(s, &out->data, index);
    model_port_kick(s, next);
}

void model_port_arrival(struct sim *s, uint32_t p)
{
    struct packet *packet = &s->packets[p];
    if (s->net->failure_count && is_lost(s, packet)) {
        lose(s, p,
             &s->ports[way_port(s, packet->way, packet->length, !is_data(packet), packet->hop)]);
        return;
    }
    packet->hop++;
    if (packet->hop < packet->length) {
        forward(s, p);
    } else if (is_data(packet)) {
        model_receiver_receive(s, p);
    } else {
        model_sender_receive(s, p);
        model_packet_free(s, p);
    }
}
