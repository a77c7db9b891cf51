/* Ethernet queues of the DPA: a driver of a send or receive queue of the port. The ring and the record
 * of a queue are DPA memory. Its completion queue of the port is private: each completion becomes one of
 * the DPA completion queue at once. */
#include <string.h>

#include "eth_queues.h"

#include <doca_dpa_dev.h>

#define ALIGN           64u
#define SEND_HEAD       32u /* bytes of a send before its data: control and Ethernet segments */
#define LOG_RECEIVE_MAX 8u  /* of the bytes of a receive */
#define CQ_MARGIN       1u  /* the port's completion queue has room for twice the entries */

enum { CQE_IMMEDIATE = 36, CQE_BYTES = 44, CQE_SYNDROME = 55, CQE_INDEX = 60, CQE_OPCODE = 63 };

static void eth_left(void *object);
static void eth_release(void *object);
const struct dpk_kind verbs_eth_sq_kind = {.left = eth_left, .release = eth_release};
const struct dpk_kind verbs_eth_rq_kind = {.left = eth_left, .release = eth_release};

/* ---- Callbacks of the port, with its lock ---- */

static bool memory_load(const struct dpk_nic_memory *memory, uint64_t address, void *to,
                        size_t size)
{
    const struct eth_memory *m = (const struct eth_memory *)memory;
    struct dpk_process *p = dpk_dpa_enter(m->base, m->run);
    const bool good = p && dpk_copy_out(p, to, address, size, NULL) == DPK_OK;
    if (p)
        dpk_dpa_leave(m->base);
    return good;
}

static bool memory_store(const struct dpk_nic_memory *memory, uint64_t address, const void *from,
                         size_t size)
{
    const struct eth_memory *m = (const struct eth_memory *)memory;
    struct dpk_process *p = dpk_dpa_enter(m->base, m->run);
    const bool good = p && dpk_copy_in(p, address, from, size, NULL) == DPK_OK;
    if (p)
        dpk_dpa_leave(m->base);
    return good;
}

static bool completions_load(const struct dpk_nic_memory *memory, uint64_t address, void *to,
                             size_t size)
{
    memcpy(to, ((const struct eth_completions *)memory)->bytes + address, size);
    return true;
}

static bool completions_store(const struct dpk_nic_memory *memory, uint64_t address,
                              const void *from, size_t size)
{
    memcpy(((const struct eth_completions *)memory)->bytes + address, from, size);
    return true;
}

static uint32_t get32(const uint8_t *at)
{
    struct dpk_reader r = dpk_reader(at, sizeof(uint32_t));
    return dpk_read_be32(&r);
}

static void report(struct eth_queue *q, const uint8_t cqe[DPK_CQE])
{
    const uint32_t type = cqe[CQE_OPCODE] >> 4;
    const uint32_t index = (uint32_t)cqe[CQE_INDEX] << 8 | cqe[CQE_INDEX + 1];
    const bool failed = type == DOCA_DPA_DEV_COMP_SEND_ERR || type == DOCA_DPA_DEV_COMP_RECV_ERR;
    const uint32_t mask = (1u << q->log_depth) - 1;
    dpk_completion_post(
        q->completion,
        &(struct dpk_completion){.type = type,
                                 .user_data = q->user_index,
                                 .immediate = q->sends ? 0 : get32(cqe + CQE_IMMEDIATE),
                                 .wqe_counter = q->sends ? q->counts[index & mask]
                                                         : atomic_fetch_add(&q->done, 1) + 1,
                                 .bytes = get32(cqe + CQE_BYTES),
                                 .syndrome = failed ? cqe[CQE_SYNDROME] : 0,
                                 .queue = q->queue ? dpk_queue_number(q->queue) : 0,
                                 .opcode = q->sends ? DPA_VERBS_SEND : 0});
}

static unsigned log_completions(const struct eth_queue *q)
{
    return q->log_depth + CQ_MARGIN;
}

static uint64_t record_of_completions(const struct eth_queue *q)
{
    return (uint64_t)DPK_CQE << log_completions(q);
}

static struct dpk_trigger *completed(struct dpk_nic_listener *listener, unsigned count, bool event)
{
    struct eth_queue *q =
        (struct eth_queue *)((char *)listener - offsetof(struct eth_queue, listener));
    struct eth_completions *c = &q->completions;
    const uint32_t mask = (1u << log_completions(q)) - 1;
    (void)event;
    for (; count > 0; count--)
        report(q, c->bytes + (size_t)(c->consumed++ & mask) * DPK_CQE);
    dpk_store_be32(c->bytes + record_of_completions(q), c->consumed);
    return NULL; /* dpk_completion_post wakes the thread */
}

static bool listens(const struct dpk_nic_listener *listener)
{
    (void)listener;
    return true;
}

/* ---- Memory ---- */

bool verbs_eth_store(const struct eth_queue *q, uint32_t entry, const uint8_t *bytes, size_t size)
{
    const size_t whole = (size_t)1 << (q->log_depth + q->log_size);
    const size_t at = ((size_t)entry << q->log_size) & (whole - 1);
    const size_t first = size < whole - at ? size : whole - at;
    return memory_store(&q->memory.ops, q->ring + at, bytes, first) &&
           (first == size || memory_store(&q->memory.ops, q->ring, bytes + first, size - first));
}

void verbs_eth_release(const struct eth_queue *q)
{
    uint8_t word[sizeof(uint32_t)];
    dpk_store_be32(word, q->posted & UINT16_MAX);
    memory_store(&q->memory.ops, q->record, word, sizeof word);
}

/* Finds the ring and the record in memory that the program provides. */
static bool find_memory(struct eth_queue *q, const struct eth_wish *w)
{
    void *ring = NULL, *record = NULL;
    const uint64_t size = UINT64_C(1) << (q->log_depth + q->log_size);
    if (!dpk_umem_has(w->external_umem, q->memory.base, w->external_umem_offset, size) ||
        !dpk_umem_has(w->external_dbr_umem, q->memory.base, w->external_dbr_umem_offset, RECORD) ||
        (q->sends && !dpk_is_uar(w->external_uar)) ||
        dpk_doca_inner(doca_umem_get_address(w->external_umem, &ring)) != DOCA_SUCCESS ||
        dpk_doca_inner(doca_umem_get_address(w->external_dbr_umem, &record)) != DOCA_SUCCESS)
        return false;
    q->ring = (uintptr_t)ring + w->external_umem_offset;
    q->record = (uintptr_t)record + w->external_dbr_umem_offset;
    return q->ring % ALIGN == 0 && q->record % RECORD == 0;
}

static doca_error_t make_memory(struct eth_queue *q, const struct eth_wish *w,
                                struct dpk_process *p)
{
    struct dpk_error err = {0};
    const uint64_t ring = UINT64_C(1) << (q->log_depth + q->log_size);
    const uint64_t size = (ring + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    dpk_process_has_doorbells(p);
    if (!w->dpa)
        return find_memory(q, w) ? DOCA_SUCCESS
                                 : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                                    "the memory of the rings does not fit");
    if (w->external_umem || w->external_dbr_umem || w->external_uar)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a queue of a DPA context makes its own rings");
    if (dpk_heap_alloc(p, size, &q->owned, &err) != DPK_OK ||
        dpk_fill(p, q->owned, 0, size, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    q->ring = q->owned;
    q->record = q->owned + size - ALIGN;
    return DOCA_SUCCESS;
}

static bool make_completions(struct eth_queue *q)
{
    const uint64_t size = record_of_completions(q);
    q->completions.ops = (struct dpk_nic_memory){completions_load, completions_store};
    q->completions.bytes = calloc(1, size + RECORD);
    if (q->sends)
        q->counts = calloc((size_t)1 << q->log_depth, sizeof *q->counts);
    return q->completions.bytes && (q->counts || !q->sends);
}

/* ---- Life ---- */

static enum dpk_status make_queues(struct eth_queue *q, struct dpk_error *err)
{
    q->listener = (struct dpk_nic_listener){.completed = completed, .listens = listens};
    const struct dpk_queue_options cq = {
        .kind = DPK_CQ,
        .log_depth = log_completions(q),
        .ring.memory = &q->completions,
        .record = {.memory = &q->completions, .address = record_of_completions(q)},
        .user = &q->listener};
    const enum dpk_status status = dpk_queue_create(q->nic, &cq, &q->cq, err);
    const struct dpk_queue_options queue = {.kind = q->sends ? DPK_SQ : DPK_RQ,
                                            .log_depth = q->log_depth,
                                            .log_stride = q->log_size,
                                            .ring = {.memory = &q->memory, .address = q->ring},
                                            .record = {.memory = &q->memory, .address = q->record},
                                            .send_cq = q->cq,
                                            .receive_cq = q->cq,
                                            .user_index = q->user_index,
                                            .domain = dpk_verbs_domain(q->pd->ib),
                                            .user = q};
    return status == DPK_OK ? dpk_queue_create(q->nic, &queue, &q->queue, err) : status;
}

static void end(struct eth_queue *q)
{
    if (q->is_known)
        dpk_dev_remove_receiver(q->dpa->dev, dpk_queue_number(q->queue));
    dpk_queue_destroy(q->queue, NULL);
    dpk_queue_destroy(q->cq, NULL);
    q->queue = q->cq = NULL;
    q->is_known = false;
    struct dpk_process *p = q->owned ? dpk_dpa_enter(q->memory.base, q->memory.run) : NULL;
    if (p) {
        dpk_heap_free(p, q->owned, &(struct dpk_error){0});
        dpk_dpa_leave(q->memory.base);
    }
    q->owned = 0;
    verbs_unuse(q->completion);
    verbs_unuse(q->pd);
    verbs_unuse(q->context);
}

static void eth_left(void *object)
{
    struct eth_queue *q = object;
    pthread_mutex_lock(&q->object.lock); /* a call of DPA code holds the lock */
    end(q);
    pthread_mutex_unlock(&q->object.lock);
}

static void eth_release(void *object)
{
    struct eth_queue *q = object;
    free(q->completions.bytes);
    free(q->counts);
    dpk_object_drop(q->memory.base);
    dpk_object_drop(q->dpa);
    free(q);
}

static unsigned log2_of(uint32_t least)
{
    unsigned log = 0;
    while (1u << log < least)
        log++;
    return log;
}

/* The shape of the ring. Returns false if it is too large. */
static bool find_shape(struct eth_queue *q, const struct eth_wish *w)
{
    q->segments = w->max_sges ? w->max_sges : 1;
    if (w->wr_num == 0 || w->wr_num > ETH_ENTRIES_MAX || q->segments > DPA_VERBS_SEGMENTS_MAX)
        return false;
    const uint32_t head = q->sends ? SEND_HEAD : 0, size = head + q->segments * WQE_SEGMENT;
    const uint32_t blocks = q->sends ? (size + DPK_WQEBB - 1) / DPK_WQEBB : 1;
    q->log_size = log2_of(q->sends ? DPK_WQEBB : size);
    if (w->wr_num > ETH_ENTRIES_MAX / blocks || (!q->sends && q->log_size > LOG_RECEIVE_MAX))
        return false;
    q->log_depth = log2_of(w->wr_num * blocks);
    return true;
}

/* Finds the DPA context. Returns false if its device is another, or the completion queue is of another
 * context. */
static bool find_dpa(struct eth_queue *q, const struct eth_wish *w)
{
    struct dpk_dpa *d = w->dpa ? dpk_object_pin(w->dpa, &dpk_dpa_kind) : NULL;
    if (!d && w->dpa)
        return false;
    if (d)
        q->dpa = d;
    else
        dpk_object_hold(q->dpa = q->completion->dpa);
    dpk_object_hold(q->memory.base = dpk_dpa_base(q->dpa));
    q->memory.ops = (struct dpk_nic_memory){memory_load, memory_store};
    return dpk_dpa_base(q->completion->dpa) == q->memory.base &&
           q->dpa->dev->context == q->pd->ib->context;
}

static doca_error_t start(struct eth_queue *q, const struct eth_wish *w)
{
    struct dpk_error err = {0};
    struct dpk_process *p = dpk_dpa_enter(q->memory.base, 0);
    if (!p)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the DPA context is not started");
    q->memory.run = q->memory.base->run;
    doca_error_t result = make_completions(q) ? make_memory(q, w, p) : DOCA_ERROR_NO_MEMORY;
    dpk_dpa_leave(q->memory.base);
    if (result != DOCA_SUCCESS)
        return result;
    if (!(q->nic = dpk_nic_queues(q->pd->ib->context)) || !dpk_nic_wired(q->pd->ib->context))
        return dpk_doca_because(DOCA_ERROR_OPERATING_SYSTEM, "the device's wire cannot be opened");
    if (make_queues(q, &err) != DPK_OK)
        return dpk_doca_error_of(&err);
    if (!q->sends)
        result = dpk_dev_add_receiver(q->dpa->dev, w->queue_id, dpk_queue_number(q->queue));
    if (result == DOCA_ERROR_ALREADY_EXIST)
        dpk_doca_because(result, "another receive queue of the device has queue_id %u",
                         w->queue_id);
    q->is_known = !q->sends && result == DOCA_SUCCESS;
    return result;
}

static doca_error_t begin(struct eth_queue *q, struct context *c, const struct eth_wish *w)
{
    dpk_object_use(q->context = c);
    q->pd = verbs_use(w->pd, &verbs_pd_kind);
    q->completion = verbs_use(w->dpa_completion, &dpk_completion_kind);
    q->sends = w->sends;
    q->all_signaled = w->all_signaled;
    q->user_index = w->user_index;
    if (w->sends)
        verbs_attr_copy(&q->made.sq, w->made.sq, sizeof q->made.sq);
    else
        verbs_attr_copy(&q->made.rq, w->made.rq, sizeof q->made.rq);
    if (!q->pd || !q->pd->ib || q->pd->ib->context != c->ib || !q->completion ||
        !find_shape(q, w) || !find_dpa(q, w))
        return dpk_doca_because(
            DOCA_ERROR_INVALID_VALUE,
            "the PD, the DPA context, the DPA completion or the sizes do not fit");
    return start(q, w);
}

doca_error_t verbs_eth_new(struct context *c, const struct eth_wish *w, void **out)
{
    if (!w->external_datapath_en || w->cq || w->shares || !verbs_eth_has_clock(w->ts_source_type))
        return dpk_doca_because(
            DOCA_ERROR_NOT_SUPPORTED,
            "Ethernet queues of DOCA Verbs are emulated for DPA code only, with an external data "
            "path, a DPA completion and receives of their own; programs of the CPU use DOCA "
            "Ethernet");
    struct eth_queue *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    const doca_error_t result = begin(q, c, w);
    if (result == DOCA_SUCCESS) {
        *out = dpk_object_enter(q, w->sends ? &verbs_eth_sq_kind : &verbs_eth_rq_kind);
        return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY; /* else it was ended and released */
    }
    end(q);
    eth_release(q);
    return result;
}

/* ---- States ---- */

bool verbs_eth_has_failed(const struct eth_queue *q)
{
    return q->queue && dpk_queue_has_failed(q->queue);
}

doca_error_t verbs_eth_recover(struct eth_queue *q)
{
    if (!q->queue || !dpk_queue_has_failed(q->queue))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is not in the error state");
    q->posted = 0;
    q->blocks = q->sent = 0;
    atomic_store(&q->done, 0);
    if (!q->sends)
        verbs_eth_release(q);
    dpk_queue_recover(q->queue);
    return DOCA_SUCCESS;
}
