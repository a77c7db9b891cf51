/* Completion queues of the host. Private to verbs. */
#ifndef DPK_API_VERBS_CQ_H
#define DPK_API_VERBS_CQ_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "async.h"

struct dpk_rc;

/* Places of a queue that are free again when the program has taken a completion. `freed` counts the
 * freed places of the queue. NULL: the completion frees no places. */
struct cq_places {
    _Atomic uint32_t *freed;
    uint32_t count;
};

/* A completion that the program has not taken. */
struct cq_entry {
    struct ibv_wc wc; /* qp_num 0: from a DPA thread, or dropped */
    struct cq_places places;
};

struct cq {
    struct ibv_cq_ex
        ib; /* first: programs hold a pointer to it, or to the ibv_cq that it starts as */
    SLIST_ENTRY(cq) next;
    uint8_t *ring;
    __be32 *record; /* the consumer index; after the ring */
    struct cq_entry
        *entries; /* of queue pairs of the host, one for each of the ring. NULL: no queue
                                 pair has this queue */
    unsigned log_depth;
    uint32_t number;
    _Atomic uint32_t produced;
    struct dpk_rc *_Atomic rc; /* of the queue pairs, or NULL */
    uint32_t announced;        /* value of `produced` at the last event */
    uint32_t users;            /* queue pairs */
    uint32_t awaited;          /* by this number of work requests */
    uint32_t reported;         /* events that a program took */
    struct async_source async;
    enum { UNARMED, ARMED_SOLICITED, ARMED } armed;
    bool told;                  /* an event is pending that the program has not taken */
    STAILQ_ENTRY(cq) in_events; /* of the channel, while `told` */
    bool failed;
    struct ibv_wc now; /* the completion that a program reads by ibv_start_poll */
};

/* Functions that <infiniband/verbs.h> calls through a context. */
int verbs_cq_poll(struct ibv_cq *ib, int num_entries, struct ibv_wc *wc);
int verbs_cq_arm(struct ibv_cq *ib, int solicited_only);
struct ibv_cq_ex *verbs_cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
/* Sets the functions by which programs poll completions one by one. */
void verbs_cq_set_reader(struct ibv_cq_ex *ib);

/* Adds or removes a queue pair that completes to the queue. Returns false if memory is exhausted. */
bool verbs_cq_use(struct ibv_cq *ib, struct dpk_rc *rc);
void verbs_cq_leave(struct ibv_cq *ib);
/* Adds a completion. Returns false if the queue is full; the queue then fails. */
bool verbs_cq_complete(struct ibv_cq *ib, const struct ibv_wc *wc, struct cq_places places,
                       bool solicited);
/* Returns the queue with that number, valid until verbs_cq_unawait, or NULL if the opened device does not
 * have it. */
struct cq *verbs_cq_await(struct ibv_context *context, uint32_t number);
void verbs_cq_unawait(struct cq *cq);
/* Returns true if the queue has had more than `produced` completions, in 24 bits. */
bool verbs_cq_has_passed(const struct cq *cq, uint32_t produced);
/* Drops the completions of a queue pair, and frees their places. */
void verbs_cq_forget(struct ibv_cq *ib, uint32_t qp_num);

#endif
