/* lib/base: UUIDs, option tables, the version. */
#include "cli/cli.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- UUIDs ----------------------------------------------------------------------------------- */

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

/* ---- Command lines --------------------------------------------------------------------------- */

static const char *food, *out;
static bool quiet;
static size_t list_count;
static const char *list_last;

static enum dpk_status parse_list(void *context, const char *arg, struct dpk_error *err)
{
    assert_ptr_equal(context, &list_count);
    if (arg && strcmp(arg, "bad") == 0)
        return dpk_fail(err, DPK_ERR_RANGE, "not that one");
    list_count++;
    list_last = arg;
    return DPK_OK;
}

static const struct dpk_option options[] = {
    {.names = "o,out", .arg = "FILE", .value = &out, .help = "where to write"},
    {.names = "food", .arg = "DISH", .value = &food, .help = "what to eat"},
    {.names = "q,quiet,silent", .flag = &quiet, .help = "say less"},
    {.names = "l,list", .arg = "ITEM", .parse = parse_list, .context = &list_count, .help = "add"},
    {.names = "twice", .parse = parse_list, .context = &list_count},
    {.names = "an-option-with-a-name", .arg = "AND-A-LONG-ARGUMENT", .value = &food, .help = "x"},
    {0}};

static struct dpk_args words;
static struct dpk_error error;

static enum dpk_status parse_as(bool single_dash, char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    food = out = list_last = NULL;
    quiet = false;
    list_count = 0;
    error = (struct dpk_error){0};
    free(words.words);
    words = (struct dpk_args){0};
    return dpk_options_parse(options, single_dash, argc, argv, &words, &error);
}

#define ARGV(...)         ((char *[]){"tool", __VA_ARGS__, NULL})
#define PARSE(...)        parse_as(false, ARGV(__VA_ARGS__))
#define PARSE_SINGLE(...) parse_as(true, ARGV(__VA_ARGS__))

static void assert_usage(enum dpk_status status, const char *message)
{
    assert_int_equal(status, DPK_ERR_USAGE);
    assert_int_equal(error.status, DPK_ERR_USAGE);
    assert_string_equal(error.message, message);
    assert_true(!words.words && words.count == 0);
}

static void options_take_a_value_in_every_spelling(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("--out", "f"), ARGV("--out=f"), ARGV("-o", "f"), ARGV("-of")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(false, spellings[i]), DPK_OK);
        assert_string_equal(out, "f");
        assert_int_equal(words.count, 0);
    }
}

static void options_take_every_name_of_a_flag(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("-q"), ARGV("--quiet"), ARGV("--silent")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(false, spellings[i]), DPK_OK);
        assert_true(quiet);
    }
}

static void options_take_any_value_even_one_with_dashes_or_none(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--out", "--quiet", "--food", "--"), DPK_OK);
    assert_string_equal(out, "--quiet");
    assert_string_equal(food, "--");
    assert_int_equal(PARSE("--food=", "-l=x"), DPK_OK);
    assert_string_equal(food, "");
    assert_string_equal(list_last, "=x");
    assert_int_equal(PARSE("--out=a=b"), DPK_OK);
    assert_string_equal(out, "a=b");
}

static void options_refuse_a_file_without_a_name(void **state)
{
    (void)state;
    assert_usage(PARSE("--out="), "option --out: the file name is empty");
    assert_usage(PARSE("-o", ""), "option -o: the file name is empty");
}

static void uuid_option_is_wrong_usage_that_names_the_option(void **state)
{
    (void)state;
    struct dpk_uuid u;
    error = (struct dpk_error){0};
    assert_usage(dpk_uuid_option("-u", "77dd", &u, &error), "option -u: '77dd' is not a UUID");
    assert_usage(dpk_uuid_option("-u", "00000000-0000-0000-0000-000000000000", &u, &error),
                 "option -u: the UUID must not be zero");
    assert_int_equal(dpk_uuid_option("-u", "77dd4ef0-c633-11ed-9e20-001dd8b744ff", &u, &error),
                     DPK_OK);
}

static void unknown_command_gets_a_suggestion_or_the_place_to_look(void **state)
{
    (void)state;
    static const char *const commands[] = {"query", "burn", NULL};
    assert_usage(dpk_fail_command(&error, "tool", "qeury", commands),
                 "unknown command qeury; did you mean query?");
    assert_usage(dpk_fail_command(&error, "tool", "x", commands),
                 "unknown command x; see tool --help");
}

static void options_take_one_value(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-o", "one", "--out=one"), DPK_OK);
    assert_string_equal(out, "one");
    assert_usage(PARSE("-o", "one", "--out=two"), "option --out: given twice");
    assert_int_equal(PARSE("--list=a", "--list=b"), DPK_OK);
}

static void options_and_words_mix_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(PARSE("one", "-q", "two", "--out", "f", "-", "", "three"), DPK_OK);
    assert_true(quiet);
    assert_string_equal(out, "f");
    const char *const expected[] = {"one", "two", "-", "", "three"};
    assert_int_equal(words.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(words.words[i], expected[i]);
    assert_null(words.words[words.count]);
}

static void options_end_at_two_dashes(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-q", "--", "--nonsense", "--", "-o"), DPK_OK);
    assert_int_equal(words.count, 3);
    assert_string_equal(words.words[0], "--nonsense");
    assert_string_equal(words.words[1], "--");
    assert_null(out);
}

static void options_may_be_absent(void **state)
{
    (void)state;
    assert_int_equal(parse_as(false, (char *[]){"tool", NULL}), DPK_OK);
    assert_int_equal(words.count, 0);
    assert_int_equal(parse_as(false, (char *[]){NULL}), DPK_OK);
    assert_int_equal(words.count, 0);
}

static void options_unknown_one_gets_a_suggestion(void **state)
{
    (void)state;
    assert_usage(PARSE("--foo"), "unknown option --foo; did you mean --food?");
    assert_usage(PARSE("a", "--quite=1"), "unknown option --quite; did you mean --quiet?");
    assert_usage(PARSE("-food"), "unknown option -food; did you mean --food?");
    assert_usage(PARSE("--o"), "unknown option --o; did you mean -o?");
}

static void options_unknown_one_unlike_any_gets_none(void **state)
{
    (void)state;
    assert_usage(PARSE("--zzzzzz"), "unknown option --zzzzzz; see --help");
    assert_usage(PARSE("-z"), "unknown option -z; see --help");
    assert_usage(PARSE("--=x"), "unknown option --; see --help");
    assert_usage(PARSE("-=x"), "unknown option -; see --help");
    assert_usage(PARSE("--,"), "unknown option --,; see --help");
    assert_usage(PARSE("-qv"), "unknown option -qv; see --help");
}

static void options_need_the_whole_name(void **state)
{
    (void)state;
    assert_usage(PARSE("--qui"), "unknown option --qui; see --help");
    assert_usage(PARSE("--outs=x"), "unknown option --outs; did you mean --out?");
    assert_usage(PARSE("--o,out=x"), "unknown option --o,out; see --help");
}

static void options_without_their_argument_fail(void **state)
{
    (void)state;
    assert_usage(PARSE("--out"), "option --out needs an argument (FILE)");
    assert_usage(PARSE("-q", "-o"), "option -o needs an argument (FILE)");
}

static void options_flag_with_a_value_fails(void **state)
{
    (void)state;
    assert_usage(PARSE("--quiet=1"), "option --quiet takes no argument");
    assert_usage(PARSE("--quiet="), "option --quiet takes no argument");
    assert_usage(PARSE("-q=1"), "option -q takes no argument");
    assert_false(quiet);
}

static void options_call_parse_once_per_use(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-l", "a", "--list=b", "--list", "c"), DPK_OK);
    assert_int_equal(list_count, 3);
    assert_string_equal(list_last, "c");
    assert_int_equal(PARSE("--list=b", "--twice"), DPK_OK);
    assert_int_equal(list_count, 2);
    assert_null(list_last);
}

static void options_error_of_parse_names_the_option(void **state)
{
    (void)state;
    assert_int_equal(PARSE("word", "--list=bad"), DPK_ERR_RANGE);
    assert_string_equal(error.message, "option --list: not that one");
    assert_null(words.words);
}

static void options_fail_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(dpk_options_parse(options, false, 2, ARGV("--nope"), &words, NULL),
                     DPK_ERR_USAGE);
    assert_int_equal(dpk_options_parse(options, false, 2, ARGV("-lbad"), &words, NULL),
                     DPK_ERR_RANGE);
}

static void options_single_dash_names_are_refused_unless_asked_for(void **state)
{
    (void)state;
    assert_usage(PARSE("-quiet"), "unknown option -quiet; did you mean --quiet?");
    assert_int_equal(PARSE("-out=f"), DPK_OK); /* -o with "ut=f" */
    assert_string_equal(out, "ut=f");
}

static void options_single_dash_names_take_every_spelling(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("-out", "f"), ARGV("-out=f"),  ARGV("--out", "f"),
                                ARGV("--out=f"),   ARGV("-o", "f"), ARGV("-of"),
                                ARGV("-o=f")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(true, spellings[i]), DPK_OK);
        assert_string_equal(out, "f");
    }
}

static void options_single_dash_letter_wins_only_if_no_name_matches_whole(void **state)
{
    (void)state;
    assert_int_equal(PARSE_SINGLE("-outs"), DPK_OK);
    assert_string_equal(out, "uts");
    assert_int_equal(PARSE_SINGLE("-list", "x"), DPK_OK);
    assert_string_equal(list_last, "x");
}

static void options_single_dash_errors_use_one_dash(void **state)
{
    (void)state;
    assert_usage(PARSE_SINGLE("-foo"), "unknown option -foo; did you mean -food?");
    assert_usage(PARSE_SINGLE("--foo"), "unknown option --foo; did you mean --food?");
    assert_usage(PARSE_SINGLE("-quiet=1"), "option -quiet takes no argument");
    assert_usage(PARSE_SINGLE("-out"), "option -out needs an argument (FILE)");
}

static void help_has_two_columns_and_leaves_out_the_hidden(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    dpk_options_help(options, to);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(text, "  -o, --out FILE         where to write\n"
                              "      --food DISH        what to eat\n"
                              "  -q, --quiet, --silent  say less\n"
                              "  -l, --list ITEM        add\n"
                              "      --an-option-with-a-name AND-A-LONG-ARGUMENT\n"
                              "                         x\n");
    free(text);
}

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

static void version_has_three_numbers(void **state)
{
    (void)state;
    int a, b, c, end = 0;
    assert_int_equal(sscanf(dpk_version, "%d.%d.%d%n", &a, &b, &c, &end), 3);
    assert_int_equal(dpk_version[end], 0);
}

static int free_words(void **state)
{
    (void)state;
    free(words.words);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uuid_parse_and_format_are_inverse),
        cmocka_unit_test(uuid_parse_takes_both_cases),
        cmocka_unit_test(uuid_parse_is_strict),
        cmocka_unit_test(uuid_new_time_is_version_1_and_new),
        cmocka_unit_test(uuid_is_zero_looks_at_every_byte),
        cmocka_unit_test(options_take_a_value_in_every_spelling),
        cmocka_unit_test(options_take_every_name_of_a_flag),
        cmocka_unit_test(options_take_any_value_even_one_with_dashes_or_none),
        cmocka_unit_test(options_refuse_a_file_without_a_name),
        cmocka_unit_test(uuid_option_is_wrong_usage_that_names_the_option),
        cmocka_unit_test(unknown_command_gets_a_suggestion_or_the_place_to_look),
        cmocka_unit_test(options_take_one_value),
        cmocka_unit_test(options_and_words_mix_in_any_order),
        cmocka_unit_test(options_end_at_two_dashes),
        cmocka_unit_test(options_may_be_absent),
        cmocka_unit_test(options_unknown_one_gets_a_suggestion),
        cmocka_unit_test(options_unknown_one_unlike_any_gets_none),
        cmocka_unit_test(options_need_the_whole_name),
        cmocka_unit_test(options_without_their_argument_fail),
        cmocka_unit_test(options_flag_with_a_value_fails),
        cmocka_unit_test(options_call_parse_once_per_use),
        cmocka_unit_test(options_error_of_parse_names_the_option),
        cmocka_unit_test(options_fail_without_an_error_to_fill),
        cmocka_unit_test(options_single_dash_names_are_refused_unless_asked_for),
        cmocka_unit_test(options_single_dash_names_take_every_spelling),
        cmocka_unit_test(options_single_dash_letter_wins_only_if_no_name_matches_whole),
        cmocka_unit_test(options_single_dash_errors_use_one_dash),
        cmocka_unit_test(help_has_two_columns_and_leaves_out_the_hidden),
        cmocka_unit_test(closest_finds_the_nearest_within_a_third),
        cmocka_unit_test(closest_gives_up_on_very_long_words),
        cmocka_unit_test(version_has_three_numbers),
    };
    return cmocka_run_group_tests_name("base_options", tests, NULL, free_words);
}
