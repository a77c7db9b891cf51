/* What the files of libdoca_argp share. */
#ifndef DPK_HOST_DOCA_ARGP_PRIVATE_H
#define DPK_HOST_DOCA_ARGP_PRIVATE_H

#include <doca_argp.h>

#include "doca/core/core.h"

struct param {
    struct dpk_object object;
    struct param *next; /* in the parser */
    const char *short_name, *long_name, *arguments, *description;
    char *copies[4]; /* of these four, once registered */
    enum doca_argp_type type;
    doca_argp_param_cb_t callback;
    bool mandatory, many, registered;
    bool general; /* every program has it */
    bool given;   /* on the command line, or in the file */
};

/* A value that a parameter was given. */
struct value {
    struct param *param;
    const char *text; /* of argv or of the JSON document; NULL: a boolean that is true */
    char *copy;       /* of the text, for the callback */
    long number;
    bool on;
};

struct parser {
    char *program;
    void *config;
    struct param *first;
    doca_argp_validation_cb_t validate;
    doca_argp_version_cb_t version;
    struct value *values;
    size_t count, capacity;
    bool lenient; /* what the file has that the program does not know is no error */
};

/* Complains in the log of the SDK, or on stderr; INVALID_VALUE. */
doca_error_t complain(const struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "--long", or "-short" where there is no long name; into `out`. */
const char *param_title(const struct param *a, char out[80]);

/* The parameter with that name; NULL: none. */
struct param *find_short(const struct parser *p, const char *name, size_t length);
struct param *find_long(const struct parser *p, const char *name, size_t length);

/* Notes a value; it is checked against the parameter's type. */
doca_error_t add_text(struct parser *p, struct param *a, const char *text);
doca_error_t add_number(struct parser *p, struct param *a, double number);
doca_error_t add_bool(struct parser *p, struct param *a, bool on);

/* Reads what is on the command line, and then what the file says of what is not. */
doca_error_t parse_command_line(struct parser *p, int argc, char **argv, const char **json);
doca_error_t parse_json(struct parser *p, const char *path);

void print_usage(const struct parser *p);

#endif
