/* Any bytes in the rings that kernels of a GPU fill: copies of DOCA DMA, operations and receives of DOCA
 * RDMA, works of queue pairs of DOCA Verbs, and sends of DOCA Ethernet. The threads of the NIC are played
 * by the fuzzer, so each input has the same effects. An input begins with the kind of ring and two
 * numbers of posted places; then places to patch with a key or an address that is valid; the rest is the
 * ring. */
#include <doca_dma.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_gpunetio_eth_def.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "api/doca/core/core.h"
#include "api/doca/core/gpu.h"
#include "api/doca/verbs/gpu_queues.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 0x4000, DATA = 0x1000, PATCHES = 8, PLACES = 16 };

/* What an input says. */
struct input {
    uint8_t kind, how;
    uint16_t posted[2];
    struct dpk_reader ring;
};

static struct {
    struct doca_dev *dev;
    struct dpk_dev *device;
    struct doca_gpu *gpu;
    struct doca_mmap *map, *remote;
    struct doca_umem *umem;
    struct doca_uar *uar;
    struct ibv_pd *pd;
    union ibv_gid gid;
    uint32_t key, remote_key;
    uint32_t numbers[2]; /* of the queues of an input */
} world;
static uint8_t data_memory[DATA] __attribute__((aligned(4096))); /* that operations name */
static uint8_t memory[MEMORY] __attribute__((aligned(4096)));    /* rings of queue pairs */

static void done(doca_error_t result)
{
    if (result != DOCA_SUCCESS)
        abort();
}

/* ---- The threads of the NIC, in place of gpu_server.c and gpu_doorbells.c ---- */

struct dpk_gpu_server {
    void (*serve)(void *context, const atomic_bool *ends);
    void *context;
    struct dpk_gpu_server *next;
};
static struct dpk_gpu_server *servers;
static LIST_HEAD(, dpk_gpu_doorbell) doorbells = LIST_HEAD_INITIALIZER(doorbells);

struct dpk_gpu_server *dpk_gpu_server_start(struct doca_gpu_bell *bell,
                                            void (*serve)(void *context, const atomic_bool *ends),
                                            void *context)
{
    struct dpk_gpu_server *s = calloc(1, sizeof *s);
    (void)bell;
    if (!s)
        abort();
    *s = (struct dpk_gpu_server){.serve = serve, .context = context, .next = servers};
    return servers = s;
}

void dpk_gpu_server_end(struct dpk_gpu_server *server)
{
    struct dpk_gpu_server **at = &servers;
    while (server && *at != server)
        at = &(*at)->next;
    if (server)
        *at = server->next;
    free(server);
}

void dpk_gpu_ring(struct doca_gpu_bell *bell)
{
    bell->rings++;
}

struct doca_gpu_bell *dpk_gpu_doorbells(void)
{
    static struct doca_gpu_bell bell;
    return &bell;
}

bool dpk_gpu_doorbell_add(struct dpk_gpu_doorbell *d)
{
    LIST_INSERT_HEAD(&doorbells, d, link);
    return true;
}

void dpk_gpu_doorbell_remove(struct dpk_gpu_doorbell *d)
{
    LIST_REMOVE(d, link);
}

static void serve(void)
{
    const atomic_bool ends = false;
    struct dpk_gpu_doorbell *d;
    for (struct dpk_gpu_server *s = servers; s; s = s->next)
        s->serve(s->context, &ends);
    LIST_FOREACH(d, &doorbells, link)
    d->look(d->context);
}

/* ---- The GPU ---- */

static void *gpu_alloc(size_t size)
{
    const size_t whole = (size + 4095) & ~(size_t)4095;
    void *at = aligned_alloc(4096, whole);
    return at ? memset(at, 0, whole) : NULL;
}

static void *gpu_bus(const void *at)
{
    return (void *)(uintptr_t)at;
}

static bool gpu_has(const void *at, size_t size)
{
    return at == memory && size == MEMORY;
}

static bool gpu_runs(void)
{
    return true;
}

static const struct dpk_gpu_ops gpu_ops = {
    .alloc = gpu_alloc, .free = free, .bus = gpu_bus, .has = gpu_has, .runs = gpu_runs};

/* ---- The device, one for all inputs ---- */

static void open_device(void)
{
    const char *wanted = getenv("FUZZ_WIRED");
    struct doca_devinfo **list;
    uint32_t count = 0;
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    done(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !world.dev; i++)
        if (wanted && doca_devinfo_get_ibdev_name(list[i], name, sizeof name) == DOCA_SUCCESS &&
            strcmp(name, wanted) == 0)
            done(doca_dev_open(list[i], &world.dev));
    done(doca_devinfo_destroy_list(list));
    world.device = dpk_object_pin(world.dev, &dpk_dev_kind);
    if (!world.device)
        abort();
}

static void open_memory(void)
{
    const uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE |
                            DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_ATOMIC;
    const void *bytes;
    size_t size;
    done(doca_mmap_create(&world.map));
    done(doca_mmap_add_dev(world.map, world.dev));
    done(doca_mmap_set_permissions(world.map, rights));
    done(doca_mmap_set_memrange(world.map, data_memory, DATA));
    done(doca_mmap_start(world.map));
    done(doca_mmap_get_mkey(world.map, world.dev, &world.key));
    done(doca_mmap_export_rdma(world.map, world.dev, &bytes, &size));
    done(doca_mmap_create_from_export(NULL, bytes, size, world.dev, &world.remote));
    done(doca_mmap_get_mkey(world.remote, world.dev, &world.remote_key));
    done(doca_umem_gpu_create(world.gpu, world.dev, memory, MEMORY, rights, &world.umem));
    done(doca_uar_create(world.dev, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &world.uar));
}

static void open_world(void)
{
    if (world.dev)
        return;
    struct doca_log_backend *log;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        abort();
    done(doca_log_backend_create_with_file_sdk(nowhere, &log));
    done(doca_log_backend_set_sdk_level(log, DOCA_LOG_LEVEL_DISABLE));
    open_device();
    done(dpk_gpu_new(&gpu_ops, &world.gpu));
    open_memory();
    world.pd = dpk_dev_alloc_pd(world.device->context);
    if (!world.pd || dpk_emulated_11.query_gid(world.device->context, 1, 0, &world.gid) != 0)
        abort();
}

/* ---- Inputs ---- */

/* Copies the ring of an input to an area, and patches it. */
static void fill(struct input *in, uint8_t *area, size_t size)
{
    struct {
        uint16_t at;
        uint8_t what, offset;
    } patches[PATCHES];
    for (unsigned i = 0; i < PATCHES; i++) {
        patches[i].at = dpk_read_le16(&in->ring);
        patches[i].what = dpk_read_u8(&in->ring);
        patches[i].offset = dpk_read_u8(&in->ring);
    }
    const size_t left = dpk_reader_left(&in->ring);
    if (left > 0)
        memcpy(area, in->ring.pos, left < size ? left : size);
    for (unsigned i = 0; i < PATCHES; i++) {
        const uint64_t address = (uintptr_t)data_memory + 16u * patches[i].offset;
        const uint64_t swapped = htobe64(address);
        const uint32_t keys[2] = {htobe32(world.key), htobe32(world.remote_key)};
        const uint32_t number = /* and the number of segments */
            htobe32(world.numbers[patches[i].offset >> 7] << 8 | (patches[i].offset & 63));
        const void *const what[] = {&keys[0], &keys[1], &address, &swapped, &number};
        const size_t sizes[] = {4, 4, 8, 8, 4};
        const unsigned kind = patches[i].what - 1u;
        if (kind < 5 && patches[i].at <= size - sizes[kind])
            memcpy(area + patches[i].at, what[kind], sizes[kind]);
    }
}

/* The number of posted places: few, or any number. */
static unsigned long long posted(const struct input *in, unsigned which)
{
    return in->how >> which & 1 ? in->posted[which] * 0x0001000100010001ull : in->posted[which];
}

static void stop(struct doca_ctx *ctx)
{
    done(doca_ctx_stop(ctx));
}

static void start_on_gpu(struct doca_ctx *ctx)
{
    done(doca_ctx_set_datapath_on_gpu(ctx, world.gpu));
    done(doca_ctx_start(ctx));
}

static void copies(struct input *in)
{
    struct doca_dma *dma;
    struct doca_gpu_dma *handle;
    done(doca_dma_create(world.dev, &dma));
    start_on_gpu(doca_dma_as_ctx(dma));
    done(doca_dma_get_gpu_handle(dma, &handle));
    fill(in, (uint8_t *)handle->copies, PLACES * sizeof *handle->copies);
    handle->ring.posted = posted(in, 0);
    serve();
    stop(doca_dma_as_ctx(dma));
    done(doca_dma_destroy(dma));
}

/* ---- DOCA RDMA: a context and its peer ---- */

static void open_rdma(struct doca_rdma **rdma, struct doca_gpu_dev_rdma **handle)
{
    done(doca_rdma_create(world.dev, rdma));
    done(doca_rdma_set_permissions(*rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_READ));
    done(doca_rdma_set_send_queue_size(*rdma, PLACES));
    done(doca_rdma_set_recv_queue_size(*rdma, PLACES));
    done(doca_rdma_set_max_num_connections(*rdma, 1));
    start_on_gpu(doca_rdma_as_ctx(*rdma));
    done(doca_rdma_get_gpu_handle(*rdma, handle));
}

static void operations(struct input *in)
{
    struct doca_rdma *side[2];
    struct doca_gpu_dev_rdma *handle[2];
    struct doca_rdma_connection *connection[2];
    const void *bytes[2];
    size_t size[2];
    uint8_t area[PLACES *
                 (sizeof(struct doca_gpu_rdma_receive) + sizeof(struct doca_gpu_rdma_op))] = {0};
    for (unsigned i = 0; i < 2; i++)
        open_rdma(&side[i], &handle[i]);
    for (unsigned i = 0; i < 2; i++)
        done(doca_rdma_export(side[i], &bytes[i], &size[i], &connection[i]));
    for (unsigned i = 0; i < 2; i++)
        done(doca_rdma_connect(side[i], bytes[1 - i], size[1 - i], connection[i]));
    fill(in, area, sizeof area);
    const size_t receives = PLACES * sizeof *handle[1]->receives.buffers;
    memcpy(handle[1]->receives.buffers, area, receives);
    memcpy(handle[0]->connections[0]->ops, area + receives,
           PLACES * sizeof *handle[0]->connections[0]->ops);
    handle[1]->receives.ring.posted = posted(in, 1);
    serve();
    handle[0]->connections[0]->ring.posted = posted(in, 0);
    serve();
    for (unsigned i = 0; i < 2; i++) {
        stop(doca_rdma_as_ctx(side[i]));
        done(doca_rdma_destroy(side[i]));
    }
}

/* ---- DOCA Verbs: two queue pairs with one completion queue ---- */

enum { RINGS = 0x800, RING = 0x800, RECORDS = 0x500 };

static void change(struct gpu_qp *qp, uint32_t peer)
{
    struct ibv_qp_attr a = {.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                               IBV_ACCESS_REMOTE_ATOMIC,
                            .port_num = 1,
                            .path_mtu = IBV_MTU_1024,
                            .dest_qp_num = peer,
                            .max_dest_rd_atomic = 1,
                            .max_rd_atomic = 1,
                            .ah_attr = {.is_global = 1, .port_num = 1, .grh.dgid = world.gid}};
    static const int masks[] = {
        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
            IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
            IBV_QP_MAX_QP_RD_ATOMIC};
    static const enum ibv_qp_state states[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};
    for (unsigned i = 0; i < 3; i++) {
        a.qp_state = states[i];
        done(verbs_gpu_qp_modify(qp, &a, masks[i]));
    }
}

/* Writes the numbers of receives and of sends into a doorbell record. */
static void ring(unsigned record, uint16_t receives, uint16_t sends)
{
    dpk_store_be32(memory + RECORDS + record * GPU_RECORD, receives);
    dpk_store_be32(memory + RECORDS + record * GPU_RECORD + 4, sends);
}

static void pairs(struct input *in)
{
    struct gpu_cq *cq;
    struct gpu_qp *qp[2];
    memset(memory, 0, MEMORY);
    done(verbs_gpu_cq_new(world.device->context, PLACES, true, world.umem, 0, &cq));
    for (unsigned i = 0; i < 2; i++) {
        const struct qp_init_attr a = {.sq_wr = PLACES,
                                       .rq_wr = PLACES,
                                       .receive_max_sges = 1,
                                       .external_uar = world.uar,
                                       .external_umem = world.umem,
                                       .external_umem_offset = RINGS + i * RING,
                                       .external_dbr_umem = world.umem,
                                       .external_dbr_umem_offset = RECORDS + i * GPU_RECORD};
        done(verbs_gpu_qp_new(world.pd, &a, cq, cq, &qp[i]));
        world.numbers[i] = verbs_gpu_qp_facts(qp[i]).number;
    }
    for (unsigned i = 0; i < 2; i++)
        change(qp[i], world.numbers[in->how & 4 ? i : 1 - i]);
    fill(in, memory, MEMORY);
    memset(memory + RECORDS, 0, 2 * GPU_RECORD);
    ring(1, in->posted[1], 0);
    serve();
    ring(0, in->how, in->posted[0]);
    serve();
    ring(1, in->posted[1], in->posted[0] >> 8);
    serve();
    verbs_gpu_qp_free(qp[0]);
    verbs_gpu_qp_free(qp[1]);
    verbs_gpu_cq_free(cq);
}

/* ---- DOCA Ethernet: a send queue ---- */

static void failed(struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data user)
{
    uint16_t position;
    (void)user;
    done(doca_eth_txq_gpu_event_error_send_packet_get_position(event, &position));
}

static void sent(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data user)
{
    uint64_t time;
    (void)user;
    done(doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(event, &time));
}

/* Lets the CPU get events of sends. */
static void listen(struct doca_eth_txq *txq, struct doca_pe **pe)
{
    const union doca_data none = {0};
    done(doca_pe_create(pe));
    done(doca_pe_connect_ctx(*pe, doca_eth_txq_as_doca_ctx(txq)));
    done(doca_eth_txq_gpu_event_error_send_packet_register(txq, failed, none));
    done(doca_eth_txq_gpu_event_notify_send_packet_register(txq, sent, none));
}

/* Completions are in memory of the GPU, too: kernels may write them. */
static void take_events(const struct input *in, struct doca_gpu_eth_txq *handle, struct doca_pe *pe)
{
    const size_t size = PLACES * DPK_CQE, left = dpk_reader_left(&in->ring);
    if (in->how & 16 && left > 0)
        memcpy(handle->completions, in->ring.pos, left < size ? left : size);
    for (unsigned i = 0; i < 2 * PLACES; i++)
        doca_pe_progress(pe);
}

static void sends(struct input *in)
{
    struct doca_eth_txq *txq;
    struct doca_gpu_eth_txq *handle;
    struct doca_pe *pe = NULL;
    done(doca_eth_txq_create(world.dev, PLACES, &txq));
    if (in->how & 4)
        done(doca_eth_txq_gpu_set_completion_on_gpu(txq));
    else
        listen(txq, &pe);
    if (in->how & 8)
        done(doca_eth_txq_gpu_set_uar_on_cpu(txq));
    start_on_gpu(doca_eth_txq_as_doca_ctx(txq));
    done(doca_eth_txq_get_gpu_handle(txq, &handle));
    world.numbers[0] = world.numbers[1] = handle->number >> 8;
    fill(in, (uint8_t *)handle->wqes, PLACES * 64);
    handle->bell->posted = posted(in, 0);
    serve();
    if (pe)
        take_events(in, handle, pe);
    handle->bell->proxied = posted(in, 1);
    (void)doca_eth_txq_gpu_cpu_proxy_progress(txq); /* refused unless the CPU rings the doorbell */
    serve();
    stop(doca_eth_txq_as_doca_ctx(txq));
    done(doca_eth_txq_destroy(txq));
    if (pe)
        done(doca_pe_destroy(pe));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void (*const kinds[])(struct input *) = {copies, operations, pairs, sends};
    struct input in = {.ring = dpk_reader(bytes, size)};
    in.kind = dpk_read_u8(&in.ring);
    in.how = dpk_read_u8(&in.ring);
    in.posted[0] = dpk_read_le16(&in.ring);
    in.posted[1] = dpk_read_le16(&in.ring);
    open_world();
    kinds[in.kind % 4](&in);
    return 0;
}
