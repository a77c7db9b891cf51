/* Identifiers: creation, binding, resolving, destruction. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdmacm.h"

struct id *rdmacm_id_new(struct channel *channel, enum rdma_port_space ps, void *context)
{
    struct id *id = calloc(1, sizeof *id);
    if (!id)
        return NULL;
    if (!(id->spare = calloc(1, sizeof *id->spare))) {
        free(id);
        return NULL;
    }
    id->fd = id->far_fd = -1;
    id->channel = channel;
    TAILQ_INIT(&id->incoming);
    id->seen.channel = channel ? &channel->seen : NULL;
    id->seen.context = context;
    id->seen.ps = ps;
    id->seen.port_num = 1;
    id->seen.qp_type = id_is_ud(id) ? IBV_QPT_UD : IBV_QPT_RC;
    return id;
}

int rdmacm_cm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **out, void *context,
                        enum rdma_port_space ps)
{
    if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP) /* the others are for addresses of InfiniBand */
        return rdmacm_cm_failed(EOPNOTSUPP);
    int devices = 0;
    struct ibv_context **list = rdmacm_cm_get_devices(&devices);
    rdmacm_cm_free_devices(list);
    if (!devices)
        return rdmacm_cm_failed(ENODEV);
    struct id *id = rdmacm_id_new((struct channel *)channel, ps, context);
    if (!id)
        return rdmacm_cm_failed(ENOMEM);
    if (!channel) {
        struct rdma_event_channel *own = rdmacm_cm_create_event_channel();
        if (!own) {
            free(id->spare);
            free(id);
            return -1;
        }
        id->synchronous = true;
        id->channel = (struct channel *)own;
        id->seen.channel = own;
    }
    *out = &id->seen;
    return 0;
}

void rdmacm_id_hang_up(struct id *id)
{
    if (id->fd < 0)
        return;
    rdmacm_channel_forget(id);
    close(id->fd);
    if (id->far_fd >= 0)
        close(id->far_fd);
    id->fd = id->far_fd = -1;
}

void rdmacm_id_free(struct id *id)
{
    struct id *caller;
    while ((caller = TAILQ_FIRST(&id->incoming))) {
        TAILQ_REMOVE(&id->incoming, caller, link);
        rdmacm_id_free(caller);
    }
    rdmacm_id_hang_up(id);
    free(id->spare);
    free(id);
}

int rdmacm_cm_destroy_id(struct rdma_cm_id *seen)
{
    struct id *id = id_of(seen);
    if (!id)
        return rdmacm_cm_failed(EINVAL);
    if (id->seen.event) {
        rdmacm_cm_ack_event(id->seen.event);
        id->seen.event = NULL;
    }
    rdmacm_cm_lock();
    if (id->state == REQUESTED)
        dpk_cm_send(id->fd,
                    &(struct dpk_cm_message){.kind = DPK_CM_REJ, .reason = DPK_CM_REJECTED});
    rdmacm_id_hang_up(id);
    rdmacm_cm_unlock();
    rdmacm_channel_settle(id);
    struct channel *own = id->synchronous ? id->channel : NULL;
    rdmacm_cm_lock();
    rdmacm_id_free(id);
    rdmacm_cm_unlock();
    if (own)
        rdmacm_cm_destroy_event_channel(&own->seen);
    return 0;
}

/* ---- Addresses ---- */

/* Returns the errno for an error of the room cm. */
static int reason(enum dpk_status status)
{
    switch (status) {
    case DPK_ERR_EXISTS:
        return EADDRINUSE;
    case DPK_ERR_REFUSED:
        return EADDRNOTAVAIL;
    case DPK_ERR_NOMEM:
        return ENOMEM;
    default:
        return EACCES;
    }
}

/* Binds the address in id->local and a port. */
static int bind_id(struct id *id, sa_family_t family)
{
    id->local.datagrams = id_is_ud(id);
    id->local.claim = id->shares ? DPK_CM_SHARED : DPK_CM_OVERLAP;
    enum dpk_status status = dpk_cm_bind(&id->local, &id->fd, NULL);
    if (status != DPK_OK)
        return rdmacm_cm_failed(reason(status));
    rdmacm_address_write(&id->local, family, &id->seen.route.addr.src_addr);
    id->state = BOUND;
    return 0;
}

int rdmacm_cm_bind_addr(struct rdma_cm_id *seen, struct sockaddr *addr)
{
    struct id *id = id_of(seen);
    struct dpk_cm_address at;
    if (!id || !addr || id->state != IDLE)
        return rdmacm_cm_failed(EINVAL);
    if (!rdmacm_address_read(addr, &at))
        return rdmacm_cm_failed(EAFNOSUPPORT);
    struct device *device = rdmacm_device_at(&at);
    if (!device)
        return -1;
    id->local = at;
    if (bind_id(id, addr->sa_family) != 0)
        return -1;
    if (!address_is_any(&at))
        id->seen.verbs = device->verbs;
    return 0;
}

/* `from`: the address of this end if the program did not bind an address. */
static void resolve(struct id *id, const struct device *device, const uint8_t from[16],
                    sa_family_t family)
{
    rdmacm_address_write(&id->remote, family, &id->seen.route.addr.dst_addr);
    if (address_is_any(&id->local))
        memcpy(id->local.ip, from, sizeof id->local.ip);
    rdmacm_address_write(&id->local, family, &id->seen.route.addr.src_addr);
    id->seen.verbs = device->verbs;
    rdmacm_device_gid(device, &id->local, id->seen.route.addr.addr.ibaddr.sgid.raw);
    id->state = RESOLVED;
}

/* Finds the device of a connection: that of the bound address, else that of the peer's address, or for
 * a peer on another machine a device with a fabric. */
static struct device *find_device(struct id *id, uint8_t from[16])
{
    struct device *own = id->seen.verbs ? rdmacm_device_of(id->seen.verbs) : NULL;
    struct device *device = NULL;
    memcpy(from, id->remote.ip, sizeof id->remote.ip);
    id->is_far = false;
    if (address_is_any(&id->remote))
        return NULL;
    if ((device = rdmacm_device_towards(&id->remote, from))) {
        id->is_far =
            !own || (own == device && memcmp(id->local.ip, from, sizeof id->local.ip) == 0);
        return id->is_far ? device : NULL;
    }
    device = rdmacm_device_at(&id->remote);
    return device && own ? own : device;
}

int rdmacm_cm_resolve_addr(struct rdma_cm_id *seen, struct sockaddr *src, struct sockaddr *dst,
                           int timeout_ms)
{
    (void)timeout_ms; /* resolving takes no time */
    struct id *id = id_of(seen);
    uint8_t from[16];
    if (!id || !dst || id->state > BOUND)
        return rdmacm_cm_failed(EINVAL);
    if (!rdmacm_address_read(dst, &id->remote))
        return rdmacm_cm_failed(EAFNOSUPPORT);
    id->remote.datagrams = id_is_ud(id);
    if (id->state == IDLE && src && src->sa_family && rdmacm_cm_bind_addr(seen, src) != 0)
        return -1;
    if (id->state == IDLE && bind_id(id, dst->sa_family) != 0)
        return -1;
    const struct device *device = find_device(id, from);
    rdmacm_cm_lock();
    if (device) {
        resolve(id, device, from, dst->sa_family);
        rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL);
    } else {
        rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, NULL);
    }
    rdmacm_cm_unlock();
    return rdmacm_channel_complete(id);
}

int rdmacm_cm_resolve_route(struct rdma_cm_id *seen, int timeout_ms)
{
    (void)timeout_ms;
    struct id *id = id_of(seen);
    if (!id || id->state != RESOLVED)
        return rdmacm_cm_failed(EINVAL);
    rdmacm_cm_lock();
    id->state = ROUTED;
    rdmacm_channel_tell(id, NULL, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL);
    rdmacm_cm_unlock();
    return rdmacm_channel_complete(id);
}

/* Lets other machines call a listener, if a device has a fabric. */
static void listen_far(struct id *id, int backlog)
{
    struct dpk_error err = {0};
    struct dpk_cm_address at = id->local;
    if (!rdmacm_device_fabric(&id->local, at.ip))
        return;
    if (dpk_cm_listen_far(&at, backlog, &id->far_fd, &err) != DPK_OK)
        fprintf(stderr, "-W- rdma_listen: other machines cannot call: %s\n", err.message);
}

int rdmacm_cm_listen(struct rdma_cm_id *seen, int backlog)
{
    struct id *id = id_of(seen);
    if (!id || id->state > BOUND)
        return rdmacm_cm_failed(EINVAL);
    if (id->state == IDLE && bind_id(id, AF_INET) != 0)
        return -1;
    rdmacm_cm_lock();
    enum dpk_status status = dpk_cm_listen_at(&id->local, id->fd, backlog, NULL);
    if (status == DPK_OK)
        listen_far(id, backlog);
    int done = status != DPK_OK           ? rdmacm_cm_failed(reason(status))
               : rdmacm_channel_watch(id) ? 0
                                          : -1;
    if (done == 0)
        id->state = LISTENING;
    rdmacm_cm_unlock();
    return done;
}

/* Options set the marking of packets, which has no effect, and the sharing of addresses. */
int rdmacm_cm_set_option(struct rdma_cm_id *seen, int level, int option, void *value, size_t size)
{
    static const size_t sizes[] = {
        [RDMA_OPTION_ID_TOS] = 1,
        [RDMA_OPTION_ID_REUSEADDR] = sizeof(int),
        [RDMA_OPTION_ID_AFONLY] = sizeof(int),
        [RDMA_OPTION_ID_ACK_TIMEOUT] = 1,
    };
    if (!seen || !value)
        return rdmacm_cm_failed(EINVAL);
    if (level != RDMA_OPTION_ID || option < 0 || option >= (int)(sizeof sizes / sizeof *sizes))
        return rdmacm_cm_failed(ENOSYS);
    if (size != sizes[option])
        return rdmacm_cm_failed(EINVAL);
    if (option == RDMA_OPTION_ID_REUSEADDR) {
        int shares;
        if (id_of(seen)->state != IDLE)
            return rdmacm_cm_failed(EINVAL);
        memcpy(&shares, value, sizeof shares);
        id_of(seen)->shares = shares != 0;
    }
    return 0;
}
