/* Access of the NIC to rings and threads of a process. */
#include "queue.h"

/* ---- Memory ---- */

static bool ring_load(const struct dpk_nic_memory *memory, uint64_t address, void *to, size_t size)
{
    const struct queue_memory *m = (const struct queue_memory *)memory;
    if (!m->host)
        return dpk_copy_out(m->process->dpa, to, address, size, NULL) == DPK_OK;
    return dpk_memory_read(
        &(struct dpk_memory_access){m->umem, DPK_MEMORY_READ, address, size,
                                    &dpk_verbs_device(m->process->context)->umems},
        to);
}

/* The last write of a completion makes it valid, and is atomic. */
static bool ring_store(const struct dpk_nic_memory *memory, uint64_t address, const void *from,
                       size_t size)
{
    const struct queue_memory *m = (const struct queue_memory *)memory;
    if (!m->host)
        return dpk_copy_in(m->process->dpa, address, from, size, NULL) == DPK_OK;
    return dpk_memory_write(
        &(struct dpk_memory_access){m->umem, DPK_MEMORY_WRITE, address, size,
                                    &dpk_verbs_device(m->process->context)->umems},
        from);
}

/* ---- Completions ---- */

static struct dpk_trigger *completed(struct dpk_nic_listener *listener, unsigned count, bool event)
{
    struct flexio_queue *cq = (struct flexio_queue *)listener;
    if (!cq->trigger)
        return NULL;
    if (!event && !cq->always_armed) {
        cq->signalled += count;
        return dpk_trigger_count(cq->trigger, count) ? cq->trigger : NULL;
    }
    for (; count > 0; count--) {
        dpk_trigger_arm(cq->trigger, cq->signalled++);
        dpk_trigger_signal(cq->trigger, 1);
    }
    return NULL;
}

static bool listens(const struct dpk_nic_listener *listener)
{
    const struct flexio_queue *cq = (const struct flexio_queue *)listener;
    return !cq->trigger || dpk_trigger_is_heard(cq->trigger);
}

/* ---- Queues ---- */

const struct dpk_nic_memory libflexio_queue_memory_ops = {.load = ring_load, .store = ring_store};
const struct dpk_nic_listener libflexio_queue_listener = {.completed = completed,
                                                          .listens = listens};

bool libflexio_queue_prepare(const char *call, struct flexio_process *process,
                             struct ibv_context *ibv_ctx, uint32_t uar)
{
    struct dpk_queues *nic = NULL;
    if (!process->context || (ibv_ctx && ibv_ctx != process->context))
        libflexio_failed_because("%s: queues are emulated on the process's own device only", call);
    else if (libflexio_uar_page(process, uar) == 0)
        libflexio_failed_because("%s: the process has no UAR 0x%x", call, uar);
    else if (!(nic = dpk_nic_queues(process->context)))
        libflexio_failed_because("%s: the device's port does not work", call);
    if (nic)
        process->nic = nic;
    return nic != NULL;
}
