/* Queues of receives: of a queue pair, or shared by several. Private to verbs. */
#ifndef DPK_API_VERBS_RECEIVES_H
#define DPK_API_VERBS_RECEIVES_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "rdma/pairs/pairs.h"

struct receives {
    struct receive {
        uint64_t wr_id;
        unsigned count; /* pieces */
    } * ring;
    struct dpk_rc_piece *pieces; /* `sges` for each entry of the ring */
    uint32_t size, sges;         /* the size is a power of two, or 0 */
    uint32_t most;               /* the most receives that may be posted at once */
    uint32_t posted, taken;      /* counters, which wrap */
    _Atomic uint32_t freed;      /* receives whose completions were polled */
};

/* Allocates room for at least `receives` receives of at most `sges` pieces. Returns false if memory is
 * exhausted. */
bool verbs_receives_new(struct receives *r, uint32_t receives, uint32_t sges);
void verbs_receives_free(struct receives *r);
/* Returns true if the queue is full with receives that are posted, or completed and not polled. */
bool verbs_receives_are_full(const struct receives *r);
/* Posts a receive. Returns 0 or an errno: ENOMEM if the queue is full. */
int verbs_receives_post(struct receives *r, const struct ibv_recv_wr *wr);
/* Drops all posted receives. */
void verbs_receives_drop(struct receives *r);
/* Takes the next receive. Its pieces are copied to `pieces`, which has room for r->sges. Returns false
 * if there is no receive. */
bool verbs_receives_take(struct receives *r, struct receive *out, struct dpk_rc_piece *pieces);

static inline uint32_t receives_left(const struct receives *r)
{
    return r->posted - r->taken;
}

/* Returns the piece that an element of a work request names. */
static inline struct dpk_rc_piece piece_of(const struct ibv_sge *sge)
{
    return (struct dpk_rc_piece){
        .memory = {.key = sge->lkey, .address = sge->addr, .size = sge->length}};
}

#endif
