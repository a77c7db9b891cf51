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
 * --sdk-log-level, which set the levels of doca_log.h (10 DISABLE to 70 TRACE); and -j/--json <path>, a
 * file with the same settings as the command line:
 *
 *     { "doca_general_flags": { "log-level": 60, "sdk-log-level": 40 },
 *       "doca_program_flags": { "pf-device": "mlx5_0", "count": 3, "verbose": true } }
 *
 * The command line overrides the file. The file may have comments in both styles of C and numbers like
 * 0x1F. A comma after the last value is accepted with a warning that names the line. A program has one
 * parser, for one thread at a time. Functions return INVALID_VALUE for NULL and for a handle that is
 * not a parameter, and BAD_STATE before doca_argp_init and after doca_argp_destroy (DOCA Arg Parser
 * programming guide).
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

/* The type of a parameter's value. The callback's `param` points to the C type beside it. */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,
    DOCA_ARGP_TYPE_STRING,  /* char [] */
    DOCA_ARGP_TYPE_INT,     /* int */
    DOCA_ARGP_TYPE_BOOLEAN, /* bool; on the command line it has no value and means true */
    /* char [], the text of a JSON object, without blanks between its words. Only a file gives it. (No
     * published program uses this type, and which form of it NVIDIA's library gives is unknown.) */
    DOCA_ARGP_TYPE_JSON_OBJ,
};

/* Receives a parameter's value and the program_config of doca_argp_init. Any result except DOCA_SUCCESS
 * ends doca_argp_start, which returns it. */
typedef doca_error_t (*doca_argp_param_cb_t)(void *param, void *config);
/* Checks the whole configuration after all parameters were read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);
/* Executes a command, or records that the user gave it. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *config);
/* Receives the arguments before "--", starting with the program's name. They are valid until
 * doca_argp_destroy. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);
/* Receives the parser's complaints. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);
/* Prints the program's version and may exit. */
typedef doca_error_t (*doca_argp_version_cb_t)(void *param, void *config);

/*
 * Creates the parser.
 *   program_name    [in]  the name in the help text; NULL: the name by which the program was started
 *   program_config  [in]  the `config` of all callbacks
 * Errors: BAD_STATE if a parser exists, NO_MEMORY.
 */
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/* Destroys the parser with its registered parameters. */
doca_error_t doca_argp_destroy(void);

/* Creates a parameter. Register it with doca_argp_register_param. Errors: NO_MEMORY. */
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/* Set the names of the parameter, "-name" and "--name"; one name is enough. A short name may have
 * several letters, a long name several words ("--nic handler" 2, in quotes). The parser copies all texts when the parameter is registered: keep them until then.
 * NULL is ignored. */
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);
/* Set the texts of the help: the argument ("<name>") and the description. */
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);
/* Make the parameter mandatory; let it appear several times. By default it is optional and may appear
 * once. */
void doca_argp_param_set_mandatory(struct doca_argp_param *param);
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/* In this order: the parameter excludes all other parameters of the program; it may also follow inner
 * commands; the help text omits it; only the command line may have it, not the JSON file. */
void doca_argp_param_set_singular(struct doca_argp_param *param);
void doca_argp_param_set_inherited(struct doca_argp_param *param);
void doca_argp_param_set_hidden(struct doca_argp_param *param);
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/* Frees a parameter. Errors: BAD_STATE if it is registered. */
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/* Adds a parameter to the parser. The parser owns it afterwards, also if this function fails. Errors:
 * INITIALIZATION if the name, type, callback or description is missing, ALREADY_EXIST if another
 * parameter has the name, BAD_STATE if the parameter is registered. */
doca_error_t doca_argp_register_param(struct doca_argp_param *param);

/* ---- Commands (DOCA 3): "program [flags] command [its flags] inner command ..." ----
 *
 * A command has its own parameters and commands. Register them before the command. Parameters of the
 * program or of an outer command must precede the command, unless they are inherited; the JSON file may
 * have all of them. The callbacks of commands run after those of parameters, the outermost command
 * first. */

/* Creates a command. Errors: BAD_STATE, NO_MEMORY. */
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);
/* Set the name (case does not matter), the description and the callback of a command. The parser copies
 * texts when the command is registered. The callback is optional. The help text omits a hidden command.
 * NULL is ignored. */
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);
/* Adds a parameter or a command to a command, or a command to the parser. The receiver owns the added
 * object afterwards, also if the function fails. Errors: INITIALIZATION if the added object is
 * incomplete, ALREADY_EXIST if its name is taken, BAD_STATE if either object is registered. */
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);
/* Frees a command with its parameters and commands. Errors: BAD_STATE if it is registered. */
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/* ---- Other callbacks ---- */

/* Sets the callback for DPDK flags before "--". NULL: the program accepts no DPDK flags. */
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);
/* Register and unregister a callback that receives complaints instead of the log. Errors: ALREADY_EXIST
 * if a callback is registered; for unregister, BAD_STATE if no callback is registered. */
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);
doca_error_t doca_argp_disable_logger_callback(void);
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);
doca_error_t doca_argp_register_version_callback(doca_argp_version_cb_t callback);

/* Reads the command line and the JSON file. Errors: INVALID_VALUE if the input is wrong (stderr names
 * the mistake), or the result of a callback. */
doca_error_t doca_argp_start(int argc, char **argv);

/* Get the level of the program's log or of the SDK's log: the level that the user set with -l or
 * --sdk-log-level, on the command line or in the file, or otherwise the current level. */
doca_error_t doca_argp_get_log_level(int *log_level);
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/* Makes the parser skip unknown options and sections of the JSON file. By default they are errors. */
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

/* Prints the help text on stdout and exits with 0. */
void doca_argp_usage(void);

#ifdef __cplusplus
}
#endif

#endif
