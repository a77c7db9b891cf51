#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* The names of a comma list, one call each; false after the last one. */
static bool next_name(const char **list, const char **name, size_t *length)
{
    if (!**list)
        return false;
    *name = *list;
    *length = strcspn(*list, ",");
    *list += *length + ((*list)[*length] == ',');
    return true;
}

static const struct dpk_option *find(const struct dpk_option *table, const char *wanted,
                                     size_t wanted_length)
{
    for (const struct dpk_option *o = table; o->names; o++) {
        const char *list = o->names, *name;
        size_t length;
        while (next_name(&list, &name, &length))
            if (length == wanted_length && memcmp(name, wanted, length) == 0)
                return o;
    }
    return NULL;
}

/* Allocates the answer; NULL also when memory runs out: a suggestion is a courtesy. */
static char *suggestion(const struct dpk_option *table, const char *word)
{
    struct dpk_buf names = {0};
    const char **candidates = NULL;
    char *found = NULL;
    size_t count = 0;
    for (const struct dpk_option *o = table; o->names; o++) {
        const char *list = o->names, *name;
        size_t length;
        while (next_name(&list, &name, &length)) {
            dpk_put(&names, name, length);
            dpk_put_u8(&names, 0);
            count++;
        }
    }
    candidates = calloc(count + 1, sizeof *candidates);
    if (names.failed || !candidates)
        goto out;
    const char *text = (const char *)names.data;
    for (size_t i = 0; i < count; i++) {
        candidates[i] = text;
        text += strlen(text) + 1;
    }
    const char *best = dpk_closest(word, candidates);
    found = best ? strdup(best) : NULL;
out:
    free(candidates);
    dpk_buf_free(&names);
    return found;
}

static enum dpk_status unknown(const struct dpk_option *table, bool single_dash_names,
                               const char *word, const char **strange, struct dpk_error *err)
{
    int length = (int)strcspn(word, "=");
    bool two_dashes = word[1] == '-';
    char *name = strndup(word + 1 + two_dashes, (size_t)(length - 1 - two_dashes));
    char *near = name ? suggestion(table, name) : NULL;
    if (near) {
        bool one_dash = !near[1] || (single_dash_names && !two_dashes);
        dpk_fail(err, DPK_ERR_USAGE, "unknown option %.*s; did you mean %s%s?", length, word,
                 one_dash ? "-" : "--", near);
    } else {
        dpk_fail(err, DPK_ERR_USAGE, "unknown option %.*s; see --help", length, word);
        *strange = word;
    }
    free(near);
    free(name);
    return DPK_ERR_USAGE;
}

/* One option as it stands on the command line. */
struct use {
    const struct dpk_option *option;
    const char *value; /* in the same word, or NULL */
    int spelled;       /* so much of the word is the option, dashes and all */
};

/* `word` starts with a dash and is neither "-" nor "--". False: the table does not have it. */
static bool recognise(const struct dpk_option *table, bool single_dash_names, const char *word,
                      struct use *use)
{
    bool two_dashes = word[1] == '-';
    const char *name = word + 1 + two_dashes;
    size_t length = strcspn(name, "=");
    if (length > 1 && (two_dashes || single_dash_names)) {
        use->option = find(table, name, length);
        use->value = name[length] ? name + length + 1 : NULL;
        use->spelled = (int)length + 1 + two_dashes;
        if (use->option)
            return true;
    }
    if (two_dashes)
        return false;

    use->option = find(table, name, 1);
    use->value = name[1] ? name + 1 : NULL;
    use->spelled = 2;
    if (!use->option || (use->value && !use->option->arg && name[1] != '='))
        return false;
    if (single_dash_names && name[1] == '=')
        use->value = name + 2;
    return true;
}

static enum dpk_status apply(const struct use *use, const char *word, bool again,
                             struct dpk_error *err)
{
    const struct dpk_option *o = use->option;
    if (again && o->value && use->value && strcmp(*o->value, use->value) != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "option %.*s: given twice", use->spelled, word);
    if (o->parse) {
        enum dpk_status status = o->parse(o->context, use->value, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "option %.*s", use->spelled, word);
        return status;
    }
    if (o->value && o->arg)
        *o->value = use->value;
    if (o->flag)
        *o->flag = true;
    return DPK_OK;
}

enum dpk_status dpk_options_parse(const struct dpk_option *table, bool single_dash_names, int argc,
                                  char **argv, struct dpk_args *args, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const char *strange = NULL;
    bool ended = false;
    *args = (struct dpk_args){0};
    args->words = calloc((size_t)(argc < 0 ? 0 : argc) + 1, sizeof *args->words);
    if (!args->words)
        return dpk_fail_nomem(err);

    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (ended || word[0] != '-' || !word[1]) {
            args->words[args->count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            ended = true;
            continue;
        }
        struct use use = {0};
        if (!recognise(table, single_dash_names, word, &use)) {
            status = unknown(table, single_dash_names, word, &strange, err);
            goto out;
        }
        if (use.option->arg && !use.value) {
            if (i + 1 == argc) {
                status = dpk_fail(err, DPK_ERR_USAGE, "option %.*s needs an argument (%s)",
                                  use.spelled, word, use.option->arg);
                goto out;
            }
            use.value = argv[++i];
        } else if (!use.option->arg && use.value) {
            status =
                dpk_fail(err, DPK_ERR_USAGE, "option %.*s takes no argument", use.spelled, word);
            goto out;
        }
        if (use.value && !*use.value && strcmp(use.option->arg, "FILE") == 0) {
            status = dpk_fail(err, DPK_ERR_USAGE, "option %.*s: the file name is empty",
                              use.spelled, word);
            goto out;
        }
        uint64_t bit = use.option - table < 64 ? UINT64_C(1) << (use.option - table) : 0;
        status = apply(&use, word, args->used & bit, err);
        if (status != DPK_OK)
            goto out;
        args->used |= bit;
    }
out:
    if (status != DPK_OK) {
        free(args->words);
        *args = (struct dpk_args){.unknown = strange};
    }
    return status;
}

static bool in_list(const char *list, const char *wanted, size_t wanted_length)
{
    const char *name;
    size_t length;
    while (next_name(&list, &name, &length))
        if (length == wanted_length && memcmp(name, wanted, length) == 0)
            return true;
    return false;
}

enum dpk_status dpk_options_only(const struct dpk_option *table, const struct dpk_args *args,
                                 const char *command, const char *allowed, struct dpk_error *err)
{
    for (size_t i = 0; i < 64 && table[i].names; i++) {
        int length = (int)strcspn(table[i].names, ",");
        if (args->used >> i & 1 && !in_list(allowed, table[i].names, (size_t)length))
            return dpk_fail(err, DPK_ERR_USAGE, "%s takes no %s%.*s", command,
                            length > 1 ? "--" : "-", length, table[i].names);
    }
    return DPK_OK;
}

/* "  -o, --output FILE"; returns its width. With `to` NULL it only measures. */
static int print_names(const struct dpk_option *o, FILE *to)
{
    const char *list = o->names, *name, *before = NULL;
    size_t length;
    int width = 0;
    while (next_name(&list, &name, &length)) {
        if (!before) /* names of more letters stand below each other */
            before = length > 1 ? "      " : "  ";
        const char *dashes = length > 1 ? "--" : "-";
        width += (int)(strlen(before) + strlen(dashes) + length);
        if (to)
            fprintf(to, "%s%s%.*s", before, dashes, (int)length, name);
        before = ", ";
    }
    if (o->arg) {
        width += (int)strlen(o->arg) + 1;
        if (to)
            fprintf(to, " %s", o->arg);
    }
    return width;
}

void dpk_options_help(const struct dpk_option *table, FILE *to)
{
    const int widest = 34; /* wider ones have their help on the next line */
    int column = 0;
    for (const struct dpk_option *o = table; o->names; o++) {
        int width = o->help ? print_names(o, NULL) : 0;
        if (width > column && width <= widest)
            column = width;
    }
    for (const struct dpk_option *o = table; o->names; o++) {
        if (!o->help)
            continue;
        int width = print_names(o, to);
        if (width > column) {
            fputc('\n', to);
            width = 0;
        }
        fprintf(to, "%*s%s\n", column - width + 2, "", o->help);
    }
}
