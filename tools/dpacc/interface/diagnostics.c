/* Reads libclang's diagnostics about a source. */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

/* Returns the annotation that the user's word means. */
static struct annotations written_at(CXTranslationUnit tu, CXSourceLocation where)
{
    struct annotations mark = {false, false};
    CXFile file;
    unsigned offset;
    clang_getExpansionLocation(where, &file, NULL, NULL, &offset);
    CXToken *token = clang_getToken(tu, clang_getLocationForOffset(tu, file, offset));
    if (!token)
        return mark;
    CXString s = clang_getTokenSpelling(tu, *token);
    const char *text = clang_getCString(s);
    mark.global = text && strcmp(text, "__dpa_global__") == 0;
    mark.rpc = text && strcmp(text, "__dpa_rpc__") == 0;
    clang_disposeString(s);
    clang_disposeTokens(tu, token, 1);
    return mark;
}

/* Returns the definition from the notes of a diagnostic. */
static CXCursor definition_of(CXTranslationUnit tu, CXDiagnostic d)
{
    CXDiagnosticSet notes = clang_getChildDiagnostics(d);
    CXCursor found = clang_getNullCursor();
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        CXCursor c = clang_getCursor(tu, clang_getDiagnosticLocation(note));
        if (clang_getCursorKind(c) == CXCursor_FunctionDecl)
            found = c;
        clang_disposeDiagnostic(note);
    }
    return found;
}

static bool is_late(CXDiagnostic d)
{
    CXString option = clang_getDiagnosticOption(d, NULL), s = clang_getDiagnosticSpelling(d);
    const char *name = clang_getCString(option), *text = clang_getCString(s);
    bool late = name && text && strcmp(name, "-Wignored-attributes") == 0 &&
                strstr(text, "must precede definition");
    clang_disposeString(s);
    clang_disposeString(option);
    return late;
}

/* Returns the diagnostic's text and place. A word in a macro of the command line has no place, so
 * the places of its use and of the definition are added. */
static char *describe(struct parser *p, CXTranslationUnit tu, CXDiagnostic d)
{
    unsigned at, defined;
    CXFile handle;
    char *described = NULL;
    char *text = interface_parser_take_string(
        p,
        clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn));
    clang_getExpansionLocation(clang_getDiagnosticLocation(d), &handle, NULL, NULL, &at);
    char *file = interface_parser_take_string(p, clang_getFileName(handle));
    CXCursor definition = definition_of(tu, d);
    clang_getExpansionLocation(clang_getCursorLocation(definition), NULL, NULL, NULL, &defined);
    if (text && file && asprintf(&described, "%s %s:%u:%u", text, file, at, defined) < 0) {
        described = NULL;
        p->no_memory = true;
    }
    free(file);
    free(text);
    return described;
}

/* Notes an annotation on a declaration after the definition, which the compiler drops with a
 * warning. */
static void note_late(struct parser *p, CXTranslationUnit tu, CXDiagnostic d)
{
    CXCursor definition = definition_of(tu, d);
    if (!is_late(d) || clang_Cursor_isNull(definition))
        return;
    struct late *late = reallocarray(p->late, p->late_count + 1, sizeof *late);
    if (!late) {
        p->no_memory = true;
        return;
    }
    p->late = late;
    late += p->late_count++;
    *late = (struct late){definition, written_at(tu, clang_getDiagnosticLocation(d)), NULL};
    if (!late->mark.global && !late->mark.rpc)
        late->through_macro = describe(p, tu, d);
}

bool interface_parser_has_late_macros(const struct parser *p)
{
    for (size_t i = 0; i < p->late_count; i++)
        if (p->late[i].through_macro)
            return true;
    return false;
}

/* A macro may have several attributes at one place. */
static size_t count_late(const struct parser *p, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < p->late_count; i++)
        count += p->late[i].through_macro && strcmp(p->late[i].through_macro, text) == 0;
    return count;
}

static size_t count_diagnostics(struct parser *p, CXTranslationUnit tu, const char *text)
{
    size_t count = 0;
    for (unsigned n = 0; n < clang_getNumDiagnostics(tu); n++) {
        CXDiagnostic d = clang_getDiagnostic(tu, n);
        char *described = is_late(d) ? describe(p, tu, d) : NULL;
        count += described && strcmp(described, text) == 0;
        free(described);
        clang_disposeDiagnostic(d);
    }
    return count;
}

void interface_parser_compare_late(struct parser *p, CXTranslationUnit without,
                                   struct annotations mark)
{
    for (size_t i = 0; i < p->late_count; i++) {
        const char *text = p->late[i].through_macro;
        if (!text || count_late(p, text) <= count_diagnostics(p, without, text))
            continue;
        p->late[i].mark.global |= mark.global;
        p->late[i].mark.rpc |= mark.rpc;
    }
}

void interface_parser_free_late(struct parser *p)
{
    for (size_t i = 0; i < p->late_count; i++)
        free(p->late[i].through_macro);
    free(p->late);
}

void interface_parser_note_diagnostics(struct parser *p, CXTranslationUnit tu)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && !p->unit->syntax_errors) {
            p->unit->syntax_errors = true;
            p->unit->first_error = interface_parser_take_string(
                p, clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation));
        }
        note_late(p, tu, d);
        clang_disposeDiagnostic(d);
    }
}

struct annotations interface_parser_late_annotations(const struct parser *p, CXCursor c)
{
    struct annotations mark = {false, false};
    for (size_t i = 0; i < p->late_count; i++) {
        if (!clang_equalCursors(p->late[i].definition, c))
            continue;
        mark.global |= p->late[i].mark.global;
        mark.rpc |= p->late[i].mark.rpc;
    }
    return mark;
}
