/* DOCA RDMA on the host: tasks between two contexts. */
#include "doca3_rdma_tasks.h"

static void tasks_send_and_receive(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_rdma_task_send *send;
    struct doca_rdma_task_send_imm *imm;
    connect_ends(a, b);
    memcpy(a->memory, (uint64_t[]){1, 2, 3}, 24);
    /* Of a list, into a list. */
    struct doca_buf *from = buf(a, a->map, a->memory, 2, 2),
                    *more = buf(a, a->map, a->memory + 2, 1, 1);
    struct doca_buf *to = buf(b, b->map, b->memory + 8, 2, 1),
                    *rest = buf(b, b->map, b->memory + 16, 4, 0);
    CHECK(doca_buf_chain_list(from, more) == OK && doca_buf_chain_list(to, rest) == OK);
    receive(b, to);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, b->connection, from, five, &send) == INVALID);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, a->connection, from, five, &send) == OK);
    CHECK(doca_rdma_task_send_get_rdma_connection(send) == a->connection);
    CHECK(doca_rdma_task_receive_as_task((void *)send) == NULL); /* of another type */
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    await(a, b, &a->completed, 1);
    await(a, b, &b->completed, 1);
    CHECK(b->memory[9] == 1 && b->memory[16] == 2 && b->memory[17] == 3);
    CHECK(data_of(to) == 2 && data_of(rest) == 2);
    CHECK(doca_rdma_task_receive_get_result_len(b->received) == 24);
    received(b, DOCA_RDMA_OPCODE_RECV_SEND, 0);
    /* Without bytes; and the sender waits for a receive. */
    CHECK(doca_rdma_task_send_imm_allocate_init(a->rdma, a->connection, NULL, htobe32(9), five,
                                                &imm) == OK);
    CHECK(doca_rdma_task_send_imm_get_immediate_data(imm) == htobe32(9));
    CHECK(doca_task_submit(doca_rdma_task_send_imm_as_task(imm)) == OK);
    for (int i = 0; i < 5; i++)
        turn(a, b);
    CHECK(a->completed == 1);
    receive(b, NULL);
    await(a, b, &a->completed, 2);
    await(a, b, &b->completed, 2);
    received(b, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, htobe32(9));
    /* A send that is too long for the receive ends the connection. */
    receive(b, rest);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, a->connection, from, five, &send) == OK);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    await(a, b, &a->failed, 1);
    await(a, b, &b->failed, 1);
    CHECK(a->status == DOCA_ERROR_IO_FAILED && b->status == DOCA_ERROR_IO_FAILED);
    drop(from); /* with the rest of its list */
    drop(to);
    end_destroy(a);
    end_destroy(b);
}

/* A context accepts settings while it is idle, and returns them always. */
static void rdma_contexts_keep_their_settings(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    enum doca_rdma_transport_type transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
    enum doca_mtu_size mtu;
    struct doca_gpu_dev_rdma *gpu = (void *)a;
    struct doca_rdma_gid gids[4] = {0};
    uint32_t n = 0;
    uint16_t many = 0;
    uint8_t few = 9;
    CHECK(doca_rdma_set_mtu(a->rdma, DOCA_MTU_SIZE_RAW_ETHERNET) == INVALID);
    CHECK(doca_rdma_set_mtu(a->rdma, DOCA_MTU_SIZE_4K_BYTES) == OK);
    CHECK(doca_rdma_get_mtu(a->rdma, &mtu) == OK && mtu == DOCA_MTU_SIZE_4K_BYTES);
    CHECK(doca_rdma_get_mtu(b->rdma, &mtu) == OK && mtu == DOCA_MTU_SIZE_1K_BYTES);
    CHECK(doca_rdma_set_max_send_buf_list_len(a->rdma, 17) == INVALID);
    CHECK(doca_rdma_set_max_send_buf_list_len(a->rdma, 16) == OK);
    CHECK(doca_rdma_get_max_send_buf_list_len(a->rdma, &n) == OK && n == 16);
    CHECK(doca_rdma_task_receive_set_dst_buf_list_len(a->rdma, 3) == OK);
    CHECK(doca_rdma_task_receive_get_dst_buf_list_len(a->rdma, &n) == OK && n == 3);
    CHECK(doca_rdma_set_sl(a->rdma, 16) == INVALID && doca_rdma_set_sl(a->rdma, 5) == OK);
    CHECK(doca_rdma_get_sl(a->rdma, &n) == OK && n == 5);
    CHECK(doca_rdma_set_gid_index(a->rdma, 255) == INVALID);
    CHECK(doca_rdma_set_gid_index(a->rdma, 3) == OK);
    CHECK(doca_rdma_get_gid_index(a->rdma, &n) == OK && n == 3);
    CHECK(doca_rdma_set_grh_enabled(a->rdma, 1) == OK);
    CHECK(doca_rdma_get_grh_enabled(a->rdma, &few) == OK && few == 1);
    CHECK(doca_rdma_set_connection_request_timeout(a->rdma, 700) == OK);
    CHECK(doca_rdma_get_connection_request_timeout(a->rdma, &many) == OK && many == 700);
    CHECK(doca_rdma_set_max_num_connections(a->rdma, 300) == OK);
    CHECK(doca_rdma_get_max_num_connections(a->rdma, &many) == OK && many == 300);
    CHECK(doca_rdma_get_transport_type(a->rdma, &transport) == OK && transport == 0);
    CHECK(doca_rdma_get_gpu_handle(a->rdma, &gpu) == DOCA_ERROR_NOT_SUPPORTED && gpu == NULL);
    CHECK(doca_rdma_set_rnr_retry_count(a->rdma, 8) == INVALID);
    CHECK(doca_rdma_get_rnr_retry_count(a->rdma, &few) == OK && few == 7);
    CHECK(doca_rdma_cap_get_gid_table_size(info, &n) == OK && n == 255);
    CHECK(doca_rdma_cap_get_gid(info, 254, 2, gids) == INVALID);
    CHECK(doca_rdma_cap_get_gid(info, 0, 4, gids) == OK && gids[1].raw[0] == 0xfe);
    CHECK(gids[3].raw[0] == 0 && gids[3].raw[10] == 0xff);
    CHECK(doca_rdma_cap_get_gid(info, 254, 1, gids) == OK && gids[0].raw[10] == 0);
    CHECK(doca_rdma_cap_get_max_message_size(info, &n) == OK && n == 1u << 30);
    connect_ends(a, b);
    CHECK(doca_rdma_set_mtu(a->rdma, DOCA_MTU_SIZE_1K_BYTES) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_rdma_get_mtu(a->rdma, &mtu) == OK && mtu == DOCA_MTU_SIZE_4K_BYTES);
    end_destroy(a);
    end_destroy(b);
}

/* A message is tried again as often as the sender says, and then its connection has ended. */
static void messages_without_a_receive_are_given_up(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_rdma_task_send *send;
    CHECK(doca_rdma_set_rnr_retry_count(a->rdma, 2) == OK);
    connect_ends(a, b);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, a->connection, NULL, five, &send) == OK);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    await(a, b, &a->failed, 1);
    CHECK(a->status == DOCA_ERROR_IO_FAILED && b->completed == 0);
    end_destroy(a);
    end_destroy(b);
}

/* From one connection of its context to another one. */
static void tasks_change_their_connection(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_rdma_connection *first, *second, *theirs;
    const void *details, *back;
    size_t size, back_size;
    struct doca_rdma_task_send *send;
    CHECK(doca_rdma_set_max_num_connections(a->rdma, 2) == OK);
    connect_ends(a, b);
    first = a->connection;
    struct end *c = end_idle(ALL);
    CHECK(doca_ctx_start(c->ctx) == OK);
    CHECK(doca_rdma_export(a->rdma, &details, &size, &second) == OK);
    CHECK(doca_rdma_export(c->rdma, &back, &back_size, &theirs) == OK);
    c->connection = theirs;
    CHECK(doca_rdma_connect(a->rdma, back, back_size, second) == OK);
    CHECK(doca_rdma_connect(c->rdma, details, size, theirs) == OK);
    CHECK(doca_rdma_task_send_allocate_init(a->rdma, first, NULL, five, &send) == OK);
    doca_rdma_task_send_set_rdma_connection(send, theirs); /* of another context */
    CHECK(doca_rdma_task_send_get_rdma_connection(send) == first);
    doca_rdma_task_send_set_rdma_connection(send, second);
    CHECK(doca_rdma_task_send_get_rdma_connection(send) == second);
    receive(c, NULL);
    CHECK(doca_task_submit(doca_rdma_task_send_as_task(send)) == OK);
    doca_rdma_task_send_set_rdma_connection(send, first); /* it is submitted */
    CHECK(doca_rdma_task_send_get_rdma_connection(send) == second);
    await(a, c, &c->completed, 1);
    await(a, c, &a->completed, 1);
    received(c, DOCA_RDMA_OPCODE_RECV_SEND, 0);
    CHECK(b->completed == 0);
    end_destroy(c);
    end_destroy(a);
    end_destroy(b);
}

static void tasks_reach_memory_of_peers(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_rdma_task_read *read;
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_write_imm *imm;
    struct doca_rdma_task_atomic_fetch_add *add;
    struct doca_rdma_task_atomic_cmp_swp *swap;
    connect_ends(a, b);
    a->memory[0] = 7;
    b->memory[4] = 40;
    struct doca_buf *here = buf(a, a->map, a->memory, 1, 1),
                    *into = buf(a, a->map, a->memory + 8, 4, 0);
    struct doca_buf *there = buf(a, a->theirs, b->memory, 2, 1),
                    *word = buf(a, a->theirs, b->memory + 4, 1, 1);
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, here, NULL, five, &write) ==
          INVALID);
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, here, there, five, &write) ==
          OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == OK);
    await(a, b, &a->completed, 1);
    CHECK(b->memory[1] == 7 && data_of(there) == 2);
    receive(b, NULL);
    CHECK(doca_buf_reset_data_len(there) == OK);
    CHECK(doca_rdma_task_write_imm_allocate_init(a->rdma, a->connection, here, there, htobe32(3),
                                                 five, &imm) == OK);
    CHECK(doca_task_submit(doca_rdma_task_write_imm_as_task(imm)) == OK);
    await(a, b, &b->completed, 1);
    await(a, b, &a->completed, 2);
    received(b, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, htobe32(3));
    CHECK(b->memory[0] == 7);
    CHECK(doca_rdma_task_read_allocate_init(a->rdma, a->connection, word, into, five, &read) == OK);
    CHECK(doca_task_submit(doca_rdma_task_read_as_task(read)) == OK);
    await(a, b, &a->completed, 3);
    CHECK(a->memory[8] == 40 && data_of(into) == 1 && a->length == 8);
    CHECK(doca_rdma_task_atomic_fetch_add_allocate_init(a->rdma, a->connection, word, into, 2, five,
                                                        &add) == OK);
    CHECK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)) == OK);
    CHECK(doca_rdma_task_atomic_cmp_swp_allocate_init(a->rdma, a->connection, word, into, 42, 6,
                                                      five, &swap) == OK);
    CHECK(doca_rdma_task_atomic_cmp_swp_get_cmp_data(swap) == 42);
    await(a, b, &a->completed, 4);
    CHECK(doca_task_submit(doca_rdma_task_atomic_cmp_swp_as_task(swap)) == OK);
    await(a, b, &a->completed, 5);
    CHECK(a->memory[9] == 40 && a->memory[10] == 42 && b->memory[4] == 6 && data_of(into) == 3);
    /* A write that is longer than the remote buffer. */
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, into, word, five, &write) ==
          OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == INVALID);
    doca_task_free(doca_rdma_task_write_as_task(write));
    CHECK(a->failed == 0 && b->failed == 0);
    drop(here);
    drop(into);
    drop(there);
    drop(word);
    end_destroy(a);
    end_destroy(b);
}

/* Tasks that were made for `before` update an event that they are given later. */
static void update_another(struct end *a, struct end *b, struct doca_buf *from,
                           struct doca_sync_event_remote_net *before)
{
    struct doca_sync_event *event = event_new(NULL, REMOTE, CPU);
    struct doca_sync_event_remote_net *other;
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    const uint8_t *bytes;
    size_t size;
    CHECK(doca_sync_event_export_to_remote_net(event, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &other) == OK);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
              a->rdma, a->connection, before, from, five, &set) == OK);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(set) == before);
    doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(set, (void *)event);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(set) == before);
    doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(set, other);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(set) == other);
    CHECK(doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(set)) == OK);
    await(a, b, &a->completed, 4);
    CHECK(value_of(event) == 30);
    CHECK(doca_sync_event_remote_net_destroy(other) == OK);
    CHECK(doca_sync_event_stop(event) == OK && doca_sync_event_destroy(event) == OK);
}

static void tasks_update_events_of_peers(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(ALL);
    struct doca_sync_event *event = event_new(NULL, REMOTE, CPU);
    struct doca_sync_event_remote_net *remote;
    struct doca_rdma_task_remote_net_sync_event_get *get;
    struct doca_rdma_task_remote_net_sync_event_notify_set *set;
    struct doca_rdma_task_remote_net_sync_event_notify_add *add;
    const uint8_t *bytes;
    size_t size;
    connect_ends(a, b);
    CHECK(doca_sync_event_export_to_remote_net(event, &bytes, &size) == OK);
    CHECK(doca_sync_event_remote_net_create_from_export(dev, bytes, size, &remote) == OK);
    a->memory[0] = 30;
    struct doca_buf *from = buf(a, a->map, a->memory, 1, 1),
                    *into = buf(a, a->map, a->memory + 1, 2, 0);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
              a->rdma, a->connection, (void *)event, from, five, &set) == INVALID);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
              a->rdma, a->connection, remote, from, five, &set) == OK);
    CHECK(doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_set_as_task(set)) == OK);
    await(a, b, &a->completed, 1);
    CHECK(value_of(event) == 30);
    CHECK(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
              a->rdma, a->connection, remote, into, 4, five, &add) == OK);
    CHECK(doca_task_submit(doca_rdma_task_remote_net_sync_event_notify_add_as_task(add)) == OK);
    await(a, b, &a->completed, 2);
    CHECK(value_of(event) == 34 && a->memory[1] == 30);
    CHECK(doca_rdma_task_remote_net_sync_event_get_allocate_init(a->rdma, a->connection, remote,
                                                                 into, five, &get) == OK);
    CHECK(doca_task_submit(doca_rdma_task_remote_net_sync_event_get_as_task(get)) == OK);
    await(a, b, &a->completed, 3);
    CHECK(value_of(event) == 34 && a->memory[2] == 34 && data_of(into) == 2 && a->length == 8);
    update_another(a, b, from, remote);
    drop(from);
    drop(into);
    CHECK(doca_sync_event_remote_net_destroy(remote) == OK);
    CHECK(doca_sync_event_stop(event) == OK && doca_sync_event_destroy(event) == OK);
    end_destroy(a);
    end_destroy(b);
}

static void tasks_that_cannot_be_done_fail(void)
{
    struct end *a = end_idle(ALL), *b = end_idle(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_receive *task;
    connect_ends(a, b);
    struct doca_buf *here = buf(a, a->map, a->memory, 1, 1),
                    *there = buf(a, a->theirs, b->memory, 1, 0);
    b->memory[0] = 3;
    receive(b, NULL);
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, here, there, five, &write) ==
          OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == OK);
    await(a, b, &a->failed, 1);
    CHECK(a->status == DOCA_ERROR_NOT_PERMITTED && b->memory[0] == 3);
    /* What is submitted to a connection in error is flushed. */
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, here, there, five, &write) ==
          OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == OK);
    await(a, b, &a->failed, 2);
    CHECK(a->status == BAD_STATE);
    /* A stop flushes what waits, and is not done before it is freed. */
    receive(a, NULL);
    CHECK(doca_rdma_task_receive_allocate_init(a->rdma, NULL, five, &task) == OK);
    CHECK(doca_ctx_stop(a->ctx) == DOCA_ERROR_IN_PROGRESS);
    CHECK(doca_rdma_set_permissions(a->rdma, 0) == BAD_STATE);
    await(a, b, &a->failed, 3);
    CHECK(a->status == BAD_STATE);
    CHECK(doca_ctx_stop(a->ctx) == DOCA_ERROR_IN_PROGRESS);
    doca_task_free(doca_rdma_task_receive_as_task(task));
    drop(here);
    drop(there);
    end_destroy(a);
    await(b, NULL, &b->failed, 1); /* the peer is gone */
    end_destroy(b);
}

/* The peer's data path is on the DPA, and so is its memory. */
static void tasks_reach_memory_of_the_dpa(void)
{
    struct end *a = end_idle(ALL);
    struct doca_dpa *dpa = dpa_new();
    struct doca_rdma *peer;
    struct doca_rdma_connection *theirs;
    struct doca_rdma_task_write *write;
    struct doca_mmap *map;
    doca_dpa_dev_uintptr_t at = 0;
    const void *x, *y, *z;
    size_t n, m, k;
    uint64_t there = 0;
    CHECK(doca_dpa_mem_alloc(dpa, 64, &at) == OK && doca_rdma_create(dev, &peer) == OK);
    CHECK(doca_rdma_set_permissions(peer, ALL) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(peer), dpa) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(peer)) == OK && doca_ctx_start(a->ctx) == OK);
    CHECK(doca_rdma_export(a->rdma, &x, &n, &a->connection) == OK);
    CHECK(doca_rdma_export(peer, &y, &m, &theirs) == OK);
    CHECK(doca_rdma_connect(a->rdma, y, m, a->connection) == OK);
    CHECK(doca_rdma_connect(peer, x, n, theirs) == OK);
    CHECK(doca_mmap_create(&map) == OK && doca_mmap_set_permissions(map, ALL) == OK);
    CHECK(doca_mmap_set_dpa_memrange(map, dpa, at, 64) == OK);
    CHECK(doca_mmap_add_dev(map, dev) == OK && doca_mmap_start(map) == OK);
    CHECK(doca_mmap_export_rdma(map, dev, &z, &k) == OK);
    CHECK(doca_mmap_create_from_export(NULL, z, k, dev, &a->theirs) == OK);
    a->memory[0] = 12;
    struct doca_buf *from = buf(a, a->map, a->memory, 1, 1);
    struct doca_buf *to = buf(a, a->theirs, (void *)(uintptr_t)at, 8, 1);
    CHECK(doca_rdma_task_write_allocate_init(a->rdma, a->connection, from, to, five, &write) == OK);
    CHECK(doca_task_submit(doca_rdma_task_write_as_task(write)) == OK);
    await(a, NULL, &a->completed, 1);
    CHECK(doca_dpa_d2h_memcpy(dpa, &there, at + 8, 8) == OK && there == 12);
    drop(from);
    drop(to);
    end_destroy(a);
    CHECK(doca_ctx_stop(doca_rdma_as_ctx(peer)) == OK && doca_rdma_destroy(peer) == OK);
    CHECK(doca_mmap_destroy(map) == OK && doca_dpa_destroy(dpa) == OK);
}

const struct test_case rdma_task_cases[] = {
    CASE(tasks_reach_memory_of_the_dpa),
    CASE(tasks_send_and_receive),
    CASE(tasks_reach_memory_of_peers),
    CASE(tasks_update_events_of_peers),
    CASE(tasks_that_cannot_be_done_fail),
    CASE(rdma_contexts_keep_their_settings),
    CASE(messages_without_a_receive_are_given_up),
    CASE(tasks_change_their_connection),
    {0},
};
