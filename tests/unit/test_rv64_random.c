/* rv64: random programs, on the engine, on the reference and on qemu-riscv64. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rv64/insn.h"
#include "rv64_guest.h"

enum format {
    R,
    I,
    S,
    B,
    U,
    J,
    SHIFT5,
    SHIFT6,
    UNARY,
    AMO,
    LR,
    COUNTER,
    NONE,
    EXACT,
};

static const struct {
    uint32_t match;
    enum format format;
} rows[] = {
#define OP(name, format, match) {match, format},
#include "rv64/ops.def"
#undef OP
};

/* Bits that are free in a format: operands. */
static const uint32_t free_bits[] = {
    [R] = 0x01ff8f80,     [I] = 0xffff8f80,   [S] = 0xffff8f80,      [B] = 0xffff8f80,
    [U] = 0xffffff80,     [J] = 0xffffff80,   [SHIFT5] = 0x01ff8f80, [SHIFT6] = 0x03ff8f80,
    [UNARY] = 0x000f8f80, [AMO] = 0x07ff8f80, [LR] = 0x060f8f80,     [COUNTER] = 0x00000f80,
    [NONE] = 0xffff8f80,  [EXACT] = 0,
};

/* ---- Random ------------------------------------------------------------------------------------
 */

/* xorshift64*, so that every run is the same. */
static uint64_t random64(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)((random64(seed) >> 32) % limit);
}

static uint64_t random_value(uint64_t *seed)
{
    static const uint64_t edges[] = {
        0,
        1,
        2,
        31,
        32,
        63,
        64,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0x7fffffff,
        0x80000000,
        0xffffffff,
        0x100000000,
        INT64_MAX,
        UINT64_MAX,
        UINT64_C(1) << 63,
        0xffffffff80000000,
    };
    switch (below(seed, 4)) {
    case 0:
        return edges[below(seed, sizeof edges / sizeof *edges)];
    case 1:
        return random64(seed) >> below(seed, 64);
    case 2:
        return UINT64_C(0) - (random64(seed) >> below(seed, 64));
    default:
        return random64(seed);
    }
}

static uint32_t random_instruction(uint64_t *seed, unsigned row)
{
    return rows[row].match | ((uint32_t)(random64(seed) >> 32) & free_bits[rows[row].format]);
}

static uint32_t with_rd(uint32_t word, uint32_t rd)
{
    return (word & ~(31u << 7)) | rd << 7;
}
static uint32_t with_rs1(uint32_t word, uint32_t rs1)
{
    return (word & ~(31u << 15)) | rs1 << 15;
}
static uint32_t rd_of(uint32_t word)
{
    return word >> 7 & 31;
}
static uint32_t i_type(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t imm)
{
    return match | (imm & 0xfff) << 20 | rs1 << 15 | rd << 7;
}
static uint32_t s_type(uint32_t match, uint32_t rs2, uint32_t rs1, uint32_t imm)
{
    return match | (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | (imm & 31) << 7;
}

/* Registers with a purpose: in the first test, data and code; in the second, a record and data. */
enum { BASE = S0, CODE_BASE = S1, T4 = 29, MEMORY = 30, POINTER = 31 };

enum {
    LD = 0x3003,
    SD = 0x3023,
    ADDI = 0x13,
    ADDIW = 0x1b,
    CTZW = 0x6010101b,
    LOADS = 0x03,
    STORES = 0x23,
    AMOS = 0x2f
};

/* A compressed instruction that computes in registers, and writes none that is reserved here. */
static uint16_t compressed(uint64_t *seed)
{
    for (;;) {
        uint16_t half = (uint16_t)random64(seed);
        struct rv64_insn insn = rv64_decode(half);
        bool plain = insn.op == OP_ADDI || insn.op == OP_ADDIW || insn.op == OP_LUI ||
                     insn.op == OP_SLLI || insn.op == OP_SRLI || insn.op == OP_SRAI ||
                     insn.op == OP_ANDI || insn.op == OP_ADD || insn.op == OP_SUB ||
                     insn.op == OP_XOR || insn.op == OP_OR || insn.op == OP_AND ||
                     insn.op == OP_ADDW || insn.op == OP_SUBW;
        bool reserved = insn.rd == BASE || insn.rd == CODE_BASE || insn.rd >= MEMORY;
        if (insn.length == 2 && plain && !reserved)
            return half;
    }
}

/* ---- The engine against the reference ----------------------------------------------------------
 */

enum { PROGRAMS = 30000, LENGTH = 48 };

/* Of any row; half the time of the first, RV64I, which is what code is mostly made of. */
static unsigned any_row(uint64_t *seed)
{
    return below(seed, below(seed, 2) == 0 ? OP_FENCE - 1 : sizeof rows / sizeof *rows);
}

/* Anything: one instruction in 40 is just bits; of the others, accesses are near x8, and jumps go
 * by a little or to near x9. */
static uint32_t any_instruction(uint64_t *seed)
{
    uint32_t word = random_instruction(seed, any_row(seed));
    if (below(seed, 40) == 0)
        return below(seed, 2) == 0 ? word : (uint32_t)random64(seed);
    switch (word & 0x7f) {
    case 0x73: /* calls end the program */
        return rd_of(word) == 0 ? NOP : with_rd(word, A0);
    case STORES:
        return with_rs1(word, BASE) & ~0xc0000380u; /* to a multiple of 8, below 1024 */
    case LOADS:
        word = with_rs1(word, BASE) & ~0xc0700000u;
        break;
    case AMOS:
        word = with_rs1(word, BASE);
        break;
    case 0x63: /* branches and JAL: within 64 bytes */
        return (word & ~0xfe000080u) | (word & 0x80000000u ? 0xfc000080u : 0);
    case 0x6f:
        word = (word & 0x03e00fff) | (word & 0x80000000u ? 0xfc1ff000u : 0);
        break;
    case 0x67:
        word = with_rs1(word & ~0xfc000000u, CODE_BASE);
        break;
    }
    return rd_of(word) == BASE || rd_of(word) == CODE_BASE ? with_rd(word, A0) : word;
}

static void make_program(uint64_t *seed, uint16_t halves[2 * LENGTH])
{
    for (unsigned i = 0; i < 2 * LENGTH;) {
        if (below(seed, 4) == 0 || i == 2 * LENGTH - 1) {
            halves[i++] = compressed(seed);
            continue;
        }
        uint32_t word = any_instruction(seed);
        halves[i++] = (uint16_t)word;
        halves[i++] = (uint16_t)(word >> 16);
    }
}

static void engine_and_reference_agree_on_random_programs(void **state)
{
    struct guest *g = *state;
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        uint16_t halves[2 * LENGTH];
        struct rv64_hart hart = {.pc = CODE + RV64_PAGE - 2 * below(&seed, 2 * LENGTH)};
        make_program(&seed, halves);
        guest_store(g, hart.pc, halves, sizeof halves);
        for (int r = 1; r < 32; r++)
            hart.x[r] = random_value(&seed);
        hart.x[BASE] = DATA + 8 * below(&seed, DATA_SIZE / 9);
        hart.x[CODE_BASE] = hart.pc;
        hart.time = random64(&seed);
        for (int turn = 0; turn < 4; turn++) {
            if (guest_run(g, &hart, below(&seed, 200)) != RV64_STOP_BUDGET)
                break;
        }
    }
}

/* ---- Both against qemu-riscv64 -----------------------------------------------------------------
 */

/* One program of many snippets. Each loads x1 to x30 from its record, runs straight on, and stores
 * them back. x31 is at the record, x30 at memory to play with. At the end all is written out. */
enum {
    SNIPPETS = 2000,
    SNIPPET_WORDS = 24,
    RECORD = 256,
    PLAYGROUND = 2048,
    RECORDS_SIZE = SNIPPETS * RECORD + 2 * PLAYGROUND,
    CODE_WORDS = SNIPPETS * (30 + 2 * SNIPPET_WORDS + 30 + 2) + 64,
};
#define RECORDS_AT    UINT64_C(0x1000000)
#define PLAYGROUND_AT (RECORDS_AT + SNIPPETS * RECORD)
#define QEMU_CODE_AT  UINT64_C(0x100000)

struct image {
    uint32_t code[CODE_WORDS];
    size_t words;
    uint8_t records[RECORDS_SIZE];
};

static void emit(struct image *image, uint32_t word)
{
    assert_true(image->words < CODE_WORDS);
    image->code[image->words++] = word;
}

static bool writes_reserved(uint32_t word)
{
    return rd_of(word) >= MEMORY;
}

/* LR, SC and AMOs at a multiple of 8 in the playground; SC only behind an LR of its width, where it
 * is sure to succeed. */
static void emit_atomic(struct image *image, uint64_t *seed, uint32_t word)
{
    bool conditional = (word >> 27 & ~1u) == 2; /* LR and SC */
    emit(image, i_type(ADDI, T4, MEMORY, 8 * below(seed, 128)));
    if (conditional)
        emit(image, i_type(0x1000002f | (word & 0x7000), 5, T4, 0x100));
    if (conditional)
        word |= 0x18000000;
    word = with_rs1(word, T4);
    emit(image, writes_reserved(word) ? with_rd(word, 7) : word);
}

static void emit_random(struct image *image, uint64_t *seed)
{
    if (below(seed, 8) == 0) {
        emit(image, compressed(seed) | (uint32_t)compressed(seed) << 16);
        return;
    }
    uint32_t word = random_instruction(seed, any_row(seed));
    uint32_t width = word >> 12 & 3, offset = below(seed, PLAYGROUND >> 4) << 3;
    switch (word & 0x7f) {
    case 0x73: /* system calls; counters differ by nature */
    case 0x67: /* JALR */
        emit(image, NOP);
        break;
    case 0x63: /* branches and JAL: over the next, or to it */
        emit(image, (word & ~0xfe000f80u) | (word & 0x80 ? 8u : 4u) << 7);
        emit(image, i_type(ADDI, 1 + below(seed, 29), below(seed, 32), below(seed, 4096)));
        break;
    case 0x6f:
        word = 8u << 20 | 0x6f | rd_of(word) << 7;
        emit(image, writes_reserved(word) ? with_rd(word, 7) : word);
        emit(image, i_type(ADDI, 1 + below(seed, 29), below(seed, 32), below(seed, 4096)));
        break;
    case LOADS:
        word = i_type(word & 0x707f, rd_of(word), MEMORY, offset + (8u >> width) % 8);
        word = (word & ~(7u << 20)) | (8u - (1u << width)) % 8 << 20;
        emit(image, writes_reserved(word) ? with_rd(word, 7) : word);
        break;
    case STORES:
        emit(image,
             s_type(word & 0x707f, word >> 20 & 31, MEMORY, offset + (8u - (1u << width)) % 8));
        break;
    case AMOS:
        emit_atomic(image, seed, word);
        break;
    case 0x1b:
        if ((word & ~free_bits[UNARY]) == CTZW) { /* qemu before 8.0 counts in the high half, too */
            word = with_rs1(word, 1 + below(seed, 29));
            emit(image, i_type(ADDIW, word >> 15 & 31, word >> 15 & 31, 0));
        }
        emit(image, writes_reserved(word) ? with_rd(word, 7) : word);
        break;
    default:
        emit(image, (word & 0x7f) != 0x0f && writes_reserved(word) ? with_rd(word, 7) : word);
    }
}

static void emit_end(struct image *image)
{
    emit(image, 0x01000537);              /* lui a0, RECORDS_AT >> 12 */
    emit(image, i_type(ADDI, A1, A0, 0)); /* what: the records */
    emit(image, i_type(ADDI, A0, 0, 1));  /* to: standard output */
    emit(image, ((RECORDS_SIZE + 0x800u) & ~0xfffu) | A2 << 7 | 0x37);
    emit(image, i_type(ADDI, A2, A2, RECORDS_SIZE & 0xfffu)); /* how much */
    emit(image, i_type(ADDI, 17, 0, 64));
    emit(image, ECALL);
    emit(image, i_type(ADDI, 17, 0, 93));
    emit(image, i_type(ADDI, A0, 0, 0));
    emit(image, ECALL);
}

static void make_image(struct image *image)
{
    uint64_t seed = 6364136223846793005u;
    emit(image, 0x01000037 | POINTER << 7); /* lui x31, RECORDS_AT >> 12 */
    for (unsigned s = 0; s < SNIPPETS; s++) {
        for (uint32_t r = 1; r <= MEMORY; r++) {
            uint64_t v = r == MEMORY ? PLAYGROUND_AT : random_value(&seed);
            memcpy(&image->records[s * RECORD + r * 8], &v, sizeof v);
            emit(image, i_type(LD, r, POINTER, r * 8));
        }
        for (unsigned i = 0; i < SNIPPET_WORDS; i++)
            emit_random(image, &seed);
        for (uint32_t r = 1; r <= MEMORY; r++)
            emit(image, s_type(SD, r, POINTER, r * 8));
        emit(image, i_type(ADDI, POINTER, POINTER, RECORD));
    }
    emit_end(image);
}

/* Runs it on `core` with rv64_run or rv64_step and gives what it writes. */
static void run_image(const struct image *image, bool step, uint8_t written[RECORDS_SIZE])
{
    struct rv64_memory *mem = rv64_memory_create(UINT64_C(1) << 32);
    struct rv64_core *core = rv64_core_create(mem);
    struct rv64_hart hart = {.pc = QEMU_CODE_AT};
    uint64_t pages = (sizeof image->code + RV64_PAGE - 1) / RV64_PAGE;
    assert_true(rv64_memory_map(mem, QEMU_CODE_AT, pages * RV64_PAGE, RV64_R | RV64_X));
    pages = (RECORDS_SIZE + RV64_PAGE - 1) / RV64_PAGE;
    assert_true(rv64_memory_map(mem, RECORDS_AT, pages * RV64_PAGE, RV64_R | RV64_W));
    assert_true(rv64_memory_store(mem, QEMU_CODE_AT, image->code, image->words * 4));
    assert_true(rv64_memory_store(mem, RECORDS_AT, image->records, RECORDS_SIZE));
    enum rv64_stop why = RV64_STOP_BUDGET;
    while (why == RV64_STOP_BUDGET)
        why = step ? rv64_step(core, &hart) : rv64_run(core, &hart, 1000);
    assert_int_equal(why, RV64_STOP_ECALL);
    assert_int_equal(hart.x[17], 64);
    assert_int_equal(hart.x[A1], RECORDS_AT);
    assert_int_equal(hart.x[A2], RECORDS_SIZE);
    memcpy(written, rv64_memory_at(mem, RECORDS_AT, RECORDS_SIZE, RV64_R), RECORDS_SIZE);
    rv64_core_destroy(core);
    rv64_memory_destroy(mem);
}

static void write_elf(const struct image *image, FILE *to)
{
    uint64_t code_offset = RV64_PAGE, data_offset = 0x200000;
    Elf64_Ehdr e = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_RISCV,
        .e_version = EV_CURRENT,
        .e_entry = QEMU_CODE_AT,
        .e_phoff = sizeof e,
        .e_flags = 1, /* RVC */
        .e_ehsize = sizeof e,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 2,
    };
    Elf64_Phdr p[2] = {
        {PT_LOAD, PF_R | PF_X, code_offset, QEMU_CODE_AT, QEMU_CODE_AT, image->words * 4,
         image->words * 4, RV64_PAGE},
        {PT_LOAD, PF_R | PF_W, data_offset, RECORDS_AT, RECORDS_AT, RECORDS_SIZE, RECORDS_SIZE,
         RV64_PAGE},
    };
    assert_true(code_offset + sizeof image->code <= data_offset);
    assert_int_equal(fwrite(&e, sizeof e, 1, to), 1);
    assert_int_equal(fwrite(p, sizeof p, 1, to), 1);
    assert_int_equal(fseek(to, (long)code_offset, SEEK_SET), 0);
    assert_int_equal(fwrite(image->code, 4, image->words, to), image->words);
    assert_int_equal(fseek(to, (long)data_offset, SEEK_SET), 0);
    assert_int_equal(fwrite(image->records, RECORDS_SIZE, 1, to), 1);
    assert_int_equal(fclose(to), 0);
}

/* False without qemu-riscv64. */
static bool run_qemu(const char *path, uint8_t written[RECORDS_SIZE])
{
    int pipes[2], status;
    size_t got = 0;
    ssize_t n;
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        execlp("qemu-riscv64", "qemu-riscv64", path, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    while (got < RECORDS_SIZE && (n = read(pipes[0], written + got, RECORDS_SIZE - got)) > 0)
        got += (size_t)n;
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return false;
    assert_int_equal(status, 0);
    assert_int_equal(got, RECORDS_SIZE);
    return true;
}

static void compare_records(const struct image *image, const char *who, const uint8_t *ours,
                            const uint8_t *theirs)
{
    for (size_t at = 0; at < RECORDS_SIZE; at += 8) {
        uint64_t a, b;
        memcpy(&a, ours + at, sizeof a);
        memcpy(&b, theirs + at, sizeof b);
        if (a != b)
            fail_msg("%s: snippet %zu of %zu words, x%zu: %#llx, qemu: %#llx", who, at / RECORD,
                     image->words, at % RECORD / 8, (unsigned long long)a, (unsigned long long)b);
    }
}

static void engine_reference_and_qemu_agree_on_random_code(void **state)
{
    (void)state;
    char path[] = "/tmp/rv64-XXXXXX";
    struct image *image = calloc(1, sizeof *image);
    uint8_t *written[3];
    for (int i = 0; i < 3; i++)
        assert_non_null(written[i] = malloc(RECORDS_SIZE));
    assert_non_null(image);
    make_image(image);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, 0700), 0); /* qemu runs nothing else */
    write_elf(image, fdopen(fd, "w"));
    bool there = run_qemu(path, written[0]);
    unlink(path);
    if (there) {
        run_image(image, false, written[1]);
        run_image(image, true, written[2]);
        compare_records(image, "engine", written[1], written[0]);
        compare_records(image, "reference", written[2], written[0]);
    }
    for (int i = 0; i < 3; i++)
        free(written[i]);
    free(image);
    if (!there)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(engine_and_reference_agree_on_random_programs),
        cmocka_unit_test(engine_reference_and_qemu_agree_on_random_code),
    };
    return cmocka_run_group_tests_name("rv64_random", tests, NULL, NULL);
}
