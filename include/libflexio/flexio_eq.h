/*
 * Event queues of a DPA process, which DPA threads poll. An event (struct flexio_dev_eqe) names a
 * completion queue that has completions.
 *
 *     struct flexio_eq_attr eq_attr = {.log_eq_ring_depth = 5};
 *     flexio_eq_create(process, NULL, &eq_attr, &eq);
 *     cq_attr.element_type = FLEXIO_CQ_ELEMENT_TYPE_EXT_EQ;
 *     cq_attr.emulated_eqn = flexio_eq_get_hw_eq(eq)->eq_num;
 *     flexio_cq_create(process, NULL, &cq_attr, &cq);      // and the thread is told eq_ring_addr
 *
 *     while (flexio_dev_eqe_get_owner(&ring[ci % depth]) == (ci / depth + 1) % 2)      // on the DPA
 *         ;
 *     cqn = flexio_dev_eqe_get_cqn(&ring[ci % depth]);
 *     flexio_dev_eq_update_ci(++ci, eq_num);
 *
 * The functions are libflexio's, but NVIDIA's headers do not declare them: programs declare them and
 * struct flexio_eq_attr themselves (libsnap's snap_dpa.h), and then do not include this header.
 */
#ifndef LIBFLEXIO_FLEXIO_EQ_H
#define LIBFLEXIO_FLEXIO_EQ_H

#include "flexio.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLEXIO_EQ_LOG_DEPTH_MAX 22u

struct flexio_eq_attr {
    uint8_t log_eq_ring_depth; /* events, at most FLEXIO_EQ_LOG_DEPTH_MAX */
    uint32_t uar_id;           /* as in struct flexio_cq_attr */
};

/*
 * Creates an event queue, with its ring in memory of the process. All entries have the owner bit 1, and
 * the n-th event has bit log_eq_ring_depth of n.
 *   ibv_ctx  [in]   NULL, or the process's device
 *   eq       [out]  free it with flexio_eq_destroy; NULL on failure
 * FAILED: memory is exhausted, or the UAR does not exist. If the thread does not report consumed events
 * and the queue is full, the next event and all later events of the queue are lost. A warning on stderr
 * reports this once. Completion queues are not affected.
 */
flexio_status flexio_eq_create(struct flexio_process *process, struct ibv_context *ibv_ctx,
                               struct flexio_eq_attr *attr, struct flexio_eq **eq);
/* FAILED: completion queues use it. NULL is ignored. */
flexio_status flexio_eq_destroy(struct flexio_eq *eq);
/* Lives as long as the queue. NULL for NULL. */
struct flexio_hw_eq *flexio_eq_get_hw_eq(struct flexio_eq *eq);

#ifdef __cplusplus
}
#endif

#endif
