/*
 * doca_flow: flow steering, as far as receive queues of doca_eth need it: a port, and pipes that send
 * what arrives to receive queues.
 *
 *     struct doca_flow_cfg *cfg;  struct doca_flow_port_cfg *port_cfg;  struct doca_flow_pipe_cfg *c;
 *     doca_flow_cfg_create(&cfg);
 *     doca_flow_cfg_set_mode_args(cfg, "vnf,isolated");
 *     doca_flow_init(cfg);
 *     doca_flow_port_cfg_create(&port_cfg);
 *     doca_flow_port_cfg_set_dev(port_cfg, dev);
 *     doca_flow_port_start(port_cfg, &port);
 *     doca_flow_pipe_cfg_create(&c, port);
 *     doca_flow_pipe_cfg_set_is_root(c, true);
 *     doca_flow_pipe_cfg_set_match(c, &all, NULL);
 *     doca_flow_pipe_create(c, &(struct doca_flow_fwd){.type = DOCA_FLOW_FWD_RSS, ...}, NULL, &pipe);
 *     doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, 0, NULL, &entry);
 *     doca_flow_entries_process(port, 0, 10000, 1);
 *
 * What there is: basic pipes whose match is empty (every byte 0: all frames), the action that sets
 * meta.pkt_meta, which doca_eth tells of a frame, and frames that go to receive queues (by RSS), to
 * another pipe, or are dropped. Everything else returns NOT_SUPPORTED, and a line of the log says what
 * it was; monitors are not counted. What matches by headers can be had from libmlx5 (mlx5dv_dr,
 * dpa-network(7)).
 *
 * Every function returns INVALID_VALUE for NULL, for a destroyed object, and for an object of another
 * kind (DOCA Flow programming guide).
 */
#ifndef DOCA_FLOW_H
#define DOCA_FLOW_H

#include "doca_bitfield.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_flow_cfg;
struct doca_flow_port_cfg;
struct doca_flow_pipe_cfg;
struct doca_flow_port;
struct doca_flow_pipe;
struct doca_flow_pipe_entry;
struct doca_flow_monitor;      /* what is counted: nothing here */
struct doca_flow_action_descs; /* how actions copy fields: none do here */

/* ---- What matches, and what is done ---- */

#define DOCA_FLOW_META_MAX 20 /* bytes of metadata besides pkt_meta */

struct doca_flow_meta {
    uint32_t pkt_meta; /* big endian */
    uint32_t u32[DOCA_FLOW_META_MAX / 4];
    uint32_t mark;
};

/* All 0: every frame. */
struct doca_flow_match {
    uint32_t flags;
    struct doca_flow_meta meta;
};

struct doca_flow_actions {
    uint8_t action_idx;
    uint32_t flags;
    struct doca_flow_meta meta; /* pkt_meta: set, unless it is 0 */
};

/* Headers whose fields choose the queue; bits. */
enum doca_flow_rss_type {
    DOCA_FLOW_RSS_IPV4 = 1 << 0,
    DOCA_FLOW_RSS_IPV6 = 1 << 1,
    DOCA_FLOW_RSS_UDP = 1 << 2,
    DOCA_FLOW_RSS_TCP = 1 << 3,
    DOCA_FLOW_RSS_ESP = 1 << 4,
};

enum doca_flow_resource_type {
    DOCA_FLOW_RESOURCE_TYPE_NONE = 0,
    DOCA_FLOW_RESOURCE_TYPE_SHARED,
    DOCA_FLOW_RESOURCE_TYPE_NON_SHARED,
};

enum doca_flow_fwd_type {
    DOCA_FLOW_FWD_NONE = 0,
    DOCA_FLOW_FWD_RSS,
    DOCA_FLOW_FWD_PORT,
    DOCA_FLOW_FWD_PIPE,
    DOCA_FLOW_FWD_DROP,
    DOCA_FLOW_FWD_TARGET,
    DOCA_FLOW_FWD_ORDERED_LIST_PIPE,
    DOCA_FLOW_FWD_CHANGEABLE,
    DOCA_FLOW_FWD_HASH_PIPE,
};

/* Where frames go. */
struct doca_flow_fwd {
    enum doca_flow_fwd_type type;
    enum doca_flow_resource_type rss_type;
    union {
        struct {
            uint32_t outer_flags, inner_flags; /* of enum doca_flow_rss_type; inner ones: none */
            uint16_t *queues_array;            /* ids (doca_eth_rxq_apply_queue_id) */
            int nr_queues;
        } rss;
        uint16_t port_id;
        struct doca_flow_pipe *next_pipe;
    };
};

/* ---- The library ---- */

/* A configuration, to be given back with doca_flow_cfg_destroy; doca_flow_init copies it. */
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);
/* Nothing is queued: entries are there when they were added. 0 is INVALID_VALUE. */
doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues);
/* Words with commas between: "vnf", "isolated", "hws". NOT_SUPPORTED: others. */
doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args);
doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters);

/* Begins, once in a process: ALREADY_EXIST. */
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg);
/* Ends it; ports that are left go on until they are stopped. */
void doca_flow_destroy(void);

/* ---- Ports ---- */

doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg);
doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg);
doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id);
doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev);

/* The port of a device, whose use it is until it is stopped. BAD_STATE: doca_flow_init was not called.
 * BAD_CONFIG: no device was set. */
doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port);
/* IN_USE: it has pipes. */
doca_error_t doca_flow_port_stop(struct doca_flow_port *port);

/* ---- Pipes ---- */

enum doca_flow_pipe_type {
    DOCA_FLOW_PIPE_BASIC = 0,
    DOCA_FLOW_PIPE_CONTROL,
    DOCA_FLOW_PIPE_LPM,
    DOCA_FLOW_PIPE_CT,
    DOCA_FLOW_PIPE_ACL,
    DOCA_FLOW_PIPE_ORDERED_LIST,
    DOCA_FLOW_PIPE_HASH,
};

/* How a pipe shall be; doca_flow_pipe_create copies it. NOT_SUPPORTED as said above. */
doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg,
                                       struct doca_flow_port *port);
doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg);
doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name);
doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type);
/* Frames come to the root pipes of a port first. */
doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root);
/* `match_mask` may be NULL. */
doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask);
/* Entries have one of `nb_actions` actions, with values of their own. `actions_masks` and
 * `action_descs` may be NULL, and must not say anything. */
doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nb_actions);
/* Accepted, and nothing is counted. */
doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor);

/* Makes a pipe without entries. `fwd`: where frames of its entries go; NULL: entries say so.
 * `fwd_miss`: where other frames go; NULL: they are dropped. NOT_FOUND: there is no receive queue
 * with one of the ids. */
doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe);
/* With its entries. What is no pipe is ignored, as is one that another leads to. */
void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe);

/* Adds an entry, which works at once. `match`, `actions`, `monitor` and `fwd` may be NULL.
 * INVALID_VALUE: also an action or a way that neither the pipe nor the entry has. */
doca_error_t doca_flow_pipe_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                      const struct doca_flow_match *match, uint8_t action_idx,
                                      const struct doca_flow_actions *actions,
                                      const struct doca_flow_monitor *monitor,
                                      const struct doca_flow_fwd *fwd, uint32_t flags,
                                      void *usr_ctx, struct doca_flow_pipe_entry **entry);
/* The same, by a later name. */
doca_error_t doca_flow_pipe_basic_add_entry(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                            const struct doca_flow_match *match, uint8_t action_idx,
                                            const struct doca_flow_actions *actions,
                                            const struct doca_flow_monitor *monitor,
                                            const struct doca_flow_fwd *fwd, uint32_t flags,
                                            void *usr_ctx, struct doca_flow_pipe_entry **entry);

/* Nothing is left to be done. `timeout`: us. */
doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries);

#ifdef __cplusplus
}
#endif

#endif
