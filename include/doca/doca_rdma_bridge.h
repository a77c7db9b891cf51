/*
 * doca_rdma_bridge: the libibverbs side of a device of DOCA.
 *
 *     struct ibv_pd *pd;
 *     doca_rdma_bridge_get_dev_pd(dev, &pd);          // pd->context for ibv_query_gid and others
 *
 *     doca_rdma_bridge_open_dev_from_pd(mine, &dev);  // of a program that has a protection domain
 *     doca_mmap_add_dev(mmap, dev);
 *     doca_rdma_bridge_get_buf_mkey(buf, dev, &mkey); // for ibv_sge.lkey, and at the peer for rkey
 */
#ifndef DOCA_RDMA_BRIDGE_H
#define DOCA_RDMA_BRIDGE_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "doca_buf.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_mmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The protection domain of an open device, which is closed with it: memory regions of it must have
 * been deregistered before. Its keys and those of doca_mmap are of one kind: either may be used where
 * the other is. NO_MEMORY. INVALID_VALUE: no open device, or NULL. */
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/* Opens a device that has the protection domain of a program, which may be deallocated when the device was closed
 * by doca_dev_close (until then: EBUSY). INVALID_VALUE: NULL, or not of an emulated device. NO_MEMORY. */
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/* The key by which queue pairs of the device's protection domain, and their peers, reach the memory of a buffer,
 * with the permissions of its map; of a map that came from a peer's export, the peer's key. Addresses are those of
 * the program. INVALID_VALUE: NULL, no buffer, or its map was not given the device. BAD_STATE: the map was stopped. */
doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey);

/* The same of a started map, by the protection domain of one of its devices. No documentation is known to name it:
 * the prototype is that of calls in public programs. */
doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif
