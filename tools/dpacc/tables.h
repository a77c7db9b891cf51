/*
 * tables: long lists of plain integers, taken out of a source before libclang reads it.
 *
 * A table of a megabyte costs a parser a second and says nothing about functions. "{1, 2, 3}"
 * becomes "{[2]=0}" and as many line ends: an array of integers keeps its type and every line its
 * number. Whether the list belongs to such an array only a parser knows, so the reader of the
 * shortened text must find each list in one (tables_at), or read the text as it was.
 */
#ifndef DPACC_TABLES_H
#define DPACC_TABLES_H

#include "base/base.h"

struct tables {
    struct dpk_buf text; /* the shortened source */
    size_t *offsets;     /* in it, of each list that was shortened */
    size_t count;
};

/* Without any list to shorten `count` is 0. False: out of memory. */
bool tables_shorten(const struct dpk_buf *source, struct tables *out);
void tables_free(struct tables *t);
/* How many lists lie in [begin, end) of the shortened text. */
size_t tables_at(const struct tables *t, size_t begin, size_t end);

#endif
