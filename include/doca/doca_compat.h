/*
 * doca_compat: included by every DOCA header. It includes the C headers that DOCA programs rely on, and
 * defines the side of the PCIe bus for which a program is built (doca_build_config.h).
 */
#ifndef DOCA_COMPAT_H
#define DOCA_COMPAT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_build_config.h"

/* The host compiler ignores the annotations of DPA functions and types. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

#endif
