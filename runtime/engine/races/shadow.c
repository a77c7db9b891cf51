#include "engine/races/shadow.h"

#include <stdlib.h>

/* Each page takes 24 KiB, so a program takes at most about 1.5 GiB of the host. */
enum { PAGE = 4096, PAGES_MAX = 65536 };
struct page {
    struct cell cells[PAGE / GRANULE][CELLS];
};

struct shadow {
    struct page *pages[RACES_END / PAGE];
    unsigned count;
};

struct shadow *races_shadow_create(void)
{
    return calloc(1, sizeof(struct shadow));
}

void races_shadow_free(struct shadow *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->count > 0; i++)
        if (s->pages[i]) {
            free(s->pages[i]);
            s->count--;
        }
    free(s);
}

struct cell *races_shadow_at(struct shadow *s, uint64_t address, bool make)
{
    struct page **page = &s->pages[address / PAGE];
    if (!*page && make && s->count < PAGES_MAX) {
        *page = calloc(1, sizeof **page);
        s->count += *page != NULL;
    }
    return *page ? (*page)->cells[address % PAGE / GRANULE] : NULL;
}
