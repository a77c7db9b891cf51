/* Functions of doca_cc (DOCA 2.5, 2.6) whose parameters differ from those of doca_comch; cc.ld has the
 * others. Handles and tasks of the two are the same. */
#include <doca-2.5/doca_cc.h>
#include <doca-2.5/doca_cc_consumer.h>
#include <doca-2.5/doca_cc_producer.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "api/doca/comch/comch.h"
#include "api/doca/core/core.h"

#define LOG_TASKS_MAX 31 /* a number of tasks has 32 bits */

/* ---- Sizes of 64 bits ---- */

typedef doca_error_t (*capability)(const struct doca_devinfo *devinfo, uint32_t *value);

static doca_error_t ask(capability of, const struct doca_devinfo *devinfo, size_t *value)
{
    uint32_t narrow = 0;
    const doca_error_t result = of(devinfo, value ? &narrow : NULL);
    if (value)
        *value = narrow;
    return result;
}

/* Returns false, after a report, if 32 bits cannot hold the size. */
static bool fits(const char *call, size_t size, doca_error_t *result)
{
    if (size <= UINT32_MAX)
        return true;
    *result = dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                   "%zu is not within 1 to 4294967295", size);
    return false;
}

doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, size_t *size)
{
    return ask(doca_comch_cap_get_max_msg_size, devinfo, size);
}

doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, size_t *size)
{
    return ask(doca_comch_cap_get_max_recv_queue_size, devinfo, size);
}

doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                            size_t *max_send_tasks)
{
    return ask(doca_comch_cap_get_max_send_tasks, devinfo, max_send_tasks);
}

doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, size_t *num_clients)
{
    return ask(doca_comch_cap_get_max_clients, devinfo, num_clients);
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   size_t *max_buf_size)
{
    return ask(doca_comch_consumer_cap_get_max_buf_size, devinfo, max_buf_size);
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   size_t *max_buf_size)
{
    return ask(doca_comch_producer_cap_get_max_buf_size, devinfo, max_buf_size);
}

/* ---- Properties of servers and clients ---- */

doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, size_t size)
{
    doca_error_t result;
    return fits(__func__, size, &result)
               ? doca_comch_server_set_max_msg_size((struct doca_comch_server *)cc_server,
                                                    (uint32_t)size)
               : result;
}

doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, size_t size)
{
    doca_error_t result;
    return fits(__func__, size, &result)
               ? doca_comch_server_set_recv_queue_size((struct doca_comch_server *)cc_server,
                                                       (uint32_t)size)
               : result;
}

doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, size_t size)
{
    doca_error_t result;
    return fits(__func__, size, &result)
               ? doca_comch_client_set_max_msg_size((struct doca_comch_client *)cc_client,
                                                    (uint32_t)size)
               : result;
}

doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, size_t size)
{
    doca_error_t result;
    return fits(__func__, size, &result)
               ? doca_comch_client_set_recv_queue_size((struct doca_comch_client *)cc_client,
                                                       (uint32_t)size)
               : result;
}

/* Gives the program a value of 32 bits. */
static doca_error_t widen(doca_error_t result, uint32_t narrow, size_t *value)
{
    if (result == DOCA_SUCCESS)
        *value = narrow;
    return result;
}

doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server, size_t *size)
{
    uint32_t n = 0;
    const doca_error_t result = doca_comch_server_get_max_msg_size(
        (const struct doca_comch_server *)cc_server, size ? &n : NULL);
    return widen(result, n, size);
}

doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
                                                size_t *size)
{
    uint32_t n = 0;
    const doca_error_t result = doca_comch_server_get_recv_queue_size(
        (const struct doca_comch_server *)cc_server, size ? &n : NULL);
    return widen(result, n, size);
}

doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client, size_t *size)
{
    uint32_t n = 0;
    const doca_error_t result = doca_comch_client_get_max_msg_size(
        (const struct doca_comch_client *)cc_client, size ? &n : NULL);
    return widen(result, n, size);
}

doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
                                                size_t *size)
{
    uint32_t n = 0;
    const doca_error_t result = doca_comch_client_get_recv_queue_size(
        (const struct doca_comch_client *)cc_client, size ? &n : NULL);
    return widen(result, n, size);
}

doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
    return dpk_comch_server_on_message_2_5(__func__, (struct doca_comch_server *)cc_server,
                                           (dpk_comch_message_2_5)recv_event_cb);
}

doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
    return dpk_comch_client_on_message_2_5(__func__, (struct doca_comch_client *)cc_client,
                                           (dpk_comch_message_2_5)recv_event_cb);
}

/* ---- Sends ---- */

doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_send_task_comp_handler success_cb,
                                               doca_cc_send_task_comp_handler error_cb,
                                               uint8_t num_send_tasks)
{
    return doca_comch_server_task_send_set_conf(
        (struct doca_comch_server *)cc_server, (doca_comch_task_send_completion_cb_t)success_cb,
        (doca_comch_task_send_completion_cb_t)error_cb, num_send_tasks);
}

doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_send_task_comp_handler success_cb,
                                               doca_cc_send_task_comp_handler error_cb,
                                               uint8_t num_send_tasks)
{
    return doca_comch_client_task_send_set_conf(
        (struct doca_comch_client *)cc_client, (doca_comch_task_send_completion_cb_t)success_cb,
        (doca_comch_task_send_completion_cb_t)error_cb, num_send_tasks);
}

doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task)
{
    doca_error_t result;
    if (task)
        *task = NULL;
    return fits(__func__, len, &result)
               ? doca_comch_server_task_send_alloc_init(
                     (struct doca_comch_server *)cc_server, (struct doca_comch_connection *)peer,
                     msg, (uint32_t)len, (struct doca_comch_task_send **)task)
               : result;
}

doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task)
{
    doca_error_t result;
    if (task)
        *task = NULL;
    return fits(__func__, len, &result)
               ? doca_comch_client_task_send_alloc_init(
                     (struct doca_comch_client *)cc_client, (struct doca_comch_connection *)peer,
                     msg, (uint32_t)len, (struct doca_comch_task_send **)task)
               : result;
}

/* ---- Consumers and producers: numbers of tasks by their logarithm, no immediate data ---- */

static doca_error_t ask_log(capability of, const struct doca_devinfo *devinfo, size_t *log)
{
    uint32_t count = 0;
    const doca_error_t result = of(devinfo, log ? &count : NULL);
    if (log)
        for (*log = 0; count > 1; count /= 2)
            ++*log;
    return result;
}

static bool log_fits(const char *call, size_t log, doca_error_t *result)
{
    if (log <= LOG_TASKS_MAX)
        return true;
    *result = dpk_doca_refuse_call(NULL, DOCA_ERROR_INVALID_VALUE, call,
                                   "2^%zu tasks are not within 1 to 2^%d", log, LOG_TASKS_MAX);
    return false;
}

doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks)
{
    return ask_log(doca_comch_consumer_cap_get_max_num_tasks, devinfo, max_log_num_tasks);
}

doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        size_t *max_log_num_tasks)
{
    return ask_log(doca_comch_producer_cap_get_max_num_tasks, devinfo, max_log_num_tasks);
}

doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    struct doca_cc_consumer *consumer, doca_cc_consumer_post_recv_task_comp_handler success_cb,
    doca_cc_consumer_post_recv_task_comp_handler error_cb, size_t log_num_post_recv_tasks)
{
    doca_error_t result;
    return log_fits(__func__, log_num_post_recv_tasks, &result)
               ? doca_comch_consumer_task_post_recv_set_conf(
                     (struct doca_comch_consumer *)consumer,
                     (doca_comch_consumer_task_post_recv_completion_cb_t)success_cb,
                     (doca_comch_consumer_task_post_recv_completion_cb_t)error_cb,
                     (uint32_t)1 << log_num_post_recv_tasks)
               : result;
}

doca_error_t doca_cc_producer_send_task_set_conf(struct doca_cc_producer *producer,
                                                 doca_cc_producer_send_task_comp_handler success_cb,
                                                 doca_cc_producer_send_task_comp_handler error_cb,
                                                 size_t log_num_send_tasks)
{
    doca_error_t result;
    return log_fits(__func__, log_num_send_tasks, &result)
               ? doca_comch_producer_task_send_set_conf(
                     (struct doca_comch_producer *)producer,
                     (doca_comch_producer_task_send_completion_cb_t)success_cb,
                     (doca_comch_producer_task_send_completion_cb_t)error_cb,
                     (uint32_t)1 << log_num_send_tasks)
               : result;
}

doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, int consumer_id,
                                                   struct doca_cc_producer_send_task **task)
{
    return doca_comch_producer_task_send_alloc_init((struct doca_comch_producer *)producer, buf,
                                                    NULL, 0, (uint32_t)consumer_id,
                                                    (struct doca_comch_producer_task_send **)task);
}

/* As DOCA 2.6 has it. */
struct doca_cc_producer_task_send;
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_task_send **task);
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_task_send **task)
{
    return doca_comch_producer_task_send_alloc_init((struct doca_comch_producer *)producer, buf,
                                                    NULL, 0, consumer_id,
                                                    (struct doca_comch_producer_task_send **)task);
}
