/* Compares the sections of a host file with the memory of a process that runs it. Tools find
 * programs by sections; a process knows only segments. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "host.h"

/* Segments are mapped in pages. This is the smallest page size of machines that run host files. */
#define PAGE UINT64_C(4096)

static bool holds(uint64_t begin, uint64_t length, uint64_t at, uint64_t size)
{
    return at >= begin && at - begin <= length && size <= length - (at - begin);
}

/* Returns true if the pages of the segment touch [at, at + size). */
static bool touches(const struct load *l, uint64_t at, uint64_t size)
{
    uint64_t begin = l->address / PAGE * PAGE, end, last;
    if (__builtin_add_overflow(l->address, l->memory_size, &end) ||
        __builtin_add_overflow(end, PAGE - 1, &end) || __builtin_add_overflow(at, size, &last))
        return true; /* beyond the address space: assume the worst */
    return begin < last && at < end / PAGE * PAGE;
}

/* Returns true if the segment maps the section. Address and file offset must agree modulo the page
 * size; otherwise the loader may move or refuse the segment. */
static bool maps_it(const struct object *o, const struct load *l, const struct section *s)
{
    return holds(l->address, l->file_size, s->address, s->size) && l->offset <= s->offset &&
           s->offset - l->offset == s->address - l->address &&
           (l->offset - o->base) % PAGE == l->address % PAGE;
}

enum mapping hostfile_mapping_of(const struct object *o, const struct section *s, char *why,
                                 size_t size)
{
    bool mapped = false;
    *why = 0;
    if (!o->runs || s->size == 0)
        return MAPPING_SAME;
    if (!(s->flags & SHF_ALLOC))
        return MAPPING_NONE;
    for (size_t i = 0; i < o->load_count; i++) {
        const struct load *l = &o->loads[i];
        if (maps_it(o, l, s)) {
            mapped = true;
        } else if (touches(l, s->address, s->size)) {
            snprintf(why, size, "%s: segment %u has other bytes at its address %#" PRIx64, s->name,
                     l->index, s->address);
            return MAPPING_OTHER;
        }
    }
    if (mapped)
        return MAPPING_SAME;
    snprintf(why, size, "%s: no segment has its address %#" PRIx64, s->name, s->address);
    return MAPPING_OTHER;
}
