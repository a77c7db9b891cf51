/* crash: what is said of a hart that failed: what it did, where, and who called it. Of one that
 * does not run; without the lock. */
#ifndef DPK_PROC_CRASH_H
#define DPK_PROC_CRASH_H

#include "proc/hart.h"

#define PLACE_MAX 410
/* " pc 0x11234 (kernel+0x1c, kernel.c:12)", with its caller if that is more telling. */
void crash_place(const struct hart *h, char *out, size_t size);
/* An exception of the core. */
void crash_report(const struct hart *h, char *out, size_t size);

#endif
