/* rv64: the windows of a hart, with which translated code compares addresses before it looks into tables. */
#include "rv64_guest.h"
#include "rv64_words.h"

#include "engine/rv64/memory.h"

static void map_both(struct guest *g, uint64_t address, uint64_t size, unsigned access)
{
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_map(g->mem[i], address, size, access));
}

/* ---- Windows agree with memory ---- */

enum { PAGES = 48 };

static void check_window(const struct rv64_memory *mem, const struct rv64_window *w, unsigned bit)
{
    for (unsigned log2 = 0; log2 < 4; log2++) {
        if (w->limit[log2] == 0)
            continue;
        const uint64_t end = w->begin + ((w->limit[log2] - 1) << log2) + RV64_NEAR;
        assert_true(end <= MEMORY_SIZE);
        for (uint64_t page = w->begin / RV64_PAGE; page * RV64_PAGE < end; page++)
            assert_true(mem->access[page] & bit);
    }
}

static void windows_never_have_what_is_not_allowed(void **state)
{
    static const unsigned bits[RV64_WINDOWS] = {RV64_RW, RV64_R, RV64_RW, RV64_RW};
    struct rv64_memory *const mem = ((struct guest *)*state)->mem[0];
    struct rv64_window window[RV64_WINDOWS];
    struct rv64_hart hart = {0};
    uint64_t seed = 5;
    unsigned used = 0;
    for (int round = 0; round < 20000; round++) {
        const uint64_t first = 1 + below(&seed, PAGES), count = 1 + below(&seed, 6);
        const unsigned access[] = {0, RV64_R, RV64_W, RV64_X, RV64_R | RV64_W, RV64_R | RV64_W};
        assert_true(
            rv64_memory_map(mem, first * RV64_PAGE, count * RV64_PAGE, access[below(&seed, 6)]));
        hart.x[SP] = below(&seed, (PAGES + 8) * (unsigned)RV64_PAGE);
        rv64_windows_find(mem, hart.x[SP], window);
        rv64_windows_refresh(mem, &hart);
        for (unsigned i = 0; i < RV64_WINDOWS; i++) {
            check_window(mem, &window[i], bits[i]);
            check_window(mem, &hart.window[i], bits[i]);
            used |= (unsigned)(window[i].limit[3] != 0) << i;
        }
    }
    assert_int_equal(used, (1 << RV64_WINDOWS) - 1);
}

static void windows_are_the_runs_of_the_program(void **state)
{
    struct rv64_memory *const mem = ((struct guest *)*state)->mem[0];
    const uint64_t heap = UINT64_C(0x80000), stack = UINT64_C(0x60000);
    assert_true(rv64_memory_map(mem, stack, 4 * RV64_PAGE, RV64_R | RV64_W));
    for (uint64_t i = 0; i < 4; i++)
        assert_true(rv64_memory_map(mem, heap + i * RV64_PAGE, RV64_PAGE, RV64_R | RV64_W));
    struct rv64_window window[RV64_WINDOWS];
    rv64_windows_find(mem, stack + 3 * RV64_PAGE, window);
    assert_int_equal(window[RV64_WINDOW_STACK].begin, stack);
    assert_int_equal(window[RV64_WINDOW_STACK].limit[0], 4 * RV64_PAGE - RV64_NEAR + 1);
    assert_int_equal(window[RV64_WINDOW_IMAGE].begin, CODE);
    assert_int_equal(window[RV64_WINDOW_IMAGE].limit[3], (CODE_SIZE - RV64_NEAR) / 8 + 1);
    assert_int_equal(window[RV64_WINDOW_DATA].begin, DATA);
    assert_int_equal(window[RV64_WINDOW_DATA].limit[0], DATA_SIZE - RV64_NEAR + 1);
    assert_int_equal(window[RV64_WINDOW_HEAP].begin, heap);
    assert_int_equal(window[RV64_WINDOW_HEAP].limit[0], 4 * RV64_PAGE - RV64_NEAR + 1);
}

/* ---- Translated code ---- */

/* Addresses in a register when code is translated: the address decides which window the code
 * compares with. */
static const uint64_t hints[] = {CODE + 0x100, DATA, DATA + 0x800, READ_ONLY, UNMAPPED};
static const uint64_t ends[] = {CODE,        CODE + CODE_SIZE,
                                DATA,        DATA + DATA_SIZE,
                                READ_ONLY,   READ_ONLY + RV64_PAGE,
                                UNMAPPED,    0,
                                MEMORY_SIZE, DATA + DATA_SIZE - RV64_NEAR};

/* Two accesses relative to one register, so that one check covers both. */
static void put_accesses(struct guest *g, uint32_t first, uint32_t second, uint32_t distance)
{
    const uint32_t words[] = {
        (first & 0x7f) == STORES ? s_type(first, A1, A0, 0) : i_type(first, A2, A0, 0),
        (second & 0x7f) == STORES ? s_type(second, A1, A0, distance)
                                  : i_type(second, A3, A0, distance),
        EBREAK,
    };
    guest_store(g, CODE, words, sizeof words);
}

static void run_at(struct guest *g, uint64_t address, uint64_t stack)
{
    struct rv64_hart hart = {.pc = CODE, .x[A0] = address, .x[A1] = address, .x[SP] = stack};
    (void)guest_run(g, &hart, 10);
}

static void accesses_are_exact_at_the_ends_of_windows(void **state)
{
    static const uint32_t kinds[] = {LOADS, LD, STORES, SD, 0x2003, 0x1023};
    static const uint32_t distances[] = {8, 64, 248, 1024};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t h = 0; h < sizeof hints / sizeof *hints; h++)
        for (size_t k = 0; k < (size_t)KINDS * KINDS; k++) {
            put_accesses(*state, kinds[k / KINDS], kinds[k % KINDS], distances[(h + k) % 4]);
            run_at(*state, hints[h], k % 2 == 0 ? hints[h] : 0);
            for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
                for (int by = -16; by <= 8; by += 4)
                    run_at(*state, ends[i] + (uint64_t)by, DATA);
        }
}

/* Unmaps two pages at the low or the high end. */
static void take_away(struct guest *g, uint64_t pages)
{
    static const unsigned access[] = {0, RV64_R, RV64_W, RV64_R | RV64_W};
    map_both(g, pages, 2 * RV64_PAGE, RV64_R | RV64_W);
    put_accesses(g, LD, SD, 8);
    run_at(g, pages, 0);
    for (unsigned i = 0; i < 16; i++) {
        map_both(g, pages, RV64_PAGE, access[i % 4]);
        map_both(g, pages + RV64_PAGE, RV64_PAGE, access[i / 4]);
        for (uint64_t at = 0; at <= 2 * RV64_PAGE; at += RV64_PAGE / 2)
            for (uint64_t by = 0; by <= 16; by += 8)
                run_at(g, pages + at - by, pages + at);
    }
}

static void what_is_taken_away_is_refused_from_the_next_run_on(void **state)
{
    take_away(*state, 2 * RV64_PAGE);
    take_away(*state, UNMAPPED);
}

/* The lowest window starts at another address, and is larger, than when the code was translated. */
static void a_window_begins_elsewhere_than_before(void **state)
{
    struct guest *const g = *state;
    const uint64_t low[] = {RV64_PAGE, DATA - RV64_PAGE, DATA - 12 * RV64_PAGE};
    const uint64_t size = 6 * RV64_PAGE;
    put_accesses(g, LD, SD, 8);
    run_at(g, DATA, 0);
    for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
        map_both(g, low[i], low[i] < DATA - size ? size : RV64_PAGE, RV64_R | RV64_W);
        for (uint64_t by = 0; by <= 16; by += 8) {
            run_at(g, low[i] - by, DATA);
            run_at(g, low[i] + size - by, DATA);
            run_at(g, DATA - by, DATA);
            run_at(g, DATA + DATA_SIZE - by, DATA);
        }
        map_both(g, low[i], low[i] < DATA - size ? size : RV64_PAGE, 0);
    }
}

static void a_hart_goes_to_another_memory(void **state)
{
    struct guest other;
    struct rv64_hart hart = {.pc = CODE, .x[A0] = DATA, .x[SP] = DATA};
    guest_create(&other);
    map_both(&other, READ_ONLY, RV64_PAGE, 0); /* changes both maps equally often */
    map_both(*state, UNMAPPED, RV64_PAGE, 0);
    put_accesses(*state, LD, LD, 8);
    put_accesses(&other, LD, LD, 8);
    for (int i = 0; i < 2; i++) { /* until the code is hot in both guests */
        run_at(*state, DATA, DATA);
        run_at(&other, DATA, DATA);
    }
    hart.x[A0] = READ_ONLY;
    assert_int_equal(guest_run(*state, &hart, 10), RV64_STOP_EBREAK);
    hart.pc = CODE;
    assert_int_equal(guest_run(&other, &hart, 10), RV64_STOP_FAULT);
    guest_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(windows_never_have_what_is_not_allowed),
        GUEST_TEST(windows_are_the_runs_of_the_program),
        GUEST_TEST(accesses_are_exact_at_the_ends_of_windows),
        GUEST_TEST(what_is_taken_away_is_refused_from_the_next_run_on),
        GUEST_TEST(a_window_begins_elsewhere_than_before),
        GUEST_TEST(a_hart_goes_to_another_memory),
    };
    return RUN_GUEST_TESTS("rv64_windows", tests);
}
