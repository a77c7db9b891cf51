/*
 * cm: how two processes of one user agree on a connection of queue pairs. One listens at an address
 * and a port, the other calls there, and each message that they exchange is one of the connection
 * manager's (InfiniBand Architecture Specification, volume 1, chapter 12: REQ, REP, RTU, REJ, DREQ).
 *
 *     struct dpk_cm_address at = {.port = 7174};          // the server: any address
 *     dpk_cm_bind(&at, &listener, &err);
 *     dpk_cm_listen(listener, 16, &err);
 *     int fd = dpk_cm_accept(listener);                   // when the listener is readable
 *
 *     dpk_cm_call(&to, &fd, &err);                        // the client
 *     dpk_cm_send(fd, &(struct dpk_cm_message){.kind = DPK_CM_REQ, .queue_pair = n, ...});
 *     dpk_cm_receive(fd, &message);                       // when `fd` is readable
 *
 * Addresses are names: nothing is sent to them. Processes with one runtime directory
 * (dpk_runtime_directory) and one network namespace find each other. A listener that ends leaves
 * nothing behind. Peers may say anything; what dpk_cm_receive returns has been checked.
 */
#ifndef DPK_RDMA_CM_CM_H
#define DPK_RDMA_CM_CM_H

#include "base/base.h"

enum dpk_cm_claim {
    DPK_CM_ADDRESS, /* the address alone: another may have the port at another one, or at any */
    DPK_CM_OVERLAP, /* all that overlaps with it: at any address, whoever has the port at one */
    DPK_CM_SHARED,  /* the same, but for those that share, too, and do not listen */
};

struct dpk_cm_address {
    uint8_t ip[16];          /* IPv6, or IPv4 as ::ffff:a.b.c.d; all zero: any */
    uint16_t port;           /* 1 to 65535; 0: a free one is chosen */
    enum dpk_cm_claim claim; /* of who binds it */
    bool
        datagrams; /* a port for these is another than one with its number for connections; no message
                       says it, both ends know */
};

enum dpk_cm_kind {
    DPK_CM_REQ = 1, /* asks for a connection */
    DPK_CM_REP,     /* accepts it */
    DPK_CM_RTU,     /* "ready to use": the answer has come */
    DPK_CM_REJ,     /* rejects it */
    DPK_CM_DREQ,    /* ends it */
};

/* Why a connection was rejected: the specification's numbers. */
enum {
    DPK_CM_NO_LISTENER = 8, /* "invalid service ID" */
    DPK_CM_REJECTED = 28,   /* by the consumer */
};

struct dpk_cm_message {
    enum dpk_cm_kind kind;
    uint16_t reason;                /* of a REJ */
    struct dpk_cm_address from, to; /* of a REQ */
    uint8_t gid[16];                /* of the sender's device, as in a packet */
    uint32_t queue_pair, psn; /* the sender's queue pair, and its first packet, 24 bits each */
    uint8_t responder_resources, initiator_depth, retries, rnr_retries;
    bool flow_control, srq;
    uint8_t private_size;
    uint8_t private_data[255];
};

/* Takes an address and a port, as at->claim says, until `fd` is closed. `at` gets the port.
 * DPK_ERR_EXISTS: another has them. DPK_ERR_REFUSED: one of both is any address, and they overlap. */
enum dpk_status dpk_cm_bind(struct dpk_cm_address *at, int *fd, struct dpk_error *err);
/* From now on up to `backlog` callers may wait there; 0: as many as the system lets. */
enum dpk_status dpk_cm_listen(int fd, int backlog, struct dpk_error *err);
/* The same; an address that was shared is the listener's alone. Errors also as of dpk_cm_bind. */
enum dpk_status dpk_cm_listen_at(const struct dpk_cm_address *at, int fd, int backlog,
                                 struct dpk_error *err);
/* The next caller's socket. -1: there is none; callers of other users are dropped. Does not wait. */
int dpk_cm_accept(int listener);
/* Calls who listens at this address, or else at any address. DPK_ERR_NOT_FOUND: nobody does.
 * DPK_ERR_TIMEOUT: it takes no callers for five seconds. DPK_ERR_REFUSED: it is another user's. */
enum dpk_status dpk_cm_call(const struct dpk_cm_address *to, int *fd, struct dpk_error *err);

/* Does not wait. False: the peer is gone, or takes nothing any more. */
bool dpk_cm_send(int fd, const struct dpk_cm_message *m);
enum dpk_cm_heard {
    DPK_CM_MESSAGE,
    DPK_CM_NOTHING, /* yet */
    DPK_CM_GONE,    /* the peer, or it said something that no message is */
};
enum dpk_cm_heard dpk_cm_receive(int fd, struct dpk_cm_message *out);

#endif
