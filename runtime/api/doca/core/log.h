/* Backends of the log, for writers of lines. */
#ifndef DPK_API_DOCA_CORE_LOG_H
#define DPK_API_DOCA_CORE_LOG_H

#include <doca_log.h>

struct line {
    uint32_t level;
    const char *file, *function;
    int line;
    const char *text; /* one line */
};

/* Passes a line to all backends for the program or for the SDK. Returns false if there is no such
 * backend. */
bool core_backends_write(bool sdk, const struct line *line);

#endif
