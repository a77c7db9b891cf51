/*
 * Versions of the FlexIO API. A program that wants the API as it was in one version defines
 * FLEXIO_VER_USED before it includes a FlexIO header:
 *
 *     #include <libflexio/flexio_ver.h>
 *     #define FLEXIO_VER_USED FLEXIO_VER(25, 7, 0)
 *     #include <libflexio/flexio.h>
 *
 * From 24.1 on later versions add names and take none away, so these headers have all of them,
 * whatever the version.
 */
#ifndef LIBFLEXIO_FLEXIO_VER_H
#define LIBFLEXIO_FLEXIO_VER_H

/* One number for major, minor and sub version, such that later versions are larger. */
#define FLEXIO_VER(major, minor, sub) (((major) << 24) | ((minor) << 16) | (sub))

/* The latest version that these headers know. */
#define FLEXIO_VER_LATEST FLEXIO_VER(26, 4, 0)

/* The API of the DPA subsystem guide 2.2.1, a generation of its own (include/flexio-2.2). */
#define FLEXIO_VER_2_2 FLEXIO_VER(2, 2, 1)

#endif
