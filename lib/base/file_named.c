/* Looks up a file by its name once. */
#include "base/file_named.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int base_named_open(const char *path, struct stat *st)
{
    int named = open(path, O_PATH | O_CLOEXEC);
    if (named >= 0 && fstat(named, st) != 0) {
        int why = errno;
        close(named);
        errno = why;
        named = -1;
    }
    return named;
}

/* Writes the path of its entry in /proc, a link that the kernel follows even if the name has
 * changed. */
static void entry_of(int named, char out[40])
{
    snprintf(out, 40, "/proc/self/fd/%d", named);
}

static bool is_at(const char *path, const struct stat *st)
{
    struct stat there;
    return lstat(path, &there) == 0 && there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

char *base_named_path(int named, const char *path, const struct stat *st)
{
    char entry[40], *real = malloc(PATH_MAX + 1);
    if (!real)
        return NULL;
    entry_of(named, entry);
    ssize_t length = readlink(entry, real, PATH_MAX);
    real[length > 0 ? length : 0] = 0;
    if (length > 0 && length < PATH_MAX && is_at(real, st))
        return real;
    free(real);
    /* There is no /proc, or the file is outside our root directory. */
    real = realpath(path, NULL);
    if (real && is_at(real, st))
        return real;
    if (real)
        errno = ESTALE; /* another file has taken its place */
    free(real);
    return NULL;
}

int base_named_writable(int named)
{
    char entry[40];
    if (faccessat(named, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* Linux before 5.8 has no such flag */
        return -1;
    entry_of(named, entry);
    return faccessat(AT_FDCWD, entry, W_OK, AT_EACCESS);
}

int base_named_open_to_write(int named)
{
    char entry[40];
    entry_of(named, entry);
    return open(entry, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}
