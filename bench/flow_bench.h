/* What measurements of DOCA Ethernet share: the way of all frames of a port to one receive queue. */
#ifndef FLOW_BENCH_H
#define FLOW_BENCH_H

#include <doca_flow.h>
#include <string.h>

#include "doca_bench.h"

/* All frames go to the receive queue with this id. */
static inline void lead_all_to(struct doca_dev *dev, uint16_t id)
{
    struct doca_flow_cfg *cfg = NULL;
    struct doca_flow_port_cfg *port_cfg = NULL;
    struct doca_flow_pipe_cfg *pipe_cfg = NULL;
    struct doca_flow_port *port = NULL;
    struct doca_flow_pipe *pipe = NULL;
    struct doca_flow_pipe_entry *entry = NULL;
    struct doca_flow_match all;
    struct doca_flow_fwd to;
    memset(&all, 0, sizeof all);
    memset(&to, 0, sizeof to);
    to.type = DOCA_FLOW_FWD_RSS;
    to.rss_type = DOCA_FLOW_RESOURCE_TYPE_NON_SHARED;
    to.rss.queues_array = &id;
    to.rss.nr_queues = 1;
    TRY(doca_flow_cfg_create(&cfg));
    TRY(doca_flow_init(cfg));
    TRY(doca_flow_port_cfg_create(&port_cfg));
    TRY(doca_flow_port_cfg_set_dev(port_cfg, dev));
    TRY(doca_flow_port_start(port_cfg, &port));
    TRY(doca_flow_pipe_cfg_create(&pipe_cfg, port));
    TRY(doca_flow_pipe_cfg_set_is_root(pipe_cfg, true));
    TRY(doca_flow_pipe_cfg_set_match(pipe_cfg, &all, NULL));
    TRY(doca_flow_pipe_create(pipe_cfg, &to, NULL, &pipe));
    TRY(doca_flow_pipe_add_entry(0, pipe, &all, 0, NULL, NULL, NULL, 0, NULL, &entry));
}

#endif
