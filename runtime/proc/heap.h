/*
 * heap: hands out ranges of guest addresses. All bookkeeping is on the host, so that a program
 * that writes over its own memory cannot confuse it. Not locked: the owner does that.
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

/* DPK_ERR_RANGE: size 0; DPK_ERR_NOMEM: no room. */
enum dpk_status heap_alloc(struct heap *h, uint64_t size, uint64_t *address, struct dpk_error *err);
/* DPK_ERR_RANGE: not the start of an allocation that is in use. */
enum dpk_status heap_free(struct heap *h, uint64_t address, struct dpk_error *err);

/* Bytes as asked for, and as taken from the heap. */
uint64_t heap_requested(const struct heap *h);
uint64_t heap_taken(const struct heap *h);

#endif
