/* Random functions of guest programs: what compilers make, and what they never would. */
#ifndef RV64_FUNCTIONS_H
#define RV64_FUNCTIONS_H

#include "rv64_generate.h"

/* Two tables of addresses of functions, of 8 bytes each: in read-only memory and in data. And a
 * counter in data that ends recursion. */
#define FUNCTION_TABLE(writable) ((writable) ? DATA_AT : READ_ONLY_AT)
#define FUEL_AT                  (DATA_AT + 8 * PROGRAM_FUNCTIONS)

enum { TABLE_FUNCTIONS = 8, MOST_DEPTH = 4 };

static void add_code(struct making *m, unsigned depth);

/* ---- Branches and loops ---- */

static inline int16_t add_random_branch(struct making *m)
{
    static const uint32_t matches[] = {BEQ, BNE, BLT, 0x5063, BLTU, BGEU};
    uint32_t rs1 = any_register(m), rs2 = chance(m->c, 3) ? 0 : any_register(m);
    return add_branch(m, matches[choose(m->c, 6)], rs1, rs2);
}

static inline void add_if(struct making *m, unsigned depth)
{
    int16_t over = add_random_branch(m);
    add_code(m, depth + 1);
    if (chance(m->c, 2)) {
        int16_t end = add_jump(m);
        set_target(m, over);
        add_code(m, depth + 1);
        set_target(m, end);
        return;
    }
    set_target(m, over);
}

/* The end of a loop that counts: `up` to `turns`, or down to 0. */
static inline void close_loop(struct making *m, int16_t head, uint32_t counter, uint32_t turns,
                              bool up)
{
    int16_t back;
    add_word(m, i_type(ADDI, counter, counter, up ? 1 : 0u - 1));
    if (up) {
        uint32_t t = destination(m);
        t = t == 0 ? T1 : t;
        add_word(m, i_type(SLT_I, t, counter, turns));
        back = add_branch(m, BNE, t, 0);
    } else if (chance(m->c, 4)) { /* over a jump */
        int16_t out = add_branch(m, BEQ, counter, 0);
        back = add_jump(m);
        set_target(m, out);
    } else {
        back = add_branch(m, BNE, counter, 0);
    }
    m->p->items[back].target = head;
}

static inline void add_counted_loop(struct making *m, unsigned depth)
{
    const uint32_t outer = m->counter, counter = take_register(m);
    const uint32_t turns = chance(m->c, 8) ? 1 + choose(m->c, 300) : 1 + choose(m->c, 12);
    const bool up = chance(m->c, 2);
    int16_t into = -1, out = -1;
    add_word(m, i_type(ADDI, counter, 0, up ? 0 : turns));
    if (chance(m->c, 10)) /* a jump into the middle: no natural loop any more */
        into = add_random_branch(m);
    const int16_t head = (int16_t)m->p->count;
    m->counter = counter;
    add_code(m, depth + 1);
    if (into >= 0)
        set_target(m, into);
    if (chance(m->c, 3))
        out = add_random_branch(m);
    if (chance(m->c, 2))
        add_code(m, depth + 1);
    close_loop(m, head, counter, turns, up);
    if (out >= 0)
        set_target(m, out);
    m->counter = outer;
    give_register(m, counter);
}

/* `rd` = an address `before` bytes before the end of a page. After some of these pages there is
 * nothing, or what is only read, or only written. */
static inline void add_page_end(struct making *m, uint32_t rd, uint32_t before)
{
    static const uint32_t ends[] = {DATA_AT + RV64_PAGE,  DATA_AT + DATA_PAGES * RV64_PAGE,
                                    WRITE_ONLY_AT,        WRITE_ONLY_AT + RV64_PAGE,
                                    STACK_AT + RV64_PAGE, CODE_AT + CODE_PAGES * RV64_PAGE};
    if (chance(m->c, 6)) { /* 4 GiB */
        add_word(m, i_type(ADDI, rd, TP, 2047 - before % 2048));
        add_word(m, i_type(ADDI, rd, rd, 1));
        return;
    }
    add_constant(m, rd, ends[choose(m->c, 6)] - before);
}

/* How many turns of a loop stay before the end of a page: few loops fault. */
static inline uint32_t turns_before_end(struct making *m, uint32_t turns)
{
    return chance(m->c, 4) ? choose(m->c, turns) : turns + choose(m->c, 3);
}

/* Reads a word byte by byte, of either byte order, from any byte on, and joins it. Some are not words. */
static inline void add_joined_word(struct making *m, uint32_t base, uint32_t at)
{
    const uint32_t word = take_register(m), byte = take_register(m);
    const uint32_t size = 2u << choose(m->c, 3), first = choose(m->c, size);
    const bool big = chance(m->c, 2);
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t k = (first + i) % size, shift = 8 * (big ? size - 1 - k : k);
        const uint32_t rd = i == 0 ? word : byte, is_unsigned = chance(m->c, 6) ? 0 : 4;
        add_word(m, i_type(LOADS | is_unsigned << 12, rd, base, at + k));
        if (shift != 0)
            add_word(m, i_type(SLL_I, rd, rd, chance(m->c, 24) ? choose(m->c, 64) : shift));
        if (chance(m->c, 32))
            add_word(m, s_type(STORES, any_register(m), base, at + choose(m->c, size)));
        if (chance(m->c, 32))
            add_word(m, i_type(LOADS, destination(m), base, at + choose(m->c, size)));
        if (i > 0)
            add_word(m,
                     chance(m->c, 2) ? r_type(OR, word, word, byte) : r_type(OR, word, byte, word));
    }
    if (chance(m->c, 3)) { /* where something is */
        add_word(m, i_type(AND_I, word, word, 0x7f8));
        add_word(m, r_type(ADD, word, word, GP));
        add_word(m, i_type(LD, destination(m), word, 0));
    }
    add_word(m, i_type(ADDI, destination(m), word, 0));
    give_register(m, word);
    give_register(m, byte);
}

/* Some loads and stores near each other, as of the members of a structure. */
static inline void add_accesses(struct making *m, uint32_t base, uint32_t span)
{
    const uint32_t align = chance(m->c, 8) ? 1 : 8;
    if (chance(m->c, 6))
        add_joined_word(m, base, choose(m->c, span));
    for (unsigned n = 1 + choose(m->c, 5); n > 0; n--) {
        const uint32_t log2 = choose(m->c, 4), width = 1u << log2;
        const uint32_t at = (choose(m->c, span) & (0 - (align < width ? align : width))) -
                            (chance(m->c, 4) ? span / 2 & ~7u : 0);
        if (chance(m->c, 2))
            add_word(m, s_type(STORES | log2 << 12, any_register(m), base, at));
        else
            add_word(m, i_type(LOADS | log2 << 12, destination(m), base, at));
        if (chance(m->c, 8))
            add_values(m);
    }
}

static inline void add_structure(struct making *m)
{
    const uint32_t base = take_register(m);
    switch (choose(m->c, 4)) {
    case 0:
        add_page_end(m, base, 24 + choose(m->c, 10) * 4);
        break;
    case 1: /* by a pointer in memory, which is any value most of the time */
        add_word(m, i_type(LD, base, GP, choose(m->c, 128) * 8));
        add_word(m, i_type(AND_I, base, base, 0x7f8));
        add_word(m, r_type(ADD, base, base, chance(m->c, 4) ? SP : GP));
        break;
    default:
        add_word(m, i_type(ADDI, base, GP, choose(m->c, 512) * 4 - 1024));
    }
    add_accesses(m, base, 32);
    if (chance(m->c, 3)) { /* and of the next one */
        add_word(m, i_type(ADDI, base, base, (choose(m->c, 17) - 8) * 8));
        add_accesses(m, base, 32);
    }
    give_register(m, base);
}

/* Over an array, by a pointer, upwards to its end or down to its beginning. */
static inline void add_pointer_loop(struct making *m, unsigned depth)
{
    const uint32_t outer = m->pointer, pointer = take_register(m), end = take_register(m),
                   sum = take_register(m);
    const uint32_t log2 = choose(m->c, 4), turns = 1 + choose(m->c, chance(m->c, 4) ? 200 : 24);
    const uint32_t step = chance(m->c, 6) ? 8 * choose(m->c, 4) : 1u << log2;
    const bool down = chance(m->c, 4);
    if (chance(m->c, 2))
        add_page_end(m, pointer, step * turns_before_end(m, turns));
    else
        add_word(m, i_type(ADDI, pointer, chance(m->c, 4) ? TP : GP, choose(m->c, 64) << log2));
    add_word(m, i_type(ADDI, end, pointer, down ? 0 - turns * step % 2048 : turns * step % 2048));
    const int16_t head = (int16_t)m->p->count;
    m->pointer = pointer;
    add_accesses(m, pointer, step > 8 ? step : 8);
    if (chance(m->c, 2))
        add_values(m);
    if (chance(m->c, 3))
        add_word(m, r_type(ADDW, sum, sum, any_register(m)));
    if (chance(m->c, 4))
        add_code(m, depth + 1);
    add_word(m, i_type(ADDI, pointer, pointer, down ? 0 - step : step));
    m->p->items[down ? add_branch(m, BLTU, end, pointer) : add_branch(m, BLTU, pointer, end)]
        .target = head;
    m->pointer = outer;
    give_register(m, pointer);
    give_register(m, end);
    give_register(m, sum);
}

/* Over an array, by an index that is shifted: up to a constant, or down to 0. */
static inline void add_index_loop(struct making *m, unsigned depth)
{
    static const uint32_t shift_adds[] = {ADD, 0x20002033, SH2ADD, SH3ADD};
    const uint32_t array = take_register(m), index = take_register(m), at = take_register(m);
    const uint32_t log2 = choose(m->c, 4), turns = 1 + choose(m->c, chance(m->c, 4) ? 300 : 24);
    const bool up = chance(m->c, 2);
    const uint32_t outer = m->counter;
    if (chance(m->c, 2))
        add_page_end(m, array, turns_before_end(m, turns) << log2);
    else
        add_word(m, i_type(ADDI, array, GP, choose(m->c, 16) * 8));
    add_word(m, i_type(ADDI, index, 0, up ? 0 : turns));
    const int16_t head = (int16_t)m->p->count;
    if (chance(m->c, 2)) {
        add_word(m, r_type(shift_adds[log2], at, index, array));
    } else {
        add_word(m, i_type(SLL_I, at, index, log2));
        add_word(m, r_type(ADD, at, at, array));
    }
    add_accesses(m, at, 1u << log2 < 4 ? 4 : 1u << log2);
    m->counter = index;
    if (chance(m->c, 4))
        add_code(m, depth + 1);
    close_loop(m, head, index, turns, up);
    m->counter = outer;
    give_register(m, array);
    give_register(m, index);
    give_register(m, at);
}

/* ---- Jump tables ---- */

static inline void add_slot(struct making *m, uint32_t at, uint32_t base, int target,
                            unsigned width)
{
    struct program *p = m->p;
    if (p->slot_count < PROGRAM_SLOTS)
        p->slots[p->slot_count++] = (struct slot){at, base, (int16_t)target, (uint8_t)width};
}

/* A switch with four cases. The table has addresses of 4 or 8 bytes, or what is to be added to its
 * own address; it lies in read-only memory or, where programs may change it, in data. */
static inline void add_switch(struct making *m, unsigned depth)
{
    enum { CASES = 4 };
    const unsigned place = chance(m->c, 6), log2 = 2 + choose(m->c, 2);
    const bool relative = log2 == 2 && chance(m->c, 2);
    const uint32_t table = m->table_end[place];
    uint32_t index = take_register(m), t = take_register(m);
    int16_t end[CASES], otherwise = -1;
    m->table_end[place] += (uint32_t)CASES << log2;
    if (chance(m->c, 2)) { /* what compilers do: check the index, then look it up */
        add_word(m, i_type(ADDI, t, 0, CASES));
        add_word(m, i_type(AND_I, index, any_register(m), 7));
        otherwise = add_branch(m, BGEU, index, t);
    } else {
        add_word(m, i_type(AND_I, index, any_register(m), CASES - 1));
    }
    add_word(m, LUI | t << 7 | ((table + 0x800) & 0xfffff000));
    add_word(m, i_type(ADDI, t, t, table));
    add_word(m, r_type(log2 == 2 ? SH2ADD : SH3ADD, index, index, t));
    add_word(m, i_type(log2 == 2 ? LW : LD, index, index, 0));
    if (relative)
        add_word(m, r_type(ADD, index, index, t));
    add_word(m, i_type(JALR, 0, index, 0));
    give_register(m, index);
    give_register(m, t);
    for (unsigned i = 0; i < CASES; i++) {
        add_slot(m, table + (i << log2), relative ? table : 0, (int)m->p->count, 1u << log2);
        add_code(m, depth + 1);
        end[i] = chance(m->c, 6) ? -1 : add_jump(m); /* or falls through */
    }
    for (unsigned i = 0; i < CASES; i++)
        if (end[i] >= 0)
            set_target(m, end[i]);
    if (otherwise >= 0)
        set_target(m, otherwise);
}

/* ---- Calls ---- */

/* The functions with an odd number, after the first, are called with T0 as their link. */
static inline uint32_t link_of(unsigned function)
{
    return function > 1 && function % 4 == 3 ? T0 : RA;
}

static inline int16_t add_fuel_check(struct making *m)
{
    uint32_t t = T2;
    add_word(m, i_type(LW, t, GP, FUEL_AT - GP_VALUE));
    add_word(m, i_type(ADDI, t, t, 0u - 1));
    add_word(m, s_type(SW, t, GP, FUEL_AT - GP_VALUE));
    return add_branch(m, BLT, t, 0);
}

/* To `function`, and with `link` 0 never back. */
static inline void add_transfer(struct making *m, unsigned function, uint32_t link)
{
    const int target = -1 - (int)function;
    int16_t high;
    switch (choose(m->c, 6)) {
    case 0: /* far */
        high = add_item(m, ITEM_AUIPC, AUIPC | T1 << 7, target);
        add_item(m, ITEM_LOW, i_type(JALR, link, T1, 0), high);
        break;
    case 1: /* by a pointer; its last bit is ignored */
        high = add_item(m, chance(m->c, 2) ? ITEM_LUI : ITEM_AUIPC, 0, target);
        m->p->items[high].word = (m->p->items[high].kind == ITEM_LUI ? LUI : AUIPC) | T1 << 7;
        add_item(m, ITEM_LOW, i_type(ADDI, T1, T1, 0), high);
        if (chance(m->c, 4))
            add_word(m, i_type(OR_I, T1, T1, 1));
        add_word(m, i_type(JALR, link, T1, 0));
        break;
    default:
        add_item(m, ITEM_JAL, JAL | link << 7, target);
    }
}

/* By a table of functions: any of them, so that it may come back to this one. */
static inline void add_table_call(struct making *m)
{
    const uint32_t table = FUNCTION_TABLE(chance(m->c, 4)), t = T1;
    const int16_t over = add_fuel_check(m);
    add_word(m, LUI | t << 7 | table);
    add_word(m, i_type(AND_I, T2, any_register(m), TABLE_FUNCTIONS - 1));
    add_word(m, r_type(SH3ADD, t, T2, t));
    add_word(m, i_type(LD, t, t, 0));
    add_word(m, i_type(JALR, RA, t, 0));
    set_target(m, over);
}

static inline void add_call(struct making *m)
{
    const unsigned count = m->p->function_count, rest = count - m->function - 1;
    if (m->frame == 0) { /* a leaf */
        add_values(m);
    } else if (rest == 0 || chance(m->c, 4)) {
        const int16_t over = add_fuel_check(m);
        const unsigned callee = chance(m->c, 2) ? m->function : choose(m->c, count);
        add_transfer(m, callee, link_of(callee));
        set_target(m, over);
    } else if (chance(m->c, 3)) {
        add_table_call(m);
    } else {
        const unsigned callee = m->function + 1 + choose(m->c, rest);
        add_transfer(m, callee, link_of(callee));
    }
}

/* ---- Functions ---- */

static inline void add_saves(struct making *m, uint32_t opcode)
{
    uint32_t at = m->frame - 8, saved = m->saved | 1u << m->link;
    for (uint32_t r = 1; r < 32; r++) {
        if ((saved >> r & 1) == 0)
            continue;
        add_word(m, opcode == SD ? s_type(SD, r, SP, at) : i_type(LD, r, SP, at));
        at -= 8;
    }
}

/* What no compiler makes: it returns elsewhere, or with another stack. */
static inline void add_rude_end(struct making *m)
{
    switch (choose(m->c, 5)) {
    case 0:
        add_word(m, i_type(ADDI, SP, SP, 16));
        break;
    case 1: /* after the instruction that follows the call, or into it */
        add_word(m, i_type(ADDI, m->link, m->link, 2u << choose(m->c, 3)));
        break;
    case 2:
        add_word(m, i_type(LD, m->link, SP, choose(m->c, 16) * 8));
        break;
    case 3: /* into the middle of a function */
        add_item(m, ITEM_JAL, JAL, (int)choose(m->c, m->p->count));
        break;
    default:
        add_word(m, i_type(ADDI, S0, A0, 0));
    }
}

static inline void add_end(struct making *m)
{
    const unsigned rest = m->p->function_count - m->function - 1;
    if (m->frame != 0) {
        add_saves(m, LD);
        add_word(m, i_type(ADDI, SP, SP, m->frame));
    }
    if (chance(m->c, 16))
        add_rude_end(m);
    if (rest > 0 && m->link == RA && chance(m->c, 6)) {
        const unsigned callee = m->function + 1 + choose(m->c, rest);
        if (link_of(callee) == RA) {
            add_transfer(m, callee, 0);
            return;
        }
    }
    if (m->link == RA && chance(m->c, 2))
        add_item(m, ITEM_HALF, RET_HALF, 0);
    else
        add_word(m, i_type(JALR, 0, m->link, 0));
}

static void add_code(struct making *m, unsigned depth)
{
    for (unsigned n = 1 + choose(m->c, depth == 0 ? 8 : 4); n > 0 && !full(m); n--) {
        switch (choose(m->c, depth < MOST_DEPTH ? 23 : 11)) {
        default:
            add_values(m);
            break;
        case 4:
        case 5:
        case 6:
            add_access(m);
            break;
        case 7:
            add_structure(m);
            break;
        case 8:
            add_atomic(m);
            break;
        case 9:
            add_special(m);
            break;
        case 10:
        case 11:
        case 12:
            add_call(m);
            break;
        case 13:
        case 14:
            add_if(m, depth);
            break;
        case 15:
        case 16:
            add_counted_loop(m, depth);
            break;
        case 17:
        case 20:
            add_pointer_loop(m, depth);
            break;
        case 21:
        case 22:
            add_index_loop(m, depth);
            break;
        case 18:
            add_switch(m, depth);
            break;
        case 19: /* early */
            if (depth > 0 && chance(m->c, 2))
                add_end(m);
        }
    }
}

static inline void add_function(struct making *m, unsigned function)
{
    const uint32_t callee_saved = 0x0ffc0300u; /* S0, S1, S2 to S11 */
    m->p->functions[function] = (int16_t)m->p->count;
    m->function = function;
    m->link = link_of(function);
    m->saved = choose32(m->c) & choose32(m->c) & callee_saved;
    m->frame = chance(m->c, 4) ? 0 : 16 * (8 + choose(m->c, 16));
    m->saved = m->frame == 0 ? 0 : m->saved;
    m->writable = ~callee_saved | m->saved;
    if (chance(m->c, 8)) /* breaks the ABI */
        m->writable = ~0u;
    m->writable &= ~(1u << RA | 1u << SP | 1u << GP | 1u << TP | 1u << m->link);
    m->pointer = m->counter = 0;
    if (m->frame != 0) {
        add_word(m, i_type(ADDI, SP, SP, 0 - m->frame));
        add_saves(m, SD);
    }
    add_code(m, 0);
    add_end(m);
}

/* Of `most` items, or fewer. The first is an EBREAK, which is where function 0 returns to. */
static inline void program_generate(struct program *p, struct choices *c, unsigned most)
{
    static const unsigned sizes[] = {40, 60, 100, 150, 400, 900};
    struct making m = {.p = p, .c = c};
    unsigned size = sizes[choose(c, 6)];
    while (size > most)
        size /= 2;
    *p = (struct program){.base = CODE_AT + RV64_PAGE - 2 * choose(c, 300)};
    p->function_count = 1 + choose(c, size < 100 ? 4 : PROGRAM_FUNCTIONS);
    m.table_end[0] = READ_ONLY_AT + 8 * TABLE_FUNCTIONS;
    m.table_end[1] = DATA_AT + RV64_PAGE + 0x400;
    add_word(&m, EBREAK_WORD);
    for (unsigned f = 0; f < p->function_count; f++) {
        m.limit = (f + 1) * size / p->function_count;
        add_function(&m, f);
    }
    for (unsigned i = 0; i < TABLE_FUNCTIONS; i++) {
        unsigned f = choose(c, p->function_count);
        f = link_of(f) == RA ? f : 0;
        add_slot(&m, FUNCTION_TABLE(0) + 8 * i, 0, -1 - (int)f, 8);
        add_slot(&m, FUNCTION_TABLE(1) + 8 * i, 0, -1 - (int)f, 8);
    }
}

#endif
