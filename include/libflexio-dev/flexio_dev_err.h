/*
 * Errors of the DPA side: flexio_dev_status_t of flexio_dev.h. Programs include this header beside it;
 * a call that goes wrong beyond that faults its thread.
 */
#ifndef FLEXIO_DEV_ERR_H
#define FLEXIO_DEV_ERR_H

#include <libflexio-dev/flexio_dev.h>

#endif
