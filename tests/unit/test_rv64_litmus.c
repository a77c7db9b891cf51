/*
 * rv64, jit: litmus tests of RVWMO (Volume I, chapter 14 and appendix A), with one host thread for each
 * hart: no outcome that RVWMO forbids. Outcomes that it allows are counted and shown, since they
 * tell whether the harts really met.
 *
 * DPAKIT_TEST_ROUNDS: how many rounds of each; without it, as many of 10,000 as a second or two allow.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/jit/jit.h"
#include "rv64_guest.h"
#include "rv64_translations.h"
#include "rv64_words.h"

enum { CHUNK = 10000, ROUNDS = 10000, TOGETHER = 500, MOST_HARTS = 4, LITMUS_WORDS = 64 };

/* In a chunk of rounds, "x" and "y" are either variables that count up, one value for each round
 * of the hart that writes them, and which the others read whenever they do; or there is an x and a y
 * for each round, in which all harts begin together. */
enum shape {
    IN_ORDER, /* counts: of what hart 1 reads, the second must not be older than the first */
    IRIW,     /* counts: harts 2 and 3 must not see the two writes in different orders */
    NOT_NONE, /* together: harts 0 and 1 must not both read 0 */
    NOT_BOTH, /* together: they must not both read 1 */
};

/* What a hart does, word by word: Wx writes x, Rx reads it. Behind a read, "Dx" reads x at an
 * address, "dx" writes a value, and "cx" writes behind a branch, that depend on what was read. Ax
 * writes by AMOSWAP.rl, Sx by AMOSWAP.aq, Lx reads by LR.aq, Qx by LR.aqrl. F and two sets is a FENCE, Ft is
 * FENCE.TSO. */
static const struct litmus {
    const char *name;
    enum shape shape;
    bool forbidden; /* by RVWMO; otherwise outcomes are only counted */
    const char *harts[MOST_HARTS];
} litmuses[] = {
    {"CoRR", IN_ORDER, true, {"Wx", "Rx Rx"}},
    {"CoRR+addr", IN_ORDER, true, {"Wx", "Rx Dx"}},
    {"MP", IN_ORDER, false, {"Wx Wy", "Ry Rx"}},
    {"MP+fence.w.w+fence.r.r", IN_ORDER, true, {"Wx Fw,w Wy", "Ry Fr,r Rx"}},
    {"MP+fence.rw.w+fence.r.rw", IN_ORDER, true, {"Wx Frw,w Wy", "Ry Fr,rw Rx"}},
    {"MP+fence.tsos", IN_ORDER, true, {"Wx Ft Wy", "Ry Ft Rx"}},
    {"MP+fence.rw.rws", IN_ORDER, true, {"Wx Frw,rw Wy", "Ry Frw,rw Rx"}},
    {"MP+fence.w.w+addr", IN_ORDER, true, {"Wx Fw,w Wy", "Ry Dx"}},
    {"MP+rl+aq", IN_ORDER, true, {"Wx Ay", "Ly Rx"}},
    {"SB", NOT_NONE, false, {"Wx Ry", "Wy Rx"}},
    {"SB+lr.aqrls", NOT_NONE, true, {"Wx Qy", "Wy Qx"}},
    {"SB+amo.aqs", NOT_NONE, true, {"Sx Ry", "Sy Rx"}},
    {"SB+fence.tsos", NOT_NONE, false, {"Wx Ft Ry", "Wy Ft Rx"}},
    {"SB+fence.w.rs", NOT_NONE, true, {"Wx Fw,r Ry", "Wy Fw,r Rx"}},
    {"SB+fence.rw.rws", NOT_NONE, true, {"Wx Frw,rw Ry", "Wy Frw,rw Rx"}},
    {"LB", NOT_BOTH, false, {"Rx Wy", "Ry Wx"}},
    {"LB+fence.r.ws", NOT_BOTH, true, {"Rx Fr,w Wy", "Ry Fr,w Wx"}},
    {"LB+datas", NOT_BOTH, true, {"Rx dy", "Ry dx"}},
    {"LB+ctrls", NOT_BOTH, true, {"Rx cy", "Ry cx"}},
    {"IRIW", IRIW, false, {"Wx", "Wy", "Rx Ry", "Ry Rx"}},
    {"IRIW+fence.r.rs", IRIW, true, {"Wx", "Wy", "Rx Fr,r Ry", "Ry Fr,r Rx"}},
    {"IRIW+addrs", IRIW, true, {"Wx", "Wy", "Rx Dy", "Ry Dx"}},
    {"IRIW+fence.rw.rws", IRIW, true, {"Wx", "Wy", "Rx Frw,rw Ry", "Ry Frw,rw Rx"}},
};

static bool is_together(enum shape shape)
{
    return shape == NOT_NONE || shape == NOT_BOTH;
}

/* Rounds of one run. Harts that begin each round together take long where processors are few. */
static unsigned chunk_of(enum shape shape)
{
    return is_together(shape) ? TOGETHER : CHUNK;
}

/* ---- The guest ---- */

/* Where things are. x and y of a round are in cache lines of their own. */
#define SHARED     UINT64_C(0x100000) /* the counter of harts that wait for each other */
#define CELLS      UINT64_C(0x200000)
#define CELL       128u
#define Y          64u
#define SEEN       UINT64_C(0x800000) /* what hart h reads in round r: two words */
#define SEEN_SIZE  (CHUNK * UINT64_C(16))
#define SEEN_AT(h) (SEEN + (h)*UINT64_C(0x100000))
#define CELLS_SIZE (CHUNK * (uint64_t)CELL)
#define GUEST_SIZE UINT64_C(0x1000000)

/* x5 and x6: what was read. x8: the value that is written. x10: the cell. x11: where to put what was
 * read. x12: rounds left. x13: the shared counter; x14: what it has when all have come; x15: how many
 * harts. x16, x17: what x8 and x10 grow by. The others are for the moment. */
enum { READ = 5, VALUE = 8, CELL_REG = 10, OUT, LEFT, MEETING, COME, HARTS, STEP, STRIDE, T };

struct code {
    uint32_t words[LITMUS_WORDS];
    unsigned count;
};

static void put(struct code *c, uint32_t word)
{
    assert_true(c->count < LITMUS_WORDS);
    c->words[c->count++] = word;
}

static uint32_t three(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

/* All harts of a round come here, and continue together. */
static void put_meeting(struct code *c)
{
    put(c, i_type(ADDI, T, 0, 1));
    put(c, three(0x0000202f, 0, MEETING, T)); /* amoadd.w */
    put(c, three(0x33, COME, COME, HARTS));
    put(c, i_type(0x2003, T, MEETING, 0)); /* lw */
    put(c, three(0x40000033, T, T, COME)); /* sub */
    put(c, b_type(0x4063, T, 0, -8));      /* bltz */
}

static uint32_t fence(const char *sets)
{
    uint32_t bits[2] = {0}, set = 0;
    if (*sets == 't')
        return 0x8330000f;
    for (; *sets > ' '; sets++) {
        if (*sets == ',')
            set = 1;
        else
            bits[set] |= *sets == 'r' ? 2 : 1;
    }
    return 0x0000000f | bits[0] << 24 | bits[1] << 20;
}

static void put_word(struct code *c, const char *what, unsigned *reads)
{
    const uint32_t at = what[1] == 'y' ? Y : 0, last = READ + *reads - 1;
    switch (what[0]) {
    case 'W':
        put(c, s_type(SD, VALUE, CELL_REG, at));
        return;
    case 'R':
        put(c, i_type(LD, READ + (*reads)++, CELL_REG, at));
        return;
    case 'D':
        put(c, three(0x4033, T, last, last)); /* xor */
        put(c, three(0x33, T, T, CELL_REG));
        put(c, i_type(LD, READ + (*reads)++, T, at));
        return;
    case 'd':
        put(c, three(0x4033, T, last, last));
        put(c, three(0x33, T, T, VALUE));
        put(c, s_type(SD, T, CELL_REG, at));
        return;
    case 'c':
        put(c, b_type(0x1063, last, 0, 8)); /* bne: over a NOP, or into it */
        put(c, NOP);
        put(c, s_type(SD, VALUE, CELL_REG, at));
        return;
    case 'A':
    case 'S':
        put(c, i_type(ADDI, T, CELL_REG, at));
        put(c, three(what[0] == 'A' ? 0x0a00302f : 0x0c00302f, 0, T, VALUE)); /* amoswap.d */
        return;
    case 'Q':
    case 'L':
        put(c, i_type(ADDI, T, CELL_REG, at));
        put(c, three(what[0] == 'Q' ? 0x1600302f : 0x1400302f, READ + (*reads)++, T, 0)); /* lr.d */
        return;
    case 'F':
        put(c, fence(what + 1));
        return;
    default:
        fail_msg("no word of a litmus test: %s", what);
    }
}

/* The program of one hart: its rounds, then an EBREAK. */
static void put_hart(struct code *c, const char *text, bool together)
{
    unsigned reads = 0;
    if (!together)
        put_meeting(c);
    const unsigned head = c->count;
    if (together)
        put_meeting(c);
    for (const char *word = text; word != NULL; word = strchr(word, ' ')) {
        word += *word == ' ';
        put_word(c, word, &reads);
    }
    for (unsigned i = 0; i < reads; i++)
        put(c, s_type(SD, READ + i, OUT, 8 * i));
    put(c, three(0x33, VALUE, VALUE, STEP));
    put(c, three(0x33, CELL_REG, CELL_REG, STRIDE));
    put(c, i_type(ADDI, OUT, OUT, 16));
    put(c, i_type(ADDI, LEFT, LEFT, 0u - 1));
    put(c, b_type(0x1063, LEFT, 0, ((int)head - (int)c->count) * 4));
    put(c, EBREAK);
}

/* ---- Its harts ---- */

struct runner {
    pthread_t thread;
    struct rv64_core *core;
    struct rv64_hart hart;
    enum rv64_stop why;
};

static void *run_hart(void *argument)
{
    struct runner *r = argument;
    while ((r->why = rv64_run(r->core, &r->hart, 5000)) == RV64_STOP_BUDGET)
        sched_yield(); /* harts wait for each other, and processors may be few */
    return NULL;
}

static void run_chunk(const struct litmus *l, struct rv64_core *core, unsigned harts)
{
    struct runner runners[MOST_HARTS] = {0};
    const bool together = is_together(l->shape);
    for (unsigned h = 0; h < harts; h++) {
        runners[h].core = core;
        struct rv64_hart *hart = &runners[h].hart;
        hart->pc = CODE + h * sizeof(uint32_t) * LITMUS_WORDS;
        hart->x[VALUE] = 1;
        hart->x[CELL_REG] = CELLS;
        hart->x[OUT] = SEEN_AT(h);
        hart->x[LEFT] = chunk_of(l->shape);
        hart->x[MEETING] = SHARED;
        hart->x[HARTS] = harts;
        hart->x[STEP] = !together;
        hart->x[STRIDE] = together ? CELL : 0;
        assert_int_equal(pthread_create(&runners[h].thread, NULL, run_hart, &runners[h]), 0);
    }
    for (unsigned h = 0; h < harts; h++) {
        pthread_join(runners[h].thread, NULL);
        assert_int_equal(runners[h].why, RV64_STOP_EBREAK);
    }
}

/* ---- What they have read ---- */

typedef uint64_t seen_t[2];

/* Hart 2 reads x, then y; hart 3 reads y, then x: whether one sees x before y, the other y before x.
 * Both variables only grow, so for each pair of hart 3 the first pair of hart 2 with a later x is
 * the one with the smallest y. */
static uint64_t count_iriw(const seen_t *a, const seen_t *b)
{
    uint64_t count = 0;
    for (unsigned i = 0, j = 0; j < CHUNK; j++) {
        while (i < CHUNK && a[i][0] <= b[j][1])
            i++;
        count += i < CHUNK && a[i][1] < b[j][0];
    }
    return count;
}

static uint64_t count_outcomes(enum shape shape, const struct rv64_memory *mem)
{
    const seen_t *seen[MOST_HARTS];
    uint64_t count = 0;
    for (unsigned h = 0; h < MOST_HARTS; h++)
        seen[h] = rv64_memory_at(mem, SEEN_AT(h), SEEN_SIZE, RV64_R);
    if (shape == IRIW)
        return count_iriw(seen[2], seen[3]);
    for (unsigned r = 0; r < chunk_of(shape); r++) {
        if (shape == IN_ORDER)
            count += seen[1][r][1] < seen[1][r][0];
        else
            count += seen[0][r][0] == seen[1][r][0] && seen[0][r][0] == (shape == NOT_BOTH);
    }
    return count;
}

/* Rounds in which the last hart reads while the others write: only these try anything. */
static uint64_t count_met(enum shape shape, const struct rv64_memory *mem, unsigned harts)
{
    const seen_t *seen = rv64_memory_at(mem, SEEN_AT(harts - 1), SEEN_SIZE, RV64_R);
    uint64_t count = 0;
    if (is_together(shape))
        return TOGETHER;
    for (unsigned r = 0; r < CHUNK; r++)
        count += seen[r][0] > 0 && seen[r][0] < CHUNK;
    return count;
}

static uint64_t rounds(void)
{
    const char *text = getenv("DPAKIT_TEST_ROUNDS");
    return text != NULL ? strtoull(text, NULL, 0) : ROUNDS;
}

/* Interpreted or translated. */
static void try_litmus(const struct litmus *l, enum jit_mode mode)
{
    struct rv64_memory *mem = rv64_memory_create(GUEST_SIZE);
    struct rv64_core *core = rv64_core_create(mem);
    jit_attach(core, mode, false);
    unsigned harts = 0;
    uint64_t count = 0, met = 0;
    const bool together = is_together(l->shape);
    assert_true(rv64_memory_map(mem, CODE, RV64_PAGE, RV64_R | RV64_X));
    for (; harts < MOST_HARTS && l->harts[harts] != NULL; harts++) {
        struct code c = {0};
        put_hart(&c, l->harts[harts], together);
        assert_true(rv64_memory_store(mem, CODE + harts * sizeof c.words, c.words, sizeof c.words));
    }
    const bool all = getenv("DPAKIT_TEST_ROUNDS") != NULL;
    const time_t begin = time(NULL);
    for (uint64_t done = 0; done < rounds() && (all || time(NULL) - begin < 2);
         done += chunk_of(l->shape)) {
        assert_true(rv64_memory_map(mem, SHARED, GUEST_SIZE - SHARED, 0));
        assert_true(rv64_memory_map(mem, SHARED, GUEST_SIZE - SHARED, RV64_R | RV64_W));
        run_chunk(l, core, harts);
        count += count_outcomes(l->shape, mem);
        met += count_met(l->shape, mem, harts);
    }
    if (mode != JIT_OFF)
        assert_true(count_translations(core) >= harts);
    rv64_core_destroy(core);
    rv64_memory_destroy(mem);
    printf("# %-26s %s: %llu times of %llu\n", l->name, l->forbidden ? "forbidden" : "allowed",
           (unsigned long long)count, (unsigned long long)met);
    if (l->forbidden && count != 0)
        fail_msg("%s: what RVWMO forbids came %llu times", l->name, (unsigned long long)count);
}

static void try_shape(enum shape shape, const enum jit_mode *mode)
{
    for (size_t i = 0; i < sizeof litmuses / sizeof *litmuses; i++)
        if (litmuses[i].shape == shape)
            try_litmus(&litmuses[i], *mode);
}

static void reads_see_writes_in_order(void **state)
{
    try_shape(IN_ORDER, *state);
}

static void fences_order_a_write_before_a_read(void **state)
{
    try_shape(NOT_NONE, *state);
}

static void no_read_sees_what_follows_from_it(void **state)
{
    try_shape(NOT_BOTH, *state);
}

static void all_harts_see_writes_in_one_order(void **state)
{
    try_shape(IRIW, *state);
}

/* In round 5 the harts read `a` and `b`; in all others what comes if there are no races. */
static void plant(struct rv64_memory *mem, const uint64_t a[2], const uint64_t b[2], bool counts)
{
    for (unsigned h = 0; h < MOST_HARTS; h++) {
        seen_t *seen = rv64_memory_at(mem, SEEN_AT(h), SEEN_SIZE, RV64_W);
        const uint64_t *planted = h % 2 == 0 ? a : b;
        for (unsigned r = 0; r < CHUNK; r++)
            for (int i = 0; i < 2; i++)
                seen[r][i] = r == 5 ? planted[i] : !counts ? h % 2 : r < 5 ? 0 : CHUNK;
    }
}

static void outcomes_are_counted(void **state)
{
    (void)state;
    struct rv64_memory *mem = rv64_memory_create(GUEST_SIZE);
    assert_true(rv64_memory_map(mem, SHARED, GUEST_SIZE - SHARED, RV64_R | RV64_W));
    static const uint64_t none[2] = {0, 0}, both[2] = {1, 1}, falls[2] = {7, 6}, grows[2] = {6, 7};
    plant(mem, falls, falls, true); /* hart 2: x is 7, y is 6; hart 3: y is 7, x is 6 */
    assert_int_equal(count_outcomes(IN_ORDER, mem), 1);
    assert_int_equal(count_outcomes(IRIW, mem), 1);
    plant(mem, grows, grows, true);
    assert_int_equal(count_outcomes(IN_ORDER, mem), 0);
    assert_int_equal(count_outcomes(IRIW, mem), 0);
    plant(mem, none, none, false);
    assert_int_equal(count_outcomes(NOT_NONE, mem), 1);
    assert_int_equal(count_outcomes(NOT_BOTH, mem), 0);
    plant(mem, both, both, false);
    assert_int_equal(count_outcomes(NOT_NONE, mem), 0);
    assert_int_equal(count_outcomes(NOT_BOTH, mem), 1);
    plant(mem, none, both, false);
    assert_int_equal(count_outcomes(NOT_NONE, mem), 0);
    assert_int_equal(count_outcomes(NOT_BOTH, mem), 0);
    rv64_memory_destroy(mem);
}

static enum jit_mode interpreted = JIT_OFF, translated = JIT_SYNC;

#define LITMUS(test, how)                                                                          \
    {                                                                                              \
#test ", " #how, test, NULL, NULL, &how                                                    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_are_counted),
        LITMUS(reads_see_writes_in_order, interpreted),
        LITMUS(reads_see_writes_in_order, translated),
        LITMUS(fences_order_a_write_before_a_read, interpreted),
        LITMUS(fences_order_a_write_before_a_read, translated),
        LITMUS(no_read_sees_what_follows_from_it, interpreted),
        LITMUS(no_read_sees_what_follows_from_it, translated),
        LITMUS(all_harts_see_writes_in_one_order, interpreted),
        LITMUS(all_harts_see_writes_in_one_order, translated),
    };
    return cmocka_run_group_tests_name("rv64_litmus", tests, NULL, NULL);
}
