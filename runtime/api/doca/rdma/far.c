/* Peers of the connection manager: on this machine, or on another machine, by the fabric of the device. */
#include <string.h>

#include "api/verbs/verbs.h"
#include "rdma.h"

bool dpk_rdma_find_fabric(const struct dpk_rdma *r, uint8_t out[16])
{
    union ibv_gid own;
    if (!dpk_emulated_11.fabric(r->dev->context, &own))
        return false;
    memcpy(out, own.raw, sizeof own.raw);
    return true;
}

bool dpk_rdma_is_far(const struct dpk_rdma *r, const uint8_t to[16], uint8_t from[16])
{
    union ibv_gid gid;
    memcpy(gid.raw, to, sizeof gid.raw);
    return dpk_verbs_is_far(r->dev->context, &gid) && dpk_rdma_find_fabric(r, from);
}

static enum dpk_status connect_near(struct dpk_rdma_connection *c, uint32_t number,
                                    struct dpk_error *err)
{
    const uint8_t address[] = {'D',
                               'P',
                               'K',
                               'N',
                               (uint8_t)(number >> 24),
                               (uint8_t)(number >> 16),
                               (uint8_t)(number >> 8),
                               (uint8_t)number};
    return dpk_rc_qp_connect(c->qp, address, sizeof address, err);
}

/* Finds the peer's queue pair by its number and its machine, because peers of other libraries do not send
 * more. */
doca_error_t dpk_rdma_connect_to(struct dpk_rdma_connection *c, const struct dpk_rdma_peer *peer)
{
    struct dpk_error err = {0};
    struct ibv_context *context = c->rdma->dev->context;
    struct ibv_qp_attr to = {.dest_qp_num = peer->queue_pair};
    memcpy(to.ah_attr.grh.dgid.raw, peer->gid, sizeof peer->gid);
    const enum dpk_status status = dpk_verbs_is_far(context, &to.ah_attr.grh.dgid)
                                       ? dpk_verbs_connect(context, IBV_QPT_RC, c->qp, &to, &err)
                                       : connect_near(c, peer->queue_pair, &err);
    return status == DPK_OK ? DOCA_SUCCESS
                            : dpk_doca_because(DOCA_ERROR_CONNECTION_ABORTED, "%s", err.message);
}
