/* Two dataflows. Facts go forward: earlier checks have proved them. Wishes go backward: later
 * blocks want these bytes checked. */
#include "engine/llvm/facts.h"

#include <stdlib.h>
#include <string.h>

enum {
    HULL_MAX =
        RV64_PAGE,  /* most bytes of a fact: so it covers at most two pages, and both are known */
    WISH_MAX = 256, /* bytes to which a check is widened */
    WISH_ROUNDS = 4,
};

/* ---- One fact ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_multiple(int64_t v, unsigned log2)
{
    return (v & ((INT64_C(1) << log2) - 1)) == 0;
}

enum fact_says llvm_fact_covers(const struct fact *fact, const struct group *group)
{
    if (fact->low == fact->high || group->begin < fact->low || group->end > fact->high ||
        (group->need & ~fact->need) != 0)
        return FACT_NOTHING;
    return group->log2 <= fact->log2 && is_multiple(group->begin - fact->anchor, group->log2)
               ? FACT_ALL
               : FACT_ALLOWED;
}

void llvm_fact_learn(struct fact *fact, const struct group *group)
{
    const struct fact told = {group->begin, group->end, group->begin, group->need, group->log2};
    const int64_t low = least(fact->low, told.low), high = most(fact->high, told.high);
    if (fact->low == fact->high || high - low > HULL_MAX) {
        *fact = told;
        return;
    }
    if (told.log2 >= fact->log2) {
        fact->log2 = told.log2;
        fact->anchor = told.anchor;
    }
    fact->low = low;
    fact->high = high;
    fact->need &= told.need;
}

/* Returns the fact about a value that is larger by `offset`. */
static struct fact shifted(struct fact fact, int64_t offset)
{
    fact.low -= offset;
    fact.high -= offset;
    fact.anchor -= offset;
    return fact;
}

/* Keeps what holds in both cases. Returns whether *fact has changed. */
static bool join(struct fact *fact, const struct fact *other)
{
    const struct fact before = *fact;
    fact->low = most(fact->low, other->low);
    fact->high = least(fact->high, other->high);
    fact->need &= other->need;
    if (other->log2 < fact->log2)
        fact->log2 = other->log2;
    if (!is_multiple(fact->anchor - other->anchor, fact->log2))
        fact->log2 = 0;
    if (fact->low >= fact->high || fact->need == 0)
        *fact = (struct fact){0};
    return memcmp(fact, &before, sizeof before) != 0;
}

/* ---- Blocks ---- */

/* Finds the blocks that follow `b`, except after calls. Returns their number. */
static uint32_t followers(const struct jit_region *r, const struct jit_block *b, int32_t *out)
{
    uint32_t count = 0;
    if (b->next >= 0 && !jit_calls(r, b))
        out[count++] = b->next;
    if (b->taken >= 0)
        out[count++] = b->taken;
    for (uint32_t i = 0; i < b->target_count; i++)
        out[count++] = r->targets[b->target + i];
    return count;
}

/* ---- Wishes ---- */

struct wish {
    int32_t low, high; /* offsets from a register's value; equal if there is no wish */
};

static void widen_wish(struct wish *w, int64_t low, int64_t high)
{
    if (low >= high)
        return;
    if (w->low != w->high) {
        low = least(low, w->low);
        high = most(high, w->high);
    }
    if (high - low <= WISH_MAX && low > -WISH_MAX && high < WISH_MAX)
        *w = (struct wish){(int32_t)low, (int32_t)high};
}

/* Finds the bytes that this and later blocks may access relative to each register. */
static void wish_before(const struct jit_region *r, const struct groups *g, uint32_t index,
                        struct wish (*at)[32])
{
    int32_t to[2 + RV64_JUMP_TRIES];
    const uint32_t count = followers(r, &r->blocks[index], to);
    for (uint8_t reg = 1; reg < 32; reg++)
        for (uint32_t i = 0; i < count; i++) {
            const struct wish *w = &at[to[i]][reg];
            const uint8_t root = g->end[reg].root;
            if (root > 0 && root < 32)
                widen_wish(&at[index][root], w->low + g->end[reg].offset,
                           w->high + g->end[reg].offset);
        }
    for (uint32_t i = 0; i < g->count; i++)
        if (g->root_of[i] > 0 && g->root_of[i] < 32)
            widen_wish(&at[index][g->root_of[i]], g->group[i].begin, g->group[i].end);
}

/* Widens the groups of a block by the wishes of later blocks. */
static void widen_groups(const struct jit_region *r, struct groups *g, uint32_t index,
                         struct wish (*at)[32])
{
    int32_t to[2 + RV64_JUMP_TRIES];
    const uint32_t count = followers(r, &r->blocks[index], to);
    for (uint32_t i = 0; i < g->count; i++)
        for (uint8_t reg = 1; reg < 32; reg++) {
            if (g->end[reg].root != g->root_of[i])
                continue;
            for (uint32_t k = 0; k < count; k++) {
                const struct wish *w = &at[to[k]][reg];
                if (w->low != w->high)
                    llvm_group_widen(&g->group[i], w->low + g->end[reg].offset,
                                     w->high + g->end[reg].offset);
            }
        }
}

static bool find_wishes(const struct jit_region *r, const bool *fixed, struct facts *facts)
{
    struct wish(*at)[32] = calloc(r->block_count, sizeof *at);
    if (at == NULL)
        return false;
    for (unsigned round = 0; round < WISH_ROUNDS; round++)
        for (uint32_t i = r->block_count; i-- > 0;)
            wish_before(r, &facts->groups[i], i, at);
    for (uint32_t i = 0; i < r->block_count; i++)
        if (!fixed[i])
            widen_groups(r, &facts->groups[i], i, at);
    free(at);
    return true;
}

/* ---- Facts ---- */

/* Computes what is known of each register after the block. */
static void pass_block(const struct groups *g, const struct fact before[32], struct fact after[32])
{
    struct fact of[JIT_FORMS_MAX] = {{0}};
    memcpy(of, before, 32 * sizeof *of);
    for (uint32_t i = 0; i < g->count; i++)
        llvm_fact_learn(&of[g->root_of[i]], &g->group[i]);
    for (unsigned reg = 0; reg < 32; reg++)
        after[reg] = g->end[reg].root != 0 ? shifted(of[g->end[reg].root], g->end[reg].offset)
                                           : (struct fact){0};
}

static bool flow(const struct jit_region *r, struct facts *facts, uint32_t index, bool *reached)
{
    int32_t to[2 + RV64_JUMP_TRIES];
    struct fact after[32];
    const struct jit_block *b = &r->blocks[index];
    uint32_t count = followers(r, b, to);
    bool changed = false;
    pass_block(&facts->groups[index], facts->at[index], after);
    for (uint32_t i = 0; i < count; i++) {
        struct fact *at = facts->at[to[i]];
        if (!reached[to[i]]) {
            memcpy(at, after, sizeof after);
            reached[to[i]] = changed = true;
            continue;
        }
        for (unsigned reg = 1; reg < 32; reg++)
            changed |= join(&at[reg], &after[reg]);
    }
    if (b->next >= 0 && jit_calls(r, b)) { /* nothing is known after a call */
        static const struct fact none;
        changed |= !reached[b->next];
        reached[b->next] = true;
        for (unsigned reg = 1; reg < 32; reg++)
            changed |= join(&facts->at[b->next][reg], &none);
    }
    return changed;
}

bool llvm_facts_find(const struct jit_region *region, const bool *fixed, struct facts *facts)
{
    const uint32_t count = region->block_count;
    bool *reached = calloc(count, sizeof *reached);
    facts->groups = calloc(count, sizeof *facts->groups);
    facts->at = calloc(count, sizeof *facts->at);
    if (reached == NULL || facts->groups == NULL || facts->at == NULL) {
        free(reached);
        return false;
    }
    for (int32_t i = 0; i < (int32_t)count; i++)
        llvm_groups_find(region, &i, 1, &facts->groups[i]);
    bool done = find_wishes(region, fixed, facts);
    reached[0] = true; /* the entry is reached without facts */
    for (bool changed = done; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            changed |= reached[i] && flow(region, facts, i, reached);
    }
    free(reached);
    return done;
}

void llvm_facts_free(struct facts *facts)
{
    free(facts->groups);
    free(facts->at);
}
