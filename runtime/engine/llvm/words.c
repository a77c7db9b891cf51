/* Follows the loaded bytes of each register through a block. */
#include "engine/llvm/words.h"

#include <string.h>

/* The bytes that form a register's value: the instruction that loads each byte, and its place.
 * Empty if the register contains another value. */
struct bytes {
    uint8_t count;
    uint8_t load[8], shift[8];
    uint8_t sign; /* the bits from here on repeat the bit before; 64 without extension */
};

struct finder {
    const struct jit_region *region;
    const struct jit_block *block;
    const struct groups *groups;
    struct words *out;
    struct bytes at[32]; /* the bytes of each register */
};

static const struct rv64_insn *insn_at(const struct finder *f, uint32_t index)
{
    return &f->region->insns[f->block->first + index].insn;
}

static struct bytes shifted(struct bytes b, unsigned by)
{
    for (uint8_t i = 0; i < b.count; i++) {
        if (b.shift[i] + by > 56)
            return (struct bytes){0};
        b.shift[i] = (uint8_t)(b.shift[i] + by);
    }
    b.sign = (uint8_t)(b.sign + by < 64 ? b.sign + by : 64);
    return b;
}

/* Returns whether all bytes are below bit `end`. */
static bool is_below(const struct bytes *b, unsigned end)
{
    for (uint8_t i = 0; i < b->count; i++)
        if (b->shift[i] + 8u > end)
            return false;
    return true;
}

static struct bytes joined(const struct bytes *a, const struct bytes *b)
{
    struct bytes all = *a;
    if (a->count == 0 || b->count == 0 || a->count + b->count > 8 || !is_below(a, b->sign) ||
        !is_below(b, a->sign) || (a->sign < 64 && b->sign < 64))
        return (struct bytes){0};
    memcpy(all.load + all.count, b->load, b->count);
    memcpy(all.shift + all.count, b->shift, b->count);
    all.count = (uint8_t)(a->count + b->count);
    all.sign = a->sign < b->sign ? a->sign : b->sign;
    return all;
}

static struct bytes result(const struct finder *f, uint32_t index)
{
    const struct rv64_insn *const i = insn_at(f, index);
    switch (i->op) {
    case OP_LB:
        return (struct bytes){1, {(uint8_t)index}, {0}, 8};
    case OP_LBU:
        return (struct bytes){1, {(uint8_t)index}, {0}, 64};
    case OP_SLLI:
        return shifted(f->at[i->rs1], (unsigned)i->imm);
    case OP_OR:
        return joined(&f->at[i->rs1], &f->at[i->rs2]);
    default:
        return (struct bytes){0};
    }
}

/* ---- Words ---- */

/* Returns the address of a load, relative to the value of its group. */
static int64_t place(const struct finder *f, uint8_t load)
{
    return f->groups->base[load] + insn_at(f, load)->imm;
}

/* Returns whether no other load of the same bytes, and no store, is between its loads. */
static bool is_undisturbed(const struct finder *f, const struct bytes *b, uint32_t first,
                           uint32_t last, int64_t begin)
{
    const uint8_t group = f->groups->of[first];
    for (uint32_t i = first; i <= last; i++) {
        const struct rv64_insn *const insn = insn_at(f, i);
        unsigned log2, need;
        if (is_atomic(insn) || insn->op == OP_FENCE)
            return false;
        if (!llvm_access_of(insn, &log2, &need) || memchr(b->load, (int)i, b->count) != NULL)
            continue;
        const int64_t at = place(f, (uint8_t)i), end = at + (INT64_C(1) << log2);
        if ((need & RV64_W) || f->groups->root_of[f->groups->of[i]] != f->groups->root_of[group] ||
            (at < begin + b->count && end > begin))
            return false;
    }
    return true;
}

/* Fills in the word, and the byte of it that each load reads. Returns false if the bytes are not a
 * word. */
static bool make_word(const struct finder *f, const struct bytes *b, struct word *word,
                      uint8_t byte[8])
{
    uint8_t first = b->load[0], last = b->load[0], shift = b->shift[0];
    int64_t begin = place(f, first);
    if (b->count != 2 && b->count != 4 && b->count != 8)
        return false;
    for (uint8_t i = 1; i < b->count; i++) {
        first = b->load[i] < first ? b->load[i] : first;
        last = b->load[i] > last ? b->load[i] : last;
        shift = b->shift[i] < shift ? b->shift[i] : shift;
        const int64_t at = place(f, b->load[i]);
        begin = at < begin ? at : begin;
        if (f->groups->of[b->load[i]] != f->groups->of[b->load[0]])
            return false;
    }
    unsigned little = 0, big = 0; /* number of bytes in the order of such a word */
    for (uint8_t i = 0; i < b->count; i++) {
        const int64_t offset = place(f, b->load[i]) - begin;
        if (offset >= b->count)
            return false;
        byte[i] = (uint8_t)offset;
        little += b->shift[i] - shift == 8 * offset;
        big += b->shift[i] - shift == 8 * (b->count - 1 - offset);
    }
    *word = (struct word){.first = first,
                          .size = b->count,
                          .big = big == b->count,
                          .is_signed = b->sign < 64,
                          .shift = shift,
                          .distance = begin - place(f, first)};
    return (big == b->count || little == b->count) && is_undisturbed(f, b, first, last, begin);
}

/* Removes earlier words of these loads: the new word contains all of their bytes. */
static void forget(struct words *out, const struct bytes *b)
{
    for (uint8_t i = 0; i < b->count; i++) {
        const uint8_t old = out->of[b->load[i]];
        for (uint32_t k = 0; old != 0 && k < RV64_BLOCK_MAX; k++) {
            out->of[k] = out->of[k] == old ? 0 : out->of[k];
            out->joined[k] = out->joined[k] == old ? 0 : out->joined[k];
        }
    }
}

static void add_word(const struct finder *f, uint32_t index, const struct bytes *b)
{
    struct word word;
    uint8_t byte[8];
    struct words *const out = f->out;
    if (out->count == WORDS_MAX || !make_word(f, b, &word, byte))
        return;
    forget(out, b);
    out->word[out->count++] = word;
    out->joined[index] = (uint8_t)out->count;
    for (uint8_t i = 0; i < b->count; i++) {
        out->of[b->load[i]] = (uint8_t)out->count;
        out->byte[b->load[i]] = byte[i];
    }
}

void llvm_words_find(const struct jit_region *region, const struct jit_block *block,
                     const struct groups *groups, struct words *out)
{
    struct finder f = {.region = region, .block = block, .groups = groups, .out = out};
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < block->count; i++) {
        const struct rv64_insn *const insn = insn_at(&f, i);
        const struct bytes b = result(&f, i);
        if (insn->op == OP_OR && b.count != 0)
            add_word(&f, i, &b);
        f.at[insn->rd] = b;
        f.at[0] = (struct bytes){0};
    }
}
