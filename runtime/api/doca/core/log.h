/* Backends of the log, for who writes lines. */
#ifndef DPK_API_DOCA_CORE_LOG_H
#define DPK_API_DOCA_CORE_LOG_H

#include <doca_log.h>

struct line {
    uint32_t level;
    const char *file, *function;
    int line;
    const char *text; /* one line */
};

/* Hands a line to every backend of its sort. False: there is none of that sort. */
bool backends_write(bool sdk, const struct line *line);

#endif
