/* Declarations that the files of doca_comm_channel share: endpoints and their peers. */
#ifndef DPK_API_DOCA_2_5_COMM_CHANNEL_H
#define DPK_API_DOCA_2_5_COMM_CHANNEL_H

#include <doca-2.5/doca_comm_channel.h>
#include <doca_comch.h>

#include "api/doca/core/core.h"

/* A doca_comm_channel_addr_t. Its endpoint's lock guards it. */
struct generation_peer {
    struct dpk_object object;
    struct generation_peer *next;
    struct generation_ep *ep;                 /* a reference */
    struct doca_comch_connection *connection; /* NULL: not complete, or failed */
    bool failed;
    bool shown; /* the program has its handle */
    uint64_t user_data, in_flight;
    uint64_t counters[DOCA_COMCH_COUNTER_RECV_BYTES + 1], shown_in_flight; /* of the last update */
};
extern const struct dpk_kind generation_peer_kind;

/* A message that the program has not taken. */
struct generation_message {
    struct generation_message *next;
    struct generation_peer *from; /* a reference */
    uint32_t size;
    uint8_t bytes[];
};

enum generation_event { ON_SEND, ON_RECEIVE, ON_SERVICE, EVENTS };

/* A descriptor for the program. */
struct generation_channel {
    int handle; /* an epoll of the engine's handle and of `signal`; -1: the program never asked */
    int signal; /* an eventfd */
    bool armed;
};

/* A doca_comm_channel_ep_t: a client or a server of doca_comch with a progress engine of its own, which
 * runs in the program's calls. The lock guards all of it. */
struct generation_ep {
    struct dpk_object object;
    struct doca_dev *dev; /* handles */
    struct doca_dev_rep *rep;
    uint16_t message_max, send_max, receive_max;
    struct doca_pe *pe; /* NULL: the endpoint neither listens nor is connected */
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_ctx *ctx;
    struct generation_peer *peers; /* the table's references */
    struct generation_message *first, *last;
    unsigned queued, sending; /* messages to be taken, and in flight */
    bool held;                /* the queue of messages is full: nothing is received */
    bool changed;             /* a client came or went since the last update */
    struct generation_channel channels[EVENTS];
    struct doca_comm_channel_addr_t **list; /* of the last update */
    uint32_t list_length;
};
extern const struct dpk_kind generation_ep_kind;

/* Creates a peer of a connection, or of a connection that is not complete. Returns NULL if memory is
 * exhausted. Call these functions with the endpoint's lock. */
struct generation_peer *generation_peer_new(struct generation_ep *e,
                                            struct doca_comch_connection *connection);
/* Ends a peer and its messages. */
void generation_peer_end(struct generation_peer *p);
/* Stores the counters of the connection, if it is complete. */
void generation_peer_count(struct generation_peer *p);
/* Carries out the work of an endpoint. */
void generation_ep_step(struct generation_ep *e);
/* Signals a descriptor, if it is armed. */
void generation_ep_signal(struct generation_ep *e, enum generation_event event);
/* Makes a descriptor unreadable until its event, which may have been. */
doca_error_t generation_ep_arm(struct generation_ep *e, enum generation_event event);
/* Lets existing descriptors watch a new progress engine. */
void generation_ep_watch(struct generation_ep *e);
void generation_ep_close_channels(struct generation_ep *e);
/* Adds a message to the queue. It is dropped if memory is exhausted. */
void generation_ep_receive(struct generation_peer *from, const uint8_t *bytes, uint32_t size);
/* Callbacks of sends. */
void generation_ep_sent(struct doca_comch_task_send *task, union doca_data task_data,
                        union doca_data ctx_data);

#endif
