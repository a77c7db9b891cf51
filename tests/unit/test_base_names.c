/* lib/base: UUIDs, suggestions. */
#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- UUIDs ---- */

static const char uuid_text[] = "01234567-89ab-cdef-fedc-ba9876543210";

static void uuid_parse_and_format_are_inverse(void **state)
{
    (void)state;
    struct dpk_uuid u;
    char text[DPK_UUID_TEXT];
    assert_int_equal(dpk_uuid_parse(uuid_text, &u, NULL), DPK_OK);
    assert_memory_equal(u.bytes, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
    dpk_uuid_format(&u, text);
    assert_string_equal(text, uuid_text);
}

static void uuid_parse_takes_both_cases(void **state)
{
    (void)state;
    struct dpk_uuid a, b;
    assert_int_equal(dpk_uuid_parse(uuid_text, &a, NULL), DPK_OK);
    assert_int_equal(dpk_uuid_parse("01234567-89AB-cDeF-FEDC-BA9876543210", &b, NULL), DPK_OK);
    assert_true(dpk_uuid_equal(&a, &b));
}

static void uuid_parse_is_strict(void **state)
{
    (void)state;
    const char *const bad[] = {"",
                               "0",
                               "01234567-89ab-cdef-fedc-ba987654321",
                               "01234567-89ab-cdef-fedc-ba98765432100",
                               "01234567-89ab-cdef-fedc-ba987654321g",
                               "01234567-89ab-cdef-fedcba-9876543210",
                               "0123456789abcdeffedcba9876543210",
                               "0123456789abcdeffedcba98765432100000",
                               "{1234567-89ab-cdef-fedc-ba987654321}",
                               " 1234567-89ab-cdef-fedc-ba9876543210",
                               "+1234567-89ab-cdef-fedc-ba9876543210",
                               "0x234567-89ab-cdef-fedc-ba9876543210",
                               "01234567--9ab-cdef-fedc-ba9876543210",
                               "01234567-89ab-cdef-fedc-ba987654321\n",
                               "01234567_89ab_cdef_fedc_ba9876543210",
                               "\xc3\xa9_34567-89ab-cdef-fedc-ba9876543210"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct dpk_uuid u = {{7}};
        struct dpk_error err = {0};
        assert_int_equal(dpk_uuid_parse(bad[i], &u, &err), DPK_ERR_FORMAT);
        assert_non_null(strstr(err.message, "is not a UUID"));
        assert_int_equal(u.bytes[0], 7);
    }
}

static void uuid_new_time_is_version_1_and_new(void **state)
{
    (void)state;
    struct dpk_uuid a, b;
    dpk_uuid_new_time(&a);
    dpk_uuid_new_time(&b);
    assert_int_equal(a.bytes[6] >> 4, 1);
    assert_int_equal(a.bytes[8] >> 6, 2);
    assert_false(dpk_uuid_equal(&a, &b));
}

static void uuid_is_zero_looks_at_every_byte(void **state)
{
    (void)state;
    struct dpk_uuid u = {{0}};
    assert_true(dpk_uuid_is_zero(&u));
    for (size_t i = 0; i < 16; i++) {
        u = (struct dpk_uuid){{0}};
        u.bytes[i] = 1;
        assert_false(dpk_uuid_is_zero(&u));
    }
}

/* ---- Suggestions ---- */

static void closest_finds_the_nearest_within_a_third(void **state)
{
    (void)state;
    const char *const names[] = {"signature", "sign", "verify", NULL};
    assert_string_equal(dpk_closest("sing", (const char *const[]){"sing", "sign", NULL}), "sing");
    assert_string_equal(dpk_closest("sig", names), "sign");
    assert_string_equal(dpk_closest("isgn", names), "sign");
    assert_string_equal(dpk_closest("signatrue", names), "signature");
    assert_string_equal(dpk_closest("vrfy", (const char *const[]){"verfy", NULL}), "verfy");
    assert_null(dpk_closest("vrfy", names));
    assert_null(dpk_closest("", names));
    assert_null(dpk_closest("sign", (const char *const[]){NULL}));
}

static void closest_gives_up_on_very_long_words(void **state)
{
    (void)state;
    char word[1000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    assert_null(dpk_closest(word, (const char *const[]){word, NULL}));
    assert_null(dpk_closest("aaa", (const char *const[]){word, NULL}));
    word[128] = 0;
    assert_ptr_equal(dpk_closest(word, (const char *const[]){word, NULL}), word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uuid_parse_and_format_are_inverse),
        cmocka_unit_test(uuid_parse_takes_both_cases),
        cmocka_unit_test(uuid_parse_is_strict),
        cmocka_unit_test(uuid_new_time_is_version_1_and_new),
        cmocka_unit_test(uuid_is_zero_looks_at_every_byte),
        cmocka_unit_test(closest_finds_the_nearest_within_a_third),
        cmocka_unit_test(closest_gives_up_on_very_long_words),
    };
    return cmocka_run_group_tests_name("base_names", tests, NULL, NULL);
}
