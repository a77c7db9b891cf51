/* The receives of an end. Private to rc. All functions need the lock. */
#ifndef DPK_RDMA_PAIRS_RECEIVES_H
#define DPK_RDMA_PAIRS_RECEIVES_H

#include "transport.h"

/* Takes the next receive, also from an owner with a queue of its own. */
enum dpk_rc_taken pairs_receive_next(struct dpk_rc_end *end, struct dpk_rc_receive *out);
/* The memory of a receive; `one` is room for a single piece. */
struct dpk_rc_message pairs_receive_message(const struct dpk_rc_receive *r,
                                            struct dpk_rc_piece *one);
/* Delivers the completion of a receive that failed. `why`: the reason, or NULL. */
void pairs_receive_fail(const struct dpk_rc_qp *qp, const struct dpk_rc_receive *receive,
                        enum dpk_rc_status status, const struct dpk_rc_why *why);
/* Flushes the receives of an owner that has a receive queue of its own. */
void pairs_receives_flush(const struct dpk_rc_qp *qp);

#endif
