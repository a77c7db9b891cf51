/* Memory of the device as a file, which other devices and processes map. */
#include "memory.h"

#include "base/base.h"
#include "gpu/poison/poison.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 4096 };

/* Writes all chunks but those of zeros, which a new file has. */
static bool write_bytes(int fd, const char *at, size_t size)
{
    static const char zeros[CHUNK];
    for (size_t done = 0; done < size;) {
        const size_t next = size - done < CHUNK ? size - done : CHUNK;
        if (memcmp(at + done, zeros, next) != 0 && dpk_pwrite_all(fd, at + done, next, done) != 0)
            return false;
        done += next;
    }
    return true;
}

/* Puts a file with the same bytes in the place of the range. */
static bool replace(void *at, size_t size, int fd)
{
    return ftruncate(fd, (off_t)size) == 0 && write_bytes(fd, at, size) &&
           mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

/* Gives the file of hidden memory once more. */
static enum dpk_gpu_share give_file(const struct dpk_gpu_memory *m, const void *at, size_t size,
                                    int *fd)
{
    if ((uintptr_t)at != m->base || size > m->size)
        return DPK_GPU_SHARE_OUTSIDE;
    const int file = fcntl(m->file, F_DUPFD_CLOEXEC, 0);
    if (file < 0)
        return DPK_GPU_SHARE_FAILED;
    *fd = file;
    return DPK_GPU_SHARED;
}

enum dpk_gpu_share dpk_gpu_memory_share(void *at, size_t size, int *fd)
{
    struct dpk_gpu_memory m;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!size || !dpk_gpu_memory_find(at, &m))
        return DPK_GPU_SHARE_OUTSIDE;
    if (m.kind == DPK_GPU_MEMORY_HIDDEN)
        return give_file(&m, at, size, fd);
    if ((uintptr_t)at % page || size % page)
        return DPK_GPU_SHARE_OUTSIDE;
    if (m.kind != DPK_GPU_MEMORY_DEVICE && m.kind != DPK_GPU_MEMORY_MANAGED)
        return DPK_GPU_SHARE_HOST;
    const size_t whole = (m.size + page - 1) / page * page; /* mapped up to this at least */
    if (size > whole - ((uintptr_t)at - m.base))
        return DPK_GPU_SHARE_OUTSIDE;
    dpk_gpu_unpoison(at, size); /* whole pages are shared */
    const int file = memfd_create("dpakit-gpu", MFD_CLOEXEC);
    if (file < 0 || !replace(at, size, file)) {
        const int why = errno;
        if (file >= 0)
            close(file);
        errno = why;
        return DPK_GPU_SHARE_FAILED;
    }
    *fd = file;
    return DPK_GPU_SHARED;
}
