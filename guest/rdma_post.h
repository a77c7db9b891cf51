/* Posting, for the libraries of all generations. */
#ifndef DPK_GUEST_RDMA_POST_H
#define DPK_GUEST_RDMA_POST_H

#include "guest/abi/rdma_calls.h"
#include "guest/abi/syscall.h"

static inline uint64_t rdma_call(unsigned call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return dpa_call4(DPA_SYS_CALL(DPA_SYS_FAMILY_DOCA, call), a, b, c, d);
}

/* Waits for room in the send queue. */
static inline void rdma_post(uint64_t rdma, struct dpa_rdma_work work)
{
    while (!rdma_call(DPA_RDMA_POST, rdma, (uintptr_t)&work, 0, 0))
        dpa_call0(DPA_SYS_YIELD);
}

/* Returns when all posted operations have ended. */
static inline void rdma_wait_idle(uint64_t rdma)
{
    while (!rdma_call(DPA_RDMA_IS_IDLE, rdma, 0, 0, 0))
        dpa_call0(DPA_SYS_YIELD);
}

#endif
