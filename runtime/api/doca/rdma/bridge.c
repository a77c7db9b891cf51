/* Connections of a program that listens with librdmacm and passes the identifier of each caller.
 * The symbols are weak: only programs with an identifier have this library. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "api/verbs/verbs.h"
#include "rdma.h"

#pragma weak rdma_init_qp_attr
#pragma weak rdma_accept
#pragma weak rdma_reject
#pragma weak rdma_disconnect
#pragma weak rdma_destroy_id

/* Gets the calling queue pair. Returns false if there is no caller. */
static bool find_caller(struct rdma_cm_id *id, struct dpk_rdma_peer *caller)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
    int mask = 0;
    if (rdma_init_qp_attr(id, &attr, &mask) != 0 || !(mask & IBV_QP_DEST_QPN))
        return false;
    caller->queue_pair = attr.dest_qp_num;
    memcpy(caller->gid, attr.ah_attr.grh.dgid.raw, sizeof caller->gid);
    return true;
}

doca_error_t dpk_rdma_bridge_prepare(struct dpk_rdma *r, struct rdma_cm_id *id,
                                     struct dpk_rdma_connection **out)
{
    struct dpk_rdma_peer caller;
    if (!rdma_init_qp_attr || !id->verbs || !dpk_context_is_emulated(id->verbs) ||
        !find_caller(id, &caller))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the identifier is of no emulated device, or nobody calls there");
    dpk_doca_forget_reason();
    pthread_mutex_lock(&r->ctx.object.lock);
    const doca_error_t result = dpk_rdma_connection_add(r, out);
    if (result == DOCA_SUCCESS) {
        (*out)->state = DPK_RDMA_ASKED;
        (*out)->peer = caller;
        (*out)->bridged = id;
    }
    pthread_mutex_unlock(&r->ctx.object.lock);
    return result;
}

doca_error_t dpk_rdma_bridge_accept(struct dpk_rdma_connection *c, const void *data, uint8_t size)
{
    struct rdma_conn_param param = {.private_data = data,
                                    .private_data_len = size,
                                    .responder_resources = RDMA_MAX_RESP_RES,
                                    .initiator_depth = RDMA_MAX_INIT_DEPTH,
                                    .rnr_retry_count = DPK_RC_RNR_FOREVER};
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    doca_error_t result = c->bridged && c->state == DPK_RDMA_ASKED && c->qp
                              ? dpk_rdma_connect_to(c, &c->peer)
                              : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                 "the connection was not prepared "
                                                 "(doca_rdma_bridge_prepare_connection), or was "
                                                 "answered already");
    if (result == DOCA_SUCCESS) {
        param.qp_num = dpk_rc_qp_number(c->qp);
        c->state = DPK_RDMA_ACCEPTED;
    }
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    /* Without the lock: on an identifier without an event channel, rdma_accept waits for the
     * caller. */
    if (result == DOCA_SUCCESS && rdma_accept(c->bridged, &param) != 0)
        result =
            dpk_doca_because(DOCA_ERROR_CONNECTION_ABORTED, "rdma_accept: %s", strerror(errno));
    return result;
}

doca_error_t dpk_rdma_bridge_establish(struct dpk_rdma_connection *c)
{
    pthread_mutex_lock(&c->rdma->ctx.object.lock);
    const bool may =
        c->bridged && (c->state == DPK_RDMA_ACCEPTED || c->state == DPK_RDMA_ESTABLISHED);
    if (may)
        c->state = DPK_RDMA_ESTABLISHED;
    pthread_mutex_unlock(&c->rdma->ctx.object.lock);
    return may ? DOCA_SUCCESS
               : dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                  "the connection was not accepted (doca_rdma_bridge_accept)");
}

void dpk_rdma_bridge_reject(struct dpk_rdma_connection *c)
{
    rdma_reject(c->bridged, NULL, 0);
}

void dpk_rdma_bridge_disconnect(struct dpk_rdma_connection *c)
{
    rdma_disconnect(c->bridged);
}

void dpk_rdma_bridge_release(struct dpk_rdma_connection *c)
{
    rdma_destroy_id(c->bridged);
}
