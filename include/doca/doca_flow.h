/*
 * doca_flow: steering of frames: ports, pipes that match frames, and entries of pipes.
 *
 *     struct doca_flow_match match = {.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
 *                                               .ip4.dst_ip = 0xffffffff,       // each entry has its own
 *                                               .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP}};
 *     doca_flow_cfg_create(&cfg);  doca_flow_cfg_set_mode_args(cfg, "vnf,isolated");
 *     doca_flow_init(cfg);
 *     doca_flow_port_cfg_create(&port_cfg);  doca_flow_port_cfg_set_dev(port_cfg, dev);
 *     doca_flow_port_start(port_cfg, &port);
 *     doca_flow_pipe_cfg_create(&c, port);  doca_flow_pipe_cfg_set_is_root(c, true);
 *     doca_flow_pipe_cfg_set_match(c, &match, NULL);
 *     doca_flow_pipe_create(c, &(struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS, ...}, NULL, &pipe);
 *     match.outer.ip4.dst_ip = inet_addr("10.0.0.1");
 *     doca_flow_pipe_add_entry(0, pipe, &match, 0, NULL, NULL, NULL, DOCA_FLOW_NO_WAIT, NULL, &entry);
 *     doca_flow_entries_process(port, 0, 10000, 1);
 *
 * A pipe has a template of its match. A field that is 0 matches all frames. A field with all bits set is
 * changeable: each entry has its value. A field with another value matches this value. With a mask, only
 * the bits of the mask count, also where the match is 0. Templates of actions follow the same rule: a
 * field that is 0 stays unchanged. The entries of control, LPM and ACL pipes have matches of their own.
 *
 * Supported: basic, control, LPM, ACL and hash pipes for received frames, and for sent frames (domain EGRESS);
 * matches of Ethernet, VLAN, IP, TCP and UDP, of VXLAN's identifier, and of metadata; actions that set
 * these fields, push or pop a VLAN tag, put VXLAN around a frame or remove it; destinations: receive
 * queues (RSS), another pipe, drop, and for sent frames the port; counters of entries, of pipes' misses,
 * and shared counters; aging. Everything else returns NOT_SUPPORTED, and a line of the log names it.
 *
 * Entries work as soon as they are added. doca_flow_entries_process only calls the callback for them.
 *
 * The structures are those of the release of doca_version.h. doca_flow_init tells the library which
 * release that is: all parts of a program that use DOCA Flow must be built for the same one.
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Flow programming guide).
 */
#ifndef DOCA_FLOW_H
#define DOCA_FLOW_H

#include <stdio.h>

#include "doca_bitfield.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_flow_net.h"
#include "doca_types.h"
#include "doca_version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_flow_cfg;
struct doca_flow_port_cfg;
struct doca_flow_pipe_cfg;
struct doca_flow_port;
struct doca_flow_pipe;
struct doca_flow_pipe_entry;
struct doca_flow_target;

/* ---- Matches ---- */

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
#define DOCA_FLOW_META_MAX 44 /* bytes of pkt_meta and u32 */
#else
#define DOCA_FLOW_META_MAX 32
#endif
#define DOCA_FLOW_META_SCRATCH_PAD     (DOCA_FLOW_META_MAX / 4 - 1)
#define DOCA_FLOW_META_SCRATCH_PAD_MAX DOCA_FLOW_META_SCRATCH_PAD

/* Data that a frame carries from pipe to pipe, big endian. */
struct doca_flow_meta {
    uint32_t pkt_meta; /* doca_eth reports it for received frames, and sets it for sent frames */
    uint32_t u32[DOCA_FLOW_META_SCRATCH_PAD]; /* here the first eight */
    uint32_t mark;
};

enum doca_flow_l2_meta {
    DOCA_FLOW_L2_META_NO_VLAN = 0,
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
    DOCA_FLOW_L2_META_MULTI_VLAN,
    DOCA_FLOW_L2_META_SINGLE_VLAN,
    DOCA_FLOW_L2_META_CUSTOM_VLAN,
#else
    DOCA_FLOW_L2_META_SINGLE_VLAN,
    DOCA_FLOW_L2_META_MULTI_VLAN,
#endif
};
enum doca_flow_l3_meta {
    DOCA_FLOW_L3_META_NONE = 0,
    DOCA_FLOW_L3_META_IPV4,
    DOCA_FLOW_L3_META_IPV6,
};
enum doca_flow_l4_meta {
    DOCA_FLOW_L4_META_NONE = 0,
    DOCA_FLOW_L4_META_TCP,
    DOCA_FLOW_L4_META_UDP,
    DOCA_FLOW_L4_META_ICMP,
    DOCA_FLOW_L4_META_ESP,
};
enum doca_flow_meter_color {
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
    DOCA_FLOW_METER_COLOR_RED = 0,
    DOCA_FLOW_METER_COLOR_YELLOW,
    DOCA_FLOW_METER_COLOR_GREEN,
#else
    DOCA_FLOW_METER_COLOR_GREEN = 0,
    DOCA_FLOW_METER_COLOR_YELLOW,
    DOCA_FLOW_METER_COLOR_RED,
#endif
};

/* What the parser found in a frame. */
struct doca_flow_parser_meta {
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
    uint16_t port_id;
#else
    uint32_t port_meta;
#endif
    uint16_t random;
    uint8_t ipsec_syndrome;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
    uint8_t ipsec_ar_syndrome;
#endif
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    uint8_t psp_syndrome;
#endif
    enum doca_flow_meter_color meter_color : 8;
    enum doca_flow_l2_meta outer_l2_type;
    enum doca_flow_l3_meta outer_l3_type;
    enum doca_flow_l4_meta outer_l4_type;
    enum doca_flow_l2_meta inner_l2_type;
    enum doca_flow_l3_meta inner_l3_type;
    enum doca_flow_l4_meta inner_l4_type;
    uint8_t outer_ip_fragmented, inner_ip_fragmented;
    uint8_t outer_l3_ok, outer_ip4_checksum_ok, outer_l4_ok;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    uint8_t outer_l4_checksum_ok;
#endif
    uint8_t inner_l3_ok, inner_ip4_checksum_ok, inner_l4_ok;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    uint8_t inner_l4_checksum_ok;
#endif
};

struct doca_flow_match {
    uint32_t flags;
    struct doca_flow_meta meta;
    struct doca_flow_parser_meta parser_meta;
    struct doca_flow_header_format outer;
    struct doca_flow_tun tun;
    struct doca_flow_header_format inner;
};

/* A condition on a field, by name; here not supported. */
struct doca_flow_desc_field {
    const char *field_string;
    uint32_t bit_offset;
};
enum doca_flow_compare_op {
    DOCA_FLOW_COMPARE_EQ = 0,
    DOCA_FLOW_COMPARE_NE,
    DOCA_FLOW_COMPARE_LT,
    DOCA_FLOW_COMPARE_LE,
    DOCA_FLOW_COMPARE_GT,
    DOCA_FLOW_COMPARE_GE,
};
struct doca_flow_match_condition {
    enum doca_flow_compare_op operation;
    union {
        __extension__ struct {
            struct doca_flow_desc_field a, b;
            uint32_t width;
        } field_op;
    };
};

/* ---- Actions ---- */

enum doca_flow_resource_type {
    DOCA_FLOW_RESOURCE_TYPE_NONE = 0,
    DOCA_FLOW_RESOURCE_TYPE_SHARED,
    DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
};

struct doca_flow_push_vlan_action {
    uint16_t eth_type; /* big endian, as in the frame */
    struct doca_flow_header_eth_vlan vlan_hdr;
};
enum doca_flow_push_action_type {
    DOCA_FLOW_PUSH_ACTION_VLAN = 0,
};
struct doca_flow_push_action {
    enum doca_flow_push_action_type type;
    union {
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
        struct doca_flow_push_vlan_action vlan;
#else
        struct doca_flow_header_eth_vlan vlan;
#endif
    };
};

/* Headers that are put before a frame. */
struct doca_flow_encap_action {
    struct doca_flow_header_format outer;
    struct doca_flow_tun tun;
};
struct doca_flow_resource_encap_cfg {
    bool is_l2; /* the frame keeps its Ethernet header; here true */
    struct doca_flow_encap_action encap;
};
struct doca_flow_resource_decap_cfg {
    bool is_l2;
    struct doca_flow_header_eth eth; /* of the frame after it, if is_l2 is false */
    uint16_t l2_valid_headers;
    struct doca_flow_header_eth_vlan eth_vlan[DOCA_FLOW_VLAN_MAX];
};

struct doca_flow_nat64_action {
    enum doca_flow_l3_type original_l3_type;
};

/* Here not supported, as all of crypto. */
enum doca_flow_crypto_action_type {
    DOCA_FLOW_CRYPTO_ACTION_NONE = 0,
    DOCA_FLOW_CRYPTO_ACTION_ENCRYPT,
    DOCA_FLOW_CRYPTO_ACTION_DECRYPT,
};
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
enum doca_flow_crypto_resource_type {
    DOCA_FLOW_CRYPTO_RESOURCE_NONE = 0,
    DOCA_FLOW_CRYPTO_RESOURCE_IPSEC_SA,
    DOCA_FLOW_CRYPTO_RESOURCE_PSP,
};
#else
enum doca_flow_crypto_protocol_type {
    DOCA_FLOW_CRYPTO_PROTOCOL_NONE = 0,
    DOCA_FLOW_CRYPTO_PROTOCOL_ESP,
};
#endif
enum doca_flow_crypto_encap_action_type {
    DOCA_FLOW_CRYPTO_REFORMAT_NONE = 0,
    DOCA_FLOW_CRYPTO_REFORMAT_ENCAP,
    DOCA_FLOW_CRYPTO_REFORMAT_DECAP,
};
enum doca_flow_crypto_encap_net_type {
    DOCA_FLOW_CRYPTO_HEADER_NONE = 0,
    DOCA_FLOW_CRYPTO_HEADER_ESP_TUNNEL,
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV4,
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV6,
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV4,
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV6,
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_LAN,
    DOCA_FLOW_CRYPTO_HEADER_PSP_TUNNEL,
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV4,
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV6,
    DOCA_FLOW_CRYPTO_HEADER_NON_ESP_MARKER,
#else
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IP,
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IP,
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_LAN,
#endif
};
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
#define DOCA_FLOW_CRYPTO_HEADER_LEN_MAX 114
#else
#define DOCA_FLOW_CRYPTO_HEADER_LEN_MAX 106
#endif
struct doca_flow_crypto_encap_action {
    enum doca_flow_crypto_encap_action_type action_type;
    enum doca_flow_crypto_encap_net_type net_type;
    uint16_t icv_size;
    uint16_t data_size;
    uint8_t encap_data[DOCA_FLOW_CRYPTO_HEADER_LEN_MAX];
};
struct doca_flow_crypto_action {
    enum doca_flow_crypto_action_type action_type;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    enum doca_flow_crypto_resource_type resource_type;
    union {
        __extension__ struct {
            bool sn_en;
        } ipsec_sa;
    };
#else
    enum doca_flow_crypto_protocol_type proto_type;
    union {
        __extension__ struct {
            bool sn_en;
        } esp;
    };
#endif
    uint32_t crypto_id;
};

struct doca_flow_actions {
    uint8_t action_idx; /* of the pipe's actions */
    uint32_t flags;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    enum doca_flow_resource_type decap_type;
    union {
        struct doca_flow_resource_decap_cfg decap_cfg;
        uint32_t shared_decap_id;
    };
#else
    bool decap; /* of layer 2, unless DOCA_FLOW_ACTION_DECAP_ENCAP says otherwise */
#endif
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
    bool pop_vlan;
#else
    bool pop;   /* a VLAN tag */
#endif
    struct doca_flow_meta meta;
    struct doca_flow_parser_meta parser_meta;
    struct doca_flow_header_format outer;
    struct doca_flow_tun tun;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    enum doca_flow_resource_type encap_type;
    union {
        struct doca_flow_resource_encap_cfg encap_cfg;
        uint32_t shared_encap_id;
    };
#else
    bool has_encap;
    struct doca_flow_encap_action encap;
#endif
    bool has_push;
    struct doca_flow_push_action push;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 6, 0)
    struct doca_flow_nat64_action nat64;
#endif
    bool has_crypto_encap;
    struct doca_flow_crypto_encap_action crypto_encap;
    struct doca_flow_crypto_action crypto;
};

/* How an action changes a field, by name; here only AUTO: as described above. */
enum doca_flow_action_type {
    DOCA_FLOW_ACTION_AUTO = 0,
    DOCA_FLOW_ACTION_ADD,
    DOCA_FLOW_ACTION_COPY,
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
    DOCA_FLOW_ACTION_DECAP_ENCAP, /* which layer decap and encap of the actions are of */
    DOCA_FLOW_ACTION_MAX,
#endif
};
struct doca_flow_action_desc {
    enum doca_flow_action_type type;
    union {
        __extension__ struct {
            struct doca_flow_desc_field src, dst;
            uint32_t width;
        } field_op;
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
        __extension__ struct {
            bool is_l2; /* here true */
        } decap_encap;
#endif
    };
};
struct doca_flow_action_descs {
    uint8_t nb_action_desc;
    struct doca_flow_action_desc *desc_array;
};

/* ---- Monitors ---- */

enum doca_flow_meter_limit_type {
    DOCA_FLOW_METER_LIMIT_TYPE_BYTES = 0,
    DOCA_FLOW_METER_LIMIT_TYPE_PACKETS,
};

struct doca_flow_monitor {
    enum doca_flow_resource_type meter_type; /* here NONE */
    union {
        __extension__ struct {
            enum doca_flow_meter_limit_type limit_type;
            uint64_t cir, cbs;
        } non_shared_meter;
        __extension__ struct {
            uint32_t shared_meter_id;
            enum doca_flow_meter_color meter_init_color;
        } shared_meter;
    };
    enum doca_flow_resource_type counter_type; /* NON_SHARED: each entry has a counter */
    union {
        __extension__ struct {
            uint32_t shared_counter_id;
        } shared_counter;
    };
    uint32_t shared_mirror_id; /* here 0 */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)
    bool aging_enabled; /* false: aging_sec does not count */
#endif
    uint32_t aging_sec; /* doca_flow_aging_handle; 0: entries do not age */
};

/* What a counter counted. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
struct doca_flow_resource_query {
    union {
        __extension__ struct {
            uint64_t total_bytes, total_pkts;
        } counter;
    };
};
#else
struct doca_flow_query {
    uint64_t total_bytes, total_pkts;
};
struct doca_flow_shared_resource_result {
    union {
        struct doca_flow_query counter;
    };
};
#endif

/* ---- Destinations ---- */

/* Bits: headers whose fields select the queue. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
enum doca_flow_rss_type {
#else
enum doca_rss_type {
#endif
    DOCA_FLOW_RSS_IPV4 = 1 << 0,
    DOCA_FLOW_RSS_IPV6 = 1 << 1,
    DOCA_FLOW_RSS_UDP = 1 << 2,
    DOCA_FLOW_RSS_TCP = 1 << 3,
    DOCA_FLOW_RSS_ESP = 1 << 4,
};
enum doca_flow_rss_hash_function {
    DOCA_FLOW_RSS_HASH_FUNCTION_TOEPLITZ = 0,
    DOCA_FLOW_RSS_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
};
struct doca_flow_resource_rss_cfg {
    uint32_t outer_flags, inner_flags; /* enum doca_flow_rss_type; inner_flags: 0 */
    uint16_t *queues_array;            /* ids (doca_eth_rxq_apply_queue_id) */
    int nr_queues;
    enum doca_flow_rss_hash_function rss_hash_func;
};

enum doca_flow_pipe_hash_map_algorithm {
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_HASH = 1 << 0,
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_RANDOM = 1 << 1,
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_IDENTITY = 1 << 2,
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_ROUND_ROBIN = 1 << 3,
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_FLOODING = 1 << 4,
    DOCA_FLOW_PIPE_HASH_MAP_ALGORITHM_SELECT_ENABLED = 1 << 5,
};

enum doca_flow_fwd_type {
    DOCA_FLOW_FWD_NONE = 0,
    DOCA_FLOW_FWD_RSS,
    DOCA_FLOW_FWD_PORT,
    DOCA_FLOW_FWD_PIPE,
    DOCA_FLOW_FWD_DROP,
    DOCA_FLOW_FWD_TARGET,
    DOCA_FLOW_FWD_ORDERED_LIST_PIPE,
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
    DOCA_FLOW_FWD_HASH_PIPE,
    DOCA_FLOW_FWD_CHANGEABLE = 100, /* of a pipe: each entry has its own destination */
#elif DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 6, 0)
    DOCA_FLOW_FWD_CHANGEABLE,
#endif
};

/* The destination of frames. */
struct doca_flow_fwd {
    enum doca_flow_fwd_type type;
    union {
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
        __extension__ struct {
            enum doca_flow_resource_type rss_type;
            union {
                struct doca_flow_resource_rss_cfg rss;
                uint32_t shared_rss_id;
            };
        };
#else
        __extension__ struct { /* as the fields of struct doca_flow_resource_rss_cfg */
            uint32_t rss_outer_flags, rss_inner_flags;
            uint16_t *rss_queues;
            int num_of_queues;
            uint32_t shared_rss_id; /* here not used */
            enum doca_flow_rss_hash_function rss_hash_func;
        };
#endif
        uint16_t port_id;
        struct doca_flow_pipe *next_pipe;
        __extension__ struct {
            struct doca_flow_pipe *pipe;
            uint32_t idx;
        } ordered_list_pipe;
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
        __extension__ struct {
            uint32_t algorithm;
            struct doca_flow_pipe *pipe;
        } hash_pipe;
#endif
        struct doca_flow_target *target;
    };
};

/* ---- Shared resources ---- */

enum doca_flow_shared_resource_type {
    DOCA_FLOW_SHARED_RESOURCE_METER = 0,
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
    DOCA_FLOW_SHARED_RESOURCE_COUNTER,
    DOCA_FLOW_SHARED_RESOURCE_RSS,
    DOCA_FLOW_SHARED_RESOURCE_MIRROR,
    DOCA_FLOW_SHARED_RESOURCE_PSP,
    DOCA_FLOW_SHARED_RESOURCE_ENCAP,
    DOCA_FLOW_SHARED_RESOURCE_DECAP,
    DOCA_FLOW_SHARED_RESOURCE_IPSEC_SA,
#else
    DOCA_FLOW_SHARED_RESOURCE_COUNT, /* a counter */
    DOCA_FLOW_SHARED_RESOURCE_RSS,
    DOCA_FLOW_SHARED_RESOURCE_CRYPTO,
    DOCA_FLOW_SHARED_RESOURCE_MIRROR,
    DOCA_FLOW_SHARED_RESOURCE_MAX,
#endif
};

/* ---- The library ---- */

enum doca_flow_entry_status {
    DOCA_FLOW_ENTRY_STATUS_IN_PROCESS = 0,
    DOCA_FLOW_ENTRY_STATUS_SUCCESS,
    DOCA_FLOW_ENTRY_STATUS_ERROR,
};
enum doca_flow_entry_op {
    DOCA_FLOW_ENTRY_OP_ADD = 0,
    DOCA_FLOW_ENTRY_OP_DEL,
    DOCA_FLOW_ENTRY_OP_UPD,
    DOCA_FLOW_ENTRY_OP_AGED,
};
/* Called in doca_flow_entries_process (ADD, UPD and DEL) and in doca_flow_aging_handle (AGED). */
typedef void (*doca_flow_entry_process_cb)(struct doca_flow_pipe_entry *entry, uint16_t pipe_queue,
                                           enum doca_flow_entry_status status,
                                           enum doca_flow_entry_op op, void *user_ctx);

/* What happens to a pipe that grows. Here no pipe is resized: each holds as many entries as it may have. */
enum doca_flow_pipe_op {
    DOCA_FLOW_PIPE_OP_CONGESTION_REACHED = 0,
    DOCA_FLOW_PIPE_OP_RESIZED,
    DOCA_FLOW_PIPE_OP_DESTROYED,
};
enum doca_flow_pipe_status {
    DOCA_FLOW_PIPE_STATUS_SUCCESS = 1,
    DOCA_FLOW_PIPE_STATUS_ERROR,
};
typedef void (*doca_flow_pipe_process_cb)(struct doca_flow_pipe *pipe,
                                          enum doca_flow_pipe_status status,
                                          enum doca_flow_pipe_op op, void *user_ctx);

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
/* Creates a configuration. doca_flow_init copies it. Free it with doca_flow_cfg_destroy. */
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);
/* Sets the number of queues of operations, 1 to 512 (default 1). Errors: INVALID_VALUE for others. */
doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues);
/* Accepted without effect: queues grow as needed. */
doca_error_t doca_flow_cfg_set_queue_depth(struct doca_flow_cfg *cfg, uint32_t queue_depth);
/* Words separated by commas: "vnf", "isolated", "hws". Errors: NOT_SUPPORTED for other words. */
doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args);
/* Accepted without effect: counters are made as needed. */
doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters);
/* Accepted without effect; meters themselves are not supported. */
doca_error_t doca_flow_cfg_set_nr_meters(struct doca_flow_cfg *cfg, uint32_t nr_meters);
doca_error_t doca_flow_cfg_set_nr_acl_collisions(struct doca_flow_cfg *cfg,
                                                 uint8_t nr_acl_collisions);
/* Sets the number of shared resources of a type: their ids are 0 to `nr_shared_resource` - 1. Errors:
 * NOT_SUPPORTED for types other than COUNTER, with a number above 0; INVALID_VALUE above 65,536. */
doca_error_t doca_flow_cfg_set_nr_shared_resource(struct doca_flow_cfg *cfg,
                                                  uint32_t nr_shared_resource,
                                                  enum doca_flow_shared_resource_type type);
/* Sets the callback for entries. */
doca_error_t doca_flow_cfg_set_cb_entry_process(struct doca_flow_cfg *cfg,
                                                doca_flow_entry_process_cb cb);
/* Accepted without effect: pipes are not resized. */
doca_error_t doca_flow_cfg_set_cb_pipe_process(struct doca_flow_cfg *cfg,
                                               doca_flow_pipe_process_cb cb);
/* Accepted without effect: frames that no pipe matches are dropped, as in the mode "isolated". Errors:
 * INVALID_VALUE also without queues. */
doca_error_t doca_flow_cfg_set_default_rss(struct doca_flow_cfg *cfg,
                                           const struct doca_flow_resource_rss_cfg *rss);

/* Starts the library for the structures of this release. Errors: ALREADY_EXIST if the process has started
 * it before. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg);
#elif DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg) __asm__("doca_flow_init_v2_10");
#else
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg) __asm__("doca_flow_init_v2_7");
#endif
#endif
/* Ends the library. Ports work until they are stopped. */
void doca_flow_destroy(void);

/* ---- Ports ---- */

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg);
doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg);
/* Sets the number that DOCA_FLOW_FWD_PORT names (default 0). */
doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id);
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 0, 0)
doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev);
#else
doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, void *dev);
#endif
/* Sets the number of a port of DPDK, as text. If no device is set, the device of that port is used
 * (doca_dpdk_port_probe); without devargs, that of the port's id. Other text has no effect. */
doca_error_t doca_flow_port_cfg_set_devargs(struct doca_flow_port_cfg *cfg, const char *devargs);
/* Sets the size of doca_flow_port_priv_data's memory, in bytes. */
doca_error_t doca_flow_port_cfg_set_priv_data_size(struct doca_flow_port_cfg *cfg,
                                                   uint16_t priv_data_size);
/* Accepted without effect. */
doca_error_t doca_flow_port_cfg_set_actions_mem_size(struct doca_flow_port_cfg *cfg, uint32_t size);

/* Starts the port of a device. The device is in use until the port is stopped. Errors: BAD_STATE if
 * doca_flow_init was not called, BAD_CONFIG if no device was set. */
doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port);
#endif
/* Destroys all pipes of the port, and stops it. Errors: IN_USE if pipes lead to each other in a circle. */
doca_error_t doca_flow_port_stop(struct doca_flow_port *port);
/* Returns the program's own memory of the port, zeros at first, or NULL. It lives until the port is
 * stopped. */
uint8_t *doca_flow_port_priv_data(struct doca_flow_port *port);
/* Destroys all pipes of the port, but those that lead to each other in a circle. */
void doca_flow_port_pipes_flush(struct doca_flow_port *port);
/* Returns NULL: the mode "switch" is not emulated. */
struct doca_flow_port *doca_flow_port_switch_get(const struct doca_flow_port *port);
/* Returns NOT_SUPPORTED: a frame cannot be forwarded to another port. */
doca_error_t doca_flow_port_pair(struct doca_flow_port *port, struct doca_flow_port *pair_port);

/* ---- Pipes ---- */

enum doca_flow_pipe_type {
    DOCA_FLOW_PIPE_BASIC = 0,
    DOCA_FLOW_PIPE_CONTROL, /* each entry has its own match, mask and priority */
    DOCA_FLOW_PIPE_LPM,     /* the entry with the longest prefix counts */
    DOCA_FLOW_PIPE_CT,
    DOCA_FLOW_PIPE_ACL, /* as CONTROL, without actions that change frames */
    DOCA_FLOW_PIPE_ORDERED_LIST,
    DOCA_FLOW_PIPE_HASH, /* each entry has a number, which the pipe chooses for a frame */
};
enum doca_flow_pipe_domain {
    DOCA_FLOW_PIPE_DOMAIN_DEFAULT = 0, /* received frames */
    DOCA_FLOW_PIPE_DOMAIN_SECURE_INGRESS,
    DOCA_FLOW_PIPE_DOMAIN_EGRESS, /* sent frames */
    DOCA_FLOW_PIPE_DOMAIN_SECURE_EGRESS,
};
enum doca_flow_direction_info {
    DOCA_FLOW_DIRECTION_BIDIRECTIONAL = 0,
    DOCA_FLOW_DIRECTION_NETWORK_TO_HOST,
    DOCA_FLOW_DIRECTION_HOST_TO_NETWORK,
};

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
/* The configuration of a pipe. doca_flow_pipe_create copies it. */
doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg,
                                       struct doca_flow_port *port);
doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg);
/* Names the pipe in doca_flow_pipe_dump and messages. */
doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name);
doca_error_t doca_flow_pipe_cfg_set_label(struct doca_flow_pipe_cfg *cfg, const char *label);
/* Errors: NOT_SUPPORTED for CT and ORDERED_LIST. */
doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type);
/* Errors: NOT_SUPPORTED for the secure domains. */
doca_error_t doca_flow_pipe_cfg_set_domain(struct doca_flow_pipe_cfg *cfg,
                                           enum doca_flow_pipe_domain domain);
/* Frames start at the root pipes of a port. */
doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root);
/* Sets the most entries of the pipe (default: no limit). More entries: doca_flow_pipe_add_entry returns
 * FULL. */
doca_error_t doca_flow_pipe_cfg_set_nr_entries(struct doca_flow_pipe_cfg *cfg, uint32_t nr_entries);
/* Counts the frames that match no entry (doca_flow_resource_query_pipe_miss). */
doca_error_t doca_flow_pipe_cfg_set_miss_counter(struct doca_flow_pipe_cfg *cfg, bool miss_counter);
/* Accepted without effect: matches are always strict. */
doca_error_t doca_flow_pipe_cfg_set_enable_strict_matching(struct doca_flow_pipe_cfg *cfg,
                                                           bool enable_strict_matching);
/* Accepted without effect, 1 to 100: pipes are not resized. Errors: INVALID_VALUE for others. */
doca_error_t doca_flow_pipe_cfg_set_congestion_level_threshold(struct doca_flow_pipe_cfg *cfg,
                                                               uint8_t congestion_level_threshold);
/* Accepted without effect. */
doca_error_t doca_flow_pipe_cfg_set_dir_info(struct doca_flow_pipe_cfg *cfg,
                                             enum doca_flow_direction_info dir_info);
doca_error_t doca_flow_pipe_cfg_set_is_resizable(struct doca_flow_pipe_cfg *cfg, bool is_resizable);
doca_error_t doca_flow_pipe_cfg_set_user_ctx(struct doca_flow_pipe_cfg *cfg, void *user_ctx);
/* Sets the template of the match; `match_mask` may be NULL. In a hash pipe, whose type must be set before,
 * `match` may be NULL: the mask, or else the match, names the fields to hash. A field parser_meta.random
 * there makes HASH the same as RANDOM. Errors: NOT_SUPPORTED with the field's name in the log. */
doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask);
/* Sets the templates of up to 64 actions, of which each entry has one. `actions_masks` and
 * `action_descs` may be NULL. Errors: NOT_SUPPORTED with the field's name in the log. */
doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nb_actions);
/* Sets the monitor of entries that have none. Errors: NOT_SUPPORTED for meters and mirrors. */
doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor);

/* Sets how a hash pipe, whose number of entries is a power of 2, chooses an entry for a frame: flags of
 * enum doca_flow_pipe_hash_map_algorithm, of which the lowest counts unless DOCA_FLOW_FWD_HASH_PIPE names
 * another; default HASH. IDENTITY takes the lowest bits of the fields, RANDOM and ROUND_ROBIN look at no
 * field, and FLOODING gives a copy of the frame to each of at most 32 entries. Errors: NOT_SUPPORTED for
 * SELECT_ENABLED, INVALID_VALUE for unknown flags. */
doca_error_t doca_flow_pipe_cfg_set_hash_map_algorithm(struct doca_flow_pipe_cfg *cfg,
                                                       uint32_t algorithm_flags);
#else
#include "doca_flow_2_5.h"
#endif

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 7, 0)
#define DPK_FLOW_PIPE_CREATE
#else
#define DPK_FLOW_PIPE_CREATE __asm__("doca_flow_pipe_create_v2_5")
#endif
/* Creates a pipe without entries. `fwd`: the destination of matching frames; NULL or CHANGEABLE: each
 * entry has its own. So does PIPE with `next_pipe` NULL. `fwd_miss`: the destination of other frames; NULL: they are dropped, or leave the
 * port if they are sent. Errors: NOT_FOUND if a receive queue with one of the ids does not exist. */
doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe) DPK_FLOW_PIPE_CREATE;
/* Destroys a pipe with its entries. The call is ignored if the argument is not a pipe, or if another
 * pipe leads to it. */
void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe);
/* Changes the destination of frames that match no entry. */
doca_error_t doca_flow_pipe_update_miss(struct doca_flow_pipe *pipe,
                                        const struct doca_flow_fwd *fwd_miss);
/* Writes what the pipe, or each pipe of the port, has. */
void doca_flow_pipe_dump(struct doca_flow_pipe *pipe, FILE *f);
void doca_flow_port_pipes_dump(struct doca_flow_port *port, FILE *f);

/* ---- Entries ---- */

enum doca_flow_flags_type {
    DOCA_FLOW_NO_WAIT = 0,
    DOCA_FLOW_WAIT_FOR_BATCH = 1 << 0, /* here as NO_WAIT */
};

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 2, 0)
/* Adds an entry to a basic pipe. `match`, `actions`, `monitor` and `fwd` may be NULL. Up to DOCA 3.1 the
 * function has no `action_idx`; actions->action_idx is used then. The call may have either form. Errors:
 * INVALID_VALUE also if a destination is in neither the pipe nor the entry, or the pipe does not have
 * that many actions or queues; FULL. */
doca_error_t doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint8_t action_idx,
                                      const struct doca_flow_actions *actions,
                                      const struct doca_flow_monitor *monitor,
                                      const struct doca_flow_fwd *fwd, uint32_t flags,
                                      void *usr_ctx, struct doca_flow_pipe_entry **entry);
/* The same function with its newer name. */
doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry);
#else
doca_error_t doca_flow_pipe_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_actions *actions, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, uint32_t flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry) __asm__("doca_flow_pipe_add_entry_v2_5");
#endif
/* Adds an entry to a control pipe. Among matching entries, the lowest `priority` counts, up to
 * 268,435,455. `condition`, which DOCA 2.5 does not have, and `action_descs` must be NULL. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 6, 0)
doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_match_condition *condition, const struct doca_flow_actions *actions,
    const struct doca_flow_actions *actions_mask, const struct doca_flow_action_descs *action_descs,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry);
#else
doca_error_t doca_flow_pipe_control_add_entry(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_actions *actions, const struct doca_flow_actions *actions_mask,
    const struct doca_flow_action_descs *action_descs, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, void *usr_ctx,
    struct doca_flow_pipe_entry **entry) __asm__("doca_flow_pipe_control_add_entry_v2_5");
#endif
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 2, 0)
/* Adds an entry to an LPM pipe: `match_mask` has the prefix of one address. Up to DOCA 3.1 without
 * `action_idx`. Errors: INVALID_VALUE also if the mask is not a prefix. */
doca_error_t doca_flow_pipe_lpm_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, uint8_t action_idx,
    const struct doca_flow_actions *actions, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry);
/* Adds an entry to an ACL pipe. Up to DOCA 3.1 without `actions`, which must be NULL. */
doca_error_t doca_flow_pipe_acl_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask,
                                          const struct doca_flow_actions *actions,
                                          uint32_t priority, const struct doca_flow_fwd *fwd,
                                          const enum doca_flow_flags_type flags, void *usr_ctx,
                                          struct doca_flow_pipe_entry **entry);

/* Adds the entry with a number to a hash pipe, 0 to the pipe's number of entries minus 1. Up to DOCA 3.1
 * without `action_idx`. Frames for a number without an entry match nothing. Errors: ALREADY_EXIST. */
doca_error_t doca_flow_pipe_hash_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           uint32_t entry_index, uint8_t action_idx,
                                           const struct doca_flow_actions *actions,
                                           const struct doca_flow_monitor *monitor,
                                           const struct doca_flow_fwd *fwd,
                                           const enum doca_flow_flags_type flags, void *usr_ctx,
                                           struct doca_flow_pipe_entry **entry);
#else
doca_error_t doca_flow_pipe_lpm_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
    const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry) __asm__("doca_flow_pipe_lpm_add_entry_v2_5");
doca_error_t doca_flow_pipe_acl_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, uint32_t priority, const struct doca_flow_fwd *fwd,
    const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry) __asm__("doca_flow_pipe_acl_add_entry_v2_5");
doca_error_t doca_flow_pipe_hash_add_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, uint32_t entry_index,
    const struct doca_flow_actions *actions, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry) __asm__("doca_flow_pipe_hash_add_entry_v2_5");
#endif
/* Gets the hash of a frame with the fields of `match` in a hash pipe (IDENTITY: their lowest bits). The
 * number of the entry is the remainder by the number of entries. The hash is dpakit's, not a card's. */
doca_error_t doca_flow_pipe_calc_hash(struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint32_t *hash);

/* Removes an entry. Its handle is valid until the callback for it returns. */
#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 9, 0)
doca_error_t
doca_flow_pipe_rm_entry(uint16_t pipe_queue, uint32_t flags,
                        struct doca_flow_pipe_entry *entry) __asm__("doca_flow_pipe_remove_entry");
#endif
doca_error_t doca_flow_pipe_remove_entry(uint16_t pipe_queue, uint32_t flags,
                                         struct doca_flow_pipe_entry *entry);
/* Gives an entry of a basic pipe other actions, monitor and destination. NULL: as in
 * doca_flow_pipe_add_entry. */
doca_error_t doca_flow_pipe_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                         const struct doca_flow_actions *actions,
                                         const struct doca_flow_monitor *monitor,
                                         const struct doca_flow_fwd *fwd,
                                         const enum doca_flow_flags_type flags,
                                         struct doca_flow_pipe_entry *entry);
/* The same for an entry of an LPM pipe. Up to DOCA 3.1 without `action_idx`. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 2, 0)
doca_error_t doca_flow_pipe_lpm_update_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                             uint8_t action_idx,
                                             const struct doca_flow_actions *actions,
                                             const struct doca_flow_monitor *monitor,
                                             const struct doca_flow_fwd *fwd, uint32_t flags,
                                             struct doca_flow_pipe_entry *entry);
#else
doca_error_t doca_flow_pipe_lpm_update_entry(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
    const enum doca_flow_flags_type flags,
    struct doca_flow_pipe_entry *entry) __asm__("doca_flow_pipe_lpm_update_entry_v2_5");
#endif
/* Returns IN_PROCESS until the callback was called, then SUCCESS; ERROR for what is not an entry. */
enum doca_flow_entry_status doca_flow_pipe_entry_get_status(struct doca_flow_pipe_entry *entry);

/* Calls the callback for up to `max_processed_entries` (0: all) operations of a queue. `timeout`:
 * microseconds; the call never waits. */
doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries);
/* Calls the callback with AGED for up to `max_entries` (0: all) entries of the queue without a frame for
 * monitor.aging_sec seconds, once each. Stops after `quota` microseconds (0: never). Returns the number
 * of these entries, or -1 if all entries were looked at and none has aged. */
int doca_flow_aging_handle(struct doca_flow_port *port, uint16_t queue, uint64_t quota,
                           uint64_t max_entries);

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
/* Reads the counter of an entry. Errors: NOT_FOUND if the entry has none. */
doca_error_t doca_flow_resource_query_entry(struct doca_flow_pipe_entry *entry,
                                            struct doca_flow_resource_query *query_stats);
/* Reads the counter of frames that match no entry. Errors: NOT_FOUND without
 * doca_flow_pipe_cfg_set_miss_counter. */
doca_error_t doca_flow_resource_query_pipe_miss(struct doca_flow_pipe *pipe,
                                                struct doca_flow_resource_query *query_stats);
#else
doca_error_t doca_flow_query_entry(
    struct doca_flow_pipe_entry *entry,
    struct doca_flow_query *query_stats) __asm__("doca_flow_resource_query_entry");
doca_error_t doca_flow_query_pipe_miss(
    struct doca_flow_pipe *pipe,
    struct doca_flow_query *query_stats) __asm__("doca_flow_resource_query_pipe_miss");
#endif
/* Ties shared counters to a port or pipe, after which entries may use them. Errors: NOT_SUPPORTED for
 * other types, INVALID_VALUE for ids out of range. */
doca_error_t doca_flow_shared_resources_bind(enum doca_flow_shared_resource_type type,
                                             uint32_t *res_array, uint32_t res_array_len,
                                             void *bindable_obj);
/* Reads shared counters. */
#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(2, 9, 0)
doca_error_t doca_flow_shared_resources_query(enum doca_flow_shared_resource_type type,
                                              uint32_t *res_array,
                                              struct doca_flow_resource_query *query_results_array,
                                              uint32_t array_len);
#else
doca_error_t
doca_flow_shared_resources_query(enum doca_flow_shared_resource_type type, uint32_t *res_array,
                                 struct doca_flow_shared_resource_result *query_results_array,
                                 uint32_t array_len);
#endif

/* ---- MPLS ---- */

/* Make a label of its parts, and parts of a label. `label`: 20 bits, `traffic_class`: 3 bits. Errors:
 * INVALID_VALUE for larger numbers. */
doca_error_t doca_flow_mpls_label_encode(uint32_t label, uint8_t traffic_class, uint8_t ttl,
                                         bool bottom_of_stack, struct doca_flow_header_mpls *mpls);
doca_error_t doca_flow_mpls_label_decode(const struct doca_flow_header_mpls *mpls, uint32_t *label,
                                         uint8_t *traffic_class, uint8_t *ttl,
                                         bool *bottom_of_stack);

/* ---- Calls as up to DOCA 3.1, by their number of arguments ---- */

#if DOCA_CURRENT_VERSION_NUM >= DOCA_VERSION_NUM(3, 2, 0)
static inline doca_error_t
dpk_flow_pipe_add_entry_9(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                          const struct doca_flow_match *match,
                          const struct doca_flow_actions *actions,
                          const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
                          uint32_t flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_add_entry(pipe_queue, pipe, match,
                                    (uint8_t)(actions ? actions->action_idx : 0), actions, monitor,
                                    fwd, flags, usr_ctx, entry);
}
static inline doca_error_t dpk_flow_pipe_lpm_add_entry_10(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
    const enum doca_flow_flags_type flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_lpm_add_entry(pipe_queue, pipe, match, match_mask,
                                        (uint8_t)(actions ? actions->action_idx : 0), actions,
                                        monitor, fwd, flags, usr_ctx, entry);
}
static inline doca_error_t dpk_flow_pipe_acl_add_entry_9(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, uint32_t priority, const struct doca_flow_fwd *fwd,
    const enum doca_flow_flags_type flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_acl_add_entry(pipe_queue, pipe, match, match_mask, NULL, priority, fwd,
                                        flags, usr_ctx, entry);
}
static inline doca_error_t dpk_flow_pipe_hash_add_entry_9(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, uint32_t entry_index,
    const struct doca_flow_actions *actions, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, const enum doca_flow_flags_type flags, void *usr_ctx,
    struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_hash_add_entry(pipe_queue, pipe, entry_index,
                                         (uint8_t)(actions ? actions->action_idx : 0), actions,
                                         monitor, fwd, flags, usr_ctx, entry);
}
/* The 12th argument. */
#define DPK_FLOW_12TH(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, name, ...) name
#define doca_flow_pipe_add_entry(...)                                                              \
    DPK_FLOW_12TH(__VA_ARGS__, , doca_flow_pipe_add_entry, dpk_flow_pipe_add_entry_9, , , , , , ,  \
                  , , )                                                                            \
    (__VA_ARGS__)
#define doca_flow_pipe_hash_add_entry(...)                                                         \
    DPK_FLOW_12TH(__VA_ARGS__, , doca_flow_pipe_hash_add_entry, dpk_flow_pipe_hash_add_entry_9, ,  \
                  , , , , , , , , )                                                                \
    (__VA_ARGS__)
#define doca_flow_pipe_lpm_add_entry(...)                                                          \
    DPK_FLOW_12TH(__VA_ARGS__, doca_flow_pipe_lpm_add_entry, dpk_flow_pipe_lpm_add_entry_10, , , , \
                  , , , , , )                                                                      \
    (__VA_ARGS__)
#define doca_flow_pipe_acl_add_entry(...)                                                          \
    DPK_FLOW_12TH(__VA_ARGS__, , doca_flow_pipe_acl_add_entry, dpk_flow_pipe_acl_add_entry_9, , ,  \
                  , , , , , , )                                                                    \
    (__VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif

#endif
