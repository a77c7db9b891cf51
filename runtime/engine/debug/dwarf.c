/* Debug information entries: units, abbreviations, attributes, ranges of addresses. Every step is
 * checked; an error ends the reading of a unit. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

enum { /* attributes (7.5.4) */
       AT_NAME = 0x03,
       AT_LOW_PC = 0x11,
       AT_HIGH_PC = 0x12,
       AT_ABSTRACT_ORIGIN = 0x31,
       AT_SPECIFICATION = 0x47,
       AT_RANGES = 0x55,
       AT_STR_OFFSETS_BASE = 0x72,
       AT_ADDR_BASE,
       AT_RNGLISTS_BASE
};
enum { /* forms (7.5.6) */
       FORM_ADDR = 0x01,
       FORM_BLOCK2 = 0x03,
       FORM_BLOCK4,
       FORM_DATA2,
       FORM_DATA4,
       FORM_DATA8,
       FORM_STRING,
       FORM_BLOCK,
       FORM_BLOCK1,
       FORM_DATA1,
       FORM_FLAG,
       FORM_SDATA,
       FORM_STRP,
       FORM_UDATA,
       FORM_REF_ADDR,
       FORM_REF1,
       FORM_REF2,
       FORM_REF4,
       FORM_REF8,
       FORM_REF_UDATA,
       FORM_SEC_OFFSET = 0x17,
       FORM_EXPRLOC,
       FORM_FLAG_PRESENT,
       FORM_STRX,
       FORM_ADDRX,
       FORM_REF_SUP4,
       FORM_STRP_SUP,
       FORM_DATA16,
       FORM_LINE_STRP,
       FORM_REF_SIG8,
       FORM_IMPLICIT_CONST,
       FORM_LOCLISTX,
       FORM_RNGLISTX,
       FORM_REF_SUP8,
       FORM_STRX1,
       FORM_STRX2,
       FORM_STRX3,
       FORM_STRX4,
       FORM_ADDRX1,
       FORM_ADDRX2,
       FORM_ADDRX3,
       FORM_ADDRX4
};
enum { UNIT_COMPILE = 1, UNIT_PARTIAL = 3 };
enum { CODES_MAX = 1 << 16, ATTRIBUTES_MAX = 64 };

/* ---- Parts of all tables ---- */

struct dpk_reader debug_dwarf_section(const struct dpk_image *image, const char *name)
{
    size_t size = 0;
    const void *data = dpk_image_section(image, name, &size);
    return dpk_reader(data, data ? size : 0);
}

uint64_t debug_dwarf_offset(struct dpk_reader *r, bool wide)
{
    return wide ? dpk_read_le64(r) : dpk_read_le32(r);
}

const char *debug_dwarf_string(struct dpk_reader *r)
{
    size_t left = dpk_reader_left(r);
    const uint8_t *nul = r->failed || left == 0 ? NULL : memchr(r->pos, 0, left);
    if (!nul) {
        dpk_read_skip(r, left + 1);
        return NULL;
    }
    return (const char *)dpk_read_bytes(r, (size_t)(nul - r->pos) + 1);
}

/* Returns what follows an offset; nothing, if the section does not reach that far. */
static struct dpk_reader from(const struct dpk_reader *section, uint64_t offset)
{
    const size_t size = dpk_reader_left(section);
    return offset < size
               ? dpk_reader_slice(section, dpk_reader_offset(section) + offset, size - offset)
               : dpk_reader(NULL, 0);
}

const char *debug_dwarf_string_at(const struct dpk_reader *section, uint64_t offset)
{
    struct dpk_reader r = from(section, offset);
    return debug_dwarf_string(&r);
}

struct dwarf_sections debug_dwarf_sections_of(const struct dpk_image *image)
{
    return (struct dwarf_sections){.info = debug_dwarf_section(image, ".debug_info"),
                                   .abbreviations = debug_dwarf_section(image, ".debug_abbrev"),
                                   .strings = debug_dwarf_section(image, ".debug_str"),
                                   .line_strings = debug_dwarf_section(image, ".debug_line_str"),
                                   .string_offsets =
                                       debug_dwarf_section(image, ".debug_str_offsets"),
                                   .addresses = debug_dwarf_section(image, ".debug_addr"),
                                   .ranges = debug_dwarf_section(image, ".debug_ranges"),
                                   .range_lists = debug_dwarf_section(image, ".debug_rnglists")};
}

/* ---- Units ---- */

/* Moves past a list of attributes. A list is read again for each entry, so its length has a limit. */
static bool skip_attributes(struct dpk_reader *r)
{
    for (unsigned i = 0; i <= ATTRIBUTES_MAX; i++) {
        const uint64_t name = dpk_read_uleb(r), form = dpk_read_uleb(r);
        if (form == FORM_IMPLICIT_CONST)
            dpk_read_sleb(r);
        if (r->failed || (name == 0 && form == 0))
            return !r->failed;
    }
    return false;
}

/* Reads the table of abbreviations. Compilers count its codes up from 1; others are not read. */
static bool read_abbreviations(struct dpk_reader r, struct dwarf_unit *u)
{
    size_t room = 0;
    for (;;) {
        const uint64_t code = dpk_read_uleb(&r);
        if (r.failed || code == 0)
            return !r.failed;
        if (code != u->abbreviation_count + 1 || code > CODES_MAX)
            return false;
        if (code > room) {
            const size_t more = room ? room * 2 : 64;
            void *larger = realloc(u->abbreviations, more * sizeof *u->abbreviations);
            if (!larger)
                return false;
            u->abbreviations = larger;
            room = more;
        }
        struct dwarf_abbreviation *a = &u->abbreviations[u->abbreviation_count++];
        a->tag = dpk_read_uleb(&r);
        a->has_children = dpk_read_u8(&r) != 0;
        a->attributes = r;
        if (!skip_attributes(&r))
            return false;
    }
}

/* Keeps what the unit's first entry says about the others. */
static void read_bases(const struct dwarf_sections *s, struct dwarf_unit *u)
{
    struct dwarf_entry first;
    struct dpk_reader r = from(&s->info, u->entries);
    if (!debug_dwarf_entry_next(u, &r, &first))
        return;
    u->string_base = first.string_base.number;
    u->address_base = first.address_base.number;
    u->list_base = first.list_base.number;
    (void)debug_dwarf_address(s, u, &first.low, &u->low);
}

bool debug_dwarf_unit_next(const struct dwarf_sections *s, struct dpk_reader *r,
                           struct dwarf_unit *u)
{
    *u = (struct dwarf_unit){.begin = dpk_reader_offset(r)};
    if (dpk_reader_left(r) == 0)
        return false;
    uint64_t length = dpk_read_le32(r);
    u->wide = length == UINT32_MAX;
    if (u->wide)
        length = dpk_read_le64(r);
    if (r->failed || length > dpk_reader_left(r))
        return false;
    struct dpk_reader h = *r;
    dpk_read_skip(r, (size_t)length);
    u->end = dpk_reader_offset(r);
    u->version = dpk_read_le16(&h);
    const unsigned type = u->version == 5 ? dpk_read_u8(&h) : UNIT_COMPILE;
    uint64_t table = 0;
    if (u->version == 5) {
        u->address_size = dpk_read_u8(&h);
        table = debug_dwarf_offset(&h, u->wide);
    } else {
        table = debug_dwarf_offset(&h, u->wide);
        u->address_size = dpk_read_u8(&h);
    }
    u->entries = dpk_reader_offset(&h);
    if (h.failed || u->version < 4 || u->version > 5 || u->address_size != 8 ||
        u->entries > u->end || (type != UNIT_COMPILE && type != UNIT_PARTIAL))
        return true; /* the next unit may be valid */
    if (read_abbreviations(from(&s->abbreviations, table), u))
        read_bases(s, u);
    else
        debug_dwarf_unit_free(u);
    return true;
}

void debug_dwarf_unit_free(struct dwarf_unit *u)
{
    free(u->abbreviations);
    u->abbreviations = NULL;
    u->abbreviation_count = 0;
}

/* ---- Values ---- */

static uint64_t read_bytes(struct dpk_reader *r, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)dpk_read_u8(r) << 8 * i;
    return value;
}

/* Returns the size of a form whose values all have one; 0: it has none. */
static unsigned size_of(uint64_t form)
{
    switch (form) {
    case FORM_DATA1:
    case FORM_FLAG:
    case FORM_REF1:
    case FORM_STRX1:
    case FORM_ADDRX1:
        return 1;
    case FORM_DATA2:
    case FORM_REF2:
    case FORM_STRX2:
    case FORM_ADDRX2:
        return 2;
    case FORM_STRX3:
    case FORM_ADDRX3:
        return 3;
    case FORM_DATA4:
    case FORM_REF4:
    case FORM_STRX4:
    case FORM_ADDRX4:
    case FORM_REF_SUP4:
        return 4;
    case FORM_ADDR: /* of 64 bits: other units are not read */
    case FORM_DATA8:
    case FORM_REF8:
    case FORM_REF_SIG8:
    case FORM_REF_SUP8:
        return 8;
    default:
        return 0;
    }
}

/* Skips a block; `size` has its length. */
static void skip_block(struct dpk_reader *r, uint64_t size)
{
    const size_t left = dpk_reader_left(r);
    dpk_read_skip(r, size <= left ? (size_t)size : left + 1);
}

/* Reads a value in a form without a fixed size. Unknown forms make the reader fail. */
static void read_other(const struct dwarf_unit *u, struct dpk_reader *r, struct dwarf_value *out)
{
    switch (out->form) {
    case FORM_STRING:
        out->text = debug_dwarf_string(r);
        break;
    case FORM_STRP:
    case FORM_LINE_STRP:
    case FORM_STRP_SUP:
    case FORM_SEC_OFFSET:
    case FORM_REF_ADDR:
        out->number = debug_dwarf_offset(r, u->wide);
        break;
    case FORM_UDATA:
    case FORM_REF_UDATA:
    case FORM_STRX:
    case FORM_ADDRX:
    case FORM_LOCLISTX:
    case FORM_RNGLISTX:
        out->number = dpk_read_uleb(r);
        break;
    case FORM_SDATA:
        out->number = (uint64_t)dpk_read_sleb(r);
        break;
    case FORM_BLOCK:
    case FORM_EXPRLOC:
        skip_block(r, dpk_read_uleb(r));
        break;
    case FORM_BLOCK1:
        skip_block(r, dpk_read_u8(r));
        break;
    case FORM_BLOCK2:
        skip_block(r, dpk_read_le16(r));
        break;
    case FORM_BLOCK4:
        skip_block(r, dpk_read_le32(r));
        break;
    case FORM_DATA16:
        dpk_read_skip(r, 16);
        break;
    case FORM_FLAG_PRESENT:
        break;
    default:
        dpk_read_skip(r, dpk_reader_left(r) + 1);
    }
}

static struct dwarf_value *place_of(struct dwarf_entry *e, uint64_t attribute)
{
    switch (attribute) {
    case AT_NAME:
        return &e->name;
    case AT_ABSTRACT_ORIGIN:
    case AT_SPECIFICATION:
        return &e->origin;
    case AT_LOW_PC:
        return &e->low;
    case AT_HIGH_PC:
        return &e->high;
    case AT_RANGES:
        return &e->ranges;
    case AT_STR_OFFSETS_BASE:
        return &e->string_base;
    case AT_ADDR_BASE:
        return &e->address_base;
    case AT_RNGLISTS_BASE:
        return &e->list_base;
    default:
        return NULL;
    }
}

bool debug_dwarf_entry_next(const struct dwarf_unit *u, struct dpk_reader *r,
                            struct dwarf_entry *out)
{
    *out = (struct dwarf_entry){0};
    const uint64_t code = dpk_read_uleb(r);
    if (r->failed || code > u->abbreviation_count)
        return false;
    if (code == 0)
        return true;
    const struct dwarf_abbreviation *a = &u->abbreviations[code - 1];
    struct dpk_reader list = a->attributes;
    out->tag = a->tag;
    out->has_children = a->has_children;
    if (a->tag == 0)
        return false;
    for (;;) {
        const uint64_t attribute = dpk_read_uleb(&list);
        struct dwarf_value v = {.form = dpk_read_uleb(&list)};
        if (list.failed || (attribute == 0 && v.form == 0))
            return !list.failed;
        const unsigned size = size_of(v.form);
        if (v.form == FORM_IMPLICIT_CONST)
            v.number = (uint64_t)dpk_read_sleb(&list);
        else if (size)
            v.number = read_bytes(r, size);
        else
            read_other(u, r, &v);
        if (r->failed)
            return false;
        struct dwarf_value *place = place_of(out, attribute);
        if (place)
            *place = v;
    }
}

const char *debug_dwarf_text(const struct dwarf_sections *s, const struct dwarf_unit *u,
                             const struct dwarf_value *v)
{
    const unsigned size = u->wide ? 8 : 4;
    uint64_t at = 0;
    switch (v->form) {
    case FORM_STRING:
        return v->text;
    case FORM_STRP:
        return debug_dwarf_string_at(&s->strings, v->number);
    case FORM_LINE_STRP:
        return debug_dwarf_string_at(&s->line_strings, v->number);
    case FORM_STRX:
    case FORM_STRX1:
    case FORM_STRX2:
    case FORM_STRX3:
    case FORM_STRX4:
        if (v->number > UINT32_MAX || __builtin_add_overflow(u->string_base, v->number * size, &at))
            return NULL;
        struct dpk_reader r = from(&s->string_offsets, at);
        at = debug_dwarf_offset(&r, u->wide);
        return r.failed ? NULL : debug_dwarf_string_at(&s->strings, at);
    default:
        return NULL;
    }
}

/* Reads an address of .debug_addr by its number. */
static bool indexed(const struct dwarf_sections *s, const struct dwarf_unit *u, uint64_t index,
                    uint64_t *out)
{
    uint64_t at = 0;
    if (index > UINT32_MAX || __builtin_add_overflow(u->address_base, index * 8, &at))
        return false;
    struct dpk_reader r = from(&s->addresses, at);
    *out = dpk_read_le64(&r);
    return !r.failed;
}

bool debug_dwarf_address(const struct dwarf_sections *s, const struct dwarf_unit *u,
                         const struct dwarf_value *v, uint64_t *out)
{
    if (v->form == FORM_ADDR) {
        *out = v->number;
        return true;
    }
    return (v->form == FORM_ADDRX || (v->form >= FORM_ADDRX1 && v->form <= FORM_ADDRX4)) &&
           indexed(s, u, v->number, out);
}

uint64_t debug_dwarf_reference(const struct dwarf_unit *u, const struct dwarf_value *v)
{
    if (v->form == FORM_REF_ADDR)
        return v->number;
    if (v->form < FORM_REF1 || v->form > FORM_REF_UDATA || v->number >= u->end - u->begin)
        return UINT64_MAX;
    return u->begin + v->number;
}

/* ---- Ranges ---- */

enum { /* entries of a list (7.25) */
       LIST_END,
       LIST_BASE_INDEX,
       LIST_INDICES,
       LIST_INDEX_LENGTH,
       LIST_OFFSETS,
       LIST_BASE,
       LIST_ADDRESSES,
       LIST_ADDRESS_LENGTH
};

/* Reads an entry of a list. *has: it is a range. Returns false at the list's end. */
static bool list_next(const struct dwarf_sections *s, const struct dwarf_unit *u,
                      struct dpk_reader *r, uint64_t *base, uint64_t range[2], bool *has)
{
    const unsigned kind = dpk_read_u8(r);
    bool known = true;
    *has = kind != LIST_BASE_INDEX && kind != LIST_BASE;
    switch (kind) {
    case LIST_BASE_INDEX:
        known = indexed(s, u, dpk_read_uleb(r), base);
        break;
    case LIST_INDICES:
        known = indexed(s, u, dpk_read_uleb(r), &range[0]);
        known = indexed(s, u, dpk_read_uleb(r), &range[1]) && known;
        break;
    case LIST_INDEX_LENGTH:
        known = indexed(s, u, dpk_read_uleb(r), &range[0]);
        range[1] = range[0] + dpk_read_uleb(r);
        break;
    case LIST_OFFSETS:
        range[0] = *base + dpk_read_uleb(r);
        range[1] = *base + dpk_read_uleb(r);
        break;
    case LIST_BASE:
        *base = dpk_read_le64(r);
        break;
    case LIST_ADDRESSES:
        range[0] = dpk_read_le64(r);
        range[1] = dpk_read_le64(r);
        break;
    case LIST_ADDRESS_LENGTH:
        range[0] = dpk_read_le64(r);
        range[1] = range[0] + dpk_read_uleb(r);
        break;
    default:
        return false;
    }
    return known && !r->failed;
}

/* The same for .debug_ranges of DWARF 4. */
static bool pair_next(struct dpk_reader *r, uint64_t *base, uint64_t range[2], bool *has)
{
    const uint64_t first = dpk_read_le64(r), second = dpk_read_le64(r);
    *has = first != UINT64_MAX;
    if (!*has)
        *base = second;
    range[0] = *base + first;
    range[1] = *base + second;
    return !r->failed && (first || second);
}

/* Returns where a list of DWARF 5 is: its number is an index into the unit's table, or its offset. */
static struct dpk_reader list_of(const struct dwarf_sections *s, const struct dwarf_unit *u,
                                 const struct dwarf_value *v)
{
    const unsigned size = u->wide ? 8 : 4;
    uint64_t at = v->number, offset = 0;
    if (v->form == FORM_RNGLISTX) {
        if (v->number > UINT32_MAX || __builtin_add_overflow(u->list_base, v->number * size, &at))
            return dpk_reader(NULL, 0);
        struct dpk_reader r = from(&s->range_lists, at);
        offset = debug_dwarf_offset(&r, u->wide);
        if (r.failed || __builtin_add_overflow(u->list_base, offset, &at))
            return dpk_reader(NULL, 0);
    }
    return from(&s->range_lists, at);
}

bool debug_dwarf_ranges(const struct dwarf_sections *s, const struct dwarf_unit *u,
                        const struct dwarf_entry *e, dwarf_take_range *take, void *context)
{
    uint64_t range[2] = {0, 0}, base = u->low;
    bool has = false;
    if (e->ranges.form) {
        struct dpk_reader r =
            u->version == 5 ? list_of(s, u, &e->ranges) : from(&s->ranges, e->ranges.number);
        while (u->version == 5 ? list_next(s, u, &r, &base, range, &has)
                               : pair_next(&r, &base, range, &has))
            if (has && range[0] < range[1] && !take(context, range[0], range[1]))
                return false;
        return true;
    }
    if (!e->low.form || !e->high.form || !debug_dwarf_address(s, u, &e->low, &range[0]))
        return true;
    if (!debug_dwarf_address(s, u, &e->high, &range[1]))
        range[1] = range[0] + e->high.number; /* a length */
    return range[0] >= range[1] || take(context, range[0], range[1]);
}
