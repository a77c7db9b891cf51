/*
 * device: the emulated DPA: there is one in a host process, as there is one in a device. It lives
 * as long as there are processes.
 */
#ifndef DPK_PROC_DEVICE_H
#define DPK_PROC_DEVICE_H

#include "proc/process.h"

/* One process more, one less; the last one takes every thread with it. Both without the lock.
 * `warn` (may be NULL) is told when other programs cannot find this one. */
enum dpk_status device_enter(void (*warn)(const char *text), struct dpk_error *err);
void device_leave(void);
/* Its processes, by in_device. With sched's lock. */
struct list *device_processes(void);
/* Whether other programs find this one. With sched's lock. */
bool device_is_found(void);

#endif
