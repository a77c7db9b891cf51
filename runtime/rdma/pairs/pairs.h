/*
 * rc: reliable connected queue pairs of DPA programs, and unreliable queue pairs. The two queue pairs of a
 * connection are in one process, in two processes of one machine, or in processes of two machines whose
 * devices have a fabric.
 *
 *     struct dpk_rc *rc;
 *     dpk_rc_enter(&rc, &err);                                // one object for a process
 *     dpk_rc_end_create(rc, &options, &end, &err);            // receives, and the owner of the memory
 *     dpk_rc_qp_create(end, 0, &qp, &err);                    // one connection of the end
 *     dpk_rc_qp_address(qp, &bytes, &err);                    // for the peer, which does the same
 *     dpk_rc_qp_connect(qp, theirs.data, theirs.size, &err);
 *     dpk_rc_post_receive(end, &(struct dpk_rc_receive){.buffer = {...}});
 *     dpk_rc_post(qp, &(struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = {...}});
 *
 * A queue pair carries out and completes works in the order of posting. A work that fails always has a
 * completion. A work that succeeds has no completion if it was posted as `silent`. A send waits until the
 * peer has a receive for it. The wait has no limit unless dpk_rc_qp_set_patience sets a limit. Works reach
 * memory by key, with the rights that each access needs, in the domain of the end (registered.h).
 *
 * After an error, all works of the queue pair fail, also works that are posted later. The peer's queue pair
 * enters the error state too, unless the peer has only refused to wait for a receive. It is
 * also an error when the peer is destroyed or its process ends. Receives fail too when their end has no
 * other connection left.
 *
 * An end may have another service (enum dpk_rc_service). Then messages that its peers cannot take are lost.
 *
 * A transport (transport.h) carries requests from one queue pair to the other: a function call
 * within a process, rings in shared memory between processes, UCX between machines.
 *
 * Any thread may call all functions. One lock guards a struct dpk_rc, and also the data that its owners
 * guard with this lock (dpk_rc_lock). Callbacks run with the lock held, and must not call functions of this
 * header. A child of fork() cannot create or connect objects (DPK_ERR_USAGE) and must not post. When the
 * child destroys an object, the parent's object does not change. Peers notice the end of a parent only when
 * its children have ended or have executed another program.
 */
#ifndef DPK_RDMA_PAIRS_PAIRS_H
#define DPK_RDMA_PAIRS_PAIRS_H

#include "rdma/registered/registered.h"

struct dpk_rc;
struct dpk_rc_end;
struct dpk_rc_qp;

/* One piece of a message. The end sets the rights and the domain of each struct dpk_memory_access that this
 * header takes. */
struct dpk_rc_piece {
    const uint8_t *bytes; /* memory.size bytes; NULL: registered memory */
    struct dpk_memory_access memory;
};

/* A message: the bytes of several pieces of memory, in this order. */
struct dpk_rc_message {
    const struct dpk_rc_piece *pieces;
    unsigned count;
};
uint64_t dpk_rc_message_size(const struct dpk_rc_message *m);
/* Returns whether the first `size` bytes may be accessed with these rights in this domain. Returns false if
 * the message is shorter. */
bool dpk_rc_message_has(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                        uint64_t size, unsigned rights);
/* Finds the first refused access to these bytes. Returns false if no access is refused. */
bool dpk_rc_message_refused(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                            uint64_t size, unsigned rights, struct dpk_memory_access *out);
/* Copies `size` bytes of the message, from offset `at` on, to or from a buffer. Returns false if the message
 * is shorter, or if an access is refused in this domain. Some bytes may have been copied then. */
bool dpk_rc_message_read(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                         uint64_t at, uint32_t size, uint8_t *to);
bool dpk_rc_message_write(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const uint8_t *from);

/* Writes bytes of the message like dpk_rc_message_write. The bytes come from the memory of another process,
 * at `address` there. */
bool dpk_rc_message_fetch(const struct dpk_memory_domain *domain, const struct dpk_rc_message *m,
                          uint64_t at, uint32_t size, const struct dpk_import *from,
                          uint64_t address);

/* Results of a work. The numbers are the card's syndromes of completions (MLX5_CQE_SYNDROME_*). */
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
    DPK_RC_FETCH_ADD, /* of 8 aligned bytes */
    DPK_RC_COMPARE_SWAP,
    DPK_RC_SIGNAL_ADD, /* updates a sync event of the peer, a counter of 64 bits */
    DPK_RC_SIGNAL_SET,
    DPK_RC_OPCODES,
    DPK_RC_NOP = DPK_RC_OPCODES, /* completes in order, and sends nothing to the peer */
};

struct dpk_rc_work {
    enum dpk_rc_opcode opcode;
    enum dpk_rc_status wrong; /* not DPK_RC_OK: the work fails with this status, in order */
    bool silent;              /* there is no completion of success */
    bool has_immediate;       /* send or write: the peer gets `immediate`, and uses up a receive */
    uint32_t immediate;
    bool solicited; /* send, or write with an immediate: the peer's completion has this flag */
    /* The local memory: the source, or the target of a read. Its size is the size of the operation. An
     * atomic operation or a SIGNAL_ADD stores the old value here, unless the size is 0. */
    struct dpk_memory_access local;
    /* Pieces in place of `local` if `count` is not 0. The pieces must exist until the completion. */
    const struct dpk_rc_piece *pieces;
    unsigned count;
    void *user;            /* value for the completion */
    uint32_t target, qkey; /* number and key of a datagram's target queue pair */
    uint8_t machine[16];   /* its machine, as in dpk_rc_qp_connect_far; all zero: this machine */
    struct dpk_uuid owner; /* process of `key`; all zero: the peer's process */
    /* Memory of the peer; a sync event has no address. `address` of a datagram: its service level. */
    uint64_t key, address;
    uint64_t value, compare; /* COMPARE_SWAP stores `value` if the word equals `compare` */
    bool by_reference;       /* private to rc */
};

/* Why a work or a receive failed, beside its status. The peer's part may come from another process, and is
 * only for people. */
struct dpk_rc_why {
    enum dpk_rc_reason {
        DPK_RC_UNTOLD,        /* no more is known than the status */
        DPK_RC_MEMORY,        /* an access to memory was refused: `memory` */
        DPK_RC_NOT_PERMITTED, /* the queue pair does not give its peer memory.rights */
        DPK_RC_OTHERS_KEY,    /* the key belongs to another process than the peer */
        DPK_RC_NO_EVENT,      /* the peer has no such event for its peers */
        DPK_RC_RECEIVE_SHORT, /* the receive has memory.size bytes */
        DPK_RC_NO_RECEIVE,    /* the peer has no receive, also after the last retry */
        DPK_RC_TAKES_NONE,    /* the queue pair is in the error state, or takes no receives */
        DPK_RC_OTHERS_PEER,   /* the peer is connected to another queue pair */
        DPK_RC_NOT_CONNECTED, /* the peer exists, but was not connected in time */
        DPK_RC_NO_PEER, /* no queue pair has the number, or the last such queue pair is gone */
        DPK_RC_PEER_DESTROYED, /* the peer is destroyed or in the error state, or its process has ended */
        DPK_RC_NO_SUCH_SERVICE, /* queue pairs of this type have no such operation */
        DPK_RC_REASONS,
    } reason;
    struct dpk_memory_refusal memory;
    bool remote;                     /* the reason concerns the peer's side */
    struct dpk_memory_access access; /* MEMORY: refused access */
    enum dpk_rc_opcode opcode;       /* opcode of the work, or of the peer's work */
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
    uint32_t connection; /* number from the creation; 0 for a receive that no peer used */
    uint32_t immediate;
    uint32_t source; /* datagram: number of the queue pair that sent it */
    uint8_t level;   /* datagram: its service level, 0 to 15 */
    bool solicited;
    uint32_t index; /* number of works or receives that were posted before; wraps */
    enum dpk_rc_status status;
    uint64_t bytes;               /* size of the message */
    void *user;                   /* value of the work or receive */
    const struct dpk_rc_why *why; /* reason of a failure, valid during the call; NULL if flushed */
};

/* Returns the number of a failure's kind, for struct dpk_told. */
unsigned dpk_rc_kind(enum dpk_rc_status status, const struct dpk_rc_why *why);
/* Writes a text for people: "write of 64 bytes at 0x1000 of the peer: key 0x1001 allows no remote write".
 * If `why` is NULL or has no reason, the text is the meaning of `status`. The array has
 * room for each text. Returns `text`. */
#define DPK_RC_REASON_MAX 380
const char *dpk_rc_reason(enum dpk_rc_status status, const struct dpk_rc_why *why,
                          char text[DPK_RC_REASON_MAX]);

/* A receive: memory for the message of a send. Its index is the number of receives posted before. */
struct dpk_rc_receive {
    struct dpk_memory_access buffer;
    const struct dpk_rc_piece *pieces; /* like the pieces of a work */
    unsigned count;
    uint32_t index;
    void *user;
};

enum dpk_rc_taken {
    DPK_RC_TAKEN,
    DPK_RC_NONE,  /* no receive is posted; dpk_rc_end_resume asks again */
    DPK_RC_NEVER, /* no receive will ever come, or the queue is in error: the queue pair fails */
};

/* Functions of the owner of an end. */
struct dpk_rc_ops {
    /* Updates a sync event. Sets *before to the old value if `adds`. Returns false if peers may not reach
     * such an event. */
    bool (*signal)(void *context, uint64_t key, uint64_t value, bool adds, uint64_t *before);
    /* Delivers a completion. Returns false if there is no room for it: then the queue pair fails. */
    bool (*complete)(void *context, const struct dpk_rc_completion *completion);
    /* `next` and `receive` are for owners with queues of their own, in place of dpk_rc_post and
     * dpk_rc_post_receive, or NULL. Both give the next entry of the queue. `next` returns false
     * when there is no work; after dpk_rc_qp_kick rc asks again. In the error state rc asks for
     * works and receives in order to flush them. */
    bool (*next)(void *context, struct dpk_rc_work *out);
    enum dpk_rc_taken (*receive)(void *context, struct dpk_rc_receive *out);
    /* The queue pair has entered the error state. Completions of posted works follow. `refused`: the
     * status that the peer got for the request that broke the queue pair; DPK_RC_OK if no request did.
     * `why`: the reason if the peer is in another process, as no other call of this process reports it;
     * else NULL. The function may be NULL. */
    void (*failed)(void *context, enum dpk_rc_status refused, const struct dpk_rc_why *why);
};

/* Opens the object of a process. `identity` names this process to its peers. Peers find its queue pairs by
 * address, and after dpk_rc_publish also by number. */
enum dpk_status dpk_rc_open(const struct dpk_uuid *identity, struct dpk_rc **out,
                            struct dpk_error *err);
/* Publishes numbers in a directory. Call this before the first queue pair is created. Then numbers are
 * unique among all processes that publish in this directory, and other processes find queue pairs by number.
 * Only this user may enter the directory. If it cannot be used, queue pairs are found by address alone. */
enum dpk_status dpk_rc_publish(struct dpk_rc *rc, const char *directory, struct dpk_error *err);
/* Closes the object. Call this after all ends are destroyed. NULL is allowed. */
void dpk_rc_close(struct dpk_rc *rc);

/* Returns the identity of this process. A child of fork() has another identity. */
const struct dpk_uuid *dpk_rc_identity(void);
/* Gives the struct dpk_rc that all libraries of this process share. dpk_rc_leave gives it back. */
enum dpk_status dpk_rc_enter(struct dpk_rc **out, struct dpk_error *err);
void dpk_rc_leave(struct dpk_rc *rc);

/* The lock of a struct dpk_rc. It is recursive. */
void dpk_rc_lock(struct dpk_rc *rc);
void dpk_rc_unlock(struct dpk_rc *rc);

/* The fate of messages that cannot be delivered. */
enum dpk_rc_service {
    DPK_RC_RELIABLE,   /* messages wait, or the queue pair fails */
    DPK_RC_UNRELIABLE, /* sends and writes are lost without a report */
    DPK_RC_DATAGRAM /* sends of one segment are lost without a report; each work names its target */
};
#define DPK_RC_DATAGRAM_MAX 32768u /* bytes */

struct dpk_rc_end_options {
    const struct dpk_rc_ops *ops;
    void *context;
    const struct dpk_memory_domain *domain; /* memory that works use and peers reach */
    unsigned permissions;                   /* rights of peers: DPK_MEMORY_REMOTE_... */
    uint32_t sends;                         /* most works of each connection that have not ended */
    uint32_t receives;                      /* most receives of all connections together */
    /* As on the card: when the peer is destroyed, only works fail that are not done, or are posted later.
     * If false, the queue pair fails at once. */
    bool outlives_peers;
    /* Other ends take from the queue of `receive`, too: the error state of a queue pair leaves its receives
     * there. */
    bool shares_receives;
    enum dpk_rc_service service; /* not reliable: only with outlives_peers, `next` and `receive` */
};
enum dpk_status dpk_rc_end_create(struct dpk_rc *rc, const struct dpk_rc_end_options *options,
                                  struct dpk_rc_end **out, struct dpk_error *err);
/* Closes the connections of an end. Posted works and receives fail. No callback runs after the return. */
void dpk_rc_end_destroy(struct dpk_rc_end *end);

enum dpk_status dpk_rc_qp_create(struct dpk_rc_end *end, uint32_t connection,
                                 struct dpk_rc_qp **out, struct dpk_error *err);
/* Destroys a queue pair. Posted works fail. dpk_rc_end_destroy destroys all queue pairs of an end. */
void dpk_rc_qp_destroy(struct dpk_rc_qp *qp);

/* Disconnects a queue pair and puts it into its first state. Posted works are dropped without a
 * completion. */
void dpk_rc_qp_reset(struct dpk_rc_qp *qp);
/* Puts a queue pair into the error state: posted works are flushed. */
void dpk_rc_qp_fail(struct dpk_rc_qp *qp);
/* Says that the peer is gone, before its sockets may show this. The queue pair carries out the requests that
 * the peer has sent. Then it acts as after the end of the peer's process. */
void dpk_rc_qp_lose(struct dpk_rc_qp *qp);
/* Asks the owner for works (`next`) again. */
void dpk_rc_qp_kick(struct dpk_rc_qp *qp);
/* Lets a thread of rc ask the owner for works soon. This is for callbacks, with the lock. */
void dpk_rc_qp_kick_later(struct dpk_rc_qp *qp);
/* Asks the owner for receives (`receive`) again. */
void dpk_rc_end_resume(struct dpk_rc_end *end);
void dpk_rc_end_permit(struct dpk_rc_end *end, unsigned permissions);
/* Sets the key of an end. Datagrams with another key are dropped. */
void dpk_rc_end_set_qkey(struct dpk_rc_end *end, uint32_t qkey);

/* Appends the address that a peer needs to connect to this queue pair: DPK_RC_ADDRESS_SIZE bytes, or
 * DPK_RC_ADDRESS_MAX bytes if its device has a fabric. Bytes 24 to 27 are the number, big endian. "DPKN" and
 * a number of four bytes, big endian, are an address too. From here on other processes can reach this
 * process. Whoever has the address of a queue pair can use the rights that its end gives to peers. Errors:
 * IO if other processes cannot reach it; as of dpk_fabric_open. */
#define DPK_RC_ADDRESS_SIZE 40
#define DPK_RC_ADDRESS_MAX  58
enum dpk_status dpk_rc_qp_address(struct dpk_rc_qp *qp, struct dpk_buf *out, struct dpk_error *err);

/* Returns the size of an address that begins with these 8 bytes. */
size_t dpk_rc_address_size(const void *address);

/* Longest wait of a request, in milliseconds, for a peer that is not connected or does not exist yet. Then
 * its work fails with DPK_RC_RETRY_EXCEEDED, as on a card when all retries have failed. */
#define DPK_RC_CONNECT_WAIT_MS 10000

/* Connects a queue pair to the peer with this address. The peer must be connected to this queue pair, too.
 * Until then works wait, at most DPK_RC_CONNECT_WAIT_MS. Each direction of a connection between processes
 * takes half a MiB of shared memory. Errors: FORMAT if the address is invalid or damaged; UNSUPPORTED if it
 * has another version, or if an unreliable queue pair has its peer on another machine; USAGE if the queue
 * pair is connected already; NOT_FOUND if there is no such peer; NOMEM, IO if shared memory cannot be made;
 * as of dpk_fabric_open if the peer is on another machine. */
enum dpk_status dpk_rc_qp_connect(struct dpk_rc_qp *qp, const void *address, size_t size,
                                  struct dpk_error *err);

/* Lets a queue pair of datagrams send and receive. Until then, datagrams for it are dropped. */
void dpk_rc_qp_open(struct dpk_rc_qp *qp);

/* Returns the number of a queue pair, of 24 bits. It is unique in this process, and among the processes that
 * publish numbers. */
uint32_t dpk_rc_qp_number(const struct dpk_rc_qp *qp);
/* Connects a queue pair by number. This is only for queue pairs that outlive their peers. The peer may be
 * created later: in this process or, if numbers are published, in another process. */
enum dpk_status dpk_rc_qp_connect_number(struct dpk_rc_qp *qp, uint32_t number,
                                         struct dpk_error *err);

/* Lets other machines reach a queue pair by its number, if its device has a fabric. Until the queue pair is
 * connected, requests of a peer wait. A reset ends this. A failure is a warning on standard error, since
 * peers of this machine need no fabric. */
void dpk_rc_qp_expose(struct dpk_rc_qp *qp);
/* Connects a queue pair by number to another machine. `ip`: the address of that device's fabric, IPv6 or
 * ::ffff:a.b.c.d. The peer must be exposed, and connect to this queue pair in the same way: each side names the
 * number of the other's queue pair and the address of the other's fabric, which is also the address that the
 * network shows. No secret protects such a connection. Errors: UNSUPPORTED if the queue pair is not
 * reliable; NOT_FOUND if the device has no fabric, or no queue pair can have the number; USAGE if the queue pair
 * is connected already; USAGE in a child of fork(); IO if another process has the port of the number; as of dpk_fabric_open. */
enum dpk_status dpk_rc_qp_connect_far(struct dpk_rc_qp *qp, uint32_t number, const uint8_t ip[16],
                                      struct dpk_error *err);

/* The patience of a queue pair, and that which it asks of its peer. At first a queue pair does not
 * wait for a missing peer, and waits without limit for a peer without a receive. */
#define DPK_RC_RNR_FOREVER 7
struct dpk_rc_patience {
    /* Works without a peer fail after this time, as on a card when all retries have failed. UINT64_MAX:
     * never. 0: at once if the peer is gone, after DPK_RC_CONNECT_WAIT_MS if it does not exist yet. */
    uint64_t retry_ms;
    unsigned rnr_retries; /* retries of messages that find no receive at the peer: 0 to 7 */
    uint32_t rnr_ms;      /* wait of the peer's messages for each of their retries */
};
void dpk_rc_qp_set_patience(struct dpk_rc_qp *qp, const struct dpk_rc_patience *patience);

/* For a thread that polls for completions: handles the messages of peers in other processes, unless another
 * thread does so. As long as there are such calls, peers need not wake the thread of this library. */
void dpk_rc_poll(struct dpk_rc *rc);
/* For a thread that has polled and is going to sleep. Returns a descriptor: the thread sleeps until the
 * descriptor is readable, or until it has other work, and polls then. So the thread of this library is not
 * woken, too. Returns -1 if another `sleeper` has the descriptor, or if `sleeper` is NULL: then the thread
 * may sleep elsewhere. */
int dpk_rc_rest(struct dpk_rc *rc, const void *sleeper);
/* The `sleeper` ends. */
void dpk_rc_rest_end(struct dpk_rc *rc, const void *sleeper);

/* An object that a thread waits for, and that completions make ready. */
struct dpk_rc_waiter {
    int fd; /* readable when another thread made the object ready */
    bool (*ready)(void *of);
    void *of;
    /* A thread has slept for the object. Call dpk_rc_rest_end(rc, waiter) at the end of the waiter then. */
    atomic_bool slept;
    atomic_bool soon;   /* the object was ready soon the last time */
    atomic_uint vain;   /* grows with each wait awake in vain: so many waits are asleep then */
    atomic_uint asleep; /* number of these waits that are left */
};
/* Waits until the object is ready, and does the work of dpk_rc_poll meanwhile. The thread waits awake for 50
 * microseconds if the object was ready so soon the last time, and then asleep. Also returns true if another
 * waiter sleeps already: then the caller has to wait for `fd`. Returns false with errno. */
bool dpk_rc_await(struct dpk_rc *rc, struct dpk_rc_waiter *w);

/* Posts a work. Returns false if there is no room, as `sends` works have not ended. */
bool dpk_rc_post(struct dpk_rc_qp *qp, const struct dpk_rc_work *work);
/* Posts a receive. Returns false if there is no room. */
bool dpk_rc_post_receive(struct dpk_rc_end *end, const struct dpk_rc_receive *receive);
/* Returns whether all posted works have ended. */
bool dpk_rc_qp_is_idle(struct dpk_rc_qp *qp);

#endif
