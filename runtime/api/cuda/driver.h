/* Shared by the sources of the driver API, which are functions over those of the runtime. */
#ifndef DPK_API_CUDA_DRIVER_H
#define DPK_API_CUDA_DRIVER_H

#include "dpakit-cuda/cuda.h"
#include "private.h"

/* ---- driver.c ---- */
/* Returns an error if the program has not called cuInit (or used the runtime). */
CUresult cuda_driver_started(void);
/* Begin and end a call of the runtime: the last error of the runtime stays as it was, and the error
 * becomes one of the driver. Begin returns an error if the thread has no context. */
CUresult cuda_driver_begin(void);
CUresult cuda_driver_end(cudaError_t error);
/* Notes the last error for cuda_driver_end, for functions that need no context. */
void cuda_driver_keep(void);

/* ---- driver_context.c ---- */
/* Returns the context of the thread, or NULL. */
CUcontext cuda_driver_context(void);

/* Ends a function of the driver with a call of the runtime. */
#define CUDA_DRIVER_CALL(call)                                                                     \
    do {                                                                                           \
        const CUresult refused = cuda_driver_begin();                                              \
        return refused ? refused : cuda_driver_end(call);                                          \
    } while (0)

static inline void *cuda_driver_pointer(CUdeviceptr at)
{
    return (void *)(uintptr_t)at;
}

#endif
