/* The layout of DOCA Flow's structures in DOCA 2.7 and 2.8. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  7
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.7.0"
#include "flow.h"
#include "flow_layout.inc"

const struct flow_layout *const generation_flow_2_7 = &layout;
