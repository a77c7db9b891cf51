/* A program of DOCA 2.5, 2.6 or 2.8, written by us: host functions that differ in these releases.
 * Tasks of two RDMA contexts whose connection has no name, a sync event, queues of frames, the
 * port's rate. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_eth_rxq.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_txq.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>
#include <doca_version.h>

#include "doca_device.h"

#define OK DOCA_SUCCESS
#define ACCESS                                                                                     \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |                              \
     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_buf_inventory *inventory;
static unsigned done, failed;

struct end {
    struct doca_rdma *rdma;
    const void *details;
    size_t size;
    uint64_t words[8];
    struct doca_mmap *map;
    struct doca_buf *buf;
};

#define CALLBACKS(name, as_task)                                                                   \
    static void name##_ended(struct doca_##name *task, union doca_data task_data,                  \
                             union doca_data ctx_data)                                             \
    {                                                                                              \
        (void)ctx_data;                                                                            \
        *(task_data.u64 == 7 ? &done : &failed) += 1;                                              \
        doca_task_free(as_task(task));                                                             \
    }
CALLBACKS(rdma_task_send, doca_rdma_task_send_as_task)
CALLBACKS(rdma_task_receive, doca_rdma_task_receive_as_task)
CALLBACKS(rdma_task_read, doca_rdma_task_read_as_task)
CALLBACKS(rdma_task_write, doca_rdma_task_write_as_task)
CALLBACKS(rdma_task_atomic_fetch_add, doca_rdma_task_atomic_fetch_add_as_task)
#if DOCA_VERSION_MINOR < 7
CALLBACKS(eth_rxq_task_recv, doca_eth_rxq_task_recv_as_doca_task)
CALLBACKS(eth_txq_task_lso_send, doca_eth_txq_task_lso_send_as_doca_task)
CALLBACKS(sync_event_task_wait_gt, doca_sync_event_task_wait_gt_as_doca_task)
#endif

/* Progress until `count` more tasks have ended well. */
static void finish(unsigned count)
{
    const unsigned until = done + count;
    for (unsigned long turns = 0; done < until; turns++) {
        doca_pe_progress(pe);
        CHECK(turns < 2000000000ul);
    }
    CHECK(done == until && failed == 0);
}

#define SET_UP(r, name) CHECK(doca_##name##_set_conf(r, name##_ended, name##_ended, 4) == OK)

static enum doca_ctx_states state_of(const struct end *e)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
    CHECK(doca_ctx_get_state(doca_rdma_as_ctx(e->rdma), &state) == OK);
    return state;
}

static void end_open(struct end *e)
{
    CHECK(doca_rdma_create(dev, &e->rdma) == OK);
    CHECK(doca_rdma_set_permissions(e->rdma, ACCESS) == OK);
    SET_UP(e->rdma, rdma_task_send);
    SET_UP(e->rdma, rdma_task_receive);
    SET_UP(e->rdma, rdma_task_read);
    SET_UP(e->rdma, rdma_task_write);
    SET_UP(e->rdma, rdma_task_atomic_fetch_add);
    CHECK(doca_pe_connect_ctx(pe, doca_rdma_as_ctx(e->rdma)) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(e->rdma)) == DOCA_ERROR_IN_PROGRESS);
    CHECK(state_of(e) == DOCA_CTX_STATE_STARTING);
    CHECK(doca_rdma_export(e->rdma, &e->details, &e->size) == OK);
    CHECK(doca_mmap_create(&e->map) == OK && doca_mmap_add_dev(e->map, dev) == OK);
    CHECK(doca_mmap_set_permissions(e->map, ACCESS) == OK);
    CHECK(doca_mmap_set_memrange(e->map, e->words, sizeof e->words) == OK);
    CHECK(doca_mmap_start(e->map) == OK);
    CHECK(doca_buf_inventory_buf_get_by_data(inventory, e->map, e->words, 8, &e->buf) == OK);
}

static void end_close(struct end *e)
{
    CHECK(doca_buf_dec_refcount(e->buf, NULL) == OK);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(e->rdma)) == OK && doca_rdma_destroy(e->rdma) == OK);
    CHECK(doca_mmap_destroy(e->map) == OK);
}

static void tasks(struct end *a, struct end *b)
{
    const union doca_data data = {.u64 = 7};
    struct doca_rdma_task_send *send = NULL;
    struct doca_rdma_task_receive *receive = NULL;
    struct doca_rdma_task_write *write = NULL;
    struct doca_rdma_task_read *read = NULL;
    struct doca_rdma_task_atomic_fetch_add *add = NULL;
    CHECK(doca_rdma_task_send_allocate_init(NULL, a->buf, data, &send) == DOCA_ERROR_INVALID_VALUE);
    /* A buffer has 8 bytes of data, which are sent; received data is appended. */
    a->words[0] = 5;
    CHECK(doca_buf_reset_data_len(b->buf) == OK);
    CHECK(doca_rdma_task_receive_allocate_init(b->rdma, b->buf, data, &receive) == OK);
    CHECK(doca_task_submit(doca_rdma_task_receive_as_task(receive)) == OK);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, a->buf, data, &send) == OK);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    finish(2);
    CHECK(b->words[0] == 5);
    a->words[0] = 11;
    CHECK(doca_buf_reset_data_len(b->buf) == OK);
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->buf, b->buf, data, &write) == OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == OK);
    finish(1);
    CHECK(b->words[0] == 11 && doca_buf_set_data(b->buf, b->words, 8) == OK);
    CHECK(doca_buf_reset_data_len(a->buf) == OK);
    CHECK(doca_rdma_task_atomic_fetch_add_allocate_init(a->rdma, b->buf, a->buf, 31, data, &add) ==
          OK);
    CHECK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)) == OK);
    finish(1);
    CHECK(b->words[0] == 42 && a->words[0] == 11);
    CHECK(doca_buf_reset_data_len(a->buf) == OK);
    CHECK(doca_rdma_task_read_allocate_init(a->rdma, b->buf, a->buf, data, &read) == OK);
    CHECK(doca_task_submit(doca_rdma_task_read_as_task(read)) == OK);
    finish(1);
    CHECK(a->words[0] == 42);
}

#if DOCA_VERSION_MINOR < 7
static void waits(void)
{
    const union doca_data data = {.u64 = 7};
    struct doca_sync_event *e = NULL;
    struct doca_sync_event_task_wait_gt *wait = NULL;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_add_publisher_location_dpu(e) == OK);
    CHECK(doca_sync_event_add_subscriber_location_cpu(e, dev) == OK);
    SET_UP(e, sync_event_task_wait_gt);
    CHECK(doca_pe_connect_ctx(pe, doca_sync_event_as_ctx(e)) == OK);
    CHECK(doca_ctx_start(doca_sync_event_as_ctx(e)) == OK);
    CHECK(doca_sync_event_export_to_dpu(e, dev, &bytes, &size) == OK && bytes && size > 0);
    CHECK(doca_sync_event_task_wait_gt_alloc_init(e, 2, UINT64_MAX, data, &wait) == OK);
    CHECK(doca_task_submit(doca_sync_event_task_wait_gt_as_doca_task(wait)) == OK);
    CHECK(doca_sync_event_update_set(e, 2) == OK);
    for (unsigned i = 0; i < 1000; i++)
        CHECK(doca_pe_progress(pe) == 0);
    CHECK(doca_sync_event_update_set(e, 3) == OK);
    finish(1);
    CHECK(doca_ctx_stop(doca_sync_event_as_ctx(e)) == OK && doca_sync_event_destroy(e) == OK);
}

#if DOCA_VERSION_MINOR < 6
/* Names of DOCA 2.5 alone. */
static void first_names(struct doca_eth_rxq *rxq)
{
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    uint8_t yes = 9;
    uint16_t size = 0;
    uint32_t n = 0;
    CHECK(doca_eth_rxq_get_type_supported(info, DOCA_ETH_RXQ_TYPE_REGULAR,
                                          DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU, &yes) == OK &&
          yes == 1);
    CHECK(doca_eth_rxq_get_type_supported(info, DOCA_ETH_RXQ_TYPE_REGULAR,
                                          DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU, &yes) == OK &&
          yes == 0);
    CHECK(doca_eth_txq_get_l3_chksum_offload_supported(info, &yes) == OK && yes == 1);
    CHECK(doca_eth_txq_get_l4_chksum_offload_supported(NULL, &yes) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_get_l4_chksum_offload_supported(info, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_get_max_packet_size_supported(info, &size) == OK && size > 1500);
    CHECK(doca_eth_rxq_get_max_burst_size_supported(info, &n) == OK && n > 0);
    CHECK(doca_eth_txq_get_max_lso_header_size_supported(info, &size) == OK && size > 0);
    CHECK(doca_eth_txq_get_max_send_buf_list_len_supported(info, &n) == OK && n > 0);
    CHECK(doca_eth_rxq_get_pkt_buffer_size(rxq, &n) == DOCA_ERROR_BAD_STATE);
}
#endif

static void frames(void)
{
    const union doca_data data = {.u64 = 7};
    struct doca_eth_rxq *rxq = NULL;
    struct doca_eth_txq *txq = NULL;
    struct doca_eth_rxq_task_recv *task = NULL;
    enum doca_eth_wait_on_time_type type = DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK;
    uint32_t bytes = 1;
    CHECK(doca_eth_rxq_create(dev, 16, 1600, &rxq) == OK);
    CHECK(doca_eth_rxq_set_max_packet_size(rxq, 9000) == OK);
    CHECK(doca_eth_rxq_set_max_packet_size(rxq, 0) == DOCA_ERROR_INVALID_VALUE);
    SET_UP(rxq, eth_rxq_task_recv);
    CHECK(doca_eth_rxq_task_recv_allocate_init(rxq, data, NULL, &task) != OK && !task);
    CHECK(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_REGULAR, 100, 10, 1600, 16, 0,
                                                &bytes) == OK &&
          bytes == 0);
    CHECK(doca_eth_txq_create(dev, 16, &txq) == OK);
    CHECK(doca_eth_txq_task_lso_send_set_conf(txq, eth_txq_task_lso_send_ended,
                                              eth_txq_task_lso_send_ended, 1400, 0,
                                              4) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_task_lso_send_set_conf(txq, eth_txq_task_lso_send_ended,
                                              eth_txq_task_lso_send_ended, 1400, 128, 4) == OK);
    CHECK(doca_eth_txq_cap_get_wait_on_time_offload_supported(dev, &type) == OK &&
          type == DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE);
#if DOCA_VERSION_MINOR < 6
    first_names(rxq);
#endif
    CHECK(doca_eth_rxq_destroy(rxq) == OK && doca_eth_txq_destroy(txq) == OK);
}
#endif

int main(void)
{
    struct end a = {0}, b = {0};
    double rate = 0;
    dev = open_device("mlx5_0");
    CHECK(doca_devinfo_get_active_rate(doca_dev_as_devinfo(dev), &rate) == OK);
    CHECK(doca_devinfo_get_active_rate(doca_dev_as_devinfo(dev), NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_pe_create(&pe) == OK);
    CHECK(doca_buf_inventory_create(8, &inventory) == OK &&
          doca_buf_inventory_start(inventory) == OK);
    end_open(&a);
    end_open(&b);
    CHECK(doca_rdma_connect(a.rdma, b.details, b.size) == OK);
    CHECK(state_of(&a) == DOCA_CTX_STATE_RUNNING && state_of(&b) == DOCA_CTX_STATE_STARTING);
    CHECK(doca_rdma_connect(b.rdma, a.details, a.size) == OK);
    tasks(&a, &b);
    end_close(&a);
    end_close(&b);
#if DOCA_VERSION_MINOR < 7
    waits();
    frames();
#endif
    CHECK(doca_buf_inventory_destroy(inventory) == OK && doca_pe_destroy(pe) == OK);
    CHECK(doca_dev_close(dev) == OK);
    printf("DOCA %s: %u tasks, %g Gb/s\n", doca_version(), done, rate);
    return 0;
}
