/* Two tools, one with commands and one without, for tests that run them; and running them, with what
 * they print and how they end. */
#ifndef TESTS_CLI_TOOLS_H
#define TESTS_CLI_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#include <cmocka.h>

/* ---- Two tools ---- */

struct options {
    bool quiet;
    const char *device;
};

struct make_options {
    struct options tool;
    const char *name, *out, *key, *at;
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
    if (o->at)
        printf(" at=%s", o->at);
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

static bool is_port(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
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
    {"k,key", DPK_TEXT, "KEY", MAKE(key), .again = "one key signs", .help = "key"},
    {"at", DPK_TEXT, "[PORT]", MAKE(at), .alone = "any", .is_argument = is_port},
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

#endif
