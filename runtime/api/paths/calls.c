/* The functions that programs get instead of those of the C library: each takes the path of the
 * answers. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"

static const struct paths_answers *_Atomic answers; /* set before the first redirected call */

static const struct paths_answers *in_use(void)
{
    return atomic_load_explicit(&answers, memory_order_acquire);
}

/* ---- Files that are opened ---- */

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    static int my_##name(const char *path, int flags, ...)                                         \
    {                                                                                              \
        char place[PATH_MAX];                                                                      \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                              \
        return name(in_use()->answer(path, place), flags, mode);                                   \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
    static int my_##name(int fd, const char *path, int flags, ...)                                 \
    {                                                                                              \
        char place[PATH_MAX];                                                                      \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = mode_of(flags, list);                                                  \
        va_end(list);                                                                              \
        return name(fd, in_use()->answer(path, place), flags, mode);                               \
    }
OPENAT(openat)
OPENAT(openat64)

/* Of programs that are compiled with _FORTIFY_SOURCE. They have no mode. */
static int my_open_2(const char *path, int flags)
{
    char place[PATH_MAX];
    return open64(in_use()->answer(path, place), flags & ~O_CREAT);
}

static FILE *my_fopen(const char *path, const char *mode)
{
    char place[PATH_MAX];
    return fopen64(in_use()->answer(path, place), mode);
}

static DIR *my_opendir(const char *path)
{
    char place[PATH_MAX];
    return opendir(in_use()->answer(path, place));
}

static int my_scandir(const char *path, struct dirent ***names,
                      int (*wanted)(const struct dirent *),
                      int (*order)(const struct dirent **, const struct dirent **))
{
    char place[PATH_MAX];
    return scandir(in_use()->answer(path, place), names, wanted, order);
}

/* ---- Properties ---- */

static int my_access(const char *path, int rights)
{
    char place[PATH_MAX];
    return access(in_use()->answer(path, place), rights);
}

static int my_faccessat(int fd, const char *path, int rights, int flags)
{
    char place[PATH_MAX];
    return faccessat(fd, in_use()->answer(path, place), rights, flags);
}

/* struct stat and struct stat64 are the same on this machine. */
static int my_stat(const char *path, struct stat *out)
{
    char place[PATH_MAX];
    return stat(in_use()->answer(path, place), out);
}

static int my_lstat(const char *path, struct stat *out)
{
    char place[PATH_MAX];
    return lstat(in_use()->answer(path, place), out);
}

static int my_fstatat(int fd, const char *path, struct stat *out, int flags)
{
    char place[PATH_MAX];
    return fstatat(fd, in_use()->answer(path, place), out, flags);
}

/* Of programs that were linked with a C library before 2.33. */
static int my_xstat(int version, const char *path, struct stat *out)
{
    (void)version;
    return my_stat(path, out);
}

static int my_lxstat(int version, const char *path, struct stat *out)
{
    (void)version;
    return my_lstat(path, out);
}

static int my_statx(int fd, const char *path, int flags, unsigned mask, struct statx *out)
{
    char place[PATH_MAX];
    return statx(fd, in_use()->answer(path, place), flags, mask, out);
}

/* ---- Links ---- */

static ssize_t my_readlink(const char *path, char *out, size_t size)
{
    char place[PATH_MAX];
    return readlink(in_use()->answer(path, place), out, size);
}

static ssize_t my_readlink_checked(const char *path, char *out, size_t size, size_t room)
{
    if (size > room)
        abort();
    return my_readlink(path, out, size);
}

/* A path of the tree is resolved there, and returned as the program named it. */
static char *my_realpath(const char *path, char *out)
{
    char place[PATH_MAX], resolved[PATH_MAX];
    if (in_use()->answer(path, place) == path)
        return realpath(path, out);
    if (!realpath(place, resolved))
        return NULL;
    const char *shown = in_use()->shown(resolved);
    if (!out)
        return strdup(shown);
    memcpy(out, shown, strlen(shown) + 1);
    return out;
}

static char *my_realpath_checked(const char *path, char *out, size_t room)
{
    if (room < PATH_MAX)
        abort();
    return my_realpath(path, out);
}

static char *my_canonicalize(const char *path)
{
    return my_realpath(path, NULL);
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one function for both");
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one function for both");

void paths_redirect(const struct paths_answers *given, const struct paths_call *more, size_t count)
{
    static const struct paths_call calls[] = {{"open", my_open},
                                              {"open64", my_open64},
                                              {"openat", my_openat},
                                              {"openat64", my_openat64},
                                              {"__open_2", my_open_2},
                                              {"__open64_2", my_open_2},
                                              {"fopen", my_fopen},
                                              {"fopen64", my_fopen},
                                              {"opendir", my_opendir},
                                              {"scandir", my_scandir},
                                              {"scandir64", my_scandir},
                                              {"access", my_access},
                                              {"faccessat", my_faccessat},
                                              {"stat", my_stat},
                                              {"stat64", my_stat},
                                              {"lstat", my_lstat},
                                              {"lstat64", my_lstat},
                                              {"fstatat", my_fstatat},
                                              {"fstatat64", my_fstatat},
                                              {"__xstat", my_xstat},
                                              {"__xstat64", my_xstat},
                                              {"__lxstat", my_lxstat},
                                              {"__lxstat64", my_lxstat},
                                              {"statx", my_statx},
                                              {"readlink", my_readlink},
                                              {"__readlink_chk", my_readlink_checked},
                                              {"realpath", my_realpath},
                                              {"__realpath_chk", my_realpath_checked},
                                              {"canonicalize_file_name", my_canonicalize}};
    const struct paths_list lists[2] = {{calls, sizeof calls / sizeof *calls}, {more, count}};
    atomic_store_explicit(&answers, given, memory_order_release);
    paths_slots_redirect(lists);
}
