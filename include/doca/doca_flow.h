/*
 * doca_flow: the part of flow steering that receive queues of doca_eth need: a port, and pipes that
 * send received frames to receive queues.
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
 * Supported: basic pipes with an empty match (every byte 0: all frames); the action that sets
 * meta.pkt_meta, which doca_eth reports for a frame; sending frames to receive queues (by RSS) or to
 * another pipe, and dropping frames. Everything else returns NOT_SUPPORTED, and a line of the log names
 * it. Monitors do not count. To match headers, use libmlx5 (mlx5dv_dr, dpa-network(7)).
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
struct doca_flow_monitor;      /* counters; here monitors do not count */
struct doca_flow_action_descs; /* how actions copy fields; not supported here */

/* ---- Matches and actions ---- */

#define DOCA_FLOW_META_MAX 20 /* bytes of metadata besides pkt_meta */

struct doca_flow_meta {
    uint32_t pkt_meta; /* big endian */
    uint32_t u32[DOCA_FLOW_META_MAX / 4];
    uint32_t mark;
};

/* A match of all 0 matches every frame. */
struct doca_flow_match {
    uint32_t flags;
    struct doca_flow_meta meta;
};

struct doca_flow_actions {
    uint8_t action_idx;
    uint32_t flags;
    struct doca_flow_meta meta; /* the action sets pkt_meta unless it is 0 */
};

/* Bits: headers whose fields select the queue. */
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

/* The destination of frames. */
struct doca_flow_fwd {
    enum doca_flow_fwd_type type;
    enum doca_flow_resource_type rss_type;
    union {
        struct {
            uint32_t outer_flags, inner_flags; /* enum doca_flow_rss_type; inner_flags: 0 */
            uint16_t *queues_array;            /* ids (doca_eth_rxq_apply_queue_id) */
            int nr_queues;
        } rss;
        uint16_t port_id;
        struct doca_flow_pipe *next_pipe;
    };
};

/* ---- The library ---- */

/* Creates a configuration. doca_flow_init copies it. Free it with doca_flow_cfg_destroy. */
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);
/* Sets the number of queues. Here entries are not queued: they work at once. Errors: INVALID_VALUE if
 * the number is 0. */
doca_error_t doca_flow_cfg_set_pipe_queues(struct doca_flow_cfg *cfg, uint16_t pipe_queues);
/* Words separated by commas: "vnf", "isolated", "hws". Errors: NOT_SUPPORTED for other words. */
doca_error_t doca_flow_cfg_set_mode_args(struct doca_flow_cfg *cfg, const char *mode_args);
doca_error_t doca_flow_cfg_set_nr_counters(struct doca_flow_cfg *cfg, uint32_t nr_counters);

/* Starts the library. Errors: ALREADY_EXIST if the process has started it before. */
doca_error_t doca_flow_init(struct doca_flow_cfg *cfg);
/* Ends the library. Ports work until they are stopped. */
void doca_flow_destroy(void);

/* ---- Ports ---- */

doca_error_t doca_flow_port_cfg_create(struct doca_flow_port_cfg **cfg);
doca_error_t doca_flow_port_cfg_destroy(struct doca_flow_port_cfg *cfg);
doca_error_t doca_flow_port_cfg_set_port_id(struct doca_flow_port_cfg *cfg, uint16_t port_id);
doca_error_t doca_flow_port_cfg_set_dev(struct doca_flow_port_cfg *cfg, struct doca_dev *dev);

/* Starts the port of a device. The device is in use until the port is stopped. Errors: BAD_STATE if
 * doca_flow_init was not called, BAD_CONFIG if no device was set. */
doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port);
/* Stops the port. Errors: IN_USE if it has pipes. */
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

/* The configuration of a pipe. doca_flow_pipe_create copies it. Errors: NOT_SUPPORTED as described
 * above. */
doca_error_t doca_flow_pipe_cfg_create(struct doca_flow_pipe_cfg **cfg,
                                       struct doca_flow_port *port);
doca_error_t doca_flow_pipe_cfg_destroy(struct doca_flow_pipe_cfg *cfg);
doca_error_t doca_flow_pipe_cfg_set_name(struct doca_flow_pipe_cfg *cfg, const char *name);
doca_error_t doca_flow_pipe_cfg_set_type(struct doca_flow_pipe_cfg *cfg,
                                         enum doca_flow_pipe_type type);
/* Received frames start at the root pipes of a port. */
doca_error_t doca_flow_pipe_cfg_set_is_root(struct doca_flow_pipe_cfg *cfg, bool is_root);
/* `match_mask` may be NULL. */
doca_error_t doca_flow_pipe_cfg_set_match(struct doca_flow_pipe_cfg *cfg,
                                          const struct doca_flow_match *match,
                                          const struct doca_flow_match *match_mask);
/* Each entry has one of `nb_actions` actions, with its own values. `actions_masks` and `action_descs`
 * must be NULL or empty. */
doca_error_t doca_flow_pipe_cfg_set_actions(struct doca_flow_pipe_cfg *cfg,
                                            struct doca_flow_actions *const *actions,
                                            struct doca_flow_actions *const *actions_masks,
                                            struct doca_flow_action_descs *const *action_descs,
                                            size_t nb_actions);
/* Accepted and ignored: monitors do not count. */
doca_error_t doca_flow_pipe_cfg_set_monitor(struct doca_flow_pipe_cfg *cfg,
                                            const struct doca_flow_monitor *monitor);

/* Creates a pipe without entries. `fwd`: the destination of matching frames; NULL: each entry has its
 * own. `fwd_miss`: the destination of other frames; NULL: they are dropped. Errors: NOT_FOUND if a
 * receive queue with one of the ids does not exist. */
doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe);
/* Destroys a pipe with its entries. The call is ignored if the argument is not a pipe, or if another
 * pipe leads to it. */
void doca_flow_pipe_destroy(struct doca_flow_pipe *pipe);

/* Adds an entry, which works at once. `match`, `actions`, `monitor` and `fwd` may be NULL. Errors:
 * INVALID_VALUE also if an action or a destination is in neither the pipe nor the entry. */
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

/* Does nothing: entries already work. `timeout`: microseconds. */
doca_error_t doca_flow_entries_process(struct doca_flow_port *port, uint16_t pipe_queue,
                                       uint64_t timeout, uint32_t max_processed_entries);

#ifdef __cplusplus
}
#endif

#endif
