/* How many entries a folder has: of descriptors in /proc/self/fd, of threads in /proc/self/task. */
#ifndef TESTS_HOST_ENTRIES_H
#define TESTS_HOST_ENTRIES_H

#include <dirent.h>

#include "check.h"

static inline unsigned entries(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

#endif
