/*
 * cm: two processes of one user agree on a connection of queue pairs. One process listens at an address
 * and a port, the other calls it. They exchange messages of the connection manager (InfiniBand
 * Architecture Specification, volume 1, chapter 12: REQ, REP, RTU, REJ, DREQ).
 *
 *     struct dpk_cm_address at = {.port = 7174};          // the server: any address
 *     dpk_cm_open(&at, &listener, &err);                  // or dpk_cm_bind, later dpk_cm_listen
 *     int fd = dpk_cm_accept(listener);                   // when the listener is readable
 *
 *     dpk_cm_call(&to, NULL, &fd, &err);                  // the client
 *     dpk_cm_send(fd, &(struct dpk_cm_message){.kind = DPK_CM_REQ, .queue_pair = n, ...});
 *     dpk_cm_receive(fd, &message);                       // when `fd` is readable
 *
 * Addresses are only names: no packet is sent to them. Processes with the same runtime directory
 * (dpk_runtime_directory) and network namespace find each other. A listener that ends leaves no files.
 * Processes of other machines call over TCP, at the same port (dpk_cm_listen_far).
 * Messages of peers are not trusted: dpk_cm_receive checks them.
 */
#ifndef DPK_RDMA_CM_CM_H
#define DPK_RDMA_CM_CM_H

#include "base/base.h"

enum dpk_cm_claim {
    DPK_CM_ADDRESS, /* only the address: the port is free at other addresses, and at "any" */
    DPK_CM_OVERLAP, /* the address and all overlaps: "any" overlaps with each address */
    DPK_CM_SHARED,  /* as DPK_CM_OVERLAP, except for other sharing sockets that do not listen */
};

struct dpk_cm_address {
    uint8_t ip[16];          /* IPv6, or IPv4 as ::ffff:a.b.c.d; all zero: any */
    uint16_t port;           /* 1 to 65535; 0: a free port is chosen */
    enum dpk_cm_claim claim; /* of who binds it */
    bool
        datagrams; /* ports of datagrams and of connections are separate on a machine. Messages have this
                      member in `from`: on the network, both have the same port of TCP. */
};

enum dpk_cm_kind {
    DPK_CM_REQ = 1, /* asks for a connection */
    DPK_CM_REP,     /* accepts it */
    DPK_CM_RTU,     /* "ready to use": confirms the answer */
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
    uint32_t queue_pair, psn; /* the sender's queue pair and the number of its first packet, 24 bits
                                 each */
    uint8_t responder_resources, initiator_depth, retries, rnr_retries;
    bool flow_control, srq;
    uint8_t private_size;
    uint8_t private_data[255];
};

/* Claims an address and a port, as at->claim says, until `fd` is closed. `at` receives the port.
 * Errors: DPK_ERR_EXISTS if another socket has them, DPK_ERR_REFUSED if one of the two is "any
 * address", and they overlap. */
enum dpk_status dpk_cm_bind(struct dpk_cm_address *at, int *fd, struct dpk_error *err);
/* Starts to listen. Up to `backlog` calling processes may wait; 0: as many as the system permits. */
enum dpk_status dpk_cm_listen(int fd, int backlog, struct dpk_error *err);
/* As dpk_cm_listen; a shared address becomes exclusive. Errors also as of dpk_cm_bind. */
enum dpk_status dpk_cm_listen_at(const struct dpk_cm_address *at, int fd, int backlog,
                                 struct dpk_error *err);
/* Does both: claims an address and listens there. Errors: as of both. */
enum dpk_status dpk_cm_open(struct dpk_cm_address *at, int *fd, struct dpk_error *err);
/* Returns the socket of the next calling process, or -1 if no process calls. Calls of other users are
 * dropped. Does not wait. */
int dpk_cm_accept(int listener);
/* Calls the listener of this address, or else of "any address". `from`: NULL, or an address of this machine if
 * `to` is of another machine. Messages then have this address as their GID. Errors: DPK_ERR_NOT_FOUND if there
 * is no listener, DPK_ERR_TIMEOUT if it accepts no call for five seconds, DPK_ERR_REFUSED if it is another
 * user's; IO. */
enum dpk_status dpk_cm_call(const struct dpk_cm_address *to, const uint8_t *from, int *fd,
                            struct dpk_error *err);

/* Listens for calls of other machines. `at`: an address of this machine, and a port other than 0. Accept calls
 * with dpk_cm_accept. Errors: EXISTS if a socket of TCP has the port; IO. */
enum dpk_status dpk_cm_listen_far(const struct dpk_cm_address *at, int backlog, int *fd,
                                  struct dpk_error *err);
/* Returns whether the other end of a socket is on another machine. */
bool dpk_cm_is_far(int fd);

/* Sends a message. Does not wait. Returns false if the peer is gone or does not read. */
bool dpk_cm_send(int fd, const struct dpk_cm_message *m);
enum dpk_cm_heard {
    DPK_CM_MESSAGE,
    DPK_CM_NOTHING, /* yet */
    DPK_CM_GONE, /* the peer is gone, or sent an invalid message. From another machine, a REQ or REP is
                     * invalid if its GID is not the address that the network shows. */
};
enum dpk_cm_heard dpk_cm_receive(int fd, struct dpk_cm_message *out);

#endif
