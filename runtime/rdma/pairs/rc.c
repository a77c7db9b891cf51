/* Ends and queue pairs: creation, posting, the error state, destruction. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "gateway.h"
#include "pace.h"
#include "receives.h"

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
    rc->has_peer = pairs_lossy_has_peer;
    *out = rc;
    return DPK_OK;
}

enum dpk_status dpk_rc_publish(struct dpk_rc *rc, const char *directory, struct dpk_error *err)
{
    rc->directory = strdup(directory);
    return rc->directory ? DPK_OK : dpk_fail_nomem(err);
}

void dpk_rc_close(struct dpk_rc *rc)
{
    if (!rc || !pairs_rc_is_ours(rc))
        return;
    pairs_gateway_stop(rc);
    pairs_fabrics_stop(rc);
    pairs_numbers_free(rc);
    pthread_mutex_destroy(&rc->lock);
    free(rc->directory);
    free(rc->part);
    free(rc);
}

/* ---- Ends ---- */

enum dpk_status dpk_rc_end_create(struct dpk_rc *rc, const struct dpk_rc_end_options *options,
                                  struct dpk_rc_end **out, struct dpk_error *err)
{
    *out = NULL;
    if (pairs_check_owner(rc, err) != DPK_OK)
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
    end->pace = pairs_pace_use(rc, options->domain->device);
    TAILQ_INSERT_TAIL(&rc->ends, end, link);
    pthread_mutex_unlock(&rc->lock);
    *out = end;
    return DPK_OK;
}

static void lose_peer(struct dpk_rc_qp *sender)
{
    sender->local = NULL;
    pairs_qp_lose_peer(sender, false);
}

static void qp_free(struct dpk_rc_qp *qp)
{
    pairs_pace_forget(qp);
    pairs_wait_forget(qp);
    TAILQ_REMOVE(&qp->end->qps, qp, in_end);
    free(qp->ring);
    free(qp);
}

/* Disconnects a queue pair from all peers. Its posted works and receives fail. */
static void qp_leave(struct dpk_rc_qp *qp)
{
    pairs_qp_fail(qp, DPK_RC_FLUSHED, false);
    pairs_gateway_forget(qp);
    pairs_each_sender(qp, lose_peer);
}

void dpk_rc_end_destroy(struct dpk_rc_end *end)
{
    struct dpk_rc_qp *qp;
    struct dpk_rc *rc = end->rc;
    if (!pairs_rc_is_ours(rc))
        return;
    pthread_mutex_lock(&rc->lock);
    TAILQ_FOREACH(qp, &end->qps, in_end)
    qp_leave(qp);
    pairs_receives_drop(end, 0);
    while ((qp = TAILQ_FIRST(&end->qps)))
        /* The analyzer does not see that qp_free takes the first from this very queue.
         * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        qp_free(qp);
    TAILQ_REMOVE(&rc->ends, end, link);
    pairs_pace_leave(rc, end->pace);
    pthread_mutex_unlock(&rc->lock);
    free(end->ring);
    free(end);
}

void dpk_rc_qp_destroy(struct dpk_rc_qp *qp)
{
    struct dpk_rc *rc = qp->end->rc;
    if (!pairs_rc_is_ours(rc))
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
    if (pairs_check_owner(rc, err) != DPK_OK)
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
    qp->address.number = pairs_number_new(rc);
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
    if (!pairs_rc_is_ours(rc))
        return;
    dpk_rc_lock(rc);
    qp->state = QP_NEW;
    pairs_pace_forget(qp);
    qp->next = (struct work_position){.work = qp->done = qp->posted};
    qp->done_bytes = 0;
    qp->unanswered = 0;
    qp->waits = false;
    qp->waits_since = 0;
    qp->halted = qp->refused = DPK_RC_OK;
    qp->why = (struct dpk_rc_why){.reason = DPK_RC_UNTOLD};
    pairs_receive_forget(qp);
    qp->receiving = NOT_RECEIVING;
    if (qp->transport)
        qp->transport->close(qp);
    qp->transport = NULL;
    qp->peer = (struct address){0};
    qp->exposed = false;
    pairs_gateway_forget(qp);
    pairs_each_sender(qp, lose_peer);
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
    if (!pairs_rc_is_ours(qp->end->rc))
        return;
    dpk_rc_lock(qp->end->rc);
    pairs_qp_fail(qp, DPK_RC_FLUSHED, false);
    dpk_rc_unlock(qp->end->rc);
}

void dpk_rc_qp_lose(struct dpk_rc_qp *qp)
{
    if (!pairs_rc_is_ours(qp->end->rc))
        return;
    dpk_rc_lock(qp->end->rc);
    pairs_gateway_hear_out(qp);
    if (qp->state == QP_READY)
        pairs_qp_lose_peer(qp, true);
    dpk_rc_unlock(qp->end->rc);
}

enum dpk_status dpk_rc_qp_address(struct dpk_rc_qp *qp, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_rc *rc = qp->end->rc;
    if (pairs_check_owner(rc, err) != DPK_OK)
        return DPK_ERR_USAGE;
    enum dpk_status status = pairs_fabric_start(qp, err);
    if (status != DPK_OK)
        return status;
    pthread_mutex_lock(&rc->lock);
    status = rc->gateway ? DPK_OK : pairs_gateway_start(rc, err);
    if (status == DPK_OK)
        pairs_address_put(&qp->address, out);
    pthread_mutex_unlock(&rc->lock);
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}
