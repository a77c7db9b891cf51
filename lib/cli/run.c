/* Runs a tool from its table: chooses the command, and checks its words and options. */
#include "line.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Commands ---- */

static const struct dpk_command *find_command(const struct dpk_tool *tool, const char *word)
{
    for (size_t i = 0; tool->commands[i]; i++)
        if (cli_in_list(tool->commands[i]->names, ",", word, strlen(word)))
            return tool->commands[i];
    return strcmp(word, cli_help_command.names) == 0 ? &cli_help_command : NULL;
}

static enum dpk_status fail_unknown_command(const struct dpk_tool *tool, const char *word,
                                            struct dpk_error *err)
{
    struct dpk_buf names = {0};
    for (size_t i = 0; tool->commands[i]; i++) {
        const char *list = tool->commands[i]->names;
        dpk_put(&names, list, strcspn(list, ","));
        dpk_put_u8(&names, 0);
    }
    dpk_put(&names, cli_help_command.names, strlen(cli_help_command.names) + 1);
    char *near = cli_closest(word, &names);
    if (near)
        dpk_fail(err, DPK_ERR_USAGE, "unknown command %s; did you mean %s?", word, near);
    else
        dpk_fail(err, DPK_ERR_USAGE, "unknown command %s; see %s --help", word, tool->name);
    free(near);
    dpk_buf_free(&names);
    return DPK_ERR_USAGE;
}

/* Removes the command from the words. */
static enum dpk_status choose_command(const struct dpk_tool *tool, struct line *line,
                                      const struct dpk_command **out, struct dpk_error *err)
{
    const char **words = line->words;
    if (!tool->commands) {
        *out = tool->command;
        return DPK_OK;
    }
    if (line->word_count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see %s --help", tool->name);
    size_t at = 0;
    if (tool->command_last && !find_command(tool, words[0]))
        at = line->word_count - 1;
    *out = find_command(tool, words[at]);
    if (!*out)
        return fail_unknown_command(tool, words[0], err);
    line->word_count--;
    for (; at < line->word_count; at++)
        words[at] = words[at + 1];
    words[line->word_count] = NULL;
    return DPK_OK;
}

/* ---- Words ---- */

static bool ends_in_dots(const char *name, size_t length)
{
    return length > 3 && memcmp(name + length - 3, "...", 3) == 0;
}

static enum dpk_status check_words(const struct dpk_tool *tool, const struct dpk_command *c,
                                   const struct dpk_args *args, struct dpk_error *err)
{
    const char *list = c->words, *name;
    size_t length, count = 0;
    bool any = false;
    for (; cli_next_name(&list, " ", &name, &length); count++) {
        bool optional = name[0] == '[', dots = ends_in_dots(name, length - optional);
        any |= dots;
        if (count < args->count || optional)
            continue;
        if (c->names)
            return dpk_fail(err, DPK_ERR_USAGE, "usage: %s %s %s", tool->name, args->command,
                            c->words);
        return dpk_fail(err, DPK_ERR_USAGE, "no %.*s given; see %s --help", (int)length - 3 * dots,
                        name, tool->name);
    }
    if (any || args->count <= count)
        return DPK_OK;
    const char *between = c->names ? " " : "", *name_of = c->names ? args->command : "";
    if (!c->words)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "unexpected argument %s; usage: %s%s%s [OPTIONS], see %s --help",
                        args->words[count], tool->name, between, name_of, tool->name);
    return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s; usage: %s%s%s %s",
                    args->words[count], tool->name, between, name_of, c->words);
}

/* ---- Options ---- */

static bool in_table(const struct dpk_option *table, const struct dpk_option *o)
{
    for (; table && table->names; table++)
        if (table == o)
            return true;
    return false;
}

static bool has(const struct line *line, const char *names, const char *ends)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const char *first = line->uses[i].option->names;
        if (cli_in_list(names, ends, first, strcspn(first, ",")))
            return true;
    }
    return false;
}

static enum dpk_status check_taken(const struct dpk_command *c, const struct line *line,
                                   const struct dpk_args *args, struct dpk_error *err)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const struct dpk_option *o = line->uses[i].option;
        size_t length = strcspn(o->names, ",");
        if (!in_table(c->options, o) && !cli_in_list(c->needs, ",|", o->names, length) &&
            !cli_in_list(c->takes, ",", o->names, length))
            return dpk_fail(err, DPK_ERR_USAGE, "%s takes no %s%.*s", args->command,
                            length > 1 ? "--" : "-", (int)length, o->names);
    }
    return DPK_OK;
}

/* An option of a single value may be repeated with the same value. */
static bool is_conflict(const struct line *line, size_t at)
{
    const struct use *use = &line->uses[at];
    if (use->option->type == DPK_FLAG || use->option->type >= DPK_TEXTS)
        return false;
    for (size_t i = 0; i < at; i++)
        if (line->uses[i].option == use->option && strcmp(line->uses[i].value, use->value) != 0)
            return true;
    return false;
}

static enum dpk_status set_standards(const struct dpk_option *table, void *options,
                                     struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (const struct dpk_option *o = table; status == DPK_OK && o && o->names; o++)
        if (o->standard)
            status = cli_set(o, o->standard, options, 1, err);
    return status;
}

static enum dpk_status set_options(const struct line *line, void *options, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < line->use_count && status == DPK_OK; i++) {
        const struct use *use = &line->uses[i];
        status =
            is_conflict(line, i)
                ? dpk_fail(err, DPK_ERR_USAGE, "given twice%s%s", use->option->again ? "; " : "",
                           use->option->again ? use->option->again : "")
                : cli_set(use->option, use->value, options, line->use_count, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "option %.*s", use->spelled, use->word);
    }
    return status;
}

/* Reports, for example, "--json goes with --list and --show". */
static enum dpk_status check_company(const struct line *line, struct dpk_error *err)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const struct dpk_option *o = line->uses[i].option;
        const char *list = o->with, *name;
        size_t length;
        struct dpk_buf text = {0};
        if (!list || has(line, list, ","))
            continue;
        cli_put_dashed(&text, o->names, strcspn(o->names, ","));
        for (bool first = true; cli_next_name(&list, ",", &name, &length); first = false) {
            dpk_put_format(&text, "%s", first ? " goes with " : " and ");
            cli_put_dashed(&text, name, length);
        }
        enum dpk_status status = text.failed ? dpk_fail_nomem(err)
                                             : dpk_fail(err, DPK_ERR_USAGE, "%.*s", (int)text.size,
                                                        (const char *)text.data);
        dpk_buf_free(&text);
        return status;
    }
    return DPK_OK;
}

/* Gets the next group of required options ("p|k") that is not on the command line. */
static bool next_needed(const char **list, const struct line *line, char group[64])
{
    const char *name;
    size_t length;
    while (cli_next_name(list, ",", &name, &length)) {
        assert(length < 64);
        snprintf(group, 64, "%.*s", (int)length, name);
        if (!has(line, group, "|"))
            return true;
    }
    return false;
}

/* Reports, for example, "burn needs -i FILE". */
static enum dpk_status check_needed(const struct dpk_tool *tool, const struct dpk_command *c,
                                    const struct line *line, const struct dpk_args *args,
                                    struct dpk_error *err)
{
    char group[64];
    for (const char *list = c->needs; next_needed(&list, line, group);) {
        const size_t length = strcspn(group, "|");
        const struct dpk_option *o = cli_find(tool, group, length);
        if (o && o->absent)
            continue;
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs %s%.*s %s", args->command,
                        length > 1 ? "--" : "-", (int)length, group, o && o->arg ? o->arg : "");
    }
    return DPK_OK;
}

static enum dpk_status set_absent(const struct dpk_tool *tool, const struct dpk_command *c,
                                  const struct line *line, void *options, struct dpk_error *err)
{
    char group[64];
    enum dpk_status status = DPK_OK;
    for (const char *list = c->needs; status == DPK_OK && next_needed(&list, line, group);) {
        const struct dpk_option *o = cli_find(tool, group, strcspn(group, "|"));
        status = o->absent((char *)options + o->at, err);
    }
    return status;
}

/* ---- Running ---- */

static enum dpk_status run_command(const struct dpk_tool *tool, const struct dpk_command *c,
                                   const struct line *line, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    size_t size = c->size ? c->size : tool->size;
    void *options = calloc(1, size + 1);
    if (!options)
        return dpk_fail_nomem(err);
    if (tool->defaults)
        memcpy(options, tool->defaults, tool->size);
    enum dpk_status status = set_standards(tool->options, options, err);
    if (status == DPK_OK)
        status = set_standards(c->options, options, err);
    if (status == DPK_OK)
        status = set_options(line, options, err);
    if (status == DPK_OK)
        status = check_company(line, err);
    if (status == DPK_OK)
        status = check_needed(tool, c, line, args, err);
    if (status == DPK_OK)
        status = set_absent(tool, c, line, options, err);
    if (status == DPK_OK && tool->start)
        tool->start();
    if (status == DPK_OK)
        status = c->run(options, args, err);
    for (size_t i = 0; i < line->use_count; i++)
        cli_unset(line->uses[i].option, options);
    if (c->release)
        c->release(options);
    free(options);
    return status;
}

/* Runs "help" or "help COMMAND". */
static enum dpk_status run_help(const struct dpk_tool *tool, const struct dpk_args *args,
                                struct dpk_error *err)
{
    const struct dpk_command *c = args->count ? find_command(tool, args->words[0]) : NULL;
    if (args->count && !c)
        return fail_unknown_command(tool, args->words[0], err);
    if (c && c != &cli_help_command)
        cli_help_of(tool, c, stdout);
    else
        cli_help(tool, stdout);
    return DPK_OK;
}

static enum dpk_status run_line(const struct dpk_tool *tool, struct line *line,
                                struct dpk_error *err)
{
    const struct dpk_command *c = NULL;
    char name[64];
    enum dpk_status status = choose_command(tool, line, &c, err);
    if (status != DPK_OK)
        return status;
    snprintf(name, sizeof name, "%.*s", c->names ? (int)strcspn(c->names, ",") : INT_MAX,
             c->names ? c->names : tool->name);
    const struct dpk_args args = {.command = name, .words = line->words, .count = line->word_count};
    status = check_taken(c, line, &args, err);
    if (status == DPK_OK)
        status = check_words(tool, c, &args, err);
    if (status == DPK_OK && c == &cli_help_command)
        return run_help(tool, &args, err);
    return status == DPK_OK ? run_command(tool, c, line, &args, err) : status;
}

static int refused_code;

void dpk_tool_exit_with(int code)
{
    refused_code = code;
}

static int exit_code(const struct dpk_tool *tool, enum dpk_status status)
{
    if (status != DPK_OK && status != DPK_ERR_USAGE && refused_code)
        return refused_code;
    if (tool->exit_code)
        return tool->exit_code(status);
    return status == DPK_OK ? 0 : status == DPK_ERR_USAGE ? 2 : 1;
}

static void warn(const char *text)
{
    fprintf(stderr, "-W- %s\n", text);
}

int dpk_tool_main(const struct dpk_tool *tool, int argc, char **argv)
{
    struct dpk_error err = {0};
    struct line line = {0};
    assert(cli_is_sound(tool));
    cli_json_start(exit_code(tool, DPK_ERR_NOMEM));
    enum dpk_status status = cli_line_read(tool, argc, argv, &line, &err);
    if (status == DPK_OK && line.help)
        cli_help(tool, stdout);
    else if (status == DPK_OK && line.version && tool->version)
        puts(tool->version);
    else if (status == DPK_OK && line.version)
        printf("%s dpakit %s\n", tool->name, dpk_version);
    else if (status == DPK_OK) {
        dpk_environment_check(argv, warn);
        status = run_line(tool, &line, &err);
    }
    cli_line_free(&line);
    /* Report only the first error. */
    enum dpk_status flushed = dpk_tool_flush(status == DPK_OK ? &err : NULL);
    if (status == DPK_OK)
        status = flushed;
    if (status != DPK_OK && err.message[0])
        dpk_tool_fail(&err);
    return exit_code(tool, status);
}
