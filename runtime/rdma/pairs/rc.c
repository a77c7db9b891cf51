/* Ends and queue pairs: creation, posting, the error state, destruction. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "gateway.h"
#include "pace.h"

#define LOCK_TRIES  50u
#define LOCK_PAUSES 30u /* between two tries */

/* ---- The state of a process ---- */

/* The lock is recursive: owners hold it for their own data while they call functions that take
 * it. */
static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

enum dpk_status dpk_rc_open(const struct dpk_uuid *identity, struct dpk_rc **out,
                            struct dpk_error *err)
{
    *out = NULL;
    struct dpk_rc *rc = calloc(1, sizeof *rc);
    uint8_t *parts = malloc(2 * (size_t)SEGMENT);
    if (!rc || !parts) {
        free(parts);
        free(rc);
        return dpk_fail_nomem(err);
    }
    rc->owner = getpid();
    rc->identity = *identity;
    rc->part = parts;
    rc->answer = parts + SEGMENT;
    rc->connect_wait_ms = DPK_RC_CONNECT_WAIT_MS;
    lock_init(&rc->lock);
    TAILQ_INIT(&rc->ends);
    TAILQ_INIT(&rc->paced);
    TAILQ_INIT(&rc->waiting);
    rc->paced_ns = UINT64_MAX;
    rc->serve = pairs_gateway_serve;
    rc->find_peer = pairs_qp_find_absent;
    rc->has_peer = lossy_has_peer;
    *out = rc;
    return DPK_OK;
}

enum dpk_status dpk_rc_publish(struct dpk_rc *rc, const char *directory, struct dpk_error *err)
{
    rc->directory = strdup(directory);
    return rc->directory ? DPK_OK : dpk_fail_nomem(err);
}

/* In a child of fork() the lock may be held by a thread that exists only in the parent. */
static bool is_ours(const struct dpk_rc *rc)
{
    return rc->owner == getpid();
}

enum dpk_status check_owner(const struct dpk_rc *rc, struct dpk_error *err)
{
    return is_ours(rc)
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_USAGE, "RDMA belongs to the process that forked this one");
}

void dpk_rc_close(struct dpk_rc *rc)
{
    if (!rc || !is_ours(rc))
        return;
    gateway_stop(rc);
    numbers_free(rc);
    pthread_mutex_destroy(&rc->lock);
    free(rc->directory);
    free(rc->part);
    free(rc);
}

/* ---- Failing ---- */

bool qp_complete(const struct dpk_rc_qp *qp, struct dpk_rc_completion completion)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    completion.connection = qp->connection;
    const bool taken = o->ops->complete(o->context, &completion);
    if (qp->end->rc->gateway)
        doze_end(qp->end->rc->gateway);
    return taken;
}

static void drop_receives(struct dpk_rc_end *end, uint32_t connection)
{
    struct dpk_rc_receive r;
    const struct dpk_rc_end_options *o = &end->options;
    while (receive_take(end, &r))
        o->ops->complete(o->context, &(struct dpk_rc_completion){.event = DPK_RC_RECEIVE_FAILED,
                                                                 .connection = connection,
                                                                 .index = r.index,
                                                                 .status = DPK_RC_FLUSHED,
                                                                 .user = r.user});
}

/* Flushes the receives of an owner that has its own receive queue. */
static void flush_receives(const struct dpk_rc_qp *qp)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    struct dpk_rc_receive r;
    if (!o->ops->receive)
        return;
    while (o->ops->receive(o->context, &r) == DPK_RC_TAKEN)
        if (!qp_complete(qp, (struct dpk_rc_completion){.event = DPK_RC_RECEIVE_FAILED,
                                                        .index = r.index,
                                                        .status = DPK_RC_FLUSHED,
                                                        .user = r.user}))
            break;
}

static bool has_connection(const struct dpk_rc_end *end)
{
    const struct dpk_rc_qp *qp;
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (qp->state != QP_FAILED)
        return true;
    return false;
}

void qp_fail(struct dpk_rc_qp *qp, enum dpk_rc_status status, bool drops_receives)
{
    const struct dpk_rc_end_options *o = &qp->end->options;
    if (qp->state == QP_FAILED)
        return;
    qp->state = QP_FAILED;
    const struct dpk_rc_why *why = qp->transport && qp->transport->is_shared ? &qp->why : NULL;
    if (o->ops->failed)
        o->ops->failed(o->context, qp->refused, qp->refused != DPK_RC_OK ? why : NULL);
    requester_flush(qp, status);
    responder_abort(qp);
    flush_receives(qp);
    if (qp->transport)
        qp->transport->close(qp);
    if (drops_receives && !has_connection(qp->end)) {
        qp->end->dropped = true;
        drop_receives(qp->end, qp->connection);
    }
}

/* ---- Ends ---- */

enum dpk_status dpk_rc_end_create(struct dpk_rc *rc, const struct dpk_rc_end_options *options,
                                  struct dpk_rc_end **out, struct dpk_error *err)
{
    *out = NULL;
    if (check_owner(rc, err) != DPK_OK)
        return DPK_ERR_USAGE;
    struct dpk_rc_end *end = calloc(1, sizeof *end);
    struct dpk_rc_receive *ring = calloc(options->receives ? options->receives : 1, sizeof *ring);
    if (!end || !ring) {
        free(ring);
        free(end);
        return dpk_fail_nomem(err);
    }
    end->rc = rc;
    end->options = *options;
    end->ring = ring;
    TAILQ_INIT(&end->qps);
    TAILQ_INIT(&end->stalled);
    pthread_mutex_lock(&rc->lock);
    end->pace = pace_use(rc, options->domain->device);
    TAILQ_INSERT_TAIL(&rc->ends, end, link);
    pthread_mutex_unlock(&rc->lock);
    *out = end;
    return DPK_OK;
}

void each_sender(struct dpk_rc_qp *qp, void (*visit)(struct dpk_rc_qp *sender))
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *q;
    TAILQ_FOREACH(end, &qp->end->rc->ends, link)
    TAILQ_FOREACH(q, &end->qps, in_end)
    if (q != qp && q->local == qp)
        visit(q);
}

static void lose_peer(struct dpk_rc_qp *sender)
{
    sender->local = NULL;
    qp_lose_peer(sender, false);
}

static void qp_free(struct dpk_rc_qp *qp)
{
    pace_forget(qp);
    wait_forget(qp);
    TAILQ_REMOVE(&qp->end->qps, qp, in_end);
    free(qp->ring);
    free(qp);
}

/* Disconnects it from all peers; what is posted on it fails. */
static void qp_leave(struct dpk_rc_qp *qp)
{
    qp_fail(qp, DPK_RC_FLUSHED, false);
    gateway_forget(qp);
    each_sender(qp, lose_peer);
}

void dpk_rc_end_destroy(struct dpk_rc_end *end)
{
    struct dpk_rc_qp *qp;
    struct dpk_rc *rc = end->rc;
    if (!is_ours(rc))
        return;
    pthread_mutex_lock(&rc->lock);
    TAILQ_FOREACH(qp, &end->qps, in_end)
    qp_leave(qp);
    drop_receives(end, 0);
    while ((qp = TAILQ_FIRST(&end->qps)))
        /* The analyzer does not see that qp_free takes the first from this very queue.
         * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        qp_free(qp);
    TAILQ_REMOVE(&rc->ends, end, link);
    pace_leave(rc, end->pace);
    pthread_mutex_unlock(&rc->lock);
    free(end->ring);
    free(end);
}

void dpk_rc_qp_destroy(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (!is_ours(rc))
        return;
    pthread_mutex_lock(&rc->lock);
    qp_leave(qp);
    qp_free(qp);
    pthread_mutex_unlock(&rc->lock);
}

/* ---- Queue pairs ---- */

enum dpk_status dpk_rc_qp_create(struct dpk_rc_end *end, uint32_t connection,
                                 struct dpk_rc_qp **out, struct dpk_error *err)
{
    *out = NULL;
    struct dpk_rc *rc = end->rc;
    if (check_owner(rc, err) != DPK_OK)
        return DPK_ERR_USAGE;
    struct dpk_rc_qp *qp = calloc(1, sizeof *qp);
    struct dpk_rc_work *ring = calloc(end->options.sends, sizeof *ring);
    if (!qp || !ring ||
        getrandom(&qp->address.secret, sizeof qp->address.secret, 0) != sizeof qp->address.secret) {
        free(ring);
        free(qp);
        return dpk_fail_nomem(err);
    }
    qp->end = end;
    qp->connection = connection;
    qp->ring = ring;
    qp->ring_size = end->options.sends;
    qp->address.process = rc->identity;
    qp->patience.rnr_retries = DPK_RC_RNR_FOREVER;
    pthread_mutex_lock(&rc->lock);
    qp->address.number = number_new(rc);
    if (qp->address.number != 0) {
        TAILQ_INSERT_TAIL(&end->qps, qp, in_end);
        end->dropped = false;
    }
    pthread_mutex_unlock(&rc->lock);
    if (qp->address.number != 0) {
        *out = qp;
        return DPK_OK;
    }
    free(ring);
    free(qp);
    return dpk_fail(err, DPK_ERR_NOMEM, "no numbers of queue pairs are left");
}

void dpk_rc_qp_reset(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (!is_ours(rc))
        return;
    dpk_rc_lock(rc);
    qp->state = QP_NEW;
    pace_forget(qp);
    qp->next = (struct place){.work = qp->done = qp->posted};
    qp->done_bytes = 0;
    qp->unanswered = 0;
    qp->waits = false;
    qp->waits_since = 0;
    qp->halted = qp->refused = DPK_RC_OK;
    qp->why = (struct dpk_rc_why){.reason = DPK_RC_UNTOLD};
    responder_forget(qp);
    qp->kept = false;
    if (qp->transport)
        qp->transport->close(qp);
    qp->transport = NULL;
    qp->peer = (struct address){0};
    gateway_forget(qp);
    each_sender(qp, lose_peer);
    dpk_rc_unlock(rc);
}

void dpk_rc_qp_set_patience(struct dpk_rc_qp *qp, const struct dpk_rc_patience *patience)
{
    dpk_rc_lock(qp->end->rc);
    qp->patience = *patience;
    dpk_rc_unlock(qp->end->rc);
}

void dpk_rc_qp_fail(struct dpk_rc_qp *qp)
{
    if (!is_ours(qp->end->rc))
        return;
    dpk_rc_lock(qp->end->rc);
    qp_fail(qp, DPK_RC_FLUSHED, false);
    dpk_rc_unlock(qp->end->rc);
}

void dpk_rc_qp_lose(struct dpk_rc_qp *qp)
{
    if (!is_ours(qp->end->rc))
        return;
    dpk_rc_lock(qp->end->rc);
    gateway_hear_out(qp);
    if (qp->state == QP_READY)
        qp_lose_peer(qp, true);
    dpk_rc_unlock(qp->end->rc);
}

struct dpk_rc_qp *qp_find(struct dpk_rc *rc, const struct address *address)
{
    struct dpk_rc_end *end;
    struct dpk_rc_qp *qp;
    TAILQ_FOREACH(end, &rc->ends, link)
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (address_means(address, &qp->address))
        return qp;
    return NULL;
}

enum dpk_status dpk_rc_qp_address(struct dpk_rc_qp *qp, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_rc *rc = qp->end->rc;
    if (check_owner(rc, err) != DPK_OK)
        return DPK_ERR_USAGE;
    pthread_mutex_lock(&rc->lock);
    enum dpk_status status = rc->gateway ? DPK_OK : gateway_start(rc, err);
    if (status == DPK_OK)
        address_put(&qp->address, out);
    pthread_mutex_unlock(&rc->lock);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}

uint32_t dpk_rc_qp_number(const struct dpk_rc_qp *qp)
{
    return qp->address.number;
}

/* ---- Posting ---- */

/* Who has the lock has it for some microseconds, which is less than to sleep and be woken takes. */
void dpk_rc_lock(struct dpk_rc *rc)
{
    for (unsigned tries = 0; tries < LOCK_TRIES; tries++) {
        if (pthread_mutex_trylock(&rc->lock) == 0)
            return;
        for (unsigned i = 0; i < LOCK_PAUSES; i++)
            dpk_pause();
    }
    pthread_mutex_lock(&rc->lock);
}

void dpk_rc_unlock(struct dpk_rc *rc)
{
    pthread_mutex_unlock(&rc->lock);
}

void dpk_rc_qp_kick(struct dpk_rc_qp *qp)
{
    dpk_rc_lock(qp->end->rc);
    if (qp->state == QP_FAILED)
        requester_flush(qp, DPK_RC_FLUSHED);
    else
        requester_kick(qp);
    dpk_rc_unlock(qp->end->rc);
}

bool dpk_rc_post(struct dpk_rc_qp *qp, const struct dpk_rc_work *work)
{
    dpk_rc_lock(qp->end->rc);
    bool room = qp->posted - qp->done < qp->ring_size;
    if (room) {
        qp->ring[qp->posted++ % qp->ring_size] = *work;
        dpk_rc_qp_kick(qp);
    }
    dpk_rc_unlock(qp->end->rc);
    return room;
}

/* Carries out the stalled requests of peers, in order of arrival, as long as there are receives. */
void dpk_rc_end_resume(struct dpk_rc_end *end)
{
    struct dpk_rc_qp *qp;
    unsigned count = 0;
    dpk_rc_lock(end->rc);
    TAILQ_FOREACH(qp, &end->stalled, in_stalled)
    count++;
    /* A request that finds no receive stalls again, at the end of the queue. */
    while (count-- > 0 && (end->options.ops->receive || end->taken != end->posted) &&
           (qp = TAILQ_FIRST(&end->stalled))) {
        TAILQ_REMOVE(&end->stalled, qp, in_stalled);
        qp->stalled = false;
        qp->transport->resume(qp);
    }
    dpk_rc_unlock(end->rc);
}

bool dpk_rc_post_receive(struct dpk_rc_end *end, const struct dpk_rc_receive *receive)
{
    dpk_rc_lock(end->rc);
    bool room = end->posted - end->taken < end->options.receives;
    if (room) {
        struct dpk_rc_receive *posted = &end->ring[end->posted % end->options.receives];
        *posted = *receive;
        posted->index = end->posted++;
        if (end->dropped)
            drop_receives(end, 0);
        else
            dpk_rc_end_resume(end);
    }
    dpk_rc_unlock(end->rc);
    return room;
}

void dpk_rc_end_permit(struct dpk_rc_end *end, unsigned permissions)
{
    dpk_rc_lock(end->rc);
    struct dpk_rc_qp *qp;
    end->options.permissions = permissions;
    TAILQ_FOREACH(qp, &end->qps, in_end)
    if (qp->responses)
        channel_end_offers(qp->responses);
    dpk_rc_unlock(end->rc);
}

void dpk_rc_end_set_qkey(struct dpk_rc_end *end, uint32_t qkey)
{
    dpk_rc_lock(end->rc);
    end->qkey = qkey;
    dpk_rc_unlock(end->rc);
}

bool dpk_rc_qp_is_idle(struct dpk_rc_qp *qp)
{
    dpk_rc_lock(qp->end->rc);
    bool idle = qp->posted == qp->done;
    dpk_rc_unlock(qp->end->rc);
    return idle;
}
