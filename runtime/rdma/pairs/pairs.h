/*
 * rc: reliable connected queue pairs of programs of the DPA, and unreliable ones. Two queue pairs that are
 * connected to each other may be of one process or of two processes of one machine.
 *
 *     struct dpk_rc *rc;
 *     dpk_rc_enter(&rc, &err);                                // one for a process
 *     dpk_rc_end_create(rc, &options, &end, &err);            // receives, and whose memory it is
 *     dpk_rc_qp_create(end, 0, &qp, &err);                     // one connection of it
 *     dpk_rc_qp_address(qp, &bytes, &err);                     // for the peer, who does the same
 *     dpk_rc_qp_connect(qp, theirs.data, theirs.size, &err);
 *     dpk_rc_post_receive(end, &(struct dpk_rc_receive){.buffer = {...}});
 *     dpk_rc_post(qp, &(struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = {...}});
 *
 * Works that are posted on a queue pair are carried out and completed in the order of posting. A
 * work that fails always has a completion; one that succeeds has none if it was posted as `silent`.
 * A send waits until the peer has a
 * receive for it, without limit unless dpk_rc_qp_set_patience says otherwise. Memory is reached by key, with
 * the rights that each access needs, in the domain of the end (registered.h). After an error, all works
 * that are posted on the queue pair, now or later, fail, and the peer's queue pair enters the error
 * state too, unless it has only refused to wait for a receive. It is such an error when the peer is destroyed or its process ends; receives fail also
 * when no other connection of their end is left.
 *
 * An end may be of another service (enum dpk_rc_service): then messages that its peers cannot take are lost.
 *
 * A transport (transport.h) carries requests from one queue pair to the other: a function call
 * within a process, rings in shared memory between processes.
 *
 * All functions may be called from any thread. One lock guards a struct dpk_rc, and whatever data
 * its owners guard with it (dpk_rc_lock). Callbacks run with the lock held and must not call
 * functions of this header. In a child of fork() nothing can be created or connected
 * (DPK_ERR_USAGE), nothing may be posted, and destroying an object does not change the parent's.
 * Peers notice the end of a parent only when its children have ended or have executed another
 * program.
 */
#ifndef DPK_RDMA_PAIRS_PAIRS_H
#define DPK_RDMA_PAIRS_PAIRS_H

#include "rdma/registered/registered.h"

struct dpk_rc;
struct dpk_rc_end;
struct dpk_rc_qp;

/* One piece of a message. Where this header takes a struct dpk_memory_access, the end fills in its
 * rights and domain. */
struct dpk_rc_piece {
    const uint8_t *bytes; /* memory.size bytes; NULL: registered memory */
    struct dpk_memory_access memory;
};

/* A message: its bytes lie in several pieces of memory, one after the other. */
struct dpk_rc_message {
    const struct dpk_rc_piece *pieces;
    unsigned count;
};
uint64_t dpk_rc_message_size(const struct dpk_rc_message *m);
/* Whether the first `size` bytes may be accessed with these rights in this domain. False also: the
 * message is shorter. */
bool dpk_rc_message_has(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                        uint64_t size, unsigned rights);
/* The first access to these bytes that is refused. False: there is none. */
bool dpk_rc_message_refused(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                            uint64_t size, unsigned rights, struct dpk_memory_access *out);
/* Copies `size` bytes of the message, from offset `at` on, to or from a buffer. False: the message
 * is shorter, or not all of it may be accessed in this domain; some bytes may have been copied. */
bool dpk_rc_message_read(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                         uint64_t at, uint32_t size, uint8_t *to);
bool dpk_rc_message_write(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const uint8_t *from);

/* The same from memory of another process, at `address` there. */
bool dpk_rc_message_fetch(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const struct dpk_import *from,
                          uint64_t address);

/* How a work ends. The numbers are the card's syndromes of completions (MLX5_CQE_SYNDROME_*). */
enum dpk_rc_status {
    DPK_RC_OK = 0,
    DPK_RC_LOCAL_LENGTH = 0x01,
    DPK_RC_LOCAL_OPERATION = 0x02,
    DPK_RC_LOCAL_PROTECTION = 0x04,
    DPK_RC_FLUSHED = 0x05,
    DPK_RC_REMOTE_INVALID = 0x12,
    DPK_RC_REMOTE_ACCESS = 0x13,
    DPK_RC_REMOTE_OPERATION = 0x14,
    DPK_RC_RETRY_EXCEEDED = 0x15, /* there is no peer, or it does not answer */
    DPK_RC_RNR_EXCEEDED = 0x16,   /* the peer has no receive (receiver not ready) */
};

enum dpk_rc_opcode {
    DPK_RC_SEND,
    DPK_RC_WRITE,
    DPK_RC_READ,
    DPK_RC_FETCH_ADD, /* 8 bytes, aligned */
    DPK_RC_COMPARE_SWAP,
    DPK_RC_SIGNAL_ADD, /* updates a sync event of the peer; it is a 64-bit counter */
    DPK_RC_SIGNAL_SET,
    DPK_RC_OPCODES,
    DPK_RC_NOP = DPK_RC_OPCODES, /* completes in order; nothing is sent to the peer */
};

struct dpk_rc_work {
    enum dpk_rc_opcode opcode;
    enum dpk_rc_status wrong; /* not DPK_RC_OK: the work fails with this, in order */
    bool silent;              /* there is no completion of success */
    bool has_immediate;       /* of a send or a write: the peer gets `immediate` with it, and uses
                                 up a receive for it */
    uint32_t immediate;
    bool solicited; /* of a send or a write with an immediate: the peer's completion says so */
    /* The local memory: the source, or the target of a read. Its size is that of the operation. An
     * atomic operation or a SIGNAL_ADD stores the old value here; size 0: it does not store it. */
    struct dpk_memory_access local;
    const struct dpk_rc_piece *pieces; /* if `count` is not 0: in place of `local`; */
    unsigned count;                    /* they must stay until the completion */
    void *user;                        /* passed on to the completion */
    uint32_t target, qkey;   /* of a datagram: the queue pair that it is for, and its key */
    struct dpk_uuid owner;   /* the process that `key` belongs to; all zero: the peer's */
    uint64_t key, address;   /* the peer's memory; a sync event has no address */
    uint64_t value, compare; /* COMPARE_SWAP stores `value` if the word equals `compare` */
    bool by_reference;       /* rc's own */
};

/* Why a work or a receive failed, beside its status. What the peer says of it, is from another process
 * perhaps, and is for people only. */
struct dpk_rc_why {
    enum dpk_rc_reason {
        DPK_RC_UNTOLD,          /* the status says all that is known */
        DPK_RC_MEMORY,          /* an access to memory was refused: `memory` */
        DPK_RC_NOT_PERMITTED,   /* the queue pair does not permit its peer memory.rights */
        DPK_RC_OTHERS_KEY,      /* the key is of another process than the peer */
        DPK_RC_NO_EVENT,        /* it is no event of the peer, or not for peers */
        DPK_RC_RECEIVE_SHORT,   /* the receive has memory.size bytes */
        DPK_RC_NO_RECEIVE,      /* there is none, also after the last retry */
        DPK_RC_TAKES_NONE,      /* the queue pair is in the error state, or takes no receives */
        DPK_RC_OTHERS_PEER,     /* the peer is connected to another queue pair */
        DPK_RC_NOT_CONNECTED,   /* the peer is there, but was not connected in time */
        DPK_RC_NO_PEER,         /* no queue pair has the number, or not any more */
        DPK_RC_PEER_DESTROYED,  /* or in the error state, or its process has ended */
        DPK_RC_NO_SUCH_SERVICE, /* queue pairs of this type have no such operation */
        DPK_RC_REASONS,
    } reason;
    struct dpk_memory_refusal memory;
    bool remote;                     /* it is about the peer's side */
    struct dpk_memory_access access; /* MEMORY: that was refused */
    enum dpk_rc_opcode opcode;       /* of the work, or the peer's */
    uint64_t size;                   /* bytes of the message */
};

struct dpk_rc_completion {
    enum dpk_rc_event {
        DPK_RC_DONE, /* a work succeeded */
        DPK_RC_RECEIVED,
        DPK_RC_RECEIVED_IMMEDIATE,
        DPK_RC_WRITTEN_IMMEDIATE,
        DPK_RC_FAILED,
        DPK_RC_RECEIVE_FAILED,
    } event;
    uint32_t connection; /* as given at creation; 0 for a receive that no peer used */
    uint32_t immediate;
    uint32_t source; /* of a datagram: the number of the queue pair that sent it */
    bool solicited;
    uint32_t index; /* how many works or receives were posted before it; wraps */
    enum dpk_rc_status status;
    uint64_t bytes;               /* of the message */
    void *user;                   /* as in the work or receive */
    const struct dpk_rc_why *why; /* during the call: of what failed, but not of what was flushed */
};

/* The number of a failure's kind, for struct dpk_told. */
unsigned dpk_rc_kind(enum dpk_rc_status status, const struct dpk_rc_why *why);
/* Text for people: "write of 64 bytes at 0x1000 of the peer: key 0x1001 allows no remote write". Room for
 * all of it. `why` NULL, or without a reason: what `status` means. Returns `text`. */
#define DPK_RC_REASON_MAX 380
const char *dpk_rc_reason(enum dpk_rc_status status, const struct dpk_rc_why *why,
                          char text[DPK_RC_REASON_MAX]);

/* A receive: where the message of a send is written. Its index is how many were posted before. */
struct dpk_rc_receive {
    struct dpk_memory_access buffer;
    const struct dpk_rc_piece *pieces; /* as those of a work */
    unsigned count;
    uint32_t index;
    void *user;
};

enum dpk_rc_taken {
    DPK_RC_TAKEN,
    DPK_RC_NONE,  /* none is posted; dpk_rc_end_resume asks again */
    DPK_RC_NEVER, /* no receive will ever come, or their queue is in error: the queue pair fails */
};

/* What the owner of an end does for it. */
struct dpk_rc_ops {
    /* Updates a sync event, and sets *before to what it was if it adds; false: there is no such
     * event for peers. */
    bool (*signal)(void *context, uint64_t key, uint64_t value, bool adds, uint64_t *before);
    /* Delivers a completion. False: there is no room for it, and the queue pair fails. */
    bool (*complete)(void *context, const struct dpk_rc_completion *completion);
    /* `next` and `receive` are for owners with queues of their own, in place of dpk_rc_post and
     * dpk_rc_post_receive; or NULL. Both give the next entry of the queue. `next` returns false
     * when there is no work; dpk_rc_qp_kick makes rc ask again. In the error state rc asks for
     * works and receives in order to flush them. */
    bool (*next)(void *context, struct dpk_rc_work *out);
    enum dpk_rc_taken (*receive)(void *context, struct dpk_rc_receive *out);
    /* The queue pair has entered the error state; completions of what is posted follow. `refused`:
     * what the peer was told of its request that broke it; DPK_RC_OK: none did. `why`: the reason, if
     * the peer is of another process, so that nobody tells of it in this one; else NULL. Or NULL. */
    void (*failed)(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why);
};

/* `identity` names this process to its peers. Peers find its queue pairs by their addresses, and
 * after dpk_rc_publish by their numbers too. */
enum dpk_status dpk_rc_open(const struct dpk_uuid *identity, struct dpk_rc **out,
                            struct dpk_error *err);
/* To be called before the first queue pair is created. Numbers are then unique among all processes
 * that publish in this directory, and other processes find queue pairs by them. Only this user may
 * enter the directory. If it cannot be used, queue pairs are found by address alone. */
enum dpk_status dpk_rc_publish(struct dpk_rc *rc, const char *directory, struct dpk_error *err);
/* To be called after all ends are destroyed. NULL is fine. */
void dpk_rc_close(struct dpk_rc *rc);

/* The identity of this process. A child of fork() has another one. */
const struct dpk_uuid *dpk_rc_identity(void);
/* The struct dpk_rc that all libraries of this process share; to be given back by dpk_rc_leave. */
enum dpk_status dpk_rc_enter(struct dpk_rc **out, struct dpk_error *err);
void dpk_rc_leave(struct dpk_rc *rc);

/* The lock of a struct dpk_rc. It is recursive. */
void dpk_rc_lock(struct dpk_rc *rc);
void dpk_rc_unlock(struct dpk_rc *rc);

/* What becomes of messages that cannot be delivered. */
enum dpk_rc_service {
    DPK_RC_RELIABLE,   /* they wait, or the queue pair fails */
    DPK_RC_UNRELIABLE, /* they are lost, and nobody is told: sends and writes */
    DPK_RC_DATAGRAM /* the same; each goes to a queue pair of its own choice: sends of one segment */
};
#define DPK_RC_DATAGRAM_MAX 32768u /* bytes */

struct dpk_rc_end_options {
    const struct dpk_rc_ops *ops;
    void *context;
    const struct dpk_memory_domain *domain; /* of the memory that works use and peers reach */
    unsigned permissions;                   /* of peers: DPK_MEMORY_REMOTE_... */
    uint32_t sends;                         /* that can be posted at once on each connection */
    uint32_t receives;   /* that can be posted at once, for all connections together */
    bool outlives_peers; /* as on the card: when the peer is destroyed, only works that are not
                            done or posted later fail; otherwise the queue pair fails at once */
    enum dpk_rc_service service; /* not reliable: only with outlives_peers, `next` and `receive` */
};
enum dpk_status dpk_rc_end_create(struct dpk_rc *rc, const struct dpk_rc_end_options *options,
                                  struct dpk_rc_end **out, struct dpk_error *err);
/* Closes its connections; what is posted fails. No callback runs after it has returned. */
void dpk_rc_end_destroy(struct dpk_rc_end *end);

enum dpk_status dpk_rc_qp_create(struct dpk_rc_end *end, uint32_t connection,
                                 struct dpk_rc_qp **out, struct dpk_error *err);
/* What is posted on it fails. dpk_rc_end_destroy does the same for all queue pairs of an end. */
void dpk_rc_qp_destroy(struct dpk_rc_qp *qp);

/* Disconnects it and puts it into its first state. What is posted is dropped without a
 * completion. */
void dpk_rc_qp_reset(struct dpk_rc_qp *qp);
/* Puts it into the error state: what is posted is flushed. */
void dpk_rc_qp_fail(struct dpk_rc_qp *qp);
/* The peer is known to be gone, though its sockets may not tell yet: what it has sent is carried out,
 * and the rest is as if its process had ended. */
void dpk_rc_qp_lose(struct dpk_rc_qp *qp);
/* Asks the owner for works (`next`) again. */
void dpk_rc_qp_kick(struct dpk_rc_qp *qp);
/* The same, soon and by a thread of rc: for callbacks, with the lock. */
void dpk_rc_qp_kick_later(struct dpk_rc_qp *qp);
/* Asks the owner for receives (`receive`) again. */
void dpk_rc_end_resume(struct dpk_rc_end *end);
void dpk_rc_end_permit(struct dpk_rc_end *end, unsigned permissions);
/* Datagrams with another key are dropped. */
void dpk_rc_end_set_qkey(struct dpk_rc_end *end, uint32_t qkey);

/* Appends the address that a peer needs to connect to it, at most DPK_RC_ADDRESS_SIZE bytes. Bytes
 * 24 to 27 have the number, big endian. "DPKN" and a number of four bytes, big endian, are an
 * address too. From here on other processes can reach this one; DPK_ERR_IO if that is not
 * possible. */
#define DPK_RC_ADDRESS_SIZE 40
enum dpk_status dpk_rc_qp_address(struct dpk_rc_qp *qp, struct dpk_buf *out, struct dpk_error *err);

/* How long a request waits, in milliseconds, for a peer that is not connected or does not exist
 * yet. Then its work fails with DPK_RC_RETRY_EXCEEDED, as on a card when all retries have
 * failed. */
#define DPK_RC_CONNECT_WAIT_MS 10000

/* Connects it to the queue pair with that address. That one must be connected to this one, too:
 * until then works wait, at most DPK_RC_CONNECT_WAIT_MS. Each direction of a connection between
 * processes takes half a MiB of shared memory. DPK_ERR_FORMAT: the address is invalid or damaged.
 * DPK_ERR_UNSUPPORTED: it is of another version. DPK_ERR_USAGE: the queue pair is connected
 * already. DPK_ERR_NOT_FOUND: there is no such queue pair. DPK_ERR_NOMEM, DPK_ERR_IO: shared memory
 * cannot be made. */
enum dpk_status dpk_rc_qp_connect(struct dpk_rc_qp *qp, const void *address, size_t size,
                                  struct dpk_error *err);

/* Lets a queue pair of datagrams send and receive. Until then, what comes for it is dropped. */
void dpk_rc_qp_open(struct dpk_rc_qp *qp);

/* Its number, of 24 bits. No other queue pair of this process, or of others that publish numbers,
 * has the same. */
uint32_t dpk_rc_qp_number(const struct dpk_rc_qp *qp);
/* Connects it by number; only for queue pairs that outlive their peers. The peer may be created
 * later, in this process or, if numbers are published, in another. */
enum dpk_status dpk_rc_qp_connect_number(struct dpk_rc_qp *qp, uint32_t number,
                                         struct dpk_error *err);

/* How long a queue pair tries, and lets its peer try. At first it has no patience with a peer that is
 * gone, and as much as there is with one that has no receive. */
#define DPK_RC_RNR_FOREVER 7
struct dpk_rc_patience {
    uint64_t retry_ms;    /* works without a peer fail after that, as on a card when all retries
                             have failed; UINT64_MAX: never; 0: at once if the peer is gone, after
                             DPK_RC_CONNECT_WAIT_MS if it is not there yet */
    unsigned rnr_retries; /* of messages that find no receive at the peer: 0 to 7 */
    uint32_t rnr_ms;      /* how long the peer's messages wait for each retry of theirs */
};
void dpk_rc_qp_set_patience(struct dpk_rc_qp *qp, const struct dpk_rc_patience *patience);

/* For a thread that polls for completions: does what peers of other processes have sent, if no other
 * thread does. As long as there are such calls, peers need not wake the thread of this library. */
void dpk_rc_poll(struct dpk_rc *rc);
/* The thread that has polled is going to sleep, and does so until the descriptor that this returns is
 * readable, or until it has other work; then it polls. So the thread of this library is not woken
 * beside it. -1: there is no such descriptor, as another `sleeper` has one. `sleeper` NULL: -1; the
 * thread may be going to sleep elsewhere. */
int dpk_rc_rest(struct dpk_rc *rc, const void *sleeper);
/* The `sleeper` is no more. */
void dpk_rc_rest_end(struct dpk_rc *rc, const void *sleeper);

/* Something that a thread waits for, and that completions make ready. */
struct dpk_rc_waiter {
    int fd; /* is readable when another thread made it ready */
    bool (*ready)(void *of);
    void *of;
    atomic_bool slept; /* a thread has slept for it: dpk_rc_rest_end(rc, waiter) at its end */
    atomic_bool soon;  /* it was ready soon the last time */
    atomic_uint vain;  /* grows with waits awake that were in vain: then so many waits are asleep */
    atomic_uint asleep; /* of these, those that are left */
};
/* Waits until it is ready, and does the work of dpk_rc_poll meanwhile: awake for 50 microseconds if it was ready that
 * soon the last time, then asleep. Returns, too, where the caller has to wait for the descriptor, as another waiter
 * sleeps already. False: errno says why. */
bool dpk_rc_await(struct dpk_rc *rc, struct dpk_rc_waiter *w);

/* Posts a work. False: there is no room, as `sends` works have not ended. */
bool dpk_rc_post(struct dpk_rc_qp *qp, const struct dpk_rc_work *work);
/* Posts a receive. False: there is no room. */
bool dpk_rc_post_receive(struct dpk_rc_end *end, const struct dpk_rc_receive *receive);
/* Whether all works that were posted have ended. */
bool dpk_rc_qp_is_idle(struct dpk_rc_qp *qp);

#endif
