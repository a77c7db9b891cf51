#include "parser.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 200 /* FlexIO keeps 256 for `_dpacc_unpack_<name>` */

/* ---- Functions --------------------------------------------------------------------------------
 */

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
        if (!parser_is_annotated_type(written))
            return "has a type of yours that is not annotated; write __dpa_global__ after the "
                   "closing brace of its definition";
        break;
    }
    return parser_convert(p, written, type);
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
        a->name = parser_name(p, argument);
        const char *problem = argument_problem(p, argument, &a->type);
        if (problem) {
            char *text = NULL;
            if (asprintf(&text, "argument %d%s%s%s: %s", i + 1, a->name && *a->name ? " '" : "",
                         a->name ? a->name : "", a->name && *a->name ? "'" : "", problem) < 0)
                text = NULL;
            parser_complain(p, argument, f->name, text ? text : problem);
            free(text);
        }
        a->offset = f->buffer_size;
        f->buffer_size += (a->type.size + 7) / 8 * 8;
    }
}

static void check_function(struct parser *p, CXCursor c, const char *name, bool rpc)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    CXType result = clang_getCanonicalType(clang_getResultType(type));
    if (rpc && result.kind != CXType_ULong && result.kind != CXType_ULongLong)
        parser_complain(p, c, name,
                        "a __dpa_rpc__ function returns uint64_t; change its return type");
    if (!rpc && result.kind != CXType_Void)
        parser_complain(
            p, c, name,
            "a __dpa_global__ function returns void; use __dpa_rpc__ to return a value");
    if (clang_isFunctionTypeVariadic(type) && type.kind != CXType_FunctionNoProto)
        parser_complain(p, c, name, "variable arguments cannot be passed; name every parameter");
    if (clang_Cursor_isFunctionInlined(c))
        parser_complain(p, c, name, "an annotated function cannot be inline; remove 'inline'");
    if (clang_Cursor_getStorageClass(c) == CX_SC_Static)
        parser_complain(p, c, name, "an annotated function cannot be static; remove 'static'");
    if (clang_getCursorVisibility(c) != CXVisibility_Default &&
        clang_Cursor_getStorageClass(c) != CX_SC_Static)
        parser_complain(p, c, name,
                        "an annotated function cannot be hidden; the runtime looks it up by name");
    if (strlen(name) > NAME_MAX_BYTES)
        parser_complain(p, c, name, "the name is longer than 200 bytes; shorten it");
}

static void free_function(struct ifgen_function *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->arguments[i].name);
    free(f->arguments);
    free(f->name);
    free(f->file);
}

static void add_function(struct parser *p, CXCursor c, struct annotations mark)
{
    struct ifgen_unit *unit = p->unit;
    struct ifgen_function f = {.name = parser_name(p, c), .is_rpc = mark.rpc};
    parser_location(p, c, &f.file, &f.line);
    if (!f.name || !f.file)
        goto fail;
    if (mark.global && mark.rpc)
        parser_complain(p, c, f.name, "both __dpa_global__ and __dpa_rpc__; keep one");
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
    free_function(&f);
}

/* ---- The whole file ---------------------------------------------------------------------------
 */

static void check_name(struct parser *p, CXCursor c)
{
    CXString s = clang_getCursorSpelling(c);
    const char *name = clang_getCString(s);
    if (clang_isDeclaration(clang_getCursorKind(c)) && name && strncmp(name, "_dpacc", 6) == 0)
        parser_complain(p, c, name,
                        "names that begin with _dpacc belong to the compiler; rename it");
    clang_disposeString(s);
}

static void check_inside(struct parser *p, CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    check_name(p, c);
    if (kind == CXCursor_VarDecl && clang_getCursorTLSKind(c) != CXTLS_None)
        parser_complain(
            p, c, p->function,
            "thread-local variables do not exist on the DPA; use the thread's local storage");
    bool value = clang_isExpression(kind) || kind == CXCursor_VarDecl ||
                 (kind == CXCursor_ParmDecl && p->function);
    if (value && !p->unused_maybe && parser_is_floating(clang_getCursorType(c)))
        parser_complain(p, c, p->function, PARSER_NO_FLOAT);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct parser *p = data;
    (void)parent;
    if (p->no_memory)
        return CXChildVisit_Break;
    if (clang_getCursorKind(c) == CXCursor_IntegerLiteral) /* tables have a million of them */
        return CXChildVisit_Continue;
    if (parser_in_system_header(c))
        return CXChildVisit_Continue;
    check_inside(p, c);
    if (clang_getCursorKind(c) != CXCursor_FunctionDecl)
        return CXChildVisit_Recurse;
    if (!clang_isCursorDefinition(c))
        return CXChildVisit_Continue;
    struct annotations mark = parser_annotations(c);
    char *name = parser_name(p, c);
    const char *outer = p->function;
    p->function = name;
    p->unused_maybe = clang_Cursor_getStorageClass(c) == CX_SC_Static &&
                      !clang_Location_isFromMainFile(clang_getCursorLocation(c));
    if (mark.global || mark.rpc)
        add_function(p, c, mark);
    if (!p->unused_maybe && parser_is_floating(clang_getResultType(clang_getCursorType(c))))
        parser_complain(p, c, name, PARSER_NO_FLOAT);
    clang_visitChildren(c, visit, p);
    p->function = outer;
    p->unused_maybe = false;
    free(name);
    return CXChildVisit_Continue;
}

static void note_errors(struct parser *p, CXTranslationUnit tu)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && !p->unit->syntax_errors) {
            p->unit->syntax_errors = true;
            p->unit->first_error = parser_take_string(
                p, clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation));
        }
        clang_disposeDiagnostic(d);
    }
}

enum dpk_status ifgen_parse(const char *source, const struct words *arguments,
                            struct ifgen_unit *unit, struct dpk_error *err)
{
    struct parser p = {.unit = unit};
    CXTranslationUnit tu = NULL;
    enum dpk_status status = DPK_OK;
    CXIndex index = clang_createIndex(0, 0);
    if (!index)
        return dpk_fail_nomem(err);
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, source, (const char *const *)arguments->at,
                                    (int)arguments->count, NULL, 0, CXTranslationUnit_None, &tu);
    if (code != CXError_Success) {
        status = dpk_fail(err, DPK_ERR_TOOL, "%s: libclang cannot parse it (error %d)", source,
                          (int)code);
        goto out;
    }
    note_errors(&p, tu);
    if (!unit->syntax_errors)
        clang_visitChildren(clang_getTranslationUnitCursor(tu), visit, &p);
    if (p.no_memory || unit->complaints.failed)
        status = dpk_fail_nomem(err);
out:
    free(p.record_cursors);
    if (tu)
        clang_disposeTranslationUnit(tu);
    clang_disposeIndex(index);
    return status;
}

void ifgen_free(struct ifgen_unit *unit)
{
    for (size_t i = 0; i < unit->record_count; i++)
        parser_free_record(&unit->records[i]);
    for (size_t i = 0; i < unit->function_count; i++)
        free_function(&unit->functions[i]);
    free(unit->records);
    free(unit->functions);
    words_free(&unit->complaints);
    free(unit->first_error);
    *unit = (struct ifgen_unit){0};
}
