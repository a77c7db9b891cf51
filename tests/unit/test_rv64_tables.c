/* jit: jumps by tables of addresses, as compilers make them of a switch. */
#include "engine/jit/region.h"
#include "rv64_guest.h"
#include "rv64_translations.h"
#include "rv64_words.h"

enum { T0 = 5, T1 = 6, T2 = 7 };
enum { JR = 0x67, BNE = 0x1063, SLLI = 0x1013, ADD = 0x33, SH3ADD = 0x20006033, LUI = 0x37 };
enum { CASES = 4, FIRST_CASE = 7, CASE_WORDS = 4, WORDS = FIRST_CASE + CASES * CASE_WORDS };
enum { NUMBERS = 96, SEEN_AT_ONCE = 24 };

static uint32_t r_type(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint64_t case_at(uint64_t i)
{
    return CODE + 4 * (FIRST_CASE + i * CASE_WORDS);
}

/* A loop of A2 turns. Each turn jumps to the case of the next number at S0. A load that may fault
 * follows the load of the entry. Case 2 advances S1. */
static void make_code(uint32_t words[WORDS])
{
    const uint32_t head[FIRST_CASE] = {
        i_type(LD, A0, S0, 0),   i_type(ADDI, S0, S0, 8), i_type(SLLI, T0, A0, 3),
        r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0),   i_type(LD, T2, S1, 0),
        i_type(JR, 0, T1, 0),
    };
    memcpy(words, head, sizeof head);
    for (uint32_t i = 0; i < CASES; i++) {
        uint32_t *const at = &words[FIRST_CASE + i * CASE_WORDS];
        at[0] = i_type(ADDI, i == 2 ? S1 : A3, i == 2 ? S1 : A3, i == 2 ? 8 : 1u << i);
        at[1] = i_type(ADDI, A2, A2, 0u - 1);
        at[2] = b_type(BNE, A2, 0, -4 * (int)(FIRST_CASE + i * CASE_WORDS + 2));
        at[3] = EBREAK;
    }
}

static void make_table(struct guest *g, uint64_t address)
{
    for (uint64_t i = 0; i < CASES; i++)
        guest_store64(g, address + 8 * i, case_at(i));
}

/* Code and table are there, and a loop that goes to the cases 0 to 2 is translated. */
static void prepare(struct guest *g)
{
    static struct rv64_translator eager;
    uint32_t words[WORDS];
    make_code(words);
    guest_store(g, CODE, words, sizeof words);
    make_table(g, READ_ONLY);
    if (g->core[0]->translator != NULL) {
        eager = *g->core[0]->translator;
        eager.heat = SEEN_AT_ONCE;
        rv64_core_set_translator(g->core[0], &eager);
    }
    for (uint64_t i = 0; i < NUMBERS; i++)
        guest_store64(g, DATA + 8 * i, i % 3);
}

static struct rv64_hart hart_at(uint64_t base)
{
    return (struct rv64_hart){
        .pc = CODE, .x[S0] = DATA, .x[S1] = DATA + 2048, .x[A1] = base, .x[A2] = NUMBERS};
}

static void run(struct guest *g, uint64_t base, enum rv64_stop expected)
{
    struct rv64_hart hart = hart_at(base);
    assert_int_equal(guest_run(g, &hart, 10000), expected);
}

static struct jit_region find(struct guest *g, uint64_t base)
{
    struct jit_region region;
    const struct rv64_hart hart = hart_at(base);
    pthread_mutex_lock(&g->core[0]->lock);
    assert_true(jit_region_find(g->core[0], CODE, hart.x, 0, &region));
    pthread_mutex_unlock(&g->core[0]->lock);
    return region;
}

static uint32_t count_tables(struct guest *g, uint64_t base)
{
    struct jit_region region = find(g, base);
    const uint32_t count = region.table_count;
    jit_region_free(&region);
    return count;
}

/* ---- Which tables there are ---- */

static void a_table_is_found_by_its_instructions(void **state)
{
    struct guest *g = *state;
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    struct jit_region r = find(g, READ_ONLY);
    assert_int_equal(r.table_count, g->core[0]->translator != NULL);
    const struct jit_table *const t = &r.tables[1];
    if (r.table_count == 1) {
        assert_int_equal(r.blocks[0].table, 1);
        assert_int_equal(t->base, READ_ONLY);
        assert_int_equal(t->address, READ_ONLY);
        assert_int_equal(t->entry_count, 3); /* up to the last case that a turn has taken */
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(r.blocks[r.targets[t->entry + i]].pc, case_at(i));
    }
    jit_region_free(&r);
}

static void some_tables_are_none(void **state)
{
    struct guest *g = *state;
    const struct {
        const char *what;
        uint32_t word[3]; /* from the third of the code on */
        uint64_t base;
        uint32_t tables;
    } cases[] = {
        {"one instruction", {NOP, r_type(SH3ADD, T0, A0, A1), i_type(LD, T1, T0, 0)}, 0, 1},
        {"a sum the other way round",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, A1, T0), i_type(LD, T1, T0, 0)},
         0,
         1},
        {"an offset",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0u - 8)},
         8,
         1},
        {"another scale",
         {i_type(SLLI, T0, A0, 2), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0)},
         0,
         0},
        {"twice the index",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, T0), i_type(LD, T1, T0, 0)},
         0,
         0},
        {"no index", {i_type(ADDI, T0, A1, 8), NOP, i_type(LD, T1, T0, 0)}, 0, 0},
        {"a base that is not aligned",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0)},
         1,
         0},
        {"memory that may be written",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0)},
         DATA + 4096 - READ_ONLY,
         0},
        {"memory that is none",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0)},
         UNMAPPED - READ_ONLY,
         0},
        {"memory far away",
         {i_type(SLLI, T0, A0, 3), r_type(ADD, T0, T0, A1), i_type(LD, T1, T0, 0)},
         UINT64_C(1) << 63,
         0},
    };
    prepare(g);
    make_table(g, DATA + 4096);
    if (g->core[0]->translator == NULL)
        return; /* nothing notes where jumps lead */
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* Written without the core's knowledge, so that the core still has the old targets of the
         * jump. */
        memcpy(rv64_memory_at(g->mem[0], CODE + 8, sizeof cases[i].word, RV64_R), cases[i].word,
               sizeof cases[i].word);
        if (count_tables(g, READ_ONLY + cases[i].base) != cases[i].tables)
            fail_msg("%s", cases[i].what);
    }
}

/* ---- What they do ---- */

static void a_jump_by_a_table_ends_anywhere(void **state)
{
    struct guest *g = *state;
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (uint64_t budget = 1; budget < 400; budget++) {
        struct rv64_hart hart = hart_at(READ_ONLY);
        (void)guest_run(g, &hart, budget);
        (void)guest_run(g, &hart, 10000);
    }
    assert_true(guest_mode == JIT_OFF || count_translations(g->core[0]) != 0);
}

static void other_entries_are_what_they_are(void **state)
{
    struct guest *g = *state;
    const struct {
        uint64_t number;
        enum rv64_stop why;
    } cases[] = {
        {3, RV64_STOP_EBREAK}, /* never taken before */
        {3, RV64_STOP_EBREAK},
        {4, RV64_STOP_FAULT},
        {4096, RV64_STOP_FAULT},
        {UINT64_C(1) << 61, RV64_STOP_EBREAK}, /* its product with 8 is 0 */
        {UINT64_C(1) << 61 | 2, RV64_STOP_EBREAK},
        {UINT64_MAX, RV64_STOP_FAULT},
        {UINT64_C(1) << 32, RV64_STOP_FAULT},
    };
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t at = 0; at < NUMBERS; at += 19) {
            guest_store64(g, DATA + 8 * at, cases[i].number);
            run(g, READ_ONLY, cases[i].why);
            guest_store64(g, DATA + 8 * at, 1);
        }
}

static void another_table_has_its_own_entries(void **state)
{
    struct guest *g = *state;
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (uint64_t i = 0; i < CASES; i++)
        guest_store64(g, DATA + 4096 + 8 * i, case_at(CASES - 1 - i));
    run(g, DATA + 4096, RV64_STOP_EBREAK);
    run(g, DATA + 4097, RV64_STOP_FAULT); /* entries of two halves */
    run(g, UNMAPPED, RV64_STOP_FAULT);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
}

/* S1 leaves its page after some turns. At that fault the register of the entry is exact. */
static void a_fault_behind_the_entry_is_exact(void **state)
{
    struct guest *g = *state;
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (uint64_t before = 0; before < 30; before++) {
        struct rv64_hart hart = hart_at(READ_ONLY);
        hart.x[S1] = DATA + DATA_SIZE - 8 * before;
        assert_int_equal(guest_run(g, &hart, 10000), RV64_STOP_FAULT);
        assert_int_equal(hart.pc, CODE + 20);
    }
}

static void a_table_that_changes_is_read_again(void **state)
{
    struct guest *g = *state;
    prepare(g);
    run(g, READ_ONLY, RV64_STOP_EBREAK);
    for (uint64_t round = 0; round < 2 * CASES; round++) {
        guest_store64(g, READ_ONLY + 8 * (round % 3), case_at(round % CASES));
        run(g, READ_ONLY, RV64_STOP_EBREAK);
    }
    for (unsigned i = 0; i < 2; i++) /* from now on, anybody may write there */
        assert_true(rv64_memory_map(g->mem[i], READ_ONLY, RV64_PAGE, RV64_R | RV64_W));
    for (uint64_t round = 0; round < 2 * CASES; round++) {
        const uint64_t to = case_at(round % CASES);
        for (unsigned i = 0; i < 2; i++)
            memcpy(rv64_memory_at(g->mem[i], READ_ONLY, 8, RV64_W), &to, sizeof to);
        run(g, READ_ONLY, RV64_STOP_EBREAK);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], READ_ONLY, RV64_PAGE, 0));
    run(g, READ_ONLY, RV64_STOP_FAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(a_table_is_found_by_its_instructions),
        GUEST_TEST(some_tables_are_none),
        GUEST_TEST(a_jump_by_a_table_ends_anywhere),
        GUEST_TEST(other_entries_are_what_they_are),
        GUEST_TEST(another_table_has_its_own_entries),
        GUEST_TEST(a_fault_behind_the_entry_is_exact),
        GUEST_TEST(a_table_that_changes_is_read_again),
    };
    return RUN_GUEST_TESTS("rv64_tables", tests);
}
