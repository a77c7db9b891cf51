/*
 * rdmacm: librdmacm's functions for emulated devices, on public functions of libibverbs and on the
 * sockets of cm. forward.c has the names that programs call; if the machine has its own connection
 * manager, they call the system's librdmacm instead.
 *
 * An identifier (struct id) is the program's struct rdma_cm_id: a listener, or one end of a connection.
 * Its socket is in the epoll instance of its channel. The program waits on the descriptor of that
 * instance, and messages are read when it requests events, so no thread is needed. One lock guards all
 * channels, identifiers and events.
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
    struct rdma_cm_event seen; /* first: programs hold a pointer to it */
    struct id *about;          /* the identifier whose event it is */
    TAILQ_ENTRY(event) link;
    uint8_t private_data[255];
};

struct channel {
    struct rdma_event_channel seen; /* first; its descriptor is the epoll instance */
    LIST_ENTRY(channel) link;
    unsigned long number; /* never used twice */
    int wake;             /* readable while there are events */
    TAILQ_HEAD(, event) events;
};

enum state {
    IDLE,
    BOUND,
    LISTENING,
    RESOLVED,  /* the address */
    ROUTED,    /* the route */
    CALLING,   /* REQ was sent */
    ANSWERED,  /* REP has come, rdma_establish has not been called */
    INCOMING,  /* a peer has called, REQ has not arrived */
    REQUESTED, /* REQ has arrived */
    ACCEPTED,  /* REP was sent */
    CONNECTED,
    ENDED,
};

struct id {
    struct rdma_cm_id seen; /* first */
    struct channel *channel;
    bool synchronous; /* it has its own channel, and calls wait for their events */
    bool shares;      /* it shares its address with other sharing identifiers
                         (RDMA_OPTION_ID_REUSEADDR) */
    enum state state;
    int fd;                  /* the socket, or -1 */
    int far_fd;              /* of a listener: the socket for other machines, or -1 */
    bool is_far;             /* the peer is on another machine */
    unsigned unacknowledged; /* events that the program has received */
    struct event *spare;     /* for a change while memory is exhausted; NULL: used */
    struct dpk_cm_address local, remote;
    struct dpk_cm_message theirs; /* the peer's REQ or REP */
    struct dpk_cm_message mine;   /* the REQ or REP of this side */
    struct ids incoming;          /* of a listener: calling peers that are not reported yet */
    unsigned strangers;           /* how many of them are on other machines */
    struct id *listener;          /* of a calling peer */
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

/* Returns true if its queue pairs are for datagrams. Its messages then request the number of a queue
 * pair (SIDR), not a connection, so there is no disconnection. */
static inline bool id_is_ud(const struct id *id)
{
    return id->seen.ps == RDMA_PS_UDP;
}

/* Sets errno; returns -1. */
int rdmacm_cm_failed(int why);

void rdmacm_cm_lock(void);
void rdmacm_cm_unlock(void);
/* Waits for a condition, with the lock. */
void rdmacm_cm_wait(pthread_cond_t *condition);

/* ---- channel.c; with the lock held ---- */

/* Add the identifier's sockets to the channel's epoll instance, or remove it. */
bool rdmacm_channel_watch(struct id *id);
void rdmacm_channel_forget(struct id *id);
/* Adds an event for the program. If memory is exhausted, this works once for an identifier. `m`: the
 * message with its private data and resources, or NULL. */
void rdmacm_channel_tell(struct id *id, struct id *listener, enum rdma_cm_event_type what,
                         int status, const struct dpk_cm_message *m);
/* Waits for the next event of a synchronous identifier and stores it in id->seen.event. Returns -1 and
 * sets errno if the event is a failure. Returns 0 at once for other identifiers. Call this without the
 * lock. */
int rdmacm_channel_complete(struct id *id);
/* Drops the events of an identifier that the program has not received, and waits until it has
 * acknowledged the others. Call this without the lock. */
void rdmacm_channel_settle(struct id *id);

/* ---- id.c ---- */

struct id *rdmacm_id_new(struct channel *channel, enum rdma_port_space ps, void *context);
/* With the lock held. Closes the socket. */
void rdmacm_id_hang_up(struct id *id);
void rdmacm_id_free(struct id *id);

/* ---- connect.c; with the lock held ---- */

/* The socket is readable. */
void rdmacm_connect_heard(struct id *id);

/* ---- device.c ---- */

struct device {
    struct ibv_context *verbs;
    struct ibv_pd *pd;        /* for identifiers without a protection domain; created on demand */
    uint8_t resources, depth; /* RDMA reads at once, as responder and as initiator */
};
/* Returns the device of an address of this machine (for any address: the first device). Returns NULL
 * and sets errno if there is none. */
struct device *rdmacm_device_at(const struct dpk_cm_address *at);
struct device *rdmacm_device_of(const struct ibv_context *verbs);
/* Returns a device with a fabric that reaches an address of another machine, and the address of this
 * fabric; NULL: no device reaches the address. */
struct device *rdmacm_device_towards(const struct dpk_cm_address *at, uint8_t from[16]);
/* Gets the address of the fabric where a listener takes calls of other machines: its own address, or, if it
 * listens at any address, the address of the first fabric. Returns false if there is no such fabric. */
bool rdmacm_device_fabric(const struct dpk_cm_address *at, uint8_t out[16]);
struct ibv_pd *rdmacm_device_pd(struct device *device);
/* Gets the RoCE v2 GID of a device for an address: the GID of that address if the device has it, else
 * the link-local GID. Returns its index in the table. */
uint8_t rdmacm_device_gid(const struct device *device, const struct dpk_cm_address *at,
                          uint8_t gid[16]);

/* Convert between addresses of programs and of cm. Return false for another family. */
bool rdmacm_address_read(const struct sockaddr *from, struct dpk_cm_address *to);
void rdmacm_address_write(const struct dpk_cm_address *from, sa_family_t family,
                          struct sockaddr *to);
static inline bool address_is_any(const struct dpk_cm_address *a)
{
    for (size_t i = 0; i < sizeof a->ip; i++)
        if (a->ip[i] && !(i >= 10 && i < 12))
            return false;
    return true;
}

/* ---- qp.c ---- */

/* Makes the queue pair ready to receive and to send, with the peer of the last message. */
bool rdmacm_cm_qp_connect(struct id *id);
void rdmacm_cm_qp_fail(struct id *id);
/* Returns the index of this side's GID in the table of its device. */
uint8_t rdmacm_id_gid_index(const struct id *id);

/* ---- Functions for forward.c: librdmacm's functions, named without "rdma_". ---- */

struct rdma_event_channel *rdmacm_cm_create_event_channel(void);
void rdmacm_cm_destroy_event_channel(struct rdma_event_channel *channel);
int rdmacm_cm_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
int rdmacm_cm_ack_event(struct rdma_cm_event *event);
int rdmacm_cm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);

int rdmacm_cm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
                        enum rdma_port_space ps);
int rdmacm_cm_destroy_id(struct rdma_cm_id *id);
int rdmacm_cm_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
int rdmacm_cm_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst,
                           int timeout_ms);
int rdmacm_cm_resolve_route(struct rdma_cm_id *id, int timeout_ms);
int rdmacm_cm_listen(struct rdma_cm_id *id, int backlog);
int rdmacm_cm_set_option(struct rdma_cm_id *id, int level, int option, void *value, size_t size);
uint16_t rdmacm_cm_port(const struct sockaddr *of);

int rdmacm_cm_connect(struct rdma_cm_id *id, struct rdma_conn_param *param);
int rdmacm_cm_establish(struct rdma_cm_id *id);
int rdmacm_cm_accept(struct rdma_cm_id *id, struct rdma_conn_param *param);
int rdmacm_cm_reject(struct rdma_cm_id *id, const void *data, uint8_t size);
int rdmacm_cm_disconnect(struct rdma_cm_id *id);
int rdmacm_cm_notify(struct rdma_cm_id *id, enum ibv_event_type event);

int rdmacm_cm_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
int rdmacm_cm_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr);
void rdmacm_cm_destroy_qp(struct rdma_cm_id *id);
int rdmacm_cm_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
void rdmacm_cm_destroy_srq(struct rdma_cm_id *id);
int rdmacm_cm_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask);

int rdmacm_cm_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
                        struct ibv_qp_init_attr *attr);
void rdmacm_cm_destroy_ep(struct rdma_cm_id *id);
int rdmacm_cm_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id);
int rdmacm_cm_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
                          struct rdma_addrinfo **res);
void rdmacm_cm_freeaddrinfo(struct rdma_addrinfo *res);
struct ibv_context **rdmacm_cm_get_devices(int *count);
void rdmacm_cm_free_devices(struct ibv_context **list);

#endif
