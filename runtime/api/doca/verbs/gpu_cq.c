/* Memory of rings for kernels, and their completion queues. The port reads and writes the rings as a card does. */
#include <string.h>

#include "api/nic/nic.h"
#include "gpu_queues.h"

#define ENTRIES_MAX (1u << 22)

/* ---- Memory ---- */

static bool is_inside(const struct gpu_memory *m, uint64_t address, size_t size)
{
    return address <= m->size && size <= m->size - address;
}

static bool load(const struct dpk_nic_memory *memory, uint64_t address, void *to, size_t size)
{
    const struct gpu_memory *m = (const struct gpu_memory *)memory;
    if (!is_inside(m, address, size))
        return false;
    const uint8_t *from = m->place.bytes + address;
    if (size == sizeof(uint32_t) && (uintptr_t)from % sizeof(uint32_t) == 0) { /* of a record */
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
    const struct gpu_memory *m = (const struct gpu_memory *)memory;
    uint64_t last;
    if (!is_inside(m, address, size))
        return false;
    uint8_t *to = m->place.bytes + address;
    if (size == sizeof last && (uintptr_t)to % sizeof last == 0) { /* it makes a CQE valid */
        memcpy(&last, from, sizeof last);
        __atomic_store_n((uint64_t *)(void *)to, last, __ATOMIC_RELEASE);
    } else {
        memcpy(to, from, size);
    }
    return true;
}

bool verbs_gpu_memory_find(struct gpu_memory *m, const struct doca_umem *umem, uint64_t offset,
                           uint64_t size)
{
    m->ops = (struct dpk_nic_memory){.load = load, .store = store};
    m->size = size;
    return dpk_umem_find(umem, offset, size, &m->place);
}

unsigned verbs_gpu_log2(uint32_t least)
{
    unsigned log = 0;
    while (1u << log < least)
        log++;
    return log;
}

doca_error_t verbs_gpu_error(const struct dpk_error *err)
{
    return err->status == DPK_ERR_NOMEM
               ? DOCA_ERROR_NO_MEMORY
               : dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%s", err->message);
}

/* ---- Callbacks of the port ---- */

static struct dpk_trigger *completed(struct dpk_nic_listener *listener, unsigned count, bool event)
{
    (void)listener;
    (void)count;
    (void)event;
    return NULL; /* kernels poll */
}

static bool listens(const struct dpk_nic_listener *listener)
{
    (void)listener;
    return true;
}

/* ---- Completion queues ---- */

doca_error_t verbs_gpu_cq_new(struct ibv_context *context, uint32_t entries, bool overruns,
                              const struct doca_umem *umem, uint64_t offset, struct gpu_cq **out)
{
    struct dpk_error err = {0};
    if (entries > ENTRIES_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u entries, not at most %u", entries,
                                ENTRIES_MAX);
    struct gpu_cq *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    q->listener = (struct dpk_nic_listener){.completed = completed, .listens = listens};
    q->log_depth = verbs_gpu_log2(entries);
    const uint64_t ring = (uint64_t)DPK_CQE << q->log_depth;
    struct dpk_queues *nic = dpk_nic_queues(context);
    doca_error_t result = DOCA_SUCCESS;
    if (!nic)
        result = dpk_doca_because(DOCA_ERROR_DRIVER, "the port of the device does not work");
    else if (!verbs_gpu_memory_find(&q->memory, umem, offset, ring + GPU_RECORD))
        result = dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the memory has no %llu bytes, for %u completions and a doorbell "
                                  "record, from offset %llu on",
                                  (unsigned long long)ring + GPU_RECORD, 1u << q->log_depth,
                                  (unsigned long long)offset);
    const struct dpk_queue_options o = {.kind = DPK_CQ,
                                        .log_depth = q->log_depth,
                                        .ring.memory = &q->memory,
                                        .record = {.memory = &q->memory, .address = ring},
                                        .overrun_ignore = overruns,
                                        .user = q};
    if (result == DOCA_SUCCESS && dpk_queue_create(nic, &o, &q->queue, &err) != DPK_OK)
        result = verbs_gpu_error(&err);
    if (result == DOCA_SUCCESS)
        *out = q;
    else
        free(q);
    return result;
}

void verbs_gpu_cq_free(struct gpu_cq *q)
{
    if (!q)
        return;
    dpk_queue_destroy(q->queue, NULL); /* queue pairs are its users: they are gone */
    free(q);
}

struct gpu_cq_facts verbs_gpu_cq_facts(const struct gpu_cq *q)
{
    const uint64_t ring = q->memory.place.address;
    return (struct gpu_cq_facts){.number = dpk_queue_number(q->queue),
                                 .entries = 1u << q->log_depth,
                                 .ring = ring,
                                 .record = ring + ((uint64_t)DPK_CQE << q->log_depth)};
}
