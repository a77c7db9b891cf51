/*
 * Declarations that the files of doca_comch share: endpoints (clients and servers), connections,
 * producers and consumers, message queues.
 *
 * Locks, in the order in which they are taken: of a context (its properties, its queues of tasks), of a
 * connection (its producers and consumers), of a remote consumer (its ring), of a consumer completion.
 */
#ifndef DPK_API_DOCA_COMCH_PRIVATE_H
#define DPK_API_DOCA_COMCH_PRIVATE_H

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>

#include "api/doca/comch/comch.h"
#include "api/doca/memory/memory.h"
#include "bus/comch/comch.h"

#define SEND_TASKS_MAX   8192u
#define RECV_QUEUE_MAX   8192u
#define CLIENTS_MAX      512u
#define CONSUMERS_MAX    64u /* on one side of a connection; also the limit of producers */
#define BUF_LIST_LEN_MAX 64u

/* A submitted task, in a queue. */
struct entry {
    struct dpk_task task;
    struct entry *next;
    doca_error_t status; /* valid when the task has ended */
    char *why;           /* the reason of a failure until comch_entry_end, or NULL; owned */
};
struct queue {
    struct entry *first, *last;
};
void comch_queue_put(struct queue *q, struct entry *e);
struct entry *comch_queue_take(struct queue *q); /* NULL: the queue is empty */
/* Puts a task into the queue of ended tasks, with the stored reason of its failure. */
void comch_queue_put_ended(struct queue *q, struct entry *e, doca_error_t status);
/* Moves the stored reason of this thread to a task, which ends later. */
void comch_entry_keep_reason(struct entry *e);
/* Ends a task with its status, and reports its reason. Call this without a lock. */
void comch_entry_end(struct entry *e);

/* ---- Connections: connection.c ---- */

struct consumer;

/* A consumer of the peer. For a message queue, a consumer of this process. */
struct remote {
    struct remote *next; /* of its connection */
    atomic_uint references;
    uint32_t id, imm_room;
    pthread_mutex_t lock; /* of the rest */
    struct rings rings;
    const void *writer;     /* the producer that writes a message; NULL: none */
    struct consumer *owner; /* the consumer on the DPA that is notified of messages; else NULL */
    atomic_bool gone;
};

/* The producers or consumers of a connection: how many, the last number, the largest allowed number. */
struct roll {
    uint32_t count, last, max;
};

/* A doca_comch_connection, or the connection of a message queue within this process. */
struct connection {
    struct dpk_object object;
    struct connection *next; /* of its server */
    int fd;                  /* until it is released; -1 for a message queue */
    atomic_bool broken;      /* no data is sent or received any more */
    bool open;               /* both sides have sent a greeting; under the endpoint's lock */
    bool is_server;
    void *endpoint;                              /* the handle */
    struct dpk_dev *dev;                         /* a reference */
    struct dpk_dpa *consumer_dpa, *producer_dpa; /* the DPA contexts of sides on the DPA:
                                                    references, or NULL */
    uint32_t max_size;                           /* largest message; the smaller value of the two
                                                    sides */
    struct queue waiting;                        /* sends; guarded by the endpoint's lock */
    /* Guarded by the connection's lock: */
    union doca_data user_data;
    struct remote *remotes;
    uint32_t remote_count;
    struct roll consumers, producers;
    uint64_t counters[DOCA_COMCH_COUNTER_RECV_BYTES + 1], shown[DOCA_COMCH_COUNTER_RECV_BYTES + 1];
};
extern const struct dpk_kind comch_connection_kind;

/* Creates a connection over a socket, which it then owns, or without a socket (-1). It is entered and
 * pinned. Returns NULL if memory is exhausted. */
struct connection *comch_connection_new(int fd, struct dpk_dev *dev, void *endpoint,
                                        bool is_server);
/* Breaks a connection: no data is sent or received any more. Any thread may call this. */
void comch_connection_break(struct connection *c);
/* Returns true if the connection is broken, or the peer has hung up according to the kernel. */
bool comch_connection_is_lost(struct connection *c);
/* Counts a message. */
void comch_connection_count(struct connection *c, bool sent, uint32_t size);
/* Adds a new consumer of the peer. Returns false if the peer broke the protocol. `owner`: the consumer
 * of this process that is notified of messages, or NULL. */
bool comch_connection_add_remote(struct connection *c, const struct dpk_comch_word *w,
                                 struct consumer *owner);
/* Removes a consumer of the peer. Returns false if the number is unknown. */
bool comch_connection_expire_remote(struct connection *c, uint32_t id);
/* Returns the consumer of the peer with that number, with a reference, or NULL. */
struct remote *comch_connection_find_remote(struct connection *c, uint32_t id);
void comch_remote_drop(struct remote *r); /* NULL is fine */

/* Adds a consumer or producer of this side; *id receives the next number. Errors: NOT_CONNECTED, FULL
 * if the largest number is reached. */
doca_error_t comch_connection_enter(struct connection *c, struct roll *roll, uint32_t *id);
void comch_connection_leave(struct connection *c, struct roll *roll);

/* ---- Consumers and producers: consumer.c, producer.c; on the DPA: dpa_consumer.c, dpa_producer.c
 * ---- */

struct consumer {
    struct dpk_dev_ctx base;
    struct connection *c; /* a reference */
    void *msgq;           /* a use; NULL if the connection is between processes */
    struct dpk_task_pool receives;
    uint32_t imm_len, id;
    unsigned looked;
    uint64_t got;        /* received bytes of the current message */
    doca_error_t status; /* of the current message */
    bool entered;        /* counted on the connection; guarded by the lock, as are the next three */
    bool announced;      /* the peer knows it */
    int memory;          /* of the rings; -1: not allocated */
    struct queue posted;
    pthread_mutex_t
        rings_lock; /* for readers of rings and replacing rings; taken after all other locks */
    struct rings rings;
    /* On the DPA; guarded by the lock. */
    struct consumer_completion *completion; /* a reference, and a use while it runs; or NULL */
    bool uses_completion;
    uint32_t completion_data, receives_max;
    uint32_t room; /* posted receives; guarded by the completion's lock */
};
extern const struct dpk_kind comch_consumer_kind;

struct producer {
    struct dpk_dev_ctx base;
    struct connection *c; /* a reference */
    void *msgq;           /* a use; NULL if the connection is between processes */
    struct dpk_task_pool sends;
    uint32_t id;
    unsigned looked;
    bool entered; /* counted on the connection; guarded by the lock, as is the next member */
    struct queue waiting, ended;
    atomic_uint waiting_count, ended_count;
    /* On the DPA; guarded by the lock. */
    struct dpk_dpa_completion *queue; /* a reference, and a use while it runs; or NULL */
    uint32_t sent;
    uint64_t run; /* run of its DPA context */
};
extern const struct dpk_kind comch_producer_kind;

/* Create an idle consumer or producer of a pinned connection. `msgq`: the message queue of the
 * connection, which they use; or NULL. */
struct doca_comch_consumer *comch_consumer_new(struct connection *c, void *msgq,
                                               doca_error_t *result);
struct doca_comch_producer *comch_producer_new(struct connection *c, void *msgq,
                                               doca_error_t *result);

/* Return an error if an object on the DPA cannot start; call these with its lock. A consumer then
 * uses its completion until it leaves. */
doca_error_t comch_dpa_consumer_check(struct consumer *n);
doca_error_t comch_dpa_producer_check(struct producer *p);
/* Passes received messages to the consumer's completion. Call this with the lock of the remote
 * consumer. */
void comch_dpa_consumer_arrived(struct consumer *n);
/* Checks that a data path is on that side of a message queue, and runs. *run receives the number of
 * its start. */
doca_error_t comch_dpa_side_check(struct dpk_dpa *datapath, struct dpk_dpa *side, uint64_t *run);
/* Carries out a call of DPA code; the arguments are those of struct dpk_dpa_calls. */
bool comch_dpa_consumer_receive(struct dpk_dpa *d, uint64_t handle, uint64_t count, char *reason,
                                size_t size);

/* Reports that the device which `call` was given is not open. Returns `result`. */
doca_error_t comch_no_device(const char *call, doca_error_t result);

/* ---- Endpoints: endpoint.c, client.c, server.c ---- */

struct endpoint;

/* Functions that differ between clients and servers. They are called without the lock. */
struct endpoint_ops {
    struct dpk_ctx_ops ctx; /* the first member */
    /* Returns the next connection with possible input, pinned, or NULL. */
    struct connection *(*next)(struct endpoint *e);
    /* Handles the first word of a peer. Returns false if it is not a greeting. */
    bool (*greeted)(struct endpoint *e, struct connection *c, const struct dpk_comch_word *w);
    /* Called when the peer has gone or was rejected; the connection is broken. */
    void (*lost)(struct endpoint *e, struct connection *c);
};

/* A doca_comch_client, or a doca_comch_server. */
struct endpoint {
    struct dpk_dev_ctx base;
    char name[DPK_COMCH_NAME_MAX + 1];
    char folder[PATH_MAX];
    struct doca_dev_rep *rep; /* the server's representor; its handle */
    uint32_t max_msg_size, recv_queue_size;
    struct dpk_task_pool sends;
    doca_comch_event_msg_recv_cb_t on_message;
    dpk_comch_message_2_5 on_message_2_5; /* for a program of DOCA 2.5 instead */
    doca_comch_event_consumer_cb_t on_consumer, on_expired;
    doca_comch_event_connection_status_changed_cb_t on_connected, on_disconnected;
    /* Guarded by the lock: */
    struct queue ended;             /* sends */
    struct connection *connections; /* references; a client has one */
    unsigned connection_count;
    struct dpk_comch_server *server;
    atomic_uint ended_count, waiting_count;   /* numbers of ended and of waiting sends */
    atomic_int events;                        /* descriptor, readable after input; or -1 */
    atomic_bool held;                         /* nothing is received */
    bool heard_last;                          /* the last step handled input, not a task */
    _Alignas(8) uint8_t room[DPK_COMCH_ROOM]; /* programs have structures in messages */
};

/* Creates an endpoint on a device of that card. Stores the reason of a failure. Errors: INVALID_VALUE if the name is
 * invalid. */
void *comch_endpoint_new(const struct doca_dev *dev, const struct dpk_device_info *card,
                         const char *name, const struct dpk_kind *kind,
                         const struct endpoint_ops *ops, doca_error_t *result);
/* Functions for the two kinds, and for `progress` and `is_ready`. */
void endpoint_left(void *object);
bool comch_endpoint_progress(struct dpk_ctx *ctx);
bool comch_endpoint_is_ready(const struct dpk_ctx *ctx);
/* Removes a connection from the list and ends its waiting sends. The caller owns the reference of the
 * list. Call this with the lock. */
void comch_endpoint_forget(struct endpoint *e, struct connection *c);
/* Breaks and removes all connections. Call this with the lock. */
void comch_endpoint_hang_up(struct endpoint *e);
/* Sends and reads greetings. */
enum dpk_comch_said comch_endpoint_greet(struct endpoint *e, int fd, enum dpk_comch_kind kind);

/* The common functions. `kind`: of clients or of servers; `call`: the DOCA function, for
 * reports of failures. */
doca_error_t comch_endpoint_set(const char *call, void *handle, const struct dpk_kind *kind,
                                size_t member, uint32_t value, uint32_t most);
doca_error_t comch_endpoint_get(const char *call, const void *handle, const struct dpk_kind *kind,
                                size_t member, uint32_t *value);
doca_error_t comch_endpoint_get_device(const char *call, const void *handle,
                                       const struct dpk_kind *kind, struct doca_dev **dev);
doca_error_t comch_endpoint_send_conf(const char *call, void *handle, const struct dpk_kind *kind,
                                      doca_comch_task_send_completion_cb_t completed,
                                      doca_comch_task_send_completion_cb_t failed, uint32_t count);
doca_error_t comch_endpoint_send_new(const char *call, void *handle, const struct dpk_kind *kind,
                                     struct doca_comch_connection *peer, const void *msg,
                                     uint32_t len, struct doca_comch_task_send **task);
doca_error_t comch_endpoint_on_message(const char *call, void *handle, const struct dpk_kind *kind,
                                       doca_comch_event_msg_recv_cb_t cb);
doca_error_t comch_endpoint_on_message_2_5(const char *call, void *handle,
                                           const struct dpk_kind *kind, dpk_comch_message_2_5 cb);
doca_error_t comch_endpoint_on_consumer(const char *call, void *handle, const struct dpk_kind *kind,
                                        doca_comch_event_consumer_cb_t added,
                                        doca_comch_event_consumer_cb_t expired);
/* Returns the endpoint, locked, if it is idle; unlock it with dpk_object_unlock. Returns NULL with the
 * error in *result, after a report. */
struct endpoint *comch_endpoint_begin_change(const char *call, void *handle,
                                             const struct dpk_kind *kind, doca_error_t *result);

#endif
