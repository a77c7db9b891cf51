/* crash: describes where a hart failed, what it did and which function called it. The hart must not
 * run meanwhile. Without the lock. */
#ifndef DPK_ENGINE_PROC_CRASH_H
#define DPK_ENGINE_PROC_CRASH_H

#include "engine/proc/hart.h"

#define PLACE_MAX 410
/* Writes where `h` is, as in " pc 0x11234 (kernel+0x1c, kernel.c:12)", with the calling function
 * where that helps more. */
void crash_place(const struct hart *h, char *out, size_t size);
/* Writes a report of the exception of the core that `h` has ended with; `reason`: why external memory
 * was not accessed, or empty. */
void crash_report(const struct hart *h, const char *reason, char *out, size_t size);

#endif
