/* Matches, actions, counters and callbacks of DOCA Flow, on a port that is plugged into itself. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>

#include "eth_world.h"

enum { CAME_AT = 8 };

static struct doca_buf *from, *to;

void flow_queue_open(void)
{
    world_open("mlx5_0");
    CHECK(doca_eth_rxq_create(w.dev, TASKS, FRAME, &w.rxq) == OK);
    CHECK(doca_eth_rxq_task_recv_set_conf(w.rxq, on_came, on_lost, TASKS) == OK);
    CHECK(doca_eth_rxq_set_metadata_num(w.rxq, 1) == OK);
    CHECK(doca_pe_connect_ctx(w.pe, doca_eth_rxq_as_doca_ctx(w.rxq)) == OK);
    CHECK(doca_ctx_start(doca_eth_rxq_as_doca_ctx(w.rxq)) == OK);
    CHECK(doca_eth_rxq_apply_queue_id(w.rxq, QUEUE) == OK);
    sender_start();
    from = udp_frame();
    to = buf(CAME_AT, 0);
    receive_into(to);
}

/* Opens a port with a queue that gets what the pipes of a case send to it. */
static void flow_open(doca_flow_entry_process_cb cb, unsigned shared)
{
    struct doca_flow_cfg *cfg = NULL;
    struct doca_flow_port_cfg *port_cfg = NULL;
    flow_queue_open();
    CHECK(doca_flow_cfg_create(&cfg) == OK && doca_flow_cfg_set_pipe_queues(cfg, 2) == OK);
    CHECK(doca_flow_cfg_set_cb_entry_process(cfg, cb) == OK);
    CHECK(doca_flow_cfg_set_nr_shared_resource(cfg, shared, DOCA_FLOW_SHARED_RESOURCE_COUNTER) ==
          OK);
    CHECK(doca_flow_init(cfg) == OK && doca_flow_cfg_destroy(cfg) == OK);
    CHECK(doca_flow_port_cfg_create(&port_cfg) == OK);
    CHECK(doca_flow_port_cfg_set_dev(port_cfg, w.dev) == OK);
    CHECK(doca_flow_port_cfg_set_port_id(port_cfg, 5) == OK);
    CHECK(doca_flow_port_cfg_set_priv_data_size(port_cfg, 8) == OK);
    CHECK(doca_flow_port_start(port_cfg, &w.port) == OK);
    CHECK(doca_flow_port_cfg_destroy(port_cfg) == OK);
}

void flow_close(void)
{
    doca_flow_port_pipes_flush(w.port);
    stop(doca_eth_rxq_as_doca_ctx(w.rxq));
    CHECK(doca_buf_dec_refcount(from, NULL) == OK && doca_buf_dec_refcount(to, NULL) == OK);
    w.pipe = NULL;
    world_close();
}

static struct doca_flow_fwd to_queue(void)
{
    static uint16_t id = QUEUE;
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS,
                                  .rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                  .rss = {.queues_array = &id,
                                          .nr_queues = 1,
                                          .outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP}};
}

/* What a pipe of a case is made of. */
struct make {
    enum doca_flow_pipe_type type;
    enum doca_flow_pipe_domain domain;
    bool is_not_root, counts_misses;
    const struct doca_flow_match *match, *mask;
    struct doca_flow_actions *actions, *actions_mask;
    const struct doca_flow_monitor *monitor;
    const struct doca_flow_fwd *fwd, *miss;
    uint32_t entries, algorithms;
};

static doca_error_t try_pipe(const struct make *m, struct doca_flow_pipe **pipe)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    CHECK(doca_flow_pipe_cfg_set_name(cfg, "p") == OK &&
          doca_flow_pipe_cfg_set_type(cfg, m->type) == OK);
    CHECK(doca_flow_pipe_cfg_set_domain(cfg, m->domain) == OK);
    CHECK(doca_flow_pipe_cfg_set_is_root(cfg, !m->is_not_root) == OK);
    CHECK(doca_flow_pipe_cfg_set_miss_counter(cfg, m->counts_misses) == OK);
    CHECK(doca_flow_pipe_cfg_set_nr_entries(cfg, m->entries) == OK);
    doca_error_t result =
        m->match || m->mask ? doca_flow_pipe_cfg_set_match(cfg, m->match, m->mask) : OK;
    if (result == OK && m->algorithms)
        result = doca_flow_pipe_cfg_set_hash_map_algorithm(cfg, m->algorithms);
    if (result == OK && m->actions)
        result = doca_flow_pipe_cfg_set_actions(cfg, &m->actions,
                                                m->actions_mask ? &m->actions_mask : NULL, NULL, 1);
    if (result == OK && m->monitor)
        result = doca_flow_pipe_cfg_set_monitor(cfg, m->monitor);
    if (result == OK)
        result = doca_flow_pipe_create(cfg, m->fwd, m->miss, pipe);
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    return result;
}

static struct doca_flow_pipe *make_pipe(const struct make *m)
{
    struct doca_flow_pipe *pipe = NULL;
    CHECK(try_pipe(m, &pipe) == OK && pipe);
    return pipe;
}

static struct doca_flow_pipe_entry *add(struct doca_flow_pipe *pipe,
                                        const struct doca_flow_match *match,
                                        const struct doca_flow_actions *actions)
{
    struct doca_flow_pipe_entry *e = NULL;
    CHECK(doca_flow_pipe_add_entry(0, pipe, match, 0, actions, NULL, NULL, 0, NULL, &e) == OK && e);
    return e;
}

void set_destination(const char *address)
{
    CHECK(inet_pton(AF_INET, address, w.memory + AT_DESTINATION) == 1);
}

void send_once(void)
{
    const unsigned sent = w.sent;
    CHECK(send_frame(from) == OK);
    await(&w.sent, sent + 1);
}

void comes_with(const char *address, uint32_t metadata)
{
    const uint32_t *got = NULL;
    const unsigned came = w.came;
    set_destination(address);
    send_once();
    await(&w.came, came + 1);
    CHECK(doca_eth_rxq_task_recv_get_metadata_array(w.last, &got) == OK);
    CHECK(got[0] == metadata);
    receive_again();
}

static uint64_t misses_of(struct doca_flow_pipe *pipe)
{
    struct doca_flow_resource_query q = {0};
    CHECK(doca_flow_resource_query_pipe_miss(pipe, &q) == OK);
    return q.counter.total_pkts;
}

static uint64_t count_of(struct doca_flow_pipe_entry *entry)
{
    struct doca_flow_resource_query q = {0};
    CHECK(doca_flow_resource_query_entry(entry, &q) == OK);
    CHECK(q.counter.total_bytes == q.counter.total_pkts * FRAME_SIZE);
    return q.counter.total_pkts;
}

static struct doca_flow_match udp_to(uint32_t address)
{
    return (struct doca_flow_match){.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                              .ip4.dst_ip = address,
                                              .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP}};
}

/* Each entry has its address and its metadata; a constant field and one of the mask narrow all. */
void entries_have_their_own_values(void)
{
    const struct doca_flow_monitor counts = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    const struct doca_flow_fwd queue = to_queue();
    struct doca_flow_actions sets = {.meta.pkt_meta = UINT32_MAX};
    struct doca_flow_match match = udp_to(UINT32_MAX);
    match.outer.udp.l4_port.dst_port = htons(1235);
    flow_open(NULL, 0);
    CHECK(doca_flow_port_priv_data(w.port) && doca_flow_port_priv_data(w.port)[7] == 0);
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){.match = &match,
                                                           .actions = &sets,
                                                           .monitor = &counts,
                                                           .fwd = &queue,
                                                           .counts_misses = true});
    struct doca_flow_pipe_entry *first, *second;
    match = udp_to(inet_addr("10.0.0.1"));
    first = add(pipe, &match, &(struct doca_flow_actions){.meta.pkt_meta = htonl(11)});
    match = udp_to(inet_addr("10.0.0.2"));
    second = add(pipe, &match, &(struct doca_flow_actions){.meta.pkt_meta = htonl(22)});
    comes_with("10.0.0.1", 11);
    comes_with("10.0.0.2", 22);
    comes_with("10.0.0.2", 22);
    set_destination("10.0.0.3");
    send_once();
    set_destination("10.0.0.1");
    w.memory[AT_DPORT + 1] ^= 1; /* another port */
    send_once();
    w.memory[AT_DPORT + 1] ^= 1;
    comes_with("10.0.0.1", 11);
    CHECK(misses_of(pipe) == 2 && count_of(first) == 2 && count_of(second) == 2 && w.came == 4);
    CHECK(doca_flow_pipe_remove_entry(0, 0, first) == OK);
    CHECK(doca_flow_pipe_remove_entry(0, 0, first) == DOCA_ERROR_INVALID_VALUE);
    send_once();
    CHECK(misses_of(pipe) == 3);
    comes_with("10.0.0.2", 22);
    flow_close();
}

/* A mask of the pipe: the high half of the address, each entry's; TTL 0 of 64 by a mask of its low bits. */
void masks_choose_bits(void)
{
    const struct doca_flow_fwd queue = to_queue();
    struct doca_flow_match match = udp_to(UINT32_MAX), mask = {0};
    struct doca_flow_actions none = {.meta.pkt_meta = UINT32_MAX};
    mask.outer.ip4.dst_ip = htonl(0xffff0000);
    mask.outer.ip4.ttl = 0x3f;
    flow_open(NULL, 0);
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){
        .match = &match, .mask = &mask, .actions = &none, .fwd = &queue, .counts_misses = true});
    match = udp_to(inet_addr("10.1.2.3"));
    add(pipe, &match, &(struct doca_flow_actions){.meta.pkt_meta = htonl(7)});
    comes_with("10.1.9.9", 7);
    set_destination("10.2.2.3");
    send_once();
    set_destination("10.1.2.3");
    w.memory[AT_TTL] = 65;
    send_once();
    CHECK(misses_of(pipe) == 2 && w.came == 1);
    flow_close();
}

static doca_error_t add_control(struct doca_flow_pipe *pipe, uint32_t priority,
                                const struct doca_flow_match *match,
                                const struct doca_flow_match *mask,
                                const struct doca_flow_actions *actions,
                                const struct doca_flow_fwd *fwd)
{
    struct doca_flow_pipe_entry *e = NULL;
    return doca_flow_pipe_control_add_entry(0, priority, pipe, match, mask, NULL, actions, NULL,
                                            NULL, NULL, fwd, NULL, &e);
}

/* The root of NVIDIA's GPU packet processing: types of the parser, priorities, further pipes. */
void control_pipes_have_priorities(void)
{
    const struct doca_flow_fwd queue = to_queue(), drop = {.type = DOCA_FLOW_FWD_DROP};
    const struct doca_flow_match all = {0};
    struct doca_flow_match udp = {0}, one = {0}, tcp = {0}, mask = {0};
    flow_open(NULL, 0);
    struct doca_flow_pipe *next =
        make_pipe(&(struct make){.is_not_root = true, .match = &all, .fwd = &queue});
    add(next, NULL, NULL);
    struct doca_flow_pipe *root = make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_CONTROL});
    udp.parser_meta.outer_l3_type = DOCA_FLOW_L3_META_IPV4;
    udp.parser_meta.outer_l4_type = DOCA_FLOW_L4_META_UDP;
    const struct doca_flow_fwd on = {.type = DOCA_FLOW_FWD_PIPE, .next_pipe = next};
    const struct doca_flow_actions marks = {.meta.pkt_meta = htonl(9)};
    CHECK(add_control(root, 5, &udp, NULL, &marks, &on) == OK);
    tcp.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TCP;
    tcp.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN;
    mask.outer.tcp.flags = DOCA_FLOW_MATCH_TCP_FLAG_SYN;
    CHECK(add_control(root, 1, &tcp, &mask, NULL, &on) == OK);
    comes_with("10.0.0.1", 9);
    one = udp_to(inet_addr("10.0.0.1"));
    CHECK(add_control(root, 4, &one, NULL, NULL, &drop) == OK);
    send_once();
    comes_with("10.0.0.2", 9);
    CHECK(w.came == 2);
    CHECK(add_control(root, UINT32_MAX, &one, NULL, NULL, &drop) == DOCA_ERROR_INVALID_VALUE);
    CHECK(add_control(next, 0, &one, NULL, NULL, &drop) == DOCA_ERROR_INVALID_VALUE);
    doca_flow_pipe_dump(root, stdout);
    flow_close();
}

/* Ports whose header only the protocol of the IP header names. */
void the_protocol_tells_the_header(void)
{
    const struct doca_flow_fwd queue = to_queue();
    struct doca_flow_match match = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .udp.l4_port.dst_port = htons(1235)}};
    const struct doca_flow_actions marks = {.meta.pkt_meta = htonl(3)};
    flow_open(NULL, 0);
    struct doca_flow_pipe *root =
        make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_CONTROL, .counts_misses = true});
    CHECK(add_control(root, 0, &match, NULL, &marks, &queue) == DOCA_ERROR_INVALID_VALUE);
    match.outer.ip4.next_proto = IPPROTO_UDP;
    CHECK(add_control(root, 0, &match, NULL, &marks, &queue) == OK);
    comes_with("10.0.0.1", 3);
    w.memory[AT_DPORT + 1] ^= 1; /* another port */
    send_once();
    CHECK(misses_of(root) == 1 && w.came == 1);
    w.memory[AT_DPORT + 1] ^= 1;
    flow_close();
}

void the_longest_prefix_counts(void)
{
    static const struct {
        const char *address;
        uint32_t mask, metadata;
    } routes[] = {
        {"10.0.0.0", 0xff000000, 8}, {"10.1.0.0", 0xffff0000, 16}, {"10.1.2.3", UINT32_MAX, 32}};
    const struct doca_flow_fwd queue = to_queue();
    struct doca_flow_match match = udp_to(UINT32_MAX), mask = {0};
    struct doca_flow_actions sets = {.meta.pkt_meta = UINT32_MAX};
    struct doca_flow_pipe_entry *e = NULL;
    flow_open(NULL, 0);
    match.outer.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_NONE;
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_LPM,
                                                           .match = &match,
                                                           .actions = &sets,
                                                           .fwd = &queue,
                                                           .entries = 3});
    for (unsigned i = 0; i < 3; i++) {
        struct doca_flow_actions own = {.meta.pkt_meta = htonl(routes[i].metadata)};
        match.outer.ip4.dst_ip = inet_addr(routes[i].address);
        mask.outer.ip4.dst_ip = htonl(routes[i].mask);
        CHECK(doca_flow_pipe_lpm_add_entry(0, pipe, &match, &mask, 0, &own, NULL, NULL, 0, NULL,
                                           &e) == OK);
    }
    comes_with("10.200.0.1", 8);
    comes_with("10.1.0.1", 16);
    comes_with("10.1.2.3", 32);
    CHECK(doca_flow_pipe_lpm_add_entry(0, pipe, &match, &mask, NULL, NULL, NULL, 0, NULL, &e) ==
          DOCA_ERROR_FULL);
    mask.outer.ip4.dst_ip = htonl(0xff00ff00);
    CHECK(doca_flow_pipe_remove_entry(0, 0, e) == DOCA_ERROR_INVALID_VALUE);
    flow_close();
}

/* ---- Hash pipes ---- */

/* Makes a pipe whose entry number N sets metadata N + 1; all lead to the queue. */
static struct doca_flow_pipe *make_hash_pipe(const struct doca_flow_match *mask,
                                             uint32_t algorithms, uint32_t entries,
                                             struct doca_flow_pipe_entry **e)
{
    const struct doca_flow_fwd queue = to_queue();
    struct doca_flow_actions sets = {.meta.pkt_meta = UINT32_MAX};
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_HASH,
                                                           .mask = mask,
                                                           .actions = &sets,
                                                           .fwd = &queue,
                                                           .counts_misses = true,
                                                           .algorithms = algorithms,
                                                           .entries = entries});
    for (uint32_t i = 0; i < entries; i++) {
        const struct doca_flow_actions own = {.meta.pkt_meta = htonl(i + 1)};
        CHECK(doca_flow_pipe_hash_add_entry(0, pipe, i, 0, &own, NULL, NULL, DOCA_FLOW_NO_WAIT,
                                            NULL, &e[i]) == OK);
    }
    return pipe;
}

void a_hash_pipe_chooses_an_entry(void)
{
    static const char *const addresses[] = {"10.0.0.1", "10.0.0.2", "10.9.0.3", "192.168.7.4"};
    const struct doca_flow_match mask = udp_to(UINT32_MAX);
    struct doca_flow_pipe_entry *e[4];
    uint32_t hash = 0;
    flow_open(NULL, 0);
    struct doca_flow_pipe *pipe = make_hash_pipe(&mask, 0, 4, e);
    for (unsigned i = 0; i < 4; i++) {
        const struct doca_flow_match match = udp_to(inet_addr(addresses[i]));
        CHECK(doca_flow_pipe_calc_hash(pipe, &match, &hash) == OK);
        comes_with(addresses[i], hash % 4 + 1);
        comes_with(addresses[i], hash % 4 + 1);
    }
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, hash % 4, 0, NULL, NULL, NULL, 0, NULL, e) ==
          DOCA_ERROR_FULL);
    CHECK(doca_flow_pipe_remove_entry(0, 0, e[hash % 4]) == OK);
    send_once(); /* matches no entry */
    CHECK(misses_of(pipe) == 1);
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, (hash + 1) % 4, 0, NULL, NULL, NULL, 0, NULL, e) ==
          DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, 4, 0, NULL, NULL, NULL, 0, NULL, e) ==
          DOCA_ERROR_INVALID_VALUE);
    const struct doca_flow_actions own = {.meta.pkt_meta = htonl(77)};
    /* As up to DOCA 3.1. */
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, hash % 4, &own, NULL, NULL, DOCA_FLOW_NO_WAIT,
                                        NULL, e) == OK);
    comes_with(addresses[3], 77);
    doca_flow_pipe_dump(pipe, stdout);
    flow_close();
}

void frames_are_spread_without_a_hash(void)
{
    const struct doca_flow_match mask = udp_to(UINT32_MAX), all = {0};
    const struct doca_flow_monitor counts = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_pipe_entry *e[4], *copies[2];
    flow_open(NULL, 0);
    struct doca_flow_pipe *pipe =
        make_hash_pipe(&mask, DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_IDENTITY, 4, e);
    comes_with("10.0.0.6", 3);
    comes_with("10.1.2.7", 4);
    doca_flow_pipe_destroy(pipe);
    pipe = make_hash_pipe(NULL, DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_ROUND_ROBIN, 2, e);
    comes_with("10.0.0.6", 1);
    comes_with("10.0.0.6", 2);
    comes_with("10.0.0.6", 1);
    doca_flow_pipe_destroy(pipe);
    /* A copy for each of two entries, of which one drops it. */
    const struct doca_flow_fwd each = {.type = DOCA_FLOW_FWD_PIPE}, queue = to_queue(),
                               drop = {.type = DOCA_FLOW_FWD_DROP};
    pipe = make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_HASH,
                                    .is_not_root = true,
                                    .match = &all,
                                    .monitor = &counts,
                                    .fwd = &each,
                                    .algorithms = DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_HASH |
                                                  DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM |
                                                  DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING,
                                    .mask = &mask,
                                    .entries = 2});
    for (uint32_t i = 0; i < 2; i++)
        CHECK(doca_flow_pipe_hash_add_entry(0, pipe, i, 0, NULL, NULL, i ? &drop : &queue, 0, NULL,
                                            &copies[i]) == OK);
    const struct doca_flow_fwd floods = {
        .type = DOCA_FLOW_FWD_HASH_PIPE,
        .hash_pipe = {.algorithm = DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING, .pipe = pipe}};
    add(make_pipe(&(struct make){.match = &all, .fwd = &floods}), &all, NULL);
    comes_with("10.0.0.6", 0);
    CHECK(count_of(copies[0]) == 1 && count_of(copies[1]) == 1);
    flow_close();
}

void wrong_hash_pipes_are_refused(void)
{
    const struct doca_flow_match mask = udp_to(UINT32_MAX), all = {0},
                                 label = {.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP6,
                                                    .ip6.flow_label = UINT32_MAX}};
    struct doca_flow_pipe *pipe = NULL, *hash;
    struct doca_flow_pipe_entry *e[2];
    uint32_t number;
    flow_open(NULL, 0);
    struct make m = {.type = DOCA_FLOW_PIPE_HASH, .mask = &mask, .entries = 3};
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    m.entries = 2;
    m.mask = &all;
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    m.mask = &label;
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_NOT_SUPPORTED);
    m.mask = &mask;
    m.algorithms = DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_SELECT_ENABLED;
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_NOT_SUPPORTED);
    m.algorithms = 1u << 20;
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    m.algorithms = DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING;
    m.entries = 64;
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_NOT_SUPPORTED);
    m = (struct make){.mask = &mask};
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    hash = make_hash_pipe(&mask, 0, 2, e);
    struct doca_flow_fwd to = {.type = DOCA_FLOW_FWD_HASH_PIPE,
                               .hash_pipe = {DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM, hash}};
    m = (struct make){.match = &all, .fwd = &to};
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    to = (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_DROP};
    pipe = make_pipe(&m);
    CHECK(doca_flow_pipe_calc_hash(pipe, &mask, &number) == DOCA_ERROR_INVALID_VALUE);
    to = (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_HASH_PIPE,
                                .hash_pipe = {DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_HASH, pipe}};
    CHECK(try_pipe(&m, &pipe) == DOCA_ERROR_INVALID_VALUE);
    flow_close();
}

/* Bytes of the frame that came last. */
const uint8_t *last_frame(size_t *size)
{
    struct doca_buf *b = NULL;
    CHECK(doca_eth_rxq_task_recv_get_pkt(w.last, &b) == OK && doca_buf_get_data_len(b, size) == OK);
    return w.memory + CAME_AT * FRAME;
}

void actions_change_frames(void)
{
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
    const struct doca_flow_fwd queue = to_queue();
    const struct doca_flow_match all = {0};
    struct doca_flow_actions sets = {.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                               .ip4.ttl = 9,
                                               .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP}};
    size_t size = 0;
    memcpy(sets.outer.eth.dst_mac, mac, sizeof mac);
    memset(&sets.outer.ip4.src_ip, 0xff, 4);
    memset(&sets.outer.udp.l4_port.dst_port, 0xff, 2);
    flow_open(NULL, 0);
    struct doca_flow_pipe *pipe =
        make_pipe(&(struct make){.match = &all, .actions = &sets, .fwd = &queue});
    struct doca_flow_actions own = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP}};
    own.outer.ip4.src_ip = inet_addr("192.168.0.1");
    own.outer.udp.l4_port.dst_port = htons(77);
    add(pipe, NULL, &own);
    send_once();
    await(&w.came, 1);
    const uint8_t *f = last_frame(&size);
    CHECK(size == FRAME_SIZE && memcmp(f + AT_DMAC, mac, 6) == 0);
    CHECK(memcmp(f + AT_SMAC, w.memory + AT_SMAC, 6) == 0 && f[AT_TTL] == 9);
    CHECK(memcmp(f + AT_SOURCE, &own.outer.ip4.src_ip, 4) == 0 && f[AT_DPORT + 1] == 77);
    uint8_t ok = 0;
    CHECK(doca_eth_rxq_task_recv_get_l3_ok(w.last, &ok) == OK && ok == 1);
    CHECK(doca_eth_rxq_task_recv_get_l4_ok(w.last, &ok) == OK && ok == 1);
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(w.last));
    flow_close();
}

/* A sent frame gets VXLAN and a tag; received, it loses both. */
void tunnels_and_tags_come_and_go(void)
{
    const struct doca_flow_fwd queue = to_queue(),
                               port = {.type = DOCA_FLOW_FWD_PORT, .port_id = 5};
    const struct doca_flow_match all = {0};
    struct doca_flow_actions wraps = {.encap_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                      .encap_cfg.is_l2 = true};
    struct doca_flow_encap_action *encap = &wraps.encap_cfg.encap;
    struct doca_flow_actions unwraps = {.decap_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
                                        .decap_cfg.is_l2 = true,
                                        .has_push = true,
                                        .push.vlan.vlan_hdr.tci = htons(77)};
    size_t size = 0;
    encap->outer.l3_type = DOCA_FLOW_L3_TYPE_IP4;
    encap->outer.ip4.src_ip = inet_addr("172.16.0.1");
    encap->outer.ip4.dst_ip = UINT32_MAX;
    encap->outer.eth.dst_mac[0] = 2;
    encap->tun.type = DOCA_FLOW_TUN_VXLAN;
    encap->tun.vxlan_tun_id = htonl(42 << 8);
    flow_open(NULL, 0);
    struct doca_flow_pipe *out = make_pipe(&(struct make){
        .domain = DOCA_FLOW_PIPE_DOMAIN_EGRESS, .match = &all, .actions = &wraps, .fwd = &port});
    struct doca_flow_actions own = {.encap_cfg.encap.outer.ip4.dst_ip = inet_addr("172.16.0.2")};
    add(out, NULL, &own);
    struct doca_flow_match vxlan = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.dst_ip = UINT32_MAX},
        .tun = {.type = DOCA_FLOW_TUN_VXLAN, .vxlan_tun_id = UINT32_MAX}};
    struct doca_flow_pipe *in = make_pipe(
        &(struct make){.match = &vxlan, .actions = &unwraps, .fwd = &queue, .counts_misses = true});
    vxlan.outer.ip4.dst_ip = inet_addr("172.16.0.2");
    vxlan.tun.vxlan_tun_id = htonl(42 << 8);
    add(in, &vxlan, NULL);
    send_once();
    await(&w.came, 1);
    const uint8_t *f = last_frame(&size);
    CHECK(misses_of(in) == 0 && size == FRAME_SIZE + 4);
    CHECK(memcmp(f, w.memory, 12) == 0 && memcmp(f + 12, "\x81\x00\x00\x4d", 4) == 0);
    CHECK(memcmp(f + 16 + 30, w.memory + 12 + 30, FRAME_SIZE - 42) == 0);
    doca_task_free(doca_eth_rxq_task_recv_as_doca_task(w.last));
    flow_close();
}

/* Frames that are sent are dropped by a match, or leave. */
void sent_frames_are_matched(void)
{
    const struct doca_flow_fwd queue = to_queue(), drop = {.type = DOCA_FLOW_FWD_DROP};
    const struct doca_flow_match all = {0};
    const struct doca_flow_monitor counts = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_match match = udp_to(UINT32_MAX);
    flow_open(NULL, 0);
    add(make_pipe(&(struct make){.match = &all, .fwd = &queue}), NULL, NULL);
    struct doca_flow_pipe *out = make_pipe(&(struct make){
        .domain = DOCA_FLOW_PIPE_DOMAIN_EGRESS, .match = &match, .monitor = &counts, .fwd = &drop});
    match = udp_to(inet_addr("10.0.0.1"));
    struct doca_flow_pipe_entry *dropped = add(out, &match, NULL);
    set_destination("10.0.0.1");
    send_once();
    comes_with("10.0.0.2", 0);
    CHECK(w.came == 1 && count_of(dropped) == 1);
    struct doca_flow_pipe *pipe = NULL;
    CHECK(try_pipe(&(struct make){.domain = DOCA_FLOW_PIPE_DOMAIN_EGRESS, .fwd = &queue}, &pipe) ==
          DOCA_ERROR_NOT_SUPPORTED);
    flow_close();
}

/* ---- Callbacks ---- */

static struct {
    unsigned ops[4];
    struct doca_flow_pipe_entry *last;
    void *ctx;
} told;

static void on_entry(struct doca_flow_pipe_entry *entry, uint16_t queue,
                     enum doca_flow_entry_status status, enum doca_flow_entry_op op, void *ctx)
{
    CHECK(queue == 1 && status == DOCA_FLOW_ENTRY_STATUS_SUCCESS && op <= DOCA_FLOW_ENTRY_OP_AGED);
    told.ops[op]++;
    told.last = entry;
    told.ctx = ctx;
}

void callbacks_tell_of_entries(void)
{
    const struct doca_flow_fwd queue = to_queue(), drop = {.type = DOCA_FLOW_FWD_DROP};
    const struct doca_flow_match all = {0};
    const struct doca_flow_monitor ages = {.aging_sec = 1};
    struct doca_flow_pipe_entry *e = NULL, *other = NULL;
    int mine;
    flow_open(on_entry, 0);
    struct doca_flow_pipe *pipe =
        make_pipe(&(struct make){.match = &all, .monitor = &ages, .fwd = &drop});
    CHECK(doca_flow_pipe_add_entry(2, pipe, &all, 0, NULL, NULL, NULL, 0, &mine, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_pipe_add_entry(1, pipe, &all, NULL, NULL, NULL, 0, &mine, &e) == OK);
    CHECK(doca_flow_pipe_entry_get_status(e) == DOCA_FLOW_ENTRY_STATUS_IN_PROCESS);
    CHECK(doca_flow_entries_process(w.port, 0, 0, 0) == OK &&
          told.ops[DOCA_FLOW_ENTRY_OP_ADD] == 0);
    CHECK(doca_flow_entries_process(w.port, 1, 0, 1) == OK &&
          told.ops[DOCA_FLOW_ENTRY_OP_ADD] == 1);
    CHECK(told.last == e && told.ctx == &mine);
    CHECK(doca_flow_pipe_entry_get_status(e) == DOCA_FLOW_ENTRY_STATUS_SUCCESS);
    CHECK(doca_flow_entries_process(w.port, 2, 0, 1) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_resource_query_entry(e, &(struct doca_flow_resource_query){0}) ==
          DOCA_ERROR_NOT_FOUND);
    send_once();
    CHECK(doca_flow_pipe_update_entry(1, pipe, NULL, NULL, &queue, 0, e) == OK);
    comes_with("10.0.0.1", 0);
    CHECK(doca_flow_entries_process(w.port, 1, 0, 0) == OK &&
          told.ops[DOCA_FLOW_ENTRY_OP_UPD] == 1);
    while (doca_flow_aging_handle(w.port, 1, 0, 0) == -1)
        usleep(1000);
    CHECK(told.ops[DOCA_FLOW_ENTRY_OP_AGED] == 1 && doca_flow_aging_handle(w.port, 1, 0, 0) == -1);
    CHECK(doca_flow_pipe_remove_entry(1, 0, e) == OK);
    CHECK(doca_flow_pipe_entry_get_status(e) == DOCA_FLOW_ENTRY_STATUS_SUCCESS);
    CHECK(doca_flow_entries_process(w.port, 1, 0, 0) == OK &&
          told.ops[DOCA_FLOW_ENTRY_OP_DEL] == 1);
    CHECK(doca_flow_pipe_entry_get_status(e) == DOCA_FLOW_ENTRY_STATUS_ERROR);
    /* A destroyed pipe removes its entries. Operations that wait for their callback get it. */
    CHECK(doca_flow_pipe_add_entry(1, pipe, &all, 0, NULL, NULL, NULL, 0, &mine, &other) == OK);
    doca_flow_pipe_destroy(pipe);
    CHECK(doca_flow_pipe_remove_entry(1, 0, other) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_entries_process(w.port, 1, 0, 0) == OK &&
          told.ops[DOCA_FLOW_ENTRY_OP_ADD] == 2);
    flow_close();
}

void counters_are_shared(void)
{
    const struct doca_flow_fwd queue = to_queue();
    const struct doca_flow_match all = {0};
    struct doca_flow_monitor shared = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_SHARED,
                                       .shared_counter.shared_counter_id = 1};
    struct doca_flow_resource_query got[2];
    struct doca_flow_pipe_entry *e = NULL;
    uint32_t ids[] = {0, 1};
    flow_open(NULL, 2);
    CHECK(doca_flow_shared_resources_bind(DOCA_FLOW_SHARED_RESOURCE_COUNTER, ids, 2, w.port) == OK);
    CHECK(doca_flow_shared_resources_bind(DOCA_FLOW_SHARED_RESOURCE_METER, ids, 2, w.port) ==
          DOCA_ERROR_NOT_SUPPORTED);
    struct doca_flow_pipe *pipe =
        make_pipe(&(struct make){.match = &all, .monitor = &shared, .fwd = &queue});
    add(pipe, NULL, NULL);
    comes_with("10.0.0.1", 0);
    CHECK(doca_flow_shared_resources_query(DOCA_FLOW_SHARED_RESOURCE_COUNTER, ids, got, 2) == OK);
    CHECK(got[0].counter.total_pkts == 0 && got[1].counter.total_pkts == 1);
    CHECK(got[1].counter.total_bytes == FRAME_SIZE);
    shared.shared_counter.shared_counter_id = 2;
    CHECK(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, &shared, NULL, 0, NULL, &e) ==
          DOCA_ERROR_INVALID_VALUE);
    ids[0] = 2;
    CHECK(doca_flow_shared_resources_query(DOCA_FLOW_SHARED_RESOURCE_COUNTER, ids, got, 2) ==
          DOCA_ERROR_INVALID_VALUE);
    flow_close();
}

/* ---- Refusals ---- */

/* What no rule can do is refused, with the field's name. */
void what_is_not_emulated_is_named(void)
{
    struct doca_flow_match matches[8] = {0};
    struct doca_flow_actions actions[6] = {0};
    struct doca_flow_pipe *pipe = NULL;
    const struct doca_flow_fwd drop = {.type = DOCA_FLOW_FWD_DROP};
    matches[0].outer =
        (struct doca_flow_header_format){.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.total_len = 1};
    matches[1].inner.eth.type = 1;
    matches[2].meta.u32[8] = 1;
    matches[3].tun.type = DOCA_FLOW_TUN_GRE;
    matches[4].parser_meta.outer_l4_ok = 1;
    matches[5].outer = (struct doca_flow_header_format){
        .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_TRANSPORT, .transport.dst_port = 1};
    matches[6].meta.mark = 1;
    matches[7].outer =
        (struct doca_flow_header_format){.l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_ICMP, .icmp.type = 8};
    actions[0].nat64.original_l3_type = DOCA_FLOW_L3_TYPE_IP4;
    actions[1].outer =
        (struct doca_flow_header_format){.l3_type = DOCA_FLOW_L3_TYPE_IP6, .ip6.flow_label = 1};
    actions[2].crypto.crypto_id = 1;
    actions[3].encap_type = DOCA_FLOW_RESOURCE_TYPE_SHARED;
    actions[4].parser_meta.random = 1;
    actions[5].tun.type = DOCA_FLOW_TUN_VXLAN;
    flow_open(NULL, 0);
    for (unsigned i = 0; i < 8; i++)
        CHECK(try_pipe(&(struct make){.match = &matches[i], .fwd = &drop}, &pipe) ==
              DOCA_ERROR_NOT_SUPPORTED);
    for (unsigned i = 0; i < 6; i++)
        CHECK(try_pipe(&(struct make){.actions = &actions[i], .fwd = &drop}, &pipe) ==
              DOCA_ERROR_NOT_SUPPORTED);
    /* Headers that a match does not name. */
    struct doca_flow_match unnamed = {.outer.ip4.dst_ip = 1};
    CHECK(try_pipe(&(struct make){.match = &unnamed, .fwd = &drop}, &pipe) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_port_switch_get(w.port) == NULL);
    CHECK(doca_flow_port_pair(w.port, w.port) == DOCA_ERROR_NOT_SUPPORTED);
    flow_close();
}

void labels_of_mpls_are_made_and_read(void)
{
    struct doca_flow_header_mpls mpls;
    uint32_t label = 0;
    uint8_t class = 0, ttl = 0;
    bool bottom = false;
    CHECK(doca_flow_mpls_label_encode(0xabcde, 5, 64, true, &mpls) == OK);
    CHECK(memcmp(&mpls, "\xab\xcd\xeb\x40", 4) == 0);
    CHECK(doca_flow_mpls_label_decode(&mpls, &label, &class, &ttl, &bottom) == OK);
    CHECK(label == 0xabcde && class == 5 && ttl == 64 && bottom);
    CHECK(doca_flow_mpls_label_encode(1 << 20, 0, 0, false, &mpls) == DOCA_ERROR_INVALID_VALUE);
}
