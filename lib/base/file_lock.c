/* Locks a file that is read, changed and replaced. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

/* Takes the lock; calls `waits` once before it has to wait. Returns -1 if there are no locks
 * here. */
static int lock(int fd, const char *path, void (*waits)(const char *path), bool *told)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno != EWOULDBLOCK)
        return -1;
    if (waits && !*told)
        waits(path);
    *told = true;
    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return -1;
    return 0;
}

int dpk_file_lock(const char *path, void (*waits)(const char *path))
{
    struct stat file, named;
    bool told = false;
    while (stat(path, &named) == 0 && S_ISREG(named.st_mode)) {
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0)
            return -1;
        if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || lock(fd, path, waits, &told) != 0) {
            close(fd);
            return -1;
        }
        /* The previous holder of the lock may have replaced the file. */
        if (stat(path, &named) == 0 && named.st_dev == file.st_dev && named.st_ino == file.st_ino)
            return fd;
        close(fd);
    }
    return -1;
}

void dpk_file_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
