/* rv64: reasons and places where a run ends, budgets, counters, code that changes. */
#include <pthread.h>

#include "rv64_guest.h"

enum {
    ADDI_A0_1 = 0x00150513,  /* addi a0, a0, 1 */
    ADDI_A0_2 = 0x00250513,  /* addi a0, a0, 2 */
    J_BACK_4 = 0xffdff06f,   /* j -4 */
    J_BACK_8 = 0xff9ff06f,   /* j -8 */
    RET = 0x00008067,        /* ret */
    FENCE_I = 0x0000100f,    /* fence.i */
    RDCYCLE_A1 = 0xc00025f3, /* rdcycle a1 */
    RDINSTRET_A1 = 0xc02025f3,
    RDTIME_A1 = 0xc01025f3,
    RDINSTRET_A2 = 0xc0202673,
    CSRRC_A1 = 0xc00035f3, /* csrrc a1, cycle, zero */
    CSRRSI_A1 = 0xc00065f3,
    CSRRCI_A1 = 0xc00075f3,
};

static void execute(void **state, struct rv64_hart *hart, enum rv64_stop want,
                    const uint32_t *words, size_t count)
{
    assert_int_equal(guest_execute(*state, hart, words, count), want);
}
#define EXECUTE(hart, want, ...)                                                                   \
    execute(state, &(hart), want, (const uint32_t[]){__VA_ARGS__},                                 \
            sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* ---- Stops ---- */

static void ecall_stops_behind_itself_and_does_not_count(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_ECALL, ADDI_A0_1, ECALL, ADDI_A0_2, EBREAK);
    assert_int_equal(hart.pc, CODE + 8);
    assert_int_equal(hart.instret, 1);
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_EBREAK);
    assert_int_equal(hart.x[A0], 3);
    assert_int_equal(hart.instret, 2);
}

static void ebreak_stops_on_itself_again_and_again(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, ADDI_A0_1, EBREAK);
    assert_int_equal(hart.pc, CODE + 4);
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_EBREAK);
    assert_int_equal(hart.pc, CODE + 4);
    assert_int_equal(hart.instret, 1);
}

static void fetch_outside_of_executable_memory_faults(void **state)
{
    static const uint64_t places[] = {0,
                                      UNMAPPED,
                                      DATA,
                                      READ_ONLY,
                                      MEMORY_SIZE,
                                      CODE + CODE_SIZE,
                                      UINT64_C(1) << 32,
                                      UINT64_C(-4),
                                      (UINT64_C(1) << 32) + CODE};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct rv64_hart hart = {.pc = places[i]};
        assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_FAULT);
        assert_int_equal(hart.fault, RV64_FAULT_FETCH);
        assert_int_equal(hart.fault_address, places[i]);
        assert_int_equal(hart.pc, places[i]);
    }
}

static void fetch_at_an_odd_address_faults(void **state)
{
    struct rv64_hart hart = {.pc = CODE + 1};
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_FETCH);
    assert_int_equal(hart.fault_address, CODE + 1);
}

static void running_off_the_end_of_code_faults_there(void **state)
{
    uint64_t end = CODE + CODE_SIZE;
    struct rv64_hart hart = {.pc = end - 8};
    guest_store(*state, end - 8, (const uint32_t[]){ADDI_A0_1, ADDI_A0_1}, 8);
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.pc, end);
    assert_int_equal(hart.instret, 2);
}

static void an_instruction_half_outside_of_code_faults_at_that_half(void **state)
{
    uint64_t end = CODE + CODE_SIZE;
    struct rv64_hart hart = {.pc = end - 4};
    /* c.nop, then the first half of a word */
    guest_store(*state, end - 4, (const uint16_t[]){0x0001, ADDI_A0_1 & 0xffff}, 4);
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_FETCH);
    assert_int_equal(hart.pc, end - 2);
    assert_int_equal(hart.fault_address, end);
    assert_int_equal(hart.instret, 1);
}

static void an_instruction_across_two_pages_of_code_runs(void **state)
{
    uint64_t at = CODE + RV64_PAGE - 2;
    struct rv64_hart hart = {.pc = at};
    guest_store(*state, at, (const uint32_t[]){ADDI_A0_1, EBREAK}, 8);
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_EBREAK);
    assert_int_equal(hart.x[A0], 1);
}

static void a_run_clears_the_fault_of_the_last(void **state)
{
    struct rv64_hart hart = {.pc = UNMAPPED};
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_FAULT);
    EXECUTE(hart, RV64_STOP_EBREAK, EBREAK);
    assert_int_equal(hart.fault, RV64_FAULT_NONE);
}

static void faults_have_names(void **state)
{
    (void)state;
    assert_string_equal(rv64_fault_name(RV64_FAULT_STORE), "store access fault");
    assert_string_equal(rv64_fault_name(RV64_FAULT_MISALIGNED_LOAD), "misaligned load");
    assert_string_equal(rv64_fault_name((enum rv64_fault)99), "unknown fault");
}

/* ---- Budget ---- */

static void a_budget_of_nothing_runs_nothing(void **state)
{
    struct rv64_hart hart = {.pc = CODE};
    guest_store(*state, CODE, (const uint32_t[]){ADDI_A0_1, J_BACK_4}, 8);
    assert_int_equal(guest_run(*state, &hart, 0), RV64_STOP_BUDGET);
    assert_int_equal(hart.instret, 0);
    assert_int_equal(hart.pc, CODE);
}

static void an_endless_loop_stops_near_its_budget_and_goes_on(void **state)
{
    struct rv64_hart hart = {.pc = CODE};
    guest_store(*state, CODE, (const uint32_t[]){ADDI_A0_1, ADDI_A0_2, J_BACK_8}, 12);
    for (uint64_t turn = 1; turn <= 50; turn++) {
        uint64_t before = hart.instret;
        assert_int_equal(guest_run(*state, &hart, 100), RV64_STOP_BUDGET);
        assert_in_range(hart.instret - before, 100, 102);
    }
    assert_int_equal(hart.x[A0], hart.instret);
}

static void long_straight_code_runs_over_its_budget_by_no_more_than_a_block(void **state)
{
    uint32_t code[1500];
    struct rv64_hart hart = {0};
    for (size_t i = 0; i < 1499; i++)
        code[i] = ADDI_A0_1;
    code[1499] = EBREAK;
    assert_int_equal(guest_execute(*state, &hart, code, 1500), RV64_STOP_BUDGET);
    assert_in_range(hart.instret, 1000, 1063);
    assert_int_equal(hart.pc, CODE + 4 * hart.instret);
    assert_int_equal(guest_run(*state, &hart, 1000), RV64_STOP_EBREAK);
    assert_int_equal(hart.x[A0], 1499);
    assert_int_equal(hart.instret, 1499);
}

static void the_largest_budget_is_no_less(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {.pc = CODE};
    guest_store(g, CODE, (const uint32_t[]){ADDI_A0_1, EBREAK}, 8);
    assert_int_equal(rv64_run(g->core[0], &hart, UINT64_MAX), RV64_STOP_EBREAK);
    assert_int_equal(hart.instret, 1);
}

static void an_exact_run_is_interpreted_and_stops_at_its_budget(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {.pc = CODE};
    guest_store(g, CODE, (const uint32_t[]){ADDI_A0_1, ADDI_A0_2, J_BACK_8}, 12);
    assert_int_equal(guest_run(g, &hart, 1000), RV64_STOP_BUDGET); /* it is hot now */
    for (uint64_t budget = 0; budget <= 200; budget++) {
        const uint64_t before = hart.instret;
        assert_int_equal(rv64_interpret(g->core[0], &hart, budget), RV64_STOP_BUDGET);
        assert_int_equal(hart.instret - before, budget);
        assert_int_equal(hart.pc, CODE + 4 * (hart.instret % 3));
    }
}

static void an_exact_run_ends_before_what_does_not_retire_only_if_its_budget_does(void **state)
{
    struct guest *g = *state;
    guest_store(g, CODE, (const uint32_t[]){ADDI_A0_1, EBREAK}, 8);
    for (uint64_t budget = 0; budget <= 2; budget++) {
        struct rv64_hart hart = {.pc = CODE};
        assert_int_equal(rv64_interpret(g->core[0], &hart, budget),
                         budget == 2 ? RV64_STOP_EBREAK : RV64_STOP_BUDGET);
        assert_int_equal(hart.instret, budget == 0 ? 0 : 1);
        assert_int_equal(hart.pc, CODE + 4 * hart.instret);
    }
}

/* ---- Counters ---- */

static void counters_read_what_has_retired_before_them(void **state)
{
    struct rv64_hart hart = {.instret = 1000, .time = 123456789};
    EXECUTE(hart, RV64_STOP_EBREAK, NOP, RDCYCLE_A1, NOP, RDINSTRET_A2, RDTIME_A1 + (2 << 7),
            EBREAK);
    assert_int_equal(hart.x[A1], 1001);
    assert_int_equal(hart.x[A2], 1003);
    assert_int_equal(hart.x[A3], 123456789);
    assert_int_equal(hart.instret, 1005);
}

static void counters_go_on_over_blocks_and_runs(void **state)
{
    struct rv64_hart hart = {.pc = CODE};
    guest_store(*state, CODE, (const uint32_t[]){NOP, RDINSTRET_A1, J_BACK_8}, 12);
    for (int turn = 0; turn < 5; turn++)
        guest_run(*state, &hart, 30);
    assert_int_equal(hart.x[A1], hart.instret - 2);
}

static void counters_read_by_every_form_that_does_not_write(void **state)
{
    static const uint32_t forms[] = {RDCYCLE_A1, CSRRC_A1, CSRRSI_A1, CSRRCI_A1, RDINSTRET_A1};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct rv64_hart hart = {.instret = 7};
        EXECUTE(hart, RV64_STOP_EBREAK, forms[i], EBREAK);
        assert_int_equal(hart.x[A1], 7);
    }
}

/* ---- Code that changes ---- */

static void code_stored_anew_is_run_by_the_next_run(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, ADDI_A0_1, EBREAK);
    EXECUTE(hart, RV64_STOP_EBREAK, ADDI_A0_2, EBREAK);
    assert_int_equal(hart.x[A0], 3);
}

static void code_that_was_unmapped_is_not_run(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, ADDI_A0_1, EBREAK);
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], CODE, CODE_SIZE, 0));
    hart.pc = CODE;
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_FETCH);
}

static void code_made_unexecutable_is_not_run(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, ADDI_A0_1, EBREAK);
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], CODE, CODE_SIZE, RV64_R));
    hart.pc = CODE;
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_FETCH);
}

static void code_that_only_executes_cannot_be_read(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {.x[A1] = CODE};
    guest_store(g, CODE, (const uint32_t[]){0x0005a503 /* lw a0, 0(a1) */, EBREAK}, 8);
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], CODE, CODE_SIZE, RV64_X));
    hart.pc = CODE;
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_LOAD);
}

static void a_page_mapped_behind_a_block_is_run_into(void **state)
{
    struct guest *g = *state;
    uint64_t end = CODE + CODE_SIZE;
    struct rv64_hart hart = {.pc = end - 4};
    guest_store(g, end - 4, (const uint32_t[]){ADDI_A0_1}, 4);
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_FAULT);
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], end, RV64_PAGE, RV64_X));
    guest_store(g, end, (const uint32_t[]){ADDI_A0_2, EBREAK}, 8);
    hart.pc = end - 4;
    assert_int_equal(guest_run(g, &hart, 10), RV64_STOP_EBREAK);
    assert_int_equal(hart.x[A0], 1 + 1 + 2);
}

struct spinner {
    struct rv64_core *core;
    struct rv64_hart hart;
    enum rv64_stop why;
};

static void *spin(void *argument)
{
    struct spinner *s = argument;
    s->why = rv64_run(s->core, &s->hart, UINT64_MAX);
    return NULL;
}

/* The hart spins in one run that never ends by itself; FENCE.I is what lets it see the new code. */
static void fence_i_shows_new_code_to_a_run_under_way(void **state)
{
    struct guest *g = *state;
    struct spinner s = {.core = g->core[0], .hart = {.pc = CODE}};
    pthread_t thread;
    guest_store(g, CODE, (const uint32_t[]){FENCE_I, ADDI_A0_1, J_BACK_8}, 12);
    assert_int_equal(pthread_create(&thread, NULL, spin, &s), 0);
    guest_store(g, CODE + 8, (const uint32_t[]){EBREAK}, 4);
    pthread_join(thread, NULL);
    assert_int_equal(s.why, RV64_STOP_EBREAK);
    assert_int_equal(s.hart.pc, CODE + 8);
}

/* ---- Many blocks ---- */

static void more_blocks_than_a_cache_holds_run_right(void **state)
{
    enum { PAGES = 32 };
    (void)state;
    struct rv64_memory *mem = rv64_memory_create(MEMORY_SIZE);
    struct rv64_core *core = rv64_core_create(mem);
    static uint16_t code[PAGES * RV64_PAGE / 2];
    size_t count = sizeof code / sizeof *code;
    assert_true(rv64_memory_map(mem, CODE, sizeof code, RV64_X));
    for (size_t i = 0; i < count; i++)
        code[i] = 0x0505; /* c.addi a0, 1 */
    code[count - 1] = 0x9002;
    assert_true(rv64_memory_store(mem, CODE, code, sizeof code));
    for (size_t i = 0; i < count; i++) { /* a block from every halfword on */
        struct rv64_hart hart = {.pc = CODE + 2 * i};
        enum rv64_stop why = rv64_run(core, &hart, 64);
        uint64_t ran = count - 1 - i < 64 ? count - 1 - i : 64;
        assert_in_range(hart.x[A0], ran, 127);
        assert_int_equal(hart.x[A0], hart.instret);
        assert_int_equal(hart.pc, CODE + 2 * (i + hart.instret));
        assert_int_equal(why, i + hart.instret == count - 1 && hart.instret < 64
                                  ? RV64_STOP_EBREAK
                                  : RV64_STOP_BUDGET);
    }
    rv64_core_destroy(core);
    rv64_memory_destroy(mem);
}

static void calls_and_returns_from_several_places_come_back(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, 0x010000ef, /* jal ra, +16 */
            0x00c000ef,                         /* jal ra, +12 */
            0x008000ef,                         /* jal ra, +8 */
            EBREAK, ADDI_A0_1, RET);
    assert_int_equal(hart.x[A0], 3);
    assert_int_equal(hart.instret, 9);
}

/* ---- Pairs that the engine takes together ---- */

static void a_call_by_auipc_and_jalr_links_behind_it(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, 0x00000097 /* auipc ra, 0 */, 0x00c080e7 /* jalr ra, 12(ra) */,
            NOP, EBREAK);
    assert_int_equal(hart.pc, CODE + 12);
    assert_int_equal(hart.x[RA], CODE + 8);
    assert_int_equal(hart.instret, 2);
}

static void a_jump_by_auipc_and_jalr_keeps_its_base(void **state)
{
    struct rv64_hart hart = {0}, link = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, 0x00000317 /* auipc t1, 0 */,
            0x00d30067 /* jalr zero, 13(t1) */, NOP, EBREAK);
    assert_int_equal(hart.pc, CODE + 12);
    assert_int_equal(hart.x[6], CODE);
    assert_int_equal(hart.x[0], 0);
    EXECUTE(link, RV64_STOP_EBREAK, 0x00000097 /* auipc ra, 0 */, 0x00c08667 /* jalr a2, 12(ra) */,
            NOP, EBREAK);
    assert_int_equal(link.x[RA], CODE);
    assert_int_equal(link.x[A2], CODE + 8);
}

static void constants_in_two_instructions_are_whole(void **state)
{
    struct rv64_hart hart = {0};
    EXECUTE(hart, RV64_STOP_EBREAK, 0x80000537 /* lui a0, 0x80000 */,
            0xfff5051b /* addiw a0, a0, -1 */, EBREAK);
    assert_int_equal(hart.x[A0], 0x7fffffff);
    EXECUTE(hart, RV64_STOP_EBREAK, 0x12345537 /* lui a0, 0x12345 */,
            0x67850593 /* addi a1, a0, 0x678 */, 0x67850513 /* addi a0, a0, 0x678 */, EBREAK);
    assert_int_equal(hart.x[A0], 0x12345678);
    assert_int_equal(hart.x[A1], 0x12345678);
    assert_int_equal(hart.instret, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(ecall_stops_behind_itself_and_does_not_count),
        GUEST_TEST(ebreak_stops_on_itself_again_and_again),
        GUEST_TEST(fetch_outside_of_executable_memory_faults),
        GUEST_TEST(fetch_at_an_odd_address_faults),
        GUEST_TEST(running_off_the_end_of_code_faults_there),
        GUEST_TEST(an_instruction_half_outside_of_code_faults_at_that_half),
        GUEST_TEST(an_instruction_across_two_pages_of_code_runs),
        GUEST_TEST(a_run_clears_the_fault_of_the_last),
        GUEST_TEST(faults_have_names),
        GUEST_TEST(a_budget_of_nothing_runs_nothing),
        GUEST_TEST(an_endless_loop_stops_near_its_budget_and_goes_on),
        GUEST_TEST(long_straight_code_runs_over_its_budget_by_no_more_than_a_block),
        GUEST_TEST(the_largest_budget_is_no_less),
        GUEST_TEST(an_exact_run_is_interpreted_and_stops_at_its_budget),
        GUEST_TEST(an_exact_run_ends_before_what_does_not_retire_only_if_its_budget_does),
        GUEST_TEST(counters_read_what_has_retired_before_them),
        GUEST_TEST(counters_go_on_over_blocks_and_runs),
        GUEST_TEST(counters_read_by_every_form_that_does_not_write),
        GUEST_TEST(code_stored_anew_is_run_by_the_next_run),
        GUEST_TEST(code_that_was_unmapped_is_not_run),
        GUEST_TEST(code_made_unexecutable_is_not_run),
        GUEST_TEST(code_that_only_executes_cannot_be_read),
        GUEST_TEST(a_page_mapped_behind_a_block_is_run_into),
        GUEST_TEST(fence_i_shows_new_code_to_a_run_under_way),
        GUEST_TEST(more_blocks_than_a_cache_holds_run_right),
        GUEST_TEST(calls_and_returns_from_several_places_come_back),
        GUEST_TEST(a_call_by_auipc_and_jalr_links_behind_it),
        GUEST_TEST(a_jump_by_auipc_and_jalr_keeps_its_base),
        GUEST_TEST(constants_in_two_instructions_are_whole),
    };
    return RUN_GUEST_TESTS("rv64_run", tests);
}
