/* Queues: creation, doorbells, states, destruction, and the end of a turn. */
#include "queues.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

#define INDEX_MAX    0xffffffu
#define NUMBER_MAX   0x5fffffu /* larger numbers belong to verbs queues and queue pairs */
#define FIRST_NUMBER 0x40u     /* smaller numbers are easily mistaken for indexes */
#define DEPTH_MAX    15u       /* the counters have 16 bits */
#define RQ_DEPTH_MAX 16u       /* such a queue has at most 65,535 receives posted */
#define CQ_DEPTH_MAX 22u
#define RING_ALIGN   64u

static void resume_pairs(struct dpk_queues *nic)
{
    struct dpk_queue *q;
    nic->pairs_wait = false;
    TAILQ_FOREACH(q, &nic->queues, in_nic)
    if (q->waits)
        queues_pair_resume(q);
}

/* The end of a turn. */
static void settle(struct dpk_queues *nic, const struct dpk_queue *cq, unsigned queues)
{
    if (cq)
        queues_frames_run_first(nic, cq);
    if (nic->pairs_wait)
        resume_pairs(nic);
    if (queues_frames_run(nic, queues))
        nic->ops->waits(nic->context);
    queues_cqs_tell(nic);
}

enum dpk_status dpk_queues_open(const struct dpk_queue_ops *ops, void *context, struct dpk_rc *rc,
                                struct dpk_steering *steering, struct dpk_counters *counters,
                                struct dpk_queues **out, struct dpk_error *err)
{
    struct dpk_queues *nic = calloc(1, sizeof *nic);
    *out = nic;
    if (!nic)
        return dpk_fail_nomem(err);
    nic->rc = rc;
    nic->settle = settle;
    nic->look = queues_pairs_look;
    nic->ops = ops;
    nic->context = context;
    nic->last_number = FIRST_NUMBER - 1;
    TAILQ_INIT(&nic->queues);
    TAILQ_INIT(&nic->waiting_queues);
    TAILQ_INIT(&nic->untold);
    LIST_INIT(&nic->awaiting);
    STAILQ_INIT(&nic->frames);
    STAILQ_INIT(&nic->spare);
    STAILQ_INIT(&nic->spare_large);
    nic->steering = steering;
    nic->counters = counters;
    queues_steering_attach(steering, nic);
    return DPK_OK;
}

void dpk_queues_close(struct dpk_queues *nic)
{
    if (!nic)
        return;
    struct dpk_queue *q;
    dpk_rc_lock(nic->rc);
    TAILQ_FOREACH(q, &nic->queues, in_nic)
    queues_pair_destroy(q);
    dpk_rc_unlock(nic->rc);
    queues_steering_attach(nic->steering, NULL);
    TAILQ_FOREACH(q, &nic->queues, in_nic)
    queues_frames_forget(
        q); /* before any queue is freed: a receive queue is in a list of its completion queue */
    while ((q = TAILQ_FIRST(&nic->queues))) {
        TAILQ_REMOVE(&nic->queues, q, in_nic);
        queues_steering_forget(nic->steering, q);
        dpk_counters_release(nic->counters, q->counts);
        free(q);
    }
    dpk_count(dpk_counters_port(nic->counters), DPK_DROP_NO_QUEUE, nic->waiting);
    queues_frames_free(nic);
    free(nic);
}

/* ---- Creation ---- */

/* Returns whether a byte can be read and, if `written`, written. It is written back unchanged. */
static bool is_byte(const struct dpk_queues *nic, const struct dpk_queue_place *p, uint64_t offset,
                    bool written)
{
    uint8_t byte;
    return nic->ops->load(p->memory, p->address + offset, &byte, 1) &&
           (!written || nic->ops->store(p->memory, p->address + offset, &byte, 1));
}

static bool is_memory(const struct dpk_queues *nic, const struct dpk_queue_place *p, uint64_t size,
                      unsigned align, bool written)
{
    return p->address % align == 0 && size - 1 <= UINT64_MAX - p->address &&
           is_byte(nic, p, 0, written) && is_byte(nic, p, size - 1, written);
}

static uint64_t ring_size(const struct dpk_queue_options *o)
{
    switch (o->kind) {
    /* All sizes are 64 bytes by chance. NOLINTNEXTLINE(bugprone-branch-clone) */
    case DPK_CQ:
        return (uint64_t)DPK_CQE << o->log_depth;
    case DPK_EQ:
        return (uint64_t)DPK_EQE << o->log_depth;
    case DPK_SQ:
        return (uint64_t)DPK_WQEBB << o->log_depth;
    case DPK_QP:
        return (o->no_sends ? 0 : (uint64_t)DPK_WQEBB << o->log_depth) +
               (o->no_receives || o->receives ? 0 : (uint64_t)WQE_SEGMENT << o->log_receives);
    default:
        return UINT64_C(1) << (o->log_depth + o->log_stride);
    }
}

static enum dpk_status check_shape(const struct dpk_queue_options *o, struct dpk_error *err)
{
    const bool strided = o->kind == DPK_RQ || o->kind == DPK_RMP;
    const bool reports = o->kind == DPK_CQ || o->kind == DPK_EQ;
    const unsigned most = reports ? CQ_DEPTH_MAX : o->kind == DPK_RQ ? RQ_DEPTH_MAX : DEPTH_MAX;
    if (o->log_depth > most || o->log_receives > DEPTH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "a queue of 2^%u entries, not at most 2^%u",
                        o->log_depth > most ? o->log_depth : o->log_receives, most);
    if (strided && (o->log_stride < 4 || (1u << o->log_stride) > RECEIVE_MAX))
        return dpk_fail(err, DPK_ERR_RANGE, "receives of 2^%u bytes, not 2^4 to 2^8",
                        o->log_stride);
    if (o->linked && o->log_stride < 5)
        return dpk_fail(err, DPK_ERR_RANGE, "linked receives need 2^5 bytes, not 2^%u",
                        o->log_stride);
    if (o->user_index > INDEX_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "user index 0x%x has more than 24 bits", o->user_index);
    return DPK_OK;
}

static enum dpk_status check_cqs(const struct dpk_queue_options *o, struct dpk_error *err)
{
    const bool sends = o->kind == DPK_SQ || (o->kind == DPK_QP && !o->no_sends);
    const bool receives = o->kind == DPK_RQ || (o->kind == DPK_QP && !o->no_receives);
    if ((sends && (!o->send_cq || o->send_cq->options.kind != DPK_CQ)) ||
        (receives && (!o->receive_cq || o->receive_cq->options.kind != DPK_CQ)) ||
        (o->receives && o->receives->options.kind != DPK_RMP))
        return dpk_fail(err, DPK_ERR_MISMATCH, "a queue without its completion queue");
    if (o->events && (o->kind != DPK_CQ || o->events->options.kind != DPK_EQ))
        return dpk_fail(err, DPK_ERR_MISMATCH, "a completion queue without its event queue");
    return DPK_OK;
}

static enum dpk_status check_memory(const struct dpk_queues *nic, const struct dpk_queue_options *o,
                                    struct dpk_error *err)
{
    uint64_t size = ring_size(o);
    const bool written = o->kind == DPK_CQ || o->kind == DPK_EQ;
    const bool has_record = o->kind != DPK_SQ && o->kind != DPK_EQ;
    if (size > 0 && !is_memory(nic, &o->ring, size, RING_ALIGN, written))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "0x%llx: no ring of %llu bytes, aligned to %u, in that memory",
                        (unsigned long long)o->ring.address, (unsigned long long)size, RING_ALIGN);
    if (has_record && !is_memory(nic, &o->record, RECORD_SIZE, RECORD_SIZE, false))
        return dpk_fail(err, DPK_ERR_RANGE, "0x%llx: no doorbell record of %u bytes in that memory",
                        (unsigned long long)o->record.address, RECORD_SIZE);
    return DPK_OK;
}

static void use(struct dpk_queue *q, int by)
{
    struct dpk_queue *const used[] = {q->options.send_cq, q->options.receive_cq,
                                      q->options.receives, q->options.events};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (used[i])
            used[i]->users += (unsigned)by;
}

static enum dpk_status give_number(struct dpk_queue *q, struct dpk_error *err)
{
    if (q->options.kind == DPK_QP)
        return queues_pair_create(q, err);
    if (q->nic->last_number == NUMBER_MAX)
        return dpk_fail(err, DPK_ERR_NOMEM, "no queue numbers are left");
    q->number = ++q->nic->last_number;
    return DPK_OK;
}

enum dpk_status dpk_queue_create(struct dpk_queues *nic, const struct dpk_queue_options *options,
                                 struct dpk_queue **out, struct dpk_error *err)
{
    *out = NULL;
    enum dpk_status status = check_shape(options, err);
    if (status == DPK_OK)
        status = check_cqs(options, err);
    if (status == DPK_OK)
        status = check_memory(nic, options, err);
    if (status != DPK_OK)
        return status;
    struct dpk_queue *q = calloc(1, sizeof *q);
    if (!q)
        return dpk_fail_nomem(err);
    q->nic = nic;
    q->options = *options;
    queues_places_find(q, ring_size(options));
    STAILQ_INIT(&q->frames);
    TAILQ_INIT(&q->receivers);
    q->armed = options->armed;
    q->state = options->kind == DPK_QP ? DPK_QP_RESET : DPK_QP_RTS;
    queues_lock(nic);
    status = give_number(q, err);
    if (status == DPK_OK) {
        TAILQ_INSERT_TAIL(&nic->queues, q, in_nic);
        LIST_INSERT_HEAD(&nic->numbered[q->number % NUMBERED], q, in_numbered);
        use(q, 1);
        if (q->options.kind == DPK_SQ || q->options.kind == DPK_RQ)
            q->counts = dpk_counters_claim(
                nic->counters, q->options.kind == DPK_SQ ? DPK_COUNTED_SQ : DPK_COUNTED_RQ,
                q->number);
    }
    queues_unlock(nic);
    if (status == DPK_OK)
        *out = q;
    else
        free(q);
    return status;
}

enum dpk_status dpk_queue_destroy(struct dpk_queue *q, struct dpk_error *err)
{
    if (!q)
        return DPK_OK;
    struct dpk_queues *nic = q->nic;
    queues_lock(nic);
    unsigned users = q->users;
    if (users == 0) {
        queues_steering_forget(nic->steering, q);
        queues_frames_forget(q);
        dpk_counters_release(nic->counters, q->counts);
        use(q, -1);
        queues_pair_destroy(q);
        TAILQ_REMOVE(&nic->queues, q, in_nic);
        LIST_REMOVE(q, in_numbered);
    }
    queues_unlock(nic);
    if (users > 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s 0x%x is still used by %u queues", queue_kind(q),
                        q->number, users);
    free(q);
    return DPK_OK;
}

uint32_t dpk_queue_number(const struct dpk_queue *q)
{
    return q->number;
}

/* Returns the SQ or QP with that number and user, or NULL. */
static struct dpk_queue *find_sender(struct dpk_queues *nic, uint32_t number, const void *user)
{
    struct dpk_queue *q;
    LIST_FOREACH(q, &nic->numbered[number % NUMBERED], in_numbered)
    if (q->number == number && q->options.user == user &&
        (q->options.kind == DPK_SQ || q->options.kind == DPK_QP))
        return q;
    return NULL;
}

/* ---- Doorbells ---- */

static void ring(struct dpk_queue *q, uint16_t posted)
{
    const uint16_t more = (uint16_t)(posted - q->done);
    const unsigned room = 1u << q->options.log_depth;
    if (q->state == DPK_QP_RESET)
        return; /* a card ignores the doorbell in this state */
    if (more > room) {
        if (q->state != DPK_QP_ERROR) {
            queue_warn(q, "%u blocks posted in a ring of %u", more, room);
            queue_fail(q);
        }
        return;
    }
    q->posted = posted;
    queues_send_run(q);
}

void dpk_queue_ring(struct dpk_queue *q, uint16_t posted)
{
    queues_lock(q->nic);
    ring(q, posted);
    queues_unlock(q->nic);
}

uint64_t dpk_queue_due(struct dpk_queue *q)
{
    queues_lock(q->nic);
    const uint64_t due = q->state == DPK_QP_RTS && q->done != q->posted ? q->due : 0;
    queues_unlock(q->nic);
    return due;
}

bool dpk_queue_ring_number(struct dpk_queues *nic, uint32_t number, const void *user,
                           uint16_t posted)
{
    queues_lock(nic);
    struct dpk_queue *q = find_sender(nic, number, user);
    bool rings = q && !q->options.no_sends;
    if (rings)
        ring(q, posted);
    queues_unlock(nic);
    return rings;
}

uint32_t dpk_cq_produced(const struct dpk_queue *cq)
{
    return cq->produced;
}

/* ---- States ---- */

void dpk_queue_fail(struct dpk_queue *q)
{
    queues_lock(q->nic);
    queue_fail(q);
    queues_unlock(q->nic);
}

bool dpk_queue_recover(struct dpk_queue *q)
{
    const bool can = q->options.kind == DPK_SQ || q->options.kind == DPK_RQ;
    queues_lock(q->nic);
    const bool recovers = can && q->state == DPK_QP_ERROR;
    if (recovers) {
        q->taken = q->posted = q->done = 0;
        q->first_error = false;
        q->state = DPK_QP_RTS;
    }
    queues_unlock(q->nic);
    return recovers;
}

bool dpk_queue_has_failed(struct dpk_queue *q)
{
    return dpk_qp_state(q) == DPK_QP_ERROR;
}

enum dpk_qp_state dpk_qp_state(struct dpk_queue *q)
{
    dpk_rc_lock(q->nic->rc);
    enum dpk_qp_state state = q->state;
    dpk_rc_unlock(q->nic->rc);
    return state;
}

static bool may_follow(enum dpk_qp_state from, enum dpk_qp_state to)
{
    switch (to) {
    case DPK_QP_RESET:
        return true;
    case DPK_QP_INIT:
        return from == DPK_QP_RESET || from == DPK_QP_INIT;
    case DPK_QP_RTR:
        return from == DPK_QP_INIT;
    case DPK_QP_RTS:
        return from == DPK_QP_RTR || from == DPK_QP_RTS;
    case DPK_QP_ERROR:
        return true;
    }
    return false;
}

static void enter(struct dpk_queue *q, const struct dpk_qp_change *change)
{
    if (change->changes_permits) {
        q->options.permits = change->permits;
        queues_pair_permit(q);
    }
    if (change->state == DPK_QP_ERROR) {
        queue_fail(q);
        return;
    }
    q->state = change->state;
    if (change->state == DPK_QP_RTR)
        q->remote = change->remote;
    if (change->state == DPK_QP_RESET) {
        queues_pair_reset(q);
        q->taken = q->posted = q->done = 0;
        q->waits = q->first_error = false;
        q->remote = 0;
    }
    if (change->state == DPK_QP_RTS)
        queues_send_run(q);
}

enum dpk_status dpk_qp_modify(struct dpk_queue *qp, const struct dpk_qp_change *change,
                              struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const enum dpk_qp_state from = dpk_qp_state(qp);
    if (qp->options.kind == DPK_QP && from == DPK_QP_INIT && change->state == DPK_QP_RTR)
        status = queues_pair_connect(qp, change, err);
    if (status != DPK_OK)
        return status;
    if (qp->options.kind == DPK_QP && from == DPK_QP_RESET && change->state == DPK_QP_INIT)
        queues_pair_expose(qp);
    queues_lock(qp->nic);
    const bool may = qp->options.kind == DPK_QP && may_follow(qp->state, change->state);
    if (may)
        enter(qp, change);
    queues_unlock(qp->nic);
    if (may)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "%s 0x%x: no way from state %d to %d", queue_kind(qp),
                    qp->number, (int)from, (int)change->state);
}
