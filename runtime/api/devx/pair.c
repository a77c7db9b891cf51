/* Queue pairs (struct qpc): creation and destruction. */
#include <stdlib.h>
#include <string.h>

#include "net/queues/queues.h"
#include "queue.h"

/* Fields of the command; those of the context begin at CONTEXT. */
enum {
    CONTEXT = 0xc0,
    SERVICE = CONTEXT + 0x08,
    PD = CONTEXT + 0x28,
    LOG_RECEIVES = CONTEXT + 0x49,
    LOG_STRIDE = CONTEXT + 0x4d,
    NO_SENDS = CONTEXT + 0x50,
    LOG_SENDS = CONTEXT + 0x51,
    UAR_PAGE = CONTEXT + 0x68,
    DOORBELL_MODE = CONTEXT + 0x80,
    USER_INDEX = CONTEXT + 0x88,
    SEND_CQ = CONTEXT + 0x3e8,
    RECEIVE_CQ = CONTEXT + 0x4e8,
    RECORD_AT = CONTEXT + 0x500,
    RECEIVE_KIND = CONTEXT + 0x565,
    RECORD_VALID = CONTEXT + 0x683,
    RECORD_UMEM = CONTEXT + 0x720,
    RING_AT = 0x800,
    RING_UMEM = 0x840,
    RING_VALID = 0x860,
    SIZE = 0x880 / 8, /* bytes */
};
enum { RELIABLE, OWN_RECEIVES = 0, NO_RECEIVES = 3 };

/* ---- Creation ---- */

static int check(const struct devx_command *c, struct ibv_context *context)
{
    const uint32_t kind = (uint32_t)devx_get(c->in, RECEIVE_KIND, 3);
    const uint32_t uar = (uint32_t)devx_get(c->in, UAR_PAGE, 24);
    const int why = devx_check_sizes(c, SIZE, DEVX_HEADER);
    if (why)
        return why;
    if (devx_get(c->in, SERVICE, 8) != RELIABLE)
        return devx_refuse(c, DEVX_BAD_OPERATION,
                           "queue pairs of commands are reliable connections (st)");
    if (kind != OWN_RECEIVES && kind != NO_RECEIVES)
        return devx_refuse(c, DEVX_BAD_OPERATION,
                           "queue pairs of commands have receives of their own, or none (rq_type)");
    if (kind == OWN_RECEIVES && devx_get(c->in, LOG_STRIDE, 3) != 0)
        return devx_refuse(c, DEVX_BAD_OPERATION,
                           "a receive has one segment of %u bytes (log_rq_stride)", DEVX_RECEIVE);
    if (devx_get(c->in, DOORBELL_MODE, 2) != 0)
        return devx_refuse(c, DEVX_BAD_OPERATION,
                           "a queue pair has a doorbell record (send_dbr_mode)");
    if (!devx_get(c->in, RECORD_VALID, 1) || !devx_get(c->in, RING_VALID, 1))
        return devx_refuse(c, DEVX_BAD_PARAMETER,
                           "the rings and the doorbell record are not in umems (wq_umem_valid, "
                           "dbr_umem_valid)");
    if (!dpk_verbs_has_uar(dpk_verbs_device(context), uar))
        return devx_refuse(c, DEVX_BAD_RESOURCE, "the device has no UAR 0x%x", uar);
    return 0;
}

/* Finds the completion queue that a field names. */
static int find_cq(const struct devx_command *c, struct ibv_context *context, bool needed,
                   size_t field, const char *name, struct dpk_queue **out)
{
    const uint32_t number = (uint32_t)devx_get(c->in, field, 24);
    const struct devx_cq *cq = needed ? devx_find_cq(context, number) : NULL;
    *out = cq ? cq->q.queue : NULL;
    return !needed || cq
               ? 0
               : devx_refuse(c, DEVX_BAD_RESOURCE, "CREATE_CQ made no completion queue 0x%x (%s)",
                             number, name);
}

static int make_queue(const struct devx_command *c, struct ibv_context *context,
                      struct devx_pair *p)
{
    struct dpk_error err = {0};
    const bool sends = !devx_get(c->in, NO_SENDS, 1);
    const bool receives = devx_get(c->in, RECEIVE_KIND, 3) == OWN_RECEIVES;
    struct dpk_queue_options o = {
        .kind = DPK_QP,
        .log_depth = sends ? (unsigned)devx_get(c->in, LOG_SENDS, 4) : 0,
        .log_receives = receives ? (unsigned)devx_get(c->in, LOG_RECEIVES, 4) : 0,
        .no_sends = !sends,
        .no_receives = !receives,
        .ring = {.memory = &p->q.ring, .address = devx_get(c->in, RING_AT, 64)},
        .record = {.memory = &p->q.record, .address = p->record_at},
        .user_index = (uint32_t)devx_get(c->in, USER_INDEX, 24),
        .domain = dpk_verbs_domain(p->pd),
        .user = p};
    int why = find_cq(c, context, sends, SEND_CQ, "cqn_snd", &o.send_cq);
    if (!why)
        why = find_cq(c, context, receives, RECEIVE_CQ, "cqn_rcv", &o.receive_cq);
    if (!why && dpk_queue_create(p->nic, &o, &p->q.queue, &err) != DPK_OK)
        why = devx_refuse(c, DEVX_BAD_PARAMETER, "%s", err.message);
    return why;
}

static int begin(const struct devx_command *c, struct ibv_context *context, struct devx_pair *p)
{
    const uint32_t pd = (uint32_t)devx_get(c->in, PD, 24);
    if (!(p->nic = dpk_nic_queues(context)))
        return devx_refuse(c, DEVX_NO_RESOURCES, "the port of the device does not work");
    if (!(p->pd = dpk_verbs_use_pd_number(context, pd)))
        return devx_refuse(c, DEVX_BAD_RESOURCE, "the device has no protection domain 0x%x", pd);
    devx_memory_init(&p->q.ring, context, (uint32_t)devx_get(c->in, RING_UMEM, 32));
    devx_memory_init(&p->q.record, context, (uint32_t)devx_get(c->in, RECORD_UMEM, 32));
    p->record_at = devx_get(c->in, RECORD_AT, 64);
    memcpy(p->created, devx_part(c->in, CONTEXT / 8).bytes, DEVX_QPC);
    memcpy(p->now, p->created, DEVX_QPC);
    const int why = make_queue(c, context, p);
    if (!why && !devx_watch(p)) {
        dpk_queue_destroy(p->q.queue, NULL);
        return devx_refuse(c, DEVX_NO_RESOURCES, "the thread for doorbells cannot be started");
    }
    return why;
}

int devx_pair_create(const struct devx_command *c, struct ibv_context *context,
                     struct devx_queue **out)
{
    int why = check(c, context);
    struct devx_pair *p = why ? NULL : calloc(1, sizeof *p);
    if (!p)
        return why ? why : devx_refuse(c, DEVX_NO_RESOURCES, "out of memory");
    p->q.is_pair = true;
    pthread_mutex_init(&p->lock, NULL);
    why = begin(c, context, p);
    if (why) {
        if (p->pd)
            dpk_verbs_leave_pd(p->pd);
        pthread_mutex_destroy(&p->lock);
        free(p);
        return why;
    }
    *out = &p->q;
    return 0;
}

void devx_pair_free(struct devx_pair *p)
{
    devx_unwatch(p);
    dpk_queue_destroy(p->q.queue, NULL);
    dpk_verbs_leave_pd(p->pd);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
