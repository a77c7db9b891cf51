/* Rings in memory of this process, and their completions (struct mlx5_cqe64). */
#include <string.h>

#include "eth.h"

#define CQE_LAST     8u /* the last 8 bytes of a completion make it valid */
#define CQE_VALIDITY 63u
#define CQE_INVALID  0xf1u /* MLX5_CQE_INVALID, with an owner bit that the first round lacks */
enum { CQE_REQUEST_ERROR = 13, CQE_RESPONSE_ERROR = 14 };
enum { CHECKED_L3 = 2, CHECKED_L4 = 4, L3_HEADERS = 3 << 2, L4_HEADERS = 7 << 4 };

/* ---- Callbacks of the port ---- */

static bool load(const struct dpk_nic_memory *memory, uint64_t address, void *to, size_t size)
{
    const uint8_t *from = ((const struct eth_memory *)memory)->bytes + address;
    if (size == sizeof(uint32_t)) { /* a doorbell record */
        const uint32_t word =
            __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &word, sizeof word);
    } else {
        memcpy(to, from, size);
    }
    return true;
}

static bool store(const struct dpk_nic_memory *memory, uint64_t address, const void *from,
                  size_t size)
{
    uint8_t *to = ((const struct eth_memory *)memory)->bytes + address;
    uint64_t last;
    if (size == CQE_LAST) {
        memcpy(&last, from, sizeof last);
        __atomic_store_n((uint64_t *)(void *)to, last, __ATOMIC_RELEASE);
    } else {
        memcpy(to, from, size);
    }
    return true;
}

static struct dpk_trigger *completed(struct dpk_nic_listener *listener, unsigned count, bool event)
{
    const struct eth_rings *r = (struct eth_rings *)listener;
    (void)count;
    (void)event;
    if (!r->silent)
        dpk_ctx_notify(r->ctx);
    return NULL;
}

static bool listens(const struct dpk_nic_listener *listener)
{
    (void)listener;
    return true;
}

/* ---- Life ---- */

static const struct dpk_nic_memory memory_ops = {.load = load, .store = store};

static void memory_free(struct eth_memory *m)
{
    if (m->gpu)
        m->gpu->ops->free(m->bytes);
    else
        free(m->bytes);
    dpk_object_drop(m->gpu);
    m->gpu = NULL;
    m->bytes = NULL;
}

static bool memory_new(struct eth_memory *m, size_t size, struct dpk_gpu *gpu)
{
    m->ops = memory_ops;
    if (m->bytes && m->size == size && m->gpu == gpu) {
        memset(m->bytes, 0, size);
        return true;
    }
    memory_free(m);
    m->size = size;
    if (gpu)
        dpk_object_hold(m->gpu = gpu);
    m->bytes = gpu ? gpu->ops->alloc(size)
                   : aligned_alloc(DPK_WQEBB, (size + DPK_WQEBB - 1) & ~(size_t)(DPK_WQEBB - 1));
    if (m->bytes)
        memset(m->bytes, 0, size);
    return m->bytes != NULL;
}

static bool memories_new(struct eth_rings *r)
{
    const size_t depth = (size_t)1 << r->log_depth;
    if (!memory_new(&r->ring, depth << r->log_size, r->gpu) ||
        !memory_new(&r->completions, depth * DPK_CQE, r->gpu) ||
        !memory_new(&r->record, DPK_WQEBB, r->gpu) ||
        !memory_new(&r->consumed_record, DPK_WQEBB, r->gpu))
        return false;
    for (size_t i = 0; i < depth; i++)
        r->completions.bytes[i * DPK_CQE + CQE_VALIDITY] = CQE_INVALID;
    return true;
}

static enum dpk_status queues_new(struct eth_rings *r, const struct dpk_dev *dev,
                                  enum dpk_queue_kind kind, struct dpk_error *err)
{
    const struct dpk_queue_options cq = {.kind = DPK_CQ,
                                         .log_depth = r->log_depth,
                                         .ring.memory = &r->completions,
                                         .record.memory = &r->consumed_record,
                                         .overrun_ignore = r->gpu && kind == DPK_SQ,
                                         .user = r};
    enum dpk_status status = dpk_queue_create(r->nic, &cq, &r->cq, err);
    const struct dpk_queue_options queue = {.kind = kind,
                                            .log_depth = r->log_depth,
                                            .log_stride = r->log_size,
                                            .ring.memory = &r->ring,
                                            .record.memory = &r->record,
                                            .send_cq = r->cq,
                                            .receive_cq = r->cq,
                                            .domain = dev->domain,
                                            .timed_sends = r->timed,
                                            .user = r};
    return status == DPK_OK ? dpk_queue_create(r->nic, &queue, &r->queue, err) : status;
}

doca_error_t eth_outside(unsigned number, unsigned least, unsigned most)
{
    return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u is not one of %u to %u", number, least,
                            most);
}

doca_error_t eth_not_running(void)
{
    return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is not running");
}

doca_error_t eth_no_id(const struct dpk_ctx *ctx, bool has_id)
{
    return has_id ? dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue has an id already")
                  : dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be running",
                                     dpk_ctx_state_name(ctx));
}

doca_error_t eth_rings_open(struct eth_rings *r, struct dpk_dev_ctx *ctx, enum dpk_queue_kind kind,
                            uint32_t entries, unsigned log_size)
{
    struct dpk_error err = {0};
    r->listener = (struct dpk_nic_listener){.completed = completed, .listens = listens};
    r->ctx = &ctx->ctx;
    r->log_depth = 0;
    r->log_size = log_size;
    atomic_store(&r->consumed, 0);
    r->posted = r->released = 0;
    while (1u << r->log_depth < entries)
        r->log_depth++;
    const uint32_t most = r->gpu && kind == DPK_RQ ? ETH_GPU_MAX : ETH_DEPTH_MAX;
    if (entries == 0 || entries > most)
        return eth_outside(entries, 1, most);
    if (!(r->nic = dpk_nic_queues(ctx->dev->context)) || !dpk_nic_wired(ctx->dev->context))
        return dpk_doca_because(DOCA_ERROR_OPERATING_SYSTEM, "the device's port does not work");
    doca_error_t result = memories_new(r) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS && queues_new(r, ctx->dev, kind, &err) != DPK_OK)
        result = dpk_doca_because(dpk_doca_error(err.status), "%s", err.message);
    if (result != DOCA_SUCCESS)
        eth_rings_close(r);
    return result;
}

void eth_rings_close(struct eth_rings *r)
{
    dpk_queue_destroy(r->queue, NULL);
    dpk_queue_destroy(r->cq, NULL);
    r->queue = r->cq = NULL;
}

void eth_rings_free(struct eth_rings *r)
{
    struct eth_memory *const all[] = {&r->ring, &r->completions, &r->record, &r->consumed_record};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(all[i]);
}

/* ---- Entries ---- */

uint8_t *eth_entry(const struct eth_rings *r, uint16_t index)
{
    return r->ring.bytes + ((size_t)(index & ((1u << r->log_depth) - 1)) << r->log_size);
}

void eth_rings_release(struct eth_rings *r)
{
    uint8_t word[sizeof(uint32_t)];
    uint32_t record;
    r->released = r->posted;
    dpk_store_be32(word, r->posted);
    memcpy(&record, word, sizeof record);
    __atomic_store_n((uint32_t *)(void *)r->record.bytes, record, __ATOMIC_RELEASE);
}

void eth_write_pointer(uint8_t *segment, const struct dpk_memory_access *at)
{
    dpk_store_be32(segment, (uint32_t)at->size);
    dpk_store_be32(segment + 4, at->key);
    dpk_store_be64(segment + 8, at->address);
}

/* ---- Completions ---- */

static const uint8_t *completion_at(const struct eth_rings *r, uint32_t number)
{
    return r->completions.bytes + (size_t)(number & ((1u << r->log_depth) - 1)) * DPK_CQE;
}

static bool is_there(const struct eth_rings *r, uint32_t number)
{
    uint64_t last;
    uint8_t bytes[sizeof last];
    const uint8_t *cqe = completion_at(r, number);
    last = __atomic_load_n((const uint64_t *)(const void *)(cqe + DPK_CQE - CQE_LAST),
                           __ATOMIC_ACQUIRE);
    memcpy(bytes, &last, sizeof last);
    const uint8_t validity = bytes[sizeof bytes - 1];
    return validity >> 4 != CQE_INVALID >> 4 && (validity & 1) == (number >> r->log_depth & 1);
}

bool eth_rings_have(const struct eth_rings *r, uint32_t count)
{
    return is_there(r, atomic_load(&r->consumed) + count - 1);
}

static uint32_t get32(const uint8_t *at)
{
    struct dpk_reader r = dpk_reader(at, sizeof(uint32_t));
    return dpk_read_be32(&r);
}

static struct eth_completion parse(const uint8_t cqe[DPK_CQE])
{
    const unsigned opcode = cqe[CQE_VALIDITY] >> 4;
    const bool failed = opcode == CQE_REQUEST_ERROR || opcode == CQE_RESPONSE_ERROR;
    return (struct eth_completion){
        .index = (uint16_t)(cqe[60] << 8 | cqe[61]),
        .failed = failed,
        .flushed = failed && cqe[55] == DPK_RC_FLUSHED,
        .l3_ok = cqe[29] & L3_HEADERS && cqe[28] & CHECKED_L3,
        .l4_ok = cqe[29] & L4_HEADERS && cqe[28] & CHECKED_L4,
        .size = get32(cqe + 44),
        .hash = get32(cqe + 12),
        .tag = get32(cqe + 56) & 0xffffff,
        .metadata = get32(cqe + 36),
        .time = (uint64_t)get32(cqe + 48) << 32 | get32(cqe + 52),
    };
}

bool eth_rings_poll(struct eth_rings *r, struct eth_completion *out)
{
    const uint32_t number = atomic_load(&r->consumed);
    uint8_t word[sizeof(uint32_t)];
    uint32_t record;
    if (!r->cq || !is_there(r, number))
        return false;
    *out = parse(completion_at(r, number));
    atomic_store(&r->consumed, number + 1);
    dpk_store_be32(word, (number + 1) & 0xffffff);
    memcpy(&record, word, sizeof record);
    __atomic_store_n((uint32_t *)(void *)r->consumed_record.bytes, record, __ATOMIC_RELEASE);
    return true;
}
