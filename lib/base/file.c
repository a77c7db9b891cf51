#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* 0, or -1 with errno set. */
static int write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        if (done == 0) {
            errno = EIO;
            return -1;
        }
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

static int write_pieces(int fd, const struct dpk_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (write_all(fd, pieces[i].data, pieces[i].size) != 0)
            return -1;
    return 0;
}

static bool is_standard_output(const struct stat *st)
{
    struct stat mine;
    return fstat(STDOUT_FILENO, &mine) == 0 && mine.st_dev == st->st_dev &&
           mine.st_ino == st->st_ino;
}

static enum dpk_status write_directly(const char *path, bool to_stdout,
                                      const struct dpk_piece *pieces, size_t count,
                                      struct dpk_error *err)
{
    /* Standard output is not opened again: that would lose its O_APPEND and its position. */
    int fd = to_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                       : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    if (write_pieces(fd, pieces, count) != 0)
        status = dpk_fail_errno(err, "%s", path);
    if (close(fd) != 0 && errno != EINTR && status == DPK_OK)
        status = dpk_fail_errno(err, "%s", path);
    return status;
}

FILE *dpk_file_messages(const char *path)
{
    struct stat st;
    bool same = stat(path, &st) == 0 && !S_ISCHR(st.st_mode) && is_standard_output(&st);
    return same ? stderr : stdout;
}

#define TEMP_NAME 32

/* A new file in `dir`, its name in `name`; or -1 with errno set. */
static int create_temp(int dir, mode_t mode, char name[TEMP_NAME])
{
    for (int tries = 0; tries < 16; tries++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        snprintf(name, TEMP_NAME, ".dpk-%016" PRIx64 ".tmp", random);
        int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* 0, or -1 with errno set. */
static int copy_permissions(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now) != 0)
        return -1;
    mode_t mode = old->st_mode & 07777;
    /* Owner first: changing it clears set-id bits. Those of another owner must not become ours. */
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0)
        mode &= 0777;
    return fchmod(fd, mode);
}

/* The rename is done when this runs, so that it cannot fail any more; some file systems do not
 * know fsync on directories, and one may write to a directory that one may not read. */
static void sync_directory(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

void dpk_signals_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* SIGXFSZ is taken away: the error EFBIG says the same. */
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

/* `target` has no symbolic link as its last part; `old` is NULL if there is no such file. `path`
 * is what the user calls it. */
static enum dpk_status replace(const char *path, const char *target, const struct stat *old,
                               const struct dpk_piece *pieces, size_t count, mode_t mode,
                               struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    int dir = -1, fd = -1;
    char temp[TEMP_NAME] = "";
    char *dir_name = NULL;
    sigset_t signals;

    const char *slash = strrchr(target, '/');
    const char *base = slash ? slash + 1 : target;
    dir_name = slash ? strndup(target, (size_t)(base - target)) : strdup(".");
    if (!dir_name)
        return dpk_fail_nomem(err);
    dpk_signals_hold(&signals);
    dir = open(dir_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        status = dpk_fail_errno(err, "%s", path);
        goto out;
    }
    /* A new file gets its mode here, where the kernel applies the umask. */
    fd = create_temp(dir, old ? 0600 : mode, temp);
    if (fd < 0) {
        temp[0] = 0;
        status = dpk_fail_errno(err, "%s: cannot create a file in its directory", path);
        goto out;
    }
    if (write_pieces(fd, pieces, count) != 0 || (old && copy_permissions(fd, old) != 0) ||
        fsync(fd) != 0) {
        status = dpk_fail_errno(err, "%s", path);
        goto out;
    }
    int closed = close(fd);
    fd = -1;
    if ((closed != 0 && errno != EINTR) || renameat(dir, temp, dir, base) != 0) {
        status = dpk_fail_errno(err, "%s", path);
        goto out;
    }
    temp[0] = 0;
    sync_directory(dir);
out:
    if (fd >= 0)
        close(fd);
    if (temp[0])
        unlinkat(dir, temp, 0);
    if (dir >= 0)
        close(dir);
    dpk_signals_release(&signals);
    free(dir_name);
    return status;
}

enum dpk_status dpk_file_replace(const char *path, const void *data, size_t size, unsigned mode,
                                 struct dpk_error *err)
{
    const struct dpk_piece whole = {data, size};
    return dpk_file_replace_pieces(path, &whole, 1, mode, err);
}

enum dpk_status dpk_file_replace_pieces(const char *path, const struct dpk_piece *pieces,
                                        size_t count, unsigned mode, struct dpk_error *err)
{
    /* stat before realpath: /dev/stdout can be a link to "pipe:[1]", which only the kernel can
     * follow. */
    struct stat st;
    if (!*path)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "a file name is empty");
    if (stat(path, &st) != 0) {
        if (errno != ENOENT)
            return dpk_fail_errno(err, "%s", path);
        if (lstat(path, &st) == 0)
            return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: symbolic link to a file that is missing",
                            path);
        return replace(path, path, NULL, pieces, count, (mode_t)mode, err);
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return dpk_fail_errno(err, "%s", path);
    }
    bool to_stdout = is_standard_output(&st);
    if (to_stdout || S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
        return write_directly(path, to_stdout, pieces, count, err);
    if (!S_ISREG(st.st_mode))
        return dpk_fail(err, DPK_ERR_IO, "%s: not a regular file", path);

    /* rename asks the directory only; a file that is protected against writing stays so. */
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return dpk_fail_errno(err, "%s", path);
    char *target = realpath(path, NULL);
    if (!target)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = replace(path, target, &st, pieces, count, (mode_t)mode, err);
    free(target);
    return status;
}

enum dpk_status dpk_file_apart(const char *output, const char *const *inputs, size_t count,
                               struct dpk_error *err)
{
    struct stat out, in;
    if (!output || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return DPK_OK;
    for (size_t i = 0; i < count; i++)
        if (inputs[i] && stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return dpk_fail(err, DPK_ERR_USAGE, "%s: output and input are one file", output);
    return DPK_OK;
}
