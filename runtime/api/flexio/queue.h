/* Declarations that the kinds of queues share. Private to libflexio. */
#ifndef DPK_API_FLEXIO_QUEUE_H
#define DPK_API_FLEXIO_QUEUE_H

#include "api/nic/nic.h"
#include "private.h"

/* The location of a ring or record; struct dpk_queue_place refers to it. */
struct queue_memory {
    struct dpk_nic_memory ops; /* first */
    struct flexio_process *process;
    bool host;
    uint32_t umem;
};

struct flexio_queue {
    struct dpk_nic_listener listener; /* first */
    struct flexio_queue *next;        /* in the list of the process */
    struct flexio_queue *next_numbered;
    struct flexio_process *process;
    struct dpk_queue *q;
    enum dpk_queue_kind kind;
    uint32_t uar; /* libflexio_uar_page */
    struct queue_memory ring, record;
    struct dpk_trigger *trigger; /* of a CQ that has a thread */
    uint32_t signalled;          /* completions, to the trigger */
    bool always_armed;
    void *
        shown; /* struct flexio_hw_eq, or FlexIO 2.2's flexio_hw_cq or flexio_hw_sq; freed with it */
};

/* Checks the device (NULL: that of the process) and the UAR of a new queue, and makes the device's
 * NIC. Returns false, after a report for `call`, if either is wrong. */
bool libflexio_queue_prepare(const char *call, struct flexio_process *process,
                             struct ibv_context *ibv_ctx, uint32_t uar);
struct dpk_queue_place libflexio_queue_place(struct queue_memory *out,
                                             struct flexio_process *process,
                                             const struct flexio_qmem *from);
/* Returns the CQ, RMP or EQ with that number, or NULL. */
struct flexio_queue *libflexio_queue_of_process(struct flexio_process *p, uint32_t number,
                                                enum dpk_queue_kind kind);
/* Adds `queue`, of calloc, to the process, with the UAR of that number. Frees it on failure. */
flexio_status libflexio_queue_add(const char *call, struct flexio_queue *queue, uint32_t uar,
                                  const struct dpk_queue_options *options);
/* Destroys and frees a queue. */
flexio_status libflexio_queue_remove(const char *call, struct flexio_queue *queue);
uint32_t libflexio_queue_number(const struct flexio_queue *queue);
struct flexio_queue *libflexio_queue_of_cq(struct flexio_cq *cq);
struct flexio_queue *libflexio_queue_of_sq(struct flexio_sq *sq);

/* ---- nic.c ---- */
extern const struct dpk_nic_memory libflexio_queue_memory_ops;
extern const struct dpk_nic_listener libflexio_queue_listener;

#endif
