/* rv64: random programs, on the engine, on the reference and on qemu-riscv64. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rv64_random.h"
#include "skip.h"

/* The plain build runs 100,000 snippets; with sanitizers, what takes as long. */
#ifdef __SANITIZE_ADDRESS__
enum { IMAGES = 5 };
#else
enum { IMAGES = 50 };
#endif

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

/* LR, SC and AMOs at a multiple of 8 in the playground; SC only after an LR of its width, where it
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
        if (below(seed, 3) == 0) /* anywhere: over the ends of words and pages */
            word = i_type(word & 0x707f, rd_of(word), MEMORY, below(seed, PLAYGROUND - 8));
        emit(image, writes_reserved(word) ? with_rd(word, 7) : word);
        break;
    case STORES:
        offset += (8u - (1u << width)) % 8;
        if (below(seed, 3) == 0)
            offset = below(seed, PLAYGROUND - 8);
        emit(image, s_type(word & 0x707f, word >> 20 & 31, MEMORY, offset));
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

static void make_image(struct image *image, uint64_t seed)
{
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

/* ---- Every instruction on every pair of edges ---- */

static void set_record(struct image *image, unsigned snippet, uint32_t r, uint64_t value)
{
    memcpy(&image->records[snippet * RECORD + r * 8], &value, sizeof value);
}

/* One instruction on x1 to x20, which hold the edges, and on register or immediate `k`. All of its
 * results go into x28, each at another place of it. */
static void emit_edges(struct image *image, unsigned row, uint32_t k)
{
    enum { RESULT = 29, ALL = 28, XOR = 0x4033, RORI = 0x60005013 };
    for (uint32_t j = 1; j <= EDGES; j++) {
        uint32_t word = with_rd(rows[row].match, RESULT), source = j;
        if (rows[row].match == CTZW) { /* see emit_random */
            emit(image, i_type(ADDIW, RESULT, j, 0));
            source = RESULT;
        }
        switch (rows[row].format) {
        case R:
            word = with_rs1(word, k) | j << 20;
            break;
        case UNARY:
            word = with_rs1(word, source);
            break;
        default: /* I, SHIFT5, SHIFT6 */
            word = with_rs1(word, j) | (k << 20 & free_bits[rows[row].format]);
        }
        emit(image, word);
        emit(image, i_type(RORI, ALL, ALL, 7));
        emit(image, XOR | RESULT << 20 | ALL << 15 | ALL << 7);
    }
}

static void edge_snippet(struct image *image, unsigned *snippet, unsigned row, uint32_t k)
{
    assert_true(*snippet < SNIPPETS);
    for (uint32_t r = 1; r <= MEMORY; r++) {
        set_record(image, *snippet, r, r <= EDGES ? edge_values[r - 1] : 0);
        emit(image, i_type(LD, r, POINTER, r * 8));
    }
    emit_edges(image, row, k);
    for (uint32_t r = 1; r <= MEMORY; r++)
        emit(image, s_type(SD, r, POINTER, r * 8));
    emit(image, i_type(ADDI, POINTER, POINTER, RECORD));
    ++*snippet;
}

/* Whether the row computes from registers and immediates alone. */
static bool computes(unsigned row)
{
    uint32_t opcode = rows[row].match & 0x7f;
    return opcode == 0x13 || opcode == 0x1b || opcode == 0x33 || opcode == 0x3b;
}

static void make_edge_image(struct image *image)
{
    static const uint32_t immediates[] = {0, 1, 2, 31, 32, 63, 0x555, 0x7ff, 0x800, 0xfff};
    unsigned snippet = 0, covered = 0;
    emit(image, 0x01000037 | POINTER << 7); /* lui x31, RECORDS_AT >> 12 */
    for (unsigned row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (!computes(row))
            continue;
        covered++;
        if (rows[row].format == R)
            for (uint32_t k = 1; k <= EDGES; k++)
                edge_snippet(image, &snippet, row, k);
        else if (rows[row].format == UNARY)
            edge_snippet(image, &snippet, row, 0);
        else
            for (unsigned i = 0; i < sizeof immediates / sizeof *immediates; i++)
                edge_snippet(image, &snippet, row, immediates[i]);
    }
    assert_true(covered > 80);
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

static void write_program(const struct image *image, const char *path)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    write_elf(image, fdopen(fd, "w"));
}

struct runner {
    char path[32];
    struct image *image;
    uint8_t *written[3];
    bool there; /* qemu is */
};

static void runner_begin(struct runner *r)
{
    *r = (struct runner){.path = "/tmp/rv64-XXXXXX", .there = true};
    for (int i = 0; i < 3; i++)
        assert_non_null(r->written[i] = malloc(RECORDS_SIZE));
    assert_non_null(r->image = calloc(1, sizeof *r->image));
    int fd = mkstemp(r->path);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, 0700), 0); /* qemu runs nothing else */
    close(fd);
}

static void runner_compare(struct runner *r)
{
    write_program(r->image, r->path);
    if (!(r->there = run_qemu(r->path, r->written[0])))
        return;
    run_image(r->image, false, r->written[1]);
    run_image(r->image, true, r->written[2]);
    compare_records(r->image, "engine", r->written[1], r->written[0]);
    compare_records(r->image, "reference", r->written[2], r->written[0]);
}

static void runner_end(struct runner *r)
{
    bool there = r->there;
    unlink(r->path);
    for (int i = 0; i < 3; i++)
        free(r->written[i]);
    free(r->image);
    if (!there)
        skip_because("no qemu-riscv64 here");
}

static void engine_reference_and_qemu_agree_on_random_code(void **state)
{
    (void)state;
    struct runner r;
    runner_begin(&r);
    for (uint64_t i = 0; r.there && i < IMAGES; i++) {
        memset(r.image, 0, sizeof *r.image);
        make_image(r.image, 6364136223846793005u + i * 1442695040888963407u);
        runner_compare(&r);
    }
    runner_end(&r);
}

static void engine_reference_and_qemu_agree_on_every_pair_of_edges(void **state)
{
    (void)state;
    struct runner r;
    runner_begin(&r);
    make_edge_image(r.image);
    runner_compare(&r);
    runner_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_reference_and_qemu_agree_on_random_code),
        cmocka_unit_test(engine_reference_and_qemu_agree_on_every_pair_of_edges),
    };
    return cmocka_run_group_tests_name("rv64_qemu", tests, NULL, NULL);
}
