/*
 * doca_cc_consumer (DOCA 2.5 and 2.6): the receiving end of a fast path of a connection (doca_cc.h),
 * without immediate data. Everything is as ../doca/doca_comch_consumer.h says for the function with
 * the same end of the name; DOCA 2.5 gives numbers of tasks as logarithms to the base of 2.
 *
 *     doca_cc_consumer_create(connection, mmap, &consumer);
 *     doca_cc_consumer_task_post_recv_set_conf(consumer, received, failed, 16);   // 2.5: 4
 *     doca_pe_connect_ctx(pe, doca_cc_consumer_as_ctx(consumer));
 *     doca_ctx_start(doca_cc_consumer_as_ctx(consumer));        // IN_PROGRESS: it runs soon
 */
#ifndef DOCA_2_5_CC_CONSUMER_H
#define DOCA_2_5_CC_CONSUMER_H

#include "doca_cc.h"

#include "../doca/doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_consumer;
struct doca_mmap;

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   dpk_cc_size_t *max_buf_size)
    DPK_CC_SYMBOL("doca_cc_consumer_cap_get_max_buf_size_v2_5");

doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_mmap *buf_mmap,
                                     struct doca_cc_consumer **consumer);
doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);
struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);
doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id);

#ifdef DPK_CC_2_5

struct doca_cc_consumer_post_recv_task;
typedef void (*doca_cc_consumer_post_recv_task_comp_handler)(
    struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks);
doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    struct doca_cc_consumer *consumer, doca_cc_consumer_post_recv_task_comp_handler success_cb,
    doca_cc_consumer_post_recv_task_comp_handler error_cb, size_t log_num_post_recv_tasks);
doca_error_t
doca_cc_consumer_post_recv_task_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
                                           struct doca_cc_consumer_post_recv_task **task);
void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
                                             struct doca_buf *buf);
struct doca_buf *
doca_cc_consumer_post_recv_task_get_buf(struct doca_cc_consumer_post_recv_task *task);
struct doca_task *
doca_cc_consumer_post_recv_task_as_task(struct doca_cc_consumer_post_recv_task *task);

#else

struct doca_cc_consumer_task_post_recv;
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
    struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_consumers);
doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks);
doca_error_t doca_cc_consumer_task_post_recv_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);
doca_error_t
doca_cc_consumer_task_post_recv_alloc_init(struct doca_cc_consumer *consumer, struct doca_buf *buf,
                                           struct doca_cc_consumer_task_post_recv **task);
void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
                                             struct doca_buf *buf);
struct doca_buf *
doca_cc_consumer_task_post_recv_get_buf(struct doca_cc_consumer_task_post_recv *task);
uint32_t
doca_cc_consumer_task_post_recv_get_producer_id(struct doca_cc_consumer_task_post_recv *task);
struct doca_task *
doca_cc_consumer_task_post_recv_as_task(struct doca_cc_consumer_task_post_recv *task);

#endif

#ifdef __cplusplus
}
#endif

#endif
