/* The meaning of a buffer's handle. */
#ifndef DPK_GUEST_DOCA_BUF_H
#define DPK_GUEST_DOCA_BUF_H

#include "guest/abi/doca_calls.h"

static inline struct dpa_doca_buf *buf_of(uint64_t handle)
{
    return (struct dpa_doca_buf *)handle;
}

#endif
