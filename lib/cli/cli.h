/*
 * cli: what command-line tools share: tables of options and commands, help, errors, exit codes,
 * JSON. It prints on standard output and standard error, so no library uses it.
 */
#ifndef DPK_CLI_CLI_H
#define DPK_CLI_CLI_H

#include <cjson/cJSON.h>

#include "base/base.h"

/* ---- Command lines ----
 * A tool is a table of its options and commands, with a function for each. Parsing, --help,
 * --version, errors and suggestions come from the table.
 *
 *     struct options { const char *output; unsigned level; bool quiet; };
 *
 *     static enum dpk_status pack(void *options, const struct dpk_args *args,
 *                                 struct dpk_error *err)
 *     {
 *         const struct options *o = options;              // args->words[0] is FILE
 *         ...
 *     }
 *
 *     static const struct dpk_option pack_options[] = {
 *         {"o,output", DPK_FILE, "FILE", offsetof(struct options, output),
 *          .help = "where to write"},
 *         {"level", DPK_NUMBER, "N", offsetof(struct options, level), 1, 9, .standard = "6",
 *          .help = "how hard to try"},
 *         {"q,quiet", DPK_FLAG, .at = offsetof(struct options, quiet), .help = "say less"},
 *         {0}};
 *     static const struct dpk_command pack_command = {
 *         .words = "FILE", .needs = "o", .options = pack_options, .run = pack};
 *     static const struct dpk_tool tool = {.name = "packer",
 *                                          .usage = "packer FILE -o FILE",
 *                                          .about = "Makes files smaller.",
 *                                          .command = &pack_command,
 *                                          .size = sizeof(struct options)};
 *
 *     int main(int argc, char **argv)
 *     {
 *         return dpk_tool_main(&tool, argc, argv);
 *     }
 */

/* The argument of an option, and the type of the member that it sets in the tool's struct. Members
 * of options that are not given stay zero, or as in the tool's `defaults`. */
enum dpk_option_type {
    DPK_FLAG,   /* bool: true if given; takes no argument */
    DPK_TEXT,   /* const char *, borrowed from the command line; NULL: not given */
    DPK_FILE,   /* like DPK_TEXT, but never empty */
    DPK_NUMBER, /* unsigned: decimal digits, from `least` to `most` */
    DPK_CHOICE, /* unsigned: position of the value in `arg` ("full|compact"), from 1 */
    DPK_UUID,   /* struct dpk_uuid: any except the zero UUID */
    DPK_TEXTS,  /* struct dpk_list: all given texts in order */
    DPK_FILES,  /* like DPK_TEXTS, but none empty */
    DPK_PARSED, /* any type: `parse` sets it, once for each time that the option is given */
};

/* Texts borrowed from the command line; dpk_tool_main owns the array. */
struct dpk_list {
    const char **at;
    size_t count;
};

/* An option. Giving an option of a single value twice with different values is an error, since the
 * first value would be lost silently. */
struct dpk_option {
    const char
        *names; /* comma list; one letter is "-x", more are "--name"; errors show the first */
    enum dpk_option_type type;
    const char *arg;      /* name of its argument in --help; DPK_CHOICE: the values, "a|b" */
    size_t at;            /* offsetof the member that it sets */
    unsigned least, most; /* DPK_NUMBER */
    const char *standard; /* default argument, for --help */
    /* An option that may be given without an argument then gets this one. The next word is its argument only
     * if is_argument returns true. NULL: an argument is needed. */
    const char *alone;
    bool (*is_argument)(const char *word);
    const char *again;    /* what to do instead of giving it twice, for the error; or NULL */
    const char *with;     /* comma list of first names: the option needs one of these */
    /* DPK_PARSED: `context` points to the member at `at`. Errors get the prefix "option --name:
     * ". */
    enum dpk_status (*parse)(void *context, const char *arg, struct dpk_error *err);
    /* Finds a value for a command that needs the option and did not get it; or NULL: that is wrong
     * usage. `context` is as above. */
    enum dpk_status (*absent)(void *context, struct dpk_error *err);
    const char *help; /* one line; NULL hides the option from --help */
};

/* Words of a command line without its options. */
struct dpk_args {
    const char *command; /* the command's first name, or the tool's */
    const char **words;  /* words after the command; NULL ends them */
    size_t count;
};

/* A command of a tool, or the whole tool if it has no commands. Its struct of options starts with
 * the tool's struct, if there is one. */
struct dpk_command {
    const char *names; /* "query,q": comma list; NULL for the only command of a tool */
    const char *words; /* words after it: "NAME [FILE]", "NAME=VALUE...", NULL: nothing */
    const char *help;  /* one line */
    const char *needs; /* first names of required options: "d,i"; "p|k": one of the two */
    const char *takes; /* first names of the tool's options that it accepts */
    const struct dpk_option *options; /* options of this command only; or NULL */
    size_t size;                      /* size of its struct; 0: the tool's */
    /* `options`: the struct, zero except for given options, released by dpk_tool_main. An error
     * without a message has been printed already. */
    enum dpk_status (*run)(void *options, const struct dpk_args *args, struct dpk_error *err);
    /* Releases what `parse` of its options and `run` allocated in the struct; or NULL. */
    void (*release)(void *options);
};

struct dpk_tool {
    const char *name;
    const char *usage;                         /* lines after "Usage: " */
    const char *about;                         /* lines after the usage */
    const char *notes;                         /* lines at the end of --help, or NULL */
    const struct dpk_command *const *commands; /* several commands, ending with NULL; or NULL */
    const struct dpk_command *command;         /* the only command, if `commands` is NULL */
    const struct dpk_option *options;          /* options of several commands; or NULL */
    size_t size;                               /* size of the struct that options set */
    const void *defaults;                      /* initial content of the struct, or NULL: zeros */
    const char *version;    /* text of --version, NULL: "NAME dpakit 1.2.3" */
    bool large_version;     /* the letter of --version is -V, not -v */
    bool single_dash_names; /* "-name" is accepted like "--name" */
    bool negative_numbers;  /* "-5" is a word, not an option */
    bool command_last;      /* the command may be the last word instead of the first */
    void (*start)(void);    /* called before a command runs; or NULL */
    /* Makes a better error for a word that neither is nor resembles an option; or NULL. */
    enum dpk_status (*unknown)(const char *word, struct dpk_error *err);
    /* Converts a status to an exit code. NULL: 0, 1, and 2 for DPK_ERR_USAGE. */
    int (*exit_code)(enum dpk_status status);
};

/* Runs the command line and returns the exit code. It accepts "--name value", "--name=value", "-x
 * value", "-xvalue", options and words in any order; "--" ends the options. With
 * `single_dash_names` it also accepts "-name", "-name=value" and "-x=value"; a name that matches
 * whole wins over a letter that takes a value. Errors are printed as by dpk_tool_fail; failure to
 * write standard output is an error. */
int dpk_tool_main(const struct dpk_tool *tool, int argc, char **argv);

/* The options that say which key signs, the same in every tool. They set `field` of a struct, a
 * struct dpk_key_options (signer/signer.h). A command that needs a key has .needs =
 * "p|sign-command". */
#define DPK_SIGNER_OPTIONS(struct_type, field)                                                     \
    {.names = "p,private_key,private-key",                                                         \
     .type = DPK_FILE,                                                                             \
     .arg = "FILE",                                                                                \
     .at = offsetof(struct_type, field.key),                                                       \
     .help = "private key to sign with: PEM file or pkcs11: URI"},                                 \
        {.names = "passin",                                                                        \
         .type = DPK_TEXT,                                                                         \
         .arg = "ARG",                                                                             \
         .at = offsetof(struct_type, field.passin),                                                \
         .help = "passphrase or PIN of the key: pass:TEXT, env:NAME, file:PATH"},                  \
        {.names = "sign-command,sign_command",                                                     \
         .type = DPK_TEXT,                                                                         \
         .arg = "COMMAND",                                                                         \
         .at = offsetof(struct_type, field.sign_command),                                          \
         .help = "command that signs: digest on its input, signature on its output"},              \
    {                                                                                              \
        .names = "sign-timeout,sign_timeout", .type = DPK_TEXT, .arg = "SECONDS",                  \
        .at = offsetof(struct_type, field.sign_timeout),                                           \
        .help = "how long the sign command may take (default 60)"                                  \
    }

/* Exit codes of tools that run DPA programs: like those of other tools, but 3 if the program failed
 * (DPK_ERR_FAULT, DPK_ERR_TIMEOUT). */
int dpk_tool_exit_run(enum dpk_status status);

/* Makes the tool exit with this code if its command fails, except with DPK_ERR_USAGE: for a reason
 * that has its own code (mlxdpa(1), "EXIT STATUS"). 0 restores the usual code. */
void dpk_tool_exit_with(int code);

/* The project's version, "1.2.3", from the file VERSION. */
extern const char dpk_version[];

/* ---- Errors ---- */

/* Handles an error as dpk_tool_main does, for code outside it. Prints "-E- <message>" on standard
 * error, as one line safe for terminals. Returns the exit code: 2 for DPK_ERR_USAGE, else 1. */
int dpk_tool_fail(const struct dpk_error *err);

/* Flushes standard output. If output was lost (as on a full disk), it returns DPK_ERR_IO "standard
 * output: ...". */
enum dpk_status dpk_tool_flush(struct dpk_error *err);

/* The date that a tool writes into new files, in seconds since 1970, up to the year 9999: now, or
 * the value of SOURCE_DATE_EPOCH (reproducible-builds.org). Errors: DPK_ERR_USAGE if the variable
 * is not such a date. */
enum dpk_status dpk_tool_date(int64_t *seconds, struct dpk_error *err);

#define DPK_TOOL_TIME 32
/* Formats seconds since 1970 as "2026-11-20T12:00:00Z" (RFC 3339, UTC). Returns `out`. */
const char *dpk_tool_time(int64_t seconds, char out[DPK_TOOL_TIME]);

/* ---- Progress ----
 * A bar on standard error, if it is a terminal, for work that takes longer than a second. */

struct dpk_progress {
    bool terminal, shown;
    int64_t start, last; /* milliseconds */
};

void dpk_progress_start(struct dpk_progress *p);
/* Shows "signing [####   ] 3 of 9"; `unit` follows the number: " %", or "". Only one thread at a
 * time may call this. */
void dpk_progress_show(struct dpk_progress *p, const char *what, size_t done, size_t total,
                       const char *unit);
void dpk_progress_end(struct dpk_progress *p); /* removes the bar */

/* ---- JSON ---- */

/* If there is no memory for a value of cJSON, the tool ends with an error and its exit code for
 * DPK_ERR_NOMEM. cJSON itself would silently omit most such values. */

/* Prints a value on standard output and frees it. NULL means out of memory. */
enum dpk_status dpk_json_print(cJSON *value, struct dpk_error *err);
/* Returns the escape sequence that makes text red on this stream; dpk_red_end ends the
 * colour. Both are "" if the stream is not a terminal or NO_COLOR is set. */
const char *dpk_red(FILE *to);
const char *dpk_red_end(FILE *to);

/* Adds text from an untrusted file, made safe for a terminal (dpk_text_clean). NULL becomes "". */
void dpk_json_text(cJSON *object, const char *key, const char *text);
/* Adds an integer exactly. Numbers of cJSON are exact only up to 2^53. */
void dpk_json_integer(cJSON *object, const char *key, uint64_t value);
void dpk_json_uuid(cJSON *object, const char *key, const struct dpk_uuid *uuid);

#endif
