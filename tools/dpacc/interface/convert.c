#include "parser.h"

#include <stdlib.h>
#include <string.h>

#define COMPLAINTS_MAX 20
#define FLEXIBLE_ARRAY "its type ends in a flexible array, which cannot be passed by value"

/* ---- Text ---- */

char *interface_parser_take_string(struct parser *p, CXString s)
{
    const char *text = clang_getCString(s);
    char *copy = strdup(text ? text : "");
    clang_disposeString(s);
    if (!copy)
        p->no_memory = true;
    return copy;
}

char *interface_parser_name(struct parser *p, CXCursor c)
{
    return interface_parser_take_string(p, clang_getCursorSpelling(c));
}

static bool is_identifier(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
    if (!*s || (!strchr(letters, *s) && !((unsigned char)*s & 0x80)))
        return false;
    for (; *s; s++)
        if (!strchr(letters, *s) && !(*s >= '0' && *s <= '9') && !((unsigned char)*s & 0x80))
            return false;
    return true;
}

void interface_parser_location(struct parser *p, CXCursor c, char **file, unsigned *line)
{
    CXFile handle;
    clang_getExpansionLocation(clang_getCursorLocation(c), &handle, line, NULL, NULL);
    *file = interface_parser_take_string(p, clang_getFileName(handle));
}

/* Adds "file:line: function: what"; equal texts only once. */
void interface_parser_complain(struct parser *p, CXCursor where, const char *function,
                               const char *what)
{
    struct words *list = &p->unit->complaints;
    char *file = NULL, *text = NULL;
    unsigned line = 0;
    interface_parser_location(p, where, &file, &line);
    if (asprintf(&text, "%s:%u: %s%s%s", file ? file : "", line, function ? function : "",
                 function ? ": " : "", what) < 0)
        text = NULL;
    if (!text)
        p->no_memory = true;
    else if (list->count < COMPLAINTS_MAX && !dpk_words_have(list, text))
        dpk_words_add(list, text);
    free(text);
    free(file);
}

/* ---- Annotations ---- */

static enum CXChildVisitResult visit_annotation(CXCursor c, CXCursor parent, CXClientData data)
{
    struct annotations *found = data;
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_AnnotateAttr) {
        CXString s = clang_getCursorSpelling(c);
        const char *text = clang_getCString(s);
        found->global |= text && strcmp(text, "dpa_global") == 0;
        found->rpc |= text && strcmp(text, "dpa_rpc") == 0;
        clang_disposeString(s);
    }
    return CXChildVisit_Continue;
}

struct annotations interface_parser_annotations(CXCursor c)
{
    struct annotations found = {false, false};
    clang_visitChildren(c, visit_annotation, &found);
    return found;
}

bool interface_parser_in_system_header(CXCursor c)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(c));
}

/* Follows typedefs to the type itself, and returns true if one of them is annotated. Types of
 * system headers and of dpakit's headers need no annotation. */
bool interface_parser_is_annotated_type(CXType t)
{
    for (;;) {
        CXCursor decl = clang_getTypeDeclaration(t);
        if (clang_getCursorKind(decl) == CXCursor_NoDeclFound)
            return true;
        if (interface_parser_annotations(decl).global || interface_parser_in_system_header(decl))
            return true;
        if (clang_getCursorKind(decl) != CXCursor_TypedefDecl)
            return false;
        t = clang_getTypedefDeclUnderlyingType(decl);
    }
}

/* ---- Types ---- */

bool interface_parser_is_floating(CXType t)
{
    t = clang_getCanonicalType(t);
    while (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
           t.kind == CXType_VariableArray || t.kind == CXType_Complex || t.kind == CXType_Vector) {
        if (t.kind == CXType_Complex)
            return true;
        t = clang_getCanonicalType(clang_getElementType(t));
    }
    return t.kind == CXType_Float || t.kind == CXType_Double || t.kind == CXType_LongDouble ||
           t.kind == CXType_Float128 || t.kind == CXType_Half || t.kind == CXType_Float16 ||
           t.kind == CXType_Ibm128 || t.kind == CXType_BFloat16;
}

struct member_list {
    struct parser *parser;
    struct ifgen_record *record;
    const char *problem;
};

static enum CXVisitorResult visit_field(CXCursor c, CXClientData data)
{
    struct member_list *list = data;
    struct ifgen_record *r = list->record;
    struct ifgen_member *members = reallocarray(r->members, r->count + 1, sizeof *members);
    if (!members) {
        list->parser->no_memory = true;
        return CXVisit_Break;
    }
    r->members = members;
    struct ifgen_member *m = &members[r->count++];
    *m = (struct ifgen_member){.bits = -1};
    m->name = interface_parser_name(list->parser, c);
    if (m->name && !is_identifier(m->name))
        *m->name = 0;
    m->offset = (uint64_t)clang_Cursor_getOffsetOfField(c);
    if (clang_Cursor_isBitField(c))
        m->bits = clang_getFieldDeclBitWidth(c);
    list->problem = interface_parser_convert(list->parser, clang_getCursorType(c), &m->type);
    if (list->problem && clang_Cursor_isNull(list->parser->bad_member))
        list->parser->bad_member = c;
    return list->problem ? CXVisit_Break : CXVisit_Continue;
}

static enum CXChildVisitResult visit_packed(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(bool *)data |= clang_getCursorKind(c) == CXCursor_PackedAttr;
    return CXChildVisit_Continue;
}

static const char *convert_record(struct parser *p, CXType t, struct ifgen_type *out)
{
    struct ifgen_unit *unit = p->unit;
    CXCursor decl = clang_getTypeDeclaration(t);
    long long size = clang_Type_getSizeOf(t), align = clang_Type_getAlignOf(t);
    if (size < 0 || align <= 0)
        return "its type is not complete";
    *out =
        (struct ifgen_type){.kind = IFGEN_RECORD, .size = (uint64_t)size, .align = (uint64_t)align};
    for (size_t i = 0; i < unit->record_count; i++)
        if (clang_equalCursors(p->record_cursors[i], decl)) {
            out->record = i;
            return NULL;
        }
    struct ifgen_record r = {.name = interface_parser_name(p, decl),
                             .is_union = clang_getCursorKind(decl) == CXCursor_UnionDecl,
                             .size = (uint64_t)size,
                             .align = (uint64_t)align};
    if (r.name && !is_identifier(r.name))
        *r.name = 0;
    clang_visitChildren(decl, visit_packed, &r.packed);
    struct member_list list = {p, &r, NULL};
    clang_Type_visitFields(t, visit_field, &list);
    if (list.problem || p->no_memory)
        goto fail;
    struct ifgen_record *records =
        reallocarray(unit->records, unit->record_count + 1, sizeof *records);
    if (records)
        unit->records = records;
    CXCursor *cursors = reallocarray(p->record_cursors, unit->record_count + 1, sizeof *cursors);
    if (cursors)
        p->record_cursors = cursors;
    if (!records || !cursors) {
        p->no_memory = true;
        goto fail;
    }
    out->record = unit->record_count;
    cursors[unit->record_count] = decl;
    records[unit->record_count++] = r;
    return NULL;
fail:
    dpacc_ifgen_free_record(&r);
    return list.problem;
}

static const char *convert_integer(CXType t, bool is_signed, struct ifgen_type *out)
{
    long long size = clang_Type_getSizeOf(t);
    *out = (struct ifgen_type){.kind = IFGEN_INTEGER,
                               .is_signed = is_signed,
                               .size = (uint64_t)size,
                               .align = (uint64_t)clang_Type_getAlignOf(t)};
    bool whole = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    return whole ? NULL : "its type has no counterpart on the host";
}

static const char *convert_array(struct parser *p, CXType t, struct ifgen_type *out)
{
    struct ifgen_type element;
    const char *problem = interface_parser_convert(p, clang_getArrayElementType(t), &element);
    if (problem)
        return problem;
    if (clang_getArraySize(t) == 0)
        return FLEXIBLE_ARRAY; /* the old way to write a flexible array member */
    if (element.dimensions == IFGEN_DIMENSIONS)
        return "its type is an array of too many dimensions";
    *out = element;
    out->dimensions = element.dimensions + 1;
    out->counts[0] = (uint64_t)clang_getArraySize(t);
    memcpy(out->counts + 1, element.counts, element.dimensions * sizeof *element.counts);
    return NULL;
}

/* Returns the problem of the type, or NULL. */
const char *interface_parser_convert(struct parser *p, CXType t, struct ifgen_type *out)
{
    t = clang_getCanonicalType(t);
    *out = (struct ifgen_type){.size = 8, .align = 8};
    if (interface_parser_is_floating(t))
        return PARSER_NO_FLOAT;
    switch ((int)t.kind) {
    case CXType_Bool:
        *out = (struct ifgen_type){.kind = IFGEN_BOOL, .size = 1, .align = 1};
        return NULL;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Int128:
    case CXType_WChar:
        return convert_integer(t, true, out);
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
    case CXType_UInt128:
        return convert_integer(t, false, out);
    case CXType_Enum:
        return interface_parser_convert(
            p, clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t)), out);
    case CXType_Atomic:
        return interface_parser_convert(p, clang_Type_getValueType(t), out);
    case CXType_Pointer:
        return "its type has a pointer in it; make that member a uint64_t";
    case CXType_Record:
        return convert_record(p, t, out);
    case CXType_ConstantArray:
        return convert_array(p, t, out);
    case CXType_IncompleteArray:
        return FLEXIBLE_ARRAY;
    default:
        return "its type has no counterpart on the host";
    }
}
