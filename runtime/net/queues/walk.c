/* The way of a frame through flow tables. */
#include <string.h>

#include "headers.h"
#include "packet.h"
#include "steering.h"

#define TABLES_MAX 64u /* tables that a frame passes; they may lead to each other */

struct walk {
    struct dpk_queues *nic;
    const struct dpk_steering *steering;
    const struct passage *passage;
    unsigned tables; /* number of passed tables */
    unsigned ends;   /* ends of ways, except drops without a rule */
};

static void pass(struct walk *w, const struct rules *rules, enum dpk_flow_domain domain, bool root,
                 const struct packet *p);

static void begin(struct walk *w, enum dpk_flow_domain domain, const struct packet *p)
{
    pass(w, &w->steering->roots[domain], domain, true, p);
}

/* Returns the frame as it leaves the port: cards pad frames that are too short for Ethernet with
 * zeros, before the FCS. `room` is the buffer of a padded frame. */
#define WIRE_MIN 60u
static struct dpk_frame pad(const uint8_t *frame, size_t size, uint8_t room[WIRE_MIN])
{
    if (size >= WIRE_MIN)
        return (struct dpk_frame){frame, size};
    memset(room, 0, WIRE_MIN);
    memcpy(room, frame, size);
    return (struct dpk_frame){room, WIRE_MIN};
}

/* Sends a frame out of the port. A port in loopback receives the frame as a new one, for the device
 * itself: with the FDB, the rule that sent the frame would send it again and again. */
static void leave(struct walk *w, const struct packet *p)
{
    uint8_t room[WIRE_MIN];
    const struct dpk_frame f = pad(p->bytes, p->size, room);
    if (queues_frame_leaves(w->nic, f.bytes, f.size)) {
        w->ends++;
        return;
    }
    const struct packet back = queues_packet_of(f.bytes, f.size, DPK_VPORT_UPLINK);
    begin(w, DPK_FLOW_RX, &back);
}

static void receive(struct walk *w, struct dpk_queue *rq, const struct packet *p)
{
    struct frame_facts facts = p->facts;
    facts.metadata = queues_packet_register(p, DPK_MATCH_REGISTER_B);
    w->ends++;
    queues_frame_received(rq, p->bytes, p->size, &facts, w->passage);
}

/* Delivers a frame to the receive queue that its hash chooses. */
static void receive_one_of(struct walk *w, const struct dpk_flow_tir *tir, const struct packet *p)
{
    struct packet hashed = *p;
    struct dpk_queue *rq = queues_tir_choose(tir, &p->headers, &hashed.facts);
    if (rq)
        receive(w, rq, &hashed);
}

static void miss(struct walk *w, enum dpk_flow_domain domain, bool root, const struct packet *p)
{
    if (domain == DPK_FLOW_TX)
        begin(w, DPK_FLOW_FDB, p);
    if (domain == DPK_FLOW_FDB && root && p->source_port == DPK_VPORT_MANAGER)
        leave(w, p);
    else if (domain == DPK_FLOW_FDB)
        begin(w, DPK_FLOW_RX, p);
}

/* Passes a frame to a table with the number of its entry, or with each number. */
static void spread(struct walk *w, const struct dpk_flow_target *t, enum dpk_flow_domain domain,
                   const struct packet *p)
{
    struct packet numbered = queues_packet_branch(p);
    const bool floods = t->spread->kind == DPK_SPREAD_FLOOD;
    for (uint32_t i = 0; i < (floods ? t->spread->count : 1); i++) {
        const uint32_t entry = floods ? i : queues_spread_choose(t->spread, &p->headers);
        queues_packet_set_register(&numbered, DPK_MATCH_ENTRY, entry);
        pass(w, t->table->rules, domain, false, &numbered);
    }
}

static void reach(struct walk *w, const struct dpk_flow_target *t, enum dpk_flow_domain domain,
                  bool root, const struct packet *p)
{
    switch (t->kind) {
    case DPK_FLOW_MISS:
        miss(w, domain, root, p);
        break;
    case DPK_FLOW_QUEUE:
        receive(w, t->queue, p);
        break;
    case DPK_FLOW_TIR:
        receive_one_of(w, t->tir, p);
        break;
    case DPK_FLOW_TABLE:
        pass(w, t->table->rules, domain, false, p);
        break;
    case DPK_FLOW_SPREAD:
        spread(w, t, domain, p);
        break;
    case DPK_FLOW_UPLINK:
        leave(w, p);
        break;
    case DPK_FLOW_MANAGER:
        begin(w, DPK_FLOW_RX, p);
        break;
    case DPK_FLOW_DROP:
        break;
    }
}

/* Counts the reason why a way of the frame ends. */
static void drop(struct walk *w, enum dpk_counter why)
{
    if (why == DPK_DROP_NO_RULE)
        return; /* counted once, if all other ways end without a rule */
    w->ends++;
    queues_port_count(w->nic, why, 1);
}

/* Carries out changes. Returns false if the frame is dropped. */
static bool change(struct walk *w, const struct dpk_flow_change *changes, unsigned count,
                   struct packet *p)
{
    enum dpk_counter dropped = DPK_COUNTERS;
    for (unsigned i = 0; dropped == DPK_COUNTERS && i < count; i++)
        dropped = queues_packet_change(p, &changes[i]);
    if (dropped != DPK_COUNTERS)
        drop(w, dropped);
    return dropped == DPK_COUNTERS;
}

/* Follows a target that has its own change. */
static void reach_changed(struct walk *w, const struct dpk_flow_target *t,
                          enum dpk_flow_domain domain, bool root, const struct packet *p)
{
    struct packet changed = queues_packet_branch(p);
    if (change(w, t->change, 1, &changed))
        reach(w, t, domain, root, &changed);
    queues_packet_end(&changed);
}

static void follow(struct walk *w, const struct dpk_flow_rule *r, enum dpk_flow_domain domain,
                   bool root, const struct packet *p)
{
    for (unsigned i = 0; i < r->count; i++) {
        if (r->targets[i].change)
            reach_changed(w, &r->targets[i], domain, root, p);
        else
            reach(w, &r->targets[i], domain, root, p);
    }
}

static void pass(struct walk *w, const struct rules *rules, enum dpk_flow_domain domain, bool root,
                 const struct packet *p)
{
    if (w->tables++ >= TABLES_MAX)
        return;
    const struct dpk_flow_rule *r = queues_rules_find(rules, &p->headers);
    if (!r) {
        miss(w, domain, root, p);
    } else if (r->change_count == 0) {
        follow(w, r, domain, root, p);
    } else {
        struct packet changed = queues_packet_branch(p);
        if (change(w, r->changes, r->change_count, &changed))
            follow(w, r, domain, root, &changed);
        queues_packet_end(&changed);
    }
}

/* Returns whether no rule applies to frames that are sent. */
static bool leaves_at_once(struct dpk_steering *s)
{
    pthread_mutex_lock(&s->lock);
    const bool is = queues_rules_are_none(&s->roots[DPK_FLOW_TX]) &&
                    queues_rules_are_none(&s->roots[DPK_FLOW_FDB]);
    pthread_mutex_unlock(&s->lock);
    return is;
}

void queues_steering_pass(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                          const struct passage *passage)
{
    struct dpk_steering *s = nic->steering;
    struct walk w = {.nic = nic, .steering = s, .passage = passage};
    const bool leaves = passage->sent && leaves_at_once(s);
    uint8_t room[WIRE_MIN];
    struct dpk_frame f = {frame, size};
    if (leaves)
        f = pad(frame, size, room);
    if (leaves && queues_frame_leaves(nic, f.bytes, f.size))
        return;
    /* A frame that comes back at once arrives like any other frame. */
    const bool sent = passage->sent && !leaves;
    struct packet p =
        queues_packet_of(f.bytes, f.size, sent ? DPK_VPORT_MANAGER : DPK_VPORT_UPLINK);
    queues_packet_set_register(&p, DPK_MATCH_REGISTER_A, sent ? passage->metadata : 0);
    pthread_mutex_lock(&s->lock);
    begin(&w, sent ? DPK_FLOW_TX : DPK_FLOW_FDB, &p);
    pthread_mutex_unlock(&s->lock);
    if (w.ends == 0)
        queues_port_count(nic, DPK_DROP_NO_RULE, 1);
    else
        queues_port_count(nic, DPK_COPIED, w.ends - 1);
}
