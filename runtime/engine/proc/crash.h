/* crash: describes where a hart failed, what it did and which function called it. The hart must not
 * run meanwhile. Call these functions without the lock. */
#ifndef DPK_ENGINE_PROC_CRASH_H
#define DPK_ENGINE_PROC_CRASH_H

#include "engine/proc/hart.h"

#define PLACE_MAX 410
/* Writes the place of `h`, as in " pc 0x11234 (kernel+0x1c, kernel.c:12)", with the calling
 * function if that is more helpful. */
void proc_crash_place(const struct hart *h, char *out, size_t size);
/* Writes a report of the exception that ended `h`. `reason`: why external memory was not accessed,
 * or empty. */
void proc_crash_report(const struct hart *h, const char *reason, char *out, size_t size);

#endif
