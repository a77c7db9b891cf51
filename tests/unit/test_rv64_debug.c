/* rv64: breakpoints and watches. */
#include "rv64_guest.h"

enum { ADDI_A0 = 0x00150513 /* addi a0, a0, 1 */, SD_A0 = 0x00a43023 /* sd a0, 0(s0) */ };
enum { LD_A1 = 0x00043583 /* ld a1, 0(s0) */, J_BACK = 0xff9ff06f /* j -8 */ };

static struct rv64_hart begin(struct guest *g, const uint32_t *words, size_t count)
{
    guest_store(g, CODE, words, count * sizeof *words);
    return (struct rv64_hart){.pc = CODE, .x[S0] = DATA};
}

static void a_breakpoint_stops_before_its_instruction_in_the_middle_of_a_block(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {ADDI_A0, ADDI_A0, ADDI_A0, EBREAK};
    struct rv64_hart hart = begin(g, code, 4);
    assert_true(rv64_core_break(g->core[0], CODE + 8, true));
    assert_int_equal(rv64_run(g->core[0], &hart, 100), RV64_STOP_BREAKPOINT);
    assert_int_equal(hart.pc, CODE + 8);
    assert_int_equal(hart.x[A0], 2);
    assert_int_equal(hart.instret, 2);
    assert_int_equal(rv64_run(g->core[0], &hart, 100), RV64_STOP_BREAKPOINT);
    assert_int_equal(hart.instret, 2);
    assert_int_equal(rv64_step(g->core[0], &hart), RV64_STOP_BUDGET);
    assert_int_equal(rv64_run(g->core[0], &hart, 100), RV64_STOP_EBREAK);
    assert_int_equal(hart.x[A0], 3);
}

static void a_breakpoint_that_is_taken_away_stops_no_more(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {ADDI_A0, ADDI_A0, EBREAK};
    struct rv64_hart hart = begin(g, code, 3);
    assert_true(rv64_core_break(g->core[0], CODE, true));
    assert_int_equal(rv64_run(g->core[0], &hart, 100), RV64_STOP_BREAKPOINT);
    assert_true(rv64_core_break(g->core[0], CODE, false));
    assert_int_equal(rv64_run(g->core[0], &hart, 100), RV64_STOP_EBREAK);
    assert_true(rv64_core_break(g->core[0], CODE, false)); /* again: nothing */
}

static void a_breakpoint_is_not_seen_in_memory(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {ADDI_A0, EBREAK};
    begin(g, code, 2);
    assert_true(rv64_core_break(g->core[0], CODE, true));
    assert_memory_equal(rv64_memory_at(g->mem[0], CODE, sizeof code, 0), code, sizeof code);
}

static void a_breakpoint_stops_a_loop_that_runs(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {ADDI_A0, NOP, J_BACK};
    struct rv64_hart hart = begin(g, code, 3);
    assert_int_equal(rv64_run(g->core[0], &hart, 300), RV64_STOP_BUDGET);
    assert_true(rv64_core_break(g->core[0], CODE + 4, true));
    assert_int_equal(rv64_run(g->core[0], &hart, 300), RV64_STOP_BREAKPOINT);
    assert_int_equal(hart.pc, CODE + 4);
}

static void there_are_so_many_breakpoints_and_no_more(void **state)
{
    struct guest *g = *state;
    for (uint64_t i = 0; i < RV64_BREAKS_MAX; i++)
        assert_true(rv64_core_break(g->core[0], CODE + 4 * i, true));
    assert_false(rv64_core_break(g->core[0], DATA, true));
    assert_true(rv64_core_break(g->core[0], CODE, true)); /* is there already */
}

static void watch(struct guest *g, struct rv64_watch w, enum rv64_stop want, uint64_t retired)
{
    const uint32_t code[] = {ADDI_A0, SD_A0, LD_A1, EBREAK};
    struct rv64_hart hart = begin(g, code, 4);
    size_t hit = 7;
    assert_int_equal(rv64_run_watched(g->core[0], &hart, 100, &w, 1, &hit), want);
    assert_int_equal(hart.instret, retired);
    assert_int_equal(hit, want == RV64_STOP_WATCH ? 0 : 7);
}

static void watches_stop_behind_the_access_that_touches_them(void **state)
{
    watch(*state, (struct rv64_watch){DATA, 8, RV64_W}, RV64_STOP_WATCH, 2);
    watch(*state, (struct rv64_watch){DATA, 8, RV64_R}, RV64_STOP_WATCH, 3);
    watch(*state, (struct rv64_watch){DATA, 8, RV64_R | RV64_W}, RV64_STOP_WATCH, 2);
    watch(*state, (struct rv64_watch){DATA + 7, 1, RV64_W}, RV64_STOP_WATCH, 2);
    watch(*state, (struct rv64_watch){DATA - 4, 8, RV64_W}, RV64_STOP_WATCH, 2);
    watch(*state, (struct rv64_watch){DATA + 8, 8, RV64_W | RV64_R}, RV64_STOP_EBREAK, 3);
    watch(*state, (struct rv64_watch){DATA - 8, 8, RV64_W | RV64_R}, RV64_STOP_EBREAK, 3);
    watch(*state, (struct rv64_watch){0, UINT64_MAX, RV64_W}, RV64_STOP_WATCH, 2);
}

static void a_watch_sees_atomics(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {0x00a4352f /* amoadd.d a0, a0, (s0) */, EBREAK};
    struct rv64_hart hart = begin(g, code, 2);
    const struct rv64_watch w = {DATA, 8, RV64_R};
    size_t hit;
    assert_int_equal(rv64_run_watched(g->core[0], &hart, 100, &w, 1, &hit), RV64_STOP_WATCH);
}

static void a_step_goes_over_a_breakpoint_and_tells_of_a_watch(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {ADDI_A0, SD_A0, EBREAK};
    struct rv64_hart hart = begin(g, code, 3);
    const struct rv64_watch w[] = {{DATA + 8, 8, RV64_W}, {DATA, 8, RV64_W}};
    size_t hit = 7;
    assert_true(rv64_core_break(g->core[0], CODE + 4, true));
    assert_int_equal(rv64_step_watched(g->core[0], &hart, w, 2, &hit), RV64_STOP_BUDGET);
    assert_int_equal(hit, 7);
    assert_int_equal(rv64_step_watched(g->core[0], &hart, w, 2, &hit), RV64_STOP_WATCH);
    assert_int_equal(hit, 1);
    assert_int_equal(hart.pc, CODE + 8);
    assert_int_equal(rv64_step_watched(g->core[0], &hart, w, 2, &hit), RV64_STOP_EBREAK);
}

static void an_access_that_faults_is_a_fault_and_no_watch(void **state)
{
    struct guest *g = *state;
    const uint32_t code[] = {SD_A0, EBREAK};
    struct rv64_hart hart = begin(g, code, 2);
    const struct rv64_watch w = {UNMAPPED, 8, RV64_W};
    size_t hit;
    hart.x[S0] = UNMAPPED;
    assert_int_equal(rv64_run_watched(g->core[0], &hart, 100, &w, 1, &hit), RV64_STOP_FAULT);
    assert_int_equal(hart.fault, RV64_FAULT_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(a_breakpoint_stops_before_its_instruction_in_the_middle_of_a_block),
        GUEST_TEST(a_breakpoint_that_is_taken_away_stops_no_more),
        GUEST_TEST(a_breakpoint_is_not_seen_in_memory),
        GUEST_TEST(a_breakpoint_stops_a_loop_that_runs),
        GUEST_TEST(there_are_so_many_breakpoints_and_no_more),
        GUEST_TEST(watches_stop_behind_the_access_that_touches_them),
        GUEST_TEST(a_watch_sees_atomics),
        GUEST_TEST(a_step_goes_over_a_breakpoint_and_tells_of_a_watch),
        GUEST_TEST(an_access_that_faults_is_a_fault_and_no_watch),
    };
    return cmocka_run_group_tests_name("rv64_debug", tests, NULL, NULL);
}
