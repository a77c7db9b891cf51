/*
 * window_cache: a card's caches of external memory, for DPAKIT_STRICT=memory. Stores stay in the
 * hart's cache until a fence writes them back. Loads see the cached value until a fence invalidates
 * it (DPA Development, "Memory Model"). So a program that lacks a fence fails each time, with a
 * message that names its line. The cache has no size limit, so it never writes back earlier. The
 * thread that runs the hart calls these functions, except the one for the end.
 */
#ifndef DPK_ENGINE_PROC_WINDOW_CACHE_H
#define DPK_ENGINE_PROC_WINDOW_CACHE_H

#include "engine/proc/hart.h"

/* Returns the place of `width` bytes for a load (or, if `stores`, a store). Returns NULL if the
 * access is refused, with the reason (DPK_FAULT_REASON_MAX bytes), or if there is no memory for the
 * cache. */
void *proc_window_cache_at(struct hart *h, uint64_t address, unsigned width, bool stores,
                           char *reason);
/* Executes the fences that the hart has passed. */
void proc_window_cache_settle(struct hart *h);
/* Writes back and invalidates everything, because atomics, and accesses at odd addresses, use the
 * memory itself. */
void proc_window_cache_empty(struct hart *h);
/* Called when the function has ended: reports data that was never written back or seen, and drops
 * it. */
void proc_window_cache_end(struct hart *h);
/* NULL is allowed. */
void proc_window_cache_free(struct hart *h);

#endif
