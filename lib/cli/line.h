/* A command line, parsed by a tool's tables. */
#ifndef DPK_CLI_LINE_H
#define DPK_CLI_LINE_H

#include "cli/cli.h"

/* An option on the command line. */
struct use {
    const struct dpk_option *option;
    const char *value; /* its argument, or NULL */
    const char *word;  /* the word that contains it */
    int spelled;       /* length of the option within the word, dashes included */
};

struct line {
    struct use *uses;
    size_t use_count;
    const char **words; /* ends with NULL */
    size_t word_count;
    bool help, version;
};

/* ---- names.c ---- */

/* Gets the next name of a list, up to one of `ends`. Returns false after the last name. */
bool cli_next_name(const char **list, const char *ends, const char **name, size_t *length);
bool cli_in_list(const char *list, const char *ends, const char *name, size_t length);
/* Appends "-x" or "--name" for a name. */
void cli_put_dashed(struct dpk_buf *to, const char *name, size_t length);
/* Returns --help and --version. */
const struct dpk_option *cli_help_options(const struct dpk_tool *tool);
/* Returns a tool's table of options number `index`, with the table above first; each ends with {0}.
 * NULL after the last table. */
const struct dpk_option *cli_table(const struct dpk_tool *tool, size_t index);
const struct dpk_option *cli_find(const struct dpk_tool *tool, const char *name, size_t length);
/* Returns true if every option that the tables name exists under its first name, and every name
 * belongs to one option. */
bool cli_is_sound(const struct dpk_tool *tool);
/* Returns the name closest to `word` among `names`, each of which ends with a zero byte. Allocated.
 * It also returns NULL if memory runs out, since the command works without a suggestion. */
char *cli_closest(const char *word, const struct dpk_buf *names);

/* ---- line.c ---- */

/* Parses the command line. Release the result with cli_line_free, also after failures. */
enum dpk_status cli_line_read(const struct dpk_tool *tool, int argc, char **argv, struct line *line,
                              struct dpk_error *err);
void cli_line_free(struct line *line);

/* ---- value.c ---- */

/* Sets the member of the option. `most`: maximum number of texts in a list. */
enum dpk_status cli_set(const struct dpk_option *o, const char *value, void *options, size_t most,
                        struct dpk_error *err);
/* Releases memory that cli_set allocated. */
void cli_unset(const struct dpk_option *o, void *options);

/* ---- json.c ---- */

/* From now on, a cJSON value without memory ends the tool with this exit code. */
void cli_json_start(int code);

/* ---- help.c ---- */

void cli_help(const struct dpk_tool *tool, FILE *to);
/* Prints the help of one command. */
void cli_help_of(const struct dpk_tool *tool, const struct dpk_command *c, FILE *to);
/* The command "help" of every tool that has commands; its `run` is NULL. */
extern const struct dpk_command cli_help_command;

#endif
