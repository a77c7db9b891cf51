/*
 * merge: prints the diagnostics of several targets' compilers and linkers, equal ones only once.
 *
 *     struct merge merge = {0};
 *     int fd = dpk_merge_open();             // a child's standard error; -1: use the tool's
 *     ...
 *     dpk_merge_print(&merge, fd);           // when the child has ended; closes it
 *     dpk_merge_free(&merge);
 */
#ifndef DPK_COMMON_MERGE_H
#define DPK_COMMON_MERGE_H

#include "common/words.h"

struct merge {
    struct words said; /* first lines of printed diagnostics */
};

int dpk_merge_open(void);
/* Prints the child's output without diagnostics that an earlier child has printed: their first
 * lines, with place and message, are equal. `fd` may be -1. */
void dpk_merge_print(struct merge *m, int fd);
void dpk_merge_free(struct merge *m);

#endif
