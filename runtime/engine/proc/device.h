/*
 * device: the emulated DPA. A host process has one, as a card has one. Its threads run as long as
 * there are DPA processes.
 */
#ifndef DPK_ENGINE_PROC_DEVICE_H
#define DPK_ENGINE_PROC_DEVICE_H

#include "engine/proc/process.h"

/* Are called when a DPA process is made and when one is gone. The last one that leaves ends all
 * threads of the DPA. `warn` (may be NULL) is called when other programs cannot find this one. Both
 * without the lock. */
enum dpk_status device_enter(void (*warn)(const char *text), struct dpk_error *err);
void device_leave(void);
/* The list of DPA processes, linked by in_device. With sched's lock. */
struct list *device_processes(void);
/* Whether other programs can find this one. With sched's lock. */
bool device_is_found(void);

#endif
