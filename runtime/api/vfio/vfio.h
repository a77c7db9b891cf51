/*
 * vfio: libdpakit-vfio.so, which host programs are started with (LD_PRELOAD): emulated PCI
 * functions (pci.h) by the interface that the kernel has for others, VFIO of type 1.
 *
 *     int group = open("/dev/vfio/193", O_RDWR);             // front.c: taken from the C library
 *     int device = ioctl(group, VFIO_GROUP_GET_DEVICE_FD, "1003:01:00.0");
 *     mmap(... MAP_SHARED, device, offset of a region ...);   // the C library's own
 *     ioctl(container, VFIO_IOMMU_MAP_DMA, &map);             // memory of the program, for the function
 *
 * Descriptors are real descriptors: of a device of the file of its function, so that memory is mapped,
 * read and written by the kernel; of containers and groups of an epoll instance, which the kernel neither
 * maps, reads nor writes. All else goes to the C library.
 */
#ifndef DPK_API_VFIO_VFIO_H
#define DPK_API_VFIO_VFIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bus/pci/pci.h"

/* The kinds of descriptors of this process. */
enum vfio_kind { VFIO_NONE, VFIO_CONTAINER, VFIO_GROUP, VFIO_DEVICE };

struct vfio_container;

/* A function that the process has open, once for its group and its device. */
struct vfio_function {
    struct dpk_pci *pci;
    unsigned users;   /* its descriptors and running calls; guarded by descriptors.c */
    unsigned devices; /* its descriptors of devices */
    struct vfio_container *container;   /* its container, or NULL; with `next`, guarded by dma.c */
    struct vfio_function *next;         /* the next function of the container */
    struct vfio_interrupts *interrupts; /* NULL: none are set. Guarded by interrupts.c */
};

/* The object of a descriptor. A holder of a reference may use it while another thread closes the
 * descriptor. */
struct vfio_held {
    enum vfio_kind kind;
    struct vfio_function *function;   /* of a group or a device */
    struct vfio_container *container; /* of a container */
};

/* ---- Descriptors (descriptors.c); any thread ---- */

/* The path of a container or a group that is emulated: its descriptor. -1: errno says why; ENXIO:
 * it is another path. */
int vfio_open(const char *path, int flags);
/* Gets the object of a descriptor, with a reference. Returns false if the descriptor is not
 * emulated, or belongs to another process (a child of vfork() shares the memory). */
bool vfio_hold(int fd, struct vfio_held *out);
void vfio_release(const struct vfio_held *held);
/* Like ioctl, these return -1 and set errno on failure. The first makes a descriptor of the
 * function's device; the second removes the function from its container. */
int vfio_open_device(struct vfio_function *function);
int vfio_unset_container(struct vfio_function *function);
/* Removes a descriptor that is being closed. */
void vfio_forget(int fd);
/* Returns true if a descriptor from `first` to `last` is emulated. */
bool vfio_has(unsigned first, unsigned last);
/* Around a call of the C library that makes `made` of `from` (-1: it failed), or closes a range:
 * nobody opens or closes one of these meanwhile. The first returns `made`, or -1. */
void vfio_change_begin(void);
int vfio_change_copied(int from, int made);
void vfio_change_closed(unsigned first, unsigned last, bool done);
/* Returns the group of a PCI address, or -1 if no plugged function has the address. */
int vfio_find_group(const char *address);

/* ---- Their answers, as of ioctl (calls.c) ---- */

int vfio_call(const struct vfio_held *of, unsigned long request, void *argument);
/* Copies a text of the program, truncated to the buffer, with a NUL. Returns false if the memory
 * does not exist. */
bool vfio_copy_text(char *to, size_t room, const char *from);
/* Writes within the first pages of a device, which are its configuration space; like pwrite. */
ssize_t vfio_write_space(struct vfio_function *f, const void *bytes, size_t size, uint64_t offset);
/* Handles a write to the BAR with the registers of a virtio device, where only the common configuration
 * can be written; *result as of pwrite. Returns false if the kernel must handle this write. */
bool vfio_write_registers(struct vfio_function *f, const void *bytes, size_t size, uint64_t offset,
                          ssize_t *result);

/* ---- Memory of the program that functions of a container reach (dma.c); any thread ---- */

/* Creates a container with a user. Returns NULL if memory is exhausted. */
struct vfio_container *vfio_container_new(void);
/* Add a user, or remove a user. NULL is ignored. */
void vfio_container_use(struct vfio_container *c);
void vfio_container_leave(struct vfio_container *c);
/* These four return the result of the ioctl of a container or a group. */
int vfio_set_iommu(struct vfio_container *c);
int vfio_attach(struct vfio_container *c, struct vfio_function *f);
struct vfio_iommu_type1_dma_map;
int vfio_map(struct vfio_container *c, const struct vfio_iommu_type1_dma_map *map);
struct vfio_iommu_type1_dma_unmap;
int vfio_unmap(struct vfio_container *c, struct vfio_iommu_type1_dma_unmap *unmap);
/* Removes a function from its container: it can access no memory any more. A container without
 * functions loses its mappings. Returns false if the function is in no container. */
bool vfio_detach(struct vfio_function *f);
bool vfio_has_container(const struct vfio_function *f);
bool vfio_has_iommu(const struct vfio_function *f);
/* Handlers of fork(): the first before it, the second after it in both processes. */
void vfio_containers_lock(void);
void vfio_containers_unlock(void);

/* ---- Interrupts (interrupts.c) ---- */

/* Sets the eventfds of vectors; -1: no eventfd. Returns false and sets errno: EBUSY if a parent
 * process has set eventfds. */
bool vfio_set_interrupts(struct vfio_function *f, unsigned start, unsigned count, const int *fds);
/* In a child of fork(), forgets the eventfds of the parent. */
void vfio_end_interrupts(struct vfio_function *f);
void vfio_interrupts_lock(void);
void vfio_interrupts_unlock(void);

#endif
