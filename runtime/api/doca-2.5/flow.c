/* DOCA Flow as earlier releases call it: entries, and what their structures configure. */
#include "flow.h"

#include "api/doca/flow/flow.h"

/* ---- The library and ports ---- */

static doca_error_t set_library(struct doca_flow_cfg *cfg,
                                const struct generation_flow_library *library)
{
    doca_flow_entry_process_cb callback;
    memcpy(&callback, library->callback, sizeof callback);
    doca_error_t result = doca_flow_cfg_set_pipe_queues(cfg, library->queues);
    if (result == DOCA_SUCCESS && library->mode_args)
        result = doca_flow_cfg_set_mode_args(cfg, library->mode_args);
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_nr_shared_resource(cfg, library->shared_counters,
                                                      DOCA_FLOW_SHARED_RESOURCE_COUNTER);
    if (result == DOCA_SUCCESS)
        result = doca_flow_cfg_set_nr_shared_resource(cfg, library->shared_others,
                                                      DOCA_FLOW_SHARED_RESOURCE_METER);
    return result == DOCA_SUCCESS ? doca_flow_cfg_set_cb_entry_process(cfg, callback) : result;
}

doca_error_t generation_flow_begin(const char *call, const struct generation_flow_library *library,
                                   const struct flow_layout *layout)
{
    struct doca_flow_cfg *cfg = NULL;
    if (!library)
        return dpk_doca_end(NULL, call, DOCA_ERROR_INVALID_VALUE);
    if (library->refused)
        return dpk_doca_end(NULL, call, flow_cannot("the field %s", library->refused));
    doca_error_t result = doca_flow_cfg_create(&cfg);
    if (result == DOCA_SUCCESS)
        result = set_library(cfg, library);
    if (result == DOCA_SUCCESS)
        result = dpk_doca_end(NULL, call, flow_begin(cfg, layout));
    if (cfg)
        doca_flow_cfg_destroy(cfg);
    return result;
}

doca_error_t doca_flow_init_v2_7(struct doca_flow_cfg *cfg);
doca_error_t doca_flow_init_v2_7(struct doca_flow_cfg *cfg)
{
    return dpk_doca_end(cfg, "doca_flow_init", flow_begin(cfg, generation_flow_2_7));
}

doca_error_t doca_flow_init_v2_10(struct doca_flow_cfg *cfg);
doca_error_t doca_flow_init_v2_10(struct doca_flow_cfg *cfg)
{
    return dpk_doca_end(cfg, "doca_flow_init", flow_begin(cfg, generation_flow_2_10));
}

doca_error_t generation_flow_port(const char *call, const struct generation_flow_port *settings,
                                  void **port)
{
    struct doca_flow_port_cfg *cfg = NULL;
    struct doca_flow_port *started = NULL;
    if (!settings || !port)
        return dpk_doca_end(NULL, call, DOCA_ERROR_INVALID_VALUE);
    *port = NULL;
    if (settings->refused)
        return dpk_doca_end(NULL, call, flow_cannot("the field %s", settings->refused));
    doca_error_t result = doca_flow_port_cfg_create(&cfg);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_set_port_id(cfg, settings->id);
    if (result == DOCA_SUCCESS && settings->dev)
        result = doca_flow_port_cfg_set_dev(cfg, settings->dev);
    if (result == DOCA_SUCCESS && settings->devargs)
        result = doca_flow_port_cfg_set_devargs(cfg, settings->devargs);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_cfg_set_priv_data_size(cfg, settings->priv_size);
    if (result == DOCA_SUCCESS)
        result = doca_flow_port_start(cfg, &started);
    if (cfg)
        doca_flow_port_cfg_destroy(cfg);
    *port = started;
    return result;
}

/* ---- Pipes ---- */

static doca_error_t set_attributes(struct doca_flow_pipe_cfg *cfg,
                                   const struct generation_flow_pipe *s)
{
    doca_error_t result = s->name ? doca_flow_pipe_cfg_set_name(cfg, s->name) : DOCA_SUCCESS;
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_type(cfg, s->type);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_domain(cfg, s->domain);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_is_root(cfg, s->is_root);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_cfg_set_miss_counter(cfg, s->counts_misses);
    return result == DOCA_SUCCESS ? doca_flow_pipe_cfg_set_nr_entries(cfg, s->entries) : result;
}

static doca_error_t set_templates(struct doca_flow_pipe_cfg *cfg,
                                  const struct generation_flow_pipe *s)
{
    const bool is_hash = s->type == DOCA_FLOW_PIPE_HASH;
    doca_error_t result = DOCA_SUCCESS;
    if (s->match || (is_hash && s->mask))
        result = doca_flow_pipe_cfg_set_match(cfg, s->match, s->mask);
    if (result == DOCA_SUCCESS && s->actions)
        /* 0 is the default, which is one. */
        result = doca_flow_pipe_cfg_set_actions(cfg, s->actions, s->masks, s->descs,
                                                s->action_count ? s->action_count : 1);
    if (result == DOCA_SUCCESS && s->monitor)
        result = doca_flow_pipe_cfg_set_monitor(cfg, s->monitor);
    return result;
}

doca_error_t generation_flow_pipe(const char *call, const struct generation_flow_pipe *settings,
                                  void **pipe)
{
    struct doca_flow_pipe_cfg *cfg = NULL;
    struct doca_flow_pipe *made = NULL;
    if (!settings || !pipe)
        return dpk_doca_end(NULL, call, DOCA_ERROR_INVALID_VALUE);
    *pipe = NULL;
    if (settings->refused)
        return dpk_doca_end(settings->port, call, flow_cannot("the field %s", settings->refused));
    doca_error_t result = doca_flow_pipe_cfg_create(&cfg, settings->port);
    if (result == DOCA_SUCCESS)
        result = set_attributes(cfg, settings);
    if (result == DOCA_SUCCESS)
        result = set_templates(cfg, settings);
    if (result == DOCA_SUCCESS)
        result = doca_flow_pipe_create(cfg, settings->fwd, settings->miss, &made);
    if (cfg)
        doca_flow_pipe_cfg_destroy(cfg);
    *pipe = made;
    return result;
}

/* ---- Entries ---- */

/* The number of the actions is the first byte of the structure in all releases. */
static uint8_t index_of(const struct doca_flow_actions *actions)
{
    return actions ? *(const uint8_t *)actions : 0;
}

doca_error_t doca_flow_pipe_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           const struct doca_flow_match *match,
                                           const struct doca_flow_actions *actions,
                                           const struct doca_flow_monitor *monitor,
                                           const struct doca_flow_fwd *fwd, uint32_t flags,
                                           void *usr_ctx, struct doca_flow_pipe_entry **entry);
doca_error_t doca_flow_pipe_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                           const struct doca_flow_match *match,
                                           const struct doca_flow_actions *actions,
                                           const struct doca_flow_monitor *monitor,
                                           const struct doca_flow_fwd *fwd, uint32_t flags,
                                           void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_add_entry(pipe_queue, pipe, match, index_of(actions), actions, monitor,
                                    fwd, flags, usr_ctx, entry);
}

doca_error_t doca_flow_pipe_control_add_entry_v2_5(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_actions *actions, const struct doca_flow_actions *actions_mask,
    const struct doca_flow_action_descs *action_descs, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, void *usr_ctx, struct doca_flow_pipe_entry **entry);
doca_error_t doca_flow_pipe_control_add_entry_v2_5(
    uint16_t pipe_queue, uint32_t priority, struct doca_flow_pipe *pipe,
    const struct doca_flow_match *match, const struct doca_flow_match *match_mask,
    const struct doca_flow_actions *actions, const struct doca_flow_actions *actions_mask,
    const struct doca_flow_action_descs *action_descs, const struct doca_flow_monitor *monitor,
    const struct doca_flow_fwd *fwd, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_control_add_entry(pipe_queue, priority, pipe, match, match_mask, NULL,
                                            actions, actions_mask, action_descs, monitor, fwd,
                                            usr_ctx, entry);
}

doca_error_t doca_flow_pipe_lpm_add_entry_v2_5(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
    enum doca_flow_flags_type flags, void *usr_ctx, struct doca_flow_pipe_entry **entry);
doca_error_t doca_flow_pipe_lpm_add_entry_v2_5(
    uint16_t pipe_queue, struct doca_flow_pipe *pipe, const struct doca_flow_match *match,
    const struct doca_flow_match *match_mask, const struct doca_flow_actions *actions,
    const struct doca_flow_monitor *monitor, const struct doca_flow_fwd *fwd,
    enum doca_flow_flags_type flags, void *usr_ctx, struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_lpm_add_entry(pipe_queue, pipe, match, match_mask, index_of(actions),
                                        actions, monitor, fwd, flags, usr_ctx, entry);
}

doca_error_t doca_flow_pipe_acl_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                               const struct doca_flow_match *match,
                                               const struct doca_flow_match *match_mask,
                                               uint32_t priority, const struct doca_flow_fwd *fwd,
                                               enum doca_flow_flags_type flags, void *usr_ctx,
                                               struct doca_flow_pipe_entry **entry);
doca_error_t doca_flow_pipe_acl_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                               const struct doca_flow_match *match,
                                               const struct doca_flow_match *match_mask,
                                               uint32_t priority, const struct doca_flow_fwd *fwd,
                                               enum doca_flow_flags_type flags, void *usr_ctx,
                                               struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_acl_add_entry(pipe_queue, pipe, match, match_mask, NULL, priority, fwd,
                                        flags, usr_ctx, entry);
}

doca_error_t doca_flow_pipe_hash_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                                uint32_t entry_index,
                                                const struct doca_flow_actions *actions,
                                                const struct doca_flow_monitor *monitor,
                                                const struct doca_flow_fwd *fwd,
                                                enum doca_flow_flags_type flags, void *usr_ctx,
                                                struct doca_flow_pipe_entry **entry);
doca_error_t doca_flow_pipe_hash_add_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                                uint32_t entry_index,
                                                const struct doca_flow_actions *actions,
                                                const struct doca_flow_monitor *monitor,
                                                const struct doca_flow_fwd *fwd,
                                                enum doca_flow_flags_type flags, void *usr_ctx,
                                                struct doca_flow_pipe_entry **entry)
{
    return doca_flow_pipe_hash_add_entry(pipe_queue, pipe, entry_index, index_of(actions), actions,
                                         monitor, fwd, flags, usr_ctx, entry);
}

doca_error_t doca_flow_pipe_lpm_update_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                                  const struct doca_flow_actions *actions,
                                                  const struct doca_flow_monitor *monitor,
                                                  const struct doca_flow_fwd *fwd,
                                                  enum doca_flow_flags_type flags,
                                                  struct doca_flow_pipe_entry *entry);
doca_error_t doca_flow_pipe_lpm_update_entry_v2_5(uint16_t pipe_queue, struct doca_flow_pipe *pipe,
                                                  const struct doca_flow_actions *actions,
                                                  const struct doca_flow_monitor *monitor,
                                                  const struct doca_flow_fwd *fwd,
                                                  enum doca_flow_flags_type flags,
                                                  struct doca_flow_pipe_entry *entry)
{
    return doca_flow_pipe_lpm_update_entry(pipe_queue, pipe, index_of(actions), actions, monitor,
                                           fwd, flags, entry);
}
