/*
 * merge: what compilers and linkers of several targets say about one source, each thing once.
 *
 *     struct merge merge = {0};
 *     int fd = merge_open();             // a child's standard error; -1: it keeps dpacc's
 *     ...
 *     merge_print(&merge, fd);           // when the child has ended; closes it
 *     merge_free(&merge);
 */
#ifndef DPK_DPACC_MERGE_H
#define DPK_DPACC_MERGE_H

#include "words.h"

struct merge {
    struct words said; /* the first lines of diagnostics that were printed */
};

int merge_open(void);
/* Prints what the child wrote, without diagnostics whose first lines, with place and message, an
 * earlier child's had. `fd` may be -1. */
void merge_print(struct merge *m, int fd);
void merge_free(struct merge *m);

#endif
