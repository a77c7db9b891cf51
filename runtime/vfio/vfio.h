/*
 * vfio: libdpakit-vfio.so, which programs of the host are started with (LD_PRELOAD): emulated PCI
 * functions (pci.h) by the interface that the kernel has for others, VFIO of type 1.
 *
 *     int group = open("/dev/vfio/193", O_RDWR);             // front.c: taken from the C library
 *     int device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, "1003:01:00.0");
 *     mmap(... MAP_SHARED, device, offset of a region ...);   // the C library's own
 *     ioctl(container, VFIO_IOMMU_MAP_DMA, &map);             // memory of the program, for the function
 *
 * Descriptors are true ones: of the container of /dev/null, of groups and devices of the file of their
 * function, so that memory is mapped, read and written by the kernel. All else goes to the C library.
 */
#ifndef DPK_VFIO_H
#define DPK_VFIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pci/pci.h"

/* What a descriptor of this process is. */
enum vfio_kind { VFIO_NONE, VFIO_CONTAINER, VFIO_GROUP, VFIO_DEVICE };

struct vfio_container;

/* A function that the process has open: one for its group and its device. */
struct vfio_function {
    struct dpk_pci *pci;
    unsigned descriptors;
    struct vfio_container *container;   /* that it is in; NULL: in none. dma.c's, as is */
    struct vfio_function *next;         /* the next one in it */
    struct vfio_interrupts *interrupts; /* NULL: none are set */
};

/* ---- Descriptors (descriptors.c); any thread ---- */

/* The path of a container or a group that is emulated: its descriptor. -1: errno says why; ENXIO: it is
 * another path. */
int vfio_open(const char *path, int flags);
enum vfio_kind vfio_kind_of(int fd, struct vfio_function **function);
/* NULL: the descriptor is none of a container. */
struct vfio_container *vfio_container_of(int fd);
/* A descriptor of the function's device. -1. */
int vfio_open_device(struct vfio_function *function);
/* A descriptor that is being closed is none any more. */
void vfio_forget(int fd);
/* The group of a PCI address; -1: there is no such function that is on. */
int vfio_find_group(const char *address);

/* ---- What they answer: as ioctl (calls.c) ---- */

int vfio_call(int fd, unsigned long request, void *argument);
/* A write within the first pages of a device, where configuration space is; as pwrite. */
ssize_t vfio_write_space(struct vfio_function *f, const void *bytes, size_t size, uint64_t offset);

/* ---- Memory of the program that functions of a container reach (dma.c); any thread ---- */

/* One that is open. NULL: out of memory. */
struct vfio_container *vfio_container_new(void);
/* Its descriptor is closed. NULL is fine. */
void vfio_container_close(struct vfio_container *c);
/* These four answer as ioctl of a container, or a group. */
int vfio_set_iommu(struct vfio_container *c);
int vfio_attach(struct vfio_container *c, struct vfio_function *f);
struct vfio_iommu_type1_dma_map;
int vfio_map(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *map);
struct vfio_iommu_type1_dma_unmap;
int vfio_unmap(struct vfio_container *c, struct vfio_iommu_type1_dma_unmap *unmap);
/* It reaches nothing any more; what a container without functions mapped is gone. False: it is in none. */
bool vfio_detach(struct vfio_function *f);
bool vfio_has_iommu(const struct vfio_function *f);

/* ---- Interrupts (interrupts.c) ---- */

/* Sets the eventfds of vectors, of which -1 is none. False: errno says why. */
bool vfio_set_interrupts(struct vfio_function *f, unsigned start, unsigned count, const int *fds);
void vfio_end_interrupts(struct vfio_function *f);

#endif
