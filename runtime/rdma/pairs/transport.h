/*
 * Requests, responses, the transports that carry them, and the objects of this room. Private to the room.
 *
 * A work is sent as one request, or as several requests if it is large. Each request has one response.
 * Responses come in the order of the requests. A transport passes requests to pairs_responder_run of the peer's
 * queue pair, and responses to pairs_requester_response of this queue pair. A transport does not know works,
 * receives or registered memory.
 *
 * The files need each other in this order, without circles:
 *
 *     rc, process                                  the life of ends and queue pairs
 *     thread, poll, events, retry, pacer           threads that do the work
 *     lossy, connect, post                         the peer of a queue pair, and posting
 *     local, shared with channel, fabric, datagrams, acks, line: transports
 *     requester, responder                         works of this side, requests of the peer
 *     fail, works, receives, absent, direct        the error state, and transports without a peer
 *     wait, pace, numbers, why                     notes about queue pairs
 *     qp, gateway, frame, address, message         the lock, completions, sockets, formats
 *
 * Lower files call higher files only by the pointers in struct transport and struct dpk_rc.
 */
#ifndef DPK_RDMA_PAIRS_TRANSPORT_H
#define DPK_RDMA_PAIRS_TRANSPORT_H

#include <pthread.h>
#include <sys/queue.h>

#include "pairs.h"
#include "rdma/fabric/fabric.h"

#define SEGMENT 32768u /* largest payload of a request or response, in bytes */
/* Largest size of a request by reference, in bytes. The responder copies its payload out of the memory of
 * the requester. */
#define REFERENCED 262144u
#define OFFER_SIZE 52u /* bytes of an offer (direct.c), which follows the payload */
#define WINDOW     32u /* largest number of requests of a queue pair without a response */

struct request {
    enum dpk_rc_opcode opcode;
    bool first, last; /* part of its work */
    bool has_immediate;
    bool solicited;
    uint32_t immediate;
    uint32_t size;  /* bytes of this part: a payload, or bytes that a read asks for */
    uint64_t total; /* bytes of the work */
    /* Memory of this part. Of a datagram: the number of the sender, and the service level. */
    uint64_t key, address;
    uint64_t value, compare;     /* `value` of a datagram: the key of the target queue pair */
    unsigned rnr_retries;        /* as in struct dpk_rc_patience */
    enum dpk_rc_service service; /* service of the sender */
    bool offers;         /* an offer of the work's memory, for direct copies, follows the payload */
    bool by_reference;   /* a write whose bytes are at `value` in the offered memory `compare` */
    const struct fetch { /* source of a request by reference, which the responder finds */
        const struct dpk_import *import;
        uint64_t address;
    } * fetch;
};

/* Bits of a response about direct copies. */
enum {
    DIRECT_KNOWN = 1,   /* the responder knows offers */
    DIRECT_TAKEN = 2,   /* the offer of the request can be used from now on */
    DIRECT_REFUSED = 4, /* the offer of the request can never be used */
    DIRECT_OFFERS = 8,  /* an offer follows the payload */
    DIRECT_ALL = 15
};
/* `compare` of a request whose requester knows offers. */
#define DIRECT_ASKS UINT64_C(0x4f66666572733f31)

struct response {
    enum dpk_rc_status status;
    uint32_t size; /* bytes of the payload */
    uint64_t value;
    unsigned direct; /* DIRECT_... */
    /* The request succeeded, but the responder fails after it. The response does not report this. */
    bool broken;
    struct refused { /* reason if the status is not DPK_RC_OK */
        enum dpk_rc_reason reason;
        struct dpk_memory_refusal memory;
    } why;
};

/* Returns whether the responder fails with this response. */
static inline bool response_breaks(const struct response *r)
{
    return r->broken || (r->status != DPK_RC_OK && r->status != DPK_RC_RNR_EXCEEDED);
}

enum sent {
    SENT,
    SENT_LATER, /* the transport calls pairs_requester_resume when the request can be tried again */
    SENT_NEVER, /* the peer does not exist any more */
};

/*
 * A transport delivers each request and each response once, whole and in order. It notices when the peer
 * does not exist any more. It does its own flow control: it may return SENT_LATER at any time.
 */
struct transport {
    /* Gives room for `size` bytes: the payload of the next request. send() sends the payload from this
     * room. */
    enum sent (*room)(struct dpk_rc_qp *qp, uint32_t size, uint8_t **payload);
    enum sent (*send)(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *payload);
    /* Passes on again the requests of the peer for which pairs_responder_run returned ANSWER_LATER. */
    void (*resume)(struct dpk_rc_qp *qp);
    /* Informs the peer that this queue pair is closed on purpose. */
    void (*close)(struct dpk_rc_qp *qp);
    /* Looks for a peer that does not exist yet. Returns whether it found the peer: then the queue pair has
     * another transport. NULL if the transport has a peer, or will never have a peer. */
    bool (*find)(struct dpk_rc_qp *qp);
    bool is_absent; /* there is no peer: requests wait */
    bool is_shared; /* the peer is in another process, perhaps of another machine */
    bool is_far;    /* the peer is on another machine */
};
/* pairs_transport_absent: no queue pair has the number of the peer yet. pairs_transport_gone: the peer does not
 * exist any more. pairs_transport_datagrams: to another machine. */
extern const struct transport pairs_transport_local, pairs_transport_shared, pairs_transport_fabric,
    pairs_transport_datagrams, pairs_transport_absent, pairs_transport_gone;

/* ---- Addresses ---- */
struct address {
    struct dpk_uuid process; /* all zero: any process that has the number */
    uint32_t number;         /* number of the queue pair */
    uint64_t secret; /* differs from that of earlier queue pairs of this number; 0: any secret */
    struct dpk_fabric_place place; /* where the process listens, if the device has a fabric */
};
void pairs_address_put(const struct address *a, struct dpk_buf *out);
/* Same, without the place: DPK_RC_ADDRESS_SIZE bytes. */
void pairs_address_put_near(const struct address *a, struct dpk_buf *out);
enum dpk_status pairs_address_parse(const void *bytes, size_t size, struct address *out,
                                    struct dpk_error *err);
/* Returns whether `a`, an address that a peer was given, means the queue pair with the address `b`. A
 * secret of 0 in `a` means any secret. */
bool pairs_address_means(const struct address *a, const struct address *b);

/* ---- Objects ---- */

/* Data of pace.c about a queue pair while a process sets its rate. */
struct paced {
    TAILQ_ENTRY(dpk_rc_qp) link; /* in rc->paced */
    bool waits;                  /* the queue pair is in rc->paced */
    uint32_t joined;             /* server of the device that knows the flow; 0: no server */
    uint32_t flow;               /* DPK_RATES_NONE: the flow is not limited */
    int64_t credit;              /* in units of pace.c */
    uint64_t filled_ns, due_ns;  /* time of the last filling, and time when the credit is 0 again */
    uint32_t serial;             /* number of the last packet that was sent */
    uint32_t acknowledged;       /* number of the last packet that was answered */
    uint32_t requests;           /* requests that were sent */
    struct burst {
        uint64_t first_ns, last_ns;
        uint32_t first_serial, serial, bytes, count;
    } sent, answered;     /* packets that were not reported yet; bytes 0, count 0: no packets */
    bool nack;            /* the last answer said that the peer was not ready */
    bool probes;          /* a probe is under way */
    bool probe_sent;      /* the request of the probe was not reported yet */
    uint32_t probe;       /* number of the request that is the probe */
    uint64_t probe_ns;    /* time of sending the probe */
    uint64_t answered_ns; /* time of the probe's answer; 0: there is no answer yet */
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
    uint64_t done_bytes; /* answered bytes of the oldest work that is not done */
    struct work_position {
        uint32_t work;
        uint64_t bytes;
    } next;               /* next part to send */
    unsigned unanswered;  /* requests without a response */
    uint64_t read_bytes;  /* bytes of direct reads since other threads had the lock */
    bool waits;           /* the transport returned SENT_LATER */
    uint64_t waits_since; /* start of the wait for a peer (wait.c); 0: there is no such wait */
    bool kicked_later;    /* the thread of the gateway kicks the queue pair */
    bool waiting;         /* the queue pair is in rc->waiting */
    /* Status of the next work, which fails when all works before it are done; DPK_RC_OK: it does not. */
    enum dpk_rc_status halted;
    /* Responder. */
    enum {
        NOT_STALLED,
        STALLED,     /* a request waits for a receive: the queue pair is in end->stalled */
        STALLED_OUT, /* the request has waited as long as it may */
        MISSED       /* a request found no receive, and its requester has failed */
    } stall;
    uint64_t stalled_since; /* start of the request's wait; 0: the request may wait without limit */
    uint64_t stalled_ms;    /* longest wait of the request */
    enum {
        NOT_RECEIVING,
        RECEIVING,   /* some parts of a send have arrived in `receive` */
        RECEIVE_KEPT /* a send lost its other parts: `receive` is for the next send */
    } receiving;
    struct dpk_rc_receive receive; /* receive of this send */
    uint64_t received, total;      /* bytes of this send */
    enum dpk_rc_status refused;    /* status of the peer's last request; DPK_RC_OK: not refused */
    struct dpk_rc_why why;         /* reason of the next failure, or of the last failure */
    /* Transport. */
    const struct transport *transport;
    struct dpk_rc_qp *local;              /* peer in this process */
    struct channel *requests, *responses; /* for our requests, and for the peer's */
    struct line *asks, *answers;          /* the same on a fabric */
    uint32_t asked;                       /* requests that were ever sent on a fabric */
    bool exposed;                         /* other machines may reach it by its number */
    struct paced paced;
};

struct dpk_rc_end {
    TAILQ_ENTRY(dpk_rc_end) link;
    struct dpk_rc *rc;
    struct dpk_rc_end_options options;
    struct pace *pace;     /* rates of the device; NULL: no process sets rates */
    struct fabric *fabric; /* fabric of the device; NULL: it has none, or is not needed yet */
    struct dpk_rc_receive *ring;
    uint32_t posted, taken; /* receives */
    bool dropped;           /* receives fail at once, as the last peer's process ended */
    uint32_t qkey;
    TAILQ_HEAD(, dpk_rc_qp) qps, stalled;
};

struct dpk_rc {
    /* The process. Children of fork() must not use this object, and have no thread of the gateway. */
    pid_t owner;
    pthread_mutex_t lock;
    struct dpk_uuid identity;
    char *directory; /* where numbers are published; NULL: numbers are not published */
    SLIST_HEAD(, block) blocks;
    uint32_t next_number, end_number; /* numbers of queue pairs */
    TAILQ_HEAD(, dpk_rc_end) ends;
    TAILQ_HEAD(, dpk_rc_qp) waiting; /* queue pairs that retry.c looks at */
    uint8_t *part, *answer;          /* SEGMENT bytes each, for pairs_transport_local */
    uint64_t connect_wait_ms;        /* DPK_RC_CONNECT_WAIT_MS; tests make it shorter */
    struct gateway *gateway;         /* NULL: other processes cannot connect */
    /* Functions of higher files, which lower files call by these pointers. dpk_rc_open sets them. */
    void *(*serve)(void *rc);                /* thread.c: the thread of the gateway */
    bool (*find_peer)(struct dpk_rc_qp *qp); /* connect.c: for pairs_transport_absent */
    /* lossy.c: returns whether there is a peer for the next work, whose messages may be lost. */
    bool (*has_peer)(struct dpk_rc_qp *qp, const struct dpk_rc_work *w);
    SLIST_HEAD(, pace) paces;
    SLIST_HEAD(, fabric) fabrics;
    bool fabric_first;             /* tests: peers of this machine use the fabric, too */
    TAILQ_HEAD(, dpk_rc_qp) paced; /* queue pairs that wait until their rate lets them send */
    uint64_t paced_ns; /* time when the next of them may send; UINT64_MAX: no queue pair waits */
};

/* ---- qp.c ---- */
/* Returns whether this process is the owner, not a child of fork(). Call this without the lock. */
bool pairs_rc_is_ours(const struct dpk_rc *rc);
/* Call this without the lock. Errors: USAGE in a child of fork(). */
enum dpk_status pairs_check_owner(const struct dpk_rc *rc, struct dpk_error *err);

/* Call all functions from here on with the lock. */

/* Calls `visit` for each queue pair of this process that is connected to `qp`. */
void pairs_each_sender(struct dpk_rc_qp *qp, void (*visit)(struct dpk_rc_qp *sender));
/* Returns the queue pair with this address, or NULL. */
struct dpk_rc_qp *pairs_qp_find(struct dpk_rc *rc, const struct address *address);
/* Delivers a completion to the owner. Returns false if the owner has no room for it. */
bool pairs_qp_complete(const struct dpk_rc_qp *qp, struct dpk_rc_completion completion);

/* ---- fail.c ---- */
/* Puts a queue pair into the error state. The oldest work ends with `status`, the other works are flushed.
 * `drops_receives`: receives fail as well if this was the last connection of its end. */
void pairs_qp_fail(struct dpk_rc_qp *qp, enum dpk_rc_status status, bool drops_receives);

/* ---- works.c ---- */
/* Fails all works, the oldest with `status`. */
void pairs_works_flush(struct dpk_rc_qp *qp, enum dpk_rc_status status);

/* ---- why.c ---- */
/* Describes a work for people. */
void pairs_why_describe(struct dpk_rc_why *why, const struct dpk_rc_work *w, uint64_t size);
/* Sets the reason why a message could not be accessed with these rights. */
void pairs_why_of_message(struct dpk_rc_why *why, const struct dpk_memory_domain *domain,
                          const struct dpk_rc_message *m, uint64_t size, unsigned rights);
/* Sets the reason why there is no peer for the next work of a queue pair. */
void pairs_why_no_peer(struct dpk_rc_qp *qp);

/* ---- requester.c ---- */
/* Sends as many requests as possible. After SENT_LATER only pairs_requester_resume sends. */
void pairs_requester_kick(struct dpk_rc_qp *qp);
void pairs_requester_resume(struct dpk_rc_qp *qp);
/* Sends again all requests without a response, as the queue pair has another transport. */
void pairs_requester_restart(struct dpk_rc_qp *qp);
/* Takes the response to the oldest unanswered request. Returns false if the response is invalid, and
 * changes nothing then. */
bool pairs_requester_response(struct dpk_rc_qp *qp, const struct response *r,
                              const uint8_t *payload);
/* The works have no peer any more. They fail as soon as the patience of the queue pair ends. */
void pairs_qp_miss_peer(struct dpk_rc_qp *qp, bool drops_receives);
/* The peer does not exist any more. */
void pairs_qp_lose_peer(struct dpk_rc_qp *qp, bool drops_receives);

/* ---- responder.c ---- */
enum answer {
    ANSWERED,
    ANSWER_LATER, /* transport->resume is called when the request can be tried again */
};
/* Carries out a request of the peer. The peer may change `bytes` meanwhile. `payload`: room for r->size
 * bytes, the payload of the response to a read. */
enum answer pairs_responder_run(struct dpk_rc_qp *qp, const struct request *r, const uint8_t *bytes,
                                struct response *out, uint8_t *payload);

/* ---- lossy.c: messages that may be lost ---- */
/* Returns whether there is a peer that takes the next work; if not, the work is lost. Points a queue pair
 * with datagrams at the target of the work. */
bool pairs_lossy_has_peer(struct dpk_rc_qp *qp, const struct dpk_rc_work *w);
static inline bool qp_is_lossy(const struct dpk_rc_qp *qp)
{
    return qp->end->options.service != DPK_RC_RELIABLE;
}
static inline bool qp_has_datagrams(const struct dpk_rc_qp *qp)
{
    return qp->end->options.service == DPK_RC_DATAGRAM;
}

/* ---- direct.c: direct copies ---- */
/* Returns whether all requests of a write should be by reference. Call this before its first request. */
bool pairs_direct_refers(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w, uint64_t total);
/* Completes a request: by reference, or with an offer or a question for offers. */
void pairs_direct_prepare(const struct dpk_rc_qp *qp, const struct dpk_rc_work *w,
                          struct request *r);
/* Returns whether the bytes of a read can be fetched when all requests before it are answered. */
bool pairs_direct_can_read(const struct dpk_rc_qp *qp, const struct request *r);
/* Fetches the bytes of a read. Returns false if the request has to be sent. */
bool pairs_direct_read(const struct dpk_rc_qp *qp, const struct dpk_rc_message *to, uint64_t at,
                       const struct request *r);

/* ---- wait.c and retry.c: requests that wait ---- */
/* A request of a queue pair starts to wait for a peer that is not connected, or for a receive. *since: the
 * start of the wait, by dpk_now_ms(); 0 is set to now. */
void pairs_wait_begin(struct dpk_rc_qp *qp, uint64_t *since);
/* The queue pair will be freed. */
void pairs_wait_forget(struct dpk_rc_qp *qp);
/* Sends requests whose peers are there now, and fails requests that have waited too long. Returns whether
 * any request still waits. */
bool pairs_waits_run(struct dpk_rc *rc);

/* ---- connect.c ---- */
/* Looks for the peer of a queue pair if the peer does not exist yet. Returns whether it found the peer. */
static inline bool qp_find_peer(struct dpk_rc_qp *qp)
{
    return qp->transport && qp->transport->find && qp->transport->find(qp);
}
/* Finds the peer of a queue pair with pairs_transport_absent. Returns whether it found the peer. */
bool pairs_qp_find_absent(struct dpk_rc_qp *qp);

/* ---- numbers.c: numbers of queue pairs ---- */
/* Returns a new number; 0 if all numbers are used. */
uint32_t pairs_number_new(struct dpk_rc *rc);
void pairs_numbers_free(struct dpk_rc *rc);
/* Returns the port where other machines reach the process with this number; 0: the number belongs to no
 * queue pair. */
uint16_t pairs_number_port(uint32_t number);
/* Finds the last process that had this number. Returns false if there is no such process. */
bool pairs_number_find_process(const struct dpk_rc *rc, uint32_t number, struct dpk_uuid *out);

/* ---- gateway.c and thread.c: the socket for other processes ---- */
enum dpk_status pairs_gateway_start(struct dpk_rc *rc, struct dpk_error *err);
void pairs_gateway_stop(struct dpk_rc *rc);
/* Returns a socket to the process of `peer`; -1 with an error. With `may_wait`, call this without the
 * lock. */
int pairs_gateway_connect(const struct address *peer, bool may_wait, struct dpk_error *err);
void pairs_gateway_close(int fd); /* -1 is allowed */

/* ---- shared.c: channels of queue pairs ---- */
/* Makes the channel for requests of `qp`, which owns the socket. Errors: NOT_FOUND if the peer's process
 * has ended meanwhile; NOMEM, IO if shared memory cannot be made. */
enum dpk_status pairs_gateway_attach(struct dpk_rc_qp *qp, int fd, struct dpk_error *err);
/* The peer of a queue pair is known now: closes a channel for responses that another peer opened. */
void pairs_gateway_settle(struct dpk_rc_qp *qp);
/* Handles all that the peer has sent. */
void pairs_gateway_hear_out(struct dpk_rc_qp *qp);
/* Closes the channels of a queue pair. */
void pairs_gateway_forget(struct dpk_rc_qp *qp);
/* ---- fabric.c: lines between machines ---- */
/* Opens the fabric of the queue pair's device, if the device has one. Call this without the lock. Errors: as
 * of dpk_fabric_open. */
enum dpk_status pairs_fabric_start(struct dpk_rc_qp *qp, struct dpk_error *err);
/* Lets other machines reach the queue pair by its number. Call this without the lock. Errors: as of
 * dpk_fabric_open and dpk_fabric_listen. */
enum dpk_status pairs_fabric_expose(struct dpk_rc_qp *qp, struct dpk_error *err);
/* Closes all fabrics, which have no queue pairs any more. */
void pairs_fabrics_stop(struct dpk_rc *rc);
/* Makes the line for requests of `qp` to the place of its peer. */
enum dpk_status pairs_fabric_attach(struct dpk_rc_qp *qp, struct dpk_error *err);
/* The peer of a queue pair is known now: closes a line that another peer opened. */
void pairs_fabric_settle(struct dpk_rc_qp *qp);
/* Closes the lines of a queue pair. */
void pairs_fabric_forget(struct dpk_rc_qp *qp);
/* Handles what has arrived. Returns whether anything had. */
bool pairs_fabrics_run(struct dpk_rc *rc);
/* Says whether a thread of the program polls, and so calls pairs_fabrics_run again and again. */
void pairs_fabrics_poll(struct dpk_rc *rc, bool polls);
/* Does what is due. Returns the milliseconds until more is due; UINT64_MAX: nothing is. */
uint64_t pairs_fabrics_look(struct dpk_rc *rc);

/* Returns the channel for datagrams of a queue pair to this target. Returns NULL if there is no such
 * channel, and makes room for one more channel then. */
struct channel *pairs_gateway_channel_to(struct dpk_rc_qp *qp, uint32_t number);

#endif
