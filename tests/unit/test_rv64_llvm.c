/* rv64: valid encodings and their instructions, compared with LLVM's disassembler: all 16-bit
 * encodings, all functions of 32-bit encodings that have functions, and random encodings. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/rv64/insn.h"
#include "rv64_guest.h"

/* ---- LLVM ---- */

static void run(char *const argv[], const char *out)
{
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, 1) < 0)
            _exit(126);
        execvp(argv[0], argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: %d", argv[0], status);
}

/* Disassembles `count` encodings, 16 bits wide or 32; each is at 4 times its index. */
static FILE *disassemble(const uint32_t *bits, size_t count)
{
    char dir[] = "/tmp/rv64_llvm_XXXXXX", path[3][64];
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%c", dir, "sot"[i]);
    FILE *source = fopen(path[0], "w");
    assert_non_null(source);
    /* Each with a name: there the disassembler starts anew, however much it skipped before. */
    for (size_t i = 0; i < count; i++)
        if ((bits[i] & 3) == 3)
            fprintf(source, "i%zu: .4byte 0x%x\n", i, bits[i]);
        else
            fprintf(source, "i%zu: .2byte 0x%x, 1\n", i, bits[i]); /* C.NOP after it */
    assert_int_equal(fclose(source), 0);
    run((char *[]){"llvm-mc", "-triple=riscv64", "-mattr=+c", "-filetype=obj", path[0], NULL},
        path[1]);
    run((char *[]){"llvm-objdump", "-d", "--no-show-raw-insn", "--mattr=+m,+a,+c,+zba,+zbb,+zbs",
                   path[1], NULL},
        path[2]);
    FILE *text = fopen(path[2], "r");
    assert_non_null(text);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(dir);
    return text;
}

/* The instruction at `address`, "<unknown>" for none. Asked for in rising order. */
static void next_text(FILE *text, unsigned long address, char out[128])
{
    char line[256];
    while (fgets(line, sizeof line, text)) {
        char *end;
        unsigned long at = strtoul(line, &end, 16);
        if (*end != ':' || at != address || end == line)
            continue;
        while (*++end == ' ' || *end == '\t')
            ;
        end[strcspn(end, "\n")] = '\0';
        snprintf(out, 128, "%.127s", end);
        return;
    }
    fail_msg("no text at %#lx", address);
}

/* ---- 16 bits ---- */

/* HINTs, which LLVM writes in their own way: instructions that change nothing. */
static bool changes_nothing(struct rv64_insn insn)
{
    bool shift =
        insn.op == OP_ADDI || insn.op == OP_SLLI || insn.op == OP_SRLI || insn.op == OP_SRAI;
    return insn.op != OP_ILLEGAL && insn.op != OP_EBREAK && insn.op != OP_JALR &&
           (insn.rd == 0 || (shift && insn.rd == insn.rs1 && insn.imm == 0));
}

/* C.LUI with an immediate of 0 is reserved, but LLVM 14 takes it. */
static bool is_lui_of_zero(uint32_t half)
{
    return (half & 0xf07f) == 0x6001;
}

/* Whether `ours`, of the 32-bit instruction, says the same as `theirs`, of the 16-bit one. */
static bool same_text(const char *theirs, const char *ours)
{
    char to[8], from[8], mv[64];
    if (strcmp(theirs, ours) == 0)
        return true;
    if (sscanf(ours, "add %7[^,], zero, %7s", to, from) != 2)
        return false;
    snprintf(mv, sizeof mv, "mv\t%s, %s", to, from);
    return strcmp(theirs, mv) == 0;
}

static void every_compressed_encoding_is_what_llvm_says(void **state)
{
    (void)state;
    enum { ALL = 3 << 14 };
    uint32_t *theirs = calloc(ALL, sizeof *theirs), *ours = calloc(ALL, sizeof *ours);
    assert_true(theirs && ours);
    size_t count = 0, hints = 0, illegal = 0, wrong = 0;
    for (uint32_t half = 0; half <= UINT16_MAX; half++) {
        if ((half & 3) == 3)
            continue;
        theirs[count] = half;
        ours[count] = rv64_expand((uint16_t)half);
        if (ours[count] == 0)
            ours[count] = UINT32_MAX; /* 32 bits wide, and illegal as well */
        count++;
    }
    FILE *a = disassemble(theirs, count), *b = disassemble(ours, count);
    for (size_t i = 0; i < count; i++) {
        char x[128], y[128];
        next_text(a, 4 * i, x);
        next_text(b, 4 * i, y);
        bool hint = strncmp(x, "c.", 2) == 0,
             none = strncmp(x, "unimp", 5) == 0 || x[0] == '<' || is_lui_of_zero(theirs[i]);
        hints += hint;
        illegal += none;
        if (none ? y[0] == '<' : hint ? changes_nothing(rv64_decode(theirs[i])) : same_text(x, y))
            continue;
        wrong++;
        print_message("%04x: LLVM says %s, its expansion is %08x, %s\n", theirs[i], x, ours[i], y);
    }
    fclose(a);
    fclose(b);
    free(theirs);
    free(ours);
    assert_int_equal(wrong, 0);
    assert_true(hints > 100 && illegal > 8000 && illegal < 12000);
}

/* ---- 32 bits ---- */

/* Where we mean to differ: reserved fields of FENCE and FENCE.I are ignored, as the manual wants,
 * and of the CSRs only cycle, time and instret are there, to be read. */
static bool is_our_own(uint32_t bits, bool ours)
{
    unsigned opcode = bits & 0x7f, funct3 = bits >> 12 & 7;
    if (opcode == 0x0f)
        return ours && funct3 <= 1;
    return opcode == 0x73 && funct3 != 0 && funct3 != 4 && !ours;
}

static void compare(const uint32_t *bits, size_t count)
{
    size_t wrong = 0, legal = 0;
    FILE *text = disassemble(bits, count);
    for (size_t i = 0; i < count; i++) {
        char theirs[128];
        next_text(text, 4 * i, theirs);
        bool ours = rv64_decode(bits[i]).op != OP_ILLEGAL;
        legal += ours;
        if (ours == (theirs[0] != '<') || is_our_own(bits[i], ours))
            continue;
        if (wrong++ < 50)
            print_message("%08x: LLVM says %s, we %s\n", bits[i], theirs,
                          ours ? "that it is one" : "that it is none");
    }
    fclose(text);
    assert_int_equal(wrong, 0);
    assert_true(legal > count / 100 && legal < count);
}

static void every_function_of_32_bit_encodings_is_what_llvm_says(void **state)
{
    (void)state;
    static const uint8_t opcodes[] = {0x13, 0x1b, 0x33, 0x3b, 0x2f, 0x73};
    enum { ALL = sizeof opcodes << 15 };
    uint32_t *bits = calloc(ALL, sizeof *bits);
    assert_non_null(bits);
    for (uint32_t i = 0; i < ALL; i++) /* a0, a1 and all of the 15 other bits */
        bits[i] = (i >> 3 & 0xfff) << 20 | 11 << 15 | (i & 7) << 12 | 10 << 7 | opcodes[i >> 15];
    compare(bits, ALL);
    free(bits);
}

static void random_32_bit_encodings_are_what_llvm_says(void **state)
{
    (void)state;
    enum { ALL = 100000 };
    uint32_t *bits = calloc(ALL, sizeof *bits);
    uint64_t seed = 1;
    assert_non_null(bits);
    for (size_t i = 0; i < ALL; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bits[i] = (uint32_t)(seed >> 32) | 3;
    }
    compare(bits, ALL);
    free(bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compressed_encoding_is_what_llvm_says),
        cmocka_unit_test(every_function_of_32_bit_encodings_is_what_llvm_says),
        cmocka_unit_test(random_32_bit_encodings_are_what_llvm_says),
    };
    return cmocka_run_group_tests_name("rv64_llvm", tests, NULL, NULL);
}
