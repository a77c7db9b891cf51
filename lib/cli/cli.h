/*
 * cli: what command-line tools share and libraries have no use for. It prints.
 *
 *     dpk_json_start();
 *     cJSON *list = cJSON_CreateArray();
 *     ...
 *     return dpk_json_print(list, &err);
 */
#ifndef DPK_CLI_H
#define DPK_CLI_H

#include <cjson/cJSON.h>

#include "base/base.h"

/* ---- Errors and exit codes -------------------------------------------------------------------- */

/* For tools: prints "-E- <message>" on stderr. Returns the exit code for it: 2 for
 * DPK_ERR_USAGE, else 1. (Only this and dpk_tool_end print; tools/ alone calls them.) */
int dpk_tool_fail(const struct dpk_error *err);

/* For tools, before they end: flushes standard output. What was printed and is lost (a full disk)
 * is an error, DPK_ERR_IO "standard output: ...". */
enum dpk_status dpk_tool_flush(struct dpk_error *err);

/* For tools, their last word: flushes standard output, prints the error of `status` or of the
 * flush. Returns the exit code, 0 or that of dpk_tool_fail. */
int dpk_tool_end(enum dpk_status status, struct dpk_error *err);

/* For tools with commands: "unknown command WORD", with the closest of `commands` (ends with NULL)
 * or where to find them. DPK_ERR_USAGE. */
enum dpk_status dpk_fail_command(struct dpk_error *err, const char *tool, const char *word,
                                 const char *const *commands);

/* The UUID that a user typed behind `option` ("--cert_uuid"): DPK_ERR_USAGE, and so is the zero
 * UUID, which names nothing. */
enum dpk_status dpk_uuid_option(const char *option, const char *text, struct dpk_uuid *out,
                                struct dpk_error *err);

/* ---- Command lines ----------------------------------------------------------------------------
 * One table describes a tool's options; parsing, `--help` and the error texts come from it.
 *
 *     static const char *out; static bool quiet;
 *     const struct dpk_option options[] = {
 *         {.names = "o,output", .arg = "FILE", .value = &out, .help = "where to write"},
 *         {.names = "q,quiet", .flag = &quiet, .help = "say less"},
 *         {0}};
 */
struct dpk_option {
    const char *names;  /* comma list; one letter is "-x", more are "--name" */
    const char *arg;    /* name of its argument for --help, NULL: takes none */
    const char **value; /* takes the argument */
    bool *flag;         /* set to true when the option is there */
    /* Called instead, when not NULL, once per use: lists, conversions. `arg`: NULL without one. */
    enum dpk_status (*parse)(void *context, const char *arg, struct dpk_error *err);
    void *context;
    const char *help; /* one line; NULL hides the option from --help */
};

struct dpk_args {
    const char **words; /* the positional words, in order, borrowed from argv */
    size_t count;
    uint64_t used;       /* bit i: entry i of the table (up to 64) was given */
    const char *unknown; /* of a failure: the word that is no option, nor close to one; or NULL */
};

/* Parses argv[1..]. Accepted: "--name value", "--name=value", "-x value", "-xvalue", options and
 * words in any order, "--" ends the options. `single_dash_names`: also "-name" and "-name=value"
 * and "-x=value" (dpacc). A one-letter option that takes a value wins over a name only if no name
 * matches whole. What `parse` says is prefixed with "option --name: ".
 * An empty FILE (`.arg` is "FILE") is refused here, where the option's name is known; so is another
 * value for an option that has one already: what was asked for first would quietly not be done.
 * Unknown option: DPK_ERR_USAGE with the closest known name. `args->words` is allocated and ends
 * with NULL; free it. On failure it is NULL. */
enum dpk_status dpk_options_parse(const struct dpk_option *table, bool single_dash_names, int argc,
                                  char **argv, struct dpk_args *args, struct dpk_error *err);

/* For tools with commands: DPK_ERR_USAGE "COMMAND takes no --name" for an option that was given and
 * whose first name is not in `allowed`, a list with commas: "e,c,output". */
enum dpk_status dpk_options_only(const struct dpk_option *table, const struct dpk_args *args,
                                 const char *command, const char *allowed, struct dpk_error *err);

/* Prints the options part of a --help text. */
void dpk_options_help(const struct dpk_option *table, FILE *to);

/* The project's version, "1.2.3", from the file VERSION. */
extern const char dpk_version[];

/* ---- JSON ------------------------------------------------------------------------------------- */

/* Before any JSON is made: from then on a value that there is no memory for ends the tool, with an
 * error and exit code 1, as cJSON says of most failures only that something is missing. */
void dpk_json_start(void);
/* Prints a value on standard output and frees it; NULL stands for out of memory. */
enum dpk_status dpk_json_print(cJSON *value, struct dpk_error *err);
/* Adds text that a file brought, fit for a terminal (dpk_text_clean); at most 1,023 bytes of it.
 * NULL is "". */
void dpk_json_text(cJSON *object, const char *key, const char *text);

#endif
