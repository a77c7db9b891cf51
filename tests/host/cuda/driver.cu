/* driver: the driver API, alone and beside the runtime. The argument is a library of kernels. */
#include "check.cuh"
#include <cuda.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DONE(call)     CHECK((call) == CUDA_SUCCESS)
#define IS(call, what) CHECK((call) == CUDA_ERROR_##what)

__global__ void add(unsigned *at, unsigned value)
{
    atomicAdd(at, value);
}

static CUcontext primary;

static void nothing_works_before_cuInit_and_without_a_context()
{
    CUdeviceptr at;
    CUdevice device;
    CUcontext context;
    int n;
    IS(cuDeviceGetCount(&n), NOT_INITIALIZED);
    IS(cuMemAlloc(&at, 8), NOT_INITIALIZED);
    IS(cuCtxGetCurrent(&context), NOT_INITIALIZED);
    IS(cuInit(1), INVALID_VALUE);
    DONE(cuDriverGetVersion(&n));
    CHECK(n == CUDA_VERSION);
    DONE(cuInit(0));
    IS(cuMemAlloc(&at, 8), INVALID_CONTEXT);
    DONE(cuCtxGetCurrent(&context));
    CHECK(context == nullptr);
    DONE(cuDeviceGet(&device, 0));
    IS(cuDeviceGet(&device, 1), INVALID_DEVICE);
    IS(cuDevicePrimaryCtxRelease(device), INVALID_CONTEXT);
    DONE(cuDevicePrimaryCtxRetain(&primary, device));
    DONE(cuCtxSetCurrent(primary));
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

static void the_device_tells_what_it_is()
{
    char name[64], address[32], again[32];
    size_t total;
    int n, major, minor;
    unsigned flags;
    CUuuid one = {}, none = {};
    CUdevice device;
    DONE(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strstr(name, "emulated"));
    DONE(cuDeviceGetName(name, 4, 0));
    CHECK(strlen(name) == 3);
    DONE(cuDeviceTotalMem(&total, 0));
    CHECK(total >= 1u << 30);
    DONE(cuDeviceComputeCapability(&major, &minor, 0));
    DONE(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    CHECK(n == major);
    DONE(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0));
    CHECK(n == 1);
    IS(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), INVALID_DEVICE);
    DONE(cuDeviceGetPCIBusId(address, sizeof address, 0));
    DONE(cuDeviceGetByPCIBusId(&device, address));
    OK(cudaDeviceGetPCIBusId(again, sizeof again, 0));
    CHECK(device == 0 && strcmp(address, again) == 0);
    DONE(cuDeviceGetUuid(&one, 0));
    CHECK(memcmp(&one, &none, sizeof one) != 0);
    DONE(cuDevicePrimaryCtxGetState(0, &flags, &n));
    CHECK(flags == 0 && n == 1);
}

static void contexts_are_a_stack_of_the_thread()
{
    CUcontext made, top;
    DONE(cuCtxCreate(&made, CU_CTX_SCHED_SPIN, 0));
    unsigned flags;
    DONE(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_SPIN);
    DONE(cuCtxPushCurrent(primary));
    DONE(cuCtxPopCurrent(&top));
    CHECK(top == primary);
    DONE(cuCtxGetCurrent(&top));
    CHECK(top == made);
    DONE(cuCtxDestroy(made));
    IS(cuCtxDestroy(made), INVALID_CONTEXT);
    IS(cuCtxPushCurrent(made), INVALID_CONTEXT);
    DONE(cuCtxGetCurrent(&top));
    CHECK(top == primary);
}

static void memory_is_the_same_as_the_runtime_s()
{
    CUdeviceptr at, base;
    size_t size, had, left;
    unsigned values[4] = {1, 2, 3, 4}, got[4] = {};
    DONE(cuMemGetInfo(&had, &size));
    DONE(cuMemAlloc(&at, sizeof values));
    DONE(cuMemGetInfo(&left, &size));
    CHECK(had - left == sizeof values);
    IS(cuMemAlloc(&base, 0), INVALID_VALUE);
    IS(cuMemAlloc(&base, (size_t)1 << 60), OUT_OF_MEMORY);
    DONE(cuMemcpyHtoD(at, values, sizeof values));
    DONE(cuMemsetD32(at + 4, 0x01020304, 1));
    DONE(cuMemsetD16(at + 8, 0x5566, 1));
    DONE(cuMemcpyDtoH(got, at, sizeof got));
    CHECK(got[0] == 1 && got[1] == 0x01020304 && got[2] == 0x5566 && got[3] == 4);
    IS(cuMemsetD32(at + 1, 0, 1), INVALID_VALUE);
    IS(cuMemsetD32(at, 0, 5), INVALID_VALUE);
    IS(cuMemsetD32(at, 0, SIZE_MAX / 2), INVALID_VALUE);
    OK(cudaMemcpy(got, (void *)at, 4, cudaMemcpyDeviceToHost));
    DONE(cuMemGetAddressRange(&base, &size, at + 5));
    CHECK(base == at && size == sizeof values);
    IS(cuMemGetAddressRange(&base, &size, 16), NOT_FOUND);
    DONE(cuMemFree(at));
    IS(cuMemFree(at), INVALID_VALUE);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

static void addresses_have_attributes()
{
    CUdeviceptr at, device;
    void *host, *pointer;
    int type, managed;
    unsigned sync = 1;
    DONE(cuMemAlloc(&at, 8));
    DONE(cuMemHostAlloc(&host, 8, CU_MEMHOSTALLOC_DEVICEMAP));
    DONE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    DONE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
    CHECK(type == CU_MEMORYTYPE_HOST);
    DONE(cuMemHostGetDevicePointer(&device, host, 0));
    CHECK(device == (CUdeviceptr)host);
    IS(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, at), INVALID_VALUE);
    DONE(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at));
    IS(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)&sync),
       INVALID_VALUE);
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void *answers[] = {&type, &managed, &pointer};
    DONE(cuPointerGetAttributes(3, asked, answers, (CUdeviceptr)&sync));
    CHECK(type == 0 && managed == 0 && pointer == nullptr);
    DONE(cuPointerGetAttributes(3, asked, answers, (CUdeviceptr)host));
    CHECK(type == CU_MEMORYTYPE_HOST && pointer == host);
    DONE(cuMemFreeHost(host));
    DONE(cuMemFree(at));
}

/* A device that maps the file sees what kernels write later, and kernels see what it writes. */
static void memory_of_the_device_is_a_file_for_others()
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 3 * page;
    CUdeviceptr at;
    int fd = -1;
    void *host;
    DONE(cuMemAlloc(&at, size));
    DONE(cuMemsetD8(at + page, 7, 1));
    IS(cuMemGetHandleForAddressRange(&fd, at + 8, page, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
       INVALID_VALUE);
    IS(cuMemGetHandleForAddressRange(&fd, at, size + page, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
       INVALID_VALUE);
    DONE(cuMemHostAlloc(&host, page, 0));
    IS(cuMemGetHandleForAddressRange(&fd, (CUdeviceptr)host, page,
                                     CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
       NOT_SUPPORTED);
    DONE(cuMemGetHandleForAddressRange(&fd, at + page, 2 * page,
                                       CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    unsigned *seen = (unsigned *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(seen != MAP_FAILED && seen[0] == 7);
    seen[page / 4] = 40;
    add<<<1, 2>>>((unsigned *)(at + 2 * page), 1);
    OK(cudaDeviceSynchronize());
    CHECK(seen[page / 4] == 42);
    close(fd);
    DONE(cuMemFree(at));
    CHECK(seen[page / 4] == 42);
    munmap(seen, 2 * page);
    DONE(cuMemFreeHost(host));
}

static void call(void *data)
{
    ++*(int *)data;
}

static void streams_and_events_are_the_runtime_s()
{
    CUstream stream;
    CUevent from, to;
    float time = -1;
    int called = 0;
    DONE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DONE(cuEventCreate(&from, CU_EVENT_DEFAULT));
    DONE(cuEventCreate(&to, CU_EVENT_DEFAULT));
    DONE(cuEventRecord(from, stream));
    DONE(cuLaunchHostFunc(stream, call, &called));
    DONE(cuEventRecord(to, stream));
    DONE(cuEventSynchronize(to));
    CHECK(called == 1);
    DONE(cuEventElapsedTime(&time, from, to));
    CHECK(time >= 0);
    OK(cudaStreamSynchronize(stream));
    DONE(cuStreamDestroy(stream));
    IS(cuStreamSynchronize(stream), INVALID_HANDLE);
    DONE(cuEventDestroy(from));
    DONE(cuEventDestroy(to));
}

static void launch(CUfunction function, CUdeviceptr at, unsigned value)
{
    void *arguments[] = {&at, &value};
    DONE(cuLaunchKernel(function, 2, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
    DONE(cuCtxSynchronize());
}

static unsigned value_of(CUdeviceptr at)
{
    unsigned value;
    DONE(cuMemcpyDtoH(&value, at, sizeof value));
    return value;
}

static void kernels_of_the_program_are_launched()
{
    CUfunction function;
    CUdeviceptr at;
    int threads;
    void *arguments[] = {nullptr};
    OK(cudaGetFuncBySymbol(&function, (const void *)add));
    DONE(cuMemAlloc(&at, 4));
    launch(function, at, 3);
    CHECK(value_of(at) == 48);
    DONE(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    CHECK(threads == 1024);
    DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&threads, function, 64, 0));
    CHECK(threads > 0);
    IS(cuLaunchKernel((CUfunction)&at, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
       INVALID_HANDLE);
    IS(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), INVALID_VALUE);
    DONE(cuMemFree(at));
}

static void kernels_of_a_library_are_loaded(const char *path)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr at, step;
    size_t size;
    IS(cuModuleLoad(&module, "nowhere.so"), FILE_NOT_FOUND);
    IS(cuModuleLoad(&module, "/proc/self/status"), INVALID_IMAGE);
    IS(cuModuleLoadData(&module, ".version 8.0"), NO_BINARY_FOR_GPU);
    DONE(cuModuleLoad(&module, path));
    IS(cuModuleGetFunction(&function, module, "absent"), NOT_FOUND);
    DONE(cuModuleGetFunction(&function, module, "add_step"));
    DONE(cuModuleGetGlobal(&step, &size, module, "step"));
    CHECK(size == 4);
    DONE(cuMemsetD32(step, 5, 1));
    DONE(cuMemAlloc(&at, 4));
    launch(function, at, 1);
    CHECK(value_of(at) == 96);
    DONE(cuModuleUnload(module));
    IS(cuModuleUnload(module), INVALID_HANDLE);
    DONE(cuMemFree(at));
}

static void errors_and_functions_have_names()
{
    const char *text;
    void *function;
    CUdriverProcAddressQueryResult status;
    enum cudaDriverEntryPointQueryResult found;
    DONE(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
    DONE(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(strlen(text) > 4);
    IS(cuGetErrorName((CUresult)12345, &text), INVALID_VALUE);
    CHECK(text == nullptr);
    DONE(cuGetProcAddress("cuMemAlloc", &function, 12040, 0, &status));
    CHECK(function == (void *)&cuMemAlloc && status == CU_GET_PROC_ADDRESS_SUCCESS);
    IS(cuGetProcAddress("cuMakeCoffee", &function, 12040, 0, &status), NOT_FOUND);
    OK(cudaGetDriverEntryPoint("cuStreamCreate", &function, 0, &found));
    CHECK(function == (void *)&cuStreamCreate && found == cudaDriverEntryPointSuccess);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    nothing_works_before_cuInit_and_without_a_context();
    the_device_tells_what_it_is();
    contexts_are_a_stack_of_the_thread();
    memory_is_the_same_as_the_runtime_s();
    addresses_have_attributes();
    memory_of_the_device_is_a_file_for_others();
    streams_and_events_are_the_runtime_s();
    kernels_of_the_program_are_launched();
    kernels_of_a_library_are_loaded(argv[1]);
    errors_and_functions_have_names();
    DONE(cuDevicePrimaryCtxRelease(0));
    puts("good");
}
