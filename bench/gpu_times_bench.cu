/* gpu_times_bench COUNT: a kernel of the emulated GPU enters COUNT sends, 1 ms apart, by wait on time of DOCA Ethernet.
 * Each frame has its time at byte 14: nanoseconds since the last full second of the clock, 4 bytes, big-endian. */
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <string.h>
#include <unistd.h>

#include "gpu_bench.h"

enum { SIZE = 64, DEPTH = 4096, MOST = 1024, APART_NS = 1000000, SECOND_NS = 1000000000 };

__global__ void enter(struct doca_gpu_eth_txq *txq, uint8_t *frames, uint32_t key, const uint64_t *times, int count)
{
    doca_gpu_dev_eth_ticket_t ticket;
    for (int i = 0; i < count; i++)
        doca_gpu_dev_eth_txq_wait_send(txq, times[i], (uint64_t)(frames + i * SIZE), key, SIZE,
                                       DOCA_GPUNETIO_ETH_SEND_FLAG_NONE, &ticket);
}

static struct doca_gpu_eth_txq *open_queue(struct doca_dev *dev, struct doca_gpu *gpu, struct doca_eth_txq **txq)
{
    struct doca_gpu_eth_txq *handle;
    TRY(doca_eth_txq_create(dev, DEPTH, txq));
    TRY(doca_eth_txq_set_wait_on_time_offload(*txq));
    TRY(doca_ctx_set_datapath_on_gpu(doca_eth_txq_as_doca_ctx(*txq), gpu));
    TRY(doca_ctx_start(doca_eth_txq_as_doca_ctx(*txq)));
    TRY(doca_eth_txq_get_gpu_handle(*txq, &handle));
    return handle;
}

/* Writes frames and times, from 200 ms on. */
static void plan(struct doca_eth_txq *txq, uint8_t *frames, uint64_t *times, int count)
{
    const uint64_t first = (uint64_t)(seconds_of(CLOCK_REALTIME) * 1e3 + 200) * 1000000;
    for (int i = 0; i < count; i++) {
        const uint64_t at = first + (uint64_t)i * APART_NS;
        const uint32_t part = __builtin_bswap32((uint32_t)(at % SECOND_NS));
        uint8_t frame[SIZE] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
        memcpy(frame + 14, &part, sizeof part);
        if (cudaMemcpy(frames + i * SIZE, frame, SIZE, cudaMemcpyHostToDevice) != cudaSuccess)
            exit(1);
        TRY(doca_eth_txq_calculate_timestamp(txq, at, &times[i]));
    }
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 100;
    struct doca_dev *dev = first_device();
    struct doca_gpu *gpu;
    struct doca_eth_txq *txq;
    uint64_t *times;
    uint32_t key;
    void *frames;
    if (count < 1 || count > MOST)
        return 1;
    TRY(doca_gpu_create("e5:00.0", &gpu));
    struct doca_gpu_eth_txq *handle = open_queue(dev, gpu, &txq);
    struct doca_mmap *const map = map_of_gpu(gpu, dev, MOST * SIZE, &frames);
    TRY(doca_mmap_get_mkey(map, dev, &key));
    key = __builtin_bswap32(key);
    if (cudaMallocHost((void **)&times, MOST * sizeof *times) != cudaSuccess)
        return 1;
    plan(txq, (uint8_t *)frames, times, count);
    enter<<<1, 1>>>(handle, (uint8_t *)frames, key, times, count);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    usleep(400000 + (useconds_t)count * 1000);
    return 0;
}
