/* Functions that replace those of the C library: the linker names them accordingly, `vfio_front_open` as
 * `open`. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/vfio/vfio.h"

int vfio_front_open(const char *path, int flags, ...);
int vfio_front_open64(const char *path, int flags, ...);
int vfio_front_close(int fd);
int vfio_front_ioctl(int fd, unsigned long request, ...);
ssize_t vfio_front_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t vfio_front_pwrite64(int fd, const void *bytes, size_t size, off64_t offset);
ssize_t vfio_front_readlink(const char *path, char *to, size_t size);
int vfio_front_dup(int fd);
int vfio_front_dup2(int fd, int to);
int vfio_front_dup3(int fd, int to, int flags);
int vfio_front_fcntl(int fd, int command, ...);
int vfio_front_fcntl64(int fd, int command, ...);
int vfio_front_close_range(unsigned first, unsigned last, int flags);
void vfio_front_closefrom(int first);

/* The C library's function of that name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* Returns -2 if the path is not handled here. */
static int open_ours(const char *path, int flags)
{
    const int before = errno;
    char name[32];
    if (!path) { /* the C library declares path as non-NULL */
        errno = EFAULT;
        return -1;
    }
    if (!vfio_copy_text(name, sizeof name, path) || strncmp(name, "/dev/vfio/", 10) != 0)
        return -2;
    const int fd = vfio_open(name, flags);
    if (fd >= 0 || errno != ENXIO)
        return fd;
    errno = before;
    return -2;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

int vfio_front_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    const int fd = open_ours(path, flags);
    return fd != -2 ? fd : NEXT(open)(path, flags, mode);
}

int vfio_front_open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    const int fd = open_ours(path, flags);
    return fd != -2 ? fd : NEXT(open64)(path, flags, mode);
}

int vfio_front_close(int fd)
{
    vfio_forget(fd);
    return NEXT(close)(fd);
}

int vfio_front_ioctl(int fd, unsigned long request, ...)
{
    struct vfio_held held;
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!vfio_hold(fd, &held))
        return NEXT(ioctl)(fd, request, argument);
    const int result = vfio_call(&held, request, argument), error = errno;
    vfio_release(&held);
    errno = error;
    return result;
}

/* Handles writes to configuration space and to registers of virtio devices, and refuses writes to groups and
 * containers as the kernel's VFIO does. The kernel handles writes to other BARs. Returns false if the kernel must
 * handle this write. */
static bool write_space(int fd, const void *bytes, size_t size, off_t offset, ssize_t *result)
{
    struct vfio_held held;
    if (!vfio_hold(fd, &held))
        return false;
    bool handled = true;
    if (held.kind != VFIO_DEVICE) {
        errno = EINVAL;
        *result = -1;
    } else if (offset < (off_t)(DPK_PCI_SPACE_OFFSET + DPK_PCI_SPACE)) {
        *result = vfio_write_space(held.function, bytes, size, (uint64_t)offset);
    } else {
        handled = vfio_write_registers(held.function, bytes, size, (uint64_t)offset, result);
    }
    const int error = errno;
    vfio_release(&held);
    errno = error;
    return handled;
}

ssize_t vfio_front_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    ssize_t result;
    return write_space(fd, bytes, size, offset, &result) ? result
                                                         : NEXT(pwrite)(fd, bytes, size, offset);
}

ssize_t vfio_front_pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    ssize_t result;
    return write_space(fd, bytes, size, offset, &result) ? result
                                                         : NEXT(pwrite64)(fd, bytes, size, offset);
}

/* ---- Copies of descriptors ---- */

/* Returns true if `fd`, or `to`, which the copy may replace, is entered. */
static bool concerns_us(int fd, int to)
{
    return vfio_has((unsigned)fd, (unsigned)fd) || vfio_has((unsigned)to, (unsigned)to);
}

/* Copies `fd` with a call of the C library. */
#define COPIED(fd, to, call)                                                                       \
    (!concerns_us(fd, to) ? (call) : (vfio_change_begin(), vfio_change_copied(fd, (call))))

int vfio_front_dup(int fd)
{
    return COPIED(fd, -1, NEXT(dup)(fd));
}

int vfio_front_dup2(int fd, int to)
{
    return COPIED(fd, to, NEXT(dup2)(fd, to));
}

int vfio_front_dup3(int fd, int to, int flags)
{
    return COPIED(fd, to, NEXT(dup3)(fd, to, flags));
}

static bool copies(int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

/* The argument is an int or a pointer. Reading a pointer covers both. */
int vfio_front_fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!copies(command))
        return NEXT(fcntl)(fd, command, argument);
    return COPIED(fd, -1, NEXT(fcntl)(fd, command, argument));
}

int vfio_front_fcntl64(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!copies(command))
        return NEXT(fcntl64)(fd, command, argument);
    return COPIED(fd, -1, NEXT(fcntl64)(fd, command, argument));
}

int vfio_front_close_range(unsigned first, unsigned last, int flags)
{
    if ((flags & (int)CLOSE_RANGE_CLOEXEC) || !vfio_has(first, last))
        return NEXT(close_range)(first, last, flags);
    vfio_change_begin();
    const int result = NEXT(close_range)(first, last, flags);
    vfio_change_closed(first, last, result == 0);
    return result;
}

void vfio_front_closefrom(int first)
{
    const unsigned from = first < 0 ? 0 : (unsigned)first;
    if (!vfio_has(from, UINT_MAX)) {
        NEXT(closefrom)(first);
        return;
    }
    vfio_change_begin();
    NEXT(closefrom)(first);
    vfio_change_closed(from, UINT_MAX, true);
}

/* /sys/bus/pci/devices/ADDRESS/iommu_group is a link to the group. */
ssize_t vfio_front_readlink(const char *path, char *to, size_t size)
{
    char address[13] = "", text[64], name[64];
    int used = 0;
    if (vfio_copy_text(name, sizeof name, path) &&
        sscanf(name, "/sys/bus/pci/devices/%12[^/]/iommu_group%n", address, &used) == 1 && used &&
        name[used] == '\0') {
        const int group = vfio_find_group(address);
        const int n = snprintf(text, sizeof text, "../../../kernel/iommu_groups/%d", group);
        if (group >= 0) {
            const size_t most = (size_t)n < size ? (size_t)n : size;
            if (!dpk_is_mapped(to, most, true)) {
                errno = EFAULT;
                return -1;
            }
            memcpy(to, text, most);
            return (ssize_t)most;
        }
    }
    return NEXT(readlink)(path, to, size);
}
