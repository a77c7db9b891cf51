/* DOCA Flow as earlier releases call it. */
#include "flow.h"

#include "api/doca/flow/flow.h"

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
