/* Consumers of message queues on the DPA: their completions, and delivery of messages. */
#include <doca_dpa.h>
#include <doca_dpa_dev.h>
#include <stdlib.h>
#include <string.h>

#include "guest/abi/comch_calls.h"
#include "private.h"

_Static_assert(DPA_COMCH_IMM_MAX == DPK_PIPE_IMM_MAX, "the device's immediate data is as large");

#define MESSAGES_DEFAULT 1024u

/* A doca_comch_consumer_completion. */
struct consumer_completion {
    struct dpk_object object;
    /* Guarded by the lock: */
    struct doca_dpa_thread *thread; /* a handle; NULL: not set */
    uint32_t consumers_max, messages_max, imm_len;
    /* While it is started: */
    struct dpk_dpa_queue on_dpa; /* memory: a struct dpa_comch_completion */
    uint32_t arrived;            /* messages */
};

/* ---- Start and stop of completions ---- */

/* Call this with the lock. */
static doca_error_t start(struct consumer_completion *k)
{
    struct doca_dpa *dpa = dpk_dpa_of_thread(k->thread);
    struct dpa_comch_completion head = {0};
    if (!dpa)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "it has no thread, as by "
                                "doca_comch_consumer_completion_set_dpa_thread");
    doca_error_t result =
        dpk_dpa_queue_start(&k->on_dpa, k->thread, k->messages_max,
                            sizeof head + k->messages_max * sizeof *head.messages);
    head.queue = (uintptr_t)k->on_dpa.handle;
    if (result == DOCA_SUCCESS)
        result = dpk_doca_inner(doca_dpa_h2d_memcpy(dpa, k->on_dpa.memory, &head, sizeof head));
    if (result != DOCA_SUCCESS)
        dpk_dpa_queue_end(&k->on_dpa);
    k->arrived = 0;
    return result;
}

static void completion_left(void *object)
{
    struct consumer_completion *k = object;
    pthread_mutex_lock(&k->object.lock);
    dpk_dpa_queue_end(&k->on_dpa);
    pthread_mutex_unlock(&k->object.lock);
}
static const struct dpk_kind completion_kind = {.left = completion_left, .release = free};

doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
    if (!consumer_comp)
        return dpk_doca_no_object(__func__);
    struct consumer_completion *k = calloc(1, sizeof *k);
    if (k) {
        k->consumers_max = CONSUMERS_MAX;
        k->messages_max = MESSAGES_DEFAULT;
        k->imm_len = DPK_PIPE_IMM_MAX;
    }
    *consumer_comp = k ? dpk_object_enter(k, &completion_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *consumer_comp ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
    return dpk_doca_destroy(consumer_comp, &completion_kind, __func__);
}

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
    struct consumer_completion *k = dpk_object_lock(consumer_comp, &completion_kind);
    if (!k || k->on_dpa.handle)
        return dpk_doca_unlock(k, __func__, DOCA_ERROR_BAD_STATE,
                               "the completion is started already");
    return dpk_doca_end(consumer_comp, __func__, dpk_object_unlock(k, start(k)));
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
    struct consumer_completion *k = dpk_object_lock(consumer_comp, &completion_kind);
    doca_error_t result = k && k->on_dpa.handle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&k->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        dpk_dpa_queue_end(&k->on_dpa);
    return dpk_doca_unlock(k, __func__, result, "%s",
                           result == DOCA_ERROR_IN_USE ? "running consumers use the completion"
                                                       : "the completion is not started");
}

/* ---- Properties of completions ---- */

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread)
{
    if (!dpk_dpa_of_thread(dpa_thread))
        return dpk_doca_no_object(__func__);
    struct consumer_completion *k = dpk_object_lock(consumer_comp, &completion_kind);
    const bool idle = k && !k->on_dpa.handle;
    if (idle)
        k->thread = dpa_thread;
    return dpk_doca_unlock(k, __func__, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the completion is started, and must not be");
}

static uint32_t *number_of(struct consumer_completion *k, size_t member)
{
    return (uint32_t *)((char *)k + member);
}

static doca_error_t set(const char *call, struct doca_comch_consumer_completion *handle,
                        size_t member, uint32_t value, uint32_t least, uint32_t most)
{
    if (value < least || value > most)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "%u is not within %u to %u", value, least, most);
    struct consumer_completion *k = dpk_object_lock(handle, &completion_kind);
    const bool idle = k && !k->on_dpa.handle;
    if (idle)
        *number_of(k, member) = value;
    return dpk_doca_unlock(k, call, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the completion is started, and must not be");
}

static doca_error_t get(const char *call, const struct doca_comch_consumer_completion *handle,
                        size_t member, uint32_t *value)
{
    struct consumer_completion *k = value ? dpk_object_lock(handle, &completion_kind) : NULL;
    if (k)
        *value = *number_of(k, member);
    return k ? dpk_object_unlock(k, DOCA_SUCCESS) : dpk_doca_no_object(call);
}

#define NUMBER(setter, getter, member, least, most)                                                \
    doca_error_t setter(struct doca_comch_consumer_completion *consumer_comp, uint32_t value)      \
    {                                                                                              \
        return set(__func__, consumer_comp, offsetof(struct consumer_completion, member), value,   \
                   (least), (most));                                                               \
    }                                                                                              \
    doca_error_t getter(const struct doca_comch_consumer_completion *consumer_comp,                \
                        uint32_t *value)                                                           \
    {                                                                                              \
        return get(__func__, consumer_comp, offsetof(struct consumer_completion, member), value);  \
    }

NUMBER(doca_comch_consumer_completion_set_max_num_consumers,
       doca_comch_consumer_completion_get_max_num_consumers, consumers_max, 1, CONSUMERS_MAX)
NUMBER(doca_comch_consumer_completion_set_max_num_recv,
       doca_comch_consumer_completion_get_max_num_recv, messages_max, 1, DPK_PIPE_POSTS_MAX)
NUMBER(doca_comch_consumer_completion_set_imm_data_len,
       doca_comch_consumer_completion_get_imm_data_len, imm_len, 0, DPK_PIPE_IMM_MAX)

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *dpa_consumer_comp)
{
    struct consumer_completion *k =
        dpa_consumer_comp ? dpk_object_lock(consumer_comp, &completion_kind) : NULL;
    const bool started = k && k->on_dpa.handle;
    if (started)
        *dpa_consumer_comp = k->on_dpa.memory;
    return dpk_doca_unlock(k, __func__, started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the completion is not started");
}

/* ---- Consumers ---- */

doca_error_t comch_dpa_side_check(struct dpk_dpa *datapath, struct dpk_dpa *side, uint64_t *run)
{
    if (!datapath || dpk_dpa_base(datapath) != dpk_dpa_base(side))
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "this side of the message queue is on the DPA, "
                                "and the data path is not: doca_ctx_set_datapath_on_dpa");
    if (!dpk_dpa_enter(datapath, 0))
        return dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                "the DPA context is not started, or has failed");
    *run = dpk_dpa_base(datapath)->run;
    dpk_dpa_leave(datapath);
    return DOCA_SUCCESS;
}

/* Call this with the lock of the consumer. */
doca_error_t comch_dpa_consumer_check(struct consumer *n)
{
    uint64_t run;
    struct consumer_completion *k = n->completion;
    doca_error_t result = comch_dpa_side_check(n->base.ctx.datapath, n->c->consumer_dpa, &run);
    if (result == DOCA_SUCCESS && !k)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the consumer has no completion, as by "
                                                       "doca_comch_consumer_set_completion");
    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&k->object.lock);
    if (!k->on_dpa.handle || k->on_dpa.queue->run != run ||
        dpk_dpa_base(k->on_dpa.queue->dpa) != dpk_dpa_base(n->c->consumer_dpa))
        result =
            dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the consumer's completion is not started on "
                                                    "its DPA context");
    else if (n->imm_len > k->imm_len)
        result = dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                  "the consumer takes %u bytes of immediate "
                                  "data, its completion %u",
                                  n->imm_len, k->imm_len);
    else if (atomic_load(&k->object.users) >= k->consumers_max)
        result = dpk_doca_because(DOCA_ERROR_FULL,
                                  "the completion has its %u consumers already "
                                  "(doca_comch_consumer_completion_set_max_num_consumers)",
                                  k->consumers_max);
    if (result == DOCA_SUCCESS) {
        n->room = 0;
        n->uses_completion = true;
        dpk_object_use(k);
    }
    pthread_mutex_unlock(&k->object.lock);
    return result;
}

/* Unlocks a consumer after a change and reports why it failed. */
static doca_error_t refuse_change(const char *call, struct consumer *n, doca_error_t result)
{
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        return dpk_doca_unlock(n, call, result,
                               "the consumer is of a connection between processes, and not of a "
                               "message queue");
    return dpk_doca_unlock(n, call, result, "the consumer is %s, and must be idle",
                           n ? dpk_ctx_state_name(&n->base.ctx) : "");
}

doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data)
{
    struct consumer_completion *before = NULL, *k = dpk_object_pin(consumer_comp, &completion_kind);
    struct consumer *n = k ? dpk_object_lock(consumer, &comch_consumer_kind) : NULL;
    doca_error_t result = DOCA_SUCCESS;
    if (n && !n->msgq) {
        result = DOCA_ERROR_NOT_SUPPORTED;
    } else if (n && atomic_load(&n->base.ctx.state) != DOCA_CTX_STATE_IDLE) {
        result = DOCA_ERROR_BAD_STATE;
    } else if (n) {
        before = n->completion;
        dpk_object_hold(n->completion = k);
        n->completion_data = user_data;
    }
    result = refuse_change(__func__, n, result);
    dpk_object_drop(before);
    dpk_object_drop(k);
    return result;
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv)
{
    if (dev_num_recv == 0 || dev_num_recv > DPK_PIPE_POSTS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, __func__,
                                    "%u receives are not within 1 to %u", dev_num_recv,
                                    DPK_PIPE_POSTS_MAX);
    struct consumer *n = dpk_object_lock(consumer, &comch_consumer_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (n && !n->msgq)
        result = DOCA_ERROR_NOT_SUPPORTED;
    else if (n && atomic_load(&n->base.ctx.state) != DOCA_CTX_STATE_IDLE)
        result = DOCA_ERROR_BAD_STATE;
    else if (n)
        n->receives_max = dev_num_recv;
    return refuse_change(__func__, n, result);
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
    struct consumer *n = dpa_consumer ? dpk_object_lock(consumer, &comch_consumer_kind) : NULL;
    doca_error_t result = DOCA_ERROR_BAD_STATE;
    if (n && !n->msgq)
        result = DOCA_ERROR_NOT_SUPPORTED;
    if (n && n->entered && n->c->consumer_dpa) {
        *dpa_consumer = (uintptr_t)n->base.ctx.object.handle;
        result = DOCA_SUCCESS;
    }
    return dpk_doca_unlock(n, __func__, result,
                           "the consumer is %s, and has a handle while it is running on the DPA",
                           n ? dpk_ctx_state_name(&n->base.ctx) : "");
}

/* ---- Messages ---- */

/* Copies a message to its element on the DPA. Call this with the lock of the completion, which also
 * guards counters of receives. */
static void deliver(const struct consumer *n, struct consumer_completion *k,
                    const struct dpk_pipe_part *part)
{
    struct dpa_comch_message m = {.imm_size = part->head.imm_size,
                                  .producer = part->head.producer,
                                  .user_data = n->completion_data};
    const uint32_t place = k->arrived++ % k->messages_max;
    const uint64_t address =
        k->on_dpa.memory + sizeof(struct dpa_comch_completion) + place * (uint64_t)sizeof m;
    memcpy(m.imm, part->imm, m.imm_size);
    struct dpk_process *p = dpk_dpa_enter(k->on_dpa.queue->dpa, k->on_dpa.queue->run);
    if (!p)
        return; /* the DPA context was stopped before the completion */
    dpk_copy_in(p, address, &m, sizeof m, NULL);
    dpk_dpa_leave(k->on_dpa.queue->dpa);
    dpk_completion_post(k->on_dpa.queue,
                        &(struct dpk_completion){.type = DOCA_DPA_DEV_COMP_RECV_SEND_IMM,
                                                 .user_data = m.user_data,
                                                 .wqe_counter = place,
                                                 .bytes = m.imm_size});
}

void comch_dpa_consumer_arrived(struct consumer *n)
{
    struct dpk_pipe_part part;
    struct consumer_completion *k = n->completion;
    pthread_mutex_lock(&k->object.lock);
    while (dpk_pipe_next(&n->rings, &part) == RING_GOOD) {
        n->room--;
        deliver(n, k, &part);
        dpk_pipe_took(&n->rings, &part);
    }
    pthread_mutex_unlock(&k->object.lock);
}

/* Posts receives. Returns false if the consumer may not have so many. Call this with its lock. */
static bool post_receives(struct consumer *n, uint64_t count)
{
    pthread_mutex_lock(&n->completion->object.lock);
    const bool fits = count <= n->receives_max - n->room;
    if (fits) {
        n->room += (uint32_t)count;
        dpk_pipe_post(&n->rings, (uint32_t)count);
    }
    pthread_mutex_unlock(&n->completion->object.lock);
    return fits;
}

bool comch_dpa_consumer_receive(struct dpk_dpa *d, uint64_t handle, uint64_t count, char *reason,
                                size_t size)
{
    struct consumer *n = dpk_object_lock(dpk_pointer(handle), &comch_consumer_kind);
    const char *why = NULL;
    if (!n || !n->uses_completion || n->completion->on_dpa.queue->run != d->run ||
        dpk_dpa_base(n->completion->on_dpa.queue->dpa) != d)
        why = "comch: not a handle of a consumer, or not started";
    else if (!post_receives(n, count))
        why = "comch: more receives than the consumer may have";
    dpk_object_unlock(n, DOCA_SUCCESS);
    return !why || dpk_dpa_call_fails(reason, size, why);
}
