/* Makes a folder with files that appears whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static enum dpk_status write_pieces(int fd, const struct dpk_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dpk_write_all(fd, pieces[i].data, pieces[i].size) != 0)
            return DPK_ERR_IO;
    return DPK_OK;
}

static enum dpk_status write_content(int fd, const struct dpk_folder_file *f)
{
    struct dpk_buf made = {0};
    if (!f->put)
        return write_pieces(fd, f->pieces, f->count);
    f->put(f->context, f->name, &made);
    const struct dpk_piece piece = {made.data, made.size};
    errno = ENOMEM;
    enum dpk_status status = made.failed ? DPK_ERR_IO : write_pieces(fd, &piece, 1);
    const int why = errno;
    dpk_buf_free(&made);
    errno = why;
    return status;
}

static enum dpk_status write_file(int fd, const struct dpk_folder_file *f)
{
    enum dpk_status status = write_content(fd, f);
    return status == DPK_OK && fchmod(fd, f->mode) == 0 && fsync(fd) == 0 ? DPK_OK : DPK_ERR_IO;
}

static enum dpk_status put_file(int folder, const struct dpk_folder_file *f, const char *path,
                                struct dpk_error *err)
{
    int fd = openat(folder, f->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum dpk_status status = fd < 0 ? DPK_ERR_IO : write_file(fd, f);
    if (status != DPK_OK)
        status = dpk_fail_errno(err, "%s/%s", path, f->name);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Renames the folder to `path`, which must not exist. */
static enum dpk_status name_folder(const char *from, const char *path, struct dpk_error *err)
{
    struct stat st;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return DPK_OK;
    if (errno == EINVAL) { /* some file systems do not know this flag */
        if (lstat(path, &st) == 0)
            errno = EEXIST;
        else if (errno == ENOENT && rename(from, path) == 0)
            return DPK_OK;
    }
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR)
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: is there already; nothing is overwritten", path);
    return dpk_fail_errno(err, "%s", path);
}

static void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* Removes a folder with these files. */
static void remove_folder(const char *path, const struct dpk_folder_file *files, size_t count)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; folder >= 0 && i < count; i++)
        (void)unlinkat(folder, files[i].name, 0);
    if (folder >= 0)
        close(folder);
    (void)rmdir(path);
}

/* Renames the folder to `path`, and removes a folder that had this name. */
static enum dpk_status exchange_folder(const char *from, const char *path,
                                       const struct dpk_folder_file *files, size_t count,
                                       struct dpk_error *err)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return DPK_OK;
    if (errno != EEXIST && errno != EINVAL && errno != ENOSYS)
        return dpk_fail_errno(err, "%s", path);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        remove_folder(from, files, count);
        return DPK_OK;
    }
    /* The file system cannot exchange two names. */
    remove_folder(path, files, count);
    return rename(from, path) == 0 ? DPK_OK : dpk_fail_errno(err, "%s", path);
}

/* Splits "A/B/" into the path "A/B", the parent "A" and the temporary path "A/.B.XXXXXX". */
static enum dpk_status split_path(const char *given, char path[PATH_MAX], char parent[PATH_MAX],
                                  char temp[PATH_MAX], struct dpk_error *err)
{
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/')
        length--;
    if (length == 0 || length > PATH_MAX - 16)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: no path for a folder", given);
    memcpy(path, given, length);
    path[length] = 0;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    int above = (int)(base - path);
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: is there already; nothing is overwritten", path);
    snprintf(parent, PATH_MAX, "%.*s", slash ? above : 1, slash ? path : ".");
    int n = snprintf(temp, PATH_MAX, "%.*s.%s.XXXXXX", above, path, base);
    return n > 0 && n < PATH_MAX ? DPK_OK
                                 : dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", given);
}

enum dpk_status dpk_folder_absent(const char *given, struct dpk_error *err)
{
    char path[PATH_MAX], parent[PATH_MAX], temp[PATH_MAX];
    struct stat st;
    enum dpk_status status = split_path(given, path, parent, temp, err);
    if (status != DPK_OK)
        return status;
    if (lstat(path, &st) == 0)
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: is there already; nothing is overwritten", path);
    if (access(parent, W_OK) != 0)
        return dpk_fail_errno(err, "%s", parent);
    return DPK_OK;
}

static enum dpk_status fill(const char *temp, const char *path, unsigned mode,
                            const struct dpk_folder_file *files, size_t count,
                            struct dpk_error *err)
{
    int folder = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = put_file(folder, &files[i], path, err);
    if (status == DPK_OK && (fchmod(folder, mode) != 0 || fsync(folder) != 0))
        status = dpk_fail_errno(err, "%s", path);
    close(folder);
    return status;
}

static enum dpk_status make(const char *given, bool replaces, unsigned mode,
                            const struct dpk_folder_file *files, size_t count,
                            struct dpk_error *err)
{
    char path[PATH_MAX], parent[PATH_MAX], temp[PATH_MAX];
    sigset_t before;
    enum dpk_status status = split_path(given, path, parent, temp, err);
    if (status != DPK_OK)
        return status;
    dpk_signals_hold(&before);
    if (mkdtemp(temp)) {
        status = fill(temp, path, mode, files, count, err);
        if (status == DPK_OK)
            status = replaces ? exchange_folder(temp, path, files, count, err)
                              : name_folder(temp, path, err);
        if (status == DPK_OK)
            sync_folder(parent);
        else
            remove_folder(temp, files, count);
    } else {
        status = dpk_fail_errno(err, "%s", path);
    }
    dpk_signals_release(&before);
    return status;
}

enum dpk_status dpk_folder_create(const char *path, unsigned mode,
                                  const struct dpk_folder_file *files, size_t count,
                                  struct dpk_error *err)
{
    return make(path, false, mode, files, count, err);
}

/* ---- Replacing ---- */

static bool is_named(const char *name, const struct dpk_folder_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

enum dpk_status dpk_folder_replaceable(const char *path, const struct dpk_folder_file *files,
                                       size_t count, struct dpk_error *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? dpk_folder_absent(path, err) : dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    for (const struct dirent *e; status == DPK_OK && (e = readdir(dir)) != NULL;)
        if (!is_named(e->d_name, files, count)) {
            char name[256];
            snprintf(name, sizeof name, "%s", e->d_name);
            status = dpk_fail(err, DPK_ERR_EXISTS,
                              "%s has %s, which does not belong in such a folder: choose another",
                              path, dpk_text_clean(name));
        }
    closedir(dir);
    return status;
}

enum dpk_status dpk_folder_replace(const char *path, unsigned mode,
                                   const struct dpk_folder_file *files, size_t count,
                                   struct dpk_error *err)
{
    char real[PATH_MAX];
    if (realpath(path, real)) /* the target of a link is replaced, not the link */
        path = real;
    enum dpk_status status = dpk_folder_replaceable(path, files, count, err);
    return status == DPK_OK ? make(path, true, mode, files, count, err) : status;
}
