/*
 * A guest program for the tests and fuzzers of rv64: a list of items, most of them instructions,
 * that name each other where they jump. So an item can be dropped, and the rest is still a program.
 */
#ifndef RV64_PROGRAM_H
#define RV64_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include "rv64_words.h"

/* What the guest's memory has. The stack has unmapped pages on both sides, HIGH ends at 4 GiB. */
#define CODE_AT       UINT32_C(0x10000)
#define DATA_AT       UINT32_C(0x20000)
#define READ_ONLY_AT  UINT32_C(0x30000)
#define WRITE_ONLY_AT UINT32_C(0x31000)
#define NOTHING_AT    UINT32_C(0x40000)
#define STACK_AT      UINT32_C(0x80000)
#define HIGH_AT       UINT32_C(0xffffe000)

enum { CODE_PAGES = 4, DATA_PAGES = 2, STACK_PAGES = 2, HIGH_PAGES = 2 };

static const struct region {
    uint32_t address, size;
    unsigned access;
} regions[] = {
    {CODE_AT, CODE_PAGES *RV64_PAGE, RV64_R | RV64_X},
    {DATA_AT, DATA_PAGES *RV64_PAGE, RV64_R | RV64_W},
    {READ_ONLY_AT, RV64_PAGE, RV64_R},
    {WRITE_ONLY_AT, RV64_PAGE, RV64_W},
    {STACK_AT, STACK_PAGES *RV64_PAGE, RV64_R | RV64_W},
    {HIGH_AT, HIGH_PAGES *RV64_PAGE, RV64_R | RV64_W},
};
enum { REGIONS = sizeof regions / sizeof *regions };

/* Registers by the names that the ABI gives them. */
enum {
    RA = 1,
    SP,
    GP,
    TP,
    T0,
    T1,
    T2,
    S0,
    S1,
    A0,
    A1,
    A2,
    A7 = 17,
    S2 = 18,
    S11 = 27,
    T3,
    T4,
    T5,
    T6
};

/* What gp and tp hold: the middle of the data, and the last 2 KiB of HIGH. */
#define GP_VALUE (DATA_AT + 0x800)
#define TP_VALUE UINT32_C(0xfffff800)

enum item_kind {
    ITEM_WORD,    /* an instruction of 4 bytes */
    ITEM_HALF,    /* one of 2 bytes */
    ITEM_BRANCH,  /* a conditional branch to `target` */
    ITEM_JAL,     /* a jump to `target` */
    ITEM_AUIPC,   /* the high part of the address of `target`, relative */
    ITEM_LUI,     /* the same, absolute */
    ITEM_LOW,     /* an I-type instruction with the low part; `target` has the high one */
    ITEM_ADDRESS, /* no instruction: 4 bytes, the address of `target` */
};

struct item {
    uint32_t word;  /* without what depends on addresses */
    uint32_t at;    /* its address; program_assemble sets it */
    int16_t target; /* an item, or -1 - f: the first of function f */
    uint8_t kind;   /* enum item_kind */
    bool dropped;
};

/* A word in a table of the guest: the address of an item, less `base`. */
struct slot {
    uint32_t at, base;
    int16_t target;
    uint8_t width; /* 4 or 8 bytes */
};

enum { PROGRAM_ITEMS = 1600, PROGRAM_FUNCTIONS = 16, PROGRAM_SLOTS = 256 };

struct program {
    uint32_t base, end; /* addresses of the first item, and after the last */
    unsigned count, function_count, slot_count;
    int16_t functions[PROGRAM_FUNCTIONS]; /* their first items; function 0 begins */
    struct item items[PROGRAM_ITEMS];
    struct slot slots[PROGRAM_SLOTS];
};

static inline unsigned item_size(const struct item *item)
{
    return item->dropped ? 0 : item->kind == ITEM_HALF ? 2 : 4;
}

static inline uint32_t program_address(const struct program *p, int target)
{
    unsigned item = (unsigned)(target < 0 ? p->functions[-1 - target] : target);
    return item < p->count ? p->items[item].at : p->end;
}

static inline uint32_t b_immediate(uint32_t by)
{
    return (by >> 12 & 1) << 31 | (by >> 5 & 63) << 25 | (by >> 1 & 15) << 8 | (by >> 11 & 1) << 7;
}

static inline uint32_t j_immediate(uint32_t by)
{
    return (by >> 20 & 1) << 31 | (by >> 1 & 0x3ff) << 21 | (by >> 11 & 1) << 20 |
           (by >> 12 & 0xff) << 12;
}

/* What an ITEM_AUIPC or ITEM_LUI brings to the address of its target. */
static inline uint32_t address_part(const struct program *p, const struct item *item)
{
    return program_address(p, item->target) - (item->kind == ITEM_AUIPC ? item->at : 0);
}

static inline uint32_t item_word(const struct program *p, const struct item *item)
{
    uint32_t by = program_address(p, item->target) - item->at;
    switch ((enum item_kind)item->kind) {
    case ITEM_BRANCH:
        return item->word | b_immediate(by);
    case ITEM_JAL:
        return item->word | j_immediate(by);
    case ITEM_AUIPC:
    case ITEM_LUI:
        return item->word | ((address_part(p, item) + 0x800) & 0xfffff000);
    case ITEM_LOW:
        return item->word | (address_part(p, &p->items[item->target]) & 0xfff) << 20;
    case ITEM_ADDRESS:
        return program_address(p, item->target);
    case ITEM_WORD:
    case ITEM_HALF:
        break;
    }
    return item->word;
}

/* Gives every item its address and puts the words at CODE_AT + i into code[i]. */
static inline void program_assemble(struct program *p, uint8_t code[CODE_PAGES * RV64_PAGE])
{
    uint32_t at = p->base;
    for (unsigned i = 0; i < p->count; i++) {
        p->items[i].at = at;
        at += item_size(&p->items[i]);
    }
    p->end = at;
    for (unsigned i = 0; i < p->count; i++) {
        uint32_t word = item_word(p, &p->items[i]);
        memcpy(code + (p->items[i].at - CODE_AT), &word, item_size(&p->items[i]));
    }
}

/* ---- As text ---- */

static inline const char *operation_name(unsigned op)
{
    static const char *const names[OP_COUNT] = {
        [OP_ILLEGAL] = "ILLEGAL",
#define OP(name, format, match) [OP_##name] = #name,
#include "engine/rv64/ops.def"
#undef OP
    };
    return names[op];
}

/* One line: address, bits, name, then rd, rs1, rs2 and the immediate, whatever it uses of them. */
static inline void print_instruction(FILE *out, uint32_t at, uint32_t word)
{
    const struct rv64_insn insn = rv64_decode(word);
    fprintf(out, "  %5x: %08x  %-9s x%u, x%u, x%u, %d\n", at, insn.bits, operation_name(insn.op),
            insn.rd, insn.rs1, insn.rs2, insn.imm);
}

static inline void program_print(const struct program *p, FILE *out)
{
    for (unsigned i = 0; i < p->count; i++) {
        const struct item *item = &p->items[i];
        if (item->dropped)
            continue;
        for (unsigned f = 0; f < p->function_count; f++)
            if (program_address(p, -1 - (int)f) == item->at)
                fprintf(out, "function %u:\n", f);
        if (item->kind == ITEM_ADDRESS)
            fprintf(out, "  %5x: %08x  address\n", item->at, item_word(p, item));
        else
            print_instruction(out, item->at, item_word(p, item));
    }
    for (unsigned i = 0; i < p->slot_count; i++)
        fprintf(out, "  %5x: address %x, less %x, %u bytes\n", p->slots[i].at,
                program_address(p, p->slots[i].target), p->slots[i].base, p->slots[i].width);
}

#endif
