#include "coverage.h"

#include <string.h>

/* Returns the end of "\t.quad\t.L__profc_NAME" in ".quad .L__profc_NAME-.L__profd_NAME", or NULL
 * for another line. */
static const char *end_of_counters(const char *line, const char *end)
{
    static const char begin[] = "\t.quad\t.L__profc_", behind[] = "-.L__profd_";
    if ((size_t)(end - line) < sizeof begin - 1 || memcmp(line, begin, sizeof begin - 1) != 0)
        return NULL;
    return memmem(line, (size_t)(end - line), behind, sizeof behind - 1);
}

void dpacc_coverage_edit(const char *text, struct dpk_buf *out)
{
    static const char constructor[] = "\t.quad\t__llvm_profile_init\n";
    while (*text) {
        const char *newline = strchrnul(text, '\n'), *end = newline + (*newline != '\0');
        const char *counters = end_of_counters(text, newline);
        if (counters) {
            dpk_put(out, text, (size_t)(counters - text));
            dpk_put_u8(out, '\n');
        } else if ((size_t)(end - text) != sizeof constructor - 1 ||
                   memcmp(text, constructor, sizeof constructor - 1) != 0) {
            dpk_put(out, text, (size_t)(end - text));
        }
        text = end;
    }
}
