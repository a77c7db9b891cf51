/* The NIC of an opened device: what its queues do with memory, threads and packets. */
#include <string.h>

#include "queue.h"

struct nic {
    struct dpk_queues *queues;
    struct ibv_context *context;
    struct packets *packets; /* NULL: the port is plugged into itself */
    struct retry *retry;
};

/* ---- Rings and records ---- */

/* Bytes of a umem, which stay until *out is released; NULL: not there. */
static uint8_t *umem_bytes(const struct queue_memory *m, uint64_t offset, size_t size, bool write,
                           const struct dpk_host_key **out)
{
    struct ibv_context *context = m->process->context;
    const struct dpk_host_key *key = *out = ibv_dpakit_key_acquire(context, m->umem);
    if (!key)
        return NULL;
    if (key->memory && key->address == 0 && (!write || key->access & IBV_ACCESS_LOCAL_WRITE) &&
        size <= key->length && offset <= key->length - size)
        return (uint8_t *)key->memory + offset;
    ibv_dpakit_key_release(key);
    return NULL;
}

/* Aligned words go in one piece, after what went before. */
static void load_bytes(void *to, const uint8_t *at, size_t size)
{
    if (size == sizeof(uint32_t) && (uintptr_t)at % size == 0) {
        uint32_t word = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
        memcpy(to, &word, sizeof word);
    } else {
        memcpy(to, at, size);
    }
}

static void store_bytes(uint8_t *at, const void *from, size_t size)
{
    if (size == sizeof(uint64_t) && (uintptr_t)at % size == 0) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        __atomic_store_n((uint64_t *)(void *)at, word, __ATOMIC_RELEASE);
    } else {
        memcpy(at, from, size);
    }
}

static bool ring_load(void *memory, uint64_t address, void *to, size_t size)
{
    const struct queue_memory *m = memory;
    if (!m->host)
        return dpk_copy_out(m->process->dpa, to, address, size, NULL) == DPK_OK;
    const struct dpk_host_key *key;
    const uint8_t *at = umem_bytes(m, address, size, false, &key);
    if (at) {
        load_bytes(to, at, size);
        ibv_dpakit_key_release(key);
    }
    return at != NULL;
}

/* What makes a completion valid goes last, in one piece. */
static bool ring_store(void *memory, uint64_t address, const void *from, size_t size)
{
    const struct queue_memory *m = memory;
    if (!m->host)
        return dpk_copy_in(m->process->dpa, address, from, size, NULL) == DPK_OK;
    const struct dpk_host_key *key;
    uint8_t *at = umem_bytes(m, address, size, true, &key);
    if (!at)
        return false;
    store_bytes(at, from, size);
    ibv_dpakit_key_release(key);
    return true;
}

/* ---- Memory by key ---- */

static bool allows(unsigned rights, unsigned access)
{
    static const struct {
        unsigned access, right;
    } needs[] = {{DPK_QUEUE_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE},
                 {DPK_QUEUE_REMOTE_READ, IBV_ACCESS_REMOTE_READ},
                 {DPK_QUEUE_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE},
                 {DPK_QUEUE_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (access & needs[i].access && !(rights & needs[i].right))
            return false;
    return true;
}

/* The key, which stays until ibv_dpakit_key_release, if it covers all of that. */
static const struct dpk_host_key *key_for(const struct nic *nic, const void *domain,
                                          uint32_t number, uint64_t address, uint64_t size,
                                          unsigned access)
{
    const struct dpk_host_key *key = ibv_dpakit_key_acquire(nic->context, number);
    if (!key)
        return NULL;
    if (key->pd == domain && allows(key->access, access) && address >= key->address &&
        size <= key->length && address - key->address <= key->length - size)
        return key;
    ibv_dpakit_key_release(key);
    return NULL;
}

static struct dpk_process *owner_of(const struct dpk_host_key *key)
{
    return ((struct flexio_process *)key->owner)->dpa;
}

static bool key_has(void *context, void *domain, uint32_t number, uint64_t address, uint64_t size,
                    unsigned access)
{
    const struct nic *nic = context;
    const unsigned writes =
        DPK_QUEUE_LOCAL_WRITE | DPK_QUEUE_REMOTE_WRITE | DPK_QUEUE_REMOTE_ATOMIC;
    const struct dpk_host_key *key = key_for(nic, domain, number, address, size, access);
    if (!key)
        return false;
    bool has =
        key->memory || dpk_process_has_memory(owner_of(key), address, size, (access & writes) != 0);
    ibv_dpakit_key_release(key);
    return has;
}

static bool key_read(void *context, void *domain, uint32_t number, uint64_t address, void *to,
                     size_t size, unsigned access)
{
    const struct nic *nic = context;
    const struct dpk_host_key *key = key_for(nic, domain, number, address, size, access);
    if (!key)
        return false;
    bool done = true;
    if (key->memory)
        memcpy(to, (uint8_t *)key->memory + (address - key->address), size);
    else
        done = dpk_copy_out(owner_of(key), to, address, size, NULL) == DPK_OK;
    ibv_dpakit_key_release(key);
    return done;
}

static bool key_write(void *context, void *domain, uint32_t number, uint64_t address,
                      const void *from, size_t size, unsigned access)
{
    const struct nic *nic = context;
    const struct dpk_host_key *key = key_for(nic, domain, number, address, size, access);
    if (!key)
        return false;
    bool done = true;
    if (key->memory)
        memcpy((uint8_t *)key->memory + (address - key->address), from, size);
    else
        done = dpk_copy_in(owner_of(key), address, from, size, NULL) == DPK_OK;
    ibv_dpakit_key_release(key);
    return done;
}

/* ---- Completions ---- */

static void completed(void *user, bool event)
{
    struct flexio_queue *cq = user;
    if (!cq->trigger)
        return;
    if (event || cq->always_armed)
        dpk_trigger_arm(cq->trigger, cq->signalled);
    cq->signalled++;
    dpk_trigger_signal(cq->trigger);
}

static bool listens(void *user)
{
    const struct flexio_queue *cq = user;
    return !cq->trigger || dpk_trigger_is_heard(cq->trigger);
}

/* ---- The port ---- */

static bool leaves(void *context, const uint8_t *frame, size_t size)
{
    const struct nic *nic = context;
    if (nic->packets)
        packets_send(nic->packets, frame, size);
    return nic->packets != NULL;
}

static void waits(void *context)
{
    const struct nic *nic = context;
    retry_soon(nic->retry);
}

static void trouble(void *context, const char *story)
{
    (void)context;
    dpk_host_log(FLEXIO_LOG_LVL_WARN, "%s", story);
}

/* ---- Life ---- */

static const struct dpk_queue_ops ops = {.load = ring_load,
                                         .store = ring_store,
                                         .has = key_has,
                                         .read = key_read,
                                         .write = key_write,
                                         .completed = completed,
                                         .listens = listens,
                                         .leaves = leaves,
                                         .waits = waits,
                                         .trouble = trouble};

static void nic_end(void *attached)
{
    struct nic *nic = attached;
    retry_end(nic->retry);
    dpk_queues_close(nic->queues);
    packets_close(nic->packets);
    free(nic);
}

static void *nic_make(struct ibv_context *context)
{
    struct dpk_error err = {0};
    struct nic *nic = calloc(1, sizeof *nic);
    if (!nic)
        return NULL;
    nic->context = context;
    enum dpk_status status = packets_open(&nic->packets, &err);
    if (status == DPK_OK)
        status = dpk_queues_open(&ops, nic, &nic->queues, &err);
    if (status == DPK_OK && !(nic->retry = retry_new(nic->queues)))
        status = dpk_fail_nomem(&err);
    if (status == DPK_OK && nic->packets)
        status = packets_arrive(nic->packets, nic->queues, &err);
    if (status == DPK_OK)
        return nic;
    dpk_host_log(FLEXIO_LOG_LVL_ERR, "%s", err.message);
    nic_end(nic);
    return NULL;
}

bool queue_prepare(const char *call, struct flexio_process *process, struct ibv_context *ibv_ctx,
                   uint32_t uar)
{
    struct nic *nic = NULL;
    if (!process->context || (ibv_ctx && ibv_ctx != process->context))
        failed_because("%s: queues are emulated on the process's own device only", call);
    else if (!uar_is_known(process, uar))
        failed_because("%s: the process has no UAR 0x%x", call, uar);
    else if (!(nic = ibv_dpakit_attached(process->context, nic_make, nic_end)))
        failed_because("%s: the device's port does not work", call);
    if (nic)
        process->nic = nic->queues;
    return nic != NULL;
}

void queue_unsteer(struct ibv_context *context, uint64_t rule)
{
    const struct nic *nic = ibv_dpakit_attached(context, nic_make, nic_end);
    if (nic)
        dpk_rule_remove(nic->queues, rule);
}
