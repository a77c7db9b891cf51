/* Private to llvm: which loads and stores of a block are checked together. */
#ifndef DPK_ENGINE_LLVM_GROUPS_H
#define DPK_ENGINE_LLVM_GROUPS_H

#include "engine/jit/region.h"

enum { JIT_GROUPS_MAX = RV64_BLOCK_MAX };

/* Accesses to [begin, end), which are offsets from some value. They are aligned if `begin` is a
 * multiple of 1 << log2. */
struct group {
    uint32_t first; /* the index in the block of its first instruction */
    int64_t begin, end;
    unsigned log2;
    unsigned need; /* RV64_R, or that and RV64_W */
    int64_t span;  /* bytes from the first to the last access, in memory */
    uint32_t accesses;
    bool reads; /* there are loads among them */
};

/* A value: that of one or two registers where the block begins, each shifted left, or of none. */
struct form {
    bool known; /* if not, it is some other value, unlike all others */
    uint8_t count;
    uint8_t reg[2], shift[2];
};

/* Values of a block: one for each register and each instruction at most. */
enum { JIT_FORMS_MAX = 33 + RV64_BLOCK_MAX };

/* What a register holds: the form `root`, plus a known offset. */
struct place {
    uint8_t root;
    int64_t offset;
};

struct groups {
    struct group group[JIT_GROUPS_MAX];
    uint32_t count;
    uint8_t root_of[JIT_GROUPS_MAX]; /* the index in `form` of the value of each group */
    struct form form[JIT_FORMS_MAX]; /* that of register i at the beginning is form[i] */
    struct place end[32];            /* of each register, behind the block */
    uint8_t form_count;
    /* Of each register, how the block changes it: it adds `step` and the register `step_register`,
     * which it does not change; or anything. */
    struct {
        bool known;
        int64_t step;
        uint8_t step_register; /* 0: none */
    } change[32];
    /* Of each instruction that is a load or store: */
    uint8_t of[RV64_BLOCK_MAX];   /* its group */
    int64_t base[RV64_BLOCK_MAX]; /* what its rs1 adds to the value */
};

/* A bit for a register, none for x0. */
static inline uint32_t register_bit(unsigned reg)
{
    return reg == 0 ? 0 : UINT32_C(1) << reg;
}

/* Whether an instruction is one of the extension A. */
static inline bool is_atomic(const struct rv64_insn *insn)
{
    return (insn->bits & 0x7f) == 0x2f;
}

/* Whether an instruction is a load or store, its width and the permission that it needs. */
bool access_of(const struct rv64_insn *insn, unsigned *log2, unsigned *need);

/* Widens the group to cover [begin, end), too, where that is not too far. Its alignment stays. */
void group_widen(struct group *group, int64_t begin, int64_t end);

/* Of blocks that follow one another, with RV64_BLOCK_MAX instructions in all at most. */
void groups_find(const struct jit_region *region, const int32_t *blocks, size_t count,
                 struct groups *out);

#endif
