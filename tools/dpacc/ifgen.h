/*
 * ifgen: the interface between host and DPA, read from a device source with libclang and written as
 * C for both sides.
 *
 * The generated files do not include the user's headers: each argument type is described here by
 * size, sign and layout, and written again with assertions on its layout.
 */
#ifndef DPK_DPACC_IFGEN_H
#define DPK_DPACC_IFGEN_H

#include "common/words.h"

#define IFGEN_DIMENSIONS 8

enum ifgen_kind { IFGEN_INTEGER, IFGEN_BOOL, IFGEN_RECORD };

struct ifgen_type {
    enum ifgen_kind kind;
    bool is_signed;
    uint64_t size;  /* bytes of one element */
    uint64_t align; /* bytes, without attributes of its use */
    size_t record;  /* index for IFGEN_RECORD */
    unsigned dimensions;
    uint64_t counts[IFGEN_DIMENSIONS]; /* elements, outermost first */
};

struct ifgen_member {
    char *name;
    struct ifgen_type type;
    uint64_t offset; /* bits */
    int bits;        /* width of a bit-field; -1 for other members */
};

/* A structure or union. Nested records come before it. */
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
    struct ifgen_place *statics; /* places of the word "static" on annotated functions */
    size_t static_count;
    struct words complaints; /* "file:line: function: what; hint" */
    bool syntax_errors;      /* the compiler reports them better */
    char *first_error;       /* in libclang's words */
};

/* Parses one source with the arguments of its device compile. The function is in
 * libdpakit-interface.so, because loading libclang takes ten times as long as dpacc's other
 * work. */
enum dpk_status ifgen_parse(const char *source, const struct words *arguments,
                            struct ifgen_unit *unit, struct dpk_error *err);
/* Loads the function from lib/ beside dpacc's bin/. Returns NULL with `err` on failure. */
__typeof__(ifgen_parse) *dpacc_ifgen_load(struct dpk_error *err);
/* The library. Its number changes with every change of the function or of its structs. */
#define IFGEN_LIBRARY "libdpakit-interface.so.1"

void dpacc_ifgen_free(struct ifgen_unit *unit);
void dpacc_ifgen_free_record(struct ifgen_record *r);
void dpacc_ifgen_free_function(struct ifgen_function *f);

/* Annotated functions may be static, although the host and the generated code name them. The
 * compiler reads their files without the word "static", through an overlay of its file system
 * (clang's -ivfsoverlay), so that lines, columns and debug information match the user's files. */
#define IFGEN_OVERLAY ".dpa.overlay"
#define IFGEN_STATIC  "static"
/* Notes a place; takes ownership of the path. A place is noted only once. Returns false if there is
 * no memory. */
bool dpacc_ifgen_add_static(struct ifgen_unit *unit, char *path, size_t offset);
/* Adds the places of another unit, each only once. */
enum dpk_status dpacc_ifgen_take_statics(struct ifgen_unit *unit, struct ifgen_unit *other,
                                         struct dpk_error *err);
/* Writes BASE IFGEN_OVERLAY and the files that it names. */
enum dpk_status dpacc_ifgen_write_statics(const struct ifgen_unit *unit, const char *base,
                                          struct dpk_error *err);

/* Gets the name of a source in symbols: `base` without folders, other characters as '_'. */
#define IFGEN_FILE_MAX 256
void dpacc_ifgen_file(const char *base, char out[IFGEN_FILE_MAX]);
/* For each function f of the source k, the host has `int _dpacc_register_k_f(struct flexio_app *)`, and
 * the device's object a mark "_dpacc_register_k.f". */
#define IFGEN_REGISTRAR "_dpacc_register_"
/* Writes unpack wrappers for the device, and the marks. */
void dpacc_ifgen_device(const struct ifgen_unit *unit, const char *file, struct dpk_buf *out);
/* Writes host symbols, and for each function a pack function and a registrar. */
void dpacc_ifgen_host(const struct ifgen_unit *unit, const char *file, struct dpk_buf *out);

/* Write type names and definitions for both sides (types.c). */
void dpacc_ifgen_put_records(const struct ifgen_unit *unit, struct dpk_buf *out);
void dpacc_ifgen_put_type(const struct ifgen_unit *unit, const struct ifgen_type *type,
                          struct dpk_buf *out);

#endif
