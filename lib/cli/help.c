/* --help, from a tool's tables. */
#include "line.h"

#include <string.h>

#define OPTION_MAX  34 /* wider ones have their help on the next line */
#define COMMAND_MAX 30

/* "-o, --output FILE". Names of more letters stand below each other. */
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

/* "query|q [NAME...]" */
static void put_command(struct dpk_buf *to, const struct dpk_command *c)
{
    const char *list = c->names, *name;
    size_t length;
    for (bool first = true; cli_next_name(&list, ",", &name, &length); first = false)
        dpk_put_format(to, "%s%.*s", first ? "  " : "|", (int)length, name);
    if (c->words)
        dpk_put_format(to, " %s", c->words);
}

/* What it is called, then `help` in the column of all. */
static void print_row(struct dpk_buf *left, size_t column, const char *help, const char *standard,
                      FILE *to)
{
    if (left->failed)
        return;
    fprintf(to, "%.*s", (int)left->size, (const char *)left->data);
    if (left->size > column)
        fprintf(to, "\n%*s", (int)column + 2, "");
    else
        fprintf(to, "%*s", (int)(column - left->size) + 2, "");
    fputs(help, to);
    if (standard)
        fprintf(to, " (default %s)", standard);
    fputc('\n', to);
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
