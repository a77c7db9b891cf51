/*
 * doca_comch_msgq: message queues between the CPU and the DPA: immediate data of up to 32 bytes, from
 * producers on one side to consumers on the other side.
 *
 *     doca_comch_msgq_create(dev, &msgq);                          // from the CPU to the DPA
 *     doca_comch_msgq_set_dpa_consumer(msgq, dpa);
 *     doca_comch_msgq_start(msgq);
 *
 *     doca_comch_consumer_completion_create(&completion);          // wakes a thread of the DPA
 *     doca_comch_consumer_completion_set_dpa_thread(completion, thread);
 *     doca_comch_consumer_completion_start(completion);
 *     doca_comch_msgq_consumer_create(msgq, &consumer);
 *     doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(consumer), dpa);
 *     doca_comch_consumer_set_completion(consumer, completion, 0);
 *     doca_ctx_start(doca_comch_consumer_as_ctx(consumer));        // it runs; its id is 1
 *
 *     doca_comch_msgq_producer_create(msgq, &producer);            // as any producer, on the CPU
 *     doca_comch_producer_task_send_alloc_init(producer, NULL, imm, sizeof imm, 1, &task);
 *
 * For the other direction, call doca_comch_msgq_set_dpa_producer for the queue and
 * doca_comch_producer_dpa_completion_attach for its producers. doca_dpa_dev_comch_msgq.h has the
 * functions for DPA code. Consumers and producers on the CPU use doca_comch_consumer.h and
 * doca_comch_producer.h; on a message queue they run as soon as they are started, and no peer can
 * disconnect.
 *
 * Numbers of consumers start at 1, and each start assigns a new number. Any device that runs DPA code
 * can be used. When a DPA context stops, its consumers and producers end: sends to them find no
 * receives.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind, and functions that configure return BAD_STATE for a queue that is started (DOCA Comch
 * programming guide, "MsgQ").
 */
#ifndef DOCA_COMCH_MSGQ_H
#define DOCA_COMCH_MSGQ_H

#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_msgq;
struct doca_dev;
struct doca_dpa;

/* Creates a queue. It is not started. Errors: NO_MEMORY. */
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);
/* Stops the object if it is started, then destroys it. */
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);
/* Starts the queue. Errors: BAD_CONFIG if neither side or both sides are on the DPA, BAD_STATE if the
 * queue is started, NO_MEMORY. */
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);
/* Stops the queue. Errors: IN_USE if it has consumers or producers, BAD_STATE if it is not started. */
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/* Put the consumers, or the producers, on that DPA context, or on a context that shares its process. */
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
/* Largest number of running consumers or producers, 1 to 64; 64 by default. */
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/* Create an idle consumer, which accepts 32 bytes of immediate data by default, and an idle producer.
 * Errors: BAD_STATE if the queue is not started, NO_MEMORY. */
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif
