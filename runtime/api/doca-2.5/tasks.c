/* Tasks of DOCA 2.5 to 2.8: those of later DOCA, on the context's single connection. */
#include <doca_rdma.h>

#include "single.h"

doca_error_t doca_rdma_task_send_allocate_init_v2_5(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_send **task);
doca_error_t doca_rdma_task_send_allocate_init_v2_5(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_send **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection("doca_rdma_task_send_allocate_init",
                                                            rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS
               ? doca_rdma_task_send_allocate_init(rdma, connection, src_buf, user_data, task)
               : result;
}

doca_error_t doca_rdma_task_send_imm_allocate_init_v2_5(struct doca_rdma *rdma,
                                                        const struct doca_buf *src_buf,
                                                        doca_be32_t immediate_data,
                                                        union doca_data user_data,
                                                        struct doca_rdma_task_send_imm **task);
doca_error_t doca_rdma_task_send_imm_allocate_init_v2_5(struct doca_rdma *rdma,
                                                        const struct doca_buf *src_buf,
                                                        doca_be32_t immediate_data,
                                                        union doca_data user_data,
                                                        struct doca_rdma_task_send_imm **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection("doca_rdma_task_send_imm_allocate_init",
                                                            rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS ? doca_rdma_task_send_imm_allocate_init(
                                        rdma, connection, src_buf, immediate_data, user_data, task)
                                  : result;
}

doca_error_t doca_rdma_task_read_allocate_init_v2_5(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    struct doca_buf *dst_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_read **task);
doca_error_t doca_rdma_task_read_allocate_init_v2_5(struct doca_rdma *rdma,
                                                    const struct doca_buf *src_buf,
                                                    struct doca_buf *dst_buf,
                                                    union doca_data user_data,
                                                    struct doca_rdma_task_read **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection("doca_rdma_task_read_allocate_init",
                                                            rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS ? doca_rdma_task_read_allocate_init(rdma, connection, src_buf,
                                                                      dst_buf, user_data, task)
                                  : result;
}

doca_error_t doca_rdma_task_write_allocate_init_v2_5(struct doca_rdma *rdma,
                                                     const struct doca_buf *src_buf,
                                                     struct doca_buf *dst_buf,
                                                     union doca_data user_data,
                                                     struct doca_rdma_task_write **task);
doca_error_t doca_rdma_task_write_allocate_init_v2_5(struct doca_rdma *rdma,
                                                     const struct doca_buf *src_buf,
                                                     struct doca_buf *dst_buf,
                                                     union doca_data user_data,
                                                     struct doca_rdma_task_write **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection("doca_rdma_task_write_allocate_init",
                                                            rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS ? doca_rdma_task_write_allocate_init(rdma, connection, src_buf,
                                                                       dst_buf, user_data, task)
                                  : result;
}

doca_error_t doca_rdma_task_write_imm_allocate_init_v2_5(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task);
doca_error_t doca_rdma_task_write_imm_allocate_init_v2_5(
    struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
    doca_be32_t immediate_data, union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_write_imm_allocate_init", rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS
               ? doca_rdma_task_write_imm_allocate_init(rdma, connection, src_buf, dst_buf,
                                                        immediate_data, user_data, task)
               : result;
}

doca_error_t
doca_rdma_task_atomic_cmp_swp_allocate_init_v2_5(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                 struct doca_buf *result_buf, uint64_t cmp_data,
                                                 uint64_t swap_data, union doca_data user_data,
                                                 struct doca_rdma_task_atomic_cmp_swp **task);
doca_error_t
doca_rdma_task_atomic_cmp_swp_allocate_init_v2_5(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                 struct doca_buf *result_buf, uint64_t cmp_data,
                                                 uint64_t swap_data, union doca_data user_data,
                                                 struct doca_rdma_task_atomic_cmp_swp **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_write_imm_allocate_init", rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS
               ? doca_rdma_task_atomic_cmp_swp_allocate_init(rdma, connection, dst_buf, result_buf,
                                                             cmp_data, swap_data, user_data, task)
               : result;
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task);
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_atomic_fetch_add_allocate_init", rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS
               ? doca_rdma_task_atomic_fetch_add_allocate_init(
                     rdma, connection, dst_buf, result_buf, add_data, user_data, task)
               : result;
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init_v2_5(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task);
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init_v2_5(
    struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
    struct doca_buf *dst_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_get **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_remote_net_sync_event_get_allocate_init", rdma, (void **)task, &connection);
    return result == DOCA_SUCCESS ? doca_rdma_task_remote_net_sync_event_get_allocate_init(
                                        rdma, connection, event, dst_buf, user_data, task)
                                  : result;
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
    const struct doca_buf *src_buf, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_remote_net_sync_event_notify_set_allocate_init", rdma, (void **)task,
        &connection);
    return result == DOCA_SUCCESS ? doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
                                        rdma, connection, event, src_buf, user_data, task)
                                  : result;
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task);
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init_v2_5(
    struct doca_rdma *rdma, struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
    uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
    struct doca_rdma_connection *connection = NULL;
    doca_error_t result = generation_rdma_single_connection(
        "doca_rdma_task_remote_net_sync_event_notify_add_allocate_init", rdma, (void **)task,
        &connection);
    return result == DOCA_SUCCESS
               ? doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
                     rdma, connection, event, result_buf, add_data, user_data, task)
               : result;
}
