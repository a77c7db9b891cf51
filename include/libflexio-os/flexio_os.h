/*
 * flexio_os: the operating system of a card's DPA, which programs include beside flexio_dev.h. What
 * is below that has no registers and no context of its own on the emulated device, so nothing of it
 * is declared: flexio_dev.h has what device code needs.
 */
#ifndef FLEXIO_OS_H
#define FLEXIO_OS_H

#include <libflexio-dev/flexio_dev.h>

/* A thread, as the system has it; nothing of it can be seen here. */
struct flexio_os_thread_ctx;

#endif
