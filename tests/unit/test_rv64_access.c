/* rv64: loads, stores and atomics: values, permissions, reservations, threads. */
#include <pthread.h>

#include "rv64_accesses.h"

static void loads_extend_as_their_names_say(void **state)
{
    static const struct {
        const char *text;
        uint32_t word;
        uint64_t want;
    } cases[] = {
        {"lb a0, 8(a1)", 0x00858503, 0xffffffffffffff80}, {"lbu a0, 8(a1)", 0x0085c503, 0x80},
        {"lh a0, 8(a1)", 0x00859503, 0xffffffffffff8180}, {"lhu a0, 8(a1)", 0x0085d503, 0x8180},
        {"lw a0, 8(a1)", 0x0085a503, 0xffffffff83828180}, {"lwu a0, 8(a1)", 0x0085e503, 0x83828180},
        {"ld a0, 8(a1)", 0x0085b503, 0x8786858483828180},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv64_hart hart = {.x[A1] = DATA};
        guest_store64(*state, DATA + 8, 0x8786858483828180);
        assert_int_equal(guest_execute_one(*state, &hart, cases[i].word), RV64_STOP_EBREAK);
        if (hart.x[A0] != cases[i].want)
            fail_msg("%s gives %#llx", cases[i].text, (unsigned long long)hart.x[A0]);
    }
}

static void stores_write_their_width_and_no_more(void **state)
{
    static const struct {
        const char *text;
        uint32_t word;
        uint64_t want;
    } cases[] = {
        {"sb a2, -8(a1)", 0xfec58c23, 0xffffffffffffff88},
        {"sh a2, -8(a1)", 0xfec59c23, 0xffffffffffff7788},
        {"sw a2, -8(a1)", 0xfec5ac23, 0xffffffff55667788},
        {"sd a2, -8(a1)", 0xfec5bc23, 0x1122334455667788},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv64_hart hart = {.x[A1] = DATA + 16, .x[A2] = 0x1122334455667788};
        guest_store64(*state, DATA, UINT64_MAX);
        guest_store64(*state, DATA + 8, UINT64_MAX);
        guest_store64(*state, DATA + 16, UINT64_MAX);
        assert_int_equal(guest_execute_one(*state, &hart, cases[i].word), RV64_STOP_EBREAK);
        if (guest_load64(*state, DATA + 8) != cases[i].want)
            fail_msg("%s writes %#llx", cases[i].text,
                     (unsigned long long)guest_load64(*state, DATA + 8));
        assert_int_equal(guest_load64(*state, DATA), UINT64_MAX);
        assert_int_equal(guest_load64(*state, DATA + 16), UINT64_MAX);
    }
}

static void accesses_outside_of_mapped_pages_fault(void **state)
{
    static const uint64_t places[] = {0,
                                      UNMAPPED,
                                      CODE - 8,
                                      DATA + DATA_SIZE,
                                      MEMORY_SIZE - 8,
                                      MEMORY_SIZE,
                                      0xfffffff8u,
                                      (UINT64_C(1) << 32) + DATA,
                                      UINT64_C(1) << 63,
                                      UINT64_C(-8)};
    FOR_EACH_ACCESS(c)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        check_fault(state, c, places[i], access_fault(c));
}

static void accesses_need_the_permissions_of_their_kind(void **state)
{
    FOR_EACH_ACCESS(c)
    {
        check_fault(state, c, DATA, RV64_FAULT_NONE);
        check_fault(state, c, READ_ONLY, c->kind == LOADS ? RV64_FAULT_NONE : RV64_FAULT_STORE);
        check_fault(state, c, CODE, c->kind == LOADS ? RV64_FAULT_NONE : RV64_FAULT_STORE);
        check_fault(state, c, WRITE_ONLY, c->kind == STORES ? RV64_FAULT_NONE : access_fault(c));
    }
}

struct atomic {
    const char *text;
    uint32_t word;
    uint64_t before, a2, a0, after;
};

static void check_atomic(void **state, const struct atomic *c)
{
    for (uint32_t order = 0; order < 4; order++) { /* aq, rl */
        struct rv64_hart hart = {.x[A1] = DATA + 8, .x[A2] = c->a2};
        guest_store64(*state, DATA + 8, c->before);
        assert_int_equal(guest_execute_one(*state, &hart, c->word | order << 25), RV64_STOP_EBREAK);
        if (hart.x[A0] != c->a0 || guest_load64(*state, DATA + 8) != c->after)
            fail_msg("%s: a0 %#llx, memory %#llx", c->text, (unsigned long long)hart.x[A0],
                     (unsigned long long)guest_load64(*state, DATA + 8));
    }
    struct rv64_hart alias = {.x[A1] = DATA + 8, .x[A2] = c->a2};
    guest_store64(*state, DATA + 8, c->before); /* rd = rs1 */
    guest_execute_one(*state, &alias, (c->word & ~(31u << 7)) | A1 << 7);
    assert_int_equal(alias.x[A1], c->a0);
    struct rv64_hart value = {.x[A1] = DATA + 8, .x[A2] = c->a2};
    guest_store64(*state, DATA + 8, c->before); /* rd = rs2 */
    guest_execute_one(*state, &value, (c->word & ~(31u << 7)) | A2 << 7);
    assert_int_equal(value.x[A2], c->a0);
    assert_int_equal(guest_load64(*state, DATA + 8), c->after);
    struct rv64_hart nowhere = {.x[A1] = DATA + 8, .x[A2] = c->a2};
    guest_store64(*state, DATA + 8, c->before); /* rd = x0 */
    guest_execute_one(*state, &nowhere, c->word & ~(31u << 7));
    assert_int_equal(nowhere.x[0], 0);
    assert_int_equal(guest_load64(*state, DATA + 8), c->after);
}

static void atomics_return_the_old_word_and_leave_the_new(void **state)
{
    static const struct atomic cases[] = {
        {"amoswap.w a0, a2, (a1)", 0x08c5a52f, 0x1111111180000000, 0xff00000000000005,
         0xffffffff80000000, 0x1111111100000005},
        {"amoadd.w a0, a2, (a1)", 0x00c5a52f, 0x11111111ffffffff, 0x1, 0xffffffffffffffff,
         0x1111111100000000},
        {"amoxor.w a0, a2, (a1)", 0x20c5a52f, 0x111111110000ff00, 0xffffffff00000ff0, 0xff00,
         0x111111110000f0f0},
        {"amoand.w a0, a2, (a1)", 0x60c5a52f, 0x11111111f0f0f0f0, 0xff00ff00, 0xfffffffff0f0f0f0,
         0x11111111f000f000},
        {"amoor.w a0, a2, (a1)", 0x40c5a52f, 0x1111111100000001, 0x80000000, 0x1,
         0x1111111180000001},
        {"amomin.w a0, a2, (a1)", 0x80c5a52f, 0x1111111100000001, 0xffffffff, 0x1,
         0x11111111ffffffff},
        {"amomin.w a0, a2, (a1)", 0x80c5a52f, 0x1111111180000000, 0x7fffffff, 0xffffffff80000000,
         0x1111111180000000},
        {"amomax.w a0, a2, (a1)", 0xa0c5a52f, 0x1111111100000001, 0xffffffff, 0x1,
         0x1111111100000001},
        {"amomax.w a0, a2, (a1)", 0xa0c5a52f, 0x1111111180000000, 0x5, 0xffffffff80000000,
         0x1111111100000005},
        {"amominu.w a0, a2, (a1)", 0xc0c5a52f, 0x11111111ffffffff, 0xffffffff00000001,
         0xffffffffffffffff, 0x1111111100000001},
        {"amominu.w a0, a2, (a1)", 0xc0c5a52f, 0x1111111100000001, 0x80000000, 0x1,
         0x1111111100000001},
        {"amomaxu.w a0, a2, (a1)", 0xe0c5a52f, 0x1111111100000001, 0xffffffff, 0x1,
         0x11111111ffffffff},
        {"amomaxu.w a0, a2, (a1)", 0xe0c5a52f, 0x1111111180000000, 0x5, 0xffffffff80000000,
         0x1111111180000000},
        {"amoswap.d a0, a2, (a1)", 0x08c5b52f, 0x8000000000000000, 0x5, 0x8000000000000000, 0x5},
        {"amoadd.d a0, a2, (a1)", 0x00c5b52f, 0xffffffff, 0x1, 0xffffffff, 0x100000000},
        {"amoxor.d a0, a2, (a1)", 0x20c5b52f, 0xffffffffffffffff, 0xf0, 0xffffffffffffffff,
         0xffffffffffffff0f},
        {"amoand.d a0, a2, (a1)", 0x60c5b52f, 0xffffffffffffffff, 0xf0, 0xffffffffffffffff, 0xf0},
        {"amoor.d a0, a2, (a1)", 0x40c5b52f, 0x1, 0x8000000000000000, 0x1, 0x8000000000000001},
        {"amomin.d a0, a2, (a1)", 0x80c5b52f, 0x5, 0xffffffffffffffff, 0x5, 0xffffffffffffffff},
        {"amomin.d a0, a2, (a1)", 0x80c5b52f, 0x8000000000000000, 0x5, 0x8000000000000000,
         0x8000000000000000},
        {"amomax.d a0, a2, (a1)", 0xa0c5b52f, 0x5, 0xffffffffffffffff, 0x5, 0x5},
        {"amomax.d a0, a2, (a1)", 0xa0c5b52f, 0x8000000000000000, 0x5, 0x8000000000000000, 0x5},
        {"amominu.d a0, a2, (a1)", 0xc0c5b52f, 0x5, 0xffffffffffffffff, 0x5, 0x5},
        {"amominu.d a0, a2, (a1)", 0xc0c5b52f, 0xffffffffffffffff, 0x5, 0xffffffffffffffff, 0x5},
        {"amomaxu.d a0, a2, (a1)", 0xe0c5b52f, 0x5, 0xffffffffffffffff, 0x5, 0xffffffffffffffff},
        {"amomaxu.d a0, a2, (a1)", 0xe0c5b52f, 0x8000000000000000, 0x5, 0x8000000000000000,
         0x8000000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_atomic(state, &cases[i]);
}

enum {
    LR_W = 0x1005a52f /* lr.w a0, (a1) */,
    LR_D = 0x1005b52f /* lr.d a0, (a1) */,
    SC_W = 0x18c5a6af /* sc.w a3, a2, (a1) */,
    SC_D = 0x18c5b6af /* sc.d a3, a2, (a1) */,
    SW_A3 = 0x00d5a023 /* sw a3, 0(a1) */,
    NEXT_WORD = 0x00858593 /* addi a1, a1, 8 */,
};

/* Runs it with 0x1234567880000001 at a1 and a2 = 9; a3 = 5 is what SC leaves its verdict in. */
static uint64_t verdict(void **state, const uint32_t *code, size_t count, uint64_t *memory)
{
    struct rv64_hart hart = {.x[A1] = DATA, .x[A2] = 9, .x[A3] = 5};
    guest_store64(*state, DATA, 0x1234567880000001);
    guest_store64(*state, DATA + 8, 0x1234567880000001);
    assert_int_equal(guest_execute(*state, &hart, code, count), RV64_STOP_EBREAK);
    assert_int_equal(hart.reserved_width, 0);
    *memory = guest_load64(*state, DATA);
    return hart.x[A3];
}
#define VERDICT(memory, ...)                                                                       \
    verdict(state, (const uint32_t[]){__VA_ARGS__, EBREAK},                                        \
            sizeof((const uint32_t[]){__VA_ARGS__, EBREAK}) / 4, &(memory))

static void store_conditional_succeeds_on_the_word_just_reserved(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, LR_W, SC_W), 0);
    assert_int_equal(memory, 0x1234567800000009);
    assert_int_equal(VERDICT(memory, LR_D, SC_D), 0);
    assert_int_equal(memory, 9);
}

static void load_reserved_sign_extends_words(void **state)
{
    struct rv64_hart hart = {.x[A1] = DATA};
    guest_store64(*state, DATA, 0x1234567880000001);
    guest_execute_one(*state, &hart, LR_W);
    assert_int_equal(hart.x[A0], 0xffffffff80000001);
    guest_execute_one(*state, &hart, LR_D);
    assert_int_equal(hart.x[A0], 0x1234567880000001);
}

static void store_conditional_fails_without_a_reservation(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, SC_W), 1);
    assert_int_equal(VERDICT(memory, SC_D), 1);
    assert_int_equal(memory, 0x1234567880000001);
}

static void a_reservation_is_good_for_one_store_conditional(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, LR_D, SC_D, SC_D), 1);
    assert_int_equal(memory, 9);
    assert_int_equal(VERDICT(memory, LR_D, SC_W, SC_D), 1); /* a failed one uses it up, too */
    assert_int_equal(memory, 0x1234567880000001);
}

static void store_conditional_fails_at_another_address(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, LR_D, NEXT_WORD, SC_D), 1);
    assert_int_equal(memory, 0x1234567880000001);
}

static void store_conditional_fails_at_another_width(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, LR_W, SC_D), 1);
    assert_int_equal(VERDICT(memory, LR_D, SC_W), 1);
    assert_int_equal(memory, 0x1234567880000001);
}

static void store_conditional_fails_when_the_word_has_changed(void **state)
{
    uint64_t memory;
    assert_int_equal(VERDICT(memory, LR_W, SW_A3, SC_W), 1);
    assert_int_equal(memory, 0x1234567800000005);
    assert_int_equal(VERDICT(memory, LR_D, SW_A3, SC_D), 1);
    assert_int_equal(memory, 0x1234567800000005);
}

/* ---- Threads ---- */

enum { HARTS = 4, ROUNDS = 20000 };

struct worker {
    struct rv64_core *core;
    struct rv64_hart hart;
    pthread_t thread;
    enum rv64_stop why;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    do
        w->why = rv64_run(w->core, &w->hart, 997);
    while (w->why == RV64_STOP_BUDGET);
    return NULL;
}

/* Every hart adds 1 to the word at DATA a3 = ROUNDS times. */
static void check_sum(struct guest *g, const uint32_t *code, size_t count)
{
    struct worker workers[HARTS];
    guest_store(g, CODE, code, count * sizeof *code);
    for (int i = 0; i < HARTS; i++) {
        workers[i] = (struct worker){
            .core = g->core[0],
            .hart = {.pc = CODE, .x[A1] = DATA, .x[A2] = 1, .x[A3] = ROUNDS},
        };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < HARTS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].why, RV64_STOP_EBREAK);
        assert_int_equal(workers[i].hart.pc, CODE + (count - 1) * 4);
    }
    assert_int_equal(guest_load64(g, DATA), HARTS * ROUNDS);
}

static void amoadd_of_several_threads_loses_nothing(void **state)
{
    static const uint32_t code[] = {
        0x00c5b52f /* amoadd.d a0, a2, (a1) */,
        0xfff68693 /* addi a3, a3, -1 */,
        0xfe069ce3 /* bne a3, zero, -8 */,
        EBREAK,
    };
    check_sum(*state, code, sizeof code / sizeof *code);
}

static void lr_sc_loops_of_several_threads_lose_nothing(void **state)
{
    static const uint32_t code[] = {
        0x1005b52f /* lr.d a0, (a1) */,
        0x00150713 /* addi a4, a0, 1 */,
        0x18e5b7af /* sc.d a5, a4, (a1) */,
        0xfe079ae3 /* bne a5, zero, -12 */,
        0xfff68693 /* addi a3, a3, -1 */,
        0xfe0696e3 /* bne a3, zero, -20 */,
        EBREAK,
    };
    check_sum(*state, code, sizeof code / sizeof *code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(loads_extend_as_their_names_say),
        GUEST_TEST(stores_write_their_width_and_no_more),
        GUEST_TEST(accesses_outside_of_mapped_pages_fault),
        GUEST_TEST(accesses_need_the_permissions_of_their_kind),
        GUEST_TEST(atomics_return_the_old_word_and_leave_the_new),
        GUEST_TEST(store_conditional_succeeds_on_the_word_just_reserved),
        GUEST_TEST(load_reserved_sign_extends_words),
        GUEST_TEST(store_conditional_fails_without_a_reservation),
        GUEST_TEST(a_reservation_is_good_for_one_store_conditional),
        GUEST_TEST(store_conditional_fails_at_another_address),
        GUEST_TEST(store_conditional_fails_at_another_width),
        GUEST_TEST(store_conditional_fails_when_the_word_has_changed),
        GUEST_TEST(amoadd_of_several_threads_loses_nothing),
        GUEST_TEST(lr_sc_loops_of_several_threads_lose_nothing),
    };
    return RUN_GUEST_TESTS("rv64_memory_access", tests);
}
