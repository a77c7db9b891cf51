/* parser: shared by the parts of libdpakit-interface.so. */
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
    char *through_macro; /* the diagnostic, if the word is a macro of the user */
};

struct parser {
    struct ifgen_unit *unit;
    CXCursor *record_cursors; /* of unit->records */
    const char *function;     /* function whose body is being checked, or NULL */
    bool is_entry;            /* that function is annotated; its parameters were checked already */
    bool unused_maybe; /* that function is in a header: only its callers must not use floats */
    struct late *late;
    size_t late_count;
    const struct tables_files *tables; /* shortened lists, or NULL */
    size_t tables_found;               /* shortened lists that are arrays of integers */
    CXCursor bad_member;               /* innermost member that cannot be passed, or null */
    bool no_memory;
};

/* Return allocated copies. If there is no memory, they return NULL and set no_memory. */
char *interface_parser_take_string(struct parser *p, CXString s);
char *interface_parser_name(struct parser *p, CXCursor c);
void interface_parser_location(struct parser *p, CXCursor c, char **file, unsigned *line);

/* Notes "file:line: function: what"; equal texts only once. */
void interface_parser_complain(struct parser *p, CXCursor where, const char *function,
                               const char *what);

struct annotations interface_parser_annotations(CXCursor c);
/* Notes the place of the word "static" in a declaration. Returns false if the word is not written
 * there (statics.c). */
bool interface_parser_note_static(struct parser *p, CXCursor c);
/* Notes errors, and annotations that come too late for the compiler (diagnostics.c). */
void interface_parser_note_diagnostics(struct parser *p, CXTranslationUnit tu);
/* Finds the annotations in the user's macros: `without` is the same source with an empty
 * __dpa_global__ or __dpa_rpc__, `mark` is the annotation that is missing there. */
void interface_parser_compare_late(struct parser *p, CXTranslationUnit without,
                                   struct annotations mark);
bool interface_parser_has_late_macros(const struct parser *p);
void interface_parser_free_late(struct parser *p);
struct annotations interface_parser_late_annotations(const struct parser *p, CXCursor c);
bool interface_parser_in_system_header(CXCursor c);
/* Returns true if the type, or a typedef that leads to it, is annotated. */
bool interface_parser_is_annotated_type(CXType t);
bool interface_parser_is_floating(CXType t);

/* Describes a type and the records in it. Returns the problem of the type, or NULL. */
const char *interface_parser_convert(struct parser *p, CXType t, struct ifgen_type *out);

#endif
