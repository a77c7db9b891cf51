/*
 * Random guest programs of functions, loops, calls, tables, atomics and faults, for the tests and
 * fuzzers of rv64. The choices come from a seed, or from the bytes of a fuzzer.
 */
#ifndef RV64_GENERATE_H
#define RV64_GENERATE_H

#include "rv64_program.h"

struct choices {
    uint64_t seed;        /* if `bytes` is NULL */
    const uint8_t *bytes; /* when they are used up, every choice is 0 */
    size_t left;
};

static inline uint32_t choose32(struct choices *c)
{
    uint32_t v = 0;
    if (c->bytes == NULL)
        return (uint32_t)(random64(&c->seed) >> 32);
    size_t size = c->left < sizeof v ? c->left : sizeof v;
    memcpy(&v, c->bytes, size);
    c->bytes += size;
    c->left -= size;
    return v;
}

static inline uint32_t choose(struct choices *c, uint32_t limit)
{
    if (c->bytes == NULL || limit > 256)
        return choose32(c) % limit;
    if (c->left == 0)
        return 0;
    c->left--;
    return *c->bytes++ % limit;
}

/* Once in `n` times. */
static inline bool chance(struct choices *c, uint32_t n)
{
    return choose(c, n) == n - 1;
}

/* A register's value. */
static inline uint64_t choose_value(struct choices *c)
{
    switch (choose(c, 4)) {
    case 0:
        return edge_values[choose(c, EDGES)];
    case 1:
        return DATA_AT + choose(c, DATA_PAGES * RV64_PAGE);
    case 2:
        return UINT64_C(0) - ((uint64_t)choose32(c) << 32 >> choose(c, 64));
    default:
        return (uint64_t)choose32(c) << 32 | choose32(c);
    }
}

/* What is being made. */
struct making {
    struct program *p;
    struct choices *c;
    unsigned limit;    /* items, for all functions until now */
    uint32_t writable; /* registers that instructions may write, as bits */
    uint32_t saved;    /* registers that the function saves */
    uint32_t pointer;  /* a register that points into data, or 0 */
    uint32_t counter;  /* a register that counts, or 0 */
    uint32_t link;     /* RA, or T0 for a function that is called with this link */
    uint32_t frame;    /* bytes of the stack, 0 in a function that calls none */
    unsigned function;
    uint32_t table_end[2]; /* where the next table goes, in READ_ONLY and in data */
};

enum {
    LUI = 0x37,
    AUIPC = 0x17,
    JAL = 0x6f,
    JALR = 0x67,
    BEQ = 0x63,
    BNE = 0x1063,
    BLT = 0x4063,
    BLTU = 0x6063,
    BGEU = 0x7063,
    ADD = 0x33,
    AND_I = 0x7013,
    OR_I = 0x6013,
    SRL_I = 0x5013,
    SLL_I = 0x1013,
    OR = 0x6033,
    ADDW = 0x3b,
    SLT_I = 0x2013,
    SH2ADD = 0x20004033,
    SH3ADD = 0x20006033,
    LW = 0x2003,
    SW = 0x2023,
    EBREAK_WORD = 0x00100073,
    ECALL_WORD = 0x00000073,
    RET_HALF = 0x8082,
};

static inline int16_t add_item(struct making *m, enum item_kind kind, uint32_t word, int target)
{
    struct program *p = m->p;
    unsigned i = p->count < PROGRAM_ITEMS ? p->count++ : PROGRAM_ITEMS - 1;
    p->items[i] = (struct item){.word = word, .kind = (uint8_t)kind, .target = (int16_t)target};
    return (int16_t)i;
}

static inline void add_word(struct making *m, uint32_t word)
{
    add_item(m, ITEM_WORD, word, 0);
}

static inline uint32_t r_type(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

/* A branch or jump whose target is set later, by set_target. */
static inline int16_t add_branch(struct making *m, uint32_t match, uint32_t rs1, uint32_t rs2)
{
    return add_item(m, ITEM_BRANCH, match | rs1 << 15 | rs2 << 20, 0);
}

static inline int16_t add_jump(struct making *m)
{
    return add_item(m, ITEM_JAL, JAL, 0);
}

static inline void set_target(struct making *m, int16_t item)
{
    m->p->items[item].target = (int16_t)m->p->count;
}

static inline bool full(const struct making *m)
{
    return m->p->count >= m->limit;
}

/* ---- Registers and values ---- */

static inline uint32_t any_register(struct making *m)
{
    return choose(m->c, 32);
}

static inline uint32_t destination(struct making *m)
{
    bool rude = chance(m->c, 128);
    for (int tries = 0; tries < 8; tries++) {
        uint32_t r = any_register(m);
        if (rude || (m->writable >> r & 1) != 0)
            return r;
    }
    return T1;
}

/* A register that keeps its value in a loop: the function's own if it saves one. */
static inline uint32_t take_register(struct making *m)
{
    uint32_t own = m->saved & m->writable, start = choose(m->c, 32);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t r = (start + i) % 32;
        if (r > TP && ((i < 32 ? own : m->writable) >> r & 1) != 0) {
            m->writable &= ~(1u << r);
            return r;
        }
    }
    return T2;
}

static inline void give_register(struct making *m, uint32_t r)
{
    m->writable |= 1u << r;
}

static inline uint32_t value_word(struct choices *c)
{
    unsigned row = choose(c, sizeof rows / sizeof *rows);
    for (;; row = (row + 1) % (sizeof rows / sizeof *rows)) {
        uint32_t opcode = rows[row].match & 0x7f;
        if (opcode == 0x13 || opcode == 0x1b || opcode == 0x33 || opcode == 0x3b || opcode == LUI ||
            opcode == AUIPC)
            return rows[row].match | (choose32(c) & free_bits[rows[row].format]);
    }
}

static inline void add_compressed(struct making *m)
{
    for (int tries = 0; tries < 64; tries++) {
        uint32_t half = choose32(m->c) & 0xffff;
        struct rv64_insn insn = rv64_decode(half);
        bool plain = false;
        switch (insn.op) {
        case OP_ADDI:
        case OP_ADDIW:
        case OP_LUI:
        case OP_SLLI:
        case OP_SRLI:
        case OP_SRAI:
        case OP_ANDI:
        case OP_ADD:
        case OP_SUB:
        case OP_XOR:
        case OP_OR:
        case OP_AND:
        case OP_ADDW:
        case OP_SUBW:
            plain = true;
            break;
        case OP_LW:
        case OP_LD:
            plain = insn.rs1 == SP;
            break;
        default:
            break;
        }
        if (insn.length == 2 && plain && (m->writable >> insn.rd & 1) != 0) {
            add_item(m, ITEM_HALF, half, 0);
            return;
        }
    }
    add_item(m, ITEM_HALF, 1, 0); /* c.nop */
}

/* rd = a value of 32 bits. */
static inline void add_constant(struct making *m, uint32_t rd, uint32_t value)
{
    add_word(m, LUI | rd << 7 | ((value + 0x800) & 0xfffff000));
    add_word(m, i_type(ADDIW, rd, rd, value));
}

static inline void add_values(struct making *m)
{
    static const uint32_t counters[] = {0xc0002073, 0xc0102073, 0xc0202073};
    for (unsigned n = 1 + choose(m->c, 5); n > 0; n--) {
        if (chance(m->c, 4))
            add_compressed(m);
        else if (chance(m->c, 24))
            add_word(m, with_rd(counters[choose(m->c, 3)], destination(m)));
        else if (chance(m->c, 16))
            add_constant(m, destination(m), (uint32_t)edge_values[choose(m->c, EDGES)]);
        else
            add_word(m, with_rd(value_word(m->c), destination(m)));
    }
}

/* ---- Memory ---- */

/* A base register and an offset, *imm, for an access of `width` bytes. Few accesses are misaligned
 * or reach into pages that they may not use. */
static inline uint32_t address_for(struct making *m, uint32_t width, uint32_t *imm)
{
    uint32_t base, t;
    const uint32_t align = chance(m->c, 8) ? 1 : width;
    *imm = (uint32_t)((int32_t)choose(m->c, 1024) * 4 - 2048) & (0 - align);
    switch (choose(m->c, 8)) {
    case 0:
    case 1:
    case 2: /* the function's part of the stack, or some bytes below it */
        *imm = (m->frame != 0 ? choose(m->c, m->frame / 2) : 0u - 128 + choose(m->c, 120)) &
               (0 - align);
        return SP;
    case 3: /* the last bytes of memory */
        *imm = chance(m->c, 6) ? 2047 - choose(m->c, 12) : *imm;
        return TP;
    case 4: /* an array, by an index */
        base = m->pointer != 0 ? m->pointer : GP;
        t = destination(m);
        add_word(m, i_type(AND_I, t, any_register(m), 0x7f8));
        add_word(m, r_type(ADD, t, t, base));
        *imm &= 0xff;
        return t;
    case 5:
        if (m->pointer != 0) {
            *imm &= 15u & (0 - align);
            return m->pointer;
        }
        return GP;
    default:
        if (align == 1 && chance(m->c, 2)) /* over the end of a page */
            *imm = 0x7ff - choose(m->c, 8);
        return GP;
    }
}

static inline void add_access(struct making *m)
{
    const uint32_t row = choose(m->c, 11); /* LB to LWU, SB to SD */
    static const uint32_t matches[] = {0x0003, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003,
                                       0x6003, 0x0023, 0x1023, 0x2023, 0x3023};
    uint32_t word = matches[row], imm;
    uint32_t base = address_for(m, 1u << (word >> 12 & 3), &imm);
    if (row < 7)
        add_word(m, i_type(word, destination(m), base, imm));
    else
        add_word(m, s_type(word, any_register(m), base, imm));
}

/* An address in a register, for AMOs. */
static inline uint32_t add_address(struct making *m, uint32_t width)
{
    uint32_t imm, base = address_for(m, width, &imm);
    uint32_t rd = destination(m);
    if (rd == 0)
        rd = T3;
    add_word(m, i_type(ADDI, rd, base, imm));
    return rd;
}

/* In AMOs: 2 for 4 bytes, 3 for 8. */
static inline uint32_t width_field(uint32_t width)
{
    return (width / 4 + 1) << 12;
}

static inline void add_atomic(struct making *m)
{
    const uint32_t first = OP_LR_W - 1, count = OP_AMOMAXU_D - OP_LR_W + 1;
    uint32_t word = rows[first + choose(m->c, count)].match | (choose(m->c, 4) << 25);
    uint32_t width = 1u << (word >> 12 & 3), at = add_address(m, width);
    if (word >> 28 != 1) { /* not LR or SC */
        add_word(m, r_type(word, destination(m), at, any_register(m)));
        return;
    }
    const int16_t again = (int16_t)m->p->count;
    uint32_t rd = destination(m);
    add_word(m, r_type(0x1000002f | width_field(width), rd, at, 0));
    if (chance(m->c, 2))
        add_word(m, with_rd(value_word(m->c), destination(m)));
    if (chance(m->c, 6)) /* something else may take the reservation's word away */
        add_access(m);
    if (chance(m->c, 12))
        at = add_address(m, width);
    uint32_t failed = destination(m);
    if (chance(m->c, 12))
        width = 12 - width;
    add_word(m, r_type(0x1800002f | width_field(width), failed, at, rd));
    if (chance(m->c, 3))
        m->p->items[add_branch(m, BNE, failed, 0)].target = again;
}

/* ---- Faults and host calls ---- */

/* `rd` = an address where something is wrong, most of the time. */
static inline void add_bad_address(struct making *m, uint32_t rd)
{
    static const uint32_t bad[] = {
        0,           CODE_AT, READ_ONLY_AT, WRITE_ONLY_AT, WRITE_ONLY_AT + RV64_PAGE - 4,
        NOTHING_AT,  HIGH_AT, 0x7fffffff,   0x80000000,    0xffffffff,
        DATA_AT - 4,
    };
    add_constant(m, rd, bad[choose(m->c, sizeof bad / sizeof *bad)] + choose(m->c, 16));
    if (chance(m->c, 3)) /* beyond 4 GiB */
        add_word(m, i_type(SLL_I, rd, rd, choose(m->c, 48)));
}

static inline void add_fault(struct making *m)
{
    static const uint32_t illegal[] = {0,          0xffffffff, 0x0000006b, 0x00003057,
                                       0x30001073, 0x10500073, 0xc0101073, 0x0000000b};
    int16_t skip = -1;
    if (m->counter != 0) { /* at one turn of the loop */
        uint32_t turn = destination(m);
        add_word(m, i_type(ADDI, turn, 0, 1 + choose(m->c, 8)));
        skip = add_branch(m, BNE, m->counter, turn);
    } else if (!chance(m->c, 8)) {
        skip = add_branch(m, chance(m->c, 4) ? BLTU : BNE, any_register(m), any_register(m));
    }
    uint32_t rd = destination(m);
    switch (choose(m->c, 8)) {
    case 0:
    case 1:
        add_bad_address(m, rd);
        add_word(m, i_type(LOADS | choose(m->c, 7) << 12, destination(m), rd, choose32(m->c)));
        break;
    case 2:
    case 3:
        add_bad_address(m, rd);
        add_word(m, s_type(STORES | choose(m->c, 4) << 12, any_register(m), rd, choose32(m->c)));
        break;
    case 4:
        add_bad_address(m, rd);
        add_word(m, r_type(0x0000202f | choose(m->c, 2) << 12, destination(m), rd, 5));
        break;
    case 5:
        add_word(m, illegal[choose(m->c, sizeof illegal / sizeof *illegal)]);
        break;
    case 6:
        add_bad_address(m, rd);
        add_word(m, i_type(JALR, choose(m->c, 2), rd, 0));
        break;
    default:
        add_word(m, EBREAK_WORD);
    }
    if (skip >= 0)
        set_target(m, skip);
}

static inline void add_special(struct making *m)
{
    switch (choose(m->c, 8)) {
    case 0:
    case 1:
        add_word(m, ECALL_WORD);
        break;
    case 2:
        add_word(m, 0x0000000f | (choose32(m->c) & 0x0ff00000)); /* FENCE */
        break;
    case 3:
        add_word(m, 0x0000100f); /* FENCE.I */
        break;
    default:
        add_fault(m);
    }
}

#endif
