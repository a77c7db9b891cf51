/* Endpoints: identifiers that are made with their address and queue pair in one call; and address
 * lookup. */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "rdmacm.h"

static int fill(struct rdma_cm_id *id, const struct rdma_addrinfo *res, struct ibv_pd *pd,
                struct ibv_qp_init_attr *attr)
{
    if (res->ai_flags & RAI_PASSIVE) {
        if (rdmacm_cm_bind_addr(id, res->ai_src_addr) != 0)
            return -1;
        if (attr) { /* used for each request */
            id_of(id)->has_attributes = true;
            id_of(id)->attributes = *attr;
            id_of(id)->attributes_pd = pd;
        }
        return 0;
    }
    if (rdmacm_cm_resolve_addr(id, res->ai_src_addr, res->ai_dst_addr, 0) != 0 ||
        rdmacm_cm_resolve_route(id, 0) != 0)
        return -1;
    return attr ? rdmacm_cm_create_qp(id, pd, attr) : 0;
}

int rdmacm_cm_create_ep(struct rdma_cm_id **out, struct rdma_addrinfo *res, struct ibv_pd *pd,
                        struct ibv_qp_init_attr *attr)
{
    struct rdma_cm_id *id;
    if (!out || !res)
        return rdmacm_cm_failed(EINVAL);
    if (attr)
        attr->qp_type = (enum ibv_qp_type)res->ai_qp_type;
    if (rdmacm_cm_create_id(NULL, &id, NULL, (enum rdma_port_space)res->ai_port_space) != 0)
        return -1;
    if (fill(id, res, pd, attr) != 0) {
        int why = errno;
        rdmacm_cm_destroy_ep(id);
        return rdmacm_cm_failed(why);
    }
    *out = id;
    return 0;
}

void rdmacm_cm_destroy_ep(struct rdma_cm_id *id)
{
    if (!id)
        return;
    rdmacm_cm_destroy_qp(id);
    rdmacm_cm_destroy_srq(id);
    rdmacm_cm_destroy_id(id);
}

int rdmacm_cm_get_request(struct rdma_cm_id *seen, struct rdma_cm_id **out)
{
    struct id *listener = id_of(seen);
    if (!listener || !out || !listener->synchronous || listener->state != LISTENING)
        return rdmacm_cm_failed(EINVAL);
    if (rdmacm_channel_complete(listener) != 0)
        return -1;
    struct rdma_cm_event *e = listener->seen.event;
    if (e->event != RDMA_CM_EVENT_CONNECT_REQUEST)
        return rdmacm_cm_failed(EINVAL);
    struct rdma_cm_id *id = e->id;
    struct ibv_qp_init_attr attributes = listener->attributes;
    if ((listener->has_attributes &&
         rdmacm_cm_create_qp(id, listener->attributes_pd, &attributes) != 0) ||
        rdmacm_cm_migrate_id(id, NULL) != 0) {
        int why = errno;
        rdmacm_cm_destroy_ep(id);
        return rdmacm_cm_failed(why);
    }
    /* Moves the event to the new identifier, so that its program finds the private data. */
    rdmacm_cm_lock();
    ((struct event *)e)->about = id_of(id);
    listener->unacknowledged--;
    id_of(id)->unacknowledged++;
    rdmacm_cm_unlock();
    listener->seen.event = NULL;
    id->event = e;
    *out = id;
    return 0;
}

/* ---- Addresses ---- */

static int copy_address(const struct sockaddr *from, socklen_t size, struct sockaddr **to,
                        socklen_t *to_size)
{
    if (!from || !size)
        return 0;
    if (!(*to = malloc(size)))
        return rdmacm_cm_failed(ENOMEM);
    memcpy(*to, from, size);
    *to_size = size;
    return 0;
}

static struct rdma_addrinfo *describe(const struct addrinfo *found,
                                      const struct rdma_addrinfo *hints)
{
    struct rdma_addrinfo *ai = calloc(1, sizeof *ai);
    const bool passive = hints && hints->ai_flags & RAI_PASSIVE;
    if (!ai)
        return NULL;
    ai->ai_flags = hints ? hints->ai_flags : 0;
    ai->ai_family = found->ai_family;
    ai->ai_port_space = hints && hints->ai_port_space              ? hints->ai_port_space
                        : hints && hints->ai_qp_type == IBV_QPT_UD ? RDMA_PS_UDP
                                                                   : RDMA_PS_TCP;
    ai->ai_qp_type = hints && hints->ai_qp_type         ? hints->ai_qp_type
                     : ai->ai_port_space == RDMA_PS_UDP ? IBV_QPT_UD
                                                        : IBV_QPT_RC;
    bool bad = copy_address(found->ai_addr, found->ai_addrlen,
                            passive ? &ai->ai_src_addr : &ai->ai_dst_addr,
                            passive ? &ai->ai_src_len : &ai->ai_dst_len) != 0;
    if (!bad && !passive && hints)
        bad = copy_address(hints->ai_src_addr, hints->ai_src_len, &ai->ai_src_addr,
                           &ai->ai_src_len) != 0;
    if (!bad)
        return ai;
    rdmacm_cm_freeaddrinfo(ai);
    return NULL;
}

/* Resolves names with the system's resolver. */
static int look_up(const char *node, const char *service, const struct rdma_addrinfo *hints,
                   struct rdma_addrinfo **res)
{
    struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    if (hints) {
        want.ai_flags = (hints->ai_flags & RAI_PASSIVE ? AI_PASSIVE : 0) |
                        (hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0);
        if (hints->ai_flags & RAI_FAMILY)
            want.ai_family = hints->ai_family;
    }
    int error = getaddrinfo(node, service, &want, &found);
    if (error) {
        errno = error == EAI_MEMORY ? ENOMEM : error == EAI_SYSTEM ? errno : ENODATA;
        return error;
    }
    *res = describe(found, hints);
    freeaddrinfo(found);
    return *res ? 0 : rdmacm_cm_failed(ENOMEM);
}

/* Without names, returns the hints. */
static int repeat(const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
    struct rdma_addrinfo *ai = calloc(1, sizeof *ai);
    if (!ai)
        return rdmacm_cm_failed(ENOMEM);
    ai->ai_flags = hints->ai_flags;
    ai->ai_family = hints->ai_family;
    ai->ai_qp_type = hints->ai_qp_type;
    ai->ai_port_space = hints->ai_port_space;
    if (copy_address(hints->ai_dst_addr, hints->ai_dst_len, &ai->ai_dst_addr, &ai->ai_dst_len) ||
        copy_address(hints->ai_src_addr, hints->ai_src_len, &ai->ai_src_addr, &ai->ai_src_len)) {
        rdmacm_cm_freeaddrinfo(ai);
        return rdmacm_cm_failed(ENOMEM);
    }
    *res = ai;
    return 0;
}

int rdmacm_cm_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
                          struct rdma_addrinfo **res)
{
    if (!res || (!node && !service && !hints))
        return rdmacm_cm_failed(EINVAL);
    return node || service ? look_up(node, service, hints, res) : repeat(hints, res);
}

void rdmacm_cm_freeaddrinfo(struct rdma_addrinfo *ai)
{
    while (ai) {
        struct rdma_addrinfo *next = ai->ai_next;
        free(ai->ai_src_addr);
        free(ai->ai_dst_addr);
        free(ai->ai_src_canonname);
        free(ai->ai_dst_canonname);
        free(ai->ai_route);
        free(ai->ai_connect);
        free(ai);
        ai = next;
    }
}
