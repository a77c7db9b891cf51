/*
 * flexio_dev_dpa_arch: words of the DPA's outbox and windows, and its intrinsics (dpaintrin.h).
 *
 * The registers of the outbox are not emulated as memory: device code calls functions of flexio_dev.h
 * and flexio_dev_queue_access.h, which ring the same doorbells.
 */
#ifndef FLEXIO_DEV_DPA_ARCH_H
#define FLEXIO_DEV_DPA_ARCH_H

#include <dpaintrin.h>
#include <stdint.h>

typedef uint64_t dpa_outbox_value_t;
typedef uint64_t dpa_window_value_t;

#endif
