/*
 * flexio_os: the operating system of a card's DPA, which programs include beside flexio_dev.h. The
 * emulated device has no registers or contexts below FlexIO, so this header declares no functions:
 * flexio_dev.h has what device code needs.
 */
#ifndef FLEXIO_OS_H
#define FLEXIO_OS_H

#include <libflexio-dev/flexio_dev.h>

/* A thread of the system. Opaque. */
struct flexio_os_thread_ctx;

#endif
