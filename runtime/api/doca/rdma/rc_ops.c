/* Callbacks of rc: sync events that peers change, and completions. */
#include <doca_dpa_dev.h>

#include "rdma.h"

/* ---- Events ---- */

static bool signal_event(void *context, uint64_t key, uint64_t value, bool adds, uint64_t *before)
{
    void *pinned = NULL;
    (void)context;
    struct dpk_event *e = dpk_sync_event_of_key(key, &pinned);
    if (e && adds)
        *before = dpk_event_add(e, value);
    else if (e)
        dpk_event_set(e, value);
    dpk_object_drop(pinned);
    return e != NULL;
}

/* ---- Completions ---- */

/* Ends the process of a context without a completion queue, so that the error is seen. */
static void end_process(struct dpk_rdma *r, const struct dpk_rc_completion *c)
{
    struct dpk_process *p = dpk_dpa_enter(dpk_rdma_dpa(r), r->run);
    char reason[DPK_RC_REASON_MAX + 60], why[DPK_RC_REASON_MAX];
    if (!p)
        return;
    snprintf(reason, sizeof reason, "RDMA: operation %u of connection %u failed: %s", c->index,
             c->connection, dpk_rc_reason(c->status, c->why, why));
    dpk_dpa_fail(dpk_rdma_dpa(r), p, reason);
    dpk_dpa_leave(dpk_rdma_dpa(r));
}

static void tell(struct dpk_rdma *r, const struct dpk_rc_completion *c)
{
    char why[DPK_RC_REASON_MAX];
    dpk_doca_tell(r, dpk_rc_kind(c->status, c->why), DOCA_LOG_LEVEL_WARNING,
                  "RDMA: %s %u of connection %u failed: %s",
                  c->event == DPK_RC_FAILED ? "operation" : "receive", c->index, c->connection,
                  dpk_rc_reason(c->status, c->why, why));
}

/* Reports a failure whose reason is on this side, but which only the peer's process sees. */
static void failed(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why)
{
    char reason[DPK_RC_REASON_MAX];
    if (why)
        dpk_doca_tell(context, dpk_rc_kind(refused, why), DOCA_LOG_LEVEL_WARNING,
                      "RDMA: a connection refused its peer's %s",
                      dpk_rc_reason(refused, why, reason));
}

static bool completed(void *context, const struct dpk_rc_completion *c)
{
    static const uint32_t types[] = {
        [DPK_RC_DONE] = DOCA_DPA_DEV_COMP_SEND,
        [DPK_RC_RECEIVED] = DOCA_DPA_DEV_COMP_RECV_SEND,
        [DPK_RC_RECEIVED_IMMEDIATE] = DOCA_DPA_DEV_COMP_RECV_SEND_IMM,
        [DPK_RC_WRITTEN_IMMEDIATE] = DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM,
        [DPK_RC_FAILED] = DOCA_DPA_DEV_COMP_SEND_ERR,
        [DPK_RC_RECEIVE_FAILED] = DOCA_DPA_DEV_COMP_RECV_ERR,
    };
    struct dpk_rdma *r = context;
    if (c->why && (r->queue || c->event == DPK_RC_RECEIVE_FAILED))
        tell(r, c);
    if (r->queue)
        dpk_completion_post(r->queue, &(struct dpk_completion){.type = types[c->event],
                                                               .user_data = c->connection,
                                                               .immediate = c->immediate,
                                                               .wqe_counter = c->index,
                                                               .bytes = (uint32_t)c->bytes,
                                                               .syndrome = c->status});
    else if (c->event == DPK_RC_FAILED)
        end_process(r, c);
    return true;
}

const struct dpk_rc_ops dpk_rdma_ops = {
    .signal = signal_event, .complete = completed, .failed = failed};

const struct dpk_rc_ops dpk_rdma_srq_ops = {
    .signal = signal_event, .complete = completed, .failed = failed, .receive = dpk_rdma_srq_take};

/* Queues an ended task for its progress engine. */
static bool work_completed(void *context, const struct dpk_rc_completion *c)
{
    struct dpk_rdma *r = context;
    struct dpk_rdma_work *w = c->user;
    w->completion = *c;
    w->completion.why = NULL;
    w->why = c->why ? *c->why : (struct dpk_rc_why){.reason = DPK_RC_UNTOLD};
    STAILQ_INSERT_TAIL(&r->ended, w, link);
    atomic_fetch_add(&r->ended_count, 1);
    dpk_ctx_notify(&r->ctx);
    return true;
}

const struct dpk_rc_ops dpk_rdma_gpu_ops = {
    .signal = signal_event, .complete = dpk_rdma_gpu_completed, .failed = failed};

const struct dpk_rc_ops dpk_rdma_host_ops = {
    .signal = signal_event, .complete = work_completed, .failed = failed};
