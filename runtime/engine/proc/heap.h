/*
 * heap: allocates ranges of guest addresses. All bookkeeping is in memory of the host, so that a
 * program that overwrites its own memory cannot damage it. The caller must lock it.
 *
 *     struct heap *h = proc_heap_create(0x80000000, 1 << 30);
 *     proc_heap_alloc(h, 100, &address, &err);
 *     proc_heap_free(h, address, &err);
 *     proc_heap_destroy(h);
 */
#ifndef DPK_ENGINE_PROC_HEAP_H
#define DPK_ENGINE_PROC_HEAP_H

#include "base/base.h"

#define HEAP_ALIGN 64

struct heap;

/* `base` and `size` are multiples of HEAP_ALIGN. Returns NULL if there is no memory. */
struct heap *proc_heap_create(uint64_t base, uint64_t size);
void proc_heap_destroy(struct heap *h);

/* Errors: DPK_ERR_RANGE if `size` is 0, DPK_ERR_NOMEM if no free range is large enough. */
enum dpk_status proc_heap_alloc(struct heap *h, uint64_t size, uint64_t *address,
                                struct dpk_error *err);
/* Errors: DPK_ERR_RANGE if the address is not the start of an allocation in use. */
enum dpk_status proc_heap_free(struct heap *h, uint64_t address, struct dpk_error *err);

/* For checkers: from now on, at least HEAP_ALIGN unused bytes follow each allocation, and a freed
 * range is not reused until many others were freed. Call this before the first allocation. */
void proc_heap_guard(struct heap *h);
/* Returns the requested size of the allocation at `address`. 0 if there is no allocation in use. */
uint64_t proc_heap_size_at(const struct heap *h, uint64_t address);
struct heap_place {
    uint64_t address, size; /* as requested */
    bool freed;
};
/* Finds the allocation that contains an address, or the nearest; also a freed one whose range is
 * not reused yet. It searches all allocations. Returns false if there are none. */
bool proc_heap_find(const struct heap *h, uint64_t address, struct heap_place *out);

/* Bytes that callers requested, and bytes that these allocations occupy. */
uint64_t proc_heap_requested(const struct heap *h);
uint64_t proc_heap_taken(const struct heap *h);

#endif
