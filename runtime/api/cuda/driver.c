/* The driver: its start, its errors, its functions by name. libcuda.so.1 is another name of
 * libcudart: both APIs have one GPU. */
#include "driver.h"

#include <dlfcn.h>
#include <string.h>

static _Atomic bool initialized, used;

void cuda_driver_use(void)
{
    initialized = true;
    used = true;
}

bool cuda_driver_is_used(void)
{
    return used;
}

CUresult cuInit(unsigned int flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    initialized = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- Errors ---- */

static const struct {
    CUresult number;
    const char *name;
} names[] = {
#define NAME(name)                                                                                 \
    {                                                                                              \
        name, #name                                                                                \
    }
    NAME(CUDA_SUCCESS),
    NAME(CUDA_ERROR_INVALID_VALUE),
    NAME(CUDA_ERROR_OUT_OF_MEMORY),
    NAME(CUDA_ERROR_NOT_INITIALIZED),
    NAME(CUDA_ERROR_DEINITIALIZED),
    NAME(CUDA_ERROR_NO_DEVICE),
    NAME(CUDA_ERROR_INVALID_DEVICE),
    NAME(CUDA_ERROR_INVALID_IMAGE),
    NAME(CUDA_ERROR_INVALID_CONTEXT),
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
    NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
    NAME(CUDA_ERROR_INVALID_SOURCE),
    NAME(CUDA_ERROR_FILE_NOT_FOUND),
    NAME(CUDA_ERROR_OPERATING_SYSTEM),
    NAME(CUDA_ERROR_INVALID_HANDLE),
    NAME(CUDA_ERROR_ILLEGAL_STATE),
    NAME(CUDA_ERROR_NOT_FOUND),
    NAME(CUDA_ERROR_NOT_READY),
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
    NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
    NAME(CUDA_ERROR_LAUNCH_TIMEOUT),
    NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
    NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
    NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED),
    NAME(CUDA_ERROR_ASSERT),
    NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
    NAME(CUDA_ERROR_HARDWARE_STACK_ERROR),
    NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION),
    NAME(CUDA_ERROR_MISALIGNED_ADDRESS),
    NAME(CUDA_ERROR_LAUNCH_FAILED),
    NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
    NAME(CUDA_ERROR_NOT_PERMITTED),
    NAME(CUDA_ERROR_NOT_SUPPORTED),
    NAME(CUDA_ERROR_UNKNOWN),
#undef NAME
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*name; i++)
        if (names[i].number == error)
            *name = names[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    if (cuGetErrorName(error, &name))
        return CUDA_ERROR_INVALID_VALUE;
    /* The numbers of the runtime are the same, and it has texts for all but this one. */
    *text = error == CUDA_ERROR_CONTEXT_IS_DESTROYED ? "the context is destroyed"
                                                     : cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuda_driver_started(void)
{
    return initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static _Thread_local int kept;

void cuda_driver_keep(void)
{
    kept = cuda_error_noted();
}

CUresult cuda_driver_begin(void)
{
    if (!initialized)
        return CUDA_ERROR_NOT_INITIALIZED;
    cuda_driver_keep();
    return cuda_driver_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuda_driver_end(cudaError_t error)
{
    cuda_error_note(kept);
    if (error == cudaErrorInvalidDeviceFunction)
        return CUDA_ERROR_INVALID_HANDLE;
    if (error == cudaErrorInvalidSymbol)
        return CUDA_ERROR_NOT_FOUND;
    /* Errors of arguments that the driver does not tell apart. */
    if (error > cudaErrorCudartUnloading && error < cudaErrorNoDevice)
        return CUDA_ERROR_INVALID_VALUE;
    return (CUresult)error;
}

/* ---- Functions by name ---- */

static void *find(const char *symbol)
{
    Dl_info self;
    char second[128];
    if (!dladdr((const void *)names, &self))
        return NULL;
    void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    const int size = snprintf(second, sizeof second, "%s_v2", symbol);
    void *found = size > 0 && (size_t)size < sizeof second ? dlsym(library, second) : NULL;
    if (!found)
        found = dlsym(library, symbol);
    dlclose(library);
    return found;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    if (!symbol || !function || version < 2000 || flags > 2)
        return CUDA_ERROR_INVALID_VALUE;
    *function = strncmp(symbol, "cu", 2) == 0 ? find(symbol) : NULL;
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const CUresult result = cuGetProcAddress_v2(symbol, function, CUDA_VERSION, flags, &found);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return cuda_error(cudaErrorInvalidValue);
    if (status)
        *status = found == CU_GET_PROC_ADDRESS_SUCCESS ? cudaDriverEntryPointSuccess
                                                       : cudaDriverEntryPointSymbolNotFound;
    /* As in CUDA: a missing name is an error only if the caller gives no `status`. */
    return cuda_error(result && !status ? cudaErrorSymbolNotFound : cudaSuccess);
}
