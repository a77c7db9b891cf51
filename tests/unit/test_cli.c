/* lib/cli: tools from their tables, what they print and how they end. */
#include "cli/line.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Two tools ---- */

struct options {
    bool quiet;
    const char *device;
};

struct make_options {
    struct options tool;
    const char *name, *out, *key;
    unsigned level, profile;
    struct dpk_uuid uuid;
    struct dpk_list tags, files;
    unsigned parsed;
};

static enum dpk_status parse_even(void *context, const char *arg, struct dpk_error *err)
{
    unsigned *count = context;
    if (strlen(arg) % 2)
        return dpk_fail(err, DPK_ERR_RANGE, "not that one");
    ++*count;
    return DPK_OK;
}

static void print_list(const char *name, const struct dpk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        printf(" %s=%s", name, list->at[i]);
}

static void print_words(const struct dpk_args *args)
{
    printf("%s", args->command);
    for (size_t i = 0; i < args->count; i++)
        printf(" '%s'", args->words[i]);
    assert_null(args->words[args->count]);
}

static enum dpk_status make(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct make_options *o = options;
    char uuid[DPK_UUID_TEXT];
    dpk_uuid_format(&o->uuid, uuid);
    print_words(args);
    if (o->tool.quiet)
        printf(" quiet");
    if (o->tool.device)
        printf(" device=%s", o->tool.device);
    if (o->name)
        printf(" name=%s", o->name);
    if (o->out)
        printf(" out=%s", o->out);
    printf(" level=%u profile=%u", o->level, o->profile);
    if (!dpk_uuid_is_zero(&o->uuid))
        printf(" uuid=%s", uuid);
    print_list("tag", &o->tags);
    print_list("file", &o->files);
    if (o->parsed)
        printf(" parsed=%u", o->parsed);
    return o->name && strcmp(o->name, "bad") == 0
               ? dpk_fail(err, DPK_ERR_FORMAT, "bad: \033[2J\177 it is \303\274")
               : DPK_OK;
}

static int released;

static void count_release(void *options)
{
    const struct make_options *o = options;
    released += 1 + (int)o->parsed;
}

static enum dpk_status tell(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    (void)err;
    print_words(args);
    printf("%s%s", o->device ? " device=" : "", o->device ? o->device : "");
    return DPK_OK;
}

static enum dpk_status fail_told(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options, (void)args, (void)err;
    return DPK_ERR_TOOL;
}

#define MAKE(field) offsetof(struct make_options, field)

static const struct dpk_option make_options[] = {
    {"name", DPK_TEXT, "NAME", MAKE(name), .help = "what to call it"},
    {"o,output", DPK_FILE, "FILE", MAKE(out), .help = "where to write"},
    {"l,level", DPK_NUMBER, "N", MAKE(level), 1, 9, .standard = "6", .help = "how hard to try"},
    {"profile", DPK_CHOICE, "full|compact|none", MAKE(profile), .help = "which"},
    {"u,uuid", DPK_UUID, "UUID", MAKE(uuid), .help = "of whom"},
    {"tag", DPK_TEXTS, "TAG", MAKE(tags), .with = "name,o", .help = "more of it"},
    {"f,file", DPK_FILES, "FILE", MAKE(files), .help = "more files"},
    {"even", DPK_PARSED, "TEXT", MAKE(parsed), .parse = parse_even},
    {"k,key", DPK_TEXT, "KEY", MAKE(key), .help = "key"},
    {0}};
static const struct dpk_option shared_options[] = {
    {"q,quiet,silent", DPK_FLAG, .at = offsetof(struct options, quiet), .help = "say less"},
    {"d,device", DPK_TEXT, "DEVICE", offsetof(struct options, device), .help = "which device"},
    {0}};

static const struct dpk_command make_command = {.names = "make,m",
                                                .words = "NAME [FILE]",
                                                .help = "make one",
                                                .takes = "q,d",
                                                .options = make_options,
                                                .size = sizeof(struct make_options),
                                                .run = make,
                                                .release = count_release};
static const struct dpk_command show_command = {"show", "NAME=VALUE...", "show it", .needs = "d",
                                                .run = tell};
static const struct dpk_command list_command = {"list", .help = "list all", .run = tell};
static const struct dpk_command sign_command = {"sign", .help = "sign it", .needs = "d|q",
                                                .run = tell};
static const struct dpk_command told_command = {"told", .help = "fail", .run = fail_told};
static const struct dpk_command *const commands[] = {&make_command, &show_command, &list_command,
                                                     &sign_command, &told_command, NULL};

static const struct dpk_tool many = {.name = "many",
                                     .usage = "many [OPTIONS] COMMAND",
                                     .about = "Does several things.",
                                     .commands = commands,
                                     .options = shared_options,
                                     .size = sizeof(struct options)};

static const struct make_options defaults = {.name = "nobody"};

static int four(enum dpk_status status)
{
    return status == DPK_OK ? 0 : 4;
}

static enum dpk_status hint(const char *word, struct dpk_error *err)
{
    return word[1] == 'O' ? dpk_fail(err, DPK_ERR_USAGE, "%s is for compilers", word)
                          : DPK_ERR_USAGE;
}

static const struct dpk_command only_command = {
    .words = "INPUT... [LAST]", .needs = "o|k", .options = make_options, .run = make};
static const struct dpk_tool one = {.name = "one",
                                    .usage = "one INPUT... -o FILE",
                                    .about = "Does one thing.",
                                    .notes = "Exit codes: 0 done, 4 not.",
                                    .command = &only_command,
                                    .size = sizeof(struct make_options),
                                    .defaults = &defaults,
                                    .version = "one 1.0, and more",
                                    .large_version = true,
                                    .single_dash_names = true,
                                    .negative_numbers = true,
                                    .unknown = hint,
                                    .exit_code = four};
static const struct dpk_tool last = {.name = "many",
                                     .usage = "many COMMAND",
                                     .about = "x",
                                     .commands = commands,
                                     .options = shared_options,
                                     .size = sizeof(struct options),
                                     .command_last = true};

/* ---- Running them ---- */

static char out_text[8192], err_text[2048];
static int code;

static int redirect(FILE *stream, int to)
{
    fflush(stream);
    int saved = dup(fileno(stream));
    assert_true(saved >= 0 && dup2(to, fileno(stream)) >= 0);
    return saved;
}

static void restore(FILE *stream, int saved)
{
    fflush(stream);
    clearerr(stream);
    assert_true(dup2(saved, fileno(stream)) >= 0);
    close(saved);
}

static void read_back(FILE *file, char *text, size_t size)
{
    rewind(file);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = 0;
    fclose(file);
}

static void run(const struct dpk_tool *tool, char **argv)
{
    int argc = 0;
    FILE *out = tmpfile(), *err = tmpfile();
    assert_true(out && err);
    while (argv[argc])
        argc++;
    int saved_out = redirect(stdout, fileno(out)), saved_err = redirect(stderr, fileno(err));
    code = dpk_tool_main(tool, argc, argv);
    restore(stdout, saved_out);
    restore(stderr, saved_err);
    read_back(out, out_text, sizeof out_text);
    read_back(err, err_text, sizeof err_text);
}

#define ARGV(...) ((char *[]){"x", __VA_ARGS__, NULL})

static void expect(const struct dpk_tool *tool, char **argv, const char *text)
{
    run(tool, argv);
    assert_string_equal(err_text, "");
    assert_string_equal(out_text, text);
    assert_int_equal(code, 0);
}

static void refuse(const struct dpk_tool *tool, char **argv, const char *text)
{
    char line[512];
    run(tool, argv);
    snprintf(line, sizeof line, "-E- %s\n", text);
    assert_string_equal(err_text, line);
    assert_string_equal(out_text, "");
    assert_int_equal(code, tool->exit_code ? 4 : 2);
}

#define EXPECT(tool, text, ...) expect(&tool, ARGV(__VA_ARGS__), text)
#define REFUSE(tool, text, ...) refuse(&tool, ARGV(__VA_ARGS__), text)

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
    REFUSE(many, "unexpected argument a; usage: many list", "list", "a");
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

/* ---- Help, version, ends ---- */

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
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
