/* A command line, taken apart by a tool's tables. */
#ifndef DPK_CLI_LINE_H
#define DPK_CLI_LINE_H

#include "cli/cli.h"

/* An option as it stands on the command line. */
struct use {
    const struct dpk_option *option;
    const char *value; /* its argument, NULL: none */
    const char *word;  /* the word that it stands in */
    int spelled;       /* so much of the word is the option, dashes and all */
};

struct line {
    struct use *uses;
    size_t use_count;
    const char **words; /* ends with NULL */
    size_t word_count;
    bool help, version;
};

/* ---- names.c ---- */

/* The next name of a list, up to one of `ends`; false after the last one. */
bool cli_next_name(const char **list, const char *ends, const char **name, size_t *length);
bool cli_in_list(const char *list, const char *ends, const char *name, size_t length);
/* Puts "-x" or "--name" for a name. */
void cli_put_dashed(struct dpk_buf *to, const char *name, size_t length);
/* --help and --version. */
const struct dpk_option *cli_help_options(const struct dpk_tool *tool);
/* The tables of a tool, these first, each ending with {0}; NULL behind the last. */
const struct dpk_option *cli_table(const struct dpk_tool *tool, size_t index);
const struct dpk_option *cli_find(const struct dpk_tool *tool, const char *name, size_t length);
/* Is every option that the tables name there, by its first name, and every name of one option? */
bool cli_is_sound(const struct dpk_tool *tool);
/* The name that is closest to `word` of those in `names`, which each end with a zero byte.
 * Allocated; NULL also when memory runs out, as the command works without a suggestion. */
char *cli_closest(const char *word, const struct dpk_buf *names);

/* ---- line.c ---- */

/* Release with cli_line_free, after failures too. */
enum dpk_status cli_line_read(const struct dpk_tool *tool, int argc, char **argv, struct line *line,
                              struct dpk_error *err);
void cli_line_free(struct line *line);

/* ---- value.c ---- */

/* Sets what the option sets. `most`: how many texts a list may get. */
enum dpk_status cli_set(const struct dpk_option *o, const char *value, void *options, size_t most,
                        struct dpk_error *err);
/* Releases what cli_set allocated. */
void cli_unset(const struct dpk_option *o, void *options);

/* ---- json.c ---- */

/* From now on a value of cJSON that there is no memory for ends the tool with this exit code. */
void cli_json_start(int code);

/* ---- help.c ---- */

void cli_help(const struct dpk_tool *tool, FILE *to);
/* The same of one command. */
void cli_help_of(const struct dpk_tool *tool, const struct dpk_command *c, FILE *to);
/* The command of every tool that has commands; `run` is NULL. */
extern const struct dpk_command cli_help_command;

#endif
