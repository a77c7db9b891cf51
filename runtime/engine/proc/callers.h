/* callers: the calls that a hart is in, by call frame information. The hart must not run meanwhile. */
#ifndef DPK_ENGINE_PROC_CALLERS_H
#define DPK_ENGINE_PROC_CALLERS_H

#include "engine/proc/hart.h"

/* Fills pc with the address of its instruction, and those behind the calls that led there, at most
 * `max`, at least 1. Returns how many. One thread at a time with the same `frames`. */
unsigned callers_find(const struct hart *h, struct dpk_frames *frames, uint64_t *pc, unsigned max);
/* The same, as text: ", called from kernel (kernel.c:12), called from ...". It begins behind the first
 * of them that is `from`: of a function of the device library, the instruction that called it. */
void callers_put(const struct hart *h, uint64_t from, char *out, size_t size);

#endif
