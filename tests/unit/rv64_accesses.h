/* Every instruction of rv64 that accesses memory. */
#ifndef RV64_ACCESSES_H
#define RV64_ACCESSES_H

#include "rv64_guest.h"

enum kind { LOADS, STORES, BOTH }; /* what the instruction needs: RV64_R, RV64_W, or both */

static const struct access_case {
    const char *text;
    uint32_t word;
    unsigned width;
    enum kind kind;
} accesses[] = {
    {"lb a0, 0(a1)", 0x00058503, 1, LOADS},
    {"lbu a0, 0(a1)", 0x0005c503, 1, LOADS},
    {"lh a0, 0(a1)", 0x00059503, 2, LOADS},
    {"lhu a0, 0(a1)", 0x0005d503, 2, LOADS},
    {"lw a0, 0(a1)", 0x0005a503, 4, LOADS},
    {"lwu a0, 0(a1)", 0x0005e503, 4, LOADS},
    {"ld a0, 0(a1)", 0x0005b503, 8, LOADS},
    {"lr.w a0, (a1)", 0x1005a52f, 4, LOADS},
    {"lr.d a0, (a1)", 0x1005b52f, 8, LOADS},
    {"sb a2, 0(a1)", 0x00c58023, 1, STORES},
    {"sh a2, 0(a1)", 0x00c59023, 2, STORES},
    {"sw a2, 0(a1)", 0x00c5a023, 4, STORES},
    {"sd a2, 0(a1)", 0x00c5b023, 8, STORES},
    {"sc.w a0, a2, (a1)", 0x18c5a52f, 4, STORES},
    {"sc.d a0, a2, (a1)", 0x18c5b52f, 8, STORES},
    {"amoswap.w a0, a2, (a1)", 0x08c5a52f, 4, BOTH},
    {"amoswap.d a0, a2, (a1)", 0x08c5b52f, 8, BOTH},
    {"amoadd.w a0, a2, (a1)", 0x00c5a52f, 4, BOTH},
    {"amoadd.d a0, a2, (a1)", 0x00c5b52f, 8, BOTH},
    {"amoxor.w a0, a2, (a1)", 0x20c5a52f, 4, BOTH},
    {"amoxor.d a0, a2, (a1)", 0x20c5b52f, 8, BOTH},
    {"amoand.w a0, a2, (a1)", 0x60c5a52f, 4, BOTH},
    {"amoand.d a0, a2, (a1)", 0x60c5b52f, 8, BOTH},
    {"amoor.w a0, a2, (a1)", 0x40c5a52f, 4, BOTH},
    {"amoor.d a0, a2, (a1)", 0x40c5b52f, 8, BOTH},
    {"amomin.w a0, a2, (a1)", 0x80c5a52f, 4, BOTH},
    {"amomin.d a0, a2, (a1)", 0x80c5b52f, 8, BOTH},
    {"amomax.w a0, a2, (a1)", 0xa0c5a52f, 4, BOTH},
    {"amomax.d a0, a2, (a1)", 0xa0c5b52f, 8, BOTH},
    {"amominu.w a0, a2, (a1)", 0xc0c5a52f, 4, BOTH},
    {"amominu.d a0, a2, (a1)", 0xc0c5b52f, 8, BOTH},
    {"amomaxu.w a0, a2, (a1)", 0xe0c5a52f, 4, BOTH},
    {"amomaxu.d a0, a2, (a1)", 0xe0c5b52f, 8, BOTH},
};

static inline void check_fault(void **state, const struct access_case *c, uint64_t address,
                               enum rv64_fault want)
{
    struct rv64_hart hart = {.x[A0] = 77, .x[A1] = address};
    uint32_t code[] = {NOP, c->word, NOP, EBREAK};
    enum rv64_stop why = guest_execute(*state, &hart, code, 4);
    if (want == RV64_FAULT_NONE) {
        if (why != RV64_STOP_EBREAK)
            fail_msg("%s at %#llx: %s", c->text, (unsigned long long)address,
                     rv64_fault_name(hart.fault));
        return;
    }
    if (why != RV64_STOP_FAULT || hart.fault != want)
        fail_msg("%s at %#llx: %s, not %s", c->text, (unsigned long long)address,
                 rv64_fault_name(hart.fault), rv64_fault_name(want));
    assert_int_equal(hart.fault_address, address);
    assert_int_equal(hart.pc, CODE + 4);
    assert_int_equal(hart.instret, 1);
    assert_int_equal(hart.x[A0], 77);
}

static inline enum rv64_fault access_fault(const struct access_case *c)
{
    return c->kind == LOADS ? RV64_FAULT_LOAD : RV64_FAULT_STORE;
}

#define FOR_EACH_ACCESS(c)                                                                         \
    for (const struct access_case *c = accesses;                                                   \
         c < accesses + sizeof accesses / sizeof *accesses; c++)

#endif
