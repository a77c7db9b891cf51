/* queues_main DEVICE QUEUES [static|host|shared]: threads of the DPA with queues that the packet examples make
 * (examples/common/packets.c); what the threads do is the device program's. It runs until it is killed.
 *   static   the host writes all WQEs before, for a device program that never writes one
 *   host     packets lie in memory of the host: huge pages, or others where there are no huge ones
 *   shared   the first thread has RECEIVERS receive queues, with one completion queue, and a send queue for WQEs of
 *            several packets */
#include "packets.h"
#include "packets_test_com.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE  (2u << 20)
#define MUST(call) packets_must(#call, call)

extern flexio_func_t handle_packets;
static struct packets_device device;
static struct more more;

static void copy(const void *from, size_t size, flexio_uintptr_t to)
{
    MUST(flexio_host2dev_memcpy(device.process, (void *)(uintptr_t)from, size, to));
}

static flexio_uintptr_t memory(size_t size)
{
    flexio_uintptr_t at = 0;
    MUST(flexio_buf_dev_alloc(device.process, size, &at));
    MUST(flexio_buf_dev_memset(device.process, 0, size, at));
    return at;
}

/* Makes all receives of a ring: into packets that lie one after the other. */
static void write_receives(flexio_uintptr_t ring, uint32_t key, uint64_t packets)
{
    struct mlx5_wqe_data_seg segments[DEPTH];
    for (uint32_t i = 0; i < DEPTH; i++)
        mlx5dv_set_data_seg(&segments[i], PACKET_SIZE, key, packets + i * PACKET_SIZE);
    copy(segments, sizeof segments, ring);
}

/* ---- static ---- */

/* A send from each of the packets, without a completion. All have the index 0: cards do not look at it. */
static void write_sends(const struct packets *q)
{
    static uint32_t ring[DEPTH][16];
    for (uint32_t i = 0; i < DEPTH; i++) {
        ring[i][0] = htobe32(MLX5_OPCODE_SEND);
        ring[i][1] = htobe32(q->sqn << 8 | 3);
        mlx5dv_set_data_seg((struct mlx5_wqe_data_seg *)(void *)&ring[i][8], PACKET_SIZE, q->key,
                            q->packets + i * PACKET_SIZE);
    }
    copy(ring, sizeof ring, q->sends);
}

/* ---- host ---- */

/* As programs do that run with and without huge pages. */
static void *host_memory(size_t size)
{
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, how | MAP_HUGETLB, -1, 0);
    if (at != MAP_FAILED)
        return at;
    perror("huge pages, so ordinary ones are taken");
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, how, -1, 0);
    if (at == MAP_FAILED)
        packets_give_up("mmap");
    return at;
}

static void move_to_host(struct packets *q)
{
    struct ibv_pd *pd = flexio_process_get_pd(device.process);
    struct flexio_window *window;
    void *at = host_memory(HUGE_PAGE);
    struct ibv_mr *mr = ibv_reg_mr(pd, at, HUGE_PAGE, IBV_ACCESS_LOCAL_WRITE);
    if (!mr)
        packets_give_up("ibv_reg_mr");
    MUST(flexio_window_create(device.process, pd, &window));
    more.window = flexio_window_get_id(window);
    q->packets = (uintptr_t)at;
    q->key = mr->lkey;
    write_receives(q->receives, q->key, q->packets);
}

/* ---- shared ---- */

static void add_receiver(const struct packets *first, uint32_t index)
{
    struct receiver *r = &more.receivers[index];
    const uint32_t record[2] = {htobe32(DEPTH), 0};
    struct flexio_mkey *key;
    const flexio_uintptr_t ring = memory(DEPTH * sizeof(struct mlx5_wqe_data_seg));
    r->packets = memory(DEPTH * PACKET_SIZE);
    r->record = memory(sizeof record);
    struct flexio_mkey_attr how = {.pd = flexio_process_get_pd(device.process),
                                   .daddr = r->packets,
                                   .len = DEPTH * PACKET_SIZE,
                                   .access = IBV_ACCESS_LOCAL_WRITE};
    MUST(flexio_device_mkey_create(device.process, &how, &key));
    r->key = flexio_mkey_get_id(key);
    write_receives(ring, r->key, r->packets);
    copy(record, sizeof record, r->record);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .user_index = index,
                                  .pd = how.pd,
                                  .wq_ring_qmem = {.daddr = ring},
                                  .wq_dbr_qmem = {.daddr = r->record}};
    MUST(flexio_rq_create(device.process, NULL, first->receive_cqn, &attr,
                          &device.queues[index].rq));
}

static void share(struct packets *q)
{
    struct flexio_sq *sq;
    more.receivers[0] =
        (struct receiver){.packets = q->packets, .record = q->receives_record, .key = q->key};
    for (uint32_t i = 1; i < RECEIVERS; i++)
        add_receiver(q, i);
    device.count = RECEIVERS; /* over which packets are spread */
    q->sends = memory(DEPTH * 64);
    struct flexio_wq_attr attr = {.log_wq_depth = LOG_DEPTH,
                                  .pd = flexio_process_get_pd(device.process),
                                  .sq = {.allow_multi_pkt_send_wqe = 1},
                                  .wq_ring_qmem = {.daddr = q->sends}};
    MUST(flexio_sq_create(device.process, NULL, flexio_cq_get_cq_num(device.queues[0].send_cq),
                          &attr, &sq));
    q->sqn = flexio_sq_get_wq_num(sq);
}

int main(int argc, char **argv)
{
    const unsigned queues = argc >= 3 ? (unsigned)atoi(argv[2]) : 0;
    const char *how = argc == 4 ? argv[3] : "";
    if (queues < 1 || queues > QUEUES_MAX)
        return fprintf(stderr, "usage: queues_main DEVICE QUEUES [static|host|shared]\n"), 2;
    packets_open(&device, argv[1], "packets_app", &handle_packets, queues, sizeof more);
    struct packets *first = &device.queues[0].at;
    for (unsigned i = 0; strcmp(how, "static") == 0 && i < queues; i++)
        write_sends(&device.queues[i].at);
    if (strcmp(how, "host") == 0)
        move_to_host(first);
    if (strcmp(how, "shared") == 0)
        share(first);
    copy(&more, sizeof more, device.user);
    copy(first, sizeof *first, device.at);
    packets_steer(&device);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
