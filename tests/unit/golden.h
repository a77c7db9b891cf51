/* NVIDIA's reference outputs for unit tests: tests/golden, or where DPAKIT_GOLDEN says. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

/* Path of a golden file or folder. Four paths may be held at once. A missing file fails the test,
 * or the setup of its group, which then prints the path and runs no test. */
static inline const char *golden_path(const char *name)
{
    static char paths[4][1024];
    static unsigned next;
    char *path = paths[next++ % 4];
    const char *dir = getenv("DPAKIT_GOLDEN");
    snprintf(path, sizeof paths[0], "%s/%s", dir ? dir : "tests/golden", name);
    if (access(path, R_OK) != 0)
        fail_msg("%s: no such golden file (DPAKIT_GOLDEN names their folder)", path);
    return path;
}

/* The whole file; free with dpk_buf_free. */
static inline struct dpk_buf golden(const char *name)
{
    struct dpk_error err = {0};
    struct dpk_buf b = {0};
    if (dpk_file_read(golden_path(name), DPK_FILE_MAX, &b, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return b;
}

#endif
