/* The works that are posted on a queue pair. Private to the room. */
#ifndef DPK_RDMA_PAIRS_WORKS_H
#define DPK_RDMA_PAIRS_WORKS_H

#include "transport.h"

/* The local memory of a work; `one` is room for a single piece. */
static inline struct dpk_rc_message work_message(const struct dpk_rc_work *w,
                                                 struct dpk_rc_piece *one)
{
    if (w->count > 0)
        return (struct dpk_rc_message){w->pieces, w->count};
    *one = (struct dpk_rc_piece){.memory = w->local};
    return (struct dpk_rc_message){one, 1};
}

static inline uint64_t work_size(const struct dpk_rc_work *w)
{
    struct dpk_rc_piece one;
    const struct dpk_rc_message m = work_message(w, &one);
    return dpk_rc_message_size(&m);
}

/* Bytes that a work transfers between the two ends, in parts. */
static inline uint64_t work_bytes(const struct dpk_rc_work *w)
{
    return w->opcode <= DPK_RC_READ ? work_size(w) : 0;
}

static inline struct dpk_rc_work *work_at(const struct dpk_rc_qp *qp, uint32_t index)
{
    return &qp->ring[index % qp->ring_size];
}

/* Delivers the completion of a work. Returns false if the owner has no room for it. */
bool pairs_work_complete(struct dpk_rc_qp *qp, uint32_t index, enum dpk_rc_status status);

#endif
