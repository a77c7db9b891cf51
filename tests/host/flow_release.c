/* Pipes of DOCA Flow in a program of DOCA 2.5 to 2.10, built once for each of these releases with its headers. */
#include <arpa/inet.h>

#include "eth_world.h"

#define SINCE(minor) (DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, minor, 0))

/* ---- What the releases call by other names ---- */

#if SINCE(7)
#define COUNTER DOCA_FLOW_SHARED_RESOURCE_COUNTER
#else
#define COUNTER DOCA_FLOW_SHARED_RESOURCE_COUNT
#endif
#if !SINCE(9)
#define doca_flow_resource_query_entry     doca_flow_query_entry
#define doca_flow_resource_query_pipe_miss doca_flow_query_pipe_miss
#define doca_flow_pipe_remove_entry        doca_flow_pipe_rm_entry
#endif
#if !SINCE(6)
#define doca_flow_pipe_control_add_entry(queue, priority, pipe, match, mask, condition, ...)       \
    doca_flow_pipe_control_add_entry(queue, priority, pipe, match, mask, __VA_ARGS__)
#endif

static struct doca_flow_fwd to_queues(int count)
{
    static uint16_t ids[] = {QUEUE};
#if SINCE(9)
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS,
                                  .rss_type = count ? DOCA_FLOW_RESOURCE_TYPE_NON_SHARED
                                                    : DOCA_FLOW_RESOURCE_TYPE_SHARED,
                                  .rss = {.queues_array = ids,
                                          .nr_queues = count,
                                          .outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP}};
#else
    return (struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS,
                                  .rss_queues = ids,
                                  .num_of_queues = count,
                                  .rss_outer_flags = DOCA_FLOW_RSS_IPV4 | DOCA_FLOW_RSS_UDP};
#endif
}

static uint64_t misses_of(struct doca_flow_pipe *pipe)
{
#if SINCE(9)
    struct doca_flow_resource_query q = {0};
    CHECK(doca_flow_resource_query_pipe_miss(pipe, &q) == OK);
    return q.counter.total_pkts;
#else
    struct doca_flow_query q = {0};
    CHECK(doca_flow_query_pipe_miss(pipe, &q) == OK);
    return q.total_pkts;
#endif
}

static uint64_t count_of(struct doca_flow_pipe_entry *entry)
{
#if SINCE(9)
    struct doca_flow_resource_query q = {0};
    CHECK(doca_flow_resource_query_entry(entry, &q) == OK);
    return q.counter.total_pkts;
#else
    struct doca_flow_query q = {0};
    CHECK(doca_flow_query_entry(entry, &q) == OK);
    return q.total_pkts;
#endif
}

/* ---- The library, the port and pipes ---- */

static unsigned added;
static void on_entry(struct doca_flow_pipe_entry *entry, uint16_t queue,
                     enum doca_flow_entry_status status, enum doca_flow_entry_op op, void *ctx)
{
    CHECK(entry && queue == 0 && status == DOCA_FLOW_ENTRY_STATUS_SUCCESS && ctx == &w);
    if (op == DOCA_FLOW_ENTRY_OP_ADD)
        added++;
}

#if SINCE(7)
static void start(void)
{
    struct doca_flow_cfg *cfg = NULL;
    struct doca_flow_port_cfg *port_cfg = NULL;
    CHECK(doca_flow_init(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_cfg_create(&cfg) == OK && doca_flow_cfg_set_pipe_queues(cfg, 2) == OK);
    CHECK(doca_flow_cfg_set_cb_entry_process(cfg, on_entry) == OK);
    CHECK(doca_flow_cfg_set_nr_shared_resource(cfg, 2, COUNTER) == OK);
    uint16_t queue = QUEUE;
    struct doca_flow_resource_rss_cfg rss = {.queues_array = &queue, .nr_queues = 1};
    CHECK(doca_flow_cfg_set_cb_pipe_process(cfg, NULL) == OK);
    CHECK(doca_flow_cfg_set_default_rss(cfg, &rss) == OK);
    rss.nr_queues = 0;
    CHECK(doca_flow_cfg_set_default_rss(cfg, &rss) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_init(cfg) == OK && doca_flow_cfg_destroy(cfg) == OK);
    CHECK(doca_flow_port_cfg_create(&port_cfg) == OK);
    CHECK(doca_flow_port_cfg_set_dev(port_cfg, w.dev) == OK);
    CHECK(doca_flow_port_cfg_set_port_id(port_cfg, 5) == OK);
    CHECK(doca_flow_port_start(port_cfg, &w.port) == OK);
    CHECK(doca_flow_port_cfg_destroy(port_cfg) == OK);
}
#else
static void start(void)
{
    static const uint8_t key[40];
    struct doca_flow_cfg cfg = {.mode_args = "vnf,hws,isolated", .cb = on_entry};
    struct doca_flow_port_cfg port_cfg = {.port_id = 5, .priv_data_size = 8, .dev = w.dev};
#if SINCE(6)
    struct doca_flow_resource_rss_cfg rss = {.nr_queues = 1};
    cfg.pipe_queues = 2;
    cfg.rss = rss;
#else
    cfg.queues = 2;
#endif
    cfg.flags = 1;
    CHECK(doca_flow_init(&cfg) == DOCA_ERROR_NOT_SUPPORTED);
    cfg.flags = 0;
    cfg.rss_key = key;
    CHECK(doca_flow_init(&cfg) == DOCA_ERROR_NOT_SUPPORTED);
    cfg.rss_key = NULL;
    cfg.nr_shared_resources[COUNTER] = 2;
    cfg.nr_shared_resources[DOCA_FLOW_SHARED_RESOURCE_MIRROR] = 1;
    CHECK(doca_flow_init(&cfg) == DOCA_ERROR_NOT_SUPPORTED);
    cfg.nr_shared_resources[DOCA_FLOW_SHARED_RESOURCE_MIRROR] = 0;
    CHECK(doca_flow_init(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_port_start(&port_cfg, &w.port) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_flow_init(&cfg) == OK && doca_flow_init(&cfg) == DOCA_ERROR_ALREADY_EXIST);
#if SINCE(6)
    port_cfg.rss = &rss;
    CHECK(doca_flow_port_start(&port_cfg, &w.port) == DOCA_ERROR_NOT_SUPPORTED);
    port_cfg.rss = NULL;
#endif
    CHECK(doca_flow_port_start(&port_cfg, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_port_start(&port_cfg, &w.port) == OK);
    CHECK(doca_flow_port_priv_data(w.port) && doca_flow_port_priv_data(w.port)[7] == 0);
}
#endif

enum { ENTRIES = 16 };
/* What a pipe of a case is made of. */
struct make {
    enum doca_flow_pipe_type type;
    bool is_sent, is_not_root;
    struct doca_flow_match *match, *mask;
    struct doca_flow_actions *actions;
    struct doca_flow_action_descs *descs;
    struct doca_flow_monitor *monitor;
    const struct doca_flow_fwd *fwd, *miss;
};

#if SINCE(7)
static doca_error_t try_pipe(const struct make *m, struct doca_flow_pipe **pipe)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    struct doca_flow_actions *actions = m->actions;
    CHECK(doca_flow_pipe_cfg_create(&cfg, w.port) == OK);
    CHECK(doca_flow_pipe_cfg_set_type(cfg, m->type) == OK);
    CHECK(doca_flow_pipe_cfg_set_domain(cfg, m->is_sent ? DOCA_FLOW_PIPE_DOMAIN_EGRESS
                                                        : DOCA_FLOW_PIPE_DOMAIN_DEFAULT) == OK);
    CHECK(doca_flow_pipe_cfg_set_is_root(cfg, !m->is_not_root) == OK);
    CHECK(doca_flow_pipe_cfg_set_miss_counter(cfg, true) == OK);
    CHECK(doca_flow_pipe_cfg_set_enable_strict_matching(cfg, true) == OK);
    CHECK(doca_flow_pipe_cfg_set_congestion_level_threshold(cfg, 100) == OK);
    CHECK(doca_flow_pipe_cfg_set_congestion_level_threshold(cfg, 101) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_pipe_cfg_set_nr_entries(cfg, ENTRIES) == OK);
    doca_error_t result =
        m->match || m->mask ? doca_flow_pipe_cfg_set_match(cfg, m->match, m->mask) : OK;
    if (result == OK && actions)
        result =
            doca_flow_pipe_cfg_set_actions(cfg, &actions, NULL, m->descs ? &m->descs : NULL, 1);
    if (result == OK && m->monitor)
        result = doca_flow_pipe_cfg_set_monitor(cfg, m->monitor);
    if (result == OK)
        result = doca_flow_pipe_create(cfg, m->fwd, m->miss, pipe);
    CHECK(doca_flow_pipe_cfg_destroy(cfg) == OK);
    return result;
}
#else
static doca_error_t try_pipe(const struct make *m, struct doca_flow_pipe **pipe)
{
    struct doca_flow_actions *actions = m->actions;
    struct doca_flow_action_descs *descs = m->descs;
    struct doca_flow_ordered_list *list = NULL;
    struct doca_flow_pipe_cfg cfg = {
        .attr = {.name = "p",
                 .type = m->type,
                 .domain =
                     m->is_sent ? DOCA_FLOW_PIPE_DOMAIN_EGRESS : DOCA_FLOW_PIPE_DOMAIN_DEFAULT,
                 .is_root = !m->is_not_root,
                 .miss_counter = true,
                 .nb_flows = ENTRIES,
                 .nb_actions = actions ? 1 : 0},
        .port = w.port,
        .match = m->match,
        .match_mask = m->mask,
        .actions = actions ? &actions : NULL,
        .action_descs = descs ? &descs : NULL,
        .monitor = m->monitor,
        .ordered_lists = &list,
    };
    CHECK(doca_flow_pipe_create(&cfg, m->fwd, m->miss, pipe) == DOCA_ERROR_NOT_SUPPORTED);
    cfg.ordered_lists = NULL;
    CHECK(doca_flow_pipe_create(NULL, m->fwd, m->miss, pipe) == DOCA_ERROR_INVALID_VALUE);
    return doca_flow_pipe_create(&cfg, m->fwd, m->miss, pipe);
}
#endif

static struct doca_flow_pipe *make_pipe(const struct make *m)
{
    struct doca_flow_pipe *pipe = NULL;
    CHECK(try_pipe(m, &pipe) == OK && pipe);
    return pipe;
}

static struct doca_flow_pipe_entry *add(struct doca_flow_pipe *pipe, struct doca_flow_match *match,
                                        struct doca_flow_actions *actions)
{
    struct doca_flow_pipe_entry *e = NULL;
    CHECK(doca_flow_pipe_add_entry(0, pipe, match, actions, NULL, NULL, 0, &w, &e) == OK && e);
    return e;
}

/* ---- Steps ---- */

/* Entries give no types of headers: those of the pipe count. */
static void entries_have_values(void)
{
    const struct doca_flow_fwd queue = to_queues(1);
    struct doca_flow_monitor counts = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED};
    struct doca_flow_actions sets = {.meta.pkt_meta = UINT32_MAX}, own = {0};
    struct doca_flow_match match = {.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                              .ip4.dst_ip = UINT32_MAX,
                                              .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                              .udp.l4_port.dst_port = UINT16_MAX}};
    struct doca_flow_match mask = match, one = {0};
    mask.outer.ip4.ttl = 0x3f; /* 64 by its low bits */
    mask.outer.ip4.next_proto = 0xff;
    match.outer.ip4.next_proto = IPPROTO_UDP;
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){
        .match = &match, .mask = &mask, .actions = &sets, .monitor = &counts, .fwd = &queue});
    one.outer.ip4.dst_ip = inet_addr("10.0.0.1");
    one.outer.udp.l4_port.dst_port = htons(1235);
    own.meta.pkt_meta = htonl(11);
    struct doca_flow_pipe_entry *e = add(pipe, &one, &own);
    CHECK(doca_flow_entries_process(w.port, 0, 0, 0) == OK && added == 1);
    comes_with("10.0.0.1", 11);
    w.memory[AT_TTL] = 65;
    send_once();
    w.memory[AT_TTL] = 64;
    set_destination("10.0.0.2");
    send_once();
    CHECK(misses_of(pipe) == 2 && count_of(e) == 1);
    own.meta.pkt_meta = htonl(12);
    CHECK(doca_flow_pipe_update_entry(0, pipe, &own, NULL, NULL, 0, e) == OK);
    comes_with("10.0.0.1", 12);
    CHECK(doca_flow_pipe_remove_entry(0, 0, e) == OK);
    send_once();
    CHECK(misses_of(pipe) == 3);
    doca_flow_pipe_destroy(pipe);
}

/* Fields of IPv6, which lie elsewhere before 2.7, and one of which has another name there. */
static void ip6_has_fields(void)
{
    enum { AT_TYPE = 12, AT_IP = 14, AT_HOPS = 21, AT_DESTINATION6 = 38, AT_PORTS = 54 };
    static const uint8_t ip6[] = {0x61, 0x20, 0, 0, 0, 60, IPPROTO_UDP, 9};
    const struct doca_flow_fwd queue = to_queues(1);
    struct doca_flow_match match = {.outer.l3_type = DOCA_FLOW_L3_TYPE_IP6}, one = {0};
    struct doca_flow_actions sets = {.meta.pkt_meta = htonl(6)};
    uint8_t before[FRAME_SIZE];
    memcpy(before, w.memory, sizeof before);
    memcpy(w.memory + AT_TYPE, "\x86\xdd", 2);
    memcpy(w.memory + AT_IP, ip6, sizeof ip6);
    memset(w.memory + AT_DESTINATION6, 0xfd, 16);
    memset(w.memory + AT_PORTS, 1, 4);
    memset(match.outer.ip6.dst_ip, 0xff, sizeof match.outer.ip6.dst_ip);
    memset(one.outer.ip6.dst_ip, 0xfd, sizeof one.outer.ip6.dst_ip);
    match.outer.ip6.hop_limit = 9;
    match.outer.ip6.next_proto = IPPROTO_UDP;
#if SINCE(7)
    match.outer.ip6.traffic_class = 0x12;
#else
    match.outer.ip6.dscp_ecn = 0x12;
#endif
    struct doca_flow_pipe *pipe =
        make_pipe(&(struct make){.match = &match, .actions = &sets, .fwd = &queue});
    add(pipe, &one, NULL);
    comes_with("10.0.0.1", 6); /* the address of IPv4 is a part of the source */
    w.memory[AT_HOPS]--;
    send_once();
    w.memory[AT_HOPS]++;
    w.memory[AT_DESTINATION6 + 15] = 0;
    send_once();
    CHECK(misses_of(pipe) == 2);
    memcpy(w.memory, before, sizeof before);
    doca_flow_pipe_destroy(pipe);
}

/* A frame with a tag passes one entry by its number of tags, and another frame passes another. */
static void tags_are_counted(void)
{
    const struct doca_flow_fwd queue = to_queues(1);
    struct doca_flow_match one = {.parser_meta.outer_l2_type = DOCA_FLOW_L2_META_SINGLE_VLAN};
    struct doca_flow_match more = {.parser_meta.outer_l2_type = DOCA_FLOW_L2_META_MULTI_VLAN};
    struct doca_flow_match mask = {0}, ip = {.parser_meta.outer_l3_type = DOCA_FLOW_L3_META_IPV4};
    struct doca_flow_actions sets = {.meta.pkt_meta = htonl(1)};
    struct doca_flow_pipe_entry *e = NULL;
    memset(&mask.parser_meta.outer_l2_type, 0xff, sizeof mask.parser_meta.outer_l2_type);
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_CONTROL});
    CHECK(doca_flow_pipe_control_add_entry(0, 1, pipe, &one, &mask, NULL, &sets, NULL, NULL, NULL,
                                           &queue, &w, &e) == OK);
    sets.meta.pkt_meta = htonl(2);
    CHECK(doca_flow_pipe_control_add_entry(0, 1, pipe, &more, &mask, NULL, &sets, NULL, NULL, NULL,
                                           &queue, &w, &e) == OK);
    sets.meta.pkt_meta = htonl(3);
    CHECK(doca_flow_pipe_control_add_entry(0, 2, pipe, &ip, NULL, NULL, &sets, NULL, NULL, NULL,
                                           &queue, &w, &e) == OK);
    comes_with("10.0.0.1", 3);
    struct doca_flow_actions pushes = {.has_push = true};
#if SINCE(9)
    pushes.push.vlan.eth_type = htons(0x8100);
    pushes.push.vlan.vlan_hdr.tci = htons(77);
#else
    pushes.push.vlan.tci = htons(77);
#endif
    const struct doca_flow_fwd port = {.type = DOCA_FLOW_FWD_PORT, .port_id = 5};
    struct doca_flow_match all = {0};
    struct doca_flow_pipe *out =
        make_pipe(&(struct make){.is_sent = true, .match = &all, .actions = &pushes, .fwd = &port});
    add(out, NULL, NULL);
    comes_with("10.0.0.1", 1);
    doca_flow_pipe_destroy(out);
    doca_flow_pipe_destroy(pipe);
}

/* The longest prefix of two, in a pipe that another pipe leads to. */
static void prefixes_lead(void)
{
    const struct doca_flow_fwd queue = to_queues(1), drop = {.type = DOCA_FLOW_FWD_DROP};
    struct doca_flow_match match = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.dst_ip = UINT32_MAX}};
    struct doca_flow_match one = {0}, mask = {0}, all = {0};
    struct doca_flow_pipe_entry *e = NULL, *dropped = NULL;
    struct doca_flow_pipe *lpm = make_pipe(&(struct make){
        .type = DOCA_FLOW_PIPE_LPM, .is_not_root = true, .match = &match, .miss = &drop});
    one.outer.ip4.dst_ip = inet_addr("10.1.0.0");
    mask.outer.ip4.dst_ip = htonl(0xffff0000);
    CHECK(doca_flow_pipe_lpm_add_entry(0, lpm, &one, &mask, NULL, NULL, &queue, DOCA_FLOW_NO_WAIT,
                                       &w, &e) == OK);
    one.outer.ip4.dst_ip = inet_addr("10.1.2.0");
    mask.outer.ip4.dst_ip = htonl(0xffffff00);
    CHECK(doca_flow_pipe_lpm_add_entry(0, lpm, &one, &mask, NULL, NULL, &drop, DOCA_FLOW_NO_WAIT,
                                       &w, &dropped) == OK);
    const struct doca_flow_fwd next = {.type = DOCA_FLOW_FWD_PIPE, .next_pipe = lpm};
#if SINCE(6)
    const struct doca_flow_fwd each = {.type = DOCA_FLOW_FWD_CHANGEABLE};
    struct doca_flow_pipe *root = make_pipe(&(struct make){.match = &all, .fwd = &each});
#else
    struct doca_flow_pipe *root = make_pipe(&(struct make){.match = &all});
#endif
    CHECK(doca_flow_pipe_add_entry(0, root, NULL, NULL, NULL, &next, 0, &w, &e) == OK);
    comes_with("10.1.9.9", 0);
    set_destination("10.1.2.3");
    send_once();
    comes_with("10.1.8.8", 0);
    CHECK(doca_flow_pipe_update_entry(0, lpm, NULL, NULL, &queue, 0, e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_pipe_lpm_update_entry(0, root, NULL, NULL, &queue, 0, e) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_flow_pipe_lpm_update_entry(0, lpm, NULL, NULL, &queue, 0, dropped) == OK);
    comes_with("10.1.2.3", 0);
    doca_flow_pipe_destroy(root);
    doca_flow_pipe_destroy(lpm);
}

/* Entries of ACL and hash pipes. */
static void other_pipes_have_entries(void)
{
    const struct doca_flow_fwd queue = to_queues(1);
    struct doca_flow_match match = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.dst_ip = UINT32_MAX}};
    struct doca_flow_match one = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.dst_ip = inet_addr("10.0.0.0")}};
    struct doca_flow_match mask = {.outer.ip4.dst_ip = htonl(0xffffff00)};
    struct doca_flow_actions sets = {.meta.pkt_meta = UINT32_MAX}, own = {.action_idx = 0};
    struct doca_flow_pipe_entry *e = NULL;
    uint32_t hash = 0;
    struct doca_flow_pipe *acl =
        make_pipe(&(struct make){.type = DOCA_FLOW_PIPE_ACL, .match = &match});
    CHECK(doca_flow_pipe_acl_add_entry(0, acl, &one, &mask, 1, &queue, DOCA_FLOW_NO_WAIT, &w, &e) ==
          OK);
    comes_with("10.0.0.9", 0);
    set_destination("10.0.1.9");
    send_once();
    CHECK(misses_of(acl) == 1);
    doca_flow_pipe_destroy(acl);
    struct doca_flow_pipe *pipe = make_pipe(&(struct make){
        .type = DOCA_FLOW_PIPE_HASH, .mask = &match, .actions = &sets, .fwd = &queue});
    one.outer.ip4.dst_ip = inet_addr("10.0.1.9");
    CHECK(doca_flow_pipe_calc_hash(pipe, &one, &hash) == OK);
    own.meta.pkt_meta = htonl(8);
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, hash % ENTRIES, &own, NULL, NULL,
                                        DOCA_FLOW_NO_WAIT, &w, &e) == OK);
    comes_with("10.0.1.9", 8);
    own.action_idx = 1;
    CHECK(doca_flow_pipe_hash_add_entry(0, pipe, (hash + 1) % ENTRIES, &own, NULL, NULL,
                                        DOCA_FLOW_NO_WAIT, &w, &e) == DOCA_ERROR_INVALID_VALUE);
    doca_flow_pipe_destroy(pipe);
}

static void set_tunnel(struct doca_flow_actions *a, bool is_l2, struct doca_flow_encap_action **out)
{
#if SINCE(7)
    a->encap_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    a->encap_cfg.is_l2 = is_l2;
    *out = &a->encap_cfg.encap;
#else
    (void)is_l2;
    a->has_encap = true;
    *out = &a->encap;
#endif
}

/* Frames leave in a tunnel, which a pipe that gets them takes away. */
static void tunnels_come_and_go(void)
{
    const struct doca_flow_fwd queue = to_queues(1),
                               port = {.type = DOCA_FLOW_FWD_PORT, .port_id = 5};
    struct doca_flow_actions wraps = {0}, own = {0}, unwraps = {.meta.pkt_meta = htonl(5)};
    struct doca_flow_encap_action *encap, *own_encap;
    struct doca_flow_match all = {0};
    size_t size = 0;
    set_tunnel(&wraps, true, &encap);
    set_tunnel(&own, true, &own_encap);
    encap->outer.l3_type = DOCA_FLOW_L3_TYPE_IP4;
    encap->outer.ip4.src_ip = inet_addr("172.16.0.1");
    encap->outer.ip4.dst_ip = UINT32_MAX;
    encap->outer.ip4.ttl = 9;
    encap->outer.eth.dst_mac[0] = 2;
    encap->tun.type = DOCA_FLOW_TUN_VXLAN;
    encap->tun.vxlan_tun_id = htonl(42 << 8);
    own_encap->outer.ip4.dst_ip = inet_addr("172.16.0.2"); /* no type: the pipe's counts */
    struct doca_flow_pipe *out =
        make_pipe(&(struct make){.is_sent = true, .match = &all, .actions = &wraps, .fwd = &port});
    add(out, NULL, &own);
    struct doca_flow_match vxlan = {
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4 = {.dst_ip = UINT32_MAX, .ttl = 9}},
        .tun = {.type = DOCA_FLOW_TUN_VXLAN, .vxlan_tun_id = UINT32_MAX}};
    struct doca_flow_match one = {.outer.ip4.dst_ip = inet_addr("172.16.0.2"),
                                  .tun.vxlan_tun_id = htonl(42 << 8)};
#if SINCE(7)
    unwraps.decap_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    unwraps.decap_cfg.is_l2 = true;
    struct make in = {.match = &vxlan, .actions = &unwraps, .fwd = &queue};
#else
    struct doca_flow_action_desc desc = {.type = DOCA_FLOW_ACTION_DECAP_ENCAP};
    struct doca_flow_action_descs descs = {.nb_action_desc = 1, .desc_array = &desc};
    struct make in = {.match = &vxlan, .actions = &unwraps, .descs = &descs, .fwd = &queue};
    struct doca_flow_pipe *none = NULL;
    unwraps.decap = true;
    CHECK(try_pipe(&in, &none) == DOCA_ERROR_NOT_SUPPORTED); /* a tunnel of layer 3 */
    desc.decap_encap.is_l2 = true;
#endif
    struct doca_flow_pipe *pipe = make_pipe(&in);
    add(pipe, &one, NULL);
    comes_with("10.0.0.1", 5);
    last_frame(&size);
    CHECK(misses_of(pipe) == 0 && size == 0); /* the buffer waits again */
    doca_flow_pipe_destroy(out);
    doca_flow_pipe_destroy(pipe);
}

static void counters_are_shared_and_ages_count(void)
{
    const struct doca_flow_fwd queue = to_queues(1);
    struct doca_flow_monitor shared = {.counter_type = DOCA_FLOW_RESOURCE_TYPE_SHARED,
                                       .shared_counter.shared_counter_id = 1,
                                       .aging_sec = 1};
    struct doca_flow_match all = {0};
    uint32_t ids[] = {0, 1};
    CHECK(doca_flow_shared_resources_bind(COUNTER, ids, 2, w.port) == OK);
#if !SINCE(7)
    struct doca_flow_pipe *young =
        make_pipe(&(struct make){.match = &all, .monitor = &shared, .fwd = &queue});
    add(young, NULL, NULL);
    doca_flow_pipe_destroy(young);
    shared.aging_enabled = true;
#endif
    struct doca_flow_pipe *pipe =
        make_pipe(&(struct make){.match = &all, .monitor = &shared, .fwd = &queue});
    add(pipe, NULL, NULL);
    comes_with("10.0.0.1", 0);
#if SINCE(9)
    struct doca_flow_resource_query got[2];
#else
    struct doca_flow_shared_resource_result got[2];
#endif
    CHECK(doca_flow_shared_resources_query(COUNTER, ids, got, 2) == OK);
    CHECK(got[0].counter.total_pkts == 0 && got[1].counter.total_pkts == 1);
    doca_flow_pipe_destroy(pipe);
}

static void refuse(const struct make *m)
{
    struct doca_flow_pipe *pipe = NULL;
    CHECK(try_pipe(m, &pipe) == DOCA_ERROR_NOT_SUPPORTED && !pipe);
}

static void fields_are_refused_by_name(void)
{
    const struct doca_flow_fwd queue = to_queues(1), shared = to_queues(0);
    struct doca_flow_match all = {0}, match = {.parser_meta.port_meta = 1};
    refuse(&(struct make){.match = &match, .fwd = &queue});
    match = (struct doca_flow_match){
        .outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4, .ip4.total_len = htons(100)}};
    refuse(&(struct make){.match = &match, .fwd = &queue});
    match = (struct doca_flow_match){.meta.mark = 1};
    refuse(&(struct make){.match = &match, .fwd = &queue});
    match = (struct doca_flow_match){.inner.l3_type = DOCA_FLOW_L3_TYPE_IP4};
    refuse(&(struct make){.match = &match, .fwd = &queue});
    struct doca_flow_actions actions = {.crypto.action_type = DOCA_FLOW_CRYPTO_ACTION_ENCRYPT};
    refuse(&(struct make){.match = &all, .actions = &actions, .fwd = &queue});
    struct doca_flow_monitor monitor = {.meter_type = DOCA_FLOW_RESOURCE_TYPE_SHARED};
    refuse(&(struct make){.match = &all, .monitor = &monitor, .fwd = &queue});
    monitor = (struct doca_flow_monitor){.shared_mirror_id = 1};
    refuse(&(struct make){.match = &all, .monitor = &monitor, .fwd = &queue});
    refuse(&(struct make){.match = &all, .fwd = &shared});
    /* A field without the type of its header. */
    struct doca_flow_pipe *pipe = NULL;
    match = (struct doca_flow_match){.outer.ip4.ttl = 1};
    CHECK(try_pipe(&(struct make){.match = &match, .fwd = &queue}, &pipe) ==
          DOCA_ERROR_INVALID_VALUE);
}

void pipes_of_release(void)
{
    flow_queue_open();
    start();
    entries_have_values();
    ip6_has_fields();
    tags_are_counted();
    prefixes_lead();
    other_pipes_have_entries();
    tunnels_come_and_go();
    counters_are_shared_and_ages_count();
    fields_are_refused_by_name();
    CHECK(doca_flow_entries_process(w.port, 0, 0, 0) == OK);
    flow_close();
}
