/* A progress bar on standard error, if that is a terminal, for what takes longer than a second. */
#ifndef MLXDPA_PROGRESS_H
#define MLXDPA_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool terminal, shown;
    int64_t start, last; /* milliseconds */
};

void progress_start(struct progress *p);
void progress_show(struct progress *p, const char *what, size_t done, size_t total);
void progress_end(struct progress *p); /* takes the bar away */

#endif
