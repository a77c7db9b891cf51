/* Walks through folders. */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Reads the first bytes of a regular file, and none of other files. O_NONBLOCK: the path may have
 * become a pipe meanwhile. */
static enum dpk_status read_head(const char *path, uint8_t head[WALK_HEAD], size_t *size,
                                 struct dpk_error *err)
{
    struct stat st;
    enum dpk_status status = DPK_OK;
    *size = 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    ssize_t got = 0;
    if (fstat(fd, &st) != 0)
        status = dpk_fail_errno(err, "%s", path);
    else if (S_ISREG(st.st_mode))
        got = pread(fd, head, WALK_HEAD, 0);
    if (got < 0)
        status = dpk_fail_errno(err, "%s", path);
    else
        *size = (size_t)got;
    close(fd);
    return status;
}

/* Does the link lead to a regular file? Warns of a link to a folder. */
static bool leads_to_file(const FTSENT *e)
{
    struct stat st;
    if (stat(e->fts_accpath, &st) != 0)
        return false;
    if (S_ISDIR(st.st_mode)) {
        char text[PATH_MAX];
        snprintf(text, sizeof text, "%s", e->fts_path);
        fprintf(
            stderr,
            "-W- %s: a link to a folder, which is not followed: name that folder to verify it\n",
            dpk_text_clean(text));
    }
    return S_ISREG(st.st_mode);
}

static enum dpk_status visit(const FTSENT *e, walk_fn *found, void *context, struct dpk_error *err)
{
    uint8_t head[WALK_HEAD] = {0};
    size_t size = 0;
    switch (e->fts_info) {
    case FTS_D:
    case FTS_DP:
        return DPK_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        errno = e->fts_errno;
        return dpk_fail_errno(err, "%s", e->fts_path);
    default:
        break;
    }
    if (e->fts_info == FTS_F || (e->fts_info == FTS_SL && leads_to_file(e))) {
        enum dpk_status status = read_head(e->fts_accpath, head, &size, err);
        if (status != DPK_OK)
            return status;
    }
    return found(context, e->fts_path, head, size, err);
}

enum dpk_status mlxdpa_walk_folder(const char *path, walk_fn *found, void *context,
                                   struct dpk_error *err)
{
    char *const paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!walk)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    FTSENT *e = NULL;
    errno = 0;
    while (status == DPK_OK && (e = fts_read(walk))) {
        status = visit(e, found, context, err);
        errno = 0;
    }
    if (status == DPK_OK && errno)
        status = dpk_fail_errno(err, "%s", path);
    fts_close(walk);
    return status;
}
