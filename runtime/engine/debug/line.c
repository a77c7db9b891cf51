/*
 * Finds the source line of an address with the line number program of DWARF 5 and 4 (section 6.2).
 * The table comes from a program that is not trusted. So every step is checked, and an error ends
 * the search. Libraries that read DWARF are not made for hostile input.
 */
#include <stdlib.h>

#include "dwarf.h"

enum { /* standard opcodes (6.2.5.2), extended opcodes (6.2.5.3) */
       LNS_COPY = 1,
       LNS_ADVANCE_PC,
       LNS_ADVANCE_LINE,
       LNS_SET_FILE,
       LNS_CONST_ADD_PC = 8,
       LNS_FIXED_ADVANCE_PC,
       LNE_END_SEQUENCE = 1,
       LNE_SET_ADDRESS,
};
enum { CONTENT_PATH = 1 }; /* DW_LNCT_path */
enum { FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07, FORM_STRING = 0x08 };
enum { FORM_BLOCK = 0x09, FORM_DATA1 = 0x0b, FORM_STRP = 0x0e, FORM_UDATA = 0x0f };
enum { FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f };

/* The sections that a table refers to. A missing section is empty. */
struct sections {
    struct dpk_reader lines, line_strings, strings;
};

/* The header of one unit's program. */
struct unit {
    unsigned version, minimum_length, line_range, opcode_base;
    int8_t line_base;
    bool wide;                 /* 64-bit DWARF */
    struct dpk_reader lengths; /* operands of each standard opcode */
    struct dpk_reader tables;  /* directories and files */
    struct dpk_reader program;
};

/* The registers of the state machine that are needed here. */
struct row {
    uint64_t address, file;
    int64_t line;
};

/* ---- Units ---- */

/* Takes the next unit from `r`. Returns false if no readable unit is left. */
static bool next_unit(struct dpk_reader *r, struct unit *u)
{
    *u = (struct unit){0};
    uint64_t length = dpk_read_le32(r);
    u->wide = length == UINT32_MAX;
    if (u->wide)
        length = dpk_read_le64(r);
    if (r->failed || length > dpk_reader_left(r))
        return false;
    struct dpk_reader body = dpk_reader(dpk_read_bytes(r, (size_t)length), (size_t)length);
    u->version = dpk_read_le16(&body);
    if (u->version == 5)
        dpk_read_skip(&body, 2); /* sizes of addresses and segment selectors */
    uint64_t header = debug_dwarf_offset(&body, u->wide);
    if (body.failed || u->version < 2 || u->version > 5 || header > dpk_reader_left(&body))
        return !r->failed; /* the next unit may be valid */
    struct dpk_reader h = dpk_reader(dpk_read_bytes(&body, (size_t)header), (size_t)header);
    u->program = body;
    u->minimum_length = dpk_read_u8(&h);
    if (u->version >= 4)
        dpk_read_skip(&h, 1); /* operations in a VLIW instruction */
    dpk_read_skip(&h, 1);     /* default_is_stmt */
    u->line_base = (int8_t)dpk_read_u8(&h);
    u->line_range = dpk_read_u8(&h);
    u->opcode_base = dpk_read_u8(&h);
    size_t operands = u->opcode_base ? u->opcode_base - 1u : 0;
    const uint8_t *lengths = dpk_read_bytes(&h, operands);
    u->lengths = dpk_reader(lengths, lengths ? operands : 0);
    u->tables = h;
    if (h.failed || u->line_range == 0)
        u->version = 0; /* its program is not run */
    return true;
}

/* ---- File names ---- */

static const char *read_form(struct dpk_reader *r, const struct sections *s, uint64_t form,
                             bool wide)
{
    switch (form) {
    case FORM_STRING:
        return debug_dwarf_string(r);
    case FORM_LINE_STRP:
        return debug_dwarf_string_at(&s->line_strings, debug_dwarf_offset(r, wide));
    case FORM_STRP:
        return debug_dwarf_string_at(&s->strings, debug_dwarf_offset(r, wide));
    case FORM_UDATA:
        dpk_read_uleb(r);
        return NULL;
    case FORM_BLOCK:
        dpk_read_skip(r, (size_t)dpk_read_uleb(r));
        return NULL;
    case FORM_DATA1:
    case FORM_DATA2:
    case FORM_DATA4:
    case FORM_DATA8:
        dpk_read_skip(r, form == FORM_DATA1   ? 1
                         : form == FORM_DATA2 ? 2
                         : form == FORM_DATA4 ? 4
                                              : 8);
        return NULL;
    case FORM_DATA16:
        dpk_read_skip(r, 16);
        return NULL;
    default:
        dpk_read_skip(r, dpk_reader_left(r) + 1);
        return NULL;
    }
}

/* Reads a list of directories or files of DWARF 5. Returns the path of entry `wanted`. */
static const char *list_entry(struct dpk_reader *r, const struct sections *s, bool wide,
                              uint64_t wanted)
{
    struct {
        uint64_t content, form;
    } format[16];
    const char *found = NULL;
    unsigned columns = dpk_read_u8(r);
    for (unsigned i = 0; i < columns; i++) {
        uint64_t content = dpk_read_uleb(r), form = dpk_read_uleb(r);
        if (i < 16) {
            format[i].content = content;
            format[i].form = form;
        }
    }
    uint64_t count = dpk_read_uleb(r);
    if (columns == 0 || columns > 16)
        return NULL;
    for (uint64_t n = 0; n < count && !r->failed; n++)
        for (unsigned i = 0; i < columns; i++) {
            const char *text = read_form(r, s, format[i].form, wide);
            if (n == wanted && format[i].content == CONTENT_PATH)
                found = text;
        }
    return found;
}

/* Reads the lists of DWARF 4 and earlier, in which files are numbered from 1. */
static const char *old_file(struct dpk_reader *r, uint64_t wanted)
{
    const char *text;
    while ((text = debug_dwarf_string(r)) && *text)
        ;
    for (uint64_t n = 1; (text = debug_dwarf_string(r)) && *text; n++) {
        if (n == wanted)
            return text;
        dpk_read_uleb(r), dpk_read_uleb(r), dpk_read_uleb(r); /* directory, time, size */
    }
    return NULL;
}

static const char *file_name(const struct unit *u, const struct sections *s, uint64_t file)
{
    struct dpk_reader r = u->tables;
    if (u->version < 5)
        return old_file(&r, file);
    list_entry(&r, s, u->wide, UINT64_MAX); /* directories */
    return list_entry(&r, s, u->wide, file);
}

/* ---- The line number program ---- */

static void skip_operands(struct dpk_reader *r, const struct unit *u, unsigned opcode)
{
    struct dpk_reader one = dpk_reader_slice(&u->lengths, opcode - 1, 1);
    for (unsigned n = dpk_read_u8(&one); n > 0; n--)
        dpk_read_uleb(r);
}

/* Advances the address and, if `line_too`, the line as a special opcode does. */
static void special(const struct unit *u, struct row *now, unsigned opcode, bool line_too)
{
    unsigned adjusted = opcode - u->opcode_base;
    now->address += (uint64_t)u->minimum_length * (adjusted / u->line_range);
    if (line_too)
        now->line = (int64_t)((uint64_t)now->line +
                              (uint64_t)(u->line_base + (int)(adjusted % u->line_range)));
}

/* Carries out an operation. *emitted is set if it made a row, *ended if the row ends a sequence. */
static void operate(struct dpk_reader *r, const struct unit *u, struct row *now, bool *emitted,
                    bool *ended)
{
    unsigned opcode = dpk_read_u8(r);
    *emitted = *ended = false;
    if (opcode >= u->opcode_base) {
        special(u, now, opcode, true);
        *emitted = true;
        return;
    }
    if (opcode == 0) {
        uint64_t size = dpk_read_uleb(r);
        struct dpk_reader e = dpk_reader_slice(r, dpk_reader_offset(r), size);
        dpk_read_skip(r, (size_t)size);
        unsigned extended = dpk_read_u8(&e);
        if (extended == LNE_SET_ADDRESS)
            now->address = size == 9 ? dpk_read_le64(&e) : dpk_read_le32(&e);
        *emitted = *ended = extended == LNE_END_SEQUENCE;
        return;
    }
    switch (opcode) {
    case LNS_COPY:
        *emitted = true;
        break;
    case LNS_ADVANCE_PC:
        now->address += u->minimum_length * dpk_read_uleb(r);
        break;
    case LNS_ADVANCE_LINE:
        now->line = (int64_t)((uint64_t)now->line + (uint64_t)dpk_read_sleb(r));
        break;
    case LNS_SET_FILE:
        now->file = dpk_read_uleb(r);
        break;
    case LNS_CONST_ADD_PC:
        special(u, now, 255, false);
        break;
    case LNS_FIXED_ADVANCE_PC:
        now->address += dpk_read_le16(r);
        break;
    default:
        skip_operands(r, u, opcode);
    }
}

/* Finds the row for `pc`: its address is at or below `pc`, and that of the next row is above. */
static bool find_row(const struct unit *u, uint64_t pc, struct row *found)
{
    const struct row first = {.file = 1, .line = 1};
    struct dpk_reader r = u->program;
    struct row now = first, before = first;
    bool open = false; /* `before` is a row of this sequence */
    while (dpk_reader_left(&r) > 0 && !r.failed) {
        bool emitted, ended;
        operate(&r, u, &now, &emitted, &ended);
        if (!emitted || r.failed)
            continue;
        if (open && before.address <= pc && pc < now.address) {
            *found = before;
            return true;
        }
        before = now;
        open = !ended;
        if (ended)
            now = first;
    }
    return false;
}

static struct sections sections_of(const struct dpk_image *image)
{
    return (struct sections){.lines = debug_dwarf_section(image, ".debug_line"),
                             .line_strings = debug_dwarf_section(image, ".debug_line_str"),
                             .strings = debug_dwarf_section(image, ".debug_str")};
}

static bool line_of(const struct unit *u, const struct sections *s, uint64_t file, int64_t line,
                    struct dpk_line *out)
{
    const char *name = file_name(u, s, file);
    if (!name || line <= 0 || line > UINT32_MAX)
        return false;
    snprintf(out->file, sizeof out->file, "%s", name);
    dpk_text_clean(out->file);
    out->line = (unsigned)line;
    return true;
}

bool dpk_line_find(const struct dpk_image *image, uint64_t pc, struct dpk_line *out)
{
    struct sections s = sections_of(image);
    struct unit u;
    struct row row;
    while (dpk_reader_left(&s.lines) > 0 && next_unit(&s.lines, &u))
        if (u.version != 0 && u.line_range != 0 && find_row(&u, pc, &row))
            return line_of(&u, &s, row.file, row.line, out);
    return false;
}

/* ---- All lines of a program ---- */

enum { LINES_MAX = 1 << 24, UNITS_MAX = 1 << 20 };

/* The instructions from `begin` up to the next span. */
struct span {
    uint64_t begin;
    uint32_t unit;         /* UINT32_MAX if no line has them */
    uint32_t file, number; /* number: index of the row in the table */
    int64_t line;
};

struct dpk_lines {
    struct dpk_image *image;
    struct sections sections;
    struct unit *units;
    struct span *spans; /* by address */
    size_t unit_count, unit_room, span_count, span_room;
};

/* Makes room for another element of `size` bytes. */
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

static bool add_rows(struct dpk_lines *l)
{
    const struct row first = {.file = 1, .line = 1};
    const struct unit *u = &l->units[l->unit_count - 1];
    struct dpk_reader r = u->program;
    struct row now = first;
    bool open = false;
    while (dpk_reader_left(&r) > 0 && !r.failed) {
        bool emitted, ended;
        operate(&r, u, &now, &emitted, &ended);
        if (!emitted || r.failed || (now.line == 0 && open && !ended))
            continue; /* code without a line (0) counts to the line before */
        open = !ended;
        if (!grow(&l->spans, l->span_count, &l->span_room, sizeof *l->spans, LINES_MAX))
            return false;
        l->spans[l->span_count] = (struct span){
            .begin = now.address,
            .unit = ended || now.file > UINT32_MAX ? UINT32_MAX : (uint32_t)(l->unit_count - 1),
            .file = (uint32_t)now.file,
            .number = (uint32_t)l->span_count,
            .line = now.line};
        l->span_count++;
        if (ended)
            now = first;
    }
    return true;
}

/* Of two spans at one address, the end of a sequence comes before the next line. Of two lines at
 * one address, the later line counts. */
static int by_address(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    const bool xe = x->unit == UINT32_MAX, ye = y->unit == UINT32_MAX;
    if (xe != ye)
        return xe ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct dpk_lines *dpk_lines_create(const struct dpk_image *image)
{
    struct dpk_lines *l = calloc(1, sizeof *l);
    struct unit u;
    if (!l)
        return NULL;
    l->image = dpk_image_share(image);
    l->sections = sections_of(image);
    struct dpk_reader r = l->sections.lines;
    while (dpk_reader_left(&r) > 0 && next_unit(&r, &u)) {
        if (u.version == 0 || u.line_range == 0)
            continue;
        if (!grow(&l->units, l->unit_count, &l->unit_room, sizeof *l->units, UNITS_MAX))
            break;
        l->units[l->unit_count++] = u;
        if (!add_rows(l))
            break;
    }
    if (l->span_count)
        qsort(l->spans, l->span_count, sizeof *l->spans, by_address);
    return l;
}

void dpk_lines_free(struct dpk_lines *l)
{
    if (!l)
        return;
    dpk_image_free(l->image);
    free(l->units);
    free(l->spans);
    free(l);
}

bool dpk_lines_find(const struct dpk_lines *l, uint64_t pc, struct dpk_line *out)
{
    size_t low = 0, high = l->span_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->spans[middle].begin <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || l->spans[low - 1].unit == UINT32_MAX)
        return false;
    const struct span *s = &l->spans[low - 1];
    return line_of(&l->units[s->unit], &l->sections, s->file, s->line, out);
}
