/* Values of parameters, from the command line. */
#include <errno.h>
#include <limits.h>
#include <strings.h>

#include "private.h"

const char *argp_param_title(const struct param *a, char out[80])
{
    snprintf(out, 80, "%s%s", a->long_name ? "--" : "-",
             a->long_name ? a->long_name : a->short_name);
    return out;
}

static bool is(const char *name, const char *word, size_t length)
{
    return name && strlen(name) == length && memcmp(name, word, length) == 0;
}

static struct param *find_in(struct param *first, bool is_long, const char *name, size_t length)
{
    struct param *a = first;
    while (a && !is(is_long ? a->long_name : a->short_name, name, length))
        a = a->next;
    return a;
}

/* Those of the current command, those that every program has, and what inner commands inherit; or
 * `all` of the commands on the way there. */
static struct param *find_param(const struct parser *p, bool is_long, const char *name,
                                size_t length, bool all)
{
    for (const struct cmd *c = p->current; c; c = c->parent) {
        struct param *a = find_in(c->first, is_long, name, length);
        if (a && (all || a->inherited || c == p->current))
            return a;
    }
    struct param *a = find_in(p->first, is_long, name, length);
    return a && (all || a->inherited || a->general || !p->current) ? a : NULL;
}

struct param *argp_find_short(const struct parser *p, const char *name, size_t length)
{
    return find_param(p, false, name, length, false);
}

struct param *argp_find_long(const struct parser *p, const char *name, size_t length)
{
    return find_param(p, true, name, length, false);
}

struct param *argp_find_in_file(const struct parser *p, const char *name)
{
    struct param *a = find_param(p, true, name, strlen(name), true);
    if (!a)
        a = find_param(p, false, name, strlen(name), true);
    return a && !a->cli_only ? a : NULL;
}

const struct cmd *argp_find_cmd(const struct parser *p, const char *name)
{
    const struct cmd *c = p->current ? p->current->cmds : p->cmds;
    while (c && strcasecmp(c->name, name) != 0)
        c = c->next;
    return c;
}

/* ---- Values ---- */

static doca_error_t note(struct parser *p, const struct value *v)
{
    char title[80];
    if (v->param->given && !v->param->many)
        return argp_complain(p, "%s is given twice", argp_param_title(v->param, title));
    if (p->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 16;
        struct value *more = reallocarray(p->values, capacity, sizeof *more);
        if (!more)
            return DOCA_ERROR_NO_MEMORY;
        p->values = more;
        p->capacity = capacity;
    }
    p->values[p->count] = *v;
    if (v->text && !(p->values[p->count].copy = strdup(v->text)))
        return DOCA_ERROR_NO_MEMORY;
    p->count++;
    v->param->given = true;
    return DOCA_SUCCESS;
}

doca_error_t argp_add_text(struct parser *p, struct param *a, const char *text)
{
    char title[80], *end = NULL;
    if (a->type == DOCA_ARGP_TYPE_STRING)
        return note(p, &(struct value){.param = a, .text = text});
    if (a->type == DOCA_ARGP_TYPE_JSON_OBJ)
        return argp_complain(p, "%s is an object, which only a file of --json gives",
                             argp_param_title(a, title));
    if (a->type == DOCA_ARGP_TYPE_BOOLEAN) {
        bool on = strcmp(text, "true") == 0;
        if (!on && strcmp(text, "false") != 0)
            return argp_complain(p, "%s: %s is neither true nor false", argp_param_title(a, title),
                                 text);
        return argp_add_bool(p, a, on);
    }
    errno = 0;
    long number = strtol(text, &end, 0);
    if (!*text || *end || errno != 0 || number < INT_MIN || number > INT_MAX)
        return argp_complain(p, "%s: %s is not a number of 32 bits", argp_param_title(a, title),
                             text);
    return note(p, &(struct value){.param = a, .number = number});
}

doca_error_t argp_add_object(struct parser *p, struct param *a, const char *text)
{
    char title[80];
    if (a->type != DOCA_ARGP_TYPE_JSON_OBJ)
        return argp_complain(p, "%s: not a value of its type", argp_param_title(a, title));
    return note(p, &(struct value){.param = a, .text = text});
}

doca_error_t argp_add_number(struct parser *p, struct param *a, double number)
{
    char title[80];
    if (a->type != DOCA_ARGP_TYPE_INT || number < INT_MIN || number > INT_MAX ||
        number != (double)(int)number)
        return argp_complain(p, "%s: not a value of its type", argp_param_title(a, title));
    return note(p, &(struct value){.param = a, .number = (long)number});
}

doca_error_t argp_add_bool(struct parser *p, struct param *a, bool on)
{
    char title[80];
    if (a->type != DOCA_ARGP_TYPE_BOOLEAN)
        return argp_complain(p, "%s: not a value of its type", argp_param_title(a, title));
    return note(p, &(struct value){.param = a, .on = on});
}

/* ---- The command line ---- */

doca_error_t argp_parse_command_line(struct parser *p, int argc, char **argv, const char **json)
{
    doca_error_t result = DOCA_SUCCESS;
    for (int i = 1; i < argc && result == DOCA_SUCCESS; i++) {
        const char *word = argv[i];
        const struct cmd *c = word[0] != '-' ? argp_find_cmd(p, word) : NULL;
        if (c) {
            p->current = c;
            continue;
        }
        if (word[0] != '-' || !word[1])
            return argp_complain(p, "unexpected argument %s; see --help", word);
        bool is_long = word[1] == '-';
        const char *name = word + 1 + is_long, *equals = is_long ? strchr(name, '=') : NULL;
        size_t length = equals ? (size_t)(equals - name) : strlen(name);
        struct param *a = (is_long ? argp_find_long : argp_find_short)(p, name, length);
        if (!a)
            return argp_complain(p, "unknown option %s; see --help", word);
        const char *text = equals ? equals + 1 : NULL;
        if (!text && a->type != DOCA_ARGP_TYPE_BOOLEAN && !(text = argv[++i]))
            return argp_complain(p, "%s needs a value", word);
        result = text ? argp_add_text(p, a, text) : argp_add_bool(p, a, true);
        if (a == argp_find_long(p, "json", 4))
            *json = text;
    }
    return result;
}
