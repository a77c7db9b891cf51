/*
 * rdmacm: librdmacm's functions for emulated devices, on public functions of libibverbs and on the
 * sockets of cm. forward.c has the names that programs call; where the machine has a connection
 * manager of its own, it calls the system's librdmacm instead.
 *
 * An identifier (struct id) is what a program knows as struct rdma_cm_id: a listener, or one end of
 * a connection. Its socket is in the epoll instance of its channel, whose descriptor the program
 * waits on; messages are read when the program asks for events, so there is no thread. One lock
 * guards all channels, identifiers and events.
 */
#ifndef DPK_API_RDMACM_RDMACM_H
#define DPK_API_RDMACM_RDMACM_H

#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "rdma/cm/cm.h"

TAILQ_HEAD(ids, id);

struct event {
    struct rdma_cm_event seen; /* first: by it programs name the event */
    struct id *about;          /* whom the program acknowledges it for */
    TAILQ_ENTRY(event) link;
    uint8_t private_data[255];
};

struct channel {
    struct rdma_event_channel seen; /* first; its descriptor is the epoll instance */
    int wake;                       /* readable while there are events */
    TAILQ_HEAD(, event) events;
};

enum state {
    IDLE,
    BOUND,
    LISTENING,
    RESOLVED,  /* the address */
    ROUTED,    /* the way to it */
    CALLING,   /* REQ was sent */
    ANSWERED,  /* REP has come, rdma_establish has not been called */
    INCOMING,  /* somebody called, REQ has not come */
    REQUESTED, /* REQ has come */
    ACCEPTED,  /* REP was sent */
    CONNECTED,
    ENDED,
};

struct id {
    struct rdma_cm_id seen; /* first */
    struct channel *channel;
    bool synchronous; /* it has a channel of its own, and calls wait for their events */
    bool shares;      /* its address, with others that do (RDMA_OPTION_ID_REUSEADDR) */
    enum state state;
    int fd;                  /* -1: none */
    unsigned unacknowledged; /* events that the program has got */
    struct dpk_cm_address local, remote;
    struct dpk_cm_message theirs; /* the peer's REQ or REP */
    struct dpk_cm_message mine;   /* what this end said of itself in its own */
    struct ids incoming;          /* of a listener: callers that the program does not know yet */
    struct id *listener;          /* of such a caller */
    TAILQ_ENTRY(id) link;
    /* rdma_create_ep: for the queue pair of the connection, or of each request. */
    bool has_attributes;
    struct ibv_pd *attributes_pd;
    struct ibv_qp_init_attr attributes;
};

static inline struct id *id_of(struct rdma_cm_id *seen)
{
    return (struct id *)seen;
}

/* Its queue pairs are of datagrams, and what it says is a request for their number (SIDR), not for a
 * connection: it has no end. */
static inline bool id_is_ud(const struct id *id)
{
    return id->seen.ps == RDMA_PS_UDP;
}

/* Sets errno; returns -1. */
int failed(int why);

void cm_lock(void);
void cm_unlock(void);
/* Waits for a condition, with the lock. */
void cm_wait(pthread_cond_t *condition);

/* ---- channel.c; with the lock held ---- */

/* Lets the channel see the identifier's socket, or no longer. */
bool channel_watch(struct id *id);
void channel_forget(struct id *id);
/* An event for the program. `m`: whose private data and resources it tells, or NULL. */
void channel_tell(struct id *id, struct id *listener, enum rdma_cm_event_type what, int status,
                  const struct dpk_cm_message *m);
/* Without the lock: waits for a synchronous identifier's next event, which id->seen.event gets. -1: it tells
 * of a failure, errno of why. Others: returns 0 at once. */
int channel_complete(struct id *id);
/* Without the lock: drops the events of an identifier that the program has not got, and waits until it has
 * acknowledged the others. */
void channel_settle(struct id *id);

/* ---- id.c ---- */

struct id *id_new(struct channel *channel, enum rdma_port_space ps, void *context);
/* With the lock held. Closes the socket. */
void id_hang_up(struct id *id);
void id_free(struct id *id);

/* ---- connect.c; with the lock held ---- */

/* The socket is readable. */
void connect_heard(struct id *id);

/* ---- device.c ---- */

struct device {
    struct ibv_context *verbs;
    struct ibv_pd *pd;        /* for who brings none; NULL before that */
    uint8_t resources, depth; /* RDMA reads at once, as responder and as initiator */
};
/* The device of an address of this machine, any: the first. NULL: errno says why there is none. */
struct device *device_at(const struct dpk_cm_address *at);
struct device *device_of(const struct ibv_context *verbs);
struct ibv_pd *device_pd(struct device *device);
/* Its GID of RoCE v2 for an address: that one, if it is the device's own, or else link-local. Returns its
 * place in the table. */
uint8_t device_gid(const struct device *device, const struct dpk_cm_address *at, uint8_t gid[16]);

/* Between what programs and cm call addresses. False: another family. */
bool address_read(const struct sockaddr *from, struct dpk_cm_address *to);
void address_write(const struct dpk_cm_address *from, sa_family_t family, struct sockaddr *to);
static inline bool address_is_any(const struct dpk_cm_address *a)
{
    for (size_t i = 0; i < sizeof a->ip; i++)
        if (a->ip[i] && !(i >= 10 && i < 12))
            return false;
    return true;
}

/* ---- qp.c ---- */

/* Makes the queue pair ready to receive and to send, for the peer that spoke last. */
bool qp_connect(struct id *id);
void qp_fail(struct id *id);
/* The place of this end's GID in the table of its device. */
uint8_t id_gid_index(const struct id *id);

/* ---- What forward.c calls: librdmacm's functions, by their names without "rdma_". ---- */

struct rdma_event_channel *cm_create_event_channel(void);
void cm_destroy_event_channel(struct rdma_event_channel *channel);
int cm_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
int cm_ack_event(struct rdma_cm_event *event);
int cm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);

int cm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
                 enum rdma_port_space ps);
int cm_destroy_id(struct rdma_cm_id *id);
int cm_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
int cm_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst,
                    int timeout_ms);
int cm_resolve_route(struct rdma_cm_id *id, int timeout_ms);
int cm_listen(struct rdma_cm_id *id, int backlog);
int cm_set_option(struct rdma_cm_id *id, int level, int option, void *value, size_t size);
uint16_t cm_port(const struct sockaddr *of);

int cm_connect(struct rdma_cm_id *id, struct rdma_conn_param *param);
int cm_establish(struct rdma_cm_id *id);
int cm_accept(struct rdma_cm_id *id, struct rdma_conn_param *param);
int cm_reject(struct rdma_cm_id *id, const void *data, uint8_t size);
int cm_disconnect(struct rdma_cm_id *id);
int cm_notify(struct rdma_cm_id *id, enum ibv_event_type event);

int cm_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int cm_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr);
void cm_destroy_qp(struct rdma_cm_id *id);
int cm_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
void cm_destroy_srq(struct rdma_cm_id *id);
int cm_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask);

int cm_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
                 struct ibv_qp_init_attr *attr);
void cm_destroy_ep(struct rdma_cm_id *id);
int cm_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id);
int cm_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
                   struct rdma_addrinfo **res);
void cm_freeaddrinfo(struct rdma_addrinfo *res);
struct ibv_context **cm_get_devices(int *count);
void cm_free_devices(struct ibv_context **list);

#endif
