/* Private to llvm: groups of loads and stores of a block that one check covers. */
#ifndef DPK_ENGINE_LLVM_GROUPS_H
#define DPK_ENGINE_LLVM_GROUPS_H

#include "engine/jit/region.h"

enum { JIT_GROUPS_MAX = RV64_BLOCK_MAX };

/* Accesses to [begin, end), offsets from a value. They are aligned if `begin` is a multiple of 1 <<
 * log2. */
struct group {
    uint32_t first; /* index of its first instruction in the block */
    int64_t begin, end;
    unsigned log2;
    unsigned need; /* RV64_R, or RV64_R | RV64_W */
    int64_t span;  /* bytes from the first to the last access, in memory */
    uint32_t accesses;
    bool reads; /* the group has loads */
};

/* A value: the sum of up to two registers at the start of the block, each shifted left. */
struct form {
    bool known; /* if false, it is a value of its own, unlike all others */
    uint8_t count;
    uint8_t reg[2], shift[2];
};

/* Values of a block: one for each register and each instruction at most. */
enum { JIT_FORMS_MAX = 33 + RV64_BLOCK_MAX };

/* The value of a register: the form `root` plus a known offset. */
struct linear_value {
    uint8_t root;
    int64_t offset;
};

struct groups {
    struct group group[JIT_GROUPS_MAX];
    uint32_t count;
    uint8_t root_of[JIT_GROUPS_MAX]; /* for each group: index of its value in `form` */
    struct form form[JIT_FORMS_MAX]; /* form[i]: value of register i at the start of the block */
    struct linear_value end[32];            /* of each register, at the end of the block */
    uint8_t form_count;
    /* How the block changes each register: it adds `step` and the register `step_register`, which
     * it leaves unchanged; or in an unknown way. */
    struct {
        bool known;
        int64_t step;
        uint8_t step_register; /* 0: none */
    } change[32];
    /* For each load or store instruction: */
    uint8_t of[RV64_BLOCK_MAX];   /* its group */
    int64_t base[RV64_BLOCK_MAX]; /* offset that its rs1 adds to the value */
};

/* Returns the bit of a register; 0 for x0. */
static inline uint32_t register_bit(unsigned reg)
{
    return reg == 0 ? 0 : UINT32_C(1) << reg;
}

/* Returns true if the instruction belongs to extension A. */
static inline bool is_atomic(const struct rv64_insn *insn)
{
    return (insn->bits & 0x7f) == 0x2f;
}

/* Returns true for a load or store, with its width and the permission that it needs. */
bool llvm_access_of(const struct rv64_insn *insn, unsigned *log2, unsigned *need);

/* Widens the group to cover [begin, end), too, unless that is too far away. The alignment stays. */
void llvm_group_widen(struct group *group, int64_t begin, int64_t end);

/* Finds the groups of consecutive blocks, with at most RV64_BLOCK_MAX instructions in all. */
void llvm_groups_find(const struct jit_region *region, const int32_t *blocks, size_t count,
                      struct groups *out);

#endif
