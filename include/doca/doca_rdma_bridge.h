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

/* Gets the protection domain of an open device. It is closed with the device: deregister its memory
 * regions before. Its keys and the keys of doca_mmap are interchangeable. Errors: NO_MEMORY,
 * INVALID_VALUE for NULL, or if `dev` is not an open device. */
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/* Opens a device that uses the program's protection domain. The protection domain can be deallocated
 * after doca_dev_close (before: EBUSY); one of DOCA Verbs (doca_verbs_bridge_verbs_pd_get_ibv_pd) at any
 * time. Errors: INVALID_VALUE for NULL, or if `pd` is not of an
 * emulated device, NO_MEMORY. */
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/* Gets the key by which queue pairs of the device's protection domain, and their peers, access the
 * memory of a buffer, with the permissions of its map. For a map made from a peer's export, this is the
 * peer's key. Addresses are those of the program. Errors: INVALID_VALUE for NULL, or if `buf` is not a
 * buffer, or its map does not have the device, BAD_STATE if the map was stopped. */
doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey);

/* Gets the key of a started map, by the protection domain of one of its devices. No known documentation
 * has this function: the prototype follows its calls in public programs. */
doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif
