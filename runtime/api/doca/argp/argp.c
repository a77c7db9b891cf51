/* The parser: starts, reads the command line and a file, and calls the program back. */
#include <errno.h>

#include "private.h"

/* ---- Parameters of every program ---- */

static doca_error_t set_level(void *param, void *config)
{
    (void)config;
    return dpk_doca_inner(doca_log_level_set_global_lower_limit((uint32_t) * (int *)param));
}

static doca_error_t set_sdk_level(void *param, void *config)
{
    (void)config;
    return dpk_doca_inner(doca_log_level_set_global_sdk_limit((uint32_t) * (int *)param));
}

/* For parameters that the reader of the command line handles itself. */
static doca_error_t nothing(void *param, void *config)
{
    (void)param;
    (void)config;
    return DOCA_SUCCESS;
}

#define LEVELS "10 DISABLE, 20 CRITICAL, 30 ERROR, 40 WARNING, 50 INFO, 60 DEBUG, 70 TRACE"

static doca_error_t add_general(const struct param *plan)
{
    struct doca_argp_param *handle = NULL;
    const doca_error_t result = dpk_doca_inner(doca_argp_param_create(&handle));
    if (result != DOCA_SUCCESS)
        return result;
    struct param *a = dpk_object_pin(handle, &argp_param_kind);
    if (a) {
        a->short_name = plan->short_name;
        a->long_name = plan->long_name;
        a->arguments = plan->arguments;
        a->description = plan->description;
        a->type = plan->type;
        a->callback = plan->callback;
        a->general = true;
        dpk_object_drop(a);
    }
    return dpk_doca_inner(doca_argp_register_param(handle));
}

static doca_error_t add_all_general(void)
{
    static const struct param general[] = {
        {.short_name = "h",
         .long_name = "help",
         .description = "Print this text and exit",
         .type = DOCA_ARGP_TYPE_BOOLEAN,
         .callback = nothing},
        {.short_name = "v",
         .long_name = "version",
         .description = "Print the version and exit",
         .type = DOCA_ARGP_TYPE_BOOLEAN,
         .callback = nothing},
        {.short_name = "l",
         .long_name = "log-level",
         .arguments = "<level>",
         .description = "How much the program says: " LEVELS,
         .type = DOCA_ARGP_TYPE_INT,
         .callback = set_level},
        {.long_name = "sdk-log-level",
         .arguments = "<level>",
         .description = "How much the libraries say",
         .type = DOCA_ARGP_TYPE_INT,
         .callback = set_sdk_level},
        {.short_name = "j",
         .long_name = "json",
         .arguments = "<path>",
         .description = "Read options from a JSON file too",
         .type = DOCA_ARGP_TYPE_STRING,
         .callback = nothing},
    };
    doca_error_t result = DOCA_SUCCESS;
    for (size_t i = 0; i < sizeof general / sizeof *general && result == DOCA_SUCCESS; i++)
        result = add_general(&general[i]);
    return result;
}

/* ---- The parser ---- */

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    if (argp_parser_now())
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_BAD_STATE, __func__,
                                    "a parser exists already; doca_argp_destroy ends it");
    struct parser *p = calloc(1, sizeof *p);
    if (!p)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_NO_MEMORY);
    p->config = program_config;
    if (!(p->program = strdup(program_name ? program_name : program_invocation_short_name))) {
        free(p);
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_NO_MEMORY);
    }
    argp_parser_set(p);
    doca_error_t result = add_all_general();
    if (result != DOCA_SUCCESS)
        (void)dpk_doca_inner(doca_argp_destroy());
    return dpk_doca_end(NULL, __func__, result);
}

static void forget_values(struct parser *p)
{
    for (size_t i = 0; i < p->count; i++) {
        p->values[i].param->given = false;
        free(p->values[i].copy);
    }
    free(p->values);
    p->values = NULL;
    p->count = p->capacity = 0;
}

doca_error_t doca_argp_destroy(void)
{
    struct parser *p = argp_parser_now();
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    argp_parser_set(NULL);
    forget_values(p);
    argp_params_forget(p->first);
    argp_cmds_forget(p->cmds);
    free(p->dpdk_argv);
    free(p->program);
    free(p);
    return DOCA_SUCCESS;
}

/* ---- Callbacks of the program ---- */

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
    struct parser *p = argp_parser_now();
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    p->validate = callback;
    return dpk_doca_end(NULL, __func__, callback ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_argp_register_version_callback(doca_argp_version_cb_t callback)
{
    struct parser *p = argp_parser_now();
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    p->version = callback;
    return dpk_doca_end(NULL, __func__, callback ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
}

void doca_argp_usage(void)
{
    if (!argp_parser_now())
        return;
    argp_print_usage(argp_parser_now());
    exit(0);
}

/* ---- Starting ---- */

static void show_version(const struct parser *p)
{
    if (p->version)
        p->version(NULL, p->config);
    else
        printf("%s: dpakit %s\n", p->program, DPK_VERSION);
    exit(0);
}

static doca_error_t check_list(const struct parser *p, const struct param *first)
{
    char title[80];
    for (const struct param *a = first; a; a = a->next)
        if (a->mandatory && !a->given)
            return argp_complain(p, "%s is missing; see --help", argp_param_title(a, title));
    return DOCA_SUCCESS;
}

/* Checks that mandatory parameters are given, and that a singular parameter is given alone. */
static doca_error_t check_values(const struct parser *p)
{
    char title[80];
    const struct param *own = NULL, *singular = NULL;
    doca_error_t result = check_list(p, p->first);
    for (const struct cmd *c = p->current; c && result == DOCA_SUCCESS; c = c->parent)
        result = check_list(p, c->first);
    for (size_t i = 0; i < p->count && result == DOCA_SUCCESS; i++) {
        const struct param *a = p->values[i].param;
        if (own && a != own && !a->general && (singular || a->singular))
            return argp_complain(p, "%s must be given alone",
                                 argp_param_title(singular ? singular : a, title));
        own = a->general ? own : a;
        singular = a->singular ? a : singular;
    }
    return result;
}

/* Calls the outermost command first. */
static doca_error_t call_commands(const struct parser *p, const struct cmd *c)
{
    doca_error_t result = c ? call_commands(p, c->parent) : DOCA_SUCCESS;
    if (c && c->callback && result == DOCA_SUCCESS)
        result = c->callback(p->config);
    return result;
}

static doca_error_t hand_out(const struct parser *p, bool general)
{
    for (size_t i = 0; i < p->count; i++) {
        struct value *v = &p->values[i];
        char title[80];
        int number = (int)v->number;
        if (v->param->general != general)
            continue;
        void *what = v->copy                                ? (void *)v->copy
                     : v->param->type == DOCA_ARGP_TYPE_INT ? (void *)&number
                                                            : (void *)&v->on;
        doca_error_t result = v->param->callback(what, p->config);
        if (result != DOCA_SUCCESS) {
            char *why = dpk_doca_take_reason();
            argp_complain(p, "%s: %s", argp_param_title(v->param, title),
                          why ? why : doca_error_get_descr(result));
            free(why);
            return result;
        }
    }
    return DOCA_SUCCESS;
}

/* Gets the given value of the parameter, else `otherwise`. */
static doca_error_t get_level(const char *name, uint32_t otherwise, int *out)
{
    struct parser *p = argp_parser_now();
    if (!out)
        return DOCA_ERROR_INVALID_VALUE;
    if (!p)
        return argp_no_parser();
    *out = (int)otherwise;
    for (size_t i = 0; i < p->count; i++)
        if (p->values[i].param == argp_find_long(p, name, strlen(name)))
            *out = (int)p->values[i].number;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
    return dpk_doca_end(NULL, __func__,
                        get_level("log-level", doca_log_level_get_global_lower_limit(), log_level));
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
    return dpk_doca_end(
        NULL, __func__,
        get_level("sdk-log-level", doca_log_level_get_global_sdk_limit(), log_level));
}

doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
    struct parser *p = argp_parser_now();
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    p->lenient = true;
    return DOCA_SUCCESS;
}

/* Calls the program's callbacks for commands, for flags of DPDK, and for the whole. */
static doca_error_t call_back(struct parser *p)
{
    doca_error_t result = call_commands(p, p->current);
    if (result == DOCA_SUCCESS && p->dpdk)
        result = p->dpdk(p->dpdk_argc, p->dpdk_argv);
    if (result == DOCA_SUCCESS && p->validate)
        result = p->validate(p->config);
    return result == DOCA_SUCCESS ? result
                                  : dpk_doca_refuse_call(NULL, result, "doca_argp_start",
                                                         "a callback of the program failed: %s",
                                                         doca_error_get_descr(result));
}

/* Passes the given values to the program's callbacks, and reports a failure. */
static doca_error_t finish(struct parser *p)
{
    doca_error_t result = check_values(p);
    if (result == DOCA_SUCCESS)
        result = hand_out(p, true);
    if (result == DOCA_SUCCESS)
        result = hand_out(p, false);
    return result == DOCA_SUCCESS ? call_back(p) : result;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
    struct parser *p = argp_parser_now();
    const char *json = NULL;
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    if (argc < 1 || !argv)
        return dpk_doca_no_object(__func__);
    forget_values(p);
    p->current = NULL;
    const int dashes = p->dpdk ? argp_take_dpdk(p, argc, argv) : 0;
    if (p->dpdk && !p->dpdk_argv)
        return dpk_doca_end(NULL, __func__, DOCA_ERROR_NO_MEMORY);
    doca_error_t result = argp_parse_command_line(p, argc - dashes, argv + dashes, &json);
    if (result == DOCA_SUCCESS && argp_find_long(p, "help", 4)->given)
        doca_argp_usage();
    if (result == DOCA_SUCCESS && argp_find_long(p, "version", 7)->given)
        show_version(p);
    if (result == DOCA_SUCCESS && json)
        result = argp_parse_json(p, json);
    return result == DOCA_SUCCESS ? finish(p) : result; /* argp_complain reported it */
}
