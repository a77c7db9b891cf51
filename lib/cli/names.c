/* Looks up names of options in lists and in a tool's tables. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

bool cli_next_name(const char **list, const char *ends, const char **name, size_t *length)
{
    if (!*list || !**list)
        return false;
    *name = *list;
    *length = strcspn(*list, ends);
    *list += *length + ((*list)[*length] != 0);
    return true;
}

bool cli_in_list(const char *list, const char *ends, const char *name, size_t length)
{
    const char *one;
    size_t one_length;
    while (cli_next_name(&list, ends, &one, &one_length))
        if (one_length == length && memcmp(one, name, length) == 0)
            return true;
    return false;
}

void cli_put_dashed(struct dpk_buf *to, const char *name, size_t length)
{
    dpk_put_format(to, "%s%.*s", length > 1 ? "--" : "-", (int)length, name);
}

const struct dpk_option *cli_help_options(const struct dpk_tool *tool)
{
    static const struct dpk_option small[] = {{.names = "h,help", .help = "show this text"},
                                              {.names = "v,version", .help = "show the version"},
                                              {0}},
                                   large[] = {{.names = "h,help", .help = "show this text"},
                                              {.names = "V,version", .help = "show the version"},
                                              {0}};
    return tool->large_version ? large : small;
}

const struct dpk_option *cli_table(const struct dpk_tool *tool, size_t index)
{
    static const struct dpk_option none = {0};
    const struct dpk_option *table = NULL;
    if (index == 0)
        return cli_help_options(tool);
    if (index == 1)
        table = tool->options;
    else if (tool->commands && tool->commands[index - 2])
        table = tool->commands[index - 2]->options;
    else if (!tool->commands && index == 2)
        table = tool->command->options;
    else
        return NULL;
    return table ? table : &none;
}

const struct dpk_option *cli_find(const struct dpk_tool *tool, const char *name, size_t length)
{
    const struct dpk_option *table;
    for (size_t i = 0; (table = cli_table(tool, i)); i++)
        for (const struct dpk_option *o = table; o->names; o++)
            if (cli_in_list(o->names, ",", name, length))
                return o;
    return NULL;
}

static bool all_known(const struct dpk_tool *tool, const char *list)
{
    const char *name;
    size_t length;
    while (cli_next_name(&list, ",|", &name, &length)) {
        const struct dpk_option *o = cli_find(tool, name, length);
        if (!o || strcspn(o->names, ",") != length || memcmp(o->names, name, length) != 0)
            return false;
    }
    return true;
}

static bool all_unique(const struct dpk_tool *tool, const struct dpk_option *o)
{
    const char *list = o->names, *name;
    size_t length;
    while (cli_next_name(&list, ",", &name, &length))
        if (cli_find(tool, name, length) != o)
            return false;
    return true;
}

bool cli_is_sound(const struct dpk_tool *tool)
{
    const struct dpk_option *table;
    for (size_t i = 0; (table = cli_table(tool, i)); i++)
        for (const struct dpk_option *o = table; o->names; o++)
            if (!all_unique(tool, o) || !all_known(tool, o->with) ||
                (o->type != DPK_FLAG && !o->arg) || (o->type == DPK_PARSED && !o->parse))
                return false;
    if (!tool->commands)
        return all_known(tool, tool->command->needs) && all_known(tool, tool->command->takes);
    for (const struct dpk_command *const *c = tool->commands; *c; c++)
        if (!all_known(tool, (*c)->needs) || !all_known(tool, (*c)->takes))
            return false;
    return true;
}

char *cli_closest(const char *word, const struct dpk_buf *names)
{
    size_t count = 0;
    char *found = NULL;
    if (names->failed)
        return NULL;
    for (size_t i = 0; i < names->size; i++)
        count += names->data[i] == 0;
    const char **candidates = calloc(count + 1, sizeof *candidates);
    const char *text = (const char *)names->data;
    for (size_t i = 0; candidates && i < count; i++, text += strlen(text) + 1)
        candidates[i] = text;
    const char *best = candidates ? dpk_closest(word, candidates) : NULL;
    if (best)
        found = strdup(best);
    free(candidates);
    return found;
}
