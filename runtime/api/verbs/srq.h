/* Shared receive queues. Private to verbs. */
#ifndef DPK_API_VERBS_SRQ_H
#define DPK_API_VERBS_SRQ_H

#include <sys/queue.h>

#include "async.h"
#include "receives.h"

struct qp;

/* The lock of the struct dpk_rc guards all members except `ib`. */
struct srq {
    struct ibv_srq ib; /* first: programs hold a pointer to it */
    struct dpk_rc *rc;
    unsigned generation; /* qp.h */
    struct receives receives;
    uint32_t limit;           /* with fewer receives an event is raised; 0: no event */
    TAILQ_HEAD(, qp) waiting; /* queue pairs with a message that waits for a receive */
    uint32_t users;           /* queue pairs */
    struct async_source async;
};

int verbs_srq_post_recv(struct ibv_srq *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* Takes the next receive, as verbs_receives_take does. */
bool verbs_srq_take(struct srq *s, struct receive *out, struct dpk_rc_piece *pieces);

#endif
