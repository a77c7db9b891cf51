/* doca_types: small types that several DOCA libraries share. */
#ifndef DOCA_TYPES_H
#define DOCA_TYPES_H

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* User data of a program, for callbacks. */
union doca_data {
    void *ptr;
    uint64_t u64;
};

/* The handle by which a progress engine signals work (doca_pe.h): a file descriptor. The second names
 * are from releases before 2.10; programs still use them. */
typedef int doca_notification_handle_t;
typedef doca_notification_handle_t doca_event_handle_t;
#define doca_event_invalid_handle (-1)

/* Big-endian numbers. */
typedef uint16_t doca_be16_t;
typedef uint32_t doca_be32_t;
typedef unsigned long long doca_be64_t;

/* Bytes of a GID, the address of a port. */
#define DOCA_GID_BYTE_LENGTH 16

/* Largest number of data bytes in a packet. */
enum doca_mtu_size {
    DOCA_MTU_SIZE_256_BYTES = 0,
    DOCA_MTU_SIZE_512_BYTES,
    DOCA_MTU_SIZE_1K_BYTES,
    DOCA_MTU_SIZE_2K_BYTES,
    DOCA_MTU_SIZE_4K_BYTES,
    DOCA_MTU_SIZE_RAW_ETHERNET,
};

/* Bytes in several places, one after the other. */
struct doca_gather_list {
    void *addr;
    uint64_t len;
    struct doca_gather_list *next; /* NULL: it is the last */
};

/* Bits: permitted accesses to the memory of a doca_mmap. */
enum doca_access_flag {
    DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0,
    DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,
    DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,
    DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,
    DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,
    DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,
    DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6,
};

/* Memory of a GPU program (doca_gpunetio.h): where it is, and which processors reach it. */
enum doca_gpu_mem_type {
    DOCA_GPU_MEM_TYPE_GPU = 0,     /* on the GPU, for kernels and devices alone */
    DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /* on the GPU; the CPU has a second address for it */
    DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /* of the CPU, and also read and written by kernels */
};

enum doca_pci_func_type {
    DOCA_PCI_FUNC_TYPE_PF = 0, /* physical function */
    DOCA_PCI_FUNC_TYPE_VF,     /* virtual function */
    DOCA_PCI_FUNC_TYPE_SF,     /* sub-function */
};

#ifdef __cplusplus
}
#endif

#endif
