/* jit: an image gets its addresses when it is placed, a damaged image is refused; which places
 * translated code is valid for. */
#include <stdlib.h>

#include "base/base.h"
#include "engine/jit/translations.h"
#include "rv64_guest.h"

enum { CODE_BYTES = 24 };

struct trial {
    struct guest guest;
    struct translations *translations;
    struct jit_image head;
    struct jit_relocation relocation;
    uint8_t code[CODE_BYTES];
};

static int begin(void **state)
{
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    guest_create(&t->guest);
    t->translations = jit_translations_create(t->guest.core[0], false);
    assert_non_null(t->translations);
    t->head = (struct jit_image){
        .version = JIT_IMAGE_VERSION, .code_size = CODE_BYTES, .relocation_count = 1};
    memset(t->code, 0xff, sizeof t->code);
    *state = t;
    return 0;
}

static int end(void **state)
{
    struct trial *t = *state;
    jit_translations_drop(t->translations);
    guest_destroy(&t->guest);
    free(t);
    return 0;
}

/* What becomes of the code; NULL: the image is refused. */
static const uint8_t *place(struct trial *t)
{
    struct dpk_buf image = {0};
    const uint8_t *code = NULL;
    dpk_put(&image, &t->head, sizeof t->head);
    dpk_put(&image, &t->relocation, sizeof t->relocation);
    dpk_put(&image, t->code, sizeof t->code);
    assert_false(image.failed);
    if (jit_translations_enter(t->translations, CODE, &image)) {
        rv64_code *entry = t->translations->entries.at[0];
        memcpy(&code, &entry, sizeof code);
    }
    dpk_buf_free(&image);
    return code;
}

static void a_word_gets_the_address_of_its_symbol(void **state)
{
    struct trial *t = *state;
    uint64_t word;
    t->relocation = (struct jit_relocation){.offset = 16, .symbol = JIT_BASE, .addend = 3};
    const uint8_t *code = place(t);
    assert_non_null(code);
    memcpy(&word, code + 16, sizeof word);
    assert_int_equal(word, t->translations->symbols[JIT_BASE] + 3);
    assert_memory_equal(code, t->code, 16);
}

static void a_word_gets_the_address_of_the_code_itself(void **state)
{
    struct trial *t = *state;
    uint64_t word;
    t->relocation = (struct jit_relocation){.offset = 0, .symbol = JIT_CODE, .addend = 8};
    const uint8_t *code = place(t);
    assert_non_null(code);
    memcpy(&word, code, sizeof word);
    assert_int_equal(word, (uintptr_t)code + 8);
}

/* MOVZ x9, #0x5555 and MOVK x9, #0x5555, lsl 16 to 48 (Arm ARM, C6.2: imm16 is bits 5 to 20). */
static void moves_get_their_16_bits(void **state)
{
    static const uint32_t insns[] = {0xd28aaaa9, 0xf2aaaaa9, 0xf2caaaa9, 0xf2eaaaa9};
    static const uint32_t want[] = {0xd29bde09, 0xf2b35789, 0xf2cacf09, 0xf2e24689};
    struct trial *t = *state;
    t->translations->symbols[JIT_CORE] = UINT64_C(0x123456789abcdef0);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t insn;
        memcpy(t->code + 20, &insns[i], sizeof *insns);
        t->relocation = (struct jit_relocation){
            .offset = 20, .symbol = JIT_CORE, .form = (uint16_t)(JIT_MOV0 + i)};
        const uint8_t *code = place(t);
        assert_non_null(code);
        memcpy(&insn, code + 20, sizeof insn);
        assert_int_equal(insn, want[i]);
        assert_memory_equal(code, t->code, 20);
    }
}

static void a_relocation_outside_of_the_code_is_refused(void **state)
{
    static const struct {
        uint32_t offset;
        uint16_t form;
        bool good;
    } places[] = {{CODE_BYTES - 8, JIT_WORD, true},  {CODE_BYTES - 7, JIT_WORD, false},
                  {UINT32_MAX, JIT_WORD, false},     {CODE_BYTES - 4, JIT_MOV0, true},
                  {CODE_BYTES - 3, JIT_MOV3, false}, {UINT32_MAX - 3, JIT_MOV3, false}};
    struct trial *t = *state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        t->relocation = (struct jit_relocation){
            .offset = places[i].offset, .form = places[i].form, .symbol = JIT_CODE};
        assert_int_equal(place(t) != NULL, places[i].good);
    }
}

static void symbols_and_forms_that_are_none_are_refused(void **state)
{
    struct trial *t = *state;
    t->relocation = (struct jit_relocation){.symbol = JIT_SYMBOLS};
    assert_null(place(t));
    t->relocation = (struct jit_relocation){.symbol = JIT_CORE, .form = JIT_FORMS};
    assert_null(place(t));
    t->relocation = (struct jit_relocation){.symbol = JIT_CORE, .form = UINT16_MAX};
    assert_null(place(t));
}

static void an_image_of_another_shape_is_refused(void **state)
{
    struct trial *t = *state;
    const struct jit_image good = t->head;
    assert_non_null(place(t));
    t->head.version++;
    assert_null(place(t));
    t->head = good;
    t->head.code_size++;
    assert_null(place(t));
    t->head = good;
    t->head.relocation_count = UINT32_MAX;
    assert_null(place(t));
    t->head = good;
    t->head.entry = CODE_BYTES;
    assert_null(place(t));
}

/* ---- Places ---- */

static void a_place_is_taken_once_or_given_back(void **state)
{
    struct translations *t = ((struct trial *)*state)->translations;
    assert_true(jit_translations_take(t, CODE + 8, false));
    assert_false(jit_translations_take(t, CODE + 8, false));
    assert_true(jit_translations_take(t, CODE + 10, false));
    jit_translations_give_back(t, CODE + 8);
    assert_true(jit_translations_take(t, CODE + 8, false));
    assert_false(jit_translations_take(t, CODE + 10, false));
}

static void a_place_within_a_region_is_put_off_once(void **state)
{
    struct translations *t = ((struct trial *)*state)->translations;
    struct jit_block blocks[] = {
        {.pc = CODE}, {.pc = CODE + 8}, {.pc = CODE + 16, .copy = 1}, {.pc = 8}};
    const struct jit_region region = {.blocks = blocks, .block_count = 4};
    assert_true(jit_translations_take(t, CODE + 8, false));
    assert_false(jit_translations_put_off(t, CODE + 8));
    jit_translations_set_covered(t, &region, true);
    assert_true(jit_translations_put_off(t, CODE + 8));
    assert_false(jit_translations_take(t, CODE + 8, false));
    assert_true(jit_translations_take(t, CODE + 8, true));
    assert_false(jit_translations_put_off(t, CODE + 8));
    assert_false(jit_translations_take(t, CODE + 8, true));
    assert_false(
        jit_translations_put_off(t, CODE + 16)); /* a copy does not have its function's callers */
}

static void code_within_a_region_is_seen(void **state)
{
    struct translations *t = ((struct trial *)*state)->translations;
    struct jit_block blocks[] = {
        {.pc = CODE, .count = 2}, {.pc = CODE + 8, .count = 3}, {.pc = 8, .count = 1}};
    const struct jit_region inner = {.blocks = &blocks[1], .block_count = 1},
                            outer = {.blocks = blocks, .block_count = 3};
    assert_false(jit_translations_has_loops(t, &outer));
    assert_int_equal(jit_translations_bare(t, &outer), 6);
    jit_translations_set_covered(t, &inner, true);
    assert_int_equal(jit_translations_bare(t, &outer), 3);
    assert_int_equal(jit_translations_bare(t, &inner), 0);
    assert_false(jit_translations_has_loops(t, &outer)); /* another draft does not replace it */
    jit_translations_set_covered(t, &inner, false);
    assert_int_equal(jit_translations_bare(t, &outer), 3);
    assert_true(jit_translations_has_loops(t, &outer));
    assert_false(jit_translations_has_loops(t, &inner)); /* its first place is its own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_word_gets_the_address_of_its_symbol, begin, end),
        cmocka_unit_test_setup_teardown(a_word_gets_the_address_of_the_code_itself, begin, end),
        cmocka_unit_test_setup_teardown(moves_get_their_16_bits, begin, end),
        cmocka_unit_test_setup_teardown(a_relocation_outside_of_the_code_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(symbols_and_forms_that_are_none_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(an_image_of_another_shape_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_place_is_taken_once_or_given_back, begin, end),
        cmocka_unit_test_setup_teardown(a_place_within_a_region_is_put_off_once, begin, end),
        cmocka_unit_test_setup_teardown(code_within_a_region_is_seen, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
