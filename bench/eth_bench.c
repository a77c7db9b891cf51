/* Frames of DOCA Ethernet that a port sends to itself, from a TXQ to an RXQ of one thread: prints millions of
 * frames of 64 bytes a second. Times are of the processor, user and system, so other programs on the
 * machine count less; the best of many short runs. */
#define _GNU_SOURCE
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <string.h>

#include "flow_bench.h"

enum { FRAME = 64, ROOM = 128, TASKS = 256, BATCH = 64, BATCHES = 100, RUNS = 20, QUEUE = 1 };

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static struct doca_eth_txq *txq;
static struct doca_eth_rxq *rxq;
static _Alignas(64) uint8_t memory[2 * TASKS * ROOM];
static struct doca_task *sends[BATCH];
static unsigned sent, came;

static double seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void on_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    TRY(doca_task_get_status(doca_eth_txq_task_send_as_doca_task(task)));
    sent++;
}

static void on_came(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_buf *b = NULL;
    (void)task_data, (void)ctx_data;
    TRY(doca_eth_rxq_task_recv_get_pkt(task, &b));
    TRY(doca_buf_reset_data_len(b));
    TRY(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    came++;
}

static void on_lost(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task, (void)task_data, (void)ctx_data;
    exit(1);
}

static void open_device(void)
{
    dev = first_device();
    TRY(doca_pe_create(&pe));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    TRY(doca_mmap_set_memrange(map, memory, sizeof memory));
    TRY(doca_mmap_start(map));
    TRY(doca_buf_inventory_create(2 * TASKS, &inventory));
    TRY(doca_buf_inventory_start(inventory));
}

static struct doca_buf *buf_of(unsigned i, size_t size)
{
    struct doca_buf *b = NULL;
    uint8_t *at = memory + (size_t)i * ROOM;
    TRY(doca_buf_inventory_buf_get_by_addr(inventory, map, at, ROOM, &b));
    TRY(doca_buf_set_data(b, at, size));
    return b;
}

static void open_queues(void)
{
    TRY(doca_eth_txq_create(dev, TASKS, &txq));
    TRY(doca_eth_txq_task_send_set_conf(txq, on_sent, on_sent, BATCH));
    TRY(doca_pe_connect_ctx(pe, doca_eth_txq_as_doca_ctx(txq)));
    TRY(doca_ctx_start(doca_eth_txq_as_doca_ctx(txq)));
    TRY(doca_eth_rxq_create(dev, TASKS, ROOM, &rxq));
    TRY(doca_eth_rxq_task_recv_set_conf(rxq, on_came, on_lost, TASKS));
    TRY(doca_pe_connect_ctx(pe, doca_eth_rxq_as_doca_ctx(rxq)));
    TRY(doca_ctx_start(doca_eth_rxq_as_doca_ctx(rxq)));
    TRY(doca_eth_rxq_apply_queue_id(rxq, QUEUE));
    lead_all_to(dev, QUEUE);
    for (unsigned i = 0; i < TASKS; i++) {
        struct doca_eth_rxq_task_recv *task;
        TRY(doca_eth_rxq_task_recv_allocate_init(rxq, buf_of(TASKS + i, 0), (union doca_data){0},
                                                 &task));
        TRY(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    }
    for (unsigned i = 0; i < BATCH; i++) {
        struct doca_eth_txq_task_send *task;
        memcpy(memory + i * ROOM, "\2\0\0\0\0\1\2\0\0\0\0\2\10\0\105", 15);
        TRY(doca_eth_txq_task_send_allocate_init(txq, buf_of(i, FRAME), (union doca_data){0},
                                                 &task));
        sends[i] = doca_eth_txq_task_send_as_doca_task(task);
    }
}

static void send_batch(void)
{
    sent = came = 0;
    for (unsigned i = 0; i < BATCH; i++)
        TRY(doca_task_submit_ex(sends[i], i + 1 < BATCH ? DOCA_TASK_SUBMIT_FLAG_NONE
                                                        : DOCA_TASK_SUBMIT_FLAG_FLUSH));
    while (sent < BATCH || came < BATCH)
        doca_pe_progress(pe);
}

int main(void)
{
    double best = 0;
    open_device();
    open_queues();
    for (unsigned run = 0; run < RUNS; run++) {
        const double begin = seconds();
        for (unsigned i = 0; i < BATCHES; i++)
            send_batch();
        const double rate = BATCHES * BATCH / (seconds() - begin);
        best = rate > best ? rate : best;
    }
    printf("%.3f\n", best * 1e-6);
    return 0;
}
