/* A kernel that fills the rings of a queue pair by commands, by stores of its own, and polls completions. */
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <stdint.h>

static __device__ uint32_t swap(uint32_t x)
{
    uint32_t out;
    asm volatile("{ .reg .b32 mask, ign; mov.b32 mask, 0x0123; prmt.b32 %0, %1, ign, mask; }" : "=r"(out) : "r"(x));
    return out;
}

static __device__ uint8_t owner(const uint8_t *at)
{
    uint16_t byte;
    asm volatile("ld.relaxed.sys.global.L1::no_allocate.b8 %0, [%1];" : "=h"(byte) : "l"(at));
    return (uint8_t)byte;
}

/* Writes `count` times 8 bytes, whose value counts, to `to`. */
__global__ void write_many(uint8_t *memory, uint32_t sends_at, uint32_t record_at, uint32_t data_at, uint32_t number,
                           uint32_t local, uint64_t to, uint32_t remote, uint64_t *uar, uint32_t count, int *failed)
{
    cuda::atomic_ref<uint32_t, cuda::thread_scope_system> record(*(uint32_t *)(memory + record_at + 4));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *wqe = (uint32_t *)(memory + sends_at + 64 * (i % 16));
        *(uint64_t *)(memory + data_at) = i + 1;
        const uint64_t from = (uint64_t)(memory + data_at);
        const uint32_t words[12] = {i << 8 | 8,   number << 8 | 3, 8, 0,     (uint32_t)(to >> 32),   (uint32_t)to,
                                    remote,       0,               8, local, (uint32_t)(from >> 32), (uint32_t)from};
        for (int w = 0; w < 12; w++)
            wqe[w] = swap(words[w]);
        asm volatile("fence.release.sys;" ::: "memory");
        record.store(swap((i + 1) & 0xffff), cuda::memory_order_relaxed);
        asm volatile("st.mmio.relaxed.sys.global.b64 [%0], %1;" : : "l"(uar), "l"(*(uint64_t *)wqe));
        const uint8_t *cqe = memory + 64 * (i % 16);
        uint8_t now;
        while ((now = owner(cqe + 63)) >> 4 == 0xf || (now & 1) != (i >> 4 & 1))
            ;
        *failed += now >> 4 != 0;
        __threadfence_system();
    }
}

extern "C" void *kernel_memory(size_t size)
{
    void *at = nullptr;
    return cudaMalloc(&at, size) == cudaSuccess && cudaMemset(at, 0, size) == cudaSuccess ? at : nullptr;
}

/* Returns the number of writes that failed, or -1. */
extern "C" int kernel_writes(uint8_t *memory, uint32_t sends_at, uint32_t record_at, uint32_t data_at, uint32_t number,
                             uint32_t local, uint64_t to, uint32_t remote, void *uar, uint32_t count)
{
    int *failed;
    void *doorbell;
    if (cudaMallocManaged((void **)&failed, sizeof *failed) != cudaSuccess ||
        cudaHostRegister(uar, 8, cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory) !=
            cudaSuccess ||
        cudaHostGetDevicePointer(&doorbell, uar, 0) != cudaSuccess)
        return -1;
    *failed = 0;
    write_many<<<1, 1>>>(memory, sends_at, record_at, data_at, number, local, to, remote, (uint64_t *)doorbell, count,
                         failed);
    return cudaDeviceSynchronize() == cudaSuccess && cudaHostUnregister(uar) == cudaSuccess ? *failed : -1;
}
