/* Frames of Ethernet between two devices, by DOCA Ethernet; each carries a text.
 *
 *     eth_text hear DEVICE COUNT      prints the texts of as many frames as come
 *     eth_text say DEVICE TEXT        sends one
 */
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_flow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { HEADER = 14, FRAME = 1514, FRAMES = 64 };

static uint8_t memory[2 * FRAMES * (FRAME + 64)];
static struct doca_pe *pe;
static struct doca_mmap *map;
static int left; /* frames that have not come or gone yet */

static struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    char its[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_dev *dev = NULL;
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], its, sizeof its) == DOCA_SUCCESS &&
            strcmp(its, name) == 0)
            TRY(doca_dev_open(list[i], &dev));
    doca_devinfo_destroy_list(list);
    if (!dev) {
        fprintf(stderr, "no device %s\n", name);
        exit(1);
    }
    TRY(doca_pe_create(&pe));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_memrange(map, memory, sizeof memory));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_start(map));
    return dev;
}

/* ---- Hearing ---- */

static void came(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                 union doca_data data)
{
    void *frame;
    size_t size;
    (void)event, (void)data;
    TRY(doca_buf_get_data(pkt, &frame));
    TRY(doca_buf_get_data_len(pkt, &size));
    if (size > HEADER)
        printf("%.*s\n", (int)(size - HEADER), (const char *)frame + HEADER);
    left--;
    doca_buf_dec_refcount(pkt, NULL);
}

/* A frame that no buffer has room for ends nothing. */
static void failed(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                   union doca_data data)
{
    (void)pkt, (void)data;
    fprintf(stderr, "a frame was lost: %s\n",
            doca_error_get_descr(doca_eth_rxq_event_managed_recv_get_status(event)));
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

static void hear(struct doca_dev *dev, int count)
{
    struct doca_eth_rxq *queue;
    left = count;
    TRY(doca_eth_rxq_create(dev, FRAMES, FRAME, &queue));
    TRY(doca_eth_rxq_set_type(queue, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL));
    TRY(doca_eth_rxq_set_pkt_buf(queue, map, 0, sizeof memory));
    TRY(doca_eth_rxq_event_managed_recv_register(queue, (union doca_data){0}, came, failed));
    TRY(doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(queue)));
    TRY(doca_ctx_start(doca_eth_rxq_as_doca_ctx(queue)));
    TRY(doca_eth_rxq_apply_queue_id(queue, 0));
    lead_to_queue(dev);
    fprintf(stderr, "listening\n");
    while (left > 0)
        doca_pe_progress(pe);
    TRY(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(queue)));
}

/* ---- Saying ---- */

static void sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_task_get_status(doca_eth_txq_task_send_as_doca_task(task)));
    doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
    left--;
}

/* To all (ff:...), of the type that is kept for experiments (IEEE 802, local experimental EtherType 1). */
static void say(struct doca_dev *dev, const char *text)
{
    static const uint8_t header[HEADER] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,
                                           0,    0,    0,    0,    1,    0x88, 0xb5};
    struct doca_eth_txq *queue;
    struct doca_eth_txq_task_send *task;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    const size_t size = strnlen(text, FRAME - HEADER);
    memcpy(memory, header, HEADER);
    memcpy(memory + HEADER, text, size);
    left = 1;
    TRY(doca_buf_inventory_create(1, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    TRY(doca_buf_inventory_buf_get_by_data(inventory, map, memory, HEADER + size, &buf));
    TRY(doca_eth_txq_create(dev, 1, &queue));
    TRY(doca_eth_txq_task_send_set_conf(queue, sent, sent, 1));
    TRY(doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(queue)));
    TRY(doca_ctx_start(doca_eth_txq_as_doca_ctx(queue)));
    TRY(doca_eth_txq_task_send_allocate_init(queue, buf, (union doca_data){0}, &task));
    TRY(doca_task_submit(doca_eth_txq_task_send_as_doca_task(task)));
    while (left > 0)
        doca_pe_progress(pe);
    TRY(doca_ctx_stop(doca_eth_txq_as_doca_ctx(queue)));
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "hear") == 0)
        hear(open_device(argv[2]), atoi(argv[3]));
    else if (argc == 4 && strcmp(argv[1], "say") == 0)
        say(open_device(argv[2]), argv[3]);
    else
        return fprintf(stderr, "usage: eth_text hear DEVICE COUNT | eth_text say DEVICE TEXT\n"), 2;
    return 0;
}
