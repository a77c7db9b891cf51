/* affinity: which execution units of the card an affinity allows a process. */
#ifndef DPK_ENGINE_PROC_AFFINITY_H
#define DPK_ENGINE_PROC_AFFINITY_H

#include "engine/proc/hart.h"

/* Reads DPAKIT_EUS and DPAKIT_EU_GROUPS. */
enum dpk_status units_read(struct dpk_error *err);
/* Whether they, and not the device, say which units a process has. */
bool units_are_given(void);
/* Fills in p->units. `device` and `all`: what the device says; NULL: there is none. */
void units_fill(struct dpk_process *p, const struct dpk_device_units *device,
                const struct dpk_partitions *all);
/* The units that an affinity allows. None: there is no such unit or group. */
struct dpk_units units_of(const struct dpk_process *p, const struct dpk_affinity *affinity);
/* The number of the hart's unit, as the program sees it. UINT64_MAX: it has none. */
uint64_t unit_of(const struct hart *h);

#endif
