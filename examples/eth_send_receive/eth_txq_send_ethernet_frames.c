/*
 * Sends one frame of Ethernet to a MAC address.
 *
 *     doca_eth_txq_send_ethernet_frames -d mlx5_0 -m ff:ff:ff:ff:ff:ff
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <string.h>

#include "sample.h"

DOCA_LOG_REGISTER(ETH_TXQ_SEND_ETHERNET_FRAMES);

enum { HEADER = 14, FRAME = 1514 };

static uint8_t frame[FRAME];
static bool done;

static void on_end(struct doca_eth_txq_task_send *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_task_get_status(doca_eth_txq_task_send_as_doca_task(task)));
    doca_task_free(doca_eth_txq_task_send_as_doca_task(task));
    done = true;
}

/* From this device to the address, of the type that is kept for experiments (IEEE 802). */
static void make_frame(struct doca_dev *dev, const char *to)
{
    unsigned byte[6];
    char end;
    if (sscanf(to, "%2x:%2x:%2x:%2x:%2x:%2x%c", &byte[0], &byte[1], &byte[2], &byte[3], &byte[4],
               &byte[5], &end) != 6) {
        DOCA_LOG_ERR("--mac-addr: '%s' is not six bytes such as 06:00:00:00:00:01", to);
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < 6; i++)
        frame[i] = (uint8_t)byte[i];
    TRY(doca_devinfo_get_mac_addr(doca_dev_as_devinfo(dev), frame + 6, 6));
    frame[12] = 0x88;
    frame[13] = 0xb5;
    for (int i = HEADER; i < FRAME; i++)
        frame[i] = (uint8_t)i;
}

static void send_frame(struct doca_eth_txq *queue, struct doca_pe *pe, struct doca_mmap *map)
{
    struct doca_buf_inventory *inventory;
    struct doca_eth_txq_task_send *task;
    struct doca_buf *buf;
    TRY(doca_buf_inventory_create(1, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    TRY(doca_buf_inventory_buf_get_by_data(inventory, map, frame, sizeof frame, &buf));
    TRY(doca_eth_txq_task_send_allocate_init(queue, buf, (union doca_data){0}, &task));
    TRY(doca_task_submit(doca_eth_txq_task_send_as_doca_task(task)));
    while (!done)
        doca_pe_progress(pe);
    TRY(doca_buf_dec_refcount(buf, NULL));
    TRY(doca_buf_inventory_destroy(inventory));
}

int main(int argc, char **argv)
{
    struct sample_option options[] = {
        {"d", "device", "Name of the device; default: mlx5_0", "mlx5_0"},
        {"m", "mac-addr", "MAC address of the receiver", "ff:ff:ff:ff:ff:ff"},
    };
    struct doca_eth_txq *queue;
    struct doca_mmap *map;
    struct doca_pe *pe;
    sample_options("doca_eth_txq_send_ethernet_frames", argc, argv, options, 2);
    struct doca_dev *dev = sample_open(options[0].value);
    make_frame(dev, options[1].value);
    TRY(doca_pe_create(&pe));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_memrange(map, frame, sizeof frame));
    TRY(doca_mmap_start(map));
    TRY(doca_eth_txq_create(dev, 1, &queue));
    TRY(doca_eth_txq_task_send_set_conf(queue, on_end, on_end, 1));
    TRY(doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(queue)));
    TRY(doca_ctx_start(doca_eth_txq_as_doca_ctx(queue)));
    send_frame(queue, pe, map);
    DOCA_LOG_INFO("Sent a frame of %d bytes to %s", FRAME, options[1].value);
    TRY(doca_ctx_stop(doca_eth_txq_as_doca_ctx(queue)));
    TRY(doca_eth_txq_destroy(queue));
    TRY(doca_mmap_destroy(map));
    TRY(doca_pe_destroy(pe));
    TRY(doca_dev_close(dev));
    return EXIT_SUCCESS;
}
