/* DOCA Flow's structures in DOCA 2.6. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  6
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.6.0"
#include "flow.h"
#include "flow_layout.inc"

/* doca_flow_init_v2_6, doca_flow_port_start_v2_6 */
#include "flow_start.inc"
