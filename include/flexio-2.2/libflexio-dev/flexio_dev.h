/*
 * flexio_dev as the DPA subsystem guide 2.2.1 has it (1.3.2.2): the declarations that differ from later
 * FlexIO.
 *
 *     uint64_t *dev_ptr;
 *     flexio_dev_window_config(dtctx, window_id, mkey);
 *     flexio_dev_status status = flexio_dev_window_ptr_acquire(dtctx, host_address, dev_ptr);
 *     *dev_ptr = 0xff;
 */
#ifndef FLEXIO_2_2_DEV_H
#define FLEXIO_2_2_DEV_H

#include "../../libflexio-dev/flexio_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef flexio_dev_status_t flexio_dev_status;

/* Sets the pointer variable `dev_ptr` (named directly, not by its address) to an address for loads and
 * stores to host address `haddr`. FAILED: no window is configured. */
#define flexio_dev_window_ptr_acquire(dtctx, haddr, dev_ptr)                                       \
    flexio_dev_window_ptr_acquire(dtctx, haddr, (flexio_uintptr_t *)&(dev_ptr))

#ifdef __cplusplus
}
#endif

#endif
