/*
 * fabric: links between processes of different machines, over UCX. A link carries messages in both
 * directions. Each message arrives once, whole and in order. This room does not know queue pairs.
 *
 *     dpk_fabric_open("ucx:192.0.2.1", &options, &fabric, &err);
 *     place = *dpk_fabric_place(fabric);                     // for the peer, which opens a link to it
 *     dpk_fabric_link(fabric, &theirs, owner, &link, &err);
 *     memcpy(dpk_fabric_room(link, size), bytes, size);
 *     dpk_fabric_send(link, head, sizeof head, size);
 *     ...                                                    // when dpk_fabric_fd is readable:
 *     dpk_fabric_run(fabric);
 *
 * libucp.so.0 is loaded at the first dpk_fabric_open, not before. UCX uses TCP, unless the environment
 * variable DPAKIT_UCX_TLS names other transports. One thread at a time may use a fabric: the caller
 * has a lock. Callbacks run in dpk_fabric_run, and may call dpk_fabric_room, dpk_fabric_send,
 * dpk_fabric_link and dpk_fabric_drop.
 *
 * A peer is lost when its process ends, when it sends nothing for `silent_ms`, or when it sends a
 * malformed message. An idle link sends several signs of life in this time.
 */
#ifndef DPK_RDMA_FABRIC_FABRIC_H
#define DPK_RDMA_FABRIC_FABRIC_H

#include <sys/socket.h>

#include "base/base.h"

struct dpk_fabric;
struct dpk_fabric_link;

#define DPK_FABRIC_TEXT_MAX  64          /* bytes of a specification, with the NUL */
#define DPK_FABRIC_HEAD_MAX  96u         /* bytes of a message's head */
#define DPK_FABRIC_DATA_MAX  (64u << 10) /* bytes of a message's data */
#define DPK_FABRIC_SILENT_MS 30000

/* The address where a process listens: IPv6, or IPv4 as ::ffff:a.b.c.d. */
struct dpk_fabric_place {
    uint8_t ip[16];
    uint16_t port; /* 0: not an address */
};

/* Reads a specification: "ucx:192.0.2.1" or "ucx:2001:db8::1". The port becomes 0. Errors: USAGE if it has
 * another form, or if no peer can reach the address (0.0.0.0, ::, multicast). */
enum dpk_status dpk_fabric_parse(const char *spec, struct dpk_fabric_place *out,
                                 struct dpk_error *err);

/* Returns whether a fabric can have the address: it is neither unspecified nor multicast. `ip`: as of struct
 * dpk_fabric_place. */
bool dpk_fabric_is_for_peers(const uint8_t ip[16]);

/* Converts a place to a socket address. Returns the size of the socket address. */
socklen_t dpk_fabric_place_to_socket(const struct dpk_fabric_place *place,
                                     struct sockaddr_storage *out);
/* Converts a socket address to a place. Returns false if it is not an address of IP. */
bool dpk_fabric_place_of_socket(const struct sockaddr *at, struct dpk_fabric_place *out);

struct dpk_fabric_options {
    /* A message has arrived. `of`: the owner of the link, NULL if a peer opened it and no owner was set.
     * The bytes are valid during the call. Returns false if the message is malformed: then the link is
     * closed, and `lost` follows if it has an owner. */
    bool (*arrived)(void *context, struct dpk_fabric_link *link, void *of, const uint8_t *head,
                    size_t head_size, const uint8_t *data, size_t size);
    /* The peer of a link with an owner is lost. The link is freed after the call. */
    void (*lost)(void *context, void *of);
    void *context;
    unsigned links_max;     /* largest number of links at a time; 0: 65,536 */
    unsigned in_flight_max; /* most unsent messages of a link; with more, its peer is lost */
    uint64_t silent_ms;     /* 0: DPK_FABRIC_SILENT_MS */
};

/* Opens a fabric at an address of this machine; the system chooses the port. Errors: USAGE as of
 * dpk_fabric_parse; UNSUPPORTED if dpakit was built without UCX, libucp.so.0 cannot be loaded, or a parent of
 * this process has loaded it; IO if UCX
 * cannot listen at the address. */
enum dpk_status dpk_fabric_open(const char *spec, const struct dpk_fabric_options *options,
                                struct dpk_fabric **out, struct dpk_error *err);
/* Closes all links, without `lost`, and waits up to a second until the peers have all messages. NULL is
 * allowed. UCX stays as it is, for the next fabric of this process with the same specification. */
void dpk_fabric_close(struct dpk_fabric *f);
/* Returns the place where peers open links to this process. */
const struct dpk_fabric_place *dpk_fabric_place(const struct dpk_fabric *f);
/* Lets peers open links at one more port of the fabric's address, until the process ends. A second call for
 * the same port does nothing. Errors: IO if UCX cannot listen there; NOMEM. */
enum dpk_status dpk_fabric_listen(struct dpk_fabric *f, uint16_t port, struct dpk_error *err);

/* Returns a descriptor that is readable when dpk_fabric_run has something to do. The fabric owns it. */
int dpk_fabric_fd(const struct dpk_fabric *f);
/* Handles arrived messages and lost peers. Returns true if it did anything. */
bool dpk_fabric_run(struct dpk_fabric *f);
/* Says whether some thread calls dpk_fabric_run again and again, and does not wait for the descriptor. As
 * long as `polls`, the descriptor need not become readable, and dpk_fabric_run takes fewer system calls. */
void dpk_fabric_poll(struct dpk_fabric *f, bool polls);
/* Sends signs of life, and finds silent peers. The caller calls this function again after the
 * returned number of milliseconds. Without a link the number is UINT64_MAX. */
uint64_t dpk_fabric_look(struct dpk_fabric *f);

/* Opens a link to a place. Messages may be sent at once. If no process listens at the place, the
 * peer is lost. Errors: IO, NOMEM. */
enum dpk_status dpk_fabric_link(struct dpk_fabric *f, const struct dpk_fabric_place *to, void *of,
                                struct dpk_fabric_link **out, struct dpk_error *err);
/* Returns the IP address that a link's opener has according to the network, in the form of struct
 * dpk_fabric_place. It is zero if this process opened the link. */
const uint8_t *dpk_fabric_from(const struct dpk_fabric_link *link);
/* Sets the owner of a link that a peer has opened. A link without an owner is closed after 10
 * seconds. */
void dpk_fabric_own(struct dpk_fabric_link *link, void *of);
/* Returns room for `size` bytes of data of the next message; NULL if memory is exhausted. */
uint8_t *dpk_fabric_room(struct dpk_fabric_link *link, uint32_t size);
/* Sends a message: a head, and the first `size` bytes of the room as data. Without data (0),
 * dpk_fabric_room need not be called. A failure is reported as a lost peer. */
void dpk_fabric_send(struct dpk_fabric_link *link, const void *head, size_t head_size,
                     uint32_t size);
/* Returns how many messages of a link are not sent yet. */
unsigned dpk_fabric_unsent(const struct dpk_fabric_link *link);
/* Closes a link after all its messages were sent. It calls no callbacks any more. */
void dpk_fabric_drop(struct dpk_fabric_link *link);

#endif
