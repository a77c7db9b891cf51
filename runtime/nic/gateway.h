/* What the files of the socket transport share. */
#ifndef DPK_NIC_GATEWAY_H
#define DPK_NIC_GATEWAY_H

#include "frame.h"

struct channel {
    TAILQ_ENTRY(channel) link;
    struct dpk_nic *nic;
    struct dpk_nic_qp *qp;
    int fd; /* -1: closed */
    enum {
        GREETING, /* accepted, and nothing said yet */
        REQUESTS, /* ours go out, responses come */
        RESPONSES /* requests come, ours go out */
    } role;
    struct address claim; /* RESPONSES: who it said it is */
    uint8_t *in;          /* bytes from in_done to in_size are not used yet */
    size_t in_done, in_size;
    struct dpk_buf out;
    size_t out_done;
    uint32_t interest; /* of epoll */
    bool held;         /* the frame at in_done waits for a receive, or for the queue pair */
};

struct gateway {
    int epoll, listener, wake;
    bool stop;
    pthread_t thread;
    /* Closed ones are freed by the thread, which may hold an event of theirs. */
    TAILQ_HEAD(, channel) channels, closed;
};

/* All with the lock. Takes `fd`; NULL: out of memory. */
struct channel *channel_new(struct dpk_nic *nic, int fd);
void channel_close(struct channel *c);
void channel_free(struct channel *c);
/* What epoll says of it. */
void channel_event(struct channel *c, uint32_t events);
/* Sends a frame, or keeps it until the socket takes it. */
void channel_send(struct channel *c, const struct frame *f, const uint8_t *payload);
/* Says hello for `qp`. */
void channel_greet(struct channel *c, const struct dpk_nic_qp *qp);

#endif
