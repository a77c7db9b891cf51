/* gpunetio_eth: kernels send frames through a port that is plugged into itself, and receive them. */
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_flow.h>
#include <doca_gpunetio_dev_eth_rxq.cuh>
#include <doca_gpunetio_dev_eth_txq.cuh>
#include <doca_pe.h>
#include <endian.h>
#include <time.h>

#include "world.cuh"

enum { THREADS = 64, ROUNDS = 8, DEPTH = 128, SLOT = 256, SIZE = 80, NUMBER_AT = 20 };

/* ---- The queues ---- */

struct world {
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    struct doca_eth_rxq *rxq;
    struct doca_eth_txq *txq;
    struct doca_gpu_eth_rxq *receives;
    struct doca_gpu_eth_txq *sends;
    uint8_t *packets; /* to send: one of SLOT bytes for each thread */
    uint32_t key;     /* of them, big-endian */
};

static void open_receives(struct world *w, uint32_t depth)
{
    uint32_t size;
    void *at;
    DONE(doca_eth_rxq_create(w->dev, depth, SLOT, &w->rxq));
    struct doca_ctx *ctx = doca_eth_rxq_as_doca_ctx(w->rxq);
    DONE(doca_eth_rxq_set_type(w->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_NOT_SUPPORTED);
    DONE(doca_eth_rxq_gpu_enable_mcst_qp(w->rxq));
    DONE(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    DONE(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, SLOT, depth, 0, 0, 0,
                                               &size));
    CHECK(size == depth * SLOT);
    struct doca_mmap *mmap_ = gpu_map_new(w->gpu, w->dev, size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &at);
    DONE(doca_eth_rxq_set_pkt_buf(w->rxq, mmap_, 0, size - 1));
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_INVALID_VALUE);
    DONE(doca_eth_rxq_set_pkt_buf(w->rxq, mmap_, 0, size));
    DONE(doca_ctx_start(ctx));
    DONE(doca_eth_rxq_apply_queue_id(w->rxq, 0));
    DONE(doca_eth_rxq_get_gpu_handle(w->rxq, &w->receives));
}

static void open_sends(struct world *w, bool on_cpu)
{
    DONE(doca_eth_txq_create(w->dev, DEPTH, &w->txq));
    struct doca_ctx *ctx = doca_eth_txq_as_doca_ctx(w->txq);
    DONE(doca_eth_txq_gpu_set_completion_on_gpu(w->txq));
    DONE(doca_eth_txq_set_wait_on_time_offload(w->txq));
    if (on_cpu)
        DONE(doca_eth_txq_gpu_set_uar_on_cpu(w->txq));
    DONE(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    CHECK(doca_eth_txq_get_gpu_handle(w->txq, &w->sends) == DOCA_ERROR_BAD_STATE);
    DONE(doca_ctx_start(ctx));
    DONE(doca_eth_txq_get_gpu_handle(w->txq, &w->sends));
}

static void close_sends(struct world *w)
{
    DONE(doca_ctx_stop(doca_eth_txq_as_doca_ctx(w->txq)));
    DONE(doca_eth_txq_destroy(w->txq));
}

/* All frames go to the receive queue with the id 0. */
static void steer(const struct world *w)
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
    DONE(doca_flow_cfg_create(&cfg));
    DONE(doca_flow_cfg_set_mode_args(cfg, "vnf,isolated"));
    DONE(doca_flow_init(cfg));
    DONE(doca_flow_port_cfg_create(&port_cfg));
    DONE(doca_flow_port_cfg_set_dev(port_cfg, w->dev));
    DONE(doca_flow_port_start(port_cfg, &port));
    DONE(doca_flow_pipe_cfg_create(&pipe_cfg, port));
    DONE(doca_flow_pipe_cfg_set_is_root(pipe_cfg, true));
    DONE(doca_flow_pipe_cfg_set_match(pipe_cfg, &all, NULL));
    DONE(doca_flow_pipe_create(pipe_cfg, &fwd, NULL, &pipe));
    DONE(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, DOCA_FLOW_NO_WAIT, NULL,
                                  &entry));
}

static void write_packets(struct world *w)
{
    static uint8_t bytes[THREADS][SLOT];
    for (int i = 0; i < THREADS; i++) {
        memcpy(bytes[i], "toThemfromMe\x88\xb5", 14);
        bytes[i][NUMBER_AT] = (uint8_t)i;
    }
    struct doca_mmap *mmap_ = gpu_map_new(
        w->gpu, w->dev, sizeof bytes, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, (void **)&w->packets);
    OK(cudaMemcpy(w->packets, bytes, sizeof bytes, cudaMemcpyDefault));
    DONE(doca_mmap_get_mkey(mmap_, w->dev, &w->key));
    w->key = htobe32(w->key);
}

/* ---- Kernels ---- */

template <enum doca_gpu_dev_eth_exec_scope scope>
__global__ void send_rounds(struct doca_gpu_eth_txq *txq, uint8_t *packets, uint32_t key,
                            uint64_t time, int *wrong)
{
    const uint64_t mine = (uint64_t)packets + threadIdx.x * SLOT;
    doca_gpu_dev_eth_ticket_t ticket;
    uint32_t completed;
    for (int i = 0; i < ROUNDS; i++) {
        if (time && i == 0)
            doca_gpu_dev_eth_txq_wait_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA,
                                           DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA,
                                           DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, scope>(
                txq, time, mine, key, SIZE, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
        else
            doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                      DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
                                      DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, scope>(
                txq, mine, key, SIZE, DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
        __syncthreads();
        if (threadIdx.x == 0 &&
            (doca_gpu_dev_eth_txq_poll_completion<DOCA_GPUNETIO_ETH_CQ_POLL_LAST>(
                 txq, THREADS, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &completed) != DOCA_SUCCESS ||
             completed != THREADS))
            *wrong = 1;
        __syncthreads();
    }
}

/* The number of packets of each thread, the number of packets out of order, and the first time. */
struct seen {
    uint32_t of[THREADS], disorder;
    uint64_t first_time;
};

/* Blocks ask for attributes as DOCA 3.3 does, others by `true`. */
#define ATTRIBUTES_OF(scope) \
    ((scope) == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK ? (int)DOCA_GPUNETIO_ETH_RX_ATTR_ALL : true)

template <enum doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(struct doca_gpu_eth_rxq *rxq, uint32_t wanted, struct seen *seen, int *wrong)
{
    __shared__ uint64_t first;
    __shared__ uint32_t count;
    __shared__ struct doca_gpu_dev_eth_rxq_attr attr[16];
    uint8_t last = THREADS - 1;
    if (scope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD && threadIdx.x > 0)
        return;
    for (uint32_t left = wanted; left > 0; left -= count) {
        if (doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                      DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, ATTRIBUTES_OF(scope)>(
                rxq, 16, 100000, &first, &count, attr) != DOCA_SUCCESS) {
            *wrong = 2;
            return;
        }
        for (uint32_t i = 0; threadIdx.x == 0 && i < count; i++) {
            const uint8_t *packet =
                (const uint8_t *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);
            const uint8_t number = packet[NUMBER_AT];
            if (attr[i].bytes != SIZE || packet[0] != 't' || number >= THREADS)
                *wrong = 3;
            seen->disorder += number != (last + 1) % THREADS;
            seen->of[number % THREADS]++;
            if (left == wanted && i == 0)
                seen->first_time = attr[i].timestamp_ns;
            last = number;
        }
    }
}

/* ---- Cases ---- */

static uint64_t now_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int *wrong_word()
{
    int *wrong;
    OK(cudaHostAlloc(&wrong, sizeof *wrong, cudaHostAllocMapped));
    *wrong = 0;
    return wrong;
}

/* Kernels of the two scopes run at once. The ring is smaller than the number of frames. Returns what the
 * receiver saw. */
template <enum doca_gpu_dev_eth_exec_scope send_scope, enum doca_gpu_dev_eth_exec_scope receive_scope>
static struct seen exchange(const struct world *w, uint64_t time)
{
    struct seen *seen, copy;
    cudaStream_t a, b;
    int *wrong = wrong_word();
    OK(cudaMallocManaged(&seen, sizeof *seen));
    memset(seen, 0, sizeof *seen);
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    receive<receive_scope><<<1, 32, 0, a>>>(w->receives, THREADS * ROUNDS, seen, wrong);
    send_rounds<send_scope><<<1, THREADS, 0, b>>>(w->sends, w->packets, w->key, time, wrong);
    OK(cudaStreamSynchronize(b));
    OK(cudaStreamSynchronize(a));
    CHECK(*wrong == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(seen->of[i] == ROUNDS);
    copy = *seen;
    OK(cudaFree(seen));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    return copy;
}

#define T DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD
#define W DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP
#define B DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK

static void frames_leave_at_their_time(const struct world *w)
{
    const uint64_t delay = 20000000, slack = 1000000; /* the clocks may be adjusted */
    uint64_t value;
    const uint64_t due = now_of(CLOCK_MONOTONIC) + delay;
    DONE(doca_eth_txq_calculate_timestamp(w->txq, now_of(CLOCK_REALTIME) + delay, &value));
    const struct seen seen = exchange<B, B>(w, value);
    CHECK(seen.disorder == 0);
    CHECK(seen.first_time + slack >= due);
}

__global__ void receive_nothing(struct doca_gpu_eth_rxq *rxq, int *wrong)
{
    uint64_t first;
    uint32_t count = 1;
    if (doca_gpu_dev_eth_rxq_recv(rxq, 5, 1000, &first, &count, NULL) != DOCA_SUCCESS || count != 0)
        *wrong = 1;
}

static void no_frame_is_no_error(const struct world *w)
{
    int *wrong = wrong_word();
    receive_nothing<<<1, 1>>>(w->receives, wrong);
    OK(cudaDeviceSynchronize());
    CHECK(*wrong == 0);
}

struct proxy {
    struct doca_eth_txq *txq;
    volatile bool ends;
};

static void *progress(void *context)
{
    struct proxy *p = (struct proxy *)context;
    while (!p->ends)
        if (doca_eth_txq_gpu_cpu_proxy_progress(p->txq) != DOCA_SUCCESS)
            abort();
    return NULL;
}

static void the_cpu_rings_the_doorbell(struct world *w)
{
    pthread_t thread;
    open_sends(w, true);
    struct proxy p = {w->txq, false};
    CHECK(pthread_create(&thread, NULL, progress, &p) == 0);
    CHECK((exchange<B, W>(w, 0).disorder) == 0);
    p.ends = true;
    pthread_join(thread, NULL);
    close_sends(w);
}

__global__ void send_one(struct doca_gpu_eth_txq *txq, uint8_t *packet, uint32_t key, uint32_t size,
                         int *result)
{
    doca_gpu_dev_eth_txq_wqe_prepare_send(txq, doca_gpu_dev_eth_txq_get_wqe_ptr(txq, 0), 0,
                                          (uint64_t)packet, key, size,
                                          DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY);
    if (doca_gpu_dev_eth_txq_poll_completion_at(txq, 0, DOCA_GPUNETIO_ETH_WAIT_FLAG_NB) !=
        DOCA_ERROR_IN_PROGRESS)
        *result = -1;
    doca_gpu_dev_eth_txq_submit(txq, 1);
    *result = doca_gpu_dev_eth_txq_poll_completion_at(txq, 0, DOCA_GPUNETIO_ETH_WAIT_FLAG_B);
}

__global__ void receive_failure(struct doca_gpu_eth_rxq *rxq, int *result)
{
    uint64_t first;
    uint32_t count;
    do
        *result = doca_gpu_dev_eth_rxq_recv(rxq, 5, 100000, &first, &count, NULL);
    while (*result == DOCA_SUCCESS);
}

static int send_in_new_queue(struct world *w, uint32_t key, uint32_t size)
{
    int *result = wrong_word();
    open_sends(w, false);
    send_one<<<1, 1>>>(w->sends, w->packets, key, size, result);
    OK(cudaDeviceSynchronize());
    close_sends(w);
    return *result;
}

/* ---- Events for the CPU ---- */

struct events {
    const struct world *w;
    struct doca_eth_txq_gpu_event_notify_send_packet *last;
    uint32_t sent, failed, wrong;
    uint64_t time;
};

static void on_sent(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data data)
{
    struct events *e = (struct events *)data.ptr;
    uint16_t position = 0xffff;
    uint64_t time = 0;
    if (doca_eth_txq_gpu_event_notify_send_packet_get_position(event, &position) != DOCA_SUCCESS ||
        doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(event, &time) != DOCA_SUCCESS ||
        position != e->sent || time < e->time)
        e->wrong++;
    e->last = event;
    e->time = time;
    e->sent++;
}

static void on_failed(struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data data)
{
    struct events *e = (struct events *)data.ptr;
    uint16_t position = 0xffff;
    if (doca_eth_txq_gpu_event_error_send_packet_get_position(event, &position) != DOCA_SUCCESS ||
        position != e->sent + e->failed)
        e->wrong++;
    e->failed++;
}

/* Opens a send queue whose completions the CPU gets by a progress engine. */
static struct doca_pe *open_reported_sends(struct world *w, struct events *e)
{
    struct doca_pe *pe;
    union doca_data data;
    data.ptr = e;
    DONE(doca_pe_create(&pe));
    DONE(doca_eth_txq_create(w->dev, DEPTH, &w->txq));
    struct doca_ctx *ctx = doca_eth_txq_as_doca_ctx(w->txq);
    DONE(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    CHECK(doca_eth_txq_gpu_event_error_send_packet_register(w->txq, NULL, data) ==
          DOCA_ERROR_INVALID_VALUE);
    DONE(doca_eth_txq_gpu_event_error_send_packet_register(w->txq, on_failed, data));
    DONE(doca_eth_txq_gpu_event_notify_send_packet_register(w->txq, on_sent, data));
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG); /* without an engine */
    DONE(doca_pe_connect_ctx(pe, ctx));
    DONE(doca_ctx_start(ctx));
    CHECK(doca_eth_txq_gpu_event_error_send_packet_register(w->txq, on_failed, data) ==
          DOCA_ERROR_BAD_STATE);
    DONE(doca_eth_txq_get_gpu_handle(w->txq, &w->sends));
    return pe;
}

__global__ void send_without_looking(struct doca_gpu_eth_txq *txq, uint8_t *packets, uint32_t key)
{
    doca_gpu_dev_eth_ticket_t ticket;
    for (int i = 0; i < ROUNDS; i++)
        doca_gpu_dev_eth_txq_send<DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU,
                                  DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU,
                                  DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                  DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            txq, (uint64_t)packets + threadIdx.x * SLOT, key, SIZE,
            DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
}

/* Receives frames in a kernel, and waits for its end. Nothing is freed: that waits for other kernels, too. */
static void receive_some(const struct world *w, uint32_t count)
{
    struct seen *seen;
    cudaStream_t stream;
    int *wrong = wrong_word();
    OK(cudaMallocManaged(&seen, sizeof *seen));
    memset(seen, 0, sizeof *seen);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    receive<B><<<1, 32, 0, stream>>>(w->receives, count, seen, wrong);
    OK(cudaStreamSynchronize(stream));
    CHECK(*wrong == 0 && seen->disorder == 0);
}

static void the_cpu_gets_an_event_of_each_packet(struct world *w)
{
    struct events e = {w};
    cudaStream_t stream;
    uint16_t position;
    struct doca_pe *pe = open_reported_sends(w, &e);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    send_without_looking<<<1, THREADS, 0, stream>>>(w->sends, w->packets, w->key);
    receive_some(w, DEPTH); /* as many as have room for completions, which nobody took */
    CHECK(e.sent == 0 && cudaStreamQuery(stream) == cudaErrorNotReady);
    while (e.sent < THREADS * ROUNDS)
        doca_pe_progress(pe);
    receive_some(w, THREADS * ROUNDS - DEPTH);
    OK(cudaStreamSynchronize(stream));
    CHECK(e.failed == 0 && e.wrong == 0 && !doca_pe_progress(pe));
    CHECK(doca_eth_txq_gpu_event_notify_send_packet_get_position(e.last, &position) ==
          DOCA_ERROR_BAD_STATE);
    send_without_looking<<<1, 1, 0, stream>>>(w->sends, w->packets, ~w->key);
    OK(cudaStreamSynchronize(stream));
    while (e.failed < ROUNDS)
        doca_pe_progress(pe);
    CHECK(e.sent == THREADS * ROUNDS && e.wrong == 0);
    OK(cudaStreamDestroy(stream));
    close_sends(w);
    DONE(doca_pe_destroy(pe));
}

static void completions_of_kernels_are_no_events(struct world *w)
{
    struct events e = {w};
    union doca_data data;
    data.ptr = &e;
    DONE(doca_eth_txq_create(w->dev, DEPTH, &w->txq));
    struct doca_ctx *ctx = doca_eth_txq_as_doca_ctx(w->txq);
    DONE(doca_ctx_set_datapath_on_gpu(ctx, w->gpu));
    DONE(doca_eth_txq_gpu_set_completion_on_gpu(w->txq));
    DONE(doca_eth_txq_gpu_event_notify_send_packet_register(w->txq, on_sent, data));
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG);
    DONE(doca_eth_txq_destroy(w->txq));
}

/* Returns the megabytes of memory that the process has. */
static unsigned long resident()
{
    unsigned long all = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%lu %lu", &all, &pages) == 2);
    fclose(f);
    return pages / 256;
}

static void memory_that_nobody_uses_is_not_there(const struct world *w)
{
    void *at;
    const unsigned long before = resident();
    struct doca_mmap *mmap_ =
        gpu_map_new(w->gpu, w->dev, (size_t)512 << 20, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &at);
    CHECK(resident() < before + 64);
    DONE(doca_mmap_destroy(mmap_));
    DONE(doca_gpu_mem_free(w->gpu, at));
}

/* ---- The largest ring ---- */

enum { LARGE = 65536 };

__global__ void receive_rest(struct doca_gpu_eth_rxq *rxq, uint32_t *count)
{
    uint64_t first;
    doca_gpu_dev_eth_rxq_recv(rxq, 0, 1000, &first, count, NULL);
}

/* More frames than the ring holds come before any is received: the rest waits in the port. */
static void the_largest_ring_keeps_the_order(struct world *w)
{
    int *wrong = wrong_word();
    uint32_t *count = (uint32_t *)wrong_word();
    const uint32_t all = LARGE + THREADS * ROUNDS;
    open_sends(w, false);
    for (uint32_t sent = 0; sent < all; sent += THREADS * ROUNDS) {
        send_without_looking<<<1, THREADS>>>(w->sends, w->packets, w->key);
        OK(cudaDeviceSynchronize());
    }
    receive_some(w, all);
    receive_rest<<<1, 1>>>(w->receives, count);
    OK(cudaDeviceSynchronize());
    CHECK(*wrong == 0 && *count == 0);
    CHECK((exchange<B, B>(w, 0).disorder) == 0);
    close_sends(w);
    puts("good");
}

static void failures_are_completions(struct world *w)
{
    int *result = wrong_word();
    CHECK(send_in_new_queue(w, ~w->key, SIZE) == DOCA_ERROR_IO_FAILED);
    CHECK(send_in_new_queue(w, w->key, SLOT + 1) == DOCA_SUCCESS);
    receive_failure<<<1, 1>>>(w->receives, result);
    OK(cudaDeviceSynchronize());
    CHECK(*result == DOCA_ERROR_IO_FAILED);
}

int main(int argc, char **argv)
{
    struct world w;
    const bool large = argc > 1 && strcmp(argv[1], "large") == 0;
    memset(&w, 0, sizeof w);
    open_device(&w.dev, &w.gpu);
    open_receives(&w, large ? LARGE : DEPTH);
    steer(&w);
    write_packets(&w);
    if (large) {
        the_largest_ring_keeps_the_order(&w);
        return 0;
    }
    memory_that_nobody_uses_is_not_there(&w);
    no_frame_is_no_error(&w);
    open_sends(&w, false);
    CHECK((exchange<B, B>(&w, 0).disorder) == 0);
    exchange<W, T>(&w, 0);
    exchange<T, W>(&w, 0);
    frames_leave_at_their_time(&w);
    close_sends(&w);
    the_cpu_rings_the_doorbell(&w);
    the_cpu_gets_an_event_of_each_packet(&w);
    completions_of_kernels_are_no_events(&w);
    failures_are_completions(&w);
    CHECK(doca_gpu_destroy(w.gpu) == DOCA_SUCCESS);
    DONE(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(w.rxq)));
    DONE(doca_eth_rxq_destroy(w.rxq));
    puts("good");
    return 0;
}
