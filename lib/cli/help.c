/* Prints --help from a tool's tables. */
#include "line.h"

#include <string.h>

#define OPTION_MAX  34 /* wider options have their help on the next line */
#define COMMAND_MAX 30
#define WIDTH       100 /* of lines */

const struct dpk_command cli_help_command = {
    .names = "help", .words = "[COMMAND]", .help = "show this text, or that of a command"};

/* Appends "-o, --output FILE". Names are aligned: long names below long names. */
static void put_option(struct dpk_buf *to, const struct dpk_option *o)
{
    const char *list = o->names, *name;
    size_t length;
    for (bool first = true; cli_next_name(&list, ",", &name, &length); first = false) {
        dpk_put_format(to, "%s", !first ? ", " : length > 1 ? "      " : "  ");
        cli_put_dashed(to, name, length);
    }
    if (o->type != DPK_FLAG)
        dpk_put_format(to, " %s", o->arg);
}

/* Appends "query|q [NAME...]". */
static void put_command(struct dpk_buf *to, const struct dpk_command *c)
{
    const char *list = c->names, *name;
    size_t length;
    for (bool first = true; cli_next_name(&list, ",", &name, &length); first = false)
        dpk_put_format(to, "%s%.*s", first ? "  " : "|", (int)length, name);
    if (c->words)
        dpk_put_format(to, " %s", c->words);
}

/* Gets the next word, or a whole text in parentheses. Parentheses stay on one line, so that no line
 * starts with a dash like an option. */
static bool next_piece(const char **text, const char **piece, size_t *length)
{
    bool inside = **text == '(' && strchr(*text, ')');
    if (!cli_next_name(text, inside ? ")" : " ", piece, length))
        return false;
    if (inside) {
        ++*length;
        size_t behind = strcspn(*text, " ");
        *length += behind;
        *text += behind + ((*text)[behind] != 0);
    }
    return true;
}

/* Prints words from column `at` on. Words that do not fit continue on the next line, at
 * `column`. */
static void print_words(const char *text, size_t at, size_t column, FILE *to)
{
    const char *word;
    size_t length;
    for (bool first = true; next_piece(&text, &word, &length); first = false) {
        bool fits = at + 1 + length <= WIDTH;
        if (!first || !fits)
            fprintf(to, fits ? " " : "\n%*s", (int)column, "");
        at = fits ? at + !first : column;
        fprintf(to, "%.*s", (int)length, word);
        at += length;
    }
}

/* Prints the name in `left`, and `help` in the help column. */
static void print_row(struct dpk_buf *left, size_t column, const char *help, const char *standard,
                      FILE *to)
{
    struct dpk_buf text = {0};
    dpk_put_format(&text, standard ? "%s (default %s)" : "%s", help, standard);
    dpk_put_u8(&text, 0);
    if (left->failed || text.failed)
        goto out;
    fprintf(to, "%.*s", (int)left->size, (const char *)left->data);
    if (left->size > column)
        fprintf(to, "\n%*s", (int)column + 2, "");
    else
        fprintf(to, "%*s", (int)(column - left->size) + 2, "");
    print_words((const char *)text.data, column + 2, column + 2, to);
    fputc('\n', to);
out:
    dpk_buf_free(&text);
    left->size = 0;
}

static void widen(size_t *column, struct dpk_buf *left, size_t most)
{
    if (left->size > *column && left->size <= most)
        *column = left->size;
    left->size = 0;
}

static size_t option_column(const struct dpk_tool *tool, struct dpk_buf *left)
{
    size_t column = 0;
    const struct dpk_option *table;
    for (size_t i = 0; (table = cli_table(tool, i)); i++)
        for (const struct dpk_option *o = table; o->names; o++)
            if (o->help) {
                put_option(left, o);
                widen(&column, left, OPTION_MAX);
            }
    return column;
}

static void print_options(const struct dpk_option *table, size_t column, struct dpk_buf *left,
                          FILE *to)
{
    for (const struct dpk_option *o = table; o && o->names; o++)
        if (o->help) {
            put_option(left, o);
            print_row(left, column, o->help, o->standard, to);
        }
}

static void print_commands(const struct dpk_command *const *commands, struct dpk_buf *left,
                           FILE *to)
{
    size_t column = 0;
    fputs("\nCommands:\n", to);
    for (size_t i = 0; commands[i]; i++) {
        put_command(left, commands[i]);
        widen(&column, left, COMMAND_MAX);
    }
    for (size_t i = 0; commands[i]; i++) {
        put_command(left, commands[i]);
        print_row(left, column, commands[i]->help, NULL, to);
    }
    put_command(left, &cli_help_command);
    print_row(left, column, cli_help_command.help, NULL, to);
}

static bool has_command(const struct dpk_command *c, const struct dpk_option *o)
{
    size_t length = strcspn(o->names, ",");
    return cli_in_list(c->needs, ",|", o->names, length) ||
           cli_in_list(c->takes, ",", o->names, length);
}

/* Prints the options that the command accepts: the tool's and its own. */
static void print_options_of(const struct dpk_tool *tool, const struct dpk_command *c,
                             struct dpk_buf *left, FILE *to)
{
    size_t column = option_column(tool, left);
    for (const struct dpk_option *o = tool->options; o && o->names; o++)
        if (o->help && has_command(c, o)) {
            put_option(left, o);
            print_row(left, column, o->help, o->standard, to);
        }
    print_options(c->options, column, left, to);
}

void cli_help_of(const struct dpk_tool *tool, const struct dpk_command *c, FILE *to)
{
    struct dpk_buf left = {0};
    bool any = (c->options && c->options->names) || c->needs || c->takes;
    fprintf(to, "Usage: %s %.*s%s%s%s\n\n", tool->name, (int)strcspn(c->names, ","), c->names,
            c->words ? " " : "", c->words ? c->words : "", any ? " [OPTIONS]" : "");
    print_words(c->help, 0, 0, to);
    fputc('\n', to);
    if (any) {
        fputs("\nOptions:\n", to);
        print_options_of(tool, c, &left, to);
    }
    dpk_buf_free(&left);
}

void cli_help(const struct dpk_tool *tool, FILE *to)
{
    struct dpk_buf left = {0};
    size_t column = option_column(tool, &left);
    fprintf(to, "Usage: %s\n\n%s\n", tool->usage, tool->about);
    if (tool->commands)
        print_commands(tool->commands, &left, to);
    fputs("\nOptions:\n", to);
    print_options(tool->options, column, &left, to);
    if (tool->command)
        print_options(tool->command->options, column, &left, to);
    print_options(cli_help_options(tool), column, &left, to);
    for (size_t i = 0; tool->commands && tool->commands[i]; i++) {
        const struct dpk_command *c = tool->commands[i];
        if (c->options) {
            fprintf(to, "\nOptions of %.*s:\n", (int)strcspn(c->names, ","), c->names);
            print_options(c->options, column, &left, to);
        }
    }
    if (tool->notes)
        fprintf(to, "\n%s\n", tool->notes);
    dpk_buf_free(&left);
}
