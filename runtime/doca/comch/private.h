/*
 * What the files of doca_comch share: endpoints (clients and servers), connections, producers and
 * consumers.
 *
 * Locks, in the order in which they are taken: of a context (its properties, its queues of tasks), of
 * a connection (who is on it), of a remote consumer (its ring).
 */
#ifndef DPK_DOCA_COMCH_PRIVATE_H
#define DPK_DOCA_COMCH_PRIVATE_H

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "comch/comch.h"
#include "doca/memory/memory.h"

#define SEND_TASKS_MAX   8192u
#define RECV_QUEUE_MAX   8192u
#define CLIENTS_MAX      512u
#define CONSUMERS_MAX    64u /* on one side of a connection; as many producers */
#define BUF_SIZE_MAX     (UINT32_C(1) << 31)
#define BUF_LIST_LEN_MAX 64u

/* A submitted task, in a queue. */
struct entry {
    struct dpk_task task;
    struct entry *next;
    doca_error_t status; /* once it is in the queue of those that have ended */
};
struct queue {
    struct entry *first, *last;
};
void queue_put(struct queue *q, struct entry *e);
struct entry *queue_take(struct queue *q); /* NULL: it is empty */

/* ---- Connections: connection.c ---- */

/* A consumer of the peer's. */
struct remote {
    struct remote *next; /* of its connection */
    atomic_uint references;
    uint32_t id, imm_room;
    pthread_mutex_t lock; /* of the rest */
    struct rings rings;
    const void *writer; /* the producer that has begun a message; NULL: none */
    atomic_bool gone;
};

/* A doca_comch_connection. */
struct connection {
    struct dpk_object object;
    struct connection *next; /* of its server */
    int fd;                  /* until it is released */
    atomic_bool broken;      /* nothing comes or goes any more */
    bool open;               /* both have greeted; of its endpoint */
    bool is_server;
    void *endpoint;       /* the handle */
    struct dpk_dev *dev;  /* a reference */
    uint32_t max_size;    /* of messages; the smaller one of both sides' */
    struct queue waiting; /* sends; with the lock of the endpoint */
    /* With the lock of the connection. */
    union doca_data user_data;
    struct remote *remotes;
    uint32_t remote_count, consumers, producers, last_consumer, last_producer;
    uint64_t counters[DOCA_COMCH_COUNTER_RECV_BYTES + 1], shown[DOCA_COMCH_COUNTER_RECV_BYTES + 1];
};
extern const struct dpk_kind connection_kind;

/* A connection over a socket, which it owns from then on, entered and pinned. NULL: out of memory. */
struct connection *connection_new(int fd, struct dpk_dev *dev, void *endpoint, bool is_server);
/* Nothing comes or goes any more. Any thread. */
void connection_break(struct connection *c);
/* Whether it is broken, or its peer has hung up: asks the kernel. */
bool connection_is_lost(struct connection *c);
/* Counts a message. */
void connection_count(struct connection *c, bool sent, uint32_t size);
/* The peer has a new consumer. False: it broke the protocol. */
bool connection_add_remote(struct connection *c, const struct dpk_comch_word *w);
/* One of its consumers has gone. False: it had none of that number. */
bool connection_expire_remote(struct connection *c, uint32_t id);
/* A consumer of the peer's, held; NULL: there is none of that number. */
struct remote *connection_find_remote(struct connection *c, uint32_t id);
void remote_drop(struct remote *r); /* NULL is fine */

/* Counts one more consumer or producer of this side (`count`); *id gets its number, the one after
 * `last`. NOT_CONNECTED. FULL: there are as many as there may be. */
doca_error_t connection_enter(struct connection *c, uint32_t *count, uint32_t *last, uint32_t *id);
void connection_leave(struct connection *c, uint32_t *count);

/* ---- Endpoints: endpoint.c, client.c, server.c ---- */

struct endpoint;

/* What clients and servers do otherwise; without the lock. */
struct endpoint_ops {
    struct dpk_ctx_ops ctx; /* the first member */
    /* The next connection on which something may have come, pinned; NULL: nothing came. */
    struct connection *(*next)(struct endpoint *e);
    /* The first word of a peer. False: it is no greeting. */
    bool (*greeted)(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w);
    /* The peer of a connection has gone, or was sent away; the connection is broken. */
    void (*lost)(struct endpoint *e, struct connection *c);
};

/* A doca_comch_client, or a doca_comch_server. */
struct endpoint {
    struct dpk_dev_ctx base;
    char name[DPK_COMCH_NAME_MAX + 1];
    char folder[PATH_MAX];
    struct doca_dev_rep *rep; /* the server's; its handle */
    uint32_t max_msg_size, recv_queue_size;
    struct dpk_task_pool sends;
    doca_comch_event_msg_recv_cb_t on_message;
    doca_comch_event_consumer_cb_t on_consumer, on_expired;
    doca_comch_event_connection_status_changed_cb_t on_connected, on_disconnected;
    /* With the lock: */
    struct queue ended;             /* sends */
    struct connection *connections; /* references; a client has one */
    unsigned connection_count;
    struct dpk_comch_server *server;
    atomic_uint ended_count, waiting_count; /* sends that have ended, and those that wait */
    atomic_int events;                      /* what can be read when something came; -1 */
    bool heard_last;                        /* what it did last was to hear, not to end a task */
    uint8_t room[DPK_COMCH_ROOM];
};

/* A new one on a device of that card. INVALID_VALUE: the name is not one. */
void *endpoint_new(const struct doca_dev *dev, const struct dpk_device_info *card, const char *name,
                   const struct dpk_kind *kind, const struct endpoint_ops *ops,
                   doca_error_t *result);
/* For their kinds, and for `progress` and `is_ready`. */
void endpoint_left(void *object);
bool endpoint_progress(struct dpk_ctx *ctx);
bool endpoint_is_ready(const struct dpk_ctx *ctx);
/* Takes a connection from the list, whose reference is the caller's then; its sends that wait have
 * ended. With the lock. */
void endpoint_forget(struct endpoint *e, struct connection *c);
/* Breaks all connections, and forgets them. With the lock. */
void endpoint_hang_up(struct endpoint *e);
/* What greetings say, in both directions. */
enum dpk_comch_said endpoint_greet(struct endpoint *e, int fd, enum dpk_comch_kind kind);

/* The functions that both have: `kind` is that of clients, or of servers. */
doca_error_t endpoint_set(void *handle, const struct dpk_kind *kind, size_t member, uint32_t value,
                          uint32_t most);
doca_error_t endpoint_get(const void *handle, const struct dpk_kind *kind, size_t member,
                          uint32_t *value);
doca_error_t endpoint_get_device(const void *handle, const struct dpk_kind *kind,
                                 struct doca_dev **dev);
doca_error_t endpoint_send_conf(void *handle, const struct dpk_kind *kind,
                                doca_comch_task_send_completion_cb_t completed,
                                doca_comch_task_send_completion_cb_t failed, uint32_t count);
doca_error_t endpoint_send_new(void *handle, const struct dpk_kind *kind,
                               struct doca_comch_connection *peer, const void *msg, uint32_t len,
                               struct doca_comch_task_send **task);
doca_error_t endpoint_on_message(void *handle, const struct dpk_kind *kind,
                                 doca_comch_event_msg_recv_cb_t cb);
doca_error_t endpoint_on_consumer(void *handle, const struct dpk_kind *kind,
                                  doca_comch_event_consumer_cb_t added,
                                  doca_comch_event_consumer_cb_t expired);
/* The endpoint, locked, if it is idle; dpk_object_unlock ends it. NULL: *result says why. */
struct endpoint *endpoint_begin_change(void *handle, const struct dpk_kind *kind,
                                       doca_error_t *result);

#endif
