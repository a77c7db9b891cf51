/* run: starts compilers and linkers, and owns their working directory. */
#ifndef DPK_DPACU_RUN_H
#define DPK_DPACU_RUN_H

#include "common/words.h"

#include <signal.h>

struct dpacu_run {
    bool verbose, dry; /* print commands; only print them */
    char *temp;        /* working directory */
    bool said;         /* a command failed, and has printed why */
    int caught;        /* terminating signal */
    sigset_t blocked, before;
};

/* Makes the working directory. Terminating signals are handled while commands run. */
enum dpk_status dpacu_run_start(struct dpacu_run *run, struct dpk_error *err);
/* Runs commands at once, and waits for them. Errors: DPK_ERR_TOOL if one failed. */
enum dpk_status dpacu_run_all(struct dpacu_run *run, const struct words *commands, size_t count,
                              struct dpk_error *err);
/* Removes the directory, and dies of the signal if one arrived. */
void dpacu_run_finish(struct dpacu_run *run);

#endif
