#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#include "format.h"

struct dpk_recorder {
    int fd;
    char path[PATH_MAX];
    struct dpk_error failure;
};

/* Writes both pieces one after the other. */
static bool write_both(int fd, const void *head, size_t head_size, const void *bytes, size_t size)
{
    struct iovec v[2] = {{(void *)head, head_size}, {(void *)bytes, size}};
    int first = 0;
    while (first < 2) {
        ssize_t n = writev(fd, v + first, 2 - first);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        size_t done = (size_t)n;
        while (first < 2 && done >= v[first].iov_len)
            done -= v[first++].iov_len;
        if (first < 2) {
            v[first].iov_base = (uint8_t *)v[first].iov_base + done;
            v[first].iov_len -= done;
        }
    }
    return true;
}

/* Removes a regular file first, so that processes that have it open keep its contents. */
static enum dpk_status create(struct dpk_recorder *r, struct dpk_error *err)
{
    struct stat st;
    if (lstat(r->path, &st) == 0 && S_ISREG(st.st_mode) && unlink(r->path) != 0)
        return dpk_fail_errno(err, "%s", r->path);
    r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
    return r->fd < 0 ? dpk_fail_errno(err, "%s", r->path) : DPK_OK;
}

enum dpk_status dpk_recorder_open(const char *path, uint64_t seed, struct dpk_recorder **out,
                                  struct dpk_error *err)
{
    uint8_t header[DPK_RECORD_HEADER];
    struct dpk_recorder *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return dpk_fail_nomem(err);
    r->fd = -1;
    enum dpk_status status = DPK_OK;
    if ((size_t)snprintf(r->path, sizeof r->path, "%s", path) >= sizeof r->path) {
        errno = ENAMETOOLONG;
        status = dpk_fail_errno(err, "%.100s...", path);
    }
    if (status == DPK_OK)
        status = create(r, err);
    dpk_store_le64(header, RECORD_MAGIC);
    dpk_store_le64(header + 8, seed);
    if (status == DPK_OK && !write_both(r->fd, header, sizeof header, NULL, 0))
        status = dpk_fail_errno(err, "%s", path);
    if (status == DPK_OK)
        *out = r;
    else
        dpk_recorder_close(r);
    return status;
}

/* The head of a record, while its numbers are written. */
struct head {
    uint8_t bytes[RECORD_HEAD_MAX];
    size_t size;
};

static void put(struct head *h, uint64_t value, size_t bytes)
{
    uint8_t all[8];
    dpk_store_le64(all, value);
    memcpy(h->bytes + h->size, all, bytes);
    h->size += bytes;
}

static void make_head(struct head *h, const struct dpk_record *r)
{
    h->size = RECORD_FRAME;
    put(h, r->kind, 1);
    put(h, r->small, 1);
    put(h, r->process, 4);
    put(h, r->thread, 4);
    put(h, r->address, 8);
    put(h, r->number, 8);
    put(h, r->changed, 8);
    for (unsigned i = 0; i < DPK_CHANGED_COUNT; i++)
        if (r->changed >> i & 1)
            put(h, r->values[i], 8);
    const size_t end = h->size;
    uLong crc = crc32_z(crc32_z(0, NULL, 0), h->bytes + RECORD_FRAME, end - RECORD_FRAME);
    if (r->size)
        crc = crc32_z(crc, r->bytes, r->size);
    h->size = 0;
    put(h, end - RECORD_FRAME + r->size, 4);
    put(h, crc, 4);
    h->size = end;
}

/* Removes an incompletely written record if possible. */
static void write_record(struct dpk_recorder *r, const struct dpk_record *record)
{
    struct head h;
    make_head(&h, record);
    const off_t before = lseek(r->fd, 0, SEEK_END);
    if (write_both(r->fd, h.bytes, h.size, record->bytes, record->size))
        return;
    dpk_fail_errno(&r->failure, "%s", r->path);
    if (before >= 0)
        (void)!ftruncate(r->fd, before);
}

void dpk_recorder_put(struct dpk_recorder *r, const struct dpk_record *record)
{
    if (r->failure.status != DPK_OK)
        return;
    if (record->size > DPK_RECORD_SIZE_MAX - RECORD_HEAD_MAX)
        dpk_fail(&r->failure, DPK_ERR_RANGE, "%s: a record of %zu bytes", r->path, record->size);
    else
        write_record(r, record);
}

enum dpk_status dpk_recorder_state(const struct dpk_recorder *r, struct dpk_error *err)
{
    if (r->failure.status == DPK_OK)
        return DPK_OK;
    return dpk_fail(err, r->failure.status, "%s", r->failure.message);
}

void dpk_recorder_close(struct dpk_recorder *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}
