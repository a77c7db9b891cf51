/* The receives of an end. Private to the room. Call all functions with the lock. */
#ifndef DPK_RDMA_PAIRS_RECEIVES_H
#define DPK_RDMA_PAIRS_RECEIVES_H

#include "transport.h"

/* Takes the next receive that dpk_rc_post_receive posted. Returns false if there is no receive. */
bool pairs_receive_take(struct dpk_rc_end *end, struct dpk_rc_receive *out);
/* Takes the next receive, also from an owner with a queue of its own. */
enum dpk_rc_taken pairs_receive_next(struct dpk_rc_end *end, struct dpk_rc_receive *out);
/* The memory of a receive; `one` is room for a single piece. */
struct dpk_rc_message pairs_receive_message(const struct dpk_rc_receive *r,
                                            struct dpk_rc_piece *one);
/* Delivers the completion of a receive that failed. `why`: the reason, or NULL. */
void pairs_receive_fail(const struct dpk_rc_qp *qp, const struct dpk_rc_receive *receive,
                        enum dpk_rc_status status, const struct dpk_rc_why *why);
/* Fails the receive of a send whose other parts will not arrive. */
void pairs_receive_abort(struct dpk_rc_qp *qp);
/* Forgets that receive, without a completion. A receive for the next send stays. */
void pairs_receive_forget(struct dpk_rc_qp *qp);
/* The other parts of a send are lost: its receive is for the next send. */
void pairs_receive_keep(struct dpk_rc_qp *qp);
/* Fails all receives of an end that dpk_rc_post_receive posted. `connection`: of the completions. */
void pairs_receives_drop(struct dpk_rc_end *end, uint32_t connection);
/* Flushes the receives of an owner that has a receive queue of its own. */
void pairs_receives_flush(const struct dpk_rc_qp *qp);

#endif
