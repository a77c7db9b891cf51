/*
 * Private to llvm: what is known of registers where blocks begin. A check that has been made on the
 * way to a block, of a value that a register still has, is not made again. A first check covers what
 * later blocks may access nearby, so that theirs are not needed.
 */
#ifndef DPK_ENGINE_LLVM_FACTS_H
#define DPK_ENGINE_LLVM_FACTS_H

#include "engine/llvm/groups.h"

/* Accesses to [low, high), which are offsets from a value, are allowed; the value plus `anchor` is a
 * multiple of 1 << log2. low == high: nothing is known. */
struct fact {
    int64_t low, high, anchor;
    unsigned need; /* RV64_R, or that and RV64_W */
    unsigned log2;
};

struct facts {
    struct groups *groups; /* of each block */
    struct fact (*at)[32]; /* of each register where each block begins */
};

/* `fixed`: blocks whose checks are not widened. False: no memory. */
bool facts_find(const struct jit_region *region, const bool *fixed, struct facts *facts);
void facts_free(struct facts *facts);

/* What is known of a group's value from the fact of that value: nothing, all but the alignment, or
 * all. */
enum fact_says { FACT_NOTHING, FACT_ALLOWED, FACT_ALL };
enum fact_says fact_covers(const struct fact *fact, const struct group *group);
/* Adds what a check of the group has told. */
void fact_learn(struct fact *fact, const struct group *group);

#endif
