/* Reads whole files into private memory. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define CHUNK ((size_t)16 << 20) /* bytes that one thread reads at a time */

struct chunks {
    int fd;
    uint8_t *to;
    size_t size;
    atomic_size_t whole; /* all bytes before this offset are read */
};

static void read_chunk(void *context, size_t index)
{
    struct chunks *c = context;
    size_t at = index * CHUNK, end = c->size - at > CHUNK ? at + CHUNK : c->size;
    while (at < end) {
        ssize_t got = pread(c->fd, c->to + at, end - at, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    size_t whole = atomic_load(&c->whole);
    while (at < end && at < whole && !atomic_compare_exchange_weak(&c->whole, &whole, at))
        ;
}

/* Asks for large pages, because the first access to each page costs a fault. */
static void want_large_pages(uint8_t *at, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), odd = (uintptr_t)at % page;
    size_t skip = odd ? page - odd : 0;
    if (size > skip)
        (void)madvise(at + skip, size - skip, MADV_HUGEPAGE);
}

/* Reads the first `size` bytes of a regular file, or as many as possible. The caller reads on from
 * there and reports the error, if any. */
static void read_ahead(int fd, size_t size, struct dpk_buf *out)
{
    struct chunks c = {.fd = fd, .to = out->data, .size = size, .whole = size};
    want_large_pages(out->data, size);
    dpk_parallel((size + CHUNK - 1) / CHUNK, 0, read_chunk, &c);
    size_t whole = atomic_load(&c.whole);
    if (lseek(fd, (off_t)whole, SEEK_SET) == (off_t)whole)
        out->size = whole;
}

/* Reads to the end of the file, wherever the end is. */
static enum dpk_status read_rest(const char *path, int fd, size_t max, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    for (;;) {
        if (out->size == out->capacity && !dpk_buf_reserve(out, 1))
            return dpk_fail_nomem(err);
        ssize_t got = read(fd, out->data + out->size, out->capacity - out->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return dpk_fail_errno(err, "%s", path);
        if (got == 0)
            return DPK_OK;
        out->size += (size_t)got;
        if (out->size > max)
            return dpk_fail(err, DPK_ERR_RANGE, "%s: more than the %zu bytes allowed", path, max);
    }
}

enum dpk_status dpk_file_read(const char *path, size_t max, struct dpk_buf *out,
                              struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (!*path)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "a file name is empty");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    struct stat st;
    if (fstat(fd, &st) != 0) {
        status = dpk_fail_errno(err, "%s", path);
        goto out;
    }
    /* The size is only a hint: pipes and /proc report 0, and files grow. With one extra byte, the
     * read that finds the end needs no larger buffer. */
    size_t hint = 0;
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        if ((uintmax_t)st.st_size > max) {
            status = dpk_fail(err, DPK_ERR_RANGE, "%s: %jd bytes, more than the %zu allowed", path,
                              (intmax_t)st.st_size, max);
            goto out;
        }
        hint = (size_t)st.st_size;
    }
    if (!dpk_buf_reserve(out, hint + 1)) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    if (hint > CHUNK && out->size == 0)
        read_ahead(fd, hint, out);
    status = read_rest(path, fd, max, out, err);
out:
    close(fd);
    if (status != DPK_OK)
        dpk_buf_wipe_free(out);
    return status;
}
