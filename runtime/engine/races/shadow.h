/* shadow: for each 8 bytes of memory, the last accesses to them. */
#ifndef DPK_ENGINE_RACES_SHADOW_H
#define DPK_ENGINE_RACES_SHADOW_H

#include "engine/races/races.h"

enum { GRANULE = 8, CELLS = 4 };
enum { CELL_OUTSIDE = 0x80 }; /* with RACES_*: who wrote is outside */

struct cell {
    uint32_t clock; /* of the thread at the access; 0: no access */
    uint32_t place;
    uint16_t thread;
    uint8_t bytes; /* a bit for each of the 8 */
    uint8_t how;
};

struct shadow;

struct shadow *shadow_create(void); /* NULL: out of memory */
void shadow_free(struct shadow *s);
/* The CELLS accesses to the granule at `address`. NULL: there are none; with `make`: out of memory, or
 * of what may be used. */
struct cell *shadow_at(struct shadow *s, uint64_t address, bool make);

#endif
