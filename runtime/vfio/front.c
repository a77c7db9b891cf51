/* Functions of the C library that come here first: the linker gives these their names, `open` for
 * `front_open`. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vfio/vfio.h"

int front_open(const char *path, int flags, ...);
int front_open64(const char *path, int flags, ...);
int front_close(int fd);
int front_ioctl(int fd, unsigned long request, ...);
ssize_t front_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t front_pwrite64(int fd, const void *bytes, size_t size, off64_t offset);
ssize_t front_readlink(const char *path, char *to, size_t size);

/* The C library's function of that name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* -2: the path is none of ours. */
static int open_ours(const char *path, int flags)
{
    const int before = errno;
    if (strncmp(path, "/dev/vfio/", 10) != 0)
        return -2;
    const int fd = vfio_open(path, flags);
    if (fd >= 0 || errno != ENXIO)
        return fd;
    errno = before;
    return -2;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

int front_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    const int fd = open_ours(path, flags);
    return fd != -2 ? fd : NEXT(open)(path, flags, mode);
}

int front_open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    const int fd = open_ours(path, flags);
    return fd != -2 ? fd : NEXT(open64)(path, flags, mode);
}

int front_close(int fd)
{
    vfio_forget(fd);
    return NEXT(close)(fd);
}

int front_ioctl(int fd, unsigned long request, ...)
{
    struct vfio_function *function;
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return vfio_kind_of(fd, &function) == VFIO_NONE ? NEXT(ioctl)(fd, request, argument)
                                                    : vfio_call(fd, request, argument);
}

/* BARs are the kernel's to write; what is before them is not. */
static bool is_space(int fd, off_t offset, struct vfio_function **function)
{
    const enum vfio_kind kind = vfio_kind_of(fd, function);
    return (kind == VFIO_DEVICE || kind == VFIO_GROUP) &&
           offset < (off_t)(DPK_PCI_SPACE_OFFSET + DPK_PCI_SPACE);
}

ssize_t front_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    struct vfio_function *f;
    return is_space(fd, offset, &f) ? vfio_write_space(f, bytes, size, (uint64_t)offset)
                                    : NEXT(pwrite)(fd, bytes, size, offset);
}

ssize_t front_pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    struct vfio_function *f;
    return is_space(fd, offset, &f) ? vfio_write_space(f, bytes, size, (uint64_t)offset)
                                    : NEXT(pwrite64)(fd, bytes, size, offset);
}

/* /sys/bus/pci/devices/ADDRESS/iommu_group leads to the group. */
ssize_t front_readlink(const char *path, char *to, size_t size)
{
    char address[13] = "", text[64];
    int used = 0;
    if (sscanf(path, "/sys/bus/pci/devices/%12[^/]/iommu_group%n", address, &used) == 1 && used &&
        path[used] == '\0') {
        const int group = vfio_find_group(address);
        const int n = snprintf(text, sizeof text, "../../../kernel/iommu_groups/%d", group);
        if (group >= 0) {
            const size_t most = (size_t)n < size ? (size_t)n : size;
            memcpy(to, text, most);
            return (ssize_t)most;
        }
    }
    return NEXT(readlink)(path, to, size);
}
