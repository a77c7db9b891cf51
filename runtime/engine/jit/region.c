/* Finds regions by following jumps from a pc. */
#include "engine/jit/region.h"

#include <stdlib.h>
#include <string.h>

static enum jit_end end_of(const struct rv64_insn *insn)
{
    switch (insn->op) {
    case OP_JAL:
        return insn->rd == 0 ? JIT_END_JUMP : JIT_END_CALL;
    case OP_JALR:
        return JIT_END_JALR;
    case OP_BEQ:
    case OP_BNE:
    case OP_BLT:
    case OP_BGE:
    case OP_BLTU:
    case OP_BGEU:
        return JIT_END_BRANCH;
    case OP_ECALL:
    case OP_EBREAK:
    case OP_ILLEGAL:
    case OP_FENCE_I:
        return JIT_END_LEAVE;
    default:
        return JIT_END_FALL;
    }
}

/* Recognizes AUIPC or LUI, then JALR on the same register: a direct call or jump. */
static void see_far_jump(const struct jit_region *r, struct jit_block *b)
{
    if (b->end != JIT_END_JALR || b->count < 2)
        return;
    const struct jit_insn *jalr = jit_last(r, b), *before = jalr - 1;
    if ((before->insn.op != OP_AUIPC && before->insn.op != OP_LUI) ||
        before->insn.rd != jalr->insn.rs1 || before->insn.rd == 0)
        return;
    b->taken_pc = ((before->insn.op == OP_AUIPC ? before->pc : 0) +
                   (uint64_t)(int64_t)before->insn.imm + (uint64_t)(int64_t)jalr->insn.imm) &
                  ~UINT64_C(1);
    b->end = jalr->insn.rd == 0 ? JIT_END_JUMP : JIT_END_CALL;
}

static void read_block(const struct rv64_core *core, struct jit_region *r, struct jit_block *b)
{
    uint64_t at = b->pc, fault_address;
    bool ended = false;
    b->first = r->insn_count;
    b->end = JIT_END_FALL;
    while (!ended && b->count < RV64_BLOCK_MAX) {
        struct jit_insn *i = &r->insns[b->first + b->count];
        if (rv64_core_breaks(core, at) || !rv64_fetch(core, at, &i->insn, &fault_address))
            break;
        i->pc = at;
        b->count++;
        b->end = end_of(&i->insn);
        ended = b->end != JIT_END_FALL;
        b->taken_pc = at + (uint64_t)(int64_t)i->insn.imm;
        at += i->insn.length;
    }
    if (b->count == 0)
        b->end = JIT_END_LEAVE;
    b->next_pc = at;
    r->insn_count += b->count;
    see_far_jump(r, b);
}

/* Returns the index of the block at `pc`, which is added if there is room, or -1. */
static int32_t block_at(struct jit_region *r, uint64_t pc, uint32_t copy)
{
    for (uint32_t i = 0; i < r->block_count; i++)
        if (r->blocks[i].pc == pc && r->blocks[i].copy == copy)
            return (int32_t)i;
    if (r->block_count == JIT_BLOCKS_MAX || r->insn_count > JIT_INSNS_MAX)
        return -1;
    r->blocks[r->block_count] = (struct jit_block){.pc = pc, .copy = copy, .next = -1, .taken = -1};
    return (int32_t)r->block_count++;
}

/* Follows an indirect jump to its earlier targets. */
static void add_targets(struct rv64_core *core, struct jit_region *r, struct jit_block *b)
{
    uint64_t to[RV64_JUMP_TRIES];
    const struct jit_insn *jalr = jit_last(r, b);
    b->target = r->target_count;
    size_t count = rv64_core_jumps(core, jalr->pc, to, RV64_JUMP_TRIES);
    for (size_t i = 0; i < count && r->target_count < JIT_TARGETS_MAX; i++) {
        const int32_t target = block_at(r, to[i], b->copy);
        if (target < 0)
            break;
        r->targets[r->target_count++] = target;
        b->target_count++;
    }
}

/* Reads block `index`, and adds the blocks that it leads to. */
static void expand(struct rv64_core *core, struct jit_region *r, uint32_t index)
{
    struct jit_block *b = &r->blocks[index];
    read_block(core, r, b);
    if (b->end == JIT_END_FALL || b->end == JIT_END_BRANCH || jit_calls(r, b))
        b->next = block_at(r, b->next_pc, b->copy);
    if (b->end == JIT_END_JUMP || b->end == JIT_END_BRANCH)
        b->taken = block_at(r, b->taken_pc, b->copy);
    if (b->end == JIT_END_JALR && !jit_calls(r, b))
        add_targets(core, r, b);
}

/* ---- Copies ---- */

/* A leaf function may have LEAF_INSNS_MAX instructions if a loop calls it. */
enum { COPY_INSNS_MAX = 80, LEAF_INSNS_MAX = 240, COPY_DEPTH_MAX = 4, COPIES_INSNS_MAX = 300 };

/* An indirect call with more known functions than this is not copied. */
enum { CALLED_MAX = 4 };

/* Returns whether `call` calls the function at `pc` by ra, the function has run, and it is not
 * recursive. */
static bool may_copy(const struct rv64_core *core, const struct jit_region *r,
                     const struct jit_block *call, uint64_t pc)
{
    if (!jit_calls(r, call) || call->next < 0 || r->copy_count == JIT_COPIES_MAX - 1 ||
        r->insn_count > COPIES_INSNS_MAX || r->copies[call->copy].depth == COPY_DEPTH_MAX ||
        jit_last(r, call)->insn.rd != 1)
        return false;
    for (uint32_t c = call->copy; c != 0; c = r->copies[c].outer)
        if (r->copies[c].pc == pc)
            return false;
    return pc != r->blocks[0].pc && core->cache != NULL &&
           rv64_cache_find(core->cache, call->pc) != NULL &&
           rv64_cache_find(core->cache, pc) != NULL;
}

static bool is_return(const struct rv64_insn *insn)
{
    return insn->op == OP_JALR && insn->rd == 0 && insn->rs1 == 1 && insn->imm == 0;
}

/* Returns whether a JALR is a return, perhaps an unusual one: it uses a link register and links
 * nothing. */
static bool uses_link(const struct rv64_insn *insn)
{
    return insn->rd == 0 && (insn->rs1 == 1 || insn->rs1 == 5);
}

/* Adds a copy of the function at `pc` for `call`, and returns its first block. Returns -1 and adds
 * nothing if the function is not small or does not return. `in_loop` is set if the region is a
 * loop. */
static int32_t add_copy(struct rv64_core *core, struct jit_region *r, const struct jit_block *call,
                        uint64_t pc, bool in_loop)
{
    const uint32_t blocks = r->block_count, insns = r->insn_count, targets = r->target_count,
                   copy = r->copy_count + 1;
    uint32_t most = in_loop ? LEAF_INSNS_MAX : COPY_INSNS_MAX;
    bool returns = false;
    r->copies[copy] = (struct jit_copy){.pc = pc,
                                        .return_pc = call->next_pc,
                                        .outer = call->copy,
                                        .depth = r->copies[call->copy].depth + 1};
    bool small = block_at(r, pc, copy) >= 0;
    for (uint32_t i = blocks; small && i < r->block_count; i++) {
        struct jit_block *b = &r->blocks[i];
        expand(core, r, i);
        if (jit_calls(r, b))
            most = COPY_INSNS_MAX;
        small = r->insn_count - insns <= most && r->block_count < JIT_BLOCKS_MAX &&
                b->end != JIT_END_LEAVE;
        if (b->end != JIT_END_JALR || !small || !uses_link(&jit_last(r, b)->insn))
            continue;
        small = is_return(&jit_last(r, b)->insn);
        returns = true;
        b->end = JIT_END_RETURN;
        b->next_pc = call->next_pc;
        b->next = call->next;
    }
    if (small && returns) {
        r->copy_count = copy;
        return (int32_t)blocks;
    }
    r->block_count = blocks;
    r->insn_count = insns;
    r->target_count = targets;
    return -1;
}

/* Copies the functions that an indirect call has called. Other functions stay calls. */
static void copy_targets(struct rv64_core *core, struct jit_region *r, struct jit_block *call,
                         bool in_loop)
{
    uint64_t to[CALLED_MAX + 1];
    int32_t first[CALLED_MAX];
    uint32_t found = 0;
    const size_t count = rv64_core_jumps(core, jit_last(r, call)->pc, to, CALLED_MAX + 1);
    for (size_t i = 0; i < count && count <= CALLED_MAX; i++) {
        first[found] =
            may_copy(core, r, call, to[i]) ? add_copy(core, r, call, to[i], in_loop) : -1;
        found += first[found] >= 0;
    }
    if (found > JIT_TARGETS_MAX - r->target_count)
        return;
    memcpy(&r->targets[r->target_count], first, found * sizeof *first);
    call->target = r->target_count;
    call->target_count = found;
    r->target_count += found;
}

static void copy_called(struct rv64_core *core, struct jit_region *r, struct jit_block *call,
                        bool in_loop)
{
    if (call->end == JIT_END_JALR && jit_calls(r, call))
        copy_targets(core, r, call, in_loop);
    if (call->end != JIT_END_CALL || !may_copy(core, r, call, call->taken_pc))
        return;
    const int32_t first = add_copy(core, r, call, call->taken_pc, in_loop);
    if (first < 0)
        return;
    call->end = JIT_END_INLINE;
    call->taken = first;
    call->next = -1;
}

/* ---- Loops ---- */

static bool leads_to(const struct jit_region *r, const struct jit_block *b, const bool *found)
{
    bool any = (b->next >= 0 && found[b->next]) || (b->taken >= 0 && found[b->taken]);
    for (uint32_t i = 0; i < b->target_count; i++)
        any |= found[r->targets[b->target + i]];
    return any;
}

static int32_t new_index(const int32_t *to, int32_t old)
{
    return old >= 0 ? to[old] : -1;
}

/* Removes all blocks except those to keep. Blocks and their instructions move forward. */
static void keep_blocks(struct jit_region *r, const bool *keep)
{
    int32_t to[JIT_BLOCKS_MAX];
    uint32_t blocks = 0, insns = 0, targets = 0;
    for (uint32_t i = 0; i < r->block_count; i++)
        to[i] = keep[i] ? (int32_t)blocks++ : -1;
    for (uint32_t i = 0; i < r->block_count; i++) {
        struct jit_block b = r->blocks[i];
        if (!keep[i])
            continue;
        memmove(&r->insns[insns], &r->insns[b.first], b.count * sizeof *r->insns);
        b.first = insns;
        insns += b.count;
        b.next = new_index(to, b.next);
        b.taken = new_index(to, b.taken);
        const uint32_t first = b.target, count = b.target_count;
        b.target = targets;
        for (uint32_t k = 0; k < count; k++)
            if (keep[r->targets[first + k]])
                r->targets[targets++] = to[r->targets[first + k]];
        b.target_count = targets - b.target;
        r->blocks[to[i]] = b;
    }
    r->block_count = blocks;
    r->insn_count = insns;
    r->target_count = targets;
}

/* Marks blocks from `lowest` on that lead back to the first block. Returns false if there are
 * none. */
static bool find_loop(const struct jit_region *r, uint64_t lowest, bool found[JIT_BLOCKS_MAX])
{
    bool any = false;
    memset(found, 0, JIT_BLOCKS_MAX * sizeof *found);
    found[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = r->block_count; i-- > 0;) {
            const bool leads = r->blocks[i].pc >= lowest && leads_to(r, &r->blocks[i], found);
            any |= i == 0 && leads;
            changed |= leads && !found[i];
            found[i] |= leads;
        }
    }
    return any;
}

static bool mark(int32_t block, const bool *among, bool *reached)
{
    const bool is_new = block >= 0 && among[block] && !reached[block];
    if (is_new)
        reached[block] = true;
    return is_new;
}

/* Keeps only those found blocks that the first block reaches through found blocks. */
static void keep_reached(const struct jit_region *r, bool found[JIT_BLOCKS_MAX])
{
    bool reached[JIT_BLOCKS_MAX] = {true};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < r->block_count; i++) {
            const struct jit_block *const b = &r->blocks[i];
            if (!reached[i])
                continue;
            changed |= mark(b->next, found, reached);
            changed |= mark(b->taken, found, reached);
            for (uint32_t k = 0; k < b->target_count; k++)
                changed |= mark(r->targets[b->target + k], found, reached);
        }
    }
    memcpy(found, reached, sizeof reached);
}

static bool is_warm(const struct rv64_core *core, uint64_t pc, uint32_t warm)
{
    const struct rv64_block *const b = core->cache ? rv64_cache_find(core->cache, pc) : NULL;
    return b != NULL && atomic_load_explicit(&b->heat, memory_order_relaxed) >= warm;
}

/* Returns the start of the loop to keep: that of the first block, or a surrounding loop with a warm
 * head. */
static uint64_t lowest_of(const struct rv64_core *core, const struct jit_region *r, uint32_t warm)
{
    bool found[JIT_BLOCKS_MAX];
    uint64_t lowest = r->blocks[0].pc;
    const bool inner = find_loop(r, lowest, found);
    (void)find_loop(r, 0, found);
    for (uint32_t i = 0; i < r->block_count; i++)
        if (found[i] && r->blocks[i].pc < lowest &&
            (!inner || is_warm(core, r->blocks[i].pc, warm)))
            lowest = r->blocks[i].pc;
    return lowest;
}

/* Keeps only the loop of a region that begins in a loop. Code after the loop is seldom reached.
 * Code before its head belongs to surrounding loops, which have their own regions if they are hot.
 * But a return address may be anywhere in its loop. Returns false if the region does not begin in a
 * loop. */
static bool keep_loop(const struct rv64_core *core, struct jit_region *r, uint32_t warm)
{
    bool found[JIT_BLOCKS_MAX];
    if (!find_loop(r, lowest_of(core, r, warm), found))
        return false;
    keep_reached(r, found);
    keep_blocks(r, found);
    return true;
}

/* ---- Hints ---- */

static void find_hints(const struct rv64_core *core, const uint64_t x[32], struct jit_region *r)
{
    struct rv64_window window[RV64_WINDOWS];
    rv64_windows_find(core->mem, x[2], window);
    for (unsigned reg = 1; reg < 32; reg++)
        for (uint8_t i = 0; i < RV64_WINDOWS && r->points_to[reg] == 0; i++)
            if (rv64_window_has(&window[i], x[reg]))
                r->points_to[reg] = i + 1;
    r->window_begin[RV64_WINDOW_IMAGE] = window[RV64_WINDOW_IMAGE].begin;
    r->window_begin[RV64_WINDOW_DATA] = window[RV64_WINDOW_DATA].begin;
}

bool jit_region_find(struct rv64_core *core, uint64_t pc, const uint64_t x[32], uint32_t warm,
                     struct jit_region *region)
{
    struct jit_region r = {
        .blocks = calloc(JIT_BLOCKS_MAX, sizeof *r.blocks),
        .targets = calloc(JIT_TARGETS_MAX, sizeof *r.targets),
        .insns = calloc(JIT_INSNS_MAX + JIT_BLOCKS_MAX * RV64_BLOCK_MAX, sizeof *r.insns),
    };
    if (r.blocks == NULL || r.insns == NULL || r.targets == NULL) {
        jit_region_free(&r);
        return false;
    }
    (void)block_at(&r, pc, 0);
    for (uint32_t i = 0; i < r.block_count; i++)
        expand(core, &r, i);
    const bool is_loop = keep_loop(core, &r, warm);
    for (uint32_t i = 0; i < r.block_count; i++)
        copy_called(core, &r, &r.blocks[i], is_loop);
    jit_tables_find(core, x, &r);
    find_hints(core, x, &r);
    *region = r;
    return true;
}

void jit_region_free(struct jit_region *region)
{
    free(region->blocks);
    free(region->insns);
    free(region->targets);
}
