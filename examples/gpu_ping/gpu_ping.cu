/* gpu_ping DEVICE COUNT: a kernel of the GPU answers echo requests (ping) that arrive at the device's port, and the CPU
 * learns of each answer by an event. The program ends after COUNT answers. */
#include <doca_dev.h>
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_flow.h>
#include <doca_gpunetio.h>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 1024, SLOT = 2048, AT_ONCE = 64, WAIT_NS = 100000, WARP = 32 };
enum { ETHER = 14, IP = 20, ECHO_REQUEST = 8, ECHO_REPLY = 0, ICMP = 1 };

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct queues {
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_gpu_eth_rxq *receives; /* as kernels know them */
    struct doca_gpu_eth_txq *sends;
};

/* ---- The kernel ---- */

static __device__ void swap(uint8_t *a, uint8_t *b, int size)
{
    for (int i = 0; i < size; i++) {
        const uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Returns the bytes of an IPv4 packet with an echo request and no options, with its Ethernet header, or 0. */
static __device__ uint32_t request_size(const uint8_t *frame)
{
    const uint8_t *ip = frame + ETHER, *icmp = ip + IP;
    const uint32_t size = ip[2] << 8 | ip[3];
    const bool is_echo = frame[12] == 8 && frame[13] == 0 && ip[0] == 0x45 && ip[9] == ICMP &&
                         icmp[0] == ECHO_REQUEST && icmp[1] == 0;
    return is_echo && size <= SLOT - ETHER ? ETHER + size : 0;
}

/* Makes the answer of a request, in its place. The NIC computes the checksum of the IP header; that of ICMP
 * grows by the difference of the types. */
static __device__ void answer(uint8_t *frame)
{
    uint8_t *ip = frame + ETHER, *icmp = ip + IP;
    uint32_t check = (icmp[2] << 8 | icmp[3]) + ((ECHO_REQUEST - ECHO_REPLY) << 8);
    check = (check & 0xffff) + (check >> 16);
    swap(frame, frame + 6, 6);
    swap(ip + 12, ip + 16, 4);
    ip[8] = 64; /* time to live */
    ip[10] = ip[11] = 0;
    icmp[0] = ECHO_REPLY;
    icmp[2] = (uint8_t)(check >> 8);
    icmp[3] = (uint8_t)check;
}

__global__ void answer_requests(struct doca_gpu_eth_rxq *rxq, struct doca_gpu_eth_txq *txq,
                                volatile uint32_t *ends)
{
    __shared__ uint64_t first;
    __shared__ uint32_t count;
    const uint32_t key = doca_gpu_dev_eth_rxq_get_pkt_mkey(rxq);
    doca_gpu_dev_eth_ticket_t ticket;
    while (*ends == 0) {
        if (doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(
                rxq, AT_ONCE, WAIT_NS, &first, &count, NULL) != DOCA_SUCCESS)
            return;
        for (uint32_t i = threadIdx.x; i < count; i += WARP) {
            const uint64_t at = doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);
            const uint32_t size = request_size((const uint8_t *)at);
            if (size == 0)
                continue;
            answer((uint8_t *)at);
            doca_gpu_dev_eth_txq_send(txq, at, key, size, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY,
                                      &ticket);
        }
        __syncwarp();
    }
}

/* ---- The CPU's side ---- */

static struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t count = 0;
    char own[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], own, sizeof own) == DOCA_SUCCESS &&
            strcmp(own, name) == 0)
            TRY(doca_dev_open(list[i], &dev));
    TRY(doca_devinfo_destroy_list(list));
    if (dev)
        return dev;
    fprintf(stderr, "there is no device %s\n", name);
    exit(1);
}

/* Frames arrive in memory of the GPU, one of SLOT bytes after the other, and answers are sent from there. */
static void open_receives(struct queues *q, struct doca_dev *dev, struct doca_gpu *gpu)
{
    struct doca_mmap *map;
    void *at;
    TRY(doca_gpu_mem_alloc(gpu, DEPTH * SLOT, 4096, DOCA_GPU_MEM_TYPE_GPU, &at, NULL));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_memrange(map, at, DEPTH * SLOT));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_start(map));
    TRY(doca_eth_rxq_create(dev, DEPTH, SLOT, &q->rxq));
    TRY(doca_eth_rxq_set_type(q->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    TRY(doca_eth_rxq_set_pkt_buf(q->rxq, map, 0, DEPTH * SLOT));
    TRY(doca_ctx_set_datapath_on_gpu(doca_eth_rxq_as_doca_ctx(q->rxq), gpu));
    TRY(doca_ctx_start(doca_eth_rxq_as_doca_ctx(q->rxq)));
    TRY(doca_eth_rxq_apply_queue_id(q->rxq, 0));
    TRY(doca_eth_rxq_get_gpu_handle(q->rxq, &q->receives));
}

static void on_sent(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data data)
{
    uint16_t position;
    TRY(doca_eth_txq_gpu_event_notify_send_packet_get_position(event, &position));
    printf("answer %u was sent\n", position);
    ++*(unsigned *)data.ptr;
}

static void open_sends(struct queues *q, struct doca_dev *dev, struct doca_gpu *gpu,
                       struct doca_pe *pe, unsigned *sent)
{
    union doca_data data;
    data.ptr = sent;
    TRY(doca_eth_txq_create(dev, DEPTH, &q->txq));
    TRY(doca_eth_txq_set_l3_chksum_offload(q->txq, 1));
    TRY(doca_ctx_set_datapath_on_gpu(doca_eth_txq_as_doca_ctx(q->txq), gpu));
    TRY(doca_eth_txq_gpu_event_notify_send_packet_register(q->txq, on_sent, data));
    TRY(doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(q->txq)));
    TRY(doca_ctx_start(doca_eth_txq_as_doca_ctx(q->txq)));
    TRY(doca_eth_txq_get_gpu_handle(q->txq, &q->sends));
}

/* All frames go to the receive queue with the id 0. */
static struct doca_flow_port *steer(struct doca_dev *dev)
{
    struct doca_flow_cfg *cfg;
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_port *port;
    struct doca_flow_pipe_cfg *pipe_cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_match all;
    struct doca_flow_fwd fwd;
    uint16_t id = 0;
    memset(&all, 0, sizeof all);
    memset(&fwd, 0, sizeof fwd);
    fwd.type = DOCA_FLOW_FWD_RSS;
    fwd.rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    fwd.rss.queues_array = &id;
    fwd.rss.nr_queues = 1;
    TRY(doca_flow_cfg_create(&cfg));
    TRY(doca_flow_init(cfg));
    TRY(doca_flow_port_cfg_create(&port_cfg));
    TRY(doca_flow_port_cfg_set_dev(port_cfg, dev));
    TRY(doca_flow_port_start(port_cfg, &port));
    TRY(doca_flow_pipe_cfg_create(&pipe_cfg, port));
    TRY(doca_flow_pipe_cfg_set_is_root(pipe_cfg, true));
    TRY(doca_flow_pipe_cfg_set_match(pipe_cfg, &all, NULL));
    TRY(doca_flow_pipe_create(pipe_cfg, &fwd, NULL, &pipe));
    TRY(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, DOCA_FLOW_NO_WAIT, NULL,
                                 &entry));
    return port;
}

/* The kernel runs until the CPU has seen so many answers. */
static void run(const struct queues *q, struct doca_pe *pe, const unsigned *sent, unsigned count)
{
    uint32_t *ends;
    if (cudaHostAlloc((void **)&ends, sizeof *ends, cudaHostAllocMapped) != cudaSuccess)
        exit(1);
    *ends = 0;
    answer_requests<<<1, WARP>>>(q->receives, q->sends, ends);
    while (*sent < count)
        doca_pe_progress(pe);
    *(volatile uint32_t *)ends = 1;
    if (cudaDeviceSynchronize() != cudaSuccess)
        exit(1);
}

int main(int argc, char **argv)
{
    struct queues q;
    struct doca_gpu *gpu;
    struct doca_pe *pe;
    unsigned sent = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: gpu_ping DEVICE COUNT\n");
        return 2;
    }
    struct doca_dev *dev = open_device(argv[1]);
    TRY(doca_gpu_create("e5:00.0", &gpu));
    TRY(doca_pe_create(&pe));
    open_sends(&q, dev, gpu, pe, &sent);
    open_receives(&q, dev, gpu);
    struct doca_flow_port *port = steer(dev);
    run(&q, pe, &sent, (unsigned)atoi(argv[2]));
    TRY(doca_flow_port_stop(port));
    TRY(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(q.rxq)));
    TRY(doca_ctx_stop(doca_eth_txq_as_doca_ctx(q.txq)));
    return 0;
}
