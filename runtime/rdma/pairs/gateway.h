/* The transport between processes: types and functions that its files share. Private to the room. */
#ifndef DPK_RDMA_PAIRS_GATEWAY_H
#define DPK_RDMA_PAIRS_GATEWAY_H

#include "bus/ring/ring.h"
#include "frame.h"

#define RING_SIZE ((uint32_t)1 << 18) /* bytes of one direction */

/* Memory that the peer has offered for direct copies. */
struct offered {
    uint32_t key;
    uint64_t base, address, size; /* address in requests, address in the peer's process, bytes */
    struct dpk_import *import;    /* NULL: this entry is free */
};

#define OFFERS_MAX 16u /* offers that are kept of each side; a new offer replaces the oldest */
struct direct {
    struct offered theirs[OFFERS_MAX];
    unsigned taken;            /* all offers that were ever taken */
    uint32_t ours[OFFERS_MAX]; /* keys whose offers the peer has taken */
    unsigned given;            /* all offers that the peer has ever taken */
    uint32_t offering;         /* key of the offer that will be sent next */
    uint32_t offered;          /* key of the offer that is under way; 0: no offer is */
    uint8_t offer[OFFER_SIZE];
    bool known;       /* the peer knows offers */
    unsigned refused; /* offers that could not be used */
};

struct channel {
    TAILQ_ENTRY(channel) link, in_waiting;
    struct dpk_rc *rc;
    struct dpk_rc_qp *qp;
    int fd; /* -1: closed */
    enum {
        GREETING, /* accepted; the peer has not sent its hello, and there are no rings yet */
        REQUESTS, /* carries our requests, and the peer's responses */
        RESPONSES /* carries the peer's requests, and our responses */
    } role;
    uint32_t target;      /* REQUESTS: number of the peer's queue pair */
    struct address claim; /* RESPONSES: address that the peer gave as its own */
    struct rings rings;
    uint32_t interest; /* events that epoll watches for */
    bool held;         /* the next request waits for a receive, or for the queue pair */
    /* Start of the next request's wait for a connected queue pair; 0: the request does not wait. */
    uint64_t waits_since;
    bool waiting;     /* the channel is in gateway->waiting */
    bool out_full;    /* the next request waits for room for its response */
    bool peer_closed; /* the peer closed its queue pair on purpose */
    struct direct direct;
};

struct gateway {
    int epoll, listener, wake;
    int all;   /* readable when `epoll` or a fabric has events */
    int timer; /* alarm of pace.c */
    bool stop;
    pthread_t thread;
    /* Only the thread frees closed channels: it may still hold an event of a closed channel. */
    TAILQ_HEAD(, channel) channels, closed;
    TAILQ_HEAD(, channel) waiting; /* channels that retry.c looks at */
    /* Threads of programs that poll (poll.c). */
    bool polled;                  /* peers do not wake the thread */
    struct channel *next;         /* next channel of a poll; NULL: the first channel */
    uint64_t closings;            /* all channels that were ever closed */
    uint64_t polls, spins;        /* all polls, and the last polls in a row that found no work */
    uint64_t polls_seen, seen_ms; /* polls at the last look of the thread, and time of that look */
    /* A sleeper: a thread of the program that sleeps until `all` has an event, and polls then. */
    const void *sleeper; /* the last sleeper; NULL: there was no sleeper yet */
    bool rested;         /* the sleeper does the work, not the thread */
    bool woken;          /* the sleeper may have slept since its last look at `all` */
    bool crowded;        /* there are several sleepers: the thread does the work for them */
    bool answers; /* the sleeper works now: peers that wait for its answers can be woken later */
    struct channel *owes; /* its peer is woken later, unless the peer looks by itself */
    unsigned idle; /* looks of the thread in a row that found the sleeper asleep without work */
    /* Threads of the program that poll while other programs need the processors: they doze. */
    int nudge;            /* ends their sleep when a work or receive is completed */
    atomic_uint dozing;   /* number of these threads */
    uint64_t dozes_until; /* end of the dozing, in milliseconds; 0: threads do not doze now */
    unsigned served;      /* messages since a thread last had to wait for its turn */
};

/* ---- channel.c and wait.c: call these with the lock ---- */
/* Returns a new channel, which owns `fd`. Returns NULL and closes `fd` if no memory is left. */
struct channel *pairs_channel_new(struct dpk_rc *rc, int fd);
void pairs_channel_close(struct channel *c);
/* The peer may not read offered memory any more without a new question. */
void pairs_channel_end_offers(struct channel *c);
void pairs_channel_free(struct channel *c);
/* Handles events that epoll reported. */
void pairs_channel_event(struct channel *c, uint32_t events);
/* The next request of a channel starts to wait until its queue pair is connected. */
void pairs_channel_wait_begin(struct channel *c);
/* Ends the wait of a channel that is closed. */
void pairs_channel_wait_forget(struct channel *c);
/* Closes a channel whose peer has waited too long, and informs the peer. */
void pairs_channel_refuse(struct channel *c);
/* The peer at the other end of a channel of `qp` is lost: the channel for requests, or for responses.
 * A queue pair that outlives its peers may already be connected again. Then the channel belongs to the
 * earlier connection, and only the works of that connection fail. */
void pairs_channel_lose(struct dpk_rc_qp *qp, bool requests, bool peer_closed);
/* Makes the shared memory and sends the hello of `qp`. Returns false with errno. */
bool pairs_channel_greet(struct channel *c, const struct dpk_rc_qp *qp);
/* Writes a request, whose payload is in the ring, and wakes the peer. */
void pairs_channel_send(struct channel *c, const struct request *r);
/* Informs the peer that its channel is closed on purpose. */
void pairs_channel_say_bye(const struct channel *c);
/* Handles the frames that the peer has written to a channel with rings. */
void pairs_channel_serve(struct channel *c);
/* Wakes the peer of the channel `owes`. */
void pairs_channels_wake(struct gateway *s);
/* Says whether the program polls from here on. */
void pairs_channel_poll(struct channel *c, bool polls);

/* ---- direct.c: call these with the lock ---- */
/* Makes an offer of the memory of a key. */
bool pairs_direct_offer(const struct channel *c, uint64_t key, uint8_t out[OFFER_SIZE]);
/* Keeps an offer. Returns false if it cannot be used. */
bool pairs_direct_take(struct channel *c, const uint8_t bytes[OFFER_SIZE]);
/* Finds bytes in offered memory. Returns false if they were not offered. */
bool pairs_direct_find(struct channel *c, uint64_t key, uint64_t address, uint64_t size,
                       struct fetch *out);
void pairs_direct_free(struct channel *c);
/* Notes a request that was sent, or a response that has come. */
void pairs_direct_sent(struct channel *c, const struct request *r);
void pairs_direct_heard(struct channel *c, const struct response *r, const uint8_t *payload);

/* ---- poll.c: call these with the lock ---- */
#define POLLED_MS 2 /* milliseconds without a poll after which the program does not poll any more */
/* Ends polling, or resting, if the program does not poll any more. Returns whether the program polls. */
bool pairs_polls_run(struct dpk_rc *rc);
void pairs_polls_end(struct dpk_rc *rc);

/* ---- events.c: call these with the lock ---- */
#define EVENTS_MAX 16
struct epoll_event;
/* Handles events. Returns false if the process has no descriptors left. */
bool pairs_events_handle(struct dpk_rc *rc, const struct epoll_event *events, int count);
/* Handles events of `epoll`. Returns whether there may be more. */
bool pairs_gateway_turn(struct dpk_rc *rc);

/* ---- thread.c ---- */
/* The thread of the gateway; `rc` is a struct dpk_rc. */
void *pairs_gateway_serve(void *rc);

/* ---- gateway.c ---- */
/* Closes the descriptors. */
void pairs_gateway_free(struct gateway *s);
/* Wakes the thread of the gateway. */
void pairs_gateway_wake(struct gateway *s);
/* Wakes the threads that doze after polls, as something was completed. */
void pairs_doze_end(struct gateway *s);
/* Call these with the lock. The thread wakes when `fd`, of a fabric, is readable, unless the program polls. */
bool pairs_gateway_watch_fabric(struct dpk_rc *rc, int fd);
/* The thread calls pairs_pace_look when `fd` is readable, and at the time `ns`. */
bool pairs_gateway_watch(struct dpk_rc *rc, int fd);
void pairs_gateway_ignore(struct dpk_rc *rc, int fd);
void pairs_gateway_alarm(struct dpk_rc *rc, uint64_t ns);

#endif
