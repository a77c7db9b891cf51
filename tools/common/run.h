/*
 * run: starts tools, and owns their working directory.
 *
 * Terminating signals are blocked after dpk_run_start and handled while waiting, so that children end
 * and the directory is removed before the tool dies of the signal.
 */
#ifndef DPK_COMMON_RUN_H
#define DPK_COMMON_RUN_H

#include "common/words.h"
#include "merge.h"

#include <signal.h>

/* A command. */
struct job {
    struct words words;
    const char *what; /* for the message if it fails */
    int exit_code;    /* the tool's exit code if it fails: 1 for errors of the user's input */
    size_t weight;    /* heavy jobs start first, because a long job must not start last */
};

/* Commands that may run in parallel. Zero-initialise it. */
struct jobs {
    struct job *at;
    size_t count;
    bool failed; /* there was no memory */
};

/* Adds an empty command, to be filled before the next call. Never NULL. */
struct words *dpk_jobs_add(struct jobs *jobs, const char *what, int exit_code);
/* Sets the weight of the last job, relative to the others. */
void dpk_jobs_weigh(struct jobs *jobs, size_t weight);
void dpk_jobs_free(struct jobs *jobs);

/* Commands that a tool carries out itself, in a child without exec. */
struct run_steps {
    bool (*is)(size_t count, char *const *words); /* whether a command line is one of them */
    int (*run)(size_t count, char *const *words); /* returns an exit code */
};

struct run {
    const char *tool;              /* name of the tool, for the temporary directory */
    const struct run_steps *steps; /* NULL: all commands are programs */
    bool verbose;                  /* print every command */
    bool dry;                      /* only print them */
    unsigned jobs;
    char *temp;    /* directory to remove at the end, or NULL */
    int caught;    /* terminating signal that arrived, or 0 */
    int exit_code; /* of the command that failed; 0 after a signal; -1 if it could not start */
    const struct job *failed; /* the command that failed, borrowed */
    bool merges;              /* commands of dpk_run_all do the same for several targets */
    struct merge merge;
    sigset_t blocked, before;
};

void dpk_run_start(struct run *run);
const char *dpk_run_temp_base(void);
/* Makes the temporary directory. */
enum dpk_status dpk_run_make_temp(struct run *run, struct dpk_error *err);
/* Removes the directory, and dies of the signal if one arrived. */
void dpk_run_finish(struct run *run);

/* Runs all commands, up to `run->jobs` at once; the first failure stops the rest. */
enum dpk_status dpk_run_all(struct run *run, const struct jobs *jobs, struct dpk_error *err);
/* Runs one command without printing it, even if `dry` is set. `out` gets its standard output and a
 * NUL. */
enum dpk_status dpk_run_capture(struct run *run, const struct job *job, struct dpk_buf *out,
                                struct dpk_error *err);
/* Returns DPK_ERR_TOOL if a terminating signal is pending. */
enum dpk_status dpk_run_check(struct run *run, struct dpk_error *err);
/* Prints a command on standard output if commands are printed. */
void dpk_run_say_command(const struct run *run, const struct words *command);
/* Same for single words; NULL ends them. */
void dpk_run_say_words(const struct run *run, ...) __attribute__((sentinel));

#endif
