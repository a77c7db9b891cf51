/*
 * Waits for one frame of Ethernet, and says how long it is and who sent it.
 *
 *     doca_eth_rxq_regular_receive -d mlx5_0
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_flow.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <stdbool.h>

#include "sample.h"

DOCA_LOG_REGISTER(ETH_RXQ_REGULAR_RECEIVE);

enum { FRAME = 1600 };

static uint8_t memory[FRAME];
static bool done;

static void on_end(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct doca_buf *buf = task_data.ptr;
    size_t size = 0;
    (void)ctx_data;
    TRY(doca_task_get_status(doca_eth_rxq_task_recv_as_doca_task(task)));
    TRY(doca_buf_get_data_len(buf, &size));
    DOCA_LOG_INFO("Received a frame of %zu bytes from %02x:%02x:%02x:%02x:%02x:%02x", size,
                  memory[6], memory[7], memory[8], memory[9], memory[10], memory[11]);
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
    done = true;
}

/* All frames of the port go to the queue with id 0. */
static void lead_to_queue(struct doca_dev *dev)
{
    struct doca_flow_cfg *cfg;
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_port *port;
    struct doca_flow_pipe_cfg *pipe_cfg;
    struct doca_flow_pipe *pipe;
    struct doca_flow_pipe_entry *entry;
    struct doca_flow_match all = {0};
    uint16_t id = 0;
    struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                .rss = {.queues_array = &id, .nr_queues = 1}};
    TRY(doca_flow_cfg_create(&cfg));
    TRY(doca_flow_cfg_set_mode_args(cfg, "vnf,isolated"));
    TRY(doca_flow_init(cfg));
    TRY(doca_flow_port_cfg_create(&port_cfg));
    TRY(doca_flow_port_cfg_set_dev(port_cfg, dev));
    TRY(doca_flow_port_start(port_cfg, &port));
    TRY(doca_flow_pipe_cfg_create(&pipe_cfg, port));
    TRY(doca_flow_pipe_cfg_set_is_root(pipe_cfg, true));
    TRY(doca_flow_pipe_cfg_set_match(pipe_cfg, &all, NULL));
    TRY(doca_flow_pipe_create(pipe_cfg, &fwd, NULL, &pipe));
    TRY(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, 0, NULL, &entry));
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"d", "device", "Name of the device; default: mlx5_0", "mlx5_0"},
    };
    struct doca_eth_rxq *queue;
    struct doca_eth_rxq_task_recv *task;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    struct doca_mmap *map;
    struct doca_pe *pe;
    sample_options("doca_eth_rxq_regular_receive", argc, argv, options, 1);
    struct doca_dev *dev = sample_open(options[0].value);
    TRY(doca_pe_create(&pe));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_set_memrange(map, memory, sizeof memory));
    TRY(doca_mmap_start(map));
    TRY(doca_buf_inventory_create(1, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    TRY(doca_buf_inventory_buf_get_by_addr(inventory, map, memory, sizeof memory, &buf));
    TRY(doca_eth_rxq_create(dev, 1, FRAME, &queue));
    TRY(doca_eth_rxq_set_type(queue, DOCA_ETH_RXQ_TYPE_REGULAR));
    TRY(doca_eth_rxq_task_recv_set_conf(queue, on_end, on_end, 1));
    TRY(doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(queue)));
    TRY(doca_ctx_start(doca_eth_rxq_as_doca_ctx(queue)));
    TRY(doca_eth_rxq_apply_queue_id(queue, 0));
    TRY(doca_eth_rxq_task_recv_allocate_init(queue, buf, (union doca_data){.ptr = buf}, &task));
    TRY(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    lead_to_queue(dev);
    DOCA_LOG_INFO("Listening");
    while (!done)
        doca_pe_progress(pe);
    TRY(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(queue)));
    return EXIT_SUCCESS;
}
