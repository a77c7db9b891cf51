/*
 * memory: allocates memory of the emulated GPU, and host memory, for CUDA programs. A guard page
 * follows each allocation: an access to this page faults.
 *
 *     void *at = dpk_gpu_memory_new(4096, DPK_GPU_MEMORY_DEVICE);
 *     struct dpk_gpu_memory m;
 *     if (dpk_gpu_memory_find(at, &m)) ...             // m.base, m.size, m.kind
 *     dpk_gpu_memory_free(at, DPK_GPU_MEMORY_DEVICE);
 *
 * Hidden memory has two addresses: the device's, which only kernels may use, and that of the bus, by
 * which copies, emulated NICs and a CPU with a window reach it. A page of the device's view has no
 * access until a kernel faults on it (dpk_gpu_memory_admit). It loses the access again when no kernel
 * runs (dpk_gpu_memory_hide).
 */
#ifndef DPK_GPU_MEMORY_MEMORY_H
#define DPK_GPU_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dpk_gpu_memory_kind {
    DPK_GPU_MEMORY_DEVICE,
    DPK_GPU_MEMORY_HOST, /* pinned memory of the host */
    DPK_GPU_MEMORY_MANAGED,
    DPK_GPU_MEMORY_REGISTERED, /* the program's own memory */
    DPK_GPU_MEMORY_VARIABLE,   /* a variable of device code */
    DPK_GPU_MEMORY_HIDDEN,     /* memory of the device that the CPU cannot read by this address */
    DPK_GPU_MEMORY_MAPPED,     /* memory of the host that libraries of the device allocated */
};

struct dpk_gpu_memory {
    uintptr_t base;
    size_t size;
    enum dpk_gpu_memory_kind kind;
    void *bus; /* the address on the bus; NULL: it is `base` */
    int file;  /* HIDDEN: a memory file with its bytes; owned by this room */
    bool open; /* HIDDEN: kernels have access now */
};

/* The size of the emulated GPU's memory in bytes, and the number of allocated bytes. */
#define DPK_GPU_MEMORY_TOTAL ((size_t)4 << 30)
size_t dpk_gpu_memory_used(void);

/* Returns zeroed memory, or NULL if not enough memory is left. `size` must not be 0. */
void *dpk_gpu_memory_new(size_t size, enum dpk_gpu_memory_kind kind);
/* Allocates HIDDEN or MAPPED memory at a multiple of `align`, a power of two. Returns false if not
 * enough memory is left. */
bool dpk_gpu_memory_new_aligned(size_t size, size_t align, enum dpk_gpu_memory_kind kind,
                                struct dpk_gpu_memory *out);
/* Frees memory of these two functions. Returns false if `at` is not the beginning of an allocation
 * of this kind. */
bool dpk_gpu_memory_free(void *at, enum dpk_gpu_memory_kind kind);
/* Notes memory that the program or its code owns. Returns false if a part of it is noted already,
 * or if memory is exhausted. dpk_gpu_memory_forget removes the note. */
bool dpk_gpu_memory_note(void *at, size_t size, enum dpk_gpu_memory_kind kind);
bool dpk_gpu_memory_forget(void *at, enum dpk_gpu_memory_kind kind);
/* Finds the allocation or note that contains the address. Returns false for an unknown address. */
bool dpk_gpu_memory_find(const void *at, struct dpk_gpu_memory *out);
/* Finds the allocation or note that ends shortly before the address, at most 128 kB. */
bool dpk_gpu_memory_before(const void *at, struct dpk_gpu_memory *out);
/* Returns the address by which the CPU and devices reach a byte. It is `at` if the memory is not
 * hidden. */
void *dpk_gpu_memory_bus(const void *at);
/* Gives kernels access to the hidden memory that contains the address. Returns false if no hidden
 * memory contains it. */
bool dpk_gpu_memory_admit(const void *at);
/* Takes the access to all hidden memory away. */
void dpk_gpu_memory_hide(void);
enum dpk_gpu_share {
    DPK_GPU_SHARED,
    DPK_GPU_SHARE_OUTSIDE, /* the range is not inside one allocation, or not whole pages; of hidden memory, it
                            * does not begin with the allocation */
    DPK_GPU_SHARE_HOST,   /* the memory is not the device's */
    DPK_GPU_SHARE_FAILED, /* the system refused a file; errno tells why */
};
/* Gives a file that has the same bytes as the range, whose first byte is the file's first. The caller
 * owns *fd. Hidden memory has such a file. Other memory moves to the file during the call, so nothing may write
 * to it then. */
enum dpk_gpu_share dpk_gpu_memory_share(void *at, size_t size, int *fd);
/* Frees all memory of the device. */
void dpk_gpu_memory_reset(void);

#endif
