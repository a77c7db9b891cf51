/* Splits a command line into options and words. */
#include "line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Unknown options ---- */

/* Returns the option name that is closest to `word`, allocated; or NULL. */
static char *suggestion(const struct dpk_tool *tool, const char *word)
{
    struct dpk_buf names = {0};
    const struct dpk_option *table;
    for (size_t i = 0; (table = cli_table(tool, i)); i++)
        for (const struct dpk_option *o = table; o->names; o++) {
            const char *list = o->names, *name;
            size_t length;
            while (cli_next_name(&list, ",", &name, &length)) {
                dpk_put(&names, name, length);
                dpk_put_u8(&names, 0);
            }
        }
    char *found = cli_closest(word, &names);
    dpk_buf_free(&names);
    return found;
}

static enum dpk_status fail_unknown(const struct dpk_tool *tool, const char *word,
                                    struct dpk_error *err)
{
    int length = (int)strcspn(word, "=");
    bool two_dashes = word[1] == '-';
    enum dpk_status status = DPK_ERR_USAGE;
    char *name = strndup(word + 1 + two_dashes, (size_t)(length - 1 - two_dashes));
    char *near = name ? suggestion(tool, name) : NULL;
    if (near) {
        bool one_dash = !near[1] || (tool->single_dash_names && !two_dashes);
        dpk_fail(err, status, "unknown option %.*s; did you mean %s%s?", length, word,
                 one_dash ? "-" : "--", near);
    } else {
        dpk_fail(err, status, "unknown option %.*s; see --help", length, word);
        if (tool->unknown)
            status = tool->unknown(word, err);
    }
    free(near);
    free(name);
    return status;
}

/* ---- Options and words ---- */

/* `word` starts with a dash and is neither "-" nor "--". Returns false if the tool has no such
 * option. */
static bool recognise(const struct dpk_tool *tool, const char *word, struct use *use)
{
    bool two_dashes = word[1] == '-';
    const char *name = word + 1 + two_dashes;
    size_t length = strcspn(name, "=");
    use->word = word;
    if (length > 1 && (two_dashes || tool->single_dash_names)) {
        use->option = cli_find(tool, name, length);
        use->value = name[length] ? name + length + 1 : NULL;
        use->spelled = (int)length + 1 + two_dashes;
        if (use->option)
            return true;
    }
    if (two_dashes)
        return false;

    use->option = cli_find(tool, name, 1);
    use->value = name[1] ? name + 1 : NULL;
    use->spelled = 2;
    if (!use->option || (use->value && use->option->type == DPK_FLAG && name[1] != '='))
        return false;
    if (tool->single_dash_names && name[1] == '=')
        use->value = name + 2;
    return true;
}

static bool is_word(const struct dpk_tool *tool, const char *word)
{
    return word[0] != '-' || !word[1] ||
           (tool->negative_numbers && isdigit((unsigned char)word[1]));
}

/* `next` is the next word, or NULL. Sets `*taken` if the next word is the option's argument. */
static enum dpk_status read_use(const struct dpk_tool *tool, const char *word, const char *next,
                                struct use *use, bool *taken, struct dpk_error *err)
{
    *use = (struct use){0};
    *taken = false;
    if (!recognise(tool, word, use))
        return fail_unknown(tool, word, err);
    bool takes = use->option->type != DPK_FLAG;
    if (use->option->alone && !use->value && (!next || !use->option->is_argument(next))) {
        use->value = use->option->alone;
        return DPK_OK;
    }
    if (!takes && use->value)
        return dpk_fail(err, DPK_ERR_USAGE, "option %.*s takes no argument", use->spelled, word);
    if (takes && !use->value && !next)
        return dpk_fail(err, DPK_ERR_USAGE, "option %.*s needs an argument (%s)", use->spelled,
                        word, use->option->arg);
    *taken = takes && !use->value;
    if (*taken)
        use->value = next;
    if ((use->option->type == DPK_FILE || use->option->type == DPK_FILES) && !*use->value)
        return dpk_fail(err, DPK_ERR_USAGE, "option %.*s: the file name is empty", use->spelled,
                        word);
    return DPK_OK;
}

enum dpk_status cli_line_read(const struct dpk_tool *tool, int argc, char **argv, struct line *line,
                              struct dpk_error *err)
{
    size_t most = (size_t)(argc < 0 ? 0 : argc) + 1;
    const struct dpk_option *help = cli_help_options(tool);
    bool ended = false;
    *line = (struct line){.uses = calloc(most, sizeof *line->uses),
                          .words = calloc(most, sizeof *line->words)};
    if (!line->uses || !line->words)
        return dpk_fail_nomem(err);
    for (int i = 1; i < argc; i++) {
        if (ended || is_word(tool, argv[i])) {
            line->words[line->word_count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            continue;
        }
        bool taken;
        struct use *use = &line->uses[line->use_count++];
        enum dpk_status status =
            read_use(tool, argv[i], i + 1 < argc ? argv[i + 1] : NULL, use, &taken, err);
        if (status != DPK_OK)
            return status;
        i += taken;
        line->help |= use->option == &help[0];
        line->version |= use->option == &help[1];
    }
    return DPK_OK;
}

void cli_line_free(struct line *line)
{
    free(line->uses);
    free(line->words);
}
