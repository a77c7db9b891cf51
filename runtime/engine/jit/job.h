/*
 * Private to jit: jobs, each of which gets code for a place that is hot, once or twice: a draft may come before its
 * last code. One thread carries them out; job_worth says in which order.
 */
#ifndef DPK_ENGINE_JIT_JOB_H
#define DPK_ENGINE_JIT_JOB_H

#include "engine/jit/translations.h"

/* How often a loop is repeated or a function called before it is worth translating. */
enum { JOB_HEAT = 3000 };
/* And before it is worth loading LLVM; what is stored is used at once. */
enum { JOB_HEAT_TO_LOAD = 8192 };

struct job {
    struct job *next;
    struct translations *to;
    struct jit_region region;
    uint32_t heat; /* how often its place was reached */
    bool uneven;   /* it often makes misaligned accesses */
    bool awaited;  /* by a thread, which frees it */
    bool missed;   /* its code is not on disk */
    bool drafted;  /* its place has a draft */
    bool last;     /* it gets its best code next, and no draft */
    enum { JOB_QUEUED, JOB_RUNS, JOB_DONE } state;
};

/* A job for the place at `pc`, which was reached `heat` times; `x`: registers of a hart there. NULL: the place has or
 * had a job, or there is no memory. */
struct job *job_create(struct rv64_core *core, struct rv64_entries *entries, uint64_t pc,
                       const uint64_t *x, uint32_t heat, bool uneven);
void job_free(struct job *j);
/* Returns whether it is to be carried out again: for its last code, or because others may be worth more by now. */
bool job_carry_out(struct job *j);

/* How much time the job's code will save, to that which it takes to make: how often the place was reached, for the
 * part of its instructions that are interpreted. What has a draft gains far less by better code. INFINITY: its code may
 * be on disk, which takes no time. 0: LLVM is not worth loading for it yet. */
double job_worth(const struct job *j);

/* Users asked for translations: they are told once on stderr why there are none. */
void job_tell_reasons(void);
/* In jit.c: no job is carried out any more. exit() calls it before libLLVM's data goes. */
void job_end_at_exit(void);

#endif
