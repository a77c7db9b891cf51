/* librdmacm.so.1: forwards to the system's library, like libibverbs.so.1. If the machine has a
 * connection manager (/dev/infiniband/rdma_cm), and so a card, calls go to the system's library,
 * unless DPAKIT_RDMA_CM is "emulated". Otherwise they go to emulated devices. */
#include <rdma/rsocket.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/forward/forward.h"
#include "rdmacm.h"

static bool decide(void)
{
    const char *said = secure_getenv("DPAKIT_RDMA_CM");
    if (said && strcmp(said, "emulated") == 0)
        return true;
    if (said && strcmp(said, "system") == 0)
        return false;
    return access("/dev/infiniband/rdma_cm", F_OK) != 0;
}

static bool emulates(void)
{
    static _Atomic int answer; /* 0: not decided yet */
    if (!answer)
        answer = decide() ? 1 : 2;
    return answer == 1;
}

#define CM(type, none, name, parameters, arguments, ours)                                          \
    FORWARD(type, none, name, parameters, arguments, emulates(), ours)

CM(struct rdma_event_channel *, NULL, rdma_create_event_channel, (void), (),
   rdmacm_cm_create_event_channel())
CM(int, -1, rdma_get_cm_event, (struct rdma_event_channel * channel, struct rdma_cm_event **event),
   (channel, event), rdmacm_cm_get_event(channel, event))
CM(int, -1, rdma_ack_cm_event, (struct rdma_cm_event * event), (event), rdmacm_cm_ack_event(event))
CM(int, -1, rdma_migrate_id, (struct rdma_cm_id * id, struct rdma_event_channel *channel),
   (id, channel), rdmacm_cm_migrate_id(id, channel))

CM(int, -1, rdma_create_id,
   (struct rdma_event_channel * channel, struct rdma_cm_id **id, void *context,
    enum rdma_port_space ps),
   (channel, id, context, ps), rdmacm_cm_create_id(channel, id, context, ps))
CM(int, -1, rdma_destroy_id, (struct rdma_cm_id * id), (id), rdmacm_cm_destroy_id(id))
CM(int, -1, rdma_bind_addr, (struct rdma_cm_id * id, struct sockaddr *addr), (id, addr),
   rdmacm_cm_bind_addr(id, addr))
CM(int, -1, rdma_resolve_addr,
   (struct rdma_cm_id * id, struct sockaddr *src_addr, struct sockaddr *dst_addr, int timeout_ms),
   (id, src_addr, dst_addr, timeout_ms), rdmacm_cm_resolve_addr(id, src_addr, dst_addr, timeout_ms))
CM(int, -1, rdma_resolve_route, (struct rdma_cm_id * id, int timeout_ms), (id, timeout_ms),
   rdmacm_cm_resolve_route(id, timeout_ms))
CM(int, -1, rdma_listen, (struct rdma_cm_id * id, int backlog), (id, backlog),
   rdmacm_cm_listen(id, backlog))
CM(int, -1, rdma_set_option,
   (struct rdma_cm_id * id, int level, int optname, void *optval, size_t optlen),
   (id, level, optname, optval, optlen), rdmacm_cm_set_option(id, level, optname, optval, optlen))
CM(__be16, 0, rdma_get_src_port, (struct rdma_cm_id * id), (id),
   rdmacm_cm_port(&id->route.addr.src_addr))
CM(__be16, 0, rdma_get_dst_port, (struct rdma_cm_id * id), (id),
   rdmacm_cm_port(&id->route.addr.dst_addr))

CM(int, -1, rdma_connect, (struct rdma_cm_id * id, struct rdma_conn_param *conn_param),
   (id, conn_param), rdmacm_cm_connect(id, conn_param))
CM(int, -1, rdma_establish, (struct rdma_cm_id * id), (id), rdmacm_cm_establish(id))
CM(int, -1, rdma_accept, (struct rdma_cm_id * id, struct rdma_conn_param *conn_param),
   (id, conn_param), rdmacm_cm_accept(id, conn_param))
CM(int, -1, rdma_reject,
   (struct rdma_cm_id * id, const void *private_data, uint8_t private_data_len),
   (id, private_data, private_data_len), rdmacm_cm_reject(id, private_data, private_data_len))
CM(int, -1, rdma_reject_ece,
   (struct rdma_cm_id * id, const void *private_data, uint8_t private_data_len),
   (id, private_data, private_data_len), rdmacm_cm_reject(id, private_data, private_data_len))
CM(int, -1, rdma_disconnect, (struct rdma_cm_id * id), (id), rdmacm_cm_disconnect(id))
CM(int, -1, rdma_notify, (struct rdma_cm_id * id, enum ibv_event_type event), (id, event),
   rdmacm_cm_notify(id, event))

CM(int, -1, rdma_create_qp,
   (struct rdma_cm_id * id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr),
   (id, pd, qp_init_attr), rdmacm_cm_create_qp(id, pd, qp_init_attr))
CM(int, -1, rdma_create_qp_ex, (struct rdma_cm_id * id, struct ibv_qp_init_attr_ex *qp_init_attr),
   (id, qp_init_attr), rdmacm_cm_create_qp_ex(id, qp_init_attr))
CM(int, -1, rdma_create_srq,
   (struct rdma_cm_id * id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr), (id, pd, attr),
   rdmacm_cm_create_srq(id, pd, attr))
CM(int, -1, rdma_init_qp_attr,
   (struct rdma_cm_id * id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask),
   (id, qp_attr, qp_attr_mask), rdmacm_cm_init_qp_attr(id, qp_attr, qp_attr_mask))

CM(int, -1, rdma_create_ep,
   (struct rdma_cm_id * *id, struct rdma_addrinfo *res, struct ibv_pd *pd,
    struct ibv_qp_init_attr *qp_init_attr),
   (id, res, pd, qp_init_attr), rdmacm_cm_create_ep(id, res, pd, qp_init_attr))
CM(int, -1, rdma_get_request, (struct rdma_cm_id * listen, struct rdma_cm_id **id), (listen, id),
   rdmacm_cm_get_request(listen, id))
CM(int, -1, rdma_getaddrinfo,
   (const char *node, const char *service, const struct rdma_addrinfo *hints,
    struct rdma_addrinfo **res),
   (node, service, hints, res), rdmacm_cm_getaddrinfo(node, service, hints, res))
CM(struct ibv_context **, NULL, rdma_get_devices, (int *num_devices), (num_devices),
   rdmacm_cm_get_devices(num_devices))

/* Functions without a result. */
#define CM_VOID(name, parameters, arguments, ours)                                                 \
    void name parameters                                                                           \
    {                                                                                              \
        __typeof__(&name) system_function = emulates() ? NULL : SYSTEM(name);                      \
        if (emulates())                                                                            \
            ours;                                                                                  \
        else if (system_function)                                                                  \
            system_function arguments;                                                             \
    }
CM_VOID(rdma_destroy_event_channel, (struct rdma_event_channel * channel), (channel),
        rdmacm_cm_destroy_event_channel(channel))
CM_VOID(rdma_destroy_qp, (struct rdma_cm_id * id), (id), rdmacm_cm_destroy_qp(id))
CM_VOID(rdma_destroy_srq, (struct rdma_cm_id * id), (id), rdmacm_cm_destroy_srq(id))
CM_VOID(rdma_destroy_ep, (struct rdma_cm_id * id), (id), rdmacm_cm_destroy_ep(id))
CM_VOID(rdma_freeaddrinfo, (struct rdma_addrinfo * res), (res), rdmacm_cm_freeaddrinfo(res))
CM_VOID(rdma_free_devices, (struct ibv_context * *list), (list), rdmacm_cm_free_devices(list))

/* Unsupported on emulated devices: sockets over RDMA, multicast, ECE, extended shared receive
 * queues. */
CM(int, -1, rsocket, (int domain, int type, int protocol), (domain, type, protocol),
   rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_join_multicast, (struct rdma_cm_id * id, struct sockaddr *addr, void *context),
   (id, addr, context), rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_join_multicast_ex,
   (struct rdma_cm_id * id, struct rdma_cm_join_mc_attr_ex *mc_join_attr, void *context),
   (id, mc_join_attr, context), rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_leave_multicast, (struct rdma_cm_id * id, struct sockaddr *addr), (id, addr),
   rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_create_srq_ex, (struct rdma_cm_id * id, struct ibv_srq_init_attr_ex *attr),
   (id, attr), rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_set_local_ece, (struct rdma_cm_id * id, struct ibv_ece *ece), (id, ece),
   rdmacm_cm_failed(EOPNOTSUPP))
CM(int, -1, rdma_get_remote_ece, (struct rdma_cm_id * id, struct ibv_ece *ece), (id, ece),
   rdmacm_cm_failed(EOPNOTSUPP))
