/* Contexts. All of them are of the one GPU, and share its memory and its work. */
#include "driver.h"

#include <stdlib.h>

struct CUctx_st {
    unsigned flags;
    struct CUctx_st *next; /* of the contexts that the program made */
};

enum { DEPTH = 16, API_VERSION = 12040 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st primary, *made;
static unsigned primary_users;
static _Thread_local struct CUctx_st *stack[DEPTH];
static _Thread_local unsigned depth;

static bool is_context(const struct CUctx_st *c)
{
    bool found = c == &primary;
    pthread_mutex_lock(&lock);
    for (const struct CUctx_st *at = made; at && !found; at = at->next)
        found = at == c;
    pthread_mutex_unlock(&lock);
    return found;
}

CUcontext cuda_driver_context(void)
{
    if (depth)
        return is_context(stack[depth - 1]) ? stack[depth - 1] : NULL;
    return cuda_driver_is_used() ? &primary : NULL;
}

static CUresult check(CUdevice device, bool pointers)
{
    const CUresult result = cuda_driver_started();
    if (result)
        return result;
    return device ? CUDA_ERROR_INVALID_DEVICE : pointers ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- The primary context ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult result = check(device, context);
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    primary_users++;
    pthread_mutex_unlock(&lock);
    *context = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult result = check(device, true);
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    const bool had = primary_users > 0;
    primary_users -= had;
    pthread_mutex_unlock(&lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    const CUresult result = check(device, true);
    if (!result)
        cudaDeviceReset();
    return result;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    const CUresult result = check(device, flags <= CU_CTX_FLAGS_MASK);
    if (!result)
        primary.flags = flags;
    return result;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    const CUresult result = check(device, flags && active);
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    *flags = primary.flags;
    *active = primary_users > 0 || cuda_driver_is_used();
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* ---- Contexts of the program ---- */

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    const CUresult result = check(device, context && flags <= CU_CTX_FLAGS_MASK);
    if (result)
        return result;
    struct CUctx_st *c = depth < DEPTH ? malloc(sizeof *c) : NULL;
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *c = (struct CUctx_st){.flags = flags, .next = made};
    made = c;
    pthread_mutex_unlock(&lock);
    stack[depth++] = c;
    *context = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    const CUresult result = check(0, true);
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    struct CUctx_st **at = &made;
    while (*at && *at != context)
        at = &(*at)->next;
    struct CUctx_st *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth && stack[depth - 1] == found)
        depth--;
    free(found);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    const CUresult result = check(0, true);
    if (result)
        return result;
    if (!context || !is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth == DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    const CUresult result = check(0, true);
    if (result)
        return result;
    if (!depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    const CUresult result = check(0, true);
    if (result)
        return result;
    if (context && !is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    depth -= depth > 0;
    if (context)
        stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    const CUresult result = check(0, context);
    if (!result)
        *context = cuda_driver_context();
    return result;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CUDA_DRIVER_CALL(cudaGetDevice(device));
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    const CUresult result = cuda_driver_begin();
    if (result || !flags)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    *flags = cuda_driver_context()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    const CUresult result = check(0, version);
    if (result)
        return result;
    if (context ? !is_context(context) : !cuda_driver_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = API_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    CUDA_DRIVER_CALL(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUDA_DRIVER_CALL(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CUDA_DRIVER_CALL(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}
