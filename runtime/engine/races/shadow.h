/* shadow: for each 8 bytes of memory, the last accesses to them. */
#ifndef DPK_ENGINE_RACES_SHADOW_H
#define DPK_ENGINE_RACES_SHADOW_H

#include "engine/races/races.h"

enum { GRANULE = 8, CELLS = 4 };
enum { CELL_OUTSIDE = 0x80 }; /* flag beside RACES_*: written from outside */

struct cell {
    uint32_t clock; /* thread's clock at the access; 0: no access */
    uint32_t place;
    uint16_t thread;
    uint8_t bytes; /* one bit for each of the 8 bytes */
    uint8_t how;
};

struct shadow;

struct shadow *races_shadow_create(void); /* NULL if there is no memory */
void races_shadow_free(struct shadow *s);
/* Returns the CELLS accesses to the granule at `address`. Returns NULL if there are none; with
 * `make`, if there is no memory or the limit is reached. */
struct cell *races_shadow_at(struct shadow *s, uint64_t address, bool make);

#endif
