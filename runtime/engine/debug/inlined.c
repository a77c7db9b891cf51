/* Functions whose code the compiler put into their callers (DWARF 5, section 3.3.8). */
#include <stdlib.h>

#include "dwarf.h"

enum { PLACES_MAX = 1 << 20, UNITS_MAX = 1 << 16, STEPS_MAX = 1 << 22, ORIGINS_MAX = 4 };
enum { ABBREVIATIONS_MAX = 1 << 20 }; /* of all units: many may share a table */

/* A range of addresses that belongs to an inlined function. */
struct place {
    uint64_t begin, end;
    uint64_t reach;   /* greatest end of this place and those before it */
    unsigned depth;   /* of the entry: inner functions are deeper */
    const char *name; /* in the program's copy */
};

struct dpk_inlines {
    struct dpk_image *image;
    struct dwarf_sections sections;
    struct dwarf_unit *units;
    struct place *places; /* by address */
    size_t unit_count, unit_room, place_count, place_room;
    unsigned steps; /* ranges that were looked at: many entries may share a long list */
};

/* What debug_dwarf_ranges passes on. */
struct finding {
    struct dpk_inlines *all;
    const char *name;
    unsigned depth;
};

/* Makes room for one more of `size` bytes. */
static bool grow(void *array, size_t count, size_t *room, size_t size, size_t max)
{
    void **at = array;
    if (count < *room)
        return true;
    const size_t more = *room ? *room * 2 : 64;
    void *larger = more <= max ? realloc(*at, more * size) : NULL;
    if (!larger)
        return false;
    *at = larger;
    *room = more;
    return true;
}

static bool take_place(void *context, uint64_t begin, uint64_t end)
{
    const struct finding *f = context;
    struct dpk_inlines *l = f->all;
    if (++l->steps > STEPS_MAX ||
        !grow(&l->places, l->place_count, &l->place_room, sizeof *l->places, PLACES_MAX))
        return false;
    l->places[l->place_count++] =
        (struct place){.begin = begin, .end = end, .depth = f->depth, .name = f->name};
    return true;
}

static const struct dwarf_unit *unit_at(const struct dpk_inlines *l, uint64_t offset)
{
    size_t low = 0, high = l->unit_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->units[middle].begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct dwarf_unit *u = low ? &l->units[low - 1] : NULL;
    return u && offset >= u->entries && offset < u->end ? u : NULL;
}

/* Follows the entry to the function that was inlined. NULL: it has no name. */
static const char *name_of(const struct dpk_inlines *l, const struct dwarf_unit *u,
                           const struct dwarf_entry *entry)
{
    struct dwarf_entry e = *entry;
    for (unsigned i = 0; i < ORIGINS_MAX; i++) {
        const char *name = debug_dwarf_text(&l->sections, u, &e.name);
        if (name)
            return name;
        const uint64_t at = debug_dwarf_reference(u, &e.origin);
        u = at >= u->entries && at < u->end ? u : unit_at(l, at);
        if (!u || !u->abbreviations)
            return NULL;
        struct dpk_reader r = dpk_reader_slice(&l->sections.info, at, u->end - at);
        if (!debug_dwarf_entry_next(u, &r, &e))
            return NULL;
    }
    return NULL;
}

/* Collects the places of a unit. Returns false if there are too many, or no memory. */
static bool read_unit(struct dpk_inlines *l, const struct dwarf_unit *u)
{
    struct dpk_reader r = dpk_reader_slice(&l->sections.info, u->entries, u->end - u->entries);
    struct dwarf_entry e;
    unsigned depth = 0;
    while (u->abbreviations && dpk_reader_left(&r) > 0 && debug_dwarf_entry_next(u, &r, &e)) {
        if (e.tag == DWARF_TAG_INLINED) {
            struct finding f = {.all = l, .name = name_of(l, u, &e), .depth = depth};
            if (f.name && !debug_dwarf_ranges(&l->sections, u, &e, take_place, &f))
                return false;
        }
        depth += e.tag && e.has_children;
        if (!e.tag && depth-- <= 1)
            return true; /* the children of the unit's first entry end */
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

struct dpk_inlines *dpk_inlines_create(const struct dpk_image *image)
{
    struct dpk_inlines *l = calloc(1, sizeof *l);
    struct dwarf_unit u;
    if (!l)
        return NULL;
    l->image = dpk_image_share(image);
    l->sections = debug_dwarf_sections_of(image);
    struct dpk_reader r = l->sections.info;
    size_t abbreviations = 0;
    while (abbreviations < ABBREVIATIONS_MAX && debug_dwarf_unit_next(&l->sections, &r, &u)) {
        abbreviations += u.abbreviation_count;
        if (!grow(&l->units, l->unit_count, &l->unit_room, sizeof *l->units, UNITS_MAX)) {
            debug_dwarf_unit_free(&u);
            break;
        }
        l->units[l->unit_count++] = u;
    }
    for (size_t i = 0; i < l->unit_count; i++)
        if (!read_unit(l, &l->units[i]))
            break;
    if (l->place_count)
        qsort(l->places, l->place_count, sizeof *l->places, by_address);
    for (size_t i = 0; i < l->place_count; i++) {
        const uint64_t before = i ? l->places[i - 1].reach : 0;
        l->places[i].reach = l->places[i].end > before ? l->places[i].end : before;
    }
    return l;
}

void dpk_inlines_free(struct dpk_inlines *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->unit_count; i++)
        debug_dwarf_unit_free(&l->units[i]);
    dpk_image_free(l->image);
    free(l->units);
    free(l->places);
    free(l);
}

/* Inserts a place among those found, outermost first. */
static unsigned insert(const struct place *found[DPK_INLINED_MAX], unsigned count,
                       const struct place *p)
{
    if (count == DPK_INLINED_MAX)
        return count;
    unsigned at = count;
    for (; at > 0 && found[at - 1]->depth > p->depth; at--)
        found[at] = found[at - 1];
    found[at] = p;
    return count + 1;
}

unsigned dpk_inlines_find(const struct dpk_inlines *l, uint64_t pc,
                          const char *names[DPK_INLINED_MAX])
{
    const struct place *found[DPK_INLINED_MAX];
    unsigned count = 0;
    size_t low = 0, high = l->place_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->places[middle].begin <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0 && l->places[low - 1].reach > pc; low--)
        if (l->places[low - 1].end > pc)
            count = insert(found, count, &l->places[low - 1]);
    for (unsigned i = 0; i < count; i++)
        names[i] = found[i]->name;
    return count;
}
