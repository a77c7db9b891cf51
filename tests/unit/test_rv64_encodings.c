/* rv64: compressed instructions, and invalid encodings. Encodings come from an assembler. */
#include "engine/rv64/insn.h"
#include "rv64_guest.h"

static const struct {
    const char *text;
    uint16_t half;
    uint32_t word; /* the same instruction with 32 bits */
} forms[] = {
    {"c.addi4spn a0, sp, 4", 0x0048, 0x00410513},
    {"c.addi4spn s0, sp, 1020", 0x1fe0, 0x3fc10413},
    {"c.addi4spn a5, sp, 680", 0x153c, 0x2a810793},
    {"c.lw a0, 0(s1)", 0x4088, 0x0004a503},
    {"c.lw a5, 124(s1)", 0x5cfc, 0x07c4a783},
    {"c.lw s1, 84(s1)", 0x48e4, 0x0544a483},
    {"c.ld a0, 0(s1)", 0x6088, 0x0004b503},
    {"c.ld a5, 248(s1)", 0x7cfc, 0x0f84b783},
    {"c.ld a3, 168(s1)", 0x74d4, 0x0a84b683},
    {"c.sw a0, 0(s1)", 0xc088, 0x00a4a023},
    {"c.sw a5, 124(s1)", 0xdcfc, 0x06f4ae23},
    {"c.sw a4, 40(s1)", 0xd498, 0x02e4a423},
    {"c.sd a0, 0(s1)", 0xe088, 0x00a4b023},
    {"c.sd a5, 248(s1)", 0xfcfc, 0x0ef4bc23},
    {"c.sd a2, 80(s1)", 0xe8b0, 0x04c4b823},
    {"c.nop", 0x0001, 0x00000013},
    {"c.addi a0, -32", 0x1501, 0xfe050513},
    {"c.addi t6, 31", 0x0ffd, 0x01ff8f93},
    {"c.addi s3, 1", 0x0985, 0x00198993},
    {"c.addiw a0, 0", 0x2501, 0x0005051b},
    {"c.addiw t6, -32", 0x3f81, 0xfe0f8f9b},
    {"c.addiw s3, 31", 0x29fd, 0x01f9899b},
    {"c.li a0, -32", 0x5501, 0xfe000513},
    {"c.li t6, 31", 0x4ffd, 0x01f00f93},
    {"c.addi16sp sp, 496", 0x617d, 0x1f010113},
    {"c.addi16sp sp, -512", 0x7101, 0xe0010113},
    {"c.addi16sp sp, 160", 0x610d, 0x0a010113},
    {"c.addi16sp sp, 336", 0x6171, 0x15010113},
    {"c.lui a0, 1", 0x6505, 0x00001537},
    {"c.lui t6, 31", 0x6ffd, 0x0001ffb7},
    {"c.lui s3, 0xfffe0", 0x7981, 0xfffe09b7},
    {"c.srli a0, 1", 0x8105, 0x00155513},
    {"c.srli s1, 63", 0x90fd, 0x03f4d493},
    {"c.srai a0, 32", 0x9501, 0x42055513},
    {"c.srai a5, 63", 0x97fd, 0x43f7d793},
    {"c.andi a0, -32", 0x9901, 0xfe057513},
    {"c.andi s0, 31", 0x887d, 0x01f47413},
    {"c.sub a0, a1", 0x8d0d, 0x40b50533},
    {"c.xor s1, a5", 0x8cbd, 0x00f4c4b3},
    {"c.or a5, s0", 0x8fc1, 0x0087e7b3},
    {"c.and a2, a3", 0x8e75, 0x00d67633},
    {"c.subw a0, a4", 0x9d19, 0x40e5053b},
    {"c.addw a4, a0", 0x9f29, 0x00a7073b},
    {"c.j 2046", 0xaffd, 0x7fe0006f},
    {"c.j -2048", 0xb001, 0x801ff06f},
    {"c.j 1364", 0xab91, 0x5540006f},
    {"c.j 682", 0xa46d, 0x2aa0006f},
    {"c.beqz s0, 254", 0xcc7d, 0x0e040f63},
    {"c.beqz a0, -256", 0xd101, 0xf00500e3},
    {"c.beqz a3, 0xaa", 0xc6cd, 0x0a068563},
    {"c.beqz a3, 84", 0xcab1, 0x04068a63},
    {"c.bnez a0, 254", 0xed7d, 0x0e051f63},
    {"c.bnez a5, -256", 0xf381, 0xf00790e3},
    {"c.bnez a3, 16", 0xea81, 0x00069863},
    {"c.slli a0, 1", 0x0506, 0x00151513},
    {"c.slli t6, 63", 0x1ffe, 0x03ff9f93},
    {"c.slli s3, 32", 0x1982, 0x02099993},
    {"c.lwsp a0, 0(sp)", 0x4502, 0x00012503},
    {"c.lwsp t6, 252(sp)", 0x5ffe, 0x0fc12f83},
    {"c.lwsp ra, 168(sp)", 0x50aa, 0x0a812083},
    {"c.ldsp a0, 0(sp)", 0x6502, 0x00013503},
    {"c.ldsp t6, 504(sp)", 0x7ffe, 0x1f813f83},
    {"c.ldsp ra, 336(sp)", 0x60d6, 0x15013083},
    {"c.swsp a0, 0(sp)", 0xc02a, 0x00a12023},
    {"c.swsp t6, 252(sp)", 0xdffe, 0x0ff12e23},
    {"c.swsp zero, 168(sp)", 0xd502, 0x0a012423},
    {"c.sdsp a0, 0(sp)", 0xe02a, 0x00a13023},
    {"c.sdsp t6, 504(sp)", 0xfffe, 0x1ff13c23},
    {"c.sdsp ra, 336(sp)", 0xea86, 0x14113823},
    {"c.jr s2", 0x8902, 0x00090067},
    {"c.jr ra", 0x8082, 0x00008067},
    {"c.jalr s2", 0x9902, 0x000900e7},
    {"c.jalr ra", 0x9082, 0x000080e7},
    {"c.mv a0, t6", 0x857e, 0x01f00533},
    {"c.mv t6, sp", 0x8f8a, 0x00200fb3},
    {"c.add a0, t6", 0x957e, 0x01f50533},
    {"c.add t6, t6", 0x9ffe, 0x01ff8fb3},
};

/* A hart whose registers point into memory, or have distinct values. */
static struct rv64_hart start(void)
{
    struct rv64_hart hart = {.pc = CODE + 0x800};
    for (uint64_t i = 1; i < 32; i++)
        hart.x[i] = i * 0x0123456789abcdef;
    hart.x[SP] = DATA + 0x400;
    hart.x[S1] = DATA + 0x800;
    hart.x[RA] = CODE + 0x100;
    hart.x[18] = CODE + 0x200;
    return hart;
}

/* Runs one instruction among EBREAKs, until the next EBREAK: after the instruction, or where it
 * jumps. */
static struct rv64_hart run_at_800(struct guest *g, const void *bits, size_t size)
{
    struct rv64_hart hart = start();
    uint16_t halves[0x1000 / 2];
    uint64_t data[DATA_SIZE / 8];
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        halves[i] = 0x9002; /* C.EBREAK */
    memcpy(halves + 0x400, bits, size);
    for (size_t i = 0; i < DATA_SIZE / 8; i++)
        data[i] = (i + 1) * 0x9e3779b97f4a7c15;
    guest_store(g, CODE, halves, sizeof halves);
    guest_store(g, DATA, data, sizeof data);
    assert_int_equal(guest_run(g, &hart, 100), RV64_STOP_EBREAK);
    assert_int_equal(hart.instret, 1);
    return hart;
}

static void compressed_forms_do_what_their_long_forms_do(void **state)
{
    struct guest *g = *state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        uint8_t after[DATA_SIZE];
        struct rv64_hart half = run_at_800(g, &forms[i].half, 2);
        memcpy(after, rv64_memory_at(g->mem[0], DATA, DATA_SIZE, RV64_R), DATA_SIZE);
        struct rv64_hart word = run_at_800(g, &forms[i].word, 4);
        bool links = (word.x[RA] == CODE + 0x804);
        if (word.pc == CODE + 0x804)
            word.pc = CODE + 0x802;
        if (links)
            word.x[RA] = CODE + 0x802;
        if (memcmp(half.x, word.x, sizeof half.x) != 0 || half.pc != word.pc ||
            memcmp(after, rv64_memory_at(g->mem[0], DATA, DATA_SIZE, RV64_R), DATA_SIZE) != 0)
            fail_msg("%s: not as its long form", forms[i].text);
    }
}

static void compressed_branches_depend_on_their_register(void **state)
{
    struct guest *g = *state;
    for (int taken = 0; taken < 2; taken++) {
        struct rv64_hart beqz = {.pc = CODE, .x[A0] = !taken};
        guest_store(g, CODE, (const uint16_t[]){0xc119, 0x9002, 0x9002, 0x9002}, 8);
        guest_run(g, &beqz, 10);
        assert_int_equal(beqz.pc, CODE + (taken ? 6 : 2));
        struct rv64_hart bnez = {.pc = CODE, .x[A0] = taken ? UINT64_C(1) << 63 : 0};
        guest_store(g, CODE, (const uint16_t[]){0xe119, 0x9002, 0x9002, 0x9002}, 8);
        guest_run(g, &bnez, 10);
        assert_int_equal(bnez.pc, CODE + (taken ? 6 : 2));
    }
}

static void hints_do_nothing_and_count(void **state)
{
    static const uint32_t hints[] = {
        0x0005,     /* c.nop 1 */
        0x0501,     /* c.addi a0, 0 */
        0x4005,     /* c.li zero, 1 */
        0x6005,     /* c.lui zero, 1 */
        0x0006,     /* c.slli zero, 1 */
        0x0502,     /* c.slli a0, 0 */
        0x8101,     /* c.srli a0, 0 */
        0x8501,     /* c.srai a0, 0 */
        0x802e,     /* c.mv zero, a1 */
        0x902e,     /* c.add zero, a1 */
        0x00b57033, /* and zero, a0, a1 */
        0x02a5c033, /* div zero, a1, a0 */
        0x00001037, /* lui zero, 1 */
        0x00001017, /* auipc zero, 1 */
    };
    struct rv64_hart before = start();
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        struct rv64_hart after =
            run_at_800(*state, &hints[i], rv64_instruction_length((uint16_t)hints[i]));
        assert_memory_equal(before.x, after.x, sizeof before.x);
        assert_int_equal(after.pc, CODE + 0x800 + rv64_instruction_length((uint16_t)hints[i]));
    }
}

static void encodings_that_mean_nothing_are_illegal(void **state)
{
    static const uint32_t words[] = {
        0x0000, /* illegal by definition */
        0x0004, /* c.addi4spn with 0 */
        0x2108,
        0x2180, /* c.fld */
        0x8108,
        0x810c, /* reserved */
        0xa108,
        0xa180, /* c.fsd */
        0x2005,
        0x2001, /* c.addiw of x0 */
        0x6101, /* c.addi16sp with 0 */
        0x6501, /* c.lui with 0 */
        0x9d49,
        0x9d69, /* reserved: funct3 100, 1 11 10 and 1 11 11 */
        0x2002,
        0x2502, /* c.fldsp */
        0x4002,
        0x4012, /* c.lwsp of x0 */
        0x6002,
        0x6012, /* c.ldsp of x0 */
        0x8002, /* c.jr x0 */
        0xa002,
        0xa102,               /* c.fsdsp */
        0x00000007 | 3 << 12, /* fld */
        0x00000027 | 3 << 12, /* fsd */
        0x0000001f,
        0x0000007f, /* 48 bits and more */
        0x0000000b,
        0x0000002b,
        0x0000005b,
        0x0000007b, /* custom */
        0x00007003, /* unused encodings of loads and stores */
        0x00004023,
        0x00002063,
        0x00003063, /* unused encodings of branches */
        0x00001067, /* unused encodings of jalr */
        0x40001013, /* slli */
        0x0200101b, /* slliw by 32 */
        0x0200501b,
        0x4200501b,
        0x0000201b,
        0x0000401b, /* slti, xori: no W form */
        0x40002033,
        0x40004033 | 0x80000000,
        0x02001033 | 0x80000000,
        0x0200103b,
        0x0200203b,
        0x0200303b,           /* mulh: no W form */
        0x0000000f | 2 << 12, /* fence.? */
        0x0000102f,
        0x0000002f, /* lr, amos of bytes */
        0x1010202f, /* lr with rs2 */
        0x2800202f, /* amo: no such function */
        0x10500073, /* wfi */
        0x30200073,
        0x10200073, /* mret, sret */
        0x00200073,
        0x000000f3, /* ecall with rd */
        0x00008073, /* ecall with rs1 */
        0x30002573, /* csrr mstatus */
        0x00302573, /* csrr fcsr */
        0xc0302573, /* csrr hpmcounter3 */
        0xc8002573, /* csrr cycleh */
        0xc0001573, /* csrrw of cycle */
        0xc0005573, /* csrrwi of cycle */
        0xc000a573, /* csrrs of cycle with a register that is not x0 */
        0xc000e573, /* csrrsi with 1 */
        0x60301013,
        0x60601013, /* unused encodings of unary functions */
        0x60201033 | 0x80000000,
        0x68705013, /* grevi with other controls */
        0x28005013,
        0x0810403b, /* packw that is not zext.h */
        0x08007033, /* packh */
        0x0a001033, /* clmul */
        0x20001033,
        0x20000033, /* sh?add */
        0x4800103b, /* bclrw */
        0x00000053, /* fadd.s */
        0x00000057, /* vectors */
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct rv64_hart hart = start();
        unsigned length = rv64_instruction_length((uint16_t)words[i]);
        uint64_t at = CODE + 0x800;
        guest_store(*state, at, (const uint32_t[]){NOP, EBREAK, EBREAK}, 12);
        guest_store(*state, at + 4, &words[i], length);
        enum rv64_stop why = guest_run(*state, &hart, 100);
        if (why != RV64_STOP_FAULT || hart.fault != RV64_FAULT_ILLEGAL)
            fail_msg("%#x is not illegal", words[i]);
        assert_int_equal(hart.fault_address, words[i]);
        assert_int_equal(hart.pc, at + 4);
        assert_int_equal(hart.instret, 1);
    }
}

static void lengths_are_those_of_the_first_half(void **state)
{
    (void)state;
    assert_int_equal(rv64_instruction_length(0x0000), 2);
    assert_int_equal(rv64_instruction_length(0xfffd), 2);
    assert_int_equal(rv64_instruction_length(0xfffe), 2);
    assert_int_equal(rv64_instruction_length(0x0003), 4);
}

/* The translator must not take bits of an immediate for a register that the format does not
 * have. */
static void registers_are_those_that_the_format_has(void **state)
{
    static const struct {
        const char *text;
        uint32_t word;
        uint8_t rd, rs1, rs2;
    } of[] = {
        {"bne a4, s3, -44", 0xfd371ae3, 0, 14, 19},
        {"sd s5, -40(a0)", 0xfd553c23, 0, 10, 21},
        {"lui a5, 0xfffff", 0xfffff7b7, 15, 0, 0},
        {"auipc a6, 0x12345", 0x12345817, 16, 0, 0},
        {"jal a7, -60", 0xfc5ff8ef, 17, 0, 0},
        {"addi t3, t4, -1", 0xfffe8e13, 28, 29, 0},
        {"slliw t3, t4, 31", 0x01fe9e1b, 28, 29, 0},
        {"srli t3, t4, 63", 0x03fede13, 28, 29, 0},
        {"lr.d.aqrl s2, (s3)", 0x1609b92f, 18, 19, 0},
        {"amoadd.w s2, s4, (s3)", 0x0149a92f, 18, 19, 20},
        {"clz s6, s7", 0x600b9b13, 22, 23, 0},
        {"rdinstret s8", 0xc0202c73, 24, 0, 0},
        {"fence rw, rw", 0x0330000f, 0, 0, 0},
        {"fence with reserved fields", 0x0337878f, 0, 0, 0},
        {"ecall", 0x00000073, 0, 0, 0},
        {"add s9, s10, s11", 0x01bd0cb3, 25, 26, 27},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct rv64_insn insn = rv64_decode(of[i].word);
        if (insn.op == OP_ILLEGAL || insn.rd != of[i].rd || insn.rs1 != of[i].rs1 ||
            insn.rs2 != of[i].rs2)
            fail_msg("%s: registers %u, %u, %u", of[i].text, insn.rd, insn.rs1, insn.rs2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(compressed_forms_do_what_their_long_forms_do),
        GUEST_TEST(compressed_branches_depend_on_their_register),
        GUEST_TEST(hints_do_nothing_and_count),
        GUEST_TEST(encodings_that_mean_nothing_are_illegal),
        GUEST_TEST(lengths_are_those_of_the_first_half),
        cmocka_unit_test(registers_are_those_that_the_format_has),
    };
    return cmocka_run_group_tests_name("rv64_encodings", tests, NULL, NULL);
}
