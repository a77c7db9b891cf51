/* Kernels of the driver. A module is a shared library that dpacu made. Its constructors register its
 * kernels and variables, which belong to the module if they lie in the library. */
#include "driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct CUmod_st {
    const void *base; /* where the library is loaded */
    struct CUmod_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUmod_st *modules;

/* A name in a library. */
struct place {
    const void *base;
    const char *name; /* NULL: any */
};

static bool is_in(const struct place *place, const char *name, const void *address)
{
    Dl_info info;
    return (!place->name || strcmp(place->name, name) == 0) && dladdr(address, &info) &&
           info.dli_fbase == place->base;
}

static bool is_function(const struct cuda_function *f, const void *place)
{
    return is_in(place, f->name, f->stub);
}

static bool is_variable(const struct dpk_gpu_variable *v, const void *place)
{
    return is_in(place, v->name, v->address);
}

static CUresult refuse(CUresult result, const char *what, const char *why)
{
    fprintf(stderr, "dpakit: GPU: %s: %s\n", what, why);
    return result;
}

/* Loads a library. Its code stays in the process: streams may still run it. */
static CUresult load(const char *path, const void **base)
{
    struct link_map *map = NULL;
    char *full = realpath(path, NULL);
    if (!full)
        return refuse(CUDA_ERROR_FILE_NOT_FOUND, path, strerror(errno));
    void *library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    free(full);
    if (!library)
        return refuse(CUDA_ERROR_INVALID_IMAGE, "cuModuleLoad", dlerror());
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return refuse(CUDA_ERROR_INVALID_IMAGE, path, "it has no place");
    const struct place place = {.base = (const void *)map->l_addr};
    if (!cuda_registry_search(is_function, &place))
        return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, path, "the library has no kernel of dpacu");
    *base = place.base;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    const void *base = NULL;
    CUresult result = cuda_driver_begin();
    if (!result)
        result = module && path ? load(path, &base) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    struct CUmod_st *m = malloc(sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *m = (struct CUmod_st){.base = base, .next = modules};
    modules = m;
    pthread_mutex_unlock(&lock);
    *module = m;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const CUresult result = cuda_driver_begin();
    if (result || !module || !image)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    return refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, "cuModuleLoadData",
                  "the emulated GPU runs code of dpacu; cuModuleLoad loads a library of it");
}

/* Finds the pointer to a module, or to its end. The caller holds the lock. */
static struct CUmod_st **find(CUmodule module)
{
    struct CUmod_st **at = &modules;
    while (*at && *at != module)
        at = &(*at)->next;
    return at;
}

CUresult cuModuleUnload(CUmodule module)
{
    const CUresult result = cuda_driver_begin();
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    struct CUmod_st **at = find(module), *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Begins to look a name up. */
static CUresult look(CUmodule module, const char *name, struct place *place)
{
    const CUresult result = cuda_driver_begin();
    if (result || !name)
        return result ? result : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const struct CUmod_st *found = *find(module);
    *place = (struct place){.base = found ? found->base : NULL, .name = name};
    pthread_mutex_unlock(&lock);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    struct place place;
    const CUresult result = function ? look(module, name, &place) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    struct cuda_function *f = cuda_registry_search(is_function, &place);
    if (f)
        *function = (CUfunction)f;
    return f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *size, CUmodule module, const char *name)
{
    struct place place;
    const CUresult result = at || size ? look(module, name, &place) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    const struct dpk_gpu_variable *v = cuda_registry_search_variable(is_variable, &place);
    if (!v)
        return CUDA_ERROR_NOT_FOUND;
    if (at)
        *at = (uintptr_t)v->address;
    if (size)
        *size = v->size;
    return CUDA_SUCCESS;
}

/* ---- Launches ---- */

/* Gets the name by which the runtime knows a kernel. */
static CUresult stub_of(CUfunction function, const void **stub)
{
    const CUresult result = cuda_driver_begin();
    const struct cuda_function *f = (const struct cuda_function *)function;
    if (result || !cuda_registry_has(f))
        return result ? result : CUDA_ERROR_INVALID_HANDLE;
    *stub = f->stub;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                        unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int sharedMem, CUstream stream,
                        void **parameters, void **extra)
{
    const void *stub = NULL;
    const CUresult result = extra ? CUDA_ERROR_NOT_SUPPORTED : stub_of(function, &stub);
    const dim3 grid = {gridX, gridY, gridZ}, block = {blockX, blockY, blockZ};
    if (result)
        return result;
    return cuda_driver_end(cudaLaunchKernel(stub, grid, block, parameters, sharedMem, stream));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                                   unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                   unsigned int blockZ, unsigned int sharedMem, CUstream stream,
                                   void **parameters)
{
    const void *stub = NULL;
    const CUresult result = stub_of(function, &stub);
    const dim3 grid = {gridX, gridY, gridZ}, block = {blockX, blockY, blockZ};
    if (result)
        return result;
    return cuda_driver_end(
        cudaLaunchCooperativeKernel(stub, grid, block, parameters, sharedMem, stream));
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes a;
    const void *stub = NULL;
    CUresult result = value ? stub_of(function, &stub) : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        result = cuda_driver_end(cudaFuncGetAttributes(&a, stub));
    if (result)
        return result;
    const struct {
        CUfunction_attribute attribute;
        int value;
    } known[] = {
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, a.maxThreadsPerBlock},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, (int)a.sharedSizeBytes},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, (int)a.constSizeBytes},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, (int)a.localSizeBytes},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, a.numRegs},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, a.ptxVersion},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, a.binaryVersion},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, a.maxDynamicSharedSizeBytes},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, a.preferredShmemCarveout},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    const void *stub = NULL;
    const CUresult result = stub_of(function, &stub);
    if (result)
        return result;
    return cuda_driver_end(cudaFuncSetAttribute(stub, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int blockSize, size_t dynamic)
{
    const void *stub = NULL;
    const CUresult result = stub_of(function, &stub);
    if (result)
        return result;
    return cuda_driver_end(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, blockSize, dynamic));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    struct cuda_function *f = cuda_registry_function(symbol);
    if (!function || !f)
        return cuda_error(function ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    *function = (cudaFunction_t)f;
    return cudaSuccess;
}
