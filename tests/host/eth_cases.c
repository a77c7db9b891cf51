/* Frames, queues and pipes of DOCA Ethernet, and peers that are killed. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eth_world.h"
#include "rounds.h"

/* ---- Frames ---- */

void frames_arrive_and_tell_of_themselves(void)
{
    uint8_t ok = 0;
    const uint32_t *metadata = NULL;
    uint32_t tag = 0;
    uint64_t time = 0;
    world_open("mlx5_0");
    receiver_start();
    sender_start();
    struct doca_buf *b = udp_frame(), *to = buf(8, 0);
    receive_into(to);
    CHECK(send_frame(b) == OK);
    await(&w.came, 1);
    size_t size = 0;
    CHECK(doca_buf_get_data_len(to, &size) == OK && size == 114);
    CHECK(memcmp(w.memory + 8 * FRAME, w.memory, 24) == 0);
    CHECK(memcmp(w.memory + 8 * FRAME + 42, w.memory + 42, 114 - 42) == 0);
    CHECK(doca_eth_rxq_task_recv_get_l3_ok(w.last, &ok) == OK && ok == 1);
    CHECK(doca_eth_rxq_task_recv_get_l4_ok(w.last, &ok) == OK && ok == 1);
    CHECK(doca_eth_rxq_task_recv_get_metadata_array(w.last, &metadata) == OK);
    CHECK(metadata[0] == METADATA);
    CHECK(doca_eth_rxq_task_recv_get_timestamp(w.last, &time) == OK && time > 0);
    CHECK(doca_eth_rxq_task_recv_get_flow_tag(w.last, &tag) == DOCA_ERROR_BAD_STATE);
    await(&w.sent, 1);
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(w.last));
    CHECK(doca_buf_dec_refcount(b, NULL) == OK && doca_buf_dec_refcount(to, NULL) == OK);
    world_close();
}

/* The card would write further: the task fails, those after it are given back, and the queue stops. */
void a_frame_that_does_not_fit_stops_the_queue(void)
{
    world_open("mlx5_0");
    receiver_start();
    sender_start();
    struct doca_buf *b = udp_frame(), *small = NULL, *to = buf(9, 0);
    CHECK(doca_buf_inventory_buf_get_by_addr(w.bufs, w.map, w.memory + 8 * FRAME, 100, &small) ==
          OK);
    memset(w.memory + 8 * FRAME, 0xee, FRAME);
    receive_into(small);
    receive_into(to);
    CHECK(send_frame(b) == OK);
    await(&w.failed, 2);
    CHECK(w.status == DOCA_ERROR_IO_FAILED && w.came == 0);
    for (unsigned i = 100; i < FRAME; i++)
        CHECK(w.memory[8 * FRAME + i] == 0xee);
    while (state_of(doca_eth_rxq_as_doca_ctx(w.rxq)) != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(w.pe);
    await(&w.sent, 1);
    CHECK(doca_buf_dec_refcount(small, NULL) == OK && doca_buf_dec_refcount(to, NULL) == OK);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    world_close();
}

void queues_stop_with_tasks_in_flight(void)
{
    struct doca_buf *bufs[TASKS];
    world_open("mlx5_0");
    receiver_start();
    for (unsigned i = 0; i < TASKS; i++)
        receive_into(bufs[i] = buf(i, 0));
    stop(doca_eth_rxq_as_doca_ctx(w.rxq));
    CHECK(w.failed == TASKS && w.came == 0 && w.status == DOCA_ERROR_BAD_STATE);
    for (unsigned i = 0; i < TASKS; i++)
        CHECK(doca_buf_dec_refcount(bufs[i], NULL) == OK);
    world_close();
}

/* 60 bytes of data leave in frames of 25, 25 and 10, and in one of 60 by a batch. */
void tasks_have_an_mss_of_their_own(void)
{
    static const size_t sizes[] = {25, 25, 10, 60};
    struct doca_gather_list headers, **lists = NULL;
    struct doca_eth_txq_task_lso_send *t = NULL;
    struct doca_task_batch *batch = NULL;
    struct doca_buf *to[4], **pkts = NULL;
    union doca_data *data = NULL;
    uint16_t *mss = NULL;
    world_open("mlx5_0");
    w.stops = true;
    receiver_start();
    sender_start();
    struct doca_buf *b = tcp_data(&headers, 60);
    for (unsigned i = 0; i < 4; i++)
        receive_into(to[i] = buf(8 + i, 0));
    CHECK(doca_eth_txq_task_lso_send_allocate_init(w.txq, b, &headers, (union doca_data){0}, &t) ==
          OK);
    doca_eth_txq_task_lso_send_set_mss(t, 25);
    doca_eth_txq_task_lso_send_set_mss(t, 0); /* ignored */
    CHECK(doca_task_submit(doca_eth_txq_task_lso_send_as_doca_task(t)) == OK);
    await(&w.came, 3);
    CHECK(doca_eth_txq_task_batch_lso_send_allocate(w.txq, 1, (union doca_data){0}, &pkts, &lists,
                                                    &data, &batch) == OK);
    pkts[0] = b;
    lists[0] = &headers;
    CHECK(doca_eth_txq_task_batch_lso_send_get_mss_array(batch, &mss) == OK && mss[0] == 1500);
    mss[0] = 0;
    CHECK(doca_task_batch_submit(batch) == DOCA_ERROR_INVALID_VALUE);
    mss[0] = 60;
    CHECK(doca_task_batch_submit(batch) == OK);
    await(&w.came, 4);
    await(&w.sent, 2);
    for (unsigned i = 0; i < 4; i++) {
        size_t size = 0;
        CHECK(doca_buf_get_data_len(to[i], &size) == OK && size == 54 + sizes[i]);
        CHECK(doca_buf_dec_refcount(to[i], NULL) == OK);
    }
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    world_close();
}

/* A task has metadata only if its queue was set up for it, and never offload flags. */
void tasks_have_metadata_and_no_flags(void)
{
    struct doca_eth_txq_task_send *t = NULL;
    struct doca_task_batch *batch = NULL;
    struct doca_buf **pkts = NULL;
    union doca_data *data = NULL;
    uint32_t *metadata = NULL;
    uint16_t *flags = NULL;
    uint8_t most = 0;
    world_open("mlx5_0");
    CHECK(doca_eth_txq_cap_get_max_metadata_num(doca_dev_as_devinfo(w.dev), &most) == OK);
    CHECK(most == 1);
    sender_start();
    struct doca_buf *b = udp_frame();
    struct doca_ctx *ctx = doca_eth_txq_as_doca_ctx(w.txq);
    CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t) == OK);
    CHECK(doca_eth_txq_task_send_get_metadata_array(t, &metadata) == DOCA_ERROR_BAD_STATE);
    doca_task_free(doca_eth_txq_task_send_as_doca_task(t));
    stop(ctx);
    CHECK(doca_eth_txq_set_metadata_num(w.txq, 2) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_eth_txq_set_metadata_num(w.txq, 1) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t) == OK);
    CHECK(doca_eth_txq_task_send_get_metadata_array(t, &metadata) == OK && metadata[0] == 0);
    metadata[0] = METADATA;
    doca_eth_txq_task_send_set_ol_flags(t, 1);
    CHECK(doca_task_submit(doca_eth_txq_task_send_as_doca_task(t)) == DOCA_ERROR_NOT_SUPPORTED);
    doca_eth_txq_task_send_set_ol_flags(t, 0);
    CHECK(doca_task_submit(doca_eth_txq_task_send_as_doca_task(t)) == OK);
    await(&w.sent, 1);
    CHECK(doca_eth_txq_task_batch_send_allocate(w.txq, 1, (union doca_data){0}, &pkts, &data,
                                                &batch) == OK);
    pkts[0] = b;
    CHECK(doca_eth_txq_task_batch_send_get_metadata_array(batch, &metadata) == OK);
    CHECK(doca_eth_txq_task_batch_send_get_ol_flags_array(batch, &flags) == OK && flags[0] == 0);
    metadata[0] = METADATA;
    flags[0] = 1;
    CHECK(doca_task_batch_submit(batch) == DOCA_ERROR_NOT_SUPPORTED);
    flags[0] = 0;
    CHECK(doca_task_batch_submit(batch) == OK);
    await(&w.sent, 2);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    world_close();
}

void a_queue_that_runs_gets_more_tasks(void)
{
    struct doca_eth_txq_task_send *t[TASKS + 1] = {NULL};
    world_open("mlx5_0");
    sender_start();
    struct doca_buf *b = udp_frame();
    for (unsigned i = 0; i < TASKS; i++)
        CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t[i]) == OK);
    CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t[TASKS]) ==
          DOCA_ERROR_NO_MEMORY);
    CHECK(doca_eth_txq_task_send_num_expand(w.txq, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_task_send_num_expand(w.txq, UINT32_MAX) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_task_send_num_expand(w.txq, 1) == OK);
    CHECK(doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t[TASKS]) == OK);
    CHECK(doca_task_submit(doca_eth_txq_task_send_as_doca_task(t[TASKS])) == OK);
    await(&w.sent, 1);
    for (unsigned i = 0; i < TASKS; i++)
        doca_task_free(doca_eth_txq_task_send_as_doca_task(t[i]));
    stop(doca_eth_txq_as_doca_ctx(w.txq));
    CHECK(doca_eth_txq_task_send_num_expand(w.txq, 1) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    world_close();
}

/* ---- What is refused ---- */

void sends_that_cannot_be_are_refused(void)
{
    struct doca_buf *good, *empty, *pair, **pkts = NULL;
    struct doca_eth_txq_task_lso_send *large = NULL;
    struct doca_task_batch *batch = NULL;
    union doca_data *data = NULL;
    world_open("mlx5_0");
    sender_start();
    good = udp_frame();
    empty = buf(1, 0);
    CHECK(send_frame(empty) == DOCA_ERROR_INVALID_VALUE);
    CHECK(send_frame(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_buf_chain_list(empty, pair = buf(2, 60)) == OK); /* the queue has lists of one */
    CHECK(doca_buf_set_data(empty, w.memory + FRAME, 60) == OK);
    CHECK(send_frame(empty) == DOCA_ERROR_INVALID_VALUE);

    struct doca_gather_list headers = {.addr = w.memory, .len = 75}; /* one more than were set up */
    CHECK(doca_eth_txq_task_lso_send_allocate_init(w.txq, good, &headers, (union doca_data){0},
                                                   &large) == OK);
    struct doca_task *t = doca_eth_txq_task_lso_send_as_doca_task(large);
    CHECK(doca_task_submit(t) == DOCA_ERROR_INVALID_VALUE);
    headers = (struct doca_gather_list){.addr = NULL, .len = 54};
    CHECK(doca_task_submit(t) == DOCA_ERROR_INVALID_VALUE);
    headers = (struct doca_gather_list){.addr = w.memory, .len = UINT64_MAX};
    CHECK(doca_task_submit(t) == DOCA_ERROR_INVALID_VALUE);
    doca_task_free(t);

    /* One of a batch is bad: none is sent, and the queue has as much room as before. */
    for (unsigned i = 0; i < 100; i++) {
        CHECK(doca_eth_txq_task_batch_send_allocate(w.txq, 16, (union doca_data){0}, &pkts, &data,
                                                    &batch) == OK);
        for (unsigned k = 0; k < 15; k++)
            pkts[k] = good;
        CHECK(doca_task_batch_submit(batch) == DOCA_ERROR_INVALID_VALUE); /* the last is NULL */
        doca_task_batch_free(batch);
    }
    CHECK(doca_eth_txq_task_batch_send_allocate(w.txq, 17, (union doca_data){0}, &pkts, &data,
                                                &batch) == DOCA_ERROR_INVALID_VALUE);
    CHECK(w.sent == 0 && send_frame(good) == OK);
    await(&w.sent, 1);
    CHECK(doca_buf_dec_refcount(good, NULL) == OK && doca_buf_dec_refcount(empty, NULL) == OK);
    world_close();
}

void settings_out_of_range_are_refused(void)
{
    struct doca_eth_rxq *r = NULL;
    struct doca_eth_txq *t = NULL;
    uint32_t size = 0;
    uint16_t id = 0;
    world_open("mlx5_0");
    CHECK(doca_eth_rxq_create(w.dev, 0, FRAME, &r) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_create(w.dev, 1 << 20, FRAME, &r) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_create(w.dev, 1, UINT32_MAX, &r) == DOCA_ERROR_INVALID_VALUE && !r);
    CHECK(doca_eth_rxq_create(w.dev, 4, FRAME, &r) == OK);
    CHECK(doca_eth_rxq_set_type(r, DOCA_ETH_RXQ_TYPE_CYCLIC) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(r)) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_eth_rxq_set_type(r, DOCA_ETH_RXQ_TYPE_REGULAR) == OK);
    CHECK(doca_eth_rxq_set_metadata_num(r, 2) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_eth_rxq_set_flow_tag(r, 2) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_set_max_burst_size(r, 1 << 20) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_set_max_packet_size(r, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_set_notification_moderation(r, 1, 1) == DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_eth_rxq_set_max_recv_buf_list_len(r, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_rxq_set_max_recv_buf_list_len(r, 1000) == DOCA_ERROR_INVALID_VALUE);
    struct doca_ctx *ctx = doca_eth_rxq_as_doca_ctx(r);
    CHECK(doca_pe_connect_ctx(w.pe, ctx) == OK);
    CHECK(doca_ctx_start(ctx) == DOCA_ERROR_BAD_CONFIG); /* neither tasks nor events */
    CHECK(doca_eth_rxq_destroy(r) == OK);

    CHECK(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, UINT32_MAX,
                                                UINT16_MAX, 1, 1, 0, UINT16_MAX, UINT16_MAX,
                                                &size) == DOCA_ERROR_TOO_BIG);
    CHECK(doca_eth_txq_create(w.dev, 0, &t) == DOCA_ERROR_INVALID_VALUE && !t);
    CHECK(doca_eth_txq_create(w.dev, 32768, &t) == OK);
    CHECK(doca_eth_txq_set_mss(t, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_set_max_lso_header_size(t, 257) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_set_max_send_buf_list_len(t, 17) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_set_max_send_buf_list_len(t, 16) == OK);
    CHECK(doca_eth_txq_task_send_set_conf(t, on_sent, on_sent, 1) == OK);
    ctx = doca_eth_txq_as_doca_ctx(t);
    CHECK(doca_pe_connect_ctx(w.pe, ctx) == OK);
    CHECK(doca_ctx_start(ctx) ==
          DOCA_ERROR_INVALID_VALUE); /* a ring cannot have so many long lists */
    CHECK(doca_eth_txq_set_max_burst_size(t, 0) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_eth_txq_set_max_burst_size(t, 64) == OK && doca_ctx_start(ctx) == OK);
    CHECK(doca_eth_txq_set_max_burst_size(t, 64) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_eth_txq_get_flow_queue_id(t, &id) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_eth_txq_apply_queue_id(t, 3) == OK);
    CHECK(doca_eth_txq_get_flow_queue_id(t, &id) == OK && id == 3);
    CHECK(doca_eth_txq_destroy(t) == OK);
    world_close();
}

static void on_managed(struct doca_eth_rxq_event_managed_recv *event, struct doca_buf *pkt,
                       union doca_data data)
{
    (void)event, (void)pkt, (void)data;
}

/* What starting a managed queue says of memory at a place of the map. */
static doca_error_t managed_start(uint32_t offset, uint32_t size)
{
    struct doca_eth_rxq *r = NULL;
    CHECK(doca_eth_rxq_create(w.dev, 1, 1, &r) == OK);
    CHECK(doca_eth_rxq_set_max_burst_size(r, 4) == OK);
    CHECK(doca_eth_rxq_set_max_packet_size(r, FRAME) == OK);
    CHECK(doca_eth_rxq_set_type(r, DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL) == OK);
    CHECK(doca_eth_rxq_event_managed_recv_register(r, (union doca_data){0}, on_managed,
                                                   on_managed) == OK);
    CHECK(doca_eth_rxq_set_pkt_buf(r, w.map, offset, size) == OK);
    CHECK(doca_pe_connect_ctx(w.pe, doca_eth_rxq_as_doca_ctx(r)) == OK);
    const doca_error_t result = doca_ctx_start(doca_eth_rxq_as_doca_ctx(r));
    CHECK(doca_eth_rxq_destroy(r) == OK);
    return result;
}

void memory_of_managed_queues_is_checked(void)
{
    world_open("mlx5_0");
    CHECK(managed_start(0, ROOM) == OK);
    CHECK(managed_start(0, FRAME) == DOCA_ERROR_INVALID_VALUE); /* no room to align a frame */
    CHECK(managed_start(ROOM - FRAME, 4 * FRAME) != OK);
    CHECK(managed_start(UINT32_MAX - 64, 4096) != OK);
    CHECK(doca_mmap_stop(w.map) == OK);
    CHECK(managed_start(0, ROOM) != OK);
    CHECK(doca_mmap_set_permissions(w.map, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY) == OK);
    CHECK(doca_mmap_start(w.map) == OK && managed_start(0, ROOM) == DOCA_ERROR_NOT_PERMITTED);
    world_close();
}

/* ---- Pipes ---- */

void pipes_lead_to_queues_that_are_there(void)
{
    struct doca_eth_rxq *other = NULL;
    world_open("mlx5_0");
    receiver_start();
    sender_start();
    struct doca_buf *b = udp_frame();
    struct doca_flow_pipe *first = w.pipe;
    CHECK(lead_to(QUEUE + 1) == DOCA_ERROR_NOT_FOUND);
    w.pipe = first;
    CHECK(doca_eth_rxq_apply_queue_id(w.rxq, QUEUE + 1) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_eth_rxq_create(w.dev, 1, FRAME, &other) == OK);
    CHECK(doca_eth_rxq_task_recv_set_conf(other, on_came, on_lost, 1) == OK);
    CHECK(doca_pe_connect_ctx(w.pe, doca_eth_rxq_as_doca_ctx(other)) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(other)) == OK);
    CHECK(doca_eth_rxq_apply_queue_id(other, QUEUE) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_eth_rxq_destroy(other) == OK);

    /* The queue goes, and frames to it are dropped. */
    CHECK(doca_eth_rxq_destroy(w.rxq) == OK);
    w.rxq = NULL;
    for (unsigned i = 1; i <= 8; i++) {
        CHECK(send_frame(b) == OK);
        await(&w.sent, i);
    }
    CHECK(w.came == 0 && doca_buf_dec_refcount(b, NULL) == OK);
    world_close();
}

void a_stopped_port_gets_no_pipe(void)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    struct doca_flow_pipe *pipe = NULL;
    const struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP};
    world_open("mlx5_0");
    port_open();
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    CHECK(doca_flow_port_stop(w.port) == OK);
    CHECK(doca_flow_pipe_create(cfg, &drop, NULL, &pipe) == DOCA_ERROR_BAD_STATE && !pipe);
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    w.port = NULL;
    world_close();
}

static struct doca_flow_pipe *pipe_to(const struct doca_flow_fwd *fwd)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    struct doca_flow_pipe *pipe = NULL;
    const struct doca_flow_match all = {0};
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    CHECK(doca_flow_pipe_cfg_set_match(cfg, &all, NULL) == OK);
    CHECK(doca_flow_pipe_create(cfg, fwd, NULL, &pipe) == OK);
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    return pipe;
}

static doca_error_t add_to(struct doca_flow_pipe *pipe)
{
    const struct doca_flow_match all = {0};
    struct doca_flow_pipe_entry *entry = NULL;
    return doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, 0, NULL, &entry);
}

/* The device is free afterwards: world_close closes it. */
void a_port_that_stops_destroys_its_pipes(void)
{
    world_open("mlx5_0");
    port_open();
    struct doca_flow_pipe *last = pipe_to(&(struct doca_flow_fwd){.type = DOCA_FLOW_FWD_DROP});
    struct doca_flow_pipe *first =
        pipe_to(&(struct doca_flow_fwd){.type = DOCA_FLOW_FWD_PIPE, .next_pipe = last});
    CHECK(add_to(last) == OK && add_to(first) == OK);
    CHECK(doca_flow_port_stop(w.port) == OK);
    CHECK(add_to(first) == DOCA_ERROR_INVALID_VALUE && add_to(last) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_port_stop(w.port) == DOCA_ERROR_INVALID_VALUE);
    w.port = NULL;
    world_close();
}

/* Adds entries until the pipe is gone. */
static void *add_entries(void *pipe)
{
    const struct doca_flow_match all = {0};
    const struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP};
    struct doca_flow_pipe_entry *entry = NULL;
    doca_error_t result = OK;
    while (result == OK)
        result = doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, &drop, 0, NULL, &entry);
    CHECK(result == DOCA_ERROR_INVALID_VALUE && !entry);
    return NULL;
}

void pipes_go_while_entries_come(void)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    const struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP};
    world_open("mlx5_0");
    port_open();
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    for (unsigned i = 0; i < 200; i++) {
        pthread_t threads[2];
        struct doca_flow_pipe *pipe = NULL;
        CHECK(doca_flow_pipe_create(cfg, &drop, NULL, &pipe) == OK);
        for (unsigned t = 0; t < 2; t++)
            CHECK(pthread_create(&threads[t], NULL, add_entries, pipe) == 0);
        usleep(i * 10);
        doca_flow_pipe_destroy(pipe);
        for (unsigned t = 0; t < 2; t++)
            CHECK(pthread_join(threads[t], NULL) == 0);
    }
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    world_close();
}

/* ---- Peers that die ---- */

/* This program again, with a case that continues until it is killed; it has written a byte when it has
 * begun. */
static pid_t spawn(const char *live)
{
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ready[1], STDOUT_FILENO);
        execl("/proc/self/exe", "cases", live, NULL);
        _exit(1);
    }
    close(ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    return pid;
}

static void end(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

void live_receiver(void)
{
    world_open("mlx5_1");
    receiver_start();
    receive_into(buf(8, 0));
    CHECK(write(STDOUT_FILENO, "", 1) == 1);
    for (unsigned seen = 0;; seen = w.came) {
        await(&w.came, seen + 1);
        receive_again();
    }
}

void live_sender(void)
{
    world_open("mlx5_0");
    sender_start();
    struct doca_buf *b = udp_frame();
    CHECK(write(STDOUT_FILENO, "", 1) == 1);
    for (;;) {
        send_frame(b);
        doca_pe_progress(w.pe);
    }
}

/* As spawn, without waiting; this process has opened nothing. */
static pid_t begin(void (*live)(void))
{
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        live();
        _exit(1);
    }
    return pid;
}

/* One side is killed at any moment, from its first call on, while the other lives on. */
static void killed_in_rounds(void (*killed)(void), void (*other)(void))
{
    const pid_t survivor = begin(other);
    for (unsigned i = 0, n = rounds(150); i < n; i++) {
        const pid_t pid = begin(killed);
        usleep(300 + i * 7919 % 12000);
        CHECK(waitpid(pid, NULL, WNOHANG) == 0); /* it did not end by itself */
        end(pid);
        CHECK(waitpid(survivor, NULL, WNOHANG) == 0);
    }
    end(survivor);
}

void either_side_is_killed_at_any_step(void)
{
    killed_in_rounds(live_receiver, live_sender);
    killed_in_rounds(live_sender, live_receiver);
    const pid_t pid = begin(live_sender); /* everything continues as before */
    world_open("mlx5_1");
    receiver_start();
    struct doca_buf *to = buf(8, 0);
    receive_into(to);
    for (unsigned i = 1; i <= 5; i++) {
        await(&w.came, i);
        CHECK(w.memory[8 * FRAME + 113] == 113);
        receive_again();
    }
    end(pid);
    w.stops = true;
    stop(doca_eth_rxq_as_doca_ctx(w.rxq));
    CHECK(doca_buf_dec_refcount(to, NULL) == OK);
    world_close();
}

/* Sends succeed with and without a receiver. */
void receivers_are_killed(void)
{
    for (unsigned round = 0; round < 20; round++) {
        const pid_t pid = spawn("live_receiver");
        if (round == 0) {
            world_open("mlx5_0");
            sender_start();
        }
        struct doca_buf *b = udp_frame();
        for (unsigned i = 0; i < 200; i++) {
            const unsigned before = w.sent;
            CHECK(send_frame(b) == OK);
            if (i == 10 * round % 200)
                end(pid);
            await(&w.sent, before + 1);
        }
        CHECK(w.failed == 0 && doca_buf_dec_refcount(b, NULL) == OK);
    }
    world_close();
}

/* A receiver gets frames of the next sender, and whole ones alone. */
void senders_are_killed(void)
{
    world_open("mlx5_1");
    receiver_start();
    struct doca_buf *to = buf(8, 0);
    receive_into(to);
    pid_t pid = spawn("live_sender");
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 5; i++) {
            size_t size = 0;
            await(&w.came, w.came + 1);
            CHECK(doca_buf_get_data_len(to, &size) == OK && size == 114);
            CHECK(w.memory[8 * FRAME + 113] == 113);
            receive_again();
        }
        end(pid);
        pid = spawn("live_sender");
    }
    end(pid);
    w.stops = true;
    stop(doca_eth_rxq_as_doca_ctx(w.rxq));
    CHECK(doca_buf_dec_refcount(to, NULL) == OK);
    world_close();
}
