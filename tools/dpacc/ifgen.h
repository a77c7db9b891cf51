/*
 * ifgen: what the host and the DPA say to each other, read from a device source with libclang and
 * written as C for both sides.
 *
 * The generated files need no header of the user's: every type that an argument has is described
 * here by size, sign and layout, and written again with assertions that it came out the same.
 */
#ifndef DPK_DPACC_IFGEN_H
#define DPK_DPACC_IFGEN_H

#include "words.h"

#define IFGEN_DIMENSIONS 8

enum ifgen_kind { IFGEN_INTEGER, IFGEN_BOOL, IFGEN_RECORD };

struct ifgen_type {
    enum ifgen_kind kind;
    bool is_signed;
    uint64_t size;  /* bytes, of one element */
    uint64_t align; /* bytes, as the type alone has it */
    size_t record;  /* index, for IFGEN_RECORD */
    unsigned dimensions;
    uint64_t counts[IFGEN_DIMENSIONS]; /* elements, outermost first */
};

struct ifgen_member {
    char *name;
    struct ifgen_type type;
    uint64_t offset; /* bits */
    int bits;        /* width of a bit-field, -1: not one */
};

/* A structure or union; those that it contains come before it. */
struct ifgen_record {
    char *name;
    bool is_union, packed;
    uint64_t size, align;
    struct ifgen_member *members;
    size_t count;
};

struct ifgen_argument {
    char *name;
    struct ifgen_type type;
    uint64_t offset; /* in the argument buffer */
};

struct ifgen_function {
    char *name;
    bool is_rpc;
    char *file;
    unsigned line;
    struct ifgen_argument *arguments;
    size_t count;
    uint64_t buffer_size;
};

struct ifgen_place {
    char *path;
    size_t offset; /* bytes */
};

/* One source file. */
struct ifgen_unit {
    struct ifgen_record *records;
    size_t record_count;
    struct ifgen_function *functions;
    size_t function_count;
    struct ifgen_place *statics; /* where annotated functions have the word "static" */
    size_t static_count;
    struct words complaints; /* "file:line: function: what; hint" */
    bool syntax_errors;      /* the compiler will say them better */
    char *first_error;       /* as libclang says it */
};

/* Parses one source with the arguments of its device compile. It is in libdpakit-interface.so: to
 * load libclang takes ten times as long as all else that dpacc itself does. */
enum dpk_status ifgen_parse(const char *source, const struct words *arguments,
                            struct ifgen_unit *unit, struct dpk_error *err);
/* Loads it from the lib/ beside dpacc's bin/; NULL: `err` says why. */
__typeof__(ifgen_parse) *ifgen_load(struct dpk_error *err);
/* What is loaded: another number with every change of the function or of what it fills. */
#define IFGEN_LIBRARY "libdpakit-interface.so.1"

void ifgen_free(struct ifgen_unit *unit);
void ifgen_free_record(struct ifgen_record *r);
void ifgen_free_function(struct ifgen_function *f);

/* Annotated functions may be static, though the host and the generated code name them: the compiler
 * gets their files without that word, by an overlay of its file system (clang's -ivfsoverlay), so
 * that lines, columns and debug information are the user's. */
#define IFGEN_OVERLAY ".dpa.overlay"
#define IFGEN_STATIC  "static"
/* Takes the path. The same place is noted once. False: no memory. */
bool ifgen_add_static(struct ifgen_unit *unit, char *path, size_t offset);
/* The same places are taken once. */
enum dpk_status ifgen_take_statics(struct ifgen_unit *unit, struct ifgen_unit *other,
                                   struct dpk_error *err);
/* Writes BASE IFGEN_OVERLAY, and the files that it names. */
enum dpk_status ifgen_write_statics(const struct ifgen_unit *unit, const char *base,
                                    struct dpk_error *err);

/* Unpack wrappers for the device. */
void ifgen_device(const struct ifgen_unit *unit, struct dpk_buf *out);
/* Host symbols, and per function f a pack function and `int _dpacc_register_f(struct flexio_app
 * *)`. */
void ifgen_host(const struct ifgen_unit *unit, struct dpk_buf *out);

/* Type names and definitions for both sides (types.c). */
void ifgen_put_records(const struct ifgen_unit *unit, struct dpk_buf *out);
void ifgen_put_type(const struct ifgen_unit *unit, const struct ifgen_type *type,
                    struct dpk_buf *out);

#endif
