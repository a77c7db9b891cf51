/*
 * Private to jit: jobs. A job gets code for a hot place, once or twice: first perhaps a draft, then
 * the final code. One thread executes the jobs, in the order that jit_job_worth gives.
 */
#ifndef DPK_ENGINE_JIT_JOB_H
#define DPK_ENGINE_JIT_JOB_H

#include "engine/jit/translations.h"

/* Repetitions of a loop, or calls of a function, before translation is worthwhile. */
enum { JOB_HEAT = 3000 };
/* Repetitions before loading LLVM is worthwhile; stored code is used at once. */
enum { JOB_HEAT_TO_LOAD = 8192 };

struct job {
    struct job *next;
    struct translations *to;
    struct jit_region region;
    uint32_t heat; /* how often its place was reached */
    bool uneven;   /* the place often makes misaligned accesses */
    bool awaited;  /* a thread waits for the job, and frees it */
    bool missed;   /* its code is not on disk */
    bool drafted;  /* its place has a draft */
    bool last;     /* the next code is the best code, not a draft */
    enum { JOB_QUEUED, JOB_RUNS, JOB_DONE } state;
};

/* Makes a job for the place at `pc`, which was reached `heat` times. `x`: registers of a hart at
 * that place. Returns NULL if the place has or had a job, or there is no memory. */
struct job *jit_job_create(struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                           const uint64_t *x, uint32_t heat, bool uneven);
void jit_job_free(struct job *j);
/* Executes the job. Returns true if the job must be executed again: for its final code, or because
 * other jobs may be worth more by now. */
bool jit_job_carry_out(struct job *j);

/* Returns the time that the job's code will save, relative to the time of its making. It estimates
 * this from how often the place was reached, and from the part of its instructions that are
 * interpreted. A place with a draft gains far less from better code. INFINITY: its code may be on
 * disk, which takes no time. 0: loading LLVM for it is not worthwhile yet. */
double jit_job_worth(const struct job *j);

/* Reports once on stderr why there are no translations, if the user asked for them. */
void jit_job_tell_reasons(void);
/* Ends all jobs (jit.c). exit() calls it before libLLVM's data is destroyed. */
void jit_job_end_at_exit(void);

#endif
