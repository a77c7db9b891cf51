/* Events of send queues of kernels, for the CPU: a packet was sent, or failed. The completions that kernels
 * do not look for are taken by the progress engine of the queue. */
#include "eth.h"

/* What an event tells, while its callback runs. */
struct send_event {
    struct dpk_object object;
    bool valid;
    uint16_t position;
    uint64_t time;
};

static void event_release(void *object)
{
    free(object);
}
static const struct dpk_kind failure_kind = {.release = event_release};
static const struct dpk_kind notice_kind = {.release = event_release};

void eth_txq_events_end(struct txq *q)
{
    struct send_event *const all[] = {q->failure.event, q->notice.event};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i])
            dpk_object_destroy(all[i]->object.handle, all[i]->object.kind);
        dpk_object_drop(all[i]);
    }
    q->failure.event = q->notice.event = NULL;
}

/* ---- The queue's side ---- */

doca_error_t eth_txq_events_check(const struct txq *q)
{
    const bool any = q->failure.event || q->notice.event;
    if (any && q->completes_on_gpu)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG,
                                "kernels take the completions of the queue "
                                "(doca_eth_txq_gpu_set_completion_on_gpu), so events never come");
    if (any && !q->base.ctx.pe)
        return dpk_doca_because(DOCA_ERROR_BAD_CONFIG, "the queue has events but no progress "
                                                       "engine, which calls them");
    return DOCA_SUCCESS;
}

bool eth_txq_reports(const struct txq *q)
{
    return q->failure.event || q->notice.event;
}

/* Takes a completion for an event. Returns false if there is none. */
static bool take(struct txq *q, struct eth_completion *out)
{
    pthread_mutex_lock(&q->base.ctx.object.lock);
    const bool there = q->handle && eth_txq_reports(q) && eth_rings_poll(&q->rings, out);
    if (there && atomic_exchange(&q->stalls, false))
        dpk_gpu_ring(&q->handle->bell->bell);
    pthread_mutex_unlock(&q->base.ctx.object.lock);
    return there;
}

bool eth_txq_progress_events(struct txq *q)
{
    struct eth_completion c;
    if (!take(q, &c))
        return false;
    struct send_event *e = c.failed ? q->failure.event : q->notice.event;
    if (!e)
        return true;
    e->valid = true;
    e->position = c.index;
    e->time = c.time;
    if (c.failed)
        q->failure.cb.failed(e->object.handle, q->failure.user_data);
    else
        q->notice.cb.sent(e->object.handle, q->notice.user_data);
    e->valid = false;
    return true;
}

/* ---- The program's side ---- */

doca_error_t eth_txq_events_add(struct txq *q, struct send_events *events)
{
    if (atomic_load(&q->base.ctx.state) != DOCA_CTX_STATE_IDLE)
        return dpk_doca_because(DOCA_ERROR_BAD_STATE, "the queue is %s, and must be idle",
                                dpk_ctx_state_name(&q->base.ctx));
    if (events->event)
        return DOCA_SUCCESS;
    const struct dpk_kind *kind = events == &q->failure ? &failure_kind : &notice_kind;
    struct send_event *e = calloc(1, sizeof *e);
    void *handle = e ? dpk_object_enter(e, kind) : NULL;
    events->event = dpk_object_pin(handle, kind);
    return events->event ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

/* Gets what an event tells. The event is not valid after its callback. */
static doca_error_t get(const void *event, const struct dpk_kind *kind, uint16_t *position,
                        uint64_t *time)
{
    struct send_event *e = position || time ? dpk_object_pin(event, kind) : NULL;
    doca_error_t result = e ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
    if (e && !e->valid)
        result = dpk_doca_because(DOCA_ERROR_BAD_STATE, "the callback of the event has ended");
    if (result == DOCA_SUCCESS && position)
        *position = e->position;
    if (result == DOCA_SUCCESS && time)
        *time = e->time;
    dpk_object_drop(e);
    return result;
}

doca_error_t doca_eth_txq_gpu_event_error_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_error_send_packet *event, uint16_t *packet_index)
{
    return dpk_doca_end(event, __func__, get(event, &failure_kind, packet_index, NULL));
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_position(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event, uint16_t *packet_index)
{
    return dpk_doca_end(event, __func__, get(event, &notice_kind, packet_index, NULL));
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(
    const struct doca_eth_txq_gpu_event_notify_send_packet *event, uint64_t *packet_timestamp)
{
    return dpk_doca_end(event, __func__, get(event, &notice_kind, NULL, packet_timestamp));
}
