/*
 * Requests, responses, the transports that carry them, and the objects of rc. Private to rc.
 *
 * A work is sent as one request, or as several if it is large. Each request has one response;
 * responses come in the order of the requests. A transport passes requests to responder_run of the
 * peer's queue pair, and responses to requester_response of this one. It knows no works, receives
 * or registered memory.
 */
#ifndef DPK_RDMA_PAIRS_TRANSPORT_H
#define DPK_RDMA_PAIRS_TRANSPORT_H

#include <pthread.h>
#include <sys/queue.h>

#include "pairs.h"

#define SEGMENT 32768u /* largest payload of a request or response, in bytes */
/* The same of a request whose payload the responder copies out of the requester's memory by itself. */
#define REFERENCED 262144u
#define OFFER_SIZE 52u /* bytes of an offer (direct.c), which follows the payload */
#define WINDOW     32u /* how many requests of a queue pair may be without a response */

struct request {
    enum dpk_rc_opcode opcode;
    bool first, last; /* of its work */
    bool has_immediate;
    bool solicited;
    uint32_t immediate;
    uint32_t size;         /* bytes of this part: they follow, or a read asks for them */
    uint64_t total;        /* of the work */
    uint64_t key, address; /* of this part */
    uint64_t value, compare;
    unsigned rnr_retries;        /* as in struct dpk_rc_patience */
    enum dpk_rc_service service; /* of who sent it. Of a datagram, `key` is the sender's number, and
                                    `value` has the key of the queue pair that it is for */
    bool offers; /* memory of the work, for direct copies: the offer follows the payload */
    bool
        by_reference; /* of a write: the bytes are at `value` in memory `compare` that was offered */
    const struct fetch { /* by reference: from where; the responder finds it */
        const struct dpk_import *import;
        uint64_t address;
    } * fetch;
};

/* What a response says of direct copies. */
enum {
    DIRECT_KNOWN = 1,   /* the responder knows offers */
    DIRECT_TAKEN = 2,   /* the offer of the request can be used from now on, */
    DIRECT_REFUSED = 4, /* or never */
    DIRECT_OFFERS = 8,  /* an offer follows the payload */
    DIRECT_ALL = 15
};
/* `compare` of a request: the requester knows offers. */
#define DIRECT_ASKS UINT64_C(0x4f66666572733f31)

struct response {
    enum dpk_rc_status status;
    uint32_t size; /* bytes that follow */
    uint64_t value;
    unsigned direct; /* DIRECT_... */
    /* The request succeeded, but the responder fails after it. The requester is not told. */
    bool broken;
    struct refused { /* why the status is not DPK_RC_OK */
        enum dpk_rc_reason reason;
        struct dpk_memory_refusal memory;
    } why;
};

/* Whether the responder fails with it. */
static inline bool response_breaks(const struct response *r)
{
    return r->broken || (r->status != DPK_RC_OK && r->status != DPK_RC_RNR_EXCEEDED);
}

enum sent {
    SENT,
    SENT_LATER, /* not now: the transport calls requester_resume when it can be tried again */
    SENT_NEVER, /* there is no peer any more */
};

/*
 * A transport delivers each request once, whole and in order, and each response likewise, and it
 * notices when the peer does not exist any more. It does its own flow control: it may return
 * SENT_LATER at any time. A transport over a network (UCX) would give `room` from buffers that it
 * registered, send active messages, and call the same two functions at the receiver.
 */
struct transport {
    /* Gives room for `size` bytes: the payload of the next request, which send() sends from
     * there. */
    enum sent (*room)(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload);
    enum sent (*send)(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload);
    /* Passes on again the requests of the peer for which responder_run returned ANSWER_LATER. */
    void (*resume)(struct dpk_rc_qp *qp);
    /* Tells the peer that this queue pair is closed on purpose. */
    void (*close)(struct dpk_rc_qp *qp);
    /* Looks for a peer that does not exist yet. Returns whether it was found: then the queue pair has
     * another transport. NULL if the transport has a peer, or will never have one. */
    bool (*find)(struct dpk_rc_qp *qp);
    bool is_absent; /* there is no peer: requests wait */
    bool is_shared; /* the peer is in another process */
};
/* transport_absent: no queue pair has the number of the peer yet. transport_gone: the peer does not
 * exist any more. */
extern const struct transport transport_local, transport_shared, transport_absent, transport_gone;

/* ---- Addresses ---- */
struct address {
    struct dpk_uuid process; /* all zero: any process that has the number */
    uint32_t number;         /* of the queue pair */
    uint64_t secret;         /* tells it from an earlier queue pair with this number; 0: any */
};
void address_put(const struct address *a, struct dpk_buf *out);
enum dpk_status address_parse(const void *bytes, size_t size, struct address *out,
                              struct dpk_error *err);
/* Whether `a`, as a peer was given it, means the queue pair with the address `b`. A secret of 0 in
 * `a` means any. */
bool address_means(const struct address *a, const struct address *b);

/* ---- Objects ---- */

/* What pace.c keeps of a queue pair while a process sets its rate. */
struct paced {
    TAILQ_ENTRY(dpk_rc_qp) link; /* in the list of those that wait */
    bool waits;
    uint32_t joined;            /* to which server of its device the flow is known; 0: to none */
    uint32_t flow;              /* DPK_RATES_NONE: it is not limited */
    int64_t credit;             /* in units of pace.c */
    uint64_t filled_ns, due_ns; /* when it was filled last, and when it is 0 again */
    uint32_t serial;            /* of the last packet, */
    uint32_t acknowledged;      /* and of the last that was answered */
    uint32_t requests;          /* that were sent */
    struct burst {
        uint64_t first_ns, last_ns;
        uint32_t first_serial, serial, bytes, count;
    } sent, answered;     /* and not told yet; bytes 0, count 0: nothing */
    bool nack;            /* the last answer: the peer was not ready */
    bool probes;          /* a probe is under way, */
    bool probe_sent;      /* and its request is not told yet */
    uint32_t probe;       /* number of the request that is the probe */
    uint64_t probe_ns;    /* when it was sent, */
    uint64_t answered_ns; /* and when it was answered, if it was; 0: not yet */
};

struct dpk_rc_qp {
    TAILQ_ENTRY(dpk_rc_qp) in_end, in_stalled, in_waiting;
    struct dpk_rc_end *end;
    uint32_t connection;
    struct address address, peer;
    struct dpk_rc_patience patience;
    enum { QP_NEW, QP_READY, QP_FAILED } state;
    /* Requester. Works are posted, then sent in parts, then done. The counters wrap. */
    struct dpk_rc_work *ring;
    uint32_t ring_size;
    uint32_t posted, done;
    uint64_t done_bytes; /* of the oldest work that is not done */
    struct place {
        uint32_t work;
        uint64_t bytes;
    } next;                    /* to send */
    unsigned unanswered;       /* requests */
    uint64_t read_bytes;       /* directly, since others had the lock */
    bool waits;                /* the transport said SENT_LATER */
    uint64_t waits_since;      /* when it began to wait for its peer; 0: it does not (wait.c) */
    bool kicked_later;         /* the thread of the gateway kicks it */
    bool waiting;              /* it is in rc->waiting */
    enum dpk_rc_status halted; /* the next work fails with this when those before it are done */
    /* Responder. */
    enum {
        NOT_STALLED,
        STALLED,    /* a request waits for a receive: the queue pair is in end->stalled */
        STALLED_OUT /* the request has waited as long as it may */
    } stall;
    uint64_t stalled_since; /* when the request began to wait; 0: it may wait without limit */
    uint64_t stalled_ms;    /* how long the request may wait */
    enum {
        NOT_RECEIVING,
        RECEIVING,   /* some parts of a send have arrived: they are in `receive` */
        RECEIVE_KEPT /* a send lost its other parts: `receive` is for the next send */
    } receiving;
    struct dpk_rc_receive receive; /* that this send uses */
    uint64_t received, total;
    enum dpk_rc_status refused; /* the peer's last request was, with this */
    struct dpk_rc_why why;      /* the next failure, or the last one */
    /* Transport. */
    const struct transport *transport;
    struct dpk_rc_qp *local;              /* the peer, in this process */
    struct channel *requests, *responses; /* between processes: our requests, and the peer's */
    struct paced paced;
};

struct dpk_rc_end {
    TAILQ_ENTRY(dpk_rc_end) link;
    struct dpk_rc *rc;
    struct dpk_rc_end_options options;
    struct pace *pace; /* of its device; NULL: nobody sets rates */
    struct dpk_rc_receive *ring;
    uint32_t posted, taken;
    bool dropped; /* receives fail at once, as the last peer's process ended */
    uint32_t qkey;
    TAILQ_HEAD(, dpk_rc_qp) qps, stalled;
};

struct dpk_rc {
    pid_t owner; /* the process; children of fork() must not use this, and have no gateway thread */
    pthread_mutex_t lock;
    struct dpk_uuid identity;
    char *directory; /* where numbers are published; NULL: they are not */
    SLIST_HEAD(, block) blocks;
    uint32_t next_number, end_number; /* of queue pairs */
    TAILQ_HEAD(, dpk_rc_end) ends;
    TAILQ_HEAD(, dpk_rc_qp) waiting; /* those that wait.c looks at */
    uint8_t *part, *answer;          /* SEGMENT bytes each, for transport_local */
    uint64_t connect_wait_ms;        /* DPK_RC_CONNECT_WAIT_MS; tests make it shorter */
    struct gateway *gateway;         /* NULL: other processes cannot connect */
    /* Functions of files above, which lower files call by these pointers. dpk_rc_open sets them. */
    void *(*serve)(void *rc);                /* thread.c: the thread of the gateway */
    bool (*find_peer)(struct dpk_rc_qp *qp); /* connect.c: for transport_absent */
    /* lossy.c: whether there is a peer for the next work of a queue pair that may lose messages */
    bool (*has_peer)(struct dpk_rc_qp *qp, const struct dpk_rc_work *w);
    SLIST_HEAD(, pace) paces;
    TAILQ_HEAD(, dpk_rc_qp) paced; /* that wait until their rate lets them send */
    uint64_t paced_ns;             /* when the next of them may; UINT64_MAX: there is none */
};

/* Whether this process is the owner, not a child of fork(). Call this without the lock. */
bool pairs_rc_is_ours(const struct dpk_rc *rc);
/* Without the lock. DPK_ERR_USAGE: in a child of fork(). */
enum dpk_status check_owner(const struct dpk_rc *rc, struct dpk_error *err);

/* All functions from here on need the lock. */

/* Calls `visit` for each queue pair of this process that is connected to `qp`. */
void each_sender(struct dpk_rc_qp *qp, void (*visit)(struct dpk_rc_qp *sender));
struct dpk_rc_qp *qp_find(struct dpk_rc *rc, const struct address *address);
/* Puts it into the error state. The oldest work ends with `status`, the others are flushed.
 * `drops_receives`: if this was the last connection of its end, receives fail as well. */
void qp_fail(struct dpk_rc_qp *qp, enum dpk_rc_status status, bool drops_receives);
/* Its works have no peer any more. They fail, as soon as the patience of the queue pair ends. */
void qp_miss_peer(struct dpk_rc_qp *qp, bool drops_receives);
/* Its peer does not exist any more. */
void qp_lose_peer(struct dpk_rc_qp *qp, bool drops_receives);
/* Delivers a completion to the owner. False: the owner has no room for it. */
bool qp_complete(const struct dpk_rc_qp *qp, struct dpk_rc_completion completion);

/* Sends as many requests as possible; after SENT_LATER only requester_resume does. */
void requester_kick(struct dpk_rc_qp *qp);
void requester_resume(struct dpk_rc_qp *qp);
/* The queue pair has another transport: sends again all requests without a response. */
void pairs_requester_restart(struct dpk_rc_qp *qp);
/* What a work does, for people. */
void why_describe(struct dpk_rc_why *why, const struct dpk_rc_work *w, uint64_t size);
/* A message could not be accessed so. */
void why_of_message(struct dpk_rc_why *why, const struct dpk_memory_domain *domain,
                    const struct dpk_rc_message *m, uint64_t size, unsigned rights);
/* The reason why there is no peer for the next work of a queue pair. */
void why_no_peer(struct dpk_rc_qp *qp);
/* Takes the response to the oldest unanswered request. False: it is invalid; nothing was
 * changed. */
bool requester_response(struct dpk_rc_qp *qp, const struct response *r, const uint8_t *payload);
/* All works fail, the oldest with `status`. */
void pairs_works_flush(struct dpk_rc_qp *qp, enum dpk_rc_status status);

enum answer {
    ANSWERED,
    ANSWER_LATER, /* transport->resume is called when it can be tried again */
};
/* Carries out a request of the peer. The peer may change `bytes` meanwhile. `payload`: room for the
 * r->size bytes that the response to a read has. */
enum answer responder_run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                          struct response *out, uint8_t *payload);
/* ---- What may be lost ---- */
/* Whether there is a peer to take the next work; else it is lost. A queue pair with datagrams is pointed
 * at the target. */
bool lossy_has_peer(struct dpk_rc_qp *qp, const struct dpk_rc_work *w);
static inline bool qp_is_lossy(const struct dpk_rc_qp *qp)
{
    return qp->end->options.service != DPK_RC_RELIABLE;
}
static inline bool qp_has_datagrams(const struct dpk_rc_qp *qp)
{
    return qp->end->options.service == DPK_RC_DATAGRAM;
}

/* ---- Direct copies (direct.c) ---- */
/* Whether all requests of a write should be by reference; to be asked before its first. */
bool direct_refers(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w, uint64_t total);
/* Completes a request: by reference, or with what leads to it. */
void direct_prepare(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w, struct request *r);
/* Whether the bytes of a read can be fetched, when nothing before it is unanswered. */
bool direct_can_read(const struct dpk_rc_qp *qp, const struct request *r);
/* Fetches them. False: the request has to be sent. */
bool direct_read(const struct dpk_rc_qp *qp, const struct dpk_rc_message *to, uint64_t at,
                 const struct request *r);

/* ---- Waiting for peers ---- */
/* A request of a queue pair begins to wait for a peer that is not connected, or for a receive.
 * *since: when it began; 0 is set to now. */
void wait_begin(struct dpk_rc_qp *qp, uint64_t *since);
/* The queue pair will be freed. */
void wait_forget(struct dpk_rc_qp *qp);
/* The time for `since`, in milliseconds. */
uint64_t pairs_wait_now_ms(void);
/* Sends requests whose peers are there now, and fails those that have waited too long. Returns
 * whether any still waits. */
bool waits_run(struct dpk_rc *rc);
/* Looks for the peer of a queue pair if it does not exist yet. Returns whether it was found. */
static inline bool qp_find_peer(struct dpk_rc_qp *qp)
{
    return qp->transport && qp->transport->find && qp->transport->find(qp);
}
/* Finds the peer of a queue pair with transport_absent (connect.c). */
bool pairs_qp_find_absent(struct dpk_rc_qp *qp);

/* ---- Numbers of queue pairs ---- */
/* A new number. 0: there are no more. */
uint32_t number_new(struct dpk_rc *rc);
void numbers_free(struct dpk_rc *rc);
/* Finds the process that has this number, or had it last. False: there is none. */
bool number_find_process(const struct dpk_rc *rc, uint32_t number, struct dpk_uuid *out);

/* ---- Other processes ---- */
enum dpk_status gateway_start(struct dpk_rc *rc, struct dpk_error *err);
void gateway_stop(struct dpk_rc *rc);
/* A socket to the process of `peer`; -1: see the error. With `may_wait` the lock must not be
 * held. */
int gateway_connect(const struct address *peer, bool may_wait, struct dpk_error *err);
/* Makes the channel for requests of `qp`, which owns the socket. DPK_ERR_NOT_FOUND: the peer's process
 * has ended meanwhile. DPK_ERR_NOMEM, DPK_ERR_IO: shared memory cannot be made. */
enum dpk_status gateway_attach(struct dpk_rc_qp *qp, int fd, struct dpk_error *err);
void gateway_close(int fd); /* -1 is fine */
/* The peer of a queue pair is known now: closes a channel for responses that another one opened. */
void gateway_settle(struct dpk_rc_qp *qp);
/* Does what the peer has sent. */
void gateway_hear_out(struct dpk_rc_qp *qp);
/* Closes the channels of a queue pair. */
void gateway_forget(struct dpk_rc_qp *qp);
/* The channel by which datagrams of a queue pair go to that target; NULL: there is none. Makes room
 * for one more. */
struct channel *gateway_channel_to(struct dpk_rc_qp *qp, uint32_t number);

#endif
