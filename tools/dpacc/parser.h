/* parser: what the parts of ifgen that talk to libclang share. */
#ifndef DPACC_PARSER_H
#define DPACC_PARSER_H

#include "ifgen.h"

#include <clang-c/Index.h>

#define PARSER_NO_FLOAT "floating point is not available on the DPA"

struct parser {
    struct ifgen_unit *unit;
    CXCursor *record_cursors; /* of unit->records */
    const char *function;     /* whose body is being looked at, or NULL */
    bool unused_maybe; /* that function is a header's: whoever calls it must not have floats */
    bool no_memory;
};

struct annotations {
    bool global, rpc;
};

/* Allocated copies; NULL, and no_memory, when there is none. */
char *parser_take_string(struct parser *p, CXString s);
char *parser_name(struct parser *p, CXCursor c);
void parser_location(struct parser *p, CXCursor c, char **file, unsigned *line);

/* Notes "file:line: function: what"; the same one only once. */
void parser_complain(struct parser *p, CXCursor where, const char *function, const char *what);

struct annotations parser_annotations(CXCursor c);
bool parser_in_system_header(CXCursor c);
/* Is a type of the user's, or one of the typedefs that lead to it, annotated? */
bool parser_is_annotated_type(CXType t);
bool parser_is_floating(CXType t);

/* Describes a type, and the records in it; returns what is wrong with it, NULL: nothing. */
const char *parser_convert(struct parser *p, CXType t, struct ifgen_type *out);
void parser_free_record(struct ifgen_record *r);

#endif
