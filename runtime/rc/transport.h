/*
 * Requests, responses, and what carries them. Private to rc.
 *
 * A work becomes one request, or several if it is large; a request is answered by one response, in
 * order. A transport brings requests to responder_run of the peer's queue pair and responses to
 * requester_response of this one; it knows nothing of works, receives or memory.
 */
#ifndef DPK_RC_TRANSPORT_H
#define DPK_RC_TRANSPORT_H

#include <pthread.h>
#include <sys/queue.h>

#include "rc.h"

#define SEGMENT 32768u /* bytes of a request or response */
#define WINDOW  32u    /* requests of a queue pair without a response */

struct request {
    enum dpk_rc_opcode opcode;
    bool first, last; /* of its work */
    bool has_immediate;
    uint32_t immediate;
    uint32_t size;         /* bytes of this part: they follow, or (a read) are wanted */
    uint64_t total;        /* of the work */
    uint64_t key, address; /* of this part */
    uint64_t value, compare;
};

struct response {
    enum dpk_rc_status status;
    uint32_t size; /* bytes that follow */
    uint64_t value;
    bool
        broken; /* all is well, but the responder cannot go on; the requester does not hear of it */
};

enum sent {
    SENT,
    SENT_LATER, /* not now: requester_resume follows when it makes sense */
    SENT_NEVER, /* the peer is not there any more */
};

/*
 * What a transport must do: requests arrive once, whole and in order, and so do their responses; a
 * peer that does not exist any more is noticed. Flow control is its own: it may say SENT_LATER at
 * any time. One of a network (UCX) would give `room` from buffers that it registered, send active
 * messages, and call the same two functions where they arrive.
 */
struct transport {
    /* Room for `size` bytes, the payload of the next request, which send() takes from there. */
    enum sent (*room)(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload);
    enum sent (*send)(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload);
    /* The peer's requests, which responder_run put off, can be carried out now. */
    void (*resume)(struct dpk_rc_qp *qp);
    /* The peer is told that this end goes, which is no failure of its process. */
    void (*close)(struct dpk_rc_qp *qp);
};
/* `absent`: nobody has the number of the peer yet. */
extern const struct transport transport_local, transport_shared, transport_absent;

/* ---- Addresses ---- */
struct address {
    struct dpk_uuid process; /* 0: whichever has the number */
    uint32_t number;         /* of the queue pair */
    uint64_t secret;         /* so that an old address is none; 0: any */
};
void address_put(const struct address *a, struct dpk_buf *out);
enum dpk_status address_parse(const void *bytes, size_t size, struct address *out,
                              struct dpk_error *err);
/* Whether somebody who was told `a` means the one who has `b`: a secret of 0 is any. */
bool address_means(const struct address *a, const struct address *b);

/* ---- Messages ---- */
struct message {
    const struct dpk_rc_piece *pieces;
    unsigned count;
};
uint64_t message_size(const struct message *m);
/* Whether the end has the first `size` bytes, with these rights. */
bool message_has(const struct dpk_rc_end *end, const struct message *m, uint64_t size,
                 unsigned rights);
/* Reads or writes `size` bytes from `at` on. False: the end does not have all of them, or may not.
 */
bool message_out(const struct dpk_rc_end *end, const struct message *m, uint64_t at, uint32_t size,
                 uint8_t *to);
bool message_in(const struct dpk_rc_end *end, const struct message *m, uint64_t at, uint32_t size,
                const uint8_t *from);

/* ---- Objects ---- */

struct dpk_rc_qp {
    TAILQ_ENTRY(dpk_rc_qp) in_end, in_stalled;
    struct dpk_rc_end *end;
    uint32_t connection;
    struct address address, peer;
    enum { QP_NEW, QP_READY, QP_FAILED } state;
    /* Requester: works are posted, then sent in parts, then done; counters wrap. */
    struct dpk_rc_work *ring;
    uint32_t ring_size;
    uint32_t posted, done;
    uint64_t done_bytes; /* of the work that is not done */
    struct place {
        uint32_t work;
        uint64_t bytes;
    } next;                    /* to send */
    unsigned unanswered;       /* requests */
    bool waits;                /* the transport said SENT_LATER */
    uint64_t waits_since;      /* for a peer that is not connected; 0: it does not (wait.c) */
    enum dpk_rc_status halted; /* the next work fails with this, when those before are done */
    /* Responder. */
    bool stalled;                  /* a request waits for a receive */
    bool receiving;                /* a send is coming in parts */
    struct dpk_rc_receive receive; /* for it */
    uint64_t received, total;
    /* Transport. */
    const struct transport *transport;
    struct dpk_rc_qp *local;              /* the peer, in this process */
    struct channel *requests, *responses; /* of processes: ours go there, theirs come there */
};

struct dpk_rc_end {
    TAILQ_ENTRY(dpk_rc_end) link;
    struct dpk_rc *rc;
    struct dpk_rc_end_options options;
    struct dpk_rc_receive *ring;
    uint32_t posted, taken;
    bool dropped; /* receives fail at once: the last peer died */
    TAILQ_HEAD(, dpk_rc_qp) qps, stalled;
};

struct dpk_rc {
    pid_t owner; /* a child of fork() has no thread, and must leave others' memory alone */
    pthread_mutex_t lock;
    struct dpk_uuid identity;
    char *directory; /* where processes find each other by numbers; NULL: nowhere */
    SLIST_HEAD(, block) blocks;
    uint32_t next_number, end_number; /* of queue pairs */
    TAILQ_HEAD(, dpk_rc_end) ends;
    uint8_t *part, *answer;   /* SEGMENT bytes each, for what stays in this process */
    uint64_t connect_wait_ms; /* DPK_RC_CONNECT_WAIT_MS, less in tests */
    struct gateway *gateway;  /* NULL: other processes cannot come here */
};

/* Without the lock. DPK_ERR_USAGE: in a child of fork(). */
enum dpk_status check_owner(const struct dpk_rc *rc, struct dpk_error *err);

/* With the lock, all of them. */
/* Calls `visit` for those that send to `qp` in this process, or would. */
void each_sender(struct dpk_rc_qp *qp, void (*visit)(struct dpk_rc_qp *sender));
struct dpk_rc_qp *qp_find(struct dpk_rc *rc, const struct address *address);
/* It gets no further. The oldest work ends with `status`, the others are flushed.
 * `drops_receives`: nobody will ever use them, if this was the last connection. */
void qp_fail(struct dpk_rc_qp *qp, enum dpk_rc_status status, bool drops_receives);
/* Its peer is gone. */
void qp_lose_peer(struct dpk_rc_qp *qp, bool drops_receives);
/* False: it cannot be told. */
bool qp_complete(const struct dpk_rc_qp *qp, struct dpk_rc_completion completion);

/* Sends what can be sent. */
void requester_kick(struct dpk_rc_qp *qp);
void requester_resume(struct dpk_rc_qp *qp);
/* The oldest request without one has this response. False: nonsense, and nothing was done. */
bool requester_response(struct dpk_rc_qp *qp, const struct response *r, const uint8_t *payload);
/* All works fail, the oldest with `status`. */
void requester_flush(struct dpk_rc_qp *qp, enum dpk_rc_status status);

enum answer {
    ANSWERED,
    ANSWER_LATER, /* transport->resume follows */
};
/* Carries out a request of the peer's; `bytes` may change meanwhile. `payload`: room for r->size
 * bytes that belong to the response, if it is a read. */
enum answer responder_run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                          struct response *out, uint8_t *payload);
/* A send that is coming does not come. */
void responder_abort(struct dpk_rc_qp *qp);
/* The same, without a completion. */
void responder_forget(struct dpk_rc_qp *qp);
/* The next receive of those that dpk_rc_post_receive posted. False: there is none. */
bool receive_take(struct dpk_rc_end *end, struct dpk_rc_receive *out);

/* ---- Waiting for peers ---- */
/* A request waits for a peer that is not connected; *since: since when, 0: only now. */
void wait_begin(struct dpk_rc *rc, uint64_t *since);
/* Requests whose peers have come go on; those that have waited too long fail. Whether any still
 * waits. */
bool waits_run(struct dpk_rc *rc);
/* Looks for the peer of a queue pair that is connected to a number nobody had. True: it is there,
 * and the transport is another. */
bool absent_find(struct dpk_rc_qp *qp);
/* Nobody has the number of the peer yet: what was not answered is sent again when somebody does. */
void absent_begin(struct dpk_rc_qp *qp);

/* ---- Numbers of queue pairs ---- */
/* 0: there are no more. */
uint32_t number_new(struct dpk_rc *rc);
void numbers_free(struct dpk_rc *rc);
/* The process that has this number, or had it last; false: none. */
bool number_find_process(const struct dpk_rc *rc, uint32_t number, struct dpk_uuid *out);

/* ---- Other processes ---- */
enum dpk_status gateway_start(struct dpk_rc *rc, struct dpk_error *err);
void gateway_stop(struct dpk_rc *rc);
/* A socket to the process of `peer`, -1 and the error. Without the lock, unless !may_wait. */
int gateway_connect(const struct address *peer, bool may_wait, struct dpk_error *err);
/* Requests of `qp` go there; takes the socket. DPK_ERR_NOMEM, DPK_ERR_IO: no memory to share. */
enum dpk_status gateway_attach(struct dpk_rc_qp *qp, int fd, struct dpk_error *err);
void gateway_close(int fd); /* -1 is fine */
/* The peer of a queue pair is known now: somebody else may have said hello to it before. */
void gateway_settle(struct dpk_rc_qp *qp);
/* Channels of a queue pair that goes. */
void gateway_forget(struct dpk_rc_qp *qp);

#endif
