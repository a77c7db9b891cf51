/* affinity: which execution units of the card a process may use, by affinity. */
#ifndef DPK_ENGINE_PROC_AFFINITY_H
#define DPK_ENGINE_PROC_AFFINITY_H

#include "engine/proc/hart.h"

/* Reads DPAKIT_EUS and DPAKIT_EU_GROUPS. */
enum dpk_status proc_units_read(struct dpk_error *err);
/* Returns true if these variables, and not the device, say which units a process has. */
bool proc_units_are_given(void);
/* Fills p->units. `device` and `all`: values of the device; NULL without a device. */
void proc_units_fill(struct dpk_process *p, const struct dpk_device_units *device,
                     const struct dpk_partitions *all);
/* Returns the units that an affinity allows; empty if the unit or group does not exist. */
struct dpk_units proc_units_of(const struct dpk_process *p, const struct dpk_affinity *affinity);
/* Returns the number of the hart's unit as the program sees it. UINT64_MAX if it has no unit. */
uint64_t proc_unit_of(const struct hart *h);

#endif
