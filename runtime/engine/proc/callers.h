/* callers: the active calls of a hart, by call frame information. The hart must not run
 * meanwhile. */
#ifndef DPK_ENGINE_PROC_CALLERS_H
#define DPK_ENGINE_PROC_CALLERS_H

#include "engine/proc/hart.h"

/* Fills pc with the address of the hart's instruction and the return addresses of its callers, at
 * least 1 and at most `max`. Returns their number. Only one thread at a time may use the same
 * `frames`. */
unsigned proc_callers_find(const struct hart *h, struct dpk_frames *frames, uint64_t *pc,
                           unsigned max);
/* Appends the callers as text: ", called from kernel (kernel.c:12), called from ...". It starts
 * after the first caller that is `from`; in a function of the device library, that is the
 * instruction that called it. */
void proc_callers_put(const struct hart *h, uint64_t from, char *out, size_t size);

#endif
