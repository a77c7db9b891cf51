/* gpunetio: memory of kernels and of the CPU, and semaphores between them. With an argument, the CPU
 * touches memory of the GPU. */
#include <cuda.h>
#include <doca_gpunetio.h>
#include <doca_gpunetio_dev_sem.cuh>
#include <doca_mmap.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.cuh"

#define DONE(call) CHECK((call) == DOCA_SUCCESS)

enum { ITEMS = 8, ROUNDS = 100 };

struct info {
    int round;
    char text[20];
};

static struct doca_gpu *new_gpu()
{
    char pci[32];
    struct doca_gpu *gpu;
    OK(cudaDeviceGetPCIBusId(pci, sizeof pci, 0));
    DONE(doca_gpu_create(pci, &gpu));
    return gpu;
}

__global__ void add_one(unsigned char *at, unsigned count)
{
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        at[i]++;
}

static void each_type_of_memory_has_its_addresses(struct doca_gpu *gpu)
{
    unsigned char *on_gpu, *on_both, *of_cpu, *cpu, host[100];
    void *none = host;
    DONE(doca_gpu_mem_alloc(gpu, 100, 0, DOCA_GPU_MEM_TYPE_GPU, (void **)&on_gpu, &none));
    CHECK(!none);
    DONE(doca_gpu_mem_alloc(gpu, 100, 2 << 20, DOCA_GPU_MEM_TYPE_GPU_CPU, (void **)&on_both,
                            (void **)&cpu));
    CHECK(cpu != on_both && (uintptr_t)on_both % (2 << 20) == 0);
    cpu[99] = 7; /* the CPU has an address of its own */
    OK(cudaMemset(on_gpu, 41, 100));
    add_one<<<1, 32>>>(on_gpu, 100);
    add_one<<<1, 32>>>(on_both, 100);
    OK(cudaMemcpy(host, on_gpu, 100, cudaMemcpyDefault));
    CHECK(host[0] == 42 && host[99] == 42);
    CHECK(cpu[0] == 1 && cpu[99] == 8);
    OK(cudaMemcpy(on_both, on_gpu, 100, cudaMemcpyDeviceToDevice));
    CHECK(cpu[99] == 42);
    DONE(doca_gpu_mem_alloc(gpu, 100, 4096, DOCA_GPU_MEM_TYPE_CPU_GPU, (void **)&of_cpu,
                            (void **)&cpu));
    unsigned type = 0;
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)of_cpu) ==
              CUDA_SUCCESS &&
          type == CU_MEMORYTYPE_HOST);
    of_cpu[3] = 8;
    add_one<<<1, 32>>>(of_cpu, 4);
    OK(cudaDeviceSynchronize());
    CHECK(cpu[3] == 9);
    DONE(doca_gpu_mem_free(gpu, on_gpu));
    CHECK(doca_gpu_mem_free(gpu, on_gpu) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_gpu_mem_free(gpu, on_both));
    DONE(doca_gpu_mem_free(gpu, of_cpu));
    CHECK(doca_gpu_mem_alloc(gpu, 0, 0, DOCA_GPU_MEM_TYPE_GPU, &none, NULL) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_mem_alloc(gpu, 8, 3, DOCA_GPU_MEM_TYPE_GPU, &none, NULL) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_mem_alloc(gpu, 8, 0, DOCA_GPU_MEM_TYPE_CPU_GPU, &none, NULL) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_mem_alloc(gpu, (size_t)1 << 40, 0, DOCA_GPU_MEM_TYPE_GPU, &none, NULL) ==
          DOCA_ERROR_NO_MEMORY);
}

static void a_descriptor_has_the_bytes(struct doca_gpu *gpu)
{
    void *at;
    int file, again;
    struct stat about, same;
    unsigned char *bytes;
    struct doca_mmap *mmap_;
    DONE(doca_gpu_mem_alloc(gpu, 5000, 4096, DOCA_GPU_MEM_TYPE_GPU, &at, NULL));
    OK(cudaMemset(at, 9, 5000));
    CHECK(doca_gpu_dmabuf_fd(gpu, at, 5001, &file) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_dmabuf_fd(gpu, (char *)at + 1, 1, &file) == DOCA_ERROR_NOT_SUPPORTED);
    DONE(doca_gpu_dmabuf_fd(gpu, at, 5000, &file));
    DONE(doca_mmap_create(&mmap_));
    DONE(doca_mmap_set_dmabuf_memrange(mmap_, file, at, 0, 5000));
    CHECK(doca_mmap_set_dmabuf_memrange(mmap_, file, at, 0, 1 << 20) == DOCA_ERROR_INVALID_VALUE);
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuMemGetHandleForAddressRange(&again, (CUdeviceptr)at, 4096, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0) ==
          CUDA_SUCCESS);
    CHECK(fstat(file, &about) == 0 && fstat(again, &same) == 0 && about.st_ino == same.st_ino);
    close(again);
    DONE(doca_gpu_mem_free(gpu, at));
    bytes = (unsigned char *)mmap(NULL, 5000, PROT_READ, MAP_SHARED, file, 0);
    CHECK(bytes != MAP_FAILED && bytes[4999] == 9);
    DONE(doca_mmap_destroy(mmap_));
    munmap(bytes, 5000);
    close(file);
}

__global__ void fill_items(struct doca_gpu_semaphore_gpu *sem)
{
    for (int round = 0; round < ROUNDS; round++) {
        enum doca_gpu_semaphore_status status;
        struct info *info;
        const uint32_t item = round % ITEMS;
        do
            doca_gpu_dev_semaphore_get_status(sem, item, &status);
        while (status != DOCA_GPU_SEMAPHORE_STATUS_FREE);
        doca_gpu_dev_semaphore_get_custom_info_addr(sem, item, (void **)&info);
        info->round = round;
        memcpy(info->text, "from the GPU", 13);
        doca_gpu_dev_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_READY);
    }
}

static struct doca_gpu_semaphore *new_semaphore(struct doca_gpu *gpu, enum doca_gpu_mem_type type)
{
    struct doca_gpu_semaphore *sem;
    DONE(doca_gpu_semaphore_create(gpu, &sem));
    CHECK(doca_gpu_semaphore_start(sem) == DOCA_ERROR_BAD_CONFIG);
    DONE(doca_gpu_semaphore_set_memory_type(sem, type));
    DONE(doca_gpu_semaphore_set_items_num(sem, ITEMS));
    DONE(doca_gpu_semaphore_set_custom_info(sem, sizeof(struct info), type));
    DONE(doca_gpu_semaphore_start(sem));
    CHECK(doca_gpu_semaphore_set_items_num(sem, 1) == DOCA_ERROR_BAD_STATE);
    return sem;
}

static void a_kernel_passes_items_to_the_cpu(struct doca_gpu *gpu, enum doca_gpu_mem_type type)
{
    struct doca_gpu_semaphore *sem = new_semaphore(gpu, type);
    struct doca_gpu_semaphore_gpu *handle;
    enum doca_gpu_semaphore_status status;
    struct info *info;
    DONE(doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    fill_items<<<1, 1>>>(handle);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t item = round % ITEMS;
        do
            DONE(doca_gpu_semaphore_get_status(sem, item, &status));
        while (status != DOCA_GPU_SEMAPHORE_STATUS_READY);
        DONE(doca_gpu_semaphore_get_custom_info_addr(sem, item, (void **)&info));
        CHECK(info->round == round && strcmp(info->text, "from the GPU") == 0);
        DONE(doca_gpu_semaphore_set_status(sem, item, DOCA_GPU_SEMAPHORE_STATUS_FREE));
    }
    OK(cudaDeviceSynchronize());
    CHECK(doca_gpu_semaphore_get_status(sem, ITEMS, &status) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_gpu_destroy(gpu) == DOCA_ERROR_IN_USE);
    DONE(doca_gpu_semaphore_stop(sem));
    CHECK(doca_gpu_semaphore_get_gpu_handle(sem, &handle) == DOCA_ERROR_BAD_STATE);
    DONE(doca_gpu_semaphore_destroy(sem));
}

__global__ void pass_packets(struct doca_gpu_semaphore_gpu *sem, int *sum)
{
    if (blockIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++)
            doca_gpu_dev_semaphore_set_packet_info(sem, i, DOCA_GPU_SEMAPHORE_STATUS_READY, i, 100);
        return;
    }
    for (int i = 0; i < ITEMS; i++) {
        uint32_t count;
        uint64_t first;
        while (doca_gpu_dev_semaphore_get_packet_info_status(
                   sem, i, DOCA_GPU_SEMAPHORE_STATUS_READY, &count, &first) == DOCA_ERROR_NOT_FOUND)
            ;
        *sum += (int)(first + count);
        doca_gpu_dev_semaphore_set_status_cas(sem, i, DOCA_GPU_SEMAPHORE_STATUS_READY,
                                              DOCA_GPU_SEMAPHORE_STATUS_DONE);
    }
}

static void blocks_pass_packets(struct doca_gpu *gpu)
{
    struct doca_gpu_semaphore *sem = new_semaphore(gpu, DOCA_GPU_MEM_TYPE_GPU);
    struct doca_gpu_semaphore_gpu *handle;
    enum doca_gpu_semaphore_status status;
    int *sum = on_device<int>(NULL, 1);
    OK(cudaMemset(sum, 0, sizeof *sum));
    DONE(doca_gpu_semaphore_get_gpu_handle(sem, &handle));
    pass_packets<<<2, 1>>>(handle, sum);
    OK(cudaDeviceSynchronize());
    CHECK(*from_device(sum, 1) == 8 * 100 + 28);
    CHECK(doca_gpu_semaphore_get_status(sem, 0, &status) == DOCA_ERROR_NOT_PERMITTED);
    DONE(doca_gpu_semaphore_destroy(sem));
}

int main(int argc, char **argv)
{
    struct doca_gpu *gpu;
    CHECK(doca_gpu_create("0000:01:00.0", &gpu) == DOCA_ERROR_NOT_FOUND && !gpu);
    gpu = new_gpu();
    each_type_of_memory_has_its_addresses(gpu);
    if (argc > 1) {
        unsigned char *at;
        DONE(doca_gpu_mem_alloc(gpu, 100, 0, DOCA_GPU_MEM_TYPE_GPU, (void **)&at, NULL));
        add_one<<<1, 32>>>(at, 100);
        OK(cudaDeviceSynchronize());
        printf("%p\n", (void *)at);
        fflush(stdout);
        return at[0];
    }
    a_descriptor_has_the_bytes(gpu);
    a_kernel_passes_items_to_the_cpu(gpu, DOCA_GPU_MEM_TYPE_CPU_GPU);
    a_kernel_passes_items_to_the_cpu(gpu, DOCA_GPU_MEM_TYPE_GPU_CPU);
    blocks_pass_packets(gpu);
    DONE(doca_gpu_destroy(gpu));
    puts("good");
    return 0;
}
