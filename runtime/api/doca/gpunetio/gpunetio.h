/* gpunetio: GPUs of DOCA programs, their memory, and semaphores between kernels and the CPU. */
#ifndef DPK_API_DOCA_GPUNETIO_GPUNETIO_H
#define DPK_API_DOCA_GPUNETIO_GPUNETIO_H

#include <doca_gpunetio.h>

#include "api/doca/core/core.h"
#include "gpu/memory/memory.h"

static inline bool gpunetio_is_type(enum doca_gpu_mem_type mtype)
{
    return mtype == DOCA_GPU_MEM_TYPE_GPU || mtype == DOCA_GPU_MEM_TYPE_GPU_CPU ||
           mtype == DOCA_GPU_MEM_TYPE_CPU_GPU;
}

/* Memory of one type of enum doca_gpu_mem_type. */
struct gpunetio_memory {
    void *gpu; /* the address for kernels */
    void *cpu; /* the address for the CPU; NULL: it has none */
    void *bus; /* the address for this library, which exists for each type */
};
/* Allocates zeroed memory at a multiple of `align`, a power of two. Errors: INVALID_VALUE if the type is
 * unknown, NO_MEMORY. */
doca_error_t gpunetio_memory_new(size_t size, size_t align, enum doca_gpu_mem_type mtype,
                                 struct gpunetio_memory *out);
/* Frees memory by its address for kernels. Returns false if it is not such memory. */
bool gpunetio_memory_free(void *gpu);

#endif
