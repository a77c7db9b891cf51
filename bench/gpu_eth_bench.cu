/* gpu_eth_bench SECONDS: a warp of the emulated GPU receives frames of the first device's port, as NVIDIA's sample
 * gpunetio_simple_receive does. Prints how many came in a second. */
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <unistd.h>

#include "flow_bench.h"
#include "gpu_bench.h"

enum { DEPTH = 16384, SLOT = 2048, AT_ONCE = 2048, WAIT_NS = 500000 };

__global__ void receive(struct doca_gpu_eth_rxq *rxq, volatile uint32_t *ends, uint64_t *all)
{
    __shared__ uint64_t first;
    __shared__ uint32_t count;
    while (*ends == 0) {
        if (doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
                rxq, AT_ONCE, WAIT_NS, &first, &count, NULL) != DOCA_SUCCESS)
            return;
        uint32_t mine = 0;
        for (uint32_t i = threadIdx.x; i < count; i += 32) {
            const uint8_t *frame =
                (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);
            mine += frame[12] == 0x88 && frame[13] == 0xb5;
        }
        atomicAdd((unsigned long long *)all, (unsigned long long)mine);
    }
}

static struct doca_gpu_eth_rxq *open_queue(struct doca_dev *dev, struct doca_gpu *gpu)
{
    struct doca_eth_rxq *rxq;
    struct doca_gpu_eth_rxq *handle;
    void *at;
    struct doca_mmap *map = map_of_gpu(gpu, dev, DEPTH * SLOT, &at);
    TRY(doca_eth_rxq_create(dev, DEPTH, SLOT, &rxq));
    TRY(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    TRY(doca_eth_rxq_set_pkt_buf(rxq, map, 0, DEPTH * SLOT));
    TRY(doca_ctx_set_datapath_on_gpu(doca_eth_rxq_as_doca_ctx(rxq), gpu));
    TRY(doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq)));
    TRY(doca_eth_rxq_apply_queue_id(rxq, 0));
    TRY(doca_eth_rxq_get_gpu_handle(rxq, &handle));
    return handle;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    struct doca_dev *dev = first_device();
    struct doca_gpu *gpu;
    uint32_t *ends;
    uint64_t *all;
    TRY(doca_gpu_create("e5:00.0", &gpu));
    struct doca_gpu_eth_rxq *rxq = open_queue(dev, gpu);
    if (cudaHostAlloc((void **)&ends, sizeof *ends, cudaHostAllocMapped) != cudaSuccess ||
        cudaHostAlloc((void **)&all, sizeof *all, cudaHostAllocMapped) != cudaSuccess)
        return 1;
    *ends = 0;
    *all = 0;
    lead_all_to(dev, 0);
    receive<<<1, 32>>>(rxq, ends, all);
    const double begin = seconds_of(CLOCK_MONOTONIC);
    usleep((useconds_t)(seconds * 1e6));
    *(volatile uint32_t *)ends = 1;
    const double took = seconds_of(CLOCK_MONOTONIC) - begin;
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    printf("%.0f\n", (double)*all / took);
    return 0;
}
