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

#include <stdarg.h>

#include "doca_error.h"
#include "doca_log.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_argp_param;
struct doca_argp_cmd;

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
/* Carries out a command, or notes that it was given. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *config);
/* Gets what is before "--" on the command line, with the program's name; valid until
 * doca_argp_destroy. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);
/* Gets what the parser complains about. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);
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

/* No other parameter of the program is given beside it; behind inner commands it may be given, too; the
 * help text does not have it; it is for the command line alone, not for the JSON file. */
void doca_argp_param_set_singular(struct doca_argp_param *param);
void doca_argp_param_set_inherited(struct doca_argp_param *param);
void doca_argp_param_set_hidden(struct doca_argp_param *param);
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/* Gives back a parameter. BAD_STATE: it is registered. */
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/* Adds a parameter, which belongs to the parser from then on, also if this fails. INITIALIZATION: no
 * name, type, callback or description. ALREADY_EXIST: a name is taken. BAD_STATE: it is registered. */
doca_error_t doca_argp_register_param(struct doca_argp_param *param);

/* ---- Commands (DOCA 3): "program [flags] command [its flags] inner command ..." ----
 *
 * A command has parameters, and commands, of its own; these are registered before it is. Parameters of
 * what is outside may not be given behind it, unless they are inherited; all may be in the JSON file.
 * Behind the callbacks of parameters comes that of each command, the outermost first. */

/* Makes a command. BAD_STATE, NO_MEMORY. */
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);
/* What it is called, upper case or lower, and what it does; texts are not copied before it is
 * registered. Its callback is optional. A hidden one is not in the help text. NULL is ignored. */
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);
/* Adds a parameter or a command to a command, or a command to the parser. What is added belongs there
 * from then on, also if this fails. INITIALIZATION: it is not complete. ALREADY_EXIST: a name is taken.
 * BAD_STATE: one of them is registered. */
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);
/* Gives back a command with all that it has. BAD_STATE: it is registered. */
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/* ---- Others who listen ---- */

/* The program takes flags of DPDK before "--". NULL: it takes none. */
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);
/* Who gets complaints, instead of the log; ALREADY_EXIST. And nobody again: BAD_STATE: nobody did. */
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);
doca_error_t doca_argp_disable_logger_callback(void);
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
