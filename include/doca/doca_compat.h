/*
 * doca_compat: what every DOCA header brings along: the C headers that DOCA programs rely on, and
 * for which side of the PCIe bus this build is (doca_build_config.h).
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

/* What annotates DPA functions and their types means nothing to the host compiler. */
#ifndef __dpa_global__
#define __dpa_global__
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__
#endif

#endif
