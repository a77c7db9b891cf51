/*
 * Sends a text by RDMA.
 *
 *     doca_rdma_send -d mlx5_0 -s 'some text' -ld sender -re receiver
 */
#include <stdbool.h>
#include <string.h>

#include "exchange.h"

DOCA_LOG_REGISTER(RDMA_SEND);

static bool done;

static void on_end(struct doca_rdma_task_send *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_task_get_status(doca_rdma_task_send_as_task(task)));
    doca_task_free(doca_rdma_task_send_as_task(task));
    done = true;
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"d", "device", "Name of the device", "mlx5_0"},
        {"s", "send-string", "Text to send", "This is a text"},
        {"ld", "local-descriptor-path", "File for this side's description", "local_description"},
        {"re", "remote-descriptor-path", "File of the other side's", "remote_description"},
    };
    struct exchange e = {0};
    struct doca_rdma_task_send *task;
    sample_options("doca_rdma_send", argc, argv, options, 4);
    strcpy(e.memory, options[1].value);
    exchange_prepare(&e, options[0].value, strlen(e.memory));
    TRY(doca_rdma_task_send_set_conf(e.rdma, on_end, on_end, 1));
    TRY(doca_ctx_start(doca_rdma_as_ctx(e.rdma)));
    struct doca_rdma_connection *connection =
        exchange_connect(&e, options[2].value, options[3].value);
    TRY(doca_rdma_task_send_allocate_init(e.rdma, connection, e.text, (union doca_data){0}, &task));
    TRY(doca_task_submit(doca_rdma_task_send_as_task(task)));
    while (!done)
        doca_pe_progress(e.pe);
    DOCA_LOG_INFO("Sent: %s", e.memory);
    exchange_end(&e);
    return EXIT_SUCCESS;
}
