/* Finds related files, for messages that say which file was probably meant. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"

/* Returns the length of "leaf" in "leaf.pem", "leaf-key.pem" and "leaf_key.pem". */
static size_t stem_of(const char *base)
{
    static const char *const ends[] = {"-key", "_key", "-cert", "_cert"};
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (length > n && memcmp(base + length - n, ends[i], n) == 0)
            return length - n;
    }
    return length;
}

bool dpk_file_beside(const char *path, const char *const *names, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const int folder = (int)(base - path), stem = (int)stem_of(base);
    struct stat st;
    for (; *names; names++) {
        const bool of_stem = **names == '*';
        int n = snprintf(out, PATH_MAX, "%.*s%.*s%s", folder, path, of_stem ? stem : 0, base,
                         *names + of_stem);
        if (n > 0 && n < PATH_MAX && strcmp(out, path) != 0 && stat(out, &st) == 0 &&
            S_ISREG(st.st_mode))
            return true;
    }
    *out = 0;
    return false;
}
