/* runtime/engine/rv64: a core has the instructions of its extensions, and no others: in the engine, the
 * reference, with watches, and in translated code. */
#include "rv64_guest.h"

#include "engine/jit/region.h"
#include "engine/jit/translate.h"

/* rd = a2, rs1 = a0, rs2 = a1 */
enum { OPERANDS = A2 << 7 | A0 << 15 | A1 << 20 };

static const struct {
    const char *name;
    uint32_t word;
    uint64_t value; /* of a0 = 2^32 + 3 and a1 = 7; shamt is 11 where it has one */
} zba[] = {
    {"add.uw", 0x0800003b | OPERANDS, 10},
    {"sh1add", 0x20002033 | OPERANDS, (UINT64_C(2) << 32) + 13},
    {"sh1add.uw", 0x2000203b | OPERANDS, 13},
    {"sh2add", 0x20004033 | OPERANDS, (UINT64_C(4) << 32) + 19},
    {"sh2add.uw", 0x2000403b | OPERANDS, 19},
    {"sh3add", 0x20006033 | OPERANDS, (UINT64_C(8) << 32) + 31},
    {"sh3add.uw", 0x2000603b | OPERANDS, 31},
    {"slli.uw", 0x0800101b | OPERANDS, 3 << A1},
};

static void begin(struct guest *g, unsigned extensions)
{
    guest_create(g);
    for (int i = 0; i < 2; i++)
        rv64_core_set_extensions(g->core[i], extensions);
}

/* Runs `word`, then an EBREAK. */
static enum rv64_stop run(struct guest *g, struct rv64_hart *hart, uint32_t word)
{
    const uint32_t words[] = {NOP, word, EBREAK};
    *hart = (struct rv64_hart){.x = {[A0] = (UINT64_C(1) << 32) + 3, [A1] = 7}};
    return guest_execute(g, hart, words, 3);
}

static void a_core_with_zba_runs_its_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof zba / sizeof *zba; i++) {
        struct guest g;
        struct rv64_hart hart;
        begin(&g, RV64_ZBA);
        assert_int_equal(run(&g, &hart, zba[i].word), RV64_STOP_EBREAK);
        assert_int_equal(hart.x[A2], zba[i].value);
        guest_destroy(&g);
    }
}

static void on_a_core_without_zba_they_are_illegal(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof zba / sizeof *zba; i++) {
        struct guest g;
        struct rv64_hart hart;
        begin(&g, 0);
        assert_int_equal(run(&g, &hart, zba[i].word), RV64_STOP_FAULT);
        assert_int_equal(hart.fault, RV64_FAULT_ILLEGAL);
        assert_int_equal(hart.fault_address, zba[i].word);
        assert_int_equal(hart.pc, CODE + 4);
        assert_int_equal(hart.instret, 1);
        assert_int_equal(hart.x[A2], 0);
        size_t hit;
        const struct rv64_watch watch = {DATA, 8, RV64_W};
        assert_int_equal(rv64_run_watched(g.core[0], &hart, 9, &watch, 1, &hit), RV64_STOP_FAULT);
        assert_int_equal(hart.fault, RV64_FAULT_ILLEGAL);
        guest_destroy(&g);
    }
}

static void the_other_extensions_are_on_every_core(void **state)
{
    (void)state;
    const uint32_t words[] = {0x40007033 | OPERANDS, 0x48001033 | OPERANDS,
                              0x02000033 | OPERANDS}; /* andn, bclr, mul */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct guest g;
        struct rv64_hart hart;
        begin(&g, 0);
        assert_int_equal(run(&g, &hart, words[i]), RV64_STOP_EBREAK);
        guest_destroy(&g);
    }
}

static void hot_code_stops_where_the_instruction_is(void **state)
{
    (void)state;
    /* a0 turns of a loop, in which sh3add is only reached when the last of them has run */
    const uint32_t words[] = {
        0xfff50513,  /* addi a0, a0, -1 */
        0xfe051ee3,  /* bnez a0, -4 */
        zba[5].word, /* sh3add a2, a0, a1 */
        EBREAK,
    };
    for (unsigned on = 0; on < 2; on++) {
        struct guest g;
        struct rv64_hart hart = {.x = {[A0] = 100000, [A1] = 7}, .pc = CODE};
        guest_mode = JIT_SYNC;
        begin(&g, on ? RV64_ZBA : 0);
        guest_store(&g, CODE, words, sizeof words);
        assert_int_equal(rv64_run(g.core[0], &hart, 1000000),
                         on ? RV64_STOP_EBREAK : RV64_STOP_FAULT);
        assert_int_equal(hart.x[A2], on ? 7 : 0);
        assert_int_equal(hart.pc, on ? CODE + 12 : CODE + 8);
        guest_destroy(&g);
        guest_mode = JIT_OFF;
    }
}

/* The key under which the translation of the words is kept. */
static void key_of(const uint32_t *words, size_t count, unsigned extensions, uint8_t key[JIT_KEY])
{
    static const uint64_t x[32];
    const struct jit_options options = {.begin = CODE, .size = CODE_SIZE};
    struct jit_region region = {0};
    struct guest g;
    begin(&g, extensions);
    guest_store(&g, CODE, words, count * sizeof *words);
    assert_true(jit_region_find(g.core[1], CODE, x, 1, &region));
    assert_true(jit_key(&region, &options, key));
    jit_region_free(&region);
    guest_destroy(&g);
}

static void kept_translations_are_of_one_set_of_extensions(void **state)
{
    (void)state;
    uint8_t with[JIT_KEY], without[JIT_KEY], again[JIT_KEY];
    const uint32_t words[] = {NOP, zba[5].word, EBREAK}, others[] = {NOP, NOP, EBREAK};
    key_of(words, 3, RV64_ZBA, with);
    key_of(words, 3, 0, without);
    assert_memory_not_equal(with, without, JIT_KEY);
    key_of(words, 3, 0, again);
    assert_memory_equal(without, again, JIT_KEY);
    key_of(others, 3, RV64_ZBA, with); /* code that needs none serves both */
    key_of(others, 3, 0, without);
    assert_memory_equal(with, without, JIT_KEY);
}

static void an_instruction_that_a_core_may_lack_has_a_name(void **state)
{
    (void)state;
    char name[RV64_NAME];
    for (size_t i = 0; i < sizeof zba / sizeof *zba; i++) {
        assert_true(rv64_optional_name(zba[i].word, name));
        assert_string_equal(name, zba[i].name);
    }
    assert_false(rv64_optional_name(NOP, name));
    assert_false(rv64_optional_name(0, name));
    assert_false(rv64_optional_name(UINT32_MAX, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_with_zba_runs_its_instructions),
        cmocka_unit_test(on_a_core_without_zba_they_are_illegal),
        cmocka_unit_test(the_other_extensions_are_on_every_core),
        cmocka_unit_test(hot_code_stops_where_the_instruction_is),
        cmocka_unit_test(kept_translations_are_of_one_set_of_extensions),
        cmocka_unit_test(an_instruction_that_a_core_may_lack_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
