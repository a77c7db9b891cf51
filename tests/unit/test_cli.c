/* lib/cli: the meaning of a tool's tables. */
#include "cli/line.h"
#include "cli_tools.h"

/* ---- Values ---- */

static void texts_come_in_every_spelling(void **state)
{
    (void)state;
    const char *text = "make 'n' out=f level=6 profile=0";
    EXPECT(many, text, "make", "n", "--output", "f");
    EXPECT(many, text, "--output=f", "make", "n");
    EXPECT(many, text, "make", "-o", "f", "n");
    EXPECT(many, text, "make", "n", "-of");
    EXPECT(many, "make 'n' out=a=b level=6 profile=0", "m", "n", "--output=a=b");
    EXPECT(many, "make 'n' name= level=6 profile=0", "make", "n", "--name=");
    EXPECT(many, "make 'n' name=--quiet level=6 profile=0", "make", "n", "--name", "--quiet");
}

static void every_name_of_a_flag_sets_it(void **state)
{
    (void)state;
    const char *text = "make 'n' quiet level=6 profile=0";
    EXPECT(many, text, "make", "n", "-q");
    EXPECT(many, text, "make", "n", "--quiet");
    EXPECT(many, text, "make", "n", "--silent", "-q");
    REFUSE(many, "option --quiet takes no argument", "make", "n", "--quiet=1");
    REFUSE(many, "option -q takes no argument", "make", "n", "-q=");
}

static void single_dash_names_take_every_spelling(void **state)
{
    (void)state;
    const char *text = "one 'n' name=nobody out=f level=6 profile=0";
    EXPECT(one, text, "n", "-output", "f");
    EXPECT(one, text, "n", "-output=f");
    EXPECT(one, text, "n", "--output=f");
    EXPECT(one, text, "n", "-o=f");
    EXPECT(one, text, "n", "-of");
    EXPECT(one, "one 'n' name=nobody out=utputs level=6 profile=0", "n", "-outputs");
    REFUSE(many, "unknown option -silent; did you mean --silent?", "make", "n", "-silent");
}

static void files_have_names(void **state)
{
    (void)state;
    REFUSE(many, "option --output: the file name is empty", "make", "n", "--output=");
    REFUSE(many, "option -f: the file name is empty", "make", "n", "-f", "");
}

static void numbers_are_digits_within_their_range(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' level=1 profile=0", "make", "n", "-l", "1");
    EXPECT(many, "make 'n' level=9 profile=0", "make", "n", "--level=9");
    EXPECT(many, "make 'n' level=6 profile=0", "make", "n");
    char *const bad[] = {"0", "10", "", "-1", "+1", " 1", "1x", "0x1", "18446744073709551617"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[100];
        snprintf(text, sizeof text, "option -l: '%s' is not a number from 1 to 9", bad[i]);
        refuse(&many, ARGV("make", "n", "-l", bad[i]), text);
    }
}

static void choices_are_those_of_the_table(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' level=6 profile=1", "make", "n", "--profile=full");
    EXPECT(many, "make 'n' level=6 profile=3", "make", "n", "--profile=none");
    REFUSE(many, "option --profile: 'Full' is not full, compact or none", "make", "n",
           "--profile=Full");
    REFUSE(many, "option --profile: 'full|compact' is not full, compact or none", "make", "n",
           "--profile=full|compact");
    REFUSE(many, "option --profile: '' is not full, compact or none", "make", "n", "--profile=");
}

static void uuids_are_any_but_zero(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' level=6 profile=0 uuid=77dd4ef0-c633-11ed-9e20-001dd8b744ff", "make",
           "n", "-u", "77dd4ef0-c633-11ed-9e20-001dd8b744ff");
    REFUSE(many, "option -u: '77dd' is not a UUID", "make", "n", "-u", "77dd");
    REFUSE(many, "option --uuid: the UUID must not be zero", "make", "n",
           "--uuid=00000000-0000-0000-0000-000000000000");
}

static void lists_keep_their_order(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' name=x level=6 profile=0 tag=a tag=b tag=a file=f", "make", "n",
           "--tag=a", "--tag", "b", "-ff", "--tag=a", "--name=x");
}

static void parsed_options_are_told_of_every_use(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' level=6 profile=0 parsed=2", "make", "n", "--even=ab", "--even", "");
    run(&many, ARGV("make", "n", "--even=abc"));
    assert_string_equal(err_text, "-E- option --even: not that one\n");
    assert_int_equal(code, 1);
}

static void what_options_parsed_into_is_released_after_failures_too(void **state)
{
    (void)state;
    released = 0;
    run(&many, ARGV("make", "n", "--even=ab"));
    assert_int_equal(released, 2);
    run(&many, ARGV("make", "n", "--even=ab", "--even=abc"));
    assert_int_equal(released, 4);
    run(&many, ARGV("make", "--even=ab"));
    assert_int_equal(released, 4);
}

static void one_value_is_enough(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' out=f level=6 profile=0", "make", "n", "-o", "f", "--output=f");
    REFUSE(many, "option --output: given twice", "make", "n", "-o", "f", "--output=g");
    REFUSE(many, "option -l: given twice", "make", "n", "-l", "1", "-l", "2");
    REFUSE(many, "option -k: given twice; one key signs", "make", "n", "-k", "a", "-k", "b");
}

static void an_argument_may_be_left_out(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' at=80 level=6 profile=0", "make", "--at", "80", "n");
    EXPECT(many, "make 'n' at=n level=6 profile=0", "make", "--at=n", "n");
    EXPECT(many, "make 'n' at=any level=6 profile=0", "make", "--at", "n");
    EXPECT(many, "make 'n' at=any level=6 profile=0", "make", "n", "--at");
    EXPECT(many, "make 'n' quiet at=any level=6 profile=0", "make", "n", "--at", "-q");
}

static void defaults_are_there_before(void **state)
{
    (void)state;
    EXPECT(one, "one 'n' name=nobody out=f level=6 profile=0", "n", "-o", "f");
    EXPECT(one, "one 'n' name=me out=f level=6 profile=0", "n", "-o", "f", "-name", "me");
}

static void arguments_are_needed(void **state)
{
    (void)state;
    REFUSE(many, "option --output needs an argument (FILE)", "make", "n", "--output");
    REFUSE(many, "option -o needs an argument (FILE)", "make", "n", "-o");
}

/* ---- Options and commands ---- */

static void unknown_options_get_a_suggestion(void **state)
{
    (void)state;
    REFUSE(many, "unknown option --levle; did you mean --level?", "--levle=1");
    REFUSE(many, "unknown option --devise; did you mean --device?", "make", "--devise", "d");
    REFUSE(many, "unknown option --hlep; did you mean --help?", "--hlep");
    REFUSE(many, "unknown option --o; did you mean -o?", "--o");
    REFUSE(one, "unknown option -nmae; did you mean -name?", "-nmae");
    REFUSE(one, "unknown option --levle; did you mean --level?", "--levle");
}

static void unknown_options_unlike_any_get_none(void **state)
{
    (void)state;
    char *const bad[] = {"--zzzzzz", "-z", "--,", "-qv", "--lev"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[100];
        snprintf(text, sizeof text, "unknown option %s; see --help", bad[i]);
        refuse(&many, ARGV("make", bad[i]), text);
    }
    REFUSE(many, "unknown option --; see --help", "--=x");
    REFUSE(many, "unknown option -; see --help", "-=x");
    REFUSE(one, "-O3 is for compilers", "-O3");
    REFUSE(one, "unknown option -z; see --help", "-z");
}

static void options_belong_to_commands(void **state)
{
    (void)state;
    EXPECT(many, "show 'a=b' device=d", "show", "a=b", "-d", "d");
    REFUSE(many, "show takes no --name", "show", "a=b", "-d", "d", "--name", "n");
    REFUSE(many, "list takes no -d", "list", "--device=d");
    REFUSE(many, "list takes no -q", "list", "--silent");
}

static void options_are_needed(void **state)
{
    (void)state;
    REFUSE(many, "show needs -d DEVICE", "show", "a=b");
    REFUSE(many, "sign needs -d DEVICE", "sign");
    EXPECT(many, "sign device=d", "sign", "-d", "d");
    EXPECT(many, "sign", "sign", "-q");
    REFUSE(one, "one needs -o FILE", "n");
}

static void options_have_company(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' name=x level=6 profile=0 tag=a", "make", "n", "--tag=a", "--name", "x");
    EXPECT(many, "make 'n' out=x level=6 profile=0 tag=a", "make", "n", "--tag=a", "-ox");
    REFUSE(many, "--tag goes with --name and -o", "make", "n", "--tag=a");
}

static void unknown_commands_get_a_suggestion_or_the_place_to_look(void **state)
{
    (void)state;
    REFUSE(many, "unknown command shwo; did you mean show?", "shwo");
    REFUSE(many, "unknown command x; see many --help", "x");
    REFUSE(many, "unknown command show,list; see many --help", "show,list");
    REFUSE(many, "no command; see many --help", "-q");
}

static void commands_may_be_last(void **state)
{
    (void)state;
    EXPECT(last, "show 'a' 'b' device=d", "show", "a", "b", "-d", "d");
    EXPECT(last, "show 'a' 'b' device=d", "a", "b", "-d", "d", "show");
    EXPECT(last, "show 'list' device=d", "show", "list", "-d", "d");
    REFUSE(last, "unknown command a; see many --help", "a", "b");
    REFUSE(many, "unknown command a; see many --help", "a", "show");
}

static void words_are_counted(void **state)
{
    (void)state;
    EXPECT(many, "make 'n' 'f' level=6 profile=0", "make", "n", "f");
    REFUSE(many, "usage: many make NAME [FILE]", "make");
    REFUSE(many, "unexpected argument g; usage: many make NAME [FILE]", "make", "n", "f", "g");
    REFUSE(many, "unexpected argument a; usage: many list [OPTIONS], see many --help", "list", "a");
    REFUSE(many, "usage: many show NAME=VALUE...", "show", "-d", "d");
    EXPECT(many, "show 'a' 'b' 'c' device=d", "show", "a", "b", "-d", "d", "c");
    REFUSE(one, "no INPUT given; see one --help", "-o", "f");
    EXPECT(one, "one '1' '2' '3' name=nobody out=f level=6 profile=0", "1", "2", "3", "-o", "f");
}

static void words_are_what_is_no_option(void **state)
{
    (void)state;
    EXPECT(many, "show '-' '' '--nonsense' '--' '-q' device=d", "show", "-d", "d", "-", "", "--",
           "--nonsense", "--", "-q");
    EXPECT(one, "one '-5' '-0x7' name=nobody out=f level=6 profile=0", "-5", "-0x7", "-o", "f");
    REFUSE(many, "unknown option -5; see --help", "make", "-5");
}

static void tables_that_name_what_is_not_there_are_not_sound(void **state)
{
    (void)state;
    static const struct dpk_option shared[] = {
        {.names = "d,device", .type = DPK_TEXT, .arg = "DEVICE"}, {.names = "q", .with = "d"}, {0}};
    static const struct dpk_option same[] = {{.names = "x,device", .type = DPK_TEXT, .arg = "X"},
                                             {0}};
    static const struct dpk_option alone[] = {{.names = "x", .with = "device"}, {0}};
    static const struct dpk_option bare[] = {{.names = "x", .type = DPK_TEXT}, {0}};
    const struct {
        struct dpk_command command;
        bool sound;
    } cases[] = {
        {{.needs = "d|q", .takes = "q"}, true},
        {{.needs = "device"}, false},
        {{.takes = "d,z"}, false},
        {{.needs = "q|z"}, false},
        {{.options = same}, false},
        {{.options = alone}, false},
        {{.options = bare}, false},
    };
    assert_true(cli_is_sound(&many) && cli_is_sound(&one));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dpk_command *const list[] = {&cases[i].command, NULL};
        const struct dpk_tool single = {.command = &cases[i].command, .options = shared},
                              several = {.commands = list, .options = shared};
        assert_int_equal(cli_is_sound(&single), cases[i].sound);
        assert_int_equal(cli_is_sound(&several), cases[i].sound);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_in_every_spelling),
        cmocka_unit_test(every_name_of_a_flag_sets_it),
        cmocka_unit_test(single_dash_names_take_every_spelling),
        cmocka_unit_test(files_have_names),
        cmocka_unit_test(numbers_are_digits_within_their_range),
        cmocka_unit_test(choices_are_those_of_the_table),
        cmocka_unit_test(uuids_are_any_but_zero),
        cmocka_unit_test(lists_keep_their_order),
        cmocka_unit_test(parsed_options_are_told_of_every_use),
        cmocka_unit_test(what_options_parsed_into_is_released_after_failures_too),
        cmocka_unit_test(one_value_is_enough),
        cmocka_unit_test(an_argument_may_be_left_out),
        cmocka_unit_test(defaults_are_there_before),
        cmocka_unit_test(arguments_are_needed),
        cmocka_unit_test(unknown_options_get_a_suggestion),
        cmocka_unit_test(unknown_options_unlike_any_get_none),
        cmocka_unit_test(options_belong_to_commands),
        cmocka_unit_test(options_are_needed),
        cmocka_unit_test(options_have_company),
        cmocka_unit_test(unknown_commands_get_a_suggestion_or_the_place_to_look),
        cmocka_unit_test(commands_may_be_last),
        cmocka_unit_test(words_are_counted),
        cmocka_unit_test(words_are_what_is_no_option),
        cmocka_unit_test(tables_that_name_what_is_not_there_are_not_sound),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
