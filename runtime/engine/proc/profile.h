/*
 * profile: where the program's instructions go (DPAKIT_PROFILE=FILE). Each hart is sampled each time
 * that it has retired so many instructions, at that very instruction, whether its code is translated
 * or not: shortly before it, the hart is interpreted. So samples repeat themselves where runs do.
 */
#ifndef DPK_ENGINE_PROC_PROFILE_H
#define DPK_ENGINE_PROC_PROFILE_H

#include "engine/proc/hart.h"

/* Reads what the environment says, once. With sched's lock. */
enum dpk_status profile_begin(struct dpk_error *err);
/* Prepares a process, if there is a profile. Without the lock, as the others. */
enum dpk_status profile_enter(struct dpk_process *p, struct dpk_error *err);
/* Adds the samples of a process to the profile, and frees what it had for them. */
void profile_leave(struct dpk_process *p);
/* The last process is gone: writes the file. */
void profile_flush(void);

/* Does what rv64_run does, for a process that is profiled. */
enum rv64_stop profile_run(struct hart *h, uint64_t budget);

#endif
