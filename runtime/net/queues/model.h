/* Declarations that the files of this room share. Call all functions with the lock, except where a
 * comment says otherwise. */
#ifndef DPK_NET_QUEUES_MODEL_H
#define DPK_NET_QUEUES_MODEL_H

#include <stdatomic.h>
#include <sys/queue.h>

#include "queues.h"
#include "wqe.h"

#define RECEIVE_MAX 256u /* bytes of a receive WQE */
#define BYTES_AT_ONCE                                                                              \
    (UINT64_C(4) << 30) /* bytes that one doorbell moves at most: bounds the time of the lock */
#define RECORD_SIZE    8u
#define NUMBERED       256u
#define FRAMES_MAX     8192u /* largest number of waiting frames; further frames are dropped */
#define FRAMES_OFFERED 1024u /* as FRAMES_MAX, for frames of a wire that can keep them itself */
#define FRAME_SMALL    2048u /* bytes of a small buffer */
#define LOOKED_AT      16u   /* receive queues with waiting frames that one call checks */

/* Operations of completions (MLX5_CQE_*). */
enum cqe_opcode {
    CQE_REQUEST = 0,
    CQE_WRITE_IMMEDIATE = 1,
    CQE_SEND = 2,
    CQE_SEND_IMMEDIATE = 3,
    CQE_REQUEST_ERROR = 13,
    CQE_RESPONSE_ERROR = 14,
};

/* Properties of a received frame, for its completion. Steering fills in the hash, the tag and the
 * metadata, queues_facts_of the others. */
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
    enum dpk_qp_state state;        /* RTS or ERROR if the queue is not a queue pair */
    unsigned users;                 /* of a CQ, RMP or EQ */
    atomic_uint_least32_t produced; /* CQ, EQ; a CQ's is read without the lock */
    uint32_t consumed;              /* EQ */
    bool armed;                     /* CQ with an EQ */
    unsigned untold; /* CQ: completions of this turn, reported to its owner at the end of the
                        turn */
    TAILQ_ENTRY(dpk_queue) in_untold;
    uint16_t taken;        /* receives */
    uint16_t next;         /* of a linked RMP: index of the next receive */
    uint16_t posted, done; /* sends, in blocks: posted by doorbells, and read */
    uint64_t due;          /* SQ: the time for which the next send waits; 0: none */
    bool waits;            /* QP: the next request of its peer waits for a receive */
    bool awaits;           /* QP: its next send waits for completions */
    LIST_ENTRY(dpk_queue) in_awaiting;
    struct pair *pair;    /* QP */
    bool first_error;     /* the first error has had its completion */
    struct dpk_told told; /* QP: kinds of failures (dpk_rc_kind) */
    uint32_t remote;
    unsigned leads; /* RQ: number of targets of rules that are this queue; under steering's
                             lock */
    struct frames
        frames; /* RQ: frames that wait for a listener, a receive or room for completions */
    TAILQ_ENTRY(dpk_queue) in_waiting, in_cq; /* RQ: if it has waiting frames */
    TAILQ_HEAD(, dpk_queue)
    receivers;            /* CQ: its RQs that wait, in the order of nic->waiting_queues */
    uint64_t heard;       /* RQ: the turn in which a listener was seen */
    uint64_t stuck_since; /* RQ: time in ms since which frames wait for room in its CQ; 0: no frame
                             waits */
    bool told_of_stuck, told_of_long;
    struct dpk_counts *counts; /* SQ, RQ */
};

struct dpk_queues {
    struct dpk_rc *rc; /* its lock guards this struct */
    const struct dpk_queue_ops *ops;
    void *context;
    /* Ends a turn: tries waiting work of at most `queues` queues, first that of `cq` (or NULL), and reports
     * completions. Set by queues.c, so that the files below need not know it. */
    void (*settle)(struct dpk_queues *nic, const struct dpk_queue *cq, unsigned queues);
    /* queues_pairs_look, after each completion. Set in the same way. */
    void (*look)(struct dpk_queues *nic);
    TAILQ_HEAD(, dpk_queue) queues;
    LIST_HEAD(, dpk_queue) numbered[NUMBERED]; /* by the last bits of the queue's number */
    uint32_t last_number;
    struct dpk_steering *steering;
    struct frames frames;             /* frames from outside that are not steered yet */
    struct frames spare, spare_large; /* buffers without a frame */
    TAILQ_HEAD(, dpk_queue) waiting_queues;
    atomic_uint_least64_t waiting;   /* number of frames that are held back; */
    atomic_bool pairs_wait;          /* queue pairs wait; both are read without the lock */
    LIST_HEAD(, dpk_queue) awaiting; /* queue pairs whose next send waits for completions */
    uint64_t turn;                   /* number of calls of queues_lock */
    bool in_turn;                    /* queues_unlock will be */
    uint64_t now;                    /* time in ns, in the turn; 0: not read yet */
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
void queues_port_count(struct dpk_queues *nic, enum dpk_counter counter, uint64_t more);
void queues_lock(struct dpk_queues *nic);
/* Ends the turn: tries waiting work again, reports completions, and unlocks. */
void queues_unlock(struct dpk_queues *nic);
/* Sends a frame to the wire. Returns false if the port is connected to itself: then the frame comes
 * back. */
bool queues_frame_leaves(struct dpk_queues *nic, const uint8_t *frame, size_t size);

/* ---- place.c ---- */
/* Finds the host addresses of both places of a queue. Call this after both places were checked. */
void queues_places_find(struct dpk_queue *q, uint64_t ring_size);
bool queues_ring_load(const struct dpk_queue *q, uint64_t offset, void *to, size_t size);
/* Writes the CQE or EQE with that index. The entry becomes valid last. */
bool queues_ring_put(const struct dpk_queue *q, uint64_t index, const uint8_t entry[DPK_CQE]);
/* For rings in DPA memory: prefetch the entry at an offset for writing, or the memory that the receive
 * there names, if it is of the same process. With many queues, the memory of a queue has left the
 * caches when its next frame arrives. Any bytes are allowed: a prefetch cannot fault. */
void queues_ring_prefetch(const struct dpk_queue *q, uint64_t offset);
void queues_ring_prefetch_data(const struct dpk_queue *q, uint64_t offset);
/* Reads the first word of the doorbell record. */
bool queues_record_load(const struct dpk_queue *q, uint32_t *out);

/* ---- cq.c ---- */
/* Returns true if a completion has to wait until others are consumed. */
bool queues_cq_is_full(const struct dpk_queue *cq);
/* Writes a completion of the queue `of`, or an empty completion. Returns false if the CQ is in the
 * error state. */
bool queues_cq_push(struct dpk_queue *cq, const struct dpk_queue *of, const struct completion *c);
/* Reports the completions of this turn. */
void queues_cqs_tell(struct dpk_queues *nic);

/* ---- eq.c ---- */
/* Call this after a completion was written to a CQ. `asked`: the WQE requests an event even if the CQ
 * is not armed. */
void queues_eq_completed(struct dpk_queue *cq, bool asked);

/* ---- receive.c ---- */
struct receive {
    uint16_t index;
    uint8_t bytes[RECEIVE_MAX];
    struct pieces data;
};
/* Takes the next receive of an RQ or queue pair. Returns DPK_RC_NEVER if the ring or record is
 * invalid. */
enum dpk_rc_taken queues_rwqe_take(struct dpk_queue *q, struct receive *out);
/* Returns true if queues_rwqe_take has a result: a receive is posted, or the ring is invalid. */
bool queues_rwqe_is_posted(const struct dpk_queue *q);
/* Completes a receive that was taken. Returns false if the CQ is in the error state. */
bool queues_rwqe_complete(struct dpk_queue *q, uint16_t index, struct completion *c);
void queues_rwqe_flush(struct dpk_queue *q);

/* ---- send_ring.c ---- */
/* Reads the next WQE once. *blocks receives its number of blocks, at most the number of posted blocks.
 * `why`: NULL, or the reason of an error. */
enum dpk_rc_status queues_send_load(const struct dpk_queue *q, uint8_t bytes[WQE_MAX + DPK_WQEBB],
                                    struct control *control, uint16_t *blocks, struct why *why);
/* Reports that this WQE ends its queue. */
void queues_send_tell(const struct dpk_queue *q, const struct control *control,
                      const struct why *why);
/* Completes a send if it requests a completion or has failed. Returns false if the CQ is in the error
 * state. */
bool queues_send_complete(struct dpk_queue *q, const struct control *control,
                          enum dpk_rc_status wrong, uint64_t bytes);
/* Returns true, and warns, if the current doorbell has moved more than BYTES_AT_ONCE. */
bool queues_moved_too_much(struct dpk_queue *q);

/* ---- send.c ---- */
/* Executes posted WQEs as far as possible now. */
void queues_send_run(struct dpk_queue *q);

/* ---- fail.c ---- */
/* Completes all posted WQEs of a send queue as flushed. */
void queues_send_flush(struct dpk_queue *q);
/* Puts a queue into the error state. */
void queue_fail(struct dpk_queue *q);

/* ---- connected.c ---- */
/* Creates the queue pair of rc; its number becomes the queue's number. */
enum dpk_status queues_pair_create(struct dpk_queue *q, struct dpk_error *err);
void queues_pair_destroy(struct dpk_queue *q);
/* Call this without the lock. */
enum dpk_status queues_pair_connect(const struct dpk_queue *q, const struct dpk_qp_change *to,
                                    struct dpk_error *err);
/* Lets other machines connect to the queue pair, if its device has a fabric. Call this without the lock. */
void queues_pair_expose(const struct dpk_queue *q);
void queues_pair_permit(struct dpk_queue *q);
void queues_pair_run(struct dpk_queue *q);
/* Lets queue pairs look again at the completions that their sends wait for. */
void queues_pairs_look(struct dpk_queues *nic);
/* Executes requests that wait for receives, while receives are available. */
void queues_pair_resume(struct dpk_queue *q);
void queues_pair_fail(struct dpk_queue *q);
void queues_pair_reset(struct dpk_queue *q);

/* ---- steering.c ---- */
void queues_steering_attach(struct dpk_steering *s, struct dpk_queues *nic);
/* Returns true if a rule of the root table of RX leads to a receive queue with a listener. */
bool queues_steering_is_heard(struct dpk_steering *s);
void queues_steering_forget(struct dpk_steering *s, const struct dpk_queue *rq);

/* ---- walk.c ---- */
/* The origin of a frame on its way through the tables. */
struct passage {
    bool sent;         /* the device sends it; else it arrives from the wire */
    uint32_t metadata; /* of the WQE, for register A */
    bool held;         /* it waits for a listener */
};
/* Passes a frame through the tables and delivers it. Counts drops and copies. */
void queues_steering_pass(struct dpk_queues *nic, const uint8_t *frame, size_t size,
                          const struct passage *passage);

/* ---- facts.c ---- */
/* Returns the properties of the frame itself together with those from steering. */
struct frame_facts queues_facts_of(const uint8_t *frame, size_t size,
                                   const struct frame_facts *steering);
/* Returns true if a checksum of the frame is wrong. */
bool queues_facts_are_wrong(const struct frame_facts *f);

/* ---- port.c ---- */
enum dpk_rc_status queues_frame_send(struct dpk_queue *sq, const struct wqe *wqe, struct why *why);
/* `facts`: the properties from steering. */
void queues_frame_received(struct dpk_queue *rq, const uint8_t *frame, size_t size,
                           const struct frame_facts *facts, const struct passage *passage);
/* Delivers waiting frames of at most `queues` receive queues. Returns true if a frame may still wait
 * for a receive or for room. */
bool queues_frames_run(struct dpk_queues *nic, unsigned queues);
/* Puts receive queues with completions in `cq` first. */
void queues_frames_run_first(struct dpk_queues *nic, const struct dpk_queue *cq);
/* Drops the frames that wait for a receive queue. */
void queues_frames_forget(struct dpk_queue *rq);
/* Frees all buffers. Call queues_frames_forget for all queues before. */
void queues_frames_free(struct dpk_queues *nic);

#endif
