/* gpunetio_dma: kernels copy memory by a queue of DOCA DMA. */
#include <doca_buf_array.h>
#include <doca_dma.h>
#include <doca_gpunetio_dev_dma.cuh>
#include <doca_mmap.h>
#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "world.cuh"

enum { THREADS = 64, BLOCKS = 3, SIZE = 256, ROUNDS = 30 };

struct world {
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_dma *dma;
    struct doca_gpu_dma *handle;
    uint8_t *on_gpu, *on_cpu;
    struct doca_mmap *gpu_map, *cpu_map;
    struct doca_buf_arr *gpu_bufs, *cpu_bufs;
    struct doca_gpu_buf_arr *from, *to;
};

static struct doca_gpu_buf_arr *array_of(const struct world *w, struct doca_mmap *map, size_t count,
                                         struct doca_buf_arr **out)
{
    struct doca_gpu_buf_arr *handle;
    DONE(doca_buf_arr_create(count, out));
    CHECK(doca_buf_arr_set_target_gpu(*out, NULL) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_buf_arr_set_params(*out, map, SIZE, 0));
    CHECK(doca_buf_arr_start(*out) == DOCA_ERROR_BAD_CONFIG);
    DONE(doca_buf_arr_set_target_gpu(*out, w->gpu));
    CHECK(doca_buf_arr_get_gpu_handle(*out, &handle) == DOCA_ERROR_BAD_STATE && !handle);
    DONE(doca_buf_arr_start(*out));
    CHECK(doca_buf_arr_set_target_gpu(*out, w->gpu) == DOCA_ERROR_BAD_STATE);
    DONE(doca_buf_arr_get_gpu_handle(*out, &handle));
    return handle;
}

static void make_buffers(struct world *w)
{
    const size_t size = (size_t)BLOCKS * THREADS * SIZE;
    w->gpu_map = gpu_map_new(w->gpu, w->dev, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, (void **)&w->on_gpu);
    w->on_cpu = (uint8_t *)calloc(1, size);
    DONE(doca_mmap_create(&w->cpu_map));
    DONE(doca_mmap_add_dev(w->cpu_map, w->dev));
    DONE(doca_mmap_set_memrange(w->cpu_map, w->on_cpu, size));
    DONE(doca_mmap_start(w->cpu_map));
    w->from = array_of(w, w->gpu_map, BLOCKS * THREADS, &w->gpu_bufs);
    w->to = array_of(w, w->cpu_map, BLOCKS * THREADS, &w->cpu_bufs);
}

static void open_dma(struct world *w)
{
    struct doca_ctx *ctx;
    DONE(doca_dma_create(w->dev, &w->dma));
    ctx = doca_dma_as_ctx(w->dma);
    CHECK(doca_dma_get_gpu_handle(w->dma, &w->handle) == DOCA_ERROR_NOT_SUPPORTED && !w->handle);
    DONE(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    CHECK(doca_dma_get_gpu_handle(w->dma, &w->handle) == DOCA_ERROR_BAD_STATE && !w->handle);
    DONE(doca_ctx_start(ctx));
    DONE(doca_dma_get_gpu_handle(w->dma, &w->handle));
}

/* ---- Kernels ---- */

/* Each thread has a buffer, and copies it in two halves. */
__global__ void copies(struct doca_gpu_dma *dma, struct doca_gpu_buf_arr *from, struct doca_gpu_buf_arr *to,
                       uint8_t fill, int *errors)
{
    const uint64_t mine = blockIdx.x * blockDim.x + threadIdx.x;
    struct doca_gpu_buf *source, *target;
    uintptr_t address;
    doca_gpu_dev_buf_get_buf(from, mine, &source);
    doca_gpu_dev_buf_get_buf(to, mine, &target);
    doca_gpu_dev_buf_get_addr(source, &address);
    for (int i = 0; i < SIZE; i++)
        ((uint8_t *)address)[i] = (uint8_t)(fill + mine + i);
    for (int half = 0; half < 2; half++)
        if (doca_gpu_dev_dma_memcpy(dma, source, half * (SIZE / 2), target, half * (SIZE / 2), SIZE / 2) !=
            DOCA_SUCCESS)
            atomicAdd(errors, 1);
    __syncthreads();
    if (threadIdx.x == 0 && doca_gpu_dev_dma_commit(dma) != DOCA_SUCCESS)
        atomicAdd(errors, 1);
}

__global__ void uses(struct doca_gpu_dma *dma, struct doca_gpu_buf_arr *from, struct doca_gpu_buf_arr *to,
                     doca_error_t *results, uint32_t *key)
{
    struct doca_gpu_buf *source, *target;
    doca_gpu_dev_buf_get_buf(from, (uint64_t)BLOCKS * THREADS, &source);
    doca_gpu_dev_buf_get_buf(to, 0, &target);
    results[0] = source ? DOCA_SUCCESS : doca_gpu_dev_dma_memcpy(dma, source, 0, target, 0, SIZE);
    doca_gpu_dev_buf_get_buf(from, 0, &source);
    doca_gpu_dev_buf_get_mkey(source, key);
    int entered = 0;
    while ((results[1] = doca_gpu_dev_dma_memcpy(dma, source, 0, target, 0, SIZE)) == DOCA_SUCCESS)
        entered++;
    results[2] = entered == 1024 ? doca_gpu_dev_dma_commit(dma) : DOCA_ERROR_UNEXPECTED;
    results[3] = doca_gpu_dev_dma_commit(NULL);
    doca_gpu_dev_dma_memcpy(dma, source, (uint64_t)1 << 40, target, 0, SIZE);
    results[4] = doca_gpu_dev_dma_commit(dma);
    results[5] = doca_gpu_dev_dma_memcpy(dma, source, 0, target, 0, SIZE);
}

/* ---- Cases ---- */

static void copy_in_rounds(struct world *w)
{
    int *errors = on_device<int>(NULL, 1);
    for (int round = 0; round < ROUNDS; round++) {
        copies<<<BLOCKS, THREADS>>>(w->handle, w->from, w->to, (uint8_t)round, errors);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < BLOCKS * THREADS * SIZE; i++)
            CHECK(w->on_cpu[i] == (uint8_t)(round + i / SIZE + i % SIZE));
    }
    CHECK(*from_device(errors, 1) == 0);
}

static void refuse_uses(struct world *w)
{
    doca_error_t *results = on_device<doca_error_t>(NULL, 6);
    uint32_t *key = on_device<uint32_t>(NULL, 1), mkey;
    uses<<<1, 1>>>(w->handle, w->from, w->to, results, key);
    OK(cudaDeviceSynchronize());
    const doca_error_t *got = from_device(results, 6);
    CHECK(got[0] == DOCA_ERROR_INVALID_VALUE);
    CHECK(got[1] == DOCA_ERROR_FULL && got[2] == DOCA_SUCCESS);
    CHECK(got[3] == DOCA_ERROR_INVALID_VALUE);
    CHECK(got[4] == DOCA_ERROR_IO_FAILED && got[5] == DOCA_ERROR_IO_FAILED);
    DONE(doca_mmap_get_mkey(w->gpu_map, w->dev, &mkey));
    CHECK(*from_device(key, 1) == htobe32(mkey));
}

int main()
{
    struct world w = {};
    open_device(&w.dev, &w.gpu);
    make_buffers(&w);
    open_dma(&w);
    copy_in_rounds(&w);
    refuse_uses(&w);
    DONE(doca_ctx_stop(doca_dma_as_ctx(w.dma)));
    DONE(doca_ctx_start(doca_dma_as_ctx(w.dma)));
    DONE(doca_dma_get_gpu_handle(w.dma, &w.handle));
    copy_in_rounds(&w);
    DONE(doca_buf_arr_stop(w.gpu_bufs));
    DONE(doca_buf_arr_destroy(w.gpu_bufs));
    DONE(doca_buf_arr_destroy(w.cpu_bufs));
    DONE(doca_dma_destroy(w.dma));
    DONE(doca_mmap_destroy(w.gpu_map));
    DONE(doca_mmap_destroy(w.cpu_map));
    DONE(doca_dev_close(w.dev));
    DONE(doca_gpu_destroy(w.gpu));
    puts("good");
}
