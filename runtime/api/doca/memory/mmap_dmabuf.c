/* Memory maps of a memory file, as doca_gpu_dmabuf_fd gives one for memory of a GPU. Devices reach the
 * bytes by a mapping of their own, since the CPU may not read them by their address. */
#include "mmap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps `size` bytes of a memory file. Errors: NOT_SUPPORTED if the descriptor is of another kind,
 * INVALID_VALUE if the file is too short, NO_MEMORY. */
static doca_error_t map_file(int file, size_t offset, size_t size, struct mmap_view *out)
{
    struct stat about;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t skip = offset % page;
    if (fcntl(file, F_GET_SEALS) < 0 || fstat(file, &about) != 0)
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "descriptor %d is not of memory, as doca_gpu_dmabuf_fd gives it",
                                file);
    if (offset > (size_t)about.st_size || size > (size_t)about.st_size - offset)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "%zu bytes from offset %zu are outside of a file of %zu bytes",
                                size, offset, (size_t)about.st_size);
    void *at =
        mmap(NULL, skip + size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(offset - skip));
    if (at == MAP_FAILED)
        return DOCA_ERROR_NO_MEMORY;
    *out = (struct mmap_view){.at = at, .size = skip + size, .skip = skip};
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len)
{
    struct mmap_view view = {0};
    if (!addr || len == 0 || len - 1 > UINTPTR_MAX - (uintptr_t)addr || !dpk_is_mmap(mmap))
        return dpk_doca_end(mmap, __func__, DOCA_ERROR_INVALID_VALUE);
    doca_error_t result = map_file(dmabuf_fd, dmabuf_offset, len, &view);
    if (result == DOCA_SUCCESS)
        result = dpk_mmap_set_range(mmap, NULL, (uintptr_t)addr, len, view);
    return dpk_doca_end(mmap, __func__, result);
}
