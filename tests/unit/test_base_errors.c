/* lib/base: errors, and the messages that tools make of them. */
#include "base/base.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void fail_fills_the_error_and_returns_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(dpk_fail(&err, DPK_ERR_FORMAT, "%s: no magic", "a"), DPK_ERR_FORMAT);
    assert_int_equal(err.status, DPK_ERR_FORMAT);
    assert_string_equal(err.message, "a: no magic");
}

/* What nobody sees must not make one name look like another. */
static void characters_that_are_not_seen_become_escapes(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a\u202egpj.exe", "a\\u202egpj.exe"},
        {"\u2066x\u2069", "\\u2066x\\u2069"},
        {"ad\u200bmin", "ad\\u200bmin"},
        {"so\u00adft", "so\\u00adft"},
        {"\u061c\ufeff", "\\u061c\\ufeff"},
        {"tag\U000e0041", "tag\\U000e0041"},
        {"line\u2028end", "line\\u2028end"},
        {"\u00fc \u65e5\u672c \U0001f600", NULL},
        {"\u05d0\u0627", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *wanted = pairs[i][1] ? pairs[i][1] : pairs[i][0];
        struct {
            char text[64];
        } in = {{0}}, *behind = &in;
        snprintf(in.text, sizeof in.text, "%s", pairs[i][0]);
        assert_string_equal(dpk_text_clean(in.text), wanted);
        snprintf(in.text, sizeof in.text, "%s", pairs[i][0]);
        assert_string_equal(dpk_text_clean(behind->text), wanted);
        char *copy = dpk_text_cleaned(pairs[i][0]);
        assert_string_equal(copy, wanted);
        free(copy);
        /* Without room there is a mark at least, and no byte after the end is touched. */
        size_t size = strlen(pairs[i][0]) + 1;
        char *tight = malloc(size);
        memcpy(tight, pairs[i][0], size);
        dpk_text_clean_in(tight, 0);
        assert_true(strlen(tight) < size);
        assert_int_equal(strchr(tight, '?') != NULL, pairs[i][1] != NULL);
        free(tight);
    }
    char room[] = "a\u202eb\u202ec..."; /* room for one escape */
    room[9] = 0;
    assert_string_equal(dpk_text_clean(room), "a\\u202eb?c");
}

static void text_is_cleaned_of_what_steers_terminals(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain", "plain"},
        {"a\033[2Jb\x7f\r", "a?[2Jb??"},
        {"one\n-I- two\t", "one -I- two "},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc2\x9b"
         "31m",
         "??31m"}, /* CSI as UTF-8 */
        {"\x9b"
         "31m",
         "?31m"},
        {"\xc3", "?"}, /* cut */
        {"\xe2\x82", "??"},
        {"\xc0\xaf\xed\xa0\x80", "?????"}, /* overlong, a surrogate */
        {"\xf4\x90\x80\x80\xff", "?????"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", pairs[i][0]);
        assert_string_equal(dpk_text_clean(text), pairs[i][1]);
    }
}

static void messages_keep_their_lines_and_are_not_read_beyond_their_end(void **state)
{
    (void)state;
    char text[] = "a\tb\r\n\033]0;title\a\n\0caf\xc3\xa9\xc2\x9b";
    dpk_message_clean(text, sizeof text - 1);
    assert_memory_equal(text, "a\tb?\n?]0;title?\n?caf\xc3\xa9??", sizeof text);
    char *cut = malloc(3); /* of a character of three bytes two are there */
    assert_non_null(cut);
    memcpy(cut, "x\xe2\x82", 3);
    dpk_message_clean(cut, 3);
    assert_memory_equal(cut, "x??", 3);
    dpk_message_clean(cut, 0);
    free(cut);
}

static void fail_without_an_error_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(dpk_fail(NULL, DPK_ERR_RANGE, "x"), DPK_ERR_RANGE);
    assert_int_equal(dpk_fail_nomem(NULL), DPK_ERR_NOMEM);
    errno = EACCES;
    assert_int_equal(dpk_fail_errno(NULL, "x"), DPK_ERR_IO);
}

static void fail_cuts_a_message_that_is_too_long(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_RANGE, "%2000d", 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void fail_drops_newlines_at_the_end(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_TOOL, "ld said\n\n");
    assert_string_equal(err.message, "ld said");
}

static void fail_may_quote_the_message_that_it_replaces(void **state)
{
    (void)state;
    struct dpk_error err = {.message = "old"};
    dpk_fail(&err, DPK_ERR_TOOL, "new, was %s", err.message);
    assert_string_equal(err.message, "new, was old");
}

static void fail_errno_tells_the_reason_and_maps_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    errno = EACCES;
    assert_int_equal(dpk_fail_errno(&err, "open %s", "f"), DPK_ERR_IO);
    assert_string_equal(err.message, "open f: Permission denied");
    errno = ENOENT;
    assert_int_equal(dpk_fail_errno(&err, "f"), DPK_ERR_NOT_FOUND);
    errno = ENOMEM;
    assert_int_equal(dpk_fail_errno(&err, "f"), DPK_ERR_NOMEM);
}

static void fail_nomem_says_out_of_memory(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(dpk_fail_nomem(&err), DPK_ERR_NOMEM);
    assert_string_equal(err.message, "out of memory");
}

static void prefix_goes_before_the_message_and_keeps_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {.status = DPK_ERR_CRYPTO, .message = "bad key"};
    assert_int_equal(dpk_error_prefix(&err, "slot %d", 3), DPK_ERR_CRYPTO);
    assert_string_equal(err.message, "slot 3: bad key");
}

static void prefix_cuts_a_message_that_grows_too_long(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_RANGE, "%1020d", 1);
    dpk_error_prefix(&err, "%010d", 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_memory_equal(err.message, "0000000001:  ", 13);
}

static void prefix_without_an_error_is_no_success(void **state)
{
    (void)state;
    assert_int_not_equal(dpk_error_prefix(NULL, "x"), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_the_error_and_returns_the_status),
        cmocka_unit_test(fail_without_an_error_returns_the_status),
        cmocka_unit_test(characters_that_are_not_seen_become_escapes),
        cmocka_unit_test(text_is_cleaned_of_what_steers_terminals),
        cmocka_unit_test(messages_keep_their_lines_and_are_not_read_beyond_their_end),
        cmocka_unit_test(fail_cuts_a_message_that_is_too_long),
        cmocka_unit_test(fail_drops_newlines_at_the_end),
        cmocka_unit_test(fail_may_quote_the_message_that_it_replaces),
        cmocka_unit_test(fail_errno_tells_the_reason_and_maps_the_status),
        cmocka_unit_test(fail_nomem_says_out_of_memory),
        cmocka_unit_test(prefix_goes_before_the_message_and_keeps_the_status),
        cmocka_unit_test(prefix_cuts_a_message_that_grows_too_long),
        cmocka_unit_test(prefix_without_an_error_is_no_success),
    };
    return cmocka_run_group_tests_name("base_errors", tests, NULL, NULL);
}
