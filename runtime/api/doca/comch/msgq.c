/* Message queues: connections within this process with consumers or producers on the DPA. */
#include <stdlib.h>

#include "private.h"

struct msgq {
    struct dpk_object object; /* its users: consumers and producers */
    struct dpk_dev *dev;      /* a use */
    struct dpk_dpa *consumer_dpa,
        *producer_dpa; /* references, or NULL; with the lock, like the next two */
    uint32_t consumers_max, producers_max;
    struct connection *c; /* a reference; NULL: not started */
};

/* Call this with the lock, or when no other thread has the queue. */
static void end_connection(struct msgq *q)
{
    if (!q->c)
        return;
    comch_connection_break(q->c);
    dpk_object_destroy(q->c->object.handle, &comch_connection_kind);
    dpk_object_drop(q->c);
    q->c = NULL;
}

static void msgq_left(void *object)
{
    struct msgq *q = object;
    pthread_mutex_lock(&q->object.lock);
    end_connection(q);
    pthread_mutex_unlock(&q->object.lock);
    dpk_object_end_use(q->dev);
}

static void msgq_release(void *object)
{
    struct msgq *q = object;
    dpk_object_drop(q->consumer_dpa);
    dpk_object_drop(q->producer_dpa);
    dpk_object_drop(q->dev);
    free(q);
}

static const struct dpk_kind msgq_kind = {.left = msgq_left, .release = msgq_release};

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
    if (msgq)
        *msgq = NULL;
    struct dpk_dev *d = msgq ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    if (!d)
        return dpk_doca_no_object(__func__);
    struct msgq *q = calloc(1, sizeof *q);
    if (q) {
        dpk_object_use(q->dev = d);
        q->consumers_max = q->producers_max = CONSUMERS_MAX;
        *msgq = dpk_object_enter(q, &msgq_kind);
    }
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__, *msgq ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
    return dpk_doca_destroy(msgq, &msgq_kind, __func__);
}

static doca_error_t start(struct msgq *q)
{
    if (!q->consumer_dpa == !q->producer_dpa)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "one side of the queue must be on the DPA");
    if (!(q->c = comch_connection_new(-1, q->dev, NULL, false)))
        return DOCA_ERROR_NO_MEMORY;
    if (q->consumer_dpa)
        dpk_object_hold(q->c->consumer_dpa = q->consumer_dpa);
    if (q->producer_dpa)
        dpk_object_hold(q->c->producer_dpa = q->producer_dpa);
    q->c->consumers.max = q->consumers_max;
    q->c->producers.max = q->producers_max;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
    struct msgq *q = dpk_object_lock(msgq, &msgq_kind);
    if (!q || q->c)
        return dpk_doca_unlock(q, __func__, DOCA_ERROR_BAD_STATE, "the queue is started already");
    return dpk_doca_end(msgq, __func__, dpk_object_unlock(q, start(q)));
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
    struct msgq *q = dpk_object_lock(msgq, &msgq_kind);
    doca_error_t result = q && q->c ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
    if (result == DOCA_SUCCESS && atomic_load(&q->object.users) > 0)
        result = DOCA_ERROR_IN_USE;
    if (result == DOCA_SUCCESS)
        end_connection(q);
    return dpk_doca_unlock(q, __func__, result, "%s",
                           result == DOCA_ERROR_IN_USE
                               ? "producers or consumers of the queue exist (destroy them before)"
                               : "the queue is not started");
}

/* ---- Properties ---- */

static doca_error_t set_dpa(const char *call, struct doca_comch_msgq *msgq, size_t member,
                            struct doca_dpa *dpa)
{
    struct dpk_dpa *before = NULL, *d = dpk_object_pin(dpa, &dpk_dpa_kind);
    struct msgq *q = d ? dpk_object_lock(msgq, &msgq_kind) : NULL;
    const bool idle = q && !q->c;
    if (idle) {
        struct dpk_dpa **at = (struct dpk_dpa **)((char *)q + member);
        before = *at;
        dpk_object_hold(*at = d);
    }
    const doca_error_t result = dpk_doca_unlock(q, call, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                                                "the queue is started, and must not be");
    dpk_object_drop(before);
    dpk_object_drop(d);
    return result;
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
    return set_dpa(__func__, msgq, offsetof(struct msgq, consumer_dpa), dpa);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
    return set_dpa(__func__, msgq, offsetof(struct msgq, producer_dpa), dpa);
}

static doca_error_t set_max(const char *call, struct doca_comch_msgq *msgq, size_t member,
                            uint32_t value)
{
    if (value == 0 || value > CONSUMERS_MAX)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                    "%u is not within 1 to %u", value, CONSUMERS_MAX);
    struct msgq *q = dpk_object_lock(msgq, &msgq_kind);
    const bool idle = q && !q->c;
    if (idle)
        *(uint32_t *)((char *)q + member) = value;
    return dpk_doca_unlock(q, call, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the queue is started, and must not be");
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers)
{
    return set_max(__func__, msgq, offsetof(struct msgq, consumers_max), max_num_consumers);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers)
{
    return set_max(__func__, msgq, offsetof(struct msgq, producers_max), max_num_producers);
}

/* ---- Its ends ---- */

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer)
{
    doca_error_t result;
    if (consumer)
        *consumer = NULL;
    struct msgq *q = consumer ? dpk_object_lock(msgq, &msgq_kind) : NULL;
    if (!q || !q->c)
        return dpk_doca_unlock(q, __func__, DOCA_ERROR_BAD_STATE, "the queue is not started");
    *consumer = comch_consumer_new(q->c, q, &result);
    return dpk_object_unlock(q, result);
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer)
{
    doca_error_t result;
    if (producer)
        *producer = NULL;
    struct msgq *q = producer ? dpk_object_lock(msgq, &msgq_kind) : NULL;
    if (!q || !q->c)
        return dpk_doca_unlock(q, __func__, DOCA_ERROR_BAD_STATE, "the queue is not started");
    *producer = comch_producer_new(q->c, q, &result);
    return dpk_object_unlock(q, result);
}
