/*
 * profile: where the program's instructions go (DPAKIT_PROFILE=FILE). Each hart is sampled after a
 * fixed number of retired instructions, exactly at that instruction, even in translated code:
 * shortly before it, the hart is interpreted. So equal runs give equal samples.
 */
#ifndef DPK_ENGINE_PROC_PROFILE_H
#define DPK_ENGINE_PROC_PROFILE_H

#include "engine/proc/hart.h"

/* Reads the environment, once. Call this with sched's lock. */
enum dpk_status proc_profile_begin(struct dpk_error *err);
/* Prepares a process, if there is a profile. Call this and the others without the lock. */
enum dpk_status proc_profile_enter(struct dpk_process *p, struct dpk_error *err);
/* Adds the samples of a process to the profile, and frees its data for sampling. */
void proc_profile_leave(struct dpk_process *p);
/* Writes the file. Called after the last process is destroyed. */
void proc_profile_flush(void);

/* Does what rv64_run does, for a process that is profiled. */
enum rv64_stop proc_profile_run(struct hart *h, uint64_t budget);

#endif
