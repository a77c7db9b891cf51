/* lib/cli: output and exit codes of tools. */
#include "cli_tools.h"

static void help_is_the_table(void **state)
{
    (void)state;
    EXPECT(many,
           "Usage: many [OPTIONS] COMMAND\n\nDoes several things.\n\nCommands:\n"
           "  make|m NAME [FILE]  make one\n"
           "  show NAME=VALUE...  show it\n"
           "  list                list all\n"
           "  sign                sign it\n"
           "  told                fail\n"
           "  help [COMMAND]      show this text, or that of a command\n"
           "\nOptions:\n"
           "  -q, --quiet, --silent            say less\n"
           "  -d, --device DEVICE              which device\n"
           "  -h, --help                       show this text\n"
           "  -v, --version                    show the version\n"
           "\nOptions of make:\n"
           "      --name NAME                  what to call it\n"
           "  -o, --output FILE                where to write\n"
           "  -l, --level N                    how hard to try (default 6)\n"
           "      --profile full|compact|none  which\n"
           "  -u, --uuid UUID                  of whom\n"
           "      --tag TAG                    more of it\n"
           "  -f, --file FILE                  more files\n"
           "  -k, --key KEY                    key\n",
           "--help");
    EXPECT(many,
           "Usage: many show NAME=VALUE... [OPTIONS]\n\nshow it\n\nOptions:\n"
           "  -d, --device DEVICE              which device\n",
           "help", "show");
    REFUSE(many, "unknown command mak; did you mean make?", "help", "mak");
    REFUSE(many, "unexpected argument m; usage: many help [COMMAND]", "help", "show", "m");
}

static void help_of_a_tool_without_commands_ends_in_its_notes(void **state)
{
    (void)state;
    run(&one, ARGV("-l", "0", "-h"));
    assert_int_equal(code, 0);
    assert_non_null(strstr(out_text, "Usage: one INPUT... -o FILE\n\nDoes one thing.\n\nOptions:\n"
                                     "      --name NAME "));
    assert_non_null(strstr(out_text, "  -V, --version                    show the version\n\n"
                                     "Exit codes: 0 done, 4 not.\n"));
    assert_null(strstr(out_text, "--even"));
}

static void version_is_told(void **state)
{
    (void)state;
    char text[100];
    snprintf(text, sizeof text, "many dpakit %s\n", dpk_version);
    EXPECT(many, text, "-v");
    EXPECT(many, text, "make", "--version");
    EXPECT(one, "one 1.0, and more\n", "-V");
    REFUSE(one, "unknown option -v; see --help", "-v");
}

static void version_has_three_numbers(void **state)
{
    (void)state;
    int a, b, c, end = 0;
    assert_int_equal(sscanf(dpk_version, "%d.%d.%d%n", &a, &b, &c, &end), 3);
    assert_int_equal(dpk_version[end], 0);
}

static void errors_are_one_line_that_steers_no_terminal(void **state)
{
    (void)state;
    run(&many, ARGV("make", "n", "--name", "bad"));
    assert_string_equal(err_text, "-E- bad: ?[2J? it is \303\274\n");
    assert_int_equal(code, 1);
    run(&one, ARGV("n", "--name", "bad", "-o", "f"));
    assert_int_equal(code, 4);
}

static void errors_that_were_told_are_not_told_again(void **state)
{
    (void)state;
    run(&many, ARGV("told"));
    assert_string_equal(err_text, "");
    assert_int_equal(code, 1);
}

static void output_that_is_lost_is_an_error(void **state)
{
    (void)state;
    int saved_out = redirect(stdout, STDERR_FILENO);
    FILE *full = fopen("/dev/full", "w"), *err = tmpfile();
    if (full)
        dup2(fileno(full), STDOUT_FILENO);
    int saved_err = redirect(stderr, fileno(err));
    code = dpk_tool_main(&many, 2, ARGV("list"));
    restore(stderr, saved_err);
    restore(stdout, saved_out);
    read_back(err, err_text, sizeof err_text);
    assert_non_null(full);
    fclose(full);
    assert_string_equal(err_text, "-E- standard output: No space left on device\n");
    assert_int_equal(code, 1);
}

static void no_arguments_at_all_are_survived(void **state)
{
    (void)state;
    run(&many, (char *[]){NULL});
    assert_string_equal(err_text, "-E- no command; see many --help\n");
    assert_int_equal(code, 2);
}

static void json_text_is_fit_for_a_terminal(void **state)
{
    (void)state;
    static const struct dpk_uuid uuid = {{0x77}};
    cJSON *o = cJSON_CreateObject();
    char long_text[3001];
    memset(long_text, 'a', 3000);
    long_text[3000] = 0;
    dpk_json_text(o, "bad", "\033[2J\xff,\n\303\274");
    dpk_json_text(o, "none", NULL);
    dpk_json_text(o, "long", long_text);
    dpk_json_uuid(o, "uuid", &uuid);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "bad")), "?[2J?, \303\274");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "none")), "");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "long")), long_text);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "uuid")),
                        "77000000-0000-0000-0000-000000000000");
    cJSON_Delete(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_the_table),
        cmocka_unit_test(help_of_a_tool_without_commands_ends_in_its_notes),
        cmocka_unit_test(version_is_told),
        cmocka_unit_test(version_has_three_numbers),
        cmocka_unit_test(errors_are_one_line_that_steers_no_terminal),
        cmocka_unit_test(errors_that_were_told_are_not_told_again),
        cmocka_unit_test(output_that_is_lost_is_an_error),
        cmocka_unit_test(no_arguments_at_all_are_survived),
        cmocka_unit_test(json_text_is_fit_for_a_terminal),
    };
    return cmocka_run_group_tests_name("cli_ends", tests, NULL, NULL);
}
