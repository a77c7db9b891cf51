#include "parser.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX  32 /* documented in dpa-c(7) */
#define ARGUMENTS_SIZE ((uint64_t)16384)
#define NAME_MAX_BYTES 200 /* FlexIO keeps 256 for `_dpacc_unpack_<name>` */

/* ---- Functions ---- */

static const char *argument_problem(struct parser *p, CXCursor c, struct ifgen_type *type)
{
    CXType written = clang_getCursorType(c), t = clang_getCanonicalType(written);
    switch ((int)t.kind) {
    case CXType_Pointer:
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
    case CXType_BlockPointer:
        return "is a pointer; pass the address as uint64_t";
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        return "is an array; put it into a structure, or pass its address as uint64_t";
    case CXType_Record:
        if (!interface_parser_is_annotated_type(written))
            return "has a type of yours that is not annotated; write __dpa_global__ after the "
                   "closing brace of its definition";
        break;
    }
    return interface_parser_convert(p, written, type);
}

/* Appends "BEFORE'NAME'", or nothing if there is no name. */
static void put_quoted(struct dpk_buf *to, const char *before, const char *name)
{
    if (name && *name)
        dpk_put_format(to, "%s'%s'", before, name);
}

/* Reports the problem of the last argument of `f`, and the member that causes it. */
static void complain_of_argument(struct parser *p, CXCursor argument,
                                 const struct ifgen_function *f, const char *problem)
{
    struct dpk_buf text = {0};
    dpk_put_format(&text, "argument %zu", f->count);
    put_quoted(&text, " ", f->arguments[f->count - 1].name);
    dpk_put_format(&text, ": %s", problem);
    if (!clang_Cursor_isNull(p->bad_member)) {
        char *name = interface_parser_name(p, p->bad_member), *file = NULL;
        unsigned line = 0;
        interface_parser_location(p, p->bad_member, &file, &line);
        dpk_put_format(&text, "; see %s:%u", file ? file : "", line);
        put_quoted(&text, ", ", name);
        free(name);
        free(file);
    }
    dpk_put_u8(&text, 0);
    interface_parser_complain(p, argument, f->name,
                              text.failed ? problem : (const char *)text.data);
    dpk_buf_free(&text);
}

static void convert_arguments(struct parser *p, CXCursor c, struct ifgen_function *f)
{
    int count = clang_Cursor_getNumArguments(c);
    if (count <= 0)
        return;
    f->arguments = calloc((size_t)count, sizeof *f->arguments);
    if (!f->arguments) {
        p->no_memory = true;
        return;
    }
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(c, (unsigned)i);
        struct ifgen_argument *a = &f->arguments[f->count++];
        a->name = interface_parser_name(p, argument);
        p->bad_member = clang_getNullCursor();
        const char *problem = argument_problem(p, argument, &a->type);
        if (problem)
            complain_of_argument(p, argument, f, problem);
        a->offset = f->buffer_size;
        f->buffer_size += (a->type.size + 7) / 8 * 8;
    }
    if (count > ARGUMENTS_MAX)
        interface_parser_complain(p, c, f->name,
                                  "more than 32 parameters; put some into a structure");
    if (f->buffer_size > ARGUMENTS_SIZE)
        interface_parser_complain(
            p, c, f->name,
            "its arguments take more than 16384 bytes; pass the address of DPA memory "
            "that the host copied them to");
}

/* Returns true if the linker knows the function by another name, as with __asm__("other"). */
static bool is_renamed(struct parser *p, CXCursor c, const char *name)
{
    char *symbol = interface_parser_take_string(p, clang_Cursor_getMangling(c));
    bool renamed = symbol && strcmp(symbol, name) != 0;
    free(symbol);
    return renamed;
}

static void check_function(struct parser *p, CXCursor c, const char *name, bool rpc)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    CXType result = clang_getCanonicalType(clang_getResultType(type));
    if (rpc && result.kind != CXType_ULong && result.kind != CXType_ULongLong)
        interface_parser_complain(
            p, c, name, "a __dpa_rpc__ function returns uint64_t; change its return type");
    if (!rpc && result.kind != CXType_Void)
        interface_parser_complain(
            p, c, name,
            "a __dpa_global__ function returns void; use __dpa_rpc__ to return a value");
    if (clang_isFunctionTypeVariadic(type) && type.kind != CXType_FunctionNoProto)
        interface_parser_complain(p, c, name,
                                  "variable arguments cannot be passed; name every parameter");
    if (clang_Cursor_isFunctionInlined(c))
        interface_parser_complain(p, c, name,
                                  "an annotated function cannot be inline; remove 'inline'");
    if (clang_Cursor_getStorageClass(c) == CX_SC_Static && !interface_parser_note_static(p, c))
        interface_parser_complain(
            p, c, name,
            "an annotated function cannot be static by a macro; write the word, or "
            "remove it");
    if (clang_getCursorVisibility(c) != CXVisibility_Default &&
        clang_Cursor_getStorageClass(c) != CX_SC_Static)
        interface_parser_complain(
            p, c, name, "an annotated function cannot be hidden; the runtime looks it up by name");
    if (is_renamed(p, c, name))
        interface_parser_complain(
            p, c, name,
            "an annotated function cannot have another name for the linker; remove "
            "__asm__");
    if (strcmp(name, "main") == 0)
        interface_parser_complain(p, c, name,
                                  "the host program has a function main of its own; rename it");
    if (strlen(name) > NAME_MAX_BYTES)
        interface_parser_complain(p, c, name, "the name is longer than 200 bytes; shorten it");
}

static void add_function(struct parser *p, CXCursor c, struct annotations mark)
{
    struct ifgen_unit *unit = p->unit;
    struct ifgen_function f = {.name = interface_parser_name(p, c), .is_rpc = mark.rpc};
    interface_parser_location(p, c, &f.file, &f.line);
    if (!f.name || !f.file)
        goto fail;
    if (mark.global && mark.rpc)
        interface_parser_complain(p, c, f.name, "both __dpa_global__ and __dpa_rpc__; keep one");
    else
        check_function(p, c, f.name, mark.rpc);
    convert_arguments(p, c, &f);
    struct ifgen_function *functions =
        reallocarray(unit->functions, unit->function_count + 1, sizeof *functions);
    if (!functions)
        goto fail;
    unit->functions = functions;
    functions[unit->function_count++] = f;
    return;
fail:
    p->no_memory = true;
    dpacc_ifgen_free_function(&f);
}

/* ---- Whole file ---- */

static void check_name(struct parser *p, CXCursor c)
{
    CXString s = clang_getCursorSpelling(c);
    const char *name = clang_getCString(s);
    if (clang_isDeclaration(clang_getCursorKind(c)) && name && strncmp(name, "_dpacc", 6) == 0)
        interface_parser_complain(p, c, name,
                                  "names that begin with _dpacc belong to the compiler; rename it");
    clang_disposeString(s);
}

static void check_inside(struct parser *p, CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    check_name(p, c);
    if (kind == CXCursor_VarDecl && clang_getCursorTLSKind(c) != CXTLS_None)
        interface_parser_complain(
            p, c, p->function,
            "thread-local variables do not exist on the DPA; use the thread's local storage");
    bool value = clang_isExpression(kind) || kind == CXCursor_VarDecl ||
                 (kind == CXCursor_ParmDecl && p->function && !p->is_entry);
    if (value && !p->unused_maybe && interface_parser_is_floating(clang_getCursorType(c)))
        interface_parser_complain(p, c, p->function, PARSER_NO_FLOAT);
}

/* Returns the number of shortened lists inside a cursor. */
static size_t count_tables(const struct tables_files *tables, CXCursor c)
{
    CXTranslationUnit tu = clang_Cursor_getTranslationUnit(c);
    CXSourceRange extent = clang_getCursorExtent(c);
    CXFile file;
    unsigned begin, end;
    clang_getExpansionLocation(clang_getRangeStart(extent), &file, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &end);
    size_t found = 0;
    for (size_t i = 0; i < tables->count; i++)
        if (clang_File_isEqual(file, clang_getFile(tu, tables->at[i].path)))
            found += interface_tables_at(&tables->at[i], begin, end);
    return found;
}

/* Returns true for an array of integers with a shortened list, whose elements need no check. */
static bool is_shortened_table(struct parser *p, CXCursor c)
{
    if (!p->tables || clang_getCursorKind(c) != CXCursor_VarDecl)
        return false;
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    CXType element = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind != CXType_ConstantArray || element.kind < CXType_Char_U ||
        element.kind > CXType_Int128 || count_tables(p->tables, c) != 1)
        return false;
    p->tables_found++;
    return true;
}

static struct annotations marks_of(const struct parser *p, CXCursor definition)
{
    struct annotations mark = interface_parser_annotations(definition);
    struct annotations late = interface_parser_late_annotations(p, definition);
    mark.global |= late.global;
    mark.rpc |= late.rpc;
    return mark;
}

/* If the definition loses the word "static", the prototype must lose it, too. */
static void note_static_prototype(struct parser *p, CXCursor c)
{
    CXCursor definition = clang_getCursorDefinition(c);
    if (clang_Cursor_getStorageClass(c) != CX_SC_Static || clang_Cursor_isNull(definition))
        return;
    struct annotations mark = marks_of(p, definition);
    if ((mark.global || mark.rpc) && !interface_parser_note_static(p, c))
        interface_parser_complain(
            p, c, NULL,
            "an annotated function cannot be static by a macro; write the word, or "
            "remove it");
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct parser *p = data;
    (void)parent;
    if (p->no_memory)
        return CXChildVisit_Break;
    if (clang_getCursorKind(c) == CXCursor_IntegerLiteral) /* tables have millions of literals */
        return CXChildVisit_Continue;
    if (interface_parser_in_system_header(c))
        return CXChildVisit_Continue;
    check_inside(p, c);
    if (is_shortened_table(p, c))
        return CXChildVisit_Continue;
    if (clang_getCursorKind(c) != CXCursor_FunctionDecl)
        return CXChildVisit_Recurse;
    if (!clang_isCursorDefinition(c)) {
        note_static_prototype(p, c);
        return CXChildVisit_Continue;
    }
    struct annotations mark = marks_of(p, c);
    char *name = interface_parser_name(p, c);
    const char *outer = p->function;
    p->function = name;
    p->unused_maybe = clang_Cursor_getStorageClass(c) == CX_SC_Static &&
                      !clang_Location_isFromMainFile(clang_getCursorLocation(c));
    p->is_entry = mark.global || mark.rpc;
    if (p->is_entry)
        add_function(p, c, mark);
    if (!p->unused_maybe && !p->is_entry &&
        interface_parser_is_floating(clang_getResultType(clang_getCursorType(c))))
        interface_parser_complain(p, c, name, PARSER_NO_FLOAT);
    clang_visitChildren(c, visit, p);
    p->function = outer;
    p->is_entry = false;
    p->unused_maybe = false;
    free(name);
    return CXChildVisit_Continue;
}

static enum dpk_status open_source(CXIndex index, const char *source, const struct words *arguments,
                                   const struct tables_files *tables, CXTranslationUnit *tu,
                                   struct dpk_error *err)
{
    struct CXUnsavedFile instead[TABLES_FILES];
    size_t count = tables ? tables->count : 0;
    for (size_t i = 0; i < count; i++)
        instead[i] =
            (struct CXUnsavedFile){tables->at[i].path, (const char *)tables->at[i].text.data,
                                   (unsigned long)tables->at[i].text.size};
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, source, (const char *const *)arguments->at, (int)arguments->count, instead,
        (unsigned)count, CXTranslationUnit_None, tu);
    if (code == CXError_Success)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_TOOL, "%s: libclang cannot parse it (error %d)", source,
                    (int)code);
}

/* Finds which late annotations come from the user's macros: it parses again without each annotation
 * and compares. */
static enum dpk_status resolve_macros(struct parser *p, CXIndex index, const char *source,
                                      const struct words *arguments, struct dpk_error *err)
{
    static const struct {
        const char *undefine, *define;
        struct annotations mark;
    } each[] = {
        {"-U__dpa_global__", "-D__dpa_global__=", {.global = true}},
        {"-U__dpa_rpc__", "-D__dpa_rpc__=", {.rpc = true}},
    };
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < sizeof each / sizeof *each && status == DPK_OK; i++) {
        struct words without = {0};
        CXTranslationUnit tu = NULL;
        dpk_words_append(&without, arguments);
        dpk_words_add(&without, each[i].undefine);
        dpk_words_add(&without, each[i].define);
        status = without.failed ? dpk_fail_nomem(err)
                                : open_source(index, source, &without, p->tables, &tu, err);
        if (status == DPK_OK)
            interface_parser_compare_late(p, tu, each[i].mark);
        if (tu)
            clang_disposeTranslationUnit(tu);
        dpk_words_free(&without);
    }
    return status;
}

/* Parses the source. `tables` has shortened texts, or is NULL. If `*sure` becomes false, the caller
 * must parse the original text. */
static enum dpk_status parse(const char *source, const struct words *arguments,
                             const struct tables_files *tables, struct ifgen_unit *unit, bool *sure,
                             struct dpk_error *err)
{
    struct parser p = {.unit = unit, .tables = tables};
    CXTranslationUnit tu = NULL;
    /* libclang's crash recovery prints pages, leaks memory, and returns as if nothing had
     * happened. */
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    CXIndex index = clang_createIndex(0, 0);
    if (!index)
        return dpk_fail_nomem(err);
    struct dpk_error why = {0};
    enum dpk_status status = open_source(index, source, arguments, tables, &tu, &why);
    if (status != DPK_OK) { /* for example an option of the user: let the compiler report it */
        unit->syntax_errors = true;
        unit->first_error = strdup(why.message);
        *sure = true;
        status = unit->first_error ? DPK_OK : dpk_fail_nomem(err);
        goto out;
    }
    interface_parser_note_diagnostics(&p, tu);
    if (interface_parser_has_late_macros(&p))
        status = resolve_macros(&p, index, source, arguments, err);
    if (status == DPK_OK && !unit->syntax_errors)
        clang_visitChildren(clang_getTranslationUnitCursor(tu), visit, &p);
    /* Places in shortened text differ from those in the file. */
    *sure = !tables ||
            (!unit->syntax_errors && p.tables_found == tables->lists && unit->static_count == 0);
    if (status == DPK_OK && (p.no_memory || unit->complaints.failed))
        status = dpk_fail_nomem(err);
out:
    interface_parser_free_late(&p);
    free(p.record_cursors);
    if (tu)
        clang_disposeTranslationUnit(tu);
    clang_disposeIndex(index);
    return status;
}

enum dpk_status ifgen_parse(const char *source, const struct words *arguments,
                            struct ifgen_unit *unit, struct dpk_error *err)
{
    struct tables_files tables = {0};
    bool sure = false;
    enum dpk_status status = interface_tables_read(source, &tables, err);
    if (status == DPK_OK && tables.count)
        status = parse(source, arguments, &tables, unit, &sure, err);
    if (status == DPK_OK && !sure) {
        dpacc_ifgen_free(unit);
        status = parse(source, arguments, NULL, unit, &sure, err);
    }
    interface_tables_free(&tables);
    return status;
}
