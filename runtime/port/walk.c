/* What becomes of a frame by the flow tables that it passes. */
#include <string.h>

#include "headers.h"
#include "model.h"
#include "steering.h"

#define TABLES_MAX 64u /* that a frame passes; tables may lead to each other */

/* A frame on its way. */
struct packet {
    const uint8_t *bytes;
    size_t size;
    uint16_t source_port; /* the vport that it comes from */
    struct words headers; /* what rules are compared with */
    struct frame_facts facts;
};

struct walk {
    struct dpk_queues *nic;
    const struct dpk_steering *steering;
    const struct passage *passage;
    unsigned tables; /* that were passed */
    unsigned ends;   /* ways that ended otherwise than in a drop */
};

static void pass(struct walk *w, const struct rules *rules, enum dpk_flow_domain domain, bool root,
                 const struct packet *p);

/* Registers stay as they are. */
static void parse(struct packet *p)
{
    uint8_t headers[PARSED_BYTES];
    headers_match(p->bytes, p->size, headers);
    dpk_store_be16(headers + AT_SOURCE_PORT, p->source_port);
    memcpy(&p->headers, headers, sizeof headers);
}

static void set_register(struct packet *p, size_t at, uint32_t value)
{
    dpk_store_be32((uint8_t *)&p->headers + at, value);
}

static void begin(struct walk *w, enum dpk_flow_domain domain, const struct packet *p)
{
    pass(w, &w->steering->roots[domain], domain, true, p);
}

/* Out of the port, and back in if that is connected to itself, as a frame of no past. */
static void leave(struct walk *w, const struct packet *p)
{
    if (frame_leaves(w->nic, p->bytes, p->size)) {
        w->ends++;
        return;
    }
    struct packet back = {.bytes = p->bytes, .size = p->size, .source_port = DPK_VPORT_UPLINK};
    parse(&back);
    begin(w, DPK_FLOW_RX, &back);
}

static void receive(struct walk *w, struct dpk_queue *rq, const struct packet *p)
{
    struct frame_facts facts = p->facts;
    struct dpk_reader b = dpk_reader((const uint8_t *)&p->headers + AT_REGISTER_B, 4);
    facts.metadata = dpk_read_be32(&b);
    w->ends++;
    frame_received(rq, p->bytes, p->size, &facts, w->passage);
}

/* To the receive queue that the hash of a frame chooses. */
static void receive_one_of(struct walk *w, const struct dpk_flow_tir *tir, const struct packet *p)
{
    struct packet hashed = *p;
    struct dpk_queue *rq = tir_choose(tir, &p->headers, &hashed.facts);
    if (rq)
        receive(w, rq, &hashed);
}

static void miss(struct walk *w, enum dpk_flow_domain domain, bool root, const struct packet *p)
{
    if (domain == DPK_FLOW_TX)
        begin(w, DPK_FLOW_FDB, p);
    if (domain == DPK_FLOW_FDB && root)
        leave(w, p);
    if (domain == DPK_FLOW_FDB && !root)
        begin(w, DPK_FLOW_RX, p);
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

static void pass(struct walk *w, const struct rules *rules, enum dpk_flow_domain domain, bool root,
                 const struct packet *p)
{
    if (w->tables++ >= TABLES_MAX)
        return;
    const struct dpk_flow_rule *r = rules_find(rules, &p->headers);
    if (!r)
        miss(w, domain, root, p);
    for (unsigned i = 0; r && i < r->count; i++)
        reach(w, &r->targets[i], domain, root, p);
}

void steering_pass(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                   const struct passage *passage)
{
    struct dpk_steering *s = nic->steering;
    struct walk w = {.nic = nic, .steering = s, .passage = passage};
    struct packet p = {.bytes = frame,
                       .size = size,
                       .source_port =
                           passage->first == DPK_FLOW_RX ? DPK_VPORT_UPLINK : DPK_VPORT_MANAGER};
    parse(&p);
    set_register(&p, AT_REGISTER_A, passage->metadata);
    pthread_mutex_lock(&s->lock);
    begin(&w, passage->first, &p);
    pthread_mutex_unlock(&s->lock);
    if (w.ends == 0)
        port_count(nic, DPK_DROP_NO_RULE, 1);
    else
        port_count(nic, DPK_COPIED, w.ends - 1);
}
