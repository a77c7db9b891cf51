/* What the files of port share. All functions need the lock, but those that say otherwise. */
#ifndef DPK_NET_QUEUES_MODEL_H
#define DPK_NET_QUEUES_MODEL_H

#include <stdatomic.h>
#include <sys/queue.h>

#include "queues.h"
#include "wqe.h"

#define RECEIVE_MAX 256u /* bytes of a receive WQE */
#define BYTES_AT_ONCE                                                                              \
    (UINT64_C(4) << 30) /* that one doorbell may move: nobody waits longer for the lock */
#define RECORD_SIZE    8u
#define NUMBERED       256u
#define FRAMES_MAX     8192u /* that wait; what comes then is dropped */
#define FRAMES_OFFERED 1024u /* that wait if they come from a wire that can keep them itself */
#define FRAME_SMALL    2048u /* bytes of most buffers */
#define LOOKED_AT      16u   /* receive queues whose frames wait that one call looks at */

/* Operations of completions (MLX5_CQE_*). */
enum cqe_opcode {
    CQE_REQUEST = 0,
    CQE_WRITE_IMMEDIATE = 1,
    CQE_SEND = 2,
    CQE_SEND_IMMEDIATE = 3,
    CQE_REQUEST_ERROR = 13,
    CQE_RESPONSE_ERROR = 14,
};

/* What is found in a frame that comes in, and said in its completion. Steering knows of the hash,
 * the tag and the metadata, facts_of of the others. */
struct frame_facts {
    uint8_t checks, headers; /* bytes 28 and 29 of the CQE */
    uint32_t hash;           /* of RSS */
    uint8_t hash_type;
    uint32_t tag, metadata; /* 24 bits of a rule; register B */
};

struct completion {
    enum cqe_opcode opcode;
    enum dpk_rc_status syndrome; /* of an error */
    uint16_t index;              /* of the WQE */
    uint8_t request;             /* opcode of the WQE, of a send */
    bool event;
    uint32_t bytes, immediate, remote;
    struct frame_facts facts; /* of a frame */
};

struct frame {
    STAILQ_ENTRY(frame) next;
    struct frame_facts facts; /* of steering */
    size_t size;
    uint8_t bytes[];
};
STAILQ_HEAD(frames, frame);

struct dpk_queue {
    TAILQ_ENTRY(dpk_queue) in_nic;
    LIST_ENTRY(dpk_queue) in_numbered;
    struct dpk_queues *nic;
    struct dpk_queue_options options;
    uint8_t *ring, *record; /* in DPA memory; NULL: elsewhere */
    uint32_t number;
    enum dpk_qp_state state;        /* queues that are no queue pairs are in RTS or ERROR */
    unsigned users;                 /* of a CQ, RMP or EQ */
    atomic_uint_least32_t produced; /* CQ, EQ; that of a CQ is read without the lock */
    uint32_t consumed;              /* EQ */
    bool armed;                     /* CQ with an EQ */
    unsigned untold; /* CQ: completions of this turn that its owner is told of at its end */
    TAILQ_ENTRY(dpk_queue) in_untold;
    uint16_t taken;        /* receives */
    uint16_t next;         /* of a linked RMP: index of the next receive */
    uint16_t posted, done; /* sends, in blocks: posted by doorbells, and read */
    bool waits;            /* QP: the next request of its peer waits for a receive */
    struct pair *pair;     /* QP */
    bool first_error;      /* the first error has had its completion */
    struct dpk_told told;  /* QP: kinds of failures (dpk_rc_kind) */
    uint32_t remote;
    unsigned leads;       /* RQ: targets of rules that are this queue; steering's lock */
    struct frames frames; /* RQ: they wait for a listener, a receive or room for completions */
    TAILQ_ENTRY(dpk_queue) in_waiting, in_cq; /* RQ: if it has such */
    TAILQ_HEAD(, dpk_queue) receivers; /* CQ: those of its RQs, in the order of nic->waiting_queues */
    uint64_t heard;                    /* RQ: the turn in which somebody listened */
    uint64_t stuck_since; /* RQ: since when frames wait for room in its CQ, in ms; 0: they do not */
    bool told_of_stuck, told_of_long;
    struct dpk_counts *counts; /* SQ, RQ */
};

struct dpk_queues {
    struct dpk_rc *rc; /* its lock guards all of this */
    const struct dpk_queue_ops *ops;
    void *context;
    /* Ends a turn: tries waiting work of at most `queues` queues, first that of `cq` (or NULL), and reports
     * completions. Set by queues.c, so that the files below need not know it. */
    void (*settle)(struct dpk_queues *nic, const struct dpk_queue *cq, unsigned queues);
    TAILQ_HEAD(, dpk_queue) queues;
    LIST_HEAD(, dpk_queue) numbered[NUMBERED]; /* by the last bits of their numbers */
    uint32_t last_number;
    struct dpk_steering *steering;
    struct frames frames;             /* from outside, before they are steered */
    struct frames spare, spare_large; /* buffers without a frame */
    TAILQ_HEAD(, dpk_queue) waiting_queues;
    atomic_uint_least64_t waiting; /* frames that are held back; */
    atomic_bool pairs_wait; /* and whether queue pairs wait: both are read without the lock */
    uint64_t turn;          /* how often queues_lock was called */
    bool in_turn;           /* queues_unlock will be */
    uint64_t now;           /* ns, in the turn; 0: nobody has asked */
    TAILQ_HEAD(, dpk_queue) untold;
    struct dpk_counters *counters;
    uint64_t moved; /* bytes that the current doorbell has moved */
    bool serves;    /* the current doorbell is that of a queue pair */
    bool left;      /* frames left since ops->left was called */
};

/* ---- turn.c ---- */
/* Reports why a queue enters the error state, and counts the error. */
void queue_warn(const struct dpk_queue *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports trouble that does not end the queue. */
void queue_tell(const struct dpk_queue *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void queue_count(const struct dpk_queue *q, enum dpk_counter counter);
const char *queue_kind(const struct dpk_queue *q);
/* Adds to a counter of the port, for frames that belong to no queue. */
void port_count(struct dpk_queues *nic, enum dpk_counter counter, uint64_t more);
void queues_lock(struct dpk_queues *nic);
/* Ends the turn: tries waiting work again, reports completions, and unlocks. */
void queues_unlock(struct dpk_queues *nic);
/* Sends a frame to the wire. Returns false if the port is connected to itself: then the frame comes back in. */
bool frame_leaves(struct dpk_queues *nic, const uint8_t *frame, size_t size);

/* ---- place.c ---- */
/* Both places of a queue were checked. */
void places_find(struct dpk_queue *q, uint64_t ring_size);
bool ring_load(const struct dpk_queue *q, uint64_t offset, void *to, size_t size);
/* Writes the CQE or EQE with that index, so that it becomes valid when all of it is there. */
bool ring_put(const struct dpk_queue *q, uint64_t index, const uint8_t entry[DPK_CQE]);
/* For rings in DPA memory: has the processor fetch the entry there, which will be written; or the
 * memory that the receive there names, if that is of the same process. With many queues each of
 * them is long unused when its next frame comes. Any bytes will do: nothing is accessed. */
void ring_prefetch(const struct dpk_queue *q, uint64_t offset);
void ring_prefetch_data(const struct dpk_queue *q, uint64_t offset);
/* The first word of the doorbell record. */
bool record_load(const struct dpk_queue *q, uint32_t *out);

/* ---- cq.c ---- */
/* Whether a completion has to wait until others are consumed. */
bool cq_is_full(const struct dpk_queue *cq);
/* Writes a completion of the queue `of`, or an empty one. False: the CQ is in the error state. */
bool cq_push(struct dpk_queue *cq, const struct dpk_queue *of, const struct completion *c);
/* Tells of the completions of this turn. */
void cqs_tell(struct dpk_queues *nic);

/* ---- eq.c ---- */
/* A completion was written to a CQ. `asked`: its WQE asks for an event even if it is not armed. */
void eq_completed(struct dpk_queue *cq, bool asked);

/* ---- receive.c ---- */
struct receive {
    uint16_t index;
    uint8_t bytes[RECEIVE_MAX];
    struct pieces data;
};
/* Takes the next receive of an RQ or queue pair. DPK_RC_NEVER: its ring or record is invalid. */
enum dpk_rc_taken rwqe_take(struct dpk_queue *q, struct receive *out);
/* Whether rwqe_take has something to say: a receive is posted, or the ring is invalid. */
bool rwqe_is_posted(const struct dpk_queue *q);
/* Completes a receive that was taken. False: the CQ is in the error state. */
bool rwqe_complete(struct dpk_queue *q, uint16_t index, struct completion *c);
void rwqe_flush(struct dpk_queue *q);

/* ---- send_ring.c ---- */
/* Reads the next WQE once. *blocks: how many blocks it has, at most those that are posted. `why`: NULL,
 * or the reason of an error. */
enum dpk_rc_status send_load(const struct dpk_queue *q, uint8_t bytes[WQE_MAX + DPK_WQEBB],
                             struct control *control, uint16_t *blocks, struct why *why);
/* Tells that this WQE ends its queue. */
void send_tell(const struct dpk_queue *q, const struct control *control, const struct why *why);
/* Completes a send, if it asks for a completion or has failed. False: the CQ is in the error
 * state. */
bool send_complete(struct dpk_queue *q, const struct control *control, enum dpk_rc_status wrong,
                   uint64_t bytes);
/* Whether the current doorbell has moved more than BYTES_AT_ONCE; warns if so. */
bool moved_too_much(struct dpk_queue *q);

/* ---- send.c ---- */
/* Carries out posted WQEs as far as possible now. */
void send_run(struct dpk_queue *q);

/* ---- fail.c ---- */
/* Completes all posted WQEs of a send queue as flushed. */
void send_flush(struct dpk_queue *q);
/* Puts a queue into the error state. */
void queue_fail(struct dpk_queue *q);

/* ---- connected.c ---- */
/* Creates the queue pair of rc, which has the number. */
enum dpk_status pair_create(struct dpk_queue *q, struct dpk_error *err);
void pair_destroy(struct dpk_queue *q);
/* Without the lock. */
enum dpk_status pair_connect(const struct dpk_queue *q, uint32_t remote, struct dpk_error *err);
void pair_permit(struct dpk_queue *q);
void pair_run(struct dpk_queue *q);
/* Carries out requests that wait for receives, as far as there are receives. */
void pair_resume(struct dpk_queue *q);
void pair_fail(struct dpk_queue *q);
void pair_reset(struct dpk_queue *q);

/* ---- steering.c ---- */
void steering_attach(struct dpk_steering *s, struct dpk_queues *nic);
/* Whether the root table of RX has rules, and one leads to a receive queue to which somebody
 * listens. */
bool steering_is_heard(struct dpk_steering *s);
void steering_forget(struct dpk_steering *s, const struct dpk_queue *rq);

/* ---- walk.c ---- */
/* How a frame comes to the tables. */
struct passage {
    bool sent;         /* by the device; else it comes from the wire */
    uint32_t metadata; /* of the WQE, for register A */
    bool held;         /* it waits until somebody listens */
};
/* Everything that becomes of a frame; counts drops and copies. */
void steering_pass(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                   const struct passage *passage);

/* ---- facts.c ---- */
/* Adds what the frame itself says to what steering says. */
struct frame_facts facts_of(const uint8_t *frame, size_t size, const struct frame_facts *steering);
/* Whether a checksum of the frame is wrong. */
bool facts_are_wrong(const struct frame_facts *f);

/* ---- port.c ---- */
enum dpk_rc_status frame_send(struct dpk_queue *sq, const struct wqe *wqe, struct why *why);
/* `facts`: what steering says of it. */
void frame_received(struct dpk_queue *rq, const uint8_t *frame, size_t size,
                    const struct frame_facts *facts, const struct passage *passage);
/* Delivers frames that wait, of at most so many receive queues. Returns whether one may still wait
 * for a receive or for room. */
bool frames_run(struct dpk_queues *nic, unsigned queues);
/* Lets frames whose completions `cq` gets be the first ones. */
void frames_run_first(struct dpk_queues *nic, const struct dpk_queue *cq);
/* Drops those that wait for a receive queue. */
void frames_forget(struct dpk_queue *rq);
/* Frees all buffers, of queues that have forgotten theirs. */
void frames_free(struct dpk_queues *nic);

#endif
