/*
 * rc: RDMA between programs of the DPA: reliable connected queue pairs, in one process or between
 * processes of one machine.
 *
 *     struct dpk_rc *rc;
 *     dpk_rc_enter(&rc, &err);                                // one for a process
 *     dpk_rc_end_create(rc, &options, &end, &err);            // receives, and whose memory it is
 *     dpk_rc_qp_create(end, 0, &qp, &err);                     // one connection of it
 *     dpk_rc_qp_address(qp, &bytes, &err);                     // for the peer, who does the same
 *     dpk_rc_qp_connect(qp, theirs.data, theirs.size, &err);
 *     dpk_rc_post_receive(end, &buffer);
 *     dpk_rc_post(qp, &(struct dpk_rc_work){.opcode = DPK_RC_SEND, .local = {...}});
 *
 * What is posted on a queue pair is carried out in that order and ends, in that order, in a
 * completion: always when it fails, and when it succeeds unless it was posted as `silent`. Sends
 * wait for receives (the receiver-not-ready wait, without end). Memory is reached by key,
 * with the rights that each access needs, in the domain of the end (memory.h). After an error a
 * queue pair fails whatever is still posted on it, and whatever comes; so does its peer's. A peer
 * that goes away, or whose process dies, is such an error; when no other connection is left,
 * receives fail also.
 *
 * How requests get from one queue pair to the other is a transport's (transport.h): within a
 * process a call, between processes a ring in memory that both have.
 *
 * All functions may be called from any thread; one lock guards all of a struct dpk_rc, and what its owners
 * want to guard with it (dpk_rc_lock). Callbacks run with it: they must not call back. In a child
 * of fork() nothing can be made or connected (DPK_ERR_USAGE), nothing must be posted, and what is
 * destroyed stays as the parent has it; a parent that dies is not noticed by peers before its
 * children are gone or have run another program.
 */
#ifndef DPK_RC_H
#define DPK_RC_H

#include "memory/memory.h"

struct dpk_rc;
struct dpk_rc_end;
struct dpk_rc_qp;

/* One piece of a message. Where this header takes a struct dpk_memory_access, the end fills in its
 * rights and domain. */
struct dpk_rc_piece {
    const uint8_t *bytes; /* memory.size bytes; NULL: registered memory */
    struct dpk_memory_access memory;
};

/* How a work ends: the card's numbers (syndromes of completions, MLX5_CQE_SYNDROME_*). */
enum dpk_rc_status {
    DPK_RC_OK = 0,
    DPK_RC_LOCAL_LENGTH = 0x01,
    DPK_RC_LOCAL_OPERATION = 0x02,
    DPK_RC_LOCAL_PROTECTION = 0x04,
    DPK_RC_FLUSHED = 0x05,
    DPK_RC_REMOTE_INVALID = 0x12,
    DPK_RC_REMOTE_ACCESS = 0x13,
    DPK_RC_REMOTE_OPERATION = 0x14,
    DPK_RC_RETRY_EXCEEDED = 0x15, /* the peer is not there */
};

enum dpk_rc_opcode {
    DPK_RC_SEND,
    DPK_RC_WRITE,
    DPK_RC_READ,
    DPK_RC_FETCH_ADD, /* 8 bytes, aligned */
    DPK_RC_COMPARE_SWAP,
    DPK_RC_SIGNAL_ADD, /* a sync event of the peer's */
    DPK_RC_SIGNAL_SET,
    DPK_RC_OPCODES,
    DPK_RC_NOP = DPK_RC_OPCODES, /* completes in its turn; the peer does not hear of it */
};

struct dpk_rc_work {
    enum dpk_rc_opcode opcode;
    enum dpk_rc_status wrong; /* not DPK_RC_OK: it fails with that in its turn */
    bool silent;              /* success is not told */
    bool has_immediate;       /* of a send or a write: the peer gets `immediate` with it, and uses
                                 up a receive for it */
    uint32_t immediate;
    /* From where, or (a read) to where; its size is the operation's. Of an atomic operation: where
     * the value before goes, size 0: nowhere. */
    struct dpk_memory_access local;
    const struct dpk_rc_piece *pieces; /* `count` of them in place of `local`, if that is not 0. */
    unsigned count;                    /* They stay the owner's, until the completion */
    void *user;                        /* for the completion */
    struct dpk_uuid owner;   /* process that `key` is of, all zero: the peer's, whichever it is */
    uint64_t key, address;   /* the peer's memory; a sync event has no address */
    uint64_t value, compare; /* swapped in if it is what `compare` says */
};

struct dpk_rc_completion {
    enum dpk_rc_event {
        DPK_RC_DONE, /* what was posted */
        DPK_RC_RECEIVED,
        DPK_RC_RECEIVED_IMMEDIATE,
        DPK_RC_WRITTEN_IMMEDIATE,
        DPK_RC_FAILED,
        DPK_RC_RECEIVE_FAILED,
    } event;
    uint32_t connection; /* as given at creation; of a receive that no peer ever used: 0 */
    uint32_t immediate;
    uint32_t index; /* how many were posted on its queue before; wraps */
    enum dpk_rc_status status;
    uint64_t bytes; /* of the message */
    void *user;     /* that of the work or receive */
};

/* Where a send goes. */
struct dpk_rc_receive {
    struct dpk_memory_access buffer;
    const struct dpk_rc_piece *pieces; /* as those of a work */
    unsigned count;
    uint32_t index;
    void *user;
};

enum dpk_rc_taken {
    DPK_RC_TAKEN,
    DPK_RC_NONE,  /* none is posted: dpk_rc_end_resume looks again */
    DPK_RC_NEVER, /* there are no receives, or their queue is broken: the queue pair fails */
};

/* What the owner of an end does for it. */
struct dpk_rc_ops {
    /* Updates a sync event; false: there is no such event for peers. */
    bool (*signal)(void *context, uint64_t key, uint64_t value, bool adds);
    /* False: there is no room to tell it: the queue pair fails. */
    bool (*complete)(void *context, const struct dpk_rc_completion *completion);
    /* For owners with queues of their own, in place of dpk_rc_post and dpk_rc_post_receive, or
     * NULL. The next work, when there is room for it at the peer: false: there is none
     * (dpk_rc_qp_kick asks again); in the error state it is told to be flushed. The next receive.
     */
    bool (*next)(void *context, struct dpk_rc_work *out);
    enum dpk_rc_taken (*receive)(void *context, struct dpk_rc_receive *out);
    /* A queue pair is in the error state: what is posted on it is told next. Or NULL. */
    void (*failed)(void *context);
};

/* `identity`: what peers know this process by. Its queue pairs are found by their addresses, and
 * after dpk_rc_publish by their numbers. */
enum dpk_status dpk_rc_open(const struct dpk_uuid *identity, struct dpk_rc **out,
                            struct dpk_error *err);
/* Before the first queue pair: numbers are unique among all that are published in this directory,
 * which only this user may enter, and lead to them. Where that is not possible they do not. */
enum dpk_status dpk_rc_publish(struct dpk_rc *rc, const char *directory, struct dpk_error *err);
/* After its ends. NULL is fine. */
void dpk_rc_close(struct dpk_rc *rc);

/* That of this process, by which peers know it; a child of fork() has another. */
const struct dpk_uuid *dpk_rc_identity(void);
/* The one of this process, for all that need one; given back with dpk_rc_leave. */
enum dpk_status dpk_rc_enter(struct dpk_rc **out, struct dpk_error *err);
void dpk_rc_leave(struct dpk_rc *rc);

/* The lock of all, which may be taken more than once. */
void dpk_rc_lock(struct dpk_rc *rc);
void dpk_rc_unlock(struct dpk_rc *rc);

struct dpk_rc_end_options {
    const struct dpk_rc_ops *ops;
    void *context;
    const struct dpk_memory_domain *domain; /* whose memory it uses, and peers reach */
    unsigned permissions;                   /* of peers: DPK_MEMORY_REMOTE_... */
    uint32_t sends, receives; /* that can be posted at once: on each connection, and on all */
    bool outlives_peers; /* a peer that goes is an error of what is posted then and later, as on
                            the card; otherwise it is one of the queue pair */
};
enum dpk_status dpk_rc_end_create(struct dpk_rc *rc, const struct dpk_rc_end_options *options,
                                  struct dpk_rc_end **out, struct dpk_error *err);
/* Ends its connections; what is posted fails. When it returns no callback runs any more. */
void dpk_rc_end_destroy(struct dpk_rc_end *end);

enum dpk_status dpk_rc_qp_create(struct dpk_rc_end *end, uint32_t connection,
                                 struct dpk_rc_qp **out, struct dpk_error *err);
/* What is posted on it fails. Not needed before dpk_rc_end_destroy, which does the same. */
void dpk_rc_qp_destroy(struct dpk_rc_qp *qp);

/* Back to the beginning, unconnected. What is posted is forgotten without a completion. */
void dpk_rc_qp_reset(struct dpk_rc_qp *qp);
/* The error state: what is posted is flushed. */
void dpk_rc_qp_fail(struct dpk_rc_qp *qp);
/* There may be more of `next`. */
void dpk_rc_qp_kick(struct dpk_rc_qp *qp);
/* There may be more of `receive`. */
void dpk_rc_end_resume(struct dpk_rc_end *end);
void dpk_rc_end_permit(struct dpk_rc_end *end, unsigned permissions);

/* What a peer needs to connect to it, at most DPK_RC_ADDRESS_SIZE bytes; the number is big endian
 * in bytes 24 to 27. A number alone is an address, too: "DPKN", then its four bytes, big endian.
 * From here on the process can be reached by others: DPK_ERR_IO if that is not possible. */
#define DPK_RC_ADDRESS_SIZE 40
enum dpk_status dpk_rc_qp_address(struct dpk_rc_qp *qp, struct dpk_buf *out, struct dpk_error *err);

/* A request waits that many milliseconds for a peer that is not connected, or not there yet; then
 * its work ends with DPK_RC_RETRY_EXCEEDED, as when the transport of a card has sent it again as
 * often as it may. */
#define DPK_RC_CONNECT_WAIT_MS 10000

/* Connects it to the queue pair with that address, which must be connected to this one: until then
 * what is posted waits, as long as DPK_RC_CONNECT_WAIT_MS says. To another process it takes half a MiB of memory that both share, and so
 * does the other direction. DPK_ERR_FORMAT: no address, or damaged. DPK_ERR_UNSUPPORTED: of another
 * version. DPK_ERR_USAGE: connected already. DPK_ERR_NOT_FOUND: nobody is there. DPK_ERR_NOMEM,
 * DPK_ERR_IO: no memory to share. */
enum dpk_status dpk_rc_qp_connect(struct dpk_rc_qp *qp, const void *address, size_t size,
                                  struct dpk_error *err);

/* 24 bits: no other queue pair of this process has it, nor of another that is published. */
uint32_t dpk_rc_qp_number(const struct dpk_rc_qp *qp);
/* The same by number, for queue pairs that outlive their peers. The queue pair that has the number
 * may come later, in this process or (if numbers are published) in another. */
enum dpk_status dpk_rc_qp_connect_number(struct dpk_rc_qp *qp, uint32_t number,
                                         struct dpk_error *err);

/* False: no room, `sends` are posted that have not ended. */
bool dpk_rc_post(struct dpk_rc_qp *qp, const struct dpk_rc_work *work);
/* False: no room. */
bool dpk_rc_post_receive(struct dpk_rc_end *end, const struct dpk_memory_access *buffer);
/* Whether all that was posted has ended. */
bool dpk_rc_qp_is_idle(struct dpk_rc_qp *qp);

#endif
