/* Any bytes in the rings of a send queue and two queue pairs, with doorbells in between. The first
 * bytes are doorbells (queue, producer index); the rest is the program's memory. */
#include <stdlib.h>
#include <string.h>

#include "queue_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    RINGS = 0x800,
    DOORBELLS = 8,
    QUEUES = 3,
    KEY = 0x1001,
    PAIR = 0x800000, /* number of the first queue pair; also in the corpus */
    CQ_LOG = 4,
    LOG = 3
};

static bool leaves(void *context, const uint8_t *frame, size_t size)
{
    (void)context;
    if (size < 14 || size > DPK_FRAME_MAX || !frame)
        abort();
    return frame[0] & 1;
}

static void warn(void *context, const char *reason)
{
    (void)context;
    if (strlen(reason) > 255)
        abort();
}

static struct dpk_queue *make(struct dpk_queues *nic, const struct dpk_queue_options *o)
{
    struct dpk_queue *q;
    if (dpk_queue_create(nic, o, &q, NULL) != DPK_OK)
        abort();
    return q;
}

static void connect(struct dpk_queue *qp, const struct dpk_queue *peer)
{
    const enum dpk_qp_state way[] = {DPK_QP_INIT, DPK_QP_RTR, DPK_QP_RTS};
    for (size_t i = 0; i < 3; i++)
        if (dpk_qp_modify(
                qp, &(struct dpk_qp_change){.state = way[i], .remote = dpk_queue_number(peer)},
                NULL) != DPK_OK)
            abort();
}

/* One key covers all memory, so that requests can also write to the rings. */
static void register_memory(uint8_t *memory, struct dpk_memory_domain *domain)
{
    static uint32_t key;
    if (key == 0 && (dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                         .rights = ~0u,
                                                         .size = MEMORY,
                                                         .host = memory,
                                                         .domains = {domain}},
                                    &key, NULL) != DPK_OK ||
                     key != KEY)) /* the corpus contains this number */
        abort();
}

/* A send queue, queue pairs, and a receive queue that gets every frame, in one completion queue.
 * Returns the rule. */
static struct dpk_flow_rule *make_queues(struct dpk_queues *nic, uint8_t *memory,
                                         struct dpk_memory_domain *domain,
                                         struct dpk_flow_table *root, struct dpk_queue *q[QUEUES])
{
    struct dpk_queue *cq = make(nic, &(struct dpk_queue_options){.kind = DPK_CQ,
                                                                 .log_depth = CQ_LOG,
                                                                 .ring = {memory, 0x400},
                                                                 .record = {memory, 0},
                                                                 .overrun_ignore = true});
    struct dpk_queue_options o = {.domain = domain,
                                  .log_depth = LOG,
                                  .log_receives = LOG,
                                  .log_stride = 5,
                                  .send_cq = cq,
                                  .receive_cq = cq,
                                  .permits = DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE |
                                             DPK_MEMORY_REMOTE_ATOMIC};
    for (unsigned i = 0; i < QUEUES; i++) {
        o.kind = i == 0 ? DPK_SQ : DPK_QP;
        o.multi_sends = o.timed_sends = i == 0;
        o.ring = (struct dpk_queue_place){memory, RINGS + i * 0x400};
        o.record = (struct dpk_queue_place){memory, 8 + i * 8};
        q[i] = make(nic, &o);
    }
    o.kind = DPK_RQ;
    o.ring.address = RINGS + QUEUES * 0x400;
    o.record.address = 8 + QUEUES * 8;
    const struct dpk_flow_actions to = {
        .targets = {{.kind = DPK_FLOW_QUEUE, .queue = make(nic, &o)}}, .target_count = 1};
    struct dpk_flow_rule *rule = dpk_flow_rule_new(root, &(struct dpk_match){{0}, {0}}, 0, &to);
    if (!rule || dpk_queue_number(q[1]) != PAIR)
        abort();
    return rule;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct dpk_queue_ops ops = {load,   store, completed, listens,
                                             leaves, waits, warn,      NULL};
    static uint8_t memory[MEMORY];
    static struct dpk_memory_domain domain;
    const struct dpk_uuid identity = {{1}};
    struct dpk_rc *rc;
    struct dpk_counters *counters;
    struct dpk_queues *nic;
    struct dpk_steering *steering = dpk_steering_new();
    struct dpk_flow_table *root = steering ? dpk_flow_table_new(steering, DPK_FLOW_RX, true) : NULL;
    struct dpk_flow_rule *rule;
    struct dpk_queue *q[QUEUES];
    struct dpk_reader r = dpk_reader(data, size);
    uint8_t doorbells[DOORBELLS * 2];
    for (size_t i = 0; i < sizeof doorbells; i++)
        doorbells[i] = dpk_read_u8(&r);
    size_t left = dpk_reader_left(&r) < MEMORY ? dpk_reader_left(&r) : MEMORY;
    memset(memory, 0, sizeof memory);
    if (left > 0)
        memcpy(memory, r.pos, left);
    register_memory(memory, &domain);
    if (!root || dpk_rc_open(&identity, &rc, NULL) != DPK_OK ||
        dpk_counters_open(NULL, &counters, NULL) != DPK_OK ||
        dpk_queues_open(&ops, memory, rc, steering, counters, &nic, NULL) != DPK_OK)
        abort();
    rule = make_queues(nic, memory, &domain, root, q);
    connect(q[1], q[2]);
    connect(q[2], doorbells[0] & 0x80 ? q[2] : q[1]);
    for (size_t i = 0; i < DOORBELLS; i++)
        dpk_queue_ring(q[doorbells[2 * i] % QUEUES], doorbells[2 * i + 1]);
    dpk_queues_close(nic);
    dpk_counters_close(counters);
    dpk_flow_rule_free(rule);
    dpk_flow_table_free(root);
    dpk_steering_free(steering);
    dpk_rc_close(rc);
    return 0;
}
