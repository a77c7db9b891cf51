/* The transport between processes: what its files share. Private to rc. */
#ifndef DPK_RDMA_PAIRS_GATEWAY_H
#define DPK_RDMA_PAIRS_GATEWAY_H

#include "bus/ring/ring.h"
#include "frame.h"

#define RING_SIZE ((uint32_t)1 << 18) /* bytes of one direction */

/* Memory that the peer has offered for direct copies. */
struct offered {
    uint32_t key;
    uint64_t base, address, size; /* its address as requests name it, and in the peer's process */
    struct dpk_import *import;    /* NULL: none */
};

#define OFFERS_MAX 16u /* that are kept of each side; then the oldest are forgotten */
struct direct {
    struct offered theirs[OFFERS_MAX];
    unsigned taken;            /* offers, ever */
    uint32_t ours[OFFERS_MAX]; /* keys whose offers the peer has taken */
    unsigned given;            /* how many it has taken, ever */
    uint32_t offering,
        offered; /* the key of the offer that is about to be sent, and is under way */
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
    uint32_t target;      /* REQUESTS: the number of the peer's queue pair */
    struct address claim; /* RESPONSES: the address that the peer gave as its own */
    struct rings rings;
    uint32_t interest; /* the events that epoll watches for */
    bool held;         /* the next request waits for a receive, or for the queue pair */
    /* When the next request began to wait for the queue pair to be connected; 0: it does not. */
    uint64_t waits_since;
    bool waiting;     /* it is in gateway->waiting */
    bool out_full;    /* the next request waits for room for its response */
    bool peer_closed; /* the peer closed its queue pair on purpose */
    struct direct direct;
};

struct gateway {
    int epoll, listener, wake;
    int timer; /* for pace.c */
    bool stop;
    pthread_t thread;
    /* Only the thread frees closed channels: it may still hold an event of one. */
    TAILQ_HEAD(, channel) channels, closed;
    TAILQ_HEAD(, channel) waiting; /* those that wait.c looks at */
    /* Threads of programs that poll (poll.c). */
    bool polled;                  /* peers do not wake the thread */
    struct channel *next;         /* to look at; NULL: the first */
    uint64_t closings;            /* channels that were ever closed */
    uint64_t polls, spins;        /* calls that were ever made, and that lately found nothing */
    uint64_t polls_seen, seen_ms; /* by the thread */
    /* A thread of the program that sleeps until `epoll` has an event, and polls then. */
    const void *sleeper; /* who was the last one; NULL: nobody has been yet */
    bool rested;         /* it does the work, not the thread */
    bool woken;          /* it may have slept since it last looked at `epoll` */
    bool crowded;        /* there is more than one: the thread does the work for them */
    bool answers; /* it is at work now: who waits for its answers can be woken a little later */
    struct channel *owes; /* that one's peer is to be woken, if it does not come by itself */
    unsigned idle; /* looks of the thread in a row that found it asleep, with nothing to do */
    /* Threads of the program that poll where others need the processors. */
    int nudge;            /* ends their sleep when something is completed */
    atomic_uint dozing;   /* how many there are */
    uint64_t dozes_until; /* in milliseconds; 0: they do not doze now */
    unsigned served;      /* messages since a thread last had to wait for its turn */
};

/* All of these need the lock. The channel owns `fd`, which is closed when this fails. NULL: out of
 * memory. */
struct channel *channel_new(struct dpk_rc *rc, int fd);
void channel_close(struct channel *c);
/* The peer may not read by itself any more what it was offered: it has to ask. */
void channel_end_offers(struct channel *c);
void channel_free(struct channel *c);
/* Handles events that epoll reported. */
void channel_event(struct channel *c, uint32_t events);
/* The next request of a channel begins to wait for its queue pair to be connected. */
void channel_wait_begin(struct channel *c);
/* The channel is closed. */
void channel_wait_forget(struct channel *c);
/* Closes a channel whose peer has waited too long, and tells the peer. */
void channel_refuse(struct channel *c);
/* Makes the shared memory and sends the hello of `qp`. False: errno says why not. */
bool channel_greet(struct channel *c, const struct dpk_rc_qp *qp);
/* Writes a request, whose payload is in the ring, and wakes the peer. */
void pairs_channel_send(struct channel *c, const struct request *r);
/* Tells the peer that its channel is closed on purpose. */
void pairs_channel_say_bye(const struct channel *c);
/* Handles what the peer has written to a channel with rings. */
void channel_serve(struct channel *c);
/* Wakes the peer that has not been woken yet. */
void channels_wake(struct gateway *s);
/* The program polls from here on, or not any more. */
void channel_poll(struct channel *c, bool polls);

/* ---- direct.c: with the lock ---- */
/* Makes an offer of the memory of a key. */
bool direct_offer(const struct channel *c, uint64_t key, uint8_t out[OFFER_SIZE]);
/* Keeps an offer. False: it cannot be used. */
bool direct_take(struct channel *c, const uint8_t bytes[OFFER_SIZE]);
/* Where bytes are that were offered. */
bool direct_find(struct channel *c, uint64_t key, uint64_t address, uint64_t size,
                 struct fetch *out);
void direct_free(struct channel *c);
/* A request was sent, and a response has come. */
void direct_sent(struct channel *c, const struct request *r);
void direct_heard(struct channel *c, const struct response *r, const uint8_t *payload);

/* ---- poll.c: with the lock ---- */
#define POLLED_MS 2 /* after so long without a poll, the program does not poll any more */
/* Ends polling, or resting, if the program does not poll any more. Returns whether it does the work. */
bool polls_run(struct gateway *s);
void polls_end(struct gateway *s);

/* ---- events.c: with the lock ---- */
#define EVENTS_MAX 16
struct epoll_event;
/* Handles events. Returns false if the process has no descriptors left. */
bool pairs_events_handle(struct dpk_rc *rc, const struct epoll_event *events, int count);
/* Handles events of `epoll`. Returns whether there may be more. */
bool gateway_turn(struct dpk_rc *rc);

/* ---- thread.c ---- */
/* The thread of the gateway; `rc` is a struct dpk_rc. */
void *pairs_gateway_serve(void *rc);

/* ---- gateway.c ---- */
/* Closes the descriptors. */
void pairs_gateway_free(struct gateway *s);
/* Wakes the thread of the gateway. */
void gateway_wake(struct gateway *s);
/* Wakes the threads that doze after polls, as something was completed. */
void doze_end(struct gateway *s);
/* The thread calls pace_look when the socket is readable, and at that time. With the lock. */
bool gateway_watch(struct dpk_rc *rc, int fd);
void gateway_ignore(struct dpk_rc *rc, int fd);
void gateway_alarm(struct dpk_rc *rc, uint64_t ns);

#endif
