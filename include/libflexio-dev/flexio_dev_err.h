/*
 * Errors of the DPA side: flexio_dev_status_t of flexio_dev.h. Programs include this header together
 * with flexio_dev.h. Any other error of a call faults its thread.
 */
#ifndef FLEXIO_DEV_ERR_H
#define FLEXIO_DEV_ERR_H

#include <libflexio-dev/flexio_dev.h>

#endif
