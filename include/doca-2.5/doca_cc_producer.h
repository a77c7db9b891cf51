/*
 * doca_cc_producer (DOCA 2.5 and 2.6): the sending end of a fast path of a connection (doca_cc.h),
 * without immediate data. Everything is as ../doca/doca_comch_producer.h says for the function with
 * the same end of the name; DOCA 2.5 gives numbers of tasks as logarithms to the base of 2.
 *
 *     doca_cc_producer_create(connection, &producer);
 *     doca_cc_producer_task_send_set_conf(producer, sent, failed, 16);            // 2.5: 4
 *     doca_pe_connect_ctx(pe, doca_cc_producer_as_ctx(producer));
 *     doca_ctx_start(doca_cc_producer_as_ctx(producer));
 */
#ifndef DOCA_2_5_CC_PRODUCER_H
#define DOCA_2_5_CC_PRODUCER_H

#include "doca_cc.h"

#include "../doca/doca_buf.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_cc_producer;

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   dpk_cc_size_t *max_buf_size)
    DPK_CC_SYMBOL("doca_cc_producer_cap_get_max_buf_size_v2_5");

doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_cc_producer **producer);
doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);
struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

#ifdef DPK_CC_2_5

struct doca_cc_producer_send_task;
typedef void (*doca_cc_producer_send_task_comp_handler)(struct doca_cc_producer_send_task *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);

doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks);
doca_error_t doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
                                                 doca_cc_producer_send_task_comp_handler success_cb,
                                                 doca_cc_producer_send_task_comp_handler error_cb,
                                                 size_t log_num_send_tasks);
doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, int consumer_id,
                                                   struct doca_cc_producer_send_task **task);
void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
                                        struct doca_buf *buf);
struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *task);
void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
                                                int consumer_id);
int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task);
struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task);

#else

struct doca_cc_producer_task_send;
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
                                                           union doca_data task_user_data,
                                                           union doca_data ctx_user_data);

doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);
doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_producers);
doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks);
doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id);
doca_error_t
doca_cc_producer_task_send_set_conf(struct doca_cc_producer *producer,
                                    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
                                    doca_cc_producer_task_send_completion_cb_t task_error_cb,
                                    uint32_t num_send_tasks);
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_task_send **task);
void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
                                        struct doca_buf *buf);
struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task);
void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
                                                uint32_t consumer_id);
uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task);
struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task);

#endif

#ifdef __cplusplus
}
#endif

#endif
