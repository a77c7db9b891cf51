/*
 * Receives a text by RDMA.
 *
 *     doca_rdma_receive -d mlx5_0 -ld receiver -re sender
 */
#include <stdbool.h>

#include "exchange.h"

DOCA_LOG_REGISTER(RDMA_RECEIVE);

static bool done;

static void on_end(struct doca_rdma_task_receive *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct exchange *e = task_data.ptr;
    size_t size = 0;
    (void)ctx_data;
    TRY(doca_task_get_status(doca_rdma_task_receive_as_task(task)));
    TRY(doca_buf_get_data_len(e->text, &size));
    DOCA_LOG_INFO("Received: %.*s", (int)size, e->memory);
    doca_task_free(doca_rdma_task_receive_as_task(task));
    done = true;
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"d", "device", "Name of the device", "mlx5_0"},
        {"ld", "local-descriptor-path", "File for this side's description", "local_description"},
        {"re", "remote-descriptor-path", "File of the other side's", "remote_description"},
    };
    struct exchange e = {0};
    struct doca_rdma_task_receive *task;
    sample_options("doca_rdma_receive", argc, argv, options, 3);
    exchange_prepare(&e, options[0].value, 0);
    TRY(doca_rdma_task_receive_set_conf(e.rdma, on_end, on_end, 1));
    TRY(doca_ctx_start(doca_rdma_as_ctx(e.rdma)));
    /* The room is there before the sender is connected. */
    TRY(doca_rdma_task_receive_allocate_init(e.rdma, e.text, (union doca_data){.ptr = &e}, &task));
    TRY(doca_task_submit(doca_rdma_task_receive_as_task(task)));
    (void)exchange_connect(&e, options[1].value, options[2].value);
    while (!done)
        doca_pe_progress(e.pe);
    exchange_end(&e);
    return EXIT_SUCCESS;
}
