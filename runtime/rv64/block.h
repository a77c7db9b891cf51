/*
 * Private to rv64: basic blocks of decoded operations and the cache of them.
 *
 * A cache holds the blocks of one generation of the guest's code. Blocks are found without a lock,
 * made under the core's lock, and live until their cache goes; when the code changes or a cache is
 * full, the core begins a new one and the old goes with the last run that uses it.
 */
#ifndef RV64_BLOCK_H
#define RV64_BLOCK_H

#include "core.h"
#include "insn.h"

/* What the engine runs: the instructions, and some that blocks are made of besides. */
enum rv64_run_op {
#define OP(name, format, match) RUN_##name = OP_##name,
#include "ops.def"
#undef OP
    RUN_END = OP_COUNT, /* the block ends, without a jump */
    RUN_FETCH_FAULT,    /* imm: the address that could not be fetched */
    RUN_BREAKPOINT,     /* the next instruction has a breakpoint (rv64_core_break) */
    RUN_LI,             /* rd = imm */
    RUN_MV,
    RUN_J, /* JAL without a link */
#define PAIR(first, second) RUN_##first##_##second,
#include "pairs.def"
#undef PAIR
    RUN_COUNT,
};
_Static_assert(RUN_COUNT <= 256, "a kind is a byte");

/* Where a result for x0 goes: a register that nobody reads. */
enum { RV64_SINK = 32 };

struct rv64_run {
    const void *handler;
    uint64_t imm;
    uint8_t kind; /* enum rv64_op or rv64_run_op */
    uint8_t rd, rs1, rs2;
    uint16_t before; /* instructions of the block before this one ... */
    uint16_t offset; /* ... and their bytes */
};

enum { RV64_BLOCK_MAX = 64 }; /* instructions */

struct rv64_block {
    uint64_t pc;
    uint64_t next_pc, taken_pc;               /* behind the last instruction; where it jumps */
    _Atomic(struct rv64_block *) next, taken; /* their blocks, once known */
    struct rv64_block *other;                 /* in the same bucket */
    uint32_t count;                           /* instructions */
    struct rv64_run run[];
};

enum { RV64_BUCKETS = 1 << 13 };

struct rv64_cache {
    uint64_t generation; /* of the code, when the cache began */
    unsigned users;      /* runs, and the core while it is the current one; under the core's lock */
    size_t room, used;   /* of the newest chunk; bytes in all chunks */
    struct rv64_chunk *chunks;
    _Atomic(struct rv64_block *) buckets[RV64_BUCKETS];
};

static inline unsigned rv64_bucket(uint64_t pc)
{
    return (unsigned)(pc >> 1) % RV64_BUCKETS;
}

static inline struct rv64_block *rv64_cache_find(struct rv64_cache *cache, uint64_t pc)
{
    struct rv64_block *b =
        atomic_load_explicit(&cache->buckets[rv64_bucket(pc)], memory_order_acquire);
    while (b != NULL && b->pc != pc)
        b = b->other;
    return b;
}

/* A cache for a run that begins now; NULL without memory. */
struct rv64_cache *rv64_cache_acquire(struct rv64_core *core);
void rv64_cache_release(struct rv64_core *core, struct rv64_cache *cache);

/* The block at `pc`, made if need be. NULL when the cache is full or memory is short: acquire
 * again. `handlers` are the engine's, by kind. */
struct rv64_block *rv64_cache_get(struct rv64_core *core, struct rv64_cache *cache, uint64_t pc,
                                  const void *const handlers[RUN_COUNT]);

/* Fills `block` (room for RV64_BLOCK_MAX + 1 operations) with the code at `pc`, up to the next
 * breakpoint; wants the lock. Returns how many
 * operations it has. translate.c */
unsigned rv64_translate(const struct rv64_core *core, uint64_t pc, struct rv64_block *block);

#endif
