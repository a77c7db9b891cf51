/* Fabrics and their links. Private to the room. */
#ifndef DPK_RDMA_FABRIC_LINK_H
#define DPK_RDMA_FABRIC_LINK_H

#include <sys/queue.h>

#include "library.h"

#define FABRIC_BUCKETS 1024u
#define FABRIC_AM      0u /* number of the active message that carries all messages */

struct dpk_fabric_link {
    TAILQ_ENTRY(dpk_fabric_link) in_list;
    SLIST_ENTRY(dpk_fabric_link) in_bucket;
    struct dpk_fabric *fabric;
    ucp_ep_h ep;
    void *of;
    enum link_state { OPEN, FAILED, DROPPED, CLOSING, CLOSED } state;
    uint32_t sent, heard;       /* numbers of the next messages to send and to handle */
    STAILQ_HEAD(, early) early; /* messages that overtook earlier ones */
    unsigned early_count;
    uint64_t since_ms, sent_ms, heard_ms;
    unsigned in_flight;
    struct parcel *room;
    uint8_t
        from[16]; /* IP address of the peer that opened the link; zero: this process opened it */
};

/* A port of numbers (dpk_fabric_listen). UCX keeps the listener until the process ends. */
struct fabric_port {
    SLIST_ENTRY(fabric_port) link;
    uint16_t port;
    ucp_listener_h listener;
};

struct dpk_fabric {
    const struct fabric_library *ucx;
    struct dpk_fabric_options options;
    struct dpk_fabric_place place;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_listener_h listener;
    int fd;
    bool runs;               /* a thread is in dpk_fabric_run */
    bool polled;             /* no thread waits for the descriptor */
    uint64_t next_ms;        /* time of the next look; 0: at once */
    unsigned count;          /* links in all lists */
    struct dpk_fabric *idle; /* the next closed fabric of the list */
    pid_t owner;             /* children of fork() must not use it */
    char spec[DPK_FABRIC_TEXT_MAX];
    TAILQ_HEAD(links, dpk_fabric_link) links, ending, closing;
    SLIST_HEAD(, fabric_port) ports;
    SLIST_HEAD(, dpk_fabric_link) buckets[FABRIC_BUCKETS];
};

/* Makes a link from parameters of its endpoint that name the peer. */
enum dpk_status fabric_link_new(struct dpk_fabric *f, ucp_ep_params_t *params, void *of,
                                struct dpk_fabric_link **out, struct dpk_error *err);
/* UCX calls this for each message that arrives; `of` is the fabric. */
ucs_status_t fabric_link_hear(void *of, const void *header, size_t header_size, void *data,
                              size_t size, const ucp_am_recv_param_t *param);
/* Marks the peer as lost: the next dpk_fabric_run reports it. */
void fabric_link_fail(struct dpk_fabric_link *l);
/* Sends a sign of life. */
void fabric_link_ping(struct dpk_fabric_link *l);
/* Reports lost peers, and closes links that have failed or were dropped. Returns true if it found
 * such a link. */
bool fabric_links_end(struct dpk_fabric *f);
/* Makes the descriptor of the fabric readable, if a thread may wait for it and no thread handles work now. */
void fabric_wake(const struct dpk_fabric *f);

#endif
