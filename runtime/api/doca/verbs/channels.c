/* Completion channels, and asynchronous events of contexts. Events of libibverbs are acknowledged
 * when a program gets them. This is safe, because the program gets handles, which are not reused.
 * Destroying a completion queue waits for the program's own acknowledgements. */
#include <errno.h>

#include "verbs.h"

/* Guards the lists of contexts, and the counters of completion queues. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;

/* ---- Channels ---- */

static void comp_channel_left(void *object)
{
    struct comp_channel *c = object;
    if (c->ib)
        dpk_emulated_11.destroy_comp_channel(c->ib);
    c->ib = NULL;
    verbs_unuse(c->context);
}

static void comp_channel_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_comp_channel_kind = {.left = comp_channel_left,
                                                 .release = comp_channel_release};

doca_error_t doca_verbs_comp_channel_create(struct doca_verbs_context *context,
                                            struct doca_verbs_comp_channel **channel)
{
    if (channel)
        *channel = NULL;
    struct context *c = channel ? verbs_use(context, &verbs_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    struct comp_channel *made = calloc(1, sizeof *made);
    if (made)
        made->ib = dpk_emulated_11.create_comp_channel(c->ib);
    if (!made || !made->ib) {
        free(made);
        verbs_unuse(c);
        return dpk_doca_end(context, __func__, DOCA_ERROR_NO_MEMORY);
    }
    made->context = c;
    *channel = dpk_object_enter(made, &verbs_comp_channel_kind);
    return dpk_doca_end(context, __func__, *channel ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_verbs_comp_channel_destroy(struct doca_verbs_comp_channel *channel)
{
    return dpk_doca_destroy(channel, &verbs_comp_channel_kind, __func__);
}

doca_event_handle_t doca_verbs_comp_channel_get_handle(struct doca_verbs_comp_channel *channel)
{
    struct comp_channel *c = verbs_use(channel, &verbs_comp_channel_kind);
    const doca_event_handle_t handle = c ? c->ib->fd : doca_event_invalid_handle;
    verbs_unuse(c);
    return handle;
}

/* Acknowledges an event, like ibv_ack_cq_events. */
static void acknowledge_completion(struct ibv_cq *ib)
{
    pthread_mutex_lock(&ib->mutex);
    ib->comp_events_completed++;
    pthread_cond_signal(&ib->cond);
    pthread_mutex_unlock(&ib->mutex);
}

doca_error_t doca_verbs_get_cq_event(struct doca_verbs_comp_channel *channel,
                                     struct doca_verbs_cq **cq, void **cq_context)
{
    struct ibv_cq *ib;
    void *context;
    struct comp_channel *c = cq && cq_context ? verbs_use(channel, &verbs_comp_channel_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    doca_error_t result = DOCA_ERROR_DRIVER;
    if (dpk_emulated_11.get_cq_event(c->ib, &ib, &context) == 0) {
        /* The queue exists until its event is acknowledged. */
        struct cq *q = context;
        pthread_mutex_lock(&lock);
        q->told++;
        pthread_mutex_unlock(&lock);
        *cq = q->object.handle;
        *cq_context = q->cq_context;
        acknowledge_completion(ib);
        result = DOCA_SUCCESS;
    }
    verbs_unuse(c);
    return dpk_doca_end(channel, __func__, result);
}

doca_error_t doca_verbs_req_notify_cq(struct doca_verbs_cq *cq, int solicited_only)
{
    struct cq *q = dpk_object_pin(cq, &verbs_cq_kind);
    const int why = q && q->ib ? ibv_req_notify_cq(q->ib, solicited_only) : EINVAL;
    dpk_object_drop(q);
    return dpk_doca_end(cq, __func__, verbs_error_of(why));
}

void doca_verbs_ack_cq_events(struct doca_verbs_cq *cq, unsigned int num)
{
    struct cq *q = dpk_object_pin(cq, &verbs_cq_kind);
    if (!q)
        return;
    pthread_mutex_lock(&lock);
    q->told -= num < q->told ? num : q->told;
    pthread_cond_broadcast(&acknowledged);
    pthread_mutex_unlock(&lock);
    dpk_object_drop(q);
}

void verbs_await_acknowledgements(const struct cq *q)
{
    pthread_mutex_lock(&lock);
    while (q->told > 0)
        pthread_cond_wait(&acknowledged, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- Asynchronous events ---- */

void verbs_source_add(struct context *c, struct event_source *s, const void *ib,
                      const struct dpk_object *object)
{
    s->ib = ib;
    s->object = object;
    pthread_mutex_lock(&lock);
    LIST_INSERT_HEAD(&c->sources, s, link);
    pthread_mutex_unlock(&lock);
}

void verbs_source_remove(struct event_source *s)
{
    pthread_mutex_lock(&lock);
    if (s->ib)
        LIST_REMOVE(s, link);
    s->ib = NULL;
    pthread_mutex_unlock(&lock);
}

/* Returns the handle of the queue that DOCA made with an object of libibverbs. NULL: the program
 * itself made the object. */
static void *find_queue(const struct context *c, const void *ib)
{
    const struct event_source *s;
    void *handle = NULL;
    pthread_mutex_lock(&lock);
    LIST_FOREACH(s, &c->sources, link)
    if (s->ib == ib)
        handle = s->object->handle;
    pthread_mutex_unlock(&lock);
    return handle;
}

/* Acknowledges an event, like ibv_ack_async_event. */
static void acknowledge(const struct ibv_async_event *e)
{
    pthread_mutex_t *mutex = NULL;
    pthread_cond_t *cond = NULL;
    uint32_t *count = NULL;
    switch (e->event_type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
        mutex = &e->element.qp->mutex;
        cond = &e->element.qp->cond;
        count = &e->element.qp->events_completed;
        break;
    case IBV_EVENT_CQ_ERR:
        mutex = &e->element.cq->mutex;
        cond = &e->element.cq->cond;
        count = &e->element.cq->async_events_completed;
        break;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED:
        mutex = &e->element.srq->mutex;
        cond = &e->element.srq->cond;
        count = &e->element.srq->events_completed;
        break;
    default:
        return; /* event of a port or device */
    }
    pthread_mutex_lock(mutex);
    ++*count;
    pthread_cond_signal(cond);
    pthread_mutex_unlock(mutex);
}

/* Returns false if DOCA does not have the event, or the object. */
static bool tell(const struct context *c, const struct ibv_async_event *e,
                 struct doca_verbs_async_event *out)
{
    struct doca_verbs_async_event told = {0};
    switch (e->event_type) {
    case IBV_EVENT_QP_FATAL:
        told.event_type = DOCA_VERBS_EVENT_QP_FATAL;
        break;
    case IBV_EVENT_QP_REQ_ERR:
        told.event_type = DOCA_VERBS_EVENT_QP_REQ_ERR;
        break;
    case IBV_EVENT_QP_ACCESS_ERR:
        told.event_type = DOCA_VERBS_EVENT_QP_ACCESS_ERR;
        break;
    case IBV_EVENT_CQ_ERR:
        told.event_type = DOCA_VERBS_EVENT_CQ_ERR;
        break;
    default:
        return false;
    }
    if (e->event_type == IBV_EVENT_CQ_ERR)
        told.element.cq = find_queue(c, e->element.cq);
    else
        told.element.qp = find_queue(c, e->element.qp);
    if (!told.element.reserved)
        return false;
    *out = told;
    return true;
}

doca_event_handle_t doca_verbs_get_async_event_handle(struct doca_verbs_context *context)
{
    struct context *c = dpk_object_pin(context, &verbs_context_kind);
    const doca_event_handle_t handle = c ? c->ib->async_fd : doca_event_invalid_handle;
    dpk_object_drop(c);
    return handle;
}

doca_error_t doca_verbs_get_async_event(struct doca_verbs_context *context,
                                        struct doca_verbs_async_event *event)
{
    struct ibv_async_event e;
    bool told = false;
    struct context *c = event ? verbs_use(context, &verbs_context_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    while (!told && dpk_emulated_11.get_async_event(c->ib, &e) == 0) {
        told = tell(c, &e, event);
        acknowledge(&e);
    }
    verbs_unuse(c);
    return dpk_doca_end(context, __func__, told ? DOCA_SUCCESS : DOCA_ERROR_DRIVER);
}

void doca_verbs_ack_async_event(struct doca_verbs_async_event *event)
{
    (void)event; /* doca_verbs_get_async_event acknowledged it */
}
