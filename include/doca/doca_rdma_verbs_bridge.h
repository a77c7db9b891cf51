/* doca_rdma_verbs_bridge: other names of doca_verbs_bridge.h, as doca_rdma_verbs.h has them of doca_verbs.h. */
#ifndef DOCA_RDMA_VERBS_BRIDGE_H
#define DOCA_RDMA_VERBS_BRIDGE_H

#include "doca_rdma_verbs.h"
#include "doca_verbs_bridge.h"

#define doca_rdma_verbs_bridge_rdma_verbs_context_create doca_verbs_bridge_verbs_context_create
#define doca_rdma_verbs_bridge_rdma_verbs_pd_get_ibv_pd  doca_verbs_bridge_verbs_pd_get_ibv_pd

#endif
