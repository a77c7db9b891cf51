/*
 * doca_flow_2_5: the library, the ports and the pipes of DOCA Flow as DOCA 2.5 and 2.6 configure them, with
 * structures instead of functions. doca_flow.h includes this file.
 *
 *     struct doca_flow_cfg cfg = {.queues = 1, .mode_args = "vnf,isolated"};  // 2.6: .pipe_queues
 *     doca_flow_init(&cfg);
 *     struct doca_flow_port_cfg port_cfg = {.port_id = 0, .dev = dev};
 *     doca_flow_port_start(&port_cfg, &port);
 *     struct doca_flow_pipe_cfg pipe_cfg = {.attr = {.name = "udp", .is_root = true},
 *                                           .port = port, .match = &match};
 *     doca_flow_pipe_create(&pipe_cfg, &fwd, NULL, &pipe);
 *
 * Fields that are not described are accepted without effect. The comments of doca_flow.h say which values the
 * others may have, at the functions of later releases with their names.
 */
#ifndef DOCA_FLOW_2_5_H
#define DOCA_FLOW_2_5_H

#include "doca_flow.h"

#if DOCA_CURRENT_VERSION_NUM < DOCA_VERSION_NUM(2, 7, 0)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The library ---- */

typedef void (*doca_flow_shared_resource_unbind_cb)(enum doca_flow_shared_resource_type type,
                                                    uint32_t shared_resource_id,
                                                    void *bindable_obj);

struct doca_flow_resources {
    uint32_t nb_counters, nb_meters;
};
struct doca_flow_cfg {
    uint64_t flags; /* here 0 */
#if DOCA_VERSION_MINOR >= 6
    uint16_t pipe_queues;
#else
    uint16_t queues; /* pipe_queues */
#endif
    struct doca_flow_resources resource;
    uint8_t nr_acl_collisions;
    const char *mode_args; /* may be NULL */
    uint32_t nr_shared_resources[DOCA_FLOW_SHARED_RESOURCE_MAX];
    uint32_t queue_depth;
    doca_flow_pipe_process_cb pipe_process_cb; /* never called: pipes are not resized */
    doca_flow_entry_process_cb cb;
    doca_flow_shared_resource_unbind_cb unbind_cb; /* never called */
    const uint8_t *rss_key;                        /* here NULL */
    uint32_t rss_key_len;
#if DOCA_VERSION_MINOR >= 6
    struct doca_flow_resource_rss_cfg rss; /* accepted as in doca_flow_cfg_set_default_rss */
#endif
};

#if DOCA_VERSION_MINOR >= 6
doca_error_t doca_flow_init(const struct doca_flow_cfg *cfg) __asm__("doca_flow_init_v2_6");
#else
doca_error_t doca_flow_init(const struct doca_flow_cfg *cfg) __asm__("doca_flow_init_v2_5");
#endif

/* ---- Ports ---- */

enum doca_flow_port_type {
    DOCA_FLOW_PORT_DPDK_BY_ID = 0,
};
struct doca_flow_port_cfg {
    uint16_t port_id;
    enum doca_flow_port_type type;
    const char *devargs;
    uint16_t priv_data_size;
    void *dev; /* struct doca_dev */
#if DOCA_VERSION_MINOR >= 6
    struct doca_flow_resource_rss_cfg *rss; /* here NULL */
#endif
};
/* Errors: as in doca_flow.h. */
#if DOCA_VERSION_MINOR >= 6
doca_error_t
doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                     struct doca_flow_port **port) __asm__("doca_flow_port_start_v2_6");
#else
doca_error_t
doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                     struct doca_flow_port **port) __asm__("doca_flow_port_start_v2_5");
#endif

/* ---- Pipes ---- */

struct doca_flow_pipe_attr {
    const char *name; /* may be NULL */
    enum doca_flow_pipe_type type;
    enum doca_flow_pipe_domain domain;
    bool is_root;
    uint32_t nb_flows; /* the most entries; 0: no limit */
    bool is_resizable;
    bool enable_strict_matching;
    uint8_t nb_actions;       /* of the arrays of actions */
    uint8_t nb_ordered_lists; /* here 0 */
    enum doca_flow_direction_info dir_info;
    bool miss_counter;
    uint8_t congestion_level_threshold;
    void *user_ctx;
};

enum doca_flow_ordered_list_element_type {
    DOCA_FLOW_ORDERED_LIST_ELEMENT_ACTIONS = 0,
    DOCA_FLOW_ORDERED_LIST_ELEMENT_ACTIONS_MASK,
    DOCA_FLOW_ORDERED_LIST_ELEMENT_ACTION_DESCS,
    DOCA_FLOW_ORDERED_LIST_ELEMENT_MONITOR,
};
struct doca_flow_ordered_list {
    uint32_t idx, size;
    const void **elements;
    enum doca_flow_ordered_list_element_type *types;
};

struct doca_flow_pipe_cfg {
    struct doca_flow_pipe_attr attr;
    struct doca_flow_port *port;
    struct doca_flow_match *match, *match_mask;
    struct doca_flow_actions **actions, **actions_masks;
    struct doca_flow_action_descs **action_descs;
    struct doca_flow_monitor *monitor;
    struct doca_flow_ordered_list **ordered_lists; /* here NULL */
};

#ifdef __cplusplus
}
#endif

#endif

#endif
