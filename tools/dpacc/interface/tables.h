/*
 * tables: shortens long lists of plain integers in a source, and in the headers beside it, before
 * libclang reads them.
 *
 * A parser needs a second for a table of a megabyte, which has no functions. "{1, 2, 3}" becomes
 * "{[2]=0}" with the same number of line ends: arrays of integers keep their types, and lines keep
 * their numbers. Only a parser knows if a list belongs to such an array. So the reader of the
 * shortened text must find each list in an array (interface_tables_at), or parse the original text.
 */
#ifndef DPK_DPACC_INTERFACE_TABLES_H
#define DPK_DPACC_INTERFACE_TABLES_H

#include "base/base.h"

#define TABLES_FILES 16

/* A file with long lists. */
struct tables {
    char *path;
    struct dpk_buf text; /* shortened text */
    size_t *offsets;     /* offset in `text` of each shortened list */
    size_t count;
};

struct tables_files {
    struct tables at[TABLES_FILES];
    size_t count, lists;
};

/* Reads a source and the files that it includes by "NAME". The compiler reports missing headers. */
enum dpk_status interface_tables_read(const char *source, struct tables_files *out,
                                      struct dpk_error *err);
void interface_tables_free(struct tables_files *files);
/* Returns the number of lists in [begin, end) of the shortened text. */
size_t interface_tables_at(const struct tables *t, size_t begin, size_t end);

#endif
