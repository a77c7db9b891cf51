/* lib/base: byte readers and writers. */
#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Reading bytes ---- */

static const uint8_t counting[] = {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88};

static void read_honours_the_byte_order(void **state)
{
    (void)state;
    struct dpk_reader all = dpk_reader(counting, sizeof counting), r;
    assert_int_equal(dpk_read_u8((r = all, &r)), 0x81);
    assert_int_equal(dpk_read_be16((r = all, &r)), 0x8182);
    assert_int_equal(dpk_read_be32((r = all, &r)), 0x81828384);
    assert_true(dpk_read_be64((r = all, &r)) == UINT64_C(0x8182838485868788));
    assert_int_equal(dpk_read_le16((r = all, &r)), 0x8281);
    assert_int_equal(dpk_read_le32((r = all, &r)), 0x84838281);
    assert_true(dpk_read_le64((r = all, &r)) == UINT64_C(0x8887868584838281));
    assert_false(r.failed);
}

static void leb_ends_with_its_last_byte(void **state)
{
    static const uint8_t bytes[] = {0x7f, 0x7f, 0xe5, 0x8e, 0x26, 0x80, 0x7f, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 5,    0x80};
    struct dpk_reader r = dpk_reader(bytes, sizeof bytes);
    (void)state;
    assert_true(dpk_read_uleb(&r) == 127);
    assert_true(dpk_read_sleb(&r) == -1);
    assert_true(dpk_read_uleb(&r) == 624485);
    assert_true(dpk_read_sleb(&r) == -128);
    assert_true(dpk_read_uleb(&r) == UINT64_MAX); /* bits above the 64th are lost */
    assert_true(dpk_read_uleb(&r) == 5 && !r.failed);
    dpk_read_uleb(&r);
    assert_true(r.failed);
}

static void read_moves_on_by_what_it_read(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_u8(&r);
    dpk_read_be32(&r);
    assert_int_equal(dpk_reader_offset(&r), 5);
    assert_int_equal(dpk_reader_left(&r), 3);
}

static void read_past_the_end_gives_zero_and_sets_failed(void **state)
{
    (void)state;
    for (size_t size = 0; size < 8; size++) {
        struct dpk_reader all = dpk_reader(counting, size), r;
        assert_true(dpk_read_be64((r = all, &r)) == 0 && r.failed);
        assert_true(dpk_read_le64((r = all, &r)) == 0 && r.failed);
        if (size < 4) {
            assert_true(dpk_read_be32((r = all, &r)) == 0 && r.failed);
            assert_true(dpk_read_le32((r = all, &r)) == 0 && r.failed);
        }
        if (size < 2) {
            assert_true(dpk_read_be16((r = all, &r)) == 0 && r.failed);
            assert_true(dpk_read_le16((r = all, &r)) == 0 && r.failed);
        }
        if (size < 1)
            assert_true(dpk_read_u8((r = all, &r)) == 0 && r.failed);
    }
}

static void read_after_a_failure_gives_zero_and_nothing_is_left(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, 3);
    dpk_read_be32(&r);
    assert_int_equal(dpk_read_u8(&r), 0);
    assert_null(dpk_read_bytes(&r, 0));
    assert_int_equal(dpk_reader_left(&r), 0);
    assert_true(r.failed);
}

static void read_bytes_borrows_from_the_source(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_u8(&r);
    assert_ptr_equal(dpk_read_bytes(&r, 7), counting + 1);
    assert_non_null(dpk_read_bytes(&r, 0));
    assert_false(r.failed);
}

static void read_bytes_of_too_many_gives_null_and_sets_failed(void **state)
{
    (void)state;
    const size_t sizes[] = {9, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct dpk_reader r = dpk_reader(counting, sizeof counting);
        assert_null(dpk_read_bytes(&r, sizes[i]));
        assert_true(r.failed);
    }
}

static void skip_moves_on_and_fails_past_the_end(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 7);
    assert_int_equal(dpk_read_u8(&r), 0x88);
    assert_false(r.failed);
    dpk_read_skip(&r, SIZE_MAX);
    assert_true(r.failed);
}

static void reader_of_null_is_empty(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(NULL, 0);
    assert_int_equal(dpk_reader_left(&r), 0);
    assert_false(r.failed);
    dpk_read_u8(&r);
    assert_true(r.failed);
}

static void slice_counts_from_the_beginning_of_the_source(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 5);
    struct dpk_reader slice = dpk_reader_slice(&r, 2, 2);
    assert_int_equal(dpk_reader_left(&slice), 2);
    assert_int_equal(dpk_read_be16(&slice), 0x8384);
    assert_false(slice.failed);
    dpk_read_u8(&slice);
    assert_true(slice.failed);
}

static void slice_may_be_empty_at_the_end(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    struct dpk_reader slice = dpk_reader_slice(&r, sizeof counting, 0);
    assert_false(slice.failed);
    assert_int_equal(dpk_reader_left(&slice), 0);
}

static void slice_outside_the_source_is_failed_and_empty(void **state)
{
    (void)state;
    const uint64_t spans[][2] = {{0, 9},          {8, 1},
                                 {9, 0},          {1, UINT64_MAX},
                                 {UINT64_MAX, 1}, {UINT64_MAX, UINT64_MAX},
                                 {UINT64_MAX, 0}, {4, UINT64_MAX - 3}};
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    for (size_t i = 0; i < COUNT(spans); i++) {
        struct dpk_reader slice = dpk_reader_slice(&r, spans[i][0], spans[i][1]);
        assert_true(slice.failed);
        assert_int_equal(dpk_reader_left(&slice), 0);
    }
}

static void slice_of_a_failed_reader_is_failed(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 9);
    assert_true(dpk_reader_slice(&r, 0, 1).failed);
}

/* ---- Writing bytes ---- */

static void put_honours_the_byte_order(void **state)
{
    (void)state;
    static const uint8_t expected[] = {1,    0x23, 0x45, 0x23, 0x45, 0x67, 0x89, 1,    2,    3,
                                       4,    5,    6,    7,    8,    0x45, 0x23, 0x89, 0x67, 0x45,
                                       0x23, 8,    7,    6,    5,    4,    3,    2,    1};
    struct dpk_buf b = {0};
    dpk_put_u8(&b, 1);
    dpk_put_be16(&b, 0x2345);
    dpk_put_be32(&b, 0x23456789);
    dpk_put_be64(&b, UINT64_C(0x0102030405060708));
    dpk_put_le16(&b, 0x2345);
    dpk_put_le32(&b, 0x23456789);
    dpk_put_le64(&b, UINT64_C(0x0102030405060708));
    assert_int_equal(b.size, sizeof expected);
    assert_memory_equal(b.data, expected, sizeof expected);
    dpk_buf_free(&b);
}

static void store_honours_the_byte_order(void **state)
{
    (void)state;
    uint8_t bytes[22];
    dpk_store_be16(bytes, 0x8182);
    dpk_store_be32(bytes + 2, 0x81828384);
    dpk_store_le64(bytes + 6, UINT64_C(0x8887868584838281));
    dpk_store_be64(bytes + 14, UINT64_C(0x8182838485868788));
    assert_memory_equal(bytes, counting, 2);
    assert_memory_equal(bytes + 2, counting, 4);
    assert_memory_equal(bytes + 6, counting, 8);
    assert_memory_equal(bytes + 14, counting, 8);
}

static void buf_keeps_its_content_while_it_grows(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    for (uint32_t i = 0; i < 10000; i++)
        dpk_put_be32(&b, i);
    assert_false(b.failed);
    assert_true(b.size == 40000 && b.capacity >= b.size);
    struct dpk_reader r = dpk_reader(b.data, b.size);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(dpk_read_be32(&r), i);
    dpk_buf_free(&b);
}

static void buf_free_resets_to_empty(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put(&b, "secret", 6);
    dpk_buf_free(&b);
    assert_true(!b.data && b.size == 0 && b.capacity == 0 && !b.failed);
    dpk_buf_free(&b);
}

static void buf_wipe_free_resets_to_empty(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_buf_wipe_free(&b);
    dpk_put(&b, "secret", 6);
    dpk_buf_wipe_free(&b);
    assert_true(!b.data && b.size == 0 && b.capacity == 0);
}

static void reserve_makes_room_and_keeps_the_size(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    assert_true(dpk_buf_reserve(&b, 1000));
    assert_true(b.data && b.size == 0 && b.capacity >= 1000);
    dpk_buf_free(&b);
}

static void put_of_an_impossible_size_sets_failed_and_keeps_the_content(void **state)
{
    (void)state;
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 3, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct dpk_buf b = {0};
        dpk_put(&b, "abc", 3);
        dpk_put_fill(&b, 0, sizes[i]);
        assert_true(b.failed);
        assert_int_equal(b.size, 3);
        assert_memory_equal(b.data, "abc", 3);
        dpk_buf_free(&b);
    }
}

static void put_after_a_failure_does_nothing(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_fill(&b, 0, SIZE_MAX);
    dpk_put(&b, "abc", 3);
    dpk_put_u8(&b, 1);
    dpk_put_align(&b, 8, 0);
    dpk_put_format(&b, "x");
    assert_true(b.failed && b.size == 0 && !b.data);
    assert_false(dpk_buf_reserve(&b, 0));
}

static void put_of_nothing_changes_nothing(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put(&b, NULL, 0);
    dpk_put_fill(&b, 1, 0);
    assert_true(!b.failed && b.size == 0);
    dpk_buf_free(&b);
}

static void fill_repeats_the_byte(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_fill(&b, 'z', 3);
    assert_int_equal(b.size, 3);
    assert_memory_equal(b.data, "zzz", 3);
    dpk_buf_free(&b);
}

static void align_pads_to_the_next_multiple(void **state)
{
    (void)state;
    const size_t cases[][3] = {{0, 8, 0}, {1, 8, 8}, {8, 8, 8}, {9, 8, 16},
                               {5, 3, 6}, {5, 1, 5}, {5, 0, 5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dpk_buf b = {0};
        dpk_put_fill(&b, 0, cases[i][0]);
        dpk_put_align(&b, cases[i][1], 0xff);
        assert_int_equal(b.size, cases[i][2]);
        if (cases[i][2] > cases[i][0])
            assert_int_equal(b.data[b.size - 1], 0xff);
        dpk_buf_free(&b);
    }
}

static void format_appends_text_without_a_nul(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_format(&b, "%s-%d", "ab", 12);
    dpk_put_format(&b, "%s", "");
    dpk_put_format(&b, "%0100d", 7);
    assert_int_equal(b.size, 105);
    assert_memory_equal(b.data, "ab-120", 6);
    assert_int_equal(b.data[104], '7');
    dpk_buf_free(&b);
}

static void numbers_are_digits_alone_and_within_bounds(void **state)
{
    static const char *const wrong[] = {"",
                                        "x",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1x",
                                        "0x1",
                                        "9",
                                        "101",
                                        "18446744073709551616",
                                        "99999999999999999999999"};
    uint64_t n = 7;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(dpk_number(wrong[i], 10, 100, &n));
    assert_int_equal(n, 7);
    assert_true(dpk_number("10", 10, 100, &n));
    assert_int_equal(n, 10);
    assert_true(dpk_number("00100", 10, 100, &n));
    assert_int_equal(n, 100);
    assert_true(dpk_number("18446744073709551615", 0, UINT64_MAX, &n));
    assert_true(n == UINT64_MAX);
}

static void a_taken_number_moves_the_text_after_its_digits(void **state)
{
    const char *text = "12-256,x", *at = text;
    uint64_t n = 7;
    (void)state;
    assert_true(dpk_take_number(&at, 12, &n));
    assert_int_equal(n, 12);
    assert_ptr_equal(at, text + 2);
    assert_false(dpk_take_number(&at, 12, &n)); /* '-' */
    at++;
    assert_false(dpk_take_number(&at, 255, &n));
    assert_int_equal(n, 12);
    assert_ptr_equal(at, text + 3);
    assert_true(dpk_take_number(&at, 256, &n));
    assert_ptr_equal(at, text + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_honours_the_byte_order),
        cmocka_unit_test(leb_ends_with_its_last_byte),
        cmocka_unit_test(read_moves_on_by_what_it_read),
        cmocka_unit_test(read_past_the_end_gives_zero_and_sets_failed),
        cmocka_unit_test(read_after_a_failure_gives_zero_and_nothing_is_left),
        cmocka_unit_test(read_bytes_borrows_from_the_source),
        cmocka_unit_test(read_bytes_of_too_many_gives_null_and_sets_failed),
        cmocka_unit_test(skip_moves_on_and_fails_past_the_end),
        cmocka_unit_test(reader_of_null_is_empty),
        cmocka_unit_test(slice_counts_from_the_beginning_of_the_source),
        cmocka_unit_test(slice_may_be_empty_at_the_end),
        cmocka_unit_test(slice_outside_the_source_is_failed_and_empty),
        cmocka_unit_test(slice_of_a_failed_reader_is_failed),
        cmocka_unit_test(put_honours_the_byte_order),
        cmocka_unit_test(store_honours_the_byte_order),
        cmocka_unit_test(buf_keeps_its_content_while_it_grows),
        cmocka_unit_test(buf_free_resets_to_empty),
        cmocka_unit_test(buf_wipe_free_resets_to_empty),
        cmocka_unit_test(reserve_makes_room_and_keeps_the_size),
        cmocka_unit_test(put_of_an_impossible_size_sets_failed_and_keeps_the_content),
        cmocka_unit_test(put_after_a_failure_does_nothing),
        cmocka_unit_test(put_of_nothing_changes_nothing),
        cmocka_unit_test(fill_repeats_the_byte),
        cmocka_unit_test(align_pads_to_the_next_multiple),
        cmocka_unit_test(format_appends_text_without_a_nul),
        cmocka_unit_test(numbers_are_digits_alone_and_within_bounds),
        cmocka_unit_test(a_taken_number_moves_the_text_after_its_digits),
    };
    return cmocka_run_group_tests_name("base_bytes", tests, NULL, NULL);
}
