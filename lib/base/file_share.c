/* Files that several processes map and change together. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

/* Allocates the blocks of a new file. It locks the file, because another process may do the same,
 * and starts over if a process was killed meanwhile. */
static enum dpk_status fill(int fd, const char *path, const struct dpk_share *what,
                            struct dpk_error *err)
{
    struct stat st;
    enum dpk_status status = DPK_OK;
    if (flock(fd, LOCK_EX) != 0 || fstat(fd, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    if (st.st_size < (off_t)what->size &&
        (ftruncate(fd, 0) != 0 ||
         dpk_pwrite_all(fd, &what->magic, sizeof what->magic, 0) != 0 ||
         (errno = posix_fallocate(fd, 0, (off_t)what->size)) != 0))
        status = dpk_fail_errno(err, "%s", path);
    flock(fd, LOCK_UN);
    return status;
}

static enum dpk_status map(int fd, const char *path, const struct dpk_share *what, void **out,
                           struct dpk_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    if (!S_ISREG(st.st_mode) || !dpk_user_is_mine_or_root(st.st_uid))
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: not a file of this user", path);
    enum dpk_status status = st.st_size < (off_t)what->size ? fill(fd, path, what, err) : DPK_OK;
    if (status != DPK_OK)
        return status;
    if (fstat(fd, &st) != 0)
        return dpk_fail_errno(err, "%s", path);
    void *at = mmap(NULL, what->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return dpk_fail_errno(err, "%s", path);
    if (st.st_size == (off_t)what->size && *(const uint64_t *)at == what->magic) {
        *out = at;
        return DPK_OK;
    }
    munmap(at, what->size);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: no file of %s; remove it", path, what->name);
}

enum dpk_status dpk_file_share(const char *directory, const struct dpk_share *what, bool makes,
                               void **out, struct dpk_error *err)
{
    char path[PATH_MAX];
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (makes ? O_CREAT : 0);
    const int n = snprintf(path, sizeof path, "%s/%s", directory, what->name);
    *out = NULL;
    if (n < 0 || n >= (int)sizeof path)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", directory);
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = map(fd, path, what, out, err);
    close(fd);
    return status;
}
