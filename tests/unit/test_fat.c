/* Multi-target areas, rooms and attributes: built, read again, and made wrong (signing(7)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fat/fat.h"

#include "golden.h"

#define FIRST_MEMBER 24
#define MEMBER_SIZE  32
#define AT_OFFSET    8
#define AT_SIZE      16

static const uint8_t zeros[5000], text[] = "no ELF, which is no business of an area";

static const struct dpk_fat_member two[] = {{DPK_TARGET_CX7, text, sizeof text, DPK_FAT_PROGRAM},
                                            {DPK_TARGET_BF3, zeros, sizeof zeros, DPK_FAT_ROOM}};

static struct dpk_buf built(void)
{
    struct dpk_error err = {0};
    struct dpk_buf b = {0};
    if (dpk_fat_build(two, 2, &b, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return b;
}

static void an_area_gives_back_its_members(void **state)
{
    (void)state;
    struct dpk_buf b = built();
    struct dpk_error err = {0};
    struct dpk_fat fat;
    assert_true(dpk_fat_is(b.data, b.size));
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, &err), DPK_OK);
    assert_int_equal(fat.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct dpk_fat_member *m = dpk_fat_find(&fat, two[i].target);
        assert_ptr_equal(m, &fat.members[i]);
        assert_int_equal(m->size, two[i].size);
        assert_int_equal(m->kind, two[i].kind);
        assert_memory_equal(m->data, two[i].data, m->size);
    }
    assert_null(dpk_fat_find(&fat, DPK_TARGET_CX8));
    dpk_buf_free(&b);
}

/* The section of a golden file that begins with an area of `count` members; the n-th such. */
static struct dpk_reader golden_area(const struct dpk_buf *file, size_t n)
{
    const uint8_t *at = file->data;
    for (size_t left = file->size;; n--) {
        at = memmem(at, left, "NVDPAFBF", 8);
        assert_non_null(at);
        left = file->size - (size_t)(at - file->data);
        if (n == 0)
            return dpk_reader(at, left);
        at++, left--;
    }
}

/* Taken apart and built again, the areas of the golden files are what they were. */
static void areas_are_built_as_in_golden_files(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t areas, members;
    } files[] = {{"hostelf-fat/attr-one.signed.elf", 1, 1},
                 {"hostelf-fat/fat-two.signed.elf", 3, 2},
                 {"hostelf-fat/fat-three-and-plain.signed.elf", 3, 3},
                 {"hostelf-area/area-one-attr.elf", 3, 1},
                 {"hostelf-area/libdevice.a", 1, 3}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct dpk_buf file = golden(files[i].file);
        for (size_t n = 0; n < files[i].areas; n++) {
            struct dpk_reader r = golden_area(&file, n);
            struct dpk_fat fat;
            struct dpk_buf again = {0};
            assert_int_equal(dpk_fat_parse(r.begin, dpk_reader_left(&r), &fat, NULL), DPK_OK);
            assert_int_equal(fat.count, files[i].members);
            assert_int_equal(dpk_fat_build(fat.members, fat.count, &again, NULL), DPK_OK);
            assert_true(again.size <= dpk_reader_left(&r));
            assert_memory_equal(again.data, r.begin, again.size);
            dpk_buf_free(&again);
        }
        dpk_buf_free(&file);
    }
}

/* A device library: archives without padding between them, so one begins at an odd offset. */
static void a_library_has_an_archive_for_each_target(void **state)
{
    (void)state;
    static const uint32_t targets[] = {DPK_TARGET_CX7, DPK_TARGET_BF3, DPK_TARGET_CX8};
    struct dpk_buf file = golden("hostelf-area/libdevice.a");
    struct dpk_fat fat;
    assert_int_equal(dpk_fat_parse(file.data, file.size, &fat, NULL), DPK_OK);
    assert_int_equal(fat.count, 3);
    assert_int_equal((fat.members[1].data - file.data) % 2, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fat.members[i].target, targets[i]);
        assert_int_equal(fat.members[i].kind, DPK_FAT_ARCHIVE);
        assert_memory_equal(fat.members[i].data, "!<arch>\n", 8);
    }
    dpk_buf_free(&file);
}

static void reserved_words_are_not_read(void **state)
{
    (void)state;
    struct dpk_fat fat;
    struct dpk_buf b = built();
    memset(b.data + 16, 0xFF, 8);
    memset(b.data + FIRST_MEMBER + 4, 0xFF, 4);
    memset(b.data + FIRST_MEMBER + 24, 0xFF, 8);
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, NULL), DPK_OK);
    dpk_buf_free(&b);
}

static void members_may_stand_in_any_order(void **state)
{
    (void)state;
    struct dpk_fat fat;
    uint8_t first[AT_SIZE];
    struct dpk_buf b = built();
    uint8_t *a = b.data + FIRST_MEMBER + AT_OFFSET, *c = a + MEMBER_SIZE;
    memcpy(first, a, sizeof first);
    memcpy(a, c, sizeof first);
    memcpy(c, first, sizeof first);
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, NULL), DPK_OK);
    assert_int_equal(fat.members[0].size, sizeof zeros);
    assert_true(fat.members[0].data > fat.members[1].data);
    dpk_buf_free(&b);
}

static void targets_have_names(void **state)
{
    (void)state;
    char name[DPK_TARGET_TEXT];
    uint32_t id = 77;
    assert_true(dpk_target_find("bf3", &id));
    assert_int_equal(id, DPK_TARGET_BF3);
    assert_string_equal(dpk_target_name(id), "bf3");
    assert_false(dpk_target_find("bf4", &id));
    assert_null(dpk_target_name(5));
    assert_string_equal(dpk_target_text(DPK_TARGET_CX9, name), "cx9");
    assert_string_equal(dpk_target_text(UINT32_MAX, name), "target4294967295");
}

static void a_target_that_nobody_knows_is_a_member(void **state)
{
    (void)state;
    const struct dpk_fat_member new[] = {{99, text, 8, 99}};
    struct dpk_fat fat;
    struct dpk_buf b = {0};
    assert_int_equal(dpk_fat_build(new, 1, &b, NULL), DPK_OK);
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, NULL), DPK_OK);
    assert_non_null(dpk_fat_find(&fat, 99));
    dpk_buf_free(&b);
}

static void members_that_make_no_area_are_refused(void **state)
{
    (void)state;
    const struct dpk_fat_member twice[] = {two[0], two[0]};
    struct dpk_buf b = {0};
    assert_int_equal(dpk_fat_build(two, 0, &b, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_fat_build(two, DPK_FAT_MAX + 1, &b, NULL), DPK_ERR_RANGE);
    assert_int_equal(dpk_fat_build(twice, 2, &b, NULL), DPK_ERR_EXISTS);
    assert_int_equal(b.size, 0);
}

/* ---- Hostile tables ---- */

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
    static const char outside[] = "member 0: its bytes are not inside the area";
    static const struct {
        size_t at;
        uint64_t value;
        const char *why;
    } lies[] = {
        {0, 0, "magic"},
        {8, 2 | (uint64_t)2 << 32, "version 2"},
        {8, 1, "0 members"},
        {8, 1 | (uint64_t)(DPK_FAT_MAX + 1) << 32, "17 members"},
        {8, 1 | (uint64_t)UINT32_MAX << 32, "4294967295 members"},
        {FIRST_MEMBER + MEMBER_SIZE, DPK_TARGET_CX7, "member 1: target cx7 is there twice"},
        {FIRST_MEMBER + AT_OFFSET, 96, "member 1: its bytes are those of member 0 too"},
        {FIRST_MEMBER + AT_OFFSET, 89, "member 1: its bytes are those of member 0 too"},
        {FIRST_MEMBER + AT_OFFSET, 80, outside}, /* in the table */
        {FIRST_MEMBER + AT_OFFSET, 0, outside},
        {FIRST_MEMBER + AT_OFFSET, UINT64_MAX - 7, outside},
        {FIRST_MEMBER + AT_OFFSET, (uint64_t)1 << 63, outside},
        {FIRST_MEMBER + AT_OFFSET, ((uint64_t)1 << 32) + 88, outside},
        {FIRST_MEMBER + AT_SIZE, UINT64_MAX, outside},
        {FIRST_MEMBER + AT_SIZE, UINT64_MAX - 87, outside}, /* offset + size wraps to 0 */
        {FIRST_MEMBER + AT_SIZE, ((uint64_t)1 << 32) + 8, outside},
        {FIRST_MEMBER + AT_SIZE, sizeof text + 1, "member 1: its bytes are those of member 0"},
        {FIRST_MEMBER + MEMBER_SIZE + AT_SIZE, sizeof zeros + 1, "member 1: its bytes are not"},
        {FIRST_MEMBER + MEMBER_SIZE + AT_OFFSET, 88, "member 1: its bytes are those of member 0"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct dpk_buf b = built();
        dpk_store_le64(b.data + lies[i].at, lies[i].value);
        refused(&b, lies[i].why);
        dpk_buf_free(&b);
    }
}

static void a_truncated_area_is_refused_at_every_length(void **state)
{
    (void)state;
    struct dpk_buf b = built();
    for (size_t size = 0; size < b.size; size++) {
        struct dpk_buf cut = {0};
        dpk_put(&cut, b.data, size); /* whose end a sanitizer sees */
        refused(&cut, "multi-target area");
        dpk_buf_free(&cut);
    }
    dpk_buf_free(&b);
}

/* ---- Rooms and attributes ---- */

static void room_is(uint64_t length, size_t size, enum dpk_status status, bool some)
{
    uint8_t room[64] = {0};
    const uint8_t *crypto = room;
    size_t crypto_size = 1;
    dpk_store_le64(room, length);
    assert_int_equal(dpk_room_read(room, size, &crypto, &crypto_size, NULL), status);
    assert_ptr_equal(crypto, some ? room + DPK_ROOM_PREFIX : NULL);
    assert_int_equal(crypto_size, some ? length : 0);
}

static void a_room_holds_as_much_as_its_length_says(void **state)
{
    (void)state;
    room_is(0, 0, DPK_OK, false);
    room_is(0, 64, DPK_OK, false);
    room_is(0, 8, DPK_OK, false);
    room_is(1, 64, DPK_OK, true);
    room_is(56, 64, DPK_OK, true);
    room_is(57, 64, DPK_ERR_FORMAT, false);
    room_is(1, 8, DPK_ERR_FORMAT, false);
    room_is(0, 7, DPK_ERR_FORMAT, false);
    room_is(((uint64_t)1 << 32) + 8, 64, DPK_ERR_FORMAT, false);
    room_is(UINT64_MAX, 64, DPK_ERR_FORMAT, false);
    room_is(UINT64_MAX - 7, 64, DPK_ERR_FORMAT, false);
}

static void attributes_come_back_for_each_target(void **state)
{
    (void)state;
    static const uint32_t targets[] = {DPK_TARGET_BF3, DPK_TARGET_CX8};
    struct dpk_buf b = {0};
    struct dpk_fat fat;
    const uint8_t *data;
    size_t size;
    assert_int_equal(dpk_attributes_build(targets, 2, text, sizeof text, &b, NULL), DPK_OK);
    assert_int_equal(dpk_fat_parse(b.data, b.size, &fat, NULL), DPK_OK);
    assert_int_equal(fat.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fat.members[i].target, targets[i]);
        assert_int_equal(fat.members[i].size, 16 + sizeof text);
        assert_int_equal(dpk_attributes_read(&fat.members[i], &data, &size, NULL), DPK_OK);
        assert_int_equal(size, sizeof text);
        assert_memory_equal(data, text, size);
    }
    dpk_buf_free(&b);
}

static void attributes_beyond_their_member_are_refused(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {49, ((uint64_t)1 << 32) + 1, UINT64_MAX, UINT64_MAX - 15};
    uint8_t bytes[64] = {0};
    struct dpk_fat_member m = {.data = bytes, .size = sizeof bytes};
    const uint8_t *data;
    size_t size;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        dpk_store_le64(bytes + 8, lengths[i]);
        assert_int_equal(dpk_attributes_read(&m, &data, &size, NULL), DPK_ERR_FORMAT);
        assert_null(data);
    }
    dpk_store_le64(bytes + 8, 48);
    assert_int_equal(dpk_attributes_read(&m, &data, &size, NULL), DPK_OK);
    assert_ptr_equal(data, bytes + 16);
    dpk_store_le64(bytes + 8, 0);
    assert_int_equal(dpk_attributes_read(&m, &data, &size, NULL), DPK_OK);
    assert_null(data);
    m.size = 15;
    assert_int_equal(dpk_attributes_read(&m, &data, &size, NULL), DPK_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_area_gives_back_its_members),
        cmocka_unit_test(areas_are_built_as_in_golden_files),
        cmocka_unit_test(a_library_has_an_archive_for_each_target),
        cmocka_unit_test(reserved_words_are_not_read),
        cmocka_unit_test(members_may_stand_in_any_order),
        cmocka_unit_test(targets_have_names),
        cmocka_unit_test(a_target_that_nobody_knows_is_a_member),
        cmocka_unit_test(members_that_make_no_area_are_refused),
        cmocka_unit_test(a_table_that_lies_is_refused),
        cmocka_unit_test(a_truncated_area_is_refused_at_every_length),
        cmocka_unit_test(a_room_holds_as_much_as_its_length_says),
        cmocka_unit_test(attributes_come_back_for_each_target),
        cmocka_unit_test(attributes_beyond_their_member_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
