/* The data that the host writes into memory of the DPA for emulated PCI functions, whose calls are
 * in doca_calls.h. */
#ifndef DPK_GUEST_ABI_DEVEMU_CALLS_H
#define DPK_GUEST_ABI_DEVEMU_CALLS_H

#include "doca_calls.h"

/* A doorbell completion is a completion queue. The user_data of an element names the doorbell that was
 * rung. */
struct dpa_devemu_completion {
    uint64_t queue, handle;
};

#endif
