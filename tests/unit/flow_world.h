/* A receive queue, and rules that change the frames that it gets. */
#ifndef TESTS_FLOW_WORLD_H
#define TESTS_FLOW_WORLD_H

#include "queue_world.h"

#include "frame_maker.h"

enum { TCP = 6, UDP = 17, ROOM = 9300, TO = DATA + 0x4000 };
enum { SET = DPK_FLOW_SET, ADD = DPK_FLOW_ADD, COPY = DPK_FLOW_COPY };

static struct dpk_queue *cq, *rq;
static uint32_t arrived;
static const struct dpk_match anything = {{0}, {0}};

static inline int begin(void **state)
{
    begin_world(state);
    cq = cq_new(&w, 0);
    rq = wq_new(&w, 0, DPK_RQ, cq);
    arrived = 0;
    return 0;
}

static inline struct dpk_flow_rule *rule_with(struct dpk_flow_table *table,
                                              const struct dpk_flow_change *changes, unsigned count,
                                              struct dpk_flow_target to)
{
    struct dpk_flow_actions does = {.change_count = count, .targets = {to}, .target_count = 1};
    memcpy(does.changes, changes, count * sizeof *changes);
    struct dpk_flow_rule *r = dpk_flow_rule_new(table, &anything, 0, &does);
    assert_non_null(r);
    return r;
}

/* What a frame is after the changes, in w.memory + TO. Returns its completion; NULL: dropped. */
static inline const uint8_t *changed(const struct made *m, const struct dpk_flow_change *changes,
                                     unsigned count)
{
    struct dpk_flow_rule *r = rule_with(
        w.root, changes, count, (struct dpk_flow_target){.kind = DPK_FLOW_QUEUE, .queue = rq});
    put_receive(&w, 0, (uint16_t)arrived, ROOM, TO);
    post_receives(&w, 0, (uint16_t)(arrived + 1));
    consumed(&w, 0, arrived);
    frame_arrives(&w, m->bytes, m->size);
    dpk_flow_rule_free(r);
    if (dpk_cq_produced(cq) == arrived)
        return NULL;
    return w.memory + cq_ring(0) + (arrived++ & ((1u << CQ_LOG) - 1)) * 64u;
}

static inline uint32_t size_in(const uint8_t *cqe)
{
    struct dpk_reader r = dpk_reader(cqe + 44, 4);
    return dpk_read_be32(&r);
}

static inline uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)be16_at(p) << 16 | be16_at(p + 2);
}

/* ---- Modifications ---- */

static inline struct dpk_flow_modification parsed(uint64_t action)
{
    uint8_t bytes[8];
    struct dpk_flow_modification m;
    dpk_store_be32(bytes, (uint32_t)(action >> 32));
    dpk_store_be32(bytes + 4, (uint32_t)action);
    assert_int_equal(dpk_flow_modification_parse(bytes, &m, NULL), DPK_OK);
    return m;
}

static inline uint64_t set(uint64_t field, unsigned offset, unsigned length, uint32_t data)
{
    return UINT64_C(1) << 60 | field << 48 | (uint64_t)offset << 40 |
           (uint64_t)(length & 31) << 32 | data;
}

static inline const uint8_t *modified(const struct made *m, const uint64_t *actions, unsigned count)
{
    struct dpk_flow_modification list[8];
    for (unsigned i = 0; i < count; i++)
        list[i] = parsed(actions[i]);
    return changed(
        m, &(struct dpk_flow_change){.kind = DPK_FLOW_MODIFY, .modifications = list, .size = count},
        1);
}

#endif
