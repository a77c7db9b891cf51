/* What the files of queues share. All functions want the lock held. */
#ifndef DPK_QUEUES_MODEL_H
#define DPK_QUEUES_MODEL_H

#include <pthread.h>
#include <sys/queue.h>

#include "port.h"
#include "wqe.h"

#define RECEIVE_MAX 256u /* bytes of a receive WQE */
#define BYTES_AT_ONCE                                                                              \
    (UINT64_C(4) << 30) /* that one doorbell may move: nobody waits longer for the lock */
#define FRAMES_MAX 65536u

/* Operations of completions (MLX5_CQE_*). */
enum cqe_opcode {
    CQE_REQUEST = 0,
    CQE_WRITE_IMMEDIATE = 1,
    CQE_SEND = 2,
    CQE_SEND_IMMEDIATE = 3,
    CQE_REQUEST_ERROR = 13,
    CQE_RESPONSE_ERROR = 14,
};

struct completion {
    enum cqe_opcode opcode;
    enum syndrome syndrome; /* of an error */
    uint16_t index;         /* of the WQE */
    uint8_t request;        /* opcode of the WQE, of a send */
    uint8_t checks;         /* of a frame: CHECKED_... */
    bool event;
    uint32_t bytes, immediate, remote;
};
enum { CHECKED_L2 = 1, CHECKED_L3 = 2 };

struct dpk_queue {
    TAILQ_ENTRY(dpk_queue) in_nic;
    struct dpk_queues *nic;
    struct dpk_queue_options options;
    uint32_t number;
    enum dpk_qp_state state; /* those that are no queue pair: RTS, or ERROR */
    unsigned users;          /* of a CQ or RMP */
    uint32_t produced;       /* CQ */
    uint16_t taken;          /* receives */
    uint16_t next;           /* of a linked RMP: where the next one is */
    uint16_t posted, done;   /* sends, in blocks */
    bool waits;              /* its next send, for a receive */
    bool first_error;        /* was told */
    uint32_t remote;
};

struct rule {
    TAILQ_ENTRY(rule) in_nic;
    uint64_t id;
    struct dpk_queue *rq;
    struct dpk_rule match;
};

struct frame {
    STAILQ_ENTRY(frame) in_nic;
    size_t size;
    uint8_t bytes[];
};

struct dpk_queues {
    pthread_mutex_t lock;
    const struct dpk_queue_ops *ops;
    void *context;
    TAILQ_HEAD(, dpk_queue) queues;
    uint32_t last_number;
    TAILQ_HEAD(, rule) rules;
    uint64_t last_rule;
    STAILQ_HEAD(, frame) frames; /* held back */
    struct dpk_port_counters counters;
    uint64_t moved; /* bytes, by the doorbell that is being served */
};

void trouble(const struct dpk_queue *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *queue_kind(const struct dpk_queue *q);

/* ---- queues.c ---- */
void queues_lock(struct dpk_queues *nic);
/* What waited may go on, before. */
void queues_unlock(struct dpk_queues *nic);

/* ---- cq.c ---- */
/* Writes a completion of `of`. False: the CQ is in the error state. */
bool cq_push(struct dpk_queue *cq, const struct dpk_queue *of, const struct completion *c);

/* ---- receive.c ---- */
struct receive {
    uint16_t index;
    uint8_t bytes[RECEIVE_MAX];
    struct pieces data;
};
/* The next receive of an RQ or queue pair, which is taken. False: there is none, or the queue has
 * just failed. */
bool rwqe_take(struct dpk_queue *q, struct receive *out);
bool rwqe_is_posted(const struct dpk_queue *q);
/* Of a receive that was taken. */
bool rwqe_complete(struct dpk_queue *q, const struct receive *r, struct completion *c);
void rwqe_flush(struct dpk_queue *q);

/* ---- memory.c ---- */
/* Whether the first `size` bytes are there for `access`. */
bool pieces_are_there(const struct dpk_queues *nic, void *domain, const struct pieces *p,
                      uint64_t size, unsigned access);
/* One end of a copy. */
struct side {
    const struct pieces *pieces;
    void *domain;
    unsigned access;
};
/* False: memory has gone meanwhile. */
bool pieces_copy(struct dpk_queues *nic, const struct side *from, const struct side *to,
                 uint64_t size);

/* ---- send.c ---- */
/* Does what is posted, as far as it can be done. */
void send_run(struct dpk_queue *q);
void send_flush(struct dpk_queue *q);
/* Error state. */
void queue_fail(struct dpk_queue *q);

/* ---- connected.c ---- */
enum answer { ANSWER_DONE, ANSWER_WAIT, ANSWER_FAILED };
enum answer connected_run(struct dpk_queue *q, const struct wqe *wqe, enum syndrome *wrong);

/* ---- port.c ---- */
enum syndrome frame_send(struct dpk_queue *sq, const struct wqe *wqe);
/* Frames that were held back and can go now. Whether the next one waits for a receive. */
bool frames_run(struct dpk_queues *nic);
void rules_forget(struct dpk_queue *rq);

#endif
