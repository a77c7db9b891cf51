/*
 * heap: allocates ranges of guest addresses. All bookkeeping is in memory of the host, so that a
 * program that overwrites its own memory cannot damage it. The caller must lock it.
 *
 *     struct heap *h = heap_create(0x80000000, 1 << 30);
 *     heap_alloc(h, 100, &address, &err);
 *     heap_free(h, address, &err);
 *     heap_destroy(h);
 */
#ifndef DPK_ENGINE_PROC_HEAP_H
#define DPK_ENGINE_PROC_HEAP_H

#include "base/base.h"

#define HEAP_ALIGN 64

struct heap;

/* `base` and `size` are multiples of HEAP_ALIGN. NULL: out of memory. */
struct heap *heap_create(uint64_t base, uint64_t size);
void heap_destroy(struct heap *h);

/* DPK_ERR_RANGE: `size` is 0. DPK_ERR_NOMEM: no free range is large enough. */
enum dpk_status heap_alloc(struct heap *h, uint64_t size, uint64_t *address, struct dpk_error *err);
/* DPK_ERR_RANGE: the address is not the start of an allocation in use. */
enum dpk_status heap_free(struct heap *h, uint64_t address, struct dpk_error *err);

/* For checkers: from now on HEAP_ALIGN bytes or more that are nobody's lie behind each allocation, and
 * a freed one is not used again until many others were freed. Before the first allocation. */
void heap_guard(struct heap *h);
/* The size that the allocation at `address` was asked for with. 0: there is none in use. */
uint64_t heap_size_at(const struct heap *h, uint64_t address);
struct heap_place {
    uint64_t address, size; /* as it was asked for */
    bool freed;
};
/* Finds the allocation that is nearest to an address, or has it; also one that was freed, as long as it
 * is not used again. It looks at all of them. False: there is none. */
bool heap_find(const struct heap *h, uint64_t address, struct heap_place *out);

/* Bytes that callers have asked for, and bytes that these allocations take. */
uint64_t heap_requested(const struct heap *h);
uint64_t heap_taken(const struct heap *h);

#endif
