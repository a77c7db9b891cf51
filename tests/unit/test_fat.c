/* Fat files: built, read again, and made wrong (signing(7)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fat/fat.h"

#define FIRST_MEMBER 16
#define FLAGS_AT     4
#define AT_OFFSET    8
#define AT_STORED    16
#define AT_SIZE      24
#define AT_RESERVED  32

static const uint8_t zeros[5000], text[] = "not an ELF, which is no business of a fat file";

static const struct dpk_fat_input two[] = {{DPK_TARGET_CX7, zeros, sizeof zeros},
                                           {DPK_TARGET_BF3, text, sizeof text}};

static struct dpk_buf built(bool compressed)
{
    struct dpk_error err = {0};
    struct dpk_buf b = {0};
    if (dpk_fat_build(two, 2, compressed, &b, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return b;
}

static void holds_both(const struct dpk_buf *b, bool compressed)
{
    struct dpk_error err = {0};
    struct dpk_fat fat;
    assert_true(dpk_fat_is(b->data, b->size));
    assert_int_equal(dpk_fat_parse(b->data, b->size, &fat, &err), DPK_OK);
    assert_int_equal(fat.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct dpk_fat_member *m = NULL;
        struct dpk_buf elf = {0};
        assert_int_equal(dpk_fat_find(&fat, two[i].target, &m, &err), DPK_OK);
        assert_int_equal(m->compressed, compressed && i == 0);
        assert_int_equal(dpk_fat_elf(m, &elf, &err), DPK_OK);
        assert_int_equal(elf.size, two[i].size);
        assert_memory_equal(elf.data, two[i].elf, elf.size);
        dpk_buf_free(&elf);
    }
}

static void a_fat_file_gives_back_its_members(void **state)
{
    (void)state;
    struct dpk_buf b = built(false);
    holds_both(&b, false);
    dpk_buf_free(&b);
}

static void a_member_is_compressed_only_where_that_saves_something(void **state)
{
    (void)state;
    struct dpk_buf plain = built(false), small = built(true);
    holds_both(&small, true);
    assert_true(small.size < plain.size);
    dpk_buf_free(&plain);
    dpk_buf_free(&small);
}

static void the_layout_is_that_of_the_formats_page(void **state)
{
    (void)state;
    static const uint8_t head[] = {'D', 'P', 'K', 'F', 'A', 'T', '1', 0, 1, 0, 0, 0, 2,
                                   0,   0,   0,   1,   0,   0,   0,   0, 0, 0, 0, 96};
    struct dpk_buf b = built(false);
    assert_memory_equal(b.data, head, sizeof head);
    assert_memory_equal(b.data + 96, zeros, sizeof zeros);
    dpk_buf_free(&b);
}

static void a_target_that_is_missing_is_named(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_fat fat;
    const struct dpk_fat_member *m;
    struct dpk_buf b = built(false);
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, &err), DPK_OK);
    assert_int_equal(dpk_fat_find(&fat, DPK_TARGET_CX8, &m, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "cx8"));
    dpk_buf_free(&b);
}

static void targets_have_names(void **state)
{
    (void)state;
    uint32_t id = 77;
    assert_true(dpk_target_find("bf3", &id));
    assert_int_equal(id, DPK_TARGET_BF3);
    assert_string_equal(dpk_target_name(id), "bf3");
    assert_false(dpk_target_find("bf4", &id));
    assert_null(dpk_target_name(5));
}

static void inputs_that_make_no_fat_file_are_refused(void **state)
{
    (void)state;
    const struct dpk_fat_input twice[] = {two[0], two[0]}, empty = {DPK_TARGET_BF3, text, 0};
    struct dpk_buf b = {0};
    assert_int_equal(dpk_fat_build(two, 0, false, &b, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_fat_build(two, DPK_FAT_MAX + 1, false, &b, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_fat_build(twice, 2, false, &b, NULL), DPK_ERR_EXISTS);
    assert_int_equal(dpk_fat_build(&empty, 1, false, &b, NULL), DPK_ERR_FORMAT);
    assert_int_equal(b.size, 0);
}

static void refused(const struct dpk_buf *b, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_fat fat;
    assert_int_not_equal(dpk_fat_parse(b->data, b->size, &fat, &err), DPK_OK);
    assert_int_equal(fat.count, 0);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
}

static void a_table_that_lies_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t byte;
        const char *why;
    } lies[] = {
        {8, 2, "version 2"},
        {12, 0, "0 members"},
        {12, DPK_FAT_MAX + 1, "17 members"},
        {FIRST_MEMBER, DPK_TARGET_BF3, "member 1: target 2 is there twice"},
        {FIRST_MEMBER + FLAGS_AT, 2, "reserved bits"},
        {FIRST_MEMBER + AT_RESERVED, 1, "reserved bits"},
        {FIRST_MEMBER + AT_OFFSET, 97, "member 0: its bytes"},
        {FIRST_MEMBER + AT_OFFSET, 88, "member 0: its bytes"}, /* in the table */
        {FIRST_MEMBER + AT_OFFSET + 7, 0x80, "member 0: its bytes"},
        {FIRST_MEMBER + AT_STORED + 7, 0xFF, "member 0: its bytes"},
        {FIRST_MEMBER + AT_SIZE, 0, "cannot stand for an ELF"},
        {FIRST_MEMBER + 40 + AT_OFFSET, 104, "member 1: its bytes"}, /* in member 0 */
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct dpk_buf b = built(false);
        if (i == sizeof lies / sizeof *lies - 1)
            b.data[lies[i].at + 1] = 0;
        b.data[lies[i].at] = lies[i].byte;
        refused(&b, lies[i].why);
        dpk_buf_free(&b);
    }
}

static void a_truncated_fat_file_is_refused_at_every_length(void **state)
{
    (void)state;
    struct dpk_buf b = built(true), cut = b;
    for (cut.size = 0; cut.size < b.size; cut.size++)
        refused(&cut, "fat file");
    dpk_buf_free(&b);
}

static void a_member_must_decompress_to_exactly_its_size(void **state)
{
    (void)state;
    for (int change = -1; change <= 1; change += 2) {
        struct dpk_fat fat;
        struct dpk_error err = {0};
        struct dpk_buf b = built(true), elf = {0};
        b.data[FIRST_MEMBER + AT_SIZE] = (uint8_t)(b.data[FIRST_MEMBER + AT_SIZE] + change);
        assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, &err), DPK_OK);
        assert_int_equal(dpk_fat_elf(&fat.members[0], &elf, &err), DPK_ERR_FORMAT);
        assert_int_equal(elf.size, 0);
        dpk_buf_free(&elf);
        dpk_buf_free(&b);
    }
}

static void a_member_that_promises_more_than_deflate_can_is_refused(void **state)
{
    (void)state;
    struct dpk_buf b = built(true);
    b.data[FIRST_MEMBER + AT_SIZE + 3] = 0x0F; /* 240 MiB out of some bytes */
    refused(&b, "cannot stand for an ELF");
    dpk_buf_free(&b);
}

static void nvidias_fat_files_are_told_apart(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put(&b, "NVDPAFBF", 8);
    dpk_put_fill(&b, 0, 100);
    assert_false(dpk_fat_is(b.data, b.size));
    refused(&b, "NVIDIA");
    dpk_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fat_file_gives_back_its_members),
        cmocka_unit_test(a_member_is_compressed_only_where_that_saves_something),
        cmocka_unit_test(the_layout_is_that_of_the_formats_page),
        cmocka_unit_test(a_target_that_is_missing_is_named),
        cmocka_unit_test(targets_have_names),
        cmocka_unit_test(inputs_that_make_no_fat_file_are_refused),
        cmocka_unit_test(a_table_that_lies_is_refused),
        cmocka_unit_test(a_truncated_fat_file_is_refused_at_every_length),
        cmocka_unit_test(a_member_must_decompress_to_exactly_its_size),
        cmocka_unit_test(a_member_that_promises_more_than_deflate_can_is_refused),
        cmocka_unit_test(nvidias_fat_files_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
