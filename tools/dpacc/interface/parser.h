/* parser: what the parts of libdpakit-interface.so share. */
#ifndef DPK_DPACC_INTERFACE_PARSER_H
#define DPK_DPACC_INTERFACE_PARSER_H

#include "dpacc/ifgen.h"
#include "tables.h"

#include <clang-c/Index.h>

#define PARSER_NO_FLOAT "floating point is not available on the DPA"

struct annotations {
    bool global, rpc;
};

/* A definition that a later declaration annotates. */
struct late {
    CXCursor definition;
    struct annotations mark;
    char *through_macro; /* the diagnostic, if the word there is a macro of the user's */
};

struct parser {
    struct ifgen_unit *unit;
    CXCursor *record_cursors; /* of unit->records */
    const char *function;     /* whose body is being looked at, or NULL */
    bool is_entry;            /* an annotated one: its parameters have been looked at */
    bool unused_maybe; /* that function is a header's: whoever calls it must not have floats */
    struct late *late;
    size_t late_count;
    const struct tables_files *tables; /* shortened lists, NULL: none */
    size_t tables_found;               /* those that are arrays of integers */
    CXCursor bad_member;               /* innermost one that cannot be passed, or null */
    bool no_memory;
};

/* Allocated copies; NULL, and no_memory, when there is none. */
char *parser_take_string(struct parser *p, CXString s);
char *parser_name(struct parser *p, CXCursor c);
void parser_location(struct parser *p, CXCursor c, char **file, unsigned *line);

/* Notes "file:line: function: what"; the same one only once. */
void parser_complain(struct parser *p, CXCursor where, const char *function, const char *what);

struct annotations parser_annotations(CXCursor c);
/* Notes where a static declaration has that word; false when it is not written there (statics.c). */
bool parser_note_static(struct parser *p, CXCursor c);
/* Errors, and annotations that come too late for the compiler (diagnostics.c). */
void parser_note_diagnostics(struct parser *p, CXTranslationUnit tu);
/* Finds out what macros of the user's stand for: `without` is the same source with __dpa_global__
 * or
 * __dpa_rpc__ meaning nothing, `mark` what is missing there. */
void parser_compare_late(struct parser *p, CXTranslationUnit without, struct annotations mark);
bool parser_has_late_macros(const struct parser *p);
void parser_free_late(struct parser *p);
struct annotations parser_late_annotations(const struct parser *p, CXCursor c);
bool parser_in_system_header(CXCursor c);
/* Is a type of the user's, or one of the typedefs that lead to it, annotated? */
bool parser_is_annotated_type(CXType t);
bool parser_is_floating(CXType t);

/* Describes a type, and the records in it; returns what is wrong with it, NULL: nothing. */
const char *parser_convert(struct parser *p, CXType t, struct ifgen_type *out);

#endif
