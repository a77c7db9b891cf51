/* Runs trials in a process of their own, and makes programs small whose trials fail. */
#ifndef RV64_MINIMISE_H
#define RV64_MINIMISE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rv64_trial.h"

/* What the process of trials leaves. */
struct finding {
    int status; /* as of waitpid; 0: all is well */
    uint64_t seed;
    struct trial_counts counts;
    char what[200];
};

enum { TRIAL_DIFFERS = 7 }; /* exit code */

/* Seeds near each other make programs that are not. */
static inline uint64_t mixed(uint64_t seed)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (seed ^ seed >> 31) | 1;
}

static inline void program_of_seed(struct trial *t, struct program *p, uint64_t seed)
{
    struct choices c = {.seed = mixed(seed)};
    program_generate(p, &c, t->most_items);
}

static inline void finish_trials(struct trial *t, struct finding *shared, int code)
{
    shared->counts = t->counts;
    memcpy(shared->what, t->what, sizeof shared->what);
    _exit(code);
}

/* Runs the programs of `count` seeds from `seed` on; if `program` is not NULL, this one by the first
 * seed alone. */
static inline struct finding run_apart(struct trial *t, struct program *program, uint64_t seed,
                                       uint64_t count)
{
    static struct program made;
    struct finding found = {.status = -1};
    struct finding *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return found;
    const pid_t pid = fork();
    if (pid == 0) {
        for (shared->seed = seed; shared->seed < seed + count; shared->seed++) {
            if (program == NULL)
                program_of_seed(t, &made, shared->seed);
            alarm(60); /* for one program */
            if (!trial_run(t, program != NULL ? program : &made, mixed(~shared->seed)))
                finish_trials(t, shared, TRIAL_DIFFERS);
        }
        finish_trials(t, shared, 0);
    }
    if (pid > 0 && waitpid(pid, &shared->status, 0) == pid)
        found = *shared;
    munmap(shared, sizeof *shared);
    return found;
}

/* Drops all items that the finding does not need. */
static inline void minimise(struct trial *t, struct program *p, const struct finding *found)
{
    static struct program before;
    for (unsigned chunk = p->count / 2, again = 2; chunk > 0;
         chunk = chunk > 1 ? chunk / 2 : --again) {
        for (unsigned from = 0; from < p->count; from += chunk) {
            bool some = false;
            before = *p;
            for (unsigned i = from; i < from + chunk && i < p->count; i++) {
                some |= !p->items[i].dropped;
                p->items[i].dropped = true;
            }
            if (some && run_apart(t, p, found->seed, 1).status != found->status)
                *p = before;
        }
    }
}

/* Tells of a finding, on standard error: the seed, how it fails, and a small program that does. */
static inline void tell_finding(struct trial *t, struct program *p, const struct finding *found)
{
    program_of_seed(t, p, found->seed);
    minimise(t, p, found);
    t->log = stderr;
    const struct finding last = run_apart(t, p, found->seed, 1);
    t->log = NULL;
    program_assemble(p, t->code);
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)found->seed,
            WIFSIGNALED(found->status) ? strsignal(WTERMSIG(found->status)) : found->what);
    fprintf(stderr, "The same by fewer instructions%s%s:\n", last.what[0] != 0 ? ": " : "",
            last.what);
    program_print(p, stderr);
}

#endif
