/*
 * run: starts the tools that do the work, and owns the directory they work in.
 *
 * Terminating signals are blocked from run_start on and looked at while waiting, so that children
 * are ended and the directory is removed before dpacc dies of the signal.
 */
#ifndef DPK_DPACC_RUN_H
#define DPK_DPACC_RUN_H

#include "merge.h"
#include "words.h"

#include <signal.h>

/* One command. */
struct job {
    struct words words;
    const char *what; /* for the message when it fails */
    int exit_code;    /* of dpacc then: 1 if that is about what the user wrote */
    size_t weight;    /* the heaviest start first: what takes long must not begin last */
};

/* Commands that may run at once. Zero-initialise. */
struct jobs {
    struct job *at;
    size_t count;
    bool failed; /* out of memory */
};

/* An empty command to be filled before the next one is added; never NULL. */
struct words *jobs_add(struct jobs *jobs, const char *what, int exit_code);
/* How much work the last one is, next to the others. */
void jobs_weigh(struct jobs *jobs, size_t weight);
void jobs_free(struct jobs *jobs);

struct run {
    bool verbose; /* print every command */
    bool dry;     /* print it only */
    unsigned jobs;
    char *temp;    /* directory to remove at the end, NULL: none */
    int caught;    /* terminating signal that came, 0: none */
    int exit_code; /* of the command that failed; 0: a signal ended it; -1: it could not be run */
    const struct job *failed; /* that command, borrowed */
    bool merges;              /* commands of run_all do the same for several targets */
    struct merge merge;
    sigset_t blocked, before;
};

void run_start(struct run *run);
const char *run_temp_base(void);
/* Makes the temporary directory. */
enum dpk_status run_make_temp(struct run *run, struct dpk_error *err);
/* Removes it; dies of the signal if one came. */
void run_finish(struct run *run);

/* Runs all commands, up to `run->jobs` at once; the first failure stops the rest. */
enum dpk_status run_all(struct run *run, const struct jobs *jobs, struct dpk_error *err);
/* Runs one command silently, whatever `dry` says; `out` gets its standard output and a NUL. */
enum dpk_status run_capture(struct run *run, const struct job *job, struct dpk_buf *out,
                            struct dpk_error *err);
/* DPK_ERR_TOOL if a terminating signal waits. */
enum dpk_status run_check(struct run *run, struct dpk_error *err);
/* Prints a command on standard output when commands are printed. */
void run_say_command(const struct run *run, const struct words *command);
/* The same from single words; NULL ends them. */
void run_say_words(const struct run *run, ...) __attribute__((sentinel));

#endif
