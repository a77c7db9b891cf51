/*
 * Queue pairs of the host: a front end of rc. Private to verbs.
 *
 * The lock of the struct dpk_rc guards the variable state of a queue pair. rc asks for the next work
 * (send.c) and for the next receive (qp.c), and reports their results.
 */
#ifndef DPK_API_VERBS_QP_H
#define DPK_API_VERBS_QP_H

#include "async.h"
#include "context.h"
#include "receives.h"

#define QP_WR_MAX     32768
#define QP_SGE_MAX    30
#define QP_INLINE_MAX 1024u
/* Inline bytes of a card's smallest work request with one piece. Programs that request no inline data
 * use it, for example rdma_xclient. */
#define QP_INLINE_MIN  60u
#define QP_READS_MAX   16
#define QP_MESSAGE_MAX (1u << 30)
#define QP_MTU         1024u /* of datagrams */

/* A work request of the send queue. */
struct send {
    uint64_t wr_id;
    unsigned flags; /* enum ibv_send_flags */
    enum ibv_wc_opcode opcode;
    bool reads;        /* later work requests with a fence wait for it */
    struct cq *awaits; /* the queue that it waits for, until it has had more completions than
                          `until`; or NULL */
    uint32_t until;
    const struct ah *to;   /* of a datagram */
    struct ibv_grh header; /* the header for the receiver */
    struct dpk_rc_work work;
};

struct sends {
    struct send *ring;
    struct dpk_rc_piece *pieces;  /* `sges` + 1 (for a header) for each entry of the ring */
    uint8_t *inlined;             /* cap.max_inline_data bytes for each entry */
    uint32_t size, sges;          /* the size is a power of two, or 0 */
    uint32_t posted, taken, done; /* counters, which wrap */
    _Atomic uint32_t freed;       /* places freed by polled completions */
    uint32_t silent;              /* work requests done since the last with a completion */
    uint32_t reads;               /* taken reads that are not done */
    /* Work requests that a program describes between ibv_wr_start and ibv_wr_complete. */
    uint32_t begun;
    int wrong; /* an errno; 0 if all are good */
};

struct qp {
    struct ibv_qp_ex
        ib; /* first: programs hold a pointer to it, or to the ibv_qp that it starts as */
    LIST_ENTRY(qp) in_context;
    TAILQ_ENTRY(qp) in_srq;
    struct dpk_rc *rc;
    struct dpk_rc_end *end;
    struct dpk_rc_qp *pair;
    unsigned generation; /* of the process; differs in a child of fork() */
    bool signals_all;
    bool has_work_requests; /* it has the functions of struct ibv_qp_ex */
    bool waits;             /* it is in the list of its shared receive queue */
    bool awaits;            /* it is in the list of send.c */
    LIST_ENTRY(qp) in_awaiting;
    enum ibv_qp_state state; /* with the lock; `ib` has the state that was last reported to the
                                program */
    struct ibv_qp_cap cap;
    struct ibv_qp_attr attr; /* the attributes that were set */
    struct sends sends;
    struct receives receives;    /* its own receives; empty with a shared receive queue */
    struct receive receive;      /* the last taken receive */
    struct dpk_rc_piece *pieces; /* pieces of `receive` */
    struct async_source async;
    struct dpk_told told; /* kinds of failures (dpk_rc_kind) */
};

static inline bool qp_is_ud(const struct qp *qp)
{
    return qp->ib.qp_base.qp_type == IBV_QPT_UD;
}

/* ---- Functions that <infiniband/verbs.h> calls through a context ---- */
struct ibv_qp *verbs_qp_create_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
int verbs_qp_post_send(struct ibv_qp *ib, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int verbs_qp_post_recv(struct ibv_qp *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/* ---- fork.c ---- */
/* Counts forks: an object belongs to the process that made it. */
unsigned verbs_qp_generation(void);
/* Returns the struct dpk_rc of an opened device. Returns NULL and sets errno if it cannot be made. */
struct dpk_rc *verbs_context_rc(struct context *c);
/* Returns the struct dpk_rc if it exists already, or NULL. */
struct dpk_rc *verbs_context_known_rc(struct context *c);

/* ---- reports.c ---- */
/* The completion of a work request: its number, its status and the queue pair. */
struct ibv_wc verbs_wc_of(const struct qp *qp, uint64_t wr_id, enum dpk_rc_status status);
/* Raises an asynchronous event of the queue pair. */
void verbs_qp_raise(struct qp *qp, enum ibv_event_type type);
/* Reports on stderr why a work request failed, or why the queue pair refused its peer: once for each kind
 * of failure. `why`: NULL if the reason was reported before. */
void verbs_qp_tell(struct qp *qp, const char *what, enum dpk_rc_status status,
                   const struct dpk_rc_why *why);
/* ---- qp.c ---- */
/* Destroys the queue pairs that the program left, as the kernel does when a device is closed. */
void verbs_qps_abandon(struct context *c);
/* Drops all posted work requests, and completions that were not polled. */
void verbs_qp_drop(struct qp *qp);

/* ---- send.c: with the lock ---- */
bool verbs_sends_new(struct sends *s, uint32_t sends, uint32_t sges, uint32_t inlined);
void verbs_sends_free(struct sends *s);
/* Returns the next entry, which is empty except its flags, or NULL if the queue is full. verbs_sends_commit
 * posts the entries. */
struct send *verbs_send_begin(struct qp *qp);
/* These return an errno. */
int verbs_send_set_operation(const struct qp *qp, struct send *s, enum ibv_wr_opcode opcode);
/* Sets the target of a datagram. */
int verbs_send_set_target(const struct qp *qp, struct send *s, const struct ibv_ah *ah,
                          uint32_t number, uint32_t qkey);
int verbs_send_set_pieces(struct qp *qp, struct send *s, const struct ibv_sge *list, size_t count);
int verbs_send_set_inline(struct qp *qp, struct send *s, const struct ibv_data_buf *list,
                          size_t count);
void verbs_sends_commit(struct qp *qp);
/* Retries work requests that wait for completions. */
void verbs_sends_wake(void);
/* Releases the objects of work requests that have not ended. */
void verbs_sends_drop(struct qp *qp);
/* Functions of struct dpk_rc_ops. */
bool verbs_send_next(void *context, struct dpk_rc_work *out);
bool verbs_send_done(struct qp *qp, const struct dpk_rc_completion *c);
bool verbs_send_is_allowed(const struct qp *qp);

/* ---- wr.c ---- */
void verbs_qp_set_work_requests(struct ibv_qp_ex *ib);

#endif
