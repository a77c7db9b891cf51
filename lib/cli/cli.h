/*
 * cli: what command-line tools share: tables of options and commands, help, errors, exit codes,
 * JSON. It prints on standard output and standard error, so no library uses it.
 */
#ifndef DPK_CLI_CLI_H
#define DPK_CLI_CLI_H

#include <cjson/cJSON.h>

#include "base/base.h"

/* ---- Command lines ----
 * A tool is a table: its options, its commands, what to call for each. Parsing, --help, --version,
 * errors and suggestions come from the table.
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

/* What an option takes, and the type of what it sets in the tool's struct. What is not given stays
 * zero, or as `defaults` of the tool has it. */
enum dpk_option_type {
    DPK_FLAG,   /* bool: true when it is given; takes no argument */
    DPK_TEXT,   /* const char *, borrowed from the command line; NULL: not given */
    DPK_FILE,   /* the same, never empty */
    DPK_NUMBER, /* unsigned: decimal digits, from `least` to `most` */
    DPK_CHOICE, /* unsigned: which of "full|compact" in `arg`, from 1 */
    DPK_UUID,   /* struct dpk_uuid: any but the zero UUID */
    DPK_TEXTS,  /* struct dpk_list: each that is given, in their order */
    DPK_FILES,  /* the same, none empty */
    DPK_PARSED, /* anything: `parse` sets it, once for each time that the option is given */
};

/* Texts borrowed from the command line; dpk_tool_main owns the array. */
struct dpk_list {
    const char **at;
    size_t count;
};

/* An option. One that sets a single value is refused when it is given twice with different values:
 * the first would be lost without a word. */
struct dpk_option {
    const char
        *names; /* comma list; one letter is "-x", more are "--name"; the first is in errors */
    enum dpk_option_type type;
    const char *arg;      /* its argument as --help calls it; DPK_CHOICE: the values, "a|b" */
    size_t at;            /* offsetof what it sets */
    unsigned least, most; /* DPK_NUMBER */
    const char *standard; /* the argument that counts when it is not given; --help tells it */
    const char *with;     /* comma list of first names: it goes with one of these */
    /* DPK_PARSED: `context` is what `at` names. Errors get "option --name: " in front. */
    enum dpk_status (*parse)(void *context, const char *arg, struct dpk_error *err);
    /* Finds a value for a command that needs the option and did not get it; or NULL: that is wrong
     * usage. `context` is as above. */
    enum dpk_status (*absent)(void *context, struct dpk_error *err);
    const char *help; /* one line; NULL hides the option from --help */
};

/* What the words of a command line are, without options. */
struct dpk_args {
    const char *command; /* the command's first name, or the tool's */
    const char **words;  /* the words behind the command, ending with NULL */
    size_t count;
};

/* A command of a tool, or all of a tool that has none. Its struct of options begins with the
 * tool's, if that has one. */
struct dpk_command {
    const char *names; /* "query,q": comma list; NULL for the command of a tool that has but one */
    const char *words; /* what stands behind it: "NAME [FILE]", "NAME=VALUE...", NULL: nothing */
    const char *help;  /* one line */
    const char *needs; /* first names of options that it must have: "d,i"; "p|k": one of the two */
    const char *takes; /* first names of options of the tool that it may have */
    const struct dpk_option *options; /* those that no other command takes; or NULL */
    size_t size;                      /* of its struct, 0: the tool's */
    /* `options`: the struct, zero but for what was given, released by dpk_tool_main. An error
     * without a message is one that was printed. */
    enum dpk_status (*run)(void *options, const struct dpk_args *args, struct dpk_error *err);
    /* Releases what `parse` of its options and `run` put into the struct; or NULL. */
    void (*release)(void *options);
};

struct dpk_tool {
    const char *name;
    const char *usage;                         /* lines behind "Usage: " */
    const char *about;                         /* lines below it */
    const char *notes;                         /* lines at the end of --help, or NULL */
    const struct dpk_command *const *commands; /* ends with NULL; or NULL: */
    const struct dpk_command *command;         /* the only one */
    const struct dpk_option *options;          /* those that several commands take; or NULL */
    size_t size;                               /* of the struct that options set */
    const void *defaults;                      /* what is in it before, or NULL: zeros */
    const char *version;    /* what --version prints, NULL: "NAME dpakit 1.2.3" */
    bool large_version;     /* its letter is -V, not -v */
    bool single_dash_names; /* "-name" is as good as "--name" */
    bool negative_numbers;  /* "-5" is a word, no option */
    bool command_last;      /* the command may be the last word instead of the first */
    void (*start)(void);    /* called before a command runs; or NULL */
    /* A better error for a word that is no option, nor like one; or NULL. */
    enum dpk_status (*unknown)(const char *word, struct dpk_error *err);
    /* NULL: 0, 1, and 2 for DPK_ERR_USAGE. */
    int (*exit_code)(enum dpk_status status);
};

/* Does what the command line says and returns the exit code. Accepted: "--name value",
 * "--name=value", "-x value", "-xvalue", options and words in any order, "--" ends the options.
 * With `single_dash_names` also "-name", "-name=value" and "-x=value"; a letter that takes a value
 * wins over a name only if no name matches whole. Prints errors as dpk_tool_fail; standard output
 * that cannot be written is one. */
int dpk_tool_main(const struct dpk_tool *tool, int argc, char **argv);

/* The options that say which key signs, for every tool alike: they set `field` of a struct, a
 * struct dpk_key_options (signer/signer.h). A command needs a key with .needs = "p|sign-command".
 */
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

/* Exit codes of tools that run programs of the DPA: as of others, but 3 where the program failed
 * (DPK_ERR_FAULT, DPK_ERR_TIMEOUT). */
int dpk_tool_exit_run(enum dpk_status status);

/* Lets the tool exit with this code if its command fails, unless that is DPK_ERR_USAGE: for a reason
 * that has a code of its own (mlxdpa(1), "EXIT STATUS"). 0: as without. */
void dpk_tool_exit_with(int code);

/* The project's version, "1.2.3", from the file VERSION. */
extern const char dpk_version[];

/* ---- Errors ---- */

/* What dpk_tool_main does with errors, for what runs outside it. Prints "-E- <message>" on standard
 * error, in one line that steers no terminal. Returns the exit code for it: 2 for DPK_ERR_USAGE,
 * else 1. */
int dpk_tool_fail(const struct dpk_error *err);

/* Flushes standard output. What was printed and is lost (a full disk) is an error, DPK_ERR_IO
 * "standard output: ...". */
enum dpk_status dpk_tool_flush(struct dpk_error *err);

/* The date that a tool writes into the files that it makes: now, or what SOURCE_DATE_EPOCH says
 * (reproducible-builds.org), in seconds since 1970, up to the year 9999. DPK_ERR_USAGE: the variable
 * has no such date. */
enum dpk_status dpk_tool_date(int64_t *seconds, struct dpk_error *err);

#define DPK_TOOL_TIME 32
/* "2026-11-20T12:00:00Z" (RFC 3339, UTC) for seconds since 1970; returns `out`. */
const char *dpk_tool_time(int64_t seconds, char out[DPK_TOOL_TIME]);

/* ---- Progress ----
 * A bar on standard error, if that is a terminal, for what takes longer than a second. */

struct dpk_progress {
    bool terminal, shown;
    int64_t start, last; /* milliseconds */
};

void dpk_progress_start(struct dpk_progress *p);
/* "signing [####   ] 3 of 9"; `unit` stands behind the number: " %", or "". Several threads must not
 * call it at once. */
void dpk_progress_show(struct dpk_progress *p, const char *what, size_t done, size_t total,
                       const char *unit);
void dpk_progress_end(struct dpk_progress *p); /* takes the bar away */

/* ---- JSON ---- */

/* When there is no memory for a value of cJSON, the tool ends with an error and its exit code of
 * DPK_ERR_NOMEM: cJSON itself would leave most such values out without a word. */

/* Prints a value on standard output and frees it; NULL stands for out of memory. */
enum dpk_status dpk_json_print(cJSON *value, struct dpk_error *err);
/* What makes text red on this stream, and what ends that: "" unless it is a terminal, and where
 * NO_COLOR is set. */
const char *dpk_red(FILE *to);
const char *dpk_red_end(FILE *to);

/* Adds text that a file brought, fit for a terminal (dpk_text_clean). NULL is "". */
void dpk_json_text(cJSON *object, const char *key, const char *text);
/* Adds an integer exactly, which numbers of cJSON are only up to 2^53. */
void dpk_json_integer(cJSON *object, const char *key, uint64_t value);
void dpk_json_uuid(cJSON *object, const char *key, const struct dpk_uuid *uuid);

#endif
