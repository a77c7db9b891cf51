/*
 * heap: allocates ranges of guest addresses. All bookkeeping is in memory of the host, so that a
 * program that overwrites its own memory cannot damage it. The caller must lock it.
 *
 *     struct heap *h = heap_create(0x80000000, 1 << 30);
 *     heap_alloc(h, 100, &address, &err);
 *     heap_free(h, address, &err);
 *     heap_destroy(h);
 */
#ifndef DPK_PROC_HEAP_H
#define DPK_PROC_HEAP_H

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

/* Bytes that callers have asked for, and bytes that these allocations take. */
uint64_t heap_requested(const struct heap *h);
uint64_t heap_taken(const struct heap *h);

#endif
