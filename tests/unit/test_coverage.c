/* coverage: raw profiles of LLVM: the three forms of their headers, and sums of counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "coverage/coverage.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { RECORDS = 0x1000, COUNTERS = 0x2000, NAMES = 0x3000 };

/* Two functions with a counter each, the second record with a distance already. */
static struct dpk_buf make(uint64_t version, size_t record, uint64_t first, uint64_t second)
{
    uint8_t records[128] = {0}, counters[16];
    struct dpk_buf out = {0};
    struct dpk_error err = {0};
    dpk_store_le64(records + 16, COUNTERS);
    dpk_store_le64(records + record + 16, COUNTERS + 8 - (RECORDS + record));
    dpk_store_le64(counters, first);
    dpk_store_le64(counters + 8, second);
    const struct dpk_coverage raw = {.version = version,
                                     .records = {records, 2 * record, RECORDS},
                                     .counters = {counters, sizeof counters, COUNTERS},
                                     .names = {"names", 5, NAMES}};
    assert_int_equal(dpk_coverage_put(&raw, &out, &err), DPK_OK);
    return out;
}

static uint64_t word(const struct dpk_buf *b, size_t at)
{
    const struct dpk_reader all = dpk_reader(b->data, b->size);
    struct dpk_reader r = dpk_reader_slice(&all, at, 8);
    const uint64_t value = dpk_read_le64(&r);
    assert_false(r.failed);
    return value;
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        uint64_t version;
        size_t record, header, names, counters_delta, names_delta, kinds; /* of words */
    } forms[] = {{8, 48, 11, 7, 8, 9, 1}, {9, 64, 14, 9, 10, 12, 1}, {10, 64, 16, 9, 10, 12, 2}};
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct dpk_buf raw = make(forms[i].version, forms[i].record, 7, 9);
        const size_t header = 8 * forms[i].header;
        assert_memory_equal(raw.data, "\x81rforpl\xff", 8);
        assert_int_equal(word(&raw, 8), forms[i].version);
        assert_int_equal(word(&raw, 24), 2);
        assert_int_equal(word(&raw, 40), 2);
        assert_int_equal(word(&raw, 8 * forms[i].names), 5);
        assert_int_equal(word(&raw, 8 * forms[i].counters_delta), COUNTERS - RECORDS);
        assert_int_equal(word(&raw, 8 * forms[i].names_delta), NAMES);
        assert_int_equal(word(&raw, header - 8), forms[i].kinds);
        assert_int_equal(word(&raw, header + 16), COUNTERS - RECORDS);
        assert_int_equal(word(&raw, header + forms[i].record + 16),
                         COUNTERS + 8 - RECORDS - forms[i].record);
        assert_int_equal(word(&raw, header + 2 * forms[i].record), 7);
        assert_int_equal(raw.size, header + 2 * forms[i].record + 16 + 8);
        dpk_buf_free(&raw);
    }
}

static void test_sums(void **state)
{
    (void)state;
    struct dpk_buf a = make(8, 48, 7, UINT64_MAX - 1), b = make(8, 48, 5, 2),
                   other = make(9, 64, 1, 1);
    assert_int_equal(dpk_coverage_signature(&a), dpk_coverage_signature(&b));
    assert_int_not_equal(dpk_coverage_signature(&a), dpk_coverage_signature(&other));
    assert_true(dpk_coverage_add(&a, &b));
    assert_int_equal(word(&a, 88 + 96), 12);
    assert_true(word(&a, 88 + 96 + 8) == UINT64_MAX); /* and no overflow */
    assert_false(dpk_coverage_add(&a, &other));
    b.data[b.size - 8] ^= 1; /* another name */
    assert_false(dpk_coverage_add(&a, &b));
    b.data[b.size - 8] ^= 1;
    memset(a.data + 24, 0xff, 8); /* more records than there are bytes */
    memset(b.data + 24, 0xff, 8);
    assert_false(dpk_coverage_add(&a, &b));
    dpk_buf_free(&a);
    dpk_buf_free(&b);
    dpk_buf_free(&other);
}

static void test_refused(void **state)
{
    (void)state;
    uint8_t bytes[48] = {0};
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_coverage raw = {
        .version = 11, .records = {bytes, 48, RECORDS}, .counters = {bytes, 8, COUNTERS}};
    assert_int_equal(dpk_coverage_put(&raw, &out, &err), DPK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "version 11"));
    raw.version = 8;
    raw.records.size = 47;
    assert_int_equal(dpk_coverage_put(&raw, &out, &err), DPK_ERR_FORMAT);
    raw.records.size = 48;
    raw.counters.size = 9;
    assert_int_equal(dpk_coverage_put(&raw, &out, &err), DPK_ERR_FORMAT);
    raw.counters.size = 0;
    raw.records.size = 0;
    assert_int_equal(dpk_coverage_put(&raw, &out, &err), DPK_ERR_FORMAT);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
