/* A world for queues: one piece of memory, keys of parts of it, completion queues that count. */
#ifndef TESTS_QUEUE_WORLD_H
#define TESTS_QUEUE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "net/queues/queues.h"

enum {
    MEMORY = 1 << 20,
    /* Where things lie: CQs and work queues a page or more apart. */
    CQ_RING = 0x10000,
    RING = 0x40000,
    RECORDS = 0x1000,
    DATA = 0x80000,
    SLOTS = 4, /* of queues of a kind */
    CQ_LOG = 3,
    LOG = 2,
};

struct world {
    struct dpk_rc *rc;
    struct dpk_queues *nic;
    struct dpk_counters *counters;
    struct dpk_steering *steering;
    struct dpk_flow_table *root; /* of frames that come in */
    struct dpk_flow_rule *every;
    uint8_t memory[MEMORY];
    struct dpk_memory_domain domain;
    uint32_t key; /* of the memory from DATA on, with all rights */
    unsigned completed, told, turns, events, waits, troubles, left, batches;
    unsigned before;    /* completions in turns before this one */
    bool plugged, deaf; /* frames leave; nobody listens */
    uint8_t last_left[DPK_FRAME_MAX];
    char trouble[256]; /* the last one */
};

static inline bool inside(uint64_t address, uint64_t size)
{
    return size <= MEMORY && address <= MEMORY - size;
}

static bool world_load(void *memory, uint64_t address, void *to, size_t size)
{
    struct world *w = memory;
    if (inside(address, size))
        memcpy(to, w->memory + address, size);
    return inside(address, size);
}

static bool world_store(void *memory, uint64_t address, const void *from, size_t size)
{
    struct world *w = memory;
    if (inside(address, size))
        memcpy(w->memory + address, from, size);
    return inside(address, size);
}

static void world_completed(void *context, void *user, unsigned count, bool event)
{
    struct world *w = user;
    assert_ptr_equal(w, context);
    w->completed += count;
    w->told++;
    w->events += event;
}

static bool world_listens(void *user)
{
    return !((struct world *)user)->deaf;
}

static bool world_leaves(void *context, const uint8_t *frame, size_t size)
{
    struct world *w = context;
    if (w->plugged) {
        w->left++;
        memcpy(w->last_left, frame, size);
    }
    return w->plugged;
}

static void world_waits(void *context)
{
    ((struct world *)context)->waits++;
}

static void world_warn(void *context, const char *reason)
{
    struct world *w = context;
    w->troubles++;
    snprintf(w->trouble, sizeof w->trouble, "%s", reason);
}

static void world_left(void *context)
{
    ((struct world *)context)->batches++;
}

static void world_told(void *context)
{
    struct world *w = context;
    w->turns += w->completed > w->before;
    w->before = w->completed;
}

static const struct dpk_queue_ops world_ops = {world_load,    world_store,  world_completed,
                                               world_listens, world_leaves, world_waits,
                                               world_warn,    world_left,   world_told};

/* A key of a part of the memory. */
static inline uint32_t world_key(struct world *w, uint64_t address, uint64_t size, unsigned rights)
{
    uint32_t key = 0;
    assert_int_equal(dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                         .rights = rights,
                                                         .address = address,
                                                         .size = size,
                                                         .host = w->memory + address,
                                                         .domains = {&w->domain}},
                                    &key, NULL),
                     DPK_OK);
    return key;
}

static inline void world_begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->key = world_key(w, DATA, MEMORY - DATA, ~0u);
    memset(w->memory + CQ_RING, 0xff, RING - CQ_RING); /* owner bits 1 */
    struct dpk_uuid identity;
    dpk_uuid_new_time(&identity);
    assert_int_equal(dpk_rc_open(&identity, &w->rc, NULL), DPK_OK);
    assert_int_equal(dpk_counters_open(NULL, &w->counters, NULL), DPK_OK);
    assert_non_null(w->steering = dpk_steering_new());
    assert_non_null(w->root = dpk_flow_table_new(w->steering, DPK_FLOW_RX, true));
    assert_int_equal(dpk_queues_open(&world_ops, w, w->rc, w->steering, w->counters, &w->nic, NULL),
                     DPK_OK);
}

static inline void world_end(struct world *w)
{
    dpk_queues_close(w->nic);
    if (w->every)
        dpk_flow_rule_free(w->every);
    dpk_flow_table_free(w->root);
    dpk_steering_free(w->steering);
    dpk_rc_close(w->rc);
    dpk_counters_close(w->counters);
    dpk_memory_remove(w->key);
}

/* What the port and all of its queues have counted. */
static inline uint64_t counted(const struct world *w, enum dpk_counter counter)
{
    static struct dpk_counters_seen seen;
    dpk_counters_read(w->counters, false, &seen);
    return seen.port[counter];
}

/* A frame of a capture arrives, and there is room for it. */
static inline void frame_arrives(struct world *w, const uint8_t *bytes, size_t size)
{
    assert_int_equal(dpk_frames_arrive(w->nic, &(struct dpk_frame){bytes, size}, 1, true), 1);
}

/* ---- Queues: number `slot` of each kind has its own place ---- */

static inline uint64_t cq_ring(unsigned slot)
{
    return CQ_RING + slot * 0x4000u;
}

static inline uint64_t ring_at(unsigned slot)
{
    return RING + slot * 0x4000u;
}

static inline struct dpk_queue *cq_new(struct world *w, unsigned slot)
{
    struct dpk_queue *q = NULL;
    const struct dpk_queue_options o = {
        .kind = DPK_CQ,
        .log_depth = CQ_LOG,
        .ring = {w, cq_ring(slot)},
        .record = {w, RECORDS + slot * 8},
        .user = w,
    };
    assert_int_equal(dpk_queue_create(w->nic, &o, &q, NULL), DPK_OK);
    return q;
}

static inline uint64_t record_at(unsigned slot)
{
    return RECORDS + 0x100 + slot * 8;
}

static inline uint32_t user_index_of(unsigned slot)
{
    return 0xabc000 + slot;
}

static inline struct dpk_queue_options wq_options(struct world *w, unsigned slot,
                                                  enum dpk_queue_kind kind, struct dpk_queue *cq)
{
    return (struct dpk_queue_options){
        .kind = kind,
        .log_depth = LOG,
        .log_receives = LOG,
        .log_stride = 4,
        .ring = {w, ring_at(slot)},
        .record = {w, record_at(slot)},
        .send_cq = cq,
        .receive_cq = cq,
        .user_index = user_index_of(slot),
        .permits = DPK_MEMORY_REMOTE_READ | DPK_MEMORY_REMOTE_WRITE | DPK_MEMORY_REMOTE_ATOMIC,
        .domain = &w->domain,
        .user = w,
    };
}

static inline struct dpk_queue *wq_new(struct world *w, unsigned slot, enum dpk_queue_kind kind,
                                       struct dpk_queue *cq)
{
    struct dpk_queue *q = NULL;
    const struct dpk_queue_options o = wq_options(w, slot, kind, cq);
    assert_int_equal(dpk_queue_create(w->nic, &o, &q, NULL), DPK_OK);
    return q;
}

/* ---- What programs write ---- */

static inline void put_be32(struct world *w, uint64_t at, uint32_t v)
{
    assert_true(inside(at, 4));
    dpk_store_be32(w->memory + at, v);
}

static inline void put_be64(struct world *w, uint64_t at, uint64_t v)
{
    put_be32(w, at, (uint32_t)(v >> 32));
    put_be32(w, at + 4, (uint32_t)v);
}

static inline uint32_t get_be32(const struct world *w, uint64_t at)
{
    struct dpk_reader r = dpk_reader(w->memory + at, 4);
    return dpk_read_be32(&r);
}

static inline void consumed(struct world *w, unsigned slot, uint32_t ci)
{
    put_be32(w, RECORDS + slot * 8, ci & 0xffffff);
}

static inline void put_data(struct world *w, uint64_t at, uint32_t size, uint32_t key,
                            uint64_t address)
{
    put_be32(w, at, size);
    put_be32(w, at + 4, key);
    put_be64(w, at + 8, address);
}

static inline void post_receives(struct world *w, unsigned slot, uint16_t posted)
{
    put_be32(w, record_at(slot), posted);
}

/* Receive number `index` of 16 bytes. */
static inline void put_receive(struct world *w, unsigned slot, uint16_t index, uint32_t size,
                               uint64_t address)
{
    put_data(w, ring_at(slot) + (index & 3u) * 16u, size, w->key, address);
}

/* Block `index` of a send ring that begins at `ring`: the control segment; where it lies. */
static inline uint64_t put_control(struct world *w, uint64_t ring, const struct dpk_queue *q,
                                   uint16_t index, uint8_t opcode, unsigned segments)
{
    uint64_t at = ring + (index & 3u) * 64u;
    put_be32(w, at, (uint32_t)index << 8 | opcode);
    put_be32(w, at + 4, dpk_queue_number(q) << 8 | segments);
    put_be32(w, at + 8, 2 << 2);
    put_be32(w, at + 12, 0);
    return at;
}

/* A frame in block `index`. */
static inline uint64_t put_frame(struct world *w, unsigned slot, const struct dpk_queue *q,
                                 uint16_t index, uint64_t address, uint32_t size)
{
    uint64_t at = put_control(w, ring_at(slot), q, index, 0x0a, 3);
    memset(w->memory + at + 16, 0, 16);
    put_data(w, at + 32, size, w->key, address);
    return at;
}

/* ---- What programs read ---- */

struct cqe {
    unsigned owner, opcode, syndrome, counter;
    uint32_t bytes, number, request, immediate, user_index;
};

static inline struct cqe cqe_at(const struct world *w, unsigned slot, uint32_t index)
{
    uint64_t at = cq_ring(slot) + (index & ((1u << CQ_LOG) - 1)) * 64u;
    uint32_t last = get_be32(w, at + 60), queue = get_be32(w, at + 56);
    return (struct cqe){.owner = last & 1,
                        .opcode = last >> 4 & 15,
                        .counter = last >> 16,
                        .syndrome = w->memory[at + 55],
                        .bytes = get_be32(w, at + 44),
                        .number = queue & 0xffffff,
                        .request = queue >> 24,
                        .immediate = get_be32(w, at + 36),
                        .user_index = get_be32(w, at + 32)};
}

/* Whether completion number `index` is the program's. */
static inline bool is_there(const struct world *w, unsigned slot, uint32_t index)
{
    return cqe_at(w, slot, index).owner == (index >> CQ_LOG & 1);
}

/* A rule of a table that only has a target. */
static inline struct dpk_flow_rule *rule_in(struct dpk_flow_table *table,
                                            const struct dpk_match *match, unsigned priority,
                                            struct dpk_flow_target to)
{
    const struct dpk_flow_actions actions = {.targets = {to}, .target_count = 1};
    struct dpk_flow_rule *rule = dpk_flow_rule_new(table, match, priority, &actions);
    assert_non_null(rule);
    return rule;
}

/* A rule of the root table. */
static inline struct dpk_flow_rule *frames_to(struct world *w, struct dpk_queue *rq,
                                              const struct dpk_match *match, unsigned priority)
{
    return rule_in(w->root, match, priority,
                   (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = rq});
}

static inline void all_frames_to(struct world *w, struct dpk_queue *rq)
{
    w->every = frames_to(w, rq, &(struct dpk_match){{0}, {0}}, 0);
}

/* The world of a test, with the setup and teardown of each test that uses it. */
static struct world w;

static inline int begin_world(void **state)
{
    (void)state;
    world_begin(&w);
    return 0;
}

static inline int end_world(void **state)
{
    (void)state;
    world_end(&w);
    return 0;
}

#endif
