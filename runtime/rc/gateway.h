/* What the files of the transport between processes share. */
#ifndef DPK_RC_GATEWAY_H
#define DPK_RC_GATEWAY_H

#include "frame.h"
#include "ring.h"

struct channel {
    TAILQ_ENTRY(channel) link;
    struct dpk_rc *rc;
    struct dpk_rc_qp *qp;
    int fd; /* -1: closed */
    enum {
        GREETING, /* accepted, and nothing said yet: there are no rings */
        REQUESTS, /* ours go out, responses come */
        RESPONSES /* requests come, ours go out */
    } role;
    struct address claim; /* RESPONSES: who it said it is */
    struct rings rings;
    uint32_t interest;    /* of epoll */
    bool held;            /* the next request waits for a receive, or for the queue pair */
    uint64_t waits_since; /* for the queue pair to be connected; 0: it does not (wait.c) */
    bool choked;          /* the next request waits for room for its response */
    bool polite;          /* the peer said that it goes */
};

struct gateway {
    int epoll, listener, wake;
    bool stop;
    pthread_t thread;
    /* Closed ones are freed by the thread, which may hold an event of theirs. */
    TAILQ_HEAD(, channel) channels, closed;
};

/* All with the lock. Takes `fd`; NULL: out of memory. */
struct channel *channel_new(struct dpk_rc *rc, int fd);
void channel_close(struct channel *c);
void channel_free(struct channel *c);
/* What epoll says of it. */
void channel_event(struct channel *c, uint32_t events);
/* The peer is told that it waits in vain. */
void channel_refuse(struct channel *c);
/* Makes the memory and says hello for `qp`; false: errno says why not. */
bool channel_greet(struct channel *c, const struct dpk_rc_qp *qp);
/* Its thread has something to do. */
void gateway_wake(struct gateway *s);

#endif
