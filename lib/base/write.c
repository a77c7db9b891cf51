/* Writes all bytes. */
#include <errno.h>
#include <unistd.h>

#include "base/base.h"

/* A nearly full disk takes a part; the next write then fails with the reason. */
static int write_rest(int fd, const uint8_t *data, size_t size, const uint64_t *offset)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = offset ? pwrite(fd, data + done, size - done, (off_t)(*offset + done))
                                 : write(fd, data + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

int dpk_write_all(int fd, const void *data, size_t size)
{
    return write_rest(fd, data, size, NULL);
}

int dpk_pwrite_all(int fd, const void *data, size_t size, uint64_t offset)
{
    return write_rest(fd, data, size, &offset);
}
