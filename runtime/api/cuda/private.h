/* Shared by the sources of libcudart. */
#ifndef DPK_API_CUDA_PRIVATE_H
#define DPK_API_CUDA_PRIVATE_H

#include "dpakit-cuda/cuda_runtime_api.h"
#include "gpu/memory/memory.h"
#include "gpu/streams/streams.h"

/* A kernel. The host names it by the address of its stub. */
struct cuda_function {
    const void *stub;
    const struct dpk_gpu_kernel *kernel; /* NULL: no object contains the kernel */
    const char *name, *id;
    uint32_t dynamic_max; /* largest dynamic shared memory in bytes; 0: the default */
};
/* A variable of device code. Host code names the variable by the address of a host variable. */
struct cuda_symbol {
    const void *shadow;
    const struct dpk_gpu_variable *variable;
    const char *name, *id;
};

/* Find a registered kernel or variable. They return NULL for an unknown address. */
struct cuda_function *cuda_registry_function(const void *stub);
const struct dpk_gpu_variable *cuda_registry_variable(const void *shadow);
/* Finds the first kernel or variable that `is` accepts. */
struct cuda_function *cuda_registry_search(bool (*is)(const struct cuda_function *f,
                                                      const void *context),
                                           const void *context);
const struct dpk_gpu_variable *
cuda_registry_search_variable(bool (*is)(const struct dpk_gpu_variable *v, const void *context),
                              const void *context);
/* Returns true for a registered kernel; `f` may be any address. */
bool cuda_registry_has(const struct cuda_function *f);
uint32_t cuda_registry_shared_limit(const struct cuda_function *f);

/* Notes an error of this thread, and returns it. */
cudaError_t cuda_error(int error);
/* Get and set the last error of this thread. */
int cuda_error_noted(void);
void cuda_error_note(int error);
/* Reports the reason of an error once on standard error. */
cudaError_t cuda_error_because(int error, const struct dpk_error *why);

/* Fills `count` values of `size` bytes. `waits`: until it is done. */
cudaError_t cuda_copy_fill(void *to, uint32_t value, unsigned size, size_t count,
                           cudaStream_t stream, bool waits);

/* Notes that the program uses the device through the runtime: threads without a context of the
 * driver have the primary one from then on. */
void cuda_driver_use(void);
bool cuda_driver_is_used(void);

/* Returns true for memory of the host. Kernels reach it by the same address. */
static inline bool cuda_is_host(const struct dpk_gpu_memory *m)
{
    return m->kind == DPK_GPU_MEMORY_HOST || m->kind == DPK_GPU_MEMORY_REGISTERED ||
           m->kind == DPK_GPU_MEMORY_MAPPED;
}
static inline struct dpk_stream *cuda_stream(cudaStream_t s)
{
    return (struct dpk_stream *)s;
}
static inline struct dpk_gpu_event *cuda_event(cudaEvent_t e)
{
    return (struct dpk_gpu_event *)e;
}

#endif
