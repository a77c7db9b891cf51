/*
 * tables: long lists of plain integers, taken out of a source, and of the headers beside it, before
 * libclang reads them.
 *
 * A table of a megabyte costs a parser a second and says nothing about functions. "{1, 2, 3}"
 * becomes "{[2]=0}" and as many line ends: an array of integers keeps its type and every line its
 * number. Whether the list belongs to such an array only a parser knows, so the reader of the
 * shortened text must find each list in one (tables_at), or read the text as it was.
 */
#ifndef DPK_DPACC_INTERFACE_TABLES_H
#define DPK_DPACC_INTERFACE_TABLES_H

#include "base/base.h"

#define TABLES_FILES 16

/* One file that has such lists. */
struct tables {
    char *path;
    struct dpk_buf text; /* shortened */
    size_t *offsets;     /* in it, of each list that was shortened */
    size_t count;
};

struct tables_files {
    struct tables at[TABLES_FILES];
    size_t count, lists;
};

/* Reads a source and what it includes by "NAME". Headers that are not there are the compiler's to
 * tell. */
enum dpk_status tables_read(const char *source, struct tables_files *out, struct dpk_error *err);
void tables_free(struct tables_files *files);
/* How many lists lie in [begin, end) of the shortened text. */
size_t tables_at(const struct tables *t, size_t begin, size_t end);

#endif
