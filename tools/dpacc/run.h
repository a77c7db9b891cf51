/*
 * run: starts the tools that do the work, and owns the directory they work in.
 *
 * Terminating signals are blocked from run_start on and looked at while waiting, so that children
 * are ended and the directory is removed before dpacc dies of the signal.
 */
#ifndef DPACC_RUN_H
#define DPACC_RUN_H

#include "words.h"

#include <signal.h>

struct run {
    bool verbose; /* print every command */
    bool dry;     /* print it only */
    unsigned jobs;
    char *temp;           /* directory to remove at the end, NULL: none */
    int caught;           /* terminating signal that came, 0: none */
    int exit_code;        /* of the command that failed; -1: not an exit */
    struct words *failed; /* that command, borrowed */
    sigset_t blocked, before;
};

void run_start(struct run *run);
/* Makes the temporary directory. */
enum dpk_status run_make_temp(struct run *run, struct dpk_error *err);
/* Removes it; dies of the signal if one came. */
void run_finish(struct run *run);

/* Runs all commands, up to `jobs` at once; the first failure stops the rest. */
enum dpk_status run_all(struct run *run, struct words *commands, size_t count,
                        struct dpk_error *err);
enum dpk_status run_one(struct run *run, struct words *command, struct dpk_error *err);
/* Runs one command silently, whatever `dry` says; `out` gets its standard output and a NUL. */
enum dpk_status run_capture(struct run *run, struct words *command, struct dpk_buf *out,
                            struct dpk_error *err);
/* DPK_ERR_TOOL if a terminating signal waits. */
enum dpk_status run_check(struct run *run, struct dpk_error *err);
/* Prints a line on standard output when commands are printed. */
void run_say(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_say_command(const struct run *run, const struct words *command);

#endif
