/*
 * doca_rdma_bridge: the libibverbs side of a device of DOCA.
 *
 *     struct ibv_pd *pd;
 *     doca_rdma_bridge_get_dev_pd(dev, &pd);       // pd->context for ibv_query_gid and others
 */
#ifndef DOCA_RDMA_BRIDGE_H
#define DOCA_RDMA_BRIDGE_H

#include <infiniband/verbs.h>

#include "doca_dev.h"
#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The protection domain of an open device, which is closed with it: memory regions of it must have
 * been deregistered before. Its keys and those of doca_mmap are of one kind: either may be used where
 * the other is. NO_MEMORY. INVALID_VALUE: no open device, or NULL. */
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

#ifdef __cplusplus
}
#endif

#endif
