/* Behaviours of DOCA Ethernet and of the pipes of DOCA Flow that lead to its queues, one function
 * each; main runs the function that argv[1] names. Frames that mlx5_0 sends return to it, or pass a
 * cable to mlx5_1. */
#include "eth_world.h"

struct world w;

/* ---- The world ---- */

static struct doca_dev *open_named(const char *name)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL;
    char is[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint32_t n = 0;
    CHECK(doca_devinfo_create_list(&list, &n) == OK);
    for (uint32_t i = 0; i < n; i++)
        if (doca_devinfo_get_ibdev_name(list[i], is, sizeof is) == OK && strcmp(is, name) == 0)
            CHECK(doca_dev_open(list[i], &dev) == OK);
    CHECK(dev && doca_devinfo_destroy_list(list) == OK);
    return dev;
}

void world_open(const char *name)
{
    w.dev = open_named(name);
    CHECK(doca_pe_create(&w.pe) == OK && doca_mmap_create(&w.map) == OK);
    CHECK(doca_mmap_add_dev(w.map, w.dev) == OK);
    CHECK(doca_mmap_set_permissions(w.map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == OK);
    CHECK(doca_mmap_set_memrange(w.map, w.memory, ROOM) == OK && doca_mmap_start(w.map) == OK);
    CHECK(doca_buf_inventory_create(4 * TASKS, &w.bufs) == OK);
    CHECK(doca_buf_inventory_start(w.bufs) == OK);
}

struct doca_buf *buf(unsigned place, size_t size)
{
    struct doca_buf *b = NULL;
    uint8_t *at = w.memory + (size_t)place * FRAME;
    CHECK(doca_buf_inventory_buf_get_by_addr(w.bufs, w.map, at, FRAME, &b) == OK);
    CHECK(doca_buf_set_data(b, at, size) == OK);
    return b;
}

enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    CHECK(doca_ctx_get_state(ctx, &state) == OK);
    return state;
}

void stop(struct doca_ctx *ctx)
{
    const doca_error_t result = doca_ctx_stop(ctx);
    CHECK(result == OK || result == DOCA_ERROR_IN_PROGRESS);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(w.pe);
}

/* ---- Sending ---- */

void on_sent(struct doca_eth_txq_task_send *task, union doca_data task_data,
             union doca_data ctx_data)
{
    struct doca_task *t = doca_eth_txq_task_send_as_doca_task(task);
    (void)task_data, (void)ctx_data;
    w.sent += doca_task_get_status(t) == OK;
    if (doca_task_get_status(t) != OK) {
        w.status = doca_task_get_status(t);
        w.failed++;
    }
    doca_task_free(t);
}

static void on_large_sent(struct doca_eth_txq_task_lso_send *task, union doca_data task_data,
                          union doca_data ctx_data)
{
    struct doca_task *t = doca_eth_txq_task_lso_send_as_doca_task(task);
    (void)task_data, (void)ctx_data;
    CHECK(doca_task_get_status(t) == OK);
    w.sent++;
    doca_task_free(t);
}

static void on_large_batch(struct doca_task_batch *batch, uint16_t count, union doca_data ctx_data,
                           union doca_data batch_data, union doca_data *data,
                           struct doca_buf **pkts, struct doca_gather_list **headers,
                           doca_error_t *status)
{
    (void)ctx_data, (void)batch_data, (void)data, (void)pkts, (void)headers;
    for (uint16_t i = 0; i < count; i++)
        w.sent += status[i] == OK;
    doca_task_batch_free(batch);
}

static void on_batch(struct doca_task_batch *batch, uint16_t count, union doca_data ctx_data,
                     union doca_data batch_data, union doca_data *data, struct doca_buf **pkts,
                     doca_error_t *status)
{
    (void)ctx_data, (void)batch_data, (void)data, (void)pkts;
    for (uint16_t i = 0; i < count; i++)
        w.sent += status[i] == OK;
    doca_task_batch_free(batch);
}

void sender_start(void)
{
    CHECK(doca_eth_txq_create(w.dev, 64, &w.txq) == OK);
    CHECK(doca_eth_txq_task_send_set_conf(w.txq, on_sent, on_sent, TASKS) == OK);
    CHECK(doca_eth_txq_task_lso_send_set_conf(w.txq, on_large_sent, on_large_sent, TASKS) == OK);
    CHECK(doca_eth_txq_task_batch_send_set_conf(w.txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 1,
                                                on_batch, on_batch) == OK);
    CHECK(doca_eth_txq_task_batch_lso_send_set_conf(w.txq, DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 1,
                                                    on_large_batch, on_large_batch) == OK);
    CHECK(doca_eth_txq_set_l3_chksum_offload(w.txq, 1) == OK);
    CHECK(doca_eth_txq_set_l4_chksum_offload(w.txq, 1) == OK);
    CHECK(doca_pe_connect_ctx(w.pe, doca_eth_txq_as_doca_ctx(w.txq)) == OK);
    CHECK(doca_ctx_start(doca_eth_txq_as_doca_ctx(w.txq)) == OK);
}

doca_error_t send_frame(struct doca_buf *b)
{
    struct doca_eth_txq_task_send *t = NULL;
    doca_error_t result = doca_eth_txq_task_send_allocate_init(w.txq, b, (union doca_data){0}, &t);
    if (result != OK)
        return result;
    result = doca_task_submit(doca_eth_txq_task_send_as_doca_task(t));
    if (result != OK)
        doca_task_free(doca_eth_txq_task_send_as_doca_task(t));
    return result;
}

struct doca_buf *udp_frame(void)
{
    static const uint8_t headers[] = {2,    0, 0, 0,   0, 1, 2,   0,    0,   0,    0, 2, 8, 0,
                                      0x45, 0, 0, 100, 0, 1, 0,   0,    64,  17,   0, 0, 1, 2,
                                      3,    4, 5, 6,   7, 8, 0x4, 0xd2, 0x4, 0xd3, 0, 80};
    memcpy(w.memory, headers, sizeof headers);
    for (unsigned i = sizeof headers; i < 114; i++)
        w.memory[i] = (uint8_t)i;
    w.memory[40] = w.memory[41] = 0;
    return buf(0, 114);
}

struct doca_buf *tcp_data(struct doca_gather_list *headers, size_t size)
{
    uint8_t *h = w.memory;
    memset(h, 0, 54);
    h[0] = 2, h[6] = 2, h[12] = 8, h[14] = 0x45, h[22] = 64, h[23] = 6, h[46] = 0x50;
    *headers = (struct doca_gather_list){.addr = h, .len = 54};
    memset(w.memory + FRAME, 7, size);
    return buf(1, size);
}

/* ---- Receiving ---- */

void on_came(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
             union doca_data ctx_data)
{
    (void)task_data, (void)ctx_data;
    w.came++;
    w.last = task;
    if (w.stops)
        doca_task_free(doca_eth_rxq_task_recv_as_doca_task(task));
}

void on_lost(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
             union doca_data ctx_data)
{
    struct doca_task *t = doca_eth_rxq_task_recv_as_doca_task(task);
    (void)task_data, (void)ctx_data;
    if (w.failed++ == 0)
        w.status = doca_task_get_status(t);
    doca_task_free(t);
}

void receive_into(struct doca_buf *b)
{
    struct doca_eth_rxq_task_recv *t = NULL;
    CHECK(doca_eth_rxq_task_recv_allocate_init(w.rxq, b, (union doca_data){0}, &t) == OK);
    CHECK(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(t)) == OK);
}

void receive_again(void)
{
    struct doca_buf *b = NULL;
    CHECK(doca_eth_rxq_task_recv_get_pkt(w.last, &b) == OK && doca_buf_reset_data_len(b) == OK);
    CHECK(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(w.last)) == OK);
}

void port_open(void)
{
    struct doca_flow_cfg *cfg = NULL;
    struct doca_flow_port_cfg *port_cfg = NULL;
    CHECK(doca_flow_cfg_create(&cfg) == OK && doca_flow_init(cfg) == OK);
    CHECK(doca_flow_cfg_destroy(cfg) == OK && doca_flow_port_cfg_create(&port_cfg) == OK);
    CHECK(doca_flow_port_cfg_set_dev(port_cfg, w.dev) == OK);
    CHECK(doca_flow_port_start(port_cfg, &w.port) == OK);
    CHECK(doca_flow_port_cfg_destroy(port_cfg) == OK);
}

doca_error_t lead_to(uint16_t id)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    struct doca_flow_pipe_entry *entry = NULL;
    struct doca_flow_match all = {0};
    struct doca_flow_actions action = {.meta.pkt_meta = htobe32(METADATA)};
    struct doca_flow_actions *const actions[] = {&action};
    const struct doca_flow_fwd to = {.type = DOCA_FLOW_FWD_RSS,
                                     .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                     .rss = {.queues_array = &id, .nr_queues = 1}};
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    CHECK(doca_flow_pipe_cfg_set_is_root(cfg, true) == OK);
    CHECK(doca_flow_pipe_cfg_set_match(cfg, &all, NULL) == OK);
    CHECK(doca_flow_pipe_cfg_set_actions(cfg, actions, NULL, NULL, 1) == OK);
    const doca_error_t result = doca_flow_pipe_create(cfg, &to, NULL, &w.pipe);
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    if (result == OK)
        CHECK(doca_flow_pipe_add_entry(0, w.pipe, &all, 0, &action, NULL, NULL, 0, NULL, &entry) ==
              OK);
    return result;
}

void receiver_start(void)
{
    CHECK(doca_eth_rxq_create(w.dev, TASKS, FRAME, &w.rxq) == OK);
    CHECK(doca_eth_rxq_task_recv_set_conf(w.rxq, on_came, on_lost, TASKS) == OK);
    CHECK(doca_eth_rxq_set_metadata_num(w.rxq, 1) == OK);
    CHECK(doca_eth_rxq_set_timestamp(w.rxq, 1) == OK);
    CHECK(doca_pe_connect_ctx(w.pe, doca_eth_rxq_as_doca_ctx(w.rxq)) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(w.rxq)) == OK);
    CHECK(doca_eth_rxq_apply_queue_id(w.rxq, QUEUE) == OK);
    port_open();
    CHECK(lead_to(QUEUE) == OK);
}

void await(const unsigned *counter, unsigned count)
{
    while (*counter < count)
        doca_pe_progress(w.pe);
}

void world_close(void)
{
    if (w.pipe)
        doca_flow_pipe_destroy(w.pipe);
    if (w.port)
        CHECK(doca_flow_port_stop(w.port) == OK);
    doca_flow_destroy();
    if (w.txq) {
        stop(doca_eth_txq_as_doca_ctx(w.txq));
        CHECK(doca_eth_txq_destroy(w.txq) == OK);
    }
    if (w.rxq) {
        stop(doca_eth_rxq_as_doca_ctx(w.rxq));
        CHECK(doca_eth_rxq_destroy(w.rxq) == OK);
    }
    CHECK(doca_pe_destroy(w.pe) == OK && doca_buf_inventory_destroy(w.bufs) == OK);
    CHECK(doca_mmap_destroy(w.map) == OK && doca_dev_close(w.dev) == OK);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(frames_arrive_and_tell_of_themselves),
        CASE(a_frame_that_does_not_fit_stops_the_queue),
        CASE(queues_stop_with_tasks_in_flight),
        CASE(tasks_have_an_mss_of_their_own),
        CASE(tasks_have_metadata_and_no_flags),
        CASE(a_queue_that_runs_gets_more_tasks),
        CASE(rules_match_metadata_of_sent_frames),
        CASE(sends_that_cannot_be_are_refused),
        CASE(settings_out_of_range_are_refused),
        CASE(memory_of_managed_queues_is_checked),
        CASE(pipes_lead_to_queues_that_are_there),
        CASE(pipes_go_while_entries_come),
        CASE(entries_have_their_own_values),
        CASE(masks_choose_bits),
        CASE(control_pipes_have_priorities),
        CASE(the_protocol_tells_the_header),
        CASE(the_longest_prefix_counts),
        CASE(a_hash_pipe_chooses_an_entry),
        CASE(frames_are_spread_without_a_hash),
        CASE(wrong_hash_pipes_are_refused),
        CASE(actions_change_frames),
        CASE(tunnels_and_tags_come_and_go),
        CASE(sent_frames_are_matched),
        CASE(callbacks_tell_of_entries),
        CASE(counters_are_shared),
        CASE(what_is_not_emulated_is_named),
        CASE(labels_of_mpls_are_made_and_read),
        CASE(a_stopped_port_gets_no_pipe),
        CASE(a_port_that_stops_destroys_its_pipes),
        CASE(pipes_of_doca_2_5),
        CASE(pipes_of_doca_2_6),
        CASE(pipes_of_doca_2_8),
        CASE(pipes_of_doca_2_10),
        CASE(live_receiver),
        CASE(live_sender),
        CASE(receivers_are_killed),
        CASE(senders_are_killed),
        CASE(either_side_is_killed_at_any_step),
    };
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
