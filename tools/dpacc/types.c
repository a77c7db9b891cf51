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

/* Would the members, one after the other, come to lie where they do? */
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

void ifgen_put_type(const struct ifgen_unit *unit, const struct ifgen_type *type,
                    struct dpk_buf *out)
{
    switch (type->kind) {
    case IFGEN_BOOL:
        dpk_put_format(out, "_Bool");
        break;
    case IFGEN_ADDRESS:
        dpk_put_format(out, "void *");
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

static void put_member(const struct ifgen_unit *unit, const struct ifgen_member *m, size_t index,
                       struct dpk_buf *out)
{
    dpk_put_format(out, "    __extension__ ");
    ifgen_put_type(unit, &m->type, out);
    if (m->bits >= 0 && !*m->name)
        dpk_put_format(out, " : %d;\n", m->bits);
    else if (m->bits >= 0)
        dpk_put_format(out, " m%zu : %d; /* %s */\n", index, m->bits, m->name);
    else {
        dpk_put_format(out, " m%zu", index);
        for (unsigned i = 0; i < m->type.dimensions; i++)
            dpk_put_format(out, "[%llu]", (unsigned long long)m->type.counts[i]);
        dpk_put_format(out, ";%s%s%s\n", *m->name ? " /* " : "", m->name, *m->name ? " */" : "");
    }
}

static void put_gap(uint64_t size, size_t index, struct dpk_buf *out)
{
    if (size)
        dpk_put_format(out, "    unsigned char gap%zu[%llu];\n", index, (unsigned long long)size);
}

/* Members at their places whatever the reason: packed, with the gaps spelled out. */
static void put_placed_members(const struct ifgen_unit *unit, const struct ifgen_record *r,
                               struct dpk_buf *out)
{
    uint64_t end = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct ifgen_member *m = &r->members[i];
        uint64_t at = m->offset / 8;
        if (!r->is_union && at > end)
            put_gap(at - end, i, out);
        put_member(unit, m, i, out);
        at += whole_size(&m->type);
        if (at > end)
            end = at;
    }
    if (!r->is_union && r->size > end)
        put_gap(r->size - end, r->count, out);
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
            dpk_put_format(out,
                           "_Static_assert(__builtin_offsetof(%s _dpacc_type_%zu, m%zu) == %llu,\n"
                           "               \"%s %s: layout differs between host and DPA\");\n",
                           tag, index, i, (unsigned long long)r->members[i].offset / 8, tag,
                           r->name);
}

void ifgen_put_records(const struct ifgen_unit *unit, struct dpk_buf *out)
{
    for (size_t index = 0; index < unit->record_count; index++) {
        const struct ifgen_record *r = &unit->records[index];
        const char *tag = r->is_union ? "union" : "struct";
        bool bit_fields = has_bit_fields(r);
        bool placed = !bit_fields && !is_natural(r);
        dpk_put_format(out, "\n/* %s %s */\n%s _dpacc_type_%zu {\n", tag, r->name, tag, index);
        if (placed)
            put_placed_members(unit, r, out);
        else
            for (size_t i = 0; i < r->count; i++)
                put_member(unit, &r->members[i], i, out);
        dpk_put_format(out, "} __attribute__((%saligned(%llu)));\n",
                       placed || (bit_fields && r->packed) ? "packed, " : "",
                       (unsigned long long)r->align);
        put_assertions(r, tag, index, out);
    }
}
