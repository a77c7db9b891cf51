/* Declarations that the files of libdoca_argp share. */
#ifndef DPK_API_DOCA_ARGP_PRIVATE_H
#define DPK_API_DOCA_ARGP_PRIVATE_H

#include <doca_argp.h>

#include "api/doca/core/core.h"

struct param {
    struct dpk_object object;
    struct param *next; /* in the parser */
    const char *short_name, *long_name, *arguments, *description;
    char *copies[4]; /* copies of these four texts, once registered */
    enum doca_argp_type type;
    doca_argp_param_cb_t callback;
    bool mandatory, many, singular, inherited, hidden, cli_only, registered;
    bool general; /* every program has it */
    bool given;   /* on the command line or in the file */
};

/* A value that the command line or the file gives to a parameter. */
struct value {
    struct param *param;
    const char *text; /* in argv or in the JSON document; NULL: true, of a boolean */
    char *copy;       /* a copy of the text, for the callback */
    long number;
    bool on;
};

/* A command, with its parameters and subcommands. */
struct cmd {
    struct dpk_object object;
    struct cmd *next, *parent; /* `next` in the parent's list, or in the parser's */
    const char *name, *description;
    char *copies[2]; /* copies of these two texts, once registered */
    doca_argp_cmd_cb_t callback;
    bool hidden, registered;
    struct param *first;
    struct cmd *cmds;
};

struct parser {
    char *program;
    void *config;
    struct param *first; /* parameters of the program itself */
    struct cmd *cmds;
    const struct cmd *current; /* the innermost command of the command line, or NULL */
    doca_argp_logger_cb_t logger;
    doca_argp_dpdk_cb_t dpdk;
    char **dpdk_argv; /* arguments for the DPDK callback */
    int dpdk_argc;
    doca_argp_validation_cb_t validate;
    doca_argp_version_cb_t version;
    struct value *values;
    size_t count, capacity;
    bool lenient; /* unknown entries of the file are not errors */
};

/* Store the reason of a failed call. Return BAD_STATE. */
doca_error_t argp_no_parser(void);
doca_error_t argp_registered(void);
/* Reports an error in the SDK's log or on stderr. Returns INVALID_VALUE. */
doca_error_t argp_complain(const struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes "--long", or "-short" without a long name, into `out`. */
const char *argp_param_title(const struct param *a, char out[80]);

/* Return the parameter with that name that the current command accepts, or NULL. */
struct param *argp_find_short(const struct parser *p, const char *name, size_t length);
struct param *argp_find_long(const struct parser *p, const char *name, size_t length);
/* Returns the parameter that a file may give by this name, or NULL. */
struct param *argp_find_in_file(const struct parser *p, const char *name);
/* Returns the command with that name after the current command, or NULL. */
const struct cmd *argp_find_cmd(const struct parser *p, const char *name);

/* Moves a parameter into a list. Errors: INITIALIZATION if it is incomplete, ALREADY_EXIST,
 * NO_MEMORY. */
doca_error_t argp_param_take(struct param **list, struct param *a);
/* Free a list of parameters, or of commands with their parameters and commands. */
void argp_params_forget(struct param *first);
void argp_cmds_forget(struct cmd *first);
/* Returns the parser of the program, or NULL. */
struct parser *argp_parser_now(void);
void argp_parser_set(struct parser *p);
extern const struct dpk_kind argp_param_kind;

/* Stores a value after checking it against the parameter's type. */
doca_error_t argp_add_text(struct parser *p, struct param *a, const char *text);
doca_error_t argp_add_object(struct parser *p, struct param *a, const char *text);
doca_error_t argp_add_number(struct parser *p, struct param *a, double number);
doca_error_t argp_add_bool(struct parser *p, struct param *a, bool on);

/* Read the command line, and then the file for parameters that are not on the command line. */
doca_error_t argp_parse_command_line(struct parser *p, int argc, char **argv, const char **json);
doca_error_t argp_parse_json(struct parser *p, const char *path);

/* Stores the DPDK arguments before "--". Returns the index of "--", or 0. */
int argp_take_dpdk(struct parser *p, int argc, char **argv);

void argp_print_usage(const struct parser *p);

#endif
