/*
 * Private to llvm: facts about registers at the starts of blocks. If a check was made on every way
 * to a block, for a value that a register still has, the block does not repeat it. The first check
 * also covers nearby accesses of later blocks, so that they need no checks.
 */
#ifndef DPK_ENGINE_LLVM_FACTS_H
#define DPK_ENGINE_LLVM_FACTS_H

#include "engine/llvm/groups.h"

/* Accesses to [low, high), offsets from a value, are allowed; the value plus `anchor` is a multiple
 * of 1 << log2. If low == high, nothing is known. */
struct fact {
    int64_t low, high, anchor;
    unsigned need; /* RV64_R, or RV64_R | RV64_W */
    unsigned log2;
};

struct facts {
    struct groups *groups; /* for each block */
    struct fact (*at)[32]; /* for each register at the start of each block */
};

/* Finds the facts. `fixed`: blocks whose checks must not be widened. Returns false if there is no
 * memory. */
bool llvm_facts_find(const struct jit_region *region, const bool *fixed, struct facts *facts);
void llvm_facts_free(struct facts *facts);

/* What the fact of a group's value proves: nothing, the permission but not the alignment, or
 * both. */
enum fact_says { FACT_NOTHING, FACT_ALLOWED, FACT_ALL };
enum fact_says llvm_fact_covers(const struct fact *fact, const struct group *group);
/* Adds the result of a check of the group. */
void llvm_fact_learn(struct fact *fact, const struct group *group);

#endif
