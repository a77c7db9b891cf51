/*
 * window_cache: what a card's caches hold of external memory, for DPAKIT_STRICT=memory. Stores stay
 * in the hart's cache until a fence writes them back, and loads find there what was loaded before
 * until a fence invalidates it (DPA Development, "Memory Model"). So a program that lacks a fence
 * fails each time, and is told its line. Nothing is written back earlier, for want of room either.
 * By the thread that runs the hart, but for the end.
 */
#ifndef DPK_ENGINE_PROC_WINDOW_CACHE_H
#define DPK_ENGINE_PROC_WINDOW_CACHE_H

#include "engine/proc/hart.h"

/* Where a load (else a store) of `width` bytes finds them. NULL: the access is refused, for
 * the reason (DPK_FAULT_REASON_MAX bytes), or there is no memory for the cache. */
void *window_cache_at(struct hart *h, uint64_t address, unsigned width, bool stores, char *reason);
/* Carries out the fences that the hart has passed. */
void window_cache_settle(struct hart *h);
/* Writes back and invalidates all: atomics, and accesses at odd addresses, go to the
 * memory itself. */
void window_cache_empty(struct hart *h);
/* The function has ended: tells what was never written back, or seen, and drops it. */
void window_cache_end(struct hart *h);
/* NULL is fine. */
void window_cache_free(struct hart *h);

#endif
