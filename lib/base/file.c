#include "base/base.h"
#include "base/file_ahead.h"
#include "base/file_named.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_pieces(int fd, const struct dpk_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dpk_write_all(fd, pieces[i].data, pieces[i].size) != 0)
            return -1;
    return 0;
}

/* Writes the pieces that were not written ahead. */
static int write_changes(int fd, const struct dpk_ahead *ahead, const struct dpk_piece *pieces,
                         size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; at += pieces[i++].size)
        if (!base_ahead_has(ahead, at, &pieces[i]) &&
            (lseek(fd, (off_t)at, SEEK_SET) < 0 ||
             dpk_write_all(fd, pieces[i].data, pieces[i].size) != 0))
            return -1;
    return ftruncate(fd, (off_t)at);
}

static bool is_standard_output(const struct stat *st)
{
    struct stat mine;
    return fstat(STDOUT_FILENO, &mine) == 0 && mine.st_dev == st->st_dev &&
           mine.st_ino == st->st_ino;
}

/* Writes to the file of the descriptor `named`; `path` is the user's name for it. */
static enum dpk_status write_directly(const char *path, int named, bool to_stdout,
                                      const struct dpk_piece *pieces, size_t count,
                                      struct dpk_error *err)
{
    /* Opening standard output again would lose its O_APPEND and its position. */
    int fd = to_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : base_named_open_to_write(named);
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

/* Returns 0, or -1 with errno set. */
static int copy_permissions(int fd, const struct stat *old)
{
    struct stat now;
    if (fstat(fd, &now) != 0)
        return -1;
    mode_t mode = old->st_mode & 07777;
    /* Owner first, because a change of the owner clears set-id bits. If the change fails, the bits
     * are dropped: they must not become ours. */
    if ((!dpk_user_is_mine(old->st_uid) || now.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0)
        mode &= 0777;
    return fchmod(fd, mode);
}

/* ---- Staging ---- */

struct dpk_staged {
    struct dpk_new_file file;
    char *target; /* path whose last part is not a symbolic link */
    /* A file that cannot be replaced is written when it is put. */
    bool direct, to_stdout;
    int named;        /* descriptor of the old file (base_named_open), or -1 */
    const char *path; /* the user's name for it */
    const struct dpk_piece *pieces;
    size_t count;
};

/* `old` is NULL if there is no such file. */
static enum dpk_status write_new(struct dpk_new_file *f, const char *path, const char *target,
                                 const struct stat *old, struct dpk_ahead *ahead,
                                 const struct dpk_piece *pieces, size_t count, unsigned mode,
                                 struct dpk_error *err)
{
    /* The kernel applies the umask to the mode of a new file here. */
    enum dpk_status status = dpk_new_file_open(f, target, old ? 0600 : mode, err);
    if (status != DPK_OK)
        return status;
    f->path = path;
    int written = base_ahead_take(ahead, f) ? write_changes(f->fd, ahead, pieces, count)
                                            : write_pieces(f->fd, pieces, count);
    if (written != 0 || (old && copy_permissions(f->fd, old) != 0) || fsync(f->fd) != 0) {
        status = dpk_fail_errno(err, "%s", path);
        dpk_new_file_drop(f);
    }
    return status;
}

/* Looks up the old file. Afterwards *there is false, or s->direct says to write to the old file, or
 * *old is a regular file that may be replaced and s->target is its real path. */
static enum dpk_status look_at(struct dpk_staged *s, struct stat *old, bool *there,
                               struct dpk_error *err)
{
    /* base_named_open lets the kernel follow /dev/stdout, which can be a link to "pipe:[1]". */
    const char *path = s->path;
    *there = false;
    if (!*path)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "a file name is empty");
    s->named = base_named_open(path, old);
    if (s->named < 0) {
        if (errno != ENOENT)
            return dpk_fail_errno(err, "%s", path);
        if (lstat(path, old) == 0)
            return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: symbolic link to a file that is missing",
                            path);
        s->target = strdup(path);
        return s->target ? DPK_OK : dpk_fail_nomem(err);
    }
    if (S_ISDIR(old->st_mode)) {
        errno = EISDIR;
        return dpk_fail_errno(err, "%s", path);
    }
    *there = true;
    s->to_stdout = is_standard_output(old);
    s->direct = s->to_stdout || S_ISCHR(old->st_mode) || S_ISFIFO(old->st_mode);
    if (s->direct)
        return DPK_OK;
    if (!S_ISREG(old->st_mode))
        return dpk_fail(err, DPK_ERR_IO, "%s: not a regular file", path);
    /* rename needs rights to the directory only, but a write-protected file must stay. */
    if (base_named_writable(s->named) != 0)
        return dpk_fail_errno(err, "%s", path);
    s->target = base_named_path(s->named, path, old);
    return s->target ? DPK_OK : dpk_fail_errno(err, "%s", path);
}

static void free_staged(struct dpk_staged *s)
{
    if (s->named >= 0)
        close(s->named);
    free(s->target);
    free(s);
}

static enum dpk_status stage(const char *path, struct dpk_ahead *ahead,
                             const struct dpk_piece *pieces, size_t count, unsigned mode,
                             struct dpk_staged **out, struct dpk_error *err)
{
    struct stat old;
    bool there;
    struct dpk_staged *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return dpk_fail_nomem(err);
    s->path = path;
    s->named = -1;
    s->pieces = pieces;
    s->count = count;
    enum dpk_status status = look_at(s, &old, &there, err);
    if (status == DPK_OK && !s->direct)
        status = write_new(&s->file, path, s->target, there ? &old : NULL, ahead, pieces, count,
                           mode, err);
    if (status != DPK_OK) {
        free_staged(s);
        return status;
    }
    *out = s;
    return DPK_OK;
}

enum dpk_status dpk_file_stage(const char *path, const struct dpk_piece *pieces, size_t count,
                               unsigned mode, struct dpk_staged **out, struct dpk_error *err)
{
    return stage(path, NULL, pieces, count, mode, out, err);
}

enum dpk_status dpk_staged_put(struct dpk_staged *s, struct dpk_error *err)
{
    enum dpk_status status =
        s->direct ? write_directly(s->path, s->named, s->to_stdout, s->pieces, s->count, err)
                  : dpk_new_file_put(&s->file, err);
    free_staged(s);
    return status;
}

void dpk_staged_drop(struct dpk_staged *s)
{
    if (!s)
        return;
    if (!s->direct)
        dpk_new_file_drop(&s->file);
    free_staged(s);
}

/* ---- At once ---- */

enum dpk_status dpk_file_replace(const char *path, const void *data, size_t size, unsigned mode,
                                 struct dpk_error *err)
{
    const struct dpk_piece whole = {data, size};
    return dpk_file_replace_pieces(path, &whole, 1, mode, err);
}

enum dpk_status dpk_file_replace_pieces(const char *path, const struct dpk_piece *pieces,
                                        size_t count, unsigned mode, struct dpk_error *err)
{
    return dpk_file_replace_ahead(path, NULL, pieces, count, mode, err);
}

enum dpk_status dpk_file_replace_ahead(const char *path, struct dpk_ahead *ahead,
                                       const struct dpk_piece *pieces, size_t count, unsigned mode,
                                       struct dpk_error *err)
{
    struct dpk_staged *staged = NULL;
    enum dpk_status status = stage(path, ahead, pieces, count, mode, &staged, err);
    return status == DPK_OK ? dpk_staged_put(staged, err) : status;
}

enum dpk_status dpk_file_create(const char *path, const void *data, size_t size, unsigned mode,
                                struct dpk_error *err)
{
    struct dpk_new_file f;
    const struct dpk_piece whole = {data, size};
    enum dpk_status status = write_new(&f, path, path, NULL, NULL, &whole, 1, mode, err);
    return status == DPK_OK ? dpk_new_file_put(&f, err) : status;
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
