/* run: the callbacks of sched for harts of processes. */
#ifndef DPK_PROC_RUN_H
#define DPK_PROC_RUN_H

#include "sched/sched.h"

extern const struct sched_owner process_owner;

#endif
