/* pages: for each 8 bytes of memory, the last accesses to them. */
#ifndef DPK_GPU_RACES_PAGES_H
#define DPK_GPU_RACES_PAGES_H

#include "base/base.h"

enum { RACES_GRANULE = 8, RACES_CELLS = 4 };

struct races_cell {
    uint64_t block;
    const void *place;
    uint32_t time; /* of the block; 0: no access */
    uint16_t thread;
    uint8_t bytes; /* one bit for each of the 8 bytes */
    uint8_t how;
};

struct races_pages;

struct races_pages *races_pages_new(void); /* NULL without memory */
void races_pages_free(struct races_pages *s);
/* Returns the cells of the granule at the address, and locks them. Returns NULL if the granule has
 * no cells and `make` is false, or memory has run out. */
struct races_cell *races_pages_lock(struct races_pages *s, uintptr_t address, bool make);
void races_pages_unlock(struct races_pages *s, uintptr_t address);

#endif
