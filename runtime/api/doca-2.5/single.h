/* The single connection of an RDMA context of DOCA 2.5 to 2.8. */
#ifndef DPK_API_DOCA_2_5_SINGLE_H
#define DPK_API_DOCA_2_5_SINGLE_H

#include <doca_rdma.h>

/* Finds the connection for a new task of `call`; the first call makes it. Sets *task to NULL, and
 * reports a failure. Errors: INVALID_VALUE if `task` is NULL or `rdma` is not a context; errors of
 * dpk_rdma_connection_new. */
doca_error_t generation_rdma_single_connection(const char *call, struct doca_rdma *rdma,
                                               void **task,
                                               struct doca_rdma_connection **connection);

#endif
