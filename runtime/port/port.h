/*
 * port: work and completion queues as the NIC sees them. They are rings of work queue elements
 * (WQEs) and of completions (CQEs), big endian, in the layout of ConnectX devices.
 *
 *     struct dpk_queues *nic;
 *     dpk_queues_open(&ops, context, rc, &nic, &err);               // one for an opened device
 *     struct dpk_queue_options o = {.kind = DPK_CQ, .ring = ..., .record = ...};
 *     dpk_queue_create(nic, &o, &cq, &err);
 *     o = (struct dpk_queue_options){.kind = DPK_SQ, .send_cq = cq, ...};
 *     dpk_queue_create(nic, &o, &sq, &err);
 *     dpk_queue_ring(sq, producer_index);                           // a doorbell
 *     dpk_queue_destroy(sq);  dpk_queue_destroy(cq);  dpk_queues_close(nic);
 *
 * Programs own rings and doorbell records and may write to them at any time. So a WQE is read once
 * and checked after that. An invalid WQE causes a CQE with a syndrome and puts its queue into the
 * error state, in which everything that is posted is flushed. It has no other effect.
 *
 * Ethernet send queues send frames. A frame leaves the port, or a steering rule delivers it to a
 * receive queue. Queue pairs are reliable connected (rc.h). dpk_queue_ring carries out all WQEs
 * that are posted before it returns. Only sends that wait for a receive, or for their peer, are
 * carried out during later calls; the callback `waits` asks for such calls.
 *
 * All functions may be called from any thread; the lock of struct dpk_rc guards all of it.
 * Callbacks run with the lock held and must not call functions of this header.
 */
#ifndef DPK_QUEUES_H
#define DPK_QUEUES_H

#include "memory/memory.h"
#include "rc/rc.h"

struct dpk_queues;
struct dpk_queue;

#define DPK_FRAME_MAX   9234u      /* bytes of a frame: 9216, and the header with a VLAN tag */
#define DPK_WQEBB       64u        /* bytes of a send queue's basic block */
#define DPK_CQE         64u        /* bytes of a completion */
#define DPK_MESSAGE_MAX (1u << 30) /* bytes of a queue pair's message */

/* Where a ring or a doorbell record lies. Only the owner's callbacks interpret `memory`. */
struct dpk_queue_place {
    void *memory;
    uint64_t address;
};

struct dpk_queue_ops {
    /* Read and write rings and doorbell records. False: the memory is not there, or not any more. A
     * record (4 bytes), and the last 8 bytes of a CQE, which are stored last and make it valid,
     * must be accessed atomically if they are aligned. */
    bool (*load)(void *memory, uint64_t address, void *to, size_t size);
    bool (*store)(void *memory, uint64_t address, const void *from, size_t size);
    /* A completion was written. `user` is that of the CQ. `event`: the WQE asks for an event even
     * if the CQ is not armed. */
    void (*completed)(void *user, bool event);
    /* Whether somebody waits for completions. Frames from outside are held back until then. */
    bool (*listens)(void *user);
    /* Sends a frame out of the port. False: nothing is connected, and the frame comes back in. */
    bool (*leaves)(void *context, const uint8_t *frame, size_t size);
    /* A frame or a peer's request waits for a receive. Programs post receives by writing to
     * doorbell records, which calls nothing here. So the owner should call dpk_queues_kick again
     * and again. */
    void (*waits)(void *context);
    /* Reports something to the user. */
    void (*warn)(void *context, const char *reason);
};

/* `ops` and `rc` must outlive it. The lock of `rc` guards it. */
enum dpk_status dpk_queues_open(const struct dpk_queue_ops *ops, void *context, struct dpk_rc *rc,
                                struct dpk_queues **out, struct dpk_error *err);
/* Destroys its queues as well. NULL is fine. */
void dpk_queues_close(struct dpk_queues *nic);

enum dpk_queue_kind {
    DPK_CQ,
    DPK_RQ,  /* Ethernet receive queue */
    DPK_RMP, /* receives that queue pairs share */
    DPK_SQ,  /* Ethernet send queue */
    DPK_QP,
};

enum dpk_qp_state { DPK_QP_RESET, DPK_QP_INIT, DPK_QP_RTR, DPK_QP_RTS, DPK_QP_ERROR = 6 };

struct dpk_queue_options {
    enum dpk_queue_kind kind;
    unsigned log_depth;         /* CQ: completions; RQ, RMP: receives; SQ, QP: blocks of 64 bytes */
    unsigned log_stride;        /* RQ, RMP: bytes of a receive; 4 to 8 */
    unsigned log_receives;      /* QP */
    bool no_sends, no_receives; /* QP */
    bool linked; /* RMP: each receive begins with a segment that has the index of the next */
    struct dpk_queue_place ring;   /* of a QP: first receives, of 16 bytes, then sends */
    struct dpk_queue_place record; /* doorbell record, 8 bytes: receives posted, sends posted; of a
                                      CQ: completions consumed. An SQ has none. */
    struct dpk_queue *send_cq;     /* SQ, QP */
    struct dpk_queue *receive_cq;  /* RQ, QP */
    struct dpk_queue *receives; /* QP: the RMP that it takes receives from; NULL: it has its own */
    bool overrun_ignore;        /* CQ: completions are written whether consumed or not */
    uint32_t user_index;        /* 24 bits, in completions of receives */
    unsigned permits;           /* QP: DPK_MEMORY_REMOTE_... */
    const struct dpk_memory_domain *domain; /* of the memory that it works on */
    void *user;                             /* CQ: for callbacks; other kinds: for the owner */
};

/* DPK_ERR_RANGE: a depth or stride that devices do not have, a ring that is no memory or not
 * aligned to 64 bytes. DPK_ERR_MISMATCH: the CQ or RMP is missing, or of another kind.
 * DPK_ERR_NOMEM. */
enum dpk_status dpk_queue_create(struct dpk_queues *nic, const struct dpk_queue_options *options,
                                 struct dpk_queue **out, struct dpk_error *err);
/* Allowed in any state. DPK_ERR_USAGE: other queues use this CQ or RMP. NULL is fine. */
enum dpk_status dpk_queue_destroy(struct dpk_queue *q, struct dpk_error *err);

/* Its number: 24 bits, never 0, and never given twice. */
uint32_t dpk_queue_number(const struct dpk_queue *q);
/* Rings the send doorbell. `posted` counts the blocks that were ever posted, and wraps. More than
 * fit into the ring put the queue into the error state. */
void dpk_queue_ring(struct dpk_queue *q, uint16_t posted);
/* The same by number, which a program gives. False: no SQ or QP has that number and that `user`. */
bool dpk_queue_ring_number(struct dpk_queues *nic, uint32_t number, const void *user,
                           uint16_t posted);
/* Tries again what waits for receives or listeners. */
void dpk_queues_kick(struct dpk_queues *nic);

/* How many completions were ever written to a CQ; wraps. */
uint32_t dpk_cq_produced(const struct dpk_queue *cq);

/* Writes a completion of no queue to a CQ: all zero but the owner bit. */
void dpk_cq_complete(struct dpk_queue *cq);

/* Puts it into the error state: what is posted is flushed, and a CQ gets no more completions. */
void dpk_queue_fail(struct dpk_queue *q);
bool dpk_queue_has_failed(struct dpk_queue *q);

struct dpk_qp_change {
    enum dpk_qp_state state;
    uint32_t remote; /* RTR: number of the peer */
    bool changes_permits;
    unsigned permits;
};
/* DPK_ERR_USAGE: the queue pair cannot change to that state from its own. RESET drops everything
 * that is posted. */
enum dpk_status dpk_qp_modify(struct dpk_queue *qp, const struct dpk_qp_change *change,
                              struct dpk_error *err);
enum dpk_qp_state dpk_qp_state(struct dpk_queue *qp);

/* ---- The port ---- */

#define DPK_MATCH_BYTES 64 /* of a frame, from its beginning on */
struct dpk_rule {
    uint8_t mask[DPK_MATCH_BYTES], value[DPK_MATCH_BYTES];
    unsigned priority; /* the lowest number comes first, then the oldest rule */
};
/* Delivers matching frames to that RQ. A frame that is shorter than the mask does not match.
 * Destroying the RQ removes its rules. 0: out of memory. */
uint64_t dpk_rule_add(struct dpk_queue *rq, const struct dpk_rule *rule);
void dpk_rule_remove(struct dpk_queues *nic, uint64_t rule);

/* A frame arrives from outside. It is held back until there is a rule, and until its receive queue
 * has a receive and somebody listens to its completions. A frame that matches no rule is dropped.
 * DPK_ERR_RANGE: it is too long, or shorter than 14 bytes. DPK_ERR_NOMEM. */
enum dpk_status dpk_frame_arrives(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                                  struct dpk_error *err);

struct dpk_port_counters {
    uint64_t sent, received; /* frames */
    uint64_t unwanted;       /* dropped, as no rule matched */
    uint64_t no_room;        /* dropped, as no receive was posted */
    uint64_t waiting;        /* held back now */
};
void dpk_port_counters(struct dpk_queues *nic, struct dpk_port_counters *out);

#endif
