/* Memory of queues, and completion queues (struct cqc). */
#include <stdlib.h>

#include "net/queues/queues.h"
#include "queue.h"
#include "rdma/registered/registered.h"

/* ---- Memory ---- */

static bool load(const struct dpk_nic_memory *memory, uint64_t address, void *to, size_t size)
{
    const struct devx_memory *m = (const struct devx_memory *)memory;
    return dpk_memory_read(&(struct dpk_memory_access){m->umem, DPK_MEMORY_READ, address, size,
                                                       &dpk_verbs_device(m->context)->umems},
                           to);
}

static bool store(const struct dpk_nic_memory *memory, uint64_t address, const void *from,
                  size_t size)
{
    const struct devx_memory *m = (const struct devx_memory *)memory;
    return dpk_memory_write(&(struct dpk_memory_access){m->umem, DPK_MEMORY_WRITE, address, size,
                                                        &dpk_verbs_device(m->context)->umems},
                            from);
}

void devx_memory_init(struct devx_memory *m, struct ibv_context *context, uint32_t umem)
{
    *m = (struct devx_memory){{.load = load, .store = store}, context, umem};
}

/* ---- Completion queues ---- */

static struct dpk_trigger *completed(struct dpk_nic_listener *listener, unsigned count, bool event)
{
    (void)listener;
    (void)count;
    (void)event;
    return NULL; /* programs poll */
}

static bool listens(const struct dpk_nic_listener *listener)
{
    (void)listener;
    return true;
}

/* Fields of the command; those of the context begin at CONTEXT. */
enum {
    CONTEXT = 0x80,
    RECORD_VALID = CONTEXT + 0x06,
    ENTRY_SIZE = CONTEXT + 0x08,
    COLLAPSED = CONTEXT + 0x0b,
    OVERRUN_IGNORE = CONTEXT + 0x0e,
    RECORD_UMEM = CONTEXT + 0x20,
    LOG_SIZE = CONTEXT + 0x63,
    UAR_PAGE = CONTEXT + 0x68,
    RECORD_AT = CONTEXT + 0x1c0,
    RING_AT = 0x280,
    RING_UMEM = 0x2c0,
    RING_VALID = 0x2e0,
    SIZE = 0x300 / 8, /* bytes */
};

static int check(const struct devx_command *c, struct ibv_context *context)
{
    const uint32_t log = (uint32_t)devx_get(c->in, LOG_SIZE, 5);
    const uint32_t uar = (uint32_t)devx_get(c->in, UAR_PAGE, 24);
    const int why = devx_check_sizes(c, SIZE, DEVX_HEADER);
    if (why)
        return why;
    if (devx_get(c->in, ENTRY_SIZE, 3) != 0)
        return devx_refuse(c, DEVX_BAD_OPERATION, "completions have 64 bytes (cqe_sz)");
    if (!devx_get(c->in, RECORD_VALID, 1) || !devx_get(c->in, RING_VALID, 1))
        return devx_refuse(c, DEVX_BAD_PARAMETER,
                           "the ring and the doorbell record are not in umems (cq_umem_valid, "
                           "dbr_umem_valid)");
    if (log > DEVX_LOG_COMPLETIONS)
        return devx_refuse(c, DEVX_BAD_PARAMETER, "log_cq_size is %u, not at most %u", log,
                           DEVX_LOG_COMPLETIONS);
    if (!dpk_verbs_has_uar(dpk_verbs_device(context), uar))
        return devx_refuse(c, DEVX_BAD_RESOURCE, "the device has no UAR 0x%x", uar);
    return 0;
}

int devx_cq_create(const struct devx_command *c, struct ibv_context *context,
                   struct devx_queue **out)
{
    struct dpk_error err = {0};
    const int why = check(c, context);
    if (why)
        return why;
    struct dpk_queues *nic = dpk_nic_queues(context);
    struct devx_cq *cq = nic ? calloc(1, sizeof *cq) : NULL;
    if (!cq)
        return devx_refuse(c, DEVX_NO_RESOURCES,
                           nic ? "out of memory" : "the port of the device does not work");
    cq->listener = (struct dpk_nic_listener){.completed = completed, .listens = listens};
    devx_memory_init(&cq->q.ring, context, (uint32_t)devx_get(c->in, RING_UMEM, 32));
    devx_memory_init(&cq->q.record, context, (uint32_t)devx_get(c->in, RECORD_UMEM, 32));
    const struct dpk_queue_options o = {
        .kind = DPK_CQ,
        .log_depth = (unsigned)devx_get(c->in, LOG_SIZE, 5),
        .ring = {.memory = &cq->q.ring, .address = devx_get(c->in, RING_AT, 64)},
        .record = {.memory = &cq->q.record, .address = devx_get(c->in, RECORD_AT, 64)},
        .overrun_ignore = devx_get(c->in, OVERRUN_IGNORE, 1),
        .collapsed = devx_get(c->in, COLLAPSED, 1),
        .user = &cq->listener};
    if (dpk_queue_create(nic, &o, &cq->q.queue, &err) != DPK_OK) {
        free(cq);
        return devx_refuse(c, DEVX_BAD_PARAMETER, "%s", err.message);
    }
    *out = &cq->q;
    return 0;
}
