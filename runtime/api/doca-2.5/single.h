/* The single connection of an RDMA context of DOCA 2.5 to 2.8. */
#ifndef DPK_API_DOCA_2_5_SINGLE_H
#define DPK_API_DOCA_2_5_SINGLE_H

#include <doca_rdma.h>

/* The connection for a new task; the first call makes it. *task: NULL. Errors: INVALID_VALUE if `task` is
 * NULL or the context is none, others as of doca_rdma_export. */
doca_error_t rdma_single_connection(struct doca_rdma *rdma, void **task,
                                    struct doca_rdma_connection **connection);

#endif
