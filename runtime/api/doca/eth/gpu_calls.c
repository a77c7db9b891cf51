/* Calls of programs about queues of kernels. */
#include "eth.h"

static bool is_idle(const struct dpk_dev_ctx *ctx)
{
    return atomic_load(&ctx->ctx.state) == DOCA_CTX_STATE_IDLE;
}

/* Ends a call that sets something of an idle queue. */
static doca_error_t end_setting(void *q, const char *call, bool idle)
{
    return dpk_doca_unlock(q, call, idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the queue must be idle");
}

/* ---- Receive queues ---- */

doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *eth_rxq,
                                         struct doca_gpu_eth_rxq **eth_rxq_ext)
{
    if (eth_rxq_ext)
        *eth_rxq_ext = NULL;
    struct rxq *q = eth_rxq_ext ? dpk_object_lock(eth_rxq, &eth_rxq_kind) : NULL;
    const doca_error_t result =
        q ? dpk_gpu_judge_handle(eth_gpu(&q->base) != NULL, q->handle, "queue") : DOCA_SUCCESS;
    if (q && result == DOCA_SUCCESS)
        *eth_rxq_ext = q->handle;
    return dpk_doca_end(eth_rxq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *eth_rxq)
{
    struct rxq *q = dpk_object_lock(eth_rxq, &eth_rxq_kind);
    return end_setting(q, __func__, q && is_idle(&q->base));
}

/* ---- Send queues ---- */

doca_error_t doca_eth_txq_get_gpu_handle(const struct doca_eth_txq *eth_txq,
                                         struct doca_gpu_eth_txq **eth_txq_ext)
{
    if (eth_txq_ext)
        *eth_txq_ext = NULL;
    struct txq *q = eth_txq_ext ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    const doca_error_t result =
        q ? dpk_gpu_judge_handle(eth_gpu(&q->base) != NULL, q->handle, "queue") : DOCA_SUCCESS;
    if (q && result == DOCA_SUCCESS)
        *eth_txq_ext = q->handle;
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_txq_gpu_set_completion_on_gpu(struct doca_eth_txq *eth_txq)
{
    struct txq *q = dpk_object_lock(eth_txq, &eth_txq_kind);
    const bool idle = q && is_idle(&q->base);
    if (idle)
        q->completes_on_gpu = true;
    return end_setting(q, __func__, idle);
}

doca_error_t doca_eth_txq_gpu_set_uar_on_cpu(struct doca_eth_txq *eth_txq)
{
    struct txq *q = dpk_object_lock(eth_txq, &eth_txq_kind);
    const bool idle = q && is_idle(&q->base);
    if (idle)
        q->rings_on_cpu = true;
    return end_setting(q, __func__, idle);
}

doca_error_t doca_eth_txq_gpu_cpu_proxy_progress(struct doca_eth_txq *eth_txq)
{
    struct txq *q = dpk_object_lock(eth_txq, &eth_txq_kind);
    doca_error_t result = DOCA_SUCCESS;
    if (q && (!q->handle || !q->rings_on_cpu))
        result = DOCA_ERROR_BAD_STATE;
    if (q && result == DOCA_SUCCESS) {
        struct doca_gpu_eth_bell *bell = q->handle->bell;
        const unsigned long long proxied = __atomic_load_n(&bell->proxied, __ATOMIC_ACQUIRE);
        if (proxied > bell->posted) {
            __atomic_store_n(&bell->posted, proxied, __ATOMIC_RELEASE);
            dpk_gpu_ring(&bell->bell);
        }
    }
    return dpk_doca_unlock(q, __func__, result,
                           "the queue does not run on a GPU, or kernels ring its doorbell");
}

doca_error_t
doca_eth_txq_gpu_event_error_send_packet_register(struct doca_eth_txq *eth_txq,
                                                  doca_eth_txq_gpu_event_error_send_packet_cb_t cb,
                                                  union doca_data user_data)
{
    struct txq *q = cb ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    const doca_error_t result = q ? eth_txq_events_add(q, &q->failure) : DOCA_SUCCESS;
    if (q && result == DOCA_SUCCESS) {
        q->failure.cb.failed = cb;
        q->failure.user_data = user_data;
    }
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}

doca_error_t doca_eth_txq_gpu_event_notify_send_packet_register(
    struct doca_eth_txq *eth_txq, doca_eth_txq_gpu_event_notify_send_packet_cb_t cb,
    union doca_data user_data)
{
    struct txq *q = cb ? dpk_object_lock(eth_txq, &eth_txq_kind) : NULL;
    const doca_error_t result = q ? eth_txq_events_add(q, &q->notice) : DOCA_SUCCESS;
    if (q && result == DOCA_SUCCESS) {
        q->notice.cb.sent = cb;
        q->notice.user_data = user_data;
    }
    return dpk_doca_end(eth_txq, __func__, dpk_object_unlock(q, result));
}
