/*
 * queues: work and completion queues as the NIC of the device sees them: rings of work queue
 * elements (WQEs) and completions (CQEs), big endian, laid out as ConnectX devices have them.
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
 * Rings and doorbell records belong to programs, which write to them whenever they like: a WQE is
 * read once, then checked; nothing of it is believed. What is wrong with one ends in a CQE with a
 * syndrome and the error state, in which everything that is posted is flushed, never anywhere else.
 *
 * Ethernet send queues send frames, which a steering rule takes to a receive queue or which leave
 * the port. Queue pairs are reliable connected (rc.h), with another one of the same struct dpk_rc.
 * Everything that a doorbell allows is done before dpk_queue_ring returns, but for sends that
 * wait for a receive: these go on with any later call, which `waits` of the callbacks asks for.
 *
 * All functions may be called from any thread; the lock of struct dpk_rc guards all of it.
 * Callbacks run with it and must not call back.
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

/* Where a ring or a doorbell record lies: `memory` is whatever the owner wants it to be. */
struct dpk_queue_place {
    void *memory;
    uint64_t address;
};

struct dpk_queue_ops {
    /* Rings and records. False: there is no such memory (any more). Records (4 bytes) and what
     * makes a completion valid (8 bytes, stored last) go in one piece if they are aligned. */
    bool (*load)(void *memory, uint64_t address, void *to, size_t size);
    bool (*store)(void *memory, uint64_t address, const void *from, size_t size);
    /* A completion is in the ring. `user`: that of the CQ. `event`: the WQE wants an event, armed
     * or not. */
    void (*completed)(void *user, bool event);
    /* Whether somebody waits for completions: held-back frames wait until then. */
    bool (*listens)(void *user);
    /* A frame that leaves the port. False: nobody is there, it comes back. */
    bool (*leaves)(void *context, const uint8_t *frame, size_t size);
    /* A frame or a peer's request waits for a receive. Whoever posts it may say so
     * (dpk_queues_kick), but programs write to doorbell records without a word: somebody should
     * look again. */
    void (*waits)(void *context);
    /* Something that a person should hear of. */
    void (*warn)(void *context, const char *reason);
};

/* `ops` and `rc` must stay; that has the queue pairs, and its lock guards all. */
enum dpk_status dpk_queues_open(const struct dpk_queue_ops *ops, void *context, struct dpk_rc *rc,
                                struct dpk_queues **out, struct dpk_error *err);
/* With what is left of its queues. NULL is fine. */
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
    bool linked;                /* RMP: each receive begins with a segment that names the next */
    struct dpk_queue_place ring;   /* of a QP: first receives, of 16 bytes, then sends */
    struct dpk_queue_place record; /* doorbell record, 8 bytes: receives posted, sends posted; of a
                                      CQ: completions consumed. An SQ has none. */
    struct dpk_queue *send_cq;     /* SQ, QP */
    struct dpk_queue *receive_cq;  /* RQ, QP */
    struct dpk_queue *receives;    /* QP: an RMP in place of its own, or NULL */
    bool overrun_ignore;           /* CQ: the record is not looked at */
    uint32_t user_index;           /* 24 bits, in completions of receives */
    unsigned permits;              /* QP: DPK_MEMORY_REMOTE_... */
    const struct dpk_memory_domain *domain; /* of the memory that it works on */
    void *user;                             /* CQ: for callbacks. Others: the owner's */
};

/* DPK_ERR_RANGE: a depth or stride that devices do not have, a ring that is no memory or not
 * aligned to 64 bytes. DPK_ERR_MISMATCH: a CQ that is none. DPK_ERR_NOMEM. */
enum dpk_status dpk_queue_create(struct dpk_queues *nic, const struct dpk_queue_options *options,
                                 struct dpk_queue **out, struct dpk_error *err);
/* In any state. DPK_ERR_USAGE: a CQ or RMP that other queues use. NULL is fine. */
enum dpk_status dpk_queue_destroy(struct dpk_queue *q, struct dpk_error *err);

/* 24 bits, never 0; not given twice. */
uint32_t dpk_queue_number(const struct dpk_queue *q);
/* A send doorbell: 16 bits, blocks that were ever posted. One beyond the ring is an error of the
 * queue. */
void dpk_queue_ring(struct dpk_queue *q, uint16_t posted);
/* The same by number, for programs: looked up under the lock. False: no SQ or QP of that owner. */
bool dpk_queue_ring_number(struct dpk_queues *nic, uint32_t number, const void *user,
                           uint16_t posted);
/* Receives may have been posted, listeners may have come: what waited goes on. */
void dpk_queues_kick(struct dpk_queues *nic);

/* Completions ever written to a CQ, wrapping. */
uint32_t dpk_cq_produced(const struct dpk_queue *cq);

/* Error state: what is posted is flushed. Of a CQ: it gets no more completions. */
void dpk_queue_fail(struct dpk_queue *q);
bool dpk_queue_has_failed(struct dpk_queue *q);

struct dpk_qp_change {
    enum dpk_qp_state state;
    uint32_t remote; /* RTR: number of the peer */
    bool changes_permits;
    unsigned permits;
};
/* DPK_ERR_USAGE: not from that state. To RESET it forgets everything that was posted. */
enum dpk_status dpk_qp_modify(struct dpk_queue *qp, const struct dpk_qp_change *change,
                              struct dpk_error *err);
enum dpk_qp_state dpk_qp_state(struct dpk_queue *qp);

/* ---- The port ---- */

#define DPK_MATCH_BYTES 64 /* of a frame, from its beginning on */
struct dpk_rule {
    uint8_t mask[DPK_MATCH_BYTES], value[DPK_MATCH_BYTES];
    unsigned priority; /* lower ones first, among equals the older one */
};
/* Frames that match go to that RQ; a frame that is shorter than what the mask asks for does not.
 * Gone with the RQ at the latest. 0: out of memory. */
uint64_t dpk_rule_add(struct dpk_queue *rq, const struct dpk_rule *rule);
void dpk_rule_remove(struct dpk_queues *nic, uint64_t rule);

/* A frame from outside. It is held back until there is a rule, and until its receive queue has room
 * and listens; one that no rule wants is lost then. DPK_ERR_RANGE: too long, or under 14 bytes. */
enum dpk_status dpk_frame_arrives(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                                  struct dpk_error *err);

struct dpk_port_counters {
    uint64_t sent, received; /* frames */
    uint64_t unwanted;       /* no rule */
    uint64_t no_room;        /* came from a send queue when no receive was posted */
    uint64_t waiting;        /* held back now */
};
void dpk_port_counters(struct dpk_queues *nic, struct dpk_port_counters *out);

#endif
