/* A folder with files that appears whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static enum dpk_status write_all(int fd, const struct dpk_folder_file *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const uint8_t *at = f->pieces[i].data;
        for (size_t left = f->pieces[i].size; left > 0;) {
            ssize_t n = write(fd, at, left);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return DPK_ERR_IO;
            at += n;
            left -= (size_t)n;
        }
    }
    return fchmod(fd, f->mode) == 0 && fsync(fd) == 0 ? DPK_OK : DPK_ERR_IO;
}

static enum dpk_status put_file(int folder, const struct dpk_folder_file *f, const char *path,
                                struct dpk_error *err)
{
    int fd = openat(folder, f->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum dpk_status status = fd < 0 ? DPK_ERR_IO : write_all(fd, f);
    if (status != DPK_OK)
        status = dpk_fail_errno(err, "%s/%s", path, f->name);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Gives the folder its name, which nothing may have. */
static enum dpk_status name_folder(const char *from, const char *path, struct dpk_error *err)
{
    struct stat st;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return DPK_OK;
    /* Some file systems know no such flag. */
    if (errno == EINVAL && lstat(path, &st) != 0 && errno == ENOENT && rename(from, path) == 0)
        return DPK_OK;
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

/* Takes away what was written of a folder that could not be finished. */
static void remove_folder(const char *temp, int folder, const struct dpk_folder_file *files,
                          size_t count)
{
    for (size_t i = 0; folder >= 0 && i < count; i++)
        (void)unlinkat(folder, files[i].name, 0);
    (void)rmdir(temp);
}

/* "A/B/" is to be made in A as "A/.B.XXXXXX". */
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

enum dpk_status dpk_folder_create(const char *given, unsigned mode,
                                  const struct dpk_folder_file *files, size_t count,
                                  struct dpk_error *err)
{
    char path[PATH_MAX], parent[PATH_MAX], temp[PATH_MAX];
    sigset_t before;
    enum dpk_status status = split_path(given, path, parent, temp, err);
    if (status != DPK_OK)
        return status;
    dpk_signals_hold(&before);
    if (!mkdtemp(temp)) {
        status = dpk_fail_errno(err, "%s", path);
        dpk_signals_release(&before);
        return status;
    }
    int folder = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        status = dpk_fail_errno(err, "%s", path);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = put_file(folder, &files[i], path, err);
    if (status == DPK_OK && (fchmod(folder, mode) != 0 || fsync(folder) != 0))
        status = dpk_fail_errno(err, "%s", path);
    if (status == DPK_OK)
        status = name_folder(temp, path, err);
    if (status == DPK_OK)
        sync_folder(parent);
    else
        remove_folder(temp, folder, files, count);
    if (folder >= 0)
        close(folder);
    dpk_signals_release(&before);
    return status;
}
