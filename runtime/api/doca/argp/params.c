/* Parameters as objects, the parser that owns them, and its error messages. */
#include <stdarg.h>

#include "private.h"

/* The parser of the program; the API has no object for it. */
static struct parser *the_parser;

struct parser *argp_parser_now(void)
{
    return the_parser;
}

void argp_parser_set(struct parser *p)
{
    the_parser = p;
}

static void param_release(void *object)
{
    struct param *a = object;
    for (size_t i = 0; i < sizeof a->copies / sizeof *a->copies; i++)
        free(a->copies[i]);
    free(a);
}
const struct dpk_kind argp_param_kind = {.release = param_release};

doca_error_t argp_no_parser(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "no parser exists; doca_argp_init makes it");
}

doca_error_t argp_registered(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "it is registered already");
}

doca_error_t argp_complain(const struct parser *p, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    if (p->logger)
        p->logger(DOCA_LOG_LEVEL_ERROR, format, ap);
    else
        vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (!p->logger)
        dpk_doca_log(DOCA_LOG_LEVEL_ERROR, "%s: %s", p->program, text);
    return DOCA_ERROR_INVALID_VALUE;
}

/* ---- Parameters ---- */

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
    if (!param)
        return dpk_doca_no_object(__func__);
    struct param *a = calloc(1, sizeof *a);
    *param = a ? dpk_object_enter(a, &argp_param_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *param ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

/* Returns the parameter, pinned, or NULL if it is registered: it then cannot change. */
static struct param *begin_set(struct doca_argp_param *param)
{
    struct param *a = dpk_object_pin(param, &argp_param_kind);
    if (!a || !a->registered)
        return a;
    dpk_object_drop(a);
    return NULL;
}

#define SETTER(setter, type, member)                                                               \
    void setter(struct doca_argp_param *param, type value)                                         \
    {                                                                                              \
        struct param *a = begin_set(param);                                                        \
        if (a)                                                                                     \
            a->member = value;                                                                     \
        dpk_object_drop(a);                                                                        \
    }

SETTER(doca_argp_param_set_short_name, const char *, short_name)
SETTER(doca_argp_param_set_long_name, const char *, long_name)
SETTER(doca_argp_param_set_arguments, const char *, arguments)
SETTER(doca_argp_param_set_description, const char *, description)
SETTER(doca_argp_param_set_callback, doca_argp_param_cb_t, callback)
SETTER(doca_argp_param_set_type, enum doca_argp_type, type)

#define FLAG(setter, member)                                                                       \
    void setter(struct doca_argp_param *param)                                                     \
    {                                                                                              \
        struct param *a = begin_set(param);                                                        \
        if (a)                                                                                     \
            a->member = true;                                                                      \
        dpk_object_drop(a);                                                                        \
    }

FLAG(doca_argp_param_set_mandatory, mandatory)
FLAG(doca_argp_param_set_multiplicity, many)
FLAG(doca_argp_param_set_singular, singular)
FLAG(doca_argp_param_set_inherited, inherited)
FLAG(doca_argp_param_set_hidden, hidden)
FLAG(doca_argp_param_set_cli_only, cli_only)

/* A sample of DOCA 3.2 has a long name of two words. */
static bool is_name(const char *name, const char *excluded)
{
    return !name || (*name && *name != '-' && !strpbrk(name, excluded) && strlen(name) < 64);
}

static bool is_complete(const struct param *a)
{
    return (a->short_name || a->long_name) && is_name(a->short_name, "= \t") &&
           is_name(a->long_name, "=\t") && a->description && a->callback &&
           a->type >= DOCA_ARGP_TYPE_STRING && a->type <= DOCA_ARGP_TYPE_JSON_OBJ;
}

static bool copy_texts(struct param *a)
{
    const char **const texts[] = {&a->short_name, &a->long_name, &a->arguments, &a->description};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (*texts[i] && !(a->copies[i] = strdup(*texts[i])))
            return false;
        *texts[i] = a->copies[i];
    }
    a->registered = true;
    return true;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

doca_error_t argp_param_take(struct param **list, struct param *a)
{
    if (!is_complete(a))
        return dpk_doca_because(DOCA_ERROR_INITIALIZATION,
                                "the parameter lacks a name, a description, a type or a callback");
    struct param **last = list;
    for (; *last; last = &(*last)->next)
        if (is_same((*last)->short_name, a->short_name) ||
            is_same((*last)->long_name, a->long_name))
            return dpk_doca_because(DOCA_ERROR_ALREADY_EXIST,
                                    "another parameter has the name \"%s\"",
                                    a->long_name ? a->long_name : a->short_name);
    if (!copy_texts(a))
        return DOCA_ERROR_NO_MEMORY;
    *last = a;
    return DOCA_SUCCESS;
}

void argp_params_forget(struct param *first)
{
    for (struct param *a = first, *next; a; a = next) {
        next = a->next;
        dpk_object_destroy(a->object.handle, &argp_param_kind);
    }
}

doca_error_t doca_argp_register_param(struct doca_argp_param *param)
{
    struct param *a = dpk_object_pin(param, &argp_param_kind);
    doca_error_t result = !the_parser     ? argp_no_parser()
                          : !a            ? DOCA_ERROR_INVALID_VALUE
                          : a->registered ? argp_registered()
                                          : argp_param_take(&the_parser->first, a);
    if (a && !a->registered)
        dpk_object_destroy(param,
                           &argp_param_kind); /* registering takes it over, also on failure */
    dpk_object_drop(a);
    return dpk_doca_end(param, __func__, result);
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
    struct param *a = dpk_object_pin(param, &argp_param_kind);
    doca_error_t result = !a              ? DOCA_ERROR_INVALID_VALUE
                          : a->registered ? argp_registered()
                                          : dpk_object_destroy(param, &argp_param_kind);
    dpk_object_drop(a);
    return dpk_doca_end(param, __func__, result);
}
