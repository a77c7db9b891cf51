/* The addresses that a switch has learned. */
#include "table.h"

#include <stddef.h>
#include <string.h>

static unsigned set_of(const uint8_t address[ADDRESS])
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < ADDRESS; i++)
        hash = (hash ^ address[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(hash >> 40) % SETS;
}

void switch_table_learn(struct table *t, const uint8_t address[ADDRESS], struct port *port,
                        uint64_t now)
{
    struct entry *set = t->entries[set_of(address)], *place = set;
    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].port && memcmp(set[i].address, address, ADDRESS) == 0) {
            place = &set[i];
            break;
        }
        if (place->port && (!set[i].port || set[i].heard < place->heard))
            place = &set[i];
    }
    place->port = port;
    place->heard = now;
    memcpy(place->address, address, ADDRESS);
}

struct port *switch_table_find(const struct table *t, const uint8_t address[ADDRESS],
                               uint64_t oldest)
{
    const struct entry *set = t->entries[set_of(address)];
    for (unsigned i = 0; i < WAYS; i++)
        if (set[i].port && set[i].heard >= oldest && memcmp(set[i].address, address, ADDRESS) == 0)
            return set[i].port;
    return NULL;
}

void switch_table_forget(struct table *t, const struct port *port)
{
    for (unsigned i = 0; i < SETS * WAYS; i++)
        if (t->entries[i / WAYS][i % WAYS].port == port)
            t->entries[i / WAYS][i % WAYS].port = NULL;
}
