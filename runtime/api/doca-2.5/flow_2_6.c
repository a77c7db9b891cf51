/* DOCA Flow's structures in DOCA 2.6. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  6
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.6.0"
#include "flow.h"
#include "flow_layout.inc"

#include "flow_start.inc"

/* The headers give these symbols to doca_flow_init and doca_flow_port_start: doca_flow_init_v2_6,
 * doca_flow_port_start_v2_6. */
doca_error_t doca_flow_init(const struct doca_flow_cfg *cfg)
{
    return begin(cfg);
}

doca_error_t doca_flow_port_start(const struct doca_flow_port_cfg *cfg,
                                  struct doca_flow_port **port)
{
    return port_start(cfg, port);
}
