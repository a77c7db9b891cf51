/* jit: code that is translated as one region: blocks, and copies of functions that they call. */
#include "engine/jit/region.h"
#include "rv64_guest.h"
#include "rv64_translations.h"
#include "rv64_words.h"

enum {
    LUI = 0x37,
    JAL = 0x6f,
    JALR = 0x67,
    BEQ = 0x63,
    BNE = 0x1063,
    BLT = 0x4063,
    XOR_I = 0x4013,
    AND_I = 0x7013,
    SLLI = 0x1013,
    ADD = 0x33,
    T0 = 5
};

static uint32_t j_type(uint32_t rd, int32_t by)
{
    const uint32_t u = (uint32_t)by;
    return JAL | rd << 7 | (u >> 20 & 1) << 31 | (u >> 1 & 0x3ff) << 21 | (u >> 11 & 1) << 20 |
           (u >> 12 & 0xff) << 12;
}

static const uint32_t ret = JALR | RA << 15;

/* Runs the words, so that their blocks have run and indirect jumps are noted, and finds the region at `pc`. */
static struct jit_region find_at(struct guest *g, const uint32_t *words, size_t count, uint64_t pc,
                                 uint32_t warm)
{
    static const struct rv64_translator idle = {.heat = UINT32_MAX};
    struct jit_region region;
    struct rv64_hart hart = {.pc = CODE, .x[SP] = DATA + 1024, .x[A0] = 3};
    rv64_core_set_translator(g->core[0], &idle);
    guest_store(g, CODE, words, count * sizeof *words);
    (void)guest_run(g, &hart, 1000);
    pthread_mutex_lock(&g->core[0]->lock);
    assert_true(jit_region_find(g->core[0], pc, hart.x, warm, &region));
    pthread_mutex_unlock(&g->core[0]->lock);
    return region;
}

static struct jit_region find(struct guest *g, const uint32_t *words, size_t count)
{
    return find_at(g, words, count, CODE, 0);
}

static const struct jit_block *block_of(const struct jit_region *r, uint64_t pc, uint32_t copy)
{
    for (uint32_t i = 0; i < r->block_count; i++)
        if (r->blocks[i].pc == pc && r->blocks[i].copy == copy)
            return &r->blocks[i];
    fail_msg("no block at %#llx in copy %u", (unsigned long long)pc, copy);
    return NULL;
}

static void the_region_of_a_loop_has_what_leads_back_to_its_head(void **state)
{
    struct jit_region r = find(*state,
                               (const uint32_t[]){
                                   i_type(ADDI, A0, A0, 0u - 1),
                                   b_type(BEQ, A1, 0, 8),
                                   j_type(0, 12), /* 8: out of the loop */
                                   b_type(BNE, A0, 0, -12),
                                   EBREAK,
                                   i_type(ADDI, A1, A1, 1),
                                   EBREAK,
                               },
                               7);
    assert_int_equal(r.block_count, 2);
    assert_int_equal(r.insn_count, 3);
    assert_int_equal(r.blocks[0].next, -1);
    assert_int_equal(r.blocks[r.blocks[0].taken].pc, CODE + 12);
    assert_int_equal(r.blocks[1].taken, 0);
    assert_int_equal(r.blocks[1].next, -1);
    assert_int_equal(r.insns[r.blocks[1].first].pc, CODE + 12);
    jit_region_free(&r);
}

/* The outer loop begins with the first instruction and is repeated twice, the inner one with the third. */
static void the_region_of_a_loop_has_the_loop_around_it_if_that_is_warm(void **state)
{
    const uint32_t words[] = {
        i_type(ADDI, A0, A0, 0u - 1), i_type(ADDI, A1, 0, 2),  i_type(ADDI, A1, A1, 0u - 1),
        b_type(BNE, A1, 0, -4),       b_type(BNE, A0, 0, -16), EBREAK,
    };
    struct jit_region r = find_at(*state, words, 6, CODE + 8, 3);
    assert_int_equal(r.block_count, 1);
    assert_int_equal(r.blocks[0].taken, 0);
    assert_int_equal(r.blocks[0].next, -1);
    jit_region_free(&r);

    r = find_at(*state, words, 6, CODE + 8, 2);
    assert_int_equal(r.block_count, 3);
    assert_int_equal(block_of(&r, CODE + 16, 0)->next, -1); /* out of both */
    assert_int_equal(r.blocks[block_of(&r, CODE + 16, 0)->taken].pc, CODE);
    jit_region_free(&r);
}

/* The loops at 8 and at 16 are one after the other, in a loop that begins with the first instruction. */
static void the_region_of_a_loop_has_no_loop_that_it_does_not_lead_to(void **state)
{
    const uint32_t words[] = {
        i_type(ADDI, A0, A0, 0u - 1), i_type(ADDI, A1, 0, 20), i_type(ADDI, A1, A1, 0u - 1),
        b_type(BNE, A1, 0, -4),       i_type(ADDI, A2, A2, 1), i_type(AND_I, A1, A2, 3),
        b_type(BNE, A1, 0, -8),       b_type(BNE, A0, 0, -28), EBREAK,
    };
    struct jit_region r = find_at(*state, words, 9, CODE + 16, 3);
    assert_int_equal(r.block_count, 1);
    assert_int_equal(r.insn_count, 3);
    assert_int_equal(r.blocks[0].taken, 0);
    jit_region_free(&r);
}

static void the_region_of_a_function_has_all_that_it_jumps_to(void **state)
{
    struct jit_region r = find(*state,
                               (const uint32_t[]){
                                   i_type(ADDI, A1, A0, 0),
                                   b_type(BEQ, A1, 0, 12),
                                   i_type(ADDI, A1, A1, 0u - 1), /* 8: */
                                   b_type(BNE, A1, 0, -4),
                                   i_type(ADDI, A0, A0, 1),
                                   ret,
                               },
                               6);
    assert_int_equal(r.block_count, 3);
    (void)block_of(&r, CODE + 8, 0);
    (void)block_of(&r, CODE + 16, 0);
    jit_region_free(&r);
}

static void each_call_of_a_small_function_has_a_copy(void **state)
{
    struct jit_region r = find(*state,
                               (const uint32_t[]){
                                   j_type(RA, 12),
                                   j_type(RA, 8),
                                   EBREAK,
                                   i_type(ADDI, A0, A0, 1),
                                   ret,
                               },
                               5);
    assert_int_equal(r.copy_count, 2);
    for (uint32_t copy = 1; copy <= 2; copy++) {
        const struct jit_block *call = block_of(&r, CODE + 4 * (copy - 1), 0),
                               *called = block_of(&r, CODE + 12, copy);
        assert_int_equal(call->end, JIT_END_INLINE);
        assert_ptr_equal(&r.blocks[call->taken], called);
        assert_int_equal(called->end, JIT_END_RETURN);
        assert_int_equal(called->next_pc, CODE + 4 * copy);
        assert_ptr_equal(&r.blocks[called->next], block_of(&r, CODE + 4 * copy, 0));
    }
    jit_region_free(&r);
}

static void a_copy_has_copies_of_what_it_calls(void **state)
{
    struct jit_region r = find(*state,
                               (const uint32_t[]){
                                   j_type(RA, 8),
                                   EBREAK,
                                   i_type(ADDI, T0, RA, 0), /* 8: outer */
                                   j_type(RA, 12),
                                   i_type(ADDI, RA, T0, 0),
                                   ret,
                                   i_type(ADDI, A0, A0, 1), /* 24: inner */
                                   ret,
                               },
                               8);
    assert_int_equal(r.copy_count, 2);
    assert_int_equal(r.copies[2].outer, 1);
    assert_int_equal(r.copies[2].return_pc, CODE + 16);
    assert_int_equal(block_of(&r, CODE + 24, 2)->next_pc, CODE + 16);
    assert_int_equal(block_of(&r, CODE + 16, 1)->next_pc, CODE + 4);
    jit_region_free(&r);
}

static void a_function_that_calls_itself_has_one_copy(void **state)
{
    struct jit_region r = find(*state,
                               (const uint32_t[]){
                                   j_type(RA, 8),
                                   EBREAK,
                                   b_type(BEQ, A0, 0, 28), /* 8: */
                                   i_type(ADDI, SP, SP, 0u - 8),
                                   s_type(SD, RA, SP, 0),
                                   i_type(ADDI, A0, A0, 0u - 1),
                                   j_type(RA, -16),
                                   i_type(LD, RA, SP, 0),
                                   i_type(ADDI, SP, SP, 8),
                                   ret,
                               },
                               10);
    assert_int_equal(r.copy_count, 1);
    assert_int_equal(block_of(&r, CODE + 12, 1)->end, JIT_END_CALL);
    jit_region_free(&r);
}

/* Calls `count` functions in turn by a register, at CODE + INDIRECT; each ends with a jump by a register. */
enum { INDIRECT = 16, FUNCTIONS_AT = 36, FUNCTION_SIZE = 12 };
static size_t put_indirect_calls(uint32_t *words, unsigned count)
{
    const uint32_t begin[] = {
        LUI | A1 << 7 | (uint32_t)CODE,
        i_type(ADDI, A2, A1, FUNCTIONS_AT + FUNCTION_SIZE * count), /* an end of all */
        i_type(ADDI, A1, A1, FUNCTIONS_AT),
        i_type(ADDI, A0, 0, count),
        i_type(JALR, RA, A1, 0), /* INDIRECT: */
        i_type(ADDI, A1, A1, FUNCTION_SIZE),
        i_type(ADDI, A0, A0, 0u - 1),
        b_type(BNE, A0, 0, -12),
        EBREAK,
    };
    size_t at = sizeof begin / sizeof *begin;
    memcpy(words, begin, sizeof begin);
    for (unsigned i = 0; i < count; i++) {
        words[at++] = i_type(ADDI, A3, A3, i);
        words[at++] = i_type(XOR_I, A3, A3, 1);
        words[at++] = JALR | A2 << 15;
    }
    words[at++] = ret;
    return at;
}

static void what_an_indirect_call_has_called_is_copied(void **state)
{
    enum { COUNT = 3 };
    uint32_t words[64];
    struct jit_region r = find(*state, words, put_indirect_calls(words, COUNT));
    const struct jit_block *call = block_of(&r, CODE + INDIRECT, 0);
    assert_int_equal(call->end, JIT_END_JALR); /* others are called */
    assert_int_equal(r.blocks[call->next].pc, CODE + INDIRECT + 4);
    assert_int_equal(call->target_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct jit_block *called = &r.blocks[r.targets[call->target + i]], *end;
        assert_true(called->copy != 0);
        assert_int_equal(r.copies[called->copy].pc, called->pc);
        assert_int_equal(called->end, JIT_END_JALR);
        assert_int_equal(called->target_count, 1);
        end = &r.blocks[r.targets[called->target]];
        assert_int_equal(end->copy, called->copy);
        assert_int_equal(end->end, JIT_END_RETURN);
        assert_int_equal(end->next, call->next);
    }
    jit_region_free(&r);
}

static void an_indirect_call_of_many_functions_has_no_copies(void **state)
{
    uint32_t words[64];
    struct jit_region r = find(*state, words, put_indirect_calls(words, 5));
    assert_int_equal(block_of(&r, CODE + INDIRECT, 0)->target_count, 0);
    assert_int_equal(r.copy_count, 0);
    jit_region_free(&r);
}

static void others_stay_calls(void **state)
{
    enum { LONG = 100 };
    static uint32_t words[LONG + 8];
    const struct {
        const char *what;
        uint32_t first, at[4];
    } cases[] = {
        {"never run", b_type(BEQ, 0, 0, 8), {i_type(ADDI, A0, A0, 1), ret}},
        {"another link", j_type(T0, 12), {JALR | T0 << 15}},
        {"no return", j_type(RA, 12), {j_type(0, -4)}},
        {"an indirect jump", j_type(RA, 12), {JALR | A1 << 15}},
        {"leaves", j_type(RA, 12), {ECALL, ret}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t code[] = {cases[i].first, j_type(RA, 8), EBREAK, cases[i].at[0],
                                 cases[i].at[1]};
        struct jit_region r = find(*state, code, 5);
        if (r.copy_count != 0)
            fail_msg("%s", cases[i].what);
        jit_region_free(&r);
    }
    words[0] = j_type(RA, 8);
    words[1] = EBREAK;
    for (size_t i = 2; i < LONG; i++)
        words[i] = i_type(ADDI, A0, A0, 1);
    words[LONG] = ret;
    struct jit_region r = find(*state, words, LONG + 1);
    assert_int_equal(r.copy_count, 0);
    assert_int_equal(r.blocks[0].end, JIT_END_CALL);
    assert_in_range(r.insn_count, 1, 10); /* what was read for a copy is given back */
    jit_region_free(&r);
}

static void a_large_function_that_calls_nothing_is_copied_into_a_loop(void **state)
{
    enum { BEGIN = 4, LONG = 100 };
    const struct {
        uint32_t back, call; /* the last instruction but one of the first block; in the function */
        uint32_t copies;
    } cases[] = {
        {b_type(BNE, A0, 0, -8), i_type(ADDI, A0, A0, 0u - 1), 1},
        {i_type(ADDI, A1, A1, 1), i_type(ADDI, A0, A0, 0u - 1), 0},
        {b_type(BNE, A0, 0, -8), j_type(RA, 4), 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint32_t words[BEGIN + LONG + 1] = {j_type(RA, 4 * BEGIN), i_type(ADDI, A2, A2, 1),
                                            cases[k].back, EBREAK, cases[k].call};
        for (size_t i = BEGIN + 1; i < BEGIN + LONG; i++)
            words[i] = i_type(ADDI, A3, A3, 1);
        words[BEGIN + LONG] = ret;
        struct jit_region r = find(*state, words, BEGIN + LONG + 1);
        if (r.copy_count != cases[k].copies)
            fail_msg("case %zu: %u copies", k, r.copy_count);
        jit_region_free(&r);
    }
}

/* Runs the words with each budget; they load from A0 on. */
static void run_with_budgets(struct guest *g, const uint32_t *words, size_t size)
{
    static struct rv64_translator eager;
    guest_store(g, CODE, words, size);
    if (g->core[0]->translator != NULL) {
        eager = *g->core[0]->translator;
        eager.heat = 4;
        rv64_core_set_translator(g->core[0], &eager);
    }
    for (uint64_t budget = 400; budget > 0; budget--)
        for (unsigned from = 0; from < 2; from++) {
            struct rv64_hart hart = {.pc = CODE, .x[A0] = from ? DATA : DATA + DATA_SIZE - 240};
            (void)guest_run(g, &hart, budget);
        }
    assert_true(guest_mode == JIT_OFF || count_translations(g->core[0]) > 1);
}

/* A return that leads elsewhere, a fault, and the end of the budget, each within a copy. */
static void copies_run_as_their_functions(void **state)
{
    const uint32_t words[] = {
        i_type(ADDI, S0, 0, 40),
        j_type(RA, 24), /* 4: */
        i_type(ADDI, A1, A1, 1),
        i_type(ADDI, A1, A1, 2),
        i_type(ADDI, S0, S0, 0u - 1),
        b_type(BNE, S0, 0, -16),
        EBREAK,
        i_type(ADDI, A2, S0, 0u - 20), /* 28: */
        b_type(BNE, A2, 0, 8),
        i_type(ADDI, RA, RA, 4), /* 36: the return is past one instruction */
        i_type(LD, A3, A0, 0),
        i_type(ADDI, A0, A0, 8),
        ret,
    };
    run_with_budgets(*state, words, sizeof words);
}

/* The same, where the function is one of two; in the end it is another one; there is no copy of that. */
static void copies_of_what_is_called_by_a_pointer_run_as_it(void **state)
{
    const uint32_t words[] = {
        i_type(ADDI, S0, 0, 40),
        LUI | S1 << 7 | (uint32_t)CODE,
        i_type(ADDI, A1, 0, 2), /* 8: */
        i_type(ADDI, A2, S0, 0u - 5),
        b_type(BLT, A2, 0, 8), /* the last turns call the third one */
        i_type(AND_I, A1, S0, 1),
        i_type(SLLI, A1, A1, 4), /* 24: */
        ADD | A1 << 7 | A1 << 15 | S1 << 20,
        i_type(JALR, RA, A1, 56),
        i_type(ADDI, A1, A2, 1),
        i_type(ADDI, A2, A2, 2),
        i_type(ADDI, S0, S0, 0u - 1),
        b_type(BNE, S0, 0, -40),
        EBREAK,
        i_type(LD, A3, A0, 0), /* 56: */
        i_type(ADDI, A0, A0, 16),
        i_type(ADDI, A3, A3, 7),
        ret,
        b_type(BNE, A2, 0, 8),   /* 72: */
        i_type(ADDI, RA, RA, 4), /* the return is past one instruction */
        i_type(ADDI, A3, A3, 5),
        ret,
        i_type(ADDI, A3, A3, 9), /* 88: */
        ret,
    };
    run_with_budgets(*state, words, sizeof words);
}

int main(void)
{
    const struct CMUnitTest regions[] = {
        GUEST_TEST(the_region_of_a_loop_has_what_leads_back_to_its_head),
        GUEST_TEST(the_region_of_a_loop_has_the_loop_around_it_if_that_is_warm),
        GUEST_TEST(the_region_of_a_loop_has_no_loop_that_it_does_not_lead_to),
        GUEST_TEST(the_region_of_a_function_has_all_that_it_jumps_to),
        GUEST_TEST(each_call_of_a_small_function_has_a_copy),
        GUEST_TEST(a_copy_has_copies_of_what_it_calls),
        GUEST_TEST(a_function_that_calls_itself_has_one_copy),
        GUEST_TEST(what_an_indirect_call_has_called_is_copied),
        GUEST_TEST(an_indirect_call_of_many_functions_has_no_copies),
        GUEST_TEST(others_stay_calls),
        GUEST_TEST(a_large_function_that_calls_nothing_is_copied_into_a_loop),
    };
    const struct CMUnitTest runs[] = {GUEST_TEST(copies_run_as_their_functions),
                                      GUEST_TEST(copies_of_what_is_called_by_a_pointer_run_as_it)};
    return cmocka_run_group_tests_name("jit_region", regions, NULL, NULL) != 0 ||
           RUN_GUEST_TESTS("jit_region, run", runs);
}
