/* New files that appear whole. A process that is killed before leaves no file, or a temporary file
 * that the next call removes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* ---- Signals ---- */

void dpk_signals_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* Drops a pending SIGXFSZ: the error EFBIG already reports the condition. */
void dpk_signals_release(const sigset_t *before)
{
    const struct timespec now = {0};
    sigset_t too_large;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        while (sigtimedwait(&too_large, NULL, &now) == SIGXFSZ)
            ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- Names of temporary files ---- */

#define TEMP_HEAD   ".dpk-"
#define TEMP_TAIL   ".tmp"
#define TEMP_DIGITS 16
#define SWEEP_MAX   65536 /* maximum number of names to look at */

static bool is_temp_name(const char *name)
{
    size_t head = strlen(TEMP_HEAD);
    return strncmp(name, TEMP_HEAD, head) == 0 &&
           strspn(name + head, "0123456789abcdef") == TEMP_DIGITS &&
           strcmp(name + head + TEMP_DIGITS, TEMP_TAIL) == 0;
}

/* Returns 0, or -1 with errno set. */
static int new_name(struct dpk_new_file *f)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return -1;
    snprintf(f->temp, sizeof f->temp, TEMP_HEAD "%016" PRIx64 TEMP_TAIL, random);
    return 0;
}

static bool is_still(int dir, const char *name, const struct stat *file)
{
    struct stat named;
    return fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == file->st_dev &&
           named.st_ino == file->st_ino;
}

/* Removes a temporary file that nobody has locked. It must be ours and have only this name. */
static void sweep_file(int dir, const char *name)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && dpk_user_is_mine(st.st_uid) &&
        st.st_nlink == 1 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_still(dir, name, &st))
        (void)unlinkat(dir, name, 0);
    close(fd);
}

/* Removes the temporary files that killed programs left in the directory. */
static void sweep(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (!names) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct dirent *entry;
    for (unsigned n = 0; n < SWEEP_MAX && (entry = readdir(names)); n++)
        if (is_temp_name(entry->d_name) && (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN))
            sweep_file(dir, entry->d_name);
    closedir(names);
}

/* ---- Opening ---- */

#define TRIES 16

/* Opens a file without a name, which disappears when its writer ends. -1 with errno set;
 * EOPNOTSUPP: the file system has no such files, or there is no /proc, by which the file gets its
 * name. */
static int open_unnamed(struct dpk_new_file *f, mode_t mode)
{
    f->fd = openat(f->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (f->fd < 0) {
        if (errno == EISDIR || errno == ENOENT || errno == EINVAL) /* errors of older kernels */
            errno = EOPNOTSUPP;
        return -1;
    }
    snprintf(f->source, sizeof f->source, "/proc/self/fd/%d", f->fd);
    if (access(f->source, F_OK) == 0 && flock(f->fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    close(f->fd);
    f->fd = -1;
    errno = EOPNOTSUPP;
    return -1;
}

/* Returns 0, or -1 with errno set. A sweep may remove the file before it is locked. */
static int open_named(struct dpk_new_file *f, mode_t mode)
{
    struct stat st;
    for (int tries = 0; tries < TRIES; tries++) {
        if (new_name(f) != 0)
            break;
        f->fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (f->fd < 0 && errno == EEXIST)
            continue;
        if (f->fd < 0)
            break;
        /* Without locks no sweep removes the file. */
        if ((flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
            fstat(f->fd, &st) == 0 && is_still(f->dir, f->temp, &st))
            return 0;
        close(f->fd);
        f->fd = -1;
        errno = EBUSY;
    }
    f->temp[0] = 0;
    return -1;
}

enum dpk_status dpk_new_file_open(struct dpk_new_file *f, const char *path, unsigned mode,
                                  struct dpk_error *err)
{
    const char *slash = strrchr(path, '/');
    *f = (struct dpk_new_file){.dir = -1, .fd = -1, .path = path};
    f->base = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(f->base - path)) : strdup(".");
    if (!directory)
        return dpk_fail_nomem(err);
    dpk_signals_hold(&f->signals);
    f->held = true;
    enum dpk_status status = DPK_OK;
    f->dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (f->dir < 0) {
        status = dpk_fail_errno(err, "%s", path);
        goto out;
    }
    sweep(f->dir);
    if (open_unnamed(f, (mode_t)mode) != 0 &&
        (errno != EOPNOTSUPP || open_named(f, (mode_t)mode) != 0))
        status = dpk_fail_errno(err, "%s: cannot create a file in its directory", path);
out:
    if (status != DPK_OK)
        dpk_new_file_drop(f);
    free(directory);
    return status;
}

/* ---- Putting in place ---- */

/* Names a file without a name. Returns 0, or -1 with errno set. */
static int name_it(const struct dpk_new_file *f, const char *name)
{
    return linkat(AT_FDCWD, f->source, f->dir, name, AT_SYMLINK_FOLLOW);
}

/* Puts the file in the place of an existing file. */
static int put_over(struct dpk_new_file *f)
{
    int named = f->temp[0] ? 0 : -1;
    for (int tries = 0; named != 0 && tries < TRIES; tries++) {
        if (new_name(f) != 0)
            break;
        named = name_it(f, f->temp);
        if (named != 0 && errno != EEXIST)
            break;
    }
    if (named != 0) {
        f->temp[0] = 0;
        return -1;
    }
    if (renameat(f->dir, f->temp, f->dir, f->base) != 0)
        return -1;
    f->temp[0] = 0;
    return 0;
}

/* A failure is ignored, because the file is in place already. Some file systems cannot sync
 * directories, and a directory may be writable but not readable. */
static void sync_directory(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

enum dpk_status dpk_new_file_put(struct dpk_new_file *f, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    int put = f->temp[0] ? put_over(f) : name_it(f, f->base);
    if (put != 0 && !f->temp[0] && errno == EEXIST)
        put = put_over(f);
    if (put == 0)
        sync_directory(f->dir);
    else
        status = dpk_fail_errno(err, "%s", f->path);
    dpk_new_file_drop(f);
    return status;
}

void dpk_new_file_drop(struct dpk_new_file *f)
{
    if (f->temp[0])
        (void)unlinkat(f->dir, f->temp, 0);
    if (f->fd >= 0)
        close(f->fd);
    if (f->dir >= 0)
        close(f->dir);
    if (f->held)
        dpk_signals_release(&f->signals);
    *f = (struct dpk_new_file){.dir = -1, .fd = -1};
}
