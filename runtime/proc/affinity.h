/* affinity: the execution units that programs may use, and which of them an affinity allows. */
#ifndef DPK_PROC_AFFINITY_H
#define DPK_PROC_AFFINITY_H

#include "proc/proc.h"
#include "sched/sched.h"

/* Reads DPAKIT_EUS and DPAKIT_EU_GROUPS. */
enum dpk_status units_read(struct dpk_error *err);
/* The units that an affinity allows. An empty range: there is no such unit or group. */
struct sched_units units_of(const struct dpk_affinity *affinity);
/* How many units there are. */
unsigned units_count(void);

#endif
