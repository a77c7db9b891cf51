/*
 * merge: prints the diagnostics of several targets' compilers and linkers, equal ones only once.
 *
 *     struct merge merge = {0};
 *     int fd = merge_open();             // a child's standard error; -1: use dpacc's
 *     ...
 *     merge_print(&merge, fd);           // when the child has ended; closes it
 *     merge_free(&merge);
 */
#ifndef DPK_DPACC_MERGE_H
#define DPK_DPACC_MERGE_H

#include "words.h"

struct merge {
    struct words said; /* first lines of printed diagnostics */
};

int merge_open(void);
/* Prints the child's output without diagnostics that an earlier child has printed: their first
 * lines, with place and message, are equal. `fd` may be -1. */
void merge_print(struct merge *m, int fd);
void merge_free(struct merge *m);

#endif
