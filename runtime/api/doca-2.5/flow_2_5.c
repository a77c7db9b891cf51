/* DOCA Flow's structures in DOCA 2.5. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  5
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.5.0"
#include "flow.h"
#include "flow_layout.inc"

/* doca_flow_init_v2_5, doca_flow_port_start_v2_5 */
#include "flow_start.inc"

/* doca_flow_pipe_create_v2_5, which DOCA 2.6 has too. */
doca_error_t doca_flow_pipe_create(const struct doca_flow_pipe_cfg *cfg,
                                   const struct doca_flow_fwd *fwd,
                                   const struct doca_flow_fwd *fwd_miss,
                                   struct doca_flow_pipe **pipe)
{
    void *made = NULL;
    if (!cfg || !pipe)
        return generation_flow_pipe("doca_flow_pipe_create", NULL, NULL);
    const struct generation_flow_pipe settings = {
        .name = cfg->attr.name,
        .type = cfg->attr.type,
        .domain = cfg->attr.domain,
        .is_root = cfg->attr.is_root,
        .counts_misses = cfg->attr.miss_counter,
        .entries = cfg->attr.nb_flows,
        .action_count = cfg->attr.nb_actions,
        .refused = cfg->ordered_lists || cfg->attr.nb_ordered_lists ? "ordered_lists" : NULL,
        .port = cfg->port,
        .match = cfg->match,
        .mask = cfg->match_mask,
        .actions = cfg->actions,
        .masks = cfg->actions_masks,
        .descs = cfg->action_descs,
        .monitor = cfg->monitor,
        .fwd = fwd,
        .miss = fwd_miss,
    };
    const doca_error_t result = generation_flow_pipe("doca_flow_pipe_create", &settings, &made);
    *pipe = made;
    return result;
}
