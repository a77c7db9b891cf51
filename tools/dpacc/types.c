#include "ifgen.h"

#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

static uint64_t whole_size(const struct ifgen_type *t)
{
    uint64_t size = t->size;
    for (unsigned i = 0; i < t->dimensions; i++)
        size *= t->counts[i];
    return size;
}

static bool has_bit_fields(const struct ifgen_record *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->members[i].bits >= 0)
            return true;
    return false;
}

/* Returns true if the default layout puts the members at their offsets. */
static bool is_natural(const struct ifgen_record *r)
{
    uint64_t end = 0, strictest = 1;
    for (size_t i = 0; i < r->count; i++) {
        const struct ifgen_member *m = &r->members[i];
        uint64_t at = r->is_union ? 0 : align_up(end, m->type.align);
        if (m->offset != at * 8)
            return false;
        at += whole_size(&m->type);
        if (at > end)
            end = at;
        if (m->type.align > strictest)
            strictest = m->type.align;
    }
    return strictest <= r->align && align_up(end, r->align) == r->size;
}

void dpacc_ifgen_put_type(const struct ifgen_unit *unit, const struct ifgen_type *type,
                          struct dpk_buf *out)
{
    switch (type->kind) {
    case IFGEN_BOOL:
        dpk_put_format(out, "_Bool");
        break;
    case IFGEN_RECORD:
        dpk_put_format(out, "%s _dpacc_type_%zu",
                       unit->records[type->record].is_union ? "union" : "struct", type->record);
        break;
    case IFGEN_INTEGER:
        if (type->size == 16)
            dpk_put_format(out, "%s__int128", type->is_signed ? "" : "unsigned ");
        else
            dpk_put_format(out, "%sint%u_t", type->is_signed ? "" : "u", (unsigned)type->size * 8);
        break;
    }
}

/* Writes a member with an explicit alignment; 0: the alignment of its type. */
static void put_member(const struct ifgen_unit *unit, const struct ifgen_member *m, size_t index,
                       uint64_t alignment, struct dpk_buf *out)
{
    dpk_put_format(out, "    __extension__ ");
    dpacc_ifgen_put_type(unit, &m->type, out);
    if (m->bits >= 0 && !*m->name)
        dpk_put_format(out, " : %d;\n", m->bits);
    else if (m->bits >= 0)
        dpk_put_format(out, " _dpacc_m%zu : %d; /* %s */\n", index, m->bits, m->name);
    else {
        dpk_put_format(out, " _dpacc_m%zu", index);
        for (unsigned i = 0; i < m->type.dimensions; i++)
            dpk_put_format(out, "[%llu]", (unsigned long long)m->type.counts[i]);
        if (alignment)
            dpk_put_format(out, " __attribute__((aligned(%llu)))", (unsigned long long)alignment);
        dpk_put_format(out, ";%s%s%s\n", *m->name ? " /* " : "", m->name, *m->name ? " */" : "");
    }
}

static void put_gap(uint64_t size, size_t index, struct dpk_buf *out)
{
    if (size)
        dpk_put_format(out, "    unsigned char _dpacc_gap%zu[%llu];\n", index,
                       (unsigned long long)size);
}

/* Writes members at their offsets, whatever the reason: packed, with explicit gaps. */
static void put_placed_members(const struct ifgen_unit *unit, const struct ifgen_record *r,
                               struct dpk_buf *out)
{
    uint64_t end = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct ifgen_member *m = &r->members[i];
        uint64_t at = m->offset / 8;
        if (!r->is_union && at > end)
            put_gap(at - end, i, out);
        put_member(unit, m, i, 0, out);
        at += whole_size(&m->type);
        if (at > end)
            end = at;
    }
    if (!r->is_union && r->size > end)
        put_gap(r->size - end, r->count, out);
}

/* Returns the alignment of #pragma pack, which is smaller than a member's own alignment; 0 without
 * such a pragma. */
static uint64_t pragma_pack(const struct ifgen_record *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (*r->members[i].name && r->members[i].type.align > r->align)
            return r->align;
    return 0;
}

/* The compiler places the bit-fields. Each other member gets the strictest alignment that its
 * offset has, which leads there from the end of any preceding bit-fields. */
static void put_bit_field_members(const struct ifgen_unit *unit, const struct ifgen_record *r,
                                  bool packed, struct dpk_buf *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct ifgen_member *m = &r->members[i];
        uint64_t at = m->offset / 8, place = at & (~at + 1);
        if (place > r->align)
            place = r->align;
        put_member(unit, m, i, packed || place <= m->type.align ? 0 : place, out);
    }
}

static void put_assertions(const struct ifgen_record *r, const char *tag, size_t index,
                           struct dpk_buf *out)
{
    dpk_put_format(out,
                   "_Static_assert(sizeof(%s _dpacc_type_%zu) == %llu &&\n"
                   "                   _Alignof(%s _dpacc_type_%zu) == %llu,\n"
                   "               \"%s %s: size or alignment differs between host and DPA\");\n",
                   tag, index, (unsigned long long)r->size, tag, index,
                   (unsigned long long)r->align, tag, r->name);
    for (size_t i = 0; i < r->count; i++)
        if (r->members[i].bits < 0)
            dpk_put_format(
                out,
                "_Static_assert(__builtin_offsetof(%s _dpacc_type_%zu, _dpacc_m%zu) == %llu,\n"
                "               \"%s %s: layout differs between host and DPA\");\n",
                tag, index, i, (unsigned long long)r->members[i].offset / 8, tag, r->name);
}

void dpacc_ifgen_put_records(const struct ifgen_unit *unit, struct dpk_buf *out)
{
    for (size_t index = 0; index < unit->record_count; index++) {
        const struct ifgen_record *r = &unit->records[index];
        const char *tag = r->is_union ? "union" : "struct";
        bool bit_fields = has_bit_fields(r);
        bool placed = !bit_fields && !is_natural(r);
        uint64_t pack = bit_fields && !r->packed ? pragma_pack(r) : 0;
        if (pack)
            dpk_put_format(out, "\n#pragma pack(push, %llu)", (unsigned long long)pack);
        dpk_put_format(out, "\n/* %s %s */\n%s _dpacc_type_%zu {\n", tag, r->name, tag, index);
        if (placed)
            put_placed_members(unit, r, out);
        else if (bit_fields)
            put_bit_field_members(unit, r, r->packed || pack, out);
        else
            for (size_t i = 0; i < r->count; i++)
                put_member(unit, &r->members[i], i, 0, out);
        dpk_put_format(out, "} __attribute__((%saligned(%llu)));\n",
                       placed || (bit_fields && r->packed) ? "packed, " : "",
                       (unsigned long long)r->align);
        if (pack)
            dpk_put_format(out, "#pragma pack(pop)\n");
        put_assertions(r, tag, index, out);
    }
}
