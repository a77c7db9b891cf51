/*
 * doca_gpunetio: kernels of a GPU that send and receive. This header has the part of the CPU: the GPU,
 * memory that kernels, the CPU and devices share, and semaphores.
 *
 *     struct doca_gpu *gpu;
 *     doca_gpu_create("e5:00.0", &gpu);                   // as cudaDeviceGetPCIBusId says
 *     doca_gpu_mem_alloc(gpu, size, 4096, DOCA_GPU_MEM_TYPE_GPU, &packets, NULL);
 *     doca_gpu_dmabuf_fd(gpu, packets, size, &fd);        // then doca_mmap_set_dmabuf_memrange
 *     doca_ctx_set_datapath_on_gpu(doca_eth_rxq_as_doca_ctx(rxq), gpu);
 *     doca_ctx_start(...);
 *     doca_eth_rxq_get_gpu_handle(rxq, &rxq_of_kernels);  // doca_gpunetio_dev_eth_rxq.cuh
 *
 * The emulated GPU is that of dpacu(1). Every function returns INVALID_VALUE for NULL, for a destroyed
 * object, and for an object of another kind (DOCA GPUNetIO guide, "API"; see doca-gpunetio(7)).
 */
#ifndef DOCA_GPUNETIO_H
#define DOCA_GPUNETIO_H

#include <stddef.h>
#include <stdint.h>

#include "doca_error.h"
#include "doca_gpunetio_verbs_def.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_gpu;
struct doca_gpu_semaphore;

/* Reads or writes a variable that another processor changes: DOCA_GPUNETIO_VOLATILE(*flag) = 1. */
#define DOCA_GPUNETIO_VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

/* ---- GPUs ---- */

/* Makes an object of the GPU with this PCI address, with or without the domain. Free it with
 * doca_gpu_destroy. Errors: NOT_FOUND if no GPU has the address, NO_MEMORY. */
doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **gpu_dev);
/* Errors: IN_USE if a semaphore of the GPU exists. */
doca_error_t doca_gpu_destroy(struct doca_gpu *gpu_dev);

/* ---- Memory ---- */

/* Allocates zeroed memory of `size` bytes at a multiple of `alignment`, a power of two or 0. *memptr_gpu
 * is the address for kernels and devices. *memptr_cpu is that for the CPU; NULL for DOCA_GPU_MEM_TYPE_GPU,
 * where `memptr_cpu` may be NULL. An access of the CPU to memory of the GPU by *memptr_gpu is a fault,
 * which names the address, unless a kernel that uses the memory runs at that moment. Errors:
 * INVALID_VALUE also for a size of 0 or an unknown type, NO_MEMORY. */
doca_error_t doca_gpu_mem_alloc(struct doca_gpu *gpu_dev, size_t size, size_t alignment,
                                enum doca_gpu_mem_type mtype, void **memptr_gpu, void **memptr_cpu);
/* Frees memory by its address for kernels. No kernel may use it. Errors: INVALID_VALUE also if
 * doca_gpu_mem_alloc did not return the address. */
doca_error_t doca_gpu_mem_free(struct doca_gpu *gpu, void *memptr_gpu);
/* Gets a descriptor of the first `size` bytes of memory on the GPU, for doca_mmap_set_dmabuf_memrange
 * with the offset 0. The caller closes it. Errors: NOT_SUPPORTED for DOCA_GPU_MEM_TYPE_CPU_GPU and for an
 * address that doca_gpu_mem_alloc did not return, INVALID_VALUE also if the memory has fewer bytes. */
doca_error_t doca_gpu_dmabuf_fd(struct doca_gpu *gpu_dev, void *memptr_gpu, size_t size,
                                int *dmabuf_fd);

/* ---- Queue pairs of DOCA Verbs ---- */

struct doca_dev;
struct doca_gpu_verbs_qp;
struct doca_verbs_cq;
struct doca_verbs_qp;

/* Gives a queue pair to kernels, which then post to its rings (doca_gpunetio_dev_verbs_qp.cuh). The queue pair and
 * its completion queues have an external data path in memory of a GPU (doca_verbs.h). `gpu_qp_umem_dev_ptr`: the
 * beginning of its rings, for kernels. A completion queue may be NULL if its ring has no place. With the handler
 * CPU_PROXY, a thread of the program passes on the doorbell. End this before the queue pair is destroyed. Errors:
 * INVALID_VALUE also if a queue or the memory does not fit, NOT_SUPPORTED for the handler GPU_SM_NO_DBR,
 * NO_MEMORY. */
doca_error_t doca_gpu_verbs_export_qp(struct doca_gpu *gpu_dev, struct doca_dev *dev,
                                      struct doca_verbs_qp *qp,
                                      enum doca_gpu_dev_verbs_nic_handler nic_handler,
                                      void *gpu_qp_umem_dev_ptr, struct doca_verbs_cq *cq_sq,
                                      struct doca_verbs_cq *cq_rq,
                                      struct doca_gpu_verbs_qp **qp_out);
/* No kernel may use the queue pair any more. Errors: INVALID_VALUE also for another GPU. */
doca_error_t doca_gpu_verbs_unexport_qp(struct doca_gpu *gpu_dev, struct doca_gpu_verbs_qp *qp);
/* Gets the queue pair for kernels. */
doca_error_t doca_gpu_verbs_get_qp_dev(struct doca_gpu_verbs_qp *qp,
                                       struct doca_gpu_dev_verbs_qp **qp_gpu);
/* Passes the doorbell of kernels on to the NIC. A thread of the program calls this again and again. Errors:
 * BAD_STATE if kernels ring the doorbell themselves. */
doca_error_t doca_gpu_verbs_cpu_proxy_progress(struct doca_gpu_verbs_qp *qp);

/* ---- Semaphores ---- */

/* A semaphore is a list of items that kernels and the CPU pass to each other by their status. An item
 * also has the packets that a kernel received, and bytes of the program. Kernels use it by
 * doca_gpunetio_dev_sem.cuh. */
enum doca_gpu_semaphore_status {
    DOCA_GPU_SEMAPHORE_STATUS_FREE = 0, /* of all items after the start */
    DOCA_GPU_SEMAPHORE_STATUS_READY = 1,
    DOCA_GPU_SEMAPHORE_STATUS_DONE = 2,
    DOCA_GPU_SEMAPHORE_STATUS_HOLD = 3,
    DOCA_GPU_SEMAPHORE_STATUS_ERROR = 4,
    DOCA_GPU_SEMAPHORE_STATUS_EXIT = 5,
};

/* The memory of a started semaphore. Programs use it by functions alone. */
struct doca_gpu_semaphore_item {
    uint32_t status, num_packets;
    uint64_t first_packet;
};
struct doca_gpu_semaphore_gpu {
    struct doca_gpu_semaphore_item *items;
    unsigned char *info; /* NULL: none */
    uint64_t info_step;  /* bytes from one item's information to the next's */
    uint32_t count;
};

/* Creates a stopped semaphore of the GPU. Errors: NO_MEMORY. */
doca_error_t doca_gpu_semaphore_create(struct doca_gpu *gpu_dev,
                                       struct doca_gpu_semaphore **semaphore);
/* Destroys it, also if it is started. No kernel may use it. */
doca_error_t doca_gpu_semaphore_destroy(struct doca_gpu_semaphore *semaphore);

/* Settings of a stopped semaphore: the memory of its items (DOCA_GPU_MEM_TYPE_GPU by default), their
 * number, and bytes of the program in each with their memory. Errors: BAD_STATE if it is started,
 * INVALID_VALUE also for 0 and for an unknown type. */
doca_error_t doca_gpu_semaphore_set_memory_type(struct doca_gpu_semaphore *semaphore,
                                                enum doca_gpu_mem_type mtype);
doca_error_t doca_gpu_semaphore_set_items_num(struct doca_gpu_semaphore *semaphore,
                                              uint32_t num_items);
doca_error_t doca_gpu_semaphore_set_custom_info(struct doca_gpu_semaphore *semaphore,
                                                uint32_t nbytes, enum doca_gpu_mem_type mtype);

/* Allocates the items, which are FREE. Errors: BAD_CONFIG without items, BAD_STATE if it is started,
 * NO_MEMORY. */
doca_error_t doca_gpu_semaphore_start(struct doca_gpu_semaphore *semaphore);
/* Frees the items. Errors: BAD_STATE if it is not started. */
doca_error_t doca_gpu_semaphore_stop(struct doca_gpu_semaphore *semaphore);

/* Gets the semaphore for kernels. Errors: BAD_STATE if it is not started. */
doca_error_t doca_gpu_semaphore_get_gpu_handle(struct doca_gpu_semaphore *semaphore_cpu,
                                               struct doca_gpu_semaphore_gpu **semaphore_gpu);

/* Get and set the status of an item of a started semaphore. A write before a status is set is seen by
 * the processor that then gets this status. The third gets the address of the program's bytes for the
 * CPU. Errors: BAD_STATE if the semaphore is not started; INVALID_VALUE also if `idx` is too large, or
 * the items have no bytes of the program; NOT_PERMITTED if the CPU cannot read their memory
 * (DOCA_GPU_MEM_TYPE_GPU). */
doca_error_t doca_gpu_semaphore_get_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status *status);
doca_error_t doca_gpu_semaphore_set_status(struct doca_gpu_semaphore *semaphore_cpu, uint32_t idx,
                                           enum doca_gpu_semaphore_status status);
doca_error_t doca_gpu_semaphore_get_custom_info_addr(struct doca_gpu_semaphore *semaphore_cpu,
                                                     uint32_t idx, void **custom_info);

#ifdef __cplusplus
}
#endif

#endif
