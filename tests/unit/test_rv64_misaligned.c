/* rv64: loads and stores at addresses that are not multiples of their size. */
#include "rv64_accesses.h"

/* LR, SC and AMOs; the others are loads and stores. */
static bool is_atomic(const struct access_case *c)
{
    return (c->word & 0x7f) == 0x2f;
}

static void be_strict(struct guest *g)
{
    for (int i = 0; i < 2; i++)
        rv64_core_set_strict(g->core[i], true);
}

static void misaligned_atomics_fault_mapped_or_not(void **state)
{
    FOR_EACH_ACCESS(c)
    {
        if (!is_atomic(c))
            continue;
        enum rv64_fault want =
            c->kind == LOADS ? RV64_FAULT_MISALIGNED_LOAD : RV64_FAULT_MISALIGNED_STORE;
        for (unsigned by = 1; by < c->width; by++) {
            check_fault(state, c, DATA + by, want);
            check_fault(state, c, UNMAPPED + by, want);
            check_fault(state, c, DATA + RV64_PAGE - by, want);
            check_fault(state, c, UINT64_C(0) - by, want);
        }
        check_fault(state, c, DATA + RV64_PAGE - c->width, RV64_FAULT_NONE);
    }
}

static void misaligned_accesses_fault_where_that_is_wanted(void **state)
{
    be_strict(*state);
    FOR_EACH_ACCESS(c)
    for (unsigned by = 1; by < c->width; by++) {
        enum rv64_fault want =
            c->kind == LOADS ? RV64_FAULT_MISALIGNED_LOAD : RV64_FAULT_MISALIGNED_STORE;
        check_fault(state, c, DATA + by, want);
        check_fault(state, c, UNMAPPED + by, want);
        check_fault(state, c, DATA + RV64_PAGE - by, want);
        check_fault(state, c, UINT64_C(0) - by, want);
    }
}

/* One load and one store of all widths at every place of a page's end, within and over it. */
static void misaligned_loads_and_stores_are_carried_out(void **state)
{
    static const uint8_t bytes[32] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8,
                                      0x09, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70,
                                      0x11, 0x82, 0x13, 0x84, 0x15, 0x86, 0x17, 0x88,
                                      0x19, 0x9a, 0x1b, 0x9c, 0x1d, 0x9e, 0x1f, 0xa0};
    static const uint64_t begin = DATA + RV64_PAGE - 16;
    FOR_EACH_ACCESS(c)
    for (unsigned at = 0; !is_atomic(c) && at <= sizeof bytes - c->width; at++) {
        uint8_t want[32];
        uint64_t value = 0, stored = 0x1122334455667788;
        struct rv64_hart hart = {.x[A1] = begin + at, .x[A2] = stored};
        guest_store(*state, begin, bytes, sizeof bytes);
        assert_int_equal(guest_execute_one(*state, &hart, c->word), RV64_STOP_EBREAK);
        assert_int_equal(hart.misaligned, at % c->width != 0);
        memcpy(want, bytes, sizeof want);
        memcpy(c->kind == LOADS ? (void *)&value : want + at,
               c->kind == LOADS ? bytes + at : (const uint8_t *)&stored, c->width);
        const struct guest *g = *state;
        assert_memory_equal(rv64_memory_at(g->mem[0], begin, sizeof want, 0), want, sizeof want);
        bool is_signed = (c->word >> 14 & 1) == 0; /* LBU, LHU and LWU are not */
        unsigned shift = 64 - 8 * c->width;
        if (is_signed)
            value = (uint64_t)((int64_t)(value << shift) >> shift);
        if (c->kind == LOADS && hart.x[A0] != value)
            fail_msg("%s at %u: %#llx, not %#llx", c->text, at, (unsigned long long)hart.x[A0],
                     (unsigned long long)value);
    }
}

/* The fault names the first byte that may not be accessed; nothing was written before it. */
static void misaligned_accesses_need_permission_for_all_bytes(void **state)
{
    struct guest *g = *state;
    const uint64_t edge = DATA + DATA_SIZE; /* nothing comes after it */
    for (int i = 0; i < 2; i++) {
        assert_true(rv64_memory_map(g->mem[i], UNMAPPED - RV64_PAGE, RV64_PAGE, RV64_R));
        assert_true(rv64_memory_map(g->mem[i], UNMAPPED, RV64_PAGE, RV64_R | RV64_W));
        assert_true(
            rv64_memory_map(g->mem[i], MEMORY_SIZE - RV64_PAGE, RV64_PAGE, RV64_R | RV64_W));
    }
    FOR_EACH_ACCESS(c)
    for (unsigned by = 1; !is_atomic(c) && by < c->width; by++) {
        const struct {
            uint64_t address, fault; /* 0: none */
        } cases[] = {
            {edge - by, edge},
            {DATA - by, DATA - by},
            {UNMAPPED - by, c->kind == LOADS ? 0 : UNMAPPED - by}, /* R, then RW */
            {WRITE_ONLY - by, c->kind == LOADS ? WRITE_ONLY : WRITE_ONLY - by},
            {MEMORY_SIZE - by, MEMORY_SIZE},
            {UINT64_C(0) - by, UINT64_C(0) - by}, /* round the end of all addresses */
            {(UINT64_C(1) << 32) - by, (UINT64_C(1) << 32) - by},
            {RV64_EXTERNAL_BASE - by, RV64_EXTERNAL_BASE - by},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct rv64_hart hart = {.x[A0] = 77, .x[A1] = cases[i].address, .x[A2] = UINT64_MAX};
            enum rv64_stop why = guest_execute_one(g, &hart, c->word);
            if (cases[i].fault == 0) {
                assert_int_equal(why, RV64_STOP_EBREAK);
                continue;
            }
            assert_int_equal(why, RV64_STOP_FAULT);
            assert_int_equal(hart.fault, access_fault(c));
            assert_int_equal(hart.fault_address, cases[i].fault);
            assert_int_equal(hart.x[A0], 77);
            assert_int_equal(hart.misaligned, 0);
        }
        for (int i = 0; i < 2; i++) {
            const uint8_t *end = rv64_memory_at(g->mem[i], edge - 8, 8, RV64_R);
            const uint8_t *last = rv64_memory_at(g->mem[i], MEMORY_SIZE - 8, 8, RV64_R);
            assert_memory_equal(end, ((uint8_t[8]){0}), 8);
            assert_memory_equal(last, ((uint8_t[8]){0}), 8);
        }
    }
}

/* Code that is often misaligned, and therefore translated to carry that out, then goes elsewhere. */
static void code_that_was_misaligned_faults_at_any_address(void **state)
{
    static const uint64_t elsewhere[] = {UINT64_C(0) - 9,         UINT64_C(1) << 63,
                                         RV64_EXTERNAL_BASE + 1,  UINT64_C(1) << 32,
                                         (UINT64_C(1) << 32) + 1, UNMAPPED + 1};
    FOR_EACH_ACCESS(c)
    {
        const uint32_t code[] = {c->word, 0xfff68693, 0xfe069ce3, EBREAK}; /* until --a3 is 0 */
        struct rv64_hart hart = {.x[A1] = DATA + 1, .x[A3] = 50};
        if (is_atomic(c) || c->width == 1)
            continue;
        assert_int_equal(guest_execute(*state, &hart, code, 4), RV64_STOP_EBREAK);
        assert_int_equal(hart.misaligned, 50);
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
            hart.pc = CODE;
            hart.x[A1] = elsewhere[i];
            hart.x[A3] = 2;
            assert_int_equal(guest_run(*state, &hart, 1000), RV64_STOP_FAULT);
            assert_int_equal(hart.fault, access_fault(c));
            assert_int_equal(hart.fault_address, elsewhere[i]);
        }
    }
}

/* ---- Memory outside of the guest's ---- */

struct outside {
    uint8_t bytes[16]; /* at RV64_EXTERNAL_BASE */
    unsigned asked;
};

static void *find(void *context, uint64_t address, unsigned width, unsigned access)
{
    struct outside *o = context;
    uint64_t at = address - RV64_EXTERNAL_BASE;
    (void)access;
    o->asked++;
    return at < sizeof o->bytes && width <= sizeof o->bytes - at ? o->bytes + at : NULL;
}

static void misaligned_accesses_reach_external_memory(void **state)
{
    struct guest *g = *state;
    FOR_EACH_ACCESS(c)
    for (unsigned at = 0; at < 16; at++) {
        struct outside o = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
        const struct rv64_external external = {find, &o};
        const struct outside before = o;
        const uint64_t address = RV64_EXTERNAL_BASE + at;
        struct rv64_hart hart = {.pc = CODE, .x[A1] = address, .x[A2] = UINT64_MAX};
        bool split = at % c->width != 0, fits = at + c->width <= 16;
        guest_store(g, CODE, (uint32_t[]){c->word, EBREAK}, 8);
        enum rv64_stop why = rv64_step_external(g->core[1], &hart, &external);
        bool done = fits && !(split && is_atomic(c));
        assert_int_equal(why, done ? RV64_STOP_BUDGET : RV64_STOP_FAULT);
        assert_int_equal(o.asked, !(split && is_atomic(c)));
        assert_int_equal(hart.misaligned, done && split);
        if (!done && !split)
            assert_int_equal(hart.fault, access_fault(c));
        if (!done)
            assert_int_equal(hart.fault_address, address);
        if (!done || c->kind == LOADS)
            assert_memory_equal(o.bytes, before.bytes, sizeof o.bytes);
        else if (!is_atomic(c))
            for (unsigned i = 0; i < 16; i++)
                assert_int_equal(o.bytes[i], i >= at && i < at + c->width ? 0xff : before.bytes[i]);
        if (done && split && c->kind == LOADS)
            assert_int_equal(hart.x[A0] & 0xffff, before.bytes[at] | before.bytes[at + 1] << 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(misaligned_atomics_fault_mapped_or_not),
        GUEST_TEST(misaligned_accesses_fault_where_that_is_wanted),
        GUEST_TEST(misaligned_loads_and_stores_are_carried_out),
        GUEST_TEST(misaligned_accesses_need_permission_for_all_bytes),
        GUEST_TEST(code_that_was_misaligned_faults_at_any_address),
        GUEST_TEST(misaligned_accesses_reach_external_memory),
    };
    return RUN_GUEST_TESTS("rv64_misaligned", tests);
}
