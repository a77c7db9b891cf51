/*
 * Private to rv64: basic blocks of decoded operations and their cache.
 *
 * A cache holds the blocks of one generation of the guest's code. Blocks are found without a lock,
 * made under the core's lock, and live as long as their cache. When the code changes or a cache is
 * full, the core begins a new cache. The old one is freed after the last run that uses it.
 */
#ifndef DPK_ENGINE_RV64_BLOCK_H
#define DPK_ENGINE_RV64_BLOCK_H

#include "core.h"
#include "insn.h"

/* Operations of the engine: the instructions, and some more that only blocks have. */
enum rv64_run_op {
#define OP(name, format, match) RUN_##name = OP_##name,
#include "ops.def"
#undef OP
    RUN_END = OP_COUNT, /* the block ends without a jump */
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

/* The register that gets results for x0. Nothing reads it. */
enum { RV64_SINK = 32 };

struct rv64_run {
    const void *handler;
    uint64_t imm;
    uint8_t kind; /* enum rv64_op or rv64_run_op */
    uint8_t rd, rs1, rs2;
    uint16_t before; /* number of the block's instructions before this operation */
    uint16_t offset; /* bytes of the operation's instructions */
};

enum { RV64_BLOCK_MAX = 64 }; /* instructions */

struct rv64_block {
    uint64_t pc;
    uint64_t next_pc, taken_pc;               /* address after the last instruction; jump target */
    _Atomic(struct rv64_block *) next, taken; /* blocks at these addresses; NULL: not known yet */
    struct rv64_block *other;                 /* next block in the same bucket */
    uint32_t count;                           /* instructions */
    bool backward;                            /* taken_pc is not after pc */
    _Atomic uint32_t heat;                    /* how often backward jumps, calls and returns led
                                               * here */
    _Atomic uint32_t uneven;                  /* how often misaligned accesses led here */
    struct rv64_run run[];
};

enum { RV64_BUCKETS = 1 << 13 };

enum { RV64_JUMPS = 1 << 11, RV64_JUMP_TRIES = 64 };

static inline size_t rv64_jump_hash(uint64_t from)
{
    return (size_t)((from >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % RV64_JUMPS;
}

struct rv64_cache {
    uint64_t generation; /* generation of the code when the cache was made */
    unsigned users;      /* runs that use it, plus the core while it is current; under the core's
                          * lock */
    size_t room, used;   /* room: of the newest chunk; used: bytes in all chunks */
    struct rv64_chunk *chunks;
    _Atomic(struct rv64_block *) buckets[RV64_BUCKETS];
    _Atomic(struct rv64_entries *) entries; /* NULL if no code is hot yet */
    _Atomic uint64_t jumps[RV64_JUMPS];     /* indirect jumps: from << 32 | to; 0: none */
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

/* Returns the cache for a run that starts now. NULL if there is no memory. */
struct rv64_cache *rv64_cache_acquire(struct rv64_core *core);
void rv64_cache_release(struct rv64_core *core, struct rv64_cache *cache);

/* Returns the block at `pc`, and makes it if there is none. `handlers`: handlers of the engine, by
 * kind. Returns NULL if the cache is full or there is no memory; the caller must then acquire a
 * cache again. */
struct rv64_block *rv64_cache_get(struct rv64_core *core, struct rv64_cache *cache, uint64_t pc,
                                  const void *const handlers[RUN_COUNT]);

/* Counts that a backward jump, a call or a return leads to `block`, with registers `x`. Returns the
 * translated code for the block, or NULL. */
rv64_code *rv64_cache_warm(struct rv64_core *core, struct rv64_cache *cache,
                           struct rv64_block *block, const uint64_t *x);

/* Same, without counting. */
rv64_code *rv64_cache_code(struct rv64_core *core, struct rv64_cache *cache,
                           struct rv64_block *block);
/* Counts that translated code was left because of misaligned accesses in `block`. */
void rv64_cache_uneven(struct rv64_core *core, struct rv64_cache *cache, struct rv64_block *block,
                       const uint64_t *x);
/* Records the target of the indirect jump or call at `from`. */
void rv64_cache_jump(struct rv64_cache *cache, uint64_t from, uint64_t to);

/* Does what rv64_run does, and then interprets further blocks that fit completely into `spare` more
 * instructions. `translator`: the core's; NULL: all code is interpreted. */
enum rv64_stop rv64_engine(struct rv64_core *core, struct rv64_hart *hart, uint64_t budget,
                           unsigned spare, const struct rv64_translator *translator);

/* Returns the lowest address of the calling thread's stack that translated code may use. */
uint64_t rv64_stack_limit(void);

/* Fills `block` (which has space for RV64_BLOCK_MAX + 1 operations) with the code at `pc`, up to
 * the next breakpoint. Returns the number of operations. Call this with the lock (translate.c). */
unsigned rv64_translate(const struct rv64_core *core, uint64_t pc, struct rv64_block *block);

#endif
