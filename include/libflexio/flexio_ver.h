/*
 * Versions of the FlexIO API. A program that needs the API of one version defines FLEXIO_VER_USED
 * before it includes a FlexIO header:
 *
 *     #include <libflexio/flexio_ver.h>
 *     #define FLEXIO_VER_USED FLEXIO_VER(25, 7, 0)
 *     #include <libflexio/flexio.h>
 *
 * Since 24.1 versions only add names, so these headers have all names for every version.
 */
#ifndef LIBFLEXIO_FLEXIO_VER_H
#define LIBFLEXIO_FLEXIO_VER_H

/* One number for major, minor and sub version; later versions have larger numbers. */
#define FLEXIO_VER(major, minor, sub) (((major) << 24) | ((minor) << 16) | (sub))

/* The latest supported version. */
#define FLEXIO_VER_LATEST FLEXIO_VER(26, 4, 0)

/* The API of the DPA subsystem guide 2.2.1, a generation of its own (include/flexio-2.2). */
#define FLEXIO_VER_2_2 FLEXIO_VER(2, 2, 1)

#endif
