/* Debug information entries of a program (DWARF 5 and 4, section 7.5), which is not trusted; private to
 * this room. Libraries that read DWARF are not made for hostile input. */
#ifndef DPK_ENGINE_DEBUG_DWARF_H
#define DPK_ENGINE_DEBUG_DWARF_H

#include "engine/debug/debug.h"

/* ---- Parts of all tables ---- */

/* Returns a section's bytes. A section that is missing is empty. */
struct dpk_reader debug_dwarf_section(const struct dpk_image *image, const char *name);
/* Reads an offset; `wide`: 64-bit DWARF. */
uint64_t debug_dwarf_offset(struct dpk_reader *r, bool wide);
/* Reads a string. NULL: it does not end within the bytes. */
const char *debug_dwarf_string(struct dpk_reader *r);
const char *debug_dwarf_string_at(const struct dpk_reader *section, uint64_t offset);

/* ---- Entries ---- */

enum { DWARF_TAG_INLINED = 0x1d };

struct dwarf_sections {
    struct dpk_reader info, abbreviations, strings, line_strings, string_offsets, addresses, ranges,
        range_lists;
};

struct dwarf_abbreviation {
    uint64_t tag;
    bool has_children;
    struct dpk_reader attributes;
};

/* A unit of .debug_info. */
struct dwarf_unit {
    unsigned version, address_size;
    bool wide;
    uint64_t begin, entries, end; /* offsets in .debug_info: its header, first entry, end */
    struct dwarf_abbreviation *abbreviations; /* by code; NULL: the unit is not read */
    size_t abbreviation_count;
    uint64_t string_base, address_base, list_base, low; /* of its first entry */
};

/* A value as it is encoded. */
struct dwarf_value {
    uint64_t form; /* 0: there is none */
    uint64_t number;
    const char *text;
};

/* An entry with the attributes that are needed here. */
struct dwarf_entry {
    uint64_t tag; /* 0: the end of a list of children */
    bool has_children;
    struct dwarf_value name, origin, low, high, ranges;
    struct dwarf_value string_base, address_base, list_base;
};

struct dwarf_sections debug_dwarf_sections_of(const struct dpk_image *image);
/* Reads the unit at the reader of .debug_info, which moves past it. Returns false at the end. Release it
 * with debug_dwarf_unit_free. */
bool debug_dwarf_unit_next(const struct dwarf_sections *s, struct dpk_reader *r,
                           struct dwarf_unit *u);
void debug_dwarf_unit_free(struct dwarf_unit *u);
/* Reads the entry at the reader, which moves past it, but not past its children. Returns false if it
 * cannot be read. */
bool debug_dwarf_entry_next(const struct dwarf_unit *u, struct dpk_reader *r,
                            struct dwarf_entry *out);
const char *debug_dwarf_text(const struct dwarf_sections *s, const struct dwarf_unit *u,
                             const struct dwarf_value *v); /* NULL: none */
bool debug_dwarf_address(const struct dwarf_sections *s, const struct dwarf_unit *u,
                         const struct dwarf_value *v, uint64_t *out);
/* Returns the offset in .debug_info that a reference names; UINT64_MAX: none. */
uint64_t debug_dwarf_reference(const struct dwarf_unit *u, const struct dwarf_value *v);

/* Passes each range of addresses of an entry to `take`, until that returns false. Returns false if
 * `take` did. */
typedef bool dwarf_take_range(void *context, uint64_t begin, uint64_t end);
bool debug_dwarf_ranges(const struct dwarf_sections *s, const struct dwarf_unit *u,
                        const struct dwarf_entry *e, dwarf_take_range *take, void *context);

#endif
