/*
 * device: the emulated DPA. A host process has one DPA, like a card. The DPA's threads run as long
 * as there are DPA processes.
 */
#ifndef DPK_ENGINE_PROC_DEVICE_H
#define DPK_ENGINE_PROC_DEVICE_H

#include "engine/proc/process.h"

/* Call these, without the lock, when a DPA process is created and when it is destroyed. The last
 * leave ends all threads of the DPA. `warn` (may be NULL) is called if other programs cannot find
 * this program. */
enum dpk_status proc_device_enter(void (*warn)(const char *text), struct dpk_error *err);
void proc_device_leave(void);
/* The list of DPA processes, linked by in_device. With sched's lock. */
struct list *proc_device_processes(void);
/* Returns true if other programs can find this program. Call this with sched's lock. */
bool proc_device_is_found(void);

#endif
