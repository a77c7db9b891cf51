/* rv64: every instruction that computes, jumps, loads, stores or is atomic, by the manual; each is
 * run by the engine and by the reference. Encodings come from an assembler. */
#include "rv64_guest.h"

#define SIGN (UINT64_C(1) << 63)

/* a1 and a2 before, a0 after. */
struct value_case {
    const char *text;
    uint32_t word;
    uint64_t a1, a2, a0;
};

static const struct value_case base_cases[] = {
    {"lui a0, 0x12345", 0x12345537, 0, 0, 0x12345000},
    {"lui a0, 0x80000", 0x80000537, 0, 0, 0xffffffff80000000},
    {"lui a0, 0xfffff", 0xfffff537, 0, 0, 0xfffffffffffff000},
    {"addi a0, a1, -1", 0xfff58513, 0, 0, UINT64_MAX},
    {"addi a0, a1, 2047", 0x7ff58513, INT64_MAX, 0, 0x80000000000007fe},
    {"addi a0, a1, -2048", 0x80058513, 5, 0, 0xfffffffffffff805},
    {"slti a0, a1, -1", 0xfff5a513, 0xfffffffffffffffe, 0, 1},
    {"slti a0, a1, -1", 0xfff5a513, UINT64_MAX, 0, 0},
    {"slti a0, a1, 0", 0x0005a513, SIGN, 0, 1},
    {"sltiu a0, a1, -1", 0xfff5b513, 0xfffffffffffffffe, 0, 1},
    {"sltiu a0, a1, -1", 0xfff5b513, UINT64_MAX, 0, 0},
    {"sltiu a0, a1, 1", 0x0015b513, 0, 0, 1},
    {"xori a0, a1, -1", 0xfff5c513, 0xf0f, 0, 0xfffffffffffff0f0},
    {"ori a0, a1, 0x0f0", 0x0f05e513, 0xf0000000000000f0, 0, 0xf0000000000000f0},
    {"ori a0, a1, -256", 0xf005e513, 0x12, 0, 0xffffffffffffff12},
    {"andi a0, a1, -16", 0xff05f513, UINT64_MAX, 0, 0xfffffffffffffff0},
    {"slli a0, a1, 63", 0x03f59513, 3, 0, SIGN},
    {"slli a0, a1, 0", 0x00059513, 0xfffffffffffffffb, 0, 0xfffffffffffffffb},
    {"srli a0, a1, 63", 0x03f5d513, SIGN, 0, 1},
    {"srli a0, a1, 1", 0x0015d513, UINT64_MAX, 0, INT64_MAX},
    {"srai a0, a1, 63", 0x43f5d513, SIGN, 0, UINT64_MAX},
    {"srai a0, a1, 4", 0x4045d513, 0x70, 0, 7},
    {"srai a0, a1, 0", 0x4005d513, SIGN, 0, SIGN},
    {"add a0, a1, a2", 0x00c58533, UINT64_MAX, 1, 0},
    {"sub a0, a1, a2", 0x40c58533, 0, 1, UINT64_MAX},
    {"sub a0, a1, a2", 0x40c58533, SIGN, 1, INT64_MAX},
    {"sll a0, a1, a2", 0x00c59533, 1, 0x45, 0x20},
    {"sll a0, a1, a2", 0x00c59533, 1, 0x3f, SIGN},
    {"srl a0, a1, a2", 0x00c5d533, SIGN, 0x3f, 1},
    {"srl a0, a1, a2", 0x00c5d533, 0xf0, 0x44, 0xf},
    {"sra a0, a1, a2", 0x40c5d533, SIGN, UINT64_MAX, UINT64_MAX},
    {"sra a0, a1, a2", 0x40c5d533, 0xffffffffffffff00, 4, 0xfffffffffffffff0},
    {"slt a0, a1, a2", 0x00c5a533, SIGN, INT64_MAX, 1},
    {"slt a0, a1, a2", 0x00c5a533, 5, 5, 0},
    {"sltu a0, a1, a2", 0x00c5b533, SIGN, INT64_MAX, 0},
    {"sltu a0, a1, a2", 0x00c5b533, 0, UINT64_MAX, 1},
    {"xor a0, a1, a2", 0x00c5c533, 0xff00ff00ff00ff00, 0xff00ff00ff00ff0, 0xf0f0f0f0f0f0f0f0},
    {"or a0, a1, a2", 0x00c5e533, 0xf0, 0xf, 0xff},
    {"and a0, a1, a2", 0x00c5f533, 0xff0, 0xff, 0xf0},
    {"addiw a0, a1, 1", 0x0015851b, 0x7fffffff, 0, 0xffffffff80000000},
    {"addiw a0, a1, 0", 0x0005851b, 0x1234567890abcdef, 0, 0xffffffff90abcdef},
    {"addiw a0, a1, -1", 0xfff5851b, 0x100000000, 0, UINT64_MAX},
    {"slliw a0, a1, 31", 0x01f5951b, 1, 0, 0xffffffff80000000},
    {"slliw a0, a1, 4", 0x0045951b, 0xff0000000fffffff, 0, 0xfffffffffffffff0},
    {"srliw a0, a1, 0", 0x0005d51b, 0xff00000080000000, 0, 0xffffffff80000000},
    {"srliw a0, a1, 31", 0x01f5d51b, 0xff00000080000000, 0, 1},
    {"sraiw a0, a1, 31", 0x41f5d51b, 0x80000000, 0, UINT64_MAX},
    {"sraiw a0, a1, 4", 0x4045d51b, 0xff00000070000000, 0, 0x7000000},
    {"addw a0, a1, a2", 0x00c5853b, 0x7fffffff, 1, 0xffffffff80000000},
    {"addw a0, a1, a2", 0x00c5853b, 0xffffffff, 1, 0},
    {"subw a0, a1, a2", 0x40c5853b, 0, 1, UINT64_MAX},
    {"subw a0, a1, a2", 0x40c5853b, 0xffffffff80000000, 1, 0x7fffffff},
    {"sllw a0, a1, a2", 0x00c5953b, 1, 0x3f, 0xffffffff80000000},
    {"srlw a0, a1, a2", 0x00c5d53b, 0xffffffff80000000, 0x20, 0xffffffff80000000},
    {"srlw a0, a1, a2", 0x00c5d53b, 0xffffffff80000000, 0x1f, 1},
    {"sraw a0, a1, a2", 0x40c5d53b, 0x80000000, 0x1f, UINT64_MAX},
    {"sraw a0, a1, a2", 0x40c5d53b, 0xf00000007fffffff, 0x21, 0x3fffffff},
};

static const struct value_case multiply_cases[] = {
    {"mul a0, a1, a2", 0x02c58533, 0xffffffff, 0xffffffff, 0xfffffffe00000001},
    {"mul a0, a1, a2", 0x02c58533, 0xfffffffffffffffd, 7, 0xffffffffffffffeb},
    {"mulh a0, a1, a2", 0x02c59533, UINT64_MAX, UINT64_MAX, 0},
    {"mulh a0, a1, a2", 0x02c59533, SIGN, SIGN, 0x4000000000000000},
    {"mulh a0, a1, a2", 0x02c59533, SIGN, INT64_MAX, 0xc000000000000000},
    {"mulh a0, a1, a2", 0x02c59533, UINT64_MAX, 1, UINT64_MAX},
    {"mulhsu a0, a1, a2", 0x02c5a533, UINT64_MAX, UINT64_MAX, UINT64_MAX},
    {"mulhsu a0, a1, a2", 0x02c5a533, SIGN, UINT64_MAX, SIGN},
    {"mulhsu a0, a1, a2", 0x02c5a533, 1, UINT64_MAX, 0},
    {"mulhsu a0, a1, a2", 0x02c5a533, UINT64_MAX, 0, 0},
    {"mulhu a0, a1, a2", 0x02c5b533, UINT64_MAX, UINT64_MAX, 0xfffffffffffffffe},
    {"mulhu a0, a1, a2", 0x02c5b533, SIGN, 2, 1},
    {"div a0, a1, a2", 0x02c5c533, 7, 0xfffffffffffffffe, 0xfffffffffffffffd},
    {"div a0, a1, a2", 0x02c5c533, 0xfffffffffffffff9, 2, 0xfffffffffffffffd},
    {"div a0, a1, a2", 0x02c5c533, 0xfffffffffffffff9, 0, UINT64_MAX},
    {"div a0, a1, a2", 0x02c5c533, SIGN, UINT64_MAX, SIGN},
    {"divu a0, a1, a2", 0x02c5d533, 0xfffffffffffffff9, 2, 0x7ffffffffffffffc},
    {"divu a0, a1, a2", 0x02c5d533, 9, 0, UINT64_MAX},
    {"divu a0, a1, a2", 0x02c5d533, SIGN, UINT64_MAX, 0},
    {"rem a0, a1, a2", 0x02c5e533, 7, 0xfffffffffffffffe, 1},
    {"rem a0, a1, a2", 0x02c5e533, 0xfffffffffffffff9, 2, UINT64_MAX},
    {"rem a0, a1, a2", 0x02c5e533, 0xfffffffffffffff9, 0, 0xfffffffffffffff9},
    {"rem a0, a1, a2", 0x02c5e533, SIGN, UINT64_MAX, 0},
    {"remu a0, a1, a2", 0x02c5f533, 0xfffffffffffffff9, 4, 1},
    {"remu a0, a1, a2", 0x02c5f533, 9, 0, 9},
    {"mulw a0, a1, a2", 0x02c5853b, 0x10000, 0x8000, 0xffffffff80000000},
    {"mulw a0, a1, a2", 0x02c5853b, 0xffffffff00000003, 5, 0xf},
    {"divw a0, a1, a2", 0x02c5c53b, 0x80000000, 0xffffffff, 0xffffffff80000000},
    {"divw a0, a1, a2", 0x02c5c53b, 0xfffffff9, 2, 0xfffffffffffffffd},
    {"divw a0, a1, a2", 0x02c5c53b, 5, 0xffffffff00000000, UINT64_MAX},
    {"divuw a0, a1, a2", 0x02c5d53b, 0xffffffff, 1, UINT64_MAX},
    {"divuw a0, a1, a2", 0x02c5d53b, 0x80000000, 0, UINT64_MAX},
    {"divuw a0, a1, a2", 0x02c5d53b, 0xff00000080000000, 2, 0x40000000},
    {"remw a0, a1, a2", 0x02c5e53b, 0x80000000, 0xffffffff, 0},
    {"remw a0, a1, a2", 0x02c5e53b, 0xfffffff9, 2, UINT64_MAX},
    {"remw a0, a1, a2", 0x02c5e53b, 0x80000001, 0xffffffff00000000, 0xffffffff80000001},
    {"remuw a0, a1, a2", 0x02c5f53b, 0x80000005, 0, 0xffffffff80000005},
    {"remuw a0, a1, a2", 0x02c5f53b, 0xf0000000ffffffff, 0xfffffff0, 0xf},
};

static const struct value_case address_cases[] = {
    {"add.uw a0, a1, a2", 0x08c5853b, UINT64_MAX, 1, 0x100000000},
    {"sh1add a0, a1, a2", 0x20c5a533, 0x8000000000000001, 3, 5},
    {"sh2add a0, a1, a2", 0x20c5c533, 5, UINT64_MAX, 0x13},
    {"sh3add a0, a1, a2", 0x20c5e533, UINT64_MAX, 9, 1},
    {"sh1add.uw a0, a1, a2", 0x20c5a53b, 0xf0000000ffffffff, 1, 0x1ffffffff},
    {"sh2add.uw a0, a1, a2", 0x20c5c53b, 0xf0000000ffffffff, 4, 0x400000000},
    {"sh3add.uw a0, a1, a2", 0x20c5e53b, 0xf000000080000000, UINT64_MAX, 0x3ffffffff},
    {"slli.uw a0, a1, 32", 0x0a05951b, 0xf0000000ffffffff, 0, 0xffffffff00000000},
    {"slli.uw a0, a1, 63", 0x0bf5951b, 0xf000000000000003, 0, SIGN},
    {"slli.uw a0, a1, 0", 0x0805951b, UINT64_MAX, 0, 0xffffffff},
};

static const struct value_case basic_bit_cases[] = {
    {"andn a0, a1, a2", 0x40c5f533, 0xff, 0xf, 0xf0},
    {"orn a0, a1, a2", 0x40c5e533, 0, 0xff, 0xffffffffffffff00},
    {"xnor a0, a1, a2", 0x40c5c533, 0xff, 0xf, 0xffffffffffffff0f},
    {"clz a0, a1", 0x60059513, 0, 0, 0x40},
    {"clz a0, a1", 0x60059513, 1, 0, 0x3f},
    {"clz a0, a1", 0x60059513, UINT64_MAX, 0, 0},
    {"clzw a0, a1", 0x6005951b, 0xffffffff00000000, 0, 0x20},
    {"clzw a0, a1", 0x6005951b, 0xffffffff00010000, 0, 0xf},
    {"ctz a0, a1", 0x60159513, 0, 0, 0x40},
    {"ctz a0, a1", 0x60159513, SIGN, 0, 0x3f},
    {"ctzw a0, a1", 0x6015951b, 0xffffffff00000000, 0, 0x20},
    {"ctzw a0, a1", 0x6015951b, 0x80000000, 0, 0x1f},
    {"cpop a0, a1", 0x60259513, UINT64_MAX, 0, 0x40},
    {"cpop a0, a1", 0x60259513, 0x8000000000000101, 0, 3},
    {"cpopw a0, a1", 0x6025951b, 0xffffffff80000001, 0, 2},
    {"cpopw a0, a1", 0x6025951b, 0xffffffff00000000, 0, 0},
    {"max a0, a1, a2", 0x0ac5e533, UINT64_MAX, 1, 1},
    {"maxu a0, a1, a2", 0x0ac5f533, UINT64_MAX, 1, UINT64_MAX},
    {"min a0, a1, a2", 0x0ac5c533, UINT64_MAX, 1, UINT64_MAX},
    {"minu a0, a1, a2", 0x0ac5d533, UINT64_MAX, 1, 1},
    {"max a0, a1, a2", 0x0ac5e533, SIGN, INT64_MAX, INT64_MAX},
    {"sext.b a0, a1", 0x60459513, 0x1280, 0, 0xffffffffffffff80},
    {"sext.b a0, a1", 0x60459513, 0xff7f, 0, 0x7f},
    {"sext.h a0, a1", 0x60559513, 0x18000, 0, 0xffffffffffff8000},
    {"zext.h a0, a1", 0x0805c53b, 0xffffffffffff8000, 0, 0x8000},
    {"rol a0, a1, a2", 0x60c59533, 0x8000000000000001, 1, 3},
    {"rol a0, a1, a2", 0x60c59533, 0x1234, 0x40, 0x1234},
    {"rol a0, a1, a2", 0x60c59533, 1, UINT64_MAX, SIGN},
    {"rolw a0, a1, a2", 0x60c5953b, 0xffffffff80000000, 1, 1},
    {"rolw a0, a1, a2", 0x60c5953b, 0x40000000, 0x21, 0xffffffff80000000},
    {"rolw a0, a1, a2", 0x60c5953b, 0x80000001, 0x20, 0xffffffff80000001},
    {"ror a0, a1, a2", 0x60c5d533, 1, 1, SIGN},
    {"ror a0, a1, a2", 0x60c5d533, 0x1234, 0x40, 0x1234},
    {"rori a0, a1, 63", 0x63f5d513, SIGN, 0, 1},
    {"rori a0, a1, 0", 0x6005d513, 0x55, 0, 0x55},
    {"roriw a0, a1, 1", 0x6015d51b, 0xf00000001, 0, 0xffffffff80000000},
    {"roriw a0, a1, 0", 0x6005d51b, 0x80000000, 0, 0xffffffff80000000},
    {"rorw a0, a1, a2", 0x60c5d53b, 0xf00000001, 0x21, 0xffffffff80000000},
    {"rorw a0, a1, a2", 0x60c5d53b, 0x180000000, 0, 0xffffffff80000000},
    {"orc.b a0, a1", 0x2875d513, 0x1008000ff1000, 0, 0xff00ff00ffff00},
    {"orc.b a0, a1", 0x2875d513, 0x102040810204080, 0, UINT64_MAX},
    {"orc.b a0, a1", 0x2875d513, 0, 0, 0},
    {"rev8 a0, a1", 0x6b85d513, 0x123456789abcdef, 0, 0xefcdab8967452301},
};

static const struct value_case single_bit_cases[] = {
    {"bclr a0, a1, a2", 0x48c59533, UINT64_MAX, 0x3f, INT64_MAX},
    {"bclr a0, a1, a2", 0x48c59533, UINT64_MAX, 0x40, 0xfffffffffffffffe},
    {"bclri a0, a1, 32", 0x4a059513, UINT64_MAX, 0, 0xfffffffeffffffff},
    {"bext a0, a1, a2", 0x48c5d533, SIGN, 0x3f, 1},
    {"bext a0, a1, a2", 0x48c5d533, SIGN, 0x3e, 0},
    {"bexti a0, a1, 40", 0x4a85d513, 0x10000000000, 0, 1},
    {"binv a0, a1, a2", 0x68c59533, 0, 0x7f, SIGN},
    {"binv a0, a1, a2", 0x68c59533, 0xff, 0, 0xfe},
    {"binvi a0, a1, 33", 0x6a159513, 0x200000000, 0, 0},
    {"bset a0, a1, a2", 0x28c59533, 0, 0x20, 0x100000000},
    {"bset a0, a1, a2", 0x28c59533, 0, UINT64_MAX, SIGN},
    {"bseti a0, a1, 63", 0x2bf59513, 1, 0, 0x8000000000000001},
};

static void check_values(void **state, const struct value_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct value_case *c = &cases[i];
        struct rv64_hart hart = {.x[A0] = 0x5a5a, .x[A1] = c->a1, .x[A2] = c->a2};
        assert_int_equal(guest_execute_one(*state, &hart, c->word), RV64_STOP_EBREAK);
        if (hart.x[A0] != c->a0)
            fail_msg("%s with %#llx, %#llx gives %#llx, not %#llx", c->text,
                     (unsigned long long)c->a1, (unsigned long long)c->a2,
                     (unsigned long long)hart.x[A0], (unsigned long long)c->a0);
        assert_int_equal(hart.instret, 1);
        assert_int_equal(hart.pc, CODE + 4);

        /* The same into x0 leaves it zero. */
        struct rv64_hart nowhere = {.x[A0] = 0x5a5a, .x[A1] = c->a1, .x[A2] = c->a2};
        assert_int_equal(guest_execute_one(*state, &nowhere, c->word & ~(31u << 7)),
                         RV64_STOP_EBREAK);
        assert_int_equal(nowhere.x[0], 0);
        assert_int_equal(nowhere.x[A0], 0x5a5a);
        assert_int_equal(nowhere.instret, 1);
    }
}
#define CHECK_VALUES(cases) check_values(state, cases, sizeof(cases) / sizeof *(cases))

static void base_instructions_compute_what_the_manual_says(void **state)
{
    CHECK_VALUES(base_cases);
}
static void multiply_and_divide_compute_what_the_manual_says(void **state)
{
    CHECK_VALUES(multiply_cases);
}
static void zba_computes_what_the_manual_says(void **state)
{
    CHECK_VALUES(address_cases);
}
static void zbb_computes_what_the_manual_says(void **state)
{
    CHECK_VALUES(basic_bit_cases);
}
static void zbs_computes_what_the_manual_says(void **state)
{
    CHECK_VALUES(single_bit_cases);
}

static void branches_are_taken_when_the_manual_says(void **state)
{
    static const struct {
        const char *text;
        uint32_t word;
        uint64_t a1, a2;
        bool taken;
    } cases[] = {
        {"beq a1, a2, 12", 0x00c58663, 5, 5, true},
        {"beq a1, a2, 12", 0x00c58663, 5, 6, false},
        {"bne a1, a2, 12", 0x00c59663, 5, 6, true},
        {"bne a1, a2, 12", 0x00c59663, 5, 5, false},
        {"blt a1, a2, 12", 0x00c5c663, UINT64_MAX, 1, true},
        {"blt a1, a2, 12", 0x00c5c663, 1, UINT64_MAX, false},
        {"blt a1, a2, 12", 0x00c5c663, 3, 3, false},
        {"bge a1, a2, 12", 0x00c5d663, 3, 3, true},
        {"bge a1, a2, 12", 0x00c5d663, SIGN, 0, false},
        {"bge a1, a2, 12", 0x00c5d663, 0, SIGN, true},
        {"bltu a1, a2, 12", 0x00c5e663, UINT64_MAX, 1, false},
        {"bltu a1, a2, 12", 0x00c5e663, 1, UINT64_MAX, true},
        {"bltu a1, a2, 12", 0x00c5e663, 3, 3, false},
        {"bgeu a1, a2, 12", 0x00c5f663, 3, 3, true},
        {"bgeu a1, a2, 12", 0x00c5f663, UINT64_MAX, 0, true},
        {"bgeu a1, a2, 12", 0x00c5f663, 0, UINT64_MAX, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv64_hart hart = {.x[A1] = cases[i].a1, .x[A2] = cases[i].a2};
        uint32_t code[] = {cases[i].word, EBREAK, EBREAK, EBREAK};
        assert_int_equal(guest_execute(*state, &hart, code, 4), RV64_STOP_EBREAK);
        if (hart.pc != CODE + (cases[i].taken ? 12 : 4))
            fail_msg("%s goes to %#llx", cases[i].text, (unsigned long long)hart.pc);
    }
}

static void check_jump(void **state, uint32_t word, uint64_t a1, uint64_t to, uint64_t link)
{
    struct rv64_hart hart = {.x[A1] = a1, .x[RA] = 7};
    assert_int_equal(guest_execute_one(*state, &hart, word), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_FETCH);
    assert_int_equal(hart.pc, to);
    assert_int_equal(hart.fault_address, to);
    assert_int_equal(hart.x[RA], link);
    assert_int_equal(hart.instret, 1); /* the jump itself is done */
}

static void jumps_reach_their_whole_range_and_fault_at_their_target(void **state)
{
    check_jump(state, 0x80059063 /* bne a1, zero, -4096 */, 1, CODE - 4096, 7);
    check_jump(state, 0x800000ef /* jal ra, -1048576 */, 0, CODE - 1048576, CODE + 4);
    check_jump(state, 0x7ffff0ef /* jal ra, 1048574 */, 0, CODE + 1048574, CODE + 4);
    check_jump(state, 0x7ff580e7 /* jalr ra, 2047(a1) */, UNMAPPED + 1, UNMAPPED + 2048, CODE + 4);
    check_jump(state, 0x800580e7 /* jalr ra, -2048(a1) */, 0, UINT64_C(-2048), CODE + 4);
}

static void branches_reach_forward_as_far_as_they_can(void **state)
{
    struct rv64_hart hart = {.x[A1] = 1};
    guest_store(*state, CODE + 4094, &(const uint32_t){EBREAK}, 4); /* across two pages */
    guest_execute_one(*state, &hart, 0x7e059fe3 /* bne a1, zero, 4094 */);
    assert_int_equal(hart.pc, CODE + 4094);
}

static void jalr_clears_the_lowest_bit_of_its_target(void **state)
{
    check_jump(state, 0x7ff580e7 /* jalr ra, 2047(a1) */, UNMAPPED, UNMAPPED + 2046, CODE + 4);
}

static void jalr_reads_its_base_before_it_writes_its_link(void **state)
{
    struct rv64_hart hart = {.x[A1] = CODE + 8};
    uint32_t code[] = {0x000585e7 /* jalr a1, 0(a1) */, NOP, EBREAK};
    assert_int_equal(guest_execute(*state, &hart, code, 3), RV64_STOP_EBREAK);
    assert_int_equal(hart.pc, CODE + 8);
    assert_int_equal(hart.x[A1], CODE + 4);
}

static void jumps_that_link_to_x0_leave_it_zero(void **state)
{
    struct rv64_hart hart = {.x[A1] = CODE + 16};
    uint32_t code[] = {0x0080006f /* jal zero, 8 */, NOP, 0x00058067 /* jalr zero, 0(a1) */, NOP,
                       EBREAK};
    assert_int_equal(guest_execute(*state, &hart, code, 5), RV64_STOP_EBREAK);
    assert_int_equal(hart.pc, CODE + 16);
    assert_int_equal(hart.x[0], 0);
    assert_int_equal(hart.instret, 2);
}

static void auipc_adds_the_pc(void **state)
{
    struct rv64_hart hart = {0};
    guest_execute_one(*state, &hart, 0xfffff517 /* auipc a0, 0xfffff */);
    assert_int_equal(hart.x[A0], CODE - 4096);
    guest_execute_one(*state, &hart, 0x7ffff517 /* auipc a0, 0x7ffff */);
    assert_int_equal(hart.x[A0], CODE + 0x7ffff000);
    guest_execute_one(*state, &hart, 0x80000517 /* auipc a0, 0x80000 */);
    assert_int_equal(hart.x[A0], CODE + UINT64_C(0xffffffff80000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(base_instructions_compute_what_the_manual_says),
        GUEST_TEST(multiply_and_divide_compute_what_the_manual_says),
        GUEST_TEST(zba_computes_what_the_manual_says),
        GUEST_TEST(zbb_computes_what_the_manual_says),
        GUEST_TEST(zbs_computes_what_the_manual_says),
        GUEST_TEST(branches_are_taken_when_the_manual_says),
        GUEST_TEST(jumps_reach_their_whole_range_and_fault_at_their_target),
        GUEST_TEST(branches_reach_forward_as_far_as_they_can),
        GUEST_TEST(jalr_clears_the_lowest_bit_of_its_target),
        GUEST_TEST(jalr_reads_its_base_before_it_writes_its_link),
        GUEST_TEST(jumps_that_link_to_x0_leave_it_zero),
        GUEST_TEST(auipc_adds_the_pc),
    };
    return RUN_GUEST_TESTS("rv64_values", tests);
}
