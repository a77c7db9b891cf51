/*
 * doca_comch_msgq: message queues between the CPU and the DPA: immediate data of up to 32 bytes, from
 * producers on one of them to consumers on the other.
 *
 *     doca_comch_msgq_create(dev, &msgq);                          // from the CPU to the DPA
 *     doca_comch_msgq_set_dpa_consumer(msgq, dpa);
 *     doca_comch_msgq_start(msgq);
 *
 *     doca_comch_consumer_completion_create(&completion);          // who is told on the DPA
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
 * For the other direction the queue has doca_comch_msgq_set_dpa_producer; its producers have
 * doca_comch_producer_dpa_completion_attach, and what their code calls is in
 * doca_dpa_dev_comch_msgq.h. Consumers and producers on the CPU are those of doca_comch_consumer.h and
 * doca_comch_producer.h; here they run as soon as they are started, and there is no peer that goes.
 *
 * Numbers of consumers begin at 1, and each start has another one. Any device will do that DPA code
 * runs on. A DPA context that is stopped takes what is on it along: sends to it find no receives.
 *
 * Every function gives INVALID_VALUE for NULL, for an object that is gone, and for one of another
 * kind, and functions that configure give BAD_STATE for a queue that is started (DOCA Comch
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

/* Makes a queue that is not started. NO_MEMORY. */
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);
/* Stops it if it is started. IN_USE: it has consumers or producers; it stays. */
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);
/* BAD_CONFIG: neither side of it is on the DPA, or both. BAD_STATE: it is started. NO_MEMORY. */
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);
/* IN_USE: it has consumers or producers. BAD_STATE: it is not started. */
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/* Its consumers, or its producers, are on that context, or on one that shares its process. */
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
/* How many there may be that run, 1 to 64; 64 to begin with. */
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/* Make an idle consumer, which takes 32 bytes of immediate data to begin with, and an idle producer.
 * BAD_STATE: the queue is not started. NO_MEMORY. */
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif
