/* runtime/engine/loader: which fields of an executable make it refused, each named. */
#include "wrong_fields.h"

static void every_wrong_field_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tiny t = tiny();
        struct dpk_image *image;
        struct dpk_error err = {0};
        put(&t, wrong[i].at, wrong[i].width, wrong[i].value);
        enum dpk_status status = image_of(t.bytes, SIZE, &image, &err);
        if (status != wrong[i].status || !strstr(err.message, wrong[i].says))
            fail_msg("%zu: wanted \"%s\", got %d: %s", i, wrong[i].says, (int)status, err.message);
    }
}

/* Sorting would compare them with each other to their ends. */
static void names_of_symbols_that_are_too_long_together_are_refused(void **state)
{
    (void)state;
    enum { SYMBOLS = 1000, NAME = 100000, STRINGS = SIZE + SYMBOLS * 24 };
    struct tiny t = tiny();
    uint8_t *elf = calloc(1, STRINGS + NAME + 2);
    struct dpk_image *image;
    struct dpk_error err = {0};
    assert_non_null(elf);
    put_section(&t, 1, SHT_SYMTAB, SIZE, SYMBOLS * 24, 2, 24);
    put_section(&t, 2, SHT_STRTAB, STRINGS, NAME + 2, 0, 0);
    put_symbol(&t, 1, 1, STB_GLOBAL, STT_FUNC, 0x10004, 4);
    memcpy(elf, t.bytes, SIZE);
    for (size_t i = 0; i < SYMBOLS; i++)
        memcpy(elf + SIZE + i * 24, t.bytes + SYMTAB + 24, 24);
    memset(elf + STRINGS + 1, 'a', NAME);
    assert_int_equal(image_of(elf, STRINGS + NAME + 2, &image, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "st_name: the names are longer than 67108864 bytes"));
    free(elf);
}

/* Segments that are not loaded may have any flags; the stack is never executable. */
static void segments_that_are_not_loaded_may_say_anything(void **state)
{
    (void)state;
    const uint32_t types[] = {PT_NULL, PT_NOTE, PT_PHDR, PT_GNU_STACK, PT_GNU_RELRO, 0x70000003};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct tiny t = tiny();
        struct dpk_image *image;
        memset(t.bytes + PHDR, 0xff, 56);
        put(&t, P(0, p_type), 4, types[i]);
        put(&t, 60, 2, 0); /* symbols would name what was segment 0 */
        assert_int_equal(image_of(t.bytes, SIZE, &image, NULL), DPK_OK);
        assert_int_equal(dpk_image_segment_count(image), 1);
        dpk_image_free(image);
    }
}

static void second_symbol_table_is_refused(void **state)
{
    (void)state;
    struct tiny t = tiny();
    struct dpk_image *image;
    struct dpk_error err = {0};
    put_section(&t, 0, SHT_SYMTAB, SYMTAB, 24, 2, 24);
    assert_int_equal(image_of(t.bytes, SIZE, &image, &err), DPK_ERR_FORMAT);
    assert_string_equal(err.message, "section 1: a second SHT_SYMTAB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_field_is_named),
        cmocka_unit_test(names_of_symbols_that_are_too_long_together_are_refused),
        cmocka_unit_test(segments_that_are_not_loaded_may_say_anything),
        cmocka_unit_test(second_symbol_table_is_refused),
    };
    return cmocka_run_group_tests_name("loader fields", tests, NULL, NULL);
}
