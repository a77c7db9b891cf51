/*
 * doca_argp: command lines and JSON files of DOCA programs.
 *
 *     static doca_error_t set_device(void *param, void *config)
 *     {
 *         snprintf(((struct config *)config)->device, 64, "%s", (const char *)param);
 *         return DOCA_SUCCESS;
 *     }
 *
 *     struct doca_argp_param *p;
 *     doca_argp_init("my_program", &config);
 *     doca_argp_param_create(&p);
 *     doca_argp_param_set_short_name(p, "pf_dev");        // "-pf_dev mlx5_0"
 *     doca_argp_param_set_long_name(p, "pf-device");      // "--pf-device mlx5_0"
 *     doca_argp_param_set_arguments(p, "<name>");
 *     doca_argp_param_set_description(p, "Device to use");
 *     doca_argp_param_set_callback(p, set_device);
 *     doca_argp_param_set_type(p, DOCA_ARGP_TYPE_STRING);
 *     doca_argp_register_param(p);
 *     doca_argp_start(argc, argv);
 *     ...
 *     doca_argp_destroy();
 *
 * Every program has -h/--help and -v/--version, which print and exit with 0; -l/--log-level and
 * --sdk-log-level, which set the levels of doca_log.h (10 DISABLE to 70 TRACE); and -j/--json
 * <path>, a file that says what the command line says otherwise:
 *
 *     { "doca_general_flags": { "log-level": 60, "sdk-log-level": 40 },
 *       "doca_program_flags": { "pf-device": "mlx5_0", "count": 3, "verbose": true } }
 *
 * What is on the command line counts more than the file. The file may have comments, // and as in C,
 * numbers like 0x1F, and a comma behind the last value, which is taken with a warning that names the
 * line. There is one parser in a program, for one
 * thread at a time. Functions give INVALID_VALUE for NULL and for a parameter that is none;
 * BAD_STATE before doca_argp_init and after doca_argp_destroy (DOCA Arg Parser programming guide).
 */
#ifndef DOCA_ARGP_H
#define DOCA_ARGP_H

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_argp_param;

/* What a parameter takes, and what its callback's `param` points to. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,
    DOCA_ARGP_TYPE_STRING,  /* char [] */
    DOCA_ARGP_TYPE_INT,     /* int */
    DOCA_ARGP_TYPE_BOOLEAN, /* bool; on the command line it takes no value and is true */
};

/* Gets a value, and the program_config of doca_argp_init. Anything but DOCA_SUCCESS ends
 * doca_argp_start with that result. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *param, void *config);
/* Looks at the whole configuration, after every parameter was read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);
/* Prints the program's version and may exit. */
typedef doca_error_t (*doca_argp_version_cb_t)(void *param, void *config);

/*
 * Makes the parser.
 *   program_name    [in]  for the help text; NULL: the name that the program was started by
 *   program_config  [in]  what callbacks get
 * BAD_STATE: there is a parser already. NO_MEMORY.
 */
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/* Ends the parser; parameters that were registered go with it. */
doca_error_t doca_argp_destroy(void);

/* Makes a parameter, to be registered. NO_MEMORY. */
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/* What it is called, "-name" and "--name"; one of them is enough. A short name may have several
 * letters. Texts are not copied before the parameter is registered. NULL is ignored. */
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);
/* For the help text: "<name>", and what it is for. */
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);
/* It must be given; it may be given several times. Else it may be given once, or not. */
void doca_argp_param_set_mandatory(struct doca_argp_param *param);
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/* Adds a parameter, which belongs to the parser from then on, also if this fails. INVALID_VALUE: no
 * name, type, callback or description. ALREADY_EXIST: a name is taken. */
doca_error_t doca_argp_register_param(struct doca_argp_param *param);
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);
doca_error_t doca_argp_register_version_callback(doca_argp_version_cb_t callback);

/* Reads the command line and the JSON file. INVALID_VALUE: something there is wrong; it was told on
 * stderr. Or what a callback returned. */
doca_error_t doca_argp_start(int argc, char **argv);

/* The level of the program's log, or of the SDK's, that the user gave with -l or --sdk-log-level, on
 * the command line or in the file; else the one that counts for the program. */
doca_error_t doca_argp_get_log_level(int *log_level);
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/* Options and sections of the JSON file that the program does not know are passed over, not errors.
 */
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

/* Prints the help text on stdout and exits with 0. */
void doca_argp_usage(void);

#ifdef __cplusplus
}
#endif

#endif
